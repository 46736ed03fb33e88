//! Where the problems of a hook's output come from.

use hookwright_model::FileFix;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

dto! {
    /// The request of `output.origins`.
    struct OutputOriginsRequest {
        /// The project directory.
        project: String,
        /// The id of a recorded trace.
        trace: String,
    }
    /// The reply of `output.origins`.
    struct OutputOriginsDoc {
        /// The problems of which a file is known.
        origins: Vec<ProblemOrigin>,
    }
    /// Where one problem of an output comes from, in the files of the hook as they are now.
    struct ProblemOrigin {
        /// The step, as an index in `steps` of the trace.
        step: u32,
        /// The attempt, as an index in `attempts` of the step.
        attempt: u32,
        /// The problem, as an index in `output_problems` of the attempt.
        problem: u32,
        /// The present id of the hook.
        hook: String,
        /// The file that writes it, absolute: a script of the hook, or the file with its definition.
        path: String,
        /// Whether it is a script.
        script: bool,
        /// The line that writes it, from 1; `null` if only the file is known.
        line: Option<u32>,
        /// Changes of the file that are certain to correct it.
        fixes: Vec<FileFix>,
    }
}
