//! The table of setting keys, and the checks of their values.

use std::ops::Range;
use std::path::Path;

use hookwright_model::{Message, Problem, TextPosition, render, term};
use serde_json::{Map, Value as Json};
use toml_edit::{Document, Item, TableLike, Value};

use super::schema::dialect_settings;
use super::{BAD_PATTERN, BAD_VALUE, NOT_USED, OUT_OF_RANGE, UNKNOWN_KEY, UNKNOWN_WORD, WRONG_TYPE};
use crate::data_files::locked_file::position_at;

#[derive(Debug, Clone, Copy)]
pub struct SettingKey {
    pub section: &'static str,
    pub name: &'static str,
    pub kind: SettingType,
}

impl SettingKey {
    pub fn is(self, section: &str, name: &str) -> bool {
        self.section == section && self.name == name
    }

    fn full_name(self) -> String {
        format!("{}.{}", self.section, self.name)
    }
}

/// The type of a setting's value.
#[derive(Debug, Clone, Copy)]
pub enum SettingType {
    /// One of these strings.
    Word(&'static [&'static str]),
    /// A string. An empty one counts as missing.
    Text,
    Flag,
    /// A whole number from the first to the second, both included.
    Whole(i64, i64),
    /// A list of strings.
    Texts,
    /// A list of regular expressions.
    Patterns,
}

impl SettingType {
    const fn description(self) -> &'static str {
        match self {
            Self::Word(_) | Self::Text => term!("a string"),
            Self::Flag => term!("true or false"),
            Self::Whole(..) => term!("a whole number"),
            Self::Texts | Self::Patterns => term!("a list of strings"),
        }
    }
}

const fn key(section: &'static str, name: &'static str, kind: SettingType) -> SettingKey {
    SettingKey { section, name, kind }
}

/// The key of the project list, `[watch] projects`.
pub const PROJECTS: SettingKey = key("watch", "projects", SettingType::Texts);

/// Every known setting, in the order of the document of `settings.get`.
pub fn all_keys() -> impl Iterator<Item = SettingKey> {
    let of_dialects = dialect_settings().map(|(id, setting)| key(id, setting.name, SettingType::Word(setting.words)));
    KEYS.iter().copied().chain(of_dialects).chain(LAST_KEYS.iter().copied())
}

/// The keys before those of the dialects.
const KEYS: &[SettingKey] = &[
    key("model", "provider", SettingType::Word(&["openai", "anthropic"])),
    key("model", "base_url", SettingType::Text),
    key("model", "model", SettingType::Text),
    key("model", "api_key_env", SettingType::Text),
    key("model", "api_key", SettingType::Text),
    key("agents", "commands", SettingType::Word(&["ask", "allow"])),
    key("history", "max_days", SettingType::Whole(1, 36_500)),
    key("history", "max_mb", SettingType::Whole(1, 1 << 20)),
    key("history", "bodies_days", SettingType::Whole(0, 36_500)),
    key("redaction", "enabled", SettingType::Flag),
    key("redaction", "keys", SettingType::Texts),
    key("redaction", "patterns", SettingType::Patterns),
    PROJECTS,
    key("watch", "skills_roots", SettingType::Texts),
    key("watch", "settle_ms", SettingType::Whole(0, 60_000)),
];

/// The keys after those of the dialects: the order is that of the document of `settings.get`.
const LAST_KEYS: &[SettingKey] = &[
    key("ui", "language", SettingType::Word(&["system", "en", "zh-CN"])),
    key("ui", "theme", SettingType::Word(&["system", "dark", "light"])),
    key("notifications", "failed_open", SettingType::Flag),
    key("notifications", "over_budget", SettingType::Flag),
    key("notifications", "waits_for_approval", SettingType::Flag),
    key("otlp", "endpoint", SettingType::Text),
    key("otlp", "headers_env", SettingType::Text),
];

