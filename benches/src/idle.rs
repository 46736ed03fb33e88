//! Goal 18: what `hookwright serve` costs while nothing happens, with 500 hooks watched.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Finding;
use crate::stats::Ratio;

/// User hooks in the one file that is watched.
const HOOKS: usize = 500;
/// How long an engine rests before it is measured. Its periodic checks have run once by then.
const SETTLE_TIME: Duration = Duration::from_secs(35);
/// How long it is measured. The slowest periodic check of an engine runs every 30 s.
const MEASURED_TIME: Duration = Duration::from_secs(60);
/// The settings under which the engine is measured, by the number of open projects.
const CASES: [(&str, usize); 2] = [("500 hooks, one project", 1), ("500 hooks, 20 projects", 20)];

/// An engine of the built program, in its own temporary home.
struct Engine {
    child: Child,
    _home: tempfile::TempDir,
}

impl Engine {
    #[expect(
        clippy::disallowed_methods,
        reason = "a benchmark lays out a home and starts the program that it measures"
    )]
    fn start(projects: usize) -> Self {
        let home = tempfile::tempdir().unwrap_or_else(|error| panic!("temporary home: {error}"));
        let hooks = home.path().join(".jdata/agent/hooks.yaml");
        let text = format!("pre_send_message:\n{}", "  - command: 'true'\n".repeat(HOOKS));
        std::fs::create_dir_all(hooks.parent().unwrap_or(&hooks))
            .and_then(|()| std::fs::write(&hooks, text))
            .unwrap_or_else(|error| panic!("{}: {error}", hooks.display()));
        let folders: Vec<PathBuf> = (0..projects)
            .map(|number| home.path().join(format!("project{number}")))
            .collect();
        for folder in &folders {
            std::fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{error}"));
        }
        let data = home.path().join("data");
        let child = Command::new(program())
            .arg("serve")
            .current_dir(&folders[0])
            .env_clear()
            .env("HOME", home.path())
            .env("HOOKWRIGHT_DATA", &data)
            .env("PATH", "/usr/bin:/bin")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program().display()));
        let engine = Self { child, _home: home };
        let socket = wait_for_socket(&data);
        for folder in &folders {
            call(&socket, "projects.use", &json!({ "path": folder }));
        }
        engine
    }

    /// CPU time of the engine so far, user and system.
    fn cpu(&self) -> Duration {
        let stat = self.read("stat");
        // The name of the program, in brackets, may contain blanks. Fields 14 and 15 count from 1.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks: u64 = fields
            .iter()
            .skip(11)
            .take(2)
            .filter_map(|field| field.parse::<u64>().ok())
            .sum();
        Duration::from_millis(ticks * 10)
    }

    /// Resident memory in MiB.
    fn resident(&self) -> f64 {
        let status = self.read("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        kib.unwrap_or_default() / 1024.0
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).unwrap_or_default()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// `$HOOKWRIGHT_BIN`, or the program beside this one.
#[expect(clippy::disallowed_methods, reason = "a tool for developers")]
fn program() -> PathBuf {
    std::env::var_os("HOOKWRIGHT_BIN").map_or_else(
        || std::env::current_exe().unwrap_or_default().with_file_name("hookwright"),
        PathBuf::from,
    )
}

fn wait_for_socket(data: &Path) -> PathBuf {
    let socket = data.join("run/control.sock");
    let start = Instant::now();
    while UnixStream::connect(&socket).is_err() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "the engine does not listen at {}",
            socket.display()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    socket
}

/// Calls a command over the control socket.
fn call(socket: &Path, method: &str, params: &Value) {
    let ask = || -> std::io::Result<String> {
        let mut stream = UnixStream::connect(socket)?;
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        writeln!(stream, "{request}")?;
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line)?;
        Ok(line)
    };
    let answer = ask().unwrap_or_else(|error| panic!("{method}: {error}"));
    assert!(answer.contains("\"result\""), "{method}: {answer}");
}

/// CPU in percent of one core, the larger case first.
pub fn cpu(_: usize) -> Finding {
    finding(0.1, "% of a core", |engine| {
        let (before, start) = (engine.cpu(), Instant::now());
        std::thread::sleep(MEASURED_TIME);
        100.0 * (engine.cpu() - before).as_secs_f64() / start.elapsed().as_secs_f64()
    })
}

/// Resident memory in MiB, the larger case first.
pub fn resident(_: usize) -> Finding {
    finding(40.0, "MiB", Engine::resident)
}

fn finding(goal: f64, unit: &'static str, figure: fn(&Engine) -> f64) -> Finding {
    let ratios = CASES.iter().map(|(what, projects)| {
        let engine = Engine::start(*projects);
        std::thread::sleep(SETTLE_TIME);
        (*what, Ratio::from_values(vec![figure(&engine)]))
    });
    let mut ratios: Vec<(&str, Ratio)> = ratios.collect();
    ratios.sort_by(|one, other| other.1.high.total_cmp(&one.1.high));
    Finding {
        ratios,
        control: None,
        goal,
        unit,
    }
}
