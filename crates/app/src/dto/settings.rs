//! Settings, and texts that are shown masked.

use hookwright_model::problem::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

dto! {
    /// The settings as they are in force.
    struct SettingsDoc {
        /// The tree of `settings.toml`, defaults filled in, keys left out that hold secrets.
        #[ts(type = "Record<string, Record<string, unknown>>")]
        values: Value,
        /// What is wrong with the file.
        problems: Vec<Problem>,
        /// The file.
        path: String,
    }
    /// `settings.set`
    struct SetRequest {
        /// `ui.theme`
        key: String,
        /// The value; `null` takes the key out.
        #[ts(type = "unknown")]
        value: Value,
    }
    /// A text.
    struct TextBody {
        /// The text.
        text: String,
    }
    /// A text with secrets masked.
    struct MaskedText {
        /// The text.
        text: String,
        /// How many places were masked.
        masked: u32,
    }
}
