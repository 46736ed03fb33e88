//! `hookwright serve`: the engine, file watching and the control socket without a window; with `--web` also the browser
//! page.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use hookwright_app::{App, Fault, projects};
use hookwright_serve::{ControlServer, EndReason, HostMode, Signals};

use crate::args::ServeArgs;
use crate::output::{Output, io_fault};
use crate::{CommandResult, web};

/// Serves until a signal arrives or another engine takes over.
pub async fn run(app: App, output: &Output, project: &Path, what: ServeArgs) -> CommandResult {
    let mut signals = Signals::listen().map_err(|error| io_fault("signals", &error))?;
    // A bad address is refused before the engine listens.
    let bound = match &what.web {
        Some(address) => Some(web::BoundListener::bind(address).await?),
        None => None,
    };
    let app = Arc::new(app);
    let server = ControlServer::start(app.clone(), HostMode::Serve)
        .await
        .map_err(Fault::from)?;
    open_listed_projects(&app, project);
    output.print_note(format!("listening on {}", server.control_socket().display()));
    // It is not always where agents look first: an engine of another data folder may listen there.
    output.print_note(format!("agents connect at {}", server.agent_socket().display()));
    let served = bound
        .map(|bound| web::serve(server.router().clone(), bound))
        .transpose()?;
    if let Some(served) = &served {
        // The user and `./dev run` read the link, so it is alone on a line of stdout.
        output.line(&served.link);
        output
            .print_note("open this link in a browser on this machine; it works once. Press Ctrl+C to stop the engine");
    }
    let ended = server.wait_until_ended(&mut signals).await;
    drop(served);
    let result = match ended {
        EndReason::Signal(_) => Ok(ExitCode::SUCCESS),
        EndReason::Replaced => Err(server.replaced_message().into()),
    };
    server.stop().await;
    result
}

/// How many projects of the list are watched from the start. The others are watched when a client first opens them.
const MAX_WATCHED_AT_START: usize = 8;

/// Watches the latest projects of the list. It also notes the project in which the engine was started, if that has hook
/// files.
fn open_listed_projects(app: &App, project: &Path) {
    let listed = projects::projects(app);
    for row in listed.iter().filter(|row| row.exists).take(MAX_WATCHED_AT_START) {
        // A project that cannot be read now is reported when a client opens it.
        drop(app.workspace.open_project(Path::new(&row.path)));
    }
    let Ok(open_project) = app.workspace.open_project(project) else {
        return;
    };
    let brings_hooks = open_project
        .snapshot()
        .sources
        .iter()
        .any(|source| source.exists && source.root.project.is_some());
    if brings_hooks {
        drop(projects::note_project(app, project));
    }
}
