//! Data folders that earlier programs left are opened with everything that is in them: `tests/fixtures/data-0.1.0` and
//! `tests/fixtures/data-schema-3`.
//!
//! Each was made in `/srv/example`. A test has its own folder, so the files of texts are copied with its paths. An
//! approval is for a place: its fingerprint is computed again for the new one. [`fingerprint`] says what it covers, and
//! must first give the stored value for the old place. So a program that computes it in another way fails here.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookwright_testkit::Sandbox;
use hookwright_testkit::program::workspace;
use serde_json::{Value, json};

/// The folder of the version 0.1.0, with a database of schema 2.
const OLD: &str = "data-0.1.0";

/// The folder of the program with a database of schema 3.
const SCHEMA_3: &str = "data-schema-3";

/// Where the folders were made.
const FORMER_HOME: &str = "/srv/example/home";
const FORMER_PROJECT: &str = "/srv/example/project";

/// The owner of the files then, as an edit has it.
const FORMER_OWNER: &str = r#""owner":[0,0]"#;

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

fn fixture(name: &str) -> PathBuf {
    workspace().join("tests/fixtures").join(name)
}

/// A sandbox with a copy of a data folder and the hooks that were there.
fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let from = fixture(name);
    if name == OLD {
        sandbox.write("home/.jdata/agent/hooks.yaml", USER_HOOKS);
        sandbox.write("project/.jcli/hooks.yaml", PROJECT_HOOKS);
    } else {
        for folder in ["home", "project"] {
            copy(&from, folder, &sandbox, &|text| text);
        }
    }
    let mut replaced = BTreeMap::from([
        (FORMER_HOME.to_owned(), sandbox.home().display().to_string()),
        (FORMER_PROJECT.to_owned(), sandbox.project().display().to_string()),
    ]);
    if name == SCHEMA_3 {
        replaced.insert(FORMER_OWNER.to_owned(), owner(&sandbox.home()));
        replaced.extend(new_fingerprints(&from, &sandbox));
        replaced.extend(new_edit_ids(&from));
    }
    copy(&from, "data", &sandbox, &|text| {
        replaced.iter().fold(text, |text, (old, new)| text.replace(old, new))
    });
    sandbox
}

/// Copies a folder of the fixture. Texts and names are changed, except of the database and the spool, which name
/// projects as they were.
fn copy(from: &Path, folder: &str, sandbox: &Sandbox, change: &dyn Fn(String) -> String) {
    for entry in std::fs::read_dir(from.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let inside = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            copy(from, &inside, sandbox, change);
            continue;
        }
        let bytes = std::fs::read(entry.path()).unwrap();
        let path = match String::from_utf8(bytes) {
            Ok(text) if !inside.starts_with("data/spool") => sandbox.write(&change(inside.clone()), change(text)),
            Ok(text) => sandbox.write(&inside, text),
            Err(bytes) => sandbox.write(&inside, bytes.into_bytes()),
        };
        // What Hookwright writes is for the user alone.
        let mode = if inside.starts_with("data/") {
            0o600
        } else {
            entry.metadata().unwrap().permissions().mode()
        };
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
}

