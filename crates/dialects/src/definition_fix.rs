//! Fixes of a definition (`engine.md` §14): another spelling of a matcher, another way to write a path in a command. Only
//! what a problem says with its whole remedy is offered.

use hookwright_model::{Code, FieldReplacement, FileFix, FixChange, Hook, Problem};
use serde_json::Value;

use crate::condition_fix::is_in_file;
use crate::shell;

/// Stands in a remedy for what only the author knows.
const OPEN_PLACE: char = '…';

/// The change of the definition that a problem asks for; `None` if it asks for none, or if it is not certain.
#[must_use]
pub fn definition_fix(hook: &Hook, problem: &Problem) -> Option<FileFix> {
    if !is_in_file(hook) || problem.inside.is_some() || problem.path != hook.source.path {
        return None;
    }
    let arg = |name: &str| problem.args.get(name).and_then(Value::as_str);
    let to = arg("fixed").filter(|fixed| !fixed.contains(OPEN_PLACE))?;
    let at_problem = |(field, at): (&'_ str, hookwright_model::problem::TextPosition)| {
        ((Some(at.line), Some(at.column)) == (problem.line, problem.column)).then(|| field.to_owned())
    };
    let field = hook.field_positions.iter().find_map(at_problem)?;
    let text = text_of(hook, &field)?;
    let from = if problem.code == Code::NeverMatches {
        // Other words are other calls: `Edit(src/**)` was meant for fewer than `Edit`.
        arg("written")
            .or(Some(text))
            .filter(|written| has_words_of(written, to))?
    } else if [Code::EntryMissing, Code::NotPortable].contains(&problem.code) {
        shell::raw_word(text, arg("name").or_else(|| arg("path"))?)?
    } else {
        return None;
    };
    let is_certain = from != to && text.matches(from).count() == 1;
    let replace = || FieldReplacement {
        field,
        from: from.to_owned(),
        to: to.to_owned(),
    };
    is_certain.then(|| FileFix::new(&hook.source.path, FixChange::Field { replace: replace() }))
}

/// Whether two matchers consist of the same words, whatever their signs and letter case.
fn has_words_of(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|sign: char| !sign.is_alphanumeric());
        parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
    };
    words(one) == words(other)
}

/// The text of a field of the definition, as `edit --set` names it; `None` if it is not written, or is no text.
#[must_use]
pub fn text_of<'h>(hook: &'h Hook, field: &str) -> Option<&'h str> {
    let step = |value: &'h Value, name: &str| value.get(name);
    let written = field.split('.').try_fold(&hook.definition, step);
    let of_condition = || hook.filter.as_ref().and_then(|filter| filter.get(field));
    written.or_else(of_condition).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matcher_for_other_calls_is_no_other_spelling() {
        for (one, other) in [
            ("Edit, Write", "Edit|Write"),
            ("mcp__x__*", "mcp__x__.*"),
            ("!Bash", "^(?!Bash$).*"),
            ("'bash'", "Bash"),
        ] {
            assert!(has_words_of(one, other), "{one}");
        }
        for (one, other) in [("Edit:.*\\.cs", "Edit"), ("Bash(npm run:*)", "Bash"), ("Shell", "Bash")] {
            assert!(!has_words_of(one, other), "{one}");
        }
    }
}
