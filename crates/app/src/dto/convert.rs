//! Converting hooks to another dialect.

use hookwright_model::{Args, EditDoc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

dto! {
    /// The request of `hooks.convert`.
    struct ConvertHookRequest {
        /// The project directory.
        project: String,
        /// Hook id.
        hook: String,
        /// Dialect id of the result.
        to: String,
        /// The folder for the new files, absolute or relative to the project; `null` writes nothing.
        folder: Option<String>,
        /// Whether nothing is written, also with a folder (default: `false`).
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// The document of `convert --json`, and the reply of `hooks.convert`.
    struct ConvertDoc {
        /// The files of the result, the configuration first.
        files: Vec<ConvertedFile>,
        /// What the other dialect says in another way, or not at all.
        loss: Vec<LossRow>,
        /// How many hooks could not be converted at all.
        unconverted: u32,
        /// Whether the files are written.
        written: bool,
        /// What is written, or would be; `null` without a folder.
        change: Option<EditDoc>,
    }
    /// One file of the result.
    struct ConvertedFile {
        /// The path in the folder that the files are for; absolute if they are written.
        path: String,
        /// The text; `null` for a file that is not text.
        text: Option<String>,
        /// Unix permissions in octal digits: `0600`, for a script `0700` or those of the original.
        mode: String,
    }
    /// One entry of the loss report.
    struct LossRow {
        /// Hook id; `null` for a whole file.
        hook: Option<String>,
        /// The code of the message.
        code: String,
        /// The English text.
        message: String,
        /// The English hint what to do; `null` if there is none.
        hint: Option<String>,
        /// The arguments of the message, for other languages.
        #[ts(type = "Record<string, unknown>")]
        args: Args,
    }
}
