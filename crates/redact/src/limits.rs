//! How much of a trace's lists is kept (`engine.md` §9): a hook that answers with hundreds of thousands of unknown keys
//! must not fill the history with them.

use hookwright_model::{Args, FieldEdit, Ignored, Message, Notice, Removal, Trace, args};
use serde_json::Value;

hookwright_model::messages! {
    /// A list of a trace was longer than what is kept of it.
    MORE = "more" / "entries" { "{count} more are not recorded", "另有 {count} 项未记录" };
}

/// Entries that are kept of each list, before the one that counts the rest.
const MAX_ENTRIES: usize = 100;

/// Characters that are kept of what a hook asked for.
const MAX_WHAT_CHARS: usize = 200;

/// An entry of a list that may be the one that counts the rest.
trait BoundedEntry: Sized {
    /// Its sentence.
    fn code_and_args(&self) -> (Option<&str>, &Args);

    /// The entry that says this of what follows `last`.
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

/// Cuts the lists. What follows of a long one is one entry that says how many there were more.
pub fn limit_lists(trace: &mut Trace) {
    limit_list(&mut trace.notices);
    for step in &mut trace.steps {
        limit_list(&mut step.ignored);
        limit_list(&mut step.edits);
        limit_list(&mut step.removed);
    }
}

/// A trace may be recorded again with more in its lists: what was counted then is counted on.
fn limit_list<T: BoundedEntry>(list: &mut Vec<T>) {
    if list.len() <= MAX_ENTRIES {
        return;
    }
    let mut more = 0;
    list.retain(|entry| {
        let (code, args) = entry.code_and_args();
        let counts = code == Some(MORE.code);
        more += args
            .get("count")
            .and_then(Value::as_u64)
            .filter(|_| counts)
            .unwrap_or(0);
        !counts
    });
    more += u64::try_from(list.len().saturating_sub(MAX_ENTRIES)).unwrap_or(u64::MAX);
    list.truncate(MAX_ENTRIES);
    if let Some(last) = list.last() {
        let rest = T::for_rest(MORE.render(args! { "count" => more }), last);
        list.push(rest);
    }
    list.shrink_to_fit();
}

/// Cuts what hooks called the things they asked for, after secrets in it were masked.
pub fn cut_names(ignored: &mut Ignored) {
    cut_name(&mut ignored.what);
    // A sentence may repeat the name.
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
    fn what_comes_to_a_list_that_was_cut_is_counted_too() {
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
    fn long_names_are_cut_in_the_sentence_too() {
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
