//! Counters of long-lived processes (`picoclaw.md` §10), as far as attempts provide them.

use hookwright_model::HookCounts;

/// Starts, restarts, the mean time of a handshake in milliseconds, dropped lines, and dropped notifications.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(super) fn hook_counters(counts: &HookCounts) -> Vec<(&'static str, f64)> {
    let word = |word: &str| counts.counter(word) as f64;
    let handshakes = counts.counter("handshakes").max(1) as f64;
    vec![
        ("starts", word("starts")),
        ("restarts", word("restarts")),
        ("handshake_ms", word("handshake_us") / handshakes / 1000.0),
        ("dropped_lines", word("dropped_lines")),
        ("dropped_notifications", word("dropped_notifications")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_handshake_takes_what_the_answered_ones_took_on_average() {
        let counted = [
            ("starts", 3),
            ("restarts", 1),
            ("handshakes", 2),
            ("handshake_us", 5000),
        ];
        let counts = HookCounts {
            counted: BTreeMap::from_iter(counted.map(|(word, count)| (word.to_owned(), count))),
            ..HookCounts::default()
        };
        let wanted = [
            ("starts", 3.0),
            ("restarts", 1.0),
            ("handshake_ms", 2.5),
            ("dropped_lines", 0.0),
            ("dropped_notifications", 0.0),
        ];
        assert_eq!(hook_counters(&counts), wanted);
    }
}
