//! Tests of trust for hooks that set variables of their process. The approval covers the files that run with these
//! variables.

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::jcli::outcomes;

const SCRIPT: &str = "#!/bin/sh\ntouch \"$HOME/ran\"\n";
/// Paths of the scripts of these tests in the project.
const FILES: [&str; 5] = ["g.sh", "sub/g.sh", "sub/gate", "bin/gate", "in/sub/g.sh"];

/// Creates a project with one Qoder entry and the scripts of [`FILES`].
fn with_entry(mut entry: Value) -> Sandbox {
    let sandbox = Sandbox::new();
    for file in FILES {
        sandbox.script(&format!("project/{file}"), SCRIPT);
    }
    entry["type"] = "command".into();
    let text = json!({"hooks": {"Stop": [{"hooks": [entry]}]}}).to_string();
    let project = sandbox.project().display().to_string();
    sandbox.write("project/.qoder/settings.json", text.replace("{project}", &project));
    sandbox
}

#[track_caller]
fn pending(sandbox: &Sandbox) -> Value {
    let doc = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    doc["pending"][0].clone()
}

/// The covered files, relative to the project.
#[track_caller]
fn covered(sandbox: &Sandbox) -> Vec<String> {
    let item = pending(sandbox);
    let project = format!("{}/", sandbox.project().display());
    let files = item["files"].as_array().unwrap().iter();
    files
        .map(|file| file["path"].as_str().unwrap().replace(&project, ""))
        .collect()
}

#[track_caller]
fn stop(sandbox: &Sandbox) -> Vec<String> {
    let fire = ["fire", "--dialect", "qoder", "--event", "Stop", "--json"];
    outcomes(&sandbox.run(fire).json())
}

#[test]
fn paths_are_resolved_with_the_variables_of_the_entry() {
    for (entry, file) in [
        (
            json!({"command": "sh \"$QODER_PROJECT_DIR/g.sh\"", "env": {"QODER_PROJECT_DIR": "{project}/sub"}}),
            "sub/g.sh",
        ),
        (
            json!({"command": "sh ~/g.sh", "env": {"HOME": "{project}/sub"}}),
            "sub/g.sh",
        ),
        (
            json!({"command": "cd && sh g.sh", "env": {"HOME": "{project}/sub"}}),
            "sub/g.sh",
        ),
        (
            json!({"command": "cd \"$D\" && sh g.sh", "env": {"D": "sub"}}),
            "sub/g.sh",
        ),
        (
            json!({"command": "gate", "env": {"PATH": "/usr/bin:{project}/sub"}}),
            "sub/gate",
        ),
        (
            json!({"command": "nohup gate", "env": {"PATH": "/usr/bin:bin"}}),
            "bin/gate",
        ),
        (
            json!({"command": "gate", "args": ["x"], "env": {"PATH": "{project}/bin:/usr/bin"}}),
            "bin/gate",
        ),
        (
            json!({"command": "exit 0", "shell": "bash", "env": {"BASH_ENV": "sub/g.sh"}}),
            "sub/g.sh",
        ),
    ] {
        let sandbox = with_entry(entry.clone());
        let files = covered(&sandbox);
        assert!(files.iter().any(|known| known == file), "{entry}: {files:?}");
        sandbox.run(["trust", "--all"]).assert_exit(0);
        assert_eq!(stop(&sandbox), ["Stop:settings.0.0 no_opinion"], "{entry}");
        sandbox.script(&format!("project/{file}"), "#!/bin/sh\necho other\n");
        assert_eq!(stop(&sandbox), ["Stop:settings.0.0 skipped:untrusted"], "{entry}");
    }
}

#[test]
fn a_program_that_comes_before_the_approved_one_on_the_path_is_not_approved() {
    let sandbox = with_entry(json!({"command": "gate", "env": {"PATH": "{project}/in:{project}/sub:/usr/bin"}}));
    sandbox.run(["trust", "--all"]).assert_exit(0);
    assert_eq!(stop(&sandbox), ["Stop:settings.0.0 no_opinion"]);
    sandbox.script("project/in/gate", SCRIPT);
    assert_eq!(stop(&sandbox), ["Stop:settings.0.0 skipped:untrusted"]);
}

