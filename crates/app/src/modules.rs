//! Python modules of hooks (`qoder.md` §1, "Module"): when a bridge is started, and what it reports.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use hookwright_engine::{Candidate, Session};
use hookwright_model::{
    Call, Cancelled, Captured, End, EventSpec, Hook, Message, Payload, PreSpawnCheck, Run, RunContext, render,
};
use hookwright_workspace::module_tables::{ModuleTableCache, has_python, is_unexpanded_module, with_content_hash};
use hookwright_workspace::snapshot::{LoadedSource, Snapshot};
use hookwright_workspace::trust::{PassedContents, Trust};
use serde_json::{Value, json};

use crate::app::App;
use crate::candidates::pre_spawn_check;
use crate::event_options::Consent;
use crate::sessions::{SessionRequest, enclosing_hooks, open_session};

hookwright_model::messages! {
    /// A bridge exited before it reported the hooks.
    BRIDGE_SILENT = "bridge_silent" { "the Python process exited before it listed its hooks{stderr}", "Python 进程在列出其 Hook 之前退出{stderr}" };
    /// A bridge did not report the hooks within the time limit.
    BRIDGE_LATE = "bridge_late" { "the Python process did not list its hooks within {seconds} s", "Python 进程未在 {seconds} 秒内列出其 Hook" };
}

/// The circumstances in which bridges are started: an event, or `check --import`.
pub(crate) struct ImportContext<'a> {
    /// The session to which the bridges belong.
    pub(crate) session: &'a Session,
    pub(crate) spec: &'static EventSpec,
    pub(crate) trace: &'a str,
    /// How many hooks enclose the agent that fired the event.
    pub(crate) depth: u32,
    pub(crate) consent: Consent,
    pub(crate) cancelled: Cancelled,
}

/// The candidates of an event, after the import of modules. A module is imported if it may run, and if it has or
/// may have hooks for the event.
pub(crate) async fn with_modules(
    app: &App,
    snapshot: &Snapshot,
    context: &ImportContext<'_>,
    candidates: Vec<Candidate>,
) -> Vec<Candidate> {
    let mine = || {
        let dialect = context.session.dialect().card().id;
        snapshot.sources.iter().filter(move |source| source.dialect == dialect)
    };
    if !mine().any(|source| source.file_hooks.iter().any(|hook| is_unexpanded_module(hook))) {
        return candidates;
    }
    let mut rest = candidates.into_iter();
    let parts: Vec<(&LoadedSource, Vec<Candidate>)> = mine()
        .map(|source| (source, rest.by_ref().take(source.hooks.len()).collect()))
        .collect();
    let parts = parts.into_iter().map(|(source, part)| async move {
        match source.file_hooks.iter().find(|hook| is_unexpanded_module(hook)) {
            None => part,
            Some(module) => with_module(app, snapshot, context, module, part).await,
        }
    });
    futures::future::join_all(parts).await.into_iter().flatten().collect()
}

async fn with_module(
    app: &App,
    snapshot: &Snapshot,
    context: &ImportContext<'_>,
    module: &Hook,
    known: Vec<Candidate>,
) -> Vec<Candidate> {
    let module = with_content_hash(&app.workspace.env, context.session.dialect(), module);
    let trusted = match context.consent {
        Consent::Approvals => app.workspace.trust.check_gate(&module),
        Consent::Granted => Ok(()),
    };
    let muted = app
        .workspace
        .muted(snapshot, &module)
        .map(|mute| mute.message(&app.workspace.clock().read()));
    let whole = |trusted: Result<(), Message>| vec![Candidate::new(Arc::new(module.clone()), trusted, muted.clone())];
    if !has_python(&app.workspace.env) {
        return known;
    }
    if trusted.is_err() || muted.is_some() {
        return whole(trusted);
    }
    let is_expanded = !known.iter().any(|candidate| is_unexpanded_module(&candidate.hook));
    if is_expanded && !known.iter().any(|candidate| candidate.hook.matches_event(context.spec)) {
        return known;
    }
    let table = match import_module(app, &module, context).await {
        Ok(Some(table)) => table,
        // The chain was stopped, so nothing of it runs.
        Ok(None) => return known,
        Err(refused) => return whole(Err(refused)),
    };
    store_table(app, &module, &table);
    let hooks = context.session.dialect().expand_module(&module, &table).hooks;
    let mute = |hook: &Hook| {
        let all = hooks.iter().map(|hook| &**hook);
        app.workspace
            .mutes()
            .muted(hook, all, &app.workspace.clock().read())
            .map(|mute| mute.message(&app.workspace.clock().read()))
    };
    hooks
        .iter()
        .map(|hook| Candidate::new(hook.clone(), Ok(()), mute(hook)))
        .collect()
}

