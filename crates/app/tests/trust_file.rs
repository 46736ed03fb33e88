//! Approvals of an earlier version (`CONTRACTS.md` §5).
#![cfg(unix)]
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails where it stands")]

#[expect(dead_code, reason = "each test program uses what it needs")]
mod common;

use std::fs;
use std::sync::Arc;

use common::{World, hooks, load, write};
use hookwright_app::{App, Hosting};
use hookwright_model::Hook;
use serde_json::{Value, json};

const HOOK: &str = "jcli:project:pre_send_message:0";

/// A fingerprint as version 1 made it.
fn former(world: &World, hook: &Hook, files: &[Value]) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut feed = |text: &str| {
        hasher
            .update(&(text.len() as u64).to_le_bytes())
            .update(text.as_bytes());
    };
    feed(world.project.to_str().unwrap());
    feed(hook.dialect);
    feed(hook.approved_event());
    feed(&hook.definition_text);
    for file in files {
        feed(file["path"].as_str().unwrap());
        feed(file["hash"].as_str().unwrap());
    }
    hasher.finalize().to_hex().to_string()
}

fn hook(app: &App, world: &World) -> Arc<Hook> {
    let snapshot = load(app, &world.project);
    snapshot.all().next().expect("there is a hook").clone()
}

/// A project with one command, approved by version 1 for these files.
fn approved_before(command: &str, files: &[&str]) -> World {
    let world = World::with_folder();
    write(&world.hooks_file(), hooks(&[command]));
    for file in ["gate.sh", "other.sh", "data.json"] {
        write(&world.project.join(file), "true\n");
    }
    let app = world.app(Hosting::OneShot);
    let hook = hook(&app, &world);
    let hash = blake3::hash(b"true\n").to_hex().to_string();
    let files: Vec<Value> = files
        .iter()
        .map(|file| json!({"path": world.project.join(file), "hash": hash}))
        .collect();
    let approval = json!({
        "project": world.project, "dialect": "jcli", "event": "pre_send_message", "hook": HOOK,
        "fingerprint": former(&world, &hook, &files), "definition": hook.definition_text, "files": files,
        "at": "2026-01-15T10:30:00Z",
    });
    write(
        &world.home.join("data/trust.json"),
        json!({"version": 1, "hooks": [approval]}).to_string(),
    );
    world
}

fn kept(world: &World) -> Value {
    serde_json::from_str(&fs::read_to_string(world.home.join("data/trust.json")).unwrap()).unwrap()
}

#[test]
fn an_approval_that_covers_all_that_is_covered_now_is_converted_without_a_word() {
    // Data was covered then.
    let world = approved_before("sh gate.sh data.json", &["data.json", "gate.sh"]);
    let app = world.app(Hosting::OneShot);
    assert!(app.take_news().is_none());
    assert!(app.trust.judge(&hook(&app, &world)).is_ok());
    let file = kept(&world);
    assert_eq!(
        (&file["version"], &file["hooks"][0]["rules"]),
        (&json!(2), &Value::Null)
    );
    assert_eq!(file["hooks"][0]["files"].as_array().unwrap().len(), 1);
}

#[test]
fn an_approval_that_covers_less_waits_and_that_is_said_once() {
    let world = approved_before("sh -c -e 'sh gate.sh'", &[]);
    let app = world.app(Hosting::OneShot);
    let news = app.take_news().expect("it is told");
    assert_eq!((news.code, &news.args["count"]), ("rules_changed", &json!(1)));
    assert_eq!(app.trust.judge(&hook(&app, &world)).unwrap_err().code, "rules_changed");
    let doc = app.trust_doc(&load(&app, &world.project));
    assert_eq!(
        doc.pending[0].old.as_ref().map(|old| old.reason.as_str()),
        Some("rules_changed")
    );
    let again = world.app(Hosting::OneShot);
    assert!(again.take_news().is_none());
    assert!(again.trust.judge(&hook(&again, &world)).is_err());
}

#[test]
fn an_approval_whose_files_changed_does_not_come_back() {
    let world = approved_before("sh gate.sh", &["gate.sh"]);
    write(&world.project.join("gate.sh"), "false\n");
    let app = world.app(Hosting::OneShot);
    assert!(app.take_news().is_none(), "it did not hold before either");
    assert!(app.trust.judge(&hook(&app, &world)).is_err());
    write(&world.project.join("gate.sh"), "true\n");
    assert!(app.trust.judge(&hook(&app, &world)).is_err());
}

#[test]
fn an_approval_is_converted_by_what_it_was_for_and_not_by_its_id() {
    let world = approved_before("sh gate.sh", &["gate.sh"]);
    write(&world.hooks_file(), hooks(&["sh other.sh", "sh gate.sh"]));
    let app = world.app(Hosting::OneShot);
    let snapshot = load(&app, &world.project);
    let trusted: Vec<bool> = snapshot.all().map(|hook| app.trust.judge(hook).is_ok()).collect();
    assert_eq!(trusted, [false, true]);
}

#[test]
fn an_approval_of_a_project_that_is_away_is_converted_once_it_is_seen() {
    let world = approved_before("sh gate.sh", &["gate.sh"]);
    let away = world.root().join("away");
    fs::rename(&world.project, &away).unwrap();
    fs::create_dir(world.root().join("another")).unwrap();
    let app = world.app(Hosting::OneShot);
    app.desk(&world.root().join("another")).expect("it is a folder");
    // Another approval writes the file as this version does.
    app.trust.revoke(|_| false).unwrap();
    assert_eq!(kept(&world)["version"], 2);
    fs::rename(&away, &world.project).unwrap();
    app.desk(&world.project).expect("it is a folder");
    assert!(app.trust.judge(&hook(&app, &world)).is_ok(), "in the same process");
    assert!(world.app(Hosting::OneShot).take_news().is_none());
}
