//! Fixes of a configuration file whose hooks are not in the section that is read (`engine.md` §14, row "nobody reads it"):
//! a key that is spelled nearly as `hooks`, events without `hooks` around them, or `hooks` around events that belong to the
//! top level.
//!
//! How it works: the text changes only where keys and their indentation change, so comments and the author's layout stay.
//! The result is read again, and counts only if nothing else changed.

use std::path::Path;

use hookwright_model::problem::TextPosition;
use hookwright_model::{FileFix, FixChange};
use serde_json::{Map, Value};

use crate::node::{Entry, Node};
use crate::{jsonc, yaml};

/// The key under which most agents read hooks.
pub const WRAPPER: &str = "hooks";
const INDENT: &str = "  ";

/// The fix that moves these top-level keys into `hooks`; `None` if there are `hooks` already, or if other keys are
/// between them.
#[must_use]
pub fn add_wrapper_fix(path: &Path, root: &Node, is_event: impl Fn(&Entry) -> bool) -> Option<FileFix> {
    let entries = root.entries()?;
    let events: Vec<usize> = (0..)
        .zip(entries)
        .filter(|(_, entry)| is_event(entry))
        .map(|(at, _)| at)
        .collect();
    let (first, last) = (*events.first()?, *events.last()?);
    let is_certain =
        last - first + 1 == events.len() && root.get(WRAPPER).is_none() && root.duplicate_keys().is_empty();
    let keys = || entries[first..=last].iter().map(|entry| entry.key.clone()).collect();
    is_certain.then(|| FileFix::new(path, FixChange::AddWrapper { keys: keys() }))
}

/// The JSON text with another name for a top-level key; `None` if the text has no such key, or has the new one too.
#[must_use]
pub fn rename_key(text: &str, from: &str, to: &str) -> Option<String> {
    let (root, mut map) = read_json(text)?;
    let entry = root.entries()?.iter().find(|entry| entry.key == from)?;
    let start = byte_at(text, entry.key_position)?;
    let rest = text[start..].strip_prefix(&Value::from(from).to_string())?;
    let fixed = format!("{}{}{rest}", &text[..start], Value::from(to));
    let value = map.remove(from)?;
    map.insert(to.to_owned(), value).is_none().then_some(())?;
    (read_json(&fixed)?.1 == map).then_some(fixed)
}

/// The JSON text in which these keys, which follow each other, are inside a new object `hooks`.
#[must_use]
pub fn add_wrapper(text: &str, keys: &[String]) -> Option<String> {
    let (root, mut map) = read_json(text)?;
    let find = |key: &String| root.entries()?.iter().find(|entry| entry.key == *key);
    let start = byte_at(text, find(keys.first()?)?.key_position)?;
    let end = find(keys.last()?)?.value.span.end;
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let before = &text[line_start..start];
    let inside = text.get(start..end)?;
    let wrapped = if inside.contains('\n') && before.trim().is_empty() {
        let unit = if before.is_empty() { INDENT } else { before };
        let line_end = if inside.contains("\r\n") { "\r\n" } else { "\n" };
        let lines = inside.split_inclusive('\n').map(|line| match line.trim() {
            "" => line.to_owned(),
            _ => format!("{unit}{line}"),
        });
        let lines: String = lines.collect();
        format!("\"{WRAPPER}\": {{{line_end}{before}{lines}{line_end}{before}}}")
    } else {
        format!("\"{WRAPPER}\": {{{inside}}}")
    };
    let fixed = format!("{}{wrapped}{}", &text[..start], &text[end..]);
    let moved: Option<Map<String, Value>> = keys.iter().map(|key| Some((key.clone(), map.remove(key)?))).collect();
    map.insert(WRAPPER.to_owned(), Value::Object(moved?))
        .is_none()
        .then_some(())?;
    (read_json(&fixed)?.1 == map).then_some(fixed)
}

