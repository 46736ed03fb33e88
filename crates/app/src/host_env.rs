//! The one door to the environment: what this process was started with, read once and handed down.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use hookwright_model::{DirProbe, Locations};

/// Where this program runs: home, environment, our own data folder.
#[derive(Debug, Clone)]
pub struct HostEnv {
    /// The home directory.
    pub home: PathBuf,
    /// The working directory of this process.
    pub cwd: PathBuf,
    /// Our data folder (`CONTRACTS.md` §5).
    pub data_dir: PathBuf,
    /// The environment that hooks inherit.
    pub vars: BTreeMap<OsString, OsString>,
    /// This program and the hidden argument that makes it a guardian.
    pub program: PathBuf,
    /// Further folders of skills, by the settings in force.
    skills_roots: Arc<ArcSwap<Vec<PathBuf>>>,
}

/// Why the surroundings cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum HostEnvError {
    /// No home directory.
    #[error("there is no home directory: set HOME to the folder that holds your configuration")]
    NoHome,
    /// A place that another working directory would move.
    #[error("{name} is the relative path `{path}`: set it to an absolute path")]
    Relative {
        /// The variable.
        name: &'static str,
        /// Its value.
        path: String,
    },
    /// No working directory.
    #[error("the working directory cannot be read ({0}): change to a folder that exists")]
    NoCwd(std::io::Error),
}

impl HostEnv {
    /// Reads what this process was started with.
    ///
    /// # Errors
    /// When there is no home or no working directory.
    #[expect(clippy::disallowed_methods, reason = "this is the one door to the environment")]
    pub fn from_process() -> Result<Self, HostEnvError> {
        let vars: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        let cwd = std::env::current_dir().map_err(HostEnvError::NoCwd)?;
        let program = std::env::current_exe().unwrap_or_default();
        Self::new(vars, cwd, program)
    }

    /// The same from given parts, for tests and for a login shell's environment.
    ///
    /// # Errors
    /// When the environment names no home, or `HOME` or `HOOKWRIGHT_DATA` is relative: then whoever chooses the working
    /// directory would choose what is the user's (`CONTRACTS.md` §2).
    pub fn new(vars: BTreeMap<OsString, OsString>, cwd: PathBuf, program: PathBuf) -> Result<Self, HostEnvError> {
        let set = |name: &str| {
            vars.get(OsStr::new(name))
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let absolute = |name: &'static str| match set(name) {
            Some(path) if path.is_relative() => {
                let path = path.display().to_string();
                Err(HostEnvError::Relative { name, path })
            }
            path => Ok(path),
        };
        // The standard says so of its variables, and the system's own are never relative.
        let absolute_or_unset = |name: &str| set(name).filter(|path| path.is_absolute());
        let home = match absolute("HOME")? {
            Some(home) => home,
            None => absolute("USERPROFILE")?.ok_or(HostEnvError::NoHome)?,
        };
        let data_dir = absolute("HOOKWRIGHT_DATA")?
            .or_else(|| absolute_or_unset("XDG_DATA_HOME").map(|dir| dir.join("hookwright")))
            .unwrap_or_else(|| platform_data_dir(&home, absolute_or_unset("LOCALAPPDATA")));
        Ok(Self {
            home,
            cwd,
            data_dir,
            vars,
            program,
            skills_roots: Arc::default(),
        })
    }

    /// One variable, as text, when it is set to something.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<String> {
        self.vars
            .get(OsStr::new(name))
            .and_then(|value| value.to_str())
            .filter(|value| !value.is_empty())
            .map(str::to_owned)
    }

    /// Takes the settings' folders of skills into force.
    pub fn set_skills_roots(&self, roots: &[PathBuf]) {
        self.skills_roots.store(Arc::new(roots.to_vec()));
    }

    /// Where dialects look, for this project.
    #[must_use]
    pub fn locations(&self, project: &Path) -> Locations {
        let vars = ["J_DATA_PATH", "XDG_CONFIG_HOME"]
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), self.var(name)?)));
        Locations {
            home: self.home.clone(),
            project: project.to_owned(),
            skills_roots: self.skills_roots.load().to_vec(),
            vars: vars.collect(),
        }
    }

    /// The absolute form of a path that a person gave, links resolved where it exists.
    #[must_use]
    pub fn absolute(&self, path: &Path) -> PathBuf {
        let full = if path.is_absolute() {
            path.to_owned()
        } else {
            self.cwd.join(path)
        };
        dunce::canonicalize(&full).unwrap_or_else(|_| normalize(&full))
    }

    /// The folder of sockets and endpoint.
    #[must_use]
    pub fn run_dir(&self) -> PathBuf {
        self.data_dir.join("run")
    }
}

/// `.` and `..` taken out by the letter, for paths that do not exist.
fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                out.pop();
            }
            std::path::Component::Normal(_) | std::path::Component::RootDir | std::path::Component::Prefix(_) => {
                out.push(part)
            }
        }
    }
    out
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

/// The disk as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskProbe;

impl DirProbe for DiskProbe {
    fn is_dir(&self, path: &Path) -> bool {
        path.is_dir()
    }
}
