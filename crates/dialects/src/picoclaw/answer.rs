//! Reads the output of a run: how it ended, and response lines as decisions (`picoclaw.md` §3, §6).

use hookwright_model::event::{EventSpec, FieldKind, Payload};
use hookwright_model::{
    Decision, Decoded, End, Handler, Hook, HookOutput, Ignored, Message, Run, VerdictKind, args, render, term,
};
use serde_json::Value;

use super::events::{self, CALL_PARTS, REQUEST_PARTS};
use super::messages::answers;
use super::protocol;
use super::wire::is_empty;
use crate::exit_status;
use crate::json::{self, JsonObject, NotJson};
use crate::session_hooks;

/// Reads a run into hook output, or into the reason why it failed.
#[must_use]
pub fn decode(hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
    let read = match (run.end, event.notify_only) {
        (End::Done, true) => return Decoded::Nothing,
        (End::Replied, false) => read_reply(hook, run).and_then(|(result, duplicate_keys)| {
            let mut reader = ResultReader::new(hook, event, payload);
            reader.ignore_duplicate_keys(duplicate_keys);
            if event.output("approved").is_some() {
                reader.read_approval(result)
            } else {
                reader.read_interception(result)
            }
        }),
        _ => Err(failure_message(hook, run)),
    };
    match read {
        Ok(answer) if answer == HookOutput::default() => Decoded::Nothing,
        Ok(answer) => Decoded::Answer(answer),
        Err(message) => Decoded::Failure(message),
    }
}

/// The message for a run that failed.
fn failure_message(hook: &Hook, run: &Run) -> Message {
    let of_agent = matches!(hook.handler, Handler::Callback { .. });
    match run.end {
        End::Refused if of_agent => {
            render!(session_hooks::CALLBACK_ERROR, "message" => exit_status::stderr_reason(run))
        }
        End::PeerGone if of_agent => session_hooks::AGENT_LEFT.render_plain(),
        End::TimedOut => exit_status::timeout_message(hook),
        End::NotStarted => render!(exit_status::NOT_STARTED, "stderr" => exit_status::stderr_reason(run)),
        End::Refused => match protocol::answer_object(&text(run))
            .as_ref()
            .and_then(protocol::error_message)
        {
            Some(message) => render!(answers::REFUSED, "message" => message),
            None => answers::QUEUE.render_plain(),
        },
        End::PeerGone => {
            let why = run
                .warnings
                .iter()
                .find(|note| ["peer_gone", "handshake_failed"].contains(&note.code));
            why.cloned().unwrap_or_else(|| answers::PEER_GONE.render_plain())
        }
        End::Exit | End::Signal | End::Cancelled | End::Replied | End::Done => {
            exit_status::ENDED_OTHERWISE.render_plain()
        }
    }
}

fn text(run: &Run) -> String {
    String::from_utf8_lossy(&run.stdout.bytes).into_owned()
}

/// The result of a response line, and its repeated keys. A callback returns the result itself, without a message around
/// it.
fn read_reply(hook: &Hook, run: &Run) -> Result<(Value, Vec<String>), Message> {
    let is_bare = matches!(hook.handler, Handler::Callback { .. });
    let line = std::str::from_utf8(&run.stdout.bytes).map_err(|_| answers::NO_ANSWER.render_plain())?;
    match json::read_last_wins(line) {
        Ok(read) if is_bare => Ok(read),
        Ok((Value::Object(mut object), twice)) => Ok((object.remove("result").unwrap_or_default(), twice)),
        Err(NotJson::Unrepresentable) => Err(exit_status::UNREPRESENTABLE.render_plain()),
        Ok(_) | Err(_) => Err(answers::NO_ANSWER.render_plain()),
    }
}

/// Reads one result.
struct ResultReader<'a> {
    label: &'a str,
    event: &'a EventSpec,
    /// The payload that the hook received.
    payload: &'a Payload,
    answer: HookOutput,
}

