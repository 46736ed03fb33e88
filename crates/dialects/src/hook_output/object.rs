//! Reads the fields of an answer: the type that each must have, and what it asks for.

use hookwright_model::event::EventSpec;
use hookwright_model::{Decision, HookOutput, Ignored, Message, VerdictKind, render, term};
use serde_json::Value;

use super::{
    ASYNC, DECISION, DEFER, DecisionWord, FIELD_TYPE, FIELD_VALUE, HookOutputRules, NO_EVENT_NAME, ONLY_MCP,
    OTHER_EVENT_NAME, OutputLevel, OutputType, PYTHON_KEY, REASON_ALONE, SPECIFIC_OUTPUT, UNKNOWN_KEY, UNUSED_KEY,
    block_kind, decides_by_behavior, decides_by_permission,
};
use crate::json::JsonObject;

/// What is known about the hook and its event when an answer is read.
#[derive(Debug, Clone, Copy)]
pub struct OutputContext<'a> {
    /// The rules of the dialect.
    pub rules: &'static HookOutputRules,
    /// The event that was fired.
    pub event: &'a EventSpec,
    /// The tool's name in the payload, or empty.
    pub tool: &'a str,
    /// Whether the hook is a command. A command has no reason to spell a field as in Python.
    pub is_command: bool,
}

/// Reads an answer.
///
/// # Errors
/// A known field has the wrong type, or the answer is for another event. Then the whole answer fails.
pub fn read_object(context: &OutputContext<'_>, mut object: JsonObject) -> Result<HookOutput, Message> {
    let mut reader = OutputReader {
        context: *context,
        answer: HookOutput::default(),
        decisions: Vec::new(),
    };
    reader.drop_nulls(&mut object);
    if remove_flag(&mut object, "async", "async")? == Some(true) {
        object.remove("asyncTimeout");
        let ignored = object
            .into_iter()
            .map(|(name, _)| Ignored::new(name, ASYNC.render_plain()));
        return Ok(HookOutput {
            ignored: ignored.collect(),
            ..HookOutput::default()
        });
    }
    reader.read_top_level(&mut object)?;
    if let Some(specific) = object.remove(SPECIFIC_OUTPUT) {
        reader.read_specific_output(specific)?;
    }
    object.remove("asyncTimeout");
    for (name, _) in object {
        let unknown = if name == "continue_" && context.is_command {
            PYTHON_KEY.render_plain()
        } else {
            reader.unknown_key()
        };
        reader.answer.ignored.push(Ignored::new(name, unknown));
    }
    Ok(reader.finish())
}

/// Collects the parts of an answer.
struct OutputReader<'a> {
    context: OutputContext<'a>,
    answer: HookOutput,
    decisions: Vec<Decision>,
}

