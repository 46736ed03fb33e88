//! Tests of `serve`: one engine per data folder, its control socket, and its end.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use hookwright_model::exact_json::Exact;
use hookwright_testkit::processes::wait_until;
use hookwright_testkit::{Running, Sandbox};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::jcli::{outcomes, trace, user, with_user_hooks};

/// A client of the control socket.
pub struct ControlClient {
    reader: BufReader<UnixStream>,
    /// Pushes that were received so far.
    pushes: Vec<Value>,
    next_id: u64,
}

impl ControlClient {
    #[track_caller]
    pub fn connect(sandbox: &Sandbox) -> Self {
        let stream = UnixStream::connect(socket(sandbox)).expect("the engine listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Self {
            reader: BufReader::new(stream),
            pushes: Vec::new(),
            next_id: 1,
        }
    }

    fn send(&mut self, line: &str) {
        self.reader.get_mut().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    #[track_caller]
    fn line(&mut self) -> Value {
        let mut line = String::new();
        self.reader.read_line(&mut line).expect("the engine answers");
        let Exact(line) = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        line
    }

    /// Sends a request and returns the whole response, with `result` or `error`.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.ask_raw(method, &params.to_string())
    }

    /// Like [`Self::ask`], with parameters as JSON text.
    #[track_caller]
    pub fn ask_raw(&mut self, method: &str, params: &str) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ));
        loop {
            let line = self.line();
            if line["id"] == id {
                return line;
            }
            self.pushes.push(line);
        }
    }

    #[track_caller]
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer:#}");
        answer["result"].clone()
    }

    /// Waits for a push that satisfies `wanted`.
    #[track_caller]
    pub fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) {
        while !self.pushes.iter().any(&wanted) {
            let line = self.line();
            self.pushes.push(line);
        }
    }

    pub fn fire(&mut self, sandbox: &Sandbox, event: &str) -> Value {
        let params = json!({"project": sandbox.project(), "dialect": "jcli", "event": event, "payload": {}, "session": null, "run": "r1"});
        self.call("fire", &params)
    }
}

fn socket(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.data().join("run/control.sock")
}

/// Starts an engine and waits until it listens.
pub fn serve(sandbox: &Sandbox) -> Running {
    let running = sandbox.start(["serve"]);
    running.wait_for("listening", || UnixStream::connect(socket(sandbox)).is_ok());
    running
}

#[test]
fn only_the_owner_can_use_the_control_socket_and_it_speaks_json_rpc() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n");
    let _engine = serve(&sandbox);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(&socket(&sandbox)), mode(&sandbox.data().join("run"))),
        (0o600, 0o700)
    );
    let mut control = ControlClient::connect(&sandbox);
    let list = control.call("hooks.list", &json!({"project": sandbox.project()}));
    assert_eq!(list["hooks"][0]["hook"], "jcli:user:stop:0");
    assert_eq!(control.ask("no.such", &json!({}))["error"]["code"], -32601);
    assert_eq!(control.ask("explain", &json!({}))["error"]["code"], -32602);
    control.send("garbage");
    assert_eq!(control.line()["error"]["code"], -32700);
    let refused = json!({"project": sandbox.project(), "dialect": "jcli", "event": "nothing", "payload": {}});
    assert_eq!(control.ask("explain", &refused)["error"]["code"], -32002);
    control.call("hooks.list", &json!({"project": sandbox.project()}));
}

#[test]
fn an_event_fired_in_the_engine_is_in_the_history_of_the_command_line() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 1'\n");
    let _engine = serve(&sandbox);
    let seen = ControlClient::connect(&sandbox).fire(&sandbox, "stop");
    assert_eq!(
        (outcomes(&seen), &seen["origin"]),
        (vec!["stop:0 failed_open".to_owned()], &json!("window"))
    );
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(listed["traces"][0]["trace"], seen["trace"]);
}

#[test]
fn an_event_fired_on_the_command_line_is_pushed_to_subscribers() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n");
    let _engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    control.call("subscribe", &json!({}));
    let seen = trace(&sandbox, "stop", &json!({}));
    let id = seen["trace"].as_str().unwrap().to_owned();
    control.wait_for(|push| push.to_string().contains(&id));
    assert_eq!(control.call("history.show", &json!({"trace": id}))["trace"], json!(id));
}

