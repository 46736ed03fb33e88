//! Goals 5 and 6: an event of an agent that no hook matches, through the relay and over an open socket.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::runtime::Runtime;

use crate::Finding;
use crate::serving::{self, Engine};
use crate::stats::{Ratio, Shuffle};

/// Clients that ask at the same time.
const CLIENTS: usize = 64;
/// Requests of each client in one round, one after another.
const REQUESTS: usize = 8;
/// Processes that are started one after another in one round.
const STARTS: usize = 8;

/// Goal 5: the relay's whole process, against `/bin/true` with the same pipes.
pub fn relay(rounds: usize) -> Finding {
    let engine = Engine::start(0, 1);
    let relay = serving::built("HOOKWRIGHT_RELAY_BIN", "hookwright-relay");
    let event = json!({ "event": "pre_send_message", "session_id": "s", "user_input": "x".repeat(2000) }).to_string();
    let mut ratios = Vec::new();
    let mut control = Vec::new();
    let mut shuffle = Shuffle::new(0x4e1a);
    for _ in 0..rounds {
        let mut took = [0.0; 3];
        for which in shuffle.order(3) {
            let start = Instant::now();
            for _ in 0..STARTS {
                let program = if which == 2 { &relay } else { Path::new("/bin/true") };
                let answer = run(program, &engine, event.as_bytes());
                // An empty reply prints nothing. Without any reply the relay would print that the agent is blocked.
                assert!(which != 2 || answer.is_empty(), "the relay must pass a reply on");
            }
            took[which] = start.elapsed().as_secs_f64();
        }
        control.push(took[1] / took[0]);
        ratios.push(took[2] / took[0]);
    }
    Finding {
        ratios: vec![("relay / true", Ratio::from_values(ratios))],
        control: Some(Ratio::from_values(control)),
        goal: 1.25,
        unit: "×",
    }
}

#[expect(clippy::disallowed_methods, reason = "Hookwright is measured against this floor")]
fn run(program: &Path, engine: &Engine, stdin: &[u8]) -> Vec<u8> {
    let child = Command::new(program)
        .args(["--dialect", "jcli", "--fail-closed"])
        .current_dir(engine.home().join("project0"))
        .env_clear()
        .env("HOOKWRIGHT_SOCKET", engine.agent_socket())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    let mut child = child.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    if let Some(mut pipe) = child.stdin.take() {
        // `/bin/true` does not read it.
        drop(pipe.write_all(stdin));
    }
    let mut answer = Vec::new();
    if let Some(mut pipe) = child.stdout.take() {
        drop(pipe.read_to_end(&mut answer));
    }
    let status = child.wait().unwrap_or_else(|error| panic!("wait: {error}"));
    assert!(status.success(), "{} failed", program.display());
    answer
}

