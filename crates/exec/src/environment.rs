//! The environment that hooks inherit, and the search for programs on PATH.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use hookwright_model::{CodePathVars, Message, render};
use tokio::process::Command;

use crate::messages::{VARIABLE_LONG, VARIABLE_NUL};

/// The engine's environment, given by the host. This crate reads no variable of its own process.
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

    /// Removes from a command's environment the folders that it must not load code from. A variable without an
    /// allowed folder is removed.
    pub(crate) fn restrict_code_paths(&self, command: &mut Command, loads: &CodePathVars) {
        for name in loads.vars {
            let Some(given) = self.var(name) else { continue };
            match restricted_paths(given, loads.excluded_folder.as_deref()) {
                Some(kept) => command.env(name, kept),
                None => command.env_remove(name),
            };
        }
    }

    /// The PATH on which the program of a process is searched. If the process must not load code from a folder, no
    /// program is started from this folder either.
    pub(crate) fn program_path(&self, added: &[(String, String)], loads: &CodePathVars) -> OsString {
        let path = self.path(added);
        match &loads.excluded_folder {
            Some(never) => restricted_paths(path, Some(never)).unwrap_or_default(),
            None => path.to_owned(),
        }
    }

    /// The PATH of a hook: the value that its call sets, otherwise the one of the engine's environment.
    pub(crate) fn path<'a>(&'a self, added: &'a [(String, String)]) -> &'a OsStr {
        let own = added
            .iter()
            .rev()
            .find(|(name, _)| name == "PATH")
            .map(|(_, value)| OsStr::new(value));
        own.or_else(|| self.var("PATH")).unwrap_or_default()
    }
}

/// Most bytes of a variable's name and value. Linux allows 32 pages, `=` and the final NUL included. Windows limits
/// all variables together.
const MAX_VAR_BYTES: usize = if cfg!(windows) { 32_766 } else { 131_070 };

/// Returns the warning for a variable that the run must leave out. Values come from payloads too, and none of them
/// may prevent a hook from starting.
pub(crate) fn invalid_var_warning((name, value): &(String, String)) -> Option<Message> {
    if value.contains('\0') {
        return Some(render!(VARIABLE_NUL, "name" => name));
    }
    let bytes = value.len();
    (name.len() + bytes > MAX_VAR_BYTES).then(|| render!(VARIABLE_LONG, "name" => name, "bytes" => bytes))
}

/// The absolute entries of a list of folders that are not inside `never`. `None` when there is no such entry.
fn restricted_paths(list: &OsStr, never: Option<&Path>) -> Option<OsString> {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let inside = |entry: &Path| {
        never.is_some_and(|never| {
            // A symbolic link inside `never` counts as inside, wherever it points: it can be changed like all content
            // of `never`.
            entry.starts_with(never) || entry.starts_with(real(never)) || real(entry).starts_with(real(never))
        })
    };
    let kept: Vec<PathBuf> = std::env::split_paths(list)
        .filter(|entry| entry.is_absolute() && !inside(entry))
        .collect();
    let joined = std::env::join_paths(&kept).ok();
    joined.filter(|_| !kept.is_empty())
}

/// Finds a bare program name on this PATH. Entries that are not absolute are skipped, because they would name
/// another folder for every run.
#[must_use]
pub fn which(program: &str, path: &OsStr) -> Option<PathBuf> {
    let absolute = std::env::join_paths(std::env::split_paths(path).filter(|entry| entry.is_absolute())).ok()?;
    which::which_in_global(program, Some(absolute)).ok()?.next()
}

/// The absolute path of a program that runs in `cwd`. A bare name must be made absolute before the spawn. Otherwise
/// a changed PATH would make the spawn 1.3 to 70 times slower than `posix_spawn`; the factor grows with the engine's
/// memory.
///
/// # Errors
/// The system's error for a name that is not on PATH. A path is not checked; if it cannot be run, the spawn reports it.
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
    fn a_bare_name_is_searched_on_path_and_a_path_is_resolved_from_the_directory() {
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
    fn a_variable_that_no_environment_can_hold_is_reported() {
        let warning =
            |value: &str| invalid_var_warning(&("X".to_owned(), value.to_owned())).map(|message| message.text);
        let says = |value: &str, words: &str| warning(value).is_some_and(|text| text.contains(words));
        assert_eq!(warning("plain, = and long: \n"), None);
        assert_eq!(warning(&"x".repeat(MAX_VAR_BYTES - 1)), None);
        assert!(says("a\0b", "a NUL byte"));
        assert!(says(&"x".repeat(MAX_VAR_BYTES), "exceeds the system's limit"));
    }

    #[test]
    fn code_is_loaded_only_from_absolute_folders_outside_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let never = folder.path().join("project");
        std::fs::create_dir_all(never.join("lib")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(never.join("lib"), folder.path().join("link")).unwrap();
        let list = |entries: &[PathBuf]| std::env::join_paths(entries).unwrap();
        let outside = folder.path().join("mine");
        let entries = ["", ".", "lib", "../project/lib"].map(PathBuf::from).to_vec();
        assert_eq!(restricted_paths(&list(&entries), None), None);
        let own = [
            never.clone(),
            never.join("lib"),
            never.join("../project/lib"),
            folder.path().join("link"),
        ];
        let all = [&entries[..], &own, std::slice::from_ref(&outside)].concat();
        assert_eq!(
            restricted_paths(&list(&all), Some(&never)).unwrap(),
            list(std::slice::from_ref(&outside))
        );
        assert_eq!(restricted_paths(&list(&own), None).unwrap(), list(&own));
    }

    #[test]
    fn the_call_may_set_path_for_its_hook() {
        let environment = Environment::new([("PATH".into(), "/a".into())]);
        assert_eq!(environment.path(&[]), "/a");
        assert_eq!(environment.path(&[("PATH".to_owned(), "/b".to_owned())]), "/b");
    }
}
