//! A protocol for peers that `sh` can read and write, and calls that use it.

#![expect(dead_code, reason = "each test program uses its part")]

use std::time::Duration;

use hookwright_exec::Exec;
use hookwright_model::{
    Call, CodePathVars, End, Handshake, Message, MessageTemplate, PeerCall, PeerLine, PeerMessage, PeerProtocol,
    PeerRules, Program, Run, RunContext, Runner,
};

use serde_json::value::RawValue;

use crate::common::{order, text};

/// A protocol that `sh` can read and write. The engine sends `hello`, `ask 2 text`, `tell text` and `drop 2`. The peer sends `hi`,
/// `ans 2 text`, `no 2 text` and `psst`.
#[derive(Debug)]
pub struct WordProtocol;

pub const INVALID_LINE: MessageTemplate = MessageTemplate {
    code: "noise",
    case: "",
    en: "that is noise",
    zh: "噪声",
    hint_en: "",
    hint_zh: "",
};

impl PeerProtocol for WordProtocol {
    fn handshake_line(&self, _call: &PeerCall) -> Option<String> {
        Some("hello".to_owned())
    }

    fn parse_line(&self, line: &str) -> PeerLine {
        let mut words = line.split(' ');
        let word = words.next().unwrap_or_default();
        let id = words.next().and_then(|id| id.parse().ok());
        match (word, id) {
            ("hi", _) => PeerLine::Hello,
            ("ans", Some(id)) => PeerLine::Answer(id),
            ("no", Some(id)) => PeerLine::Refusal(id),
            ("psst", _) => PeerLine::Dropped,
            _ => PeerLine::Invalid(INVALID_LINE.render_plain()),
        }
    }

    fn parse_handshake(&self, line: &str) -> Result<Handshake, Message> {
        if line == "hi bad" {
            return Err(INVALID_LINE.render_plain());
        }
        let notes = if line == "hi odd" {
            vec![INVALID_LINE.render_plain()]
        } else {
            Vec::new()
        };
        Ok(Handshake {
            result: line.into(),
            warnings: notes,
        })
    }

    fn request(&self, id: u64, method: &str, _params: &RawValue) -> String {
        format!("ask {id} {method}")
    }

    fn notification(&self, method: &str, _params: &RawValue) -> String {
        format!("tell {method}")
    }

    fn cancel(&self, id: u64) -> Option<String> {
        Some(format!("drop {id}"))
    }
}

/// The same protocol, but the peer sends the first line and there is no cancel.
#[derive(Debug)]
pub struct IntroducingProtocol;

impl PeerProtocol for IntroducingProtocol {
    fn handshake_line(&self, _call: &PeerCall) -> Option<String> {
        None
    }

    fn parse_line(&self, line: &str) -> PeerLine {
        WordProtocol.parse_line(line)
    }

    fn parse_handshake(&self, line: &str) -> Result<Handshake, Message> {
        WordProtocol.parse_handshake(line)
    }

    fn request(&self, id: u64, method: &str, params: &RawValue) -> String {
        WordProtocol.request(id, method, params)
    }

    fn notification(&self, method: &str, params: &RawValue) -> String {
        WordProtocol.notification(method, params)
    }

    fn cancel(&self, _id: u64) -> Option<String> {
        None
    }
}

pub const RULES: PeerRules = PeerRules {
    handshake_timeout: Duration::from_secs(60),
    after_cancel: None,
    back_off: false,
    long_line: Some(100),
    queue: 4,
};

/// Completes the handshake and answers each request with the text of the request.
pub const ANSWERING_SCRIPT: &str =
    "read -r hello; echo hi there; while read -r word id text; do echo \"ans $id $text\"; done";

pub fn peer(script: &str) -> PeerCall {
    PeerCall {
        key: "K".to_owned(),
        version: "1".to_owned(),
        program: Program::Shell(script.to_owned()),
        cwd: "/".into(),
        fallback_cwd: "/".into(),
        env: Vec::new(),
        code_path_vars: CodePathVars::default(),
        handshake_params: serde_json::Value::Null,
        message: PeerMessage::Hello,
        protocol: &WordProtocol,
        rules: RULES,
    }
}

pub fn request_call(script: &str, text: &str) -> PeerCall {
    PeerCall {
        message: request(text),
        ..peer(script)
    }
}

pub fn request(text: &str) -> PeerMessage {
    PeerMessage::Request {
        method: text.to_owned(),
        params: RawValue::NULL.to_owned(),
    }
}

pub fn notify_call(script: &str, methods: &[&'static str]) -> PeerCall {
    PeerCall {
        message: PeerMessage::Notify {
            methods: methods.to_vec(),
            params: RawValue::NULL.to_owned(),
        },
        ..peer(script)
    }
}

pub fn in_session(session: &str) -> RunContext {
    RunContext {
        session: session.to_owned(),
        ..order()
    }
}

pub async fn ask(exec: &Exec, call: PeerCall) -> Run {
    exec.run(Call::Peer(call), order()).await
}

pub fn codes(run: &Run) -> Vec<String> {
    let case = |message: &Message| {
        message
            .args
            .get("case")
            .and_then(|case| case.as_str())
            .map(str::to_owned)
    };
    run.warnings
        .iter()
        .map(|message| case(message).map_or(message.code.to_owned(), |case| format!("{}.{case}", message.code)))
        .collect()
}

pub fn end_and_stdout(run: &Run) -> (End, String) {
    (run.end, text(&run.stdout.bytes))
}

pub fn replied(text: &str) -> (End, String) {
    (End::Replied, text.to_owned())
}
