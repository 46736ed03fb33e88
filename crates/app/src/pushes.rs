//! The pushes: messages from the engine to the window.

use std::collections::BTreeSet;

use hookwright_model::Args;
use hookwright_model::trace::TraceRow;
use hookwright_workspace::listener::Changes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::dto::PromptAnswer;

/// A kind of data that the window shows. A push names the kinds that are stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// Hooks, problems and sources.
    Hooks,
    /// Recorded traces.
    History,
    /// Metrics of hooks and tools.
    Stats,
    /// Approvals and pending reviews.
    Trust,
    /// Settings and their problems.
    Settings,
    /// The project list.
    Projects,
    /// Payloads to try events with.
    Fixtures,
    /// The status bar and the frame of the window.
    State,
    /// Connected agents and their sessions.
    Agents,
    /// The chains that run now.
    Chains,
}

impl Topic {
    /// All topics, in the order of their declaration.
    pub const ALL: &'static [Self] = &[
        Self::Hooks,
        Self::History,
        Self::Stats,
        Self::Trust,
        Self::Settings,
        Self::Projects,
        Self::Fixtures,
        Self::State,
        Self::Agents,
        Self::Chains,
    ];

    /// The topics that are stale after changes of files.
    #[must_use]
    pub fn stale_after(changes: Changes) -> BTreeSet<Self> {
        let topics = [
            (changes.hooks, &[Self::Hooks, Self::Trust, Self::State][..]),
            (changes.settings, &[Self::Settings, Self::Projects, Self::State]),
            (changes.watch_mode, &[Self::State]),
        ];
        let stale = topics.into_iter().filter(|(is_stale, _)| *is_stale);
        stale.flat_map(|(_, topics)| topics.iter().copied()).collect()
    }
}

/// A push message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Push {
    /// The window must query these topics again.
    Stale {
        /// The topics that are stale.
        what: Vec<Topic>,
    },
    /// New rows of the history. Rows of a short time are sent together.
    Traces {
        /// The rows, newest first.
        rows: Vec<TraceRow>,
    },
    /// A message for the user.
    Notice {
        /// The code of the message.
        code: String,
        /// The English text.
        text: String,
        /// The arguments of the message, for other languages.
        #[ts(type = "Record<string, unknown>")]
        args: Args,
        /// What it is about, if the desktop is notified of it too; `null` otherwise.
        #[serde(default)]
        reason: Option<NoticeReason>,
        /// The path of the user interface where the user sees more; `null` for the list of problems.
        #[serde(default)]
        to: Option<String>,
        /// The project to switch to before that page is shown; `null` to stay with the current one.
        #[serde(default)]
        project: Option<String>,
    },
    /// One answer of a `prompt.run` that goes on.
    PromptAnswer {
        /// The name that the client gave to the run.
        run: String,
        /// How many answers it asks for at most.
        of: u32,
        /// The answer.
        answer: Box<PromptAnswer>,
    },
    /// The state of the engine that the window is attached to.
    Engine {
        /// Whether the engine answers.
        state: EngineState,
    },
    /// The window must show this page.
    Navigate {
        /// A path of the user interface.
        to: String,
        /// A project to switch to first; `null` to stay with the current one.
        project: Option<String>,
    },
}

/// What a notification is about. All but the last have a switch of the same name in section `[notifications]` of the
/// settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum NoticeReason {
    /// A guard failed or timed out at an agent's event, and the agent continued.
    FailedOpen,
    /// A hook exceeded its time limit, or did not run because the time budget of its chain was used up.
    OverBudget,
    /// A new hook waits for approval.
    WaitsForApproval,
    /// A program joined the session of others, and is no relative of them.
    SessionJoined,
}

/// Whether the engine answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum EngineState {
    /// The engine answers.
    Running,
    /// The engine ended.
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
