//! What a run meant: ends and answer lines to decisions (`picoclaw.md` §3, §6).

use hookwright_model::event::{EventSpec, FieldKind, Payload};
use hookwright_model::{Decision, Decoded, End, Hook, HookOutput, Ignored, Message, Run, VerdictKind, args, term};
use serde_json::{Map, Value};

use super::events::{self, CALL_PARTS, REQUEST_PARTS};
use super::line;
use super::messages::answers as say;
use super::wire::is_empty;
use crate::ended;
use crate::json::{self, NotJson};

type Object = Map<String, Value>;

/// What a run meant.
#[must_use]
pub fn decode(hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
    let read = match (run.end, event.notify_only) {
        (End::Done, true) => return Decoded::Nothing,
        (End::Replied, false) => reply(run).and_then(|(result, twice)| {
            let mut reading = Reading::new(hook, event, payload);
            reading.twice(twice);
            if event.name == "approve_tool" {
                reading.approval(result)
            } else {
                reading.interception(result)
            }
        }),
        _ => Err(broken(hook, run)),
    };
    match read {
        Ok(answer) if answer == HookOutput::default() => Decoded::Nothing,
        Ok(answer) => Decoded::Answer(answer),
        Err(words) => Decoded::Failure(words),
    }
}

/// How it broke, in words.
fn broken(hook: &Hook, run: &Run) -> Message {
    match run.end {
        End::TimedOut => ended::timed_out(hook),
        End::NotStarted => ended::NOT_STARTED.render(args! { "stderr" => ended::reason(run) }),
        End::Refused => match line::object(&text(run)).as_ref().and_then(line::error) {
            Some(message) => say::REFUSED.render(args! { "message" => message }),
            None => say::QUEUE.render_plain(),
        },
        End::PeerGone => {
            let why = run
                .notes
                .iter()
                .find(|note| ["peer_gone", "handshake_failed"].contains(&note.code));
            why.cloned().unwrap_or_else(|| say::GONE.render_plain())
        }
        End::Exit | End::Signal | End::Cancelled | End::Replied | End::Done => ended::ENDED_OTHERWISE.render_plain(),
    }
}

fn text(run: &Run) -> String {
    String::from_utf8_lossy(&run.stdout.bytes).into_owned()
}

/// The result of an answer line, and the keys in it that stand twice.
fn reply(run: &Run) -> Result<(Value, Vec<String>), Message> {
    let line = std::str::from_utf8(&run.stdout.bytes).map_err(|_| say::NO_ANSWER.render_plain())?;
    match json::read_last(line) {
        Ok((Value::Object(mut object), twice)) => Ok((object.remove("result").unwrap_or_default(), twice)),
        Err(NotJson::Unheld) => Err(ended::UNHELD.render_plain()),
        Ok(_) | Err(_) => Err(say::NO_ANSWER.render_plain()),
    }
}

/// One answer being read.
struct Reading<'a> {
    label: &'a str,
    event: &'a EventSpec,
    /// What the hook saw.
    payload: &'a Payload,
    answer: HookOutput,
}

impl<'a> Reading<'a> {
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

    fn twice(&mut self, keys: Vec<String>) {
        for key in keys {
            let why = say::TWICE.render(args! { "key" => key });
            self.ignore(key, why);
        }
    }

    /// All that does not plainly approve is a failure.
    fn approval(mut self, result: Value) -> Result<HookOutput, Message> {
        let Value::Object(mut result) = result else {
            return Err(say::NO_APPROVAL.render_plain());
        };
        let Some(Value::Bool(approved)) = result.remove("approved") else {
            return Err(say::NO_APPROVAL.render_plain());
        };
        let reason = take(&mut result, "reason", FieldKind::Text)?.and_then(spoken);
        for (name, _) in result {
            self.ignore(name, say::UNKNOWN_KEY.render_plain());
        }
        let kind = if approved {
            VerdictKind::Approve
        } else {
            VerdictKind::Deny
        };
        self.decide("approved", kind, reason);
        self.answer.halt = !approved;
        Ok(self.answer)
    }

    fn decide(&mut self, what: &'static str, kind: VerdictKind, reason: Option<String>) {
        self.answer.decision = Some(Decision {
            what,
            kind,
            reason,
            feedback: None,
            ours: (kind == VerdictKind::EndTurn).then(|| say::ABORT.render_plain()),
        });
    }

