//! The explanation of an event: which hooks would run for a payload, and what each gate decides. It runs no hook.

use std::collections::HashMap;
use std::path::Path;

use hookwright_dialects::condition_fix::condition_fixes;
use hookwright_dialects::lookup::find_event;
use hookwright_engine::{Candidate, plan};
use hookwright_model::{Call, ExplainDoc, GateFix, Hook, Notice, PeerCall, ProcessCall};
use hookwright_workspace::edit::text_edit;
use hookwright_workspace::{Snapshot, project};

use crate::app::App;
use crate::candidates::{candidates, check_user_trust};
use crate::dto::{EventRequest, UnsavedText};
use crate::event_options::Consent;
use crate::fault::Fault;
use crate::fire::{file_warnings, missing_project};
use crate::hooks::{consent_of, health_facts};
use crate::payload::{ParsedPayload, accept};

/// The command `explain`: which hooks would run for a payload, and what each gate decides.
///
/// # Errors
/// The dialect or the event is unknown, or the payload contradicts the event.
pub async fn explain(app: &App, request: EventRequest) -> Result<ExplainDoc, Fault> {
    let payload = request.payload.read()?;
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let snapshot = open_project.snapshot();
    app.refresh_runs().await;
    let unsaved = match &request.unsaved {
        Some(unsaved) => Some(with_unsaved(app, &snapshot, &request.dialect, unsaved)?),
        None => None,
    };
    explain_in(
        app,
        unsaved.as_ref().unwrap_or(&snapshot),
        &open_project.project,
        &request.dialect,
        &request.event,
        payload,
    )
}

/// The snapshot as it would be if a hook file had this text.
///
/// # Errors
/// No source of the dialect contains such a file.
pub(crate) fn with_unsaved(
    app: &App,
    snapshot: &Snapshot,
    dialect: &str,
    unsaved: &UnsavedText,
) -> Result<Snapshot, Fault> {
    let workspace = &app.workspace;
    let path = workspace.env.absolute(Path::new(&unsaved.path));
    let source = text_edit::source_of(snapshot, &path, Some(dialect))?;
    let after = text_edit::snapshot_with_text(workspace, snapshot, source.dialect, &path, &unsaved.text);
    project::compile_patterns(&after, &workspace.trust);
    Ok(after)
}

/// Like [`explain`], for a given snapshot.
///
/// # Errors
/// The dialect or the event is unknown, or the payload contradicts the event.
pub fn explain_in(
    app: &App,
    snapshot: &Snapshot,
    project: &Path,
    dialect: &str,
    event: &str,
    payload: ParsedPayload,
) -> Result<ExplainDoc, Fault> {
    let (dialect, spec) = find_event(dialect, event)?;
    // Rows for other events are counted and not shown, so they do not say what is wrong with them.
    let notices = file_warnings(snapshot, dialect.card().id, spec, |hook| hook.matches_event(spec)).chain(
        missing_project(project)
            .into_iter()
            .chain(payload.notices)
            .chain(app.runs_unknown())
            .map(|message| Notice::warning(message, None)),
    );
    let payload = accept(app, dialect, spec, payload.fields, None, project)?;
    let mut candidates = candidates(app, snapshot, dialect.card().id, Consent::Approvals);
    let start = |hook: &Hook| match dialect.encode(hook, spec, &payload, project) {
        Call::Process(ProcessCall { cwd, .. }) | Call::Peer(PeerCall { cwd, .. }) => Some(cwd),
        Call::Prompt(_) | Call::Http(_) | Call::Callback(_) | Call::Immediate(_) => None,
    };
    check_user_trust(app, &mut candidates, project, start);
    let facts = health_facts(app, snapshot, dialect.card().id);
    let diagnose = |candidate: &Candidate| facts.diagnose(&candidate.hook, consent_of(candidate));
    let mut steps = plan::explain(dialect, spec, &candidates, &payload, &diagnose);
    let hooks: HashMap<String, &Hook> = candidates
        .iter()
        .map(|candidate| (candidate.hook.id_at(spec), &*candidate.hook))
        .collect();
    for step in &mut steps {
        let hook = hooks.get(&step.hook).filter(|_| step.event == spec.name);
        for gate in &mut step.gates {
            let fixes = hook.map(|hook| condition_fixes(dialect.card(), hook, gate, &step.health));
            gate.fixes.extend(fixes.into_iter().flatten().map(GateFix::Condition));
            hookwright_redact::cut_gate(gate);
        }
    }
    let mut doc = ExplainDoc {
        dialect: dialect.card().id.to_owned(),
        event: spec.name.to_owned(),
        payload,
        notices: notices.collect(),
        steps,
    };
    // What is shown is masked in the same way as what is recorded.
    app.workspace.redactor().explanation(&mut doc);
    Ok(doc)
}
