//! Files, trust, redaction, use cases, and the one list of commands.
//!
//! What it deliberately does not do: it knows no socket, no window and no command line; those are hosts around it.
//!
//! How it works: [`App`] holds what one process needs (projects on the desk, approvals, settings, the runner, the
//! history). [`commands`] is the router that every host calls. Hooks live on the disk only; the database holds history.

pub mod bindings;
mod blocking;
pub mod check;
pub mod commands;
mod desk;
mod detached;
mod door;
pub mod dto;
pub mod edit;
pub mod fault;
mod fire;
mod fixtures;
mod greetings;
mod history;
mod history_commands;
pub mod hooks;
mod leftover;
pub mod library;
mod life;
mod modules;
pub mod mutes;
mod muting;
mod opened;
mod own;
pub mod owned;
mod projects;
pub mod pushes;
mod recording;
pub mod redact;
mod review;
mod runs;
mod samples;
mod scenario;
pub mod settings;
mod simulate;
mod spelled;
mod state;
pub mod surroundings;
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

pub use desk::Desk;
pub use detached::{Afterwards, Detached};
pub use fault::Fault;
pub use fire::{AS_IT_IS, Conversation, Fired, Firing, MAX_PAYLOAD_BYTES, Recording, parse_payload};
pub use history::History;
pub use hooks::Consent;
pub use muting::WasMuted;
pub use opened::MOST_OPEN;
pub use pushes::{Push, Topic};
pub use review::said_first;
pub use scenario::parse_scenario;
pub use simulate::{Simulated, Simulating};
pub use surroundings::Surroundings;

use blocking::blocking;
use library::{Cause, Ears, Live, Looked, Shared, Wanted, WatchStatus, Watching};
use mutes::Mutes;
use opened::Opened;
use own::OwnFiles;
use redact::Redactor;
use runs::Runs;
use settings::Settings;
use trust::Trust;

/// What kind of process this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hosting {
    /// One command: files are read once, nothing is watched.
    OneShot,
    /// An engine that lives: files are watched, the journal runs.
    Engine,
}

/// Everything one process needs.
pub struct App {
    /// Where it runs.
    pub around: Arc<Surroundings>,
    /// Approvals.
    pub trust: Arc<Trust>,
    /// The history.
    pub history: Arc<History>,
    hosting: Hosting,
    clock: Clock,
    own: Arc<OwnFiles>,
    desks: Arc<Opened>,
    /// What projects have in common.
    shared: Arc<Shared>,
    pushes: broadcast::Sender<Push>,
    runs: Runs,
    /// Asynchronous hooks whose reply is settled.
    afterwards: Mutex<Vec<Afterwards>>,
    /// Prefix of every `HOOKWRIGHT_RUN` of this engine.
    engine: String,
    counter: AtomicU64,
    first_start: bool,
    /// What the start of this process has to say, once.
    news: Mutex<Option<Message>>,
    /// What every watch listens through.
    ears: Arc<Ears>,
    /// The watch on our own small files.
    watching: Mutex<Option<Watching>>,
    /// Whether it is told of changes.
    own_live: Arc<WatchStatus>,
}

/// Tells the time; handed in, so that tests can hold it still.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

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
        library::SAYINGS,
        library::EARS_SAYINGS,
        library::WATCH_STATUS_SAYINGS,
        review::ALL,
        library::LIMIT_SAYINGS,
        trust::ALL,
        trust::directory::ALL,
        trust::folder::ALL,
        trust::covered::ALL,
        mutes::ALL,
        settings::ALL,
        scenario::ALL,
        simulate::ALL,
        owned::ALL,
        fixtures::ALL,
        modules::ALL,
    ]
    .concat()
    .into_iter()
    .chain(edit::messages())
    .collect()
}

impl App {
    /// Opens everything that this kind of process needs. What of our own files is broken is told by [`App::own_problems`].
    #[must_use]
    pub fn open(around: Surroundings, hosting: Hosting, clock: Clock) -> Self {
        let around = Arc::new(around);
        let first_start = !around.data_dir.exists();
        let settings = Settings::read(&around.data_dir.join("settings.toml"), &around.home);
        let history = Arc::new(History::new(&around.data_dir, hosting, &settings, clock.clone()));
        let trust = Trust::open(
            &around.data_dir,
            &around.home,
            around.var("PATH").unwrap_or_default().as_ref(),
        );
        let mutes = Mutes::open(&around.data_dir);
        let own = OwnFiles::new(around.clone(), settings, history.clone(), trust, mutes);
        let app = Self {
            trust: own.trust.clone(),
            history,
            hosting,
            clock,
            own: Arc::new(own),
            desks: Arc::default(),
            shared: Arc::default(),
            pushes: broadcast::channel(1024).0,
            runs: Runs::default(),
            afterwards: Mutex::default(),
            engine: ulid::Ulid::generate().to_string(),
            counter: AtomicU64::new(0),
            first_start,
            news: Mutex::default(),
            ears: Arc::default(),
            watching: Mutex::default(),
            own_live: Arc::default(),
            around,
        };
        app.convert_approvals();
        if hosting == Hosting::Engine {
            hookwright_exec::raise_descriptor_limit();
            app.own.exec.kill_orphaned_runs();
            // The first event must not wait for the guards, nor meet a program that was replaced meanwhile.
            if let Some(why) = app.own.exec.start_guardian() {
                tracing::warn!(why = %why, "hooks may outlive this engine");
            }
            app.watch_own_files();
            app.desks.tend(&app.pushes);
            let history = app.history.clone();
            tokio::spawn(async move { history.start_writing().await });
        }
        app
    }

