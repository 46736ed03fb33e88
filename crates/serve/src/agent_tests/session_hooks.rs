//! Hooks that agents register, and what they are asked for: callbacks and their model.

use serde_json::json;

use super::{Agent, home_with};
use crate::Client;
use crate::tests::Home;

#[tokio::test]
async fn callbacks_go_to_the_connection_that_registered_them() {
    let home = Home::new();
    let engine = home.engine().await;
    let qoder = json!({"dialect": "qoder", "session_id": "Q"});
    let mut first = Agent::open(&engine, &home, qoder.clone()).await;
    let deny = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                      "permissionDecisionReason": "not here"}});
    first.answers.insert("callback.call", json!({"output": deny}));
    let definition = json!({"callback": "cb", "matcher": "Bash", "timeout": 5});
    let registered = first
        .call(
            "hook.register",
            json!({"event": "PreToolUse", "definition": definition}),
        )
        .await;
    assert_eq!(
        registered,
        json!({"hook": "qoder:session:PreToolUse:0", "trusted": true})
    );
    let listed = first.call("hook.list", json!({"event": "PreToolUse"})).await;
    assert_eq!(listed["hooks"][0]["handler"], "callback");

    let mut second = Agent::open(&engine, &home, qoder).await;
    let payload = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"});
    let id = second
        .start("event.fire", json!({"event": "PreToolUse", "payload": payload}))
        .await;
    let fired = tokio::spawn(async move { (second.answer(id).await, second) });
    while first.received.is_empty() {
        first.call("hook.list", json!({})).await;
    }
    let (fired, second) = fired.await.unwrap();
    let fired = fired.unwrap();
    assert_eq!(fired["result"]["verdict"]["kind"], "deny", "{fired}");
    let call = &first.received[0];
    assert_eq!(
        (&call["params"]["callback"], &call["params"]["tool_use_id"]),
        (&json!("cb"), &json!("t1"))
    );
    assert_eq!(call["params"]["timeout_ms"], 5000);
    assert!(second.received.iter().all(|line| line["method"] != "callback.call"));
}

#[tokio::test]
async fn a_prompt_hook_uses_the_model_of_the_agent() {
    let home = home_with(&json!({"stop": [{"type": "llm", "prompt": "may it stop?", "timeout": 5}]}));
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let answer = json!({"action": "stop", "retry_feedback": "go on"}).to_string();
    agent.answers.insert("model.complete", json!({"text": answer}));
    let fired = agent.fire("stop", json!({})).await;
    assert_eq!(fired["verdict"]["feedback"], "go on", "{fired}");
    assert!(agent.received.iter().any(|line| line["method"] == "model.complete"
        && line["params"]["prompt"].as_str().unwrap().contains("may it stop?")));
}

#[tokio::test]
async fn a_registered_command_waits_for_approval_unless_the_settings_allow_it() {
    let home = Home::new();
    let file = home.folder.path().join("ran");
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let definition = json!({"command": format!("touch {}", file.display()), "timeout": 5});
    let params = json!({"event": "stop", "definition": definition});
    assert_eq!(agent.call("hook.register", params.clone()).await["trusted"], false);
    agent.fire("stop", json!({})).await;
    assert!(!file.exists());
    let client = Client::connect(&home.run_dir()).await.unwrap();
    client
        .call("settings.set", json!({"key": "agents.commands", "value": "allow"}))
        .await
        .unwrap();
    assert_eq!(agent.call("hook.register", params).await["trusted"], true);
    agent.fire("stop", json!({})).await;
    assert!(file.exists());
}
