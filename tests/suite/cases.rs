//! Tests of the case pages (`crates/dialects/cases/*/*.md`). Each page is tested with scripted runs and with real
//! processes. A page can exclude one of the two and then contains the reason.

use hookwright_app::scenario;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::executor::block_on;
use futures::future::BoxFuture;
use hookwright_engine::{Candidate, ChainContext, ReportedDirs};
use hookwright_exec::Exec;
use hookwright_model::{
    Call, ChainTimer, Dialect, DirProbe, End, Event, EventDefaults, Handler, Hook, Layer, LintContext, Locations,
    Message, Origin, Payload, PreSpawnCheck, Problem, Removal, Replacements, RootKind, RunContext, Runner,
    SimulationResult, SpawnApproval, Trace,
};
use hookwright_testkit::case::{CasePage, PageEvent, PathContent};
use hookwright_testkit::{Sandbox, ScriptedWorld, differences, exact_differences};
use hookwright_workspace::discovery;
use hookwright_workspace::trust::covered_files::named_texts;
use hookwright_workspace::trust::disk_cache::DiskCache;
use serde_json::{Map, Value, json};

use crate::translations;

/// Trace id of a page's event.
const TRACE: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Tests a page with scripted runs. No process is started, and time advances only by the page's values.
#[track_caller]
fn scripted(dialect: &str, path: &str) {
    let case = LoadedCase::new(dialect, path);
    let context = ScriptedWorld::new(&case.page.runs);
    let mut got = case.hooks_and_problems();
    let mut wrong = Vec::new();
    if let Some(event) = &case.page.event {
        let trace = block_on(case.fire(event, TRACE, &context, &context, &context));
        add_trace(&mut got, trace, &case);
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
    let exec = Exec::new(case.sandbox.environment(), None);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let clock = WallTimer(Instant::now());
    let mut wrong = runtime.block_on(case.check_bridges(&exec));
    let trace = runtime.block_on(case.fire(&event, TRACE, &exec, &AlwaysClear, &clock));
    runtime.block_on(exec.close());
    let mut got = case.hooks_and_problems();
    add_trace(&mut got, trace, &case);
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

/// A page with its files on disk, and the hooks and problems that its dialect finds there.
struct LoadedCase {
    page: CasePage,
    dialect: &'static dyn Dialect,
    locations: Locations,
    hooks: Vec<Hook>,
    problems: Vec<Problem>,
    replacements: Replacements,
    sandbox: Sandbox,
}

struct RealDirProbe;

impl DirProbe for RealDirProbe {
    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }
}

impl LoadedCase {
    #[track_caller]
    fn new(dialect: &str, path: &str) -> Self {
        let dialect = hookwright_dialects::find(dialect).unwrap_or_else(|| panic!("{dialect} is not registered"));
        let page = CasePage::open(Path::new(path)).unwrap_or_else(|error| panic!("{error}"));
        let sandbox = Sandbox::new();
        let locations = Locations {
            // The skills folder of the settings. Most pages have no file in it.
            skills_roots: vec![sandbox.home().join("skills")],
            home: sandbox.home(),
            project: sandbox.project(),
            vars: BTreeMap::new(),
        };
        let resolve = |text: &str| match text.split_once('/') {
            Some(("home", rest)) => locations.home.join(rest).display().to_string(),
            Some(("project", rest)) => locations.project.join(rest).display().to_string(),
            Some(_) | None => text.to_owned(),
        };
        let vars = page
            .vars
            .iter()
            .map(|(name, text)| (name.clone(), resolve(text)))
            .collect();
        let locations = Locations { vars, ..locations };
        let mut case = Self {
            page,
            dialect,
            locations,
            hooks: Vec::new(),
            problems: Vec::new(),
            replacements: Replacements::default(),
            sandbox,
        };
        case.write_files();
        case.load();
        case
    }

    /// Writes the page's files to disk. `user/` is the folder of the dialect's user file, or the folder of its user
    /// hooks.
    fn write_files(&self) {
        for file in &self.page.files {
            let path_on_disk = self.path_of(&file.path);
            let path = path_on_disk.to_str().expect("temporary paths are text");
            match &file.content {
                PathContent::Bytes(bytes) => drop(self.sandbox.write(path, bytes)),
                PathContent::Link(target) => {
                    std::fs::create_dir_all(path_on_disk.parent().expect("a place has a folder")).unwrap();
                    std::os::unix::fs::symlink(target, path).unwrap();
                    continue;
                }
            }
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(file.mode)).unwrap();
        }
    }

    /// The path on disk of a page path such as `user/hooks.yaml`.
    fn path_of(&self, path: &str) -> PathBuf {
        let (folder, rest) = path.split_once('/').expect("a place has a folder");
        let roots = self.dialect.roots(&self.locations, &RealDirProbe);
        let user = roots
            .iter()
            .find(|root| root.layer == Layer::User)
            .and_then(|root| match root.reads {
                RootKind::File => root.path.parent(),
                RootKind::Folders(_) => Some(&*root.path),
            });
        match folder {
            "user" => user.expect("the dialect has a user file").join(rest),
            "home" => self.locations.home.join(rest),
            _ => self.locations.project.join(rest),
        }
    }

    fn load(&mut self) {
        for root in self.dialect.roots(&self.locations, &RealDirProbe) {
            let parsed = self.dialect.parse(&discovery::read_tree(self.dialect, &root));
            self.problems.extend(parsed.problems);
            let reported = self
                .page
                .reported
                .iter()
                .find(|(place, _)| self.path_of(place) == root.path);
            for hook in parsed.hooks {
                match reported.filter(|_| matches!(hook.handler, Handler::Module { callback: None, .. })) {
                    None => self.hooks.push(hook),
                    Some((_, reported)) => {
                        let expansion = self.dialect.expand_module(&hook, reported);
                        self.hooks.extend(expansion.hooks);
                        self.problems.extend(expansion.problems);
                    }
                }
            }
        }
        let conflicts = self
            .dialect
            .resolve_conflicts(&self.hooks.iter().collect::<Vec<_>>(), &[]);
        for (index, off) in conflicts.off {
            self.hooks[index].off = Some(off);
        }
        for (index, id) in conflicts.renamed {
            self.hooks[index].id = id;
        }
        self.replacements = conflicts.rivalry;
        self.problems.extend(conflicts.problems);
        let disk = DiskCache::default();
        let covered_texts = self
            .hooks
            .iter()
            .map(|hook| {
                (
                    hook.id.clone(),
                    named_texts(hook, self.dialect.card(), &self.locations, &disk),
                )
            })
            .collect();
        let env = ["HOME", "PATH", "LANG", "USER", "SHELL"].map(str::to_owned);
        let context = LintContext {
            hooks: &self.hooks.iter().cloned().map(std::sync::Arc::new).collect::<Vec<_>>(),
            named: &covered_texts,
            places: &self.locations,
            env: &env,
            sh: "sh",
            on_path: &|program| on_path(program),
            is_there: &|path| path.exists(),
            runs: &hookwright_workspace::disk_probe::is_executable_file,
            inside: &hookwright_workspace::disk_probe::list_dir,
        };
        self.problems.extend(self.dialect.lint(&context));
    }

    /// Starts the bridge of each module and lists where its reported hooks differ from the page. Then loads the hooks
    /// again, with the reported ones.
    async fn check_bridges(&mut self, exec: &Exec) -> Vec<String> {
        let mut wrong = Vec::new();
        let spec = self
            .dialect
            .card()
            .event(self.dialect.card().first)
            .expect("the first event");
        for (path, reported) in self.page.reported.clone() {
            let module = self.module(&path);
            let call = self
                .dialect
                .encode(&module, spec, &Default::default(), &self.locations.project);
            let Call::Peer(call) = call else {
                panic!("{path} is no module")
            };
            let context = RunContext {
                hook: module.id.clone(),
                session: "page".to_owned(),
                trace: String::new(),
                run: run_id(),
                depth: 1,
                limit: call.rules.handshake_timeout,
                cancelled: futures::future::pending().boxed().shared(),
            };
            let wire = call.wire;
            let run = exec.run(Call::Peer(call), context).await;
            let line = String::from_utf8_lossy(&run.stdout.bytes);
            let handshake = wire.parse_handshake(&line).unwrap_or_default();
            let found = differences(&reported, &handshake.result);
            wrong.extend(
                found
                    .into_iter()
                    .map(|line| format!("the bridge of {path} told otherwise: {line}")),
            );
            for (known, reported) in &mut self.page.reported {
                if *known == path {
                    *reported = handshake.result.clone();
                }
            }
        }
        if !self.page.reported.is_empty() {
            self.hooks.clear();
            self.problems.clear();
            self.load();
        }
        wrong
    }

    /// The hook for the whole module at this page path, before its callbacks are known.
    fn module(&self, page_path: &str) -> Hook {
        let path = self.path_of(page_path);
        let roots = self.dialect.roots(&self.locations, &RealDirProbe);
        let root = roots.iter().find(|root| root.path == path);
        let tree = discovery::read_tree(
            self.dialect,
            root.unwrap_or_else(|| panic!("nothing is read at {page_path}")),
        );
        self.dialect.parse(&tree).hooks.remove(0)
    }

    /// The hooks as candidates of the engine. All are approved except those in the page's `unapproved` block.
    fn candidates(&self) -> Vec<Candidate> {
        let candidate = |hook: &Hook| {
            let unapproved = self.page.unapproved.contains(&hook.id);
            let refused = unapproved.then(|| hookwright_workspace::trust::NOT_APPROVED.render_plain());
            Candidate::new(Arc::new(hook.clone()), refused.map_or(Ok(()), Err), None)
        };
        let mut candidates: Vec<Candidate> = self.hooks.iter().map(candidate).collect();
        hookwright_engine::apply_replacements(&mut candidates, &self.replacements);
        candidates
    }

    /// The results that need no event: hooks and problems.
    fn hooks_and_problems(&self) -> Value {
        let hooks: Vec<Value> = self.candidates().iter().map(|known| hook_row(&known.hook)).collect();
        json!({ "hooks": hooks, "problems": self.problems })
    }

    /// Fires an event. `Err` contains the message if the dialect refuses the payload.
    async fn fire(
        &self,
        event: &PageEvent,
        trace: &str,
        runner: &dyn Runner,
        pre_spawn_check: &dyn PreSpawnCheck,
        clock: &dyn ChainTimer,
    ) -> Result<Trace, String> {
        let spec = self
            .dialect
            .card()
            .event(&event.name)
            .unwrap_or_else(|| panic!("there is no event {}", event.name));
        let mut payload = event.payload.clone();
        let now = jiff::Timestamp::UNIX_EPOCH;
        let defaults = EventDefaults {
            session_id: String::new(),
            cwd: self.locations.project.clone(),
            now,
        };
        self.dialect
            .accept(spec, &mut payload, &defaults)
            .map_err(|message| message.text)?;
        let event = Event {
            trace: trace.to_owned(),
            dialect: self.dialect.card().id,
            name: spec.name,
            origin: Origin::Test,
            session: None,
            agent: None,
            project: self.locations.project.clone(),
            at: now,
            payload,
        };
        let candidates = self.candidates();
        let context = ChainContext {
            runner,
            pre_spawn_check,
            cancelled: futures::future::pending().boxed().shared(),
            run_id: &run_id,
            depth: 1,
            session: "page",
            session_begins: false,
            no_block_reason: self.dialect.no_block_reason(spec, &self.page.session),
            dialect_settings: &hookwright_model::DialectSettings::new(),
            reported_dirs: &ReportedDirs::default(),
        };
        let record =
            hookwright_engine::fire_timed(self.dialect, spec, event.clone(), &candidates, &context, clock).await;
        let mut trace = record.trace;
        hookwright_engine::run_detached(self.dialect, spec, &event, record.detached, &mut trace, &context).await;
        Ok(trace)
    }

    /// Simulates a scenario. Returns the document that `simulate` prints, with the names of the fired events in
    /// `events`.
    async fn simulate(&self, scenario: &str, scripted: &ScriptedWorld<'_>) -> Map<String, Value> {
        let scenario = scenario::parse_scenario(&self.page.path, scenario).unwrap_or_else(|fault| panic!("{fault}"));
        let mut host = PageSimulationHost {
            case: self,
            scripted,
            traces: Vec::new(),
        };
        let mut result = SimulationResult::default();
        let ended = self.dialect.simulate(&scenario, &mut host, &mut result).await;
        assert_eq!(ended, Ok(()), "the play could not go on");
        let events: Vec<&str> = host.traces.iter().map(|trace| trace.event.as_str()).collect();
        let document = json!({
            "llm_calls": result.llm_calls,
            "persisted": result.persisted,
            "final_messages": result.final_messages,
            "notices": result.notices,
            "events": events,
            "traces": host.traces,
        });
        document.as_object().cloned().unwrap_or_default()
    }

    /// Lists where the results differ from the expectation. The reply is compared exactly, because the agent receives
    /// nothing else.
    fn differences(&self, got: &Value) -> Vec<String> {
        let mut wanted = self.page.expect.clone();
        let mut out = Vec::new();
        if let Some(reply) = wanted.get_mut("reply").and_then(Value::as_object_mut)
            && let Some(json) = reply.remove("json")
        {
            let found = exact_differences(&json, got.pointer("/reply/json").unwrap_or(&Value::Null));
            out.extend(found.into_iter().map(|line| format!("reply.json: {line}")));
            if reply.is_empty() {
                *reply = Map::from_iter([("exit_code".to_owned(), json!(0))]);
            }
        }
        out.extend(differences(&wanted, got));
        out
    }

    #[track_caller]
    fn assert_none(&self, wrong: &[String], got: &Value) {
        let CasePage {
            path,
            title,
            expect_line,
            ..
        } = &self.page;
        let lines = wrong.join("\n  ");
        let got = serde_json::to_string_pretty(got).unwrap();
        assert!(
            wrong.is_empty(),
            "{}:{expect_line}: {title}\n  {lines}\n── got\n{got}",
            path.display()
        );
    }
}

/// The simulation host of a page's scenario. Its traces have the ids `trace-1`, `trace-2`, …
struct PageSimulationHost<'a> {
    case: &'a LoadedCase,
    scripted: &'a ScriptedWorld<'a>,
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
            let context = self.scripted;
            let trace = self.case.fire(&event, &id, context, context, context).await;
            let trace = trace.unwrap_or_else(|message| panic!("{} was refused: {message}", event.name));
            self.traces.push(trace.clone());
            Ok(trace)
        }
        .boxed()
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

/// Adds the trace and the state of the session after it, or the message of the refusal.
fn add_trace(got: &mut Value, mut fired: Result<Trace, String>, case: &LoadedCase) {
    if let Ok(trace) = &mut fired {
        let mut session = case.page.session.clone();
        if let Some(spec) = case.dialect.card().event(&trace.event) {
            case.dialect.remember(spec, trace, &mut session);
        }
        got["session_after"] = json!(session);
    }
    add_fired(got, fired);
}

fn add_fired(got: &mut Value, fired: Result<Trace, String>) {
    match fired {
        Ok(trace) => {
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
        "enabled": hook.off.is_none(),
        "wrapped": hook.wrapped,
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
