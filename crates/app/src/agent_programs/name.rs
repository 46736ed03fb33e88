//! The name of an agent program: whether the user can read it and tell it from others.
//!
//! A program is allowed by exactly this name, so a similar one is always another program. But the user decides by what a
//! screen shows. A name that a screen cannot show in full is therefore never allowed as a whole.

use hookwright_model::{Message, render};

/// The longest name, in characters. Every list shows it in full.
const MAX_CHARACTERS: usize = 64;

hookwright_model::messages! {
    /// The name could be taken for another one.
    REFUSED_NAME = "agent_program_name" { "this name cannot be always allowed: it is not 1 to {limit} letters, digits, ASCII marks and single spaces", "无法始终允许此名称：名称应为 1 至 {limit} 个字母、数字、ASCII 符号和单个空格" } hint { "use another name in the agent, or approve each of its hooks", "在 Agent 中改用其他名称，或逐个批准其 Hook" };
    /// The name has letters of other alphabets.
    LOOK_ALIKES = "agent_program_letters" { "the name has letters that can look like other letters: {letters}", "名称中有易与其他字母混淆的字母：{letters}" };
}

/// Whether a program of this name can be allowed as a whole.
///
/// # Errors
/// The name is empty or long, or has characters that are invisible or draw nothing.
pub(super) fn check(name: &str) -> Result<(), Message> {
    let is_short = name.chars().count() <= MAX_CHARACTERS;
    // An empty name, a space at either end, and two spaces in a row all have an empty word.
    let has_words = name.split(' ').all(|word| !word.is_empty());
    if is_short && has_words && name.chars().all(is_visible) {
        return Ok(());
    }
    Err(render!(REFUSED_NAME, "limit" => MAX_CHARACTERS))
}

fn is_visible(char: char) -> bool {
    char == ' ' || char.is_ascii_graphic() || char.is_alphanumeric() && !is_filler(char)
}

/// Letters of Hangul that draw nothing.
const fn is_filler(char: char) -> bool {
    matches!(char, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

/// The letters of a name that are drawn like letters of ASCII, or nearly so, such as `е` (U+0435).
pub(super) fn look_alikes(name: &str) -> Option<Message> {
    let mut letters: Vec<char> = name
        .chars()
        .filter(|char| !char.is_ascii() && !is_east_asian(*char))
        .collect();
    letters.sort_unstable();
    letters.dedup();
    let listed: Vec<String> = letters
        .iter()
        .map(|char| format!("{char} (U+{:04X})", u32::from(*char)))
        .collect();
    (!listed.is_empty()).then(|| render!(LOOK_ALIKES, "letters" => listed.join(", ")))
}

/// Kana, Han characters and Hangul, which look like no letter of ASCII.
const fn is_east_asian(char: char) -> bool {
    matches!(char, '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_a_screen_shows_in_full_can_be_allowed() {
        for name in [
            "j-cli",
            "My Agent 2.0",
            "me@host:~/x",
            "代码助手",
            "Ágnes",
            &"x".repeat(64),
        ] {
            assert!(check(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn an_empty_a_long_and_a_partly_invisible_name_are_refused() {
        let long = "x".repeat(65);
        let names = [
            "",
            " ",
            "tester ",
            " tester",
            "a  b",
            "a\tb",
            "a\nb",
            "a\u{a0}b",
            "a\u{200b}",
            "a\u{202e}b",
            "a\u{feff}",
            "a\u{3164}",
            "a\u{301}",
            "a\u{2800}",
            "\u{1b}[31m",
            &long,
        ];
        for name in names {
            assert_eq!(
                check(name).err().map(|it| it.code),
                Some("agent_program_name"),
                "{name:?}"
            );
        }
    }

    #[test]
    fn letters_of_other_alphabets_are_named_with_their_code_points() {
        let text = |name| look_alikes(name).map(|message| message.text);
        let found = text("t\u{435}ster").expect("it is Cyrillic");
        assert!(found.ends_with("\u{435} (U+0435)"), "{found}");
        assert!(text("\u{ff54}ester").is_some(), "full width");
        assert_eq!((text("tester"), text("代码助手")), (None, None));
    }
}
