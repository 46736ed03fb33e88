//! What is refused: its number, its code, and whether the connection stays open.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};

use super::{Agent, command, home_with};
use crate::tests::Home;
use crate::{Client, MAX_AGENT_LINE_BYTES};

#[tokio::test]
async fn every_refusal_has_its_number() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::connect(&engine).await;
    let open = |more: Value| {
        let mut params = json!({"dialect": "jcli", "agent": {"name": "t"}, "cwd": home.project()});
        params
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        params
    };
    for (method, params, number, code) in [
        (
            "event.fire",
            json!({"event": "stop", "payload": {}}),
            -32001,
            "no_session",
        ),
        ("session.close", json!({}), -32001, "no_session"),
        ("no.such", json!({}), -32601, "unknown_method"),
        ("trust.approve", json!({}), -32003, "not_for_agents"),
        ("settings.set", json!({}), -32003, "not_for_agents"),
        ("session.open", open(json!({"dialect": "x"})), -32002, "unknown_dialect"),
        ("session.open", open(json!({"cwd": "relative"})), -32602, "relative_cwd"),
        ("session.open", open(json!({"protocol": 2})), -32602, "unknown_protocol"),
        ("session.open", json!({}), -32602, "bad_params"),
        (
            "session.open",
            open(json!({"session_id": ""})),
            -32602,
            "empty_session_id",
        ),
    ] {
        assert_eq!(
            agent.refused(method, params).await,
            (number, code.to_owned()),
            "{method}"
        );
    }
    agent.call("session.open", open(json!({}))).await;
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    for (method, params, number, code) in [
        ("session.open", open(json!({})), -32602, "session_open_already"),
        (
            "event.fire",
            json!({"event": "nope", "payload": {}}),
            -32002,
            "unknown_event_name",
        ),
        (
            "event.fire",
            json!({"event": "stop", "payload": [1]}),
            -32004,
            "payload_not_object",
        ),
        (
            "event.fire",
            json!({"event": "stop", "payload": {"a": deep}}),
            -32004,
            "payload_too_deep",
        ),
        ("event.fire", json!({"event": "stop"}), -32602, "bad_params"),
        (
            "hook.register",
            json!({"event": "nope", "definition": {}}),
            -32002,
            "unknown_event_name",
        ),
        (
            "hook.register",
            json!({"event": "stop", "definition": {"type": "nope"}}),
            -32004,
            "hook_refused",
        ),
        ("hook.remove", json!({"event": "stop"}), -32602, "bad_params"),
        (
            "run.report",
            json!({"event": "stop", "payload": {}, "steps": [{"hook": "h", "outcome": "blocked"}]}),
            -32602,
            "bad_params",
        ),
        (
            "run.report",
            json!({"event": "stop", "payload": {}, "steps": [{"hook": "h", "attempts": [{"end": "exploded"}]}]}),
            -32602,
            "bad_params",
        ),
        ("skill.begin", json!({"messages": []}), -32004, "no_message_list"),
    ] {
        assert_eq!(
            agent.refused(method, params).await,
            (number, code.to_owned()),
            "{method}"
        );
    }
}

#[tokio::test]
async fn a_payload_of_exactly_sixteen_mebibytes_passes_and_one_byte_more_does_not() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let around = json!({"last_assistant_text": ""}).to_string().len();
    let text = "x".repeat((16 << 20) - around);
    let fired = agent.fire("stop", json!({"last_assistant_text": text})).await;
    assert_eq!(fired["verdict"]["kind"], "proceed");
    let params = json!({"event": "stop", "payload": {"last_assistant_text": format!("{text}x")}});
    assert_eq!(
        agent.refused("event.fire", params).await,
        (-32004, "payload_too_large".to_owned())
    );
}

/// The latest trace of a home.
async fn latest_trace(client: &Client) -> Value {
    let page = client.call("history.page", json!({"limit": 1})).await.unwrap();
    let trace = json!({"trace": page["traces"][0]["trace"]});
    client.call("history.show", trace).await.unwrap()
}

#[tokio::test]
async fn an_event_that_is_refused_is_recorded_as_passed_by_its_guards() {
    let guard = json!([
        {"command": "echo '{\"action\":\"skip\"}'", "timeout": 5},
        {"command": "true", "timeout": 5, "filter": {"tool_matcher": "nothing"}},
    ]);
    let home = home_with(&json!({"pre_tool_execution": guard, "stop": command("true")}));
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let params = json!({"event": "pre_tool_execution", "payload": {"tool_name": "sh", "tool_arguments": deep}});
    let refused = agent.refused("event.fire", params).await;
    assert_eq!(refused, (-32004, "payload_too_deep".to_owned()));
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let trace = latest_trace(&client).await;
    assert_eq!((&trace["origin"], &trace["agent"]), (&json!("agent"), &json!("tester")));
    assert_eq!(trace["verdict"]["kind"], "proceed");
    let steps = trace["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 2, "{trace}");
    for step in steps {
        assert_eq!(
            (&step["outcome"], &step["code"], &step["attempts"]),
            (&json!("failed_open"), &json!("event_refused"), &json!([]))
        );
    }
    assert_eq!(trace["notices"][0]["code"], "event_refused");
    // `status` reads what has been imported.
    let begin = std::time::Instant::now();
    loop {
        let status = json!({"project": home.project()});
        let status = client.call("overview", status).await.unwrap();
        let needs = status["needs"].as_array().unwrap();
        if needs.iter().any(|need| need["code"] == "passed_unguarded") {
            break;
        }
        assert!(begin.elapsed() < std::time::Duration::from_secs(20), "{status}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn an_event_of_no_known_name_is_refused_and_not_recorded() {
    let home = home_with(&json!({"stop": command("true")}));
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({})).await;
    agent.fire("stop", json!({})).await;
    for params in [json!({"event": "nothing", "payload": {}}), json!({"event": "stop"})] {
        agent.refused("event.fire", params).await;
    }
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let trace = latest_trace(&client).await;
    assert_eq!(trace["steps"][0]["outcome"], "no_opinion", "the event before");
}

#[tokio::test]
async fn garbage_is_answered_and_a_line_over_the_limit_closes() {
    let home = Home::new();
    let engine = home.engine().await;
    let mut agent = Agent::connect(&engine).await;
    agent.writer.write_all(b"garbage\n").await.unwrap();
    let answer = agent.answer(0).await.unwrap();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&Value::Null, &json!(-32700))
    );
    let (mut writer, mut sent) = (agent.writer, 0);
    let piece = vec![b'x'; 1 << 20];
    let write = async {
        while sent <= MAX_AGENT_LINE_BYTES && writer.write_all(&piece).await.is_ok() {
            sent += piece.len();
        }
    };
    let mut lines = agent.lines;
    let mut line = String::new();
    tokio::join!(write, async { lines.read_line(&mut line).await.unwrap() });
    let answer: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answer["error"]["data"]["code"], "line_too_long");
    line.clear();
    assert_eq!(lines.read_line(&mut line).await.unwrap_or(0), 0, "it is closed: {line}");
}
