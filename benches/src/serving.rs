//! An engine of the built program in a home of its own: `hookwright serve`, as a user starts it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// An engine of the built program, in its own temporary home.
pub struct Engine {
    child: Child,
    home: tempfile::TempDir,
}

impl Engine {
    #[expect(
        clippy::disallowed_methods,
        reason = "a benchmark lays out a home and starts the program that it measures"
    )]
    pub fn start(hooks: usize, projects: usize) -> Self {
        let home = tempfile::tempdir().unwrap_or_else(|error| panic!("temporary home: {error}"));
        let file = home.path().join(".jdata/agent/hooks.yaml");
        let text = format!("pre_send_message:\n{}", "  - command: 'true'\n".repeat(hooks));
        std::fs::create_dir_all(file.parent().unwrap_or(&file))
            .and_then(|()| std::fs::write(&file, text))
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
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
        let engine = Self { child, home };
        let socket = wait_for_socket(&data);
        for folder in &folders {
            call(&socket, "projects.use", &json!({ "path": folder }));
        }
        engine
    }

    /// CPU time of the engine so far, user and system.
    pub fn cpu(&self) -> Duration {
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
    pub fn resident(&self) -> f64 {
        let status = self.read("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        kib.unwrap_or_default() / 1024.0
    }

    /// The socket of agents.
    pub fn agent_socket(&self) -> PathBuf {
        self.data().join("run/agent.sock")
    }

    /// The data folder.
    pub fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// The home directory, which contains the folder `project0`.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    #[expect(clippy::disallowed_methods, reason = "the system offers this as a file")]
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

fn program() -> PathBuf {
    built("HOOKWRIGHT_BIN", "hookwright")
}

/// The program that this variable names, or the one of this name beside this program.
#[expect(clippy::disallowed_methods, reason = "a tool for developers")]
pub fn built(variable: &str, name: &str) -> PathBuf {
    std::env::var_os(variable).map_or_else(
        || std::env::current_exe().unwrap_or_default().with_file_name(name),
        PathBuf::from,
    )
}

fn wait_for_socket(data: &Path) -> PathBuf {
    let socket = data.join("run/control.sock");
    wait_for(&socket);
    socket
}

/// Waits until something listens at this socket.
pub fn wait_for(socket: &Path) {
    let start = Instant::now();
    while UnixStream::connect(socket).is_err() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "nothing listens at {}",
            socket.display()
        );
        std::thread::sleep(Duration::from_millis(20));
    }
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
