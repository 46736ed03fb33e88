//! Requests and replies about scenario files.

use hookwright_model::Scenario;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// One step of a path into a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(untagged)]
pub enum PathPart {
    /// The index of an item, from 0.
    Item(u32),
    /// The key of a field.
    Key(String),
}

/// One change of a scenario's text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum ScenarioChange {
    /// Gives a field a value.
    Set {
        /// The path of the field.
        at: Vec<PathPart>,
        /// The new value, as JSON.
        #[ts(type = "unknown")]
        value: Value,
    },
    /// Inserts an item into a list.
    Insert {
        /// The path that the item has afterwards.
        at: Vec<PathPart>,
        /// The new item, as JSON.
        #[ts(type = "unknown")]
        value: Value,
    },
    /// Removes a field or an item with its comments.
    Remove {
        /// The path of the field or item.
        at: Vec<PathPart>,
    },
    /// Moves an item within its list.
    Move {
        /// The path of the list.
        list: Vec<PathPart>,
        /// The index before, from 0.
        from: u32,
        /// The index afterwards, from 0.
        to: u32,
    },
}

dto! {
    /// The reply of `scenarios`.
    struct ScenariosDoc {
        /// The scenarios: those of the samples, then the files of the project by their paths.
        scenarios: Vec<ScenarioRow>,
    }
    /// A scenario of a sample or of a file.
    struct ScenarioRow {
        /// The name of the sample, or the path of the file in the project.
        name: String,
        /// The file, absolute; `null` for a sample.
        path: Option<String>,
        /// Dialect id; `null` if the text cannot be read as a scenario.
        dialect: Option<String>,
        /// The text.
        text: String,
        /// The hash of the file's bytes; `null` for a sample.
        hash: Option<String>,
    }
    /// The request of `scenarios.read`.
    struct ReadScenarioRequest {
        /// The scenario, as YAML or JSON.
        text: String,
        /// What to change in it first, in this order.
        #[serde(default)] #[ts(optional)]
        changes: Option<Vec<ScenarioChange>>,
    }
    /// The reply of `scenarios.read`.
    struct ReadScenarioDoc {
        /// The text after the changes.
        text: String,
        /// The scenario; `null` if the text is none.
        scenario: Option<Scenario>,
        /// Why the text is not a scenario; `null` if it is one.
        problem: Option<ScenarioProblem>,
    }
    /// Why a text is not a scenario.
    struct ScenarioProblem {
        /// The line, from 1.
        line: u32,
        /// The field, such as `turns[0].user`; `scenario` for the whole text.
        field: String,
        /// The English reason.
        why: String,
    }
    /// The request of `scenarios.from_session`.
    struct SessionScenarioRequest {
        /// Dialect id.
        dialect: String,
        /// The ids of traces of one session, oldest first.
        traces: Vec<String>,
    }
    /// The reply of `scenarios.from_session`.
    struct SessionScenarioDoc {
        /// The text of the scenario in YAML; `null` if no event contains a part of a conversation.
        text: Option<String>,
        /// Whether payloads of some events are no longer kept.
        bodies_removed: bool,
    }
    /// The request of `scenarios.save`.
    struct SaveScenarioRequest {
        /// The project directory.
        project: String,
        /// The file: absolute, or relative to the project. `play.yaml` or `NAME.scenario.yaml` (`.yml`, `.json`) in the
        /// project's directory or in its `tests/hooks`.
        path: String,
        /// The `hash` of the row that the text began with; absent or `null` for a new file. If the file has another
        /// hash now, nothing is written.
        #[serde(default)] #[ts(optional = nullable)]
        base: Option<String>,
        /// The whole text. It must be a scenario.
        text: String,
    }
}
