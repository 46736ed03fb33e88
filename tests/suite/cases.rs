//! Tests of the case pages (`crates/dialects/cases/*/*.md`). Each page is tested with scripted runs and with real
//! processes. A page can exclude one of the two and then contains the reason.

mod loaded_case;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::executor::block_on;
use futures::future::BoxFuture;
use hookwright_app::scenario;
use hookwright_engine::{Candidate, ChainContext, EventStart, Session, SessionOptions};
use hookwright_exec::Exec;
use hookwright_model::{
    Call, Catalog, ChainTimer, CompactTrace, Dialect, DirProbe, End, Event, EventDefaults, EventSpec, FileText,
    Handler, Hook, Layer, LintContext, Locations, Message, Origin, Payload, PreSpawnCheck, Problem, Removal,
    Replacements, RootKind, RunContext, Runner, SimulationResult, SourceTree, SpawnApproval, Trace,
};
use hookwright_testkit::case::{CasePage, PageEvent, PathContent};
use hookwright_testkit::{Sandbox, ScriptedWorld, differences, exact_differences, trace_with_verdict};
use hookwright_workspace::discovery;
use hookwright_workspace::trust::covered_files::named_texts;
use hookwright_workspace::trust::disk_cache::DiskCache;
use serde_json::{Map, Value, json};

use crate::translations;
use loaded_case::LoadedCase;

/// Trace id of a page's event.
const TRACE: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Tests a page with scripted runs. No process is started, and time advances only by the page's values.
#[track_caller]
fn scripted(dialect: &str, path: &str) {
    let case = LoadedCase::new(dialect, path);
    let context = Arc::new(ScriptedWorld::new(&case.page.runs));
    let session = case.session(context.clone());
    let mut got = case.hooks_and_problems();
    let mut wrong = Vec::new();
    if let Some(event) = &case.page.event {
        let trace = block_on(case.fire(&session, event, TRACE, &*context, &*context));
        got["session_after"] = session.conversation_json(0);
        add_fired(&mut got, trace);
        wrong = context.mismatches();
    }
    if let Some(scenario) = &case.page.scenario {
        let result = block_on(case.simulate(scenario, &context));
        got.as_object_mut().unwrap().extend(result);
        wrong.extend(context.mismatches());
    }
    wrong.extend(case.differences(&got));
    let text = std::fs::read_to_string(path).unwrap_or_default();
    wrong.extend(translations::untranslated(&got, &text));
    case.assert_none(&wrong, &got);
}

/// Tests a page with real processes, and compares its scripted runs with the real ones.
#[track_caller]
fn real(dialect: &str, path: &str) {
    let mut case = LoadedCase::new(dialect, path);
    assert_eq!(
        case.page.scripted_only, None,
        "build.rs makes no such test of this page"
    );
    let event = case
        .page
        .event
        .clone()
        .expect("build.rs makes no such test of a page that fires nothing");
    let exec = Arc::new(Exec::new(case.sandbox.environment(), None));
    let session = case.session(exec.clone());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let clock = WallTimer(Instant::now());
    let mut wrong = runtime.block_on(case.check_bridges(&exec));
    let trace = runtime.block_on(case.fire(&session, &event, TRACE, &AlwaysClear, &clock));
    runtime.block_on(exec.close());
    let mut got = case.hooks_and_problems();
    got["session_after"] = session.conversation_json(0);
    add_fired(&mut got, trace);
    wrong.extend(unlike_script(&case.page, &got));
    wrong.extend(case.differences(&got));
    case.assert_none(&wrong, &got);
}

/// Lists where real attempts ended differently from the page's scripted runs.
fn unlike_script(page: &CasePage, got: &Value) -> Vec<String> {
    let steps = got["steps"].as_array().cloned().unwrap_or_default();
    let mut out = Vec::new();
    for run in &page.runs {
        let step = steps.iter().find(|step| step["hook"] == *run.hook);
        let Some(attempt) = step.and_then(|step| step["attempts"].get(run.attempt - 1)) else {
            out.push(format!(
                "line {}: attempt {} of {} never came",
                run.line, run.attempt, run.hook
            ));
            continue;
        };
        let code = match run.ending.end {
            End::Exit => json!(run.ending.code.unwrap_or(0)),
            End::Signal
            | End::TimedOut
            | End::Cancelled
            | End::NotStarted
            | End::Replied
            | End::Refused
            | End::Done => Value::Null,
            // Its exit status, if the peer exited.
            End::PeerGone => json!(run.ending.code),
        };
        let stdout = String::from_utf8_lossy(&run.ending.stdout_bytes()).into_owned();
        let wanted = json!({ "end": run.ending.end, "code": code, "stdout": stdout });
        let found = differences(&wanted, attempt);
        out.extend(
            found
                .into_iter()
                .map(|line| format!("line {}: the real attempt is not the scripted one: {line}", run.line)),
        );
    }
    out
}

