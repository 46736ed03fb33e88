//! Limits the lists of a trace (`engine.md` §9): a hook whose output has hundreds of thousands of unknown keys must not
//! fill the history with them.

use hookwright_model::{Args, FieldEdit, Ignored, Message, Notice, Removal, Trace, render};
use serde_json::Value;

hookwright_model::messages! {
    /// A list of a trace has more entries than are recorded.
    MORE = "more" / "entries" { "{count} more are not recorded", "另有 {count} 项未记录" };
}

/// Each list keeps at most this many entries, and then one that counts the rest (`engine.md` §9).
const MAX_ENTRIES: usize = 100;

/// A name that a hook used in its output is cut after this many characters (`engine.md` §9).
const MAX_WHAT_CHARS: usize = 200;

/// An entry of a list that is limited. It may be the entry that counts the rest.
trait BoundedEntry: Sized {
    /// The code and the arguments of its message.
    fn code_and_args(&self) -> (Option<&str>, &Args);

    /// Creates the entry that counts the rest. `last` is the last entry that is kept.
    fn for_rest(message: Message, last: &Self) -> Self;
}

impl BoundedEntry for Notice {
    fn code_and_args(&self) -> (Option<&str>, &Args) {
        (self.code.as_deref(), &self.args)
    }

    fn for_rest(message: Message, _: &Self) -> Self {
        Self::warning(message, None)
    }
}

impl BoundedEntry for Ignored {
    fn code_and_args(&self) -> (Option<&str>, &Args) {
        (Some(&self.code), &self.args)
    }

    fn for_rest(message: Message, _: &Self) -> Self {
        Self::new("", message)
    }
}

impl BoundedEntry for FieldEdit {
    fn code_and_args(&self) -> (Option<&str>, &Args) {
        (self.code.as_deref(), &self.args)
    }

    fn for_rest(message: Message, _: &Self) -> Self {
        Self {
            after: Value::String(message.text),
            code: Some(message.code.to_owned()),
            args: message.args,
            ..Self::default()
        }
    }
}

impl BoundedEntry for Removal {
    fn code_and_args(&self) -> (Option<&str>, &Args) {
        (self.code.as_deref(), &self.args)
    }

    fn for_rest(message: Message, last: &Self) -> Self {
        Self {
            at: last.at,
            by: message.text,
            code: Some(message.code.to_owned()),
            args: message.args,
            ..Self::default()
        }
    }
}

/// Limits every list of the trace. The end of a long list is replaced by one entry with the number of removed entries.
pub fn limit_lists(trace: &mut Trace) {
    limit_list(&mut trace.notices);
    for step in &mut trace.steps {
        limit_list(&mut step.ignored);
        limit_list(&mut step.edits);
        limit_list(&mut step.removed);
    }
}

/// Limits one list. A trace may be recorded again with more entries, so the count of an earlier limit is added.
fn limit_list<T: BoundedEntry>(list: &mut Vec<T>) {
    if list.len() <= MAX_ENTRIES {
        return;
    }
    let mut removed = 0;
    list.retain(|entry| {
        let (code, args) = entry.code_and_args();
        let is_rest = code == Some(MORE.code);
        removed += args
            .get("count")
            .and_then(Value::as_u64)
            .filter(|_| is_rest)
            .unwrap_or(0);
        !is_rest
    });
    removed += u64::try_from(list.len().saturating_sub(MAX_ENTRIES)).unwrap_or(u64::MAX);
    list.truncate(MAX_ENTRIES);
    if let Some(last) = list.last() {
        let rest = T::for_rest(render!(MORE, "count" => removed), last);
        list.push(rest);
    }
    list.shrink_to_fit();
}

/// Cuts the names in ignored output. Secrets in them must be masked before.
pub fn cut_names(ignored: &mut Ignored) {
    cut_name(&mut ignored.what);
    // The message may repeat the name.
    if cut_args(&mut ignored.args)
        && let Some((end, _)) = ignored.why.char_indices().nth(2 * MAX_WHAT_CHARS)
    {
        ignored.why.truncate(end);
        ignored.why.push('…');
    }
}

fn cut_args(args: &mut Args) -> bool {
    let mut cut = false;
    for value in args.values_mut() {
        if let Value::String(text) = value {
            cut |= cut_name(text);
        }
    }
    cut
}

fn cut_name(text: &mut String) -> bool {
    let Some((end, _)) = text.char_indices().nth(MAX_WHAT_CHARS) else {
        return false;
    };
    text.truncate(end);
    text.push('…');
    text.shrink_to_fit();
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use hookwright_model::args;

    fn ignored_entries(count: usize) -> Vec<Ignored> {
        let message = || MORE.render(args! {});
        (0..count)
            .map(|number| Ignored {
                code: "not_accepted".to_owned(),
                ..Ignored::new(format!("k{number}"), message())
            })
            .collect()
    }

    #[test]
    fn a_list_of_a_hundred_stays_and_a_longer_one_counts_the_rest() {
        let mut hundred = ignored_entries(100);
        limit_list(&mut hundred);
        assert_eq!(hundred, ignored_entries(100));
        let mut many = ignored_entries(300_000);
        limit_list(&mut many);
        assert_eq!(many.len(), 101);
        assert_eq!(many[..100], ignored_entries(100));
        let last = json!(many[100]);
        assert_eq!(
            (&last["code"], &last["args"]),
            (&json!("more"), &json!({"count": 299_900, "case": "entries"}))
        );
    }

    #[test]
    fn entries_added_to_a_limited_list_are_counted() {
        let mut many = ignored_entries(150);
        limit_list(&mut many);
        let once = many.clone();
        limit_list(&mut many);
        assert_eq!(many, once);
        many.extend(ignored_entries(7));
        limit_list(&mut many);
        assert_eq!((many.len(), &many[100].args["count"]), (101, &json!(57)));
    }

    #[test]
    fn long_names_are_cut_in_the_message_too() {
        let name = "n".repeat(300);
        let message = Message {
            code: "x",
            text: format!("{name} is twice"),
            hint: None,
            args: args! { "name" => name },
        };
        let mut ignored = Ignored::new(name, message);
        cut_names(&mut ignored);
        assert_eq!(ignored.what.chars().count(), 201);
        assert_eq!(
            ignored.args["name"].as_str().map(|text| text.chars().count()),
            Some(201)
        );
        assert!(ignored.why.chars().count() <= 401);
    }
}
