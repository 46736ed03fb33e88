//! Progress of what takes longer than a second, on stderr, for a person who waits (`CONTRACTS.md` §2.5).

use std::io::{IsTerminal, Write};
use std::time::Duration;

use tokio::time::{Instant, interval_at};

/// What readers of the history wait for.
pub const READING_HISTORY: &str = "reading the history";

const UPDATE_INTERVAL: Duration = Duration::from_secs(1);

/// Waits for some work. Where stderr is a terminal, says every second what is waited for, and takes that away again.
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

/// The line as it stands on the terminal; gone with this value.
#[derive(Default)]
struct ProgressLine {
    width: usize,
}

impl ProgressLine {
    fn write(&mut self, text: &str) {
        // Nobody who reads it is no reason to fail. Blanks instead of an erasing sequence: every terminal knows them.
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
