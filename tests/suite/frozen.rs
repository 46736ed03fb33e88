//! What Hookwright says about known hooks is frozen, byte by byte: `list`, `check`, `trust --list`, `explain` and
//! `convert` with `--json`, and the diffs of `edit`, `add`, `remove`, `turn-off` and `connect` in dry runs. The hooks are
//! those of every sample (`hooks-samples`), of every field case (`tests/fixtures/field`) and of a data folder
//! (`tests/fixtures/data-schema-3`). Each place has a page of text under `tests/fixtures/frozen`.
//!
//! A difference means that people, scripts and agents see something else than before. A change inside Hookwright has
//! none. `./dev bless` writes the pages again. Where something is to be seen in another way, the new pages are a commit
//! of their own that says why.
//!
//! Paths are written as `PROJECT`, `HOME` and `SANDBOX`, and the time is always the same. Programs are looked up in a folder with a fixed list of them, so
//! that no page depends on what this machine has.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use hookwright_app::{App, Fault, check, commands, convert, hooks, review};
use hookwright_model::Clock;
use hookwright_testkit::Sandbox;
use hookwright_testkit::program::workspace;
use hookwright_workspace::edit::relay_hooks::{self, TrustMode, WrapMode};
use hookwright_workspace::edit::{EditRefusal, WriteMode};
use hookwright_workspace::{HostEnv, ProcessRole};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

/// The programs on the hooks' `PATH`. `sh` is `dash`, as on Debian and Ubuntu.
const PROGRAMS: &[&str] = &[
    "awk",
    "bash",
    "cat",
    "dash",
    "echo",
    "env",
    "git",
    "grep",
    "head",
    "hookwright-relay",
    "node",
    "python3",
    "sed",
    "tail",
];

/// The time on every page.
const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);

/// The widest line that a list or an object is written on.
const MAX_WIDTH: usize = 150;

/// A field that each dialect's hooks have, and a value for it.
fn changed_field(dialect: &str) -> (&'static str, Value) {
    match dialect {
        "skill" => ("role", json!("user")),
        "picoclaw" => ("priority", json!(7)),
        "agent-hooks" => ("timeout", json!(7000)),
        _ => ("timeout", json!(7)),
    }
}

/// A hook to add in each dialect: event, layer, definition.
fn added_hook(dialect: &str) -> (&'static str, &'static str, Value) {
    match dialect {
        "jcli" => ("stop", "project", json!({"command": "sh gate.sh", "timeout": 5})),
        "qoder" | "claude-code" | "codex" => (
            "PreToolUse",
            "project",
            json!({"matcher": "Bash", "type": "command", "command": "sh gate.sh"}),
        ),
        "skill" => (
            "before_planning",
            "skill",
            json!({"skill": "reviewer", "name": "rules", "text": "Be brief.", "role": "system", "persistent": false}),
        ),
        "agent-hooks" => (
            "before_tool",
            "project",
            json!({"name": "added", "description": "Blocks every tool", "script": "#!/bin/sh\nexit 2\n"}),
        ),
        _ => (
            "before_tool",
            "user",
            json!({"name": "added", "enabled": true, "command": ["python3", "guard.py"], "intercept": ["before_tool"]}),
        ),
    }
}

/// Hooks whose pages are frozen.
struct Place {
    /// The page's path without its extension, such as `samples/jcli/starter`.
    name: String,
    /// The dialect of its hooks.
    dialect: String,
    /// The folder of the project in the sandbox.
    project: String,
    /// The files by their paths in the sandbox: bytes, and whether they are executable.
    files: BTreeMap<String, (Vec<u8>, bool)>,
    /// The dialects that its hooks are converted to.
    converted_to: Vec<String>,
    /// Events to explain, with their payloads. Other events of its hooks have the payload `{}`.
    events: BTreeMap<String, Value>,
}

const DIALECTS: [&str; 7] = [
    "jcli",
    "agent-hooks",
    "picoclaw",
    "qoder",
    "skill",
    "claude-code",
    "codex",
];