/// A hook that runs after the reply, until the file `go` exists in the home.
fn with_detached_hook() -> Sandbox {
    let sandbox = Sandbox::new();
    let command = format!(
        "while [ ! -e {} ]; do sleep 0.05; done",
        sandbox.home().join("go").display()
    );
    let entry = json!({"type": "command", "command": command, "async": true});
    let settings = json!({"hooks": {"Stop": [{"hooks": [entry]}]}});
    sandbox.write("home/.qoder/settings.json", settings.to_string());
    sandbox
}

/// Whether a push has a row of the last trace with this outcome of its only hook.
fn has_outcome(push: &Value, outcome: &str) -> bool {
    let rows = push["params"]["rows"].as_array();
    rows.is_some_and(|rows| {
        rows.iter()
            .any(|row| row["event"] == "Stop" && row["outcomes"] == json!([outcome]))
    })
}

#[test]
fn a_push_says_how_a_detached_hook_of_the_window_ended() {
    let sandbox = with_detached_hook();
    let _engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    control.call("subscribe", &json!({}));
    let params = json!({"project": sandbox.project(), "dialect": "qoder", "event": "Stop", "payload": {}, "run": "r"});
    let fired = control.call("fire", &params);
    assert_eq!(fired["steps"][0]["outcome"], "detached");
    control.wait_for(|push| has_outcome(push, "detached"));
    sandbox.write("home/go", "");
    control.wait_for(|push| {
        has_outcome(push, "no_opinion") && push.to_string().contains(fired["trace"].as_str().unwrap())
    });
    let shown = control.call("history.show", &json!({"trace": fired["trace"]}));
    assert_eq!(shown["steps"][0]["outcome"], "no_opinion");
}

#[test]
fn pushes_say_when_another_process_fired_and_how_its_detached_hook_ended() {
    let sandbox = with_detached_hook();
    let _engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    control.call("subscribe", &json!({}));
    let firing = sandbox.start(["fire", "--dialect", "qoder", "--event", "Stop"]);
    control.wait_for(|push| has_outcome(push, "detached"));
    sandbox.write("home/go", "");
    control.wait_for(|push| has_outcome(push, "no_opinion"));
    firing.finish().assert_exit(0);
}

#[test]
fn a_saved_file_is_active_soon_and_subscribers_get_a_push() {
    let sandbox = with_user_hooks("stop: []\n");
    let _engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    control.call("subscribe", &json!({}));
    let hooks = |control: &mut ControlClient| {
        control.call("hooks.list", &json!({"project": sandbox.project()}))["hooks"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(hooks(&mut control), 0);
    user(&sandbox, "stop:\n  - command: 'exit 0'\n");
    control.wait_for(|push| push.to_string().contains("hooks"));
    assert!(wait_until(Duration::from_secs(10), || hooks(&mut control) == 1));
    user(&sandbox, "stop: [\n");
    let last_good = |control: &mut ControlClient| control.call("hooks.list", &json!({"project": sandbox.project()}));
    assert!(wait_until(
        Duration::from_secs(10),
        || last_good(&mut control)["problems"][0]["code"] == "syntax"
    ));
    let list = last_good(&mut control);
    assert_eq!(
        list["hooks"].as_array().map(Vec::len),
        Some(1),
        "the last version that parsed stays in force"
    );
    assert_eq!(list["sources"][0]["last_good"], true);
}

#[test]
fn a_second_engine_of_the_same_data_folder_exits_1() {
    let sandbox = Sandbox::new();
    let first = serve(&sandbox);
    let second = sandbox.run(["serve"]).assert_exit(1);
    assert!(!second.stderr.is_empty());
    ControlClient::connect(&sandbox).call("state", &json!({"project": sandbox.project()}));
    drop(first);
}

#[test]
fn another_file_in_the_place_of_the_socket_is_reported_and_kept() {
    let sandbox = Sandbox::new();
    let mine = sandbox.write("data/run/control.sock", "mine");
    sandbox
        .run(["serve"])
        .assert_exit(1)
        .assert_stderr("is not a socket")
        .assert_stderr("move it away");
    assert_eq!(std::fs::read_to_string(mine).unwrap(), "mine");
    sandbox.run(["list"]).assert_exit(0);
}

#[test]
fn sigterm_ends_the_engine_cleanly() {
    let sandbox = with_user_hooks("stop:\n  - {command: 'touch started; setsid sleep 52 & sleep 52', timeout: 25}\n");
    let engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    let params = json!({"project": sandbox.project(), "dialect": "jcli", "event": "stop", "payload": {}, "session": null, "run": "r1"});
    control.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "fire", "params": params}).to_string());
    engine.wait_for("the hook's start", || sandbox.path("project/started").exists());
    engine.signal(Signal::TERM);
    let done = engine.finish();
    assert!(done.status.success() || done.status.code() == Some(143), "{done}");
    assert!(!socket(&sandbox).exists(), "the socket is removed");
    assert!(
        wait_until(Duration::from_secs(4), || sandbox.survivors().is_empty()),
        "{:?} live on",
        sandbox.survivors()
    );
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(
        listed["traces"].as_array().map(Vec::len),
        Some(1),
        "what was stopped is recorded"
    );
}

