//! A configuration file as a tree in which every key and every value has its position. So a problem in a definition can
//! name the character that is wrong. [`crate::yaml`] and [`crate::jsonc`] build it.

use std::ops::Range;
use std::sync::Arc;

use hookwright_model::definition::DefinitionFormat;
use hookwright_model::problem::TextPosition;
use hookwright_model::{Message, PathStep, term};
use serde_json::{Map, Number, Value};

/// One value and its position.
#[derive(Debug, Clone)]
pub struct Node {
    /// The value, by its kind.
    pub kind: ValueKind,
    /// Where it begins, for messages. A block string begins at its first line.
    pub position: TextPosition,
    /// Its bytes in the text. Empty for block mappings and lists, which have no brackets.
    pub span: Range<usize>,
    /// Its number of values with aliases written out, itself included.
    pub(crate) weight: u32,
}

/// The kind of a node, with its content.
#[derive(Debug, Clone)]
pub enum ValueKind {
    /// `null`, a boolean, a number or a string.
    Scalar {
        /// The value, by the core schema of YAML or by JSON.
        value: Value,
        /// The text as it is written, without quotes and escapes.
        text: String,
    },
    /// The items of a list.
    List(Vec<Arc<Node>>),
    /// The entries of a mapping.
    Mapping {
        /// Each key once, in file order. Keys that `<<` merged come last.
        entries: Vec<Entry>,
        /// Further entries of keys that occur again, in file order.
        duplicate_keys: Vec<Entry>,
    },
}

/// One key of a mapping with its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The text of the key. A key that is a mapping or list is spelled as in the file.
    pub key: String,
    /// Where the key begins.
    pub key_position: TextPosition,
    /// The value of the key.
    pub value: Arc<Node>,
}

/// The error of a text that cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntaxError {
    /// The message; its code is `syntax`.
    pub message: Message,
    /// Where the error is.
    pub position: TextPosition,
}

impl Node {
    /// A value that is in no file, as a tree. Everything in it is at line 1.
    #[must_use]
    pub fn from_value(value: &Value) -> Self {
        let position = TextPosition { line: 1, column: 1 };
        let kind = match value {
            Value::Array(items) => ValueKind::List(items.iter().map(|item| Arc::new(Self::from_value(item))).collect()),
            Value::Object(map) => {
                let entry = |(key, value): (&String, &Value)| Entry {
                    key: key.clone(),
                    key_position: position,
                    value: Arc::new(Self::from_value(value)),
                };
                ValueKind::Mapping {
                    entries: map.iter().map(entry).collect(),
                    duplicate_keys: Vec::new(),
                }
            }
            Value::String(text) => ValueKind::Scalar {
                value: value.clone(),
                text: text.clone(),
            },
            Value::Null | Value::Bool(_) | Value::Number(_) => ValueKind::Scalar {
                value: value.clone(),
                text: value.to_string(),
            },
        };
        let weight = match &kind {
            ValueKind::Scalar { .. } => 0,
            ValueKind::List(items) => items.iter().map(|item| item.weight).sum(),
            ValueKind::Mapping { entries, .. } => entries.iter().map(|entry| entry.value.weight).sum(),
        };
        Self {
            kind,
            position,
            span: 0..0,
            weight: weight + 1,
        }
    }

