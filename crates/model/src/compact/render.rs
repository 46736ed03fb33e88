//! From the compact form back to the document of `CONTRACTS.md` §2.1.

use std::sync::Arc;

use serde_json::Value;

use super::streams::StreamTexts;
use super::{
    CompactAttempt, CompactEdit, CompactIgnored, CompactNotice, CompactRemoval, CompactStep, CompactTrace,
    CompactVerdict, EditSide, GATES, Gates, PayloadChange, RecordedSentence, SideOf, StepFile,
};
use crate::catalog::Catalog;
use crate::event::Payload;
use crate::hook::Layer;
use crate::message::Args;
use crate::trace::{Attempt, FieldEdit, Gate, Ignored, Notice, Removal, Reply, SourceRef, Step, Trace, Verdict};

impl CompactTrace {
    /// Writes the whole trace, its sentences in English.
    #[must_use]
    pub fn render(&self, catalog: &Catalog) -> Trace {
        self.render_with(catalog, StreamUse::Written)
    }

    /// Writes the trace with empty streams, since rows and metrics do not use them.
    #[must_use]
    pub fn render_without_streams(&self, catalog: &Catalog) -> Trace {
        self.render_with(catalog, StreamUse::LeftOut)
    }

    fn render_with(&self, catalog: &Catalog, streams: StreamUse) -> Trace {
        let payload_after = self.change.apply(&self.payload);
        let renderer = Renderer {
            trace: self,
            catalog,
            payload_after: &payload_after,
            streams,
            texts: StreamTexts::new(&self.payload, Some(&payload_after)),
        };
        let (steps, verdict, notices) = (renderer.steps(), renderer.verdict(), renderer.notices());
        Trace {
            trace: self.trace.clone(),
            dialect: self.dialect.clone(),
            event: self.event.clone(),
            origin: self.origin,
            session: self.session.clone(),
            agent: self.agent.clone(),
            project: self.project.clone(),
            at: self.at,
            took_ms: self.took_ms,
            verdict,
            payload_before: self.payload.clone(),
            payload_after,
            reply: Reply {
                json: self.reply.json.clone(),
                exit_code: self.reply.exit_code,
                stderr: self.reply.stderr.clone(),
            },
            notices,
            steps,
            redacted: self.redacted,
            recorded: self.recorded,
            bodies_removed_days: self.bodies_removed_days,
        }
    }
}

impl PayloadChange {
    /// The payload after this change.
    fn apply(&self, before: &Arc<Payload>) -> Arc<Payload> {
        if *self == Self::default() {
            return before.clone();
        }
        if let Some(whole) = &self.whole {
            return Arc::new(whole.clone());
        }
        let mut after = Payload::clone(before);
        for name in &self.removed {
            after.shift_remove(name);
        }
        after.extend(self.set.iter().map(|(name, value)| (name.clone(), value.clone())));
        Arc::new(after)
    }
}

/// Whether the streams of hooks are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StreamUse {
    Written,
    LeftOut,
}

struct Renderer<'a> {
    trace: &'a CompactTrace,
    catalog: &'a Catalog,
    payload_after: &'a Payload,
    streams: StreamUse,
    texts: StreamTexts<'a>,
}

impl<'a> Renderer<'a> {
    fn sentence(&self, text: Option<&RecordedSentence>, code: Option<&str>, args: &Args) -> Option<String> {
        match text {
            Some(RecordedSentence::Own(text)) => Some(text.clone()),
            Some(RecordedSentence::Missing(_)) => None,
            None => code.map(|code| self.catalog.text_or_code(code, args)),
        }
    }

    fn text(&self, text: Option<&String>, code: Option<&str>, args: &Args) -> String {
        text.cloned()
            .or_else(|| code.map(|code| self.catalog.text_or_code(code, args)))
            .unwrap_or_default()
    }

    fn verdict(&self) -> Verdict {
        let Some(CompactVerdict {
            kind,
            reason,
            feedback,
            by,
            code,
            args,
        }) = &self.trace.verdict
        else {
            return Verdict::proceed();
        };
        Verdict {
            kind: *kind,
            reason: self.sentence(reason.as_ref(), code.as_deref(), args),
            feedback: feedback.clone(),
            by: by.clone(),
            code: code.clone(),
            args: args.clone(),
        }
    }

    fn notices(&self) -> Vec<Notice> {
        let notice = |CompactNotice {
                          kind,
                          text,
                          hook,
                          code,
                          args,
                      }: &CompactNotice| Notice {
            kind: *kind,
            text: self.text(text.as_ref(), code.as_deref(), args),
            hook: hook.clone(),
            code: code.clone(),
            args: args.clone(),
        };
        self.trace.notices.iter().map(notice).collect()
    }