#[test]
fn acknowledged_events_survive_kill_9_and_running_hooks_do_not() {
    let sandbox = with_user_hooks(
        "stop:\n  - command: 'exit 0'\nsession_end:\n  - {command: 'touch started; setsid sleep 53 & sleep 53', timeout: 25}\n",
    );
    let engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    let acknowledged: BTreeSet<String> = (0..20)
        .map(|_| control.fire(&sandbox, "stop")["trace"].as_str().unwrap().to_owned())
        .collect();
    let params = json!({"project": sandbox.project(), "dialect": "jcli", "event": "session_end", "payload": {}, "session": null, "run": "r2"});
    control.send(&json!({"jsonrpc": "2.0", "id": 99, "method": "fire", "params": params}).to_string());
    engine.wait_for("the hook's start", || sandbox.path("project/started").exists());
    engine.signal(Signal::KILL);
    drop(engine);
    assert!(
        wait_until(Duration::from_secs(4), || sandbox.survivors().is_empty()),
        "{:?} live on",
        sandbox.survivors()
    );
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    let listed: BTreeSet<String> = listed["traces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["trace"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(listed, acknowledged);
    let next = serve(&sandbox);
    ControlClient::connect(&sandbox).call("state", &json!({"project": sandbox.project()}));
    drop(next);
}

#[test]
fn a_run_can_be_stopped_by_its_name() {
    let sandbox =
        with_user_hooks("stop:\n  - {command: 'touch started; sleep 54', timeout: 25}\n  - command: 'exit 0'\n");
    let engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    let params = json!({"project": sandbox.project(), "dialect": "jcli", "event": "stop", "payload": {}, "session": null, "run": "mine"});
    control.send(&json!({"jsonrpc": "2.0", "id": 77, "method": "fire", "params": params}).to_string());
    engine.wait_for("the hook's start", || sandbox.path("project/started").exists());
    control.send(&json!({"jsonrpc": "2.0", "id": 78, "method": "fire.stop", "params": {"run": "mine"}}).to_string());
    let answers = [control.line(), control.line()];
    let answer_to = |id: u64| {
        answers
            .iter()
            .find(|answer| answer["id"] == id)
            .expect("it is answered")
    };
    assert_eq!(answer_to(78)["result"]["stopped"], true);
    let answer = answer_to(77);
    assert_eq!(
        outcomes(&answer["result"]),
        ["stop:0 skipped:cancelled", "stop:1 skipped:cancelled"]
    );
}

#[test]
fn the_name_of_a_run_belongs_to_its_connection() {
    let sandbox = with_user_hooks("stop:\n  - command: ': > begun; while [ ! -e go ]; do sleep 0.02; done'\n");
    let engine = serve(&sandbox);
    let (mut one, mut other) = (ControlClient::connect(&sandbox), ControlClient::connect(&sandbox));
    let params = json!({"project": sandbox.project(), "dialect": "jcli", "event": "stop", "payload": {},
        "session": null, "run": "same"});
    let fired = std::thread::scope(|scope| {
        let fired = scope.spawn(|| one.call("fire", &params));
        engine.wait_for("the hook", || sandbox.project().join("begun").exists());
        assert_eq!(other.call("fire.stop", &json!({"run": "same"}))["stopped"], false);
        std::fs::write(sandbox.project().join("go"), "").unwrap();
        fired.join().expect("it is answered")
    });
    assert_eq!(fired["steps"][0]["outcome"], "no_opinion");
}

#[test]
fn an_engine_that_does_not_answer_is_replaced() {
    let sandbox = Sandbox::new();
    let stuck = serve(&sandbox);
    stuck.signal(Signal::STOP);
    let next = sandbox.start(["serve"]);
    let me = next.pid();
    next.wait_for("the new engine", || {
        answering_pid(&sandbox).is_some_and(|pid| pid == me)
    });
    stuck.signal(Signal::KILL);
}

#[test]
fn a_command_ends_although_the_engine_does_not_answer() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n");
    let stuck = serve(&sandbox);
    stuck.signal(Signal::STOP);
    let args = [
        "fire",
        "--dialect",
        "jcli",
        "--event",
        "stop",
        "--payload",
        "-",
        "--json",
    ];
    let fired = sandbox.run_with("{}", args).assert_exit(0).json();
    let listed = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(listed["traces"][0]["trace"], fired["trace"]);
    stuck.signal(Signal::KILL);
}

