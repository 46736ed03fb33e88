//! The table of keys: what there is, of which kind, and what is wrong with a value.

use std::ops::Range;
use std::path::Path;

use hookwright_model::{Message, Problem, TextPosition, args, term};
use serde_json::{Map, Value as Json};
use toml_edit::{Document, Item, TableLike, Value};

use super::{BAD_PATTERN, BAD_VALUE, NOT_USED, OUT_OF_RANGE, UNKNOWN_KEY, UNKNOWN_WORD, WRONG_TYPE};
use crate::owned::spot_at;

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    pub section: &'static str,
    pub name: &'static str,
    pub kind: Kind,
}

impl Key {
    /// Whether it is this one.
    pub fn is(self, section: &str, name: &str) -> bool {
        self.section == section && self.name == name
    }

    fn full(self) -> String {
        format!("{}.{}", self.section, self.name)
    }
}

/// What a setting holds.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// One of these words.
    Word(&'static [&'static str]),
    /// A text; an empty one counts as absent.
    Text,
    /// True or false.
    Flag,
    /// A whole number in this range, both ends included.
    Whole(i64, i64),
    /// A list of texts.
    Texts,
    /// A list of regular expressions.
    Patterns,
}

impl Kind {
    const fn wanted(self) -> &'static str {
        match self {
            Self::Word(_) | Self::Text => term!("a string"),
            Self::Flag => term!("true or false"),
            Self::Whole(..) => term!("a whole number"),
            Self::Texts | Self::Patterns => term!("a list of strings"),
        }
    }
}

const fn key(section: &'static str, name: &'static str, kind: Kind) -> Key {
    Key { section, name, kind }
}

/// `[watch] projects`
pub const PROJECTS: Key = key("watch", "projects", Kind::Texts);

/// Every setting there is.
pub const KEYS: &[Key] = &[
    key("model", "provider", Kind::Word(&["openai", "anthropic"])),
    key("model", "base_url", Kind::Text),
    key("model", "model", Kind::Text),
    key("model", "api_key_env", Kind::Text),
    key("model", "api_key", Kind::Text),
    key("agents", "commands", Kind::Word(&["ask", "allow"])),
    key("history", "max_days", Kind::Whole(1, 36_500)),
    key("history", "max_mb", Kind::Whole(1, 1 << 20)),
    key("history", "bodies_days", Kind::Whole(0, 36_500)),
    key("redaction", "enabled", Kind::Flag),
    key("redaction", "keys", Kind::Texts),
    key("redaction", "patterns", Kind::Patterns),
    PROJECTS,
    key("watch", "skills_roots", Kind::Texts),
    key("watch", "settle_ms", Kind::Whole(0, 60_000)),
    key(
        "picoclaw",
        "event_method",
        Kind::Word(&["hook.event", "hook.runtime_event", "both"]),
    ),
    key("ui", "language", Kind::Word(&["system", "en", "zh-CN"])),
    key("ui", "theme", Kind::Word(&["system", "dark", "light"])),
    key("otlp", "endpoint", Kind::Text),
    key("otlp", "headers_env", Kind::Text),
];

/// Whether this is meant for a part of Hookwright that is still to come: agents that connect, and collectors.
fn waits(key: Key, value: &Json) -> bool {
    key.section == "otlp" || (key.is("agents", "commands") && value == "allow")
}

/// The key of that dotted name.
pub fn find(name: &str) -> Option<Key> {
    KEYS.iter().copied().find(|key| key.full() == name)
}

/// The dotted name that is most like this one.
pub fn nearest(name: &str) -> String {
    most_like(name, KEYS.iter().map(|key| key.full()))
}

/// Where a key stands.
pub fn spot(document: &Document<&str>, text: &str, section: &str, name: &str) -> Option<TextPosition> {
    let table = document.get(section)?.as_table_like()?;
    table.key(name)?.span().map(|span| spot_at(text, span.start))
}

/// The texts of a list as they are written, those of another kind left out.
pub fn texts(document: &Document<&str>, key: Key) -> Vec<String> {
    let item = document
        .get(key.section)
        .and_then(|section| section.as_table_like()?.get(key.name));
    let list = item.and_then(Item::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// What a document says, key by key, without what is wrong with it.
pub fn read(document: &Document<&str>, text: &str, path: &Path) -> (Map<String, Json>, Vec<Problem>) {
    let mut found = Findings {
        text,
        path,
        problems: Vec::new(),
    };
    let mut values = Map::new();
    for (section, item) in document.iter() {
        let key_span = document.key(section).and_then(toml_edit::Key::span);
        let mine = || KEYS.iter().copied().filter(|key| key.section == section);
        if mine().next().is_none() {
            let nearest = most_like(section, KEYS.iter().map(|key| key.section.to_owned()));
            let words = UNKNOWN_KEY.render(args! { "key" => section, "nearest" => format!("[{nearest}]") });
            found.add(words, key_span);
            continue;
        }
        let Some(table) = item.as_table_like() else {
            let words = WRONG_TYPE.render(
                args! { "key" => format!("[{section}]"), "wanted" => term!("a table"), "got" => item.type_name() },
            );
            found.add(words, item.span().or(key_span));
            continue;
        };
        let read = found.section(section, table);
        values.insert(section.to_owned(), Json::Object(read));
    }
    (values, found.problems)
}

/// A value to write, checked and as TOML; `None` takes the key out.
pub fn wanted(key: Key, value: &Json) -> Result<Option<Value>, Message> {
    let refused = |words: Message| {
        BAD_VALUE.render(args! { "why" => words.text, "why_message" => words.to_args(), "key" => key.full() })
    };
    let value = match value {
        Json::Null => return Ok(None),
        Json::Bool(flag) => Value::from(*flag),
        Json::String(text) => Value::from(text.as_str()),
        // JavaScript has no whole numbers of their own.
        Json::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => Value::from(float as i64),
            Some(float) => Value::from(float),
            None => return Err(refused(wrong_type(key, term!("a number")))),
        },
        Json::Array(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(Json::as_str).collect();
            match texts {
                Some(texts) => Value::from(texts.into_iter().collect::<toml_edit::Array>()),
                None => return Err(refused(wrong_type(key, term!("a list of other things")))),
            }
        }
        Json::Object(_) => return Err(refused(wrong_type(key, term!("an object")))),
    };
    let (good, problems) = check(key, &value);
    if let Some((words, _)) = problems.into_iter().next() {
        return Err(refused(words));
    }
    Ok(good.map(|_| value))
}

struct Findings<'t> {
    text: &'t str,
    path: &'t Path,
    problems: Vec<Problem>,
}

