//! Reads the fields of an output (`qoder.md` §3, §6): the type that each must have, and what it asks for.

use hookwright_model::event::EventSpec;
use hookwright_model::{Decision, HookOutput, Ignored, Message, VerdictKind, render, term};
use serde_json::Value;

use super::messages::answers;
use crate::json::JsonObject;

/// What is known about the hook and its event when an output is read.
#[derive(Debug, Clone, Copy)]
pub struct OutputContext<'a> {
    pub event: &'a EventSpec,
    /// The tool's name in the payload, or empty.
    pub tool: &'a str,
    /// Whether the hook is a command. A command has no reason to spell a field as in Python.
    pub is_command: bool,
}

/// The verdict of `decision: "block"` and of exit code 2 at this event. If they cannot block, the engine reports it.
#[must_use]
pub fn block_kind(event: &EventSpec) -> VerdictKind {
    event.exit_2.unwrap_or(VerdictKind::Deny)
}

/// Reads an output object.
///
/// # Errors
/// A known field has the wrong type, or the output is for another event. Then the whole output fails.
pub fn read_answer(context: &OutputContext<'_>, mut object: JsonObject) -> Result<HookOutput, Message> {
    object.retain(|_, value| !value.is_null());
    if remove_flag(&mut object, "async", "async")? == Some(true) {
        return Ok(HookOutput::default());
    }
    let mut reader = OutputReader::default();
    reader.read_top_level(context, &mut object)?;
    if let Some(specific) = object.remove("hookSpecificOutput") {
        reader.read_specific_output(context, specific)?;
    }
    object.remove("asyncTimeout");
    for (name, _) in object {
        let template = if name == "continue_" && context.is_command {
            answers::PYTHON_KEY
        } else {
            answers::UNKNOWN_KEY
        };
        reader.answer.ignored.push(Ignored::new(name, template.render_plain()));
    }
    Ok(reader.finish())
}

/// Collects the parts of an output.
#[derive(Default)]
struct OutputReader {
    answer: HookOutput,
    decisions: Vec<Decision>,
}

impl OutputReader {
    fn read_top_level(&mut self, context: &OutputContext<'_>, object: &mut JsonObject) -> Result<(), Message> {
        let stop_reason = remove_text(object, "stopReason", "stopReason")?;
        let ends = remove_flag(object, "continue", "continue")? == Some(false);
        if ends {
            self.add_decision("continue", VerdictKind::EndSession, stop_reason.clone());
        }
        let stop_reason = stop_reason.filter(|reason| !reason.is_empty());
        if stop_reason.is_some() && !ends && context.event.output("stopReason").is_some() {
            self.ignore_without_decision("stopReason", "continue: false");
        } else {
            self.add_field("stopReason", stop_reason.map(Value::String));
        }
        if remove_flag(object, "suppressOutput", "suppressOutput")? == Some(true) {
            self.add_field("suppressOutput", Some(Value::Bool(true)));
        }
        let message = remove_text(object, "systemMessage", "systemMessage")?.filter(|text| !text.is_empty());
        self.add_field("systemMessage", message.map(Value::String));
        let reason = remove_text(object, "reason", "reason")?;
        match remove_text(object, "decision", "decision")?.as_deref() {
            Some("block" | "deny") => self.add_decision("decision", block_kind(context.event), reason),
            Some(other) => {
                let why = render!(answers::DECISION, "written" => other);
                self.answer.ignored.push(Ignored::new("decision", why));
                self.ignore_text_without_decision("reason", reason.as_deref(), "decision: block");
            }
            None => self.ignore_text_without_decision("reason", reason.as_deref(), "decision: block"),
        }
        Ok(())
    }

