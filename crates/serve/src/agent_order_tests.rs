//! Ends, order and refusals on the agent socket, where requests meet (`CONTRACTS.md` §3).

use std::fs;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::Client;
use crate::agent_tests::{Agent, agents, command, home_with, until, waits_for};
use crate::tests::Home;

/// Writes several requests at once, and returns their ids.
async fn write_at_once(agent: &mut Agent, requests: &[(&str, Value)]) -> Vec<u64> {
    let mut text = String::new();
    let mut ids = Vec::new();
    for (method, params) in requests {
        agent.next_id += 1;
        ids.push(agent.next_id);
        let line = json!({"jsonrpc": "2.0", "id": agent.next_id, "method": method, "params": params});
        text.push_str(&format!("{line}\n"));
    }
    agent.writer.write_all(text.as_bytes()).await.unwrap();
    ids
}

/// The outcomes of the steps of an event.
async fn outcomes(home: &Home, fired: &Value) -> Vec<Value> {
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let shown = client.call("history.show", json!({"trace": fired["trace"]})).await;
    let steps = shown.unwrap()["steps"].as_array().unwrap().clone();
    steps.iter().map(|step| step["outcome"].clone()).collect()
}

#[tokio::test]
async fn an_event_in_one_write_behind_the_close_of_its_session_is_refused_before_the_connection_ends() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let fire = json!({"event": "stop", "payload": {}});
    let requests = [
        ("session.close", json!({})),
        ("event.fire", fire),
        ("hook.list", json!({})),
    ];
    let ids = write_at_once(&mut agent, &requests).await;
    assert_eq!(agent.answer(ids[0]).await.unwrap()["result"], json!({}));
    for id in &ids[1..] {
        let answer = agent.answer(*id).await.unwrap();
        assert_eq!(answer["error"]["code"], -32001, "{answer}");
    }
    assert!(agent.answer(99).await.is_none(), "the connection is closed");
}

#[tokio::test]
async fn an_event_behind_the_one_that_ends_the_conversation_is_run_to_its_end() {
    let slow = "sleep 0.3; echo '{}'";
    let home = home_with(&json!({"session_end": command("sleep 0.1"), "stop": command(slow)}));
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let event = |name: &str| ("event.fire", json!({"event": name, "payload": {}}));
    let ids = write_at_once(&mut agent, &[event("session_end"), event("stop")]).await;
    assert!(agent.answer(ids[0]).await.unwrap()["result"].is_object());
    let fired = agent.answer(ids[1]).await.unwrap()["result"].clone();
    assert_eq!(outcomes(&home, &fired).await, [json!("no_opinion")]);
}

#[tokio::test]
async fn the_close_of_a_session_stops_what_an_ended_conversation_still_runs() {
    let home = Home::new();
    let file = home.folder.path().join("running");
    let folder = home.folder.path().join(".jdata/agent");
    fs::create_dir_all(&folder).unwrap();
    let hooks = json!({"stop": command(&waits_for(&file))});
    fs::write(folder.join("hooks.yaml"), hooks.to_string()).unwrap();
    let engine = home.engine().await;
    let mut other = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let mut agent = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let stop = agent.start("event.fire", json!({"event": "stop", "payload": {}})).await;
    until("the hook runs", || file.exists()).await;
    other.fire("session_end", json!({})).await;
    other.call("session.close", json!({})).await;
    let fired = agent.answer(stop).await.unwrap()["result"].clone();
    assert_eq!(outcomes(&home, &fired).await, [json!("skipped")]);
}

