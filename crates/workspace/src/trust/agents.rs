//! The agent programs that may register commands without a review (`CONTRACTS.md` §3, "always for this agent").

use std::path::PathBuf;

use hookwright_model::{AgentProgram, Hook};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Trust;
use crate::data_files::locked_file::LockedFileError;

/// A program that may register commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowedAgent {
    /// The dialect id of its sessions.
    pub dialect: String,
    /// The name that it gives.
    pub name: String,
    /// The file that it runs, absolute.
    #[serde(with = "crate::data_files::path_serde::path")]
    pub program: PathBuf,
    /// When it was allowed.
    pub at: Timestamp,
}

impl AllowedAgent {
    fn is_for(&self, dialect: &str, program: &AgentProgram) -> bool {
        self.dialect == dialect && self.name == program.name && self.program == program.path
    }
}

impl Trust {
    /// Whether the program that registered this hook may register commands without a review.
    #[must_use]
    pub fn is_agent_allowed(&self, hook: &Hook) -> bool {
        let Some(program) = &hook.registered_by else {
            return false;
        };
        self.reload_if_changed();
        let allowed = &self.approvals().agents;
        allowed.iter().any(|known| known.is_for(hook.dialect, program))
    }

    /// Allows a program to register commands.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn allow_agent(&self, dialect: &str, program: &AgentProgram, now: Timestamp) -> Result<(), LockedFileError> {
        self.change(|file| {
            file.agents.retain(|known| !known.is_for(dialect, program));
            file.agents.push(AllowedAgent {
                dialect: dialect.to_owned(),
                name: program.name.clone(),
                program: program.path.clone(),
                at: now,
            });
        })
    }

    /// Removes the programs of this dialect and name, and returns them.
    ///
    /// # Errors
    /// The file cannot be written or does not parse.
    pub fn disallow_agents(&self, dialect: &str, name: &str) -> Result<Vec<AllowedAgent>, LockedFileError> {
        let mut removed = Vec::new();
        self.change(|file| {
            let is_it = |known: &AllowedAgent| known.dialect == dialect && known.name == name;
            let (gone, kept) = std::mem::take(&mut file.agents).into_iter().partition(is_it);
            file.agents = kept;
            removed = gone;
        })?;
        Ok(removed)
    }
}
