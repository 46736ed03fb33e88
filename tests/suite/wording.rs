//! The style of every text that a user reads in the engine's messages, in the tables of the dialects and in `--help`:
//! words and forms that must not appear (`tests/fixtures/wording.json`), the length of a message, and how a hint
//! begins.
//!
//! A pattern applies to the text between code spans, placeholders and quotes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use fancy_regex::Regex;
use hookwright_app::bindings::all_messages;
use hookwright_model::event::Bilingual;
use hookwright_model::glossary::TERMS;
use hookwright_model::{Card, MessageTemplate};
use hookwright_testkit::program::{hookwright, workspace};
use serde_json::Value;

/// A message or hint has at most this many characters.
const MAX_CHARS: usize = 110;

/// The character that replaces code, placeholders and quoted text.
const NEUTRAL: &str = "§";

/// The kind of a text decides which rules apply to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The text of a message.
    Message,
    /// The hint of a message.
    Hint,
    /// A text of a table, or of `--help`.
    Label,
}

/// One text in both languages; `zh` is empty where a text exists in English only.
struct Text {
    name: String,
    kind: Kind,
    en: String,
    zh: String,
}

impl Text {
    fn new(name: impl Into<String>, kind: Kind, en: &str, zh: &str) -> Self {
        Self {
            name: name.into(),
            kind,
            en: en.to_owned(),
            zh: zh.to_owned(),
        }
    }
}

/// A pattern that a text must not match.
struct Pattern {
    id: String,
    regex: Regex,
    write: String,
}

/// The rules of `tests/fixtures/wording.json`.
struct Rules {
    english: Vec<Pattern>,
    chinese: Vec<Pattern>,
    hint_begins: Regex,
    exempt: BTreeMap<String, String>,
    code: Regex,
    han: Regex,
}

impl Rules {
    fn read() -> Self {
        let path = workspace().join("tests/fixtures/wording.json");
        let document: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let patterns = |list: &str, flags: &str| {
            let rows = document[list].as_array().unwrap().iter();
            rows.map(|row| Pattern {
                id: row["id"].as_str().unwrap().to_owned(),
                regex: Regex::new(&format!("{flags}{}", row["pattern"].as_str().unwrap())).unwrap(),
                write: row["write"].as_str().unwrap().to_owned(),
            })
            .collect()
        };
        let reasons = document["exempt"].as_object().unwrap().iter();
        Self {
            english: patterns("english", "(?i)"),
            chinese: patterns("chinese", ""),
            hint_begins: Regex::new(document["hint_begins"].as_str().unwrap()).unwrap(),
            exempt: reasons
                .map(|(key, reason)| (key.clone(), reason.as_str().unwrap().to_owned()))
                .collect(),
            code: Regex::new(r#"`[^`]*`|\{\{[^}]*\}\}|\{[^}]*\}|"[^"]*""#).unwrap(),
            han: Regex::new("[一-鿿]").unwrap(),
        }
    }

    /// Lists what is wrong with a text.
    fn findings(&self, text: &Text) -> Vec<String> {
        let mut out = Vec::new();
        let mut report = |language: &str, what: &str| out.push(format!("{}: {what}: {language}", text.name));
        // A text without Chinese characters is a message of the agent, which is shown unchanged.
        let zh = if self.han.is_match(&text.zh).unwrap() {
            &text.zh
        } else {
            ""
        };
        for (patterns, language) in [(&self.english, text.en.as_str()), (&self.chinese, zh)] {
            let neutral = self.code.replace_all(language, NEUTRAL);
            for pattern in patterns {
                if pattern.regex.is_match(&*neutral).unwrap() {
                    report(language, &format!("{}, write {}", pattern.id, pattern.write));
                }
            }
        }
        if text.kind == Kind::Label {
            return out;
        }
        if text.en.chars().count() > MAX_CHARS {
            report(&text.en, "more than 110 characters");
        }
        for language in [&text.en, &text.zh] {
            if language.ends_with(['.', '。']) {
                report(language, "a full stop at the end");
            }
        }
        if text.kind == Kind::Hint && !self.hint_begins.is_match(&text.en).unwrap() {
            report(&text.en, "a hint begins with a verb");
        }
        if text.kind == Kind::Hint && text.zh.starts_with('请') {
            report(&text.zh, "a hint begins with a verb");
        }
        out
    }
}

/// The templates that a library lists.
fn template_texts(templates: &[&MessageTemplate]) -> Vec<Text> {
    let pairs = templates.iter().flat_map(|template| {
        let key = template.key();
        [
            Text::new(&key, Kind::Message, template.en, template.zh),
            Text::new(format!("{key} (hint)"), Kind::Hint, template.hint_en, template.hint_zh),
        ]
    });
    // A text that is only a placeholder is the text of another message.
    pairs
        .filter(|text| !text.en.is_empty() && !is_placeholder(&text.en))
        .collect()
}

fn is_placeholder(text: &str) -> bool {
    text.starts_with('{') && text.find('}') == Some(text.len() - 1)
}

/// The templates in the sources below `folder`, for programs and crates that no library lists.
fn source_texts(folder: &str) -> Vec<Text> {
    let string = r#""((?:[^"\\]|\\.)*)""#;
    let template = Regex::new(&format!(
        r"= {string}(?: / {string})? \{{ {string}, {string} \}}(?: hint \{{ {string}, {string} \}})?;"
    ))
    .unwrap();
    let mut out = Vec::new();
    for path in rust_files(&workspace().join(folder)) {
        let source = std::fs::read_to_string(&path).unwrap();
        for found in template.captures_iter(&source) {
            let found = found.unwrap();
            let group = |index: usize| {
                found
                    .get(index)
                    .map_or("", |group| group.as_str())
                    .replace("\\\"", "\"")
            };
            let key = group(1);
            out.push(Text::new(&key, Kind::Message, &group(3), &group(4)));
            if found.get(5).is_some() {
                out.push(Text::new(format!("{key} (hint)"), Kind::Hint, &group(5), &group(6)));
            }
        }
    }
    out
}

fn rust_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
    out
}

