//! What needs the user in a project: the list of `hookwright status` and of the window's first screen. It runs no hook.

use std::collections::HashMap;
use std::path::Path;

use hookwright_dialects::lookup::find_event;
use hookwright_model::status::{Need, NeedKind, StatusDoc, StatusVerdict, VerdictCode};
use hookwright_model::{Args, HealthState, HookRow, ListDoc, Message, Severity, args};
use hookwright_store::{PassedEvent, RecordedHook};
use hookwright_workspace::health::count_states;
use hookwright_workspace::identities::Identities;
use hookwright_workspace::snapshot::ReadScope;
use hookwright_workspace::{ProcessRole, Snapshot};
use serde_json::{Value, json};

use crate::app::App;
use crate::dto::ListRequest;
use crate::fault::Fault;
use crate::hooks;

/// The command `overview`: what needs the user in a project, or in the user's own hooks.
///
/// # Errors
/// The project is not a directory.
pub async fn overview(app: &App, request: ListRequest) -> Result<StatusDoc, Fault> {
    let open_project = match &request.project {
        Some(project) => app.workspace.open_project(Path::new(project))?,
        None => app.workspace.user_hooks(),
    };
    Ok(status(app, &open_project.snapshot()).await)
}

/// What needs the user in a snapshot.
pub async fn status(app: &App, snapshot: &Snapshot) -> StatusDoc {
    app.refresh_runs().await;
    let doc = hooks::list(app, snapshot, None, None);
    let mut needs: Vec<Need> = source_needs(snapshot);
    needs.extend(hook_needs(&doc));
    needs.extend(gone_needs(app, snapshot));
    let passed = Unguarded::find(app, snapshot, &doc);
    needs.extend(passed.needs);
    needs.extend(settings_needs(app));
    needs.extend(engine_needs(app).await);
    needs.sort_by_key(rank);
    StatusDoc {
        verdict: verdict(&doc, &needs, passed.events),
        counts: count_states(doc.hooks.iter().map(|row| &row.health)),
        needs,
    }
}

/// Whether a guard or a source cannot do its work. Then `status` exits with 1.
#[must_use]
pub fn is_failing(doc: &StatusDoc) -> bool {
    doc.needs.iter().any(is_grave)
}

fn is_grave(need: &Need) -> bool {
    match need.kind {
        NeedKind::Source | NeedKind::Gone => true,
        NeedKind::Health => need.args.get("guard") == Some(&true.into()),
        NeedKind::Unguarded | NeedKind::Review | NeedKind::Issue | NeedKind::Settings | NeedKind::Engine => false,
    }
}

/// The place of a need in the list: what cannot hold first, then the rest by kind and state.
fn rank(need: &Need) -> (bool, NeedKind, Option<HealthState>, Option<String>, Option<u32>) {
    let state = need.args.get("state").cloned();
    let state = state.and_then(|state| serde_json::from_value(state).ok());
    (!is_grave(need), need.kind, state, need.path.clone(), need.line)
}

/// Files whose hooks are lost, and files whose last valid version is in force here and not in the agent.
fn source_needs(snapshot: &Snapshot) -> Vec<Need> {
    let need = |code: &str, path: &Path, line: Option<u32>, args: Args| Need {
        kind: NeedKind::Source,
        code: code.to_owned(),
        args,
        hook: None,
        path: Some(path.display().to_string()),
        line,
        since: None,
    };
    let lost = snapshot.lost_sources().map(|lost| {
        let args = args! {
            "dialect" => lost.dialect,
            "state" => HealthState::Lost,
            "event" => lost.event,
            "definitions" => lost.definitions,
            "guard" => lost.could_block,
            "reason" => json!({ "code": lost.code, "args": lost.args }),
        };
        need(lost.code.as_str(), &lost.path, lost.line, args)
    });
    let older = snapshot.sources.iter().flat_map(|source| {
        source.last_good.iter().filter_map(move |older| {
            let health = source.older_health(&older.path)?;
            let args = args! {
                "dialect" => source.dialect,
                "state" => health.state,
                "reason" => json!({ "code": health.code, "args": health.args }),
            };
            Some(Need {
                since: Some(older.since.to_string()),
                ..need("last_good", &older.path, older.line, args)
            })
        })
    });
    lost.chain(older).collect()
}

