//! The application: hook files, trust, redaction, use cases, and the one list of commands.
//!
//! It deliberately contains no socket, no window and no command line. Those belong to the hosts around it.
//!
//! [`App`] owns what one process needs: open projects, approvals, settings, the runner and the history. [`commands`] is
//! the router that every host calls. Hooks are stored in files only; the database contains only the history.

mod app_files;
pub mod bindings;
mod blocking;
pub mod check;
pub mod commands;
mod detached_hooks;
pub mod dto;
pub mod edit;
pub mod fault;
mod fire;
mod fixtures;
mod handshake_cache;
mod history;
mod history_commands;
pub mod hooks;
pub mod host_env;
pub mod library;
mod lifecycle;
pub mod locked_file;
mod modules;
mod mute_commands;
pub mod mutes;
mod named_runs;
mod open_project;
mod open_projects;
mod path_serde;
mod projects;
pub mod pushes;
mod recording;
mod regular_file;
mod review;
mod sample_project;
mod scenario;
pub mod settings;
mod simulate;
mod state;
mod temp_files;
pub mod trust;

/// Functions of `hookwright_exec` for the hosts. That crate is the only place that starts programs, those of Hookwright
/// and those of the system.
pub mod programs {
    pub use hookwright_exec::{
        guardian_main, is_guardian, login_environment, raise_descriptor_limit, start_detached, which,
    };
}

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookwright_model::{Message, MessageTemplate, Problem, Trace, args};
use jiff::Timestamp;
use tokio::sync::broadcast;

pub use detached_hooks::{DetachedHooks, DetachedRun};
pub use fault::Fault;
pub use fire::{FireJob, FireResult, MAX_PAYLOAD_BYTES, RAW_LOG_TARGET, Recording, Session, parse_payload};
pub use history::History;
pub use hooks::Consent;
pub use host_env::HostEnv;
pub use mute_commands::MuteState;
pub use open_project::OpenProject;
pub use open_projects::MAX_OPEN_PROJECTS;
pub use pushes::{Push, Topic};
pub use review::first_warnings;
pub use scenario::parse_scenario;
pub use simulate::{SimulateJob, SimulateResult};

use app_files::AppFiles;
use blocking::blocking;
use hookwright_redact::Redactor;
use library::{RefreshCause, RefreshResult, SharedSources, WatchHandle, WatchHub, WatchMode, WatchSet, WatchStatus};
use mutes::Mutes;
use named_runs::NamedRuns;
use open_projects::OpenProjects;
use settings::Settings;
use trust::Trust;

/// Whether the process runs one command or stays alive as an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessRole {
    /// A process for one command. It reads files once and watches nothing.
    OneShot,
    /// A running engine. It watches files and imports the spool into the database.
    Engine,
}

/// The state of one process: open projects, approvals, settings, the runner and the history. Hosts run the use cases on
/// it.
pub struct App {
    /// The environment of the process: its directories, its variables and its own program.
    pub env: Arc<HostEnv>,
    /// The approvals of project hooks, from `trust.json`.
    pub trust: Arc<Trust>,
    /// The spool and the database of traces.
    pub history: Arc<History>,
    role: ProcessRole,
    clock: Clock,
    app_files: Arc<AppFiles>,
    open_projects: Arc<OpenProjects>,
    /// The parsed user files, which all projects share.
    shared: Arc<SharedSources>,
    pushes: broadcast::Sender<Push>,
    runs: NamedRuns,
    /// Detached hooks that are ready to start, because the reply of their event is final.
    detached_runs: Mutex<Vec<DetachedRun>>,
    /// Prefix of every `HOOKWRIGHT_RUN` of this engine.
    run_id_prefix: String,
    next_run: AtomicU64,
    first_start: bool,
    /// The message for [`App::take_startup_notice`].
    startup_notice: Mutex<Option<Message>>,
    /// The file watcher that all watches of this process share.
    watch_hub: Arc<WatchHub>,
    /// The watch on Hookwright's small files: settings, approvals and mutes.
    watch_handle: Mutex<Option<WatchHandle>>,
    /// Whether that watch receives events from the system.
    app_files_status: Arc<WatchStatus>,
}

pub use hookwright_store::Clock;

/// A clock that returns the real time. This is the only place that reads the system's clock.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the wall clock is read only here")]
pub fn wall_clock() -> Clock {
    Arc::new(Timestamp::now)
}

/// All message templates of this crate.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [
        fault::ALL,
        check::ALL,
        fire::ALL,
        hookwright_redact::ALL,
        recording::ALL,
        library::READ_MESSAGES,
        library::WATCH_HUB_MESSAGES,
        library::WATCH_STATUS_MESSAGES,
        review::ALL,
        library::LIMIT_MESSAGES,
        trust::ALL,
        trust::directory::ALL,
        trust::folder::ALL,
        trust::covered_files::ALL,
        mutes::ALL,
        settings::ALL,
        scenario::ALL,
        simulate::ALL,
        locked_file::ALL,
        fixtures::ALL,
        modules::ALL,
    ]
    .concat()
    .into_iter()
    .chain(edit::messages())
    .collect()
}

