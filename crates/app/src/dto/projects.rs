//! The requests and replies about projects and their files.

use hookwright_model::problem::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::ProjectRow;

dto! {
    /// A request that names a directory.
    struct PathRequest {
        /// An absolute path, or a path relative to the engine's working directory.
        path: String,
    }
    /// The project list.
    struct ProjectsDoc {
        /// The projects, most recent first.
        projects: Vec<ProjectRow>,
    }
    /// A reply that names a directory.
    struct PathReply {
        /// The absolute path.
        path: String,
    }
    /// A request about one project.
    struct ProjectRequest {
        /// The project directory.
        project: String,
    }
    /// The request of `hooks.text`.
    struct TextRequest {
        /// The project directory.
        project: String,
        /// The absolute path of a file that a source of `hooks.list` is read from.
        path: String,
    }
    /// The reply of `hooks.text`: a hook file as it is now.
    struct TextDoc {
        /// The absolute path of the file.
        path: String,
        /// The text of the file; empty if it cannot be read.
        text: String,
        /// The problems of the file.
        problems: Vec<Problem>,
        /// Whether an older version of the file is in force, because this one does not parse.
        last_good: bool,
    }
    /// The document of `check --json`.
    struct CheckDoc {
        /// The problems that were found.
        problems: Vec<Problem>,
        /// The paths of the roots and files that were checked.
        checked: Vec<String>,
        /// The number of checked files.
        files: u32,
        /// Files that look like hook files but belong to another agent. They were not read.
        others: Vec<String>,
    }
}
