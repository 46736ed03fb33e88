//! What an agent ran itself and reported (`CONTRACTS.md` §3, `run.report`, and §4) becomes a trace. Nothing is started.
//!
//! A reported step is matched to a hook of the project by its command. The id is only a hint, since indexes move. A step
//! of no known hook is recorded with what the report says about it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookwright_dialects::relay;
use hookwright_engine::{ReportedRun, ReportedStep, record_report};
use hookwright_model::{
    ApprovalScope, Captured, Dialect, End, Event, EventSpec, Handler, Hook, Layer, Message, Notice, Outcome, Payload,
    Run, Trace, render,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::dto::Millis;
use crate::fault::Fault;
use crate::payload::check_payload_limits;

hookwright_model::messages! {
    /// The payload of a report is not an object.
    REPORT_PAYLOAD = "report_payload" { "the reported payload is not a JSON object; `{}` is recorded", "上报的载荷不是 JSON 对象；记录为 `{}`" };
    /// An attempt of a report cannot be read.
    REPORT_ATTEMPT = "report_attempt" { "a reported attempt of {label} cannot be read; it is not recorded", "{label} 上报的一次尝试无法读取；未记录" };
    /// The output of an attempt was cut in the report.
    REPORT_CUT = "report_cut" { "the reported output of {label} is not complete, so its decision is not known", "{label} 上报的输出不完整，因此不知道它的决定" };
    /// A code or time of an attempt that is none.
    REPORT_NUMBER = "bad_params" / "report_number" { "invalid parameters of run.report: `{field}` in step {number} cannot be {value}", "run.report 的参数无效：第 {number} 步的 `{field}` 不能为 {value}" } hint { "write a whole exit code, or milliseconds from 0", "写入整数退出码，或不小于 0 的毫秒数" };
    /// A word of a step that its field does not have.
    REPORT_WORD = "bad_params" / "report_word" { "invalid parameters of run.report: unknown `{field}` `{word}` in step {number}", "run.report 的参数无效：第 {number} 步的 `{field}` 为未知的 `{word}`" } hint { "write one of {known}", "写为以下之一：{known}" };
}

/// What an agent reports.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RunReport {
    /// The payload that the hooks got. Absent and an empty text mean that they got none.
    #[serde(default, deserialize_with = "given")]
    pub payload: Option<Value>,
    /// In what the payload differs from its text.
    #[serde(skip)]
    pub notices: Vec<Message>,
    /// The hooks that the agent ran, in run order.
    #[serde(default)]
    pub steps: Vec<StepReport>,
}

/// What an agent reports about one hook.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(expecting = "an object")]
pub struct StepReport {
    /// The id of the hook, as the agent knows it.
    #[serde(default)]
    pub hook: String,
    /// The hook's name for the user.
    #[serde(default)]
    pub label: String,
    /// The command that ran, as the agent's configuration has it.
    #[serde(default)]
    pub command: Option<String>,
    /// The outcome, if the agent gives it.
    #[serde(default)]
    #[schemars(with = "Option<Outcome>")]
    pub outcome: Option<String>,
    /// The attempts, as in a trace. One that cannot be read is left out with a notice; an unknown `end` is refused.
    #[serde(default)]
    pub attempts: Vec<Value>,
}

impl RunReport {
    /// About how much the records of its hooks and their attempts take, in bytes.
    pub(crate) fn record_bytes(&self) -> usize {
        const RECORD_BYTES: usize = 1 << 10;
        let records = self.steps.iter().map(|step| 1 + step.attempts.len());
        records.sum::<usize>().saturating_mul(RECORD_BYTES)
    }
}

impl StepReport {
    /// Whether nothing says which hook it was: such a step would have an empty id in the history and the metrics.
    pub(crate) fn is_nameless(&self) -> bool {
        let command = self.command.as_deref().unwrap_or_default();
        [self.hook.as_str(), self.label.as_str(), command]
            .iter()
            .all(|name| name.trim().is_empty())
    }
}

/// A value that is given, `null` included.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// The trace of a report. `event` is the event without its payload; `hooks` are the hooks of the project and of the
/// session that are known now.
///
/// # Errors
/// The payload is too large or nested too deep (`-32004`), or a word of a step is unknown (`-32602`).
pub fn trace_of_report(
    dialect: &dyn Dialect,
    spec: &'static EventSpec,
    event: Event,
    hooks: &[Arc<Hook>],
    report: RunReport,
) -> Result<Trace, Fault> {
    let (payload, mut notices) = read_payload(report.payload);
    notices.extend(report.notices);
    check_payload_limits(&payload)?;
    let mut matcher = HookMatcher::new(dialect, spec, hooks);
    let mut steps = Vec::with_capacity(report.steps.len());
    for (index, step) in report.steps.into_iter().enumerate() {
        let hook = matcher.take(&step);
        steps.push(read_step(index + 1, step, hook, &mut notices)?);
    }
    let event = Event {
        payload: Arc::new(payload),
        ..event
    };
    let mut trace = record_report(dialect, spec, event, steps);
    let notices = notices.into_iter().map(|message| Notice::warning(message, None));
    trace.notices.splice(0..0, notices);
    Ok(trace)
}