    /// Converts approvals of an earlier version, once their project is there: what they do not cover waits for a review.
    fn convert_approvals(&self) {
        let projects = self.trust.outdated();
        if projects.is_empty() {
            return;
        }
        let alone = library::Overlay::default();
        let load = |project: &PathBuf| self.reviewed(&library::load_with(&self.around, project, None, &alone));
        let hooks: Vec<_> = projects.iter().flat_map(load).collect();
        match self.trust.convert(&projects, &hooks) {
            Ok(0) => {}
            Ok(count) => {
                let words = trust::RULES_CHANGED_COUNT.render(args! { "count" => count });
                if self.hosting == Hosting::Engine {
                    tracing::warn!("{words}");
                }
                *self.news.lock().unwrap_or_else(PoisonError::into_inner) = Some(words);
            }
            // Nothing of them holds until they are converted; the next start tries again.
            Err(error) => tracing::warn!(why = %error, "approvals of an earlier version were not converted"),
        }
    }

    /// What the start of this process has to say; told once.
    #[must_use]
    pub fn take_news(&self) -> Option<Message> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Another process may change approvals, mutes and settings: an engine that lives follows.
    fn watch_own_files(&self) {
        let wanted = Wanted {
            places: self.own.paths(),
            signs: Vec::new(),
            folders: Vec::new(),
        };
        let (own, desks, pushes) = (self.own.clone(), self.desks.clone(), self.pushes.clone());
        let status = self.own_live.clone();
        let look = move |live: Live, _: Cause| {
            if status.set(live) {
                let what = vec![Topic::State];
                drop(pushes.send(Push::Stale { what }));
            }
            let what = own.look_again();
            if !what.is_empty() {
                // Settings say where skills are.
                desks.all().iter().for_each(|desk| desk.look_again());
                drop(pushes.send(Push::Stale { what }));
            }
            Looked::Read
        };
        let settle = Duration::from_millis(u64::from(self.settings().watch.settle_ms));
        let watching = library::watch(&self.ears, settle, move || wanted.clone(), look);
        *self.watching.lock().unwrap_or_else(PoisonError::into_inner) = Some(watching);
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
    pub fn desk(&self, project: &Path) -> Result<Arc<Desk>, Fault> {
        if let Some(desk) = self.desks.get(&self.around.absolute(project)) {
            return Ok(desk);
        }
        blocking(|| {
            let path = self.directory(project)?;
            let desk = Desk::open(self.around.clone(), self.shared.clone(), path, None);
            let (desk, is_new) = self.desks.take(desk);
            if is_new {
                self.convert_approvals();
            }
            if is_new && self.hosting == Hosting::Engine {
                self.watch(&desk);
            }
            Ok(desk)
        })
    }

    /// The project with the files of one dialect alone, for a command that needs no more. It is not kept.
    ///
    /// # Errors
    /// It is no directory, or there is no such dialect.
    pub fn read_dialect(&self, project: &Path, dialect: &str) -> Result<Arc<Desk>, Fault> {
        let dialect = hooks::find_dialect(dialect)?.card().id;
        let path = self.directory(project)?;
        Ok(Desk::open(
            self.around.clone(),
            self.shared.clone(),
            path,
            Some(dialect),
        ))
    }

    fn directory(&self, project: &Path) -> Result<PathBuf, Fault> {
        let path = self.around.absolute(project);
        if path.is_dir() {
            return Ok(path);
        }
        Err(fault::NOT_A_DIRECTORY
            .render(args! { "path" => path.display().to_string() })
            .into())
    }

    fn watch(&self, desk: &Arc<Desk>) {
        edit::sweep(&desk.snapshot());
        let settle = Duration::from_millis(u64::from(self.settings().watch.settle_ms));
        let pushes = self.pushes.clone();
        desk.watch(&self.ears, settle, self.trust.clone(), move || {
            drop(pushes.send(Push::Stale {
                what: vec![Topic::Hooks, Topic::Trust, Topic::State],
            }));
        });
    }

    fn close_desk(&self, project: &Path) {
        self.desks.remove(project);
    }

    /// The projects that are open.
    #[must_use]
    pub fn open_projects(&self) -> Vec<PathBuf> {
        self.desks.all().iter().map(|desk| desk.project.clone()).collect()
    }

    fn desks(&self) -> Vec<Arc<Desk>> {
        self.desks.all()
    }

    fn look_again(&self) {
        for desk in self.desks() {
            desk.look_again();
        }
        if let Some(watching) = &*self.watching.lock().unwrap_or_else(PoisonError::into_inner) {
            watching.look_again();
        }
    }

    /// What is wrong with our own files.
    #[must_use]
    pub fn own_problems(&self) -> Vec<Problem> {
        self.own.problems()
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> Arc<Settings> {
        self.own.settings()
    }

    fn redactor(&self) -> Arc<Redactor> {
        self.own.redactor()
    }

    /// Ends hooks that run on although their engine was killed, and its guards with it. Before the first event.
    pub fn end_left(&self) {
        self.own.exec.kill_orphaned_runs();
    }

    /// A fresh `HOOKWRIGHT_RUN`.
    fn run_id(&self) -> String {
        format!("{}.{}", self.engine, self.counter.fetch_add(1, Ordering::Relaxed))
    }

    /// Stops every chain under way.
    pub fn stop_runs(&self) {
        self.runs.stop_all();
    }

    /// Closes every long-lived hook, and waits until all are gone: 2 s, when one does not end by itself.
    pub async fn close_peers(&self) {
        self.own.exec.close().await;
    }

    /// Stops what runs, and flushes the journal.
    pub async fn shutdown(&self) {
        self.stop_runs();
        self.close_peers().await;
        drop(self.watching.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.desks.clear();
        self.history.close().await;
    }
}
