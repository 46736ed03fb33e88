//! Reads JSON that hooks return (`engine.md` §9): one document.
//!
//! The dialect decides about a key that occurs twice in one object. It is an error, or the last value is used and the
//! key is reported.

use std::fmt;

use hookwright_model::{Message, args};
use indexmap::IndexMap;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

hookwright_model::messages! {
    /// A definition given as JSON contains a key twice.
    KEY_TWICE = "duplicate_key" / "definition" { "duplicate key `{key}`", "重复的键 `{key}`" } hint { "keep one of the two", "只保留一个" };
}

/// A JSON object, with its keys in the order of the text.
pub type JsonObject = Map<String, Value>;

/// Why a text is not accepted as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotJson {
    /// The text is not JSON, or more text follows the document.
    Syntax,
    /// The text is JSON, but a [`Value`] cannot represent it. It contains a number beyond the range of a double, or
    /// half a surrogate pair, or it is nested deeper than [`MAX_DEPTH`].
    Unrepresentable,
    /// One object contains this key twice.
    DuplicateKey(String),
}

/// How many levels of lists and objects a document may have (`engine.md` §9).
pub const MAX_DEPTH: usize = 128;

/// Reads one JSON document. Only white space may surround it.
///
/// # Errors
/// The text is not such a document, a [`Value`] cannot represent it, or an object in it contains a key twice.
pub fn read(text: &str) -> Result<Value, NotJson> {
    let mut duplicates = Vec::new();
    let read = parse(text, &mut duplicates, DuplicateRule::Refused);
    match (duplicates.pop(), read) {
        (Some(key), _) => Err(NotJson::DuplicateKey(key)),
        (None, Ok(value)) => Ok(value),
        (None, Err(_)) => Err(classify_error(text)),
    }
}

/// Reads one JSON document like [`read`], but uses the last value of a key that occurs twice. Returns the document and
/// those keys.
///
/// # Errors
/// The text is not one JSON document, or a [`Value`] cannot represent it.
pub fn read_last_wins(text: &str) -> Result<(Value, Vec<String>), NotJson> {
    let mut duplicates = Vec::new();
    let read = parse(text, &mut duplicates, DuplicateRule::LastCounts);
    read.map(|value| (value, duplicates)).map_err(|_| classify_error(text))
}

/// Checks that no object of a definition contains a key twice: other parsers use one of the two and do not say so.
///
/// # Errors
/// An object contains a key twice. A text that is not JSON is accepted here, since its reader says what is wrong.
pub fn check_keys(definition: &str) -> Result<(), Message> {
    match read(definition) {
        Err(NotJson::DuplicateKey(key)) => Err(KEY_TWICE.render(args! { "key" => key })),
        Ok(_) | Err(NotJson::Syntax | NotJson::Unrepresentable) => Ok(()),
    }
}

/// Finds out why a text could not be read. [`IgnoredAny`] checks the grammar alone: no number range, no surrogate
/// pairs, no depth.
fn classify_error(text: &str) -> NotJson {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => NotJson::Unrepresentable,
        Err(_) => NotJson::Syntax,
    }
}

/// Reads the values of some keys of an object that a [`Value`] cannot represent as a whole. The last value of a
/// repeated key is used. A key whose own value cannot be represented is left out.
///
/// Returns `None` if the text is not an object.
#[must_use]
pub fn read_partial(text: &str, keys: &[&str]) -> Option<Map<String, Value>> {
    let wanted = raw_values(text)?
        .into_iter()
        .filter(|(key, _)| keys.contains(&key.as_str()));
    let read = wanted.filter_map(|(key, raw)| Some((key, read_last_wins(raw.get()).ok()?.0)));
    Some(read.collect())
}

/// Returns the value of a key of an object as it is written in the text.
#[must_use]
pub fn raw_value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    raw_values(text)?.get(key).map(|raw| raw.get())
}

fn raw_values(text: &str) -> Option<IndexMap<String, &RawValue>> {
    serde_json::from_str(text).ok()
}

fn parse(text: &str, duplicates: &mut Vec<String>, rule: DuplicateRule) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_str(text);
    // The limit of serde_json is one level below `MAX_DEPTH`. `StrictJson` counts the levels instead.
    reader.disable_recursion_limit();
    let depth = 0;
    let value = StrictJson {
        duplicates,
        rule,
        depth,
    }
    .deserialize(&mut reader)?;
    reader.end().map(|()| value)
}

/// What happens when an object contains a key a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DuplicateRule {
    Refused,
    LastCounts,
}

struct StrictJson<'a> {
    duplicates: &'a mut Vec<String>,
    rule: DuplicateRule,
    /// Number of lists and objects around this value.
    depth: usize,
}

