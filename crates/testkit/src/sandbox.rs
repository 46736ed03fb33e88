//! Isolated folders and an environment for the built program: home, data and project. Processes that were started in
//! a sandbox are killed when it is dropped.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Read, Write};
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

/// Time limit of a command. If it takes longer, the test fails instead of waiting forever.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

/// Removes a folder, although a running program may write into it meanwhile.
///
/// # Panics
/// The folder cannot be removed.
pub fn remove_folder_in_use(folder: &Path) {
    let removed = wait_until(COMMAND_TIMEOUT, || match std::fs::remove_dir_all(folder) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => true,
        // The program made another file after the folder was listed.
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => false,
        Err(error) => panic!("{} cannot be removed: {error}", folder.display()),
    });
    assert!(removed, "{} is filled again and again", folder.display());
}

/// Folders and environment of one test. Drop removes the folders and kills every process that still runs with this
/// environment.
#[derive(Debug)]
pub struct Sandbox {
    /// The temporary folder that contains all others. Its name is short, because sockets are created below it, and the
    /// length of a socket path is limited.
    _folder: tempfile::TempDir,
    /// Path of this folder with all links resolved, as Hookwright prints it.
    root: PathBuf,
    vars: Vec<(OsString, OsString)>,
}

/// The result of a command that has ended.
#[derive(Debug)]
pub struct Finished {
    /// Program and arguments, for messages.
    pub command: String,
    /// Exit status or signal.
    pub status: ExitStatus,
    /// Everything that it wrote to stdout.
    pub stdout: String,
    /// Everything that it wrote to stderr.
    pub stderr: String,
}

/// A command that runs. It is killed when this value is dropped.
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
    /// Creates a sandbox with an empty home, an empty project and a runtime folder.
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

    /// Adds a variable to the environment, or replaces one.
    #[must_use]
    pub fn with_var(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.vars.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// A path relative to the root of the sandbox.
    #[must_use]
    pub fn path(&self, inside: &str) -> PathBuf {
        self.root.join(inside)
    }

    /// The home directory, `HOME` of every command.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// The project directory. It is the working directory of every command.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// The data folder, `HOOKWRIGHT_DATA` of every command. It does not exist at first.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    /// Writes a file below the root and creates its folders. Returns the absolute path.
    pub fn write(&self, inside: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(inside);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        std::fs::write(&path, text).expect("the file can be written");
        path
    }

    /// Like [`Self::write`], and makes the file executable.
    pub fn script(&self, inside: &str, text: &str) -> PathBuf {
        let path = self.write(inside, text);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        path
    }

    /// The complete environment of a command. Only `PATH` is copied from this process.
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

    /// Runs `hookwright` with empty stdin and waits for its end.
    pub fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Finished {
        self.run_with("", args)
    }

    /// Runs `hookwright` with this text on stdin and waits for its end.
    pub fn run_with<A: AsRef<OsStr>>(&self, stdin: impl AsRef<[u8]>, args: impl IntoIterator<Item = A>) -> Finished {
        let mut running = self.start(args);
        running.write(stdin.as_ref());
        running.finish()
    }

    /// Starts `hookwright`. Its stdin stays open.
    pub fn start<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Running {
        self.start_program(program::hookwright(), args)
    }

    /// Starts any program in this environment and in the project directory. Its stdin stays open.
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

    /// Ids of running processes whose environment contains this data folder: hooks, guardians, engines.
    #[must_use]
    pub fn survivors(&self) -> Vec<i32> {
        processes::with_text(self.data().to_str().expect("temporary folders are text"))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // A test may make the data folder read-only. It could not be deleted then.
        let _only_where_it_was_made = std::fs::set_permissions(self.data(), std::fs::Permissions::from_mode(0o700));
        for pid in self.survivors() {
            processes::signal(pid, Signal::KILL);
        }
    }
}

impl Finished {
    /// The exit status. Panics if a signal ended the command.
    #[must_use]
    #[track_caller]
    pub fn code(&self) -> i32 {
        self.status
            .code()
            .unwrap_or_else(|| panic!("ended by signal {:?}\n{self}", self.status.signal()))
    }

    /// Asserts the exit status.
    #[track_caller]
    pub fn assert_exit(self, code: i32) -> Self {
        assert_eq!(self.code(), code, "{self}");
        self
    }

    /// Parses stdout, which must be exactly one JSON document.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is not one JSON document: {error}\n{self}"))
    }

    /// Asserts that stdout or stderr contains this text.
    #[track_caller]
    pub fn assert_output(self, text: &str) -> Self {
        assert!(
            self.stdout.contains(text) || self.stderr.contains(text),
            "does not say {text:?}\n{self}"
        );
        self
    }

    /// Asserts that stderr contains this text.
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
    /// Writes to stdin. Errors are ignored, because the program may have exited or closed its stdin.
    pub fn write(&mut self, bytes: &[u8]) {
        if let Some(stdin) = &mut self.child.stdin {
            let _gone_already = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    /// The process id, which is also the id of its process group.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Sends a signal to this process only, not to its children.
    pub fn signal(&self, signal: Signal) {
        processes::signal(self.pid(), signal);
    }

    /// The text on stdout so far.
    #[must_use]
    pub fn stdout(&self) -> String {
        self.stdout.text()
    }

    /// The text on stderr so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// Waits until `done` returns `true`. If that takes too long, it panics with `what` and both streams.
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

    /// Closes stdin and waits for the end of the command. Panics if that takes longer than 60 s.
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

/// An output stream that a thread reads at once, so the program never blocks on a full pipe.
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

    /// Waits at most 2 s for the end of the stream and returns its text. A background child can keep the stream open.
    fn drain(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            let _kept_open = wait_until(Duration::from_secs(2), || reader.is_finished());
        }
        self.text()
    }
}
