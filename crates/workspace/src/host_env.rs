//! The only place that reads the process environment and the clock. The environment is read once at the start and then
//! passed on.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use hookwright_model::{Clock, Locations, Root, Uptime};
use hookwright_redact::Redactor;

/// What this process was started with: home, environment variables, program, and Hookwright's data folder.
#[derive(Debug, Clone)]
pub struct HostEnv {
    /// The user's home directory: `HOME`, or `USERPROFILE` if `HOME` is not set.
    pub home: PathBuf,
    /// The working directory of this process at its start.
    pub cwd: PathBuf,
    /// Hookwright's data folder (`CONTRACTS.md` §5).
    pub data_dir: PathBuf,
    /// The environment variables that hooks inherit.
    pub vars: BTreeMap<OsString, OsString>,
    /// The executable of this process, which is also started as the guardian. Empty if unknown.
    pub program: PathBuf,
    /// Additional folders of skills, from the current settings.
    skills_roots: Arc<ArcSwap<Vec<PathBuf>>>,
    /// A folder of skills that an agent named.
    agent_skills: Option<PathBuf>,
    /// Masks secrets by the current settings.
    redactor: Arc<ArcSwap<Redactor>>,
}

/// Why the host environment cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum HostEnvError {
    /// Neither `HOME` nor `USERPROFILE` is set.
    #[error("the home directory is not known: set HOME to the folder that contains your configuration")]
    NoHome,
    /// A variable contains a relative path, which would change with the working directory.
    #[error("{name} is the relative path `{path}`: set it to an absolute path")]
    Relative {
        /// Name of the variable, such as `HOME`.
        name: &'static str,
        /// Value of the variable.
        path: String,
    },
    /// The working directory does not exist or cannot be read.
    #[error("the working directory cannot be read ({0}): change to a folder that exists")]
    NoCwd(std::io::Error),
}

impl HostEnv {
    /// Reads the environment, the working directory and the program path of this process.
    ///
    /// # Errors
    /// The working directory cannot be read, or one of the errors of [`HostEnv::new`].
    #[expect(clippy::disallowed_methods, reason = "the environment is read only here")]
    pub fn from_process() -> Result<Self, HostEnvError> {
        let vars: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
        let cwd = std::env::current_dir().map_err(HostEnvError::NoCwd)?;
        let program = std::env::current_exe().unwrap_or_default();
        Self::new(vars, cwd, program)
    }

    /// Builds the host environment from given parts, for tests and for the environment of a login shell.
    ///
    /// # Errors
    /// No home directory is set, or `HOME`, `USERPROFILE` or `HOOKWRIGHT_DATA` is relative. With a relative path, the
    /// choice of the working directory would decide which files count as the user's (`CONTRACTS.md` §2).
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
        // The XDG standard ignores relative paths, and `LOCALAPPDATA` is never relative.
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
            agent_skills: None,
            redactor: Arc::default(),
        })
    }

    /// The value of one variable as text. `None` if it is missing, empty or not valid Unicode.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<String> {
        self.vars
            .get(OsStr::new(name))
            .and_then(|value| value.to_str())
            .filter(|value| !value.is_empty())
            .map(str::to_owned)
    }

    /// A program of Hookwright: in the folder of this program, or in `PATH`. `None` if it is in neither.
    #[must_use]
    pub fn program_beside(&self, name: &str) -> Option<PathBuf> {
        let own = self.program.parent().map(Path::to_owned);
        let path = self.vars.get(OsStr::new("PATH"));
        let path = path.into_iter().flat_map(std::env::split_paths);
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        let folders = own.into_iter().chain(path).filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(&file)).find(|path| path.is_file())
    }

    /// Masks secrets by the current settings; masks nothing before [`Self::set_redactor`].
    #[must_use]
    pub fn redactor(&self) -> Arc<Redactor> {
        self.redactor.load_full()
    }

    /// Applies the settings of redaction.
    pub fn set_redactor(&self, redactor: Redactor) {
        self.redactor.store(Arc::new(redactor));
    }

    /// Applies the skill folders of the settings.
    pub fn set_skills_roots(&self, roots: &[PathBuf]) {
        self.skills_roots.store(Arc::new(roots.to_vec()));
    }

    /// The same environment with a folder of skills that an agent named, in front of those of the settings. Later
    /// settings do not change it.
    #[must_use]
    pub fn with_agent_skills(&self, root: PathBuf) -> Self {
        let others = self.skills_roots.load();
        let roots = std::iter::once(root.clone()).chain(others.iter().cloned()).collect();
        Self {
            skills_roots: Arc::new(ArcSwap::from_pointee(roots)),
            agent_skills: Some(root),
            ..self.clone()
        }
    }

    /// The folder that the files of a root must not lead out of: that of its project, or the one that an agent named.
    /// `None` for the user's own files.
    #[must_use]
    pub fn boundary_of<'r>(&self, root: &'r Root) -> Option<&'r Path> {
        let named = || Some(&*root.path).filter(|path| self.agent_skills.as_deref() == Some(*path));
        root.project.as_deref().or_else(named)
    }

    /// Where dialects search for files, for this project.
    #[must_use]
    pub fn locations(&self, project: &Path) -> Locations {
        let cards = hookwright_dialects::all().iter().map(|dialect| dialect.card());
        let vars = cards
            .flat_map(|card| card.location_vars)
            .filter_map(|name| Some(((*name).to_owned(), self.var(name)?)));
        Locations {
            home: self.home.clone(),
            project: project.to_owned(),
            skills_roots: self.skills_roots.load().to_vec(),
            vars: vars.collect(),
        }
    }

    /// The absolute form of a path that the user gave. If the path exists, its links are resolved.
    #[must_use]
    pub fn absolute(&self, path: &Path) -> PathBuf {
        let full = if path.is_absolute() {
            path.to_owned()
        } else {
            self.cwd.join(path)
        };
        dunce::canonicalize(&full).unwrap_or_else(|_| normalize(&full))
    }

    /// The folder of the sockets and of the file `endpoint`.
    #[must_use]
    pub fn run_dir(&self) -> PathBuf {
        self.data_dir.join("run")
    }
}

/// Removes `.` and `..` from a path without reading the disk, for paths that do not exist.
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

/// A clock that returns the real time. This is the only place that reads the system's clock.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the wall clock is read only here")]
pub fn wall_clock() -> Clock {
    Clock::new(jiff::Timestamp::now).with_uptime(uptime)
}

/// The time since this machine was started, with the times in which it was suspended.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the system offers this as a file")]
fn uptime() -> Option<Uptime> {
    static BOOT: OnceLock<Option<String>> = OnceLock::new();
    let read = || std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
    let boot = BOOT.get_or_init(|| read().map(|id| id.trim().to_owned())).clone()?;
    let since = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Some(Uptime {
        boot,
        ms: since.tv_sec * 1000 + since.tv_nsec / 1_000_000,
    })
}

/// The time since this process was started: elsewhere times of several processes cannot be compared.
#[cfg(not(target_os = "linux"))]
fn uptime() -> Option<Uptime> {
    static START: OnceLock<(String, std::time::Instant)> = OnceLock::new();
    let (boot, start) = START.get_or_init(|| (ulid::Ulid::generate().to_string(), std::time::Instant::now()));
    Some(Uptime {
        boot: boot.clone(),
        ms: i64::try_from(start.elapsed().as_millis()).ok()?,
    })
}
