//! A trace seen as the parts that the database keeps apart: its row, its marks, and what is left without its body.

use hookwright_model::trace::{Attempt, FieldEdit, Gate, GateName, Ignored, Step, Trace, TraceRow};
use hookwright_model::{Args, Outcome, Payload, RunMode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::step_totals::{chars_added, outcome_code};
use crate::summary::summarize;

/// A trace without what bodies hold: payloads, reply, streams, commands, both sides of edits, the reasons of gates.
/// `days` is how old it was when that was taken from it.
#[must_use]
pub fn without_body(trace: &Trace, days: u32) -> Trace {
    let mut bare = trace.clone();
    bare.payload_before = Payload::new();
    bare.payload_after = Payload::new();
    bare.reply.json = Value::Null;
    bare.reply.stderr = String::new();
    bare.bodies_removed_days = Some(days);
    bare.steps = trace.steps.iter().map(step_without_body).collect();
    bare
}

fn step_without_body(step: &Step) -> Step {
    let count = gate_count(&step.gates);
    Step {
        gates: gates_from_count(count),
        edits: Vec::new(),
        attempts: Vec::new(),
        removed: Vec::new(),
        ..step.clone()
    }
    .with_extras(StepExtras::from_step(step))
}

/// The row that `history` lists.
#[must_use]
pub fn trace_row(trace: &Trace) -> TraceRow {
    TraceRow {
        trace: trace.trace.clone(),
        dialect: trace.dialect.clone(),
        event: trace.event.clone(),
        origin: trace.origin,
        session: trace.session.clone(),
        agent: trace.agent.clone(),
        project: trace.project.clone(),
        at: trace.at,
        took_ms: trace.took_ms,
        verdict: trace.verdict.clone(),
        notices: trace.notices.clone(),
        outcomes: trace.steps.iter().map(|step| step.outcome).collect(),
        reasons: trace
            .steps
            .iter()
            .map(|step| skip_reason(step).map(str::to_owned))
            .collect(),
        about: summarize(trace),
        redacted: trace.redacted,
    }
}

/// The word for a skipped step.
pub(crate) fn skip_reason(step: &Step) -> Option<&str> {
    step.reason.as_deref().filter(|_| step.outcome == Outcome::Skipped)
}

/// What a trace can be found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum TagKind {
    Dialect,
    Event,
    Project,
    Verdict,
    Hook,
    Outcome,
}

impl TagKind {
    /// The word in the database. Fixed for good.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Dialect => "dialect",
            Self::Event => "event",
            Self::Project => "project",
            Self::Verdict => "verdict",
            Self::Hook => "hook",
            Self::Outcome => "outcome",
        }
    }
}

/// A kind and a value.
pub(crate) type Tag<'a> = (TagKind, &'a str);

/// Everything a trace can be found by, in order and each once. A trace of no project is marked with the empty one.
pub(crate) fn tags_of(trace: &Trace) -> Vec<Tag<'_>> {
    let mut tags = vec![
        (TagKind::Dialect, trace.dialect.as_str()),
        (TagKind::Event, trace.event.as_str()),
        (TagKind::Project, trace.project.as_deref().unwrap_or_default()),
        (TagKind::Verdict, trace.verdict.kind.as_str()),
    ];
    tags.extend(trace.steps.iter().map(|step| (TagKind::Hook, step.hook.as_str())));
    tags.extend(trace.steps.iter().map(|step| (TagKind::Outcome, step.outcome.as_str())));
    tags.sort_unstable();
    tags.dedup();
    tags
}

/// One letter a step, `a` for the outcome numbered 0.
pub(crate) fn outcome_letters(steps: &[Step]) -> String {
    steps
        .iter()
        .map(|step| char::from(b'a' + outcome_code(step.outcome)))
        .collect()
}

/// The outcomes of those letters; unknown ones are left out.
pub(crate) fn outcomes_from_letters(letters: &str) -> Vec<Outcome> {
    letters
        .bytes()
        .filter_map(|letter| crate::step_totals::outcome_from_code(letter.checked_sub(b'a')?))
        .collect()
}

