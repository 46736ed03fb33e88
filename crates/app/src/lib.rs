//! Files, trust, redaction, use cases, and the one list of commands.
//!
//! What it deliberately does not do: it knows no socket, no window and no command line; those are hosts around it.
//!
//! How it works: [`App`] holds what one process needs (projects on the desk, approvals, settings, the runner, the
//! history). [`commands`] is the router that every host calls. Hooks live on the disk only; the database holds history.

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
pub mod redact;
mod regular_file;
mod review;
mod sample_project;
mod scenario;
pub mod settings;
mod simulate;
mod state;
mod temp_files;
pub mod trust;

/// Programs of ours and of the system, started through the one door.
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
use library::{RefreshCause, RefreshResult, SharedSources, WatchHandle, WatchHub, WatchMode, WatchSet, WatchStatus};
use mutes::Mutes;
use named_runs::NamedRuns;
use open_projects::OpenProjects;
use redact::Redactor;
use settings::Settings;
use trust::Trust;

/// What kind of process this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessRole {
    /// One command: files are read once, nothing is watched.
    OneShot,
    /// An engine that lives: files are watched, the journal runs.
    Engine,
}

/// Everything one process needs.
pub struct App {
    /// Where it runs.
    pub env: Arc<HostEnv>,
    /// Approvals.
    pub trust: Arc<Trust>,
    /// The history.
    pub history: Arc<History>,
    role: ProcessRole,
    clock: Clock,
    app_files: Arc<AppFiles>,
    open_projects: Arc<OpenProjects>,
    /// What projects have in common.
    shared: Arc<SharedSources>,
    pushes: broadcast::Sender<Push>,
    runs: NamedRuns,
    /// Asynchronous hooks whose reply is settled.
    detached_runs: Mutex<Vec<DetachedRun>>,
    /// Prefix of every `HOOKWRIGHT_RUN` of this engine.
    run_id_prefix: String,
    next_run: AtomicU64,
    first_start: bool,
    /// What the start of this process has to say, once.
    startup_notice: Mutex<Option<Message>>,
    /// What every watch listens through.
    watch_hub: Arc<WatchHub>,
    /// The watch on our own small files.
    watch_handle: Mutex<Option<WatchHandle>>,
    /// Whether it is told of changes.
    app_files_status: Arc<WatchStatus>,
}

pub use hookwright_store::Clock;

/// The wall clock.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one door to the wall clock")]
pub fn wall_clock() -> Clock {
    Arc::new(Timestamp::now)
}

/// Every sentence of this crate.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [
        fault::ALL,
        check::ALL,
        fire::ALL,
        redact::ALL,
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
    /// Opens everything that this kind of process needs. What of our own files is broken is told by [`App::app_file_problems`].
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
            // The first event must not wait for the guards, nor meet a program that was replaced meanwhile.
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

    /// Converts approvals of an earlier version, once their project is there: what they do not cover waits for a review.
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
            // Nothing of them holds until they are converted; the next start tries again.
            Err(error) => tracing::warn!(why = %error, "approvals of an earlier version were not converted"),
        }
    }

    /// What the start of this process has to say; told once.
    #[must_use]
    pub fn take_startup_notice(&self) -> Option<Message> {
        self.startup_notice
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    /// Another process may change approvals, mutes and settings: an engine that lives follows.
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
                // Settings say where skills are.
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

    /// Now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Hears every push from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Push> {
        self.pushes.subscribe()
    }

    /// Tells everybody who listens.
    pub fn push(&self, push: Push) {
        // Nobody listening is no error.
        drop(self.pushes.send(push));
    }

    /// Tells everybody that these must be asked for again.
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

    /// The project on the desk; put there, and watched by an engine, when it was not.
    ///
    /// # Errors
    /// It is no directory.
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

    /// The project with the files of one dialect alone, for a command that needs no more. It is not kept.
    ///
    /// # Errors
    /// It is no directory, or there is no such dialect.
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

    /// The projects that are open.
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

    /// What is wrong with our own files.
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

    /// Ends hooks that run on although their engine was killed, and its guards with it. Before the first event.
    pub fn kill_orphans(&self) {
        self.app_files.exec.kill_orphaned_runs();
    }

    /// A fresh `HOOKWRIGHT_RUN`.
    fn run_id(&self) -> String {
        format!(
            "{}.{}",
            self.run_id_prefix,
            self.next_run.fetch_add(1, Ordering::Relaxed)
        )
    }

    /// Stops every chain under way.
    pub fn stop_runs(&self) {
        self.runs.stop_all();
    }

    /// Closes every long-lived hook, and waits until all are gone: 2 s, when one does not end by itself.
    pub async fn close_peers(&self) {
        self.app_files.exec.close().await;
    }

    /// Stops what runs, and flushes the journal.
    pub async fn shutdown(&self) {
        self.stop_runs();
        self.close_peers().await;
        drop(self.watch_handle.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.open_projects.clear();
        self.history.close().await;
    }
}
