//! Two peers at the ends of a pipe in memory. Time is paused where it matters.

mod calls;
mod limits;
mod requests;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::{Codec, Ended, Incoming, Limits, LineRefusal, Peer, Request, Responder, Service, ServiceCodec};

const LIMITS: Limits = Limits {
    line_bytes: 1000,
    concurrent: 4,
    calls: 4,
    queue_lines: 8,
    queue_bytes: 8000,
};

/// A protocol that has everything: `call 1 method params`, `tell method params`, `drop 1`, `answer 1 result`,
/// `fail 1 text`.
#[derive(Debug)]
struct WordCodec;

impl Codec for WordCodec {
    type Answer = Result<String, String>;
    type Other = String;
    type Context = u32;

    fn call(&self, id: u64, method: &str, params: &RawValue) -> Vec<u8> {
        format!("call {id} {method} {params}").into()
    }

    fn notification(&self, method: &str, params: &RawValue) -> Vec<u8> {
        format!("tell {method} {params}").into()
    }

    fn cancel(&self, id: u64) -> Option<Vec<u8>> {
        Some(format!("drop {id}").into())
    }

    fn read(&self, line: &[u8]) -> Incoming<Self::Answer, String> {
        let text = String::from_utf8_lossy(line);
        let words: Vec<&str> = text.splitn(4, ' ').collect();
        match words[..] {
            ["call", id, method, params] if is_json(params) => Incoming::Request(Request {
                id: Some(raw(id)),
                method: method.to_owned(),
                params: Some(raw(params)),
            }),
            ["tell", method, params] if is_json(params) => Incoming::Request(Request {
                id: None,
                method: method.to_owned(),
                params: Some(raw(params)),
            }),
            ["drop", id] => Incoming::Cancel(raw(id)),
            ["answer", id, ..] => Incoming::Answer {
                id: id.parse().unwrap(),
                answer: Ok(words[2..].join(" ")),
            },
            ["fail", id, ..] => Incoming::Answer {
                id: id.parse().unwrap(),
                answer: Err(words[2..].join(" ")),
            },
            _ => Incoming::Other(text.into_owned()),
        }
    }
}

impl ServiceCodec for WordCodec {
    type Error = String;
    const HAS_CANCEL: bool = true;

    fn answer<T: Serialize + ?Sized>(&self, id: &RawValue, result: Result<&T, &String>) -> Vec<u8> {
        match result {
            Ok(result) => format!("answer {id} {}", serde_json::to_string(result).unwrap()).into(),
            Err(error) => format!("fail {id} {error}").into(),
        }
    }
}

/// Answers `echo`, `fail`, `hold`, `back` and `long`, and remembers everything.
#[derive(Clone)]
struct Recorder {
    peer: Peer<WordCodec>,
    seen: Arc<Mutex<Vec<String>>>,
    /// `hold` waits for a permit.
    gate: Arc<Semaphore>,
}

impl Recorder {
    fn note(&self, text: String) {
        self.seen.lock().unwrap().push(text);
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    async fn run(self, request: Request, responder: Responder<WordCodec>) {
        let params = request.params.unwrap_or_else(|| raw("null"));
        match request.method.as_str() {
            "fail" => responder.answer::<()>(Err(&"on request".to_owned())).await.unwrap(),
            "hold" => tokio::select! {
                permit = self.gate.acquire() => {
                    permit.unwrap().forget();
                    responder.answer(Ok(&params)).await.unwrap();
                }
                () = responder.cancelled() => self.note("cancelled".to_owned()),
            },
            "back" => {
                let answer = self.peer.call("echo", &params, None).await;
                responder.answer(Ok(&answer.unwrap().unwrap())).await.unwrap();
            }
            "long" => {
                let refused = responder.answer(Ok(&"x".repeat(LIMITS.line_bytes))).await.unwrap_err();
                let why = format!("{} bytes of {}", refused.bytes, refused.limit);
                refused.responder.answer::<()>(Err(&why)).await.unwrap();
            }
            _ => responder.answer(Ok(&params)).await.unwrap(),
        }
    }
}

impl Service<WordCodec> for Recorder {
    async fn begin(&self, request: Request, responder: Responder<WordCodec>) {
        self.note(request.method.clone());
        if request.method == "inline" {
            responder.answer(Ok(&1)).await.unwrap();
        } else {
            tokio::spawn(self.clone().run(request, responder));
        }
    }

    fn other(&self, line: String) -> Option<Vec<u8>> {
        Some(format!("what? {line}").into())
    }

    fn line_refused(&self, _: LineRefusal) -> Option<Vec<u8>> {
        Some("too long".into())
    }
}

/// A peer with its running connection.
struct Side {
    peer: Peer<WordCodec>,
    recorder: Recorder,
    running: JoinHandle<Ended>,
}

impl Side {
    fn start(stream: impl AsyncRead + AsyncWrite + Send + 'static, limits: Limits) -> Self {
        Self::start_until(stream, limits, std::future::pending())
    }

    fn start_until(
        stream: impl AsyncRead + AsyncWrite + Send + 'static,
        limits: Limits,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        let peer = Peer::new(WordCodec, limits);
        let recorder = Recorder {
            peer: peer.clone(),
            seen: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
        };
        let (reader, writer) = tokio::io::split(stream);
        let (running_peer, service) = (peer.clone(), recorder.clone());
        let running = tokio::spawn(async move { running_peer.run(reader, writer, &service, stop).await });
        Self {
            peer,
            recorder,
            running,
        }
    }

    async fn call(&self, method: &str, params: &str) -> Result<String, String> {
        self.peer.call(method, &raw(params), None).await.unwrap()
    }

    async fn ended(self) -> Ended {
        self.running.await.unwrap()
    }
}

/// Two sides that are connected to each other.
fn pair() -> (Side, Side) {
    let (one, other) = tokio::io::duplex(64);
    (Side::start(one, LIMITS), Side::start(other, LIMITS))
}

/// A side, and the other end of its connection as bytes.
fn beside_bytes() -> (Side, BufReader<DuplexStream>) {
    beside_bytes_within(LIMITS)
}

fn beside_bytes_within(limits: Limits) -> (Side, BufReader<DuplexStream>) {
    let (one, other) = tokio::io::duplex(64);
    (Side::start(one, limits), BufReader::new(other))
}

async fn send(stream: &mut BufReader<DuplexStream>, text: &str) {
    stream.write_all(text.as_bytes()).await.unwrap();
}

async fn line(stream: &mut BufReader<DuplexStream>) -> String {
    let mut line = Vec::new();
    loop {
        let byte = stream.read_u8().await.unwrap();
        if byte == b'\n' {
            return String::from_utf8(line).unwrap();
        }
        line.push(byte);
    }
}

/// Lets all other tasks run until they wait. Time must be paused: it then moves only when every task waits.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}
