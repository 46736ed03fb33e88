//! The tokens that a model provider counted, as counters of an attempt.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::HookCounts;

/// The counters of a `usage` object. Its fields are `input_tokens` and `output_tokens`, or `prompt_tokens` and
/// `completion_tokens`. Fields that are missing or no counts are left out.
#[must_use]
pub fn token_counters(usage: &Value) -> BTreeMap<&'static str, u64> {
    let fields = [
        (HookCounts::INPUT_TOKENS, ["input_tokens", "prompt_tokens"]),
        (HookCounts::OUTPUT_TOKENS, ["output_tokens", "completion_tokens"]),
    ];
    let counter = |(name, spellings): (&'static str, [&str; 2])| {
        let count = spellings.iter().find_map(|field| usage[*field].as_u64())?;
        Some((name, count))
    };
    fields.into_iter().filter_map(counter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_spellings_are_counted_and_anything_else_is_left_out() {
        let counted = |usage: Value| token_counters(&usage).into_iter().collect::<Vec<_>>();
        let both = vec![("input_tokens", 12), ("output_tokens", 3)];
        assert_eq!(
            counted(json!({"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15})),
            both
        );
        assert_eq!(counted(json!({"input_tokens": 12, "output_tokens": 3})), both);
        assert_eq!(counted(json!({"input_tokens": -1, "output_tokens": "3"})), []);
        assert_eq!(counted(Value::Null), []);
    }
}
