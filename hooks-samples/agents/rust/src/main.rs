//! A small agent on Hookwright's socket. It plays a scripted conversation; its model and its tools are scripted, too.
//!
//! Start an engine (`hookwright serve`, or the window), then: cargo run -p hookwright-sample-agent -- --once
//!
//! It needs no code for signals, since its dialects have no event that ends a session: when a signal ends the process,
//! the connection ends, and the engine ends the session with it.

mod dialects;
mod engine;
mod options;
mod session;

use std::process::ExitCode;
use std::time::Duration;

use serde_json::Value;

use crate::dialects::Dialect;
use crate::engine::CallError;
use crate::options::{Options, USAGE};
use crate::session::{Session, say};

const SCRIPT: &str = include_str!("../../conversation.json");
const RECONNECT: Duration = Duration::from_secs(2);

/// Plays the conversation once. The session stays open until the pause is over.
fn play(dialect: &'static dyn Dialect, script: &Value, options: &Options) -> Result<(), CallError> {
    let session = Session::open(dialect, options)?;
    dialect.play(&session, script)?;
    if !options.once {
        say("the conversation is over; the agent stays connected");
        if session.wait_until_left(options.again) {
            return Err(CallError::Left("the engine has closed the connection".to_owned()));
        }
    }
    session.close()
}

/// Plays as often as the user wants. Connects again when the engine is back.
fn run(dialect: &'static dyn Dialect, script: &Value, options: &Options) -> ExitCode {
    loop {
        match play(dialect, script, options) {
            Ok(()) if options.again.is_none() => return ExitCode::SUCCESS,
            Ok(()) => continue,
            Err(error) => {
                eprintln!("{error}");
                if options.again.is_none() || matches!(error, CallError::Refused(_)) {
                    return ExitCode::FAILURE;
                }
            }
        }
        std::thread::sleep(RECONNECT);
    }
}

fn main() -> ExitCode {
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let script = serde_json::from_str(SCRIPT).expect("the script is JSON");
    let dialect = dialects::find(&options.dialect).expect("the options are checked");
    run(dialect, &script, &options)
}
