//! The one list of commands: the router of the window, the browser page and the control socket, and the source of the
//! generated TypeScript, JSON Schemas and `docs/control.md`.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use hookwright_model::{ExplainDoc, ListDoc, SimulateDoc, Trace, args};

use crate::App;
use crate::blocking::all_blocking;
use crate::dto::{
    AddHookRequest, AppState, ApproveRequest, BarsDoc, BarsRequest, CommandLineRequest, DialectsDoc, EditDoc,
    EditHookRequest, Empty, EventRequest, FireRequest, Fixture, FixtureName, FixturesDoc, FixturesRequest, HistoryDoc,
    HistoryRequest, HookRequest, MaskedText, MomentsDoc, MomentsRequest, MuteRequest, PathReply, PathRequest, Pending,
    ProjectRequest, ProjectsDoc, RemoveHookRequest, Removed, ReviewDoc, RunRequest, SaveFixtureRequest, SetRequest,
    SettingsDoc, SimulateRequest, StateRequest, StatsDoc, StatsRequest, Stopped, TextBody, TextDoc, TextReply,
    TextRequest, TraceRequest, TrustDoc, UndoRequest,
};
use crate::fault::{BAD_PARAMS, Fault, UNKNOWN_METHOD};
use crate::pushes::Topic;

/// What is told of a command without calling it.
#[derive(Debug, Clone, Copy)]
pub struct CommandInfo {
    /// Its name.
    pub method: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Name of the request type.
    pub request: &'static str,
    /// Name of the reply type.
    pub reply: &'static str,
    /// What it makes stale.
    pub stales: &'static [Topic],
}

/// Sees every request and reply type of the list.
pub trait TypeVisitor {
    /// One type.
    fn visit<T: ts_rs::TS + schemars::JsonSchema + 'static>(&mut self, name: &'static str);
}

