//! JSON of hooks' answers (`engine.md` §9): one document. A key twice in one object is refused, or its last value counts
//! and that is told; the dialect decides.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Why a text is not the JSON that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotJson {
    /// No JSON, or more behind it, or nested too deeply.
    Syntax,
    /// This key stands twice in one object.
    Twice(String),
}

/// Reads one JSON document with blanks around it at most.
///
/// # Errors
/// It is none, or an object in it has a key twice.
pub fn read(text: &str) -> Result<Value, NotJson> {
    let mut twice = Vec::new();
    let read = parse(text, &mut twice, Again::Refused);
    match (twice.pop(), read) {
        (Some(key), _) => Err(NotJson::Twice(key)),
        (None, Ok(value)) => Ok(value),
        (None, Err(_)) => Err(NotJson::Syntax),
    }
}

/// The same, where of a key given twice the last value counts: the document, and those keys.
///
/// # Errors
/// It is no JSON document.
pub fn read_last(text: &str) -> Result<(Value, Vec<String>), NotJson> {
    let mut twice = Vec::new();
    let read = parse(text, &mut twice, Again::LastCounts);
    read.map(|value| (value, twice)).map_err(|_| NotJson::Syntax)
}

fn parse(text: &str, twice: &mut Vec<String>, again: Again) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Reader { twice, again }.deserialize(&mut reader)?;
    reader.end().map(|()| value)
}

/// What a key means that stands a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Again {
    Refused,
    LastCounts,
}

struct Reader<'a> {
    twice: &'a mut Vec<String>,
    again: Again,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
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

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Reader {
            twice: &mut *self.twice,
            again: self.again,
        })? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = pairs.next_key::<String>()? {
            if object.contains_key(&key) {
                self.twice.push(key.clone());
                if self.again == Again::Refused {
                    return Err(A::Error::custom("a key twice"));
                }
            }
            let value = pairs.next_value_seed(Reader {
                twice: &mut *self.twice,
                again: self.again,
            })?;
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
            "1e999",
            "NaN",
            deep.as_str(),
        ] {
            assert_eq!(read(text), Err(NotJson::Syntax), "{text}");
        }
        assert_eq!(read(r#"{"a": 1, "a": 2}"#), Err(NotJson::Twice("a".into())));
        assert_eq!(read(r#"{"x": [{"k": 1, "k": 1}]}"#), Err(NotJson::Twice("k".into())));
    }

    #[test]
    fn of_a_key_given_twice_the_last_value_may_count() {
        let (value, twice) = read_last(r#"{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}"#).unwrap();
        assert_eq!(value, json!({"a": 3, "b": {"c": 2}}));
        assert_eq!(twice, ["c", "a"]);
        assert_eq!(read_last("{} {}"), Err(NotJson::Syntax));
        assert_eq!(read_last("[1]"), Ok((json!([1]), Vec::new())));
    }

    proptest! {
        #[test]
        fn what_serde_json_takes_is_taken_alike(text in r#"[\[\]{}",:0-9a-c\-. truefalsn]{0,60}"#) {
            if let Ok(value) = read(&text) {
                prop_assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(value));
            }
        }
    }
}
