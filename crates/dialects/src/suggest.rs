//! Suggests the known name that is nearest to an unknown one.

/// A longer name is no misspelled one: whoever asks may send megabytes.
const MAX_NAME_BYTES: usize = 200;
/// A shorter word is not searched for inside names, because it would match by chance.
const MIN_WORD_CHARS: usize = 3;

/// Finds the name that is nearest to an unknown one. Letter case, dashes and camel case are ignored. A few typing
/// errors are allowed, in proportion to the length.
#[must_use]
pub fn nearest(name: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let wanted = snake(name);
    let slips = |known: &'static str| {
        let folded = snake(known);
        let away = strsim::osa_distance(&wanted, &folded);
        let few = (folded.chars().count() / 3).max(1);
        // At most half of the letters of a short word may be wrong.
        (away <= few && 2 * away <= wanted.chars().count()).then_some((away, known))
    };
    let near = names.filter_map(slips).min_by_key(|(away, _)| *away)?;
    Some(near.1)
}

/// Whether two names differ by one letter or by an ending, as `tools` and `tool`, and not by a word, as `comment` and
/// `command`.
#[must_use]
pub fn is_slip(name: &str, known: &str) -> bool {
    let (name, known) = (snake(name), snake(known));
    name.starts_with(&known) || known.starts_with(&name) || strsim::osa_distance(&name, &known) <= 1
}

/// Finds the event that is nearest to an unknown name. Users also write only some words of an event's name.
///
/// So if [`nearest`] finds nothing, an event that contains the written words is returned. Events that begin with
/// `before_` or `pre_` are preferred, then the shortest name.
#[must_use]
pub fn nearest_event(name: &str, names: impl Iterator<Item = &'static str> + Clone) -> Option<&'static str> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let wanted = snake(name);
    let is_long_enough = wanted.chars().count() >= MIN_WORD_CHARS;
    let has = |known: &&str| is_long_enough && format!("_{}_", snake(known)).contains(&format!("_{wanted}_"));
    let late = |known: &str| !["before_", "pre_"].iter().any(|begin| snake(known).starts_with(begin));
    let longer = names.clone().filter(has).min_by_key(|known| (late(known), known.len()));
    nearest(name, names).or(longer)
}

fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before_lower = false;
    for character in name.chars() {
        if character.is_uppercase() && before_lower {
            out.push('_');
        }
        before_lower = character.is_lowercase();
        out.extend(
            if character == '-' || character == ' ' {
                '_'
            } else {
                character
            }
            .to_lowercase(),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 6] = [
        "session_start",
        "session_end",
        "before_tool",
        "after_tool_call",
        "before_stop",
        "subagent_stop",
    ];

    fn near(name: &str) -> Option<&'static str> {
        nearest_event(name, NAMES.into_iter())
    }

    #[test]
    fn a_name_of_a_megabyte_is_no_slip() {
        assert_eq!(near(&"a".repeat(1 << 20)), None);
    }

    #[test]
    fn letter_case_dashes_and_slips_are_ignored() {
        for name in ["BEFORE_TOOL", "BeforeTool", "before-tool", "befor_tool", "beforetool"] {
            assert_eq!(near(name), Some("before_tool"), "{name}");
        }
    }

    #[test]
    fn a_single_word_suggests_an_event_that_contains_it() {
        assert_eq!(near("stop"), Some("before_stop"));
        assert_eq!(near("tool"), Some("before_tool"));
        assert_eq!(near("session"), Some("session_end"));
        assert_eq!(near("ToolCall"), Some("after_tool_call"));
        // For a field one word is not enough: `tool` may mean something other than `tool_filter`.
        assert_eq!(nearest("stop", NAMES.into_iter()), None);
    }

    #[test]
    fn a_slip_is_a_letter_or_an_ending() {
        for (name, known) in [("tools", "tool"), ("process", "processes"), ("matchr", "matcher")] {
            assert!(is_slip(name, known), "{name}");
        }
        assert!(!is_slip("comment", "command"));
    }

    #[test]
    fn what_is_not_near_is_not_suggested() {
        for name in ["", "x", "foo", "PreToolUse", "ssn", "op", "_"] {
            assert_eq!(near(name), None, "{name}");
        }
    }
}
