//! `hookwright`: the command line, and the host of the browser page.
//!
//! What it deliberately does not do: it decides nothing. Every command asks [`hookwright_app`] and writes the answer,
//! as one JSON document with `--json`, else for people. Diagnostics go to stderr.

mod args;
mod changes;
mod check;
mod edit;
mod explain;
mod fire;
mod history;
mod ink;
mod list;
mod living;
mod log;
mod mute;
mod open;
mod page;
mod progress;
mod serve;
mod show;
mod simulate;
mod stats;
mod trust;
mod undo;
mod web;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use hookwright_app::{App, Fault, HostEnv, ProcessRole, wall_clock};

use args::{Cli, Command};
use page::Page;

/// What a command ends with.
pub type Outcome = Result<ExitCode, Fault>;

/// Something is wrong, or there is something to do.
pub const FAILED: u8 = 1;

fn main() -> ExitCode {
    if hookwright_app::programs::is_guardian() {
        return hookwright_app::programs::guardian_main();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // 2 means that the agent was held; a mistyped command is a plain failure.
        Err(error) => {
            drop(error.print());
            return if error.use_stderr() {
                ExitCode::from(FAILED)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    if let Command::Completions { shell } = &cli.command {
        return completions(*shell);
    }
    let around = match HostEnv::from_process() {
        Ok(around) => around,
        Err(error) => {
            page::complain(&format!("hookwright: {error}"));
            return ExitCode::from(FAILED);
        }
    };
    if let Err(error) = log::listen(around.var("HOOKWRIGHT_LOG").as_deref()) {
        page::complain(&format!("hookwright: HOOKWRIGHT_LOG: {error}"));
    }
    let plain = cli.no_color || around.var("NO_COLOR").is_some() || around.var("TERM").as_deref() == Some("dumb");
    let page = Page::new(cli.json, plain);
    match run(cli, around, &page) {
        Ok(code) => code,
        Err(fault) => {
            page.fault(&fault);
            ExitCode::from(FAILED)
        }
    }
}

/// Needs nothing of this machine. The generator panics when it cannot write, so it writes into memory.
fn completions(shell: clap_complete::Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "hookwright", &mut script);
    match std::io::stdout().lock().write_all(&script) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            page::complain(&format!("hookwright: {error}"));
            ExitCode::from(FAILED)
        }
        Ok(()) | Err(_) => ExitCode::SUCCESS,
    }
}

fn run(cli: Cli, around: HostEnv, page: &Page) -> Outcome {
    let hosting = if matches!(cli.command, Command::Serve(_)) {
        ProcessRole::Engine
    } else {
        ProcessRole::OneShot
    };
    let mut runtime = match hosting {
        // One command has nothing to run side by side; the hop between threads would only cost.
        ProcessRole::OneShot => tokio::runtime::Builder::new_current_thread(),
        ProcessRole::Engine => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = runtime
        .enable_all()
        .build()
        .map_err(|error| page::io_fault("the runtime", &error))?;
    runtime.block_on(dispatch(cli, around, hosting, page))
}

async fn dispatch(cli: Cli, around: HostEnv, hosting: ProcessRole, page: &Page) -> Outcome {
    let project = around.absolute(cli.project.as_deref().unwrap_or(&around.cwd));
    let app = App::open(around, hosting, wall_clock());
    page.own_problems(&app.app_file_problems());
    if let Some(words) = app.take_startup_notice() {
        page.remark(match &words.hint {
            Some(hint) => format!("{words}; {hint}"),
            None => words.text,
        });
    }
    if let Command::Serve(what) = cli.command {
        return serve::run(app, page, &project, what).await;
    }
    let outcome = command(&app, page, &project, cli.command).await;
    // Long-lived hooks get their time to end by themselves; the answer is out already.
    app.close_peers().await;
    outcome
}

async fn command(app: &App, page: &Page, project: &Path, command: Command) -> Outcome {
    match command {
        Command::List(what) => list::run(app, page, project, &what),
        Command::Check(what) => check::run(app, page, project, &what).await,
        Command::Explain(what) => explain::run(app, page, project, what).await,
        Command::Fire(what) => fire::run(app, page, project, what).await,
        Command::Simulate(what) => simulate::run(app, page, project, what).await,
        Command::History(what) => history::run(app, page, what).await,
        Command::Show { trace } => show::run(app, page, trace).await,
        Command::Stats { since } => stats::run(app, page, &since).await,
        Command::Trust(what) => {
            let outcome = trust::run(app, page, project, &what);
            living::nudge(app).await;
            outcome
        }
        Command::Mute { hook, r#for } => mute::mute(app, page, project, hook, r#for.as_deref()).await,
        Command::Unmute { hook } => mute::unmute(app, page, project, hook).await,
        Command::Add(what) => edit::add(app, page, project, what).await,
        Command::Edit(what) => edit::edit(app, page, project, what).await,
        Command::Remove { hook, dry_run } => edit::remove(app, page, project, hook, dry_run).await,
        Command::Undo { list: true, .. } => undo::list(app, page),
        Command::Undo { edit, list: false } => undo::run(app, page, project, edit.as_deref()).await,
        Command::Open { dir } => open::run(app, page, dir.as_deref().unwrap_or(project)).await,
        // Both were seen to before.
        Command::Serve(_) | Command::Completions { .. } => Ok(ExitCode::SUCCESS),
    }
}
