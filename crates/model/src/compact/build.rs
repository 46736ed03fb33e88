//! From a trace to its compact form.

use std::sync::Arc;

use serde_json::Value;

use super::streams::StreamTexts;
use super::{
    CompactAttempt, CompactEdit, CompactIgnored, CompactNotice, CompactRemoval, CompactReply, CompactStep,
    CompactTrace, CompactVerdict, EditSide, FailedGate, GATES, Gates, PayloadChange, RecordedSentence, SideOf,
    StepFile,
};
use crate::event::Payload;
use crate::trace::{Attempt, FieldEdit, Gate, Ignored, Notice, Removal, SourceRef, Step, Trace, Verdict};

impl CompactTrace {
    /// Compacts a trace. Its sentences are kept as the agent got them: a later version may say the same in other words.
    #[must_use]
    pub fn new(trace: &Trace) -> Self {
        let change = PayloadChange::between(&trace.payload_before, &trace.payload_after);
        let after = (change != PayloadChange::default()).then_some(&*trace.payload_after);
        let builder = Builder {
            trace,
            texts: StreamTexts::new(&trace.payload_before, after),
        };
        Self {
            trace: trace.trace.clone(),
            dialect: trace.dialect.clone(),
            event: trace.event.clone(),
            origin: trace.origin,
            session: trace.session.clone(),
            agent: trace.agent.clone(),
            project: trace.project.clone(),
            at: trace.at,
            took_ms: trace.took_ms,
            verdict: (trace.verdict != Verdict::proceed()).then(|| builder.verdict(&trace.verdict)),
            payload: trace.payload_before.clone(),
            change,
            reply: CompactReply {
                json: trace.reply.json.clone(),
                exit_code: trace.reply.exit_code,
                stderr: trace.reply.stderr.clone(),
            },
            notices: trace.notices.iter().map(|notice| builder.notice(notice)).collect(),
            steps: builder.steps(),
            redacted: trace.redacted,
            recorded: trace.recorded,
            bodies_removed_days: trace.bodies_removed_days,
        }
    }
}

impl PayloadChange {
    fn between(before: &Arc<Payload>, after: &Arc<Payload>) -> Self {
        if Arc::ptr_eq(before, after) {
            return Self::default();
        }
        let removed = before.keys().filter(|name| !after.contains_key(*name));
        let set = after.iter().filter(|(name, value)| before.get(*name) != Some(value));
        let change = Self {
            removed: removed.cloned().collect(),
            set: set.map(|(name, value)| (name.clone(), value.clone())).collect(),
            whole: None,
        };
        let kept = before.keys().filter(|name| after.contains_key(*name));
        let added = after.keys().filter(|name| !before.contains_key(*name));
        // Equal values may differ in the order of their own fields, which the document shows.
        let same_text = || {
            let mut unchanged = after.iter().filter(|(name, _)| !change.set.contains_key(*name));
            unchanged.all(|(name, value)| before.get(name).is_some_and(|it| is_same(it, value)))
        };
        if kept.chain(added).eq(after.keys()) && same_text() {
            change
        } else {
            Self {
                whole: Some(Payload::clone(after)),
                ..Self::default()
            }
        }
    }
}

/// Whether two values are equal, the order of their fields included.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| one.0 == other.0 && is_same(one.1, other.1))
        }
        (one, other) => one == other,
    }
}

/// A text that was told, and whether there was one beside a code.
fn sentence(text: Option<&String>, code: Option<&String>) -> Option<RecordedSentence> {
    match text {
        None => code.map(|_| RecordedSentence::Missing(false)),
        Some(text) => Some(RecordedSentence::Own(text.clone())),
    }
}

struct Builder<'a> {
    trace: &'a Trace,
    texts: StreamTexts<'a>,
}

impl<'a> Builder<'a> {
    fn verdict(&self, verdict: &Verdict) -> CompactVerdict {
        CompactVerdict {
            kind: verdict.kind,
            reason: sentence(verdict.reason.as_ref(), verdict.code.as_ref()),
            feedback: verdict.feedback.clone(),
            by: verdict.by.clone(),
            code: verdict.code.clone(),
            args: verdict.args.clone(),
        }
    }

    fn notice(&self, notice: &Notice) -> CompactNotice {
        CompactNotice {
            kind: notice.kind,
            text: Some(notice.text.clone()),
            hook: notice.hook.clone(),
            code: notice.code.clone(),
            args: notice.args.clone(),
        }
    }

