//! `stats`: the metrics of hooks and of tool calls, in a period and over time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{Dialect, Hook, HookCounts, OnFailure, Outcome};
use hookwright_store::{HookStats, MetricsBucket, MetricsFilter, MetricsSeries, RecentSession, ToolStats};
use hookwright_workspace::edit::undo;
use hookwright_workspace::identities::{DefinitionVersion, Identities};
use hookwright_workspace::project::MAX_OPEN_PROJECTS;
use hookwright_workspace::snapshot::LoadedSource;
use hookwright_workspace::{ProcessRole, Snapshot};
use jiff::{SignedDuration, Timestamp};
use serde_json::Number;

use crate::app::App;
use crate::dto::{
    HookVersion, StatsBucket, StatsDoc, StatsEdit, StatsRequest, StatsRow, StatsSeries, StatsSession, TokenCounts,
    ToolRow,
};
use crate::fault::Fault;
use crate::history::{bar, project_text, time_before};
use crate::history_store::to_u32;
use crate::hooks::{effective_on_failure, to_ms};
use crate::known_hooks::{known_hooks, known_snapshots};
use crate::stats_compare;

/// `stats`: the metrics of hooks and of tool calls in a period.
///
/// # Errors
/// The dialect is unknown, or the history cannot be read.
pub async fn stats(app: &App, request: StatsRequest) -> Result<StatsDoc, Fault> {
    if let Some(dialect) = &request.dialect {
        find_dialect(dialect)?;
    }
    let store = app.history.open_for_reading().await?;
    if request.project.is_none() && app.workspace.role == ProcessRole::OneShot {
        // An engine does not begin to watch a project only because its metrics are requested.
        open_projects(app, &store.recent_projects(MAX_OPEN_PROJECTS).await?);
    }
    let snapshots = known_snapshots(app, request.project.as_deref());
    let identities = Identities::read(&app.workspace.env.data_dir);
    let compares = request.compare == Some(true);
    let filter = MetricsFilter {
        known: known_hooks(&snapshots, &identities),
        ..filter_of(app, request)
    };
    let mut metrics = store.metrics(&filter).await?;
    let hooks_left_out = keep_busiest(&mut metrics.hooks, MAX_ROWS, |stats| stats.runs);
    let mut tools = Vec::new();
    for dialect in hookwright_dialects::all() {
        let card = dialect.card();
        let wanted = filter.hook.is_none() && filter.dialect.as_deref().is_none_or(|dialect| dialect == card.id);
        if let Some(calls) = card.tool_calls.filter(|_| wanted) {
            let stats = store.tools(card.id, &calls, &filter).await?;
            tools.extend(stats.into_iter().map(|stats| tool_row(*dialect, stats)));
        }
    }
    let tools_left_out = keep_busiest(&mut tools, MAX_ROWS, |row| row.calls);
    let series = match metrics.series {
        Some(series) => Some(series_of(app, &filter, series, store.recent_sessions(&filter).await?)),
        None => None,
    };
    let before = compares.then(|| period_before(&filter, app.workspace.now()));
    let earlier = match &before {
        Some(before) => store.metrics(before).await?.hooks,
        None => Vec::new(),
    };
    let mut doc = StatsDoc {
        since: filter.since.to_string(),
        until: filter.until.map(|until| until.to_string()),
        counted_from: metrics.counted_from.map(|at| at.to_string()),
        waiting: to_u32(store.waiting().await?),
        tools,
        left_out: hooks_left_out.saturating_add(tools_left_out),
        series,
        hooks: metrics
            .hooks
            .into_iter()
            .map(|stats| {
                let present = stats
                    .uid
                    .as_deref()
                    .and_then(|uid| present(&snapshots, uid, &stats.event));
                let hook = present.as_ref().map(|(_, hook)| hook.clone());
                let hook = hook.or_else(|| hook_of(app, &stats));
                let known = present.and_then(|(source, hook)| identities.find(source, &hook.uid));
                let versions = known.map_or_else(Vec::new, |known| known.versions.iter().map(hook_version).collect());
                stats_row(stats, hook.as_deref(), versions)
            })
            .collect(),
    };
    // Rows come by identity, which says nothing to the user.
    doc.hooks.sort_by(|one, other| {
        let by_hook = one.project.cmp(&other.project).then_with(|| one.hook.cmp(&other.hook));
        by_hook
            .then_with(|| (&one.version, &one.dialect, &one.event).cmp(&(&other.version, &other.dialect, &other.event)))
    });
    if let Some(before) = before {
        let both = MetricsFilter {
            since: before.since,
            ..filter
        };
        stats_compare::compare(&mut doc.hooks, &earlier, &edits_of(app, &both));
    }
    Ok(doc)
}

