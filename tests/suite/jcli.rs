//! Functions that the tests of the built program share: write j-cli's files, fire its events, read the results.

use std::path::PathBuf;

use hookwright_testkit::{FakeModelServer, Finished, Sandbox};
use serde_json::Value;

/// Writes the user's hook file.
pub fn user(sandbox: &Sandbox, yaml: &str) -> PathBuf {
    sandbox.write("home/.jdata/agent/hooks.yaml", yaml)
}

/// Writes the project's hook file.
pub fn project(sandbox: &Sandbox, yaml: &str) -> PathBuf {
    sandbox.write("project/.jcli/hooks.yaml", yaml)
}

/// Creates a sandbox in which the user has these hooks.
pub fn with_user_hooks(yaml: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    user(&sandbox, yaml);
    sandbox
}

/// Fires an event with the payload on stdin. `more` are further arguments.
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

/// Fires an event and returns its trace.
#[track_caller]
pub fn trace(sandbox: &Sandbox, event: &str, payload: &Value) -> Value {
    fire(sandbox, event, payload, &[]).json()
}

/// One line per step, in the order of the trace: `key outcome` or `key skipped:reason`. The key is the hook id without
/// dialect and layer.
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

/// The texts of all notices of a trace.
pub fn notices(trace: &Value) -> Vec<&str> {
    let notices = trace["notices"].as_array().expect("a trace has notices");
    notices.iter().filter_map(|notice| notice["text"].as_str()).collect()
}

/// Writes settings that use the fake model server.
pub fn use_model(sandbox: &Sandbox, model: &FakeModelServer, provider: &str) {
    let text = format!(
        "[model]\nprovider = \"{provider}\"\nbase_url = \"{}\"\nmodel = \"m\"\napi_key = \"k\"\n",
        model.url()
    );
    sandbox.write("data/settings.toml", text);
}

/// `severity code` of each problem of a document, in order.
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
