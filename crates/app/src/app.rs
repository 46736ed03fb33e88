//! [`App`], the state of one process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use hookwright_exec::{Exec, GuardianProgram};
use hookwright_model::{Clock, Follower, Hook, Message, QueueLimits};
use hookwright_workspace::data_files::age_clock;
use hookwright_workspace::listener::{Changes, Listener};
use hookwright_workspace::lock::lock;
use hookwright_workspace::settings::{CommandPolicy, Settings};
use hookwright_workspace::{HostEnv, ProcessRole, Workspace};
use tokio::sync::{broadcast, watch};
use tokio::time::timeout;

use crate::agent_sessions::AgentSessions;
use crate::detached_hooks::DetachedRun;
use crate::exec_settings::{hook_environment, model_endpoint};
use crate::history_store::History;
use crate::named_runs::NamedRuns;
use crate::pushes::{Push, Topic};
use crate::reply_cache::ReplyCache;
use crate::reported_hooks::ReportedHooks;
use crate::run_knowledge::RecordedRuns;
use crate::running_chains::{RunningChains, push_progress};
use crate::scratch_folder::remove_leftovers;

/// The state of one process: files, the runner and the history. Hosts run the use cases on it.
pub struct App {
    /// The environment, the open projects, approvals, mutes and settings.
    pub workspace: Workspace,
    /// The spool and the database of traces.
    pub history: Arc<History>,
    pub(crate) exec: Arc<Exec>,
    pub(crate) runs: NamedRuns,
    /// Replies of the model to prompts that were tried.
    pub(crate) replies: ReplyCache,
    pub(crate) chains: Arc<RunningChains>,
    /// The hooks that only reports of agents name.
    pub(crate) reported: ReportedHooks,
    /// The sessions of connected agents.
    pub agents: Arc<AgentSessions>,
    /// Whether Hookwright had no data folder when this process started.
    pub(crate) first_start: bool,
    /// What the recorded runs said when they were last read.
    pub(crate) recorded_runs: ArcSwap<RecordedRuns>,
    pushes: broadcast::Sender<Push>,
    /// Changes when hooks may begin or end to wait for approval, and when there is another receiver of pushes.
    review_changes: watch::Sender<()>,
    /// Detached hooks that are ready to start, because the reply of their event is final.
    detached_runs: Mutex<Vec<DetachedRun>>,
    /// Prefix of every `HOOKWRIGHT_RUN` of this engine.
    run_id_prefix: String,
    next_run: AtomicU64,
}

/// Applies changed settings to the runner and the history, and pushes what is stale.
struct AppListener {
    env: Arc<HostEnv>,
    exec: Arc<Exec>,
    history: Arc<History>,
    pushes: broadcast::Sender<Push>,
    review_changes: watch::Sender<()>,
}

impl Listener for AppListener {
    fn settings_changed(&self, before: &Settings, now: &Settings) {
        if before.model != now.model {
            self.exec.use_environment(hook_environment(&self.env, now));
            self.exec.use_model(model_endpoint(&self.env, now));
        }
        self.history.apply_settings(now);
    }

    fn changed(&self, changes: Changes) {
        let what: Vec<_> = Topic::stale_after(changes).into_iter().collect();
        if may_change_reviews(&what) {
            self.review_changes.send_replace(());
        }
        // A push without a receiver is not an error.
        drop(self.pushes.send(Push::Stale { what }));
    }

    fn has_viewers(&self) -> bool {
        self.pushes.receiver_count() > 0
    }
}

impl App {
    /// What the recorded runs said when [`Self::refresh_runs`] last read them.
    pub(crate) fn recorded_runs(&self) -> Arc<RecordedRuns> {
        self.recorded_runs.load_full()
    }

    /// Why that is not known; `None` if it is.
    #[must_use]
    pub fn runs_unknown(&self) -> Option<Message> {
        self.recorded_runs().unknown.clone()
    }

    /// Reads what the recorded runs say. If that fails, answers have a notice.
    pub async fn refresh_runs(&self) {
        self.recorded_runs
            .store(Arc::new(RecordedRuns::read(&self.history).await));
    }