impl StrictJson<'_> {
    /// Returns a reader for the values inside this list or object.
    ///
    /// # Errors
    /// The document is nested deeper than [`MAX_DEPTH`].
    fn nested<E: serde::de::Error>(&mut self) -> Result<StrictJson<'_>, E> {
        if self.depth == MAX_DEPTH {
            return Err(E::custom("nested too deeply"));
        }
        Ok(StrictJson {
            duplicates: &mut *self.duplicates,
            rule: self.rule,
            depth: self.depth + 1,
        })
    }

    /// Returns another reader for the same depth.
    fn same_level(&mut self) -> StrictJson<'_> {
        StrictJson {
            duplicates: &mut *self.duplicates,
            rule: self.rule,
            depth: self.depth,
        }
    }
}

impl<'de> DeserializeSeed<'de> for StrictJson<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StrictJson<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        let mut inner = self.nested()?;
        while let Some(item) = items.next_element_seed(inner.same_level())? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut pairs: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        let mut inner = self.nested()?;
        while let Some(key) = pairs.next_key::<String>()? {
            if object.contains_key(&key) {
                inner.duplicates.push(key.clone());
                if inner.rule == DuplicateRule::Refused {
                    return Err(A::Error::custom("a key twice"));
                }
            }
            let value = pairs.next_value_seed(inner.same_level())?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn one_document_is_read_with_its_key_order() {
        let value = read(" {\"b\": 1, \"a\": [true, null, 1.5, -2, \"\\u4e2d\"]} \n").unwrap();
        assert_eq!(value, json!({"b": 1, "a": [true, null, 1.5, -2, "中"]}));
        assert_eq!(value.to_string(), r#"{"b":1,"a":[true,null,1.5,-2,"中"]}"#);
    }

    #[test]
    fn what_is_not_one_strict_document_is_refused() {
        let deep = "[".repeat(200);
        for text in [
            "",
            "{",
            "{} {}",
            "{}x",
            "{a: 1}",
            "{'a': 1}",
            "{\"a\": 1,}",
            "// c\n{}",
            "NaN",
            deep.as_str(),
        ] {
            assert_eq!(read(text), Err(NotJson::Syntax), "{text}");
        }
        assert_eq!(read(r#"{"a": 1, "a": 2}"#), Err(NotJson::DuplicateKey("a".into())));
        assert_eq!(
            read(r#"{"x": [{"k": 1, "k": 1}]}"#),
            Err(NotJson::DuplicateKey("k".into()))
        );
    }

    #[test]
    fn unrepresentable_json_is_distinguished_from_other_text() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(read(&nested(MAX_DEPTH)).unwrap().to_string(), nested(MAX_DEPTH));
        let object = format!(r#"{{"a": {}}}"#, nested(MAX_DEPTH - 1));
        assert!(read(&object).is_ok());
        let deeper = [nested(MAX_DEPTH + 1), nested(1_000_000)];
        for text in [
            "1e400",
            "-1e999",
            r#""\ud83d""#,
            r#"{"\udc00": 1}"#,
            r#"[1, {"a": 1e400}]"#,
        ] {
            assert_eq!(read(text), Err(NotJson::Unrepresentable), "{text}");
            assert_eq!(read_last_wins(text), Err(NotJson::Unrepresentable), "{text}");
        }
        for text in deeper {
            assert_eq!(read(&text), Err(NotJson::Unrepresentable));
        }
        for text in ["1e400 x", r#"{"a": 1e400"#, r#"{"a": 1e400,}"#, r#""\uzzzz""#] {
            assert_eq!(read(text), Err(NotJson::Syntax), "{text}");
        }
        // An integer beyond 64 bits becomes a double.
        assert_eq!(
            read("[18446744073709551616, 1e-999]"),
            Ok(json!([18446744073709551616.0, 0.0]))
        );
    }

    #[test]
    fn some_keys_of_an_unrepresentable_object_can_be_read() {
        let text = r#" {"id": 1, "result": {"n": 1e400}, "x": "\ud83d", "id": 7} "#;
        let partial = read_partial(text, &["id", "result", "method"]).unwrap();
        assert_eq!(Value::Object(partial), json!({"id": 7}));
        assert_eq!(read_partial("[1e400]", &["id"]), None);
    }

    #[test]
    fn of_a_key_given_twice_the_last_value_may_count() {
        let (value, duplicates) = read_last_wins(r#"{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}"#).unwrap();
        assert_eq!(value, json!({"a": 3, "b": {"c": 2}}));
        assert_eq!(duplicates, ["c", "a"]);
        assert_eq!(read_last_wins("{} {}"), Err(NotJson::Syntax));
        assert_eq!(read_last_wins("[1]"), Ok((json!([1]), Vec::new())));
    }

    proptest! {
        #[test]
        fn whatever_serde_json_accepts_is_read_the_same(text in r#"[\[\]{}",:0-9a-c\-. truefalsn]{0,60}"#) {
            if let Ok(value) = read(&text) {
                prop_assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(value));
            }
        }
    }
}