/// Who owns the files of this test, as an edit has it.
fn owner(path: &Path) -> String {
    let about = std::fs::metadata(path).unwrap();
    format!(r#""owner":[{},{}]"#, about.uid(), about.gid())
}

/// The ids of the edits with a time of today, because an edit is removed 30 days after the time in its id.
fn new_edit_ids(from: &Path) -> BTreeMap<String, String> {
    let mut old: Vec<String> = std::fs::read_dir(from.join("data/edits"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    old.sort();
    let begin = SystemTime::now().duration_since(UNIX_EPOCH).unwrap() - Duration::from_secs(60);
    old.into_iter()
        .zip(u64::try_from(begin.as_millis()).unwrap()..)
        .map(|(id, millis)| (id.clone(), ulid_time(millis) + &id[10..]))
        .collect()
}

/// The first ten characters of an id: its time in Crockford's base 32.
fn ulid_time(millis: u64) -> String {
    const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    (0..10)
        .rev()
        .map(|place| char::from(DIGITS[usize::try_from(millis >> (5 * place) & 31).unwrap()]))
        .collect()
}

/// The fingerprints of all approvals, those of the edits too, at the former place and at the new one.
fn new_fingerprints(from: &Path, sandbox: &Sandbox) -> BTreeMap<String, String> {
    let trust = std::fs::read_to_string(from.join("data/trust.json")).unwrap();
    let trust: Value = serde_json::from_str(&trust).unwrap();
    let mut approvals = trust["hooks"].as_array().unwrap().clone();
    for edit in std::fs::read_dir(from.join("data/edits")).unwrap() {
        let text = std::fs::read_to_string(edit.unwrap().path()).unwrap();
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        approvals.extend(last["approvals"].as_array().unwrap().iter().cloned());
    }
    let project = sandbox.project().display().to_string();
    approvals
        .iter()
        .map(|approval| {
            let stored = approval["fingerprint"].as_str().unwrap();
            assert_eq!(fingerprint(approval, FORMER_PROJECT), stored, "{approval:#}");
            (stored.to_owned(), fingerprint(approval, &project))
        })
        .collect()
}

/// The fingerprint of an approval of version 2 for a project: the digest of everything that it is for. The length comes
/// before each part.
fn fingerprint(approval: &Value, project: &str) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (dialect, event) = (text(&approval["dialect"]), text(&approval["event"]));
    // These definitions name their events themselves.
    let event = match dialect.as_str() {
        "agent-hooks" | "picoclaw" => String::new(),
        _ => event,
    };
    let mut parts = vec![b"2".to_vec()];
    let definition = text(&approval["definition"]);
    let texts = [
        text(&approval["inherited"]),
        project.to_owned(),
        dialect.clone(),
        event,
        definition,
    ];
    parts.extend(texts.map(String::into_bytes));
    for file in approval["files"].as_array().unwrap() {
        let path = text(&file["path"]);
        parts.push(path.replace(FORMER_PROJECT, project).into_bytes());
        parts.push(text(&file["hash"]).into_bytes());
        if dialect == "agent-hooks" {
            parts.push(vec![u8::from(path.contains("/scripts/"))]);
        }
    }
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(&part);
    }
    hasher.finalize().to_hex().to_string()
}

fn expected(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(fixture(name).join("expected.json")).unwrap()).unwrap()
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
fn every_trace_of_a_folder_is_there() {
    for name in [OLD, SCHEMA_3] {
        every_trace_is_there(name);
    }
}

fn every_trace_is_there(name: &str) {
    let sandbox = sandbox(name);
    let expected = expected(name);
    let listed = sandbox
        .run(["history", "--json", "--limit", "100"])
        .assert_exit(0)
        .json();
    assert_eq!(
        listed["traces"].as_array().map(Vec::len),
        expected["rows"].as_array().map(Vec::len)
    );
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
fn every_metric_of_a_folder_is_there() {
    for name in [OLD, SCHEMA_3] {
        every_metric_is_there(name);
    }
}

fn every_metric_is_there(name: &str) {
    let sandbox = sandbox(name);
    let expected = expected(name);
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
fn every_mute_of_the_old_folder_holds() {
    let sandbox = sandbox(OLD);
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
    let sandbox = sandbox(OLD);
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

/// What the user has decided about the hooks, in the form of `expected.json`.
fn decisions(sandbox: &Sandbox) -> Value {
    let listed = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let trust = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert_eq!(trust["pending"], json!([]));
    json!({
        "hooks": picked(&listed["hooks"], &["hook", "trusted", "muted", "version", "enabled"]),
        "turned_off": picked(&listed["turned_off"], &["id", "hook"]),
        "approved": picked(&trust["approved"], &["hook", "definition"]),
        "denied": picked(&trust["denied"], &["hook"]),
    })
}

/// The rows of a list with only these fields. An empty list may be left out.
fn picked(rows: &Value, fields: &[&str]) -> Value {
    let row = |row: &Value| -> Value {
        fields
            .iter()
            .map(|name| ((*name).to_owned(), row[*name].clone()))
            .collect()
    };
    rows.as_array().into_iter().flatten().map(row).collect()
}

#[test]
fn every_approval_denial_mute_and_turned_off_hook_holds() {
    let sandbox = sandbox(SCHEMA_3);
    let decisions = decisions(&sandbox);
    let expected = expected(SCHEMA_3);
    for part in ["hooks", "turned_off", "approved"] {
        assert_eq!(decisions[part], expected[part], "{part}");
    }
    assert_eq!(decisions["denied"][0]["hook"], expected["denied"][0]);
    let payload = r#"{"tool_name": "Bash", "tool_arguments": "{}"}"#;
    let event = ["fire", "--dialect", "jcli", "--event", "pre_tool_execution"];
    let fired = sandbox.run_with(payload, event.iter().chain(&["--payload", "-", "--json"]));
    let fired = fired.assert_exit(2).json();
    assert_eq!(fired["verdict"]["by"], "jcli:project:pre_tool_execution:0");
}

#[test]
fn every_turned_off_hook_can_be_turned_on() {
    let sandbox = sandbox(SCHEMA_3);
    let expected = expected(SCHEMA_3);
    for row in expected["turned_off"].as_array().unwrap() {
        sandbox.run(["turn-on", row["id"].as_str().unwrap()]).assert_exit(0);
    }
    sandbox.run(["turn-on", "picoclaw:project:spare"]).assert_exit(0);
    let listed = sandbox.run(["list", "--json"]).assert_exit(0).json();
    let state = |hook: &str| {
        let rows = picked(&listed["hooks"], &["hook", "trusted", "muted", "enabled"]);
        let mut rows = rows.as_array().unwrap().iter();
        rows.find(|row| row["hook"] == hook).cloned().unwrap_or_default()
    };
    for (hook, muted) in [
        ("jcli:user:stop:0", true),
        ("qoder:project:PreToolUse:settings.0.1", true),
        ("picoclaw:project:spare", false),
    ] {
        let wanted = json!({"hook": hook, "trusted": true, "muted": muted, "enabled": true});
        assert_eq!(state(hook), wanted, "{listed:#}");
    }
    for file in ["project/.qoder/settings.json", "project/.picoclaw/config.json"] {
        assert_eq!(
            read(&sandbox.path(file)),
            read(&fixture(SCHEMA_3).join("before").join(file)),
            "{file}"
        );
    }
}

#[test]
fn every_edit_of_the_folder_can_be_undone() {
    let sandbox = sandbox(SCHEMA_3);
    let edits = std::fs::read_dir(sandbox.data().join("edits")).unwrap().count();
    assert_eq!(edits, 9);
    let before = decisions(&sandbox);
    let listed = sandbox.run(["undo", "--list", "--json"]).assert_exit(0).json();
    for edit in listed["edits"].as_array().unwrap() {
        sandbox.run(["undo", edit["edit"].as_str().unwrap()]).assert_exit(0);
    }
    for file in [
        "home/.jdata/agent/hooks.yaml",
        "home/.qoder/settings.json",
        "project/.agents/hooks/notes/HOOK.md",
        "project/.jcli/hooks.yaml",
        "project/.picoclaw/config.json",
        "project/.qoder/settings.json",
    ] {
        assert_eq!(
            read(&sandbox.path(file)),
            read(&fixture(SCHEMA_3).join("before").join(file)),
            "{file}"
        );
    }
    let after = decisions(&sandbox);
    assert_eq!(after["denied"], before["denied"]);
    let trusted = |decisions: &Value| {
        picked(&decisions["hooks"], &["trusted"])
            .to_string()
            .matches("true")
            .count()
    };
    // The two hooks that come back in the user's files need no approval; the one of the project has its approval again.
    assert_eq!(trusted(&after), trusted(&before) + 2, "{after:#}");
    assert_eq!(after["turned_off"], json!([]));
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