    /// Opens everything that this kind of process needs. An engine also starts the guardians, the watches and the
    /// import. [`Workspace::app_file_problems`] returns what is wrong with Hookwright's files.
    #[must_use]
    pub fn open(env: HostEnv, role: ProcessRole, clock: Clock) -> Self {
        let env = Arc::new(env);
        let first_start = !env.data_dir.exists();
        let clock = age_clock::with_memory(clock, &env.data_dir);
        let settings = Settings::read(&env.data_dir.join("settings.toml"), &env.home);
        let history = Arc::new(History::new(&env.data_dir, role, &settings, clock.clone()));
        let exec = Arc::new(runner(&env, &settings));
        let pushes = broadcast::channel(1024).0;
        let review_changes = watch::channel(()).0;
        let listener = Arc::new(AppListener {
            env: env.clone(),
            exec: exec.clone(),
            history: history.clone(),
            pushes: pushes.clone(),
            review_changes: review_changes.clone(),
        });
        let app = Self {
            workspace: Workspace::open(env, settings, role, clock, listener),
            history,
            agents: Arc::new(AgentSessions::new(exec.clone())),
            exec,
            runs: NamedRuns::default(),
            replies: ReplyCache::default(),
            reported: ReportedHooks::default(),
            chains: Arc::default(),
            recorded_runs: ArcSwap::default(),
            first_start,
            pushes,
            review_changes,
            detached_runs: Mutex::default(),
            run_id_prefix: ulid::Ulid::generate().to_string(),
            next_run: AtomicU64::new(0),
        };
        if role == ProcessRole::Engine {
            app.start_engine();
        }
        app
    }

    fn start_engine(&self) {
        hookwright_exec::raise_descriptor_limit();
        self.exec.kill_orphaned_runs();
        // The guardians start now, so that the first event does not wait for them. Later, the program file might
        // already be replaced by another version.
        if let Some(why) = self.exec.start_guardian() {
            tracing::warn!(why = %why, "hooks may continue to run after this engine ends");
        }
        self.workspace.start_watching();
        let data_dir = self.workspace.env.data_dir.clone();
        // A hook may have left a large folder, and no event waits for its removal.
        tokio::task::spawn_blocking(move || remove_leftovers(&data_dir));
        let history = self.history.clone();
        tokio::spawn(async move { history.start_writing().await });
        tokio::spawn(push_availability(self.history.clone(), self.pushes.clone()));
        let follower = self.history.journal().follow(PUSH_QUEUE);
        tokio::spawn(push_traces(self.history.clone(), follower, self.pushes.clone()));
        tokio::spawn(push_progress(self.chains.clone(), self.pushes.downgrade()));
    }

