//! JSON values with each number as it is written (`CONTRACTS.md` §2.5). `serde_json` keeps the text of a number, but it
//! reads `-0` as the integer 0, also when it makes a value of a document.
//!
//! The functions that read are for fields of documents that contain values of agents and hooks:
//! `#[serde(deserialize_with = "exact_json::payload")]`.

use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::Serialize;
use serde_json::{Map, Number, Value, json};

use crate::event::Payload;
use crate::json_depth;

/// The key that `serde_json` gives to a number whose text it keeps.
pub const NUMBER_KEY: &str = "$serde_json::private::Number";

/// Reads one value.
///
/// # Errors
/// The reader's own.
pub fn value<'de, D: Deserializer<'de>>(reader: D) -> Result<Value, D::Error> {
    Exact::deserialize(reader).map(|exact| exact.0)
}

/// Reads one value that may be `null`.
///
/// # Errors
/// The reader's own.
pub fn optional_value<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Value>, D::Error> {
    value(reader).map(|found| Some(found).filter(|found| !found.is_null()))
}

/// Reads one object.
///
/// # Errors
/// It is another value, or the reader's own error.
pub fn object<'de, D: Deserializer<'de>>(reader: D) -> Result<Payload, D::Error> {
    match value(reader)? {
        Value::Object(object) => Ok(object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(D::Error::custom("expected an object"))
        }
    }
}

/// Reads a payload.
///
/// # Errors
/// It is no object, or the reader's own error.
pub fn payload<'de, D: Deserializer<'de>>(reader: D) -> Result<Arc<Payload>, D::Error> {
    object(reader).map(Arc::new)
}

/// Reads an object that may be `null`.
///
/// # Errors
/// It is another value, or the reader's own error.
pub fn optional<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Payload>, D::Error> {
    let found = value(reader)?;
    if found.is_null() {
        return Ok(None);
    }
    object(found).map(Some).map_err(D::Error::custom)
}

/// Makes a value of a document that contains values of agents or hooks, where `json!` would change `-0`.
pub fn to_value<T: Serialize>(document: &T) -> Value {
    let text = serde_json::to_string(document);
    match text.and_then(|text| json_depth::read(&text)) {
        Ok(Exact(value)) => value,
        // Deeper than the limit of `json_depth`: only `-0` is not kept.
        Err(_) => json!(document),
    }
}

/// An integer that a parser gives as signed. It gives 0 so only for `-0`.
#[must_use]
pub fn signed(number: i64) -> Number {
    match number {
        0 => Number::from_string_unchecked("-0".to_owned()),
        other => Number::from(other),
    }
}

/// A value whose numbers keep their text.
pub struct Exact(pub Value);

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(ExactVisitor).map(Self)
    }
}

struct ExactVisitor;

impl<'de> Visitor<'de> for ExactVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(signed(value)))
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        value.to_string().parse().map(Value::Number).map_err(E::custom)
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        value.to_string().parse().map(Value::Number).map_err(E::custom)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Exact(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = pairs.next_key::<String>()? {
            if key == NUMBER_KEY {
                let number: String = pairs.next_value()?;
                return number.parse().map(Value::Number).map_err(A::Error::custom);
            }
            let Exact(value) = pairs.next_value()?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_keeps_its_text_when_it_is_read_from_a_text_and_from_a_value() {
        let text =
            r#"{"n":[-0,0,-0.0,1e2,1E+2,1e400,12345678901234567890123,-170141183460469231731687303715884105728,0.10]}"#;
        let Exact(read) = serde_json::from_str(text).unwrap();
        assert_eq!(read.to_string(), text);
        let Exact(again) = serde_json::from_value(read).unwrap();
        assert_eq!(again.to_string(), text);
        assert_eq!(to_value(&[&again]).to_string(), format!("[{text}]"));
    }

    #[test]
    fn an_object_is_no_other_value() {
        assert!(object(&mut serde_json::Deserializer::from_str("[1]")).is_err());
        assert_eq!(optional(&mut serde_json::Deserializer::from_str("null")).unwrap(), None);
    }
}
