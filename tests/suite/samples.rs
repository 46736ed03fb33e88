//! Tests every case of every `hooks-samples/*/*/sample.yaml` with the built program, each in a new copy of the sample.

use std::path::Path;
use std::process::Command;

use hookwright_testkit::{FakeModelServer, Running, Sandbox, differences};
use serde_json::{Value, json};

use crate::jcli::use_model;

include!(concat!(env!("OUT_DIR"), "/samples.rs"));

/// Tests every case of a sample. `check` must say nothing about its files that its page does not explain, and its hooks
/// must stay approved.
#[track_caller]
fn check_sample(dialect: &str, sample: &str) {
    let sample = Path::new(sample);
    let text = std::fs::read_to_string(sample.join("sample.yaml")).unwrap();
    let cases: Vec<Value> = yaml_serde::from_str(&text).unwrap_or_else(|error| panic!("sample.yaml: {error}"));
    assert!(!cases.is_empty(), "sample.yaml has no case");
    has_nothing_to_correct(sample);
    assert_stays_approved(dialect, sample, &cases);
    let wrong: Vec<String> = cases
        .iter()
        .flat_map(|case| failures_of(dialect, sample, case))
        .collect();
    assert!(wrong.is_empty(), "{}\n  {}", sample.display(), wrong.join("\n  "));
}

#[track_caller]
fn has_nothing_to_correct(sample: &Path) {
    let sandbox = Sandbox::new();
    copy(sample, &sandbox);
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let checked = sandbox.run(["check", "--import", "--json"]).assert_exit(0).json();
    let page = std::fs::read_to_string(sample.join("README.md")).unwrap();
    // A sample may show what a hint is about; then its page names the hint.
    let is_explained = |problem: &Value| {
        let code = problem["code"].as_str().unwrap();
        problem["severity"] == "hint" && page.contains(&format!("`{code}`"))
    };
    let problems = checked["problems"].as_array().unwrap().iter();
    let unexplained: Vec<&Value> = problems.filter(|problem| !is_explained(problem)).collect();
    assert!(
        unexplained.is_empty(),
        "a sample to learn from has nothing to correct: {unexplained:#?}"
    );
}

/// Asserts that runs revoke no approval. A hook of a sample must not write to a file that its approval covers.
#[track_caller]
fn assert_stays_approved(dialect: &str, sample: &Path, cases: &[Value]) {
    const RUNS: usize = 3;
    let sandbox = Sandbox::new();
    copy(sample, &sandbox);
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let plain: Vec<&Value> = cases
        .iter()
        .filter(|case| case["event"].is_string() && case["model"].is_null())
        .collect();
    for case in plain.iter().cycle().take(if plain.is_empty() { 0 } else { RUNS }) {
        let event = case["event"].as_str().unwrap_or_default();
        let args = [
            "fire",
            "--dialect",
            dialect,
            "--event",
            event,
            "--payload",
            "-",
            "--json",
        ];
        let trace = sandbox.run_with(case["payload"].to_string(), args).json();
        let steps = trace["steps"].as_array().unwrap();
        assert!(steps.iter().all(|step| step["reason"] != "untrusted"), "{trace:#}");
    }
    let doc = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert_eq!(doc["pending"], json!([]));
}

pub(crate) fn copy(sample: &Path, sandbox: &Sandbox) {
    let status = Command::new("cp")
        .arg("-R")
        .arg(sample.join("."))
        .arg(sandbox.project())
        .status()
        .unwrap();
    assert!(status.success());
}

