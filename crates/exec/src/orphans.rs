//! Linux: finds and kills the processes that carry a `HOOKWRIGHT_RUN`, in whatever process group they are
//! (`engine.md` §7).
//!
//! A process that left its group with `setsid` still has the environment that it was started with, and `/proc` shows
//! it. While a process runs `exec`, `/proc` shows no environment for a moment. Such a process can be one of the wanted
//! ones, so it is checked again.

use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open, pidfd_send_signal};

use crate::descriptors::{is_out_of_descriptors, with_reserve};
use crate::proc::{Environ, ProcStat};

/// The variable that every process of a run carries.
const RUN_VAR: &[u8] = b"HOOKWRIGHT_RUN=";

/// Pause between two scans. A killed process needs a moment to release its memory, and with it its environment.
const SCAN_INTERVAL: Duration = Duration::from_millis(3);

/// The result of one check of a process.
#[derive(PartialEq, Eq)]
enum ProcessMatch {
    Matching,
    Other,
    /// Not visible yet; check again.
    Unknown,
}

/// Kills every process whose `HOOKWRIGHT_RUN` is `wanted`. It repeats until two scans in a row find none, because a
/// process that forks during a scan is found by the next one. Blocks for at most `limit`. A process that cannot be read
/// belongs to another user and is ignored. Returns whether none is left.
pub(crate) fn kill_by_run_id(wanted: impl Fn(&[u8]) -> bool, limit: Duration) -> bool {
    let start = Instant::now();
    let mut environ = Environ::new();
    let mut clear = 0;
    while clear < 2 {
        if start.elapsed() >= limit {
            return false;
        }
        if scan_once(&mut environ, &wanted) {
            clear += 1;
        } else {
            clear = 0;
            std::thread::sleep(SCAN_INTERVAL);
        }
    }
    true
}

/// Checks every process once and kills the wanted ones. Returns whether there was no wanted and no undecided process.
fn scan_once(environ: &mut Environ, wanted: &impl Fn(&[u8]) -> bool) -> bool {
    let entries = match with_reserve(|| std::fs::read_dir("/proc")) {
        Ok(entries) => entries,
        Err(error) => return !is_out_of_descriptors(&error),
    };
    let own = getpid();
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
        .filter(|pid| *pid != own && kill_if_matching(*pid, environ, wanted))
        .count()
        == 0
}

fn check_process(pid: Pid, environ: &mut Environ, wanted: &impl Fn(&[u8]) -> bool) -> ProcessMatch {
    match with_reserve(|| environ.read(pid).map(|bytes| match_environ(bytes, wanted))) {
        Ok(Some(check)) => check,
        Ok(None) if is_in_exec(pid) => ProcessMatch::Unknown,
        Err(error) if is_out_of_descriptors(&error) => ProcessMatch::Unknown,
        Ok(None) | Err(_) => ProcessMatch::Other,
    }
}

/// Compares an environment. `None` if it is empty, because that decides nothing.
fn match_environ(environ: &[u8], wanted: &impl Fn(&[u8]) -> bool) -> Option<ProcessMatch> {
    let mut variables = environ.split(|byte| *byte == 0);
    if variables.any(|variable| variable.strip_prefix(RUN_VAR).is_some_and(wanted)) {
        return Some(ProcessMatch::Matching);
    }
    (!environ.is_empty()).then_some(ProcessMatch::Other)
}

/// Whether an environment that was read as empty can be wrong: the process is running `exec`, or ran it since the
/// read. The bounds of the environment distinguish this from an environment without variables.
fn is_in_exec(pid: Pid) -> bool {
    let bounds = |stat: &ProcStat| stat.environment().unwrap_or_default();
    let Some(stat) = ProcStat::for_pid(pid).filter(ProcStat::has_memory) else {
        return false;
    };
    match bounds(&stat) {
        // Some systems report no bounds for any process. Then this process has none either.
        (_, 0) => ProcStat::for_pid(getpid()).is_some_and(|own| bounds(&own).1 > 0),
        // During `exec` both bounds are equal for a moment. For a program without variables they stay equal.
        (start, end) => start < end || !stat.is_loaded(),
    }
}

