//! Showing hooks: the list of all hooks. This module runs no hook.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookwright_engine::{Candidate, FileHooks, plan};
use hookwright_model::{
    Dialect, DisabledReason, EVERY_EVENT, EventSpec, Hook, HookChain, HookListDoc, HookRow, Layer, ListDoc,
    ListPosition, Notice, OnFailure, OnFailureEffect, Problem, SourceRow, TurnedOffHook, listing::Sentence,
};
use hookwright_workspace::edit::turned_off;
use hookwright_workspace::health::{HealthFacts, HookConsent, RunKnowledge};
use hookwright_workspace::mutes::Mute;
use hookwright_workspace::snapshot::ReadScope;
use hookwright_workspace::{Snapshot, project};

use crate::app::App;
use crate::candidates::{candidates, check_user_trust, session_candidates, session_mute};
use crate::dto::{Empty, ListRequest};
use crate::event_options::Consent;
use crate::exec_settings::model_endpoint;
use crate::fault::Fault;
use crate::hook_groups;

hookwright_model::messages! {
    /// The project is open, and its folder was removed or moved. Its hooks are then missing without any other problem.
    PROJECT_MISSING = "unreadable" / "project" { "the project folder no longer exists, so its hooks are missing", "项目文件夹已不存在，因此其中的 Hook 缺失" } hint { "restore the folder, or remove the project from the list", "恢复该文件夹，或从列表中移除该项目" };
}

/// The command `hooks.list`: all hooks of a project and of the user, or only those of the user.
///
/// # Errors
/// The project is not a directory.
pub async fn hooks_list(app: &App, request: ListRequest) -> Result<HookListDoc, Fault> {
    let open_project = match &request.project {
        Some(project) => app.workspace.open_project(Path::new(project))?,
        None => app.workspace.user_hooks(),
    };
    app.refresh_runs().await;
    let snapshot = open_project.snapshot();
    let mut list = list(app, &snapshot, None, None);
    let missing = request.project.as_deref().and_then(missing_project);
    list.problems.splice(0..0, missing);
    let chains = chains(app, &snapshot);
    let groups = hook_groups::groups(&list.hooks, &chains, &list.turned_off, &list.sources);
    Ok(HookListDoc { list, groups, chains })
}

/// The problem that the folder of a project no longer exists; `None` if it does.
pub(crate) fn missing_project(project: &str) -> Option<Problem> {
    let is_missing = !Path::new(project).is_dir();
    is_missing.then(|| Problem::new(PROJECT_MISSING.render_plain(), project, None))
}

/// Every hook of a snapshot, with Problems and shadowed entries (`CONTRACTS.md` §2.2). `dialect` and `event` select
/// some of the hooks.
#[must_use]
pub fn list(app: &App, snapshot: &Snapshot, dialect: Option<&str>, event: Option<&str>) -> ListDoc {
    list_as(app, snapshot, dialect, event, Iterator::collect)
}

/// Like [`list`]; `take_rows` decides whether the rows are made now or while the document is written.
pub fn list_as<'l, R>(
    app: &'l App,
    snapshot: &'l Snapshot,
    dialect: Option<&'l str>,
    event: Option<&'l str>,
    take_rows: impl FnOnce(Box<dyn Iterator<Item = HookRow> + 'l>) -> R,
) -> ListDoc<R> {
    project::compile_patterns(snapshot, &app.workspace.trust);
    // Before the rows, since thousands of hooks need much memory for a moment here and more for their rows.
    let mut problems = snapshot.problems(&app.workspace.env, dialect);
    let is_listed =
        move |row: &HookRow| event.is_none_or(|wanted| row.event == wanted || row.serves.iter().any(|it| it == wanted));
    let dialects = hookwright_dialects::all()
        .iter()
        .filter(move |known| dialect.is_none_or(|wanted| wanted == known.card().id));
    let rows = dialects.flat_map(|known| rows(app, *known, snapshot)).filter(is_listed);
    let hooks = take_rows(Box::new(rows));
    problems.extend(app.workspace.app_file_problems());
    let kept = turned_off::list(&app.workspace, snapshot, dialect);
    problems.extend(kept.problems);
    let is_wanted = |hook: &TurnedOffHook| {
        event.is_none_or(|event| hook.event == event || hook.serves.iter().any(|it| it == event))
    };
    let sources = snapshot.source_rows(dialect);
    let mut turned_off: Vec<TurnedOffHook> = kept.hooks.into_iter().filter(is_wanted).collect();
    for hook in &mut turned_off {
        hook.group = hook_groups::group_of(&hook.dialect, hook.layer, &hook.path, &sources);
    }
    ListDoc {
        hooks,
        problems,
        sources,
        notices: snapshot
            .last_good_messages(dialect)
            .into_iter()
            .chain(app.runs_unknown())
            .map(|message| Notice::warning(message, None))
            .collect(),
        turned_off,
    }
}

