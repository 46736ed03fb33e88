//! The last lines of a session's connections, in memory only. They are kept as they were on the wire, and redacted when
//! somebody reads them: an event does not wait for that.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hookwright_workspace::lock::lock;
use jiff::Timestamp;

/// How many lines a session keeps.
pub const MAX_LOG_LINES: usize = 200;
/// How many bytes a session keeps, of all its lines.
pub const MAX_LOG_BYTES: usize = 1 << 20;
/// How many bytes all sessions keep before each of them keeps no more than [`FEW_LOG_BYTES`].
const MAX_ALL_LOG_BYTES: usize = 64 << 20;
/// What a session always keeps of its lines.
const FEW_LOG_BYTES: usize = 2 * KEPT_LINE_BYTES;
/// How much of a line is kept. It is more than is shown, so that a secret at the end of what is shown is complete and
/// recognized.
pub const KEPT_LINE_BYTES: usize = 16 << 10;

/// Which side sent a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sender {
    /// The agent.
    Agent,
    /// This engine.
    Engine,
}

/// A line of a connection.
#[derive(Debug, Clone)]
pub(crate) struct LoggedLine {
    /// Increases in a session, also when a session of the same id begins again: microseconds since 1970, or more.
    pub(crate) number: u64,
    /// Which connection it belongs to.
    pub(crate) connection: u64,
    pub(crate) at: Timestamp,
    pub(crate) sender: Sender,
    /// The length of the whole line, in bytes and without its line end.
    pub(crate) bytes: usize,
    /// Its first [`KEPT_LINE_BYTES`].
    pub(crate) kept: Arc<[u8]>,
}

/// How many bytes the logs of an engine keep. Clones count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogBytes(Arc<AtomicUsize>);

/// The last lines of one session. No other session shares its lock.
#[derive(Debug)]
pub(crate) struct ProtocolLog {
    all: LogBytes,
    lines: Mutex<Lines>,
}

#[derive(Debug, Default)]
struct Lines {
    lines: VecDeque<LoggedLine>,
    bytes: usize,
    last: u64,
}

impl ProtocolLog {
    pub(crate) fn new(all: &LogBytes) -> Arc<Self> {
        let (all, lines) = (all.clone(), Mutex::default());
        Arc::new(Self { all, lines })
    }

    fn push(&self, mut line: LoggedLine) {
        let mut lines = lock(&self.lines);
        let micros = u64::try_from(line.at.as_microsecond()).unwrap_or(0);
        line.number = micros.max(lines.last + 1);
        lines.last = line.number;
        let all = &self.all.0;
        lines.bytes += line.kept.len();
        all.fetch_add(line.kept.len(), Ordering::Relaxed);
        lines.lines.push_back(line);
        let is_too_much = |lines: &Lines| {
            let limit = match all.load(Ordering::Relaxed) {
                ..=MAX_ALL_LOG_BYTES => MAX_LOG_BYTES,
                _ => FEW_LOG_BYTES,
            };
            lines.lines.len() > MAX_LOG_LINES || lines.bytes > limit
        };
        while is_too_much(&lines) {
            let Some(dropped) = lines.lines.pop_front() else { break };
            lines.bytes -= dropped.kept.len();
            all.fetch_sub(dropped.kept.len(), Ordering::Relaxed);
        }
    }

    /// The lines that are kept, oldest first. Their texts are shared, not copied.
    pub(crate) fn lines(&self) -> Vec<LoggedLine> {
        lock(&self.lines).lines.iter().cloned().collect()
    }
}

impl Drop for ProtocolLog {
    fn drop(&mut self) {
        self.all.0.fetch_sub(lock(&self.lines).bytes, Ordering::Relaxed);
    }
}

/// Where the lines of one connection go: to a list of its own until it has opened a session, then to that of the session.
#[derive(Debug)]
pub(crate) struct ConnectionLog {
    connection: u64,
    log: Mutex<Arc<ProtocolLog>>,
}

impl ConnectionLog {
    pub(crate) fn new(connection: u64, all: &LogBytes) -> Self {
        Self {
            connection,
            log: Mutex::new(ProtocolLog::new(all)),
        }
    }

    /// Adds a line. `kept` is its beginning, `bytes` the length of all of it.
    pub(crate) fn push(&self, at: Timestamp, sender: Sender, kept: &[u8], bytes: usize) {
        let kept = &kept[..kept.len().min(KEPT_LINE_BYTES)];
        lock(&self.log).push(LoggedLine {
            number: 0,
            connection: self.connection,
            at,
            sender,
            bytes,
            kept: kept.into(),
        });
    }

