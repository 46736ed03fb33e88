//! Reads JSON of agents and hooks (`engine.md` §9): one document, with each number as it is written.
//!
//! A key that occurs twice in one object is an error, or the last value is used and the key is reported. The dialect
//! decides about that for hooks; for payloads the last value is used.

use std::fmt;

use hookwright_model::exact_json::{self, NUMBER_KEY};
use hookwright_model::{Message, render};
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
    /// The text is JSON that no agent can hold: it contains a number beyond the range of a double, or half a surrogate
    /// pair, or it is nested deeper than [`MAX_DEPTH`]. A key with the prefix [`RESERVED_KEYS`] counts as such too.
    Unrepresentable,
    /// One object contains this key twice.
    DuplicateKey(String),
}

/// How many levels of lists and objects a document may have (`engine.md` §9).
pub const MAX_DEPTH: usize = 128;

/// How the keys begin that `serde_json` takes for a number or a text of its own.
const RESERVED_KEYS: &str = "$serde_json::private::";

/// In what a value differs from its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Differences {
    /// The keys that one object contains twice.
    pub twice: Vec<String>,
    /// How many keys of a payload begin with [`RESERVED_KEYS`]. Each is read with U+FFFD before it: no guard may be missed
    /// for what a model writes.
    pub reserved: usize,
}

/// Reads one JSON document. Only white space may surround it.
///
/// # Errors
/// The text is not such a document, a [`Value`] cannot represent it, or an object in it contains a key twice.
pub fn read(text: &str) -> Result<Value, NotJson> {
    let mut differences = Differences::default();
    let read = parse(text, &mut differences, DuplicateRule::Refused, NumberRule::Doubles);
    match (differences.twice.pop(), read) {
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
    let mut differences = Differences::default();
    let read = parse(text, &mut differences, DuplicateRule::LastCounts, NumberRule::Doubles);
    read.map(|value| (value, differences.twice))
        .map_err(|_| classify_error(text))
}

/// Reads the payload of an event: like [`read_last_wins`], with numbers beyond the range of a double. Returns the
/// document and in what it differs from its text (`CONTRACTS.md` §2.5).
///
/// # Errors
/// The text is not one JSON document, or a [`Value`] cannot represent it; the parser says where and why.
pub fn read_payload(text: &str) -> serde_json::Result<(Value, Differences)> {
    let mut differences = Differences::default();
    let read = parse(text, &mut differences, DuplicateRule::LastCounts, NumberRule::Any);
    read.map(|value| (value, differences))
}

/// A number of a definition, as a 64-bit integer or a double (`engine.md` §9). `None` if it is neither.
#[must_use]
pub fn definition_number(text: &str) -> Option<Number> {
    let unsigned = || text.parse::<u64>().ok().map(Number::from);
    // A negative zero is a double.
    let signed = || text.parse::<i64>().ok().filter(|value| *value < 0).map(Number::from);
    let double = || text.parse::<f64>().ok().and_then(Number::from_f64);
    unsigned().or_else(signed).or_else(double)
}

/// Writes the numbers of a definition as [`definition_number`] reads them: `1e2` becomes `100.0`.
pub fn normalize_numbers(definition: &mut Value) {
    match definition {
        Value::Number(number) => {
            if let Some(normal) = definition_number(number.as_str()) {
                *number = normal;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalize_numbers),
        Value::Object(entries) => entries.values_mut().for_each(normalize_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Checks that no object of a definition contains a key twice: other parsers use one of the two and do not say so.
///
/// # Errors
/// An object contains a key twice. A text that is not JSON is accepted here, since its reader says what is wrong.
pub fn check_keys(definition: &str) -> Result<(), Message> {
    match read(definition) {
        Err(NotJson::DuplicateKey(key)) => Err(render!(KEY_TWICE, "key" => key)),
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

#[expect(clippy::disallowed_methods, reason = "`StrictJson` counts the levels")]
fn parse(
    text: &str,
    differences: &mut Differences,
    rule: DuplicateRule,
    numbers: NumberRule,
) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_str(text);
    // The limit of serde_json is one level below `MAX_DEPTH`. `StrictJson` counts the levels instead.
    reader.disable_recursion_limit();
    let depth = 0;
    let value = StrictJson {
        text,
        differences,
        rule,
        numbers,
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

/// Which numbers are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberRule {
    /// Every number of the grammar.
    Any,
    /// Numbers in the range of a double.
    Doubles,
}

struct StrictJson<'a> {
    /// The whole text.
    text: &'a str,
    differences: &'a mut Differences,
    rule: DuplicateRule,
    numbers: NumberRule,
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
            depth: self.depth + 1,
            ..self.same_level()
        })
    }

    /// Returns another reader for the same depth.
    fn same_level(&mut self) -> StrictJson<'_> {
        StrictJson {
            text: self.text,
            differences: &mut *self.differences,
            rule: self.rule,
            numbers: self.numbers,
            depth: self.depth,
        }
    }

    /// Reads a number from its text.
    fn number<E: serde::de::Error>(&self, text: &str) -> Result<Value, E> {
        let number: Number = text.parse().map_err(E::custom)?;
        if self.numbers == NumberRule::Doubles && number.as_f64().is_none() {
            return Err(E::custom("number out of range"));
        }
        Ok(Value::Number(number))
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

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(exact_json::signed(value)))
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
        let text = self.text;
        let mut key = pairs.next_key_seed(KeyOf { text })?;
        if key == Some(Key::Number) {
            let number: String = pairs.next_value()?;
            return self.number(&number);
        }
        let mut object = Map::new();
        let mut inner = self.nested()?;
        while let Some(Key::Text(mut name)) = key {
            if name.starts_with(RESERVED_KEYS) {
                if inner.numbers == NumberRule::Doubles {
                    return Err(A::Error::custom(format!("the key `{name}` is reserved")));
                }
                name.insert(0, char::REPLACEMENT_CHARACTER);
                inner.differences.reserved += 1;
            }
            if object.contains_key(&name) {
                inner.differences.twice.push(name.clone());
                if inner.rule == DuplicateRule::Refused {
                    return Err(A::Error::custom("a key twice"));
                }
            }
            let value = pairs.next_value_seed(inner.same_level())?;
            object.insert(name, value);
            key = pairs.next_key_seed(KeyOf { text })?;
        }
        Ok(Value::Object(object))
    }
}

/// A key of an object, or the sign that the object stands for a number.
#[derive(Debug, PartialEq, Eq)]
enum Key {
    Text(String),
    Number,
}

/// Reads a key of the text.
struct KeyOf<'a> {
    /// The whole text.
    text: &'a str,
}

