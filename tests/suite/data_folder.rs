//! A data folder that version 0.1.0 left is opened with everything that is in it (`tests/fixtures/data-0.1.0`).

use std::path::{Path, PathBuf};

use hookwright_testkit::Sandbox;
use hookwright_testkit::program::workspace;
use serde_json::Value;

/// The user's hooks when the folder was made.
const USER_HOOKS: &str = r#"pre_send_message:
  - command: 'cat >/dev/null; echo "{\"user_input\": \"hi, it is noon\"}"'
  - command: 'exit 0'
stop:
  - command: 'exit 0'
pre_tool_execution:
  - command: 'cat >/dev/null; echo "{\"action\": \"stop\"}"'
    filter: {tool_name: Bash}
"#;

/// The hooks of the project.
const PROJECT_HOOKS: &str = "stop:\n  - command: 'echo done >&2'\n";

fn fixture() -> PathBuf {
    workspace().join("tests/fixtures/data-0.1.0")
}

/// A sandbox with the hooks and a copy of the data folder. Paths in files of texts lead into the sandbox.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("home/.jdata/agent/hooks.yaml", USER_HOOKS);
    sandbox.write("project/.jcli/hooks.yaml", PROJECT_HOOKS);
    let data = fixture().join("data");
    sandbox.write("data/history.db", std::fs::read(data.join("history.db")).unwrap());
    for file in std::fs::read_dir(data.join("spool")).unwrap().flatten() {
        let name = file.file_name().into_string().unwrap();
        sandbox.write(&format!("data/spool/{name}"), std::fs::read(file.path()).unwrap());
    }
    for name in ["settings.toml", "mutes.json", "trust.json"] {
        let text = std::fs::read_to_string(data.join(name)).unwrap();
        let text = text
            .replace("/srv/example/home", &sandbox.home().display().to_string())
            .replace("/srv/example/project", &sandbox.project().display().to_string());
        let path = sandbox.write(&format!("data/{name}"), text);
        restrict(&path);
    }
    sandbox
}

/// Takes the access of group and others away, as the program does.
fn restrict(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

fn expected() -> Value {
    serde_json::from_str(&std::fs::read_to_string(fixture().join("expected.json")).unwrap()).unwrap()
}

/// Whether `value` has everything that `wanted` has. A later version may have more fields.
fn contains(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Object(value), Value::Object(wanted)) => wanted
            .iter()
            .all(|(name, wanted)| value.get(name).is_some_and(|value| contains(value, wanted))),
        (Value::Array(value), Value::Array(wanted)) => {
            value.len() == wanted.len() && value.iter().zip(wanted).all(|(value, wanted)| contains(value, wanted))
        }
        (value, wanted) => value == wanted,
    }
}

#[test]
fn every_trace_of_the_folder_is_there() {
    let sandbox = sandbox();
    let expected = expected();
    let listed = sandbox
        .run(["history", "--json", "--limit", "100"])
        .assert_exit(0)
        .json();
    assert_eq!(listed["traces"].as_array().map(Vec::len), Some(8));
    assert!(contains(&listed["traces"], &expected["rows"]), "{listed:#}");
    for wanted in expected["traces"].as_array().unwrap() {
        let id = wanted["trace"].as_str().unwrap();
        let shown = sandbox.run(["show", id, "--json"]).assert_exit(0).json();
        assert_eq!(&shown, wanted, "{id}");
    }
    let left = std::fs::read_dir(sandbox.data().join("spool")).unwrap().count();
    assert_eq!(left, 0, "the spool is imported");
}

#[test]
fn every_metric_of_the_folder_is_there() {
    let sandbox = sandbox();
    let expected = expected();
    let stats = sandbox
        .run(["stats", "--json", "--since", "36500d"])
        .assert_exit(0)
        .json();
    let rows = stats["hooks"].as_array().unwrap();
    let wanted = expected["stats"].as_array().unwrap();
    assert_eq!(rows.len(), wanted.len(), "{stats:#}");
    for wanted in wanted {
        let same = |row: &&Value| {
            ["hook", "project", "version", "event"]
                .iter()
                .all(|name| row[name] == wanted[name])
        };
        let row = rows
            .iter()
            .find(same)
            .unwrap_or_else(|| panic!("{wanted:#} is missing"));
        for name in [
            "label", "runs", "outcomes", "attempts", "total_ms", "p50_ms", "max_ms", "timeouts",
        ] {
            assert_eq!(row[name], wanted[name], "{name} of {wanted:#}");
        }
    }
}

#[test]
fn every_mute_of_the_folder_holds() {
    let sandbox = sandbox();
    let listed = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let state = |hook: &str| {
        let mut rows = listed["hooks"].as_array().unwrap().iter();
        let row = rows.find(|row| row["hook"] == hook).unwrap();
        row["muted"].clone()
    };
    assert_eq!(state("jcli:user:stop:0"), true);
    assert_eq!(state("jcli:user:pre_send_message:0"), false);
    assert_eq!(state("jcli:project:stop:0"), false);
}

#[test]
fn a_new_event_is_recorded_beside_the_old_ones() {
    let sandbox = sandbox();
    let payload = r#"{"user_input": "new"}"#;
    let arguments = [
        "fire",
        "--dialect",
        "jcli",
        "--event",
        "pre_send_message",
        "--payload",
        "-",
        "--json",
    ];
    let fired = sandbox.run_with(payload, arguments).assert_exit(0).json();
    let listed = sandbox
        .run(["history", "--json", "--limit", "100"])
        .assert_exit(0)
        .json();
    assert_eq!(listed["traces"].as_array().map(Vec::len), Some(9));
    assert_eq!(listed["traces"][0]["trace"], fired["trace"]);
    let id = fired["trace"].as_str().unwrap();
    assert_eq!(sandbox.run(["show", id, "--json"]).assert_exit(0).json(), fired);
}