/// Whether a setting has no effect yet, because the part of Hookwright for collectors does not exist yet.
fn has_no_effect_yet(key: SettingKey) -> bool {
    key.section == "otlp"
}

/// The key with this dotted name (`ui.theme`).
pub fn find_key(name: &str) -> Option<SettingKey> {
    all_keys().find(|key| key.full_name() == name)
}

/// The dotted name of a key that is most similar to this name.
pub fn nearest_key(name: &str) -> String {
    nearest_name(name, all_keys().map(|key| key.full_name()))
}

/// The position of a key in the file.
pub fn key_position(document: &Document<&str>, text: &str, section: &str, name: &str) -> Option<TextPosition> {
    let table = document.get(section)?.as_table_like()?;
    table.key(name)?.span().map(|span| position_at(text, span.start))
}

/// The strings of a list as they are written. Elements of other types are left out.
pub fn written_texts(document: &Document<&str>, key: SettingKey) -> Vec<String> {
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

/// The valid values of a document, by section and key, and the problems of the others.
pub fn read(document: &Document<&str>, text: &str, path: &Path) -> (Map<String, Json>, Vec<Problem>) {
    let mut findings = Findings {
        text,
        path,
        problems: Vec::new(),
    };
    let mut values = Map::new();
    for (section, item) in document.iter() {
        let key_span = document.key(section).and_then(toml_edit::Key::span);
        let keys_of_section = || all_keys().filter(|key| key.section == section);
        if keys_of_section().next().is_none() {
            let nearest = nearest_name(section, all_keys().map(|key| key.section.to_owned()));
            let message = render!(UNKNOWN_KEY, "key" => section, "nearest" => format!("[{nearest}]"));
            findings.add(message, key_span);
            continue;
        }
        let Some(table) = item.as_table_like() else {
            let message = render!(
                WRONG_TYPE,
                "key" => format!("[{section}]"), "wanted" => term!("a table"), "got" => item.type_name()
            );
            findings.add(message, item.span().or(key_span));
            continue;
        };
        let read = findings.section(section, table);
        values.insert(section.to_owned(), Json::Object(read));
    }
    (values, findings.problems)
}

/// Checks a value and converts it to TOML. `None` means that the key is removed.
pub fn checked_value(key: SettingKey, value: &Json) -> Result<Option<Value>, Message> {
    let refused = |message: Message| {
        render!(
            BAD_VALUE,
            "why" => message.text, "why_message" => message.to_args(), "key" => key.full_name()
        )
    };
    let value = match value {
        Json::Null => return Ok(None),
        Json::Bool(flag) => Value::from(*flag),
        Json::String(text) => Value::from(text.as_str()),
        // JavaScript has no type for whole numbers, so a float without a fraction counts as one.
        Json::Number(number) => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() < 9e15 => Value::from(float as i64),
            Some(float) => Value::from(float),
            None => return Err(refused(wrong_type(key, term!("a number")))),
        },
        Json::Array(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(Json::as_str).collect();
            match texts {
                Some(texts) => Value::from(texts.into_iter().collect::<toml_edit::Array>()),
                None => return Err(refused(wrong_type(key, term!("a list of other values")))),
            }
        }
        Json::Object(_) => return Err(refused(wrong_type(key, term!("an object")))),
    };
    let (good, problems) = check(key, &value);
    if let Some((message, _)) = problems.into_iter().next() {
        return Err(refused(message));
    }
    Ok(good.map(|_| value))
}

struct Findings<'t> {
    text: &'t str,
    path: &'t Path,
    problems: Vec<Problem>,
}

