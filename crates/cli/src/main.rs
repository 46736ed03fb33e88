//! `hookwright`: the command line, and the host of the browser page.
//!
//! What it deliberately does not do: it decides nothing. Every command asks [`hookwright_app`] and writes the result,
//! as one JSON document with `--json` and as text without it. Diagnostics are written to stderr.

mod agents;
mod args;
mod changes;
mod check;
mod check_fix;
mod connect;
mod convert;
mod edit;
mod explain;
mod fire;
mod history;
mod list;
mod log;
mod mute;
mod open;
mod output;
mod progress;
mod running_engine;
mod samples;
mod schema;
mod serve;
mod show;
mod simulate;
mod stats;
mod status;
mod style;
mod trust;
mod trust_agents;
mod trust_deny;
mod trust_list;
mod trust_review;
mod undo;
mod web;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser};
use hookwright_app::{App, Fault, programs};
use hookwright_workspace::{HostEnv, ProcessRole, wall_clock};

use args::{Cli, CliCommand};
use output::Output;

/// The result of a command: the exit code, or a fault that is printed with exit code [`EXIT_FAILED`].
pub type CommandResult = Result<ExitCode, Fault>;

/// Exit code 1: something is wrong, or there is something to do.
pub const EXIT_FAILED: u8 = 1;

/// How long work on other threads may still take when the command has ended.
const END_TIMEOUT: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    if programs::is_guardian() {
        return programs::guardian_main();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Exit code 2 means that the call was blocked. A mistyped command is an ordinary failure, so it exits with 1.
        Err(error) => {
            drop(error.print());
            return if error.use_stderr() {
                ExitCode::from(EXIT_FAILED)
            } else {
                ExitCode::SUCCESS
            };
        }
    };
    if let CliCommand::Completions { shell } = &cli.command {
        return completions(*shell);
    }
    let env = match HostEnv::from_process() {
        Ok(env) => env,
        Err(error) => {
            output::print_error(&format!("hookwright: {error}"));
            return ExitCode::from(EXIT_FAILED);
        }
    };
    if let Err(error) = log::init(env.var("HOOKWRIGHT_LOG").as_deref()) {
        output::print_error(&format!("hookwright: HOOKWRIGHT_LOG: {error}"));
    }
    let plain = cli.no_color || env.var("NO_COLOR").is_some() || env.var("TERM").as_deref() == Some("dumb");
    let output = Output::new(cli.json, plain);
    // The exit status of `fire` is the verdict.
    let is_fire = matches!(cli.command, CliCommand::Fire(_));
    match run(cli, env, &output) {
        Ok(_) if output.has_lost_output() && !is_fire => ExitCode::from(EXIT_FAILED),
        Ok(code) => code,
        Err(fault) => {
            output.fault(&fault);
            ExitCode::from(EXIT_FAILED)
        }
    }
}

/// Prints a shell completion script. It reads nothing of this machine. The generator panics when it cannot write, so it
/// writes into memory.
fn completions(shell: clap_complete::Shell) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "hookwright", &mut script);
    match std::io::stdout().lock().write_all(&script) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            output::print_error(&format!("hookwright: {error}"));
            ExitCode::from(EXIT_FAILED)
        }
        Ok(()) | Err(_) => ExitCode::SUCCESS,
    }
}

fn run(cli: Cli, env: HostEnv, output: &Output) -> CommandResult {
    let hosting = if matches!(cli.command, CliCommand::Serve(_)) {
        ProcessRole::Engine
    } else {
        ProcessRole::OneShot
    };
    let mut runtime = match hosting {
        // A single command runs nothing concurrently, and switching threads would only cost time.
        ProcessRole::OneShot => tokio::runtime::Builder::new_current_thread(),
        ProcessRole::Engine => {
            programs::return_large_blocks();
            tokio::runtime::Builder::new_multi_thread()
        }
    };
    let runtime = runtime
        .enable_all()
        .build()
        .map_err(|error| output::io_fault("the runtime", &error))?;
    let result = runtime.block_on(dispatch(cli, env, hosting, output));
    // What still runs now, such as the masking of a large trace, is not waited for: nothing of it was acknowledged.
    runtime.shutdown_timeout(END_TIMEOUT);
    result
}

