//! How long a session lives, and which connections share it.

use std::time::Duration;

use serde_json::json;

use super::{Agent, agents};
use crate::tests::Home;

#[tokio::test]
async fn a_kept_session_says_when_its_agent_left_until_one_comes_back() {
    let home = Home::new();
    let engine = home.engine().await;
    let kept = json!({"session_id": "S", "keep_ms": 60_000});
    let agent = Agent::open(&engine, &home, kept.clone()).await;
    let since = agents(&home).await[0]["since"].as_str().unwrap()[..19].to_owned();
    let left_at = async || agents(&home).await[0]["left_at"].as_str().map(str::to_owned);
    assert_eq!(left_at().await, None);
    drop(agent);
    let mut left = None;
    while left.is_none() {
        left = left_at().await;
    }
    assert!(left.unwrap()[..19] >= *since);
    let _back = Agent::open(&engine, &home, kept).await;
    assert_eq!(left_at().await, None);
}

#[tokio::test]
async fn a_session_ends_with_its_last_connection_unless_it_is_kept() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"session_id": "short"})).await;
    agent
        .call(
            "hook.register",
            json!({"event": "stop", "definition": {"type": "llm", "prompt": "p"}}),
        )
        .await;
    drop(agent);
    let mut kept = Agent::open(&engine, &home, json!({"session_id": "kept", "keep_ms": 60_000})).await;
    kept.call(
        "hook.register",
        json!({"event": "stop", "definition": {"type": "llm", "prompt": "p"}}),
    )
    .await;
    drop(kept);
    let mut rows = Vec::new();
    for _ in 0..200 {
        rows = agents(&home).await;
        if rows.len() == 1 && rows[0]["connected"] == json!(false) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(
        (&rows[0]["session"], &rows[0]["connected"]),
        (&json!("kept"), &json!(false))
    );
    let mut again = Agent::open(&engine, &home, json!({"session_id": "kept"})).await;
    assert_eq!(
        again.call("hook.list", json!({})).await["hooks"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let mut short = Agent::open(&engine, &home, json!({"session_id": "short"})).await;
    assert_eq!(short.call("hook.list", json!({})).await["hooks"], json!([]));
}

#[tokio::test]
async fn a_closed_session_is_closed_for_all_of_its_connections() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut first = Agent::open(&engine, &home, json!({"session_id": "S", "keep_ms": 60_000})).await;
    let mut second = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    assert_eq!(first.call("session.close", json!({})).await, json!({}));
    let id = first.start("event.fire", json!({"event": "stop", "payload": {}})).await;
    // It may just have been in time to be refused.
    let late = first.answer(id).await;
    assert!(late.is_none_or(|answer| answer["error"]["code"] == -32001));
    let id = first.start("hook.list", json!({})).await;
    assert!(first.answer(id).await.is_none(), "the connection is closed");
    let params = json!({"event": "stop", "payload": {}});
    assert_eq!(
        second.refused("event.fire", params).await,
        (-32001, "session_closed".to_owned())
    );
    let mut third = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    assert_eq!(third.fire("stop", json!({})).await["verdict"]["kind"], "proceed");
}

#[tokio::test]
async fn the_event_that_ends_a_conversation_removes_its_hooks() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    agent
        .call(
            "hook.register",
            json!({"event": "stop", "definition": {"type": "llm", "prompt": "p"}}),
        )
        .await;
    agent.fire("session_end", json!({"messages": []})).await;
    assert_eq!(agent.call("hook.list", json!({})).await["hooks"], json!([]));
    assert_eq!(agent.fire("stop", json!({})).await["verdict"]["kind"], "proceed");
}

#[tokio::test]
async fn the_same_id_in_another_folder_is_another_session() {
    let home = Home::new();
    let engine = home.engine().await;
    let elsewhere = home.folder.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let mut first = Agent::open(&engine, &home, json!({"session_id": "S", "cwd": elsewhere})).await;
    let mut second = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let rows = agents(&home).await;
    let folders: Vec<&str> = rows.iter().map(|row| row["cwd"].as_str().unwrap()).collect();
    assert_eq!(folders.len(), 2, "{folders:?}");
    first.call("session.close", json!({})).await;
    assert_eq!(second.fire("stop", json!({})).await["verdict"]["kind"], "proceed");
}

#[tokio::test]
async fn a_connection_that_did_not_begin_the_session_closes_only_itself() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut first = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let mut second = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let prompt = json!({"event": "stop", "definition": {"type": "llm", "prompt": "p"}});
    first.call("hook.register", prompt.clone()).await;
    second.call("hook.register", prompt).await;
    let removed = second.call("hook.remove", json!({"hook": "jcli:session:stop:0"})).await;
    assert_eq!(removed, json!({"removed": false}), "the first one registered it");
    assert_eq!(second.call("session.close", json!({})).await, json!({}));
    let id = second
        .start("event.fire", json!({"event": "stop", "payload": {}}))
        .await;
    // It may just have been in time to be refused.
    let late = second.answer(id).await;
    assert!(late.is_none_or(|answer| answer["error"]["code"] == -32001));
    let hooks = first.call("hook.list", json!({})).await["hooks"].clone();
    assert_eq!(
        hooks.as_array().unwrap().len(),
        1,
        "the second one's own is gone: {hooks}"
    );
}