/// A pre-spawn check that always succeeds, as if no file has changed.
struct AlwaysClear;

impl PreSpawnCheck for AlwaysClear {
    fn check(&self, _: &Hook, _: &Path) -> Result<SpawnApproval, Message> {
        Ok(SpawnApproval::default())
    }
}

struct WallTimer(Instant);

impl ChainTimer for WallTimer {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The problems that a dialect finds in the files of a page, without a run.
pub fn problems_of(dialect: &str, path: &Path) -> Vec<Problem> {
    LoadedCase::new(dialect, path.to_str().expect("pages have plain names")).problems
}

/// The simulation host of a page's scenario. Its traces have the ids `trace-1`, `trace-2`, …
struct PageSimulationHost<'a> {
    case: &'a LoadedCase,
    session: Arc<Session>,
    scripted: &'a ScriptedWorld,
    traces: Vec<Trace>,
}

impl hookwright_model::SimulationHost for PageSimulationHost<'_> {
    fn fire<'a>(&'a mut self, event: &'a str, payload: Payload) -> BoxFuture<'a, Result<Trace, Message>> {
        let event = PageEvent {
            name: event.to_owned(),
            payload,
        };
        async move {
            let id = format!("trace-{}", self.traces.len() + 1);
            let fired = self.case.fire(&self.session, &event, &id, self.scripted, self.scripted);
            let trace = fired.await;
            let trace = trace.unwrap_or_else(|message| panic!("{} was refused: {message}", event.name));
            assert_compact_form(&trace);
            self.traces.push(trace.clone());
            Ok(trace)
        }
        .boxed()
    }

    fn fired_events(&self) -> u32 {
        u32::try_from(self.traces.len()).expect("a page fires few events")
    }

    fn hooks(&self) -> Vec<&Hook> {
        self.case.hooks.iter().collect()
    }

    fn removed(&mut self, trace: &str, hook: &str, reference: &str, by: &str) {
        let removal = Removal {
            reference: reference.to_owned(),
            at: jiff::Timestamp::UNIX_EPOCH,
            by: by.to_owned(),
            ..Removal::default()
        };
        let trace = self
            .traces
            .iter_mut()
            .find(|known| known.trace == trace)
            .expect("it was fired here");
        let step = trace
            .steps
            .iter_mut()
            .find(|step| step.hook == hook)
            .expect("it ran here");
        step.removed.push(removal);
    }
}

/// Asserts that the compact form of a trace, as it is recorded, gives the same document byte by byte.
fn assert_compact_form(trace: &Trace) {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog::new(hookwright_app::bindings::all_messages()));
    let line = json!(CompactTrace::new(trace)).to_string();
    let read: CompactTrace = serde_json::from_str(&line).unwrap();
    assert_eq!(json!(read.render(&CATALOG)).to_string(), json!(trace).to_string());
}

/// Adds the trace, or the message of the refusal.
fn add_fired(got: &mut Value, fired: Result<Trace, String>) {
    match fired {
        Ok(trace) => {
            assert_compact_form(&trace);
            let Value::Object(trace) = json!(trace) else {
                unreachable!("a trace is an object")
            };
            got.as_object_mut().unwrap().extend(trace);
        }
        Err(message) => got["refused"] = message.into(),
    }
}

fn hook_row(hook: &Hook) -> Value {
    json!({
        "hook": hook.id,
        "event": hook.event,
        "label": hook.label,
        "layer": hook.source.layer,
        "line": hook.source.line,
        "handler": hook.handler.as_str(),
        "filter": hook.filter,
        "timeout_ms": u64::try_from(hook.timeout.as_millis()).unwrap(),
        "attempts": hook.attempts,
        "on_failure": hook.on_failure,
        "mode": hook.mode,
        "rank": hook.rank,
        "enabled": hook.disabled_reason.is_none(),
        "wrapped": hook.wrapped.is_some(),
        "valid": hook.invalid.is_none(),
        "definition": hook.definition,
    })
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Returns a run id that is unique on this machine. When a run is killed, every process that carries its id is killed
/// too, even one of another page or test program.
fn run_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("page.{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Tests of these test functions: a correct page passes, and a wrong page is reported.
mod self_test {
    use super::{real, scripted};

    const PASSING_PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/pages/passing.md");
    const FAILING_PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/pages/failing.md");

    #[test]
    fn a_passing_page_passes_in_both_modes() {
        scripted("jcli", PASSING_PAGE);
        real("jcli", PASSING_PAGE);
    }

    #[test]
    #[should_panic(expected = "reply.json: the whole: tool_arguments is not wanted")]
    fn a_wrong_expectation_is_reported() {
        scripted("jcli", FAILING_PAGE);
    }

    #[test]
    #[should_panic(expected = "the real attempt is not the scripted one: code: wanted 4, got 3")]
    fn a_script_unlike_the_real_run_is_reported() {
        real("jcli", FAILING_PAGE);
    }
}
