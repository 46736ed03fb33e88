//! The environment of the relay: where the engine's socket may be, and which directory the agent works in. The only
//! place that reads environment variables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::dialects::RelayDialect;
use crate::problem::NoReply;

/// Environment variables by name. Tests have their own.
pub struct Environment {
    read: fn(&str) -> Option<OsString>,
}

impl Environment {
    /// The environment of this process.
    #[expect(
        clippy::disallowed_methods,
        reason = "the environment is read only here, and the relay uses no other crate"
    )]
    pub fn of_process() -> Self {
        Self {
            read: |name| env::var_os(name),
        }
    }

    /// A variable that is set and not empty.
    fn var(&self, name: &str) -> Option<OsString> {
        (self.read)(name).filter(|value| !value.is_empty())
    }

    /// A variable with an absolute path. A relative `XDG_*` path counts as unset, as its standard says.
    fn absolute_or_unset(&self, name: &str) -> Option<PathBuf> {
        self.var(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// A variable that must not be relative, since the working directory would then decide who is asked.
    fn absolute(&self, name: &'static str) -> Result<Option<PathBuf>, NoReply> {
        match self.var(name).map(PathBuf::from) {
            Some(path) if path.is_relative() => Err(NoReply::RelativePath {
                name,
                path: path.display().to_string(),
            }),
            path => Ok(path),
        }
    }

    /// The data folder (`CONTRACTS.md` §5); `None` if no home directory is set.
    fn data_dir(&self) -> Result<Option<PathBuf>, NoReply> {
        let home = match self.absolute("HOME")? {
            Some(home) => Some(home),
            None => self.absolute("USERPROFILE")?,
        };
        if let Some(data) = self.absolute("HOOKWRIGHT_DATA")? {
            return Ok(Some(data));
        }
        if let Some(data) = self.absolute_or_unset("XDG_DATA_HOME") {
            return Ok(Some(data.join("hookwright")));
        }
        let local = self.absolute_or_unset("LOCALAPPDATA");
        Ok(home.map(|home| platform_data_dir(&home, local)))
    }

    /// Calls `answers` with each place of the agent socket in order, until it returns a value (`CONTRACTS.md` §3):
    /// `HOOKWRIGHT_SOCKET` alone if it is set, otherwise the runtime folder, the data folder, and last the place that
    /// the file `endpoint` names. That file is read only when the others did not answer.
    pub fn first_socket<T>(&self, mut answers: impl FnMut(&Path) -> Option<T>) -> Result<Option<T>, NoReply> {
        if let Some(socket) = self.var("HOOKWRIGHT_SOCKET") {
            return Ok(answers(Path::new(&socket)));
        }
        let data_dir = self.data_dir()?;
        let runtime = self
            .absolute_or_unset("XDG_RUNTIME_DIR")
            .map(|dir| dir.join("hookwright/agent.sock"));
        let run_dir = data_dir.map(|dir| dir.join("run"));
        let in_data = run_dir.as_ref().map(|dir| dir.join("agent.sock"));
        let mut tried = Vec::new();
        if cfg!(unix) {
            for path in [runtime, in_data].into_iter().flatten() {
                if let Some(answer) = answers(&path) {
                    return Ok(Some(answer));
                }
                tried.push(path);
            }
        }
        let endpoint = run_dir
            .and_then(|dir| socket_in_endpoint(&dir))
            .filter(|path| !tried.contains(path));
        Ok(endpoint.and_then(|path| answers(&path)))
    }

    /// The project directory for `session.open`: the agent's variable for it, else the working directory, else the one in
    /// which a shell was last.
    pub fn project_dir(&self, dialect: &RelayDialect) -> PathBuf {
        let named = dialect.project_var.and_then(|name| self.absolute_or_unset(name));
        let current = || env::current_dir().ok().or_else(|| self.absolute_or_unset("PWD"));
        // A removed folder has no name any more.
        named.or_else(current).unwrap_or_else(|| "/".into())
    }

    /// Where the agent looks programs up; `None` if it is not Unicode.
    pub fn search_path(&self) -> Option<String> {
        self.var("PATH")?.into_string().ok()
    }

    /// How many hooks of Hookwright this process is nested in (`engine.md` §2); `None` outside a hook.
    pub fn depth(&self) -> Option<u32> {
        self.var("HOOKWRIGHT_DEPTH")?.to_str()?.parse().ok()
    }
}

/// The first line of `endpoint`, which names the agent socket. It is empty while the engine has none.
#[expect(
    clippy::disallowed_methods,
    reason = "the engine's own small file; the relay uses no other crate"
)]
fn socket_in_endpoint(run_dir: &Path) -> Option<PathBuf> {
    let endpoint = run_dir.join("endpoint");
    // A pipe would wait for a writer.
    if !endpoint.is_file() {
        return None;
    }
    let text = fs::read_to_string(endpoint).ok()?;
    text.lines().next().filter(|line| !line.is_empty()).map(PathBuf::from)
}

