//! Records which variables a simple command sets, and whether only bash supports its syntax.

use super::{Bashism, Script, Word, assignment_name, is_name};

/// Builtins of bash that a plain `sh` may not have.
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

/// Records the effects of a simple command in the script: the variables it sets, and syntax that only bash supports.
/// It also records whether the command runs code that is not in the text.
pub(super) fn record_effects(words: &[Word], script: &mut Script) {
    let rest = super::start(words).words;
    // `if A=$(cmd)` sets `A`, just as `A=$(cmd)` does.
    let before = &words[..words.len() - rest.len()];
    script.sets.extend(
        before
            .iter()
            .filter_map(|word| assignment_name(&word.text))
            .map(str::to_owned),
    );
    let written = before
        .iter()
        .find(|word| !word.quoted && bash_only_builtin(&word.text).is_some());
    if let Some((word, character)) = written.and_then(|word| Some((word, bash_only_builtin(&word.text)?))) {
        script.add_bashism(Bashism {
            character,
            line: word.line,
        });
    }
    let Some(first) = rest.first() else { return };
    if let Some(character) = bash_only_syntax(rest) {
        script.add_bashism(Bashism {
            character,
            line: first.line,
        });
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
        "export" | "readonly" => script.sets.extend(names.filter_map(assignment_name).map(str::to_owned)),
        "local" | "declare" | "typeset" => {
            let set =
                names.filter_map(|name| assignment_name(name).or_else(|| Some(name).filter(|name| is_name(name))));
            script.sets.extend(set.map(str::to_owned));
        }
        "printf" => {
            let into = names.skip_while(|name| *name != "-v").nth(1);
            script.sets.extend(into.map(str::to_owned));
        }
        _ => {}
    }
}

fn bash_only_builtin(word: &str) -> Option<&'static str> {
    BASH_ONLY.iter().copied().find(|name| *name == word)
}

/// Finds syntax of a command that only bash supports: its name, `==` in `[`, `set -o pipefail`.
fn bash_only_syntax(words: &[Word]) -> Option<&'static str> {
    let (first, rest) = words.split_first()?;
    let has = |character: &str| rest.iter().any(|word| word.text == character && !word.quoted);
    match first.text.as_str() {
        "[" | "test" if has("==") => Some("[ … == … ]"),
        "set" if has("pipefail") => Some("set -o pipefail"),
        name if !first.quoted => bash_only_builtin(name),
        _ => None,
    }
}