/// The hooks of each event in run order, as indexes of the rows of [`list`].
fn chains(app: &App, snapshot: &Snapshot) -> Vec<HookChain> {
    let mut out = Vec::new();
    let mut rows_before = 0;
    for dialect in hookwright_dialects::all() {
        let candidates = listed_candidates(app, *dialect, snapshot);
        let order = row_order(&candidates);
        let mut rows = vec![0; candidates.len()];
        for (row, &index) in (rows_before..).zip(&order) {
            rows[index] = row;
        }
        rows_before += u32::try_from(order.len()).unwrap_or(u32::MAX);
        out.extend(
            hook_groups::chains(*dialect, &candidates, &order)
                .into_iter()
                .map(|chain| HookChain {
                    dialect: dialect.card().id.to_owned(),
                    event: chain.event,
                    rows: chain.order.into_iter().map(|index| rows[index]).collect(),
                }),
        );
    }
    out
}

/// What the health of a dialect's hooks depends on.
pub(crate) fn health_facts(app: &App, snapshot: &Snapshot, dialect: &str) -> HealthFacts {
    let known = RunKnowledge {
        runs: app.recorded_runs().known.clone(),
        has_model: model_endpoint(&app.workspace.env, &app.workspace.settings()).is_ok(),
    };
    HealthFacts::new(&app.workspace.env, snapshot, Some(dialect), known)
}

/// Approval and mute of a candidate.
pub(crate) fn consent_of(candidate: &Candidate) -> HookConsent {
    HookConsent {
        trusted: candidate.trusted.is_ok(),
        muted: candidate.muted.is_some(),
    }
}

/// The hooks of a dialect, each with its approval and its mute, as the list shows them.
fn listed_candidates(app: &App, dialect: &dyn Dialect, snapshot: &Snapshot) -> Vec<Candidate> {
    let mut candidates = candidates(app, snapshot, dialect.card().id, Consent::Approvals);
    if snapshot.scope != ReadScope::UserFiles {
        check_user_trust(app, &mut candidates, &snapshot.project, |_| {
            Some(snapshot.project.clone())
        });
    }
    candidates
}

/// The candidates in the order of their rows, layer after layer.
fn row_order(candidates: &[Candidate]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&index| candidates[index].hook.source.layer);
    order
}

/// The rows of a dialect's hooks.
fn rows<'l>(app: &'l App, dialect: &'l dyn Dialect, snapshot: &'l Snapshot) -> impl Iterator<Item = HookRow> + 'l {
    let candidates = listed_candidates(app, dialect, snapshot);
    let facts = RowFacts::new(app, dialect, snapshot);
    let positions = run_positions(dialect, &candidates);
    let mut lists = list_positions(dialect, &candidates);
    row_order(&candidates).into_iter().map(move |index| {
        let candidate = &candidates[index];
        let mute = app.workspace.muted(snapshot, &candidate.hook);
        facts.row(candidate, mute, positions[index], lists[index].take())
    })
}

/// The rows of hooks that agents registered for their session, in their order. Their positions are those among the hooks
/// of the snapshot, unless the agent runs these itself.
pub(crate) fn session_rows(
    app: &App,
    dialect: &dyn Dialect,
    file_hooks: FileHooks,
    own: &[Arc<Hook>],
    snapshot: &Snapshot,
) -> Vec<HookRow> {
    let mut all = match file_hooks {
        FileHooks::Engine => candidates(app, snapshot, dialect.card().id, Consent::Approvals),
        FileHooks::Agent => Vec::new(),
    };
    let project = &snapshot.project;
    check_user_trust(app, &mut all, project, |_| Some(project.clone()));
    let of_files = all.len();
    all.extend(session_candidates(app, own, Consent::Approvals));
    let positions = run_positions(dialect, &all);
    let facts = RowFacts::new(app, dialect, snapshot);
    let rows = all.iter().zip(positions).skip(of_files);
    rows.map(|(candidate, position)| facts.row(candidate, session_mute(app, &candidate.hook, own), position, None))
        .collect()
}

/// What the rows of a dialect have in common.
struct RowFacts<'l> {
    app: &'l App,
    dialect: &'l dyn Dialect,
    sources: Vec<SourceRow>,
    health: HealthFacts,
}

impl<'l> RowFacts<'l> {
    fn new(app: &'l App, dialect: &'l dyn Dialect, snapshot: &Snapshot) -> Self {
        Self {
            app,
            dialect,
            sources: snapshot.source_rows(Some(dialect.card().id)),
            health: health_facts(app, snapshot, dialect.card().id),
        }
    }