    fn read_specific_output(&mut self, context: &OutputContext<'_>, value: Value) -> Result<(), Message> {
        let Value::Object(mut object) = value else {
            return Err(wrong_type("hookSpecificOutput", term!("an object")));
        };
        object.retain(|_, value| !value.is_null());
        let event = context.event.name;
        match remove_text(&mut object, "hookEventName", "hookEventName")? {
            None => return Err(render!(answers::NO_EVENT_NAME, "event" => event)),
            Some(found) if found != event => {
                return Err(render!(answers::OTHER_EVENT_NAME, "found" => found, "event" => event));
            }
            Some(_) => {}
        }
        self.read_permission(context, &mut object)?;
        let input = remove_object(&mut object, "updatedInput", "updatedInput")?;
        // At such an event, only the `updatedInput` inside the decision has an effect.
        let field = if decides_by_behavior(context.event) {
            "hookSpecificOutput.updatedInput"
        } else {
            "updatedInput"
        };
        self.add_field(field, input.map(Value::Object));
        self.read_tool_output(context, &mut object)?;
        for name in ["additionalContext", "initialUserMessage"] {
            let text = remove_text(&mut object, name, name)?.filter(|text| !text.is_empty());
            self.add_field(name, text.map(Value::String));
        }
        let paths = object
            .remove("watchPaths")
            .map(|paths| check_string_list("watchPaths", paths));
        self.add_field("watchPaths", paths.transpose()?);
        if let Some(decision) = object.remove("decision") {
            self.read_behavior(context, decision)?;
        }
        for (name, _) in object {
            self.answer
                .ignored
                .push(Ignored::new(name, answers::UNKNOWN_KEY.render_plain()));
        }
        Ok(())
    }

    /// Reads `permissionDecision` and its reason.
    fn read_permission(&mut self, context: &OutputContext<'_>, object: &mut JsonObject) -> Result<(), Message> {
        let reason = remove_text(object, "permissionDecisionReason", "permissionDecisionReason")?;
        let kind = match remove_text(object, "permissionDecision", "permissionDecision")?.as_deref() {
            Some("allow") => VerdictKind::Approve,
            Some("ask") => VerdictKind::Ask,
            Some("deny") => VerdictKind::Deny,
            Some("defer") => {
                self.answer
                    .ignored
                    .push(Ignored::new("permissionDecision", answers::DEFER.render_plain()));
                self.ignore_text_without_decision("permissionDecisionReason", reason.as_deref(), "permissionDecision");
                return Ok(());
            }
            Some(other) => {
                return Err(wrong_value(
                    "permissionDecision",
                    other,
                    term!("allow, ask, deny or defer"),
                ));
            }
            None => {
                self.ignore_text_without_decision("permissionDecisionReason", reason.as_deref(), "permissionDecision");
                return Ok(());
            }
        };
        if context.event.output("permissionDecision").is_some() {
            self.add_decision("permissionDecision", kind, reason);
        } else {
            self.add_field("permissionDecision", Some(Value::Null));
        }
        Ok(())
    }

    fn read_tool_output(&mut self, context: &OutputContext<'_>, object: &mut JsonObject) -> Result<(), Message> {
        let output = remove_text(object, "updatedToolOutput", "updatedToolOutput")?;
        // An empty text counts as absent. A hook returns a placeholder to blank an output.
        self.add_field(
            "updatedToolOutput",
            output.filter(|text| !text.is_empty()).map(Value::String),
        );
        let output = remove_text(object, "updatedMCPToolOutput", "updatedMCPToolOutput")?;
        match output.filter(|text| !text.is_empty()) {
            Some(_) if context.event.output("updatedMCPToolOutput").is_some() && !context.tool.starts_with("mcp__") => {
                self.answer
                    .ignored
                    .push(Ignored::new("updatedMCPToolOutput", answers::ONLY_MCP.render_plain()));
            }
            output => self.add_field("updatedMCPToolOutput", output.map(Value::String)),
        }
        Ok(())
    }

