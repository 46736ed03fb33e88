//! The commands of the window that fire an event, stop it, or show how a terminal fires it.

use std::path::Path;

use hookwright_dialects::lookup::find_event;
use hookwright_model::{Origin, Trace};

use super::{Caller, FireJob, fire_once};
use crate::app::App;
use crate::detached_hooks::DetachedRun;
use crate::dto::{CommandLineRequest, FireRequest, GivenPayload, RunRequest, Stopped, TextReply};
use crate::event_options::{Consent, Recording};
use crate::fault::Fault;
use crate::output_doctor::with_output_problems;
use crate::sessions::SessionRequest;

/// `fire`: fires an event for the window. `fire.stop` with the name of the run stops it.
///
/// # Errors
/// The project is not a directory, a name is unknown, or the payload is too large or contradicts the event.
pub async fn fire_window(app: &App, request: FireRequest) -> Result<Trace, Fault> {
    let payload = request.payload.read()?;
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let run = app.runs.begin(request.run.clone());
    let session = SessionRequest {
        dialect: request.dialect,
        id: request.session,
        project: open_project.project.clone(),
    };
    let job = FireJob {
        event: request.event,
        payload,
        origin: Origin::Window,
        caller: Caller::ThisProcess,
        consent: Consent::Approvals,
        recording: Recording::On,
        cancel: run.cancel().clone(),
        run: Some(request.run),
    };
    let mut fired = fire_once(app, &open_project.snapshot(), session, job).await;
    let detached = fired.as_mut().ok().and_then(|fired| fired.detached.take());
    if let Some(detached) = detached {
        // The run can be stopped by its name until the detached hooks have ended too.
        app.add_detached_run(DetachedRun { detached, run });
    }
    Ok(with_output_problems(fired?.recorded))
}

/// `fire.stop`: stops every run of this name, and returns whether there was one.
///
/// # Errors
/// Never.
pub async fn fire_stop(app: &App, request: RunRequest) -> Result<Stopped, Fault> {
    let stopped = app.runs.stop(&request.run);
    Ok(Stopped { stopped })
}

/// `fire.command_line`: the command that fires the same event in a terminal, quoted for `sh`. Its secrets are masked: a
/// terminal keeps what was typed.
///
/// # Errors
/// The dialect or the event is unknown.
pub async fn command_line(app: &App, request: CommandLineRequest) -> Result<TextReply, Fault> {
    let (dialect, spec) = find_event(&request.dialect, &request.event)?;
    let redactor = app.workspace.redactor();
    let given = match &request.payload {
        GivenPayload::Fields(_) => None,
        GivenPayload::Text(text) => Some(text.clone()),
    };
    // A text is handed on as it was typed if nothing in it is masked, or if it is no payload.
    let payload = match request.payload.read() {
        Ok(parsed) => match redactor.payload(parsed.fields) {
            (_, false) if given.is_some() => given.unwrap_or_default(),
            (payload, _) => serde_json::to_string(&payload).unwrap_or_default(),
        },
        Err(_) => redactor.text(&given.unwrap_or_default()).0,
    };
    // Quoting fails only for a NUL, because no command line can contain it. JSON writes a NUL escaped, so the
    // payload can be quoted.
    let quote = |text: &str| {
        shlex::try_quote(text)
            .map(std::borrow::Cow::into_owned)
            .unwrap_or_default()
    };
    let (project, payload) = (quote(&request.project), quote(&payload));
    // `=` joins the option and its value, because a session name may begin with a dash.
    let session = request.session.map(|session| redactor.text(&session).0);
    let session = session.map_or_else(String::new, |name| format!(" {}", quote(&format!("--session={name}"))));
    let text = format!(
        "printf %s {payload} | hookwright fire --dialect {} --event {} --project {project}{session} --payload -",
        dialect.card().id,
        spec.name
    );
    Ok(TextReply { text })
}
