//! The fields of an answer (`qoder.md` §3, §6): what each must be, and what it asks for.

use hookwright_model::event::EventSpec;
use hookwright_model::{Decision, HookOutput, Ignored, Message, VerdictKind, args, term};
use serde_json::{Map, Value};

use super::messages::answers as say;

type Object = Map<String, Value>;

/// Who answers, and to what.
#[derive(Debug, Clone, Copy)]
pub struct Speaker<'a> {
    /// The event.
    pub event: &'a EventSpec,
    /// The payload's tool.
    pub tool: &'a str,
    /// A command, which has no reason to spell like Python.
    pub command: bool,
}

/// What `decision: "block"` and exit 2 come to at this event. Where they do not hold, the engine says so.
#[must_use]
pub fn block_kind(event: &EventSpec) -> VerdictKind {
    if event.verdicts.contains(&VerdictKind::Retry) {
        VerdictKind::Retry
    } else {
        VerdictKind::Deny
    }
}

/// Reads an object.
///
/// # Errors
/// A known field has the wrong type, or the output is another event's: the whole answer fails.
pub fn answer(speaker: &Speaker<'_>, mut object: Object) -> Result<HookOutput, Message> {
    object.retain(|_, value| !value.is_null());
    if take_flag(&mut object, "async", "async")? == Some(true) {
        return Ok(HookOutput::default());
    }
    let mut out = Out::default();
    out.top(speaker, &mut object)?;
    if let Some(specific) = object.remove("hookSpecificOutput") {
        out.specific(speaker, specific)?;
    }
    object.remove("asyncTimeout");
    for (name, _) in object {
        let words = if name == "continue_" && speaker.command {
            say::PYTHON_KEY
        } else {
            say::UNKNOWN_KEY
        };
        out.answer.ignored.push(Ignored::new(name, words.render_plain()));
    }
    Ok(out.finish())
}

/// An answer being read.
#[derive(Default)]
struct Out {
    answer: HookOutput,
    asks: Vec<Decision>,
}

impl Out {
    fn top(&mut self, speaker: &Speaker<'_>, object: &mut Object) -> Result<(), Message> {
        let stop_reason = take_text(object, "stopReason", "stopReason")?;
        let ends = take_flag(object, "continue", "continue")? == Some(false);
        if ends {
            self.ask("continue", VerdictKind::EndSession, stop_reason.clone());
        }
        let stop_reason = stop_reason.filter(|reason| !reason.is_empty());
        if stop_reason.is_some() && !ends && speaker.event.output("stopReason").is_some() {
            self.alone("stopReason", "continue: false");
        } else {
            self.field("stopReason", stop_reason.map(Value::String));
        }
        if take_flag(object, "suppressOutput", "suppressOutput")? == Some(true) {
            self.field("suppressOutput", Some(Value::Bool(true)));
        }
        let message = take_text(object, "systemMessage", "systemMessage")?.filter(|text| !text.is_empty());
        self.field("systemMessage", message.map(Value::String));
        let reason = take_text(object, "reason", "reason")?;
        match take_text(object, "decision", "decision")?.as_deref() {
            Some("block" | "deny") => self.ask("decision", block_kind(speaker.event), reason),
            Some(other) => {
                let why = say::DECISION.render(args! { "written" => other });
                self.answer.ignored.push(Ignored::new("decision", why));
                self.idle("reason", reason.as_deref(), "decision: block");
            }
            None => self.idle("reason", reason.as_deref(), "decision: block"),
        }
        Ok(())
    }

