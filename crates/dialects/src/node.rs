//! What a configuration file says, as a tree in which every key and every value knows its place, so that whoever reads
//! a definition out of it can point at the character that is wrong. [`crate::yaml`] and [`crate::jsonc`] make it.

use std::ops::Range;
use std::sync::Arc;

use hookwright_model::problem::TextPosition;
use hookwright_model::{Message, term};
use serde_json::{Map, Value};

/// One value and where it stands.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it is.
    pub kind: ValueKind,
    /// Where it begins, for people. A block text begins at its first line.
    pub position: TextPosition,
    /// Its bytes in the text. Empty for block mappings and lists, which have no sign of their own.
    pub span: Range<usize>,
    /// How many values it is with aliases written out.
    pub(crate) weight: u32,
}

/// What a node is.
#[derive(Debug, Clone)]
pub enum ValueKind {
    /// `null`, a boolean, a number or a string.
    Scalar {
        /// Read by the core schema.
        value: Value,
        /// As it is written, without quotes and escapes.
        text: String,
    },
    /// A list.
    List(Vec<Arc<Node>>),
    /// A mapping.
    Mapping {
        /// Each key once, in file order; keys that `<<` brought come last.
        entries: Vec<Entry>,
        /// Keys that were given again, in file order.
        duplicate_keys: Vec<Entry>,
    },
}

/// One key of a mapping with its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key's text. A key that is a mapping or list is spelled as in the file.
    pub key: String,
    /// Where the key stands.
    pub key_position: TextPosition,
    /// The value.
    pub value: Arc<Node>,
}

/// The entries of a mapping, read field by field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldReader<'a> {
    pub(crate) entries: &'a [Entry],
}

impl<'a> FieldReader<'a> {
    /// The value of a field; `null` counts as absent.
    pub(crate) fn get(self, name: &str) -> Option<&'a Node> {
        let entry = self.entries.iter().find(|entry| entry.key == name)?;
        (!entry.value.is_null()).then_some(&*entry.value)
    }

    /// Where the key of a field is.
    pub(crate) fn key_position(self, name: &str) -> Option<TextPosition> {
        let entry = self.entries.iter().find(|entry| entry.key == name)?;
        Some(entry.key_position)
    }
}

/// What is wrong with a text that cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntaxError {
    /// The sentence; its code is `syntax`.
    pub message: Message,
    /// Where.
    pub position: TextPosition,
}

impl Node {
    /// The entries, when it is a mapping.
    #[must_use]
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.kind {
            ValueKind::Mapping { entries, .. } => Some(entries),
            ValueKind::Scalar { .. } | ValueKind::List(_) => None,
        }
    }

    /// The keys that were given again, when it is a mapping.
    #[must_use]
    pub fn duplicate_keys(&self) -> &[Entry] {
        match &self.kind {
            ValueKind::Mapping { duplicate_keys, .. } => duplicate_keys,
            ValueKind::Scalar { .. } | ValueKind::List(_) => &[],
        }
    }

    /// A whole number; one that does not fit into 64 bits is simply very large, or very small.
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

    /// A number for sentences: one that does not fit into 64 bits as it is written.
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

    /// Whether it is `null` or nothing at all.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, ValueKind::Scalar { value: Value::Null, .. })
    }

    /// What it is, in the words of YAML.
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

    /// What it is, in the words of JSON.
    #[must_use]
    pub fn json_type(&self) -> &'static str {
        match &self.kind {
            ValueKind::List(_) => term!("array"),
            ValueKind::Mapping { .. } => term!("object"),
            ValueKind::Scalar { .. } => self.yaml_type(),
        }
    }

    /// Its value for a key, when it is a mapping that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Arc<Self>> {
        let entry = self.entries()?.iter().find(|entry| entry.key == key)?;
        Some(&entry.value)
    }

    /// As JSON, aliases written out. Of keys given twice the first is kept.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.kind {
            ValueKind::Scalar { value, .. } => value.clone(),
            ValueKind::List(items) => items.iter().map(|item| item.to_value()).collect(),
            ValueKind::Mapping { entries, .. } => {
                let pairs = entries.iter().map(|entry| (entry.key.clone(), entry.value.to_value()));
                Value::Object(Map::from_iter(pairs))
            }
        }
    }

    /// Every key that was given again, in it and below it.
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

/// Keys in order, so that a fingerprint does not change when lines change places.
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