    /// Reads the decision about a permission.
    fn read_behavior(&mut self, context: &OutputContext<'_>, decision: Value) -> Result<(), Message> {
        let Value::Object(mut object) = decision else {
            return Err(wrong_type("hookSpecificOutput.decision", term!("an object")));
        };
        object.retain(|_, value| !value.is_null());
        let message = remove_text(&mut object, "message", "decision.message")?;
        let interrupt = remove_flag(&mut object, "interrupt", "decision.interrupt")?;
        let input = remove_object(&mut object, "updatedInput", "decision.updatedInput")?;
        let permissions = match object.remove("updatedPermissions") {
            Some(list @ Value::Array(_)) => Some(list),
            Some(_) => return Err(wrong_type("decision.updatedPermissions", term!("an array"))),
            None => None,
        };
        let behavior = remove_text(&mut object, "behavior", "decision.behavior")?;
        if !decides_by_behavior(context.event) {
            self.add_field("hookSpecificOutput.decision", Some(Value::Null));
            return Ok(());
        }
        match behavior.as_deref() {
            Some("allow") => {
                self.add_decision("decision", VerdictKind::Approve, None);
                self.ignore_text_without_decision("message", message.as_deref(), "behavior: deny");
            }
            Some("deny") => self.add_decision("decision", VerdictKind::Deny, message),
            Some(other) => return Err(wrong_value("decision.behavior", other, term!("allow or deny"))),
            None => return Err(wrong_type("decision.behavior", term!("allow or deny"))),
        }
        self.add_field("updatedInput", input.map(Value::Object));
        let not_empty = |list: &Value| list.as_array().is_some_and(|items| !items.is_empty());
        self.add_field("updatedPermissions", permissions.filter(not_empty));
        self.add_field("interrupt", interrupt.filter(|on| *on).map(Value::Bool));
        for (name, _) in object {
            self.answer
                .ignored
                .push(Ignored::new(name, answers::UNKNOWN_KEY.render_plain()));
        }
        Ok(())
    }

    fn add_decision(&mut self, what: &'static str, kind: VerdictKind, reason: Option<String>) {
        let reason = reason.filter(|reason| !reason.is_empty());
        let feedback = reason.clone().filter(|_| kind == VerdictKind::Retry);
        self.decisions.push(Decision {
            what,
            kind,
            reason,
            feedback,
            default_message: None,
        });
    }

    fn add_field(&mut self, name: &str, value: Option<Value>) {
        self.answer.fields.extend(value.map(|value| (name.to_owned(), value)));
    }

    /// Reports a text that has an effect only together with a decision, if that decision is missing.
    fn ignore_text_without_decision(&mut self, what: &str, text: Option<&str>, decision: &str) {
        if text.is_some() {
            self.ignore_without_decision(what, decision);
        }
    }

    fn ignore_without_decision(&mut self, what: &str, decision: &str) {
        let why = render!(answers::REASON_ALONE, "decision" => decision);
        self.answer.ignored.push(Ignored::new(what, why));
    }

    /// Finishes the output. The strictest decision is first; among equals, the first one of the output.
    fn finish(mut self) -> HookOutput {
        self.decisions.sort_by_key(|decision| std::cmp::Reverse(decision.kind));
        let mut decisions = self.decisions.into_iter();
        HookOutput {
            decision: decisions.next(),
            other_decisions: decisions.collect(),
            ..self.answer
        }
    }
}

/// Whether the event's decision is a `behavior` inside `hookSpecificOutput`.
fn decides_by_behavior(event: &EventSpec) -> bool {
    event.output("updatedPermissions").is_some()
}

fn wrong_type(field: &str, wanted: &str) -> Message {
    render!(answers::FIELD_TYPE, "field" => field, "wanted" => wanted)
}

fn wrong_value(field: &str, written: &str, wanted: &str) -> Message {
    render!(answers::FIELD_VALUE, "field" => field, "written" => written, "wanted" => wanted)
}

fn remove_text(object: &mut JsonObject, key: &str, field: &str) -> Result<Option<String>, Message> {
    match object.remove(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong_type(field, term!("a string"))),
    }
}

fn remove_flag(object: &mut JsonObject, key: &str, field: &str) -> Result<Option<bool>, Message> {
    match object.remove(key) {
        None => Ok(None),
        Some(Value::Bool(on)) => Ok(Some(on)),
        Some(_) => Err(wrong_type(field, term!("true or false"))),
    }
}

fn remove_object(object: &mut JsonObject, key: &str, field: &str) -> Result<Option<JsonObject>, Message> {
    match object.remove(key) {
        None => Ok(None),
        Some(Value::Object(inner)) => Ok(Some(inner)),
        Some(_) => Err(wrong_type(field, term!("an object"))),
    }
}

fn check_string_list(field: &str, value: Value) -> Result<Value, Message> {
    match &value {
        Value::Array(items) if items.iter().all(Value::is_string) => Ok(value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            Err(wrong_type(field, term!("an array of strings")))
        }
    }
}
