//! Examples of what `check` says: a configuration, a call, and what the agent does with it. `docs/lint.md` shows them, and
//! a test fires each of them and compares what happens with what the message says (`engine.md` §14).

use std::path::Path;

use hookwright_dialects::yaml;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The folder with one file for each dialect, below the root of the repository.
const FOLDER: &str = "crates/dialects/lint-examples";

/// One example.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LintExample {
    /// The id of the dialect, which is the name of the file.
    #[serde(skip)]
    pub dialect: String,
    /// The key of the message template that it shows.
    pub shows: String,
    /// The texts of the files, by path in the project; `~/…` is a path in the home directory.
    pub files: Map<String, Value>,
    /// Those of them that may be executed.
    #[serde(default)]
    pub executable: Vec<String>,
    /// The name of the project's folder, if it matters.
    #[serde(default)]
    pub folder: Option<String>,
    /// The event that is fired; `None` if the message says nothing about a call.
    #[serde(default)]
    pub event: Option<String>,
    /// Its payload.
    #[serde(default)]
    pub payload: Map<String, Value>,
    /// What the agent as shipped then does.
    #[serde(default)]
    pub agent: Option<AgentAction>,
    /// What Hookwright decides, if that differs.
    #[serde(default)]
    pub here: Option<AgentAction>,
    /// What is written instead. Then the message is not said, and a call that was blocked continues, or the reverse.
    #[serde(default)]
    pub remedied: Option<Remedy>,
}

/// What an agent does with a call, a prompt or the end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentAction {
    /// It continues.
    Continues,
    /// It asks the user.
    Asks,
    /// It does not continue.
    Blocks,
    /// It continues with this call, and ends the turn after it.
    EndsTurn,
    /// It has already called the tool, and withholds or comments on the result.
    TooLate,
}

/// How an example is corrected.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remedy {
    /// The files that are written in place of those of the same path.
    pub files: Map<String, Value>,
    /// Those of them that may be executed.
    #[serde(default)]
    pub executable: Vec<String>,
    /// The event to which the hook is moved.
    #[serde(default)]
    pub event: Option<String>,
    /// Its payload, if it has another one.
    #[serde(default)]
    pub payload: Option<Map<String, Value>>,
}

impl AgentAction {
    /// As a sentence says it.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Continues => "the agent continues",
            Self::Asks => "the agent asks the user",
            Self::Blocks => "the agent does not continue",
            Self::EndsTurn => "the agent continues, and ends the turn after this call",
            Self::TooLate => "the tool has already run",
        }
    }
}

/// The examples of all dialects, in the order of the files. `root` is the root of the repository.
///
/// # Panics
/// A file cannot be read, or is not a list of examples.
#[must_use]
#[expect(
    clippy::panic,
    reason = "only a build tool and tests read the examples, which are part of the repository"
)]
pub fn read_examples(root: &Path) -> Vec<LintExample> {
    let read = |id: &str| -> Vec<LintExample> {
        let path = root.join(FOLDER).join(format!("{id}.yaml"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let tree = yaml::read(&text).unwrap_or_else(|error| panic!("{}: {error:?}", path.display()));
        let list = tree.map(|tree| tree.to_payload()).unwrap_or_default();
        serde_json::from_value(list).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let dialects = hookwright_dialects::all().iter().map(|dialect| dialect.card().id);
    dialects
        .flat_map(|id| {
            read(id).into_iter().map(|example| LintExample {
                dialect: id.to_owned(),
                ..example
            })
        })
        .collect()
}
