//! Conformance pages (`crates/dialects/src/*/cases/*.md`), each a test of its own name: with scripted runs, and, unless
//! the page says why not, with real processes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::FutureExt;
use futures::executor::block_on;
use hookwright_engine::{Candidate, World};
use hookwright_model::{
    Clearance, Clock, Dialect, Event, Facts, Ground, Handler, Hook, Layer, LintDesk, Origin, Places, Problem, Root,
    Runner, SourceFile, SourceTree, Trace,
};
use hookwright_testkit::case::{Page, PageEvent};
use hookwright_testkit::{Sandbox, Stage, differences, exact_differences};
use indexmap::IndexMap;
use serde_json::{Value, json};

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Holds a page with scripted runs: nothing is started, and time passes only as the page says.
#[track_caller]
fn scripted(dialect: &str, path: &str) {
    let set = Set::new(dialect, path);
    let stage = Stage::new(set.dialect, &set.page.runs);
    let mut got = set.documents();
    let mut wrong = Vec::new();
    if let Some(event) = &set.page.event {
        add_trace(&mut got, set.fire(event, &stage, &stage, &stage, &stage));
        wrong = stage.complaints();
    }
    wrong.extend(set.differences(&got));
    set.insist(&wrong, &got);
}

/// A page with its files on disk and what its dialect reads there.
struct Set {
    page: Page,
    dialect: &'static dyn Dialect,
    places: Places,
    hooks: Vec<Hook>,
    problems: Vec<Problem>,
    sandbox: Sandbox,
}

struct Disk;

impl Ground for Disk {
    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }
}

impl Set {
    #[track_caller]
    fn new(dialect: &str, path: &str) -> Self {
        let dialect = hookwright_dialects::find(dialect).unwrap_or_else(|| panic!("{dialect} is not registered"));
        let page = Page::open(Path::new(path)).unwrap_or_else(|error| panic!("{error}"));
        let sandbox = Sandbox::new();
        let places = Places {
            home: sandbox.home(),
            project: sandbox.project(),
            vars: BTreeMap::new(),
        };
        let mut set = Self {
            page,
            dialect,
            places,
            hooks: Vec::new(),
            problems: Vec::new(),
            sandbox,
        };
        set.lay_out();
        set.read();
        set
    }

    /// Puts the page's files where they belong; `user/` is the folder of the dialect's user file.
    fn lay_out(&self) {
        let roots = self.dialect.roots(&self.places, &Disk);
        let user = roots
            .iter()
            .find(|root| root.layer == Layer::User)
            .and_then(|root| root.path.parent());
        for file in &self.page.files {
            let (place, rest) = file.place.split_once('/').expect("checked by the parser");
            let inside = match place {
                "user" => user.expect("the dialect has a user file").join(rest),
                "home" => self.places.home.join(rest),
                _ => self.places.project.join(rest),
            };
            let path = inside.to_str().expect("temporary paths are text");
            if file.mode & 0o111 == 0 {
                self.sandbox.write(path, &file.text);
            } else {
                self.sandbox.script(path, &file.text);
            }
        }
    }

    fn read(&mut self) {
        for root in self.dialect.roots(&self.places, &Disk) {
            let parsed = self.dialect.parse(&tree(root));
            self.hooks.extend(parsed.hooks);
            self.problems.extend(parsed.problems);
        }
        let named = self
            .hooks
            .iter()
            .map(|hook| (hook.id.clone(), self.named(hook)))
            .collect();
        let env = ["HOME", "PATH", "LANG", "USER", "SHELL"].map(str::to_owned);
        let desk = LintDesk {
            hooks: &self.hooks,
            named: &named,
            places: &self.places,
            env: &env,
            on_path: &|program| on_path(program),
            is_there: &|path| path.exists(),
        };
        self.problems.extend(self.dialect.lint(&desk));
    }

