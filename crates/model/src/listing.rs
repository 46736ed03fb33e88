//! The documents of `list` and `explain` (`CONTRACTS.md` §2.2, §2.3).

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::agent_trust::AgentTrust;
use crate::event::Payload;
use crate::health::{Health, HealthState, OnFailureEffect};
use crate::hook::{Layer, OnFailure, RunMode};
use crate::message::{Args, Message};
use crate::outcome::VerdictKind;
use crate::problem::Problem;
use crate::trace::{Gate, Notice, SourceRef};

/// The document of `list --json`. Its rows can be a list, or be made one by one while they are written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
#[schemars(rename = "ListDoc")]
#[ts(concrete(R = Vec<HookRow>))]
pub struct ListDoc<R = Vec<HookRow>> {
    /// Every hook of every source. A hook for several events has one row per event.
    pub hooks: R,
    /// Errors, warnings and hints about hook files.
    pub problems: Vec<Problem>,
    /// The roots in which hooks are searched.
    pub sources: Vec<SourceRow>,
    /// What applies to files as a whole, such as a last valid version that is in force. Left out if there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Notice>>", optional)]
    pub notices: Vec<Notice>,
    /// Hooks that are turned off for the agent: they are in no file, and Hookwright keeps their definitions. Left out if
    /// there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<TurnedOffHook>>", optional)]
    pub turned_off: Vec<TurnedOffHook>,
}

/// The document of `hooks.list`: the list with its groups and its chains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct HookListDoc {
    #[serde(flatten)]
    /// The hooks, their problems and where they are searched.
    pub list: ListDoc,
    /// The hooks by the file or folder that they are read from: dialect after dialect, layer after layer, in load order.
    pub groups: Vec<HookGroup>,
    /// The hooks of each event in run order.
    pub chains: Vec<HookChain>,
}

/// The hooks that are read from one place: a file, a folder with the folders of hooks, or a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct HookGroup {
    /// Identifies the group, as in `group` of its hooks.
    pub group: String,
    /// Dialect id.
    pub dialect: String,
    /// The layer of its hooks.
    pub layer: Layer,
    /// The file or folder, absolute.
    pub path: String,
    /// Its position among the groups of the dialect, from 1.
    pub place: u32,
    /// Its hooks, as indexes in `hooks`: event after event, each in run order. Empty if all of them are turned off.
    pub rows: Vec<u32>,
    /// What is wrong with it, so that it is shown first; `null` if nothing is.
    pub fault: Option<GroupFault>,
}

/// What is wrong with a group of hooks, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum GroupFault {
    /// The agent does not read its file: an older version is in force here only.
    NotRead,
    /// One of its guards does not hold what it is for.
    Guard,
}

/// The hooks of one event in run order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct HookChain {
    /// Dialect id.
    pub dialect: String,
    /// The event in the dialect's spelling.
    pub event: String,
    /// Its hooks, as indexes in `hooks`. Those that would not run have the place that they would run at. A hook of all
    /// events is in the chain of each event that it serves.
    pub rows: Vec<u32>,
}

/// A hook that is turned off for the agent. Its definition was taken out of its file, and Hookwright keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct TurnedOffHook {
    /// The id with which the hook is turned on again.
    pub id: String,
    /// When the hook was turned off, RFC 3339.
    #[schemars(with = "String")]
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The id that the hook had.
    pub hook: String,
    /// Dialect id.
    pub dialect: String,
    /// The event in the dialect's spelling; the first one if it serves several.
    pub event: String,
    /// All events of a hook that serves several; left out for other hooks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub serves: Vec<String>,
    /// The hook's name for the user.
    pub label: String,
    /// The layer of its file.
    pub layer: Layer,
    /// The project of its file, absolute; `null` for the user's own hooks.
    pub project: Option<String>,
    /// The file that defined it, absolute.
    pub path: String,
    /// The group that it belonged to, as in `groups`.
    #[serde(default)]
    pub group: String,
    /// The line of the definition in that file, from 1.
    pub line: u32,
    /// How the hook runs, such as `shell` (`engine.md` §7).
    pub handler: String,
    /// What it runs, as its author wrote it.
    pub runs: Option<String>,
    /// The condition in the dialect's own form, as in the row of a hook; `null` if there is none, or if it was not stored.
    #[ts(type = "Record<string, unknown> | null")]
    pub filter: Option<Value>,
    /// The definition as JSON.
    #[ts(type = "unknown")]
    pub definition: Value,
    /// The lines that were taken out of the file, with their comments.
    pub text: String,
    /// Every file that is kept, absolute.
    pub files: Vec<String>,
}