    fn specific(&mut self, speaker: &Speaker<'_>, value: Value) -> Result<(), Message> {
        let Value::Object(mut object) = value else {
            return Err(wrong("hookSpecificOutput", term!("an object")));
        };
        object.retain(|_, value| !value.is_null());
        let event = speaker.event.name;
        match take_text(&mut object, "hookEventName", "hookEventName")? {
            None => return Err(say::NO_EVENT_NAME.render(args! { "event" => event })),
            Some(found) if found != event => {
                return Err(say::OTHER_EVENT_NAME.render(args! { "found" => found, "event" => event }));
            }
            Some(_) => {}
        }
        self.permission(speaker, &mut object)?;
        let input = take_object(&mut object, "updatedInput", "updatedInput")?;
        // A permission's own decision holds it.
        let place = if by_behavior(speaker.event) {
            "hookSpecificOutput.updatedInput"
        } else {
            "updatedInput"
        };
        self.field(place, input.map(Value::Object));
        self.tool_output(speaker, &mut object)?;
        for name in ["additionalContext", "initialUserMessage"] {
            let text = take_text(&mut object, name, name)?.filter(|text| !text.is_empty());
            self.field(name, text.map(Value::String));
        }
        let paths = object.remove("watchPaths").map(|paths| texts("watchPaths", paths));
        self.field("watchPaths", paths.transpose()?);
        if let Some(decision) = object.remove("decision") {
            self.behavior(speaker, decision)?;
        }
        for (name, _) in object {
            self.answer
                .ignored
                .push(Ignored::new(name, say::UNKNOWN_KEY.render_plain()));
        }
        Ok(())
    }

    /// `permissionDecision` with its reason.
    fn permission(&mut self, speaker: &Speaker<'_>, object: &mut Object) -> Result<(), Message> {
        let reason = take_text(object, "permissionDecisionReason", "permissionDecisionReason")?;
        let kind = match take_text(object, "permissionDecision", "permissionDecision")?.as_deref() {
            Some("allow") => VerdictKind::Approve,
            Some("ask") => VerdictKind::Ask,
            Some("deny") => VerdictKind::Deny,
            Some("defer") => {
                self.answer
                    .ignored
                    .push(Ignored::new("permissionDecision", say::DEFER.render_plain()));
                self.idle("permissionDecisionReason", reason.as_deref(), "permissionDecision");
                return Ok(());
            }
            Some(other) => return Err(value("permissionDecision", other, term!("allow, ask, deny or defer"))),
            None => {
                self.idle("permissionDecisionReason", reason.as_deref(), "permissionDecision");
                return Ok(());
            }
        };
        if speaker.event.output("permissionDecision").is_some() {
            self.ask("permissionDecision", kind, reason);
        } else {
            self.field("permissionDecision", Some(Value::Null));
        }
        Ok(())
    }

    fn tool_output(&mut self, speaker: &Speaker<'_>, object: &mut Object) -> Result<(), Message> {
        let output = take_text(object, "updatedToolOutput", "updatedToolOutput")?;
        // An empty text is absent: a placeholder blanks an output.
        self.field(
            "updatedToolOutput",
            output.filter(|text| !text.is_empty()).map(Value::String),
        );
        let output = take_text(object, "updatedMCPToolOutput", "updatedMCPToolOutput")?;
        match output.filter(|text| !text.is_empty()) {
            Some(_) if speaker.event.output("updatedMCPToolOutput").is_some() && !speaker.tool.starts_with("mcp__") => {
                self.answer
                    .ignored
                    .push(Ignored::new("updatedMCPToolOutput", say::ONLY_MCP.render_plain()));
            }
            output => self.field("updatedMCPToolOutput", output.map(Value::String)),
        }
        Ok(())
    }

