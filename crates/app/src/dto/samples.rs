//! Samples and guards: hooks that come with their scripts.

use hookwright_model::{Bilingual, HookTemplate, Payload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use ts_rs::TS;

use super::GivenPayload;

dto! {
    /// The reply of `samples.list`, and the document of `samples --json`.
    struct SamplesDoc {
        /// The samples, grouped by dialect.
        samples: Vec<Sample>,
    }
    /// A sample: hooks to read, try and use.
    struct Sample {
        /// The id: dialect and name, with `/` between them.
        sample: String,
        /// Dialect id.
        dialect: String,
        /// The sample's name.
        name: String,
        /// One sentence that says what it shows.
        about: Bilingual<String>,
        /// The events of its hooks, in the dialect's spelling; empty if a module says them only when it is imported.
        events: Vec<String>,
        /// The layers that it can be added to, the usual one first.
        layers: Vec<String>,
        /// The hooks, as their files define them.
        hooks: Vec<SampleHook>,
        /// The files that come along, the configuration first.
        files: Vec<SampleFile>,
    }
    /// A hook of a sample.
    struct SampleHook {
        /// The name for the user.
        label: String,
        /// The events that it serves.
        events: Vec<String>,
        /// The definition, as it is written in the dialect's file.
        #[ts(type = "unknown")]
        definition: Value,
    }
    /// A file that comes along with a hook.
    struct SampleFile {
        /// The path in the project.
        path: String,
        /// The text.
        text: String,
        /// Whether it is written with an executable bit.
        executable: bool,
    }
    /// The request of `samples.add`.
    struct AddSampleRequest {
        /// The project directory.
        project: String,
        /// The id of the sample.
        sample: String,
        /// The layer that its hooks are added to; the first of the sample's layers without it.
        #[serde(default)] #[ts(optional)]
        layer: Option<String>,
        /// If true, nothing is written. The reply shows what would change.
        #[serde(default)] #[ts(optional)]
        dry_run: Option<bool>,
    }
    /// The request of `templates.list`.
    struct TemplatesRequest {
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
    }
    /// The reply of `templates.list`.
    struct TemplatesDoc {
        /// What a new hook can begin with at the event, the usual one first.
        templates: Vec<HookTemplate>,
    }
    /// The request of `guards.draft`: an event to block.
    struct GuardRequest {
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// The recorded payload.
        #[ts(type = "Record<string, unknown>")]
        payload: Payload,
    }
    /// The reply of `guards.draft`. Nothing is written.
    struct GuardDoc {
        /// Whether hooks can block such an event.
        can_block: bool,
        /// The guard; `null` if hooks cannot block the event, or if its payload has no value to compare.
        guard: Option<GuardDraft>,
    }
    /// A hook that blocks a recorded event, with its script.
    struct GuardDraft {
        /// The fields of the definition, as `edit.add` takes them.
        #[ts(type = "Record<string, unknown>")]
        definition: Map<String, Value>,
        /// The script. `edit.add` writes it with the hook.
        script: SampleFile,
        /// The payload field that is compared, with dots between its names.
        field: String,
        /// The value that is blocked.
        #[ts(type = "unknown")]
        value: Value,
        /// Whether redaction masked a part of the value. Then the event that comes again has another value.
        masked: bool,
    }
    /// The request of `hooks.try`: an event, and a hook that is not saved.
    struct TryHookRequest {
        /// A name for this run. `fire.stop` needs it.
        run: String,
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// The payload, as an object or as its JSON text. Missing common fields are filled in. Its directory is replaced by an empty folder.
        #[ts(type = "Record<string, unknown> | string")]
        payload: GivenPayload,
        /// The fields of the hook's definition, as `edit.add` takes them.
        #[ts(type = "Record<string, unknown>")]
        definition: Map<String, Value>,
        /// The files that come along, with paths in the project.
        #[serde(default)]
        files: Vec<SampleFile>,
    }
}
