//! What hooks inherit, and where programs are found.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use hookwright_model::{Words, args};

use crate::sayings::{VARIABLE_LONG, VARIABLE_NUL};

/// The engine's environment, handed in by the host: this crate reads no variable of its own process.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    vars: Vec<(OsString, OsString)>,
}

impl Environment {
    pub(crate) fn new(vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self {
            vars: vars.into_iter().collect(),
        }
    }

    pub(crate) fn vars(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.vars
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    pub(crate) fn var(&self, name: &str) -> Option<&OsStr> {
        self.vars
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_os_str())
    }

    /// The PATH of a hook: what its call sets, else ours.
    pub(crate) fn path<'a>(&'a self, added: &'a [(String, String)]) -> &'a OsStr {
        let own = added
            .iter()
            .rev()
            .find(|(name, _)| name == "PATH")
            .map(|(_, value)| OsStr::new(value));
        own.or_else(|| self.var("PATH")).unwrap_or_default()
    }
}

/// Bytes of one variable with its name that a system takes (Linux: 32 pages, its end included; Windows: of all together).
const LONGEST: usize = if cfg!(windows) { 32_766 } else { 131_070 };

/// Why a run goes without a variable: values come from payloads too, and none of them may keep a hook from starting.
pub(crate) fn unheld((name, value): &(String, String)) -> Option<Words> {
    if value.contains('\0') {
        return Some(VARIABLE_NUL.say(args! { "name" => name }));
    }
    let bytes = value.len();
    (name.len() + bytes > LONGEST).then(|| VARIABLE_LONG.say(args! { "name" => name, "bytes" => bytes }))
}

/// Where a bare program name is found on this PATH. Entries that are not absolute are passed over: they would name
/// another folder for every run.
#[must_use]
pub fn which(program: &str, path: &OsStr) -> Option<PathBuf> {
    let absolute = std::env::join_paths(std::env::split_paths(path).filter(|entry| entry.is_absolute())).ok()?;
    which::which_in_global(program, Some(absolute)).ok()?.next()
}

/// The absolute path of a program that is to run in `cwd`. A bare name must be absolute before the spawn, or a changed
/// PATH would cost `posix_spawn` (1.3 to 70 times as slow, the larger the engine).
///
/// # Errors
/// The system's own word for a name that PATH does not hold. Whether a given path can be run, the spawn tells.
pub(crate) fn resolve(program: &str, path: &OsStr, cwd: &Path) -> io::Result<PathBuf> {
    if program.is_empty()
        || !Path::new(program)
            .components()
            .eq([std::path::Component::Normal(OsStr::new(program))])
    {
        return Ok(cwd.join(program));
    }
    which(program, path).ok_or_else(not_found)
}

fn not_found() -> io::Error {
    #[cfg(unix)]
    return rustix::io::Errno::NOENT.into();
    #[cfg(not(unix))]
    return io::ErrorKind::NotFound.into();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_is_looked_up_and_a_path_is_taken_from_the_directory() {
        let here = Path::new("/nowhere");
        assert_eq!(
            resolve("./run", OsStr::new("/bin"), here).unwrap(),
            Path::new("/nowhere/./run")
        );
        assert_eq!(
            resolve("/x/run", OsStr::new("/bin"), here).unwrap(),
            Path::new("/x/run")
        );
        assert!(resolve("sh", OsStr::new("/bin:/usr/bin"), here).unwrap().is_absolute());
        let missing = resolve("no-such-program-here", OsStr::new("/bin"), here).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_relative_entry_of_path_finds_nothing() {
        assert_eq!(which("sh", OsStr::new("bin::.")), None);
        assert!(which("sh", OsStr::new("bin:/bin:/usr/bin")).is_some());
    }

    #[test]
    fn what_no_environment_holds_is_told_and_everything_else_is_held() {
        let unheld = |value: &str| unheld(&("X".to_owned(), value.to_owned())).map(|words| words.text);
        let says = |value: &str, words: &str| unheld(value).is_some_and(|text| text.contains(words));
        assert_eq!(unheld("plain, = and long: \n"), None);
        assert_eq!(unheld(&"x".repeat(LONGEST - 1)), None);
        assert!(says("a\0b", "a NUL byte"));
        assert!(says(&"x".repeat(LONGEST), "more than the system takes"));
    }

    #[test]
    fn the_call_may_set_path_for_its_hook() {
        let environment = Environment::new([("PATH".into(), "/a".into())]);
        assert_eq!(environment.path(&[]), "/a");
        assert_eq!(environment.path(&[("PATH".to_owned(), "/b".to_owned())]), "/b");
    }
}
