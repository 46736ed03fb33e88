//! Tests of approvals of commands with their own working directory (`engine.md` §3, §8).

use hookwright_testkit::Sandbox;
use serde_json::json;

/// A script that responds to every request with an empty result. It creates the file `sign`, which shows what script
/// ran.
fn script(sign: &str) -> String {
    format!(
        "#!/bin/sh\ntouch {sign}\nexec python3 -c 'import json,sys\nfor l in sys.stdin:\n m=json.loads(l)\n if \"id\" in m: \
         print(json.dumps({{\"id\":m[\"id\"],\"result\":{{}}}}),flush=True)'\n"
    )
}

fn with_dir(dir: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let entry = json!({"enabled": true, "command": ["./run.sh"], "dir": dir, "intercept": ["before_tool"]});
    let config = json!({ "hooks": { "processes": { "p": entry } } });
    sandbox.write("project/.picoclaw/config.json", config.to_string());
    sandbox
}

fn fire(sandbox: &Sandbox) -> String {
    let args = ["fire", "--dialect", "picoclaw", "--event", "before_tool", "--json"];
    let trace = sandbox.run(args).assert_exit(0).json();
    trace["steps"][0]["outcome"].as_str().unwrap().to_owned()
}

#[test]
fn a_script_that_replaces_a_missing_one_of_the_folder_is_covered() {
    let sandbox = with_dir("nope");
    sandbox.script("project/run.sh", &script("approved"));
    sandbox.run(["trust", "picoclaw:project:p", "--yes"]).assert_exit(0);
    assert_eq!(fire(&sandbox), "no_opinion");
    sandbox.script("project/run.sh", &script("swapped"));
    assert_eq!(fire(&sandbox), "skipped");
    assert!(!sandbox.path("project/swapped").exists());
    // The configured working directory now exists and contains another script of the same name.
    sandbox.script("project/run.sh", &script("approved"));
    assert_eq!(fire(&sandbox), "no_opinion");
    sandbox.script("project/nope/run.sh", &script("../swapped"));
    assert_eq!(fire(&sandbox), "skipped");
    assert!(!sandbox.path("project/swapped").exists());
}

#[test]
fn the_script_of_the_folder_and_the_one_of_that_name_in_the_project_are_covered() {
    let sandbox = with_dir("tools");
    sandbox.script("project/tools/run.sh", &script("approved"));
    sandbox.script("project/run.sh", &script("other"));
    sandbox.run(["trust", "picoclaw:project:p", "--yes"]).assert_exit(0);
    assert_eq!(fire(&sandbox), "no_opinion");
    sandbox.script("project/run.sh", &script("another"));
    assert_eq!(fire(&sandbox), "skipped");
    sandbox.script("project/run.sh", &script("other"));
    assert_eq!(fire(&sandbox), "no_opinion");
    sandbox.script("project/tools/run.sh", &script("swapped"));
    assert_eq!(fire(&sandbox), "skipped");
    std::fs::remove_dir_all(sandbox.path("project/tools")).unwrap();
    assert_eq!(fire(&sandbox), "skipped");
}
