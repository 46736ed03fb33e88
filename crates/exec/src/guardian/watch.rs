//! The guardian's own process.

use std::time::Duration;
#[cfg(not(target_os = "linux"))]
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use super::Book;

/// Nothing of a hook may survive its engine by 4 s (`CONTRACTS.md` §2.6); most of that is left to the kernel.
const LIMIT: Duration = Duration::from_secs(3);

/// What wakes us on the pipe of lines: on Linux only its end, which needs no asking. Elsewhere the end alone does not
/// wake, and every line does.
const LINES: PollFlags = if cfg!(target_os = "linux") {
    PollFlags::empty()
} else {
    PollFlags::IN
};

/// Reads what the engine says until it is gone, then kills what it left running.
pub(super) fn until_the_end() {
    let mut ear = Ear::default();
    let (lines, bell) = (rustix::stdio::stdin(), rustix::stdio::stdout());
    // The ends of a pipe are apart: what the engine set on its own says nothing of ours.
    let unblocked = rustix::io::ioctl_fionbio(lines, true).and_then(|()| rustix::io::ioctl_fionbio(bell, true));
    if unblocked.is_ok() {
        while wait(lines, bell) && ear.listen(lines) {
            silence(bell);
        }
    }
    kill_all(&ear.book);
}

/// Sleeps until there is something to read, or nobody left to write. False when waiting itself is impossible.
fn wait(lines: BorrowedFd<'_>, bell: BorrowedFd<'_>) -> bool {
    let mut both = [
        PollFd::from_borrowed_fd(lines, LINES),
        PollFd::from_borrowed_fd(bell, PollFlags::IN),
    ];
    matches!(poll(&mut both, None), Ok(_) | Err(Errno::INTR))
}

/// Takes the rings that were heard.
fn silence(bell: BorrowedFd<'_>) {
    let mut rings = [0; 64];
    while matches!(rustix::io::read(bell, &mut rings), Ok(1..)) {}
}

/// Turns bytes into lines, and lines into the book.
#[derive(Default)]
struct Ear {
    book: Book,
    heard: Vec<u8>,
}

impl Ear {
    /// Reads what is there. False at the end of the pipe.
    fn listen(&mut self, lines: BorrowedFd<'_>) -> bool {
        let mut piece = [0; 4096];
        let more = loop {
            match rustix::io::read(lines, &mut piece) {
                Ok(0) => break false,
                Ok(read) => self.heard.extend_from_slice(&piece[..read]),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break true,
                Err(_) => break false,
            }
        };
        self.take_lines();
        more
    }

    fn take_lines(&mut self) {
        let Some(end) = self.heard.iter().rposition(|byte| *byte == b'\n') else {
            return;
        };
        let rest = self.heard.split_off(end + 1);
        for line in self
            .heard
            .split(|byte| *byte == b'\n')
            .filter_map(|line| std::str::from_utf8(line).ok())
        {
            self.book.absorb(line);
        }
        self.heard = rest;
    }
}

fn kill_all(book: &Book) {
    if book.0.is_empty() {
        return;
    }
    kill_groups(book);
    #[cfg(target_os = "linux")]
    crate::sweep::kill_marked(
        |run| std::str::from_utf8(run).is_ok_and(|run| book.0.contains_key(run)),
        LIMIT,
    );
    #[cfg(not(target_os = "linux"))]
    insist(book);
}

/// Returns whether any group was still there.
fn kill_groups(book: &Book) -> bool {
    let groups = book.0.values().filter_map(|group| group.and_then(Pid::from_raw));
    groups
        .filter(|group| kill_process_group(*group, Signal::KILL).is_ok())
        .count()
        > 0
}

/// A group that was being forked into while it was killed is killed again.
#[cfg(not(target_os = "linux"))]
fn insist(book: &Book) {
    let start = Instant::now();
    while kill_groups(book) && start.elapsed() < LIMIT / 3 {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_come_in_pieces() {
        let mut ear = Ear::default();
        for piece in ["? A\n+ 4", "2 A\n? B", "\n"] {
            ear.heard.extend_from_slice(piece.as_bytes());
            ear.take_lines();
        }
        assert_eq!(ear.book.lines().collect::<Vec<_>>(), ["+ 42 A\n", "? B\n"]);
    }
}
