//! Counters of a hook's texts (`skill.md` §10), as far as its steps provide them.

use hookwright_model::{HookCounts, Outcome};
use serde_json::Value;

/// Insertions, removals, texts still in the list, persisted texts, filter misses, and characters added.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(super) fn hook_counters(counts: &HookCounts) -> Vec<(&'static str, f64)> {
    let insertions = counts.sum_of(&[Outcome::Changed]);
    let removals = counts.counter("removals");
    let definition = counts.definition.as_ref();
    let persistent = definition.and_then(|it| it.get("persistent")).and_then(Value::as_bool) == Some(true);
    let counters = [
        ("insertions", insertions),
        ("removals", removals),
        ("live", insertions.saturating_sub(removals)),
        ("persisted", if persistent { insertions } else { 0 }),
        ("filter_misses", counts.sum_of(&[Outcome::NotMatched])),
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
        let counts = HookCounts {
            outcomes: BTreeMap::from([(Outcome::Changed, 3), (Outcome::NotMatched, 2), (Outcome::Skipped, 9)]),
            chars_added: 42,
            counted: BTreeMap::from([("removals".to_owned(), 1)]),
            definition: Some(serde_json::json!({"persistent": true})),
            ..HookCounts::default()
        };
        let wanted = [
            ("insertions", 3.0),
            ("removals", 1.0),
            ("live", 2.0),
            ("persisted", 3.0),
            ("filter_misses", 2.0),
            ("characters_added", 42.0),
        ];
        assert_eq!(hook_counters(&counts), wanted);
    }
}
