//! An agent on the socket of a running engine, for tests: it sends requests and waits for their answers.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

/// One connection.
pub(crate) struct AgentClient {
    lines: BufReader<UnixStream>,
    next_id: u64,
}

impl AgentClient {
    /// Connects to the engine of the sandbox and opens a session of jcli in its project.
    #[track_caller]
    pub(crate) fn open(sandbox: &Sandbox, session: &str) -> Self {
        Self::open_as(sandbox, session, "tester")
    }

    /// Like [`AgentClient::open`], for an agent of this name.
    #[track_caller]
    pub(crate) fn open_as(sandbox: &Sandbox, session: &str, name: &str) -> Self {
        Self::open_in(sandbox, "jcli", session, name)
    }

    /// Like [`AgentClient::open_as`], for a session of this dialect.
    #[track_caller]
    pub(crate) fn open_in(sandbox: &Sandbox, dialect: &str, session: &str, name: &str) -> Self {
        let stream = UnixStream::connect(sandbox.path("run/hookwright/agent.sock")).expect("the engine listens");
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).expect("the limit is not zero");
        let mut agent = Self {
            lines: BufReader::new(stream),
            next_id: 0,
        };
        let params = json!({
            "dialect": dialect, "agent": {"name": name, "version": "1"}, "session_id": session,
            "cwd": sandbox.project(), "offers": [], "protocol": 1,
        });
        assert_eq!(agent.call("session.open", params)["session"], session);
        agent
    }

    /// Sends a request and returns its id.
    #[track_caller]
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let line = json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params});
        let mut stream = self.lines.get_ref();
        stream
            .write_all(format!("{line}\n").as_bytes())
            .expect("the engine reads");
        self.next_id
    }

    /// The next answer, with its id. Notifications are passed over.
    #[track_caller]
    pub(crate) fn answer(&mut self) -> (u64, Value) {
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).expect("an answer comes in time");
            assert!(read > 0, "the engine closed the connection");
            let line: Value = serde_json::from_str(&line).expect("lines are JSON");
            if let Some(id) = line["id"].as_u64() {
                return (id, line);
            }
        }
    }

    /// Sends a request and returns its result.
    #[track_caller]
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer_to(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request and returns its answer, a result or an error.
    #[track_caller]
    pub(crate) fn answer_to(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let (answered, answer) = self.answer();
        assert_eq!(answered, id, "{answer}");
        answer
    }
}
