//! The programs that the hooks of an agent's files need, and that the agent does not find on its own `PATH`.
//!
//! The desktop window has the `PATH` of the login shell. An agent may have been started with another one, and then a
//! hook that works in Hookwright fails in the agent.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hookwright_dialects::command_lint::program_names;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::agent_sessions::AgentSession;
use crate::app::App;
use crate::programs::which;

/// A program that Hookwright finds and the agent does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
pub struct MissingProgram {
    /// Its name.
    pub program: String,
    /// Where Hookwright finds it, absolute.
    pub path: String,
    /// What the hooks that need it are called on the screen.
    pub hooks: Vec<String>,
}

/// The programs that the agent of a session does not find with this `PATH`.
pub(super) fn missing_programs(app: &App, session: &AgentSession, path: &str) -> Vec<MissingProgram> {
    let own = app.workspace.env.var("PATH").unwrap_or_default();
    if own == path {
        return Vec::new();
    }
    let Ok(open_project) = app.workspace.open_project(&session.project) else {
        return Vec::new();
    };
    let snapshot = open_project.snapshot();
    let runs =
        |hook: &&std::sync::Arc<hookwright_model::Hook>| hook.invalid.is_none() && hook.disabled_reason.is_none();
    let mut needed: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for hook in snapshot.hooks(session.dialect.card().id).filter(runs) {
        for program in program_names(hook) {
            let hooks = needed.entry(program).or_default();
            if !hooks.contains(&hook.label) {
                hooks.push(hook.label.clone());
            }
        }
    }
    let missing = needed.into_iter().filter_map(|(program, hooks)| {
        let found: PathBuf = which(&program, own.as_ref())?;
        which(&program, path.as_ref()).is_none().then(|| MissingProgram {
            program,
            path: found.display().to_string(),
            hooks,
        })
    });
    missing.collect()
}
