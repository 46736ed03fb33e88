//! Linux: what carries a `HOOKWRIGHT_RUN`, wherever it fled to (`engine.md` §7).
//!
//! A process that left its group with `setsid` still has the environment it was started with; `/proc` shows it. For the
//! moment in which another program takes it over it shows none: such a process may be one of the wanted, and is looked at
//! again.

use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open, pidfd_send_signal};

use crate::descriptors::{used_up, with_reserve};
use crate::proc::{Environ, Stat};

/// The variable that marks every process of a run.
const MARK: &[u8] = b"HOOKWRIGHT_RUN=";

/// A killed process needs a moment to let go of its memory, and with it of its mark.
const BETWEEN_ROUNDS: Duration = Duration::from_millis(3);

/// What a look at a process tells.
#[derive(PartialEq, Eq)]
enum Look {
    Wanted,
    Other,
    /// Nobody can tell yet.
    Unsettled,
}

/// Kills every process whose `HOOKWRIGHT_RUN` is `wanted`, again until two looks in a row find none: what forked while
/// we looked is found by the next look. Blocks, for `limit` at most; an unreadable process belongs to somebody else.
/// Returns whether none is left.
pub(crate) fn kill_marked(wanted: impl Fn(&[u8]) -> bool, limit: Duration) -> bool {
    let start = Instant::now();
    let mut environ = Environ::new();
    let mut clear = 0;
    while clear < 2 {
        if start.elapsed() >= limit {
            return false;
        }
        if round(&mut environ, &wanted) {
            clear += 1;
        } else {
            clear = 0;
            std::thread::sleep(BETWEEN_ROUNDS);
        }
    }
    true
}

/// One look at every process. Returns whether all of them are others.
fn round(environ: &mut Environ, wanted: &impl Fn(&[u8]) -> bool) -> bool {
    let entries = match with_reserve(|| std::fs::read_dir("/proc")) {
        Ok(entries) => entries,
        Err(error) => return !used_up(&error),
    };
    let own = getpid();
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
        .filter(|pid| *pid != own && kill_wanted(*pid, environ, wanted))
        .count()
        == 0
}

fn look(pid: Pid, environ: &mut Environ, wanted: &impl Fn(&[u8]) -> bool) -> Look {
    match with_reserve(|| environ.of(pid).map(|bytes| verdict(bytes, wanted))) {
        Ok(Some(look)) => look,
        Ok(None) if is_taken_over(pid) => Look::Unsettled,
        Err(error) if used_up(&error) => Look::Unsettled,
        Ok(None) | Err(_) => Look::Other,
    }
}

/// None where there is nothing to judge by.
fn verdict(environ: &[u8], wanted: &impl Fn(&[u8]) -> bool) -> Option<Look> {
    let mut variables = environ.split(|byte| *byte == 0);
    if variables.any(|variable| variable.strip_prefix(MARK).is_some_and(wanted)) {
        return Some(Look::Wanted);
    }
    (!environ.is_empty()).then_some(Look::Other)
}

/// Whether an environment that was found empty is not the whole truth: another program is taking the process over, or has
/// done so since we looked. The bounds tell it from an environment without variables.
fn is_taken_over(pid: Pid) -> bool {
    let bounds = |stat: &Stat| stat.environment().unwrap_or_default();
    let Some(stat) = Stat::of(pid).filter(Stat::has_memory) else {
        return false;
    };
    match bounds(&stat) {
        // Some systems tell nobody's.
        (_, 0) => Stat::of(getpid()).is_some_and(|own| bounds(&own).1 > 0),
        // Both are the beginning for a moment, and for good where there are no variables.
        (start, end) => start < end || !stat.is_in_place(),
    }
}

/// The pid may be another process's by now: hold on to the process first, then look again, then kill what is held. Whoever
/// leads a group goes with it: a child of its may have forgotten its mark, and the group may be known to nobody yet.
/// Returns whether there is something left to look at.
fn kill_wanted(pid: Pid, environ: &mut Environ, wanted: &impl Fn(&[u8]) -> bool) -> bool {
    match look(pid, environ, wanted) {
        Look::Other => return false,
        Look::Unsettled => return true,
        Look::Wanted => {}
    }
    match with_reserve(|| Ok(pidfd_open(pid, PidfdFlags::empty())?)) {
        Ok(held) => match look(pid, environ, wanted) {
            Look::Other => false,
            Look::Unsettled => true,
            Look::Wanted => {
                let leads = Stat::of(pid).and_then(|stat| stat.group()) == Some(pid);
                let group_is_gone = leads && kill_process_group(pid, Signal::KILL).is_ok();
                group_is_gone || pidfd_send_signal(held, Signal::KILL).is_ok()
            }
        },
        // A kernel before 5.3, or no descriptor left.
        Err(error) if used_up(&error) || error.kind() == std::io::ErrorKind::Unsupported => {
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
    fn a_child_that_forgot_its_mark_goes_with_the_group_of_one_that_has_it() {
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
            std::thread::sleep(BETWEEN_ROUNDS);
        }
        assert!(kill_marked(|found| found == run.as_bytes(), Duration::from_secs(20)));
        leader.wait().unwrap();
        let start = Instant::now();
        // Whoever adopted it may never ask how it ended: what is dead has no memory.
        while Stat::of(child).is_some_and(|stat| stat.has_memory()) {
            assert!(start.elapsed() < Duration::from_secs(20), "the child lives on");
            std::thread::sleep(BETWEEN_ROUNDS);
        }
    }

    #[test]
    fn a_process_that_one_program_after_another_takes_over_is_never_taken_for_an_other() {
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
            assert!(look(pid, &mut environ, &wanted) != Look::Other, "look {number}");
        }
        assert!(kill_marked(wanted, Duration::from_secs(20)));
        let start = Instant::now();
        while restless.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(20), "it runs on");
            std::thread::sleep(BETWEEN_ROUNDS);
        }
    }

    #[test]
    fn an_environment_without_variables_is_settled() {
        let mut bare = Command::new("/bin/sleep").arg("1000").env_clear().spawn().unwrap();
        let pid = Pid::from_child(&bare);
        let start = Instant::now();
        while is_taken_over(pid) {
            assert!(start.elapsed() < Duration::from_secs(20), "it stays unsettled");
            std::thread::sleep(BETWEEN_ROUNDS);
        }
        assert!(look(pid, &mut Environ::new(), &|_| true) == Look::Other);
        bare.kill().unwrap();
        bare.wait().unwrap();
    }
}
