//! Compares the fields that a script prints with the table that decides what the event accepts (`engine.md` §14, F18).
//!
//! What it deliberately does not do: it does not judge a value that a script computes.

use hookwright_model::event::EventSpec;
use hookwright_model::{Card, Message, MessageTemplate, args};

use super::{DecisionWord, HookOutputRules, OutputLevel, SPECIFIC_OUTPUT, decides_by_behavior, decides_by_permission};
use crate::command_lint::prints::{PrintedField, PrintedObject};

hookwright_model::messages! {
    /// A field that has no effect at the event.
    NOT_HERE = "returns_ignored" / "not_here" { "`{field}` has no effect at {event}: {agent} reads it at {events}", "`{field}` 在 {event} 不起作用：{agent} 只在 {events} 读取它" } hint { "use what {event} reads: {fields}", "使用 {event} 读取的字段：{fields}" };
    /// A field of the answer itself that is inside `hookSpecificOutput`.
    BELOW = "returns_ignored" / "below" { "`hookSpecificOutput.{field}` is ignored: {agent} reads `{field}` at the top level", "`hookSpecificOutput.{field}` 会被忽略：{agent} 在顶层读取 `{field}`" } hint { "write `{field}` next to `hookSpecificOutput`, not inside it", "把 `{field}` 写在 `hookSpecificOutput` 旁边，而不是里面" };
    /// A decision inside `hookSpecificOutput` where it is no text.
    DECISION_BELOW = "returns_ignored" / "decision_below" { "`hookSpecificOutput.decision` is for permission requests only: at {event} the whole output is discarded", "`hookSpecificOutput.decision` 只用于权限申请：在 {event}，全部返回结果会被丢弃" } hint { "write `\"decision\": \"block\"` and `reason` next to `hookSpecificOutput`, not inside it", "把 `\"decision\": \"block\"` 和 `reason` 写在 `hookSpecificOutput` 旁边，而不是里面" };
    /// A decision about a permission that is a text.
    BEHAVIOR = "returns_ignored" / "behavior" { "`decision` of {event} is an object: this output is discarded", "{event} 的 `decision` 是对象：此返回结果会被丢弃" } hint { "write `{\"hookSpecificOutput\": {\"hookEventName\": \"{event}\", \"decision\": {decision}}}`", "写成 `{\"hookSpecificOutput\": {\"hookEventName\": \"{event}\", \"decision\": {decision}}}`" };
    /// A decision about a permission that is at the top level.
    BEHAVIOR_TOP = "returns_ignored" / "behavior_top" { "`decision` has no effect at the top level at {event}: there it is an object in `hookSpecificOutput`", "在 {event}，顶层的 `decision` 不起作用：它应是 `hookSpecificOutput` 中的对象" } hint { "write `{\"hookSpecificOutput\": {\"hookEventName\": \"{event}\", \"decision\": {decision}}}`", "写成 `{\"hookSpecificOutput\": {\"hookEventName\": \"{event}\", \"decision\": {decision}}}`" };
    /// A part of a decision about a permission that is outside of it.
    BESIDE_BEHAVIOR = "returns_ignored" / "beside_behavior" { "`{field}` is ignored here: at {event} {agent} reads it inside `hookSpecificOutput.decision`", "此处的 `{field}` 会被忽略：在 {event}，{agent} 在 `hookSpecificOutput.decision` 中读取它" } hint { "write `\"decision\": {\"behavior\": \"allow\", \"{field}\": …}` in `hookSpecificOutput`", "在 `hookSpecificOutput` 中写 `\"decision\": {\"behavior\": \"allow\", \"{field}\": …}`" };
    /// A word of `decision` that the agent does not know.
    DECISION_WORD = "returns_ignored" / "decision_word" { "`decision` cannot be `{written}`: {agent} ignores it", "`decision` 不能是 `{written}`：{agent} 会忽略它" } hint { "write `{right}`", "写成 `{right}`" };
    /// The same where the whole output is lost with it.
    DECISION_WORD_FAILS = "returns_ignored" / "decision_word_fails" { "`decision` cannot be `{written}`: {agent} discards the whole output", "`decision` 不能是 `{written}`：{agent} 会丢弃全部返回结果" } hint { "write `{right}`", "写成 `{right}`" };
    /// A word of `permissionDecision` that the agent does not know.
    PERMISSION_WORD = "returns_ignored" / "permission_word" { "`permissionDecision` cannot be `{written}`: {agent} discards the whole output", "`permissionDecision` 不能是 `{written}`：{agent} 会丢弃全部返回结果" } hint { "write {wanted}", "写 {wanted}" };
}

