//! One attempt of a hook that runs as a process (`engine.md` §7, §8).

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use hookwright_model::{Captured, End, HeldPipe, Message, ProcessCall, Program, Run, RunContext, RunProgress, render};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::capture::{MAX_STDERR_BYTES, MAX_STDOUT_BYTES, StreamReader};
use crate::child_guard::ChildGuard;
use crate::descriptors::with_reserve;
use crate::environment::{Environment, invalid_var_warning};
use crate::guardian::Guardian;
use crate::messages::{CWD_MISSING, HOLDS_PIPE, LEFT_BEHIND};
use crate::shell::{self, Argv};

/// After the process has ended, its streams are read for this long if another process keeps them open.
const DRAIN: Duration = Duration::from_millis(200);

/// A program file that is open for writing cannot be started (`ETXTBSY`). The start is tried at most this many times.
const MAX_BUSY_TRIES: u32 = 10;
const BUSY_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// The data of an attempt in addition to its streams.
struct RunBuilder {
    start: Instant,
    stdin: Vec<u8>,
    command: Vec<String>,
    cwd: PathBuf,
    env: Vec<String>,
    held_pipe: Option<HeldPipe>,
    env_file: Option<EnvFile>,
    /// Deletes the folder of [`ProcessCall::folder_vars`] at the end.
    _folder: Option<PrivateFolder>,
    pipe_held: bool,
    notes: Vec<Message>,
}

impl RunBuilder {
    fn finish(self, (end, status): (End, ExitInfo), stdout: Captured, stderr: Captured) -> Run {
        Run {
            end,
            code: status.code,
            signal: status.signal,
            stdin: Captured::new(self.stdin),
            stdout,
            stderr,
            took: self.start.elapsed(),
            command: self.command,
            cwd: Some(self.cwd),
            env: self.env,
            warnings: self.notes,
            counters: std::collections::BTreeMap::new(),
            no_handshake: None,
            pipe_held: self.pipe_held,
            env_file: self.env_file.map(|file| file.written()).unwrap_or_default(),
        }
    }

    /// Finishes an attempt that could not be started: stderr contains the system's error.
    fn not_started(mut self, program: &Path, error: &io::Error) -> Run {
        self.notes.extend(shell::explain(program, error));
        let named = self.command.first().map_or("", String::as_str);
        let words = format!("{named}: {error}");
        self.finish(
            (End::NotStarted, ExitInfo::default()),
            Captured::default(),
            Captured::new(words),
        )
    }
}

/// Runs a process to its end.
pub(crate) async fn run(
    call: ProcessCall,
    order: RunContext,
    environment: Arc<Environment>,
    guardian: &Arc<Guardian>,
) -> Run {
    let start = Instant::now();
    let ProcessCall {
        program,
        cwd,
        fallback_cwd,
        env,
        stdin,
        held_pipe,
        folder_vars,
        env_file,
        env_without,
    } = call;
    let (mut env, mut program) = (env, program);
    // Where no file can be made, the variable is left out.
    let env_file = env_file.and_then(|name| Some((name, EnvFile::create(&order.run).ok()?)));
    env.extend(
        env_file
            .iter()
            .map(|(name, file)| ((*name).to_owned(), file.path.display().to_string())),
    );
    let env_file = env_file.map(|(_, file)| file);
    let is_wanted = !folder_vars.is_empty();
    let folder = is_wanted.then(|| PrivateFolder::create(&order.run).ok()).flatten();
    if let Some(folder) = &folder {
        let path = folder.0.display().to_string();
        replace_names(&mut program, folder_vars, &path);
        env.extend(folder_vars.iter().map(|name| ((*name).to_owned(), path.clone())));
    }
    let (cwd, note) = choose_cwd(cwd, &fallback_cwd);
    let mut builder = RunBuilder {
        start,
        stdin,
        command: Vec::new(),
        cwd,
        env: added_var_names(&env),
        held_pipe,
        env_file,
        _folder: folder,
        pipe_held: false,
        notes: note
            .into_iter()
            .chain(env.iter().filter_map(invalid_var_warning))
            .collect(),
    };
    if order.cancelled.clone().now_or_never().is_some() {
        return builder.finish(
            (End::Cancelled, ExitInfo::default()),
            Captured::default(),
            Captured::default(),
        );
    }
    let argv = match shell::resolve(program, environment.path(&env), &builder.cwd) {
        Ok(argv) => argv,
        Err((words, error)) => {
            builder.command = words;
            return builder.not_started(Path::new(""), &error);
        }
    };
    builder.command = argv.command_line();
    let run: Arc<str> = order.run.as_str().into();
    let mut command = build_command(&argv, &builder.cwd, &environment, &env, &order);
    remove_variables(&mut command, &environment, &env, env_without);
    builder.notes.extend(guardian.register(&run));
    match spawn(&mut command).await {
        Ok(mut child) => {
            let streams = Streams::from_child(&mut child, order.progress.clone());
            let child_guard = ChildGuard::new(child, run, guardian.clone());
            wait_with_io(child_guard, streams, builder, order).await
        }
        Err(error) => {
            guardian.unregister(&run);
            builder.not_started(&argv.program, &error)
        }
    }
}

