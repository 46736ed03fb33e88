//! `hookwright status`

use std::path::Path;
use std::process::ExitCode;

use hookwright_app::dto::{GoneRequest, RestoreGoneRequest};
use hookwright_app::lookup::find_dialect;
use hookwright_app::overview::{is_failing, status};
use hookwright_app::{App, History, gone};
use hookwright_model::status::{Need, NeedKind, StatusDoc, VerdictCode};
use hookwright_model::{Args, HealthState, args};
use serde_json::Value;

use crate::args::StatusArgs;
use crate::list::with_tilde;
use crate::output::{Output, pluralize};
use crate::style::TextStyle;
use crate::{CommandResult, EXIT_FAILED, line};

/// Prints what needs the user, the worst first. It fits a prompt or a commit hook: one line if there is nothing.
pub async fn run(app: &App, output: &Output, project: &Path, what: StatusArgs) -> CommandResult {
    let folder = Some(project.display().to_string());
    if let Some(uid) = what.restore {
        let request = RestoreGoneRequest {
            project: folder.clone(),
            uid,
            dry_run: None,
        };
        let done = gone::gone_restore(app, request).await?;
        output.print_note(format!("restored in {}", done.path));
    }
    if let Some(uid) = what.accept {
        gone::gone_accept(app, GoneRequest { project: folder, uid }).await?;
    }
    let open_project = app.workspace.open_project(project)?;
    let doc = status(app, &open_project.snapshot()).await;
    if let Some(why) = app.runs_unknown() {
        output.print_note(why.text);
    }
    let exit = if is_failing(&doc) {
        ExitCode::from(EXIT_FAILED)
    } else {
        ExitCode::SUCCESS
    };
    if output.json {
        output.document(&doc);
    } else {
        print_text(app, output, &doc, &open_project.project);
    }
    Ok(exit)
}

fn print_text(app: &App, output: &Output, doc: &StatusDoc, project: &Path) {
    let (text, style) = verdict_text(doc);
    output.line(style.apply_to(text));
    for need in &doc.needs {
        let place = place_text(need, project, &app.workspace.env.home);
        let is_mild = need.kind == NeedKind::Review || need.args.get("guard") == Some(&Value::Bool(false));
        let style = if is_mild { TextStyle::Fail } else { TextStyle::FailOpen };
        let (name, what) = need_text(&app.history, need);
        output.line(line![
            "  ",
            style.apply_to(name),
            " ",
            what,
            "  ",
            TextStyle::Dim.apply_to(place)
        ]);
    }
}

fn verdict_text(doc: &StatusDoc) -> (String, TextStyle) {
    let count = doc.verdict.args.get("count").and_then(Value::as_u64).unwrap_or(0);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    match doc.verdict.code {
        VerdictCode::GuardsFail if count == 1 => ("1 guard does not work".to_owned(), TextStyle::Deny),
        VerdictCode::GuardsFail => (format!("{count} guards do not work"), TextStyle::Deny),
        VerdictCode::PassedUnguarded => (
            format!("{} passed unguarded", pluralize(count, "event")),
            TextStyle::Fail,
        ),
        VerdictCode::Review if count == 1 => ("1 hook needs a review".to_owned(), TextStyle::Fail),
        VerdictCode::Review => (format!("{count} hooks need a review"), TextStyle::Fail),
        VerdictCode::NoHooks => ("no hooks here".to_owned(), TextStyle::Dim),
        VerdictCode::AllProven => (
            format!("every guard is proven: {}", pluralize(count, "guard")),
            TextStyle::Allow,
        ),
        VerdictCode::Calm => (
            format!("nothing needs you; {}", pluralize(count, "hook")),
            TextStyle::Allow,
        ),
    }
}

/// The name of what needs the user, and what is wrong with it.
fn need_text(history: &History, need: &Need) -> (String, String) {
    let reason = need.args.get("reason").and_then(|reason| {
        let code = reason.get("code")?.as_str()?;
        let mut args = reason.get("args")?.as_object()?.clone();
        if code == LAST_GOOD {
            args.extend(older_version_args(need, &args));
        }
        Some(history.sentence(code, &args))
    });
    let why = reason.map(|why| format!(": {why}")).unwrap_or_default();
    let text = |name: &str| {
        need.args
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let state = need
        .args
        .get("state")
        .and_then(|state| serde_json::from_value(state.clone()).ok());
    match need.kind {
        NeedKind::Source => (text("dialect"), format!("cannot be read{why}")),
        NeedKind::Health => (text("label"), format!("{}{why}", state.map_or("", state_text))),
        NeedKind::Gone => (
            text("label"),
            format!(
                "is gone since {}, run `hookwright status --restore {uid}` or `--accept {uid}`",
                need.since.as_deref().unwrap_or_default(),
                uid = text("uid"),
            ),
        ),
        NeedKind::Unguarded => {
            let count = need.args.get("count").and_then(Value::as_u64).unwrap_or(0);
            let count = pluralize(usize::try_from(count).unwrap_or(usize::MAX), "event");
            (
                text("label"),
                format!("failed, and {count} passed in the last 24 hours"),
            )
        }
        NeedKind::Review => (text("label"), "needs a review, run `hookwright trust`".to_owned()),
        NeedKind::Settings | NeedKind::Engine | NeedKind::Issue => ("Hookwright".to_owned(), why.replacen(": ", "", 1)),
    }
}

/// The code of a file whose last valid version is in force.
const LAST_GOOD: &str = "last_good";

/// What the sentence about an older version says beside the arguments of its health: the file, and what the agent does
/// with such a file.
fn older_version_args(need: &Need, health: &Args) -> Args {
    let path = need.path.as_deref().unwrap_or_default();
    let dialect = need.args.get("dialect").and_then(Value::as_str).unwrap_or_default();
    args! {
        "case" => health.get("agent"),
        "agent_name" => find_dialect(dialect).map_or(dialect, |dialect| dialect.card().name),
        "place" => need.line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}")),
    }
}

/// The words for a state of health.
pub const fn state_text(state: HealthState) -> &'static str {
    match state {
        HealthState::Lost => "is lost",
        HealthState::Off => "is off",
        HealthState::CannotStart => "cannot start",
        HealthState::Broken => "is broken",
        HealthState::Failing => "is failing",
        HealthState::NeedsReview => "needs a review",
        HealthState::Muted => "is muted",
        HealthState::Proven => "is proven",
        HealthState::Unproven => "is unproven",
        HealthState::Ready => "is ready",
    }
}

fn place_text(need: &Need, project: &Path, home: &Path) -> String {
    let Some(path) = &need.path else { return String::new() };
    let short = Path::new(path)
        .strip_prefix(project)
        .map_or_else(|_| with_tilde(path, home), |rest| rest.display().to_string());
    match need.line.filter(|line| *line > 0) {
        Some(line) => format!("{short}:{line}"),
        None => short,
    }
}