/// The fields of an answer that no row lists, at the top level.
const TOP_FIELDS: [&str; 7] = [
    "continue",
    "stopReason",
    "decision",
    "reason",
    "async",
    "asyncTimeout",
    SPECIFIC_OUTPUT,
];
/// Those inside `hookSpecificOutput`.
const SPECIFIC_FIELDS: [&str; 4] = [
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "decision",
];
/// The fields of a decision about a permission.
const BEHAVIOR_FIELDS: [&str; 5] = ["behavior", "message", "interrupt", "updatedInput", "updatedPermissions"];
/// Fields of answers in other hook systems.
const OTHER_SYSTEM_FIELDS: [&str; 5] = ["feedback", "message", "action", "permission", "block"];
/// Further fields of such answers, which are no mistake for one of these agents.
const OTHER_AGENT_FIELDS: [&str; 7] = [
    "followup_message",
    "user_message",
    "agent_message",
    "userMessage",
    "agentMessage",
    "additional_context",
    "updated_input",
];
/// How many events a message names.
const MAX_EVENTS: usize = 4;

/// What the lint of answers needs to know about a dialect.
#[derive(Debug, Clone, Copy)]
pub struct AnswerLint {
    /// How its hooks answer.
    pub rules: &'static HookOutputRules,
    /// Its events.
    pub card: &'static Card,
    /// The message about a field that belongs into `hookSpecificOutput`: `field`, `event`.
    pub bare: MessageTemplate,
    /// The message about a field that no event has: `field`.
    pub unknown: MessageTemplate,
}

impl AnswerLint {
    /// What is wrong with the first field of a printed object that has no effect, or makes the answer fail. `any_event`: the
    /// script asks for the event, so that it may print the object at another one.
    #[must_use]
    pub fn fault(&self, event: &EventSpec, object: &PrintedObject, any_event: bool) -> Option<Message> {
        let top = object
            .fields
            .iter()
            .find_map(|field| self.top_fault(event, object, field, any_event));
        top.or_else(|| {
            object
                .nested
                .iter()
                .find_map(|field| self.nested_fault(event, field, any_event))
        })
    }

    fn top_fault(
        &self,
        event: &EventSpec,
        object: &PrintedObject,
        field: &PrintedField,
        any_event: bool,
    ) -> Option<Message> {
        let has = |name: &str| object.fields.iter().any(|field| field.name == name);
        let is_answer = object.fields.iter().any(|field| self.is_top(&field.name));
        // What an agent ignores in addition to a whole output of its own is for another agent.
        let is_complete = has("decision") && has("reason") || !object.nested.is_empty();
        let name = field.name.as_str();
        if name == "decision" {
            return self.decision_fault(event, field, any_event);
        }
        if self.is_top(name) {
            return None;
        }
        if decides_by_behavior(event) && BEHAVIOR_FIELDS.contains(&name) && name != "message" && !any_event {
            return Some(self.say(&BESIDE_BEHAVIOR, event, name));
        }
        if self.is_specific(name) {
            let has_place = any_event || accepts(event, name);
            let template = if has_place { &self.bare } else { &NOT_HERE };
            return Some(self.say(template, event, name));
        }
        let is_odd = is_answer || OTHER_SYSTEM_FIELDS.contains(&name);
        let is_for_other = is_complete && (OTHER_SYSTEM_FIELDS.contains(&name) || OTHER_AGENT_FIELDS.contains(&name));
        (is_odd && !is_for_other).then(|| self.unknown.render(args! { "field" => name }))
    }

    /// The word of a `decision` at the top level.
    fn decision_fault(&self, event: &EventSpec, field: &PrintedField, any_event: bool) -> Option<Message> {
        let word = field.word.as_deref()?;
        let known = self.rules.decisions.iter().find(|(known, _)| *known == word);
        let is_block = matches!(known, Some((_, DecisionWord::Block)));
        if any_event || (is_block && !decides_by_behavior(event)) {
            return None;
        }
        if decides_by_behavior(event) {
            // Where exit code 2 blocks a permission request, `block` does too.
            return (!is_block || event.exit_2.is_none()).then(|| self.say_behavior(&BEHAVIOR_TOP, event, field));
        }
        if matches!(known, Some((_, DecisionWord::ApproveAt(at))) if *at == event.name) {
            return None;
        }
        let is_permission = decides_by_permission(event) && ["allow", "ask", "deny"].contains(&word);
        let right = if is_permission {
            format!(
                "\"hookSpecificOutput\": {{\"hookEventName\": \"{}\", \"permissionDecision\": \"{word}\"}}",
                event.name
            )
        } else {
            "\"decision\": \"block\"".to_owned()
        };
        let fails = known.is_none() && self.rules.other_decisions_fail;
        let template = if fails { &DECISION_WORD_FAILS } else { &DECISION_WORD };
        let args = args! { "written" => word, "agent" => self.rules.agent, "right" => right };
        (fails || event.output("decision").is_some()).then(|| template.render(args))
    }