/// Id of the process that responds on the control socket, if one responds within 200 ms.
fn answering_pid(sandbox: &Sandbox) -> Option<i32> {
    let stream = UnixStream::connect(socket(sandbox)).ok()?;
    stream.set_read_timeout(Some(Duration::from_millis(200))).ok()?;
    let mut reader = BufReader::new(stream);
    reader
        .get_mut()
        .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
        .ok()?;
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let answer: Value = serde_json::from_str(&line).ok()?;
    i32::try_from(answer["result"]["pid"].as_i64()?).ok()
}

#[test]
fn the_browser_page_prints_its_link_and_listens_on_this_machine_only() {
    let sandbox = Sandbox::new();
    let engine = sandbox.start(["serve", "--web"]);
    engine.wait_for("the link", || engine.stdout().contains("http://127.0.0.1:"));
    let link = engine
        .stdout()
        .lines()
        .find(|line| line.starts_with("http://"))
        .unwrap()
        .to_owned();
    let (authority, path) = link.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let ask = |request: &str, host: &str, body: &str| {
        let mut stream = std::net::TcpStream::connect(authority).unwrap();
        let length = body.len();
        write!(
            stream,
            "{request} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        let _until_closed = std::io::Read::read_to_string(&mut stream, &mut answer);
        answer
    };
    let get = |path: &str, host: &str| ask(&format!("GET {path}"), host, "");
    let status = |answer: &str| answer.split(' ').nth(1).unwrap_or_default().to_owned();
    assert!(
        status(&get("/", authority)).starts_with('4'),
        "without the cookie nothing is shown"
    );
    assert!(
        status(&get(&format!("/{path}"), "evil.example")).starts_with('4'),
        "another name is turned away"
    );
    assert_eq!(status(&get(&format!("/{path}"), authority)), "200");
    let code = json!({"code": path.strip_prefix("?code=").unwrap()}).to_string();
    let opened = ask("POST /enter", authority, &code);
    assert!(
        opened.to_lowercase().contains("set-cookie") && opened.contains("HttpOnly"),
        "{opened}"
    );
    let again = ask("POST /enter", authority, &code);
    assert!(
        !again.to_lowercase().contains("set-cookie"),
        "the link works once: {again}"
    );
    for address in ["0.0.0.0:0", "192.0.2.1:80", "localhost:0", "example.org:80"] {
        let sandbox = Sandbox::new();
        let refused = sandbox
            .run(["serve", "--web", address])
            .assert_exit(1)
            .assert_stderr(address);
        assert!(!refused.stderr.contains("listening"), "{refused}");
        let endpoint = sandbox.data().join("run/endpoint");
        assert!(
            !endpoint.exists() && !socket(&sandbox).exists(),
            "nothing was opened before"
        );
    }
}

#[test]
fn open_prints_another_link_of_the_running_engine() {
    let sandbox = Sandbox::new();
    sandbox
        .run(["open", "--web"])
        .assert_exit(1)
        .assert_stderr("hookwright serve");
    let engine = sandbox.start(["serve", "--web"]);
    engine.wait_for("the link", || engine.stdout().contains("http://127.0.0.1:"));
    let first = engine.stdout().trim().to_owned();
    let page = first.split("?code=").next().unwrap();
    let refused = sandbox.run(["serve", "--web"]).assert_exit(1);
    assert!(refused.stderr.contains("`hookwright open --web`"), "{refused}");
    let printed = sandbox.run(["open", "--web"]).assert_exit(0);
    assert!(
        printed.stdout.starts_with(page) && printed.stdout.trim() != first,
        "{printed}"
    );
    let document = sandbox.run(["open", "--web", "--json"]).assert_exit(0).json();
    assert!(document["link"].as_str().unwrap().starts_with(page));
}

#[test]
fn an_engine_without_a_page_says_how_to_get_one() {
    let sandbox = Sandbox::new();
    let _engine = serve(&sandbox);
    sandbox
        .run(["open", "--web"])
        .assert_exit(1)
        .assert_stderr("hookwright serve --web");
}

#[test]
fn an_engine_watches_the_app_files_and_reports_their_problems() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n");
    let _engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    control.call("subscribe", &json!({}));
    let stale = |topic: &'static str| {
        move |push: &Value| {
            push["params"]["what"]
                .as_array()
                .is_some_and(|what| what.iter().any(|it| it == topic))
        }
    };
    let keys =
        |control: &mut ControlClient| control.call("settings.get", &json!({}))["values"]["redaction"]["keys"].clone();

    sandbox.write("data/settings.toml", "[redaction]\nkeys = [\"badge\"]\n");
    control.wait_for(stale("settings"));
    assert_eq!(keys(&mut control), json!(["badge"]));
    control.pushes.clear();
    sandbox.write("data/settings.toml", "[redaction]\nkeys = [\n");
    control.wait_for(stale("settings"));
    assert_eq!(keys(&mut control), json!(["badge"]), "what was in force stays");
    let problems = control.call("settings.get", &json!({}))["problems"].clone();
    assert_eq!(problems[0]["code"], "syntax");

    control.pushes.clear();
    sandbox.write("data/trust.json", "{");
    control.wait_for(stale("trust"));
    let list = control.call("hooks.list", &json!({"project": sandbox.project()}));
    let named = |problem: &Value| problem["path"] == json!(sandbox.data().join("trust.json"));
    assert!(list["problems"].as_array().unwrap().iter().any(named), "{list:#}");
}