#[test]
fn a_program_on_a_relative_path_is_not_swapped_by_the_directory_of_the_run() {
    let sandbox = with_entry(json!({"command": "gate", "env": {"PATH": "bin:/usr/bin:/bin"}}));
    sandbox.script("project/in/bin/gate", "#!/bin/sh\ntouch \"$HOME/swapped\"\n");
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let fire = [
        "fire",
        "--dialect",
        "qoder",
        "--event",
        "Stop",
        "--payload",
        "-",
        "--json",
    ];
    let payload = json!({"cwd": sandbox.path("project/in")}).to_string();
    let trace = sandbox.run_with(payload, fire).json();
    assert_eq!(trace["notices"][0]["code"], "cwd_replaced");
    assert!(!sandbox.path("home/swapped").exists());
}

#[test]
fn a_path_made_unknown_by_a_variable_is_reported() {
    for entry in [
        json!({"command": "read D; sh $D/g.sh"}),
        json!({"command": "sh $D/g.sh"}),
        json!({"command": "eval \"$CMD\"", "env": {"CMD": "sh<./g.sh"}}),
        json!({"shell": "bash", "command": "mapfile -t X < f; sh $X"}),
        json!({"command": "getopts a X -a; sh $X"}),
        json!({"command": "sh $HOOKWRIGHT_DEPTH", "env": {"HOOKWRIGHT_DEPTH": "g.sh"}}),
    ] {
        let item = pending(&with_entry(entry.clone()));
        let codes = item["not_covered"].as_array().unwrap().iter();
        assert!(
            codes.clone().any(|said| said["code"] == "computes_names"),
            "{entry}: {item:#}"
        );
    }
}

#[test]
fn a_picoclaw_process_is_found_by_the_path_and_directory_of_its_entry() {
    let sandbox = Sandbox::new();
    for file in FILES {
        sandbox.script(&format!("project/{file}"), SCRIPT);
    }
    let path = format!("{}:/usr/bin", sandbox.path("project/bin").display());
    let process = json!({"enabled": true, "command": ["gate"], "env": {"PATH": path}, "intercept": ["before_tool"]});
    let config = json!({"hooks": {"enabled": true, "processes": {"guard": process}}});
    sandbox.write("project/.picoclaw/config.json", config.to_string());
    assert_eq!(covered(&sandbox), ["bin/gate"]);
}

#[test]
fn a_variable_that_no_process_receives_changes_no_path() {
    let sandbox = Sandbox::new();
    for file in FILES {
        sandbox.script(&format!("project/{file}"), SCRIPT);
    }
    let entry = "stop:\n  - command: 'sh \"$JCLI_CWD/g.sh\"'\n    env: {JCLI_CWD: sub}\n";
    sandbox.write("project/.jcli/hooks.yaml", entry);
    assert_eq!(covered(&sandbox), ["g.sh"]);
}

#[test]
fn the_approval_covers_the_fields_of_the_group() {
    let sandbox = Sandbox::new();
    let group = |group: Value| {
        let mut group = group;
        group["hooks"] = json!([{"type": "command", "command": "exit 0"}]);
        sandbox.write(
            "project/.qoder/settings.json",
            json!({"hooks": {"Stop": [group]}}).to_string(),
        );
    };
    group(json!({}));
    sandbox.run(["trust", "--all"]).assert_exit(0);
    group(json!({"matcher": "*"}));
    assert_eq!(
        stop(&sandbox),
        ["Stop:settings.0.0 no_opinion"],
        "it leaves nothing out either"
    );
    for other in [json!({"matcher": "Bash"}), json!({"async": true})] {
        group(other.clone());
        let item = pending(&sandbox);
        assert_eq!(
            (&item["inherited"], &item["old"]["inherited"], &item["old"]["reason"]),
            (&json!(other.to_string()), &json!(""), &json!("changed")),
            "{item:#}"
        );
    }
}

#[test]
fn the_approval_covers_the_defaults_that_apply() {
    let sandbox = Sandbox::new();
    let config = |defaults: Value| {
        let entry = json!({"enabled": true, "command": ["true"], "intercept": ["before_tool"]});
        let config = json!({"hooks": {"defaults": defaults, "processes": {"p": entry}}});
        sandbox.write("project/.picoclaw/config.json", config.to_string());
        let doc = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
        doc["pending"].as_array().unwrap().len()
    };
    assert_eq!(config(json!({})), 1);
    sandbox.run(["trust", "--all"]).assert_exit(0);
    assert_eq!(config(json!({"observer_timeout_ms": 900})), 0, "it observes nothing");
    assert_eq!(config(json!({"interceptor_timeout_ms": 9000})), 1);
}