    /// The entries, if it is a mapping.
    #[must_use]
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.kind {
            ValueKind::Mapping { entries, .. } => Some(entries),
            ValueKind::Scalar { .. } | ValueKind::List(_) => None,
        }
    }

    /// The entries of duplicate keys, if it is a mapping.
    #[must_use]
    pub fn duplicate_keys(&self) -> &[Entry] {
        match &self.kind {
            ValueKind::Mapping { duplicate_keys, .. } => duplicate_keys,
            ValueKind::Scalar { .. } | ValueKind::List(_) => &[],
        }
    }

    /// The entries of duplicate keys, each with its number among the equal keys. The first of these has the number 0 and is
    /// in [`Node::entries`].
    pub fn numbered_duplicates(&self) -> impl Iterator<Item = (usize, &Entry)> {
        let all = self.duplicate_keys();
        let is_before =
            |index: usize, entry: &Entry| all[..index].iter().filter(|other| other.key == entry.key).count();
        all.iter()
            .enumerate()
            .map(move |(index, entry)| (1 + is_before(index, entry), entry))
    }

    /// The value as an integer, if it is a whole number. One that does not fit into 64 bits becomes the largest or the
    /// smallest.
    #[must_use]
    pub fn whole_number(&self) -> Option<i128> {
        let ValueKind::Scalar {
            value: Value::Number(number),
            text,
        } = &self.kind
        else {
            return None;
        };
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
        let beyond = if text.starts_with('-') {
            i128::from(i64::MIN)
        } else {
            i128::from(u64::MAX)
        };
        let number = number.as_i64().map(i128::from).or(number.as_u64().map(i128::from));
        number.or(is_whole.then_some(beyond))
    }

    /// The value for messages. A number that does not fit into 64 bits is returned as it is written.
    #[must_use]
    pub fn exact_number(&self) -> Value {
        match &self.kind {
            ValueKind::Scalar {
                value: Value::Number(number),
                text,
            } if !number.is_i64() && !number.is_u64() => text.as_str().into(),
            ValueKind::Scalar { value, .. } => value.clone(),
            ValueKind::List(_) | ValueKind::Mapping { .. } => Value::Null,
        }
    }

    /// The text, if it is a string.
    #[must_use]
    pub fn string(&self) -> Option<&str> {
        match &self.kind {
            ValueKind::Scalar {
                value: Value::String(text),
                ..
            } => Some(text),
            ValueKind::Scalar { .. } | ValueKind::List(_) | ValueKind::Mapping { .. } => None,
        }
    }

    /// Whether it is `null` or not written at all.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, ValueKind::Scalar { value: Value::Null, .. })
    }

    /// The name of its type in YAML.
    #[must_use]
    pub fn yaml_type(&self) -> &'static str {
        match &self.kind {
            ValueKind::List(_) => term!("list"),
            ValueKind::Mapping { .. } => term!("mapping"),
            ValueKind::Scalar { value, .. } => match value {
                Value::Null => term!("null"),
                Value::Bool(_) => term!("boolean"),
                Value::Number(_) => term!("number"),
                Value::String(_) | Value::Array(_) | Value::Object(_) => term!("string"),
            },
        }
    }

    /// The name of its type in JSON.
    #[must_use]
    pub fn json_type(&self) -> &'static str {
        match &self.kind {
            ValueKind::List(_) => term!("array"),
            ValueKind::Mapping { .. } => term!("object"),
            ValueKind::Scalar { .. } => self.yaml_type(),
        }
    }

    /// The name of its type in files of this format.
    #[must_use]
    pub fn type_in(&self, format: DefinitionFormat) -> &'static str {
        match format {
            DefinitionFormat::Json => self.json_type(),
            DefinitionFormat::Yaml | DefinitionFormat::FrontMatter => self.yaml_type(),
        }
    }

    /// The value of a key, if it is a mapping that has this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Arc<Self>> {
        let entry = self.entries()?.iter().find(|entry| entry.key == key)?;
        Some(&entry.value)
    }

    /// The value at a path below this one, if there is one.
    #[must_use]
    pub fn find<'n>(self: &'n Arc<Self>, path: &[PathStep]) -> Option<&'n Arc<Self>> {
        path.iter().try_fold(self, |node, step| match (step, &node.kind) {
            (PathStep::Key(name, 0), _) => node.get(name),
            (PathStep::Key(name, nth), _) => {
                let mut equal = node.duplicate_keys().iter().filter(|entry| entry.key == *name);
                equal.nth(nth - 1).map(|entry| &entry.value)
            }
            (PathStep::Item(index), ValueKind::List(items)) => items.get(*index),
            (PathStep::Item(_), ValueKind::Scalar { .. } | ValueKind::Mapping { .. }) => None,
        })
    }

    /// The value as JSON, with aliases written out. Of equal keys the first one is kept.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.json_with(&|value, _| value.clone())
    }

    /// Like [`Node::to_value`], with each number as it is written where JSON has such a number: those of a payload are
    /// handed on unchanged (`CONTRACTS.md` §2.5).
    #[must_use]
    pub fn to_payload(&self) -> Value {
        self.json_with(&|value, text| {
            // A negative zero would lose its sign if it was parsed.
            if value.is_number() && text.parse::<Number>().is_ok() {
                Number::from_string_unchecked(text.to_owned()).into()
            } else {
                value.clone()
            }
        })
    }

    fn json_with(&self, scalar: &impl Fn(&Value, &str) -> Value) -> Value {
        match &self.kind {
            ValueKind::Scalar { value, text } => scalar(value, text),
            ValueKind::List(items) => items.iter().map(|item| item.json_with(scalar)).collect(),
            ValueKind::Mapping { entries, .. } => {
                let pairs = entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.json_with(scalar)));
                Value::Object(Map::from_iter(pairs))
            }
        }
    }

    /// Calls `visit` for every duplicate key, in it and below it.
    pub fn for_each_duplicate_key<'a>(&'a self, visit: &mut dyn FnMut(&'a Entry)) {
        match &self.kind {
            ValueKind::Scalar { .. } => {}
            ValueKind::List(items) => items.iter().for_each(|item| item.for_each_duplicate_key(visit)),
            ValueKind::Mapping {
                entries,
                duplicate_keys,
            } => {
                duplicate_keys.iter().for_each(&mut *visit);
                entries
                    .iter()
                    .for_each(|entry| entry.value.for_each_duplicate_key(visit));
            }
        }
    }
}

/// Sorts all keys, so that a fingerprint does not change when lines change places.
#[must_use]
pub fn sort_keys(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            Value::Object(
                keys.into_iter()
                    .map(|key| (key.clone(), sort_keys(&map[key])))
                    .collect::<Map<_, _>>(),
            )
        }
        Value::Array(items) => items.iter().map(sort_keys).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