impl<'a> ResultReader<'a> {
    fn new(hook: &'a Hook, event: &'a EventSpec, payload: &'a Payload) -> Self {
        Self {
            label: &hook.label,
            event,
            payload,
            answer: HookOutput::default(),
        }
    }

    fn ignore(&mut self, what: impl Into<String>, why: Message) {
        self.answer.ignored.push(Ignored::new(what, why));
    }

    fn ignore_duplicate_keys(&mut self, keys: Vec<String>) {
        for key in keys {
            let why = render!(answers::DUPLICATE_KEY, "key" => key);
            self.ignore(key, why);
        }
    }

    /// Reads an approval. Everything that is not clearly an approval or a denial is a failure.
    fn read_approval(mut self, result: Value) -> Result<HookOutput, Message> {
        let Value::Object(mut result) = result else {
            return Err(answers::NO_APPROVAL.render_plain());
        };
        let Some(Value::Bool(approved)) = result.remove("approved") else {
            return Err(answers::NO_APPROVAL.render_plain());
        };
        let reason = read_field(&mut result, "reason", FieldKind::Text)?.and_then(non_empty_text);
        for (name, _) in result {
            self.ignore(name, answers::UNKNOWN_KEY.render_plain());
        }
        let kind = if approved {
            VerdictKind::Approve
        } else {
            VerdictKind::Deny
        };
        self.set_decision("approved", kind, reason);
        self.answer.halt = !approved;
        Ok(self.answer)
    }

    fn set_decision(&mut self, what: &'static str, kind: VerdictKind, reason: Option<String>) {
        self.answer.decision = Some(Decision {
            what,
            kind,
            reason,
            feedback: None,
            default_message: (kind == VerdictKind::EndTurn).then(|| answers::ABORT.render_plain()),
        });
    }

