//! The parts of a trace that the database stores separately: its row, its tags, and what is left without its body.

use hookwright_model::compact::GATES;
use hookwright_model::trace::{Attempt, FieldEdit, Gate, Ignored, Step, Trace, TraceRow};
use hookwright_model::{Args, Origin, Outcome, RunMode, VerdictKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

use crate::insert::to_json;
use crate::step_totals::{chars_added, outcome_code};
use crate::summary::summarize;

/// The trace without what bodies contain: payloads, reply, streams, commands, both sides of edits, the reasons of
/// gates. `days` is how old the trace was when its body was removed.
#[must_use]
pub fn without_body(trace: &Trace, days: u32) -> Trace {
    let mut bare = trace.clone();
    bare.payload_before = Arc::default();
    bare.payload_after = Arc::default();
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

/// The row that `history` lists for a trace.
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
        order: run_order(trace.steps.iter().map(|step| step.order).collect()),
        reasons: trace
            .steps
            .iter()
            .map(|step| skip_reason(step).map(str::to_owned))
            .collect(),
        about: summarize(trace),
        redacted: trace.redacted,
    }
}

/// The positions in run order, as a row has them: empty if they are the positions in the list, or are not known.
pub(crate) fn run_order(positions: Vec<u32>) -> Vec<u32> {
    let as_listed = positions.iter().zip(1..).all(|(position, listed)| *position == listed);
    if as_listed || positions.contains(&0) {
        return Vec::new();
    }
    positions
}

/// Why a step was skipped; `None` for any other outcome.
pub(crate) fn skip_reason(step: &Step) -> Option<&str> {
    step.reason.as_deref().filter(|_| step.outcome == Outcome::Skipped)
}

/// The names of the origins whose runs count in figures, as a JSON list.
pub(crate) fn counted_origins() -> String {
    let counted = Origin::ALL.into_iter().filter(|origin| origin.counts());
    to_json(&counted.map(Origin::as_str).collect::<Vec<_>>())
}

/// What traces can be found by.
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
    /// The value of `tag_values.kind` in the database. It must never change.
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

/// A kind and a value, such as `event` and `PreToolUse`.
pub(crate) type Tag<'a> = (TagKind, &'a str);

/// All tags of a trace, sorted and each once. A trace without a project has the empty string as its project.
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

/// Whether pages are read by the rows of this tag. The others are frequent, and are conditions on the trace's columns.
pub(crate) fn is_walked((kind, value): &Tag<'_>) -> bool {
    match kind {
        TagKind::Event | TagKind::Hook => true,
        TagKind::Dialect | TagKind::Project => false,
        TagKind::Verdict => *value != VerdictKind::Proceed.as_str(),
        TagKind::Outcome => !FREQUENT_OUTCOMES.iter().any(|outcome| outcome.as_str() == *value),
    }
}

/// Outcomes that most events have.
const FREQUENT_OUTCOMES: [Outcome; 3] = [Outcome::NotMatched, Outcome::Skipped, Outcome::NoOpinion];

/// The letter of an outcome in [`outcome_letters`]; empty for an unknown one.
pub(crate) fn outcome_letter(word: &str) -> String {
    let outcome = Outcome::ALL.into_iter().find(|outcome| outcome.as_str() == word);
    outcome.map_or_else(String::new, |it| char::from(b'a' + outcome_code(it)).to_string())
}

/// One letter for each step: `a` plus the outcome's number.
pub(crate) fn outcome_letters(steps: &[Step]) -> String {
    steps
        .iter()
        .map(|step| char::from(b'a' + outcome_code(step.outcome)))
        .collect()
}

/// The outcomes of these letters. Unknown letters are left out.
pub(crate) fn outcomes_from_letters(letters: &str) -> Vec<Outcome> {
    letters
        .bytes()
        .filter_map(|letter| crate::step_totals::outcome_from_code(letter.checked_sub(b'a')?))
        .collect()
}

/// How many detached runs of a trace have not ended. Of two records of one event, the one with fewer of them is newer.
/// The reason: the final outcome replaces `detached` under the same trace (`engine.md` §4).
pub(crate) fn count_unfinished(letters: &str) -> usize {
    outcomes_from_letters(letters)
        .into_iter()
        .filter(|outcome| *outcome == Outcome::Detached)
        .count()
}

/// How many gates are recorded. The number is negative if the last of them failed.
pub(crate) fn gate_count(gates: &[Gate]) -> i64 {
    let count = gates.len().min(GATES.len()) as i64;
    if gates.last().is_some_and(|gate| !gate.pass) {
        -count
    } else {
        count
    }
}

/// The gates that [`gate_count`] counted, without their reasons.
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

/// What outlives a step's body, in addition to the step's columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StepExtras {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "Args::is_empty")]
    args: Args,
    /// The names of changed fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    edits: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<Ignored>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attempts: Vec<Attempt>,
    #[serde(default, skip_serializing_if = "RunMode::awaits")]
    mode: RunMode,
    /// The position in run order, if it differs from the position in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) order: Option<u32>,
    /// How often the inserted text was removed again.
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
    /// The extras of a recorded step.
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

    /// The extras as JSON; `None` if there is nothing to store.
    pub(crate) fn to_json(&self) -> Option<String> {
        if *self == Self::default() {
            return None;
        }
        // The extras are strings, numbers and lists of them, so writing them as JSON cannot fail.
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
        output_problems: Vec::new(),
        pipe_held: false,
    }
}

/// The fields that the step changed, as far as they are recorded.
fn changed_fields(step: &Step) -> Vec<String> {
    let counted = step.edits.iter().filter(|edit| edit.code.is_none());
    counted.map(|edit| edit.field.clone()).collect()
}

/// Rebuilds a step from its columns and its [`StepExtras`].
pub(crate) trait RestoreStep {
    /// Adds what outlived the step's body.
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