    fn nested_fault(&self, event: &EventSpec, field: &PrintedField, any_event: bool) -> Option<Message> {
        let name = field.name.as_str();
        if name == "decision" {
            let is_here = any_event || decides_by_behavior(event);
            return match (is_here, field.is_text) {
                (true, false) => None,
                (true, true) if any_event => None,
                (true, true) => Some(self.say_behavior(&BEHAVIOR, event, field)),
                (false, true) if event.output(name).is_some() => Some(self.say(&DECISION_BELOW, event, name)),
                (false, _) => Some(self.say(&NOT_HERE, event, "hookSpecificOutput.decision")),
            };
        }
        if decides_by_behavior(event) && BEHAVIOR_FIELDS.contains(&name) && !any_event {
            return Some(self.say(&BESIDE_BEHAVIOR, event, name));
        }
        if self.is_specific(name) {
            let permitted = || self.permission_words(event);
            if name == "permissionDecision"
                && let Some((word, words)) = field.word.as_deref().zip(permitted())
                && words.words.iter().all(|(known, _)| *known != word)
            {
                let args = args! { "written" => word, "agent" => self.rules.agent, "wanted" => words.wanted };
                return Some(PERMISSION_WORD.render(args));
            }
            let is_here = any_event || name == "hookEventName" || accepts(event, name);
            return (!is_here).then(|| self.say(&NOT_HERE, event, name));
        }
        if self.is_top(name) {
            return Some(self.say(&BELOW, event, name));
        }
        let field = format!("{SPECIFIC_OUTPUT}.{name}");
        Some(self.unknown.render(args! { "field" => field }))
    }

    fn permission_words(&self, event: &EventSpec) -> Option<&super::PermissionWords> {
        let own = self
            .rules
            .permissions
            .iter()
            .find(|words| words.event == Some(event.name));
        own.or_else(|| self.rules.permissions.iter().find(|words| words.event.is_none()))
    }

    fn is_top(&self, name: &str) -> bool {
        TOP_FIELDS.contains(&name)
            || self.rules.unused.iter().any(|(unused, _)| *unused == name)
            || self.has_row(name, OutputLevel::Top)
    }

    fn is_specific(&self, name: &str) -> bool {
        SPECIFIC_FIELDS.contains(&name) || self.has_row(name, OutputLevel::Specific)
    }

    fn has_row(&self, name: &str, level: OutputLevel) -> bool {
        let mut rows = self.rules.rows.iter();
        rows.any(|row| row.level == level && row.name == name)
    }

    /// A message about a decision about a permission that is a text, with the object that says the same.
    fn say_behavior(&self, template: &MessageTemplate, event: &EventSpec, field: &PrintedField) -> Message {
        let approves = matches!(field.word.as_deref(), Some("allow" | "approve"));
        let object = if approves {
            "{\"behavior\": \"allow\"}"
        } else {
            "{\"behavior\": \"deny\", \"message\": \"…\"}"
        };
        template.render(args! { "field" => field.name, "event" => event.name, "decision" => object })
    }

    fn say(&self, template: &MessageTemplate, event: &EventSpec, field: &str) -> Message {
        let name = field.rsplit('.').next().unwrap_or(field);
        let mut events: Vec<&str> = self
            .card
            .events
            .iter()
            .filter(|event| accepts(event, name) && (name == field || decides_by_behavior(event)))
            .map(|event| event.name)
            .collect();
        if events.len() > MAX_EVENTS {
            events.truncate(MAX_EVENTS);
            events.push("…");
        }
        let fields: Vec<String> = event
            .outputs
            .iter()
            .map(|output| format!("`{}`", output.name))
            .collect();
        template.render(args! {
            "field" => field,
            "event" => event.name,
            "agent" => self.rules.agent,
            "events" => events.join(", "),
            "fields" => fields.join(", ")
        })
    }
}

/// Whether a field has an effect at an event, if it is in its place.
fn accepts(event: &EventSpec, name: &str) -> bool {
    match name {
        "permissionDecisionReason" => decides_by_permission(event),
        _ => event.output(name).is_some(),
    }
}
