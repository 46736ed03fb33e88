//! `hookwright serve`: the engine, watcher and control socket without a window; with `--web` the browser page, too.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use hookwright_app::{App, Fault};
use hookwright_serve::{Ended, Listening, Mode, Signals};

use crate::args::Serve;
use crate::page::{Page, io_fault};
use crate::{Outcome, web};

/// Serves until a signal ends it.
pub async fn run(app: App, page: &Page, project: &Path, what: Serve) -> Outcome {
    let mut signals = Signals::listen().map_err(|error| io_fault("signals", &error))?;
    // Refused before anything of the engine listens.
    let stall = match &what.web {
        Some(address) => Some(web::Stall::take(address).await?),
        None => None,
    };
    let app = Arc::new(app);
    let listening = Listening::start(app.clone(), Mode::Serve).await.map_err(Fault::from)?;
    put_on_desk(&app, project);
    page.remark(format!("listening on {}", listening.control().display()));
    let served = stall
        .map(|stall| web::serve(listening.router().clone(), stall))
        .transpose()?;
    if let Some(served) = &served {
        // The link is what a person waits for, and what `./dev run` looks for: alone on a line of stdout.
        page.line(&served.link);
        page.remark("open this link in a browser on this machine; it works once. Ctrl+C ends the engine");
    }
    let ended = listening.over(&mut signals).await;
    drop(served);
    let result = match ended {
        Ended::Signal(_) => Ok(ExitCode::SUCCESS),
        Ended::Replaced => Err(listening.why_replaced().into()),
    };
    listening.stop().await;
    result
}

/// So many projects of the list are watched from the start; the others once somebody looks at them.
const WATCHED_FROM_THE_START: usize = 8;

/// The latest projects on the list are watched from the start; the one it was started in, too, when it has anything to see.
fn put_on_desk(app: &App, project: &Path) {
    let listed = app.projects().projects;
    for row in listed.iter().filter(|row| row.exists).take(WATCHED_FROM_THE_START) {
        // A project that cannot be read now is shown as such when somebody looks at it.
        drop(app.open_project(Path::new(&row.path)));
    }
    let Ok(desk) = app.open_project(project) else { return };
    let brings_hooks = desk
        .snapshot()
        .sources
        .iter()
        .any(|source| source.exists && source.root.project.is_some());
    if brings_hooks {
        drop(app.note_project(project));
    }
}