fn failures_of(dialect: &str, sample: &Path, case: &Value) -> Vec<String> {
    let name = case["name"].as_str().expect("a case has a name");
    let sandbox = Sandbox::new();
    copy(sample, &sandbox);
    if let Some(setup) = case["setup"].as_str() {
        let done = sandbox.start_program(Path::new("/bin/sh"), ["-ec", setup]).finish();
        assert_eq!(done.code(), 0, "{name}: setup\n{done}");
    }
    let _server = case["server"].as_str().map(|script| start_server(&sandbox, script));
    let answers = case["model"]
        .as_array()
        .map(|texts| texts.iter().filter_map(Value::as_str).collect::<Vec<_>>());
    let model = answers.map(FakeModelServer::answering_in_turn);
    if let Some(model) = &model {
        use_model(&sandbox, model, "openai");
    }
    if let Some(scenario) = case["simulate"].as_str() {
        let doc = sandbox
            .run(["simulate", scenario, "--trust", "--json"])
            .assert_exit(0)
            .json();
        let wrong = differences(&case["expect"]["played"], &with_summary(&doc));
        return wrong.into_iter().map(|line| format!("{name}: {line}")).collect();
    }
    let event = case["event"].as_str().expect("a case has an event");
    let args = [
        "fire",
        "--dialect",
        dialect,
        "--event",
        event,
        "--payload",
        "-",
        "--trust",
        "--json",
    ];
    let fired = sandbox.run_with(case["payload"].to_string(), args);
    let trace = fired.json();
    compare(&case["expect"], &trace)
        .into_iter()
        .map(|line| format!("{name}: {line}"))
        .collect()
}

/// Starts the server of a sample at a free port, and writes that port into the settings.
fn start_server(sandbox: &Sandbox, script: &str) -> Running {
    let server = sandbox.start_program(Path::new("python3"), [script, "0"]);
    server.wait_for("the address of the server", || server.stdout().ends_with('\n'));
    let settings = sandbox.project().join(".claude/settings.json");
    let text = std::fs::read_to_string(&settings).unwrap();
    let own = text.replace("http://127.0.0.1:8787", server.stdout().trim());
    std::fs::write(&settings, own).unwrap();
    server
}

/// The result of a simulation with two more keys. `events` contains the names of its events, `seen` the names of the
/// hooks whose texts are in the model requests, per label of the request.
fn with_summary(doc: &Value) -> Value {
    let mut summary = doc.clone();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    summary["events"] = list(&doc["traces"])
        .iter()
        .map(|trace| trace["event"].clone())
        .collect();
    // If several requests have the same label, the last one is used.
    let mut seen = json!({});
    for call in list(&doc["llm_calls"]) {
        let hooks = list(&call["messages"]);
        let names = hooks
            .iter()
            .filter_map(|message| message["hook"].as_str()?.rsplit(':').next());
        seen[call["label"].as_str().unwrap_or_default()] = names.collect();
    }
    summary["seen"] = seen;
    summary
}

fn compare(expect: &Value, trace: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let steps = trace["steps"].as_array().unwrap();
    for (key, wanted) in expect.as_object().expect("expect is a mapping") {
        match key.as_str() {
            "verdict" => wrong.extend(differences(&json!({"verdict": {"kind": wanted}}), trace)),
            "payload_after" => wrong.extend(differences(&json!({"payload_after": wanted}), trace)),
            "reply" => wrong.extend(differences(&json!({"reply": {"json": wanted}}), trace)),
            "outcome" => {
                for (hook, outcome) in wanted.as_object().unwrap() {
                    let step = steps.iter().find(|step| step["hook"] == **hook);
                    let got = step.map_or(&Value::Null, |step| &step["outcome"]);
                    let why = step.map_or(&Value::Null, |step| &step["reason"]);
                    (got != outcome).then(|| wrong.push(format!("{hook}: wanted {outcome}, got {got} ({why})")));
                }
            }
            "payload_after_contains" => {
                for (field, part) in wanted.as_object().unwrap() {
                    wrong.extend(missing_text(&trace["payload_after"][field], part, field));
                }
            }
            "feedback_contains" => {
                wrong.extend(missing_text(&trace["verdict"]["feedback"], wanted, "verdict.feedback"))
            }
            "notice_contains" => wrong.extend(missing_text(&trace["notices"], wanted, "notices")),
            other => panic!("sample.yaml: `{other}` is no expectation"),
        }
    }
    wrong
}

fn missing_text(got: &Value, part: &Value, what: &str) -> Option<String> {
    let part = part.as_str().expect("a text to look for");
    let found = match got {
        Value::String(text) => text.contains(part),
        Value::Array(notices) => notices
            .iter()
            .any(|notice| notice["text"].as_str().is_some_and(|text| text.contains(part))),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    };
    (!found).then(|| format!("{what}: {part:?} does not stand in {got}"))
}
