//! What is counted of texts (`skill.md` §10), as far as steps tell it.

use hookwright_model::{Counts, Outcome};

/// Insertions, misses of the filter, and the characters that insertions brought.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(super) fn of_hook(counts: &Counts) -> Vec<(&'static str, f64)> {
    let counters = [
        ("insertions", counts.of(&[Outcome::Changed])),
        ("filter_misses", counts.of(&[Outcome::NotMatched])),
        ("characters_added", counts.chars_added),
    ];
    counters.map(|(name, count)| (name, count as f64)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_text_that_was_filtered_out_is_a_miss_and_no_insertion() {
        let counts = Counts {
            outcomes: BTreeMap::from([(Outcome::Changed, 3), (Outcome::NotMatched, 2), (Outcome::Skipped, 9)]),
            chars_added: 42,
            ..Counts::default()
        };
        let wanted = [("insertions", 3.0), ("filter_misses", 2.0), ("characters_added", 42.0)];
        assert_eq!(of_hook(&counts), wanted);
    }
}
