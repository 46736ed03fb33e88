//! Finds what a script or prompt seems to write as hook output. It searches for literal text only.
//!
//! The results are for advice. What a script computes cannot be seen, so there is no advice about it.

/// Whether the text gives a field one of these values: `"action": "stop"`, `{action: 'stop'}`, `action = "stop"`.
#[must_use]
pub fn assigns(text: &str, key: &str, values: &[&str]) -> bool {
    line_of_assignment(text, key, values).is_some()
}

/// Returns the first line on which [`assigns`] is true, from 1.
#[must_use]
pub fn line_of_assignment(text: &str, key: &str, values: &[&str]) -> Option<u32> {
    let gives = |rest| {
        let Some((_, rest)) = after_assignment_sign(rest) else {
            return false;
        };
        let rest = rest.trim_start_matches(|character: char| character.is_whitespace() || "'\"\\`".contains(character));
        values
            .iter()
            .any(|value| rest.strip_prefix(value).is_some_and(|tail| !tail.starts_with(is_word)))
    };
    let (before, _) = occurrences(text, key).find(|(_, rest)| gives(rest))?;
    Some(line_after(before))
}

/// Whether the text writes a field: `"tool_result": …`, `out["tool_result"] = …`, `.tool_result |= …`. It does not
/// count if the text only reads the field.
#[must_use]
pub fn writes(text: &str, key: &str) -> bool {
    line_of_write(text, key).is_some()
}

/// Returns the first line on which [`writes`] is true, from 1.
#[must_use]
pub fn line_of_write(text: &str, key: &str) -> Option<u32> {
    let mut places = occurrences(text, key);
    let (before, _) = places.find(|(before, rest)| match after_assignment_sign(rest) {
        Some((':', _)) => true,
        Some((_, tail)) => rest[..rest.len() - tail.len()].contains(']') || before.ends_with('.'),
        None => before.ends_with('.') && rest.trim_start().starts_with("|="),
    })?;
    Some(line_after(before))
}

/// Returns the values that the text gives a field. A value is `None` if it is not written as a quoted word.
#[must_use]
pub fn written_values<'a>(text: &'a str, key: &str) -> Vec<Option<&'a str>> {
    let given = occurrences(text, key).filter_map(|(_, rest)| after_assignment_sign(rest));
    given
        .map(|(_, rest)| {
            let rest = rest.trim_start_matches(|character: char| character.is_whitespace() || character == '\\');
            let inside = rest.strip_prefix(['"', '\''])?;
            let end = inside.find(|character: char| !is_word(character))?;
            inside[end..].starts_with(['"', '\'', '\\']).then(|| &inside[..end])
        })
        .collect()
}

/// Returns the first line of a shell's text that starts something and leaves it running with stdout open, from 1.
#[must_use]
pub fn line_left_running(text: &str) -> Option<u32> {
    let mut lines = (1..).zip(text.lines());
    lines.find(|(_, line)| leaves_running(line)).map(|(number, _)| number)
}

/// Whether a command of this line is followed by `&`, or begins with `nohup` or `setsid`, and has no redirection.
fn leaves_running(line: &str) -> bool {
    let (mut quote, mut command) = (None, String::new());
    let mut signs = line.chars().peekable();
    let mut before = ' ';
    let detaches = |command: &str| {
        let first = command.split_whitespace().next().unwrap_or_default();
        ["nohup", "setsid"].contains(&first) && !command.contains('>')
    };
    while let Some(sign) = signs.next() {
        let next = signs.peek().copied().unwrap_or(' ');
        match (quote, sign) {
            (None, '\\') => drop(signs.next()),
            (None, '\'' | '"') => quote = Some(sign),
            (Some(open), sign) if open == sign => quote = None,
            (None, '#') if before.is_whitespace() => break,
            (None, '&') if before != '>' && before != '<' && before != '&' && next != '&' && next != '>' => {
                if !command.trim().is_empty() && !command.contains('>') {
                    return true;
                }
                command.clear();
            }
            (None, ';' | '|' | '&' | '(' | '{') if before != '>' && next != '>' => {
                if detaches(&command) {
                    return true;
                }
                command.clear();
            }
            (_, sign) => command.push(sign),
        }
        before = sign;
    }
    detaches(&command)
}

/// Whether the text contains the word, not as a part of a longer word.
#[must_use]
pub fn mentions(text: &str, word: &str) -> bool {
    line_of_mention(text, word).is_some()
}