macro_rules! commands {
    ($($(#[doc = $about:literal])+ $method:literal => $handler:ident($request:ident) -> $reply:ident $(, stales $($topic:ident)+)?;)+) => {
        /// All commands.
        pub const LIST: &[CommandInfo] = &[$(CommandInfo {
            method: $method,
            about: concat!($($about),+),
            request: stringify!($request),
            reply: stringify!($reply),
            stales: &[$($(Topic::$topic),+)?],
        }),+];

        /// Shows every type of the list to a visitor.
        pub fn visit_types(visitor: &mut impl TypeVisitor) {
            $(visitor.visit::<$request>(stringify!($request)); visitor.visit::<$reply>(stringify!($reply));)+
        }

        /// Calls a command by name. What it made stale is pushed to everybody who listens.
        ///
        /// # Errors
        /// The command's own fault, or that there is no such command, or that the parameters do not fit.
        pub async fn call(app: &App, method: &str, params: Value) -> Result<Value, Fault> {
            match method {
                $($method => {
                    let request: $request = read($method, params)?;
                    let reply: $reply = match $method {
                        // An event waits for hooks, and for the disk only when something changed.
                        "fire" => app.$handler(request).await?,
                        _ => all_blocking(app.$handler(request)).await?,
                    };
                    let reply = write($method, &reply)?;
                    // A dry run of an edit says that it wrote nothing.
                    if reply.get("written") != Some(&Value::Bool(false)) {
                        app.push_stale(&[$($(Topic::$topic),+)?]);
                    }
                    Ok(reply)
                })+
                other => Err(UNKNOWN_METHOD.render(args! { "method" => other }).into()),
            }
        }
    };
}

commands! {
    /// What the frame and the status bar show.
    "state" => state(StateRequest) -> AppState;
    /// The dialects with their tables.
    "dialects" => dialects(Empty) -> DialectsDoc;
    /// Adds a project to the list and watches it.
    "projects.add" => add_project(PathRequest) -> ProjectsDoc, stales Projects State;
    /// Takes a project off the list; its files stay as they are.
    "projects.remove" => remove_project(PathRequest) -> ProjectsDoc, stales Projects State;
    /// Notes that a project is on screen now.
    "projects.use" => use_project(PathRequest) -> ProjectsDoc, stales Projects;
    /// Copies the sample project into the data folder and adds it.
    "sample.open" => open_sample(Empty) -> PathReply, stales Projects State;
    /// Every hook of every source, with problems.
    "hooks.list" => hooks_list(ProjectRequest) -> ListDoc;
    /// A configuration file as it is now.
    "hooks.text" => hooks_text(TextRequest) -> TextDoc;
    /// Looks at all files anew, without waiting to be told of a change.
    "hooks.refresh" => hooks_refresh(Empty) -> Empty;
    /// Puts a new hook into a file.
    "edit.add" => edit_add(AddHookRequest) -> EditDoc, stales Hooks Trust State;
    /// Changes a hook in its file, or moves it to another one.
    "edit.change" => edit_change(EditHookRequest) -> EditDoc, stales Hooks Trust State;
    /// Takes a hook out of its file.
    "edit.remove" => edit_remove(RemoveHookRequest) -> EditDoc, stales Hooks Trust State;
    /// Puts back what an edit changed, where nobody changed the file since.
    "edit.undo" => edit_undo(UndoRequest) -> Empty, stales Hooks Trust State;
    /// Metrics of every hook.
    "stats" => stats(StatsRequest) -> StatsDoc;
    /// Every hook with every gate it would pass or fail; runs nothing.
    "explain" => explain(EventRequest) -> ExplainDoc;
    /// Payloads to try events with.
    "fixtures" => fixtures(FixturesRequest) -> FixturesDoc;
    /// Saves a payload to try an event with, masked unless said otherwise.
    "fixtures.save" => save_fixture(SaveFixtureRequest) -> Fixture, stales Fixtures;
    /// Removes a saved payload.
    "fixtures.remove" => remove_fixture(FixtureName) -> Removed, stales Fixtures;
    /// Runs an event through its chain and records it.
    "fire" => fire_window(FireRequest) -> Trace;
    /// Stops a run.
    "fire.stop" => fire_stop(RunRequest) -> Stopped;
    /// Plays a scripted conversation through a dialect's lifecycle; `fire.stop` stops it.
    "simulate" => simulate_window(SimulateRequest) -> SimulateDoc;
    /// The same event as a command line.
    "fire.command_line" => command_line(CommandLineRequest) -> TextReply;
    /// A page of the history, newest first.
    "history.page" => history_page(HistoryRequest) -> HistoryDoc;
    /// One trace, complete.
    "history.show" => history_show(TraceRequest) -> Trace;
    /// How many of which outcome, over time.
    "history.bars" => history_bars(BarsRequest) -> BarsDoc;
    /// What became of each event of a dialect: how often, how often it was held, and what was last.
    "history.moments" => history_moments(MomentsRequest) -> MomentsDoc;
    /// What waits for approval, and what has it.
    "trust.list" => trust_list(ProjectRequest) -> TrustDoc;
    /// Everything a person must see before approving.
    "trust.review" => trust_review(HookRequest) -> ReviewDoc;
    /// Approves exactly what the review showed.
    "trust.approve" => trust_approve(ApproveRequest) -> Pending, stales Trust Hooks State;
    /// Takes an approval back.
    "trust.revoke" => trust_revoke(HookRequest) -> Pending, stales Trust Hooks State;
    /// Leaves a hook out; its file stays as it is.
    "mute" => mute(MuteRequest) -> Empty, stales Hooks State;
    /// Takes a mute back.
    "unmute" => unmute(HookRequest) -> Empty, stales Hooks State;
    /// The settings in force.
    "settings.get" => settings_get(Empty) -> SettingsDoc;
    /// Writes one setting back, comments kept.
    "settings.set" => settings_set(SetRequest) -> SettingsDoc, stales Settings State;
    /// Shows what redaction makes of a text.
    "settings.redact" => settings_redact(TextBody) -> MaskedText;
    /// Another process recorded a trace: import it and tell everybody.
    "announce" => announce(TraceRequest) -> Empty;
}

fn read<T: DeserializeOwned>(method: &str, params: Value) -> Result<T, Fault> {
    let params = if params.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        params
    };
    serde_json::from_value(params).map_err(|error| {
        BAD_PARAMS
            .render(args! { "method" => method, "why" => error.to_string() })
            .into()
    })
}

fn write<T: Serialize>(method: &str, reply: &T) -> Result<Value, Fault> {
    serde_json::to_value(reply).map_err(|error| {
        BAD_PARAMS
            .render(args! { "method" => method, "why" => error.to_string() })
            .into()
    })
}
