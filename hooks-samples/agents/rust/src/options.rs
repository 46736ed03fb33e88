//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::dialects;

/// Printed for `--help`, and with every error.
pub const USAGE: &str = "hookwright-sample-agent [options]
  --dialect picoclaw|skill   the hook system (default: picoclaw)
  --session ID       the id of the session; without it the engine chooses one
  --cwd DIR          the project (default: the current directory)
  --native           the agent runs the hooks of its files itself
  --skills NAMES     skill: the enabled skills, separated by commas
  --pace SECONDS     pause before each event
  --once             play once and exit; without it the agent stays connected
  --loop SECONDS     play again after so many seconds, without end";

/// What the user set.
#[derive(Clone, Debug)]
pub struct Options {
    pub dialect: String,
    pub session: Option<String>,
    /// Absolute.
    pub cwd: PathBuf,
    pub native: bool,
    pub skills: Option<Vec<String>>,
    pub pace: Duration,
    pub once: bool,
    /// The pause before the conversation is played again; `None`: it is played once.
    pub again: Option<Duration>,
}

impl Options {
    /// Reads the arguments after the program's name. `Ok(None)`: the user asked for help.
    pub fn read(args: impl IntoIterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self {
            dialect: "picoclaw".to_owned(),
            session: None,
            cwd: PathBuf::from("."),
            native: false,
            skills: None,
            pace: Duration::ZERO,
            once: false,
            again: None,
        };
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match arg.as_str() {
                "--dialect" => options.dialect = value()?,
                "--session" => options.session = Some(value()?),
                "--cwd" => options.cwd = value()?.into(),
                "--native" => options.native = true,
                "--skills" => options.skills = Some(value()?.split(',').map(str::to_owned).collect()),
                "--pace" => options.pace = seconds(&arg, &value()?)?,
                "--once" => options.once = true,
                "--loop" => options.again = Some(seconds(&arg, &value()?)?),
                "--help" | "-h" => return Ok(None),
                _ => return Err(format!("unknown option {arg}")),
            }
        }
        options.checked().map(Some)
    }

    fn checked(mut self) -> Result<Self, String> {
        if dialects::find(&self.dialect).is_none() {
            return Err(format!("unknown dialect {}", self.dialect));
        }
        if self.once && self.again.is_some() {
            return Err("--once and --loop exclude each other".to_owned());
        }
        self.cwd = std::path::absolute(&self.cwd).map_err(|error| format!("--cwd: {error}"))?;
        Ok(self)
    }
}

fn seconds(option: &str, value: &str) -> Result<Duration, String> {
    let number = value.parse().ok();
    let duration = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    duration.ok_or_else(|| format!("{option} needs seconds"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(args: &[&str]) -> Result<Option<Options>, String> {
        Options::read(args.iter().map(|arg| (*arg).to_owned()))
    }

    #[test]
    fn options_are_read() {
        let options = read(&["--dialect", "skill", "--skills", "a,b", "--pace", "0.5", "--loop", "5"]);
        let options = options.unwrap().unwrap();
        assert_eq!(options.dialect, "skill");
        assert_eq!(options.skills.unwrap(), ["a", "b"]);
        assert_eq!(
            (options.pace, options.again),
            (Duration::from_millis(500), Some(Duration::from_secs(5)))
        );
        assert!(options.cwd.is_absolute());
        assert!(read(&["--help"]).unwrap().is_none());
    }

    #[test]
    fn wrong_usage_is_named() {
        for (args, why) in [
            (&["--dialect", "jcli"][..], "unknown dialect jcli"),
            (&["--once", "--loop", "5"], "--once and --loop exclude each other"),
            (&["--pace", "-1"], "--pace needs seconds"),
            (&["--session"], "--session needs a value"),
            (&["--onse"], "unknown option --onse"),
        ] {
            assert_eq!(read(args).unwrap_err(), why);
        }
    }
}
