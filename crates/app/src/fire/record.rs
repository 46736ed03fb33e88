//! Records a trace: redaction, one write to the spool, and the journal.

use hookwright_model::{Notice, NoticeKind, Outcome, Trace};
use hookwright_redact::{RedactedTrace, is_large};
use hookwright_store::without_body;
use hookwright_workspace::blocking::blocking;

use super::{BODIES_NOT_RECORDED, FireResult};
use crate::app::App;
use crate::event_options::Recording;

/// Redacts a trace, spools it with one write, and gives it to the followers of the journal. The reply never waits for
/// them. A notice in the trace reports what could not be recorded. While it is unknown what the settings want masked,
/// no bodies are recorded. A large trace takes time, so other tasks of this thread move to another one.
pub(crate) fn record(app: &App, trace: Trace, recording: Recording) -> FireResult {
    if is_large(&trace) {
        blocking(|| record_now(app, trace, recording))
    } else {
        record_now(app, trace, recording)
    }
}

fn record_now(app: &App, mut trace: Trace, recording: Recording) -> FireResult {
    let without_bodies = app.workspace.is_redaction_unknown();
    if without_bodies && recording == Recording::On {
        let notice = Notice::warning(BODIES_NOT_RECORDED.render_plain(), None);
        // A simulation records a trace again if messages of its steps were removed later.
        if !trace.notices.contains(&notice) {
            trace.notices.push(notice);
        }
    }
    let RedactedTrace {
        mut recorded,
        mut original,
    } = app.workspace.redactor().redact_trace(trace);
    if without_bodies {
        let outcomes_only = without_hook_texts(without_body(&recorded, 0));
        original = original.or(Some(std::mem::replace(&mut recorded, outcomes_only)));
    }
    let shortfall = match recording {
        Recording::On => app.history.append(&mut recorded),
        Recording::Off => None,
    };
    if let (Some(shortfall), Some(original)) = (&shortfall, &mut original) {
        shortfall.tell(original);
    }
    FireResult {
        recorded,
        original,
        unrecorded: shortfall.map(|it| it.message),
        detached: None,
    }
}

/// The trace without the reasons of hooks and their messages to the user. These texts repeat the streams. A label keeps
/// its first word, which is the program: an argument may be what the settings want masked.
fn without_hook_texts(mut trace: Trace) -> Trace {
    for step in &mut trace.steps {
        let Some((program, _)) = step.label.split_once(' ') else {
            continue;
        };
        for notice in trace
            .notices
            .iter_mut()
            .filter(|it| it.hook.as_ref() == Some(&step.hook))
        {
            notice.text = notice.text.replace(&step.label, program);
            notice.args.insert("label".to_owned(), program.into());
        }
        step.label = program.to_owned();
    }
    trace.verdict.reason = None;
    trace.verdict.feedback = None;
    trace.verdict.args.clear();
    trace.notices.retain(|notice| notice.kind == NoticeKind::Warning);
    for step in trace.steps.iter_mut().filter(|step| step.outcome != Outcome::Skipped) {
        step.reason = None;
        step.args.clear();
    }
    trace
}