    /// Moves the lines so far to the log of a session, where all others go from now on.
    pub(crate) fn join(&self, session: &Arc<ProtocolLog>) {
        let mut log = lock(&self.log);
        // A session before may have had other connections, whose lines are not part of this one.
        for line in log
            .lines()
            .into_iter()
            .filter(|line| line.connection == self.connection)
        {
            session.push(line);
        }
        *log = session.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn texts(log: &ProtocolLog) -> Vec<String> {
        let text = |line: LoggedLine| String::from_utf8(line.kept.to_vec()).unwrap();
        log.lines().into_iter().map(text).collect()
    }

    #[test]
    fn the_lines_before_the_session_come_first_in_its_log() {
        let session = ProtocolLog::new(&LogBytes::default());
        let connection = ConnectionLog::new(7, &LogBytes::default());
        connection.push(at(1), Sender::Agent, b"open", 4);
        connection.join(&session);
        connection.push(at(1), Sender::Engine, b"opened", 6);
        assert_eq!(texts(&session), ["open", "opened"]);
        let numbers: Vec<u64> = session.lines().iter().map(|line| line.number).collect();
        assert_eq!(numbers, [1_000_000, 1_000_001]);
        assert!(session.lines().iter().all(|line| line.connection == 7));
    }

    #[test]
    fn a_second_session_gets_no_line_of_another_connection() {
        let (first, second) = (
            ProtocolLog::new(&LogBytes::default()),
            ProtocolLog::new(&LogBytes::default()),
        );
        let (mine, other) = (
            ConnectionLog::new(1, &LogBytes::default()),
            ConnectionLog::new(2, &LogBytes::default()),
        );
        mine.join(&first);
        other.join(&first);
        mine.push(at(1), Sender::Agent, b"mine", 4);
        other.push(at(1), Sender::Agent, b"other", 5);
        mine.join(&second);
        assert_eq!(texts(&second), ["mine"]);
        assert_eq!(texts(&first), ["mine", "other"]);
    }

    #[test]
    fn only_the_last_lines_are_kept() {
        let connection = ConnectionLog::new(1, &LogBytes::default());
        for number in 0..=MAX_LOG_LINES {
            let text = number.to_string();
            connection.push(at(1), Sender::Agent, text.as_bytes(), text.len());
        }
        let session = ProtocolLog::new(&LogBytes::default());
        connection.join(&session);
        assert_eq!(session.lines().len(), MAX_LOG_LINES);
        assert_eq!(texts(&session)[0], "1");
    }

    #[test]
    fn long_lines_are_cut_and_all_of_them_stay_within_the_limit() {
        let session = ProtocolLog::new(&LogBytes::default());
        let connection = ConnectionLog::new(1, &LogBytes::default());
        connection.join(&session);
        let long = vec![b'x'; 3 * KEPT_LINE_BYTES];
        for _ in 0..MAX_LOG_LINES {
            connection.push(at(1), Sender::Engine, &long, long.len());
        }
        let lines = session.lines();
        assert!(lines.iter().map(|line| line.kept.len()).sum::<usize>() <= MAX_LOG_BYTES);
        assert_eq!(lines.len(), MAX_LOG_BYTES / KEPT_LINE_BYTES);
        assert_eq!(lines[0].bytes, long.len());
    }

    #[test]
    fn when_all_logs_are_large_each_of_them_keeps_little() {
        let all = LogBytes::default();
        let long = vec![b'x'; KEPT_LINE_BYTES];
        let connections: Vec<_> = (0..70).map(|number| ConnectionLog::new(number, &all)).collect();
        for connection in &connections {
            for _ in 0..MAX_LOG_LINES {
                connection.push(at(1), Sender::Agent, &long, long.len());
            }
        }
        let kept = all.0.load(Ordering::Relaxed);
        assert!(kept <= MAX_ALL_LOG_BYTES + 70 * FEW_LOG_BYTES, "{kept}");
        let last = lock(&connections[69].log).lines().len();
        assert_eq!(last, FEW_LOG_BYTES / KEPT_LINE_BYTES);
        drop(connections);
        assert_eq!(all.0.load(Ordering::Relaxed), 0);
    }
}
