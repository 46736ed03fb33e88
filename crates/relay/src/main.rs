//! Hookwright's relay: a small program that an agent calls as an ordinary hook (`CONTRACTS.md` §4).
//!
//! It passes an event on to the running engine and the engine's reply on to the agent, or runs a hook's command
//! unchanged and reports what it did. What it deliberately does not do: it starts no engine, runs no hook of its own
//! choice, and reads no configuration.
//!
//! How it works: [`forward`] handles one event, [`peer`] the lines of an agent that keeps its hooks running, and
//! [`run`] a wrapped command. All three find the engine through [`engine`] and [`environment`]. What differs from
//! dialect to dialect is the table in [`dialects`]. The program starts for every event of an agent, so it uses the
//! standard library alone, starts no thread for an event, and copies payloads without reading them in full.

mod args;
mod dialects;
mod engine;
mod environment;
mod forward;
mod json;
mod peer;
mod problem;
mod run;
mod stream;
#[cfg(unix)]
mod sys;

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use args::Task;

fn main() -> ExitCode {
    match args::parse(env::args_os().skip(1)) {
        Ok(Task::Help) => print(&args::help()),
        Ok(Task::Version) => print(concat!("hookwright-relay ", env!("CARGO_PKG_VERSION"), "\n")),
        Ok(Task::Forward(options)) if options.dialect.is_long_lived() => peer::run(&options),
        Ok(Task::Forward(options)) => forward::run(&options),
        Ok(Task::Run(options)) => run::run(&options),
        // Exit code 2 would block some agents.
        Err(message) => {
            let line = format!("hookwright-relay: {message}; see `hookwright-relay --help`\n");
            drop(io::stderr().write_all(line.as_bytes()));
            ExitCode::FAILURE
        }
    }
}

fn print(text: &str) -> ExitCode {
    // A reader that closed the pipe has what it wanted.
    drop(io::stdout().write_all(text.as_bytes()));
    ExitCode::SUCCESS
}