impl<'de> DeserializeSeed<'de> for KeyOf<'_> {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Key, D::Error> {
        reader.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeyOf<'_> {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key, E> {
        // A key of the text lies within the text; the key of a number is a constant of `serde_json`.
        let is_written = self.text.as_bytes().as_ptr_range().contains(&key.as_ptr());
        if key == NUMBER_KEY && !is_written {
            return Ok(Key::Number);
        }
        Ok(Key::Text(key.to_owned()))
    }

    fn visit_str<E>(self, key: &str) -> Result<Key, E> {
        Ok(Key::Text(key.to_owned()))
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
        for key in [
            NUMBER_KEY,
            "$serde_json::private::RawValue",
            r"\u0024serde_json::private::Number",
        ] {
            for value in [r#""1""#, r#""x""#, "1", r#"{"a": 1}"#] {
                let text = format!("[{{\"{key}\": {value}}}]");
                assert_eq!(read(&text), Err(NotJson::Unrepresentable), "{text}");
                let (value, differences) = read_payload(&text).unwrap();
                let name = value[0].as_object().unwrap().keys().next().unwrap();
                assert!(name.starts_with("\u{FFFD}$serde_json::private::"), "{value}");
                assert_eq!(differences.reserved, 1);
            }
        }
    }

    #[test]
    fn a_number_keeps_its_text() {
        let numbers =
            "[12345678901234567890123,1e2,1E+2,1e-7,-0,-0.0,0.1000000000000000055,1.0,18446744073709551616,1e-999]";
        assert_eq!(read(numbers).unwrap().to_string(), numbers);
        let object = r#"{"a":1e2,"b":{"c":-0}}"#;
        assert_eq!(read_last_wins(object).unwrap().0.to_string(), object);
        let beyond = r#"{"n":[1e400,-1E+999]}"#;
        assert_eq!(read_payload(beyond).unwrap().0.to_string(), beyond);
    }

    #[test]
    fn a_payload_is_read_like_every_json_with_the_words_of_the_parser() {
        let (value, Differences { twice, .. }) = read_payload(r#"{"a": 1, "a": {"b": 1e400, "b": 2}}"#).unwrap();
        assert_eq!(
            (value, twice),
            (json!({"a": {"b": 2}}), vec!["a".to_owned(), "b".to_owned()])
        );
        for text in ["", "{", "{} x", "[1,]", "01", "1.", "-", "NaN", r#""\ud83d""#] {
            let expected = serde_json::from_str::<Value>(text).unwrap_err().to_string();
            assert_eq!(read_payload(text).unwrap_err().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn a_number_of_a_definition_is_an_integer_or_a_double() {
        for (text, normal) in [
            ("5", "5"),
            ("-5", "-5"),
            ("1e2", "100.0"),
            ("-0", "-0.0"),
            ("1.50", "1.5"),
            ("18446744073709551616", "18446744073709552000.0"),
        ] {
            let mut definition = Value::Array(vec![read(text).unwrap()]);
            normalize_numbers(&mut definition);
            let found = definition[0].to_string();
            assert!(found == normal || found.contains('e'), "{text}: {found}");
            let double = |text: &str| text.parse::<f64>().unwrap().to_bits();
            assert_eq!(double(&found), double(normal), "{text}");
        }
        assert_eq!(definition_number("1e400"), None);
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
