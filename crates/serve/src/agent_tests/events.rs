//! Events of agents: how they run, and what the agent and the history get.

use std::fs;

use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use super::{Agent, agents, command, home_with, until, waits_for};
use crate::Client;
use crate::tests::Home;

#[tokio::test]
async fn an_event_of_an_agent_is_answered_recorded_and_told() {
    let home =
        home_with(&json!({"pre_send_message": command("echo '{\"user_input\": \"changed\", \"nonsense\": 1}'")}));
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let fired = agent.fire("pre_send_message", json!({"user_input": "hi"})).await;
    assert_eq!(fired["reply"]["json"], json!({"user_input": "changed"}));
    assert_eq!(
        (&fired["verdict"]["kind"], &fired["recorded"]),
        (&json!("proceed"), &json!(true))
    );
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let trace = client
        .call("history.show", json!({"trace": fired["trace"]}))
        .await
        .unwrap();
    assert_eq!(
        (&trace["origin"], &trace["agent"], &trace["session"]),
        (&json!("agent"), &json!("tester"), &json!("S"))
    );
    let rows = agents(&home).await;
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (&rows[0]["session"], &rows[0]["events"], &rows[0]["connected"]),
        (&json!("S"), &json!(1), &json!(true))
    );
    assert_eq!(rows[0]["agent"], json!({"name": "tester", "version": "1.0", "pid": 7}));
}

#[tokio::test]
async fn events_of_one_session_run_side_by_side_and_the_sixty_fifth_is_refused() {
    let home = Home::new();
    let file = home.folder.path().join("wait");
    let home = {
        let folder = home.folder.path().join(".jdata/agent");
        fs::create_dir_all(&folder).unwrap();
        let wait = format!("while [ ! -e {} ]; do sleep 0.05; done; echo '{{}}'", file.display());
        fs::write(folder.join("hooks.yaml"), json!({"stop": command(&wait)}).to_string()).unwrap();
        home
    };
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let mut ids = Vec::new();
    for _ in 0..64 {
        ids.push(agent.start("event.fire", json!({"event": "stop", "payload": {}})).await);
    }
    let refused = agent
        .refused("event.fire", json!({"event": "stop", "payload": {}}))
        .await;
    assert_eq!(refused, (-32004, "too_many_events".to_owned()));
    fs::write(&file, "").unwrap();
    for id in ids {
        let answer = agent.answer(id).await.unwrap();
        assert_eq!(answer["result"]["verdict"]["kind"], "proceed", "{answer}");
    }
    assert_eq!(agent.fire("stop", json!({})).await["verdict"]["kind"], "proceed");
}

#[tokio::test]
async fn a_native_agent_runs_its_files_itself_and_the_engine_none_of_them() {
    let home = home_with(&json!({"pre_send_message": command("exit 1")}));
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"native": true})).await;
    let fired = agent.fire("pre_send_message", json!({"user_input": "hi"})).await;
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let trace = client
        .call("history.show", json!({"trace": fired["trace"]}))
        .await
        .unwrap();
    assert_eq!(trace["steps"][0]["reason"], "agent_runs_it");
}

#[tokio::test]
async fn an_event_that_cannot_be_fired_without_an_answer_is_told() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let note = json!({"jsonrpc": "2.0", "method": "event.note", "params": {"event": "nope", "payload": {}}});
    agent.send(&note).await;
    agent.call("hook.list", json!({})).await;
    let notice = &agent.received[0];
    assert_eq!(
        (&notice["method"], &notice["params"]["code"]),
        (&json!("session.notice"), &json!("not_fired"))
    );
}

#[tokio::test]
async fn a_test_event_is_answered_by_the_agent_and_compared_with_the_engine() {
    let home = home_with(&json!({"pre_send_message": command("echo '{\"user_input\": \"engine\"}'")}));
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let reply = json!({"json": {"user_input": "agent"}, "exit_code": 0, "stderr": ""});
    agent.answers.insert("agent.fire", json!({"reply": reply}));
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let params =
        json!({"agent": "tester", "dialect": "jcli", "event": "pre_send_message", "payload": {"user_input": "x"}});
    let asked = tokio::spawn({
        let client = client.clone();
        async move { client.call("agents.fire", params).await }
    });
    while agent.received.is_empty() {
        agent.call("hook.list", json!({})).await;
    }
    let compared = asked.await.unwrap().unwrap();
    assert_eq!((&compared["reply"], &compared["same"]), (&reply, &json!(false)));
    assert_eq!(compared["engine"]["reply"]["json"], json!({"user_input": "engine"}));
    assert_eq!(agent.received[0]["params"]["trace"], compared["engine"]["trace"]);
    let unknown = json!({"agent": "nobody", "dialect": "jcli", "event": "stop", "payload": {}});
    assert_eq!(
        client.call("agents.fire", unknown).await.unwrap_err().code,
        "unknown_agent"
    );
}

#[tokio::test]
async fn what_an_agent_ran_itself_is_recorded_as_reported() {
    let home = home_with(&json!({"pre_tool_execution": command("guard.sh")}));
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"session_id": "R", "native": true})).await;
    let attempt = json!({"end": "exit", "code": 0, "stdin": "{}", "stdout": "{\"action\": \"skip\"}", "stderr": "",
                         "started_ms": 0.0, "took_ms": 3.0, "truncated": false});
    let steps = json!([{"hook": "jcli:user:pre_tool_execution:9", "label": "guard", "command": "guard.sh", "attempts": [attempt]}]);
    let payload = json!({"tool_name": "Bash", "tool_arguments": "{}"});
    let params = json!({"event": "pre_tool_execution", "payload": payload, "steps": steps});
    let reported = agent.call("run.report", params).await;
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let trace = client
        .call("history.show", json!({"trace": reported["trace"]}))
        .await
        .unwrap();
    assert_eq!(
        (&trace["origin"], &trace["verdict"]["kind"]),
        (&json!("reported"), &json!("skip"))
    );
    assert_eq!(
        trace["steps"][0]["hook"], "jcli:user:pre_tool_execution:0",
        "it is found by its command"
    );
}

#[tokio::test]
async fn hooks_of_an_agent_that_is_gone_are_stopped_also_in_a_kept_session() {
    let home = Home::new();
    let file = home.folder.path().join("running");
    let folder = home.folder.path().join(".jdata/agent");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("hooks.yaml"),
        json!({"stop": command(&waits_for(&file))}).to_string(),
    )
    .unwrap();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"keep_ms": 60_000})).await;
    agent.start("event.fire", json!({"event": "stop", "payload": {}})).await;
    until("the hook runs", || file.exists()).await;
    let pid: i32 = fs::read_to_string(&file).unwrap().trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    assert!(rustix::process::test_kill_process(pid).is_ok());
    drop(agent);
    until("the hook is killed", || {
        rustix::process::test_kill_process(pid).is_err()
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_only_closed_its_own_half_gets_its_answer() {
    let home = Home::new();
    let file = home.folder.path().join("running");
    let folder = home.folder.path().join(".jdata/agent");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("hooks.yaml"),
        json!({"stop": command(&waits_for(&file))}).to_string(),
    )
    .unwrap();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let id = agent.start("event.fire", json!({"event": "stop", "payload": {}})).await;
    agent.writer.shutdown().await.unwrap();
    until("the hook runs", || file.exists()).await;
    fs::remove_file(&file).unwrap();
    let answer = agent.answer(id).await.unwrap();
    assert_eq!(answer["result"]["verdict"]["kind"], "proceed");
}