/// The YAML text in which what was under the top-level key `hooks` is at the top level.
#[must_use]
pub fn remove_wrapper(text: &str) -> Option<String> {
    let root = yaml::read(text).ok()??;
    let entry = root.entries()?.iter().find(|entry| entry.key == WRAPPER)?;
    let key_line = usize::try_from(entry.key_position.line).ok()? - 1;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_blank = |line: &&str| line.trim().is_empty();
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let body = &lines[key_line + 1..];
    let ends = |line: &&str| indent(line) == 0 && !is_blank(line) && !line.starts_with('#');
    let body = &body[..body.iter().position(ends).unwrap_or(body.len())];
    let first = body
        .iter()
        .find(|line| !is_blank(line) && !line.trim_start().starts_with('#'))?;
    let width = indent(first);
    let moved = body.iter().map(|line| &line[width.min(indent(line))..]);
    let fixed: String = lines[..key_line]
        .iter()
        .copied()
        .chain(moved)
        .chain(lines[key_line + 1 + body.len()..].iter().copied())
        .collect();
    let Value::Object(mut map) = root.to_value() else {
        return None;
    };
    let Value::Object(events) = map.remove(WRAPPER)? else {
        return None;
    };
    for (event, value) in events {
        map.insert(event, value).is_none().then_some(())?;
    }
    (yaml::read(&fixed).ok()??.to_value() == Value::Object(map)).then_some(fixed)
}

fn read_json(text: &str) -> Option<(std::sync::Arc<Node>, Map<String, Value>)> {
    let root = jsonc::read(text).ok()?.root?;
    let Value::Object(map) = root.to_value() else {
        return None;
    };
    Some((root, map))
}

/// The byte at this position, which counts characters.
fn byte_at(text: &str, position: TextPosition) -> Option<usize> {
    let skipped = usize::try_from(position.line).ok()? - 1;
    let line = text.split_inclusive('\n').nth(skipped)?;
    let start: usize = text.split_inclusive('\n').take(skipped).map(str::len).sum();
    let column = usize::try_from(position.column).ok()? - 1;
    Some(start + line.char_indices().nth(column)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_key_is_renamed_where_it_is_written() {
        let text = "{\n  \"a\": {\"Hooks\": 1}, // x\n  \"Hooks\": {\"Stop\": []}\n}\n";
        let fixed = "{\n  \"a\": {\"Hooks\": 1}, // x\n  \"hooks\": {\"Stop\": []}\n}\n";
        assert_eq!(rename_key(text, "Hooks", "hooks").as_deref(), Some(fixed));
        assert_eq!(rename_key("{\"Hooks\": 1, \"hooks\": 2}", "Hooks", "hooks"), None);
        assert_eq!(
            rename_key("{\"H\\u006foks\": 1}", "Hooks", "hooks"),
            None,
            "it is written in another way"
        );
        assert_eq!(rename_key("{}", "Hooks", "hooks"), None);
    }

    #[test]
    fn events_get_hooks_around_them_and_keep_their_comments() {
        for (text, names, fixed) in [
            ("{\"Stop\":[1]}", &["Stop"][..], "{\"hooks\": {\"Stop\":[1]}}"),
            (
                "{\n  \"model\": \"é\",\n  \"Stop\": [\n    1 // one\n  ],\n\n  \"PreToolUse\": []\n}\n",
                &["Stop", "PreToolUse"],
                "{\n  \"model\": \"é\",\n  \"hooks\": {\n    \"Stop\": [\n      1 // one\n    ],\n\n    \"PreToolUse\": []\n  }\n}\n",
            ),
            (
                "{\r\n\t\"Stop\": [\r\n\t\t1\r\n\t],\r\n\t\"x\": 1\r\n}",
                &["Stop"],
                "{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t1\r\n\t\t]\r\n\t},\r\n\t\"x\": 1\r\n}",
            ),
        ] {
            assert_eq!(add_wrapper(text, &keys(names)).as_deref(), Some(fixed), "{text}");
        }
        for text in [
            "{\"hooks\": {}, \"Stop\": []}",
            "{\"Stop\": 1, \"x\": 2, \"PreToolUse\": 3}",
            "[]",
            "{",
        ] {
            assert_eq!(add_wrapper(text, &keys(&["Stop", "PreToolUse"])), None, "{text}");
        }
    }

    #[test]
    fn events_of_yaml_move_to_the_left() {
        let text = "# top\nhooks:\n  # first\n  stop:\n    - type: bash\n      command: |\n        a\n          b\n\n  pre: []\nx: 1\n";
        let fixed = "# top\n# first\nstop:\n  - type: bash\n    command: |\n      a\n        b\n\npre: []\nx: 1\n";
        assert_eq!(remove_wrapper(text).as_deref(), Some(fixed));
        for text in [
            "hooks: {stop: []}\n",
            "hooks:\n  x: 1\nx: 2\n",
            "hooks:\n- a\n",
            "stop: []\n",
            "hooks: &a\n  x: *a\n",
        ] {
            assert_eq!(remove_wrapper(text), None, "{text}");
        }
    }
}
