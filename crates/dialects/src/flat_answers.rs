//! Compares the fields that a script prints with the event's table, for hooks whose answers have no levels
//! (`engine.md` §14, F18). [`crate::hook_output::lint`] does it for those that have.

use hookwright_model::event::EventSpec;
use hookwright_model::{Card, Message, args};

use crate::command_lint::prints::PrintedObject;
use crate::hook_output::lint::NOT_HERE;

hookwright_model::messages! {
    /// A field that no event of the dialect has.
    UNKNOWN = "returns_ignored" / "unknown_field" { "{agent} ignores the field `{field}` of this output", "{agent} 会忽略此返回结果的字段 `{field}`" } hint { "use what {event} reads: {fields}", "使用 {event} 读取的字段：{fields}" };
    /// A word that a decision does not have.
    WORD = "returns_ignored" / "unknown_word" { "`{field}` cannot be `{written}`: {agent} has no such word", "`{field}` 不能是 `{written}`：{agent} 没有这个词" } hint { "write {words}", "写 {words}" };
}

/// Fields with which hooks of other agents decide or give context.
const OTHER_SYSTEM_FIELDS: [&str; 7] = [
    "hookSpecificOutput",
    "permissionDecision",
    "additionalContext",
    "updatedInput",
    "continue",
    "decision",
    "action",
];

/// A field that decides by its word, and its words.
pub type DecisionField = (&'static str, &'static [&'static str]);

/// What is wrong with the decision of a printed object, or with its first field that has no effect at the event.
#[must_use]
pub fn fault(
    card: &'static Card,
    decision: DecisionField,
    event: &EventSpec,
    object: &PrintedObject,
) -> Option<Message> {
    wrong_word(card, decision, object).or_else(|| odd_field(card, event, object))
}

fn wrong_word(card: &Card, (name, words): DecisionField, object: &PrintedObject) -> Option<Message> {
    let field = object.fields.iter().find(|field| field.name == name)?;
    let written = field.word.as_deref().filter(|word| !words.contains(word))?;
    Some(WORD.render(args! {
        "field" => name,
        "written" => written,
        "agent" => card.name,
        "words" => format!("`{}`", words.join("`, `"))
    }))
}

fn odd_field(card: &'static Card, event: &EventSpec, object: &PrintedObject) -> Option<Message> {
    let decides = |name: &str| card.blocking_outputs.iter().any(|output| output.field == name);
    let known = |name: &str| decides(name) || card.events.iter().any(|event| event.output(name).is_some());
    let is_answer = object.fields.iter().any(|field| known(&field.name));
    let odd = object.fields.iter().map(|field| field.name.as_str()).find(|name| {
        let is_odd = is_answer || OTHER_SYSTEM_FIELDS.contains(name);
        is_odd && !decides(name) && event.output(name).is_none()
    })?;
    let events = card.events.iter().filter(|event| event.output(odd).is_some());
    let events: Vec<&str> = events.map(|event| event.name).collect();
    let outputs = event.outputs.iter().map(|output| output.name);
    let mut fields: Vec<&str> = card
        .blocking_outputs
        .iter()
        .map(|output| output.field)
        .chain(outputs)
        .collect();
    fields.sort_unstable();
    fields.dedup();
    let template = if events.is_empty() { &UNKNOWN } else { &NOT_HERE };
    Some(template.render(args! {
        "agent" => card.name,
        "field" => odd,
        "event" => event.name,
        "events" => events.join(", "),
        "fields" => format!("`{}`", fields.join("`, `"))
    }))
}
