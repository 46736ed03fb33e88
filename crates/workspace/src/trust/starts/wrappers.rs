//! Wrappers: programs that start another program, which follows their own options and operands.

use hookwright_dialects::shell::Word;

use crate::trust::names::program_name;

/// The wrappers. Each has the letters of its options that take the next word, and the number of its own operands. `env`
/// and similar programs are not listed, because `shell::SimpleCommand::program` skips them.
const WRAPPERS: [(&str, &str, usize); 15] = [
    ("timeout", "ks", 1),
    ("stdbuf", "ioe", 0),
    ("ionice", "cn", 0),
    ("chrt", "", 1),
    ("taskset", "", 1),
    ("xargs", "adEILnPs", 0),
    ("flock", "wE", 1),
    ("watch", "n", 0),
    ("chronic", "", 0),
    ("unbuffer", "", 0),
    ("doas", "uC", 0),
    ("strace", "abeEIoOpPSuX", 0),
    ("ltrace", "aeFlnopsSuwx", 0),
    ("parallel", "jnNIS", 0),
    ("coproc", "", 0),
];
/// Limit for the number of wrappers in a row.
const MAX_WRAPPERS: usize = 8;

/// A program's words without the wrappers before it.
pub(super) fn strip_wrappers(words: &[Word]) -> &[Word] {
    let mut rest = words;
    for _ in 0..MAX_WRAPPERS {
        let Some((program, behind)) = rest.split_first() else {
            break;
        };
        let Some((_, takes, own)) = WRAPPERS.iter().find(|(name, ..)| *name == program_name(&program.text)) else {
            break;
        };
        let behind = after_options(behind, takes);
        rest = after_options(behind.get(*own..).unwrap_or_default(), takes);
    }
    rest
}

fn after_options<'w>(words: &'w [Word], takes: &str) -> &'w [Word] {
    let mut rest = words;
    while let Some(word) = rest.first().filter(|word| word.text.starts_with('-')) {
        rest = rest
            .get(1 + usize::from(takes_next(&word.text, takes))..)
            .unwrap_or_default();
    }
    rest
}

/// Whether the value of an option is the next word: `-W ignore`, not `-Wignore`.
fn takes_next(option: &str, letters: &str) -> bool {
    let mut signs = option.chars().skip(1).skip_while(|letter| !letters.contains(*letter));
    !option.starts_with("--") && signs.next().is_some() && signs.next().is_none()
}