impl App {
    /// Opens everything that this kind of process needs. An engine also starts the guardians, the watches and the
    /// import. [`App::app_file_problems`] returns what is wrong with Hookwright's files.
    #[must_use]
    pub fn open(env: HostEnv, role: ProcessRole, clock: Clock) -> Self {
        let env = Arc::new(env);
        let first_start = !env.data_dir.exists();
        let settings = Settings::read(&env.data_dir.join("settings.toml"), &env.home);
        let history = Arc::new(History::new(&env.data_dir, role, &settings, clock.clone()));
        let trust = Trust::open(&env.data_dir, &env.home, env.var("PATH").unwrap_or_default().as_ref());
        let mutes = Mutes::open(&env.data_dir);
        let app_files = AppFiles::new(env.clone(), settings, history.clone(), trust, mutes);
        let app = Self {
            trust: app_files.trust.clone(),
            history,
            role,
            clock,
            app_files: Arc::new(app_files),
            open_projects: Arc::default(),
            shared: Arc::default(),
            pushes: broadcast::channel(1024).0,
            runs: NamedRuns::default(),
            detached_runs: Mutex::default(),
            run_id_prefix: ulid::Ulid::generate().to_string(),
            next_run: AtomicU64::new(0),
            first_start,
            startup_notice: Mutex::default(),
            watch_hub: Arc::default(),
            watch_handle: Mutex::default(),
            app_files_status: Arc::default(),
            env,
        };
        app.convert_approvals();
        if role == ProcessRole::Engine {
            hookwright_exec::raise_descriptor_limit();
            app.app_files.exec.kill_orphaned_runs();
            // The guardians start now, so that the first event does not wait for them. Later, the program file might
            // already be replaced by another version.
            if let Some(why) = app.app_files.exec.start_guardian() {
                tracing::warn!(why = %why, "hooks may outlive this engine");
            }
            app.watch_app_files();
            app.open_projects.start_idle_release(&app.pushes);
            let history = app.history.clone();
            tokio::spawn(async move { history.start_writing().await });
        }
        app
    }

    /// Converts approvals of an earlier version, as soon as the folder of their project exists. What they do not cover
    /// needs a review.
    fn convert_approvals(&self) {
        let projects = self.trust.outdated_projects();
        if projects.is_empty() {
            return;
        }
        let nothing_pending = library::PendingFiles::default();
        let load =
            |project: &PathBuf| self.hooks_to_review(&library::load_with(&self.env, project, None, &nothing_pending));
        let hooks: Vec<_> = projects.iter().flat_map(load).collect();
        match self.trust.convert(&projects, &hooks) {
            Ok(0) => {}
            Ok(count) => {
                let message = trust::RULES_CHANGED_COUNT.render(args! { "count" => count });
                if self.role == ProcessRole::Engine {
                    tracing::warn!("{message}");
                }
                *self.startup_notice.lock().unwrap_or_else(PoisonError::into_inner) = Some(message);
            }
            // These approvals have no effect until they are converted. The next start tries again.
            Err(error) => tracing::warn!(why = %error, "approvals of an earlier version were not converted"),
        }
    }

    /// The message from the start of this process. Only the first call returns it.
    #[must_use]
    pub fn take_startup_notice(&self) -> Option<Message> {
        self.startup_notice
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Watches approvals, mutes and settings, because another process may change them while this engine runs.
    fn watch_app_files(&self) {
        let watch_set = WatchSet {
            files: self.app_files.paths(),
            markers: Vec::new(),
            folders: Vec::new(),
        };
        let (app_files, open_projects, pushes) =
            (self.app_files.clone(), self.open_projects.clone(), self.pushes.clone());
        let status = self.app_files_status.clone();
        let refresh = move |mode: WatchMode, _: RefreshCause| {
            if status.set(mode) {
                let what = vec![Topic::State];
                drop(pushes.send(Push::Stale { what }));
            }
            let what = app_files.refresh();
            if !what.is_empty() {
                // The settings contain the folders of skills, so other files may have to be read.
                open_projects
                    .all()
                    .iter()
                    .for_each(|open_project| open_project.request_refresh());
                drop(pushes.send(Push::Stale { what }));
            }
            RefreshResult::Read
        };
        let debounce = Duration::from_millis(u64::from(self.settings().watch.settle_ms));
        let watch_handle = library::watch(&self.watch_hub, debounce, move || watch_set.clone(), refresh);
        *self.watch_handle.lock().unwrap_or_else(PoisonError::into_inner) = Some(watch_handle);
    }

    /// The current time of this process's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Returns a receiver for every push from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Push> {
        self.pushes.subscribe()
    }