/// A hook for one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct HookRow {
    /// Hook id.
    pub hook: String,
    /// Dialect id.
    pub dialect: String,
    /// The event in the dialect's spelling; `*` for a hook that listens to all events in `serves`.
    pub event: String,
    /// The hook's name for the user.
    pub label: String,
    /// The layer of the file.
    pub layer: Layer,
    /// The file, absolute.
    pub path: String,
    /// The group that it belongs to, as in `groups`.
    #[serde(default)]
    pub group: String,
    /// Line from 1.
    pub line: u32,
    /// How the hook runs, such as `shell` (`engine.md` §7).
    pub handler: String,
    /// The condition in the dialect's own form; `null` if there is none.
    #[ts(type = "Record<string, unknown> | null")]
    pub filter: Option<Value>,
    /// Time limit of one attempt, in milliseconds.
    #[ts(type = "number")]
    pub timeout_ms: u64,
    /// Whether a failure allows or blocks the call, as the definition says.
    pub on_failure: OnFailure,
    /// What the agent as shipped does if the hook fails.
    pub on_failure_effect: OnFailureEffect,
    /// Whether it is a guard: a hook that can block, or is meant to.
    pub guard: bool,
    /// Whether it can do its work, and why not.
    pub health: Health,
    /// The definition's priority; `null` if it has none.
    #[ts(type = "number | null")]
    pub rank: Option<i64>,
    /// Position in run order for its event, from 1; `null` if gate `valid`, `trusted` or `enabled` fails.
    pub position: Option<u32>,
    /// Whether the chain waits for the hook.
    pub mode: RunMode,
    /// Whether the hook is on: not switched off in its file, not shadowed, not run by the agent itself.
    pub enabled: bool,
    /// Whether its content is approved, or needs no approval.
    pub trusted: bool,
    /// What the agent's own trust says; absent if the agent has none, or if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent_trust: Option<AgentTrust>,
    /// Why its content counts as denied; absent if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub denied: Option<Sentence>,
    /// Whether Hookwright leaves the hook out. Its file is unchanged.
    pub muted: bool,
    /// When the mute ends, RFC 3339; `null` if the hook is not muted or the mute has no end.
    pub muted_until: Option<String>,
    /// The id of the hook that replaces it; `null` if none does.
    pub shadowed_by: Option<String>,
    /// Whether the definition wraps its command in `hookwright-relay run`.
    pub wrapped: bool,
    /// Whether the definition has no error.
    pub valid: bool,
    /// How many attempts are allowed, the first one included.
    pub attempts: u32,
    /// Identifies the version of the definition, as in traces and metrics.
    pub version: String,
    /// Identifies the hook, also after its definition or its place changed.
    #[serde(default)]
    pub uid: String,
    /// The definition as JSON.
    #[ts(type = "unknown")]
    pub definition: Value,
    /// What it runs, as its author wrote it: command, program, template or text. `null` for the agent's built-in hooks.
    pub runs: Option<String>,
    /// The outputs that its event accepts.
    pub accepts: Vec<String>,
    /// The verdicts that its event accepts.
    pub verdicts: Vec<VerdictKind>,
    /// Its position in its file; `null` if it cannot be moved.
    pub in_list: Option<ListPosition>,
    /// The events of a row with event `*`; absent in all other rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub serves: Vec<String>,
}

