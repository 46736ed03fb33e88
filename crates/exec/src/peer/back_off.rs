//! How long a process that died stays down (`picoclaw.md` §5): 0.5 s, then doubled up to 60 s; 0.5 s again after 60 s alive.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(60);
const FORGIVEN_AFTER: Duration = Duration::from_secs(60);

/// The pause after a death, given the pause before the life that ended, and how long that life was.
pub(super) fn pause(previous: Option<Duration>, lived: Duration) -> Duration {
    match previous {
        Some(previous) if lived < FORGIVEN_AFTER => LONGEST.min(previous * 2),
        Some(_) | None => FIRST,
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
    fn a_minute_alive_is_a_new_beginning() {
        let long = Some(Duration::from_secs(32));
        assert_eq!(pause(long, Duration::from_secs(60)), FIRST);
        assert_eq!(pause(long, Duration::from_secs(59)), LONGEST);
    }
}
