//! Finds operators of a shell among the arguments of a program that starts without a shell (`engine.md` §14, paths).

use hookwright_model::{Problem, render};

use super::{LintSubject, messages};
use crate::shell;

/// Words that a shell reads as operators.
const SIGNS: [&str; 10] = ["|", "||", "&&", ">", ">>", "<", "2>", "2>&1", "&>", "2>/dev/null"];
/// Programs for which such a word may be an operand.
const OPERATORS: [&str; 12] = [
    "[", "awk", "cut", "egrep", "expr", "find", "grep", "rg", "sed", "test", "tr", "xargs",
];

/// Reports the first such argument. `field` is the field of the definition with the arguments.
pub fn check_argument_signs(subject: &LintSubject<'_>, field: &str) -> Option<Problem> {
    let (program, arguments) = subject.argv.split_first()?;
    let name = shell::base_name(&program.text);
    let is_sign = |text: &str| SIGNS.contains(&text) || text.starts_with(">/") || text.starts_with("2>/");
    let sign = arguments.iter().find(|word| is_sign(&word.text))?;
    let takes_any = OPERATORS.contains(&name) || matches!(shell::target(&subject.argv), shell::Target::Text(_));
    (!takes_any).then(|| {
        let message = render!(messages::SHELL_SIGN, "written" => sign.text.as_str(), "program" => name);
        subject.problem_at(message, field)
    })
}
