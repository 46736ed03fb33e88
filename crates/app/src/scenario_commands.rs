//! The commands for scenario files: those of the samples and of a project, their changes in a form, and saving them.

use std::path::Path;

use hookwright_dialects::lookup::find_dialect;
use hookwright_dialects::recorded_turns::recorded_turns;
use hookwright_dialects::splice::{self, Format, Op, PathStep, key};
use hookwright_model::{EditDoc, Turn, TurnStep, exact_json};
use hookwright_workspace::edit::WriteMode;
use hookwright_workspace::edit::scenario_edit::{self, ScenarioEdit};
use hookwright_workspace::edit::text_edit::read_with_hash;
use serde_json::{Map, Value};

use crate::app::App;
use crate::dto::{
    PathPart, ProjectRequest, ReadScenarioDoc, ReadScenarioRequest, SaveScenarioRequest, ScenarioChange,
    ScenarioProblem, ScenarioRow, ScenariosDoc, SessionScenarioDoc, SessionScenarioRequest, TraceRequest,
};
use crate::edit_commands::to_answer;
use crate::fault::Fault;
use crate::history::history_show;
use crate::scenario::{is_json, parse_scenario, read_text};

/// The scenarios of `hooks-samples`: dialect, name of the sample, text. The build script generates the list.
const SAMPLES: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));

/// The command `scenarios`: the scenarios of the samples, and those in the project.
///
/// # Errors
/// The project is not a directory.
pub async fn scenarios(app: &App, request: ProjectRequest) -> Result<ScenariosDoc, Fault> {
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let snapshot = open_project.snapshot();
    let sample = |(dialect, name, text): &(&str, &str, &str)| ScenarioRow {
        name: (*name).to_owned(),
        path: None,
        dialect: Some((*dialect).to_owned()),
        text: (*text).to_owned(),
        hash: None,
    };
    let mut scenarios: Vec<ScenarioRow> = SAMPLES.iter().map(sample).collect();
    for path in scenario_edit::files_in(&open_project.project) {
        // A file that cannot be read as text is not offered.
        let Some((text, hash)) = read_with_hash(&snapshot, &path).ok().flatten() else {
            continue;
        };
        let name = path.strip_prefix(&open_project.project).unwrap_or(&path);
        scenarios.push(ScenarioRow {
            name: name.display().to_string(),
            dialect: parse_scenario(&path, &text).ok().map(|scenario| scenario.dialect),
            path: Some(path.display().to_string()),
            text,
            hash: Some(hash),
        });
    }
    Ok(ScenariosDoc { scenarios })
}

/// The command `scenarios.read`: a text as a scenario. The changes keep comments and all other bytes.
///
/// # Errors
/// A change cannot be made in this text.
pub async fn read_scenario(_: &App, request: ReadScenarioRequest) -> Result<ReadScenarioDoc, Fault> {
    let mut text = request.text;
    if let Some(changes) = request.changes {
        let format = if is_json(&text) { Format::Json } else { Format::Yaml };
        let ops: Vec<Op> = changes.into_iter().map(to_op).collect();
        text = splice::apply(format, &text, &ops)?;
    }
    let (scenario, problem) = match read_text(&text) {
        Ok(scenario) => (Some(scenario), None),
        Err(error) => (None, Some(error)),
    };
    let problem = problem.map(|error| ScenarioProblem {
        line: u32::try_from(error.line).unwrap_or(u32::MAX),
        field: error.field,
        why: error.why,
    });
    Ok(ReadScenarioDoc {
        text,
        scenario,
        problem,
    })
}

/// The command `scenarios.from_session`: the text of a scenario with the turns that recorded events tell.
///
/// # Errors
/// The dialect is unknown, the history cannot be read, or there is no such trace.
pub async fn scenario_from_session(app: &App, request: SessionScenarioRequest) -> Result<SessionScenarioDoc, Fault> {
    let card = find_dialect(&request.dialect)?.card();
    let mut traces = Vec::new();
    for trace in request.traces {
        traces.push(history_show(app, TraceRequest { trace }).await?);
    }
    let events = traces
        .iter()
        .map(|trace| (trace.event.as_str(), &*trace.payload_before));
    let turns: Vec<Value> = recorded_turns(card, events).iter().map(written_turn).collect();
    let text = match turns.is_empty() {
        true => None,
        false => {
            let turns = Op::Set {
                at: vec![key("turns")],
                value: turns.into(),
            };
            Some(splice::apply(
                Format::Yaml,
                &format!("dialect: {}\n", card.id),
                &[turns],
            )?)
        }
    };
    Ok(SessionScenarioDoc {
        text,
        bodies_removed: traces.iter().any(|trace| trace.bodies_removed_days.is_some()),
    })
}

/// A turn without empty fields and without those that have their default.
fn written_turn(turn: &Turn) -> Value {
    let step = |step: &TurnStep| {
        let mut written = exact_json::to_value(step);
        if let Some(fields) = written.as_object_mut() {
            fields.retain(|_, value| value.as_array().is_none_or(|calls| !calls.is_empty()));
        }
        written
    };
    let steps: Vec<Value> = turn.steps.iter().map(step).collect();
    Value::Object(Map::from_iter([
        ("user".to_owned(), Value::from(turn.user.as_str())),
        ("steps".to_owned(), steps.into()),
    ]))
}

/// The command `scenarios.save`: writes a scenario file.
///
/// # Errors
/// The text is not a scenario of a known dialect, or the file is refused. No file was changed then.
pub async fn save_scenario(app: &App, request: SaveScenarioRequest) -> Result<EditDoc, Fault> {
    let scenario = parse_scenario(Path::new(&request.path), &request.text)?;
    let edit = ScenarioEdit {
        path: Path::new(&request.path),
        dialect: find_dialect(&scenario.dialect)?.card().id,
        base: request.base.as_deref(),
        text: &request.text,
    };
    let done = scenario_edit::save(&app.workspace, Path::new(&request.project), &edit);
    to_answer(done, WriteMode::Now)
}

fn to_path(parts: Vec<PathPart>) -> splice::Path {
    let step = |part| match part {
        PathPart::Item(at) => PathStep::Item(usize::try_from(at).unwrap_or(usize::MAX)),
        PathPart::Key(name) => key(name),
    };
    parts.into_iter().map(step).collect()
}

fn to_op(change: ScenarioChange) -> Op {
    let index = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    match change {
        ScenarioChange::Set { at, value } => Op::Set { at: to_path(at), value },
        ScenarioChange::Insert { at, value } => Op::Insert {
            at: to_path(at),
            content: value.into(),
        },
        ScenarioChange::Remove { at } => Op::Remove { at: to_path(at) },
        ScenarioChange::Move { list, from, to } => Op::Move {
            list: to_path(list),
            from: index(from),
            to: index(to),
        },
    }
}
