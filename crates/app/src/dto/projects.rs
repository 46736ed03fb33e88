//! The requests and replies about projects and their files.

use hookwright_model::problem::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{HookLines, ProjectRow};

dto! {
    /// A request that names a directory.
    struct PathRequest {
        /// An absolute path, or a path relative to the engine's working directory.
        path: String,
    }
    /// The project list after a change of one project.
    struct ProjectsDoc {
        /// The absolute path of the project that the request named. It need not be the first of the list: an event that is
        /// fired elsewhere at the same time can put another project there.
        path: String,
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
    /// The request of `hooks.list`.
    struct ListRequest {
        /// The project directory; absent or `null` for the user's own hooks without any project. Their list has no
        /// lint problems, because these depend on a project.
        #[serde(default)] #[ts(optional = nullable)]
        project: Option<String>,
    }
    /// The request of `hooks.text`.
    struct TextRequest {
        /// The project directory.
        project: String,
        /// The absolute path of a file that a source of `hooks.list` is read from; it need not exist. Or a path of
        /// `hooks.files`.
        path: String,
        /// Dialect id. It is needed only if several dialects read the file.
        #[serde(default)] #[ts(optional = nullable)]
        dialect: Option<String>,
        /// The hook that the file belongs to. It is needed for a script that its command names.
        #[serde(default)] #[ts(optional = nullable)]
        hook: Option<String>,
    }
    /// The parameters of `hooks.files`.
    struct HookFilesRequest {
        /// The project directory.
        project: String,
        /// The hook's id.
        hook: String,
    }
    /// The reply of `hooks.files`.
    struct HookFilesDoc {
        /// Absolute paths: first the file with the definition, then at most 100 others, sorted.
        files: Vec<String>,
    }
    /// The reply of `hooks.text`: a hook file as it is now.
    struct TextDoc {
        /// The absolute path of the file.
        path: String,
        /// The text of the file; empty if it cannot be read.
        text: String,
        /// The hash of the file's bytes, hexadecimal BLAKE3; `null` if the file does not exist or cannot be read.
        hash: Option<String>,
        /// Dialect id.
        dialect: String,
        /// The lines of each hook of the file, in the order of the text.
        hooks: Vec<HookLines>,
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
        /// Files that look like hook files but belong to no dialect here. They were not read.
        others: Vec<String>,
    }
}