/// Returns the first line on which [`mentions`] is true, from 1.
#[must_use]
pub fn line_of_mention(text: &str, word: &str) -> Option<u32> {
    occurrences(text, word).next().map(|(before, _)| line_after(before))
}

/// Returns the line, from 1, at the end of the text `before`.
#[must_use]
pub fn line_after(before: &str) -> u32 {
    let passed = before.bytes().filter(|byte| *byte == b'\n').count();
    u32::try_from(passed).unwrap_or(u32::MAX).saturating_add(1)
}

/// Finds every occurrence of the word that is not a part of a longer word. Returns the text before and after each.
fn occurrences<'a>(text: &'a str, word: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    text.match_indices(word).filter_map(move |(at, word)| {
        let (before, rest) = (&text[..at], &text[at + word.len()..]);
        (!before.ends_with(is_word) && !rest.starts_with(is_word)).then_some((before, rest))
    })
}

/// Finds the `:` or `=` after a key, but not `==`. Closing quotes and brackets may precede it. Returns the character
/// and the rest after it.
fn after_assignment_sign(rest: &str) -> Option<(char, &str)> {
    let rest = rest.trim_start_matches(|character: char| character.is_whitespace() || "'\"\\]".contains(character));
    if let Some(tail) = rest.strip_prefix(':') {
        return Some((':', tail));
    }
    let tail = rest.strip_prefix('=').filter(|tail| !tail.starts_with('='))?;
    Some(('=', tail.strip_prefix('>').unwrap_or(tail)))
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_is_seen_however_it_is_spelled() {
        for text in [
            r#"echo '{"action":"stop"}'"#,
            r#"echo "{\"action\": \"stop\"}""#,
            "print({'action': 'stop'})",
            "out[\"action\"] = \"stop\"",
            "{ action: `stop` }",
            "'action' => 'stop'",
            "answer(action='stop', x=1)",
            "返回 {\"action\":\"stop\"}，否则 {}",
        ] {
            assert!(assigns(text, "action", &["stop"]), "{text}");
        }
        for text in [
            "action == 'stop'",
            "transaction: stop",
            "action: stopped",
            "action: skip",
            "the action is stop",
            "stop",
        ] {
            assert!(!assigns(text, "action", &["stop"]), "{text}");
        }
    }

    #[test]
    fn the_values_of_a_field_are_read_where_they_are_written() {
        let text = r#"{"name": "A"} {name: 'B'} {name: event} {\"name\": \"C\"} name == 'D'"#;
        assert_eq!(written_values(text, "name"), [Some("A"), Some("B"), None, Some("C")]);
    }

    #[test]
    fn a_process_that_is_left_running_is_found_on_its_line() {
        for text in [
            "a\nsleep 9 &",
            "a\nsleep 9 & echo x",
            "a\n(sleep 9 &)",
            "a\nx; nohup sleep 9",
            "a\nsetsid b | c",
        ] {
            assert_eq!(line_left_running(text), Some(2), "{text}");
        }
        for text in [
            "sleep 9 >/dev/null 2>&1 &",
            "a && b",
            "a 2>&1",
            "a &>/dev/null",
            "echo 'a & b'",
            "echo \"a & b\" # c & d",
            "nohup a > log",
        ] {
            assert_eq!(line_left_running(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_read_is_found_on_its_line() {
        let text = "x = 1\nif y:\n  print({'a': 'b',\n    'c': 1})\n";
        assert_eq!(line_of_assignment(text, "a", &["b"]), Some(3));
        assert_eq!(
            (line_of_write(text, "c"), line_of_mention(text, "y")),
            (Some(4), Some(2))
        );
    }

    #[test]
    fn writing_a_field_is_not_reading_it() {
        for text in [
            r#"{"tool_arguments": x}"#,
            "out['tool_arguments'] = y",
            "{tool_arguments: .x}",
            "jq '.tool_arguments |= ascii'",
            ".tool_arguments = 1",
        ] {
            assert!(writes(text, "tool_arguments"), "{text}");
        }
        for text in [
            "event[\"tool_arguments\"]",
            "event.get('tool_arguments')",
            "jq -r .tool_arguments",
            "{{tool_arguments}}",
            "x == tool_arguments",
            "tool_arguments = 1",
        ] {
            assert!(!writes(text, "tool_arguments"), "{text}");
        }
    }
}
