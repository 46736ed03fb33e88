//! Trust of hooks that set variables for their own process: what is approved is what will run with them.

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::jcli::outcomes;

const SCRIPT: &str = "#!/bin/sh\ntouch \"$HOME/ran\"\n";
/// Where the scripts of these tests lie in the project.
const FILES: [&str; 5] = ["g.sh", "sub/g.sh", "sub/gate", "bin/gate", "in/sub/g.sh"];
/// What every review ends with.
const STARTS: &str =
    "what these files start or read in turn (imported modules, programs, package scripts) is not covered";

/// A project with one entry of Qoder, and these scripts.
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

/// The covered files, seen from the project.
#[track_caller]
fn covered(sandbox: &Sandbox) -> Vec<String> {
    let doc = sandbox.run(["trust", "--list", "--json"]).exits(0).json();
    let files = doc["pending"][0]["files"].as_array().unwrap().iter();
    let project = format!("{}/", sandbox.project().display());
    files
        .map(|file| file["path"].as_str().unwrap().replace(&project, ""))
        .collect()
}

/// What the review says of the rest.
#[track_caller]
fn not_covered(sandbox: &Sandbox) -> Vec<String> {
    let done = sandbox.run(["trust", "qoder:project:Stop:settings.0.0"]).exits(1);
    let lines = done.stdout.lines().map(str::trim);
    lines
        .filter(|line| line.contains("not covered"))
        .map(str::to_owned)
        .collect()
}

#[track_caller]
fn stop(sandbox: &Sandbox) -> Vec<String> {
    let fire = ["fire", "--dialect", "qoder", "--event", "Stop", "--json"];
    outcomes(&sandbox.run(fire).json())
}

