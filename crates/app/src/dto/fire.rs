//! Events, payloads to fire, and what is done with them.

use hookwright_model::problem::Problem;
use hookwright_model::{Bilingual, Payload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

dto! {
    /// An event to look at without running anything.
    struct EventRequest {
        /// The project.
        project: String,
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// The payload; common fields are filled in.
        #[serde(default)]
        #[ts(type = "Record<string, unknown>")]
        payload: Payload,
    }
    /// `fire.command_line`
    struct CommandLineRequest {
        /// The project.
        project: String,
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// The payload; common fields are filled in.
        #[serde(default)]
        #[ts(type = "Record<string, unknown>")]
        payload: Payload,
        /// A session's name; shares no state with it.
        #[serde(default)] #[ts(optional)]
        session: Option<String>,
    }
    /// `fixtures`
    struct FixturesRequest {
        /// The project.
        project: String,
        /// Only this dialect.
        #[serde(default)] #[ts(optional)]
        dialect: Option<String>,
    }
    /// Payloads to try events with.
    struct FixturesDoc {
        /// One or more an event.
        fixtures: Vec<Fixture>,
        /// Saved files that are no payload.
        problems: Vec<Problem>,
    }
    /// A payload to try an event with.
    struct Fixture {
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// Its name.
        name: String,
        /// What the moment is.
        about: Bilingual<String>,
        /// The person saved it.
        saved: bool,
        /// Something was masked when it was saved just now.
        redacted: bool,
        /// The payload.
        #[ts(type = "Record<string, unknown>")]
        payload: Payload,
    }
    /// `fixtures.save`
    struct SaveFixtureRequest {
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// Its name, good as a file name.
        name: String,
        /// The payload.
        #[ts(type = "Record<string, unknown>")]
        payload: Payload,
        /// Save it as it is, secrets included.
        #[serde(default)]
        keep_secrets: bool,
    }
    /// `fixtures.remove`
    struct FixtureName {
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// Its name.
        name: String,
    }
    /// `fire`
    struct FireRequest {
        /// A name for this run, to stop it by.
        run: String,
        /// The project.
        project: String,
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// The payload; common fields are filled in.
        #[ts(type = "Record<string, unknown>")]
        payload: Payload,
        /// A session's name; shares no state with it.
        #[serde(default)] #[ts(optional)]
        session: Option<String>,
    }
    /// `simulate`
    struct SimulateRequest {
        /// A name for this run, to stop it by.
        run: String,
        /// The project.
        project: String,
        /// The scenario, YAML or JSON.
        text: String,
    }
    /// `fire.stop`
    struct RunRequest {
        /// The run's name.
        run: String,
    }
    /// Whether there was something to stop.
    struct Stopped {
        /// There was.
        stopped: bool,
    }
    /// Whether there was something to remove.
    struct Removed {
        /// There was.
        removed: bool,
    }
    /// A text to copy.
    struct TextReply {
        /// The text.
        text: String,
    }
}
