//! Linux: what carries a `HOOKWRIGHT_RUN`, wherever it fled to (`engine.md` §7).
//!
//! A process that left its group with `setsid` still has the environment it was started with; `/proc` shows it.

use std::fs::File;
use std::io::Read;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, getpgid, getpid, kill_process_group, pidfd_open, pidfd_send_signal};

/// The variable that marks every process of a run.
const MARK: &[u8] = b"HOOKWRIGHT_RUN=";

/// A killed process needs a moment to let go of its memory, and with it of its mark.
const BETWEEN_ROUNDS: Duration = Duration::from_millis(3);

/// Kills every process whose `HOOKWRIGHT_RUN` is `wanted`, again until two looks in a row find none: what forked while
/// we looked is found by the next look. Blocks, for `limit` at most; an unreadable process belongs to somebody else.
pub(crate) fn kill_marked(wanted: impl Fn(&[u8]) -> bool, limit: Duration) {
    let start = Instant::now();
    let mut clear = 0;
    while clear < 2 && start.elapsed() < limit {
        if round(&wanted) == 0 {
            clear += 1;
        } else {
            clear = 0;
            std::thread::sleep(BETWEEN_ROUNDS);
        }
    }
}

/// One look at every process. Returns how many were killed.
fn round(wanted: &impl Fn(&[u8]) -> bool) -> usize {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return 0;
    };
    let own = getpid();
    let mut environ = Vec::new();
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
        .filter(|pid| *pid != own && marked(*pid, &mut environ, wanted) && kill(*pid, &mut environ, wanted))
        .count()
}

fn marked(pid: Pid, environ: &mut Vec<u8>, wanted: &impl Fn(&[u8]) -> bool) -> bool {
    environ.clear();
    let read =
        File::open(format!("/proc/{}/environ", pid.as_raw_nonzero())).and_then(|mut file| file.read_to_end(environ));
    read.is_ok()
        && environ
            .split(|byte| *byte == 0)
            .any(|var| var.strip_prefix(MARK).is_some_and(wanted))
}

/// The pid may be another process's by now: hold on to the process first, then look again, then kill what is held. Whoever
/// leads a group goes with it: a child of its may have forgotten its mark, and the group may be known to nobody yet.
fn kill(pid: Pid, environ: &mut Vec<u8>, wanted: &impl Fn(&[u8]) -> bool) -> bool {
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(held) if marked(pid, environ, wanted) => {
            let leads = getpgid(Some(pid)).is_ok_and(|group| group == pid);
            let group_is_gone = leads && kill_process_group(pid, Signal::KILL).is_ok();
            group_is_gone || pidfd_send_signal(held, Signal::KILL).is_ok()
        }
        Ok(_) => false,
        // A kernel before 5.3, or no descriptor left.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::MFILE | rustix::io::Errno::NFILE) => {
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
        kill_marked(|found| found == run.as_bytes(), Duration::from_secs(20));
        leader.wait().unwrap();
        let start = Instant::now();
        while rustix::process::test_kill_process(child).is_ok() {
            assert!(start.elapsed() < Duration::from_secs(20), "the child lives on");
            std::thread::sleep(BETWEEN_ROUNDS);
        }
    }
}