    fn interception(mut self, result: Value) -> Result<HookOutput, Message> {
        let mut result = match result {
            // No result is as good as `continue`.
            Value::Null => return Ok(self.answer),
            Value::Object(result) => result,
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return Err(say::NO_OBJECT.render_plain());
            }
        };
        let action = take(&mut result, "action", FieldKind::Text)?.and_then(spoken);
        let verdict = match action.as_deref().map(verdict_of) {
            None | Some(Some(VerdictKind::Proceed)) => None,
            Some(Some(kind)) if self.event.verdicts.contains(&kind) => Some(kind),
            Some(known) => {
                let why = if known.is_some() {
                    say::NOT_ACCEPTED.render(args! { "event" => self.event.name })
                } else {
                    say::UNKNOWN_ACTION.render(args! { "written" => action })
                };
                self.set_aside(&result, action.unwrap_or_default(), why);
                return Ok(self.answer);
            }
        };
        let reason = take(&mut result, "reason", FieldKind::Text)?.and_then(spoken);
        self.objects(&mut result, verdict)?;
        for (name, _) in result {
            self.ignore(name, say::UNKNOWN_KEY.render_plain());
        }
        if let Some(kind) = verdict {
            self.decide("action", kind, reason);
            self.answer.halt = true;
        } else if reason.is_some() {
            self.ignore("reason", say::REASON_IDLE.render_plain());
        }
        Ok(self.answer)
    }

    /// An action that the event does not have, or nobody: all of that answer counts for nothing.
    fn set_aside(&mut self, rest: &Object, action: String, why: Message) {
        self.ignore("action", why);
        for name in rest.keys() {
            self.ignore(name, say::WITH_ACTION.render(args! { "written" => action }));
        }
    }

    /// The payload objects of the event's row.
    fn objects(&mut self, result: &mut Object, verdict: Option<VerdictKind>) -> Result<(), Message> {
        let mut object = |name: &str| {
            let found = take(result, name, FieldKind::Object)?;
            Ok(found.and_then(|value| match value {
                Value::Object(object) => Some(object),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
            }))
        };
        match self.event.name {
            "before_llm" => {
                if let Some(request) = object("request")? {
                    self.request(request)?;
                }
            }
            "after_llm" => {
                if let Some(wrapper) = object("response")? {
                    self.wrapper("response", &["role", "content", "tool_calls"], wrapper)?;
                }
            }
            "after_tool" => {
                if let Some(wrapper) = object("result")? {
                    self.wrapper("result", &BARE_RESULT, wrapper)?;
                }
            }
            _ => {
                let (call, own) = (object("call")?, object("result")?);
                self.call(call, own, verdict == Some(VerdictKind::Respond))?;
            }
        }
        Ok(())
    }

    /// `before_tool`: another call, or a result in the tool's stead.
    fn call(&mut self, call: Option<Object>, own: Option<Object>, responds: bool) -> Result<(), Message> {
        match (responds, own) {
            (true, None) => return Err(say::NO_RESULT.render_plain()),
            (true, Some(own)) => {
                fits(&own)?;
                self.answer.reply_fields.push(("result".to_owned(), Value::Object(own)));
            }
            (false, Some(_)) => self.ignore("result", say::WITHOUT_RESPOND.render_plain()),
            (false, None) => {}
        }
        let Some(call) = call else { return Ok(()) };
        fits(&call)?;
        if responds {
            self.answer
                .reply_fields
                .insert(0, ("call".to_owned(), Value::Object(call)));
            let words = say::CALL_IDLE.render(args! { "label" => self.label });
            self.answer.warnings.push(words);
            return Ok(());
        }
        let mut parts = self.known("call", &CALL_PARTS, call);
        self.keep("call", &["tool"], &mut parts);
        self.empty(&["arguments"], &mut parts);
        self.replace("call", parts);
        Ok(())
    }

    /// `before_llm`: another request.
    fn request(&mut self, request: Object) -> Result<(), Message> {
        fits(&request)?;
        let mut parts = self.known("request", &REQUEST_PARTS, request);
        self.keep("request", &["model", "messages"], &mut parts);
        let emptied = self.empty(&["tools", "options"], &mut parts);
        if !emptied.is_empty() {
            let args = args! { "label" => self.label, "parts" => emptied.join("`, `") };
            self.answer.warnings.push(say::DROPS.render(args));
        }
        self.replace("request", parts);
        Ok(())
    }

    /// `after_llm`, `after_tool`: the inner object counts; of a tool's wrapper also a name that is not empty.
    fn wrapper(&mut self, name: &'static str, bare: &[&str], mut wrapper: Object) -> Result<(), Message> {
        let Some(inner) = take(&mut wrapper, name, FieldKind::Object)? else {
            let why = if bare.iter().any(|key| wrapper.contains_key(*key)) {
                let seen = args! { "label" => self.label, "object" => name };
                self.answer.warnings.push(say::BARE_SEEN.render(seen));
                say::BARE.render(args! { "object" => name })
            } else {
                say::EMPTY_WRAPPER.render(args! { "object" => name })
            };
            self.ignore(name, why);
            return Ok(());
        };
        if let Value::Object(inner) = &inner {
            fits(inner)?;
        }
        let mut parts = Object::from_iter([(name.to_owned(), inner)]);
        if name == "result" {
            let tool = take(&mut wrapper, "tool", FieldKind::Text)?.and_then(spoken);
            parts.extend(tool.map(|tool| ("tool".to_owned(), tool.into())));
        }
        self.known(name, &[], wrapper);
        self.replace(name, parts);
        Ok(())
    }

    /// The parts that an object replaces; others are set aside, without a word where they say what is so already.
    fn known(&mut self, object: &str, parts: &[&str], given: Object) -> Object {
        let (known, others): (Object, Object) = given
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .partition(|(name, _)| parts.contains(&name.as_str()));
        for (name, value) in others {
            if self.payload.get(&name) != Some(&value) {
                let why = say::NOT_REPLACED.render(args! { "object" => object });
                self.ignore(format!("{object}.{name}"), why);
            }
        }
        known
    }

    /// Parts that cannot be meant to be empty keep the value they had.
    fn keep(&mut self, object: &str, names: &[&str], parts: &mut Object) {
        let absent = |name: &&&str| {
            let given = parts.get(**name);
            given.is_none_or(|value| value.as_str() == Some(""))
        };
        let kept: Vec<&str> = names.iter().filter(absent).copied().collect();
        for name in &kept {
            parts.shift_remove(*name);
        }
        if !kept.is_empty() {
            let args = args! { "label" => self.label, "parts" => kept.join("`, `"), "object" => object };
            self.answer.warnings.push(say::KEPT.render(args));
        }
    }

    /// Parts that were left out become empty. Those of them that were not.
    fn empty(&self, names: &[&'static str], parts: &mut Object) -> Vec<&'static str> {
        let mut emptied = Vec::new();
        for name in names {
            if parts.contains_key(*name) {
                continue;
            }
            let nothing = match self.payload.get(*name) {
                Some(now) if is_empty(now) => continue,
                Some(Value::Array(_)) => Value::Array(Vec::new()),
                Some(_) => Value::Object(Object::new()),
                None => continue,
            };
            emptied.push(*name);
            parts.insert((*name).to_owned(), nothing);
        }
        emptied
    }

    /// What differs from what the hook saw; nothing and empty are the same on the wire.
    fn replace(&mut self, output: &'static str, parts: Object) {
        let same = |name: &str, value: &Value| match self.payload.get(name) {
            Some(now) => now == value || (is_empty(now) && is_empty(value)),
            None => is_empty(value),
        };
        let differing: Object = parts.into_iter().filter(|(name, value)| !same(name, value)).collect();
        if !differing.is_empty() {
            self.answer.fields.push((output.to_owned(), Value::Object(differing)));
        }
    }
}

/// The keys by which a result without its wrapper is known.
const BARE_RESULT: [&str; 8] = [
    "for_llm",
    "for_user",
    "silent",
    "is_error",
    "async",
    "media",
    "artifact_tags",
    "response_handled",
];

fn spoken(value: Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn verdict_of(action: &str) -> Option<VerdictKind> {
    Some(match action {
        "continue" | "modify" => VerdictKind::Proceed,
        "respond" => VerdictKind::Respond,
        "deny_tool" => VerdictKind::Deny,
        "abort_turn" => VerdictKind::EndTurn,
        "hard_abort" => VerdictKind::EndSession,
        _ => return None,
    })
}

/// A known field, taken out; `null` is as good as absent.
///
/// # Errors
/// It has another type.
fn take(from: &mut Object, name: &str, kind: FieldKind) -> Result<Option<Value>, Message> {
    let Some(value) = from.shift_remove(name).filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    of_kind(name, &value, kind)?;
    Ok(Some(value))
}

/// The parts of an object have the types of their table.
fn fits(object: &Object) -> Result<(), Message> {
    for (name, value) in object {
        if let Some(kind) = events::shape(name).filter(|_| !value.is_null()) {
            of_kind(name, value, kind)?;
        }
    }
    Ok(())
}

fn of_kind(name: &str, value: &Value, kind: FieldKind) -> Result<(), Message> {
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
        Err(say::FIELD_TYPE.render(args! { "field" => name, "wanted" => wanted }))
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