    /// Sends a push to every receiver.
    pub fn push(&self, push: Push) {
        // A push without a receiver is not an error.
        drop(self.pushes.send(push));
    }

    /// Sends a push that these topics must be read again. An empty list sends nothing.
    pub fn push_stale(&self, what: &[Topic]) {
        if !what.is_empty() {
            self.push(Push::Stale { what: what.to_vec() });
        }
    }

    fn push_trace(&self, trace: &Trace) {
        if self.pushes.receiver_count() > 0 {
            self.push(Push::Traces {
                rows: vec![history::row(trace)],
            });
        }
    }

    /// Returns the open project. If it is not open yet, opens it; an engine then also watches it.
    ///
    /// # Errors
    /// The path is not a directory.
    pub fn open_project(&self, project: &Path) -> Result<Arc<OpenProject>, Fault> {
        if let Some(open_project) = self.open_projects.get(&self.env.absolute(project)) {
            return Ok(open_project);
        }
        blocking(|| {
            let path = self.require_directory(project)?;
            let open_project = OpenProject::open(self.env.clone(), self.shared.clone(), path, None);
            let (open_project, is_new) = self.open_projects.insert(open_project);
            if is_new {
                self.convert_approvals();
            }
            if is_new && self.role == ProcessRole::Engine {
                self.watch(&open_project);
            }
            Ok(open_project)
        })
    }

    /// Reads only the project files of one dialect, for a command that needs no more. The project does not stay open.
    ///
    /// # Errors
    /// The path is not a directory, or the dialect is unknown.
    pub fn read_dialect(&self, project: &Path, dialect: &str) -> Result<Arc<OpenProject>, Fault> {
        let dialect = hooks::find_dialect(dialect)?.card().id;
        let path = self.require_directory(project)?;
        Ok(OpenProject::open(
            self.env.clone(),
            self.shared.clone(),
            path,
            Some(dialect),
        ))
    }

    fn require_directory(&self, project: &Path) -> Result<PathBuf, Fault> {
        let path = self.env.absolute(project);
        if path.is_dir() {
            return Ok(path);
        }
        Err(fault::NOT_A_DIRECTORY
            .render(args! { "path" => path.display().to_string() })
            .into())
    }

    fn watch(&self, open_project: &Arc<OpenProject>) {
        edit::sweep(&open_project.snapshot());
        let debounce = Duration::from_millis(u64::from(self.settings().watch.settle_ms));
        let pushes = self.pushes.clone();
        open_project.watch(&self.watch_hub, debounce, self.trust.clone(), move || {
            drop(pushes.send(Push::Stale {
                what: vec![Topic::Hooks, Topic::Trust, Topic::State],
            }));
        });
    }

    fn close_project(&self, project: &Path) {
        self.open_projects.remove(project);
    }

    /// The directories of all open projects.
    #[must_use]
    pub fn open_project_paths(&self) -> Vec<PathBuf> {
        self.open_projects
            .all()
            .iter()
            .map(|open_project| open_project.project.clone())
            .collect()
    }

    fn open_projects(&self) -> Vec<Arc<OpenProject>> {
        self.open_projects.all()
    }

    fn request_refresh(&self) {
        for open_project in self.open_projects() {
            open_project.request_refresh();
        }
        if let Some(watch_handle) = &*self.watch_handle.lock().unwrap_or_else(PoisonError::into_inner) {
            watch_handle.request_refresh();
        }
    }

    /// The problems of Hookwright's small files: settings, approvals and mutes.
    #[must_use]
    pub fn app_file_problems(&self) -> Vec<Problem> {
        self.app_files.problems()
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        self.app_files.settings()
    }

    fn redactor(&self) -> Arc<Redactor> {
        self.app_files.redactor()
    }

    /// Kills hooks that still run although their engine was killed together with its guardians. A host calls it before
    /// the first event.
    pub fn kill_orphans(&self) {
        self.app_files.exec.kill_orphaned_runs();
    }

    /// A new value for `HOOKWRIGHT_RUN`.
    fn run_id(&self) -> String {
        format!(
            "{}.{}",
            self.run_id_prefix,
            self.next_run.fetch_add(1, Ordering::Relaxed)
        )
    }

    /// Cancels every named run: the events and simulations that a client started.
    pub fn stop_runs(&self) {
        self.runs.stop_all();
    }

    /// Closes every peer and waits until all have exited. A peer that does not exit by itself is killed after 2 s.
    pub async fn close_peers(&self) {
        self.app_files.exec.close().await;
    }

    /// Cancels runs, closes peers and projects, imports the rest of the spool and closes the database.
    pub async fn shutdown(&self) {
        self.stop_runs();
        self.close_peers().await;
        drop(self.watch_handle.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.open_projects.clear();
        self.history.close().await;
    }
}
