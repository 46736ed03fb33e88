//! A payload in a request.

use hookwright_model::{Payload, exact_json};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A payload as a command gets it: the object, or its JSON text. Some clients, such as a page, can keep numbers and
/// repeated keys only in the text.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum GivenPayload {
    /// The object.
    Fields(Payload),
    /// The text of the object.
    Text(String),
}

impl<'de> Deserialize<'de> for GivenPayload {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        // Not derived: what serde buffers of an untagged type holds no number beyond 64 bits.
        match exact_json::value(reader)? {
            Value::Object(fields) => Ok(Self::Fields(fields)),
            Value::String(text) => Ok(Self::Text(text)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                Err(D::Error::custom("`payload` is a JSON object, or its text"))
            }
        }
    }
}

impl Default for GivenPayload {
    fn default() -> Self {
        Self::Fields(Payload::new())
    }
}
