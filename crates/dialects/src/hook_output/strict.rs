//! Reads the runs of an agent that fails a whole answer for one field that it does not take: then a denial in the same
//! answer is lost too, and the tool runs.
//!
//! How it works: [`StrictRules`] is a table of the parts of an answer and the events. [`decode`] reads how a command ended,
//! [`decode_object`] an object. Each part is looked up in the table, and what is left becomes the output.

use hookwright_model::event::{EventSpec, Payload};
use hookwright_model::{
    Decision, Decoded, Hook, HookOutput, Ignored, Message, MessageTemplate, Run, VerdictKind, args,
};
use serde_json::{Map, Value};

use super::{KEY_TWICE, PLAIN_TEXT, SPECIFIC_OUTPUT, UNREAD_STDOUT, UNUSED_KEY, block_kind};
use crate::exit_status;
use crate::json::{self, JsonObject};

hookwright_model::messages! {
    /// A field that the agent does not know.
    UNKNOWN_FIELD = "answer_refused" / "unknown_field" { "{agent} fails this output because of the unknown field `{field}`", "{agent} 因未知字段 `{field}` 判定此返回结果无效" } hint { "remove `{field}`", "删除 `{field}`" };
    /// A value of the wrong type.
    WRONG_TYPE = "answer_refused" / "wrong_type" { "{agent} fails this output because `{field}` has the wrong type", "{agent} 因 `{field}` 的类型错误判定此返回结果无效" };
    /// A word that is none of the allowed ones.
    UNKNOWN_VALUE = "answer_refused" / "unknown_value" { "{agent} fails this output because of the value of `{field}`", "{agent} 因 `{field}` 的取值判定此返回结果无效" };
    /// Something that the agent knows and does not take at this event.
    UNSUPPORTED = "answer_refused" / "unsupported" { "{agent} fails this output because {event} does not take `{field}`", "{agent} 判定此返回结果无效：{event} 不接受 `{field}`" };
    /// A block without a reason.
    NO_REASON = "answer_refused" / "no_reason" { "{agent} does not block without a reason: `{field}` is missing or blank", "{agent} 不接受没有原因的拦截：`{field}` 缺失或为空" } hint { "write the reason to `{field}`", "在 `{field}` 中写明原因" };
    /// A field without the one that it belongs to.
    WITHOUT = "answer_refused" / "without" { "{agent} fails this output because `{field}` lacks what belongs to it", "{agent} 判定此返回结果无效：`{field}` 缺少与之配套的字段" };
    /// Output that begins like JSON and is no object.
    NOT_JSON = "answer_refused" / "not_json" { "stdout begins like JSON, but is not one JSON object", "stdout 像是 JSON，但不是一个 JSON 对象" };
    /// Text at an event that reads objects only.
    TEXT = "answer_refused" / "text" { "{agent} takes no plain text at {event}", "{agent} 在 {event} 不接受纯文本" } hint { "write `{}`, or nothing", "输出 `{}`，或不输出任何内容" };
    /// Text before an object, which is why the object is not read.
    TEXT_BEFORE = "text_before_json" { "stdout does not begin with `{`, so the output after the text is ignored", "`{` 之前的文本使其后的返回结果失效：stdout 必须以 `{` 开头" };
    /// Stdout at an event that never reads it.
    SILENT = "plain_text" / "silent" { "{event} never reads stdout", "{event} 会忽略 stdout" };
    /// A new input for a call that does not fit, because of which the call fails.
    INPUT_FORM = "input_form" { "`updatedInput` does not fit {tool}, so {agent} fails the call", "`updatedInput` 与 {tool} 不符，{agent} 会让此次调用失败" } hint { "write an object; for this tool with the text `command`", "写成对象；此工具还需带文本 `command`" };
    /// A stop after a tool without words.
    STOPPED = "blocked_by_hook" / "stopped" { "stopped by a hook", "被 Hook 停止" };
    /// A denial without words.
    DENIED = "blocked_by_hook" / "denied" { "denied by a hook", "被 Hook 拒绝" };
}

