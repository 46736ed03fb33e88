//! Checks the Chinese messages of a page. Each argument must be a text of the page's files, a term that Hookwright has
//! in both languages, or no English phrase.

use hookwright_app::bindings::all_messages;
use hookwright_model::MessageTemplate;
use hookwright_model::glossary::{LIBRARY_ERRORS, TERMS};
use serde_json::{Map, Value};

/// The argument with an exception of the user's program. Its text is in the language of that program.
const RAISED: &str = "error";

/// Lists messages in these documents that have no Chinese text, or an English phrase in it. A text that is also in
/// `page` is allowed, because it comes from the user's files.
pub fn untranslated(documents: &Value, page: &str) -> Vec<String> {
    let all = all_messages();
    let mut out = Vec::new();
    walk(documents, &mut |object| {
        let Some((code, args)) = code_and_args(object) else {
            return;
        };
        let key = match args.get("case").and_then(Value::as_str) {
            Some(case) => format!("{code}.{case}"),
            None => code.to_owned(),
        };
        match all.iter().find(|template| template.key() == key) {
            None => out.push(format!("no Chinese for {key}")),
            Some(template) => out.extend(
                placeholders(template)
                    .filter(|hole| !args.contains_key(&format!("{hole}_message")) && *hole != RAISED)
                    .filter_map(|hole| Some((hole, args.get(hole)?.as_str()?)))
                    .filter(|(_, text)| is_phrase(text) && !is_known(text) && !is_from_page(text, page))
                    .map(|(hole, text)| format!("{key}: {{{hole}}} is {text:?}")),
            ),
        }
    });
    out
}

/// Code and arguments of an object that contains a message.
fn code_and_args(object: &Map<String, Value>) -> Option<(&str, &Map<String, Value>)> {
    Some((object.get("code")?.as_str()?, object.get("args")?.as_object()?))
}

fn walk(value: &Value, visit: &mut dyn FnMut(&Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            visit(object);
            object.values().for_each(|inner| walk(inner, visit));
        }
        Value::Array(items) => items.iter().for_each(|inner| walk(inner, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The placeholders of the Chinese text that are not in backticks or quotes. A quoted one is filled with text of the
/// user.
fn placeholders(template: &MessageTemplate) -> impl Iterator<Item = &'static str> {
    // A text without Chinese characters is a message of the agent, which is shown unchanged.
    let ours = |text: &&str| text.chars().any(|sign| ('\u{4e00}'..='\u{9fff}').contains(&sign));
    [template.zh, template.hint_zh]
        .into_iter()
        .filter(ours)
        .flat_map(|text| {
            let begins = text.match_indices('{').map(|(at, _)| at);
            begins.filter_map(move |at| {
                let quoted = text[..at].ends_with(['`', '"', '“']);
                let (name, _) = text[at + 1..].split_once('}')?;
                (!quoted).then_some(name)
            })
        })
}

/// Whether the text contains two lower-case words in a row.
fn is_phrase(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let is_word = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    words.windows(2).any(|two| two.iter().all(|word| is_word(word)))
}

fn is_known(text: &str) -> bool {
    let head = text.split_once(": ").map_or(text, |(head, _)| head);
    let known = |text: &str| TERMS.iter().chain(LIBRARY_ERRORS).any(|word| word.en == text);
    known(text) || known(head)
}

/// Whether the page contains the text, unchanged or as JSON.
fn is_from_page(text: &str, page: &str) -> bool {
    let escaped = Value::from(text).to_string();
    page.contains(text.trim()) || page.contains(escaped.trim_matches('"'))
}

#[test]
fn a_phrase_without_its_chinese_is_reported() {
    let said = |wanted: &str| {
        serde_json::json!({ "problems": [{
            "code": "wrong_type", "args": { "case": "qoder_field", "field": "f", "wanted": wanted, "found": "string" }
        }] })
    };
    assert_eq!(untranslated(&said("a number of moons"), "").len(), 2);
    assert_eq!(untranslated(&said("a number of moons"), "a number of moons"), [""; 0]);
    assert_eq!(untranslated(&said("a number of seconds"), ""), [""; 0]);
}
