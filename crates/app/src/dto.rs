//! Requests and replies of the commands (`commands`), beside the documents of `model`.

use std::collections::BTreeMap;

use hookwright_model::problem::Problem;
use hookwright_model::trace::TraceRow;
use hookwright_model::{Args, Outcome, Payload, VerdictKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use ts_rs::TS;

pub use crate::life::{
    MapArea, MapBox, MapInfo, MapNode, MapSide, MapWay, MapWords, MomentRow, MomentsDoc, MomentsRequest,
};

macro_rules! dto {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$field_meta:meta])* $field:ident : $ty:ty,)* })+) => {
        $($(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, TS)]
        pub struct $name { $($(#[$field_meta])* pub $field: $ty,)* })+
    };
}

/// What an output does to the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum OutputDoes {
    /// It replaces something of the payload.
    Replaces,
    /// It adds something beside it.
    Adds,
    /// It tells the person something.
    Tells,
    /// It is written down, nothing else.
    Records,
    /// It decides, or goes with a decision.
    Steers,
}

mod edit;

pub use edit::{AddHookRequest, EditDoc, EditHookRequest, EditStep, RemoveHookRequest, UndoRequest};

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
        /// When it was last on screen or fired at, RFC 3339.
        last_used: Option<String>,
    }
    /// Whether configuration changes are seen.
    struct WatchInfo {
        /// Places that are watched.
        sources: u32,
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
        /// Payloads and streams that were not kept because the disk was full.
        dropped_bodies: u32,
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

    /// `dialects`
    struct DialectsDoc {
        /// All of them.
        dialects: Vec<DialectInfo>,
    }
    /// A dialect's tables, for labels, completion and legality.
    struct DialectInfo {
        /// Id.
        id: String,
        /// The agent's name.
        name: String,
        /// Two letters.
        tag: String,
        /// What kind of hooks these are.
        about: Bilingual,
        /// The event that people try first.
        first: String,
        /// Names of the payload fields that every event has.
        common: Vec<String>,
        /// The payload field that names the tool an event is about.
        tool_field: String,
        /// The field that switches a hook on and off in its file; `null` where there is none.
        switch: Option<String>,
        /// Where hooks can be put: `user`, `project`, `local`, `skill`; empty where no file is changed.
        shelves: Vec<String>,
        /// Events in the order of an agent's life.
        events: Vec<EventInfo>,
        /// The picture of the agent's life.
        map: MapInfo,
    }
    /// A row of a dialect's event table.
    struct EventInfo {
        /// Event.
        name: String,
        /// Part of the agent's life.
        group: Bilingual,
        /// What the moment is.
        about: Bilingual,
        /// Everything hooks return is ignored.
        notify_only: bool,
        /// Payload fields, common ones first.
        fields: Vec<FieldInfo>,
        /// Outputs.
        accepts: Vec<OutputInfo>,
        /// Verdicts.
        verdicts: Vec<VerdictKind>,
        /// In which order its hooks run.
        order: Bilingual,
        /// Time for the whole chain, in milliseconds; `null` where there is no limit.
        #[ts(type = "number | null")]
        budget_ms: Option<u64>,
    }
    /// A field of a payload.
    struct FieldInfo {
        /// Its name.
        name: String,
        /// Its shape.
        kind: String,
        /// What it means.
        about: Bilingual,
    }
    /// A field that an event accepts in a hook's answer.
    struct OutputInfo {
        /// Its name.
        name: String,
        /// Its shape.
        kind: String,
        /// What it does.
        does: OutputDoes,
        /// What it means.
        about: Bilingual,
    }
    /// A text in both languages.
    struct Bilingual {
        /// English.
        en: String,
        /// Simplified Chinese.
        zh: String,
    }

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

    /// `stats`
    struct StatsRequest {
        /// Only this project's and the person's hooks.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
        /// How far back, in milliseconds.
        since_ms: f64,
    }
    /// `stats --json`
    struct StatsDoc {
        /// From when, RFC 3339.
        since: String,
        /// One row a project, hook and definition.
        hooks: Vec<StatsRow>,
    }
    /// Metrics of one hook's definition.
    struct StatsRow {
        /// Hook id.
        hook: String,
        /// `null` for the person's own files.
        project: Option<String>,
        /// What people call it.
        label: String,
        /// Tells the definition from an earlier or later one, as in `list` and in traces; empty where it is not known.
        version: String,
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// Times it ran.
        runs: u32,
        /// How often each outcome was seen.
        outcomes: BTreeMap<Outcome, u32>,
        /// Attempts.
        attempts: u32,
        /// Sum of run times.
        total_ms: f64,
        /// Median run time.
        p50_ms: f64,
        /// 95th percentile.
        p95_ms: f64,
        /// 99th percentile.
        p99_ms: f64,
        /// Slowest.
        max_ms: f64,
        /// Runs that were cut by their limit.
        timeouts: u32,
        /// Characters its edits and additions added.
        #[ts(type = "number")]
        chars_added: u64,
        /// The dialect's own counters.
        #[ts(type = "Record<string, number>")]
        native: BTreeMap<String, Number>,
        /// The last 16 hours, oldest first.
        bars: Vec<Bar>,
    }
    /// What happened in one span of time.
    struct Bar {
        /// Its begin, RFC 3339.
        at: String,
        /// How often each outcome was seen.
        outcomes: BTreeMap<Outcome, u32>,
    }

    /// An event to look at without running anything.
    struct EventRequest {
        /// The project.
        project: String,
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// The payload; common fields are filled in.
        #[serde(default)]
        #[ts(type = "Record<string, unknown>")]
        payload: Payload,
    }

    /// `fixtures`
    struct FixturesRequest {
        /// The project.
        project: String,
        /// Only this dialect.
        #[serde(default)] #[ts(optional)]
        dialect: Option<String>,
    }
    /// Payloads to try events with.
    struct FixturesDoc {
        /// One or more an event.
        fixtures: Vec<Fixture>,
        /// Saved files that are no payload.
        problems: Vec<Problem>,
    }
    /// A payload to try an event with.
    struct Fixture {
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// Its name.
        name: String,
        /// What the moment is.
        about: Bilingual,
        /// The person saved it.
        saved: bool,
        /// Something was masked when it was saved just now.
        redacted: bool,
        /// The payload.
        #[ts(type = "Record<string, unknown>")]
        payload: Payload,
    }
    /// `fixtures.save`
    struct SaveFixtureRequest {
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// Its name, good as a file name.
        name: String,
        /// The payload.
        #[ts(type = "Record<string, unknown>")]
        payload: Payload,
        /// Save it as it is, secrets included.
        #[serde(default)]
        keep_secrets: bool,
    }
    /// `fixtures.remove`
    struct FixtureName {
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// Its name.
        name: String,
    }

    /// `fire`
    struct FireRequest {
        /// A name for this run, to stop it by.
        run: String,
        /// The project.
        project: String,
        /// Dialect id.
        dialect: String,
        /// Event.
        event: String,
        /// The payload; common fields are filled in.
        #[ts(type = "Record<string, unknown>")]
        payload: Payload,
        /// A session's name; shares no state with it.
        #[serde(default)] #[ts(optional)]
        session: Option<String>,
    }
    /// `simulate`
    struct SimulateRequest {
        /// A name for this run, to stop it by.
        run: String,
        /// The project.
        project: String,
        /// The scenario, YAML or JSON.
        text: String,
    }
    /// `fire.stop`
    struct RunRequest {
        /// The run's name.
        run: String,
    }
    /// Whether there was something to stop.
    struct Stopped {
        /// There was.
        stopped: bool,
    }
    /// Whether there was something to remove.
    struct Removed {
        /// There was.
        removed: bool,
    }
    /// A text to copy.
    struct TextReply {
        /// The text.
        text: String,
    }

    /// `history.page`
    #[derive(Default)]
    struct HistoryRequest {
        /// Only of this project.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
        /// At most this many.
        limit: u32,
        /// The `next` of the page before.
        #[serde(default)] #[ts(optional)]
        after: Option<String>,
        /// Only this dialect.
        #[serde(default)] #[ts(optional)]
        dialect: Option<String>,
        /// Only this event.
        #[serde(default)] #[ts(optional)]
        event: Option<String>,
        /// Only traces with a step of this outcome.
        #[serde(default)] #[ts(optional)]
        outcome: Option<Outcome>,
        /// Only traces with this verdict.
        #[serde(default)] #[ts(optional)]
        verdict: Option<VerdictKind>,
        /// Only traces with a step of this hook.
        #[serde(default)] #[ts(optional)]
        hook: Option<String>,
    }
    /// `history --json`
    struct HistoryDoc {
        /// Newest first.
        traces: Vec<TraceRow>,
        /// For the next page; `null` at the end.
        next: Option<String>,
    }
    /// `history.show`
    struct TraceRequest {
        /// A trace id.
        trace: String,
    }
    /// `history.bars`
    struct BarsRequest {
        /// Only of this project.
        #[serde(default)] #[ts(optional)]
        project: Option<String>,
        /// How far back, in milliseconds.
        since_ms: f64,
        /// How many spans.
        buckets: u32,
    }
    /// A histogram.
    struct BarsDoc {
        /// Oldest first.
        buckets: Vec<Bar>,
    }

    /// `trust --list --json`
    struct TrustDoc {
        /// What waits for a person.
        pending: Vec<TrustItem>,
        /// What was approved.
        approved: Vec<TrustItem>,
    }
    /// Something that needs or has an approval.
    struct TrustItem {
        /// `hook`, `test`, `session_hook` or `agent_program`.
        kind: String,
        /// Hook id.
        hook: String,
        /// Canonical project.
        project: String,
        /// The definition's normalised text.
        definition: String,
        /// Covered files.
        files: Vec<FileHash>,
        /// What was approved before under this id.
        old: Option<OldContent>,
    }
    /// A covered file.
    struct FileHash {
        /// Absolute path.
        path: String,
        /// Hash of its bytes, hexadecimal BLAKE3.
        hash: String,
    }
    /// What was approved before.
    struct OldContent {
        /// The definition's normalised text.
        definition: String,
        /// Covered files.
        files: Vec<FileHash>,
        /// When, RFC 3339.
        at: String,
    }
    /// A hook of a project.
    struct HookRequest {
        /// The project.
        project: String,
        /// Hook id.
        hook: String,
    }
    /// Everything a person must see before approving.
    struct ReviewDoc {
        /// Hook id.
        hook: String,
        /// Event.
        event: String,
        /// What people call it.
        label: String,
        /// The configuration file and line.
        path: String,
        /// Line from 1.
        line: u32,
        /// The definition's normalised text.
        definition: String,
        /// What an approval of exactly this would be for.
        fingerprint: String,
        /// Covered files in full.
        files: Vec<ReviewFile>,
        /// What is not covered, sentence by sentence.
        not_covered: Vec<Sentence>,
        /// Whether it is approved as it stands.
        trusted: bool,
        /// What was approved before under this id.
        old: Option<OldContent>,
    }
    /// A covered file in full.
    struct ReviewFile {
        /// Absolute path.
        path: String,
        /// Hash of its bytes.
        hash: String,
        /// Its text; `null` when it is not UTF-8 or over 1 MiB.
        text: Option<String>,
        /// Size in bytes.
        #[ts(type = "number")]
        size: u64,
    }
    /// A sentence of ours.
    struct Sentence {
        /// English.
        why: String,
        /// Its code.
        code: String,
        /// What fills it in another language.
        #[ts(type = "Record<string, unknown>")]
        args: Args,
    }
    /// `trust.approve`
    struct ApproveRequest {
        /// The project.
        project: String,
        /// Hook id.
        hook: String,
        /// The fingerprint that the review showed.
        fingerprint: String,
    }
    /// How many wait for a review now.
    struct Pending {
        /// Their number in this project.
        pending: u32,
    }

    /// `mute`
    struct MuteRequest {
        /// The project.
        project: String,
        /// Hook id.
        hook: String,
        /// For how long, in milliseconds; for good when absent.
        #[serde(default)] #[ts(optional)]
        for_ms: Option<f64>,
    }

    /// The settings as they are in force.
    struct SettingsDoc {
        /// The tree of `settings.toml`, defaults filled in, keys left out that hold secrets.
        #[ts(type = "Record<string, Record<string, unknown>>")]
        values: Value,
        /// What is wrong with the file.
        problems: Vec<Problem>,
        /// The file.
        path: String,
    }
    /// `settings.set`
    struct SetRequest {
        /// `ui.theme`
        key: String,
        /// The value; `null` takes the key out.
        #[ts(type = "unknown")]
        value: Value,
    }
    /// A text.
    struct TextBody {
        /// The text.
        text: String,
    }
    /// A text with secrets masked.
    struct MaskedText {
        /// The text.
        text: String,
        /// How many places were masked.
        masked: u32,
    }

    /// `check --json`
    struct CheckDoc {
        /// What was found.
        problems: Vec<Problem>,
        /// What was looked at.
        checked: Vec<String>,
    }
}
