//! Words that the black-box tests share: where jcli's files are, firing its events, reading what comes back.

use std::path::PathBuf;

use hookwright_testkit::{FakeModelServer, Finished, Sandbox};
use serde_json::Value;

/// Writes the person's own hooks.
pub fn user(sandbox: &Sandbox, yaml: &str) -> PathBuf {
    sandbox.write("home/.jdata/agent/hooks.yaml", yaml)
}

/// Writes the project's hooks.
pub fn project(sandbox: &Sandbox, yaml: &str) -> PathBuf {
    sandbox.write("project/.jcli/hooks.yaml", yaml)
}

/// A machine whose person has these hooks.
pub fn with_user_hooks(yaml: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    user(&sandbox, yaml);
    sandbox
}

/// Fires an event with a payload on stdin; `more` are further flags.
pub fn fire(sandbox: &Sandbox, event: &str, payload: &Value, more: &[&str]) -> Finished {
    let args = [
        "fire",
        "--dialect",
        "jcli",
        "--event",
        event,
        "--payload",
        "-",
        "--json",
    ];
    sandbox.run_with(payload.to_string(), args.iter().chain(more))
}

/// The trace of an event that could be fired.
#[track_caller]
pub fn trace(sandbox: &Sandbox, event: &str, payload: &Value) -> Value {
    fire(sandbox, event, payload, &[]).json()
}

/// `hook-key outcome` or `hook-key skipped:reason`, in the order of the trace; ids without dialect and layer.
pub fn outcomes(trace: &Value) -> Vec<String> {
    let steps = trace["steps"].as_array().expect("a trace has steps");
    let of = |step: &Value| {
        let hook = step["hook"].as_str().expect("a step has a hook");
        let key = hook.splitn(3, ':').nth(2).unwrap_or(hook);
        let outcome = step["outcome"].as_str().expect("a step has an outcome");
        match step["reason"].as_str().filter(|_| outcome == "skipped") {
            Some(reason) => format!("{key} skipped:{reason}"),
            None => format!("{key} {outcome}"),
        }
    };
    steps.iter().map(of).collect()
}

/// Texts of the notices.
pub fn notices(trace: &Value) -> Vec<&str> {
    let notices = trace["notices"].as_array().expect("a trace has notices");
    notices.iter().filter_map(|notice| notice["text"].as_str()).collect()
}

/// Settings that point at a model on loopback.
pub fn use_model(sandbox: &Sandbox, model: &FakeModelServer, provider: &str) {
    let text = format!(
        "[model]\nprovider = \"{provider}\"\nbase_url = \"{}\"\nmodel = \"m\"\napi_key = \"k\"\n",
        model.url()
    );
    sandbox.write("data/settings.toml", text);
}

/// Codes of a document's problems, with severity, in order.
pub fn codes(document: &Value) -> Vec<String> {
    let problems = document["problems"].as_array().expect("a list of problems");
    let of = |problem: &Value| {
        Some(format!(
            "{} {}",
            problem["severity"].as_str()?,
            problem["code"].as_str()?
        ))
    };
    problems.iter().filter_map(of).collect()
}
