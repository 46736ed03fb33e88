//! Showing hooks: the list of all hooks. This module runs no hook.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookwright_engine::{Candidate, FileHooks, plan};
use hookwright_model::{
    Dialect, DisabledReason, EVERY_EVENT, EventSpec, Hook, HookChain, HookRow, Layer, ListDoc, ListPosition, Notice,
    OnFailure, OnFailureEffect, Problem, TurnedOffHook, listing::Sentence,
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
pub async fn hooks_list(app: &App, request: ListRequest) -> Result<ListDoc, Fault> {
    let open_project = match &request.project {
        Some(project) => app.workspace.open_project(Path::new(project))?,
        None => app.workspace.user_hooks(),
    };
    app.refresh_runs().await;
    let mut document = list(app, &open_project.snapshot(), None, None);
    let missing = request.project.as_deref().and_then(missing_project);
    document.problems.splice(0..0, missing);
    Ok(document)
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
    project::compile_patterns(snapshot, &app.workspace.trust);
    // Before the rows, since thousands of hooks need much memory for a moment here and more for their rows.
    let mut problems = snapshot.problems(&app.workspace.env, dialect);
    let mut hooks = Vec::new();
    let mut chains = Vec::new();
    for known in hookwright_dialects::all() {
        let card = known.card();
        if dialect.is_some_and(|wanted| wanted != card.id) {
            continue;
        }
        let mut candidates = candidates(app, snapshot, card.id, Consent::Approvals);
        if snapshot.scope != ReadScope::UserFiles {
            check_user_trust(app, &mut candidates, &snapshot.project, |_| {
                Some(snapshot.project.clone())
            });
        }
        let facts = health_facts(app, snapshot, card.id);
        add_rows(&mut hooks, &mut chains, app, *known, snapshot, &candidates, &facts);
    }
    if let Some(event) = event {
        keep_event(&mut hooks, &mut chains, event);
    }
    problems.extend(app.workspace.app_file_problems());
    let kept = turned_off::list(&app.workspace, snapshot, dialect);
    problems.extend(kept.problems);
    let is_wanted = |hook: &TurnedOffHook| {
        event.is_none_or(|event| hook.event == event || hook.serves.iter().any(|it| it == event))
    };
    let sources = snapshot.source_rows(dialect);
    let mut turned_off: Vec<TurnedOffHook> = kept.hooks.into_iter().filter(is_wanted).collect();
    hook_groups::name_groups(&mut hooks, &mut turned_off, &sources);
    ListDoc {
        groups: hook_groups::groups(&hooks, &chains, &turned_off, &sources),
        hooks,
        problems,
        sources,
        chains,
        notices: snapshot
            .last_good_messages(dialect)
            .into_iter()
            .chain(app.runs_unknown())
            .map(|message| Notice::warning(message, None))
            .collect(),
        turned_off,
    }
}

/// Keeps the rows of one event.
fn keep_event(hooks: &mut Vec<HookRow>, chains: &mut Vec<HookChain>, event: &str) {
    let is_wanted = |row: &HookRow| row.event == event || row.serves.iter().any(|served| served == event);
    let mut kept = 0;
    let places: Vec<Option<u32>> = hooks
        .iter()
        .map(|row| {
            is_wanted(row).then(|| {
                kept += 1;
                kept - 1
            })
        })
        .collect();
    hooks.retain(is_wanted);
    chains.retain(|chain| chain.event == event);
    for chain in chains {
        chain.rows = chain.rows.iter().filter_map(|&row| places[row as usize]).collect();
    }
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

fn add_rows(
    out: &mut Vec<HookRow>,
    chains: &mut Vec<HookChain>,
    app: &App,
    dialect: &dyn Dialect,
    snapshot: &Snapshot,
    candidates: &[Candidate],
    facts: &HealthFacts,
) {
    let positions = run_positions(dialect, candidates);
    let mut lists = list_positions(dialect, candidates);
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&index| candidates[index].hook.source.layer);
    let mut rows = vec![0; candidates.len()];
    for (row, &index) in (out.len()..).zip(&order) {
        rows[index] = u32::try_from(row).unwrap_or(u32::MAX);
    }
    chains.extend(
        hook_groups::chains(dialect, candidates, &order)
            .into_iter()
            .map(|chain| HookChain {
                dialect: dialect.card().id.to_owned(),
                event: chain.event,
                rows: chain.order.into_iter().map(|index| rows[index]).collect(),
            }),
    );
    out.extend(order.into_iter().map(|index| {
        let candidate = &candidates[index];
        let spec = dialect.card().event(&candidate.hook.event);
        let in_list = lists[index].take();
        let mute = app.workspace.muted(snapshot, &candidate.hook);
        row(app, dialect, candidate, mute, spec, (positions[index], in_list), facts)
    }));
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
    let facts = health_facts(app, snapshot, dialect.card().id);
    let rows = all.iter().zip(positions).skip(of_files);
    let rows = rows.map(|(candidate, position)| {
        let mute = session_mute(app, &candidate.hook, own);
        let spec = dialect.card().event(&candidate.hook.event);
        row(app, dialect, candidate, mute, spec, (position, None), &facts)
    });
    let mut rows: Vec<HookRow> = rows.collect();
    hook_groups::name_groups(&mut rows, &mut [], &snapshot.source_rows(Some(dialect.card().id)));
    rows
}

fn row(
    app: &App,
    dialect: &dyn Dialect,
    candidate: &Candidate,
    mute: Option<Mute>,
    spec: Option<&'static EventSpec>,
    (position, in_list): (Option<u32>, Option<ListPosition>),
    facts: &HealthFacts,
) -> HookRow {
    let hook = &candidate.hook;
    let guard = facts.is_guard(hook);
    HookRow {
        hook: hook.id.clone(),
        dialect: hook.dialect.to_owned(),
        event: hook.event.clone(),
        label: hook.label.clone(),
        layer: hook.source.layer,
        path: hook.source.path.display().to_string(),
        // Named once the sources are known.
        group: String::new(),
        line: hook.source.line,
        handler: hook.handler.as_str().to_owned(),
        filter: hook.filter.clone(),
        timeout_ms: to_ms(hook.timeout),
        on_failure: effective_on_failure(hook, spec),
        on_failure_effect: spec.map_or(OnFailureEffect::Nothing, |spec| OnFailureEffect::of_failure(hook, spec)),
        guard,
        health: facts.health(hook, guard, consent_of(candidate)),
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
            Some(DisabledReason::Disabled(_) | DisabledReason::Relay(_) | DisabledReason::AgentOnly(_)) | None => None,
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
            EVERY_EVENT => served_events(dialect, hook),
            _ => Vec::new(),
        },
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