#[test]
fn a_project_of_a_fired_event_is_added_to_the_list_of_the_engine() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n");
    let _engine = serve(&sandbox);
    let other = sandbox.path("other");
    std::fs::create_dir(&other).unwrap();
    crate::jcli::fire(&sandbox, "stop", &json!({}), &["--project", other.to_str().unwrap()]).assert_exit(0);
    let state = ControlClient::connect(&sandbox).call("state", &json!({}));
    assert_eq!(state["projects"][0]["path"], json!(other));
}

#[test]
fn a_payload_over_16_mib_is_refused_by_the_engine_too() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n");
    let _engine = serve(&sandbox);
    let payload = json!({"user_input": "x".repeat(16 << 20)});
    let params =
        json!({"project": sandbox.project(), "dialect": "jcli", "event": "stop", "payload": payload, "run": "r1"});
    let mut control = ControlClient::connect(&sandbox);
    assert_eq!(control.ask("fire", &params)["error"]["code"], -32004);
    assert_eq!(control.ask("explain", &params)["error"]["code"], -32004);
}

#[test]
fn an_edit_is_refused_when_the_id_now_names_another_hook() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n  - command: 'exit 1'\n");
    let _engine = serve(&sandbox);
    let mut control = ControlClient::connect(&sandbox);
    let list = control.call("hooks.list", &json!({"project": sandbox.project()}));
    let (first, second) = (&list["hooks"][0], &list["hooks"][1]);
    let remove = |version: &Value| json!({"project": sandbox.project(), "hook": first["hook"], "version": version});
    let refused = control.ask("edit.remove", &remove(&second["version"]));
    assert_eq!(refused["error"]["data"]["code"], "edit_another", "{refused}");
    let done = control.call("edit.remove", &remove(&first["version"]));
    assert_eq!(done["written"], true);
}
