//! A scripted engine on a Unix socket, and a place of its own for each test.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

/// How long a test waits for something that must happen.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// What an engine answers to `session.open`.
pub const OPENED: &str = r#"{"session":"s","protocol":1,"events":[],"hooks":0,"untrusted":0}"#;

/// Folders of one test: home, runtime folder and project. Removed at the end.
pub struct Sandbox {
    pub root: PathBuf,
}

impl Sandbox {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("hwr-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let root = std::env::temp_dir().join(name);
        for folder in ["home", "run", "project"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        Self {
            root: root.canonicalize().unwrap(),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The socket in the runtime folder.
    pub fn socket(&self) -> PathBuf {
        self.path("run/hookwright/agent.sock")
    }

    /// The data folder's run folder.
    pub fn data_run(&self) -> PathBuf {
        self.path("home/.local/share/hookwright/run")
    }

    /// The relay with an environment of its own, in the project.
    pub fn relay(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookwright-relay"));
        command.args(args).env_clear().current_dir(self.path("project"));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
            .env("HOME", self.path("home"))
            .env("XDG_RUNTIME_DIR", self.path("run"));
        command
    }

    /// Runs the relay with this stdin to its end.
    pub fn run(&self, args: &[&str], stdin: impl AsRef<[u8]>) -> Output {
        run(&mut self.relay(args), stdin)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Runs a command with this stdin to its end. A command that does not read it is fine.
pub fn run(command: &mut Command, stdin: impl AsRef<[u8]>) -> Output {
    let mut child = start(command);
    let mut pipe = child.stdin.take().unwrap();
    let bytes = stdin.as_ref().to_vec();
    let writer = thread::spawn(move || drop(pipe.write_all(&bytes)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

pub fn start(command: &mut Command) -> Child {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A scripted engine. Each connection is served by the script in a thread of its own.
pub struct Engine {
    lines: Receiver<String>,
    path: PathBuf,
}

impl Engine {
    pub fn start(path: &Path, script: impl Fn(Peer) + Send + Sync + 'static) -> Self {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let listener = UnixListener::bind(path).unwrap();
        let (sender, lines) = mpsc::channel();
        let script = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (script, log) = (script.clone(), sender.clone());
                let stream = stream.unwrap();
                let reader = BufReader::new(stream.try_clone().unwrap());
                thread::spawn(move || {
                    script(Peer {
                        reader,
                        writer: stream,
                        log,
                    })
                });
            }
        });
        Self {
            lines,
            path: path.to_owned(),
        }
    }

    /// An engine that gives this reply to every event.
    pub fn replying(path: &Path, reply: &str) -> Self {
        let reply = reply.to_owned();
        Self::start(path, move |mut peer| {
            peer.open();
            while let Some(line) = peer.read() {
                if let Some(id) = id(&line) {
                    peer.send(&result(id, &fired(&reply)));
                }
            }
        })
    }

    /// The next line that any connection received.
    pub fn next(&self) -> String {
        self.lines.recv_timeout(PATIENCE).unwrap()
    }

    /// Whether no line was received that was not taken yet.
    pub fn is_quiet(&self) -> bool {
        self.lines.try_recv().is_err()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// One connection of the scripted engine.
pub struct Peer {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
    log: Sender<String>,
}

impl Peer {
    /// The next line, which the test sees too; `None` at the end.
    pub fn read(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line).unwrap_or(0);
        if read == 0 {
            return None;
        }
        line.pop();
        let _ = self.log.send(line.clone());
        Some(line)
    }

    pub fn send(&mut self, line: &str) {
        let _ = self.writer.write_all(format!("{line}\n").as_bytes());
    }

    pub fn send_raw(&mut self, bytes: &[u8]) {
        let _ = self.writer.write_all(bytes);
    }

    /// Answers `session.open`.
    pub fn open(&mut self) {
        if let Some(line) = self.read() {
            assert!(line.contains("\"session.open\""), "{line}");
            self.send(&result(id(&line).unwrap(), OPENED));
        }
    }

    /// Reads until the relay closes the connection.
    pub fn wait_for_end(&mut self) {
        let _ = self.reader.read_to_end(&mut Vec::new());
    }
}

/// The id of a request of the relay.
pub fn id(line: &str) -> Option<u64> {
    let digits = line.strip_prefix("{\"jsonrpc\":\"2.0\",\"id\":")?;
    digits.split(',').next()?.parse().ok()
}

pub fn result(id: u64, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

pub fn error(id: u64, error: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}

/// The result of `event.fire` with this reply.
pub fn fired(reply: &str) -> String {
    format!(r#"{{"reply":{reply},"verdict":{{"kind":"proceed"}},"trace":"01J","recorded":true}}"#)
}
