//! What a window sees of chains that run, and how it stops them.

use std::fs;
use std::path::Path;

use hookwright_app::{Push, Topic};
use serde_json::{Value, json};

use crate::Client;
use crate::agent_tests::{Agent, home_with, until, waits_for};
use crate::tests::Home;

/// The document of `chains.list` as soon as it is as wanted.
async fn chains(client: &Client, wanted: impl Fn(&Value) -> bool) -> Value {
    let begin = std::time::Instant::now();
    loop {
        let listed = client.call("chains.list", json!({})).await.unwrap();
        if wanted(&listed) {
            return listed;
        }
        assert!(
            begin.elapsed() < std::time::Duration::from_secs(20),
            "never: {listed:#}"
        );
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// A home whose second hook of `pre_send_message` reports on stderr and then waits for `file`.
fn home_that_waits(file: &Path) -> Home {
    let reports = "echo begun '<b>'; echo key hunter2-hunter2; printf half";
    let second = format!("{{ {reports}; }} >&2; {}", waits_for(file));
    home_with(&json!({"pre_send_message": [
        {"command": "echo '{}'", "timeout": 60}, {"command": second, "timeout": 60}, {"command": "echo '{}'", "timeout": 60},
    ]}))
}

fn is_waiting(listed: &Value) -> bool {
    listed["chains"][0]["steps"][1]["stderr"]
        .as_str()
        .is_some_and(|text| text.contains("key"))
}

#[tokio::test]
async fn a_window_sees_the_present_step_of_an_agents_event_and_stops_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wait");
    let home = home_that_waits(&file);
    let engine = home.engine().await;
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let mut pushes = client.subscribe().await.unwrap();
    let mut agent = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let payload = json!({"user_input": "hi", "api_key": "hunter2-hunter2"});
    let fired = agent
        .start("event.fire", json!({"event": "pre_send_message", "payload": payload}))
        .await;
    let listed = chains(&client, is_waiting).await;
    let chain = &listed["chains"][0];
    assert_eq!(
        [
            &chain["event"],
            &chain["session"],
            &chain["agent"],
            &chain["origin"],
            &chain["run"]
        ],
        [
            &json!("pre_send_message"),
            &json!("S"),
            &json!("tester"),
            &json!("agent"),
            &Value::Null
        ]
    );
    let phases: Vec<_> = chain["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (&step["number"], &step["phase"]))
        .collect();
    assert_eq!(
        phases,
        [
            (&json!(1), &json!("ended")),
            (&json!(2), &json!("running")),
            (&json!(3), &json!("waiting"))
        ]
    );
    assert_eq!(chain["steps"][0]["outcome"], "no_opinion");
    // It is masked, as text, and without the line that is not complete.
    assert_eq!(chain["steps"][1]["stderr"], "begun <b>\nkey ‹redacted›\n");
    let stale = loop {
        if let Push::Stale { what } = pushes.recv().await.unwrap()
            && what.contains(&Topic::Chains)
        {
            break what;
        }
    };
    assert_eq!(stale, [Topic::Chains]);
    let stop = json!({"trace": chain["trace"]});
    assert_eq!(
        client.call("chains.stop", stop.clone()).await.unwrap(),
        json!({"stopped": true})
    );
    let answer = agent.answer(fired).await.unwrap();
    let trace = client
        .call("history.show", json!({"trace": answer["result"]["trace"]}))
        .await
        .unwrap();
    let steps: Vec<_> = trace["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| &step["reason"])
        .collect();
    assert_eq!(steps[1..], [&json!("cancelled"), &json!("cancelled")], "{trace:#}");
    assert_eq!(chains(&client, |listed| listed["chains"] == json!([])).await["more"], 0);
    assert_eq!(
        client.call("chains.stop", stop).await.unwrap(),
        json!({"stopped": false})
    );
}

#[tokio::test]
async fn a_run_of_the_window_is_listed_under_its_own_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wait");
    let home = home_that_waits(&file);
    let _engine = home.engine().await;
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let fire = json!({
        "run": "a/b", "project": home.project(), "dialect": "jcli", "event": "pre_send_message", "payload": {"user_input": "x"},
    });
    let fired = tokio::spawn({
        let client = client.clone();
        async move { client.call("fire", fire).await }
    });
    let listed = chains(&client, is_waiting).await;
    assert_eq!(
        (&listed["chains"][0]["run"], &listed["chains"][0]["origin"]),
        (&json!("a/b"), &json!("window"))
    );
    until("the hook waits", || file.exists()).await;
    fs::remove_file(&file).unwrap();
    assert_eq!(fired.await.unwrap().unwrap()["verdict"]["kind"], "proceed");
}

#[tokio::test]
async fn a_test_event_at_an_agent_is_listed_and_stopped() {
    let home = home_with(&json!({}));
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let params = json!({
        "agent": "S", "dialect": "jcli", "event": "stop", "payload": {}, "run": "r", "client": "cli",
    });
    let asked = tokio::spawn({
        let client = client.clone();
        async move { client.call("agents.fire", params).await }
    });
    // This agent never answers `agent.fire`.
    let listed = chains(&client, |listed| listed["at_agents"][0]["run"] == "r").await;
    let at_agent = &listed["at_agents"][0];
    assert_eq!(
        [&at_agent["agent"], &at_agent["session"], &at_agent["event"]],
        [&json!("tester"), &json!("S"), &json!("stop")]
    );
    assert_eq!(
        client.call("fire.stop", json!({"run": "r"})).await.unwrap(),
        json!({"stopped": true})
    );
    let doc = asked.await.unwrap().unwrap();
    assert_eq!(
        (&doc["stopped"], &doc["reply"], &doc["same"]),
        (&json!(true), &Value::Null, &json!(false))
    );
    assert_eq!(doc["engine"]["origin"], "cli");
    let is_notice = |line: &Value| line["method"] == "session.notice";
    while !agent.received.iter().any(is_notice) {
        agent.call("hook.list", json!({})).await;
    }
    let notice = &agent.received.iter().find(|line| is_notice(line)).unwrap()["params"];
    assert_eq!(
        (&notice["code"], &notice["args"]["trace"]),
        (&json!("test_event_stopped"), &doc["engine"]["trace"])
    );
    assert_eq!(
        chains(&client, |listed| listed["at_agents"] == json!([])).await["chains"],
        json!([])
    );
    // A late answer is ignored, and the connection goes on.
    let call = agent
        .received
        .iter()
        .find(|line| line["method"] == "agent.fire")
        .unwrap()["id"]
        .clone();
    let late = json!({"jsonrpc": "2.0", "id": call, "result": {"reply": {"json": {}, "exit_code": 0, "stderr": ""}}});
    tokio::io::AsyncWriteExt::write_all(&mut agent.writer, format!("{late}\n").as_bytes())
        .await
        .unwrap();
    agent.call("hook.list", json!({})).await;
}

#[tokio::test]
async fn a_session_kept_for_a_moment_ends_after_its_asynchronous_hooks() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wait");
    let home = Home::new();
    let settings = home.folder.path().join(".qoder/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let hook = json!({"type": "command", "command": waits_for(&file), "async": true});
    fs::write(&settings, json!({"hooks": {"Stop": [{"hooks": [hook]}]}}).to_string()).unwrap();
    let engine = home.engine().await;
    let params = json!({"dialect": "qoder", "keep_ms": 1});
    let mut agent = Agent::open(&engine, &home, params).await;
    agent.fire("Stop", json!({})).await;
    until("the asynchronous hook runs", || file.exists()).await;
    drop(agent);
    let gone = |rows: &[Value]| rows.iter().all(|row| row["connected"] == json!(false));
    while !gone(&crate::agent_tests::agents(&home).await) {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert_eq!(crate::agent_tests::agents(&home).await.len(), 1, "its hook still runs");
    fs::remove_file(&file).unwrap();
    while !crate::agent_tests::agents(&home).await.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}
