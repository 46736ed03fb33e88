//! JSON of hooks' answers (`engine.md` §9): one document. A key twice in one object is refused, or its last value counts
//! and that is told; the dialect decides.

use std::fmt;

use indexmap::IndexMap;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

/// A JSON object.
pub type JsonObject = Map<String, Value>;

/// Why a text is not the JSON that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotJson {
    /// No JSON, or more behind it.
    Syntax,
    /// It is JSON, and yet nothing that can be held: a number beyond every double, half a surrogate pair, or nested
    /// deeper than [`MAX_DEPTH`].
    Unrepresentable,
    /// This key stands twice in one object.
    DuplicateKey(String),
}

/// How deep a document may be nested.
pub const MAX_DEPTH: usize = 128;

/// Reads one JSON document with blanks around it at most.
///
/// # Errors
/// It is none, or an object in it has a key twice.
pub fn read(text: &str) -> Result<Value, NotJson> {
    let mut duplicates = Vec::new();
    let read = parse(text, &mut duplicates, DuplicateRule::Refused);
    match (duplicates.pop(), read) {
        (Some(key), _) => Err(NotJson::DuplicateKey(key)),
        (None, Ok(value)) => Ok(value),
        (None, Err(_)) => Err(classify_error(text)),
    }
}

/// The same, where of a key given twice the last value counts: the document, and those keys.
///
/// # Errors
/// It is no JSON document.
pub fn read_last_wins(text: &str) -> Result<(Value, Vec<String>), NotJson> {
    let mut duplicates = Vec::new();
    let read = parse(text, &mut duplicates, DuplicateRule::LastCounts);
    read.map(|value| (value, duplicates)).map_err(|_| classify_error(text))
}

/// Why a text could not be read: by its grammar alone, which asks for no number's size, no character and no depth.
fn classify_error(text: &str) -> NotJson {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => NotJson::Unrepresentable,
        Err(_) => NotJson::Syntax,
    }
}

/// What some keys of an object hold, where the object as a whole cannot be held; of a key given twice the last value.
/// Nothing when it is no object, and for a key whose own value cannot be held.
#[must_use]
pub fn read_partial(text: &str, keys: &[&str]) -> Option<Map<String, Value>> {
    let wanted = raw_values(text)?
        .into_iter()
        .filter(|(key, _)| keys.contains(&key.as_str()));
    let read = wanted.filter_map(|(key, raw)| Some((key, read_last_wins(raw.get()).ok()?.0)));
    Some(read.collect())
}

/// What a key of an object holds, as it is written.
#[must_use]
pub fn raw_value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    raw_values(text)?.get(key).map(|raw| raw.get())
}

fn raw_values(text: &str) -> Option<IndexMap<String, &RawValue>> {
    serde_json::from_str(text).ok()
}

fn parse(text: &str, duplicates: &mut Vec<String>, rule: DuplicateRule) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_str(text);
    // Its own limit is one short of ours; ours is counted below.
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

/// What a key means that stands a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DuplicateRule {
    Refused,
    LastCounts,
}

struct StrictJson<'a> {
    duplicates: &'a mut Vec<String>,
    rule: DuplicateRule,
    /// Lists and objects around it.
    depth: usize,
}

impl StrictJson<'_> {
    /// One for what stands inside.
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

    /// Another one for the same depth.
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
        // What is beyond 64 bits and still a double becomes one.
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