/// The payload of a report. One that is not an object is empty, with a message; none at all is empty without one.
fn read_payload(given: Option<Value>) -> (Payload, Vec<Message>) {
    match given {
        Some(Value::Object(payload)) => (payload, Vec::new()),
        None => (Payload::new(), Vec::new()),
        Some(Value::String(text)) if text.trim().is_empty() => (Payload::new(), Vec::new()),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            (Payload::new(), vec![REPORT_PAYLOAD.render_plain()])
        }
    }
}

/// Finds the hooks of reported steps. A hook is found once, so that equal commands are told apart.
struct HookMatcher<'a> {
    dialect: &'a dyn Dialect,
    spec: &'static EventSpec,
    left: Vec<&'a Arc<Hook>>,
}

impl<'a> HookMatcher<'a> {
    fn new(dialect: &'a dyn Dialect, spec: &'static EventSpec, hooks: &'a [Arc<Hook>]) -> Self {
        let is_for_event = |hook: &&Arc<Hook>| hook.dialect == dialect.card().id && hook.matches_event(spec);
        Self {
            dialect,
            spec,
            left: hooks.iter().filter(is_for_event).collect(),
        }
    }

    /// The hook of a step: one with its command, preferably with its id; without a command, the one with its id.
    fn take(&mut self, step: &StepReport) -> Arc<Hook> {
        let command = step.command.as_deref().map(|command| {
            let inner = relay::unwrap_command(self.dialect.card(), command);
            inner.unwrap_or_else(|| command.to_owned())
        });
        let has_id = |hook: &Hook| hook.id_at(self.spec) == step.hook || hook.id == step.hook;
        let found = match &command {
            Some(command) => {
                let runs_it = |hook: &&Arc<Hook>| runs(hook, command);
                let exact = self.left.iter().position(|hook| runs_it(hook) && has_id(hook));
                exact.or_else(|| self.left.iter().position(runs_it))
            }
            None => self.left.iter().position(|hook| has_id(hook)),
        };
        match found {
            Some(index) => self.left.remove(index).clone(),
            None => Arc::new(unknown_hook(self.dialect, self.spec, step, command)),
        }
    }
}

/// Whether a hook runs this command. A program with arguments is compared with the words as a shell would read them.
fn runs(hook: &Hook, command: &str) -> bool {
    let same_words = |words: &[String]| shlex::split(command).is_some_and(|given| given == words);
    match (&hook.handler, &hook.approval_scope) {
        (_, ApprovalScope::Command(own)) if !own.shell => same_words(&own.words),
        (Handler::Shell { command: own }, _) => own.trim() == command.trim(),
        (Handler::Script { entry: Some(entry) }, _) => same_words(&[entry.display().to_string()]),
        (Handler::Peer { argv }, _) => same_words(argv),
        (
            Handler::Script { entry: None }
            | Handler::Module { .. }
            | Handler::Callback { .. }
            | Handler::Insert { .. }
            | Handler::Prompt { .. }
            | Handler::Http(_)
            | Handler::Builtin { .. },
            _,
        ) => false,
    }
}

/// A hook of which only the report is known.
fn unknown_hook(dialect: &dyn Dialect, spec: &EventSpec, step: &StepReport, command: Option<String>) -> Hook {
    let command = command.unwrap_or_default();
    let first_of = |texts: [&String; 3]| texts.into_iter().find(|text| !text.trim().is_empty()).cloned();
    let label = first_of([&step.label, &step.hook, &command]);
    let id = first_of([&step.hook, &step.label, &command]);
    let layers = [
        Layer::Builtin,
        Layer::User,
        Layer::Project,
        Layer::Session,
        Layer::Skill,
    ];
    let dialect = dialect.card().id;
    let layer = layers
        .into_iter()
        .find(|layer| step.hook.starts_with(&layer.id_prefix(dialect)));
    let handler = Handler::Shell {
        command: command.clone(),
    };
    let mut hook = Hook::new(dialect, id.unwrap_or_default(), spec.name, handler);
    hook.source.layer = layer.unwrap_or(Layer::User);
    Hook {
        label: label.unwrap_or_default(),
        definition_text: command,
        ..hook
    }
}

/// The value that a word of a step names. An unknown word is refused, because without it the step would be recorded as
/// something that did not happen.
fn named<T: Copy>(known: &[T], name: fn(T) -> &'static str, field: (usize, &str), word: &str) -> Result<T, Fault> {
    let found = known.iter().copied().find(|value| name(*value) == word);
    found.ok_or_else(|| {
        let (number, field) = field;
        let shown: String = word.chars().take(MAX_SHOWN_CHARS).collect();
        let known: Vec<&str> = known.iter().map(|value| name(*value)).collect();
        let known = known.join(", ");
        render!(REPORT_WORD, "number" => number, "field" => field, "word" => shown, "known" => known).into()
    })
}

/// How much of a wrong value is shown.
const MAX_SHOWN_CHARS: usize = 64;

