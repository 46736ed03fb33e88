//! What a page's sentences look like in Chinese: whatever fills them is a text of somebody's file, a word of ours in both
//! languages, or no phrase at all.

use hookwright_app::bindings::all_messages;
use hookwright_model::MessageTemplate;
use hookwright_model::glossary::{LIBRARY_ERRORS, TERMS};
use serde_json::{Map, Value};

/// What a program of theirs raised, in the words of its language.
const RAISED: &str = "error";

/// Sentences of these documents that would speak English in the middle of Chinese, or wholly. `page` is where people's
/// own texts stand.
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

/// The code and arguments of an object that says something.
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

/// The placeholders of the Chinese that stand free: between back ticks or quotes stands what people wrote.
fn placeholders(template: &MessageTemplate) -> impl Iterator<Item = &'static str> {
    // An agent's own sentence is told as the agent says it.
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

/// Two lower-case words or more, one behind the other.
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

/// Whether it stands in the page, as it is or as JSON.
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