    fn steps(&self) -> Vec<Step> {
        let (mut streams, mut edits) = (Vec::new(), Vec::new());
        let mut file: Option<&StepFile> = None;
        let steps = self.trace.steps.iter().enumerate().map(|(index, step)| {
            file = step.file.as_ref().or(file);
            let mut rendered = self.step(step, index, file);
            for edit in &step.edits {
                let edit = self.edit(edit, &edits);
                rendered.edits.push(edit.clone());
                edits.push(edit);
            }
            rendered.attempts = step.attempts.iter().map(|it| self.attempt(it, &mut streams)).collect();
            rendered
        });
        steps.collect()
    }

    fn step(&self, step: &CompactStep, index: usize, file: Option<&StepFile>) -> Step {
        Step {
            hook: step.hook.clone(),
            label: step.label.clone(),
            position: step.position,
            order: step
                .order
                .unwrap_or_else(|| u32::try_from(index + 1).unwrap_or(u32::MAX)),
            source: SourceRef {
                layer: file.map_or(Layer::User, |file| file.layer),
                path: file.map(|file| file.path.clone()).unwrap_or_default(),
                line: step.line,
            },
            handler: step.handler.clone(),
            version: step.version.clone(),
            uid: step.uid.clone(),
            agent_trust: step.agent_trust,
            mode: step.mode,
            outcome: step.outcome,
            reason: self.sentence(step.reason.as_ref(), step.code.as_deref(), &step.args),
            code: step.code.clone(),
            args: step.args.clone(),
            gates: self.gates(&step.gates),
            edits: Vec::new(),
            ignored: step.ignored.iter().map(|ignored| self.ignored(ignored)).collect(),
            attempts: Vec::new(),
            removed: step.removed.iter().map(|removal| self.removal(removal)).collect(),
        }
    }

    fn gates(&self, gates: &Gates) -> Vec<Gate> {
        let passed = |count: usize| GATES.into_iter().take(count).map(Gate::passed);
        match gates {
            Gates::Passed(count) => passed(*count).collect(),
            Gates::Failed(failed) => {
                let before = GATES.iter().position(|gate| *gate == failed.gate).unwrap_or(0);
                let last = Gate {
                    gate: failed.gate,
                    pass: false,
                    why: self.sentence(failed.why.as_ref(), failed.code.as_deref(), &failed.args),
                    near_miss: failed.near_miss,
                    code: failed.code.clone(),
                    args: failed.args.clone(),
                    fixes: Vec::new(),
                };
                passed(before).chain([last]).collect()
            }
            Gates::List(gates) => gates.clone(),
        }
    }

    fn edit(&self, edit: &CompactEdit, earlier: &[FieldEdit]) -> FieldEdit {
        FieldEdit {
            field: edit.field.clone(),
            before: self.side(edit, &edit.before, earlier),
            after: self.side(edit, &edit.after, earlier),
            truncated: edit.truncated,
            code: edit.code.clone(),
            args: edit.args.clone(),
        }
    }

    fn side(&self, edit: &CompactEdit, side: &EditSide, earlier: &[FieldEdit]) -> Value {
        let last = || earlier.iter().rev().find(|it| it.field == edit.field);
        match side.same_as {
            None => side.value.clone(),
            Some(SideOf::Before) => self.trace.payload.get(&edit.field).cloned().unwrap_or_default(),
            Some(SideOf::After) => self.payload_after.get(&edit.field).cloned().unwrap_or_default(),
            Some(SideOf::Edit) => last().map(|it| it.after.clone()).unwrap_or_default(),
            Some(SideOf::Message) => Value::String(self.text(None, edit.code.as_deref(), &edit.args)),
        }
    }

    fn ignored(&self, ignored: &CompactIgnored) -> Ignored {
        Ignored {
            what: ignored.what.clone(),
            why: self.text(ignored.why.as_ref(), Some(&ignored.code), &ignored.args),
            code: ignored.code.clone(),
            args: ignored.args.clone(),
        }
    }

    fn attempt(&self, attempt: &CompactAttempt, streams: &mut Vec<String>) -> Attempt {
        let mut stream = |compact| match self.streams {
            StreamUse::Written => {
                let text = self.texts.render(compact, streams);
                streams.push(text.clone());
                text
            }
            StreamUse::LeftOut => String::new(),
        };
        Attempt {
            stdin: stream(&attempt.stdin),
            stdout: stream(&attempt.stdout),
            end: attempt.end,
            code: attempt.code,
            signal: attempt.signal,
            stderr: match self.streams {
                StreamUse::Written => attempt.stderr.clone(),
                StreamUse::LeftOut => String::new(),
            },
            started_ms: attempt.started_ms,
            took_ms: attempt.took_ms,
            truncated: attempt.truncated,
            pipe_held: attempt.pipe_held,
            command: attempt.command.clone(),
            cwd: attempt.cwd.clone(),
            env: attempt.env.clone(),
            counted: attempt.counted.clone(),
            output_problems: Vec::new(),
        }
    }

    fn removal(&self, removal: &CompactRemoval) -> Removal {
        Removal {
            reference: removal.reference.clone(),
            at: removal.at,
            by: self.text(removal.by.as_ref(), removal.code.as_deref(), &removal.args),
            code: removal.code.clone(),
            args: removal.args.clone(),
        }
    }
}
