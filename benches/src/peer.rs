//! Goal 7: a request to a process that runs already; and the way of a `ping` through the control socket's peer. The
//! floor of both writes the same line and reads the answer, blocking.

use std::future::pending;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use futures::FutureExt;
use hookwright_exec::Exec;
use hookwright_model::{
    Call, CodePathVars, End, Handshake, Message, PeerCall, PeerLine, PeerMessage, PeerProtocol, PeerRules, Program,
    RunContext, Runner,
};
use hookwright_rpc::{BadLine, JsonRpc, Limits, LineRefusal, Peer, Request, Responder, Service};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::Finding;
use crate::stats::{Ratio, Shuffle};

/// The variable that makes this program the process that is asked.
const ANSWERER: &str = "HOOKWRIGHT_BENCH_ANSWERER";
/// Requests that are measured together.
const BATCH: usize = 50;

const LIMITS: Limits = Limits {
    line_bytes: 32 << 20,
    concurrent: 256,
    calls: 256,
    queue_lines: 256,
    queue_bytes: 32 << 20,
};

/// Whether this program was started to answer requests.
#[expect(clippy::disallowed_methods, reason = "the variable is set by this program itself")]
pub fn is_answerer() -> bool {
    std::env::var_os(ANSWERER).is_some()
}

/// Answers each line of stdin.
pub fn answer_lines() {
    let (stdin, mut stdout) = (std::io::stdin().lock(), std::io::stdout());
    for line in stdin.lines().map_while(Result::ok) {
        let id = line.split("\"id\":").nth(1).and_then(|rest| rest.split(',').next());
        let id = id.unwrap_or("0");
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"action\":\"continue\"}}}}\n");
        if stdout
            .write_all(answer.as_bytes())
            .and_then(|()| stdout.flush())
            .is_err()
        {
            return;
        }
    }
}

/// The JSON-RPC that the process speaks.
#[derive(Debug)]
struct AnswererProtocol;

impl PeerProtocol for AnswererProtocol {
    fn handshake_line(&self, _call: &PeerCall) -> Option<String> {
        Some(self.request(1, "hello", RawValue::NULL))
    }

    fn parse_line(&self, line: &str) -> PeerLine {
        let id = serde_json::from_str::<Value>(line)
            .ok()
            .and_then(|line| line["id"].as_u64());
        match id {
            Some(1) => PeerLine::Hello,
            Some(id) => PeerLine::Answer(id),
            None => PeerLine::Dropped,
        }
    }

    fn parse_handshake(&self, _line: &str) -> Result<Handshake, Message> {
        Ok(Handshake::default())
    }

    fn request(&self, id: u64, method: &str, params: &RawValue) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
    }

    fn notification(&self, method: &str, params: &RawValue) -> String {
        format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
    }

    fn cancel(&self, _id: u64) -> Option<String> {
        None
    }
}

/// Goal 7: a request to a live process, against a blocking write and read to the same program.
pub fn live_process(rounds: usize) -> Finding {
    let runtime = runtime();
    let exec = {
        let _inside = runtime.enter();
        Exec::new([], None)
    };
    let params = params();
    let program = std::env::current_exe().unwrap_or_default();
    let call = || PeerCall {
        key: "K".to_owned(),
        version: "1".to_owned(),
        program: Program::Argv(vec![program.display().to_string()]),
        cwd: PathBuf::from("/"),
        fallback_cwd: PathBuf::from("/"),
        env: vec![(ANSWERER.to_owned(), "1".to_owned())],
        code_path_vars: CodePathVars::default(),
        handshake_params: Value::Null,
        message: PeerMessage::Request {
            method: "hook.before_tool".to_owned(),
            params: params.clone(),
        },
        protocol: &AnswererProtocol,
        rules: PeerRules {
            handshake_timeout: Duration::from_secs(5),
            after_cancel: None,
            back_off: true,
            long_line: Some(1 << 20),
            queue: 64,
        },
    };
    let ours = || {
        runtime.block_on(async {
            for _ in 0..BATCH {
                let run = exec.run(Call::Peer(call()), context()).await;
                assert_eq!(run.end, End::Replied, "the process must answer");
            }
        });
    };
    let mut blocking = BlockingAnswerer::start(&program);
    let line = AnswererProtocol.request(2, "hook.before_tool", &params) + "\n";
    let finding = compare(
        rounds,
        "request to a live process / blocking write and read",
        2.0,
        ours,
        || {
            for _ in 0..BATCH {
                blocking.ask(&line);
            }
        },
    );
    runtime.block_on(exec.close());
    finding
}

fn context() -> RunContext {
    RunContext {
        hook: String::new(),
        session: String::new(),
        connection: None,
        trace: "T".to_owned(),
        run: "R".to_owned(),
        depth: 1,
        progress: None,
        limit: Duration::from_secs(60),
        cancelled: pending().boxed().shared(),
    }
}