impl Findings<'_> {
    fn add(&mut self, words: Message, span: Option<Range<usize>>) {
        let spot = span.map(|span| spot_at(self.text, span.start));
        self.problems.push(Problem::new(words, self.path, spot));
    }

    fn section(&mut self, section: &str, table: &dyn TableLike) -> Map<String, Json> {
        let mut values = Map::new();
        for (name, item) in table.iter() {
            let key_span = table.key(name).and_then(toml_edit::Key::span);
            let Some(key) = KEYS.iter().copied().find(|key| key.is(section, name)) else {
                let siblings = KEYS
                    .iter()
                    .filter(|key| key.section == section)
                    .map(|key| key.name.to_owned());
                let nearest = most_like(name, siblings);
                let full = format!("{section}.{name}");
                self.add(
                    UNKNOWN_KEY.render(args! { "key" => full, "nearest" => nearest }),
                    key_span,
                );
                continue;
            };
            let Some(value) = item.as_value() else {
                self.add(wrong_type(key, type_name(item)), item.span().or(key_span));
                continue;
            };
            let (good, problems) = check(key, value);
            if good.as_ref().is_some_and(|value| waits(key, value)) {
                self.add(NOT_USED.render(args! { "key" => key.full() }), key_span.clone());
            }
            if let Some(good) = good {
                values.insert(name.to_owned(), good);
            }
            for (words, span) in problems {
                self.add(words, span.or_else(|| key_span.clone()));
            }
        }
        values
    }
}

type Finding = (Message, Option<Range<usize>>);

/// What of a value is good, and what is wrong with the rest.
fn check(key: Key, value: &Value) -> (Option<Json>, Vec<Finding>) {
    let good = |json: Json| (Some(json), Vec::new());
    let bad = |words: Message| (None, vec![(words, value.span())]);
    match (key.kind, value) {
        (Kind::Word(known), Value::String(text)) => {
            if known.contains(&text.value().as_str()) {
                good(text.value().as_str().into())
            } else {
                let got = text.value().as_str();
                bad(UNKNOWN_WORD.render(args! { "key" => key.full(), "got" => got, "known" => known.join(", ") }))
            }
        }
        (Kind::Text, Value::String(text)) => {
            if text.value().trim().is_empty() {
                (None, Vec::new())
            } else {
                good(text.value().as_str().into())
            }
        }
        (Kind::Flag, Value::Boolean(flag)) => good((*flag.value()).into()),
        (Kind::Whole(min, max), Value::Integer(number)) => {
            let got = *number.value();
            if (min..=max).contains(&got) {
                good(got.into())
            } else {
                bad(OUT_OF_RANGE.render(args! { "key" => key.full(), "min" => min, "max" => max, "got" => got }))
            }
        }
        (Kind::Texts | Kind::Patterns, Value::Array(items)) => check_list(key, items),
        (
            Kind::Word(_) | Kind::Text | Kind::Flag | Kind::Whole(..) | Kind::Texts | Kind::Patterns,
            Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_)
            | Value::Array(_)
            | Value::InlineTable(_),
        ) => bad(wrong_type(key, value.type_name())),
    }
}

/// The good items of a list; one bad item does not cost the others.
fn check_list(key: Key, items: &toml_edit::Array) -> (Option<Json>, Vec<Finding>) {
    let (mut good, mut problems) = (Vec::new(), Vec::new());
    for item in items {
        let Some(text) = item.as_str() else {
            problems.push((
                wrong_type(key, &format!("a list with a {}", item.type_name())),
                item.span(),
            ));
            continue;
        };
        if matches!(key.kind, Kind::Patterns)
            && let Err(error) = crate::redact::pattern(text)
        {
            let why = error.to_string();
            // The library draws the pattern above its last line; that line is the reason.
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
            problems.push((
                BAD_PATTERN.render(args! { "key" => key.full(), "why" => why }),
                item.span(),
            ));
            continue;
        }
        good.push(Json::from(text));
    }
    (Some(Json::Array(good)), problems)
}

fn wrong_type(key: Key, got: &str) -> Message {
    WRONG_TYPE.render(args! { "key" => key.full(), "wanted" => key.kind.wanted(), "got" => got })
}

fn type_name(item: &Item) -> &'static str {
    item.type_name()
}

fn most_like(name: &str, known: impl Iterator<Item = String>) -> String {
    known
        .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)))
        .unwrap_or_default()
}
