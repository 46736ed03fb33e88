//! The reply of `state`: what the frame of the window shows.

use hookwright_model::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

dto! {
    /// A request or reply without content.
    struct Empty {}
    /// The request of `state`.
    struct StateRequest {
        /// The directory of the project on screen; absent for the most recent project.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
    }
    /// The reply of `state`: what the status bar and the frame of the window show.
    struct AppState {
        /// The version of the engine.
        version: String,
        /// The engine that answers.
        engine: EngineInfo,
        /// The projects, most recent first.
        projects: Vec<ProjectRow>,
        /// The directory of the project on screen; `null` if there is none.
        project: Option<String>,
        /// Whether the data folder did not exist when the engine started, and there is no project yet.
        first_start: bool,
        /// Whether redaction is on.
        redaction: bool,
        /// Whether changes of files are noticed.
        watching: WatchInfo,
        /// Whether the history works.
        store: StoreInfo,
        /// The number of hooks in this project that wait for a review.
        pending: u32,
        /// Whether prompt hooks can run.
        model: ModelInfo,
        /// The operating system: `linux`, `macos` or `windows`.
        platform: String,
        /// Hookwright's data folder.
        data_dir: String,
        /// Whether this reply is for the desktop window.
        window: bool,
        /// The shell that runs commands.
        shell: String,
    }
    /// The engine that answers.
    struct EngineInfo {
        /// Where the engine runs: `embedded` in the window's process, `attached` in another process, or `serve`.
        mode: String,
        /// The process id of the engine.
        pid: u32,
        /// The path of its control socket; `null` if it has none.
        socket: Option<String>,
        /// Whether it accepts connections on the control socket.
        listening: bool,
    }
    /// A project of the list.
    struct ProjectRow {
        /// The absolute path.
        path: String,
        /// The last part of the path.
        name: String,
        /// Whether the directory exists.
        exists: bool,
    }
    /// Whether changes of files are noticed.
    struct WatchInfo {
        /// The number of watched roots.
        sources: u32,
        /// How many of the roots exist. The others were not created yet, or were removed.
        there: u32,
        /// Whether changes are noticed at once.
        live: bool,
        /// The English message why changes are not noticed at once; `null` if they are.
        why: Option<String>,
        /// The code of the message.
        code: Option<String>,
        /// The arguments of the message, for other languages.
        #[ts(type = "Record<string, unknown>")]
        args: Args,
    }
    /// Whether the history works.
    struct StoreInfo {
        /// The number of traces in the database.
        traces: u32,
        /// The size of the history on disk, in bytes.
        #[ts(type = "number")]
        bytes: u64,
        /// Whether events are recorded completely.
        ok: bool,
        /// The English message why they are not, or a recent notice about the history's files; `null` if there is none.
        why: Option<String>,
        /// The code of the message.
        code: Option<String>,
        /// The arguments of the message, for other languages.
        #[ts(type = "Record<string, unknown>")]
        args: Args,
        /// The number of traces without payloads and streams, because the disk or the spool was full.
        dropped_bodies: u32,
        /// The number of events that this engine could not record at all.
        dropped_traces: u32,
    }
    /// Whether prompt hooks can run.
    struct ModelInfo {
        /// Whether a model endpoint is configured.
        configured: bool,
        /// The English message why none is configured; `null` if one is.
        why: Option<String>,
        /// The code of the message.
        code: Option<String>,
        /// The arguments of the message, for other languages.
        #[ts(type = "Record<string, unknown>")]
        args: Args,
    }
}
