//! `hookwright serve`: the engine, watcher and control socket without a window; with `--web` the browser page, too.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use hookwright_app::{App, Fault};
use hookwright_serve::{ControlServer, EndReason, HostMode, Signals};

use crate::args::ServeArgs;
use crate::output::{Output, io_fault};
use crate::{CommandResult, web};

/// Serves until a signal ends it.
pub async fn run(app: App, output: &Output, project: &Path, what: ServeArgs) -> CommandResult {
    let mut signals = Signals::listen().map_err(|error| io_fault("signals", &error))?;
    // Refused before anything of the engine listens.
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
    let served = bound
        .map(|bound| web::serve(server.router().clone(), bound))
        .transpose()?;
    if let Some(served) = &served {
        // The link is what a person waits for, and what `./dev run` looks for: alone on a line of stdout.
        output.line(&served.link);
        output.print_note("open this link in a browser on this machine; it works once. Ctrl+C ends the engine");
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

/// So many projects of the list are watched from the start; the others once somebody looks at them.
const MAX_WATCHED_AT_START: usize = 8;

/// The latest projects on the list are watched from the start; the one it was started in, too, when it has anything to see.
fn open_listed_projects(app: &App, project: &Path) {
    let listed = app.projects().projects;
    for row in listed.iter().filter(|row| row.exists).take(MAX_WATCHED_AT_START) {
        // A project that cannot be read now is shown as such when somebody looks at it.
        drop(app.open_project(Path::new(&row.path)));
    }
    let Ok(open_project) = app.open_project(project) else {
        return;
    };
    let brings_hooks = open_project
        .snapshot()
        .sources
        .iter()
        .any(|source| source.exists && source.root.project.is_some());
    if brings_hooks {
        drop(app.note_project(project));
    }
}