async fn dispatch(cli: Cli, env: HostEnv, hosting: ProcessRole, output: &Output) -> CommandResult {
    hookwright_serve::handle_file_size_limit();
    let project = env.absolute(cli.project.as_deref().unwrap_or(&env.cwd));
    let app = App::open(env, hosting, wall_clock());
    output.app_file_problems(&app.workspace.app_file_problems());
    if let Some(message) = app.workspace.take_startup_notice() {
        output.print_note(match &message.hint {
            Some(hint) => format!("{message}; {hint}"),
            None => message.text,
        });
    }
    if let CliCommand::Serve(what) = cli.command {
        return serve::run(app, output, &project, what).await;
    }
    let result = command(&app, output, &project, cli.command).await;
    // Peers get time to exit by themselves. The output of the command is already written.
    app.close_peers().await;
    result
}

async fn command(app: &App, output: &Output, project: &Path, command: CliCommand) -> CommandResult {
    if matches!(command, CliCommand::List(_) | CliCommand::Explain(_)) {
        app.refresh_runs().await;
    }
    match command {
        CliCommand::Status(what) => status::run(app, output, project, what).await,
        CliCommand::List(what) => list::run(app, output, project, &what),
        CliCommand::Check(what) => check::run(app, output, project, &what).await,
        CliCommand::Schema(what) => schema::run(output, &what),
        CliCommand::Explain(what) => explain::run(app, output, project, what).await,
        CliCommand::Agents => agents::list(app, output).await,
        CliCommand::Fire(what) => fire::run(app, output, project, what).await,
        CliCommand::Simulate(what) => simulate::run(app, output, project, what).await,
        CliCommand::History(what) => history::run(app, output, what).await,
        CliCommand::Show { trace } => show::run(app, output, trace).await,
        CliCommand::Stats(what) => stats::run(app, output, project, what).await,
        CliCommand::Trust(what) => {
            let result = trust::run(app, output, project, &what).await;
            running_engine::notify_files_changed(app).await;
            result
        }
        CliCommand::Mute { hook, r#for } => mute::mute(app, output, project, hook, r#for.as_deref()).await,
        CliCommand::Unmute { hook } => mute::unmute(app, output, project, hook).await,
        CliCommand::Samples => samples::list(app, output),
        CliCommand::Add(what) => edit::add(app, output, project, what).await,
        CliCommand::Edit(what) => edit::edit(app, output, project, what).await,
        CliCommand::Remove { hook, dry_run } => edit::remove(app, output, project, hook, dry_run).await,
        CliCommand::TurnOff { hook, dry_run } => edit::turn_off(app, output, project, &hook, dry_run).await,
        CliCommand::TurnOn { id, dry_run } => edit::turn_on(app, output, project, &id, dry_run).await,
        CliCommand::Connect(what) => connect::connect(app, output, project, &what).await,
        CliCommand::Disconnect(what) => connect::disconnect(app, output, project, &what).await,
        CliCommand::Convert(what) => convert::run(app, output, &what).await,
        CliCommand::Undo { list: true, .. } => undo::list(app, output),
        CliCommand::Undo {
            edit,
            list: false,
            dry_run,
        } => undo::run(app, output, project, edit.as_deref(), dry_run).await,
        CliCommand::Open { web: true, .. } => open::print_page_link(app, output).await,
        CliCommand::Open { dir, web: false } => open::run(app, output, dir.as_deref().unwrap_or(project)).await,
        // `dispatch` and `main` already ran these two.
        CliCommand::Serve(_) | CliCommand::Completions { .. } => Ok(ExitCode::SUCCESS),
    }
}
