//! Finds running processes by a text in their environment or command line (Linux).

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Ids of this user's processes whose environment or command line contains `word`. This process and zombies are left
/// out.
#[must_use]
pub fn with_text(word: &str) -> Vec<i32> {
    let me = std::process::id().cast_signed();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|&pid| pid != me && contains(pid, word) && !is_zombie(pid))
        .collect()
}

fn contains(pid: i32, word: &str) -> bool {
    ["environ", "cmdline"].iter().any(|file| {
        let bytes = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        bytes.windows(word.len()).any(|window| window == word.as_bytes())
    })
}

fn is_zombie(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
}

/// Waits until `done` returns `true`, checked every 10 ms. Returns `false` if that takes longer than `limit`.
#[must_use]
pub fn wait_until(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if done() {
            return true;
        }
        if start.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Sends a signal to a process. It is not an error if the process has already exited.
pub fn signal(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _gone_already = kill_process(pid, signal);
    }
}