/// Hooks that cannot do their work, and hooks that wait for a review. A hook that serves several events is listed once,
/// with its gravest state.
fn hook_needs(doc: &ListDoc) -> Vec<Need> {
    let mut needs: Vec<Need> = Vec::new();
    let mut rows: Vec<&HookRow> = doc.hooks.iter().collect();
    rows.sort_by_key(|row| (!row.guard, row.health.state));
    for row in rows {
        let kind = if row.health.state == HealthState::NeedsReview {
            NeedKind::Review
        } else if row.health.state.is_fault() {
            NeedKind::Health
        } else {
            continue;
        };
        let is_listed = needs
            .iter()
            .any(|need| need.kind == kind && need.hook.as_deref() == Some(&row.hook));
        if is_listed {
            continue;
        }
        needs.push(Need {
            kind,
            code: row.health.state.as_str().to_owned(),
            args: hook_args(row),
            hook: Some(row.hook.clone()),
            path: Some(row.path.clone()),
            line: Some(row.line),
            since: row.health.at.clone(),
        });
    }
    needs
}

fn hook_args(row: &HookRow) -> Args {
    args! {
        "label" => row.label,
        "event" => row.event,
        "state" => row.health.state,
        "guard" => row.guard,
        "reason" => json!({ "code": row.health.code, "args": row.health.args }),
    }
}

/// Guards that were in a file and are there no more.
fn gone_needs(app: &App, snapshot: &Snapshot) -> Vec<Need> {
    let known = Identities::read(&app.workspace.env.data_dir);
    let gone = known.gone(&snapshot.sources).map(|gone| Need {
        kind: NeedKind::Gone,
        code: "gone".to_owned(),
        args: args! {
            "label" => gone.label,
            "event" => gone.event,
            "dialect" => gone.dialect,
            "uid" => gone.uid,
            "guard" => true,
            "restorable" => gone.addition.is_some(),
        },
        hook: None,
        path: Some(gone.path.display().to_string()),
        line: None,
        since: Some(gone.since.to_string()),
    });
    gone.collect()
}

/// What passed in the last 24 hours although a guard failed.
#[derive(Default)]
struct Unguarded {
    /// How many events.
    events: usize,
    /// A need for each guard.
    needs: Vec<Need>,
}

impl Unguarded {
    fn find(app: &App, snapshot: &Snapshot, doc: &ListDoc) -> Self {
        let guards = KnownGuards::new(doc);
        let project = snapshot.project.display().to_string();
        let mut found = Self::default();
        for event in &app.recorded_runs().passed {
            // The user's own hooks run in every project.
            if snapshot.scope != ReadScope::UserFiles && event.project != project {
                continue;
            }
            let mut counts = false;
            for failed in event
                .failed
                .iter()
                .filter(|failed| guards.includes(&event.dialect, failed))
            {
                counts = true;
                found.add(event, failed);
            }
            found.events += usize::from(counts);
        }
        found
    }

    fn add(&mut self, event: &PassedEvent, (hook, id, label): &(RecordedHook, String, String)) {
        let is_same = |need: &&mut Need| {
            need.path.as_deref() == Some(&hook.path)
                && need.args.get("version").and_then(Value::as_str) == Some(&hook.version)
                && need.args.get("event").and_then(Value::as_str) == Some(&hook.event)
        };
        let Some(need) = self.needs.iter_mut().find(is_same) else {
            self.needs.push(Need {
                kind: NeedKind::Unguarded,
                code: VerdictCode::PassedUnguarded.as_str().to_owned(),
                args: args! {
                    "label" => label,
                    "event" => hook.event,
                    "version" => hook.version,
                    "count" => 1,
                    "hours" => 24,
                    "guard" => true,
                },
                hook: Some(id.clone()),
                path: Some(hook.path.clone()),
                line: None,
                since: Some(event.at.to_string()),
            });
            return;
        };
        let count = need.args.get("count").and_then(Value::as_u64).unwrap_or(0);
        need.args.insert("count".to_owned(), (count + 1).into());
        // The newest event comes first.
        need.since = Some(event.at.to_string());
    }
}