    /// Returns a receiver for every push from now on.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<Push> {
        let receiver = self.pushes.subscribe();
        self.chains.watch();
        self.review_changes.send_replace(());
        receiver
    }

    /// Whether a push reaches somebody.
    pub(crate) fn has_receivers(&self) -> bool {
        self.pushes.receiver_count() > 0
    }

    /// Changes when hooks may begin or end to wait for approval. The engine's end closes it.
    pub(crate) fn review_changes(&self) -> watch::Receiver<()> {
        self.review_changes.subscribe()
    }

    /// Sends a push to every receiver.
    pub fn push(&self, push: Push) {
        // A push without a receiver is not an error.
        drop(self.pushes.send(push));
    }

    /// Sends a push that these topics must be read again. An empty list sends nothing.
    pub fn push_stale(&self, what: &[Topic]) {
        if may_change_reviews(what) {
            self.review_changes.send_replace(());
        }
        if !what.is_empty() {
            self.push(Push::Stale { what: what.to_vec() });
        }
    }

    /// Kills hooks that still run although their engine was killed together with its guardians. A host calls it before
    /// the first event.
    pub fn kill_orphans(&self) {
        self.exec.kill_orphaned_runs();
    }

    /// A new value for `HOOKWRIGHT_RUN`.
    pub(crate) fn run_id(&self) -> String {
        format!(
            "{}.{}",
            self.run_id_prefix,
            self.next_run.fetch_add(1, Ordering::Relaxed)
        )
    }

    /// Stores detached hooks whose reply is about to leave.
    pub(crate) fn add_detached_run(&self, run: DetachedRun) {
        lock(&self.detached_runs).push(run);
    }

    /// Removes and returns the detached hooks whose replies are final. A host calls this after each reply and runs each
    /// item with [`crate::fire::finish_detached_run`].
    #[must_use]
    pub fn take_detached_runs(&self) -> Vec<DetachedRun> {
        std::mem::take(&mut *lock(&self.detached_runs))
    }

    /// Cancels every named run, the events and simulations that a client started, and ends the sessions of agents.
    pub fn stop_runs(&self) {
        self.runs.stop_all();
        self.agents.end_all();
    }

    /// Whether a hook that an agent registered for its session may run: one that starts a process needs an approval,
    /// unless the settings allow agents to register commands, or the user allowed this agent (`CONTRACTS.md` §3).
    ///
    /// # Errors
    /// The message is the reason why the hook is not trusted.
    pub(crate) fn check_session_hook(&self, hook: &Hook) -> Result<(), Message> {
        let are_all_allowed = self.workspace.settings().agents.commands == CommandPolicy::Allow;
        if are_all_allowed || self.workspace.trust.is_agent_allowed(hook) {
            return Ok(());
        }
        self.workspace.trust.check_gate(hook)
    }

    /// Closes every peer and waits until all have exited. A peer that does not exit by itself is killed after 2 s.
    pub async fn close_peers(&self) {
        self.exec.close().await;
    }

    /// Cancels runs, closes peers and projects, imports the rest of the spool and closes the database.
    pub async fn shutdown(&self) {
        self.stop_runs();
        self.close_peers().await;
        self.workspace.close();
        // What is not imported by then stays in the spool.
        if timeout(CLOSE_TIMEOUT, self.history.close()).await.is_err() {
            tracing::warn!("the next engine imports the rest of the spool");
        }
    }
}

/// Whether other hooks may wait for approval when these topics are stale: of other projects, too.
fn may_change_reviews(stale: &[Topic]) -> bool {
    stale
        .iter()
        .any(|topic| matches!(topic, Topic::Trust | Topic::Projects))
}

/// How long the end of a process imports into the database.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);
/// What waits for a push. The window reads the list again if there is more.
const PUSH_QUEUE: QueueLimits = QueueLimits {
    entries: 1024,
    bytes: 16 << 20,
    wake_at: 256,
};

/// Tells every push receiver to read the history again when the database becomes usable, or is no longer.
async fn push_availability(history: Arc<History>, pushes: broadcast::Sender<Push>) {
    let mut changes = history.availability_changes().await;
    // The engine may end while this task waits.
    drop(history);
    while changes.changed().await.is_ok() {
        let what = vec![Topic::History, Topic::Stats, Topic::State];
        drop(pushes.send(Push::Stale { what }));
    }
}

/// Sends the rows of recorded traces to every push receiver.
async fn push_traces(history: Arc<History>, follower: Follower, pushes: broadcast::Sender<Push>) {
    // The engine may end while this task waits.
    let history_of = Arc::downgrade(&history);
    drop(history);
    while follower.wait().await {
        let (batch, Some(history)) = (follower.take(), history_of.upgrade()) else {
            return;
        };
        if pushes.receiver_count() == 0 {
            continue;
        }
        if batch.missed > 0 {
            let what = vec![Topic::History, Topic::Stats];
            drop(pushes.send(Push::Stale { what }));
        }
        let newest_first = batch.entries.iter().rev();
        let rows: Vec<_> = newest_first.map(|entry| history.row(&entry.trace)).collect();
        if !rows.is_empty() {
            // A push without a receiver is not an error.
            drop(pushes.send(Push::Traces { rows }));
        }
    }
}

/// The runner with the environment, the model and the guardian of this process.
fn runner(env: &HostEnv, settings: &Settings) -> Exec {
    let guardian = Some(env.program.clone())
        .filter(|program| !program.as_os_str().is_empty())
        .map(|program| GuardianProgram::new(program, env.run_dir()));
    let exec = Exec::new(hook_environment(env, settings), guardian);
    exec.use_model(model_endpoint(env, settings));
    exec
}
