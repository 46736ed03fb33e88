//! What the engine tells an open window without being asked.

use hookwright_model::Args;
use hookwright_model::trace::TraceRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A kind of thing the window shows; a push says that it is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// Hooks, problems, sources.
    Hooks,
    /// Recorded traces.
    History,
    /// Metrics.
    Stats,
    /// Approvals.
    Trust,
    /// Settings.
    Settings,
    /// The project list.
    Projects,
    /// Payloads to try events with.
    Fixtures,
    /// The status bar.
    State,
}

impl Topic {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::Hooks,
        Self::History,
        Self::Stats,
        Self::Trust,
        Self::Settings,
        Self::Projects,
        Self::Fixtures,
        Self::State,
    ];
}

/// One push.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Push {
    /// Ask again for these.
    Stale {
        /// What.
        what: Vec<Topic>,
    },
    /// New rows of the history, newest first. A window is handed those of a moment together.
    Traces {
        /// The rows.
        rows: Vec<TraceRow>,
    },
    /// A sentence for the person.
    Notice {
        /// Its code.
        code: String,
        /// English.
        text: String,
        /// What fills it in another language.
        #[ts(type = "Record<string, unknown>")]
        args: Args,
    },
    /// The engine this window is attached to.
    Engine {
        /// Whether it answers.
        state: EngineState,
    },
    /// Show this.
    Navigate {
        /// A path of the interface.
        to: String,
        /// A project to switch to first.
        project: Option<String>,
    },
}

/// Whether the engine answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum EngineState {
    /// It does.
    Running,
    /// It ended.
    Stopped,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_topics_is_complete() {
        let schema = serde_json::to_value(schemars::schema_for!(Topic)).unwrap_or_default();
        let variants = schema["oneOf"].as_array().map_or(0, Vec::len);
        assert_eq!(Topic::ALL.len(), variants, "{schema:#}");
    }
}