/// The texts of a dialect's tables and of its lifecycle map.
fn card_texts(card: &Card) -> Vec<Text> {
    let mut out = vec![(card.id.to_owned(), card.about)];
    let field = |field: &hookwright_model::FieldSpec| (format!("{}.{}", card.id, field.name), field.about);
    out.extend(card.common.iter().map(field));
    for event in card.events {
        let name = format!("{}.{}", card.id, event.name);
        out.push((name.clone(), event.group));
        out.push((name.clone(), event.about));
        out.push((name.clone(), event.chain.order.rule()));
        out.extend(event.fields.iter().map(field));
        out.extend(
            event
                .outputs
                .iter()
                .map(|output| (format!("{name}.{}", output.name), output.about)),
        );
    }
    let map = card.lifecycle_map;
    let on_map = map
        .frames
        .iter()
        .map(|frame| frame.title)
        .chain(map.actions.iter().map(|action| action.title))
        .chain(map.edges.iter().filter_map(|edge| edge.label).map(|label| label.text));
    out.extend(on_map.map(|text| (format!("{} on the map", card.id), text)));
    out.into_iter()
        .map(|(name, Bilingual { en, zh })| Text::new(name, Kind::Label, en, zh))
        .collect()
}

/// The help of the program and of each of its commands.
fn help_texts() -> Vec<Text> {
    let help = |arguments: &[&str]| {
        let output = Command::new(hookwright()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let main = help(&["--help"]);
    let commands: Vec<&str> = main
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() > 15, "{commands:?}");
    let pages = commands
        .iter()
        .map(|command| (format!("{command} --help"), help(&[command, "--help"])))
        .collect::<Vec<_>>();
    std::iter::once(("--help".to_owned(), main.clone()))
        .chain(pages)
        .flat_map(|(name, page)| {
            let lines: Vec<String> = page.lines().map(str::to_owned).collect();
            lines
                .into_iter()
                .map(move |line| Text::new(&name, Kind::Label, line.trim(), ""))
        })
        .collect()
}

fn assert_clean(texts: &[Text]) {
    let rules = Rules::read();
    let key = |text: &Text| text.name.trim_end_matches(" (hint)").to_owned();
    let findings: BTreeSet<String> = texts
        .iter()
        .filter(|text| !rules.exempt.contains_key(&key(text)))
        .flat_map(|text| rules.findings(text))
        .collect();
    assert!(
        findings.is_empty(),
        "{} findings:\n{}",
        findings.len(),
        findings.into_iter().collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn messages_and_hints_follow_the_style() {
    let mut texts = template_texts(&all_messages());
    texts.extend(source_texts("crates/cli/src"));
    texts.extend(source_texts("crates/serve/src"));
    assert_clean(&texts);
}

#[test]
fn terms_and_tables_follow_the_style() {
    let mut texts: Vec<Text> = TERMS
        .iter()
        .map(|term| Text::new("term", Kind::Label, term.en, term.zh))
        .collect();
    for dialect in hookwright_dialects::all() {
        texts.extend(card_texts(dialect.card()));
    }
    assert_clean(&texts);
}

#[test]
fn help_follows_the_style() {
    assert_clean(&help_texts());
}

#[test]
fn exempt_messages_exist() {
    let keys: BTreeSet<String> = all_messages().iter().map(|template| template.key()).collect();
    let unknown: Vec<String> = Rules::read()
        .exempt
        .into_keys()
        .filter(|key| !keys.contains(key))
        .collect();
    assert_eq!(unknown, [""; 0]);
}

#[test]
fn a_forbidden_word_and_form_is_reported() {
    let rules = Rules::read();
    let count = |kind, en: &str, zh: &str| rules.findings(&Text::new("name", kind, en, zh)).len();
    assert_eq!(count(Kind::Message, "`x` is no y", ""), 1);
    assert_eq!(count(Kind::Message, "a `thing that stands beside`", ""), 0);
    assert_eq!(count(Kind::Message, "{text} is invalid.", ""), 1);
    assert_eq!(count(Kind::Hint, "the value is YAML", ""), 1);
    assert_eq!(count(Kind::Label, "the value is YAML", ""), 0);
    assert_eq!(count(Kind::Message, "the hook ran", "钩子运行了"), 2);
    assert_eq!(count(Kind::Message, &"long ".repeat(30), ""), 1);
    assert_eq!(count(Kind::Hint, "write it", "请写上"), 1);
}
