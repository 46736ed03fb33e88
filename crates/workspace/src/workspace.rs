//! The workspace of one process: the environment, the open projects, and Hookwright's own files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{Clock, Hook, Message, Problem, render};
use hookwright_redact::Redactor;
use jiff::Timestamp;

use crate::app_files::AppFiles;
use crate::approvals;
use crate::blocking::blocking;
use crate::data_files::locked_file::LockedFileError;
use crate::discovery::{self, SharedSources};
use crate::files::temp_files;
use crate::host_env::HostEnv;
use crate::listener::{Changes, Listener};
use crate::lock::lock;
use crate::mutes::{Mute, Mutes};
use crate::project::{OpenProject, OpenProjects};
use crate::settings::Settings;
use crate::snapshot::{ReadScope, Snapshot};
use crate::trust::{HookContent, RULES_CHANGED_COUNT, Trust};
use crate::watcher::{RefreshCause, RefreshResult, WatchHandle, WatchHub, WatchMode, WatchSet, WatchStatus, watch};

hookwright_model::messages! {
    /// The path is not a directory.
    NOT_A_DIRECTORY = "not_a_directory" { "{path} is not a directory", "{path} 不是目录" } hint { "give the folder that contains the project", "给出项目所在的文件夹" };
}

/// How often the programs of hooks that were shown are looked at.
const PROGRAM_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Whether the process runs one command or stays alive as an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessRole {
    /// A process for one command. It reads files once and watches nothing.
    OneShot,
    /// A running engine. It watches files.
    Engine,
}

/// The environment, the open projects, and Hookwright's own files.
pub struct Workspace {
    /// The environment of the process: its directories, its variables and its own program.
    pub env: Arc<HostEnv>,
    /// The approvals of project hooks, from `trust.json`.
    pub trust: Arc<Trust>,
    /// The role of the process.
    pub role: ProcessRole,
    clock: Clock,
    listener: Arc<dyn Listener>,
    app_files: Arc<AppFiles>,
    open_projects: Arc<OpenProjects>,
    /// The user's own hooks without a project, from the first request on.
    user_hooks: Arc<Mutex<Option<Arc<OpenProject>>>>,
    /// The parsed user files, which all projects share.
    shared: Arc<SharedSources>,
    /// The message for [`Workspace::take_startup_notice`].
    startup_notice: Mutex<Option<Message>>,
    /// The file watcher that all watches of this process share.
    watch_hub: Arc<WatchHub>,
    /// The watch on Hookwright's small files: settings, approvals and mutes.
    watch_handle: Mutex<Option<WatchHandle>>,
    /// Whether that watch receives events from the system.
    app_files_status: Arc<WatchStatus>,
}

impl Workspace {
    /// Reads approvals and mutes, takes the settings, and converts approvals of an earlier version. Nothing is watched
    /// yet.
    #[must_use]
    pub fn open(
        env: Arc<HostEnv>,
        settings: Settings,
        role: ProcessRole,
        clock: Clock,
        listener: Arc<dyn Listener>,
    ) -> Self {
        let app_files = AppFiles::new(env.clone(), settings, listener.clone());
        let workspace = Self {
            trust: app_files.trust().clone(),
            role,
            clock,
            listener,
            app_files: Arc::new(app_files),
            open_projects: Arc::default(),
            user_hooks: Arc::default(),
            shared: Arc::default(),
            startup_notice: Mutex::default(),
            watch_hub: Arc::default(),
            watch_handle: Mutex::default(),
            app_files_status: Arc::default(),
            env,
        };
        workspace.convert_approvals();
        workspace
    }

    /// Watches Hookwright's own files from now on, and releases idle projects. Only an engine calls it, in a runtime.
    pub fn start_watching(&self) {
        self.watch_app_files();
        self.open_projects.start_idle_release(&self.listener);
        self.watch_programs();
    }