    fn row(
        &self,
        candidate: &Candidate,
        mute: Option<Mute>,
        position: Option<u32>,
        in_list: Option<ListPosition>,
    ) -> HookRow {
        let Self { app, dialect, .. } = self;
        let hook = &candidate.hook;
        let spec = dialect.card().event(&hook.event);
        let path = hook.source.path.display().to_string();
        let guard = self.health.is_guard(hook);
        HookRow {
            hook: hook.id.clone(),
            dialect: hook.dialect.to_owned(),
            event: hook.event.clone(),
            label: hook.label.clone(),
            layer: hook.source.layer,
            group: hook_groups::group_of(hook.dialect, hook.source.layer, &path, &self.sources),
            path,
            line: hook.source.line,
            handler: hook.handler.as_str().to_owned(),
            filter: hook.filter.clone(),
            timeout_ms: to_ms(hook.timeout),
            on_failure: effective_on_failure(hook, spec),
            on_failure_effect: spec.map_or(OnFailureEffect::Nothing, |spec| OnFailureEffect::of_failure(hook, spec)),
            guard,
            health: self.health.health(hook, guard, consent_of(candidate)),
            rank: hook.rank,
            position,
            mode: hook.mode,
            enabled: hook.disabled_reason.is_none() && hook.source.layer != Layer::Builtin,
            trusted: candidate.trusted.is_ok(),
            agent_trust: hook.agent_trust,
            denied: match candidate.trusted {
                Ok(()) => None,
                Err(_) => app.workspace.trust.denial_of(hook).map(Sentence::from),
            },
            muted: mute.is_some(),
            muted_until: mute
                .and_then(|mute| mute.time.ends_at(&app.workspace.clock().read()))
                .map(|until| until.to_string()),
            shadowed_by: match &hook.disabled_reason {
                Some(DisabledReason::Shadowed(by)) => Some(by.clone()),
                Some(DisabledReason::Disabled(_) | DisabledReason::Relay(_) | DisabledReason::AgentOnly(_)) | None => {
                    None
                }
            },
            wrapped: hook.wrapped.is_some(),
            valid: hook.invalid.is_none(),
            attempts: hook.attempts,
            version: hook.version(),
            uid: hook.uid.clone(),
            definition: hook.definition.clone(),
            runs: hook.handler.runs(),
            accepts: spec
                .map(|spec| spec.outputs.iter().map(|output| output.name.to_owned()).collect())
                .unwrap_or_default(),
            verdicts: spec.map(|spec| spec.verdicts.to_vec()).unwrap_or_default(),
            in_list,
            serves: match hook.event.as_str() {
                EVERY_EVENT => served_events(*dialect, hook),
                _ => Vec::new(),
            },
        }
    }
}

/// The command `hooks.refresh`: requests that the files of all open projects are read again.
///
/// # Errors
/// Never.
pub async fn hooks_refresh(app: &App, _: Empty) -> Result<Empty, Fault> {
    app.workspace.request_refresh();
    Ok(Empty {})
}

/// The list position of each candidate, for those that can be moved.
fn list_positions(dialect: &dyn Dialect, candidates: &[Candidate]) -> Vec<Option<ListPosition>> {
    let mut counts: HashMap<String, u32> = HashMap::new();
    let places = candidates.iter().map(|candidate| {
        let list = dialect.order_list(&candidate.hook)?;
        let position = counts.entry(list.clone()).and_modify(|count| *count += 1).or_insert(1);
        Some((list, *position))
    });
    let places: Vec<Option<(String, u32)>> = places.collect();
    let to_list_position = |(list, position): (String, u32)| ListPosition {
        count: counts.get(&list).copied().unwrap_or(position),
        list,
        place: position,
    };
    places
        .into_iter()
        .map(|position| position.map(to_list_position))
        .collect()
}

/// What a failure of the hook does. A notify-only event blocks nothing, whatever the definition contains (`engine.md`
/// §4).
pub(crate) fn effective_on_failure(hook: &Hook, spec: Option<&EventSpec>) -> OnFailure {
    if spec.is_some_and(|spec| spec.notify_only) {
        OnFailure::Open
    } else {
        hook.on_failure
    }
}

pub(crate) fn to_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The events that a hook with event `*` serves.
fn served_events(dialect: &dyn Dialect, hook: &Hook) -> Vec<String> {
    let events = dialect.card().events.iter().filter(|event| hook.matches_event(event));
    events.map(|event| event.name.to_owned()).collect()
}

/// The position in run order of each candidate. Each event's hooks are ordered only once, however many there are.
fn run_positions(dialect: &dyn Dialect, candidates: &[Candidate]) -> Vec<Option<u32>> {
    let mut out = vec![None; candidates.len()];
    let events = dialect.card().events.iter();
    let named = events.clone().map(|spec| (spec.name, spec));
    // A hook of every notify-only event is ordered among the hooks that serve such an event.
    let every = events
        .clone()
        .find(|spec| spec.notify_only)
        .map(|spec| (EVERY_EVENT, spec));
    for (name, spec) in named.chain(every) {
        let mine = candidates.iter().enumerate().filter(|(_, candidate)| {
            candidate.hook.event == name || name != EVERY_EVENT && candidate.hook.matches_event(spec)
        });
        let (indexes, mine): (Vec<usize>, Vec<&Candidate>) = mine.unzip();
        for (index, place) in indexes.into_iter().zip(plan::positions(dialect, spec, &mine)) {
            // A hook with event `*` has one row. It shows the position among the hooks with that event.
            if candidates[index].hook.event == name {
                out[index] = place;
            }
        }
    }
    out
}