fn others(dialect: &str) -> Vec<String> {
    let others = DIALECTS.iter().filter(|other| **other != dialect);
    others.map(|other| (*other).to_owned()).collect()
}

fn every_place() -> Vec<Place> {
    let mut out = Vec::new();
    for dialect in DIALECTS {
        for sample in entries(&workspace().join("hooks-samples").join(dialect)) {
            if sample.join("sample.yaml").is_file() {
                out.push(sample_place(dialect, &sample));
            }
        }
    }
    out.extend(
        entries(&workspace().join("tests/fixtures/field"))
            .iter()
            .filter_map(|path| field_place(path)),
    );
    let data = workspace().join("tests/fixtures/data-schema-3");
    for dialect in DIALECTS {
        let mut files = files_below(&data.join("home"), "home");
        files.extend(files_below(&data.join("project"), "project"));
        out.push(Place {
            name: format!("data/{dialect}"),
            dialect: dialect.to_owned(),
            project: "project".to_owned(),
            files,
            converted_to: others(dialect),
            events: BTreeMap::new(),
        });
    }
    out
}

fn sample_place(dialect: &str, sample: &Path) -> Place {
    let cases: Vec<Value> =
        yaml_serde::from_str(&std::fs::read_to_string(sample.join("sample.yaml")).unwrap()).unwrap();
    let mut events = BTreeMap::new();
    for case in &cases {
        if let Some(event) = case["event"].as_str() {
            events
                .entry(event.to_owned())
                .or_insert_with(|| case["payload"].clone());
        }
    }
    Place {
        name: format!("samples/{dialect}/{}", file_name(sample)),
        dialect: dialect.to_owned(),
        project: "project".to_owned(),
        files: files_below(sample, "project"),
        converted_to: others(dialect),
        events,
    }
}

/// The place of a field case; `None` for the collection's README.
fn field_place(path: &Path) -> Option<Place> {
    let name = file_name(path);
    let name = name.strip_suffix(".json")?;
    let case: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let text = |field: &str| case[field].as_str().unwrap_or_default().to_owned();
    let project = case["project_folder"].as_str().unwrap_or("project");
    let mut files = BTreeMap::new();
    for (root, part) in [("home", "home"), (project, "files")] {
        for (path, content) in case[part].as_object().into_iter().flatten() {
            let content = content.as_str().unwrap().as_bytes().to_vec();
            let is_executable = part == "files" && !case["modes"][path].is_null();
            files.insert(format!("{root}/{path}"), (content, is_executable));
        }
    }
    Some(Place {
        name: format!("field/{name}"),
        dialect: text("dialect"),
        project: project.to_owned(),
        files,
        converted_to: vec![match case["convert"]["to"].as_str() {
            Some(to) => to.to_owned(),
            None => others(&text("dialect")).remove(0),
        }],
        events: BTreeMap::from([(text("event"), case["payload"].clone())]),
    })
}