/// Goal 6 without an event: a `ping` through the peer of the control socket, against a bare echo of the same bytes.
pub fn ping(rounds: usize) -> Finding {
    let line =
        String::from_utf8_lossy(&hookwright_rpc::Codec::call(&JsonRpc, 1, "ping", &params())).into_owned() + "\n";
    let mut served = connect(|stream| {
        runtime().block_on(async {
            let (reader, writer) = unix_stream(stream).into_split();
            Peer::new(JsonRpc, LIMITS).run(reader, writer, &Ping, pending()).await;
        });
    });
    let mut echoed = connect(|stream| {
        let mut bytes = [0; 1 << 16];
        let mut stream = stream;
        while let Ok(read @ 1..) = stream.read(&mut bytes) {
            if stream.write_all(&bytes[..read]).is_err() {
                return;
            }
        }
    });
    let ours = || (0..BATCH).for_each(|_| exchange(&mut served, &line));
    compare(rounds, "ping / bare echo", 1.5, ours, || {
        (0..BATCH).for_each(|_| exchange(&mut echoed, &line))
    })
}

struct Ping;

impl Service<JsonRpc> for Ping {
    async fn begin(&self, _request: Request, responder: Responder<JsonRpc>) {
        drop(responder.answer(Ok(&json!({ "pid": 1, "version": "0.1.0" }))).await);
    }

    fn other(&self, _line: BadLine) -> Option<Vec<u8>> {
        None
    }

    fn line_refused(&self, _why: LineRefusal) -> Option<Vec<u8>> {
        None
    }
}

/// A connection that a thread serves.
fn connect(serve: impl FnOnce(UnixStream) + Send + 'static) -> BufReader<UnixStream> {
    let (one, other) = UnixStream::pair().unwrap_or_else(|error| panic!("{error}"));
    std::thread::spawn(move || serve(other));
    BufReader::new(one)
}

fn unix_stream(stream: UnixStream) -> tokio::net::UnixStream {
    let converted = stream
        .set_nonblocking(true)
        .and_then(|()| tokio::net::UnixStream::from_std(stream));
    converted.unwrap_or_else(|error| panic!("{error}"))
}

fn exchange(stream: &mut BufReader<UnixStream>, line: &str) {
    let written = stream.get_mut().write_all(line.as_bytes());
    let mut answer = String::new();
    let read = written.and_then(|()| stream.read_line(&mut answer));
    assert!(read.is_ok_and(|bytes| bytes > 0), "there must be an answer");
}

/// The floor's process, with its pipes.
struct BlockingAnswerer {
    child: std::process::Child,
    stdin: std::process::ChildStdin,
    stdout: BufReader<std::process::ChildStdout>,
}

impl BlockingAnswerer {
    #[expect(clippy::disallowed_methods, reason = "Hookwright is measured against this floor")]
    fn start(program: &std::path::Path) -> Self {
        let child = Command::new(program)
            .env_clear()
            .env(ANSWERER, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Self {
                child,
                stdin,
                stdout: BufReader::new(stdout),
            },
            _ => panic!("the process has no pipes"),
        }
    }

    fn ask(&mut self, line: &str) {
        let mut answer = String::new();
        let written = self.stdin.write_all(line.as_bytes());
        let read = written.and_then(|()| self.stdout.read_line(&mut answer));
        assert!(read.is_ok_and(|bytes| bytes > 0), "the process must answer");
    }
}

impl Drop for BlockingAnswerer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn runtime() -> Runtime {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap_or_else(|error| panic!("{error}"))
}

/// About 2 KB, as a tool call has.
fn params() -> Box<RawValue> {
    let params = json!({ "tool": "write_file", "arguments": { "path": "a.txt", "content": "x".repeat(2000) } });
    to_raw_value(&params).unwrap_or_default()
}

/// Times of batches: ours against the floor, with an A/A control.
fn compare(rounds: usize, what: &'static str, goal: f64, mut ours: impl FnMut(), mut floor: impl FnMut()) -> Finding {
    let mut shuffle = Shuffle::new(0x9ee7);
    let (mut ratios, mut control) = (Vec::new(), Vec::new());
    ours();
    floor();
    for _ in 0..rounds {
        let mut took = [0.0; 3];
        for which in shuffle.order(3) {
            let start = Instant::now();
            if which == 2 {
                ours()
            } else {
                floor()
            }
            took[which] = start.elapsed().as_secs_f64();
        }
        control.push(took[1] / took[0]);
        ratios.push(took[2] / took[0]);
    }
    Finding {
        ratios: vec![(what, Ratio::from_values(ratios))],
        control: Some(Ratio::from_values(control)),
        goal,
        unit: "×",
    }
}