#[test]
fn words_mean_what_they_will_mean_with_the_variables_of_the_entry() {
    for (entry, file) in [
        (
            json!({"command": "sh \"$QODER_PROJECT_DIR/g.sh\"", "env": {"QODER_PROJECT_DIR": "{project}/sub"}}),
            "sub/g.sh",
        ),
        (
            json!({"command": "sh ${QODER_PROJECT_DIR:-.}/g.sh", "env": {"QODER_PROJECT_DIR": "sub"}}),
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
            json!({"command": "X=\"$D\"/g.sh; sh -c 'exec \"$D/g.sh\"'; sh $X", "env": {"D": "{project}/sub"}}),
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
        assert_eq!(covered(&sandbox), [file], "{entry}");
        assert_eq!(not_covered(&sandbox), [STARTS], "{entry}");
        sandbox.run(["trust", "--all"]).exits(0);
        assert_eq!(stop(&sandbox), ["Stop:settings.0.0 no_opinion"], "{entry}");
        sandbox.script(&format!("project/{file}"), "#!/bin/sh\necho other\n");
        assert_eq!(stop(&sandbox), ["Stop:settings.0.0 skipped:untrusted"], "{entry}");
    }
}

#[test]
fn a_program_that_comes_before_the_approved_one_on_the_path_is_not_approved() {
    let sandbox = with_entry(json!({"command": "gate", "env": {"PATH": "{project}/in:{project}/sub:/usr/bin"}}));
    sandbox.run(["trust", "--all"]).exits(0);
    assert_eq!(stop(&sandbox), ["Stop:settings.0.0 no_opinion"]);
    sandbox.script("project/in/gate", SCRIPT);
    assert_eq!(stop(&sandbox), ["Stop:settings.0.0 skipped:untrusted"]);
}

#[test]
fn a_program_on_a_relative_path_is_not_swapped_by_the_directory_of_the_run() {
    let sandbox = with_entry(json!({"command": "gate", "env": {"PATH": "bin:/usr/bin:/bin"}}));
    sandbox.script("project/in/bin/gate", "#!/bin/sh\ntouch \"$HOME/swapped\"\n");
    sandbox.run(["trust", "--all"]).exits(0);
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
fn what_a_variable_of_the_entry_makes_unknown_is_said() {
    for (entry, said) in [
        (
            json!({"command": "sh $D/g.sh", "env": {"D": "a b"}}),
            "not covered: $D/g.sh, because $D is only known when it runs",
        ),
        (
            json!({"command": "QODER_PROJECT_DIR=x; sh $QODER_PROJECT_DIR/g.sh", "env": {"QODER_PROJECT_DIR": "sub"}}),
            "not covered: $QODER_PROJECT_DIR/g.sh, because the command itself changes $QODER_PROJECT_DIR",
        ),
        (
            json!({"command": "read D; sh $D/g.sh", "env": {"D": "sub"}}),
            "not covered: $D/g.sh, because $D is only known when it runs",
        ),
        (
            json!({"command": "cd sub && sh g.sh", "env": {"CDPATH": "in"}}),
            "not covered: g.sh, because $CDPATH is only known when it runs",
        ),
        (
            json!({"command": "PATH=bin:$PATH gate"}),
            "not covered: programs that are found by their names, because the command itself changes $PATH",
        ),
        (
            json!({"command": "true", "shell": "bash", "env": {"BASH_ENV": "$HOME/x"}}),
            "not covered: $HOME/x, because $HOME/x is only known when it runs",
        ),
    ] {
        let sandbox = with_entry(entry.clone());
        let found = not_covered(&sandbox);
        assert!(found.iter().any(|line| line == said), "{entry}: {found:#?}");
    }
}

#[test]
fn a_process_of_picoclaw_is_looked_for_where_its_entry_says() {
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
fn a_field_that_no_process_gets_changes_no_word() {
    let sandbox = Sandbox::new();
    for file in FILES {
        sandbox.script(&format!("project/{file}"), SCRIPT);
    }
    let entry = "stop:\n  - command: 'sh \"$JCLI_CWD/g.sh\"'\n    env: {JCLI_CWD: sub}\n";
    sandbox.write("project/.jcli/hooks.yaml", entry);
    assert_eq!(covered(&sandbox), ["g.sh"]);
}

#[test]
fn what_a_shell_makes_of_a_variable_is_told_where_it_is_not_known() {
    for entry in [
        json!({"command": "eval \"$CMD\"", "env": {"CMD": "sh<./g.sh"}}),
        json!({"command": "sh -c \"$CMD\"", "env": {"CMD": "./g.sh;true"}}),
        json!({"command": "IFS=:; $CMD", "env": {"CMD": "sh"}}),
        json!({"shell": "bash", "command": "mapfile -t X < f; sh $X", "env": {"X": "g.sh"}}),
        json!({"command": "getopts a X -a; sh $X", "env": {"X": "g.sh"}}),
        json!({"command": "env -i sh -c 'sh ${X:-sub/g.sh}'", "env": {"X": "g.sh"}}),
        json!({"command": "env -u X sh -c 'sh ${X:-sub/g.sh}'", "env": {"X": "g.sh"}}),
        json!({"command": "env -u QODER_PROJECT_DIR sh -c 'sh \"${QODER_PROJECT_DIR:-./sub}/g.sh\"'"}),
        json!({"command": "env --unset=HOME sh -c 'sh ~/g.sh'"}),
        json!({"command": ". ./sub/g.sh; sh $X", "env": {"X": "g.sh"}}),
        json!({"command": "sh $HOOKWRIGHT_DEPTH", "env": {"HOOKWRIGHT_DEPTH": "g.sh"}}),
        json!({"command": "bash -c true", "env": {"BASH_ENV": "~other/g.sh"}}),
        json!({"command": "bash -c ls", "env": {"BASH_FUNC_ls%%": "() { sh ./sub/g.sh; }"}}),
    ] {
        let sandbox = with_entry(entry.clone());
        let told = not_covered(&sandbox);
        assert!(
            told.iter().any(|line| line.starts_with("not covered")),
            "{entry}: {told:?}"
        );
    }
    let sandbox =
        with_entry(json!({"command": "bash -c true", "env": {"BASH_ENV": "~/sub/g.sh", "HOME": "{project}"}}));
    assert_eq!(covered(&sandbox), ["sub/g.sh"]);
}
