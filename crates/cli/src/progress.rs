//! Progress of work that takes longer than a second, on stderr, for a user at a terminal (`CONTRACTS.md` §2.5).

use std::io::{IsTerminal, Write};
use std::time::Duration;

use tokio::time::{Instant, interval_at};

/// What commands that read the history wait for.
pub const READING_HISTORY: &str = "reading the history";

const UPDATE_INTERVAL: Duration = Duration::from_secs(1);

/// Waits for some work. If stderr is a terminal, it writes every second what it waits for, and erases that line at the
/// end.
pub async fn with_progress<T>(what: &str, work: impl Future<Output = T>) -> T {
    if !std::io::stderr().is_terminal() {
        return work.await;
    }
    let start = Instant::now();
    let mut ticks = interval_at(start + UPDATE_INTERVAL, UPDATE_INTERVAL);
    let mut line = ProgressLine::default();
    tokio::pin!(work);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            _ = ticks.tick() => line.write(&format!("{what}, {} s", start.elapsed().as_secs())),
        }
    }
}

/// The line that is on the terminal now. Dropping this value erases it.
#[derive(Default)]
struct ProgressLine {
    width: usize,
}

impl ProgressLine {
    fn write(&mut self, text: &str) {
        // A failed write is not an error. The line is erased with spaces instead of an escape sequence, because every
        // terminal supports them.
        drop(write!(
            std::io::stderr().lock(),
            "\r{text:width$}\r",
            width = self.width
        ));
        self.width = text.chars().count();
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.width > 0 {
            self.write("");
        }
    }
}