fn platform_data_dir(home: &Path, local_app_data: Option<PathBuf>) -> PathBuf {
    if cfg!(target_os = "macos") {
        home.join("Library/Application Support/hookwright")
    } else if cfg!(windows) {
        local_app_data
            .unwrap_or_else(|| home.join("AppData/Local"))
            .join("hookwright")
    } else {
        home.join(".local/share/hookwright")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(read: fn(&str) -> Option<OsString>) -> Result<Vec<PathBuf>, NoReply> {
        let mut all = Vec::new();
        Environment { read }.first_socket(|path| {
            all.push(path.to_owned());
            None::<()>
        })?;
        Ok(all)
    }

    #[test]
    fn a_named_socket_is_the_only_place() {
        let places = tried(|name| match name {
            "HOOKWRIGHT_SOCKET" => Some("/x/a.sock".into()),
            _ => Some("relative".into()),
        });
        assert_eq!(places, Ok(vec![PathBuf::from("/x/a.sock")]));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_runtime_folder_is_before_the_data_folder() {
        let places = tried(|name| match name {
            "XDG_RUNTIME_DIR" => Some("/run/me".into()),
            "HOME" => Some("/home/me".into()),
            _ => None,
        });
        let expected = [
            "/run/me/hookwright/agent.sock",
            "/home/me/.local/share/hookwright/run/agent.sock",
        ];
        assert_eq!(places, Ok(expected.map(PathBuf::from).to_vec()));
    }

    #[cfg(unix)]
    #[test]
    fn a_relative_standard_folder_counts_as_unset_and_an_empty_variable_too() {
        let places = tried(|name| match name {
            "XDG_RUNTIME_DIR" | "XDG_DATA_HOME" => Some("run".into()),
            "HOOKWRIGHT_DATA" => Some("/data".into()),
            "HOOKWRIGHT_SOCKET" => Some("".into()),
            _ => None,
        });
        assert_eq!(places, Ok(vec![PathBuf::from("/data/run/agent.sock")]));
        let places = tried(|name| (name == "XDG_DATA_HOME").then(|| "/share".into()));
        assert_eq!(places, Ok(vec![PathBuf::from("/share/hookwright/run/agent.sock")]));
        assert_eq!(tried(|_| None), Ok(Vec::new()));
    }

    #[test]
    fn a_relative_home_or_data_folder_is_refused_by_name() {
        for name in ["HOME", "HOOKWRIGHT_DATA"] {
            let read: fn(&str) -> Option<OsString> = match name {
                "HOME" => |name| (name == "HOME").then(|| "x/y".into()),
                _ => |name| (name == "HOOKWRIGHT_DATA").then(|| "x/y".into()),
            };
            assert_eq!(
                tried(read),
                Err(NoReply::RelativePath {
                    name,
                    path: "x/y".to_owned()
                })
            );
        }
    }
}