fn files_below(folder: &Path, prefix: &str) -> BTreeMap<String, (Vec<u8>, bool)> {
    let mut out = BTreeMap::new();
    for path in entries(folder) {
        let inside = format!("{prefix}/{}", file_name(&path));
        if path.is_dir() {
            out.extend(files_below(&path, &inside));
        } else {
            let is_executable = std::fs::metadata(&path).unwrap().permissions().mode() & 0o100 != 0;
            out.insert(inside, (std::fs::read(&path).unwrap(), is_executable));
        }
    }
    out
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut out: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    out.sort();
    out
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// Writes the page of a place.
struct PageWriter {
    sandbox: Sandbox,
    app: App,
    project: PathBuf,
    page: String,
}

impl PageWriter {
    fn new(project: &str, files: &BTreeMap<String, (Vec<u8>, bool)>) -> Self {
        let sandbox = Sandbox::new();
        let bin = sandbox.path("bin");
        let sandbox = sandbox.with_var("PATH", &bin);
        for program in PROGRAMS {
            sandbox.script(&format!("bin/{program}"), "");
        }
        symlink("dash", bin.join("sh")).unwrap();
        for (path, (bytes, is_executable)) in files {
            let path = sandbox.write(path, bytes);
            let mode = if *is_executable { 0o755 } else { 0o644 };
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let project = sandbox.path(project);
        let vars = sandbox.environment().into_iter().collect();
        let env = HostEnv::new(vars, project.clone(), bin.join("hookwright")).unwrap();
        Self {
            app: App::open(env, ProcessRole::OneShot, Clock::new(|| NOW)),
            sandbox,
            project,
            page: String::new(),
        }
    }

    /// The document of a command. The project is added to its parameters.
    fn called(&self, method: &str, mut params: Value) -> Value {
        params["project"] = self.project.to_str().into();
        // An answer looks at the history with a time limit, so it needs a clock.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        document(runtime.block_on(commands::call(&self.app, method, params)))
    }

    fn listed(&self, dialect: &str) -> Value {
        let project = self.app.workspace.read_dialect(&self.project, dialect).unwrap();
        json!(hooks::list(&self.app, &project.snapshot(), Some(dialect), None))
    }

    fn checked(&self) -> Value {
        let project = self.app.workspace.open_project(&self.project).unwrap();
        json!(check::check_project(&self.app, &project.snapshot(), None))
    }

    fn trust_list(&self) -> Value {
        let project = self.app.workspace.open_project(&self.project).unwrap();
        json!(review::trust_doc(&self.app, &project.snapshot()))
    }

    fn section(&mut self, title: &str, document: &Value) {
        write!(self.page, "── {title}\n{}\n", lines(document, 0)).unwrap();
    }

    /// Adds what an edit would do: its document, and under it the diff.
    fn edit(&mut self, title: &str, mut document: Value) {
        let fields = document.as_object_mut().unwrap();
        let diff = fields.remove("diff");
        // The same once more.
        fields.remove("changes");
        self.section(title, &document);
        self.page += diff.as_ref().and_then(Value::as_str).unwrap_or_default();
    }

    fn edits(&mut self, title: &str, method: &str, mut params: Value) {
        params["dry_run"] = true.into();
        let document = self.called(method, params);
        self.edit(title, document);
    }

    /// The page with the paths of the sandbox replaced.
    fn finish(self) -> String {
        let mut page = self.page;
        for (path, word) in [
            (self.project, "PROJECT"),
            (self.sandbox.home(), "HOME"),
            (self.sandbox.path(""), "SANDBOX/"),
        ] {
            page = page.replace(path.to_str().unwrap(), word);
        }
        without_uids(&page)
    }
}

/// The page with a word in the place of each identity: it depends on where the sandbox is.
fn without_uids(page: &str) -> String {
    const UID: &str = "\"uid\": \"";
    let mut parts = page.split(UID);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once('"').unwrap();
        out += &format!("{UID}UID\"{rest}");
    }
    out
}

/// A result as JSON: a fault is a document too.
fn document<T: Serialize>(result: Result<T, Fault>) -> Value {
    result.map_or_else(|fault| json!({"fault": fault}), |document| json!(document))
}

/// A document with each list and object on one line where that fits.
fn lines(value: &Value, indent: usize) -> String {
    let short = one_line(value);
    if indent + short.chars().count() <= MAX_WIDTH {
        return short;
    }
    let pad = " ".repeat(indent + 1);
    let inner = |value: &Value| lines(value, indent + 1);
    let (open, close, parts): (_, _, Vec<String>) = match value {
        Value::Array(items) => (
            '[',
            ']',
            items.iter().map(|item| format!("{pad}{}", inner(item))).collect(),
        ),
        Value::Object(fields) => {
            let part = |(name, value): (&String, &Value)| format!("{pad}{}: {}", json!(name), inner(value));
            ('{', '}', fields.iter().map(part).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return short,
    };
    format!("{open}\n{}\n{}{close}", parts.join(",\n"), " ".repeat(indent))
}

fn one_line(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(one_line).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let part = |(name, value): (&String, &Value)| format!("{}: {}", json!(name), one_line(value));
            let fields: Vec<String> = fields.iter().map(part).collect();
            format!("{{{}}}", fields.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

fn page(place: &Place) -> String {
    let mut writer = PageWriter::new(&place.project, &place.files);
    let dialect = place.dialect.as_str();
    let list = writer.listed(dialect);
    let rows = list["hooks"].as_array().unwrap().clone();
    writer.section("list", &list);
    let checked = writer.checked();
    writer.section("check", &checked);
    let trust = writer.trust_list();
    writer.section("trust --list", &trust);
    let mut events = place.events.clone();
    for row in &rows {
        events
            .entry(row["event"].as_str().unwrap().to_owned())
            .or_insert(json!({}));
    }
    for (event, payload) in events {
        let params = json!({"dialect": dialect, "event": event, "payload": payload});
        let explained = writer.called("explain", params);
        writer.section(&format!("explain {event}"), &explained);
    }
    for to in &place.converted_to {
        let converted = document(convert::convert_path(&writer.app, dialect, to, &writer.project, None));
        writer.section(&format!("convert --to {to}"), &converted);
    }
    edit_pages(&mut writer, dialect, &rows);
    let mut page = writer.finish();
    if place.name.starts_with("samples/") {
        page += &connect_page(place);
    }
    page
}

fn edit_pages(writer: &mut PageWriter, dialect: &str, rows: &[Value]) {
    let (event, layer, definition) = added_hook(dialect);
    let params = json!({"dialect": dialect, "event": event, "layer": layer, "definition": definition});
    writer.edits("add", "edit.add", params);
    let (field, value) = changed_field(dialect);
    for row in rows {
        let hook = row["hook"].as_str().unwrap();
        let mut changes = vec![
            (
                format!("--set {field}={value}"),
                json!([{"do": "set", "field": field, "value": value}]),
            ),
            ("--duplicate".to_owned(), json!([{"do": "duplicate"}])),
            (
                "--to-layer user".to_owned(),
                json!([{"do": "to_layer", "layer": "user"}]),
            ),
        ];
        if row["in_list"]["place"].as_u64().is_some_and(|place| place > 1) {
            changes.push(("--move-to 1".to_owned(), json!([{"do": "move_to", "place": 1}])));
        }
        for (words, steps) in changes {
            writer.edits(
                &format!("edit {hook} {words}"),
                "edit.change",
                json!({"hook": hook, "steps": steps}),
            );
        }
        writer.edits(&format!("remove {hook}"), "edit.remove", json!({"hook": hook}));
        writer.edits(&format!("turn-off {hook}"), "hook.turn_off", json!({"hook": hook}));
    }
}

/// What `connect` would do if the hooks of a sample were the user's own.
fn connect_page(place: &Place) -> String {
    let of_user = |path: &str| {
        let path = path.strip_prefix("project/").unwrap_or(path);
        let path = path.replacen(".jcli/", ".jdata/agent/", 1);
        format!("home/{}", path.replacen(".agents/", ".config/agents/", 1))
    };
    let files = place.files.iter().map(|(path, file)| (of_user(path), file.clone()));
    let mut writer = PageWriter::new("project", &files.collect());
    for (title, wrap) in [
        ("connect", WrapMode::OwnHooksStay),
        ("connect --wrap", WrapMode::WrapOwnHooks),
    ] {
        let workspace = &writer.app.workspace;
        let result = relay_hooks::connect(
            workspace,
            &writer.project,
            &place.dialect,
            wrap,
            TrustMode::UserReviews,
            WriteMode::DryRun,
        );
        let connected = document(result.map_err(|refusal: EditRefusal| Fault::from(refusal.message())));
        writer.edit(title, connected);
    }
    writer.finish()
}

/// The pages of all places, made by as many threads as there are processors.
fn every_page(places: &[Place]) -> BTreeMap<String, String> {
    let next = AtomicUsize::new(0);
    let pages = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let page = page(place);
                    let mut pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
                    pages.insert(format!("{}.txt", place.name), page);
                }
            });
        }
    });
    pages.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn hookwright_says_the_same_as_before() {
    let folder = workspace().join("tests/fixtures/frozen");
    let pages = every_page(&every_place());
    if std::env::var_os("HOOKWRIGHT_BLESS").is_some() {
        let _none_yet = std::fs::remove_dir_all(&folder);
        for (path, page) in &pages {
            let path = folder.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, page).unwrap();
        }
        return;
    }
    let known: BTreeSet<String> = files_below(&folder, "")
        .keys()
        .map(|path| path[1..].to_owned())
        .collect();
    let mut wrong: Vec<String> = known
        .iter()
        .filter(|path| !pages.contains_key(*path))
        .map(|path| format!("{path}: its hooks are no longer there"))
        .collect();
    for (path, page) in &pages {
        let before = std::fs::read_to_string(folder.join(path)).unwrap_or_default();
        wrong.extend(first_difference(&before, page).map(|difference| format!("{path}: {difference}")));
    }
    assert!(
        wrong.is_empty(),
        "{} of {} pages differ; `./dev bless` writes them, `git diff` shows it\n{}",
        wrong.len(),
        pages.len(),
        wrong.join("\n")
    );
}