    /// Looks once a second whether programs appeared or vanished, or scripts changed, on which the health of hooks that
    /// were shown depends. The folders of the PATH are not watched: they change often, and hold thousands of files.
    fn watch_programs(&self) {
        let (open_projects, user_hooks, listener) = (
            Arc::downgrade(&self.open_projects),
            self.user_hooks.clone(),
            self.listener.clone(),
        );
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(PROGRAM_CHECK_INTERVAL);
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let Some(open_projects) = open_projects.upgrade() else {
                    return;
                };
                let shown: Vec<_> = open_projects
                    .all()
                    .into_iter()
                    .chain(lock(&user_hooks).clone())
                    .collect();
                let check = move || shown.iter().filter(|open| open.has_stale_lints()).count() > 0;
                if tokio::task::spawn_blocking(check).await.unwrap_or(false) {
                    listener.changed(Changes {
                        hooks: true,
                        ..Changes::default()
                    });
                }
            }
        });
    }

    /// Converts approvals of an earlier version, as soon as the folder of their project exists. What they do not cover
    /// needs a review.
    fn convert_approvals(&self) {
        let projects = self.trust.outdated_projects();
        if projects.is_empty() {
            return;
        }
        let nothing_pending = discovery::PendingFiles::default();
        let load = |project: &PathBuf| {
            approvals::hooks_to_review(
                &self.trust,
                &discovery::load_with(&self.env, project, None, &nothing_pending, self.now()),
            )
        };
        let hooks: Vec<_> = projects.iter().flat_map(load).collect();
        match self.trust.convert(&projects, &hooks) {
            Ok(0) => {}
            Ok(count) => {
                let message = render!(RULES_CHANGED_COUNT, "count" => count);
                if self.role == ProcessRole::Engine {
                    tracing::warn!("{message}");
                }
                *lock(&self.startup_notice) = Some(message);
            }
            // These approvals have no effect until they are converted. The next start tries again.
            Err(error) => tracing::warn!(why = %error, "approvals of an earlier version were not converted"),
        }
    }

    /// The message from the start of this process. Only the first call returns it.
    #[must_use]
    pub fn take_startup_notice(&self) -> Option<Message> {
        lock(&self.startup_notice).take()
    }

    /// Watches approvals, mutes and settings, because another process may change them while this engine runs.
    fn watch_app_files(&self) {
        let watch_set = WatchSet {
            files: self.app_files.paths(),
            markers: Vec::new(),
            folders: Vec::new(),
        };
        let (app_files, open_projects, user_hooks, listener) = (
            self.app_files.clone(),
            self.open_projects.clone(),
            self.user_hooks.clone(),
            self.listener.clone(),
        );
        let status = self.app_files_status.clone();
        let refresh = move |mode: WatchMode, _: RefreshCause| {
            if status.set(mode) {
                listener.changed(Changes {
                    watch_mode: true,
                    ..Changes::default()
                });
            }
            let changes = app_files.refresh();
            if changes.any() {
                // The settings contain the folders of skills, so other files may have to be read.
                let user_hooks = lock(&user_hooks).clone();
                let open_projects = open_projects.all().into_iter().chain(user_hooks);
                open_projects.for_each(|open_project| open_project.request_refresh());
                listener.changed(changes);
            }
            RefreshResult::Read
        };
        let watch_handle = watch(&self.watch_hub, self.debounce(), move || watch_set.clone(), refresh);
        *lock(&self.watch_handle) = Some(watch_handle);
    }

    fn debounce(&self) -> Duration {
        Duration::from_millis(u64::from(self.settings().watch.settle_ms))
    }

    /// The clock of this process.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The current time of this process's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the open project. If it is not open yet, opens it; an engine then also watches it.
    ///
    /// # Errors
    /// The path is not a directory.
    pub fn open_project(&self, project: &Path) -> Result<Arc<OpenProject>, Message> {
        if let Some(open_project) = self.open_projects.get(&self.env.absolute(project)) {
            return Ok(open_project);
        }
        blocking(|| {
            let path = self.require_directory(project)?;
            let (env, clock, shared) = (self.env.clone(), self.clock.clone(), self.shared.clone());
            let open_project = OpenProject::open(env, clock, shared, path, ReadScope::All);
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

    /// The user's own hooks, without those of any project. They are read at the first request; an engine then also
    /// watches them.
    #[must_use]
    pub fn user_hooks(&self) -> Arc<OpenProject> {
        let mut user_hooks = lock(&self.user_hooks);
        if let Some(open) = &*user_hooks {
            return open.clone();
        }
        let (env, shared, home) = (self.env.clone(), self.shared.clone(), self.env.home.clone());
        let open = blocking(|| OpenProject::open(env, self.clock.clone(), shared, home, ReadScope::UserFiles));
        if self.role == ProcessRole::Engine {
            self.watch(&open);
        }
        user_hooks.insert(open).clone()
    }

    /// Reads only the project files of one dialect, for a command that needs no more. The project does not stay open.
    ///
    /// # Errors
    /// The path is not a directory, or the dialect is unknown.
    pub fn read_dialect(&self, project: &Path, dialect: &str) -> Result<Arc<OpenProject>, Message> {
        let dialect = find_dialect(dialect)?.card().id;
        let path = self.require_directory(project)?;
        Ok(OpenProject::open(
            self.env.clone(),
            self.clock.clone(),
            self.shared.clone(),
            path,
            ReadScope::Dialect(dialect),
        ))
    }

    /// Reads the project files of one dialect, and the skills of a folder that an agent named. The project does not stay
    /// open.
    ///
    /// # Errors
    /// One of the paths is not a directory, or the dialect is unknown.
    pub fn read_with_skills(
        &self,
        project: &Path,
        dialect: &str,
        skills_dir: &Path,
    ) -> Result<Arc<OpenProject>, Message> {
        let dialect = find_dialect(dialect)?.card().id;
        let path = self.require_directory(project)?;
        let skills_dir = self.require_directory(&path.join(skills_dir))?;
        let env = Arc::new(self.env.with_agent_skills(skills_dir));
        let open = || {
            OpenProject::open(
                env,
                self.clock.clone(),
                Arc::default(),
                path,
                ReadScope::Dialect(dialect),
            )
        };
        Ok(blocking(open))
    }

    /// The absolute form of the path of a directory.
    ///
    /// # Errors
    /// The path is not a directory.
    pub fn require_directory(&self, project: &Path) -> Result<PathBuf, Message> {
        let path = self.env.absolute(project);
        if path.is_dir() {
            return Ok(path);
        }
        Err(render!(NOT_A_DIRECTORY, "path" => path.display().to_string()))
    }

    fn watch(&self, open_project: &Arc<OpenProject>) {
        let snapshot = open_project.snapshot();
        let input_paths = snapshot.sources.iter().flat_map(|source| source.input_paths.iter());
        temp_files::remove_stale_next_to(input_paths.map(PathBuf::as_path));
        let listener = self.listener.clone();
        let (debounce, clock) = (self.debounce(), self.clock.clone());
        open_project.watch(&self.watch_hub, debounce, clock, self.trust.clone(), move || {
            listener.changed(Changes {
                hooks: true,
                ..Changes::default()
            });
        });
    }

    /// Ends the watch of a project and releases it.
    pub fn close_project(&self, project: &Path) {
        self.open_projects.remove(project);
    }

    /// All open projects.
    #[must_use]
    pub fn open_projects(&self) -> Vec<Arc<OpenProject>> {
        self.open_projects.all()
    }

    /// Requests that the files of all open projects, and Hookwright's own files, are checked soon.
    pub fn request_refresh(&self) {
        for open_project in self.open_projects() {
            open_project.request_refresh();
        }
        if let Some(user_hooks) = &*lock(&self.user_hooks) {
            user_hooks.request_refresh();
        }
        if let Some(watch_handle) = &*lock(&self.watch_handle) {
            watch_handle.request_refresh();
        }
    }

    /// The reason why changes of a project or of Hookwright's own files are not reported at once.
    pub async fn not_live_reason(&self) -> Option<Message> {
        if self.role != ProcessRole::Engine {
            // A process for one command watches nothing.
            return None;
        }
        for open_project in self.open_projects() {
            if let Some(why) = open_project.not_live_reason().await {
                return Some(why);
            }
        }
        self.app_files_status.not_live_reason().await
    }

    /// Applies changed settings.
    pub fn apply_settings(&self, settings: Settings) {
        self.app_files.apply(settings);
    }

    /// Reads Hookwright's own files again. Returns what changed.
    pub fn refresh_app_files(&self) -> Changes {
        self.app_files.refresh()
    }

    /// The problems of the settings file.
    #[must_use]
    pub fn settings_problems(&self) -> Vec<Problem> {
        self.app_files.settings_problems()
    }

    /// Whether it is unknown what the settings want to mask, because their file cannot be read or has an error there.
    #[must_use]
    pub fn is_redaction_unknown(&self) -> bool {
        self.app_files.is_redaction_unknown()
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

    /// The redactor of the settings in force.
    #[must_use]
    pub fn redactor(&self) -> Arc<Redactor> {
        self.app_files.redactor()
    }

    /// The mutes in force.
    #[must_use]
    pub fn mutes(&self) -> &Mutes {
        &self.app_files.mutes
    }

    /// The mute that applies to a hook now.
    #[must_use]
    pub fn muted(&self, snapshot: &Snapshot, hook: &Hook) -> Option<Mute> {
        self.mutes()
            .muted(hook, snapshot.all().map(|hook| &**hook), &self.clock.read())
    }

    /// Approves contents that the user saw. A content that cannot be approved is left out.
    ///
    /// # Errors
    /// The trust file cannot be written.
    pub fn approve(&self, snapshot: &Snapshot, hooks: &[(&Hook, Arc<HookContent>)]) -> Result<(), LockedFileError> {
        approvals::approve(&self.trust, snapshot, hooks, &self.redactor(), self.now())
    }

    /// Denies a content that the user saw.
    ///
    /// # Errors
    /// The trust file cannot be written.
    pub fn deny(&self, hook: &Hook, content: &HookContent) -> Result<(), LockedFileError> {
        approvals::deny(&self.trust, hook, content, &self.redactor(), self.now())
    }

    /// Ends all watches and releases all projects.
    pub fn close(&self) {
        drop(lock(&self.watch_handle).take());
        drop(lock(&self.user_hooks).take());
        self.open_projects.clear();
    }
}
