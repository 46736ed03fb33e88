//! How many events a session had in the last minute.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

const PERIOD: Duration = Duration::from_secs(60);
const STEP: Duration = Duration::from_secs(1);

/// Counts events by the second, and forgets them after a minute.
#[derive(Debug, Default)]
pub(crate) struct EventRate {
    /// When a second began and how many events it had, oldest first. At most 60.
    seconds: VecDeque<(Instant, u64)>,
}

impl EventRate {
    /// Counts an event.
    pub(crate) fn add(&mut self, now: Instant) {
        self.forget(now);
        match self.seconds.back_mut() {
            Some((begin, count)) if now.duration_since(*begin) < STEP => *count += 1,
            Some(_) | None => self.seconds.push_back((now, 1)),
        }
    }

    /// The events of the last minute.
    pub(crate) fn last_minute(&mut self, now: Instant) -> u64 {
        self.forget(now);
        self.seconds.iter().map(|(_, count)| count).sum()
    }

    fn forget(&mut self, now: Instant) {
        while self
            .seconds
            .front()
            .is_some_and(|(begin, _)| now.duration_since(*begin) >= PERIOD)
        {
            self.seconds.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_forgotten_after_a_minute() {
        let begin = Instant::now();
        let after = |seconds| begin + Duration::from_secs(seconds);
        let mut rate = EventRate::default();
        rate.add(begin);
        rate.add(begin);
        rate.add(after(30));
        assert_eq!(rate.last_minute(after(59)), 3);
        assert_eq!(rate.last_minute(after(60)), 1);
        assert_eq!(rate.last_minute(after(90)), 0);
    }
}