/// How many detached runs of a trace have not ended: a trace with fewer of them is the newer account of the same event
/// (`engine.md` §4: `detached` is replaced by the final outcome under the same trace).
pub(crate) fn count_unfinished(letters: &str) -> usize {
    outcomes_from_letters(letters)
        .into_iter()
        .filter(|outcome| *outcome == Outcome::Detached)
        .count()
}

const GATES: [GateName; 6] = [
    GateName::Valid,
    GateName::Trusted,
    GateName::Enabled,
    GateName::Event,
    GateName::Filter,
    GateName::Chain,
];

/// How many gates are on record; negative when the last of them failed.
pub(crate) fn gate_count(gates: &[Gate]) -> i64 {
    let count = gates.len().min(GATES.len()) as i64;
    if gates.last().is_some_and(|gate| !gate.pass) {
        -count
    } else {
        count
    }
}

/// Gates without their reasons, from [`gate_count`].
pub(crate) fn gates_from_count(count: i64) -> Vec<Gate> {
    let mut gates: Vec<Gate> = GATES
        .into_iter()
        .take(count.unsigned_abs() as usize)
        .map(Gate::passed)
        .collect();
    if count < 0
        && let Some(last) = gates.last_mut()
    {
        last.pass = false;
    }
    gates
}

/// What outlives a step's body beside its columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StepExtras {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    args: Args,
    /// Fields that were changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    edits: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<Ignored>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attempts: Vec<Attempt>,
    #[serde(default, skip_serializing_if = "RunMode::awaits")]
    mode: RunMode,
    /// Place in run order, where it is not the place in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) order: Option<u32>,
    /// How often what was inserted was taken out again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) removals: u64,
    /// [`chars_added`] of the edits.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) chars: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl StepExtras {
    /// Of a step as it was recorded.
    pub(crate) fn from_step(step: &Step) -> Self {
        Self {
            code: step.code.clone(),
            args: step.args.clone(),
            edits: changed_fields(step),
            ignored: step.ignored.clone(),
            attempts: step.attempts.iter().map(attempt_without_body).collect(),
            mode: step.mode,
            order: Some(step.order),
            removals: step.removed.len() as u64,
            chars: chars_added(&step.edits),
        }
    }

    /// As JSON; `None` when there is nothing to keep.
    pub(crate) fn to_json(&self) -> Option<String> {
        if *self == Self::default() {
            return None;
        }
        // Strings, numbers and lists of them: there is nothing that could not be written.
        serde_json::to_string(self).ok()
    }
}

fn attempt_without_body(attempt: &Attempt) -> Attempt {
    Attempt {
        end: attempt.end,
        code: attempt.code,
        signal: attempt.signal,
        stdin: String::new(),
        stdout: String::new(),
        stderr: String::new(),
        started_ms: attempt.started_ms,
        took_ms: attempt.took_ms,
        truncated: attempt.truncated,
        command: Vec::new(),
        cwd: None,
        env: Vec::new(),
        counted: attempt.counted.clone(),
    }
}

/// The fields that it changed, as far as they are recorded.
fn changed_fields(step: &Step) -> Vec<String> {
    let counted = step.edits.iter().filter(|edit| edit.code.is_none());
    counted.map(|edit| edit.field.clone()).collect()
}

/// A step put together again from its columns and its rest.
pub(crate) trait RestoreStep {
    /// The step with what was kept of its body.
    fn with_extras(self, extras: StepExtras) -> Self;
}

impl RestoreStep for Step {
    fn with_extras(mut self, extras: StepExtras) -> Self {
        let bare = |field| FieldEdit {
            field,
            truncated: true,
            ..FieldEdit::default()
        };
        self.code = extras.code;
        self.args = extras.args;
        self.edits = extras.edits.into_iter().map(bare).collect();
        self.ignored = extras.ignored;
        self.attempts = extras.attempts;
        self.mode = extras.mode;
        self.order = extras.order.unwrap_or(self.order);
        self
    }
}
