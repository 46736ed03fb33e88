//! What the frame of the window shows, and what it is asked with.

use hookwright_model::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

dto! {
    /// Nothing is asked or answered.
    struct Empty {}
    /// `state`
    struct StateRequest {
        /// The project on screen.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
    }
    /// What the status bar and the frame show.
    struct AppState {
        /// Version of the program.
        version: String,
        /// The engine behind this window.
        engine: EngineInfo,
        /// Projects, most recent first.
        projects: Vec<ProjectRow>,
        /// The project on screen.
        project: Option<String>,
        /// Nobody has used this data folder yet.
        first_start: bool,
        /// Whether redaction is on.
        redaction: bool,
        /// Watching.
        watching: WatchInfo,
        /// The history.
        store: StoreInfo,
        /// Hooks that wait for a review in this project.
        pending: u32,
        /// The model for prompt hooks.
        model: ModelInfo,
        /// `linux`, `macos`, `windows`.
        platform: String,
        /// Our data folder.
        data_dir: String,
        /// Whether this is the desktop window.
        window: bool,
        /// The shell that commands run in.
        shell: String,
    }
    /// The engine behind a window.
    struct EngineInfo {
        /// `embedded`, `attached` or `serve`.
        mode: String,
        /// Its process id.
        pid: u32,
        /// The control socket it listens on.
        socket: Option<String>,
        /// Whether it listens.
        listening: bool,
    }
    /// A project in the switcher.
    struct ProjectRow {
        /// Absolute path.
        path: String,
        /// Last part of the path.
        name: String,
        /// Whether the folder is there.
        exists: bool,
    }
    /// Whether configuration changes are seen.
    struct WatchInfo {
        /// Places that are watched.
        sources: u32,
        /// How many of them are there; at the others nothing has been made yet, or nothing is left.
        there: u32,
        /// At once.
        live: bool,
        /// Why not at once.
        why: Option<String>,
        /// The sentence's code.
        code: Option<String>,
        /// What fills the sentence.
        #[ts(type = "Record<string, unknown>")]
        args: Args,
    }
    /// Whether the history works.
    struct StoreInfo {
        /// Recorded traces.
        traces: u32,
        /// Size on disk.
        #[ts(type = "number")]
        bytes: u64,
        /// Whether it records.
        ok: bool,
        /// Why not.
        why: Option<String>,
        /// The sentence's code.
        code: Option<String>,
        /// What fills the sentence.
        #[ts(type = "Record<string, unknown>")]
        args: Args,
        /// Payloads and streams that were not kept because the disk or the spool was full.
        dropped_bodies: u32,
        /// Events that this engine could not record at all.
        dropped_traces: u32,
    }
    /// Whether prompt hooks can run.
    struct ModelInfo {
        /// They can.
        configured: bool,
        /// Why not.
        why: Option<String>,
        /// The sentence's code.
        code: Option<String>,
        /// What fills the sentence.
        #[ts(type = "Record<string, unknown>")]
        args: Args,
    }
}
