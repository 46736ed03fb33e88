//! A machine of its own for the built program: home, data, project, environment. What was started ends with it.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::processes::{self, wait_until};
use crate::program;

/// A command that takes longer is stuck: the test says so instead of waiting for ever.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

/// Folders and environment of one test; gone with everything that still runs in it when dropped.
#[derive(Debug)]
pub struct Sandbox {
    /// The folder of all the others. Short, since sockets live under it.
    _folder: tempfile::TempDir,
    /// Its path without links, as documents say it.
    root: PathBuf,
    vars: Vec<(OsString, OsString)>,
}

/// A command that ended.
#[derive(Debug)]
pub struct Finished {
    /// Its words, for messages.
    pub command: String,
    /// How it ended.
    pub status: ExitStatus,
    /// What it printed.
    pub stdout: String,
    /// What it said beside.
    pub stderr: String,
}

/// A command that runs; killed when dropped.
#[derive(Debug)]
pub struct Running {
    command: String,
    child: Child,
    stdout: Stream,
    stderr: Stream,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// An empty machine with a project folder.
    #[must_use]
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("hw")
            .tempdir()
            .expect("a temporary folder");
        let root = folder.path().canonicalize().expect("it was just made");
        let sandbox = Self {
            _folder: folder,
            root,
            vars: Vec::new(),
        };
        for dir in [sandbox.home(), sandbox.project(), sandbox.path("run")] {
            std::fs::create_dir_all(&dir).expect("a folder in an empty folder");
        }
        std::fs::set_permissions(sandbox.path("run"), std::fs::Permissions::from_mode(0o700)).expect("it is ours");
        sandbox
    }

    /// The same with one more variable in the environment.
    #[must_use]
    pub fn with_var(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.vars.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// A path inside.
    #[must_use]
    pub fn path(&self, inside: &str) -> PathBuf {
        self.root.join(inside)
    }

    /// The home directory.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// The project directory, in which commands run.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// `HOOKWRIGHT_DATA`. Not made beforehand.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Writes a file inside, with its folders.
    pub fn write(&self, inside: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(inside);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        std::fs::write(&path, text).expect("the file can be written");
        path
    }

    /// Writes an executable file inside.
    pub fn script(&self, inside: &str, text: &str) -> PathBuf {
        let path = self.write(inside, text);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        path
    }

    /// Every variable that a command gets; nothing of this process's environment but PATH.
    #[must_use]
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let folders = [
            ("HOME", self.home()),
            ("XDG_CONFIG_HOME", self.home().join(".config")),
            ("XDG_DATA_HOME", self.home().join(".local/share")),
            ("XDG_STATE_HOME", self.home().join(".local/state")),
            ("XDG_CACHE_HOME", self.home().join(".cache")),
            ("XDG_RUNTIME_DIR", self.path("run")),
            ("HOOKWRIGHT_DATA", self.data()),
        ];
        let mut vars: Vec<(OsString, OsString)> = folders.map(|(name, path)| (name.into(), path.into())).into();
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        vars.push(("PATH".into(), path));
        vars.push(("LANG".into(), "C.UTF-8".into()));
        vars.push(("USER".into(), "tester".into()));
        vars.push(("SHELL".into(), "/bin/sh".into()));
        for (name, value) in &self.vars {
            vars.retain(|(known, _)| known != name);
            vars.push((name.clone(), value.clone()));
        }
        vars
    }

    /// Runs `hookwright` to its end, without input.
    pub fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Finished {
        self.run_with("", args)
    }

    /// Runs `hookwright` to its end with this on stdin.
    pub fn run_with<A: AsRef<OsStr>>(&self, stdin: impl AsRef<[u8]>, args: impl IntoIterator<Item = A>) -> Finished {
        let mut running = self.start(args);
        running.write(stdin.as_ref());
        running.finish()
    }

    /// Starts `hookwright`, its stdin open.
    pub fn start<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Running {
        self.start_program(program::hookwright(), args)
    }

    /// Starts any program in this environment.
    pub fn start_program<A: AsRef<OsStr>>(&self, program: &Path, args: impl IntoIterator<Item = A>) -> Running {
        let args: Vec<OsString> = args.into_iter().map(|arg| arg.as_ref().to_owned()).collect();
        let words = std::iter::once(program.as_os_str()).chain(args.iter().map(OsString::as_os_str));
        let command = words
            .map(|word| word.to_string_lossy().into_owned())
            .collect::<Vec<_>>()
            .join(" ");
        let mut child = Command::new(program)
            .args(&args)
            .env_clear()
            .envs(self.environment())
            .current_dir(self.project())
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command}: {error}"));
        let stdout = Stream::new(child.stdout.take());
        let stderr = Stream::new(child.stderr.take());
        Running {
            command,
            child,
            stdout,
            stderr,
        }
    }

    /// Processes that still carry this sandbox in their environment: hooks, guardians, engines.
    #[must_use]
    pub fn survivors(&self) -> Vec<i32> {
        processes::with_text(self.data().to_str().expect("temporary folders are text"))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // Read-only folders of a test must not outlive it.
        let _only_where_it_was_made = std::fs::set_permissions(self.data(), std::fs::Permissions::from_mode(0o700));
        for pid in self.survivors() {
            processes::signal(pid, Signal::KILL);
        }
    }
}