/// Kills a process if it is wanted. Its pid can belong to another process by now. So the process is opened first,
/// then checked again, and then killed through the descriptor. If it leads a group, the whole group is killed. A child
/// of it may have lost its `HOOKWRIGHT_RUN`, and the group may not be in the registry yet. Returns whether there is
/// something left to check.
fn kill_if_matching(pid: Pid, environ: &mut Environ, wanted: &impl Fn(&[u8]) -> bool) -> bool {
    match check_process(pid, environ, wanted) {
        ProcessMatch::Other => return false,
        ProcessMatch::Unknown => return true,
        ProcessMatch::Matching => {}
    }
    match with_reserve(|| Ok(pidfd_open(pid, PidfdFlags::empty())?)) {
        Ok(pidfd) => match check_process(pid, environ, wanted) {
            ProcessMatch::Other => false,
            ProcessMatch::Unknown => true,
            ProcessMatch::Matching => {
                let leads = ProcStat::for_pid(pid).and_then(|stat| stat.group()) == Some(pid);
                let group_is_gone = leads && kill_process_group(pid, Signal::KILL).is_ok();
                group_is_gone || pidfd_send_signal(pidfd, Signal::KILL).is_ok()
            }
        },
        // The kernel is older than 5.3, or no descriptor is left.
        Err(error) if is_out_of_descriptors(&error) || error.kind() == std::io::ErrorKind::Unsupported => {
            rustix::process::kill_process(pid, Signal::KILL).is_ok()
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufRead;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_child_without_the_run_variable_is_killed_with_its_group() {
        let run = format!("sweep-{}", std::process::id());
        let mut leader = Command::new("/bin/sh")
            .args(["-c", "env -i /bin/sleep 1000 & echo $!; wait"])
            .env("HOOKWRIGHT_RUN", &run)
            .process_group(0)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        std::io::BufReader::new(leader.stdout.take().unwrap())
            .read_line(&mut said)
            .unwrap();
        let child = Pid::from_raw(said.trim().parse().unwrap()).unwrap();
        let environ = format!("/proc/{}/environ", child.as_raw_nonzero());
        let start = Instant::now();
        while std::fs::read(&environ).is_ok_and(|environ| !environ.is_empty()) {
            assert!(start.elapsed() < Duration::from_secs(20), "it still has its mark");
            std::thread::sleep(SCAN_INTERVAL);
        }
        assert!(kill_by_run_id(|found| found == run.as_bytes(), Duration::from_secs(20)));
        leader.wait().unwrap();
        let start = Instant::now();
        // The process that adopted it may never reap it. A dead process has no memory.
        while ProcStat::for_pid(child).is_some_and(|stat| stat.has_memory()) {
            assert!(start.elapsed() < Duration::from_secs(20), "the child lives on");
            std::thread::sleep(SCAN_INTERVAL);
        }
    }

    #[test]
    fn a_process_that_execs_repeatedly_still_matches_its_run() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("again");
        std::fs::write(&script, "exec /bin/sh \"$0\"").unwrap();
        let run = format!("again-{}", std::process::id());
        let mut restless = Command::new("/bin/sh")
            .arg(&script)
            .env("HOOKWRIGHT_RUN", &run)
            .process_group(0)
            .spawn()
            .unwrap();
        let (pid, wanted) = (Pid::from_child(&restless), |found: &[u8]| found == run.as_bytes());
        let mut environ = Environ::new();
        for number in 0..10_000 {
            assert!(
                check_process(pid, &mut environ, &wanted) != ProcessMatch::Other,
                "look {number}"
            );
        }
        assert!(kill_by_run_id(wanted, Duration::from_secs(20)));
        let start = Instant::now();
        while restless.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(20), "it runs on");
            std::thread::sleep(SCAN_INTERVAL);
        }
    }

    #[test]
    fn an_empty_environment_does_not_match() {
        let mut bare = Command::new("/bin/sleep").arg("1000").env_clear().spawn().unwrap();
        let pid = Pid::from_child(&bare);
        let start = Instant::now();
        while is_in_exec(pid) {
            assert!(start.elapsed() < Duration::from_secs(20), "it stays unsettled");
            std::thread::sleep(SCAN_INTERVAL);
        }
        assert!(check_process(pid, &mut Environ::new(), &|_| true) == ProcessMatch::Other);
        bare.kill().unwrap();
        bare.wait().unwrap();
    }
}