/// Goal 6: `event.fire` of 64 agents at the same time, against an echo of the same bytes for as many clients. The median
/// time of a request is compared.
pub fn fire(rounds: usize) -> Finding {
    let engine = Engine::start(0, 1);
    let echo = Echo::start(engine.home().join("echo.sock"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.unwrap_or_else(|error| panic!("{error}"));
    let event = json!({
        "jsonrpc": "2.0", "id": 2, "method": "event.fire",
        "params": { "event": "pre_send_message", "payload": { "user_input": "x".repeat(2000) } },
    });
    let line = format!("{event}\n");
    let connect = |socket: &Path| -> Vec<Client> {
        (0..CLIENTS)
            .map(|_| runtime.block_on(Client::connect(socket)))
            .collect()
    };
    let mut agents = connect(&engine.agent_socket());
    let mut echoed = connect(&echo.socket);
    for (number, agent) in agents.iter_mut().enumerate() {
        let answer = runtime.block_on(agent.ask(&open_line(number, &engine.home().join("project0"))));
        assert!(answer.contains("\"session\""), "{answer}");
    }
    let answer = runtime.block_on(agents[0].ask(&line));
    assert!(answer.contains("\"reply\""), "{answer}");
    let mut shuffle = Shuffle::new(0xa6e7);
    let (mut ratios, mut control) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let mut took = [0.0; 3];
        for which in shuffle.order(3) {
            let clients = if which == 2 { &mut agents } else { &mut echoed };
            took[which] = median_time(&runtime, clients, &line);
        }
        control.push(took[1] / took[0]);
        ratios.push(took[2] / took[0]);
    }
    Finding {
        ratios: vec![("event.fire / echo, 64 clients, p50", Ratio::from_values(ratios))],
        control: Some(Ratio::from_values(control)),
        goal: 1.5,
        unit: "×",
    }
}

fn open_line(number: usize, cwd: &Path) -> String {
    let open = json!({
        "jsonrpc": "2.0", "id": 1, "method": "session.open",
        "params": {
            "dialect": "jcli", "agent": { "name": "bench", "version": "1" }, "session_id": format!("s{number}"),
            "cwd": cwd, "offers": [], "protocol": 1,
        },
    });
    format!("{open}\n")
}

/// Every client asks its requests one after another, all clients at the same time. The median of all requests, in
/// seconds.
fn median_time(runtime: &Runtime, clients: &mut [Client], line: &str) -> f64 {
    let asked = clients.iter_mut().map(|client| async move {
        let mut times = [0.0; REQUESTS];
        for time in &mut times {
            let start = Instant::now();
            client.ask(line).await;
            *time = start.elapsed().as_secs_f64();
        }
        times
    });
    let mut times: Vec<f64> = runtime.block_on(futures::future::join_all(asked)).concat();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// An open connection.
struct Client {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    answer: String,
}

impl Client {
    async fn connect(socket: &Path) -> Self {
        let stream = UnixStream::connect(socket).await;
        let (reader, writer) = stream
            .unwrap_or_else(|error| panic!("{}: {error}", socket.display()))
            .into_split();
        Self {
            reader: BufReader::new(reader),
            writer,
            answer: String::new(),
        }
    }

    async fn ask(&mut self, line: &str) -> String {
        self.answer.clear();
        let written = self.writer.write_all(line.as_bytes()).await;
        written.unwrap_or_else(|error| panic!("the connection was closed: {error}"));
        let read = self.reader.read_line(&mut self.answer).await;
        assert!(read.is_ok_and(|bytes| bytes > 0), "there must be an answer");
        std::mem::take(&mut self.answer)
    }
}

/// A process that sends back what it receives, one thread for each connection, without any other work.
struct Echo {
    child: std::process::Child,
    socket: PathBuf,
}

/// The variable that makes this program the echo. Its value is the path of the socket.
const ECHO: &str = "HOOKWRIGHT_BENCH_ECHO";

/// The socket to echo at, if this program was started for that.
#[expect(clippy::disallowed_methods, reason = "the variable is set by this program itself")]
pub fn echo_socket() -> Option<PathBuf> {
    std::env::var_os(ECHO).map(PathBuf::from)
}

/// Sends back what each connection to this socket sends, until the process is killed.
pub fn echo(socket: &Path) {
    let listener = std::os::unix::net::UnixListener::bind(socket).unwrap_or_else(|error| panic!("{error}"));
    for stream in listener.incoming().map_while(Result::ok) {
        std::thread::spawn(move || {
            let mut stream = stream;
            let mut bytes = [0; 1 << 16];
            while let Ok(read @ 1..) = stream.read(&mut bytes) {
                if stream.write_all(&bytes[..read]).is_err() {
                    return;
                }
            }
        });
    }
}

impl Echo {
    #[expect(clippy::disallowed_methods, reason = "Hookwright is measured against this floor")]
    fn start(socket: PathBuf) -> Self {
        let program = std::env::current_exe().unwrap_or_default();
        let child = Command::new(&program).env_clear().env(ECHO, &socket).spawn();
        let child = child.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        serving::wait_for(&socket);
        Self { child, socket }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