    fn read_interception(mut self, result: Value) -> Result<HookOutput, Message> {
        let mut result = match result {
            // A missing result means `continue`.
            Value::Null => return Ok(self.answer),
            Value::Object(result) => result,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(answers::NO_OBJECT.render_plain());
            }
        };
        let action = read_field(&mut result, "action", FieldKind::Text)?.and_then(non_empty_text);
        let verdict = match action.as_deref().map(action_verdict) {
            None | Some(Some(VerdictKind::Proceed)) => None,
            Some(Some(kind)) if self.event.verdicts.contains(&kind) => Some(kind),
            Some(known) => {
                let why = if known.is_some() {
                    render!(answers::NOT_ACCEPTED, "event" => self.event.name)
                } else {
                    render!(answers::UNKNOWN_ACTION, "written" => action)
                };
                self.ignore_all(&result, action.unwrap_or_default(), why);
                return Ok(self.answer);
            }
        };
        let reason = read_field(&mut result, "reason", FieldKind::Text)?.and_then(non_empty_text);
        self.read_objects(&mut result, verdict)?;
        for (name, _) in result {
            self.ignore(name, answers::UNKNOWN_KEY.render_plain());
        }
        if let Some(kind) = verdict {
            self.set_decision("action", kind, reason);
            self.answer.halt = true;
        } else if reason.is_some() {
            self.ignore("reason", answers::REASON_IDLE.render_plain());
        }
        Ok(self.answer)
    }

    /// Ignores the whole output, because its action is unknown or not allowed at this event.
    fn ignore_all(&mut self, rest: &JsonObject, action: String, why: Message) {
        self.ignore("action", why);
        for name in rest.keys() {
            self.ignore(name, render!(answers::WITH_ACTION, "written" => action));
        }
    }

    /// Reads the payload objects of the event's row.
    fn read_objects(&mut self, result: &mut JsonObject, verdict: Option<VerdictKind>) -> Result<(), Message> {
        let mut object = |name: &str| {
            let found = read_field(result, name, FieldKind::Object)?;
            Ok(found.and_then(|value| match value {
                Value::Object(object) => Some(object),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
            }))
        };
        match self.event.name {
            "before_llm" => {
                if let Some(request) = object("request")? {
                    self.read_request(request)?;
                }
            }
            "after_llm" => {
                if let Some(wrapper) = object("response")? {
                    self.read_wrapper("response", &["role", "content", "tool_calls"], wrapper)?;
                }
            }
            "after_tool" => {
                if let Some(wrapper) = object("result")? {
                    self.read_wrapper("result", &RESULT_KEYS, wrapper)?;
                }
            }
            _ => {
                let (call, own) = (object("call")?, object("result")?);
                self.read_call(call, own, verdict == Some(VerdictKind::Respond))?;
            }
        }
        Ok(())
    }

    /// `before_tool`: a changed call, or a result in place of the tool's.
    fn read_call(&mut self, call: Option<JsonObject>, own: Option<JsonObject>, responds: bool) -> Result<(), Message> {
        match (responds, own) {
            (true, None) => return Err(answers::NO_RESULT.render_plain()),
            (true, Some(own)) => {
                check_types(&own)?;
                self.answer.reply_fields.push(("result".to_owned(), Value::Object(own)));
            }
            (false, Some(_)) => self.ignore("result", answers::WITHOUT_RESPOND.render_plain()),
            (false, None) => {}
        }
        let Some(call) = call else { return Ok(()) };
        check_types(&call)?;
        if responds {
            self.answer
                .reply_fields
                .insert(0, ("call".to_owned(), Value::Object(call)));
            let message = render!(answers::CALL_IDLE, "label" => self.label);
            self.answer.warnings.push(message);
            return Ok(());
        }
        let mut parts = self.known_parts("call", &CALL_PARTS, call);
        self.preserve_absent("call", &["tool"], &mut parts);
        self.clear_absent(&["arguments"], &mut parts);
        self.replace("call", parts);
        Ok(())
    }

    /// `before_llm`: a changed request.
    fn read_request(&mut self, request: JsonObject) -> Result<(), Message> {
        check_types(&request)?;
        let mut parts = self.known_parts("request", &REQUEST_PARTS, request);
        self.preserve_absent("request", &["model", "messages"], &mut parts);
        let emptied = self.clear_absent(&["tools", "options"], &mut parts);
        if !emptied.is_empty() {
            let args = args! { "label" => self.label, "parts" => emptied.join("`, `") };
            self.answer.warnings.push(answers::PARTS_DROPPED.render(args));
        }
        self.replace("request", parts);
        Ok(())
    }

    /// `after_llm`, `after_tool`: reads the inner object. In the wrapper of a tool's result, a tool name that is not
    /// empty is used too.
    fn read_wrapper(&mut self, name: &'static str, bare: &[&str], mut wrapper: JsonObject) -> Result<(), Message> {
        let Some(inner) = read_field(&mut wrapper, name, FieldKind::Object)? else {
            let why = if bare.iter().any(|key| wrapper.contains_key(*key)) {
                let seen = args! { "label" => self.label, "object" => name };
                self.answer.warnings.push(answers::MISSING_WRAPPER_WARNING.render(seen));
                render!(answers::MISSING_WRAPPER, "object" => name)
            } else {
                render!(answers::EMPTY_WRAPPER, "object" => name)
            };
            self.ignore(name, why);
            return Ok(());
        };
        if let Value::Object(inner) = &inner {
            check_types(inner)?;
        }
        let mut parts = JsonObject::from_iter([(name.to_owned(), inner)]);
        if name == "result" {
            let tool = read_field(&mut wrapper, "tool", FieldKind::Text)?.and_then(non_empty_text);
            parts.extend(tool.map(|tool| ("tool".to_owned(), tool.into())));
        }
        self.known_parts(name, &[], wrapper);
        self.replace(name, parts);
        Ok(())
    }

    /// The parts that an object can replace. Others are ignored; they are recorded only if they differ from the
    /// payload.
    fn known_parts(&mut self, object: &str, parts: &[&str], given: JsonObject) -> JsonObject {
        let (known, others): (JsonObject, JsonObject) = given
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .partition(|(name, _)| parts.contains(&name.as_str()));
        for (name, value) in others {
            if self.payload.get(&name) != Some(&value) {
                let why = render!(answers::NOT_REPLACED, "object" => object);
                self.ignore(format!("{object}.{name}"), why);
            }
        }
        known
    }

    /// Parts that must not be empty keep their value.
    fn preserve_absent(&mut self, object: &str, names: &[&str], parts: &mut JsonObject) {
        let absent = |name: &&&str| {
            let given = parts.get(**name);
            given.is_none_or(|value| value.as_str() == Some(""))
        };
        let preserved: Vec<&str> = names.iter().filter(absent).copied().collect();
        for name in &preserved {
            parts.shift_remove(*name);
        }
        if !preserved.is_empty() {
            let args = args! { "label" => self.label, "parts" => preserved.join("`, `"), "object" => object };
            self.answer.warnings.push(answers::PARTS_PRESERVED.render(args));
        }
    }

    /// Sets parts that were left out to empty. Returns the parts that were not empty before.
    fn clear_absent(&self, names: &[&'static str], parts: &mut JsonObject) -> Vec<&'static str> {
        let mut emptied = Vec::new();
        for name in names {
            if parts.contains_key(*name) {
                continue;
            }
            let nothing = match self.payload.get(*name) {
                Some(now) if is_empty(now) => continue,
                Some(Value::Array(_)) => Value::Array(Vec::new()),
                Some(_) => Value::Object(JsonObject::new()),
                None => continue,
            };
            emptied.push(*name);
            parts.insert((*name).to_owned(), nothing);
        }
        emptied
    }

    /// Adds the parts that differ from the payload. Missing and empty are the same on the wire.
    fn replace(&mut self, output: &'static str, parts: JsonObject) {
        let same = |name: &str, value: &Value| match self.payload.get(name) {
            Some(now) => now == value || (is_empty(now) && is_empty(value)),
            None => is_empty(value),
        };
        let differing: JsonObject = parts.into_iter().filter(|(name, value)| !same(name, value)).collect();
        if !differing.is_empty() {
            self.answer.fields.push((output.to_owned(), Value::Object(differing)));
        }
    }
}

/// The keys by which a result without its wrapper is recognised.
const RESULT_KEYS: [&str; 8] = [
    "for_llm",
    "for_user",
    "silent",
    "is_error",
    "async",
    "media",
    "artifact_tags",
    "response_handled",
];

fn non_empty_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn action_verdict(action: &str) -> Option<VerdictKind> {
    Some(match action {
        "continue" | "modify" => VerdictKind::Proceed,
        "respond" => VerdictKind::Respond,
        "deny_tool" => VerdictKind::Deny,
        "abort_turn" => VerdictKind::EndTurn,
        "hard_abort" => VerdictKind::EndSession,
        _ => return None,
    })
}

/// Removes a known field and returns it. `null` counts as missing.
///
/// # Errors
/// The field has the wrong type.
fn read_field(from: &mut JsonObject, name: &str, kind: FieldKind) -> Result<Option<Value>, Message> {
    let Some(value) = from.shift_remove(name).filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    check_type(name, &value, kind)?;
    Ok(Some(value))
}

/// Checks the parts of an object against the types of their table.
fn check_types(object: &JsonObject) -> Result<(), Message> {
    for (name, value) in object {
        if let Some(kind) = events::part_kind(name).filter(|_| !value.is_null()) {
            check_type(name, value, kind)?;
        }
    }
    Ok(())
}

fn check_type(name: &str, value: &Value, kind: FieldKind) -> Result<(), Message> {
    let (fits, wanted) = match kind {
        FieldKind::Text => (value.is_string(), term!("string")),
        FieldKind::Object => (value.is_object(), term!("object")),
        FieldKind::List | FieldKind::Messages => (value.is_array(), term!("array")),
        FieldKind::Flag => (value.is_boolean(), term!("boolean")),
        FieldKind::Number => (value.is_i64() || value.is_u64(), term!("whole number")),
        FieldKind::Any => (true, ""),
    };
    if fits {
        Ok(())
    } else {
        Err(render!(answers::FIELD_TYPE, "field" => name, "wanted" => wanted))
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