    /// The files that a hook's command names, with their text.
    fn named(&self, hook: &Hook) -> Vec<(PathBuf, String)> {
        let Handler::Shell { command } = &hook.handler else {
            return Vec::new();
        };
        let words = command.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
        let path = |word: &str| match word.strip_prefix("~/") {
            Some(rest) => self.places.home.join(rest),
            None => self.places.project.join(word),
        };
        let files = words.map(path).filter(|path| path.is_file());
        files
            .filter_map(|path| Some((path.clone(), std::fs::read_to_string(&path).ok()?)))
            .collect()
    }

    /// What the files alone come to: hooks and problems.
    fn documents(&self) -> Value {
        let hooks: Vec<Value> = self.hooks.iter().map(row).collect();
        json!({ "hooks": hooks, "problems": self.problems })
    }

    /// Fires the page's event; `Err` holds the words of a refusal.
    fn fire(
        &self,
        event: &PageEvent,
        dialect: &dyn Dialect,
        runner: &dyn Runner,
        clearance: &dyn Clearance,
        clock: &dyn Clock,
    ) -> Result<Trace, String> {
        let spec = self
            .dialect
            .card()
            .event(&event.name)
            .unwrap_or_else(|| panic!("there is no event {}", event.name));
        let mut payload = event.payload.clone();
        let now = jiff::Timestamp::UNIX_EPOCH;
        let facts = Facts {
            session_id: String::new(),
            cwd: self.places.project.clone(),
            now,
        };
        self.dialect
            .accept(spec, &mut payload, &facts)
            .map_err(|words| words.text)?;
        let event = Event {
            trace: "01ARZ3NDEKTSV4RRFFQ69G5FAV".to_owned(),
            dialect: self.dialect.card().id,
            name: spec.name,
            origin: Origin::Test,
            session: None,
            agent: None,
            project: self.places.project.clone(),
            at: now,
            payload,
        };
        let candidate = |hook: &Hook| Candidate {
            hook: Arc::new(hook.clone()),
            trusted: Ok(()),
            muted: None,
        };
        let candidates: Vec<Candidate> = self.hooks.iter().map(candidate).collect();
        let world = World {
            runner,
            clearance,
            cancelled: futures::future::pending().boxed().shared(),
            run_id: &|| "page-run".to_owned(),
            depth: 1,
        };
        Ok(block_on(hookwright_engine::fire_timed(
            dialect,
            spec,
            event,
            &candidates,
            &world,
            clock,
        )))
    }

    /// Where the documents differ from the expectation. The reply is compared exactly: it is all that an agent gets.
    fn differences(&self, got: &Value) -> Vec<String> {
        let mut wanted = self.page.expect.clone();
        let mut out = Vec::new();
        if let Some(reply) = wanted.pointer_mut("/reply/json").map(Value::take) {
            let json = got.pointer("/reply/json").unwrap_or(&Value::Null);
            out.extend(
                exact_differences(&reply, json)
                    .into_iter()
                    .map(|line| format!("reply.json: {line}")),
            );
        }
        out.extend(differences(&wanted, got));
        out
    }

    #[track_caller]
    fn insist(&self, wrong: &[String], got: &Value) {
        let Page {
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

fn add_trace(got: &mut Value, fired: Result<Trace, String>) {
    match fired {
        Ok(trace) => {
            let Value::Object(trace) = json!(trace) else {
                unreachable!("a trace is an object")
            };
            got.as_object_mut().unwrap().extend(trace);
        }
        Err(words) => got["refused"] = words.into(),
    }
}

fn tree(root: Root) -> SourceTree {
    let mut files = IndexMap::new();
    if let Ok(text) = std::fs::read_to_string(&root.path) {
        files.insert(root.path.clone(), SourceFile { text: Ok(text) });
    }
    SourceTree { root, files }
}

fn row(hook: &Hook) -> Value {
    json!({
        "hook": hook.id,
        "event": hook.event,
        "label": hook.label,
        "layer": hook.source.layer,
        "line": hook.source.line,
        "handler": hook.handler.word(),
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