/// Checks the codes and times of an attempt: a wrong one could make another outcome of it (`CONTRACTS.md` §2.5).
fn check_numbers(number: usize, attempt: &Value) -> Result<(), Fault> {
    let is_code = |value: &Value| value.as_i64().is_some_and(|code| i32::try_from(code).is_ok());
    let is_time = |value: &Value| value.as_f64().and_then(Millis::new).is_some();
    let given = |field: &'static str| {
        let value = attempt.get(field).filter(|value| !value.is_null())?;
        Some((field, value))
    };
    let mut codes = ["code", "exit_code", "signal"].into_iter().filter_map(given);
    let mut times = ["started_ms", "took_ms"].into_iter().filter_map(given);
    let wrong = codes.find(|(_, value)| !is_code(value));
    match wrong.or_else(|| times.find(|(_, value)| !is_time(value))) {
        Some((field, value)) => {
            let shown: String = value.to_string().chars().take(MAX_SHOWN_CHARS).collect();
            Err(render!(REPORT_NUMBER, "number" => number, "field" => field, "value" => shown).into())
        }
        None => Ok(()),
    }
}

/// `number` is the place of the step in the report, from 1.
fn read_step(
    number: usize,
    step: StepReport,
    hook: Arc<Hook>,
    notices: &mut Vec<Message>,
) -> Result<ReportedStep, Fault> {
    let label = &hook.label;
    let outcome = step.outcome.as_deref();
    let mut outcome = outcome
        .map(|word| named(&Outcome::ALL, Outcome::as_str, (number, "outcome"), word))
        .transpose()?;
    let mut runs = Vec::with_capacity(step.attempts.len());
    let mut is_unreadable = false;
    for attempt in step.attempts {
        check_numbers(number, &attempt)?;
        if let Some(Value::String(word)) = attempt.get("end") {
            named(&End::ALL, End::as_str, (number, "end"), word)?;
        }
        let object = attempt.is_object().then_some(attempt);
        match object.map(serde_json::from_value::<AttemptReport>) {
            Some(Ok(attempt)) => {
                if outcome.is_none() && attempt.is_stdout_cut() {
                    outcome = Some(Outcome::Skipped);
                    notices.push(render!(REPORT_CUT, "label" => label));
                }
                runs.push(attempt.into_run());
            }
            Some(Err(_)) | None => is_unreadable = true,
        }
    }
    if is_unreadable {
        notices.push(render!(REPORT_ATTEMPT, "label" => label));
    }
    Ok(ReportedStep { hook, outcome, runs })
}

/// An attempt in the form of a trace. Every field may be absent.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AttemptReport {
    end: Option<End>,
    #[serde(alias = "exit_code")]
    code: Option<i32>,
    signal: Option<i32>,
    stdin: Option<String>,
    stdout: Option<String>,
    stderr: Option<String>,
    started_ms: Option<f64>,
    took_ms: Option<f64>,
    truncated: bool,
    command: Vec<String>,
    cwd: Option<PathBuf>,
    env: Vec<String>,
}

/// A stream of at least this size may have been cut: a report has 1 MiB of each, cut at a character.
const CUT_BYTES: usize = (1 << 20) - 4;

impl AttemptReport {
    /// Whether a part of stdout is missing that would have been decoded.
    fn is_stdout_cut(&self) -> bool {
        let decoded = matches!(self.end(), End::Exit | End::Replied) && self.code.unwrap_or(0) == 0;
        decoded && self.truncated && self.stdout.as_ref().is_some_and(|text| text.len() >= CUT_BYTES)
    }

    /// How it ended. Without the word, an exit code or a signal says it.
    fn end(&self) -> End {
        self.end.unwrap_or(match (self.signal, self.code) {
            (Some(_), _) => End::Signal,
            (None, Some(_)) => End::Exit,
            (None, None) if self.stdout.is_some() => End::Replied,
            (None, None) => End::NotStarted,
        })
    }

    fn into_run(self) -> ReportedRun {
        let end = self.end();
        let time = |ms: Option<f64>| Duration::try_from_secs_f64(ms.unwrap_or(0.0) / 1000.0).unwrap_or_default();
        let mut stdin = Captured::new(self.stdin.unwrap_or_default());
        // Which of the streams was cut is not reported. Stdin is never decoded, so it can carry the mark.
        stdin.total += u64::from(self.truncated);
        ReportedRun {
            started: time(self.started_ms),
            run: Run {
                end,
                code: self.code,
                signal: self.signal,
                stdin,
                stdout: Captured::new(self.stdout.unwrap_or_default()),
                stderr: Captured::new(self.stderr.unwrap_or_default()),
                took: time(self.took_ms),
                command: self.command,
                cwd: self.cwd,
                env: self.env,
                warnings: Vec::new(),
                counters: std::collections::BTreeMap::new(),
                no_handshake: None,
                pipe_held: false,
                env_file: Vec::new(),
            },
        }
    }
}

#[cfg(test)]
#[path = "reported_runs_tests.rs"]
mod tests;
