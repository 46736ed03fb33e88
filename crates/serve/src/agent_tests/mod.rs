//! An engine and scripted agents over the real agent socket (`CONTRACTS.md` §3). Each test has its own home folder.

mod events;
mod limits;
mod refusals;
mod session_hooks;
mod sessions;
mod skills;
mod sockets;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use crate::tests::Home;
use crate::{Client, ControlServer};

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
