//! An engine and its clients over a real socket. Each test has its own home folder.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookwright_app::pushes::EngineState;
use hookwright_app::{App, Push, Topic};
use hookwright_workspace::{HostEnv, ProcessRole, wall_clock};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;

use crate::instance_lock::InstanceLock;
use crate::runtime_dir::RuntimeDir;
use crate::{Client, ConnectError, ControlServer, EngineLocation, Host, HostMode, ListenError, MAX_LINE_BYTES};

/// A home folder with a project in it.
pub(crate) struct Home {
    pub(crate) folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("project")).unwrap();
        Self { folder }
    }

    /// A home folder with one user hook at `pre_send_message`.
    fn with_hook(command: &str) -> Self {
        let home = Self::new();
        let folder = home.folder.path().join(".jdata/agent");
        fs::create_dir_all(&folder).unwrap();
        let text = format!("pre_send_message:\n  - command: {}\n    timeout: 60\n", json!(command));
        fs::write(folder.join("hooks.yaml"), text).unwrap();
        home
    }

    pub(crate) fn env(&self) -> HostEnv {
        let vars = [
            ("HOME", self.folder.path().as_os_str()),
            ("PATH", "/usr/bin:/bin".as_ref()),
        ];
        let vars: BTreeMap<_, _> = vars
            .into_iter()
            .map(|(name, value)| (name.into(), value.to_owned()))
            .collect();
        // The engine starts its guardian by running its own program with an argument that a test binary does not know.
        // So `/bin/true` is used as the program.
        HostEnv::new(vars, self.project(), PathBuf::from("/bin/true")).unwrap()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn run_dir(&self) -> PathBuf {
        self.env().run_dir()
    }

    pub(crate) fn app(&self) -> Arc<App> {
        Arc::new(App::open(self.env(), ProcessRole::Engine, wall_clock()))
    }

    pub(crate) async fn engine(&self) -> ControlServer {
        ControlServer::start(self.app(), HostMode::Serve).await.unwrap()
    }

    async fn client(&self) -> Client {
        Client::connect(&self.run_dir()).await.unwrap()
    }

    fn fire(&self) -> Value {
        let project = self.project();
        json!({"run": "r", "project": project, "dialect": "jcli", "event": "pre_send_message", "payload": {}})
    }
}

/// A client that can send any bytes.
struct Raw(BufReader<UnixStream>);

impl Raw {
    async fn connect(home: &Home) -> Self {
        Self(BufReader::new(
            UnixStream::connect(home.run_dir().join("control.sock")).await.unwrap(),
        ))
    }