/// What an agent takes in an answer, and at which of its events.
#[derive(Debug)]
pub struct StrictRules {
    /// The events of each column of [`Self::rows`].
    pub columns: &'static [&'static [&'static str]],
    /// The parts of an answer, each with one letter for each column: `y` is taken, `i` is ignored, `F` fails the answer.
    pub rows: &'static [(AnswerPart, &'static str)],
    /// Events at which text fails.
    pub text_fails: &'static [&'static str],
    /// Tools of whose input only this field is replaced.
    pub input_fields: &'static [(&'static str, &'static str)],
}

/// A part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerPart {
    /// `systemMessage`.
    Message,
    /// `continue: true` or `suppressOutput: false`, which ask for nothing.
    Nothing,
    /// `suppressOutput: true`.
    Hidden,
    /// `stopReason` without `continue: false`.
    StopReason,
    /// `continue: false`.
    Ends,
    /// `decision: "block"` with a reason.
    Block,
    /// `reason` without `decision`.
    Reason,
    /// `additionalContext`.
    Context,
    /// `permissionDecision` with a reason, or with a new input.
    Permission,
    /// `decision.behavior`.
    Behavior,
}

impl StrictRules {
    /// Whether a part fails the whole answer at an event.
    #[must_use]
    pub fn fails(&self, event: &str, part: AnswerPart) -> bool {
        self.fit(event, part) == Fit::Fails
    }

    fn fit(&self, event: &str, part: AnswerPart) -> Fit {
        let column = self.columns.iter().position(|events| events.contains(&event));
        let row = self.rows.iter().find(|(known, _)| *known == part);
        let letter = column
            .zip(row)
            .and_then(|(column, (_, letters))| letters.as_bytes().get(column));
        match letter {
            Some(b'y') => Fit::Taken,
            Some(b'i') => Fit::Ignored,
            Some(_) | None => Fit::Fails,
        }
    }
}

/// Whether an event takes a part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    Taken,
    Ignored,
    Fails,
}

/// Why an answer has no effect.
enum Refusal {
    /// The agent continues.
    Open(Message),
    /// The agent fails the call.
    Closed(Message),
}

/// Reads the run of a command.
pub(super) fn decode(
    (agent, rules): (&'static str, &'static StrictRules),
    ends: VerdictKind,
    hook: &Hook,
    event: &EventSpec,
    payload: &Payload,
    run: &Run,
) -> Decoded {
    let code = match exit_status::status(hook, run) {
        Ok(code) => code,
        Err(message) => return Decoded::Failure(message),
    };
    if run.stdout.is_cut() {
        return Decoded::Failure(exit_status::TOO_MUCH.render_plain());
    }
    let stdout = String::from_utf8_lossy(&run.stdout.bytes);
    let stdout = stdout.trim();
    let reader = Reader {
        agent,
        rules,
        ends,
        event,
        payload,
        output: HookOutput::default(),
        decisions: Vec::new(),
    };
    match (code, event.exit_2) {
        (0, _) => reader.read_stdout(stdout),
        (2, Some(kind)) => {
            let reason = exit_status::stderr_reason(run);
            if reason.is_empty() {
                return Decoded::Failure(reader.refused(&NO_REASON, "stderr"));
            }
            let feedback = (kind == VerdictKind::Retry).then(|| reason.clone());
            let unread = (!stdout.is_empty()).then(|| Ignored::new("stdout", UNREAD_STDOUT.render_plain()));
            Decoded::Answer(HookOutput {
                decision: Some(Decision {
                    what: "decision",
                    kind,
                    reason: Some(reason),
                    feedback,
                    default_message: None,
                }),
                ignored: unread.into_iter().collect(),
                ..HookOutput::default()
            })
        }
        (code, _) => Decoded::Failure(exit_status::exit_message(code, run)),
    }
}

/// Reads an object that was returned, with its duplicate keys.
pub(super) fn decode_object(
    (agent, rules): (&'static str, &'static StrictRules),
    ends: VerdictKind,
    event: &EventSpec,
    payload: &Payload,
    object: JsonObject,
    twice: Vec<String>,
) -> Decoded {
    let reader = Reader {
        agent,
        rules,
        ends,
        event,
        payload,
        output: HookOutput::default(),
        decisions: Vec::new(),
    };
    reader.read(object, twice)
}