#[tokio::test]
async fn a_session_whose_conversation_has_ended_is_not_kept() {
    let home = Home::new();
    let engine = home.engine().await;
    let kept = json!({"session_id": "S", "keep_ms": 600_000, "native": true});
    let mut agent = Agent::open(&engine, &home, kept).await;
    agent.fire("stop", json!({})).await;
    agent.fire("session_end", json!({})).await;
    assert_eq!(agents(&home).await.len(), 1, "its connection is still there");
    drop(agent);
    for _ in 0..500 {
        if agents(&home).await.is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(agents(&home).await, [] as [Value; 0]);
    // The next one of this id has its own folder, and says itself whether it is native.
    let folder = home.folder.path().join("second");
    fs::create_dir(&folder).unwrap();
    let _agent = Agent::open(&engine, &home, json!({"session_id": "S", "cwd": folder})).await;
    let row = agents(&home).await.remove(0);
    assert_eq!(row["cwd"], json!(folder.canonicalize().unwrap()));
    assert_eq!(row["native"], false);
}

#[tokio::test]
async fn refusals_of_an_agent_name_what_an_agent_can_read() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::connect(&engine).await;
    let id = agent.start("no.such", json!({})).await;
    let error = agent.answer(id).await.unwrap()["error"].clone();
    assert_eq!(error["code"], -32601);
    assert_eq!(error["data"]["hint"], "see docs/agents.md for the list of methods");
    let relative = json!({"dialect": "jcli", "agent": {"name": "t"}, "cwd": "nowhere"});
    let refused = agent.refused("session.open", relative).await;
    assert_eq!(refused.0, -32602);
    let removed = json!({"dialect": "jcli", "agent": {"name": "t"}, "cwd": home.project().join("nowhere")});
    let mut elsewhere = Agent::connect(&engine).await;
    elsewhere.call("session.open", removed).await;
    // A list of agents with such names would not fit into a line.
    let (long, fits) = ("N".repeat(1025), "N".repeat(1024));
    let named = |id: &str, name: &str, version: &str| json!({"dialect": "jcli", "agent": {"name": name, "version": version}, "cwd": home.project(), "session_id": id});
    for params in [named(&long, "t", ""), named("S", &long, ""), named("S", "t", &long)] {
        let refused = agent.refused("session.open", params).await;
        assert_eq!(refused, (-32602, "name_too_long".to_owned()));
    }
    let mut other = Agent::connect(&engine).await;
    other.call("session.open", named(&fits, &fits, &fits)).await;
    let open = json!({
        "dialect": "jcli", "agent": {"name": "t", "version": "", "pid": null, "depth": null}, "cwd": home.project(),
        "session_id": null, "offers": [], "native": null, "keep_ms": null, "protocol": 1,
    });
    agent.call("session.open", open).await;
    for (method, params) in [
        ("hook.list", json!({"event": "nope"})),
        ("hook.remove", json!({"event": "nope", "index": 0})),
    ] {
        let refused = agent.refused(method, params).await;
        assert_eq!(refused, (-32002, "unknown_event_name".to_owned()), "{method}");
    }
}

#[tokio::test]
async fn a_session_hook_is_listed_with_its_place_among_the_hooks_of_files() {
    let home = home_with(&json!({"stop": [{"command": "true"}, {"command": "true"}]}));
    let engine = home.engine().await;
    let prompt = json!({"event": "stop", "definition": {"type": "llm", "prompt": "p"}});
    let spawning = json!({"event": "stop", "definition": {"command": "true"}});
    for (native, place) in [(false, 3), (true, 1)] {
        let mut agent = Agent::open(&engine, &home, json!({"native": native})).await;
        agent.call("hook.register", spawning.clone()).await;
        agent.call("hook.register", prompt.clone()).await;
        let rows = agent.call("hook.list", json!({"event": "stop"})).await["hooks"].clone();
        assert_eq!(rows[0]["position"], Value::Null, "it is not approved: {rows}");
        assert_eq!(rows[1]["position"], place, "{rows}");
    }
}

#[tokio::test]
async fn the_payload_of_a_report_has_the_limits_of_every_payload() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let report = |payload: Value| json!({"event": "stop", "payload": payload, "steps": []});
    let refused = agent.refused("run.report", report(json!({"a": deep}))).await;
    assert_eq!(refused, (-32004, "payload_too_deep".to_owned()));
    let text = report(json!("x".repeat(16 << 20)));
    let refused = agent.refused("run.report", text).await;
    assert_eq!(refused, (-32004, "payload_too_large".to_owned()));
    // Blanks count as they stand in the line.
    agent.next_id += 1;
    let (id, blanks) = (agent.next_id, " ".repeat(16 << 20));
    let params = format!("{{\"event\":\"stop\",\"payload\":{{{blanks}}}}}");
    let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"run.report\",\"params\":{params}}}\n");
    agent.writer.write_all(line.as_bytes()).await.unwrap();
    let error = agent.answer(id).await.unwrap()["error"].clone();
    assert_eq!(error["code"], -32004, "{error}");
    for payload in [json!(null), json!(["x"])] {
        let trace = agent.call("run.report", report(payload)).await["trace"].clone();
        let client = Client::connect(&home.run_dir()).await.unwrap();
        let shown = client.call("history.show", json!({"trace": trace})).await.unwrap();
        assert_eq!(shown["notices"][0]["code"], "report_payload", "{shown}");
    }
}

#[tokio::test]
async fn a_definition_with_a_key_twice_is_not_registered() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    agent.next_id += 1;
    let id = agent.next_id;
    let definition = r#"{"type":"llm","prompt":"one","prompt":"two"}"#;
    let params = format!("{{\"event\":\"stop\",\"definition\":{definition}}}");
    let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"hook.register\",\"params\":{params}}}\n");
    agent.writer.write_all(line.as_bytes()).await.unwrap();
    let error = agent.answer(id).await.unwrap()["error"].clone();
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(-32004), &json!("hook_refused")),
        "{error}"
    );
    assert_eq!(error["data"]["args"]["why"], "duplicate key `prompt`");
    assert_eq!(agent.call("hook.list", json!({})).await["hooks"], json!([]));
}

