//! The only list of commands. The window, the browser page and the control socket call commands through it. The
//! TypeScript, the JSON schemas and `docs/control.md` are generated from it.

use hookwright_model::{EditDoc, ExplainDoc, HookListDoc, SimulateDoc, StatusDoc, Trace, UndoDoc, exact_json, render};
use hookwright_workspace::blocking::all_blocking;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::agent_commands::{
    AgentDisconnectRequest, AgentFireDoc, AgentFireRequest, AgentLogDoc, AgentLogRequest, AgentsDoc,
};
use crate::app::App;
use crate::dto::{
    AddHookRequest, AddSampleRequest, AgentConnectRequest, AppState, ApproveRequest, BarsDoc, BarsRequest,
    ChainStopRequest, ChainsDoc, ChangeTextDoc, ChangeTextRequest, CheckTextDoc, CheckTextRequest, CommandLineRequest,
    ConvertDoc, ConvertHookRequest, DefinitionsDoc, DialectsDoc, EditHookRequest, EditListDoc, EditListRequest, Empty,
    EventRequest, FireRequest, FixRequest, Fixture, FixtureName, FixturesDoc, FixturesRequest, GoneRequest, GuardDoc,
    GuardRequest, HistoryDoc, HistoryMatchDoc, HistoryMatchRequest, HistoryRequest, HookFilesDoc, HookFilesRequest,
    HookRequest, ListRequest, MaskedText, ModelTestDoc, MomentsDoc, MomentsRequest, MuteRequest, OutputOriginsDoc,
    OutputOriginsRequest, PathReply, PathRequest, Pending, ProjectRequest, ProjectsDoc, PromptRenderDoc,
    PromptRenderRequest, PromptRunDoc, PromptRunRequest, ReadScenarioDoc, ReadScenarioRequest, RemoveHookRequest,
    Removed, RestoreGoneRequest, ReviewDoc, RunRequest, SamplesDoc, SaveFixtureRequest, SaveScenarioRequest,
    SaveTextRequest, ScenariosDoc, SessionScenarioDoc, SessionScenarioRequest, SetRequest, SettingsDoc,
    SimulateRequest, StateRequest, StatsDoc, StatsRequest, Stopped, TemplatesDoc, TemplatesRequest, TextBody, TextDoc,
    TextReply, TextRequest, TraceRequest, TrustDoc, TrustTextsDoc, TryHookRequest, TurnOffRequest, TurnOnRequest,
    UndoRequest,
};
use crate::fault::{BAD_PARAMS, Fault, UNKNOWN_METHOD};
use crate::pushes::Topic;
use crate::{
    agent_commands, chain_commands, convert, definitions, dialects, edit_commands, explain, fire, fixtures, gone,
    guards, history, history_match, hook_templates, hooks, model_test, mute_commands, output_origins, overview,
    projects, prompts, review, sample_project, samples, scenario_commands, simulate, state, stats, text_commands,
    trust_texts,
};

/// The description of a command.
#[derive(Debug, Clone, Copy)]
pub struct CommandInfo {
    /// The name by which it is called, such as `hooks.list`.
    pub method: &'static str,
    /// A short text that says what the command does.
    pub about: &'static str,
    /// The name of the request type.
    pub request: &'static str,
    /// The name of the reply type.
    pub reply: &'static str,
    /// What the reply depends on. If one of these topics is stale, the reply is.
    pub reads: &'static [Topic],
    /// What the window must query again after a call.
    pub stales: &'static [Topic],
}

/// Receives every request type and reply type of the list.
pub trait TypeVisitor {
    /// Receives one type and its name.
    fn visit<T: ts_rs::TS + schemars::JsonSchema + 'static>(&mut self, name: &'static str);
}

/// How a command runs. One that waits for the disk lets the other tasks of its worker move on. One that waits for hooks,
/// an agent or a model is polled often and for long, so it says itself where it waits for the disk.
macro_rules! run {
    (blocking $work:expr) => {
        all_blocking($work)
    };
    (async $work:expr) => {
        $work
    };
}

