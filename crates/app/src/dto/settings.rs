//! The requests and replies about settings and redaction.

use hookwright_model::problem::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

dto! {
    /// The settings in force.
    struct SettingsDoc {
        /// The content of `settings.toml` by section and key, with defaults. Keys that contain secrets are left out.
        #[ts(type = "Record<string, Record<string, unknown>>")]
        values: Value,
        /// The problems of the file.
        problems: Vec<Problem>,
        /// The path of `settings.toml`.
        path: String,
    }
    /// The request of `settings.set`.
    struct SetRequest {
        /// The dotted name of the setting, such as `ui.theme`.
        key: String,
        /// The new value; `null` removes the key from the file.
        #[ts(type = "unknown")]
        value: Value,
    }
    /// The request of `settings.redact`.
    struct TextBody {
        /// The text in which secrets are masked.
        text: String,
    }
    /// The reply of `model.test`.
    struct ModelTestDoc {
        /// How the request ended.
        end: ModelTestEnd,
        /// The beginning of the response, with its secrets masked; `null` if there was none.
        text: Option<String>,
        /// Why the endpoint refused, with secrets masked; `null` if it did not.
        error: Option<String>,
        /// How long it took, in milliseconds.
        took_ms: f64,
        /// The tokens of the prompt, if the endpoint counts them.
        input_tokens: Option<u64>,
        /// The tokens of the response, if the endpoint counts them.
        output_tokens: Option<u64>,
    }
    /// The reply of `settings.redact`.
    struct MaskedText {
        /// The text with its secrets masked.
        text: String,
        /// The number of masked places.
        masked: u32,
    }
}

/// How a request to the model endpoint ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum ModelTestEnd {
    /// The model returned a text.
    Replied,
    /// The endpoint could not be reached, or it returned an error.
    Refused,
    /// There was no response within the time limit.
    TimedOut,
    /// The user stopped it.
    Stopped,
}
