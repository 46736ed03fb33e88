//! The pause before a peer that ended is started again (`picoclaw.md` §5). It is 0.5 s and doubles up to 60 s.
//! After a process that ran for 60 s or more, it is 0.5 s again.

use std::time::Duration;

const MIN_BACKOFF: Duration = Duration::from_millis(500);
const MAX_BACKOFF: Duration = Duration::from_secs(60);
const BACKOFF_RESET_AFTER: Duration = Duration::from_secs(60);

/// The next pause. `previous` is the pause before the process that ended; `lived` is how long that process ran.
pub(super) fn pause(previous: Option<Duration>, lived: Duration) -> Duration {
    match previous {
        Some(previous) if lived < BACKOFF_RESET_AFTER => MAX_BACKOFF.min(previous * 2),
        Some(_) | None => MIN_BACKOFF,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_minute() {
        let mut previous = None;
        let pauses: Vec<u128> = std::iter::repeat_with(|| {
            let next = pause(previous, Duration::from_secs(1));
            previous = Some(next);
            next.as_millis()
        })
        .take(9)
        .collect();
        assert_eq!(pauses, [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    }

    #[test]
    fn a_minute_of_uptime_resets_the_pause() {
        let long = Some(Duration::from_secs(32));
        assert_eq!(pause(long, Duration::from_secs(60)), MIN_BACKOFF);
        assert_eq!(pause(long, Duration::from_secs(59)), MAX_BACKOFF);
    }
}