    fn steps(&self) -> Vec<CompactStep> {
        let (mut streams, mut edits) = (Vec::new(), Vec::new());
        let mut file: Option<&SourceRef> = None;
        let steps = self.trace.steps.iter().enumerate().map(|(index, step)| {
            let same_file = file.is_some_and(|it| (it.layer, &it.path) == (step.source.layer, &step.source.path));
            file = Some(&step.source);
            let place = u32::try_from(index + 1).unwrap_or(u32::MAX);
            CompactStep {
                file: (!same_file).then(|| StepFile {
                    layer: step.source.layer,
                    path: step.source.path.clone(),
                }),
                order: (step.order != place).then_some(step.order),
                edits: step.edits.iter().map(|edit| self.edit(edit, &mut edits)).collect(),
                attempts: step.attempts.iter().map(|it| self.attempt(it, &mut streams)).collect(),
                ..self.outcome(step)
            }
        });
        steps.collect()
    }

    fn outcome(&self, step: &Step) -> CompactStep {
        CompactStep {
            hook: step.hook.clone(),
            label: step.label.clone(),
            position: step.position,
            order: None,
            file: None,
            line: step.source.line,
            handler: step.handler.clone(),
            version: step.version.clone(),
            uid: step.uid.clone(),
            agent_trust: step.agent_trust,
            mode: step.mode,
            outcome: step.outcome,
            reason: sentence(step.reason.as_ref(), step.code.as_ref()),
            code: step.code.clone(),
            args: step.args.clone(),
            gates: self.gates(&step.gates),
            edits: Vec::new(),
            ignored: step.ignored.iter().map(|ignored| self.ignored(ignored)).collect(),
            attempts: Vec::new(),
            removed: step.removed.iter().map(|removal| self.removal(removal)).collect(),
        }
    }

    fn gates(&self, gates: &[Gate]) -> Gates {
        let in_order = gates.len() <= GATES.len() && gates.iter().zip(GATES).all(|(gate, name)| gate.gate == name);
        let passed = gates.iter().take_while(|gate| gate.pass && gate.why.is_none()).count();
        let plain = |gates: &[Gate]| gates.iter().all(|gate| *gate == Gate::passed(gate.gate));
        match gates.get(passed) {
            None if in_order && plain(gates) => Gates::Passed(gates.len()),
            Some(failed) if in_order && !failed.pass && passed + 1 == gates.len() && plain(&gates[..passed]) => {
                Gates::Failed(FailedGate {
                    gate: failed.gate,
                    why: sentence(failed.why.as_ref(), failed.code.as_ref()),
                    near_miss: failed.near_miss,
                    code: failed.code.clone(),
                    args: failed.args.clone(),
                })
            }
            Some(_) | None => Gates::List(gates.to_vec()),
        }
    }

    fn edit(&self, edit: &'a FieldEdit, earlier: &mut Vec<&'a FieldEdit>) -> CompactEdit {
        let compact = CompactEdit {
            field: edit.field.clone(),
            before: self.side(edit, &edit.before, earlier),
            after: self.side(edit, &edit.after, earlier),
            truncated: edit.truncated,
            code: edit.code.clone(),
            args: edit.args.clone(),
        };
        earlier.push(edit);
        compact
    }

    fn side(&self, edit: &FieldEdit, value: &Value, earlier: &[&FieldEdit]) -> EditSide {
        let is = |other: Option<&Value>| other.is_some_and(|other| is_same(other, value));
        let last = earlier.iter().rev().find(|it| it.field == edit.field);
        let same_as = if value.is_null() {
            None
        } else if is(self.trace.payload_before.get(&edit.field)) {
            Some(SideOf::Before)
        } else if is(self.trace.payload_after.get(&edit.field)) {
            Some(SideOf::After)
        } else if is(last.map(|it| &it.after)) {
            Some(SideOf::Edit)
        } else {
            None
        };
        EditSide {
            same_as,
            value: same_as.map_or_else(|| value.clone(), |_| Value::Null),
        }
    }

    fn ignored(&self, ignored: &Ignored) -> CompactIgnored {
        CompactIgnored {
            what: ignored.what.clone(),
            why: Some(ignored.why.clone()),
            code: ignored.code.clone(),
            args: ignored.args.clone(),
        }
    }

    fn attempt(&self, attempt: &'a Attempt, streams: &mut Vec<&'a str>) -> CompactAttempt {
        let mut stream = |text: &'a str| {
            let compact = self.texts.compact(text, streams);
            streams.push(text);
            compact
        };
        CompactAttempt {
            stdin: stream(&attempt.stdin),
            stdout: stream(&attempt.stdout),
            end: attempt.end,
            code: attempt.code,
            signal: attempt.signal,
            stderr: attempt.stderr.clone(),
            started_ms: attempt.started_ms,
            took_ms: attempt.took_ms,
            truncated: attempt.truncated,
            pipe_held: attempt.pipe_held,
            command: attempt.command.clone(),
            cwd: attempt.cwd.clone(),
            env: attempt.env.clone(),
            counted: attempt.counted.clone(),
        }
    }

    fn removal(&self, removal: &Removal) -> CompactRemoval {
        CompactRemoval {
            reference: removal.reference.clone(),
            at: removal.at,
            by: Some(removal.by.clone()),
            code: removal.code.clone(),
            args: removal.args.clone(),
        }
    }
}