/// Opens the projects that still exist.
fn open_projects(app: &App, projects: &[String]) {
    for project in projects {
        if let Err(why) = app.workspace.open_project(Path::new(project)) {
            tracing::debug!(project, why = %why.text, "the hooks of a project in the history are not known");
        }
    }
}

/// The period of the same length that ends where this one begins.
fn period_before(filter: &MetricsFilter, now: Timestamp) -> MetricsFilter {
    let length = filter.until.unwrap_or(now).duration_since(filter.since);
    MetricsFilter {
        since: filter.since.checked_sub(length).unwrap_or(Timestamp::MIN),
        until: Some(filter.since),
        series: false,
        ..filter.clone()
    }
}

/// The hook with this identity as it is now; at this event, if it serves several.
fn present<'s>(snapshots: &'s [Arc<Snapshot>], uid: &str, event: &str) -> Option<(&'s LoadedSource, Arc<Hook>)> {
    let sources = snapshots.iter().flat_map(|snapshot| &snapshot.sources);
    let all = sources.flat_map(|source| source.hooks.iter().map(move |hook| (source, hook)));
    let mut mine: Vec<(&LoadedSource, &Arc<Hook>)> = all.filter(|(_, hook)| hook.uid == uid).collect();
    mine.sort_by_key(|(_, hook)| hook.event != event);
    mine.first().map(|(source, hook)| (*source, (*hook).clone()))
}

fn hook_version(version: &DefinitionVersion) -> HookVersion {
    HookVersion {
        definition: version.definition.clone(),
        since: version.since.to_string(),
    }
}

/// How many hooks, and how many tools, a reply has. Agents name tools and can report hooks, as many as they like.
const MAX_ROWS: usize = 2_000;

/// Keeps the rows that count the most, in their order. Returns how many others there were.
fn keep_busiest<R>(rows: &mut Vec<R>, most: usize, count: impl Fn(&R) -> u64) -> u32 {
    let too_many = rows.len().saturating_sub(most);
    if too_many > 0 {
        let mut counts: Vec<u64> = rows.iter().map(&count).collect();
        counts.sort_unstable();
        let least = counts[too_many];
        // Of equal ones the first are kept.
        let mut equal = most - counts[too_many..].iter().filter(|count| **count > least).count();
        rows.retain(|row| {
            let count = count(row);
            let is_kept = count > least || count == least && equal > 0;
            equal -= usize::from(is_kept && count == least);
            is_kept
        });
    }
    to_u32(too_many as u64)
}

fn filter_of(app: &App, request: StatsRequest) -> MetricsFilter {
    MetricsFilter {
        since: time_before(app, request.since_ms),
        until: request.until_ms.map(|ms| time_before(app, ms)),
        project: request.project.map(|project| project_text(app, &project)),
        dialect: request.dialect,
        hook: request.hook,
        agent: request.agent,
        session: request.session,
        series: request.series.unwrap_or(false),
        known: Vec::new(),
    }
}

/// The hook of these metrics, if its definition still exists.
fn hook_of(app: &App, stats: &HookStats) -> Option<Arc<Hook>> {
    let project = stats.project.as_deref().map_or(&*app.workspace.env.cwd, Path::new);
    // User hooks are loaded with every project, so any open project is sufficient.
    let open = app
        .workspace
        .open_projects()
        .into_iter()
        .find(|open_project| stats.project.is_none() || open_project.project == project);
    // An engine does not begin to watch a project only because its metrics are requested.
    let open_project = match app.workspace.role {
        ProcessRole::OneShot => open.or_else(|| app.workspace.open_project(project).ok())?,
        ProcessRole::Engine => open?,
    };
    open_project.snapshot().hook(&stats.hook).cloned()
}

