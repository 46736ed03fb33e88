//! The environment of the user's login shell, for an engine that a desktop started without a terminal (`engine.md` §8).

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use futures::FutureExt;
use hookwright_model::{End, Message, ProcessCall, Program, Run, RunContext, render};

use crate::environment::Environment;
use crate::guardian::Guardian;
use crate::messages::{LOGIN_SHELL_FAILED, LOGIN_SHELL_SLOW};
use crate::process;

/// Time limit of the login shell. Start-up files that need more time are not waited for.
const LOGIN_SHELL_TIMEOUT: Duration = Duration::from_secs(5);

/// Variables that describe the shell itself, not the user's settings. They are removed from the result.
const SHELL_VARS: [&str; 7] = [
    "_",
    "SHLVL",
    "PWD",
    "OLDPWD",
    "HOOKWRIGHT_TRACE",
    "HOOKWRIGHT_RUN",
    "HOOKWRIGHT_DEPTH",
];

/// Runs the login shell once and returns its environment. The shell itself gets `inherited`.
///
/// # Errors
/// The reason why `inherited` must be used instead: the shell took longer than 5 s, did not start, or printed no
/// environment.
pub async fn login_environment(
    shell: &Path,
    inherited: &BTreeMap<OsString, OsString>,
) -> Result<BTreeMap<OsString, OsString>, Message> {
    let mark = format!("--{:016x}--", std::process::id());
    let run = print_environment(shell, inherited, &mark).await;
    let shell = shell.display().to_string();
    let why = match run.end {
        End::TimedOut => {
            return Err(render!(LOGIN_SHELL_SLOW, "shell" => shell, "seconds" => LOGIN_SHELL_TIMEOUT.as_secs()));
        }
        End::Exit | End::Signal => match parse_environment(&run.stdout.bytes, mark.as_bytes()) {
            Some(mut found) => {
                found.retain(|name, _| !SHELL_VARS.iter().any(|own| name == own));
                return Ok(found);
            }
            None => failure_reason(&run),
        },
        End::Cancelled | End::NotStarted | End::Replied | End::Refused | End::PeerGone | End::Done => {
            failure_reason(&run)
        }
    };
    Err(render!(LOGIN_SHELL_FAILED, "shell" => shell, "why" => why))
}

/// Runs the shell so that it prints its environment between two marks. It is a login shell and interactive, because
/// users set PATH in different start-up files and each shell reads others. Start-up files may print text before and
/// after the marks.
async fn print_environment(shell: &Path, inherited: &BTreeMap<OsString, OsString>, mark: &str) -> Run {
    let print = format!("printf %s '{mark}'; /usr/bin/env -0; printf %s '{mark}'");
    let words = [&shell.display().to_string(), "-l", "-i", "-c", &print]
        .map(str::to_owned)
        .to_vec();
    let home = inherited.get(OsStr::new("HOME")).map_or_else(|| "/".into(), Into::into);
    let call = ProcessCall {
        program: Program::Argv(words),
        cwd: home,
        fallback_cwd: "/".into(),
        env: Vec::new(),
        stdin: Vec::new(),
        held_pipe: None,
        folder_vars: &[],
        env_file: None,
        env_without: &[],
    };
    let order = RunContext {
        hook: String::new(),
        session: String::new(),
        trace: String::new(),
        run: format!("login-{}", std::process::id()),
        depth: 0,
        connection: None,
        limit: LOGIN_SHELL_TIMEOUT,
        cancelled: futures::future::pending().boxed().shared(),
        progress: None,
    };
    let environment = Environment::new(inherited.clone());
    process::run(call, order, environment.into(), &Guardian::new(None).into()).await
}

/// Parses the environment between the first two marks.
fn parse_environment(printed: &[u8], mark: &[u8]) -> Option<BTreeMap<OsString, OsString>> {
    let (_, after) = split(printed, mark)?;
    let (inside, _) = split(after, mark)?;
    let vars = inside.split(|byte| *byte == 0).filter_map(|var| {
        let equals = var.iter().position(|byte| *byte == b'=').filter(|at| *at > 0)?;
        Some((os_string(&var[..equals])?, os_string(&var[equals + 1..])?))
    });
    Some(vars.collect::<BTreeMap<_, _>>()).filter(|found| !found.is_empty())
}

fn split<'a>(bytes: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(mark.len()).position(|window| window == mark)?;
    Some((&bytes[..at], &bytes[at + mark.len()..]))
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere bytes may be no text")]
fn os_string(bytes: &[u8]) -> Option<OsString> {
    use std::os::unix::ffi::OsStrExt;
    Some(OsStr::from_bytes(bytes).to_owned())
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> Option<OsString> {
    std::str::from_utf8(bytes).ok().map(Into::into)
}

/// The last line of stderr, otherwise how the shell ended.
fn failure_reason(run: &Run) -> String {
    let stderr = String::from_utf8_lossy(&run.stderr.bytes);
    match (
        stderr.lines().rfind(|line| !line.trim().is_empty()),
        run.signal,
        run.code,
    ) {
        (Some(line), _, _) => line.trim().to_owned(),
        (None, Some(signal), _) => format!("signal {signal}"),
        (None, None, Some(code)) => format!("exit code {code}"),
        (None, None, None) => "no output".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_around_the_marks_is_ignored() {
        let printed = b"welcome!\nX=1\n@@PATH=/bin\0MULTI=a\nb\0=odd\0EMPTY=\0@@bye";
        let found = parse_environment(printed, b"@@").unwrap();
        let names: Vec<_> = found.keys().map(|name| name.to_str().unwrap()).collect();
        assert_eq!(names, ["EMPTY", "MULTI", "PATH"]);
        assert_eq!(found[OsStr::new("MULTI")], "a\nb");
    }

    #[test]
    fn without_both_marks_no_environment_is_found() {
        assert_eq!(parse_environment(b"@@PATH=/bin\0", b"@@"), None);
        assert_eq!(parse_environment(b"@@@@", b"@@"), None);
    }
}
