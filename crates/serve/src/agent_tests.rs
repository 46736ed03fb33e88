//! An engine and scripted agents over the real agent socket (`CONTRACTS.md` §3). Each test has its own home folder.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookwright_app::App;
use hookwright_workspace::{HostEnv, ProcessRole, wall_clock};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use crate::tests::Home;
use crate::{Client, ControlServer, HostMode, ListenError, MAX_AGENT_LINE_BYTES};

/// A home folder with hooks of jcli in the user's file.
pub(crate) fn home_with(hooks: &Value) -> Home {
    let home = Home::new();
    let folder = home.folder.path().join(".jdata/agent");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("hooks.yaml"), hooks.to_string()).unwrap();
    home
}

pub(crate) fn command(text: &str) -> Value {
    json!([{"command": text, "timeout": 60}])
}

/// An agent that does what the test says. It answers the engine's calls by `answers`.
pub(crate) struct Agent {
    lines: BufReader<OwnedReadHalf>,
    pub(crate) writer: OwnedWriteHalf,
    pub(crate) next_id: u64,
    pub(crate) answers: HashMap<&'static str, Value>,
    /// The calls and notifications of the engine, in their order.
    pub(crate) received: Vec<Value>,
    replies: HashMap<u64, Value>,
}

impl Agent {
    pub(crate) async fn connect(engine: &ControlServer) -> Self {
        let stream = UnixStream::connect(engine.agent_socket()).await.unwrap();
        let (reader, writer) = stream.into_split();
        Self {
            lines: BufReader::new(reader),
            writer,
            next_id: 0,
            answers: HashMap::new(),
            received: Vec::new(),
            replies: HashMap::new(),
        }
    }

    /// Connects and opens a session of jcli. `more` is added to the parameters.
    pub(crate) async fn open(engine: &ControlServer, home: &Home, more: Value) -> Self {
        let mut agent = Self::connect(engine).await;
        let mut params = json!({
            "dialect": "jcli", "agent": {"name": "tester", "version": "1.0", "pid": 7}, "cwd": home.project(),
            "offers": ["fire", "model", "callbacks"], "protocol": 1,
        });
        params
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let opened = agent.call("session.open", params).await;
        assert!(opened["session"].is_string(), "{opened}");
        agent
    }

    async fn send(&mut self, line: &Value) {
        // A closed connection is noticed by the answer that does not come.
        let _ = self.writer.write_all(format!("{line}\n").as_bytes()).await;
    }

    pub(crate) async fn start(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let line = json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params});
        self.send(&line).await;
        self.next_id
    }

    /// Reads lines until this request is answered. `None` if the connection was closed before.
    pub(crate) async fn answer(&mut self, id: u64) -> Option<Value> {
        while !self.replies.contains_key(&id) {
            let mut line = String::new();
            if self.lines.read_line(&mut line).await.unwrap_or(0) == 0 {
                return None;
            }
            let line: Value = serde_json::from_str(&line).unwrap();
            if let Some(method) = line["method"].as_str() {
                let answer = self.answers.get(method).cloned();
                if let (Some(answer), Some(id)) = (answer, line.get("id")) {
                    let answer = json!({"jsonrpc": "2.0", "id": id, "result": answer});
                    self.send(&answer).await;
                }
                self.received.push(line);
            } else {
                self.replies.insert(line["id"].as_u64().unwrap_or(0), line);
            }
        }
        self.replies.remove(&id)
    }

    /// The result of a request.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        let answer = self.answer(id).await.unwrap();
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The number and the code of the error of a request.
    pub(crate) async fn refused(&mut self, method: &str, params: Value) -> (i64, String) {
        let id = self.start(method, params).await;
        let answer = self.answer(id).await.unwrap();
        let error = &answer["error"];
        assert!(error["data"]["message"].is_string(), "{method}: {answer}");
        let code = error["data"]["code"].as_str().unwrap().to_owned();
        (error["code"].as_i64().unwrap(), code)
    }

    pub(crate) async fn fire(&mut self, event: &str, payload: Value) -> Value {
        self.call("event.fire", json!({"event": event, "payload": payload}))
            .await
    }
}

pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begin = std::time::Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(20), "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub(crate) async fn agents(home: &Home) -> Vec<Value> {
    let client = Client::connect(&home.run_dir()).await.unwrap();
    let listed = client.call("agents.list", json!({})).await.unwrap();
    listed["agents"].as_array().unwrap().clone()
}

/// A hook that waits until the file is removed, and writes its process id into it first.
pub(crate) fn waits_for(file: &Path) -> String {
    let file = file.display();
    format!("echo $$ > {file}.new; mv {file}.new {file}; while [ -e {file} ]; do sleep 0.05; done; echo '{{}}'")
}

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

/// The environment of a home with one more variable.
fn env_with(home: &Home, name: &str, value: &Path) -> HostEnv {
    let mut vars = std::collections::BTreeMap::new();
    vars.insert("HOME".into(), home.folder.path().as_os_str().to_owned());
    vars.insert(name.into(), value.as_os_str().to_owned());
    HostEnv::new(vars, home.project(), PathBuf::from("/bin/true")).unwrap()
}

async fn start(env: HostEnv) -> Result<ControlServer, ListenError> {
    let app = Arc::new(App::open(env, ProcessRole::Engine, wall_clock()));
    ControlServer::start(app, HostMode::Serve).await
}

