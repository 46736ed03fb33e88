//! Fixes of a definition (`engine.md` §14): another spelling of a matcher, another way to write a path in a command. Only
//! what a problem says with its whole remedy is offered.

use hookwright_model::{Code, FieldReplacement, FileFix, Hook, Problem};
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
    let from = match problem.code {
        Code::NeverMatches => arg("written").unwrap_or(text),
        Code::EntryMissing | Code::NotPortable => shell::raw_word(text, arg("name").or_else(|| arg("path"))?)?,
        _ => return None,
    };
    let is_certain = from != to && text.matches(from).count() == 1;
    let replace = || FieldReplacement {
        field,
        from: from.to_owned(),
        to: to.to_owned(),
    };
    is_certain.then(|| FileFix::field(&hook.source.path, replace()))
}

/// The text of a field of the definition, as `edit --set` names it; `None` if it is not written, or is no text.
#[must_use]
pub fn text_of<'h>(hook: &'h Hook, field: &str) -> Option<&'h str> {
    let step = |value: &'h Value, name: &str| value.get(name);
    let written = field.split('.').try_fold(&hook.definition, step);
    let of_condition = || hook.filter.as_ref().and_then(|filter| filter.get(field));
    written.or_else(of_condition).and_then(Value::as_str)
}