/// Takes the variables whose names begin so out of the environment of a command, but for those that its call sets.
fn remove_variables(command: &mut Command, environment: &Environment, added: &[(String, String)], begins: &[&str]) {
    let is_removed =
        |name: &str| begins.iter().any(|begin| name.starts_with(begin)) && added.iter().all(|(own, _)| own != name);
    let names = environment.vars().map(|(name, _)| name);
    for name in names.filter(|name| name.to_str().is_some_and(is_removed)) {
        command.env_remove(name);
    }
}

/// A new, empty file that only this user can read. It is deleted when it is dropped.
struct EnvFile {
    path: PathBuf,
    file: File,
}

impl EnvFile {
    #[expect(clippy::disallowed_methods, reason = "it is a new file of this crate")]
    fn create(run: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("hookwright-env-{run}"));
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        Ok(Self { path, file })
    }

    /// What was written to it, up to a limit. What a hook put in its place, such as a pipe or a link, is not opened.
    fn written(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let limit = u64::try_from(MAX_STDERR_BYTES).unwrap_or(u64::MAX);
        let mut file = &self.file;
        if file.rewind().is_ok() {
            drop(file.take(limit).read_to_end(&mut out));
        }
        out
    }
}

impl Drop for EnvFile {
    fn drop(&mut self) {
        // The hook may have deleted it.
        drop(std::fs::remove_file(&self.path));
    }
}

/// A new, empty folder that only this user can read. It is deleted with its content when it is dropped.
struct PrivateFolder(PathBuf);

impl PrivateFolder {
    fn create(run: &str) -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("hookwright-data-{run}"));
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // The hook may have deleted it.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Puts a value in the place of `${NAME}` in the words of a program that no shell starts.
fn replace_names(program: &mut Program, names: &[&str], value: &str) {
    let Program::Argv(words) = program else { return };
    for word in words {
        for name in names {
            *word = word.replace(&format!("${{{name}}}"), value);
        }
    }
}

/// The variables that every hook gets about its run.
pub(crate) const RESERVED_VARS: [&str; 3] = ["HOOKWRIGHT_TRACE", "HOOKWRIGHT_RUN", "HOOKWRIGHT_DEPTH"];

/// The names of the variables that a run adds to the environment.
pub(crate) fn added_var_names(env: &[(String, String)]) -> Vec<String> {
    let valid = env.iter().filter(|variable| invalid_var_warning(variable).is_none());
    valid
        .map(|(name, _)| name.clone())
        .chain(RESERVED_VARS.map(str::to_owned))
        .collect()
}