/// Where two pages differ first: the section, and the line of both.
fn first_difference(before: &str, now: &str) -> Option<String> {
    let (mut old, mut new) = (before.lines(), now.lines());
    let mut section = "";
    loop {
        match (old.next(), new.next()) {
            (None, None) => return (before != now).then(|| "the last line break".to_owned()),
            (one, other) if one == other => {
                section = one.filter(|line| line.starts_with("── ")).unwrap_or(section);
            }
            (one, other) => {
                let text = |line: Option<&str>| line.unwrap_or("(nothing)").to_owned();
                return Some(format!("{section}\n  - {}\n  + {}", text(one), text(other)));
            }
        }
    }
}

/// The pages are made in one process. Here the program itself prints the documents, byte by byte.
#[test]
fn the_program_prints_the_documents_of_the_pages() {
    let places = every_place();
    let place = places
        .iter()
        .find(|place| place.name == "samples/jcli/starter")
        .unwrap();
    let writer = PageWriter::new(&place.project, &place.files);
    let hook = "jcli:project:pre_send_message:0";
    let printed = |words: &[&str]| writer.sandbox.run(words).stdout;
    let expected = |document: &Value| serde_json::to_string_pretty(document).unwrap() + "\n";
    let words = ["list", "--dialect", "jcli", "--json"];
    assert_eq!(printed(&words), expected(&writer.listed("jcli")));
    assert_eq!(printed(&["check", "--json"]), expected(&writer.checked()));
    assert_eq!(printed(&["trust", "--list", "--json"]), expected(&writer.trust_list()));
    let explained = writer.called("explain", json!({"dialect": "jcli", "event": "stop", "payload": {}}));
    let words = ["explain", "--dialect", "jcli", "--event", "stop", "--json"];
    assert_eq!(printed(&words), expected(&explained));
    let converted = document(convert::convert_path(
        &writer.app,
        "jcli",
        "qoder",
        &writer.project,
        None,
    ));
    let words = ["convert", "--from", "jcli", "--to", "qoder", ".", "--json"];
    assert_eq!(printed(&words), expected(&converted));
    for (words, method, params) in [
        (&["remove", hook][..], "edit.remove", json!({"hook": hook})),
        (&["turn-off", hook], "hook.turn_off", json!({"hook": hook})),
        (
            &["edit", hook, "--set", "timeout=7"],
            "edit.change",
            json!({"hook": hook, "steps": [{"do": "set", "field": "timeout", "value": 7}]}),
        ),
    ] {
        let mut params = params;
        params["dry_run"] = true.into();
        let words: Vec<&str> = words.iter().copied().chain(["--dry-run", "--json"]).collect();
        assert_eq!(printed(&words), expected(&writer.called(method, params)), "{words:?}");
    }
}
