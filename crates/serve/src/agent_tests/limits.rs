//! What agents may use, and what a refusal costs (`CONTRACTS.md` §3, "Bounds").

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use super::{Agent, agents};
use crate::tests::Home;

#[tokio::test]
async fn the_oldest_connection_without_a_session_ends_when_there_are_too_many() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut with_session = Agent::open(&engine, &home, json!({})).await;
    let mut oldest = Agent::connect(&engine).await;
    let mut others = Vec::new();
    for _ in 0..64 {
        others.push(Agent::connect(&engine).await);
    }
    let told = oldest.answer(0).await.unwrap();
    assert_eq!(
        (&told["error"]["code"], &told["error"]["data"]["code"]),
        (&json!(-32001), &json!("session_not_opened"))
    );
    assert!(oldest.answer(1).await.is_none(), "it is closed");
    assert_eq!(with_session.fire("stop", json!({})).await["verdict"]["kind"], "proceed");
    let refused = others[63].refused("event.fire", json!({})).await;
    assert_eq!(refused, (-32001, "no_session".to_owned()), "the newest is still there");
}

#[tokio::test]
async fn an_error_about_a_large_value_is_short_and_always_answered() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let large = "x".repeat(12 << 20);
    let id = agent
        .start("run.report", json!({"event": "stop", "payload": {}, "steps": large}))
        .await;
    let answer = agent.answer(id).await.unwrap();
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer.to_string().len() < 4096, "{} bytes", answer.to_string().len());
}

#[tokio::test]
async fn a_request_with_a_very_long_id_is_refused_without_it() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let line = json!({"jsonrpc": "2.0", "id": "i".repeat(2000), "method": "hook.list"});
    agent.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    let answer = agent.answer(0).await.unwrap();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&Value::Null, &json!(-32600))
    );
}

#[tokio::test]
async fn a_connection_has_a_limit_of_hooks_and_their_text() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let prompt = |bytes: usize| json!({"event": "stop", "definition": {"type": "llm", "prompt": "p".repeat(bytes)}});
    agent.call("hook.register", prompt(1 << 19)).await;
    let refused = agent.refused("hook.register", prompt(1 << 19)).await;
    assert_eq!(refused, (-32004, "too_many_hooks".to_owned()));
    agent.call("hook.register", prompt(9)).await;
    assert_eq!(agents(&home).await[0]["hooks"], 2);
}

#[tokio::test]
async fn hooks_that_only_reports_name_are_counted_together_beyond_a_limit() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let steps: Vec<Value> = (0..300)
        .map(|n| json!({"hook": format!("h{n}"), "outcome": "allowed"}))
        .collect();
    let params = json!({"event": "stop", "payload": {}, "steps": steps});
    let reported = agent.call("run.report", params).await;
    let client = crate::Client::connect(&home.run_dir()).await.unwrap();
    let trace = client
        .call("history.show", json!({"trace": reported["trace"]}))
        .await
        .unwrap();
    let named = |name: &str| {
        trace["steps"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|step| step["hook"] == name)
            .count()
    };
    assert_eq!(
        (named("h0"), named("h255"), named("h256"), named("others")),
        (1, 1, 0, 44)
    );
}