/// A message for the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct Sentence {
    /// The English text.
    pub why: String,
    /// The code of the message.
    pub code: String,
    /// The arguments of the message, for other languages.
    #[ts(type = "Record<string, unknown>")]
    pub args: Args,
}

impl From<Message> for Sentence {
    fn from(message: Message) -> Self {
        Self {
            why: message.text,
            code: message.code.to_owned(),
            args: message.args,
        }
    }
}

/// A hook's position in a list of its file, if the order of the list is the run order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ListPosition {
    /// The name of the list. Hooks of the same list can be reordered.
    pub list: String,
    /// The hook's position in the list, from 1.
    pub place: u32,
    /// How many hooks the list has.
    pub count: u32,
}

/// A root in which hooks are searched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct SourceRow {
    /// Dialect id.
    pub dialect: String,
    /// The layer of its hooks.
    pub layer: Layer,
    /// The file or folder, absolute.
    pub path: String,
    /// Whether the file or folder exists.
    pub exists: bool,
    /// How many hooks it defines.
    pub hooks: u32,
    /// Whether an older version stays in force, because the present one does not parse.
    pub last_good: bool,
    /// Since when a file of it does not parse and its last valid version is in force, RFC 3339; `null` if there is none.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    #[ts(type = "string | null")]
    pub last_good_since: Option<Timestamp>,
    /// How many definitions it has, invalid ones included; `null` if a file of it cannot be read.
    #[serde(default)]
    pub definitions: Option<u32>,
    /// The events under which its definitions are written. Of a file that cannot be read, the events that its text names.
    #[serde(default)]
    pub events: Vec<String>,
    /// Whether hooks of it are lost that have no row of their own.
    pub health: Health,
}

impl SourceRow {
    /// Adds what another reading of the same place found.
    pub fn join(&mut self, other: Self) {
        self.exists |= other.exists;
        self.hooks += other.hooks;
        self.last_good |= other.last_good;
        let both = [self.last_good_since, other.last_good_since];
        self.last_good_since = both.into_iter().flatten().min();
        self.definitions = self.definitions.zip(other.definitions).map(|(mine, more)| mine + more);
        for event in other.events {
            if !self.events.contains(&event) {
                self.events.push(event);
            }
        }
        if self.health.state == HealthState::Ready {
            self.health = other.health;
        }
    }
}

/// The document of `explain --json`. No hook is run for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ExplainDoc {
    /// Dialect id.
    pub dialect: String,
    /// The event in the dialect's spelling.
    pub event: String,
    /// The payload with common fields filled in.
    #[ts(type = "Record<string, unknown>")]
    pub payload: Payload,
    /// What applies to the whole event, such as a key that the payload has twice.
    #[serde(default)]
    #[ts(as = "Option<Vec<Notice>>", optional)]
    pub notices: Vec<Notice>,
    /// Every hook of the dialect, those for the event first.
    pub steps: Vec<ExplainStep>,
}

/// A hook with the result of every gate except `chain`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
pub struct ExplainStep {
    /// Hook id.
    pub hook: String,
    /// The hook's name for the user.
    pub label: String,
    /// Where the hook is defined.
    pub source: SourceRef,
    /// How the hook runs, such as `shell` (`engine.md` §7).
    pub handler: String,
    /// The event that the hook is for.
    pub event: String,
    /// Whether the hook would run when its turn comes.
    pub would_run: bool,
    /// What the agent does because the hook cannot start; `null` if it can, or would not run.
    pub would_fail: Option<OnFailureEffect>,
    /// Whether it can do its work, and why not.
    pub health: Health,
    /// What the agent's own trust says about the hook; absent if the agent has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub agent_trust: Option<AgentTrust>,
    /// Position in run order, from 1; `null` if gate `valid`, `trusted` or `enabled` fails, or if it is for another
    /// event.
    pub position: Option<u32>,
    /// The results of all gates except `chain`; `starts` is the last one.
    pub gates: Vec<Gate>,
}
