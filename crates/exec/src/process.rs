//! One attempt of a hook that is a process (`engine.md` §7, §8).

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::FutureExt;
use hookwright_model::{Captured, End, Message, ProcessCall, Run, RunContext, args};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::capture::{Drain, STDERR_KEPT, STDOUT_KEPT};
use crate::descriptors::with_reserve;
use crate::environment::{Environment, unheld};
use crate::guardian::Guardian;
use crate::leash::Leash;
use crate::messages::{CWD_MISSING, LEFT_BEHIND};
use crate::shell::{self, Argv};

/// What still holds a stream after the process has ended is heard out for this long.
const STREAMS_AFTER_END: Duration = Duration::from_millis(200);

/// A program that somebody writes at this moment cannot be started (`ETXTBSY`); it is tried again this often.
const BUSY_TRIES: u32 = 10;
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// What the attempt says about itself beside its streams.
struct Sheet {
    start: Instant,
    stdin: Vec<u8>,
    command: Vec<String>,
    cwd: PathBuf,
    env: Vec<String>,
    notes: Vec<Message>,
}

impl Sheet {
    fn close(self, (end, status): (End, Status), stdout: Captured, stderr: Captured) -> Run {
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
            notes: self.notes,
            counters: std::collections::BTreeMap::new(),
            no_handshake: None,
        }
    }

    /// It could not be started: stderr holds the system's words.
    fn not_started(mut self, program: &Path, error: &io::Error) -> Run {
        self.notes.extend(shell::explain(program, error));
        let named = self.command.first().map_or("", String::as_str);
        let words = format!("{named}: {error}");
        self.close(
            (End::NotStarted, Status::default()),
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
    } = call;
    let (cwd, note) = directory(cwd, fallback_cwd);
    let mut sheet = Sheet {
        start,
        stdin,
        command: Vec::new(),
        cwd,
        env: names(&env),
        notes: note.into_iter().chain(env.iter().filter_map(unheld)).collect(),
    };
    if order.cancelled.clone().now_or_never().is_some() {
        return sheet.close(
            (End::Cancelled, Status::default()),
            Captured::default(),
            Captured::default(),
        );
    }
    let argv = match shell::resolve(program, environment.path(&env), &sheet.cwd) {
        Ok(argv) => argv,
        Err((words, error)) => {
            sheet.command = words;
            return sheet.not_started(Path::new(""), &error);
        }
    };
    sheet.command = argv.words();
    let run: Arc<str> = order.run.as_str().into();
    let mut command = command(&argv, &sheet.cwd, &environment, &env, &order);
    sheet.notes.extend(guardian.expect(&run));
    match spawn(&mut command).await {
        Ok(mut child) => {
            let streams = Streams::of(&mut child);
            let leash = Leash::new(child, run, guardian.clone());
            watch(leash, streams, sheet, order).await
        }
        Err(error) => {
            guardian.ended(&run);
            sheet.not_started(&argv.program, &error)
        }
    }
}

/// What every hook is told of its run.
pub(crate) const OURS: [&str; 3] = ["HOOKWRIGHT_TRACE", "HOOKWRIGHT_RUN", "HOOKWRIGHT_DEPTH"];

/// The names of what a run adds to the environment.
pub(crate) fn names(env: &[(String, String)]) -> Vec<String> {
    let held = env.iter().filter(|variable| unheld(variable).is_none());
    held.map(|(name, _)| name.clone())
        .chain(OURS.map(str::to_owned))
        .collect()
}

/// The directory of the run: the wanted one, else the project with a note.
pub(crate) fn directory(wanted: PathBuf, project: PathBuf) -> (PathBuf, Option<Message>) {
    if wanted.is_dir() {
        return (wanted, None);
    }
    let note = CWD_MISSING
        .render(args! { "cwd" => wanted.display().to_string(), "fallback" => project.display().to_string() });
    (project, Some(note))
}

/// Nothing here may leave the `posix_spawn` path: no `pre_exec`, no user, no group list, an absolute program.
#[expect(clippy::disallowed_methods, reason = "this crate is the door that starts processes")]
pub(crate) fn command(
    argv: &Argv,
    cwd: &Path,
    environment: &Environment,
    env: &[(String, String)],
    order: &RunContext,
) -> Command {
    let mut command = Command::new(&argv.program);
    words(&mut command, argv);
    command.current_dir(cwd).env_clear().envs(environment.vars());
    for variable in env {
        match unheld(variable) {
            None => command.env(&variable.0, &variable.1),
            Some(_) => command.env_remove(&variable.0),
        };
    }
    let depth = order.depth.to_string();
    let ours = [&order.trace, &order.run, &depth];
    command.envs(OURS.iter().zip(ours.map(OsStr::new)));
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    command.process_group(0);
    command
}

