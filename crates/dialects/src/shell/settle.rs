//! What a simple command does to the variables, and whether only bash knows it.

use super::{Bashism, Script, Word, assigned, is_name};

/// Builtins that bash has and a plain `sh` need not have.
const BASH_ONLY: [&str; 13] = [
    "[[",
    "source",
    "shopt",
    "mapfile",
    "readarray",
    "declare",
    "typeset",
    "let",
    "pushd",
    "popd",
    "function",
    "select",
    "disown",
];

/// What a simple command sets, whether it runs text that is not here, and what of it only bash knows.
pub(super) fn settle(words: &[Word], script: &mut Script) {
    let rest = super::program(words);
    // `if A=$(cmd)` sets as `A=$(cmd)` does.
    let before = &words[..words.len() - rest.len()];
    script
        .sets
        .extend(before.iter().filter_map(|word| assigned(&word.text)).map(str::to_owned));
    let written = before
        .iter()
        .find(|word| !word.quoted && is_bash_only(&word.text).is_some());
    if let Some((word, sign)) = written.and_then(|word| Some((word, is_bash_only(&word.text)?))) {
        script.bashism(Bashism { sign, line: word.line });
    }
    let Some(first) = rest.first() else { return };
    if let Some(sign) = bash_only(rest) {
        script.bashism(Bashism { sign, line: first.line });
    }
    let names = rest[1..].iter().map(|word| word.text.as_str());
    match first.text.as_str() {
        "eval" | "." | "source" => script.opaque = true,
        "for" | "read" | "mapfile" | "readarray" | "getopts" | "unset" | "case" | "select" => {
            let set: Vec<String> = names
                .take_while(|name| *name != "in")
                .filter(|name| is_name(name))
                .map(str::to_owned)
                .collect();
            script.sets.extend(set);
        }
        "export" | "readonly" => script.sets.extend(names.filter_map(assigned).map(str::to_owned)),
        "local" | "declare" | "typeset" => {
            let set = names.filter_map(|name| assigned(name).or_else(|| Some(name).filter(|name| is_name(name))));
            script.sets.extend(set.map(str::to_owned));
        }
        "printf" => {
            let into = names.skip_while(|name| *name != "-v").nth(1);
            script.sets.extend(into.map(str::to_owned));
        }
        _ => {}
    }
}

fn is_bash_only(word: &str) -> Option<&'static str> {
    BASH_ONLY.iter().copied().find(|name| *name == word)
}

/// What of a command only bash knows: its name, `==` in `[`, `set -o pipefail`.
fn bash_only(words: &[Word]) -> Option<&'static str> {
    let (first, rest) = words.split_first()?;
    let has = |sign: &str| rest.iter().any(|word| word.text == sign && !word.quoted);
    match first.text.as_str() {
        "[" | "test" if has("==") => Some("[ … == … ]"),
        "set" if has("pipefail") => Some("set -o pipefail"),
        name if !first.quoted => is_bash_only(name),
        _ => None,
    }
}