#[tokio::test]
async fn a_connection_whose_session_another_one_closed_can_open_it_again() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut other = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let mut one = Agent::open(&engine, &home, json!({"session_id": "S"})).await;
    let open = json!({"dialect": "jcli", "agent": {"name": "t"}, "cwd": home.project(), "session_id": "S"});
    let refused = one.refused("session.open", open.clone()).await;
    assert_eq!(refused, (-32602, "session_open_already".to_owned()));
    other.call("session.close", json!({})).await;
    let stop = json!({"event": "stop", "payload": {}});
    assert_eq!(one.refused("event.fire", stop.clone()).await.0, -32001);
    assert_eq!(one.call("session.open", open).await["session"], "S");
    assert_eq!(one.call("event.fire", stop).await["verdict"]["kind"], "proceed");
    assert_eq!(agents(&home).await.len(), 1);
}

#[tokio::test]
async fn a_hook_that_is_removed_behind_an_event_still_takes_part_in_it() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"dialect": "qoder"})).await;
    agent.answers.insert("callback.call", json!({"output": {}}));
    let register = |name: &str| json!({"event": "Stop", "definition": {"callback": name}});
    for round in 0..5 {
        let requests = [
            ("hook.register", register("first")),
            ("event.fire", json!({"event": "Stop", "payload": {}})),
            ("hook.remove", json!({"event": "Stop", "index": 0})),
            ("hook.register", register("second")),
            ("hook.remove", json!({"event": "Stop", "index": 0})),
        ];
        let ids = write_at_once(&mut agent, &requests).await;
        for id in ids {
            let answer = agent.answer(id).await.unwrap();
            assert!(answer.get("error").is_none(), "{answer}");
        }
        let asked: Vec<&Value> = agent.received.iter().map(|line| &line["params"]["callback"]).collect();
        assert_eq!(asked, ["first"], "round {round}");
        agent.received.clear();
    }
}

#[tokio::test]
async fn an_agent_may_name_an_event_as_later_versions_do_and_leave_parameters_out() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut kimi = Agent::open(&engine, &home, json!({"dialect": "agent-hooks"})).await;
    let payload = json!({"event_type": "pre-tool-call", "tool_name": "Shell"});
    let fired = kimi.fire("pre-tool-call", payload).await;
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let shown = client
        .call("history.show", json!({"trace": fired["trace"]}))
        .await
        .unwrap();
    assert_eq!(shown["event"], "before_tool");
    assert_eq!(shown["payload_before"]["event_type"], "before_tool");

    let mut pico = Agent::open(&engine, &home, json!({"dialect": "picoclaw"})).await;
    for (event, kind) in [
        ("agent.turn.start", json!("agent.turn.start")),
        ("turn_start", json!(0)),
        ("turn_start", json!("agent.turn.start")),
    ] {
        let fired = pico.fire(event, json!({"Kind": kind})).await;
        let shown = client
            .call("history.show", json!({"trace": fired["trace"]}))
            .await
            .unwrap();
        assert_eq!(shown["payload_before"]["Kind"], "turn_start", "{event} {kind}");
    }
    let other = pico.refused(
        "event.fire",
        json!({"event": "turn_end", "payload": {"Kind": "agent.turn.start"}}),
    );
    assert_eq!(other.await, (-32004, "payload_refused".to_owned()));
    pico.next_id += 1;
    let line = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"hook.list\"}}\n",
        pico.next_id
    );
    pico.writer.write_all(line.as_bytes()).await.unwrap();
    assert_eq!(pico.answer(pico.next_id).await.unwrap()["result"], json!({"hooks": []}));

    let mut qoder = Agent::open(&engine, &home, json!({"dialect": "qoder"})).await;
    let unfired = qoder
        .refused("event.fire", json!({"event": "Notification", "payload": {}}))
        .await;
    assert_eq!(unfired, (-32002, "unfired_event".to_owned()));
}

#[tokio::test]
async fn every_refusal_says_what_to_do() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::connect(&engine).await;
    let relative = json!({"dialect": "jcli", "agent": {"name": "t"}, "cwd": "here"});
    let open = json!({"dialect": "jcli", "agent": {"name": "t"}, "cwd": home.project()});
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    for (method, params) in [
        ("session.open", json!({})),
        ("session.open", relative),
        ("session.open", open),
        ("event.fire", json!({"event": "stop", "payload": {"a": deep}})),
        (
            "event.fire",
            json!({"event": "stop", "payload": {"a": "x".repeat(16 << 20)}}),
        ),
        ("hook.register", json!({"definition": {"command": "true"}})),
        ("skill.begin", json!({"messages": []})),
        (
            "run.report",
            json!({"event": "stop", "payload": {}, "steps": [{"attempts": []}]}),
        ),
    ] {
        let id = agent.start(method, params).await;
        let answer = agent.answer(id).await.unwrap();
        let error = &answer["error"];
        let is_opened = answer["result"]["session"].is_string();
        assert!(is_opened || error["data"]["hint"].is_string(), "{method}: {answer}");
    }
}