#[tokio::test]
async fn an_engine_takes_a_dead_socket_and_never_a_living_one() {
    let (one, other) = (Home::new(), Home::new());
    let runtime = tempfile::tempdir().unwrap();
    let path = runtime.path().join("hookwright/agent.sock");
    fs::create_dir(runtime.path().join("hookwright")).unwrap();
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let first = start(env_with(&one, "XDG_RUNTIME_DIR", runtime.path())).await.unwrap();
    assert_eq!(first.agent_socket(), path);
    let endpoint = fs::read_to_string(one.run_dir().join("endpoint")).unwrap();
    assert_eq!(endpoint.lines().next(), path.to_str());
    let second = start(env_with(&other, "XDG_RUNTIME_DIR", runtime.path()))
        .await
        .unwrap();
    assert_eq!(second.agent_socket(), other.run_dir().join("agent.sock"));
    second.stop().await;
    assert!(path.exists() && !second.agent_socket().exists());
    first.stop().await;
    assert!(!path.exists());
}

#[tokio::test]
async fn a_named_socket_is_the_only_one() {
    let (one, other) = (Home::new(), Home::new());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/named.sock");
    let first = start(env_with(&one, "HOOKWRIGHT_SOCKET", &path)).await.unwrap();
    assert_eq!(first.agent_socket(), path);
    let refused = start(env_with(&other, "HOOKWRIGHT_SOCKET", &path)).await.err().unwrap();
    assert!(matches!(refused, ListenError::InUse { .. }), "{refused}");
    let long = folder.path().join("x".repeat(120));
    let refused = start(env_with(&other, "HOOKWRIGHT_SOCKET", &long)).await.err().unwrap();
    assert!(matches!(refused, ListenError::TooLong { .. }), "{refused}");
    let file = folder.path().join("mine.txt");
    fs::write(&file, "mine").unwrap();
    let refused = start(env_with(&other, "HOOKWRIGHT_SOCKET", &file)).await.err().unwrap();
    assert!(matches!(refused, ListenError::NotASocket { .. }), "{refused}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    first.stop().await;
}

#[tokio::test]
async fn the_texts_of_skills_come_and_go_by_their_references() {
    let home = Home::new();
    let hooks = home.project().join("skills/reviewer/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let list = json!({"hooks": [
        {"name": "plan", "file": "plan.md", "timing": "before_planning", "role": "system", "persistent": false},
        {"name": "keep", "file": "keep.md", "timing": "before_planning", "role": "user", "persistent": true},
    ]});
    fs::write(hooks.join("hooks.json"), list.to_string()).unwrap();
    fs::write(hooks.join("plan.md"), "plan first").unwrap();
    fs::write(hooks.join("keep.md"), "be brief").unwrap();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"dialect": "skill", "session_id": "K"})).await;
    let refused = agent
        .refused("skill.inject", json!({"timing": "before_planning"}))
        .await;
    assert_eq!(refused, (-32001, "no_skill_request".to_owned()));
    let sent = json!([{"role": "user", "content": "plan first", "mine": 1}]);
    let begin = json!({"messages": sent, "enabled_skills": ["reviewer"]});
    assert_eq!(agent.call("skill.begin", begin).await["messages"], sent);
    let injected = agent.call("skill.inject", json!({"timing": "before_planning"})).await;
    let appended = injected["appended"].as_array().unwrap();
    assert_eq!(
        (appended[0]["content"].as_str(), appended.len()),
        (Some("plan first"), 2)
    );
    assert_eq!(
        injected["persist"],
        json!([{"name": "keep", "role": "user", "content": "be brief"}])
    );
    let prompt = agent
        .call("skill.inject_prompt", json!({"content": "plan first"}))
        .await;
    let removed = agent.call("skill.remove", json!({"timing": "before_planning"})).await;
    assert_eq!(
        removed["removed"],
        json!([appended[0]["ref"]]),
        "the persistent text stays"
    );
    let left = agent.call("skill.remove_prompt", json!({"ref": prompt["ref"]})).await;
    let texts = left["messages"].as_array().unwrap();
    assert_eq!(
        (&texts[0], texts.len()),
        (&sent[0], 2),
        "equal texts of the conversation stay: {texts:?}"
    );
    assert_eq!(agent.received.len(), 0);
    agent.call("skill.remove_prompt", json!({"ref": prompt["ref"]})).await;
    assert_eq!(agent.received[0]["method"], "session.notice");
    let unknown = agent.refused("skill.remove", json!({"timing": "nope"})).await;
    assert_eq!(unknown, (-32002, "unknown_event_name".to_owned()));
    // Nothing is named, and what is only found waits for an approval: the agent is told both.
    agent.received.clear();
    agent.call("skill.begin", json!({"messages": []})).await;
    agent.call("skill.inject", json!({"timing": "before_planning"})).await;
    let codes: Vec<&Value> = agent.received.iter().map(|line| &line["params"]["code"]).collect();
    assert_eq!(codes, ["skill_nobody_named", "untrusted_skipped"]);
}

#[tokio::test]
async fn a_folder_of_skills_can_be_named_for_a_request() {
    let home = Home::new();
    let hooks = home.folder.path().join("elsewhere/helper/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let list = json!({"hooks": [
        {"name": "a", "file": "a.md", "timing": "after_user_input", "role": "system", "persistent": false},
    ]});
    fs::write(hooks.join("hooks.json"), list.to_string()).unwrap();
    fs::write(hooks.join("a.md"), "from elsewhere").unwrap();
    let engine = home.engine().await;
    let mut agent = Agent::open(&engine, &home, json!({"dialect": "skill"})).await;
    let skills = home.folder.path().join("elsewhere");
    agent
        .call(
            "skill.begin",
            json!({"messages": [], "enabled_skills": ["helper"], "skills_dir": skills}),
        )
        .await;
    let injected = agent.call("skill.inject", json!({"timing": "after_user_input"})).await;
    assert_eq!(
        injected["messages"],
        json!([{"role": "system", "content": "from elsewhere"}])
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