/// The directory of the run: the wanted one, otherwise the project, with a warning. If the agent removed that too, the
/// nearest folder around it that exists: no guard may be missed for it (`engine.md` §3).
pub(crate) fn choose_cwd(wanted: PathBuf, project: &Path) -> (PathBuf, Option<Message>) {
    if wanted.is_dir() {
        return (wanted, None);
    }
    let fallback = nearest_directory(project).unwrap_or(project);
    let note =
        render!(CWD_MISSING, "cwd" => wanted.display().to_string(), "fallback" => fallback.display().to_string());
    (fallback.to_owned(), Some(note))
}

/// The path if it is a directory, else the nearest directory around it.
#[must_use]
pub fn nearest_directory(path: &Path) -> Option<&Path> {
    path.ancestors().find(|path| path.is_dir())
}

/// Builds the command. It must stay possible to start it with `posix_spawn`: no `pre_exec`, no user, no group list,
/// an absolute program.
#[expect(
    clippy::disallowed_methods,
    reason = "this crate is the only one that starts processes"
)]
pub(crate) fn build_command(
    argv: &Argv,
    cwd: &Path,
    environment: &Environment,
    env: &[(String, String)],
    order: &RunContext,
) -> Command {
    let mut command = Command::new(&argv.program);
    add_args(&mut command, argv);
    command.current_dir(cwd).env_clear().envs(environment.vars());
    for variable in env {
        match invalid_var_warning(variable) {
            None => command.env(&variable.0, &variable.1),
            Some(_) => command.env_remove(&variable.0),
        };
    }
    let depth = order.depth.to_string();
    let reserved = [&order.trace, &order.run, &depth];
    command.envs(RESERVED_VARS.iter().zip(reserved.map(OsStr::new)));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    command.process_group(0);
    command
}

#[cfg(unix)]
fn add_args(command: &mut Command, argv: &Argv) {
    command.args(&argv.args);
}

/// `cmd /s` takes the text between one pair of quotes unchanged.
#[cfg(not(unix))]
fn add_args(command: &mut Command, argv: &Argv) {
    match argv.args.as_slice() {
        [switches @ .., text] if argv.program == Path::new("cmd") => {
            command.args(switches).raw_arg(format!("\"{text}\""));
        }
        all => {
            command.args(all);
        }
    }
}

/// Starts the command. If its program file is open for writing, it tries again. If all descriptors are in use, it
/// takes some of the reserve.
pub(crate) async fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 1..MAX_BUSY_TRIES {
        match with_reserve(|| command.spawn()) {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => {
                tokio::time::sleep(BUSY_RETRY_INTERVAL).await
            }
            result => return result,
        }
    }
    with_reserve(|| command.spawn())
}

/// This process's ends of the three streams.
struct Streams {
    stdin: Option<ChildStdin>,
    stdout: StreamReader<ChildStdout>,
    stderr: StreamReader<ChildStderr>,
}

impl Streams {
    fn from_child(child: &mut Child, progress: Option<Arc<dyn RunProgress>>) -> Self {
        Self {
            stdin: child.stdin.take(),
            stdout: StreamReader::new(child.stdout.take(), MAX_STDOUT_BYTES),
            stderr: StreamReader::new(child.stderr.take(), MAX_STDERR_BYTES).followed_by(progress),
        }
    }
}

/// Why the wait for a child ended.
enum WaitResult {
    Ended(io::Result<ExitStatus>),
    TimedOut,
    Cancelled,
}

