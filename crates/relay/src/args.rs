//! The command line.

use std::ffi::OsString;

use crate::dialects::{self, DIALECTS, RelayDialect};

/// What to do.
#[derive(Debug)]
pub enum Task {
    /// Print the help.
    Help,
    /// Print name and version.
    Version,
    /// Forward one event, or the lines of a long-lived agent.
    Forward(ForwardOptions),
    /// Run a command and report it.
    Run(RunOptions),
}

/// The options of the relay as an agent's hook.
#[derive(Debug)]
pub struct ForwardOptions {
    pub dialect: &'static RelayDialect,
    pub event: Option<String>,
    /// The agent runs the dialect's own files itself.
    pub native: bool,
    /// Block the agent when there is no reply.
    pub fail_closed: bool,
}

/// The options of `run`.
#[derive(Debug)]
pub struct RunOptions {
    pub dialect: &'static RelayDialect,
    pub event: String,
    /// The id of the hook whose command this is.
    pub hook: String,
    /// The command and its arguments; never empty.
    pub command: Vec<OsString>,
}

/// What `--help` prints.
pub fn help() -> String {
    let ids = |long_lived: bool| {
        let wanted = DIALECTS.iter().filter(|dialect| dialect.is_long_lived() || !long_lived);
        wanted.map(|dialect| dialect.id).collect::<Vec<_>>().join(", ")
    };
    HELP.replace("{dialects}", &ids(false))
        .replace("{long_lived}", &ids(true))
}

const HELP: &str = "\
hookwright-relay forwards an agent's events to the running Hookwright engine.

usage:
  hookwright-relay --dialect D [--event E] [--native] [--fail-closed]
  hookwright-relay run --dialect D --event E --hook ID -- COMMAND [ARGUMENT...]

The first form is a hook of the agent: it reads the event on stdin and passes the engine's reply on to the agent.
With {long_lived} it runs as long as the agent and speaks JSON-RPC on stdin and stdout.
The second form runs COMMAND unchanged and reports to the engine what it did.

  --dialect D     the hook system: {dialects}
  --event E       the name of the event, if the payload does not contain it
  --native        the agent runs the hooks of its own files itself
  --fail-closed   block the agent if there is no reply; without this the agent continues
  --hook ID       the hook that COMMAND belongs to
  --help, --version

The relay finds the engine as `hookwright` does. HOOKWRIGHT_SOCKET names another socket.
";

#[derive(Default)]
struct Options {
    dialect: Option<&'static RelayDialect>,
    event: Option<String>,
    hook: Option<String>,
    native: bool,
    fail_closed: bool,
}

/// Reads the arguments after the program's name.
///
/// # Errors
/// One sentence about the first argument that cannot be used.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Task, String> {
    let mut args = args.into_iter().peekable();
    let is_run = args.next_if(|first| first == "run").is_some();
    let mut options = Options::default();
    while let Some(arg) = args.next() {
        let arg = arg
            .into_string()
            .map_err(|arg| format!("unknown option `{}`", arg.display()))?;
        if arg == "--" && is_run {
            return run(options, args.collect());
        }
        let (name, attached) = match arg.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (arg.as_str(), None),
        };
        let flag = match name {
            "--help" | "-h" => return Ok(Task::Help),
            "--version" | "-V" => return Ok(Task::Version),
            "--native" if !is_run => Some(&mut options.native),
            "--fail-closed" if !is_run => Some(&mut options.fail_closed),
            _ => None,
        };
        if let Some(flag) = flag.filter(|_| attached.is_none()) {
            *flag = true;
            continue;
        }
        let is_known = matches!(name, "--dialect" | "--event") || (is_run && name == "--hook");
        if !is_known {
            return Err(format!("unknown option `{arg}`"));
        }
        let value = attached.or_else(|| args.next().and_then(|value| value.into_string().ok()));
        let value = value
            .filter(|value| !value.is_empty())
            .ok_or(format!("`{name}` needs a value"))?;
        options.set(name, value)?;
    }
    if is_run {
        return Err("`run` needs `--` and a command".to_owned());
    }
    forward(options)
}

impl Options {
    fn set(&mut self, name: &str, value: String) -> Result<(), String> {
        match name {
            "--dialect" => {
                let known = dialects::find(&value);
                self.dialect = Some(known.ok_or_else(|| format!("unknown hook system `{value}`"))?);
            }
            "--event" => self.event = Some(value),
            _ => self.hook = Some(value),
        }
        Ok(())
    }
}

fn forward(options: Options) -> Result<Task, String> {
    let dialect = options.dialect.ok_or("`--dialect` is missing")?;
    match (dialect.is_long_lived(), dialect.event_field, &options.event) {
        (true, _, Some(_)) => Err(format!(
            "`--event` is not used with {}: its requests name their events",
            dialect.id
        )),
        (false, None, None) => Err(format!(
            "`--event` is missing: a payload of {} does not contain it",
            dialect.id
        )),
        _ => {
            let Options {
                event,
                native,
                fail_closed,
                ..
            } = options;
            Ok(Task::Forward(ForwardOptions {
                dialect,
                event,
                native,
                fail_closed,
            }))
        }
    }
}

fn run(options: Options, command: Vec<OsString>) -> Result<Task, String> {
    let dialect = options.dialect.ok_or("`--dialect` is missing")?;
    let event = options.event.ok_or("`--event` is missing")?;
    let hook = options.hook.ok_or("`--hook` is missing")?;
    if command.is_empty() {
        return Err("the command after `--` is missing".to_owned());
    }
    Ok(Task::Run(RunOptions {
        dialect,
        event,
        hook,
        command,
    }))
}