    async fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    async fn next_error(&mut self) -> (i64, String) {
        let answer = self.next().await;
        let error = &answer["error"];
        assert!(error["data"]["message"].is_string(), "{answer}");
        (
            error["code"].as_i64().unwrap(),
            error["data"]["code"].as_str().unwrap().to_owned(),
        )
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn a_client_finds_the_engine_and_calls_it() {
    let home = Home::new();
    assert!(matches!(
        Client::connect(&home.run_dir()).await,
        Err(ConnectError::NoEngine)
    ));
    let engine = home.engine().await;
    let client = home.client().await;
    assert_eq!(client.ping_reply().pid, std::process::id());
    let state = client.call("state", json!({})).await.unwrap();
    assert_eq!(state["engine"]["mode"], "serve");
    assert_eq!(state["engine"]["socket"], json!(engine.control_socket()));
    assert_eq!(state["window"], json!(false));
    let fault = client.call("no.such", json!({})).await.unwrap_err();
    assert_eq!(fault.code, "unknown_method");
    let fault = client.call("login.get", json!({})).await.unwrap_err();
    assert_eq!(fault.code, "window_only");
}

#[tokio::test]
async fn only_the_owner_can_reach_the_socket() {
    let home = Home::new();
    let engine = home.engine().await;
    assert_eq!((mode(&home.run_dir()), mode(engine.control_socket())), (0o700, 0o600));
    assert_eq!(
        (
            mode(&home.run_dir().join("endpoint")),
            mode(&home.run_dir().join("engine.lock"))
        ),
        (0o600, 0o600)
    );
}

#[tokio::test]
async fn a_bad_line_gets_an_error_and_the_connection_stays_open() {
    let home = Home::new();
    let _engine = home.engine().await;
    let mut raw = Raw::connect(&home).await;
    for (line, number, code) in [
        (&b"{\n"[..], -32700, "not_json"),
        (b"\xff\xfe\n", -32700, "not_utf8"),
        (b"[]\n", -32600, "no_batch"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1}\n", -32600, "not_a_request"),
        (
            b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\n",
            -32601,
            "unknown_method",
        ),
    ] {
        raw.send(line).await;
        assert_eq!(raw.next_error().await, (number, code.to_owned()));
    }
    raw.send(b"{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}")
        .await;
    raw.0.get_mut().shutdown().await.unwrap();
    assert_eq!(raw.next().await["id"], "last");
}

#[tokio::test]
async fn a_line_over_the_limit_closes_the_connection_and_no_other() {
    let home = Home::new();
    let _engine = home.engine().await;
    let client = home.client().await;
    let stream = UnixStream::connect(home.run_dir().join("control.sock")).await.unwrap();
    let (mut receive, mut send) = stream.into_split();
    let piece = vec![b'x'; 1024 * 1024];
    // Also what is far over the limit is taken, so that the error is not lost with the connection.
    for _ in 0..MAX_LINE_BYTES / piece.len() + 8 {
        send.write_all(&piece).await.unwrap();
    }
    let mut answer = String::new();
    drop(receive.read_to_string(&mut answer).await);
    assert!(answer.contains("line_too_long") && answer.ends_with('\n'), "{answer}");
    assert!(client.call("state", json!({})).await.is_ok());
}

#[tokio::test]
async fn requests_of_one_connection_run_concurrently() {
    let home = Home::with_hook("sleep 30");
    let engine = home.engine().await;
    let client = home.client().await;
    let mut fire = Box::pin(client.call("fire", home.fire()));
    tokio::select! {
        trace = &mut fire => panic!("fired already: {trace:?}"),
        state = client.call("state", json!({})) => assert!(state.is_ok()),
    }
    // The engine's end stops the hook and responds to the open request.
    let (answer, ()) = tokio::join!(fire, engine.stop());
    assert!(answer.is_ok(), "{answer:?}");
}

#[tokio::test]
async fn two_clients_may_give_their_runs_the_same_name() {
    let home = Home::with_hook("echo began >> \"$HOME/began\"; sleep 30");
    let began = home.folder.path().join("began");
    let _engine = home.engine().await;
    let (one, other) = (home.client().await, home.client().await);
    let (first, second) = (one.call("fire", home.fire()), other.call("fire", home.fire()));
    let stop = async {
        while fs::read_to_string(&began).unwrap_or_default().lines().count() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let stopped = one.call("fire.stop", json!({"run": "r"})).await.unwrap();
        assert_eq!(stopped, json!({"stopped": true}));
    };
    tokio::pin!(second);
    let both = async { tokio::join!(first, stop).0 };
    let first = tokio::select! {
        first = both => first.unwrap(),
        second = &mut second => panic!("the other client's run was stopped: {second:?}"),
    };
    assert_eq!(first["steps"][0]["attempts"][0]["end"], "cancelled", "{first}");
    let stop = other.call("fire.stop", json!({"run": "r"}));
    let (second, stopped) = tokio::join!(second, stop);
    assert_eq!(stopped.unwrap(), json!({"stopped": true}));
    assert_eq!(second.unwrap()["steps"][0]["attempts"][0]["end"], "cancelled");
}

#[tokio::test]
async fn a_subscriber_receives_every_push_and_the_end() {
    let home = Home::new();
    let engine = home.engine().await;
    let client = home.client().await;
    let mut pushes = client.subscribe().await.unwrap();
    client
        .call("projects.add", json!({"path": home.project()}))
        .await
        .unwrap();
    let received = pushes.recv().await.unwrap();
    assert!(
        matches!(&received, Push::Stale { what } if what.contains(&Topic::Projects)),
        "{received:?}"
    );
    engine.stop().await;
    while let Ok(push) = pushes.recv().await {
        if push
            == (Push::Engine {
                state: EngineState::Stopped,
            })
        {
            assert_eq!(client.call("state", json!({})).await.unwrap_err().code, "engine_gone");
            return;
        }
    }
    panic!("nobody said that the engine ended");
}

#[tokio::test]
async fn a_second_engine_is_refused_and_the_first_keeps_running() {
    let home = Home::new();
    let _engine = home.engine().await;
    let refused = ControlServer::start(home.app(), HostMode::Serve).await.err().unwrap();
    assert!(
        matches!(&refused, ListenError::AlreadyRunning { ping_reply, .. } if ping_reply.pid == std::process::id()),
        "{refused}"
    );
    assert!(home.client().await.call("state", json!({})).await.is_ok());
}

#[tokio::test]
async fn an_engine_that_ended_leaves_nothing_and_the_next_one_starts() {
    let home = Home::new();
    home.engine().await.stop().await;
    let left: Vec<_> = fs::read_dir(home.run_dir())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        // The guardians remove their own files shortly after the engine ends.
        .filter(|name| !name.starts_with("guard-"))
        .collect();
    assert_eq!(left, ["engine.lock"]);
    let _next = home.engine().await;
    assert!(home.client().await.call("state", json!({})).await.is_ok());
}

#[tokio::test]
async fn an_engine_starts_over_the_files_of_a_killed_one() {
    let home = Home::new();
    let runtime_dir = RuntimeDir::new(home.run_dir());
    runtime_dir.prepare().unwrap();
    let control = runtime_dir.choose_socket().unwrap();
    runtime_dir.write_endpoint(Path::new(""), &control).unwrap();
    drop(std::os::unix::net::UnixListener::bind(&control).unwrap());
    assert!(matches!(
        Client::connect(&home.run_dir()).await,
        Err(ConnectError::NoEngine)
    ));
    let _engine = home.engine().await;
    assert!(home.client().await.call("state", json!({})).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_does_not_answer_is_replaced() {
    let home = Home::new();
    let runtime_dir = RuntimeDir::new(home.run_dir());
    runtime_dir.prepare().unwrap();
    let hanging = InstanceLock::acquire(&runtime_dir).await.ok().unwrap();
    let _silent_listener = std::os::unix::net::UnixListener::bind(runtime_dir.choose_socket().unwrap()).unwrap();
    let _engine = home.engine().await;
    assert!(!hanging.is_current());
    tokio::time::resume();
    assert!(home.client().await.call("state", json!({})).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_engine_whose_answer_is_not_understood_is_left_alone() {
    let home = Home::new();
    let runtime_dir = RuntimeDir::new(home.run_dir());
    runtime_dir.prepare().unwrap();
    let running = InstanceLock::acquire(&runtime_dir).await.ok().unwrap();
    let listener = tokio::net::UnixListener::bind(runtime_dir.choose_socket().unwrap()).unwrap();
    let other_program = tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            let mut line = String::new();
            stream.read_line(&mut line).await.unwrap();
            let id = serde_json::from_str::<Value>(&line).unwrap()["id"].clone();
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": "another protocol"});
            stream.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
    });
    let refused = ControlServer::start(home.app(), HostMode::Serve).await.err().unwrap();
    assert!(matches!(refused, ListenError::Io { .. }), "{refused}");
    assert!(running.is_current());
    other_program.abort();
}

#[tokio::test]
async fn a_dry_run_sends_no_push() {
    let home = Home::with_hook("exit 0");
    let _engine = home.engine().await;
    let client = home.client().await;
    let mut pushes = client.subscribe().await.unwrap();
    let hook = "jcli:user:pre_send_message:0";
    let steps = json!([{"do": "set", "field": "timeout", "value": 5}]);
    let change = json!({"project": home.project(), "hook": hook, "steps": steps, "dry_run": true});
    let dry = client.call("edit.change", change).await.unwrap();
    assert_eq!(dry["written"], json!(false), "{dry}");
    client
        .call(
            "fixtures.remove",
            json!({"dialect": "jcli", "event": "stop", "name": "none"}),
        )
        .await
        .unwrap();
    assert_eq!(
        pushes.recv().await.unwrap(),
        Push::Stale {
            what: vec![Topic::Fixtures]
        }
    );
}

#[tokio::test]
async fn a_data_folder_with_a_path_too_long_for_a_socket_works_all_the_same() {
    let outer = tempfile::tempdir().unwrap();
    let deep = outer.path().join("d".repeat(110));
    fs::create_dir(&deep).unwrap();
    let home = Home {
        folder: tempfile::tempdir_in(deep).unwrap(),
    };
    fs::create_dir(home.project()).unwrap();
    let engine = home.engine().await;
    let folder = engine.control_socket().parent().unwrap().to_owned();
    assert_eq!(mode(&folder), 0o700);
    assert!(home.client().await.call("state", json!({})).await.is_ok());
    engine.stop().await;
    assert!(!folder.exists());
}

#[tokio::test]
async fn a_window_without_an_engine_starts_its_own_and_the_command_line_finds_it() {
    let home = Home::new();
    let host = Host::open(home.env()).await;
    assert_eq!(host.location().await, EngineLocation::Embedded);
    let state = host.call("state", json!({})).await.unwrap();
    assert_eq!(
        (&state["engine"]["mode"], &state["window"]),
        (&json!("embedded"), &json!(true))
    );
    let mut pushes = host.subscribe();
    home.client()
        .await
        .call("projects.add", json!({"path": home.project()}))
        .await
        .unwrap();
    assert!(matches!(pushes.recv().await.unwrap(), Push::Stale { .. }));
    host.close().await;
    assert!(matches!(
        Client::connect(&home.run_dir()).await,
        Err(ConnectError::NoEngine)
    ));
}

#[tokio::test]
async fn a_window_attaches_to_a_running_engine_and_starts_its_own_on_request_after_that_ended() {
    let home = Home::new();
    let engine = home.engine().await;
    let host = Host::open(home.env()).await;
    assert_eq!(host.location().await, EngineLocation::Attached);
    let state = host.call("state", json!({})).await.unwrap();
    assert_eq!(
        (&state["engine"]["mode"], &state["window"]),
        (&json!("attached"), &json!(true))
    );
    let mut pushes = host.subscribe();
    host.call("projects.add", json!({"path": home.project()}))
        .await
        .unwrap();
    assert!(matches!(pushes.recv().await.unwrap(), Push::Stale { .. }));

    engine.stop().await;
    while pushes.recv().await.unwrap()
        != (Push::Engine {
            state: EngineState::Stopped,
        })
    {}
    assert_eq!(host.location().await, EngineLocation::Stopped);
    assert_eq!(host.engine_state().await, EngineState::Stopped);
    assert_eq!(host.call("state", json!({})).await.unwrap_err().code, "engine_gone");

    host.call("engine.start", json!({})).await.unwrap();
    while pushes.recv().await.unwrap()
        != (Push::Engine {
            state: EngineState::Running,
        })
    {}
    assert_eq!(host.location().await, EngineLocation::Embedded);
    assert_eq!(host.engine_state().await, EngineState::Running);
    assert!(host.call("state", json!({})).await.is_ok());
    host.close().await;
}

#[tokio::test]
async fn closing_an_attached_window_leaves_the_engine_running() {
    let home = Home::new();
    let _engine = home.engine().await;
    Host::open(home.env()).await.close().await;
    assert!(home.client().await.call("state", json!({})).await.is_ok());
}
