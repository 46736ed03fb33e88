//! A trace seen as the parts that the database keeps apart: its row, its marks, and what is left without its body.

use hookwright_model::trace::{Attempt, FieldEdit, Gate, GateName, Ignored, Step, Trace, TraceRow};
use hookwright_model::{Args, Outcome, Payload, RunMode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::about::about;
use crate::tally::{chars_added, code};

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
    bare.steps = trace.steps.iter().map(bare_step).collect();
    bare
}

fn bare_step(step: &Step) -> Step {
    let count = gate_count(&step.gates);
    Step {
        gates: bare_gates(count),
        edits: Vec::new(),
        attempts: Vec::new(),
        removed: Vec::new(),
        ..step.clone()
    }
    .with(Rest::of(step))
}

/// The row that `history` lists.
#[must_use]
pub fn row(trace: &Trace) -> TraceRow {
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
            .map(|step| skip_word(step).map(str::to_owned))
            .collect(),
        about: about(trace),
        redacted: trace.redacted,
    }
}

/// The word for a skipped step.
pub(crate) fn skip_word(step: &Step) -> Option<&str> {
    step.reason.as_deref().filter(|_| step.outcome == Outcome::Skipped)
}

/// What a trace can be found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum MarkKind {
    Dialect,
    Event,
    Project,
    Verdict,
    Hook,
    Outcome,
}

impl MarkKind {
    /// The word in the database. Fixed for good.
    pub(crate) const fn word(self) -> &'static str {
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
pub(crate) type Mark<'a> = (MarkKind, &'a str);

/// Everything a trace can be found by, in order and each once. A trace of no project is marked with the empty one.
pub(crate) fn marks(trace: &Trace) -> Vec<Mark<'_>> {
    let mut marks = vec![
        (MarkKind::Dialect, trace.dialect.as_str()),
        (MarkKind::Event, trace.event.as_str()),
        (MarkKind::Project, trace.project.as_deref().unwrap_or_default()),
        (MarkKind::Verdict, trace.verdict.kind.as_str()),
    ];
    marks.extend(trace.steps.iter().map(|step| (MarkKind::Hook, step.hook.as_str())));
    marks.extend(
        trace
            .steps
            .iter()
            .map(|step| (MarkKind::Outcome, step.outcome.as_str())),
    );
    marks.sort_unstable();
    marks.dedup();
    marks
}

/// One letter a step, `a` for the outcome numbered 0.
pub(crate) fn letters(steps: &[Step]) -> String {
    steps.iter().map(|step| char::from(b'a' + code(step.outcome))).collect()
}

/// The outcomes of those letters; unknown ones are left out.
pub(crate) fn outcomes(letters: &str) -> Vec<Outcome> {
    letters
        .bytes()
        .filter_map(|letter| crate::tally::outcome(letter.checked_sub(b'a')?))
        .collect()
}

/// How many detached runs of a trace have not ended: a trace with fewer of them is the newer account of the same event
/// (`engine.md` §4: `detached` is replaced by the final outcome under the same trace).
pub(crate) fn unfinished(letters: &str) -> usize {
    outcomes(letters)
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
pub(crate) fn bare_gates(count: i64) -> Vec<Gate> {
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
pub(crate) struct Rest {
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

impl Rest {
    /// Of a step as it was recorded.
    pub(crate) fn of(step: &Step) -> Self {
        Self {
            code: step.code.clone(),
            args: step.args.clone(),
            edits: fields(step),
            ignored: step.ignored.clone(),
            attempts: step.attempts.iter().map(bare_attempt).collect(),
            mode: step.mode,
            order: Some(step.order),
            removals: step.removed.len() as u64,
            chars: chars_added(&step.edits),
        }
    }

    /// As JSON; `None` when there is nothing to keep.
    pub(crate) fn json(&self) -> Option<String> {
        if *self == Self::default() {
            return None;
        }
        // Strings, numbers and lists of them: there is nothing that could not be written.
        serde_json::to_string(self).ok()
    }
}

fn bare_attempt(attempt: &Attempt) -> Attempt {
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
fn fields(step: &Step) -> Vec<String> {
    let counted = step.edits.iter().filter(|edit| edit.code.is_none());
    counted.map(|edit| edit.field.clone()).collect()
}

/// A step put together again from its columns and its rest.
pub(crate) trait WithRest {
    /// The step with what was kept of its body.
    fn with(self, rest: Rest) -> Self;
}

impl WithRest for Step {
    fn with(mut self, rest: Rest) -> Self {
        let bare = |field| FieldEdit {
            field,
            truncated: true,
            ..FieldEdit::default()
        };
        self.code = rest.code;
        self.args = rest.args;
        self.edits = rest.edits.into_iter().map(bare).collect();
        self.ignored = rest.ignored;
        self.attempts = rest.attempts;
        self.mode = rest.mode;
        self.order = rest.order.unwrap_or(self.order);
        self
    }
}
