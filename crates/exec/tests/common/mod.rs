//! Shared parts of the tests of this crate: an engine, run contexts and calls, and checks for processes that are alive.

#![expect(
    dead_code,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "each test program uses its part; a test stops at what it did not expect, and writes its own files"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use futures::FutureExt;
use hookwright_exec::Exec;
use hookwright_model::{Call, Cancelled, ProcessCall, Program, Run, RunContext, Runner};

/// Longest wait for a condition. On a machine that works, no condition takes this long.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);

/// An engine without guardian. Its hooks inherit only PATH.
pub fn exec() -> Exec {
    Exec::new([("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())], None)
}

/// A run name that is unique on this machine.
pub fn run_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

pub fn never() -> Cancelled {
    futures::future::pending().boxed().shared()
}

/// A run context with a limit of one minute. No test waits that long.
pub fn order() -> RunContext {
    limited(Duration::from_secs(60))
}

pub fn limited(limit: Duration) -> RunContext {
    RunContext {
        hook: String::new(),
        session: String::new(),
        trace: "T".to_owned(),
        run: run_name(),
        depth: 1,
        connection: None,
        limit,
        cancelled: never(),
        progress: None,
    }
}

pub fn call(program: Program) -> ProcessCall {
    ProcessCall {
        program,
        cwd: "/".into(),
        fallback_cwd: "/".into(),
        env: Vec::new(),
        stdin: b"{}".to_vec(),
        held_pipe: None,
        folder_vars: &[],
        env_file: None,
        env_without: &[],
    }
}

pub fn sh(text: &str) -> ProcessCall {
    call(Program::Shell(text.to_owned()))
}

pub fn argv(words: &[&str]) -> ProcessCall {
    call(Program::Argv(words.iter().map(|word| (*word).to_owned()).collect()))
}

pub async fn run(call: ProcessCall) -> Run {
    exec().run(Call::Process(call), order()).await
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Waits until a condition is met. A test waits for conditions, not for times.
pub fn until(what: &str, mut is_met: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_met() {
        assert!(start.elapsed() < WAIT_TIMEOUT, "still not so: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The same as [`until`], for a test whose runtime must continue to run.
pub async fn eventually(what: &str, mut is_met: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_met() {
        assert!(start.elapsed() < WAIT_TIMEOUT, "still not so: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The pids of all processes whose folder of `/proc` matches.
pub fn processes(matches: impl Fn(&Path) -> bool) -> Vec<i32> {
    let pid = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok().map(|pid| (pid, entry.path()));
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(pid)
        .filter(|(_, folder)| matches(folder))
        .map(|(pid, _)| pid)
        .collect()
}

/// The pids of all processes that carry this `HOOKWRIGHT_RUN`, in any process group.
pub fn processes_of_run(run: &str) -> Vec<i32> {
    let mark = format!("HOOKWRIGHT_RUN={run}");
    processes(|folder| {
        fs::read(folder.join("environ"))
            .is_ok_and(|vars| vars.split(|byte| *byte == 0).any(|var| var == mark.as_bytes()))
    })
}

/// Whether a process runs. A process that has exited and is not reaped does not count.
pub fn is_alive(pid: i32) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    let state = state.and_then(|stat| {
        stat.rsplit_once(')')
            .and_then(|(_, rest)| rest.trim_start().chars().next())
    });
    state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
}

/// The pids that a script wrote into a file, one per line.
pub fn pids(file: &Path) -> Vec<i32> {
    fs::read_to_string(file)
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.trim().parse().ok())
        .collect()
}

/// The guardians that are alive, of engines with this data folder.
#[cfg(target_os = "linux")]
pub fn guardian_pids(folder: &Path) -> Vec<rustix::process::Pid> {
    let folder = folder.to_str().unwrap();
    let is_one = |cmdline: &str| {
        let mut words = cmdline.split('\0');
        words.nth(1) == Some("__guardian") && words.any(|word| word.starts_with(folder))
    };
    let found = processes(|process| fs::read_to_string(process.join("cmdline")).is_ok_and(|it| is_one(&it)));
    found
        .into_iter()
        .filter(|pid| is_alive(*pid))
        .filter_map(rustix::process::Pid::from_raw)
        .collect()
}

/// Kills processes that a test left alive on purpose.
pub fn kill_pids(pids: &[i32]) {
    for pid in pids.iter().filter_map(|pid| rustix::process::Pid::from_raw(*pid)) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

/// Writes a script file with this mode.
pub fn script(folder: &Path, name: &str, body: &str, mode: u32) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    fs::write(&path, body).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}