/// Starts a module's bridge in its session. Returns the table that it reported, or a failure in the same form; `None`
/// if it was stopped before it reported.
///
/// # Errors
/// The pre-spawn check found other content than was approved.
async fn import_module(app: &App, module: &Hook, context: &ImportContext<'_>) -> Result<Option<Value>, Message> {
    let (dialect, project) = (context.session.dialect(), context.session.project());
    let encoded = dialect.encode(module, context.spec, &Payload::new(), project);
    let Call::Peer(mut call) = encoded else {
        return Ok(Some(json!({})));
    };
    let approval = pre_spawn_check(
        app,
        context.consent,
        project,
        std::iter::once(module),
        PassedContents::new(),
    )
    .check(module, &call.cwd)?;
    if let Some(instead) = approval.other_dir {
        call.cwd = instead.cwd;
    }
    let run_context = RunContext {
        hook: module.id_at(context.spec),
        session: context.session.key().to_owned(),
        trace: context.trace.to_owned(),
        run: app.run_id(),
        depth: context.depth + 1,
        connection: None,
        limit: call.rules.handshake_timeout,
        cancelled: context.session.cancelled_with(context.cancelled.clone()),
        progress: None,
    };
    let (wire, time_limit) = (call.protocol, call.rules.handshake_timeout);
    let run = context.session.run(Call::Peer(call), run_context).await;
    let line = String::from_utf8_lossy(&run.stdout.bytes);
    Ok(match (run.end, wire.parse_handshake(&line)) {
        (End::Cancelled, _) => None,
        (End::Replied, Ok(handshake)) => Some(handshake.result),
        (End::Replied, Err(error)) => Some(failure_table(&error)),
        (End::Exit | End::Signal | End::TimedOut | End::NotStarted | End::Refused | End::PeerGone | End::Done, _) => {
            Some(failure_table(&no_answer_message(&run, time_limit)))
        }
    })
}

fn store_table(app: &App, module: &Hook, table: &Value) {
    if ModuleTableCache::new(&app.workspace.env).store(module, table) {
        // A window that shows this project must also show the new table.
        app.workspace.request_refresh();
    }
}

/// `check --import`: imports all modules of a snapshot that may run, and caches their tables.
pub async fn import_modules(app: &App, snapshot: &Snapshot, project: &Path) {
    if !has_python(&app.workspace.env) {
        return;
    }
    let modules = snapshot
        .sources
        .iter()
        .flat_map(|source| source.file_hooks.iter().map(move |hook| (source, hook)))
        .filter(|(_, hook)| is_unexpanded_module(hook))
        .filter_map(|(source, hook)| Some((source, hook, hookwright_dialects::find(hook.dialect)?)));
    let imports = modules.map(|(source, hook, dialect)| {
        async move {
            let Some(spec) = dialect.card().event(dialect.card().first) else {
                return;
            };
            let module = with_content_hash(&app.workspace.env, dialect, hook);
            let project = source.root.project.as_deref().unwrap_or(project);
            // A module outside the roots that needs no approval was only named as a path. It is not imported.
            let places = app.workspace.env.locations(project);
            let is_known_root = dialect
                .roots(&places, &hookwright_workspace::disk_probe::DiskProbe)
                .contains(&source.root);
            if !(is_known_root || Trust::needs_approval(&module)) || app.workspace.trust.check_gate(&module).is_err() {
                return;
            }
            let request = SessionRequest {
                dialect: dialect.card().id.to_owned(),
                id: None,
                project: project.to_owned(),
            };
            let Ok(session) = open_session(app, request) else {
                return;
            };
            let context = ImportContext {
                session: &session,
                spec,
                trace: session.key(),
                depth: enclosing_hooks(app),
                consent: Consent::Approvals,
                cancelled: futures::future::pending().boxed().shared(),
            };
            if let Ok(Some(table)) = import_module(app, &module, &context).await {
                store_table(app, &module, &table);
            }
        }
    });
    futures::future::join_all(imports).await;
}

/// The table that a bridge reports for a module that cannot be imported.
fn failure_table(error: &Message) -> Value {
    json!({"error": {"message": error.text, "line": null}})
}

fn no_answer_message(run: &Run, time_limit: Duration) -> Message {
    if run.end == End::TimedOut || run.no_handshake.as_ref().is_some_and(|it| it.silent) {
        return render!(BRIDGE_LATE, "seconds" => time_limit.as_secs());
    }
    let Captured { bytes, .. } = &run.stderr;
    let stderr_text = String::from_utf8_lossy(bytes);
    let last = stderr_text.lines().rev().find(|line| !line.trim().is_empty());
    let stderr = last.map_or_else(String::new, |line| format!(": {}", line.trim()));
    render!(BRIDGE_SILENT, "stderr" => stderr)
}
