//! Projects, their paths and their files.

use hookwright_model::problem::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::ProjectRow;

dto! {
    /// A path.
    struct PathRequest {
        /// Absolute, or relative to where the engine was started.
        path: String,
    }
    /// The project list.
    struct ProjectsDoc {
        /// Most recent first.
        projects: Vec<ProjectRow>,
    }
    /// A path.
    struct PathReply {
        /// Absolute.
        path: String,
    }
    /// A project.
    struct ProjectRequest {
        /// Its directory.
        project: String,
    }
    /// `hooks.text`
    struct TextRequest {
        /// The project.
        project: String,
        /// A file that `hooks.list` named as a source.
        path: String,
    }
    /// A configuration file as it is now.
    struct TextDoc {
        /// Absolute path.
        path: String,
        /// Its text; empty when it cannot be read.
        text: String,
        /// What is wrong with it.
        problems: Vec<Problem>,
        /// An older version is in force.
        last_good: bool,
    }
    /// `check --json`
    struct CheckDoc {
        /// What was found.
        problems: Vec<Problem>,
        /// What was looked at.
        checked: Vec<String>,
        /// How many files with hooks these are.
        files: u32,
        /// Files that look like hooks and belong to another agent.
        others: Vec<String>,
    }
}