#[cfg(unix)]
fn words(command: &mut Command, argv: &Argv) {
    command.args(&argv.args);
}

/// `cmd /s` takes what follows as it stands, between one pair of quotes.
#[cfg(not(unix))]
fn words(command: &mut Command, argv: &Argv) {
    match argv.args.as_slice() {
        [switches @ .., text] if argv.program == Path::new("cmd") => {
            command.args(switches).raw_arg(format!("\"{text}\""));
        }
        all => {
            command.args(all);
        }
    }
}

/// Starts it; a program that is being written at this moment is tried again, and where all descriptors are used up those
/// that are kept back for this are taken.
pub(crate) async fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 1..BUSY_TRIES {
        match with_reserve(|| command.spawn()) {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy => tokio::time::sleep(BUSY_PAUSE).await,
            settled => return settled,
        }
    }
    with_reserve(|| command.spawn())
}

/// The three ends of ours.
struct Streams {
    stdin: Option<ChildStdin>,
    stdout: Drain<ChildStdout>,
    stderr: Drain<ChildStderr>,
}

impl Streams {
    fn of(child: &mut Child) -> Self {
        Self {
            stdin: child.stdin.take(),
            stdout: Drain::new(child.stdout.take(), STDOUT_KEPT),
            stderr: Drain::new(child.stderr.take(), STDERR_KEPT),
        }
    }
}

/// How the wait for a child came to its end.
enum Wait {
    Ended(io::Result<ExitStatus>),
    TimedOut,
    Cancelled,
}

/// Writes, reads and waits side by side under one deadline, all within the caller's task.
async fn watch(mut leash: Leash, streams: Streams, mut sheet: Sheet, order: RunContext) -> Run {
    let Streams {
        stdin,
        mut stdout,
        mut stderr,
    } = streams;
    let (wait, heard) = {
        let deadline = tokio::time::sleep(order.limit);
        let traffic = async { tokio::join!(feed(stdin, &sheet.stdin), stdout.hear_out(), stderr.hear_out()) };
        tokio::pin!(deadline, traffic);
        let mut cancelled = order.cancelled;
        let mut heard = false;
        let wait = loop {
            tokio::select! {
                biased;
                status = leash.ended() => break Wait::Ended(status),
                _ = &mut traffic, if !heard => heard = true,
                () = &mut deadline => break Wait::TimedOut,
                () = &mut cancelled => break Wait::Cancelled,
            }
        };
        (wait, heard)
    };
    let end = match wait {
        Wait::Ended(Ok(status)) => end_of(status),
        // Nobody can say how it ended. That is a failure, and nobody's wish: what is left of it is killed.
        Wait::Ended(Err(_)) => {
            leash.stop().await;
            (End::Signal, Status::default())
        }
        Wait::Cancelled => {
            leash.stop().await;
            (End::Cancelled, Status::default())
        }
        Wait::TimedOut => {
            leash.stop().await;
            (End::TimedOut, Status::default())
        }
    };
    if !heard {
        let rest = async { tokio::join!(stdout.hear_out(), stderr.hear_out()) };
        // What is still open then belongs to something in the background: after a normal exit that is its good right.
        let open = tokio::time::timeout(STREAMS_AFTER_END, rest).await.is_err();
        if open && matches!(end.0, End::TimedOut | End::Cancelled) {
            sheet.notes.push(LEFT_BEHIND.render_plain());
        }
    }
    sheet.close(end, stdout.captured(), stderr.captured())
}

/// Writes everything and closes. A child that does not read is fine (`EPIPE`).
async fn feed(pipe: Option<ChildStdin>, bytes: &[u8]) {
    if let Some(mut pipe) = pipe {
        drop(pipe.write_all(bytes).await);
    }
}

/// What a process that ended left behind: a signal is never an exit code, so that at most one of the two is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
}

impl From<ExitStatus> for Status {
    fn from(status: ExitStatus) -> Self {
        Self {
            code: status.code(),
            signal: signal_of(status),
        }
    }
}

fn end_of(status: ExitStatus) -> (End, Status) {
    let status = Status::from(status);
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
