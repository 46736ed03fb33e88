//! Checks the form of a name (`agent-hooks.md` §2, row `name`).

use hookwright_model::{Message, args, render};
use unicode_normalization::{UnicodeNormalization, is_nfkc};

use super::messages;

pub const MAX_NAME_CHARS: usize = 64;

/// The rule that a name breaks: its Unicode form, a character, a hyphen, or that the folder has another name.
#[must_use]
pub fn check_name(name: &str, folder: &str) -> Option<Message> {
    let example = || args! { "example" => suggest_name(name, folder) };
    if !is_nfkc(name) {
        return Some(messages::NAME_NFKC.render(example()));
    }
    if let Some(character) = name.chars().find(|character| !is_allowed_char(*character)) {
        let mut args = example();
        args.insert("sign".to_owned(), display_char(character).into());
        return Some(messages::NAME_SIGN.render(args));
    }
    if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        return Some(messages::NAME_HYPHEN.render(example()));
    }
    // Some file systems store letters and their accents separately in folder names.
    (folder.nfkc().collect::<String>() != name)
        .then(|| render!(messages::NAME_FOLDER, "name" => name, "folder" => folder))
}

fn is_allowed_char(character: char) -> bool {
    character == '-' || (character.is_alphanumeric() && character.to_lowercase().eq([character]))
}

fn display_char(character: char) -> String {
    if character == ' ' {
        "a blank".to_owned()
    } else {
        format!("`{}`", character.escape_debug())
    }
}

/// A similar name that follows the rules.
fn suggest_name(name: &str, folder: &str) -> String {
    let lower = name.nfkc().flat_map(char::to_lowercase);
    let parts: String = lower
        .map(|character| if is_allowed_char(character) { character } else { '-' })
        .collect();
    let words: Vec<&str> = parts.split('-').filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        folder.to_owned()
    } else {
        words.join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &str, folder: &str) -> Option<String> {
        check_name(name, folder).map(|message| message.args["case"].as_str().unwrap_or_default().to_owned())
    }

    #[test]
    fn letters_of_any_script_digits_and_single_hyphens_make_a_name() {
        for name in [
            "a",
            "block-dangerous-commands",
            "v2",
            "格式化",
            "café",
            "überprüfen-1",
            "проверка",
        ] {
            assert_eq!(case(name, name), None, "{name}");
        }
        for (name, why) in [
            ("Block", "sign"),
            ("a_b", "sign"),
            ("a b", "sign"),
            ("a.b", "sign"),
            ("É", "sign"),
            ("-a", "hyphen"),
            ("a-", "hyphen"),
            ("a--b", "hyphen"),
            ("ﬁx", "nfkc"),
            ("cafe\u{301}", "nfkc"),
        ] {
            assert_eq!(case(name, name).as_deref(), Some(why), "{name}");
        }
    }

    #[test]
    fn composed_and_decomposed_accents_make_the_same_name() {
        assert_eq!(case("a", "b").as_deref(), Some("folder"));
        assert_eq!(case("café", "cafe\u{301}"), None);
    }

    #[test]
    fn a_better_name_is_offered() {
        assert_eq!(
            suggest_name("Block Dangerous_Commands!", "x"),
            "block-dangerous-commands"
        );
        assert_eq!(suggest_name("--", "folder"), "folder");
    }
}
