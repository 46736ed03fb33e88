//! Approvals of an earlier version (`CONTRACTS.md` §5).

use std::fs;
use std::sync::Arc;

use hookwright_app::{App, review};
use hookwright_model::Hook;
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::{TestHome, hooks, load, write};

const HOOK: &str = "jcli:project:pre_send_message:0";

/// A fingerprint as version 1 computed it.
fn fingerprint_v1(test_home: &TestHome, hook: &Hook, files: &[Value]) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut feed = |text: &str| {
        hasher
            .update(&(text.len() as u64).to_le_bytes())
            .update(text.as_bytes());
    };
    feed(test_home.project.to_str().unwrap());
    feed(hook.dialect);
    feed(hook.approved_event());
    feed(&hook.definition_text);
    for file in files {
        feed(file["path"].as_str().unwrap());
        feed(file["hash"].as_str().unwrap());
    }
    hasher.finalize().to_hex().to_string()
}

fn hook(app: &App, test_home: &TestHome) -> Arc<Hook> {
    let snapshot = load(app, &test_home.project);
    snapshot.all().next().expect("there is a hook").clone()
}

/// A project with one command, approved by version 1 for these files.
fn approved_by_v1(command: &str, files: &[&str]) -> TestHome {
    let test_home = TestHome::with_config_folder();
    write(&test_home.hooks_file(), hooks(&[command]));
    for file in ["gate.sh", "other.sh", "data.json"] {
        write(&test_home.project.join(file), "true\n");
    }
    let app = test_home.app(ProcessRole::OneShot);
    let hook = hook(&app, &test_home);
    let hash = blake3::hash(b"true\n").to_hex().to_string();
    let files: Vec<Value> = files
        .iter()
        .map(|file| json!({"path": test_home.project.join(file), "hash": hash}))
        .collect();
    let approval = json!({
        "project": test_home.project, "dialect": "jcli", "event": "pre_send_message", "hook": HOOK,
        "fingerprint": fingerprint_v1(&test_home, &hook, &files), "definition": hook.definition_text, "files": files,
        "at": "2026-01-15T10:30:00Z",
    });
    write(
        &test_home.home.join("data/trust.json"),
        json!({"version": 1, "hooks": [approval]}).to_string(),
    );
    test_home
}

fn trust_file(test_home: &TestHome) -> Value {
    serde_json::from_str(&fs::read_to_string(test_home.home.join("data/trust.json")).unwrap()).unwrap()
}

#[test]
fn an_approval_that_covers_everything_is_converted_silently() {
    // Version 1 also covered data files.
    let test_home = approved_by_v1("sh gate.sh data.json", &["data.json", "gate.sh"]);
    let app = test_home.app(ProcessRole::OneShot);
    assert!(app.workspace.take_startup_notice().is_none());
    assert!(app.workspace.trust.check_gate(&hook(&app, &test_home)).is_ok());
    let file = trust_file(&test_home);
    assert_eq!(
        (&file["version"], &file["hooks"][0]["rules"]),
        (&json!(2), &Value::Null)
    );
    assert_eq!(file["hooks"][0]["files"].as_array().unwrap().len(), 1);
}

#[test]
fn an_approval_that_covers_less_waits_and_is_reported_once() {
    let test_home = approved_by_v1("sh -c -e 'sh gate.sh'", &[]);
    let app = test_home.app(ProcessRole::OneShot);
    let notice = app.workspace.take_startup_notice().expect("it is told");
    assert_eq!((notice.code, &notice.args["count"]), ("rules_changed", &json!(1)));
    assert_eq!(
        app.workspace
            .trust
            .check_gate(&hook(&app, &test_home))
            .unwrap_err()
            .code,
        "rules_changed"
    );
    let doc = review::trust_doc(&app, &load(&app, &test_home.project));
    assert_eq!(
        doc.pending[0].old.as_ref().map(|old| old.reason.as_str()),
        Some("rules_changed")
    );
    let again = test_home.app(ProcessRole::OneShot);
    assert!(again.workspace.take_startup_notice().is_none());
    assert!(again.workspace.trust.check_gate(&hook(&again, &test_home)).is_err());
}

#[test]
fn an_approval_whose_files_changed_does_not_come_back() {
    let test_home = approved_by_v1("sh gate.sh", &["gate.sh"]);
    write(&test_home.project.join("gate.sh"), "false\n");
    let app = test_home.app(ProcessRole::OneShot);
    assert!(
        app.workspace.take_startup_notice().is_none(),
        "it did not hold before either"
    );
    assert!(app.workspace.trust.check_gate(&hook(&app, &test_home)).is_err());
    write(&test_home.project.join("gate.sh"), "true\n");
    assert!(app.workspace.trust.check_gate(&hook(&app, &test_home)).is_err());
}

#[test]
fn an_approval_is_converted_by_what_it_was_for_and_not_by_its_id() {
    let test_home = approved_by_v1("sh gate.sh", &["gate.sh"]);
    write(&test_home.hooks_file(), hooks(&["sh other.sh", "sh gate.sh"]));
    let app = test_home.app(ProcessRole::OneShot);
    let snapshot = load(&app, &test_home.project);
    let trusted: Vec<bool> = snapshot
        .all()
        .map(|hook| app.workspace.trust.check_gate(hook).is_ok())
        .collect();
    assert_eq!(trusted, [false, true]);
}

#[test]
fn an_approval_of_a_missing_project_is_converted_once_it_is_opened() {
    let test_home = approved_by_v1("sh gate.sh", &["gate.sh"]);
    let away = test_home.root().join("away");
    fs::rename(&test_home.project, &away).unwrap();
    fs::create_dir(test_home.root().join("another")).unwrap();
    let app = test_home.app(ProcessRole::OneShot);
    app.workspace
        .open_project(&test_home.root().join("another"))
        .expect("it is a folder");
    // Any change of the approvals writes the file in the format of this version.
    app.workspace.trust.revoke(|_| false).unwrap();
    assert_eq!(trust_file(&test_home)["version"], 2);
    fs::rename(&away, &test_home.project).unwrap();
    app.workspace.open_project(&test_home.project).expect("it is a folder");
    assert!(
        app.workspace.trust.check_gate(&hook(&app, &test_home)).is_ok(),
        "in the same process"
    );
    assert!(
        test_home
            .app(ProcessRole::OneShot)
            .workspace
            .take_startup_notice()
            .is_none()
    );
}

#[test]
fn a_change_by_another_process_is_reported_also_when_a_check_read_it_first() {
    let test_home = TestHome::with_config_folder();
    write(&test_home.hooks_file(), hooks(&["sh gate.sh"]));
    write(&test_home.project.join("gate.sh"), "true\n");
    // Without a watcher of its own, so that only this test asks for changes.
    let engine = test_home.app(ProcessRole::OneShot);
    let command_line = test_home.app(ProcessRole::OneShot);
    assert!(!engine.workspace.refresh_app_files().any());
    let snapshot = load(&command_line, &test_home.project);
    let hook = hook(&command_line, &test_home);
    let content = command_line.workspace.trust.content(&hook);
    command_line.workspace.approve(&snapshot, &[(&*hook, content)]).unwrap();
    assert!(engine.workspace.trust.check_gate(&hook).is_ok(), "it reads the file");
    assert!(engine.workspace.refresh_app_files().hooks);
    assert!(!engine.workspace.refresh_app_files().any(), "only once");
}