impl Finished {
    /// The exit status; panics when a signal ended it.
    #[must_use]
    #[track_caller]
    pub fn code(&self) -> i32 {
        self.status
            .code()
            .unwrap_or_else(|| panic!("ended by signal {:?}\n{self}", self.status.signal()))
    }

    /// Insists on an exit status.
    #[track_caller]
    pub fn assert_exit(self, code: i32) -> Self {
        assert_eq!(self.code(), code, "{self}");
        self
    }

    /// The one JSON document on stdout.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is not one JSON document: {error}\n{self}"))
    }

    /// Insists that both streams together say this.
    #[track_caller]
    pub fn assert_output(self, text: &str) -> Self {
        assert!(
            self.stdout.contains(text) || self.stderr.contains(text),
            "does not say {text:?}\n{self}"
        );
        self
    }

    /// Insists that stderr says this.
    #[track_caller]
    pub fn assert_stderr(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "stderr does not say {text:?}\n{self}");
        self
    }
}

impl std::fmt::Display for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            command,
            status,
            stdout,
            stderr,
        } = self;
        write!(f, "$ {command}\n{status}\n── stdout\n{stdout}\n── stderr\n{stderr}")
    }
}

impl Running {
    /// Writes to stdin; a program that is gone or does not read is no failure of the test.
    pub fn write(&mut self, bytes: &[u8]) {
        if let Some(stdin) = &mut self.child.stdin {
            let _gone_already = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    /// The process id.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Sends a signal to this process alone.
    pub fn signal(&self, signal: Signal) {
        processes::signal(self.pid(), signal);
    }

    /// What it printed so far.
    #[must_use]
    pub fn stdout(&self) -> String {
        self.stdout.text()
    }

    /// What it said beside so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// Waits until something holds; panics with what was printed when it does not.
    #[track_caller]
    pub fn wait_for(&self, what: &str, done: impl FnMut() -> bool) {
        if !wait_until(COMMAND_TIMEOUT, done) {
            panic!(
                "{what} did not happen\n$ {}\n── stdout\n{}\n── stderr\n{}",
                self.command,
                self.stdout(),
                self.stderr()
            );
        }
    }

    /// Closes stdin and waits for the end.
    #[track_caller]
    pub fn finish(mut self) -> Finished {
        drop(self.child.stdin.take());
        let mut ended = None;
        let in_time = wait_until(COMMAND_TIMEOUT, || {
            ended = self.child.try_wait().expect("a child can be waited for");
            ended.is_some()
        });
        let Some(status) = ended.filter(|_| in_time) else {
            panic!(
                "does not end\n$ {}\n── stdout\n{}\n── stderr\n{}",
                self.command,
                self.stdout(),
                self.stderr()
            );
        };
        Finished {
            command: self.command.clone(),
            status,
            stdout: self.stdout.drain(),
            stderr: self.stderr.drain(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _gone_already = self.child.kill();
            let _reaped = self.child.wait();
        }
    }
}

/// A stream that is read as it comes, so that nobody waits for a reader.
#[derive(Debug)]
struct Stream {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Stream {
    fn new(source: Option<impl Read + Send + 'static>) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let reader = source.map(|mut source| {
            let bytes = bytes.clone();
            std::thread::spawn(move || {
                let mut part = vec![0; 64 << 10];
                while let Ok(count @ 1..) = source.read(&mut part) {
                    bytes
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .extend_from_slice(&part[..count]);
                }
            })
        });
        Self { bytes, reader }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// To the end of the stream; a background child that keeps it open is given a moment only.
    fn drain(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            let _kept_open = wait_until(Duration::from_secs(2), || reader.is_finished());
        }
        self.text()
    }
}
