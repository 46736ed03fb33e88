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
    /// The reply of `settings.redact`.
    struct MaskedText {
        /// The text with its secrets masked.
        text: String,
        /// The number of masked places.
        masked: u32,
    }
}