struct Reader<'a> {
    agent: &'static str,
    rules: &'static StrictRules,
    ends: VerdictKind,
    event: &'a EventSpec,
    payload: &'a Payload,
    output: HookOutput,
    decisions: Vec<Decision>,
}

impl Reader<'_> {
    fn read_stdout(mut self, text: &str) -> Decoded {
        let event = self.event.name;
        if text.is_empty() {
            return Decoded::Nothing;
        }
        if self.event.notify_only {
            let why = SILENT.render(args! { "event" => event });
            self.output.ignored.push(Ignored::new("stdout", why));
            return Decoded::Answer(self.output);
        }
        if text.starts_with(['{', '[']) {
            return match json::read_last_wins(text) {
                Ok((Value::Object(object), twice)) => self.read(object, twice),
                Ok(_) | Err(_) => Decoded::Failure(self.refused(&NOT_JSON, "stdout")),
            };
        }
        if self.rules.text_fails.contains(&event) {
            return Decoded::Failure(self.refused(&TEXT, "stdout"));
        }
        match self.event.plain_stdout {
            Some(field) => self.output.fields.push((field.to_owned(), text.into())),
            None => {
                let why = if text.contains('{') { &TEXT_BEFORE } else { &PLAIN_TEXT };
                self.output.ignored.push(Ignored::new("stdout", why.render_plain()));
            }
        }
        Decoded::Answer(self.output)
    }

    fn read(mut self, object: JsonObject, twice: Vec<String>) -> Decoded {
        match self.read_top(without_nulls(object)) {
            Ok(()) => {}
            Err(Refusal::Open(message)) => return Decoded::Failure(message),
            Err(Refusal::Closed(message)) => return Decoded::Closed(message),
        }
        let twice = twice.into_iter().map(|key| Ignored::new(key, KEY_TWICE.render_plain()));
        self.output.ignored.extend(twice);
        self.decisions.sort_by_key(|decision| std::cmp::Reverse(decision.kind));
        let mut decisions = self.decisions.into_iter();
        self.output.decision = decisions.next();
        self.output.other_decisions = decisions.collect();
        if self.output == HookOutput::default() {
            Decoded::Nothing
        } else {
            Decoded::Answer(self.output)
        }
    }

    fn read_top(&mut self, mut object: JsonObject) -> Result<(), Refusal> {
        if let Some(message) = self.text(&mut object, "systemMessage")? {
            self.require(AnswerPart::Message, "systemMessage")?;
            let fields = &mut self.output.fields;
            fields.extend((!message.is_empty()).then(|| ("systemMessage".to_owned(), message.into())));
        }
        match self.flag(&mut object, "suppressOutput")? {
            Some(true) if self.takes(AnswerPart::Hidden, "suppressOutput")? => {}
            Some(false) => self.require(AnswerPart::Nothing, "suppressOutput")?,
            Some(true) | None => {}
        }
        let ends = self.flag(&mut object, "continue")?;
        let stop_reason = self
            .text(&mut object, "stopReason")?
            .filter(|text| !text.trim().is_empty());
        let reason = self.text(&mut object, "reason")?;
        let word = self.text(&mut object, "decision")?;
        let specific = object.remove(SPECIFIC_OUTPUT);
        if let Some(name) = object.keys().next() {
            return Err(self.refuse(&UNKNOWN_FIELD, name));
        }
        self.read_block(word.as_deref(), reason)?;
        if ends == Some(false) {
            if self.takes(AnswerPart::Ends, "continue")? {
                self.add_end(stop_reason);
            }
        } else {
            if ends.is_some() {
                self.require(AnswerPart::Nothing, "continue")?;
            }
            if stop_reason.is_some() {
                self.takes(AnswerPart::StopReason, "stopReason")?;
            }
        }
        match specific {
            None => Ok(()),
            Some(Value::Object(object)) => self.read_specific(without_nulls(object)),
            Some(_) => Err(self.refuse(&WRONG_TYPE, SPECIFIC_OUTPUT)),
        }
    }

    fn read_block(&mut self, word: Option<&str>, reason: Option<String>) -> Result<(), Refusal> {
        match (word, reason.filter(|reason| !reason.trim().is_empty())) {
            (None, None) => {}
            (None, Some(_)) => {
                self.takes(AnswerPart::Reason, "reason")?;
            }
            (Some("block"), reason) => {
                self.require(AnswerPart::Block, "decision")?;
                let reason = reason.ok_or_else(|| self.refuse(&NO_REASON, "reason"))?;
                self.decide("decision", block_kind(self.event), Some(reason), None);
            }
            (Some(_), _) => {
                self.require(AnswerPart::Block, "decision")?;
                return Err(self.refuse(&UNKNOWN_VALUE, "decision"));
            }
        }
        Ok(())
    }

    /// The end of the turn. At an event that cannot end it, it is the event's block, whose own reason counts more.
    fn add_end(&mut self, reason: Option<String>) {
        if self.event.verdicts.contains(&self.ends) {
            self.decide("continue", self.ends, reason, None);
        } else if self.decisions.is_empty() {
            let default = reason.is_none().then(|| STOPPED.render_plain());
            self.decide("continue", block_kind(self.event), reason, default);
        } else {
            self.ignore("continue");
        }
    }

    fn read_specific(&mut self, mut object: JsonObject) -> Result<(), Refusal> {
        let parts = [AnswerPart::Context, AnswerPart::Permission, AnswerPart::Behavior];
        if parts.iter().all(|part| self.fit(*part) == Fit::Fails) {
            return Err(self.refuse(&UNSUPPORTED, SPECIFIC_OUTPUT));
        }
        if self.text(&mut object, "hookEventName")?.is_none() {
            return Err(self.refuse(&WITHOUT, SPECIFIC_OUTPUT));
        }
        if let Some(context) = self.text(&mut object, "additionalContext")? {
            self.require(AnswerPart::Context, "additionalContext")?;
            self.output
                .fields
                .push(("additionalContext".to_owned(), context.into()));
        }
        self.read_permission(&mut object)?;
        if let Some(decision) = object.remove("decision") {
            self.require(AnswerPart::Behavior, "decision")?;
            let Value::Object(decision) = decision else {
                return Err(self.refuse(&WRONG_TYPE, "decision"));
            };
            self.read_behavior(without_nulls(decision))?;
        }
        match object.keys().next().map(String::as_str) {
            Some(name @ ("updatedToolOutput" | "updatedMCPToolOutput")) => Err(self.refuse(&UNSUPPORTED, name)),
            Some(name) => Err(self.refuse(&UNKNOWN_FIELD, name)),
            None => Ok(()),
        }
    }

    fn read_permission(&mut self, object: &mut JsonObject) -> Result<(), Refusal> {
        let word = self.text(object, "permissionDecision")?;
        let reason = self.text(object, "permissionDecisionReason")?;
        let input = object.remove("updatedInput");
        for (name, is_given) in [
            ("permissionDecision", word.is_some()),
            ("permissionDecisionReason", reason.is_some()),
            ("updatedInput", input.is_some()),
        ] {
            if is_given {
                self.require(AnswerPart::Permission, name)?;
            }
        }
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        match (word.as_deref(), input, reason) {
            (None, None, None) => Ok(()),
            (Some("allow"), Some(input), _) => self.read_input(input),
            (Some("allow"), None, _) => Err(self.refuse(&WITHOUT, "permissionDecision")),
            (Some("deny") | None, Some(_), _) => Err(self.refuse(&WITHOUT, "updatedInput")),
            (None, None, Some(_)) => Err(self.refuse(&WITHOUT, "permissionDecisionReason")),
            (Some("deny"), None, None) => Err(self.refuse(&NO_REASON, "permissionDecisionReason")),
            (Some("deny"), None, Some(reason)) => {
                // Of two denials in one answer this one gives the reason.
                if self.decisions.pop().is_some() {
                    self.ignore("reason");
                }
                self.decide("permissionDecision", VerdictKind::Deny, Some(reason), None);
                Ok(())
            }
            (Some("ask" | "defer"), _, _) => Err(self.refuse(&UNSUPPORTED, "permissionDecision")),
            (Some(_), _, _) => Err(self.refuse(&UNKNOWN_VALUE, "permissionDecision")),
        }
    }

    /// A new input of the call: the whole, or for some tools only one field of it.
    fn read_input(&mut self, input: Value) -> Result<(), Refusal> {
        let tool = self
            .payload
            .get("tool_name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let field = self.rules.input_fields.iter().find(|(name, _)| *name == tool);
        let old = self.payload.get("tool_input").and_then(Value::as_object);
        let value = match (input, field) {
            (Value::Object(mut input), Some((_, field))) if input.get(*field).is_some_and(Value::is_string) => {
                let mut whole: Map<String, Value> = old.cloned().unwrap_or_default();
                whole.extend(input.remove(*field).map(|value| ((*field).to_owned(), value)));
                input.keys().for_each(|name| self.ignore(name));
                Value::Object(whole)
            }
            (input @ Value::Object(_), None) => input,
            _ => {
                let args = args! { "tool" => tool, "agent" => self.agent };
                return Err(Refusal::Closed(INPUT_FORM.render(args)));
            }
        };
        self.output.fields.push(("updatedInput".to_owned(), value));
        Ok(())
    }

    fn read_behavior(&mut self, mut object: JsonObject) -> Result<(), Refusal> {
        let message = self
            .text(&mut object, "message")?
            .filter(|text| !text.trim().is_empty());
        let interrupt = self.flag(&mut object, "interrupt")?;
        let behavior = self.text(&mut object, "behavior")?;
        for name in ["updatedInput", "updatedPermissions"] {
            if object.contains_key(name) {
                return Err(self.refuse(&UNSUPPORTED, name));
            }
        }
        if interrupt == Some(true) {
            return Err(self.refuse(&UNSUPPORTED, "interrupt"));
        }
        if let Some(name) = object.keys().next() {
            return Err(self.refuse(&UNKNOWN_FIELD, name));
        }
        match behavior.as_deref() {
            Some("allow") => self.decide("decision", VerdictKind::Approve, None, None),
            Some("deny") => {
                let default = message.is_none().then(|| DENIED.render_plain());
                self.decide("decision", VerdictKind::Deny, message, default);
            }
            Some(_) => return Err(self.refuse(&UNKNOWN_VALUE, "behavior")),
            None => return Err(self.refuse(&WITHOUT, "decision")),
        }
        Ok(())
    }

    fn decide(
        &mut self,
        what: &'static str,
        kind: VerdictKind,
        reason: Option<String>,
        default_message: Option<Message>,
    ) {
        let feedback = reason.clone().filter(|_| kind == VerdictKind::Retry);
        self.decisions.push(Decision {
            what,
            kind,
            reason,
            feedback,
            default_message,
        });
    }

    fn fit(&self, part: AnswerPart) -> Fit {
        self.rules.fit(self.event.name, part)
    }

    /// Whether the event takes a part. If it ignores it, that is said.
    fn takes(&mut self, part: AnswerPart, field: &str) -> Result<bool, Refusal> {
        match self.fit(part) {
            Fit::Taken => Ok(true),
            Fit::Ignored => {
                self.ignore(field);
                Ok(false)
            }
            Fit::Fails => Err(self.refuse(&UNSUPPORTED, field)),
        }
    }

    fn require(&mut self, part: AnswerPart, field: &str) -> Result<(), Refusal> {
        self.takes(part, field).map(drop)
    }

    fn ignore(&mut self, field: &str) {
        let why = UNUSED_KEY.render(args! { "agent" => self.agent });
        self.output.ignored.push(Ignored::new(field, why));
    }

    fn refused(&self, template: &MessageTemplate, field: &str) -> Message {
        template.render(args! { "field" => field, "agent" => self.agent, "event" => self.event.name })
    }

    fn refuse(&self, template: &MessageTemplate, field: &str) -> Refusal {
        Refusal::Open(self.refused(template, field))
    }

    fn text(&self, object: &mut JsonObject, name: &str) -> Result<Option<String>, Refusal> {
        match object.remove(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.refuse(&WRONG_TYPE, name)),
        }
    }

    fn flag(&self, object: &mut JsonObject, name: &str) -> Result<Option<bool>, Refusal> {
        match object.remove(name) {
            None => Ok(None),
            Some(Value::Bool(on)) => Ok(Some(on)),
            Some(_) => Err(self.refuse(&WRONG_TYPE, name)),
        }
    }
}

fn without_nulls(mut object: JsonObject) -> JsonObject {
    object.retain(|_, value| !value.is_null());
    object
}