impl OutputReader<'_> {
    fn drop_nulls(&self, object: &mut JsonObject) {
        if self.context.rules.null_is_absent {
            object.retain(|_, value| !value.is_null());
        }
    }

    fn unknown_key(&self) -> Message {
        render!(UNKNOWN_KEY, "agent" => self.context.rules.agent)
    }

    fn read_top_level(&mut self, object: &mut JsonObject) -> Result<(), Message> {
        let rules = self.context.rules;
        let stop_reason = remove_text(object, "stopReason", "stopReason")?;
        let ends = remove_flag(object, "continue", "continue")? == Some(false);
        if ends {
            self.add_decision("continue", rules.ends, stop_reason.clone());
        }
        let stop_reason = stop_reason.filter(|reason| !reason.is_empty());
        if stop_reason.is_some() && !ends && self.context.event.output("stopReason").is_some() {
            self.ignore_without_decision("stopReason", "continue: false");
        } else {
            self.add_field("stopReason", stop_reason.map(Value::String));
        }
        self.read_rows(OutputLevel::Top, object)?;
        let reason = remove_text(object, "reason", "reason")?;
        let word = remove_text(object, "decision", "decision")?;
        let known = word
            .as_deref()
            .map(|word| rules.decisions.iter().find(|(known, _)| *known == word));
        match (known, word) {
            (Some(Some((_, DecisionWord::Block))), _) => {
                let event = self.context.event;
                if let Some(kind) = event.exit_2.filter(|_| event.output("decision").is_some()) {
                    self.add_decision("decision", kind, reason);
                } else if event.verdicts.is_empty() {
                    self.add_decision("decision", block_kind(event), reason);
                } else {
                    self.add_field("decision", Some(Value::Null));
                }
            }
            (Some(Some((_, DecisionWord::ApproveAt(event)))), _) if *event == self.context.event.name => {
                self.add_decision("decision", VerdictKind::Approve, reason);
            }
            (Some(Some((_, DecisionWord::ApproveAt(_)))), _) => self.add_field("decision", Some(Value::Null)),
            (_, Some(other)) if rules.other_decisions_fail => {
                return Err(wrong_value("decision", &other, term!("block or approve")));
            }
            (_, word) => {
                if let Some(other) = word {
                    let why = render!(DECISION, "written" => other);
                    self.answer.ignored.push(Ignored::new("decision", why));
                }
                self.ignore_text_without_decision("reason", reason.as_deref(), "decision: block");
            }
        }
        Ok(())
    }

    /// Reads the fields of one level that are no decision.
    fn read_rows(&mut self, level: OutputLevel, object: &mut JsonObject) -> Result<(), Message> {
        for row in self.context.rules.rows.iter().filter(|row| row.level == level) {
            let value = object
                .remove(row.name)
                .map(|value| checked(row.name, row.kind, value))
                .transpose()?;
            let value = value.filter(|value| !is_absent(row.kind, value));
            let event = self.context.event;
            self.decide_by_field(row.name, value.as_ref());
            // At an event that decides by `behavior`, only the field inside the decision has an effect.
            if row.name == "updatedInput" && decides_by_behavior(event) {
                self.add_field("hookSpecificOutput.updatedInput", value);
            } else if value.is_some() && event.output(row.name).is_some() && !self.context.tool.starts_with(row.tools) {
                self.answer
                    .ignored
                    .push(Ignored::new(row.name, ONLY_MCP.render_plain()));
            } else {
                self.add_field(row.name, value);
            }
        }
        for (name, kind) in self.context.rules.unused.iter().filter(|_| level == OutputLevel::Top) {
            if let Some(value) = object.remove(*name) {
                checked(name, *kind, value)?;
                let unused = render!(UNUSED_KEY, "agent" => self.context.rules.agent);
                self.answer.ignored.push(Ignored::new(*name, unused));
            }
        }
        Ok(())
    }

    /// Adds the decision of a field that decides by its word.
    fn decide_by_field(&mut self, name: &'static str, value: Option<&Value>) {
        let event = self.context.event.name;
        let mut rows = self.context.rules.field_decisions.iter();
        let row = rows.find(|row| row.event == event && row.field == name);
        let word = value.and_then(Value::as_str);
        let decided = row.and_then(|row| row.words.iter().find(|(known, _)| Some(*known) == word));
        if let Some((_, kind)) = decided {
            self.add_decision(name, *kind, None);
        }
    }

    fn read_specific_output(&mut self, value: Value) -> Result<(), Message> {
        let Value::Object(mut object) = value else {
            return Err(wrong_type(SPECIFIC_OUTPUT, term!("an object")));
        };
        self.drop_nulls(&mut object);
        let name = remove_text(&mut object, "hookEventName", "hookEventName")?;
        if let Some(message) = self.other_event(name.as_deref()) {
            let blocks = self.decisions.iter().any(|decision| decision.kind.blocks());
            if !blocks || !self.context.rules.blocks_despite_other_event {
                return Err(message);
            }
            self.answer.ignored.push(Ignored::new(SPECIFIC_OUTPUT, message));
            return Ok(());
        }
        let denies_all = self.read_permission(&mut object)?;
        if denies_all {
            object.remove("updatedInput");
        }
        self.read_rows(OutputLevel::Specific, &mut object)?;
        if let Some(decision) = object.remove("decision") {
            self.read_behavior(decision)?;
        }
        for (name, _) in object {
            self.answer.ignored.push(Ignored::new(name, self.unknown_key()));
        }
        Ok(())
    }

    /// The message that an output is not for the event that was fired.
    fn other_event(&self, name: Option<&str>) -> Option<Message> {
        let event = self.context.event.name;
        let Some(found) = name else {
            return Some(render!(NO_EVENT_NAME, "event" => event));
        };
        let mut others = self.context.rules.other_names.iter();
        let is_taken = found == event || others.any(|(own, names)| *own == event && names.contains(&found));
        (!is_taken).then(|| render!(OTHER_EVENT_NAME, "found" => found, "event" => event))
    }

    /// Reads `permissionDecision` and its reason. Returns whether it denies in a way that also drops the new input.
    fn read_permission(&mut self, object: &mut JsonObject) -> Result<bool, Message> {
        let event = self.context.event;
        let reason = remove_text(object, "permissionDecisionReason", "permissionDecisionReason")?;
        let word = remove_text(object, "permissionDecision", "permissionDecision")?;
        let words = self.context.rules.permissions;
        let own = words.iter().find(|words| words.event == Some(event.name));
        let Some(words) = own.or_else(|| words.iter().find(|words| words.event.is_none())) else {
            return Ok(false);
        };
        let is_denied = !words.denies.is_empty()
            && (object.contains_key("updatedInput")
                || word.as_deref().is_some_and(|word| words.denies.contains(&word)));
        if is_denied && word.as_deref() != Some("deny") {
            self.add_decision("permissionDecision", VerdictKind::Deny, reason);
            return Ok(true);
        }
        let Some(word) = word else {
            self.ignore_text_without_decision("permissionDecisionReason", reason.as_deref(), "permissionDecision");
            return Ok(false);
        };
        let Some((_, kind)) = words.words.iter().find(|(known, _)| *known == word) else {
            return Err(wrong_value("permissionDecision", &word, words.wanted));
        };
        match kind {
            Some(kind) if decides_by_permission(event) => self.add_decision("permissionDecision", *kind, reason),
            Some(_) => self.add_field("permissionDecision", Some(Value::Null)),
            None => {
                self.answer
                    .ignored
                    .push(Ignored::new("permissionDecision", DEFER.render_plain()));
                self.ignore_text_without_decision("permissionDecisionReason", reason.as_deref(), "permissionDecision");
                for name in words.idle_beside {
                    if object.remove(*name).is_some() {
                        self.answer.ignored.push(Ignored::new(*name, DEFER.render_plain()));
                    }
                }
            }
        }
        Ok(is_denied)
    }

    /// Reads the decision about a permission.
    fn read_behavior(&mut self, decision: Value) -> Result<(), Message> {
        let Value::Object(mut object) = decision else {
            return Err(wrong_type("hookSpecificOutput.decision", term!("an object")));
        };
        self.drop_nulls(&mut object);
        let message = remove_text(&mut object, "message", "decision.message")?;
        let interrupt = remove_flag(&mut object, "interrupt", "decision.interrupt")?;
        let input = match object.remove("updatedInput") {
            Some(input @ Value::Object(_)) => Some(input),
            Some(_) => return Err(wrong_type("decision.updatedInput", term!("an object"))),
            None => None,
        };
        let permissions = match object.remove("updatedPermissions") {
            Some(list @ Value::Array(_)) => Some(list),
            Some(_) => return Err(wrong_type("decision.updatedPermissions", term!("an array"))),
            None => None,
        };
        let behavior = remove_text(&mut object, "behavior", "decision.behavior")?;
        if !decides_by_behavior(self.context.event) {
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
        self.add_field("updatedInput", input);
        let not_empty = |list: &Value| list.as_array().is_some_and(|items| !items.is_empty());
        self.add_field("updatedPermissions", permissions.filter(not_empty));
        self.add_field("interrupt", interrupt.filter(|on| *on).map(Value::Bool));
        for (name, _) in object {
            self.answer.ignored.push(Ignored::new(name, self.unknown_key()));
        }
        Ok(())
    }

    fn add_decision(&mut self, what: &'static str, kind: VerdictKind, reason: Option<String>) {
        let reason = reason.filter(|reason| !reason.is_empty());
        let feedback = reason.clone().filter(|_| kind == VerdictKind::Retry);
        // Where the agent has words of its own for a block without a reason.
        let is_block = ["decision", "permissionDecision"].contains(&what) && Some(kind) == self.context.event.exit_2;
        let words = self.context.rules.commands.blocked_by_answer;
        let words = words.filter(|_| is_block && reason.is_none());
        self.decisions.push(Decision {
            what,
            kind,
            reason,
            feedback,
            default_message: words.map(|template| template.render_plain()),
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
        let why = render!(REASON_ALONE, "decision" => decision);
        self.answer.ignored.push(Ignored::new(what, why));
    }

    /// Finishes the answer. The strictest decision is first; among equals, the first one of the answer.
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

/// The value of a field, if it has the right type.
fn checked(name: &str, kind: OutputType, value: Value) -> Result<Value, Message> {
    let is_right = match kind {
        OutputType::Text => value.is_string(),
        OutputType::Flag => value.is_boolean(),
        OutputType::Object => value.is_object(),
        OutputType::Texts => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
        OutputType::Any => !value.is_null(),
    };
    let wanted = match kind {
        OutputType::Text => term!("a string"),
        OutputType::Flag => term!("true or false"),
        OutputType::Object => term!("an object"),
        OutputType::Texts => term!("an array of strings"),
        OutputType::Any => term!("a value"),
    };
    if is_right {
        Ok(value)
    } else {
        Err(wrong_type(name, wanted))
    }
}

/// Whether a value of this type asks for nothing.
fn is_absent(kind: OutputType, value: &Value) -> bool {
    match kind {
        OutputType::Text => value == "",
        OutputType::Flag => value == false,
        OutputType::Object | OutputType::Texts | OutputType::Any => false,
    }
}

fn wrong_type(field: &str, wanted: &str) -> Message {
    render!(FIELD_TYPE, "field" => field, "wanted" => wanted)
}

fn wrong_value(field: &str, written: &str, wanted: &str) -> Message {
    render!(FIELD_VALUE, "field" => field, "written" => written, "wanted" => wanted)
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