/// Writes, reads and waits at the same time, under one deadline and within the caller's task.
async fn wait_with_io(
    mut child_guard: ChildGuard,
    streams: Streams,
    mut builder: RunBuilder,
    order: RunContext,
) -> Run {
    let Streams {
        stdin,
        mut stdout,
        mut stderr,
    } = streams;
    let (wait, drained) = {
        let deadline = tokio::time::sleep(order.limit);
        let traffic = async {
            tokio::join!(
                write_stdin(stdin, &builder.stdin),
                stdout.read_to_end(),
                stderr.read_to_end()
            )
        };
        tokio::pin!(deadline, traffic);
        let mut cancelled = order.cancelled;
        let mut drained = false;
        // A process that is not waited for keeps its group, so the time limit can end what it left behind.
        let until_closed = builder.held_pipe == Some(HeldPipe::UntilClosed);
        let wait = loop {
            tokio::select! {
                biased;
                status = child_guard.wait(), if drained || !until_closed => break WaitResult::Ended(status),
                _ = &mut traffic, if !drained => drained = true,
                () = &mut deadline => break WaitResult::TimedOut,
                () = &mut cancelled => break WaitResult::Cancelled,
            }
        };
        (wait, drained)
    };
    let end = match wait {
        WaitResult::Ended(Ok(status)) => end_from_status(status),
        // The system cannot report how the process ended. This is a failure that nothing requested, so what is left
        // of it is killed.
        WaitResult::Ended(Err(_)) => {
            child_guard.kill().await;
            (End::Signal, ExitInfo::default())
        }
        WaitResult::Cancelled => {
            child_guard.kill().await;
            (End::Cancelled, ExitInfo::default())
        }
        WaitResult::TimedOut => {
            child_guard.kill().await;
            (End::TimedOut, ExitInfo::default())
        }
    };
    if !drained {
        let is_stopped = matches!(end.0, End::TimedOut | End::Cancelled);
        let wait = match builder.held_pipe {
            Some(HeldPipe::UntilSilent { silence, most }) if !is_stopped => Some((silence, most)),
            Some(HeldPipe::UntilSilent { .. } | HeldPipe::UntilClosed) | None => None,
        };
        // A stream that is still open now belongs to a background process. After a normal exit that is allowed.
        let open = stay_open(&mut stdout, &mut stderr, wait.unwrap_or((DRAIN, DRAIN))).await;
        if open && is_stopped {
            builder.notes.push(LEFT_BEHIND.render_plain());
        }
        builder.pipe_held = open && !is_stopped && stdout.is_open();
        if builder.pipe_held && wait.is_some() {
            builder.notes.push(HOLDS_PIPE.render_plain());
        }
    }
    builder.finish(end, stdout.into_captured(), stderr.into_captured())
}

/// Reads both streams to their ends, until stdout is silent, or for the whole wait. Returns whether one of them is still
/// open then.
async fn stay_open(
    stdout: &mut StreamReader<ChildStdout>,
    stderr: &mut StreamReader<ChildStderr>,
    (silence, most): (Duration, Duration),
) -> bool {
    let until = Instant::now() + most;
    loop {
        let before = stdout.total();
        let left = until.saturating_duration_since(Instant::now());
        let rest = async { tokio::join!(stdout.read_to_end(), stderr.read_to_end()) };
        if tokio::time::timeout(left.min(silence), rest).await.is_ok() {
            return false;
        }
        if stdout.total() == before || Instant::now() >= until {
            return true;
        }
    }
}

/// Writes all bytes and closes stdin. A child that does not read is no error (`EPIPE`).
async fn write_stdin(pipe: Option<ChildStdin>, bytes: &[u8]) {
    if let Some(mut pipe) = pipe {
        drop(pipe.write_all(bytes).await);
    }
}

/// How a process ended. A signal is never an exit code, so at most one of the two is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ExitInfo {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
}

impl From<ExitStatus> for ExitInfo {
    fn from(status: ExitStatus) -> Self {
        Self {
            code: status.code(),
            signal: signal_of(status),
        }
    }
}

fn end_from_status(status: ExitStatus) -> (End, ExitInfo) {
    let status = ExitInfo::from(status);
    let end = if status.signal.is_some() {
        End::Signal
    } else {
        End::Exit
    };
    (end, status)
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}
