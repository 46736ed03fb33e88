//! Requests that fire, explain or simulate events, and saved payloads.

use hookwright_model::problem::Problem;
use hookwright_model::{Bilingual, Payload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{GivenPayload, UnsavedText};

dto! {
    /// The request of `explain`: an event for which no hook runs.
    struct EventRequest {
        /// The project directory.
        project: String,
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// The payload, as an object or as its JSON text. Missing common fields are filled in.
        #[serde(default)]
        #[ts(type = "Record<string, unknown> | string")]
        payload: GivenPayload,
        /// An unsaved text of a hook file of the dialect. It is used in place of the file.
        #[serde(default)] #[ts(optional = nullable)]
        unsaved: Option<UnsavedText>,
    }
    /// The request of `fire.command_line`.
    struct CommandLineRequest {
        /// The project directory.
        project: String,
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// The payload, as an object or as its JSON text. Missing common fields are filled in.
        #[serde(default)]
        #[ts(type = "Record<string, unknown> | string")]
        payload: GivenPayload,
        /// The name of a session for the payload. The event does not share the state of that session.
        #[serde(default)] #[ts(optional)]
        session: Option<String>,
    }
    /// The request of `fixtures`.
    struct FixturesRequest {
        /// The project directory.
        project: String,
        /// The id of the only dialect to list; absent for all dialects.
        #[serde(default)] #[ts(optional)]
        dialect: Option<String>,
    }
    /// The reply of `fixtures`: payloads to try events with.
    struct FixturesDoc {
        /// The payloads: one example per event, and those that the user saved.
        fixtures: Vec<Fixture>,
        /// Problems of saved files that do not contain a payload.
        problems: Vec<Problem>,
    }
    /// A payload to try an event with.
    struct Fixture {
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// The payload's name, unique for its event. `example` is the built-in one.
        name: String,
        /// When the event fires.
        about: Bilingual<String>,
        /// Whether the user saved this payload.
        saved: bool,
        /// Whether a secret was masked when this payload was saved just now.
        redacted: bool,
        /// The payload itself.
        #[ts(type = "Record<string, unknown>")]
        payload: Payload,
    }
    /// The request of `fixtures.save`.
    struct SaveFixtureRequest {
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// The payload's name, which must be valid as a file name. A payload of this name is replaced.
        name: String,
        /// The payload itself, as an object or as its JSON text.
        #[ts(type = "Record<string, unknown> | string")]
        payload: GivenPayload,
        /// If true, secrets are not masked.
        #[serde(default)]
        keep_secrets: bool,
    }
    /// The request of `fixtures.remove`.
    struct FixtureName {
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// The payload's name.
        name: String,
    }
    /// The request of `fire`.
    struct FireRequest {
        /// A name for this run. `fire.stop` needs it.
        run: String,
        /// The project directory.
        project: String,
        /// Dialect id.
        dialect: String,
        /// The event in the dialect's spelling.
        event: String,
        /// The payload, as an object or as its JSON text. Missing common fields are filled in.
        #[ts(type = "Record<string, unknown> | string")]
        payload: GivenPayload,
        /// The name of a session for the payload. The event does not share the state of that session.
        #[serde(default)] #[ts(optional)]
        session: Option<String>,
    }
    /// The request of `simulate`.
    struct SimulateRequest {
        /// A name for this run. `fire.stop` needs it.
        run: String,
        /// The project directory.
        project: String,
        /// The scenario, as YAML or JSON.
        text: String,
    }
    /// The request of `fire.stop`.
    struct RunRequest {
        /// The run's name, from the request that started it.
        run: String,
    }
    /// The reply of `fire.stop`.
    struct Stopped {
        /// Whether a run of this name was active.
        stopped: bool,
    }
    /// The reply of `fixtures.remove`.
    struct Removed {
        /// Whether a payload of this name existed.
        removed: bool,
    }
    /// The reply of `fire.command_line`.
    struct TextReply {
        /// A shell command that fires the same event.
        text: String,
    }
}