    /// The decision about a permission.
    fn behavior(&mut self, speaker: &Speaker<'_>, decision: Value) -> Result<(), Message> {
        let Value::Object(mut object) = decision else {
            return Err(wrong("hookSpecificOutput.decision", term!("an object")));
        };
        object.retain(|_, value| !value.is_null());
        let message = take_text(&mut object, "message", "decision.message")?;
        let interrupt = take_flag(&mut object, "interrupt", "decision.interrupt")?;
        let input = take_object(&mut object, "updatedInput", "decision.updatedInput")?;
        let permissions = match object.remove("updatedPermissions") {
            Some(list @ Value::Array(_)) => Some(list),
            Some(_) => return Err(wrong("decision.updatedPermissions", term!("an array"))),
            None => None,
        };
        let behavior = take_text(&mut object, "behavior", "decision.behavior")?;
        if !by_behavior(speaker.event) {
            self.field("hookSpecificOutput.decision", Some(Value::Null));
            return Ok(());
        }
        match behavior.as_deref() {
            Some("allow") => {
                self.ask("decision", VerdictKind::Approve, None);
                self.idle("message", message.as_deref(), "behavior: deny");
            }
            Some("deny") => self.ask("decision", VerdictKind::Deny, message),
            Some(other) => return Err(value("decision.behavior", other, term!("allow or deny"))),
            None => return Err(wrong("decision.behavior", term!("allow or deny"))),
        }
        self.field("updatedInput", input.map(Value::Object));
        let not_empty = |list: &Value| list.as_array().is_some_and(|items| !items.is_empty());
        self.field("updatedPermissions", permissions.filter(not_empty));
        self.field("interrupt", interrupt.filter(|on| *on).map(Value::Bool));
        for (name, _) in object {
            self.answer
                .ignored
                .push(Ignored::new(name, say::UNKNOWN_KEY.render_plain()));
        }
        Ok(())
    }

    fn ask(&mut self, what: &'static str, kind: VerdictKind, reason: Option<String>) {
        let reason = reason.filter(|reason| !reason.is_empty());
        let feedback = reason.clone().filter(|_| kind == VerdictKind::Retry);
        self.asks.push(Decision {
            what,
            kind,
            reason,
            feedback,
            ours: None,
        });
    }

    fn field(&mut self, name: &str, value: Option<Value>) {
        self.answer.fields.extend(value.map(|value| (name.to_owned(), value)));
    }

    /// Words that only count beside a decision that is not there.
    fn idle(&mut self, what: &str, words: Option<&str>, decision: &str) {
        if words.is_some() {
            self.alone(what, decision);
        }
    }

    fn alone(&mut self, what: &str, decision: &str) {
        let why = say::REASON_ALONE.render(args! { "decision" => decision });
        self.answer.ignored.push(Ignored::new(what, why));
    }

    /// The strictest decision first; among equals the first in the answer.
    fn finish(mut self) -> HookOutput {
        self.asks.sort_by_key(|ask| std::cmp::Reverse(ask.kind));
        let mut asks = self.asks.into_iter();
        HookOutput {
            decision: asks.next(),
            other_decisions: asks.collect(),
            ..self.answer
        }
    }
}

/// Whether an event decides by `behavior`, inside `hookSpecificOutput`.
fn by_behavior(event: &EventSpec) -> bool {
    event.output("updatedPermissions").is_some()
}

fn wrong(field: &str, wanted: &str) -> Message {
    say::FIELD_TYPE.render(args! { "field" => field, "wanted" => wanted })
}

fn value(field: &str, written: &str, wanted: &str) -> Message {
    say::FIELD_VALUE.render(args! { "field" => field, "written" => written, "wanted" => wanted })
}

fn take_text(object: &mut Object, key: &str, field: &str) -> Result<Option<String>, Message> {
    match object.remove(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(field, term!("a string"))),
    }
}

fn take_flag(object: &mut Object, key: &str, field: &str) -> Result<Option<bool>, Message> {
    match object.remove(key) {
        None => Ok(None),
        Some(Value::Bool(on)) => Ok(Some(on)),
        Some(_) => Err(wrong(field, term!("true or false"))),
    }
}

fn take_object(object: &mut Object, key: &str, field: &str) -> Result<Option<Object>, Message> {
    match object.remove(key) {
        None => Ok(None),
        Some(Value::Object(inner)) => Ok(Some(inner)),
        Some(_) => Err(wrong(field, term!("an object"))),
    }
}

fn texts(field: &str, value: Value) -> Result<Value, Message> {
    match &value {
        Value::Array(items) if items.iter().all(Value::is_string) => Ok(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            Err(wrong(field, term!("an array of strings")))
        }
    }
}