impl Findings<'_> {
    fn add(&mut self, message: Message, span: Option<Range<usize>>) {
        let position = span.map(|span| position_at(self.text, span.start));
        self.problems.push(Problem::new(message, self.path, position));
    }

    fn section(&mut self, section: &str, table: &dyn TableLike) -> Map<String, Json> {
        let mut values = Map::new();
        for (name, item) in table.iter() {
            let key_span = table.key(name).and_then(toml_edit::Key::span);
            let Some(key) = all_keys().find(|key| key.is(section, name)) else {
                let siblings = all_keys()
                    .filter(|key| key.section == section)
                    .map(|key| key.name.to_owned());
                let nearest = nearest_name(name, siblings);
                let full = format!("{section}.{name}");
                self.add(render!(UNKNOWN_KEY, "key" => full, "nearest" => nearest), key_span);
                continue;
            };
            let Some(value) = item.as_value() else {
                self.add(wrong_type(key, type_name(item)), item.span().or(key_span));
                continue;
            };
            let (good, problems) = check(key, value);
            if good.is_some() && has_no_effect_yet(key) {
                self.add(render!(NOT_USED, "key" => key.full_name()), key_span.clone());
            }
            if let Some(good) = good {
                values.insert(name.to_owned(), good);
            }
            for (message, span) in problems {
                self.add(message, span.or_else(|| key_span.clone()));
            }
        }
        values
    }
}

type Finding = (Message, Option<Range<usize>>);

/// Returns the valid part of a value, and the problems of the rest.
fn check(key: SettingKey, value: &Value) -> (Option<Json>, Vec<Finding>) {
    let good = |json: Json| (Some(json), Vec::new());
    let bad = |message: Message| (None, vec![(message, value.span())]);
    match (key.kind, value) {
        (SettingType::Word(known), Value::String(text)) => {
            if known.contains(&text.value().as_str()) {
                good(text.value().as_str().into())
            } else {
                let got = text.value().as_str();
                bad(render!(UNKNOWN_WORD, "key" => key.full_name(), "got" => got, "known" => known.join(", ")))
            }
        }
        (SettingType::Text, Value::String(text)) => {
            if text.value().trim().is_empty() {
                (None, Vec::new())
            } else {
                good(text.value().as_str().into())
            }
        }
        (SettingType::Flag, Value::Boolean(flag)) => good((*flag.value()).into()),
        (SettingType::Whole(min, max), Value::Integer(number)) => {
            let got = *number.value();
            if (min..=max).contains(&got) {
                good(got.into())
            } else {
                bad(render!(OUT_OF_RANGE, "key" => key.full_name(), "min" => min, "max" => max, "got" => got))
            }
        }
        (SettingType::Texts | SettingType::Patterns, Value::Array(items)) => check_list(key, items),
        (
            SettingType::Word(_)
            | SettingType::Text
            | SettingType::Flag
            | SettingType::Whole(..)
            | SettingType::Texts
            | SettingType::Patterns,
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

/// Returns the valid elements of a list. An invalid element does not affect the others.
fn check_list(key: SettingKey, items: &toml_edit::Array) -> (Option<Json>, Vec<Finding>) {
    let (mut good, mut problems) = (Vec::new(), Vec::new());
    for item in items {
        let Some(text) = item.as_str() else {
            problems.push((
                wrong_type(key, &format!("a list with a {}", item.type_name())),
                item.span(),
            ));
            continue;
        };
        if matches!(key.kind, SettingType::Patterns)
            && let Err(error) = hookwright_redact::compile_pattern(text)
        {
            let why = error.to_string();
            // The library prints the pattern first. The reason is the last line.
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
            problems.push((
                render!(BAD_PATTERN, "key" => key.full_name(), "why" => why),
                item.span(),
            ));
            continue;
        }
        good.push(Json::from(text));
    }
    (Some(Json::Array(good)), problems)
}

fn wrong_type(key: SettingKey, got: &str) -> Message {
    render!(WRONG_TYPE, "key" => key.full_name(), "wanted" => key.kind.description(), "got" => got)
}

fn type_name(item: &Item) -> &'static str {
    item.type_name()
}

fn nearest_name(name: &str, known: impl Iterator<Item = String>) -> String {
    known
        .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)))
        .unwrap_or_default()
}
