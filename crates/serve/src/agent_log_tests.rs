//! The protocol log of an agent, and its end by the user.

use std::fs;

use serde_json::{Value, json};

use crate::Client;
use crate::agent_tests::{Agent, agents, command, home_with};
use crate::tests::Home;

async fn ask(home: &Home, method: &str, params: Value) -> Value {
    let client = Client::connect(&home.run_dir()).await.unwrap();
    client.call(method, params).await.unwrap()
}

#[tokio::test]
async fn the_log_has_the_lines_of_both_sides_without_secrets() {
    let home = home_with(&json!({"pre_send_message": command("echo '{}'")}));
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let payload = json!({"user_input": "hi", "password": "Zx81kQ90vmLw22"});
    agent
        .call("event.fire", json!({"event": "pre_send_message", "payload": payload}))
        .await;
    let mut log = Value::Null;
    // The agent may have its answer a moment before the line is in the log.
    let is_answer = |line: &Value| line["kind"] == "result" && line["method"] == "event.fire";
    while !log["lines"].as_array().is_some_and(|lines| lines.iter().any(is_answer)) {
        log = ask(&home, "agents.log", json!({"session": "S"})).await;
    }
    let lines = log["lines"].as_array().unwrap();
    // A slow machine also gives notices.
    let found: Vec<_> = lines
        .iter()
        .filter(|line| line["kind"] != "notification")
        .map(|line| {
            (
                line["from"].as_str().unwrap(),
                line["kind"].as_str().unwrap(),
                line["method"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("agent", "request", "session.open"),
            ("engine", "result", "session.open"),
            ("agent", "request", "event.fire"),
            ("engine", "result", "event.fire"),
        ]
    );
    assert!(!log.to_string().contains("Zx81kQ90vmLw22"), "{log:#}");
    assert_eq!(lines[2]["redacted"], true);
    let rest = ask(
        &home,
        "agents.log",
        json!({"session": "S", "after": lines[lines.len() - 2]["number"]}),
    )
    .await;
    assert_eq!(rest["lines"].as_array().unwrap().len(), 1);
    let none = ask(
        &home,
        "agents.log",
        json!({"session": "S", "after": lines[lines.len() - 1]["number"]}),
    )
    .await;
    assert_eq!(none, json!({"lines": []}));
}

#[tokio::test]
async fn a_disconnected_agent_is_gone_with_its_hooks_and_running_events() {
    let home = Home::new();
    let file = home.project().join("running");
    let waits = format!("echo > {0}; while [ -e {0} ]; do sleep 0.05; done", file.display());
    let folder = home.folder.path().join(".jdata/agent");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("hooks.yaml"), json!({"stop": command(&waits)}).to_string()).unwrap();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"session_id": "S", "keep_ms": 60_000})).await;
    let prompt = json!({"type": "llm", "prompt": "is it done?"});
    let hook = json!({"event": "pre_send_message", "definition": prompt});
    agent.call("hook.register", hook).await;
    let row = agents(&home).await.remove(0);
    assert_eq!(row["session_hooks"][0]["event"], "pre_send_message");
    assert_eq!(row["connections"][0]["agent"]["name"], "tester");
    let fired = agent.start("event.fire", json!({"event": "stop", "payload": {}})).await;
    while !file.exists() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let left = ask(&home, "agents.disconnect", json!({"session": "S", "dialect": "jcli"})).await;
    assert_eq!(left["agents"], json!([]));
    assert_eq!(left["socket"], engine.agent_socket().display().to_string());
    assert!(agent.answer(fired).await.is_some(), "the event was not answered");
    let next = agent.start("hook.list", json!({})).await;
    assert!(agent.answer(next).await.is_none(), "the connection is still open");
}

#[tokio::test]
async fn an_id_that_sessions_of_two_folders_have_is_looked_up_by_the_folder_and_never_guessed() {
    let home = Home::new();
    let engine = home.engine().await;
    let folders = ["one", "two"].map(|name| home.folder.path().join(name));
    let mut agents = Vec::new();
    for folder in &folders {
        fs::create_dir_all(folder).unwrap();
        agents.push(Agent::open(&engine, &home, json!({"session_id": "S", "cwd": folder})).await);
    }
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let in_folder = |project: &std::path::Path| client.call("agents.log", json!({"session": "S", "project": project}));
    assert!(in_folder(&folders[0]).await.is_ok());
    let elsewhere = in_folder(home.folder.path()).await.unwrap_err();
    assert_eq!(elsewhere.code, "ambiguous_session");
    drop(agents.pop());
    drop(engine);
}