/// Which recorded hooks count as guards.
pub(crate) struct KnownGuards<'d> {
    /// Whether each definition in its file is a guard.
    known: HashMap<(&'d str, &'d str), bool>,
}

impl<'d> KnownGuards<'d> {
    pub(crate) fn new(doc: &'d ListDoc) -> Self {
        let mut known: HashMap<(&str, &str), bool> = HashMap::new();
        for row in &doc.hooks {
            *known.entry((&row.path, &row.version)).or_default() |= row.guard;
        }
        Self { known }
    }

    /// A definition that is there no more counts as a guard if its event could be blocked: a failure is rather said than
    /// hidden.
    pub(crate) fn includes(&self, dialect: &str, (hook, ..): &(RecordedHook, String, String)) -> bool {
        let known = self.known.get(&(hook.path.as_str(), hook.version.as_str())).copied();
        known.unwrap_or_else(|| find_event(dialect, &hook.event).is_ok_and(|(_, spec)| spec.can_be_blocked()))
    }
}

/// What the engine cannot do now.
async fn engine_needs(app: &App) -> Vec<Need> {
    let runs = app.recorded_runs();
    let mut messages: Vec<Message> = runs.unknown.iter().filter(|_| runs.is_fault).cloned().collect();
    if app.workspace.role == ProcessRole::Engine {
        messages.extend(app.workspace.not_live_reason().await);
    }
    let needs = messages.into_iter().map(|message| Need {
        kind: NeedKind::Engine,
        code: message.code.to_owned(),
        args: args! { "reason" => json!({ "code": message.code, "args": message.args }) },
        hook: None,
        path: None,
        line: None,
        since: None,
    });
    needs.collect()
}

/// Errors in Hookwright's own files.
fn settings_needs(app: &App) -> impl Iterator<Item = Need> {
    let problems = app.workspace.app_file_problems().into_iter();
    let errors = problems.filter(|problem| problem.severity == Severity::Error);
    errors.map(|problem| Need {
        kind: NeedKind::Settings,
        code: problem.code.as_str().to_owned(),
        args: args! { "reason" => json!({ "code": problem.code, "args": problem.args }) },
        hook: None,
        path: Some(problem.path.display().to_string()),
        line: problem.line,
        since: None,
    })
}

fn verdict(doc: &ListDoc, needs: &[Need], passed: usize) -> StatusVerdict {
    let count = |wanted: &dyn Fn(&Need) -> bool| needs.iter().filter(|need| wanted(need)).count();
    let grave = count(&is_grave);
    let reviews = count(&|need| need.kind == NeedKind::Review);
    let guards = || doc.hooks.iter().filter(|row| row.guard);
    let is_proven = |row: &HookRow| row.health.state == HealthState::Proven;
    let (code, args) = if grave > 0 {
        (VerdictCode::GuardsFail, args! { "count" => grave })
    } else if passed > 0 {
        (VerdictCode::PassedUnguarded, args! { "count" => passed })
    } else if reviews > 0 {
        (VerdictCode::Review, args! { "count" => reviews })
    } else if doc.hooks.is_empty() {
        (VerdictCode::NoHooks, Args::new())
    } else if guards().next().is_some() && guards().all(is_proven) {
        (VerdictCode::AllProven, args! { "count" => guards().count() })
    } else {
        (VerdictCode::Calm, args! { "count" => doc.hooks.len() })
    };
    StatusVerdict { code, args }
}