macro_rules! commands {
    ($($(#[doc = $about:literal])+ $method:literal => $wait:ident $($handler:ident)::+($request:ident) -> $reply:ident
        $(, reads $($read:ident)+)? $(, stales $($topic:ident)+)?;)+) => {
        /// All commands, in the order of `docs/control.md`.
        pub const LIST: &[CommandInfo] = &[$(CommandInfo {
            method: $method,
            about: concat!($($about),+),
            request: stringify!($request),
            reply: stringify!($reply),
            reads: &[$($(Topic::$read),+)?],
            stales: &[$($(Topic::$topic),+)?],
        }),+];

        /// Calls the visitor for every type of the list. A type that is used several times is visited several times.
        pub fn visit_types(visitor: &mut impl TypeVisitor) {
            $(visitor.visit::<$request>(stringify!($request)); visitor.visit::<$reply>(stringify!($reply));)+
        }

        /// Calls a command by name, and pushes to all subscribers what became stale.
        ///
        /// # Errors
        /// The fault of the command. Also an unknown command, or parameters of the wrong form.
        pub async fn call(app: &App, method: &str, params: Value) -> Result<Value, Fault> {
            match method {
                $($method => {
                    let request: $request = read($method, params)?;
                    let reply: $reply = run!($wait $($handler)::+(app, request)).await?;
                    let reply = exact_json::to_value(&reply);
                    // The reply of an edit that only was a dry run contains `written: false`.
                    if reply.get("written") != Some(&Value::Bool(false)) {
                        app.push_stale(&[$($(Topic::$topic),+)?]);
                    }
                    Ok(reply)
                })+
                other => Err(render!(UNKNOWN_METHOD, "method" => other).into()),
            }
        }
    };
}

commands! {
    /// Returns what the frame and the status bar of the window show.
    "state" => blocking state::state(StateRequest) -> AppState, reads State Projects Trust Settings History;
    /// Lists the dialects with their tables.
    "dialects" => blocking dialects::dialects(Empty) -> DialectsDoc;
    /// Returns the schema of each dialect's hook files: fields, values, defaults and help.
    "definitions" => blocking definitions::definitions(Empty) -> DefinitionsDoc;
    /// Adds a project to the list and watches it.
    "projects.add" => blocking projects::add_project(PathRequest) -> ProjectsDoc, stales Projects State;
    /// Removes a project from the list. Its files are not changed.
    "projects.remove" => blocking projects::remove_project(PathRequest) -> ProjectsDoc, stales Projects State;
    /// Moves a project to the top of the list, because it is on screen now.
    "projects.use" => blocking projects::use_project(PathRequest) -> ProjectsDoc, stales Projects;
    /// Copies the sample project into the data folder and adds it to the list.
    "sample.open" => blocking sample_project::open_sample(Empty) -> PathReply, stales Projects State;
    /// Lists the samples: hooks with their scripts, to read and to add.
    "samples.list" => blocking samples::samples_list(Empty) -> SamplesDoc;
    /// Adds a sample's hooks with their scripts, as one edit. Nothing is overwritten.
    "samples.add" => blocking samples::samples_add(AddSampleRequest) -> EditDoc, stales Hooks Trust State;
    /// Lists what a new hook can begin with at an event.
    "templates.list" => blocking hook_templates::templates_list(TemplatesRequest) -> TemplatesDoc;
    /// Makes the hook that blocks a recorded event, with its script. It writes nothing.
    "guards.draft" => blocking guards::guards_draft(GuardRequest) -> GuardDoc;
    /// Fires an event with only a hook that is not saved, in an empty folder. Nothing is recorded. `fire.stop` stops it.
    "hooks.try" => async guards::hooks_try(TryHookRequest) -> Trace;
    /// Lists every hook of every source, and the problems. Without a project, only the user's own hooks.
    "hooks.list" => blocking hooks::hooks_list(ListRequest) -> HookListDoc, reads Hooks Trust Projects Settings Stats;
    /// Returns what needs the user, the worst first: the same as `hookwright status`. Without a project, of the user's own hooks.
    "overview" => blocking overview::overview(ListRequest) -> StatusDoc, reads Hooks Trust Projects Settings Stats;
    /// Returns the text of a hook file as it is now.
    "hooks.text" => blocking text_commands::hooks_text(TextRequest) -> TextDoc, reads Hooks;
    /// Lists the files of a hook: its definition, the scripts that its command names, the files of its folder.
    "hooks.files" => blocking text_commands::hooks_files(HookFilesRequest) -> HookFilesDoc, reads Hooks;
    /// Converts a hook to another dialect: new files and a loss report. With a folder, the files are written there; nothing is overwritten.
    "hooks.convert" => blocking convert::hooks_convert(ConvertHookRequest) -> ConvertDoc, reads Hooks, stales Hooks Trust State;
    /// Checks all files for changes now, without waiting for an event of the system.
    "hooks.refresh" => blocking hooks::hooks_refresh(Empty) -> Empty;
    /// Adds a hook to a file, with files that come along.
    "edit.add" => blocking edit_commands::edit_add(AddHookRequest) -> EditDoc, stales Hooks Trust State;
    /// Changes a hook in its file, or moves it to another file.
    "edit.change" => blocking edit_commands::edit_change(EditHookRequest) -> EditDoc, stales Hooks Trust State;
    /// Removes a hook from its file.
    "edit.remove" => blocking edit_commands::edit_remove(RemoveHookRequest) -> EditDoc, stales Hooks Trust State;
    /// Turns a hook off for the agent. Where its dialect has no field for it, the definition is removed from its file and kept.
    "hook.turn_off" => blocking edit_commands::hook_turn_off(TurnOffRequest) -> EditDoc, stales Hooks Trust State;
    /// Turns a hook on for the agent. A definition that was removed from its file is restored in its place.
    "hook.turn_on" => blocking edit_commands::hook_turn_on(TurnOnRequest) -> EditDoc, stales Hooks Trust State;
    /// Adds a guard again that another program removed from its file, after the others of its list.
    "gone.restore" => blocking gone::gone_restore(RestoreGoneRequest) -> EditDoc, stales Hooks Trust State;
    /// Accepts that a guard was removed from its file.
    "gone.accept" => blocking gone::gone_accept(GoneRequest) -> Empty, stales Hooks State;
    /// Corrects a script that cannot start (its executable bits, its line endings, its `#!` line) or whose answer cannot be read, or a field of a definition.
    "edit.fix" => blocking edit_commands::edit_fix(FixRequest) -> EditDoc, stales Hooks Trust State;
    /// Changes fields of a hook in an unsaved text. Comments and formatting stay. It writes nothing.
    "edit.fields" => blocking text_commands::edit_fields(ChangeTextRequest) -> ChangeTextDoc;
    /// Shows what an unsaved text of a hook file would define, and its problems. It writes nothing.
    "edit.check" => blocking text_commands::edit_check(CheckTextRequest) -> CheckTextDoc, reads Hooks Trust;
    /// Saves the whole text of a hook file, if the file did not change since it was read.
    "edit.save" => blocking text_commands::edit_save(SaveTextRequest) -> EditDoc, stales Hooks Trust State;
    /// Lists the edits of the last 30 days, the latest first, and whether each can be undone now.
    "edit.list" => blocking edit_commands::edit_list(EditListRequest) -> EditListDoc, reads Hooks;
    /// Undoes an edit, if its files did not change since.
    "edit.undo" => blocking edit_commands::edit_undo(UndoRequest) -> UndoDoc, stales Hooks Trust State;
    /// Returns the metrics of hooks in a period, and over time where that is asked for.
    "stats" => blocking stats::stats(StatsRequest) -> StatsDoc, reads Stats Hooks;
    /// Shows for every hook which gates it would pass or fail. It runs nothing.
    "explain" => blocking explain::explain(EventRequest) -> ExplainDoc, reads Hooks Trust Settings Stats;
    /// Lists payloads to try events with.
    "fixtures" => blocking fixtures::fixtures(FixturesRequest) -> FixturesDoc, reads Hooks Fixtures;
    /// Saves a payload to try an event with. Secrets are masked, unless the request keeps them.
    "fixtures.save" => blocking fixtures::save_fixture(SaveFixtureRequest) -> Fixture, stales Fixtures;
    /// Removes a saved payload.
    "fixtures.remove" => blocking fixtures::remove_fixture(FixtureName) -> Removed, stales Fixtures;
    /// Runs the chain of an event and records it.
    "fire" => async fire::fire_window(FireRequest) -> Trace;
    /// Stops a run.
    "fire.stop" => blocking fire::fire_stop(RunRequest) -> Stopped;
    /// Lists the chains that run now, with the steps that have ended and what the present one writes to stderr.
    "chains.list" => blocking chain_commands::chains_list(Empty) -> ChainsDoc, reads Chains;
    /// Stops a running chain by the id of its trace, also that of an agent's event.
    "chains.stop" => blocking chain_commands::chains_stop(ChainStopRequest) -> Stopped;
    /// Simulates a scripted conversation through an agent's lifecycle. `fire.stop` stops it.
    "simulate" => async simulate::simulate_window(SimulateRequest) -> SimulateDoc;
    /// Lists the scenarios of the samples and of a project.
    "scenarios" => blocking scenario_commands::scenarios(ProjectRequest) -> ScenariosDoc, reads Fixtures;
    /// Reads a scenario from its text, after changes of its values. Everything else in the text stays as it is.
    "scenarios.read" => blocking scenario_commands::read_scenario(ReadScenarioRequest) -> ReadScenarioDoc;
    /// Makes the text of a scenario from recorded events of one session, oldest first.
    "scenarios.from_session" => blocking scenario_commands::scenario_from_session(SessionScenarioRequest) -> SessionScenarioDoc;
    /// Saves a scenario as a file of a project.
    "scenarios.save" => blocking scenario_commands::save_scenario(SaveScenarioRequest) -> EditDoc, stales Fixtures Hooks Trust State;
    /// Returns a shell command that fires the same event.
    "fire.command_line" => blocking fire::command_line(CommandLineRequest) -> TextReply;
    /// Returns a page of the history, newest first.
    "history.page" => blocking history::history_page(HistoryRequest) -> HistoryDoc, reads History;
    /// Returns one complete trace.
    "history.show" => blocking history::history_show(TraceRequest) -> Trace;
    /// Finds the lines of the hooks' files that wrote what is wrong with the outputs of a recorded event, and fixes for them.
    "output.origins" => blocking output_origins::output_origins(OutputOriginsRequest) -> OutputOriginsDoc, reads Hooks;
    /// Counts how many of the last recorded events a filter would match. It runs nothing.
    "history.match" => blocking history_match::history_match(HistoryMatchRequest) -> HistoryMatchDoc, reads Hooks History;
    /// Counts the outcomes over time.
    "history.bars" => blocking history::history_bars(BarsRequest) -> BarsDoc, reads History Stats;
    /// Shows for each event of a dialect how often it fired, how often it was blocked, and its last trace.
    "history.moments" => blocking history::history_moments(MomentsRequest) -> MomentsDoc, reads History Stats;
    /// Lists the hooks that wait for approval, and those that are approved or denied.
    "trust.list" => blocking review::trust_list(ProjectRequest) -> TrustDoc, reads Trust Hooks;
    /// Returns everything that the user must see before approving a hook.
    "trust.review" => blocking review::trust_review(HookRequest) -> ReviewDoc, reads Trust Hooks;
    /// Returns the approved and the present texts of a hook's definition and covered files.
    "trust.texts" => blocking trust_texts::trust_texts(HookRequest) -> TrustTextsDoc, reads Trust Hooks;
    /// Approves exactly the content that the review showed.
    "trust.approve" => blocking review::trust_approve(ApproveRequest) -> Pending, stales Trust Hooks State;
    /// Denies exactly the content that the review showed. The hook does not run, and no longer waits for approval.
    "trust.deny" => blocking review::trust_deny(ApproveRequest) -> Pending, stales Trust Hooks State;
    /// Revokes an approval or a denial.
    "trust.revoke" => blocking review::trust_revoke(HookRequest) -> Pending, stales Trust Hooks State;
    /// Lists the sessions of connected agents, and those that are kept.
    "agents.list" => blocking agent_commands::agents_list(Empty) -> AgentsDoc, reads Agents Trust;
    /// Fires an event at a connected agent, which runs its own hooks, and in this engine for comparison. `fire.stop` stops it.
    "agents.fire" => async agent_commands::agents_fire(AgentFireRequest) -> AgentFireDoc, reads Agents;
    /// Returns the last lines between an agent and the engine, with secrets masked. They are in memory only.
    "agents.log" => blocking agent_commands::agents_log(AgentLogRequest) -> AgentLogDoc;
    /// Ends a session: its hooks end, its events are stopped and its connections are closed.
    "agents.disconnect" => blocking agent_commands::agents_disconnect(AgentDisconnectRequest) -> AgentsDoc, stales Agents Trust Hooks State;
    /// Adds the relay to the user's files of an agent, at every event. `edit.undo` gives back what was there.
    "agents.connect" => blocking edit_commands::agents_connect(AgentConnectRequest) -> EditDoc, stales Hooks Trust State;
    /// Mutes a hook. Its file is not changed.
    "mute" => blocking mute_commands::mute(MuteRequest) -> Empty, stales Hooks State;
    /// Ends the mute of a hook.
    "unmute" => blocking mute_commands::unmute(HookRequest) -> Empty, stales Hooks State;
    /// Returns the settings in force.
    "settings.get" => blocking state::settings_get(Empty) -> SettingsDoc, reads Settings;
    /// Writes one setting to `settings.toml`. Comments are kept.
    "settings.set" => blocking state::settings_set(SetRequest) -> SettingsDoc, stales Settings State;
    /// Shows a text as redaction would mask it.
    "settings.redact" => blocking state::settings_redact(TextBody) -> MaskedText;
    /// Sends a short prompt to the model endpoint of the settings. `fire.stop` stops it.
    "model.test" => async model_test::model_test(RunRequest) -> ModelTestDoc;
    /// Fills a prompt template with a recorded event, or with the sample payload of the event. It asks no model.
    "prompt.render" => blocking prompts::prompt_render(PromptRenderRequest) -> PromptRenderDoc, reads Settings;
    /// Asks the model of the settings several times about one event. Each response is pushed. `fire.stop` stops it.
    "prompt.run" => async prompts::run::prompt_run(PromptRunRequest) -> PromptRunDoc;
    /// Imports a trace that another process recorded, and pushes it to all subscribers.
    "announce" => blocking history::announce(TraceRequest) -> Empty;
}

fn read<T: DeserializeOwned>(method: &str, params: Value) -> Result<T, Fault> {
    let params = if params.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        params
    };
    // The error names the field.
    serde_path_to_error::deserialize(params)
        .map_err(|error| render!(BAD_PARAMS, "method" => method, "why" => error.to_string()).into())
}