/// How many steps failed or blocked, among those in which the hook ran or failed before it ran.
struct StepShares {
    failed: u64,
    blocked: u64,
    all: u64,
}

impl StepShares {
    fn new(outcomes: &BTreeMap<Outcome, u64>) -> Self {
        let sum = |is_one: fn(Outcome) -> bool| {
            let counted = outcomes.iter().filter(|(outcome, _)| is_one(**outcome));
            counted.map(|(_, count)| *count).fold(0, u64::saturating_add)
        };
        Self {
            failed: sum(Outcome::failed),
            blocked: sum(Outcome::blocked),
            all: sum(Outcome::ran),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn share(&self, part: u64) -> f64 {
        if self.all == 0 {
            0.0
        } else {
            part as f64 / self.all as f64
        }
    }
}

fn stats_row(stats: HookStats, hook: Option<&Hook>, versions: Vec<HookVersion>) -> StatsRow {
    let shares = StepShares::new(&stats.outcomes);
    // The figures of all versions are listed under what the hook is now.
    let present = hook.filter(|hook| stats.uid.as_ref() == Some(&hook.uid) && hook.event == stats.event);
    let stats = match present {
        Some(hook) => HookStats {
            hook: hook.id.clone(),
            label: hook.label.clone(),
            version: hook.version(),
            ..stats
        },
        None => stats,
    };
    // The id may belong to another definition now, whose limit says nothing about these runs.
    let current = hook.filter(|hook| hook.version() == stats.version);
    let timeout_ms = current.map(|hook| to_ms(hook.timeout)).filter(|_| stats.attempts > 0);
    StatsRow {
        native: by_name(native_counters(&stats, hook)),
        failed: to_u32(shares.failed),
        failure_rate: shares.share(shares.failed),
        blocked: to_u32(shares.blocked),
        block_rate: shares.share(shares.blocked),
        timeout_ms,
        #[expect(clippy::cast_precision_loss, reason = "a time limit is far below 2^52 ms")]
        budget: timeout_ms
            .filter(|limit| *limit > 0)
            .map(|limit| stats.p95_ms / limit as f64),
        on_failure: current.map(on_failure),
        tokens: tokens_of(&stats.counted),
        hook: stats.hook,
        project: stats.project,
        label: stats.label,
        version: stats.version,
        uid: stats.uid,
        versions,
        dialect: stats.dialect,
        event: stats.event,
        runs: to_u32(stats.runs),
        outcomes: small_counts(stats.outcomes),
        attempts: to_u32(stats.attempts),
        total_ms: stats.total_ms,
        p50_ms: stats.p50_ms,
        p95_ms: stats.p95_ms,
        p99_ms: stats.p99_ms,
        max_ms: stats.max_ms,
        timeouts: to_u32(stats.timeouts),
        chars_added: stats.chars_added,
        bars: stats.bars.into_iter().map(bar).collect(),
        p95_series: stats.p95_series,
        before: None,
        change: None,
        edit: None,
    }
}

fn native_counters(stats: &HookStats, hook: Option<&Hook>) -> Vec<(&'static str, f64)> {
    let counts = HookCounts {
        outcomes: stats.outcomes.clone(),
        runs: stats.runs,
        attempts: stats.attempts,
        successes: stats.successes,
        failures: stats.failures,
        total_ms: stats.total_ms,
        chars_added: stats.chars_added,
        counted: stats.counted.clone(),
        mode: hook.map(|hook| hook.mode),
        definition: hook.map(|hook| hook.definition.clone()),
    };
    let dialect = hookwright_dialects::find(&stats.dialect);
    dialect
        .map(|dialect| dialect.native_hook_counters(&counts))
        .unwrap_or_default()
}

fn on_failure(hook: &Hook) -> OnFailure {
    let card = hookwright_dialects::find(hook.dialect).map(Dialect::card);
    effective_on_failure(hook, card.and_then(|card| card.event(&hook.event)))
}

/// The tokens of a hook's model; `None` if no provider reported any.
fn tokens_of(counted: &BTreeMap<String, u64>) -> Option<TokenCounts> {
    let count = |name: &str| counted.get(name).copied();
    let (input, output) = (count(HookCounts::INPUT_TOKENS), count(HookCounts::OUTPUT_TOKENS));
    (input.is_some() || output.is_some()).then(|| TokenCounts {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
    })
}

fn small_counts(outcomes: BTreeMap<Outcome, u64>) -> BTreeMap<Outcome, u32> {
    let small = outcomes.into_iter().map(|(outcome, count)| (outcome, to_u32(count)));
    small.collect()
}

fn series_of(app: &App, filter: &MetricsFilter, series: MetricsSeries, recent: Vec<RecentSession>) -> StatsSeries {
    let bucket = |bucket: MetricsBucket| StatsBucket {
        at: bucket.at.to_string(),
        runs: to_u32(bucket.runs),
        outcomes: small_counts(bucket.outcomes),
        p50_ms: bucket.times.map(|times| times.p50_ms),
        p95_ms: bucket.times.map(|times| times.p95_ms),
        p99_ms: bucket.times.map(|times| times.p99_ms),
    };
    let mut agents: Vec<String> = Vec::new();
    for agent in recent.iter().filter_map(|one| one.agent.as_ref()) {
        if !agents.contains(agent) {
            agents.push(agent.clone());
        }
    }
    let session = |one: RecentSession| {
        let (agent, session) = (one.agent, one.session?);
        Some(StatsSession { session, agent })
    };
    StatsSeries {
        width_ms: SignedDuration::from_secs(series.width).as_millis() as f64,
        buckets: series.buckets.into_iter().map(bucket).collect(),
        edits: edits_of(app, filter),
        agents,
        sessions: recent.into_iter().filter_map(session).collect(),
    }
}

/// The edits of hook files in the period, oldest first: with a project, of its files and of user files.
fn edits_of(app: &App, filter: &MetricsFilter) -> Vec<StatsEdit> {
    let project = filter.project.as_ref().map(PathBuf::from);
    let end = filter.until.unwrap_or(Timestamp::MAX);
    let is_in_period = |at: Timestamp| filter.since <= at && at < end;
    let mut edits: Vec<StatsEdit> = undo::between(&app.workspace, project.as_deref(), is_in_period)
        .into_iter()
        .map(|row| StatsEdit {
            at: row.at.to_string(),
            edit: row.edit,
            what: row.what,
            hook: row.hook,
            label: row.label,
            path: row.path,
        })
        .collect();
    edits.reverse();
    edits
}

fn tool_row(dialect: &dyn Dialect, stats: ToolStats) -> ToolRow {
    ToolRow {
        native: by_name(dialect.native_tool_counters(&stats.counts)),
        tool: stats.tool,
        dialect: dialect.card().id.to_owned(),
        project: stats.project,
        calls: stats.counts.calls,
    }
}

/// Counters by name, without those that JSON cannot represent.
fn by_name(counters: Vec<(&'static str, f64)>) -> BTreeMap<String, Number> {
    let counters = counters.into_iter();
    counters
        .filter_map(|(name, value)| Some((name.to_owned(), to_json_number(value)?)))
        .collect()
}

/// A counter as a JSON number: a count is written as a whole number, a time keeps its fraction.
fn to_json_number(value: f64) -> Option<Number> {
    let whole = value.fract() == 0.0 && (0.0..9e15).contains(&value);
    if whole {
        Some(Number::from(value as u64))
    } else {
        Number::from_f64(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_that_count_the_most_are_kept_in_their_order() {
        let mut rows = vec![3, 9, 1, 3, 7, 3];
        assert_eq!(keep_busiest(&mut rows, 4, |count| *count), 2);
        assert_eq!(rows, [3, 9, 3, 7]);
        assert_eq!(keep_busiest(&mut rows, 4, |count| *count), 0);
        assert_eq!(rows.len(), 4);
    }
}
