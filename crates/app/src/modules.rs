//! Modules of callbacks: the tables that their bridges told, kept by content, and the moments at which a bridge is started
//! (`qoder.md` §1, "Module"). Looking imports nothing: it reads what a bridge once told of exactly this content.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use hookwright_engine::Candidate;
use hookwright_model::{
    Call, Cancelled, Captured, Dialect, EVERY_EVENT, End, EventSpec, Handler, Hook, Message, Parsed, Payload,
    PreSpawnCheck, Problem, Run, RunContext, Runner, args,
};
use serde_json::{Value, json};

use crate::App;
use crate::door;
use crate::hooks::Consent;
use crate::library::{Snapshot, Source};
use crate::owned;
use crate::surroundings::Surroundings;
use crate::trust::covered::{self, Machine};
use crate::trust::disk::DiskCache;
use crate::trust::{Passed, Trust};

hookwright_model::messages! {
    /// No Python to host modules.
    BRIDGE_MISSING = "bridge_missing" { "there is no `{program}` to host this module", "没有可用于承载此模块的 `{program}`" } hint { "install it, or put it on the PATH of the desktop and the terminal", "请安装它，或把它加入桌面和终端的 PATH" };
    /// A module that nobody has looked into.
    NOT_LOADED = "not_loaded" { "the hooks of this module are not known yet: nothing of it has run", "尚不知道此模块有哪些 hook：还没有运行过它" } hint { "fire an event, or run `hookwright check --import`; a project's module needs an approval first", "触发一次事件，或运行 `hookwright check --import`；项目中的模块需先批准" };
    /// A bridge that ended before it told anything.
    BRIDGE_SILENT = "bridge_silent" { "its bridge ended before it told the hooks{stderr}", "桥接进程在报告 hook 之前退出{stderr}" };
    /// A bridge that took too long.
    BRIDGE_LATE = "bridge_late" { "its bridge did not tell the hooks within {seconds} s", "桥接进程未在 {seconds} 秒内报告 hook" };
}

/// What hosts modules.
const PROGRAM: &str = "python3";
/// Of tables that were told; another one forgets them all.
const FORMAT: &[u8] = b"2";
/// A source beyond this many bytes stands for its being so large: nobody reads it to tell it from another.
const SOURCE_BYTES: u64 = 64 << 20;
/// A table that was told has at most this many bytes; more is told again.
const TABLE_BYTES: u64 = 32 << 20;
/// The mode of what is kept.
const PRIVATE: u32 = 0o600;

/// Puts into each list of hooks, in the place of a module, what is known of it.
pub fn unfold(around: &Surroundings, source: &Source) -> (Vec<Arc<Hook>>, Vec<Problem>) {
    let mut hooks = Vec::with_capacity(source.read.len());
    let mut problems = Vec::new();
    for hook in source.read.iter() {
        let Some(dialect) = hookwright_dialects::find(hook.dialect).filter(|_| is_whole(hook)) else {
            hooks.push(hook.clone());
            continue;
        };
        let module = looked_at(around, dialect, hook);
        let told = Tables::of(around).read(&module);
        let mut parsed = match &told {
            Some(told) => dialect.expand_module(&module, told),
            None => Parsed {
                hooks: vec![module.clone()],
                ..Parsed::default()
            },
        };
        if !hosted(around) {
            let words = BRIDGE_MISSING.render(args! { "program" => PROGRAM });
            for hook in &mut parsed.hooks {
                hook.invalid.get_or_insert(words.clone());
            }
            parsed
                .problems
                .push(Problem::new(words, &module.source.path, None).for_hook(&module.id));
        } else if told.is_none() {
            let words = NOT_LOADED.render_plain();
            parsed
                .problems
                .push(Problem::new(words, &module.source.path, None).for_hook(&module.id));
        }
        hooks.extend(parsed.hooks.into_iter().map(Arc::new));
        problems.append(&mut parsed.problems);
    }
    (hooks, problems)
}

/// Whether a hook stands for a whole module.
pub(crate) fn is_whole(hook: &Hook) -> bool {
    hook.event == EVERY_EVENT && matches!(hook.handler, Handler::Module { .. })
}

fn hosted(around: &Surroundings) -> bool {
    let path = around.var("PATH").unwrap_or_default();
    hookwright_exec::which(PROGRAM, path.as_ref()).is_some()
}

/// The module with what stands for its content now.
fn looked_at(around: &Surroundings, dialect: &dyn Dialect, module: &Hook) -> Hook {
    let folder = module.source.path.parent().unwrap_or(&module.source.path);
    let project = module.source.project.as_deref().unwrap_or(folder);
    let machine = Machine {
        home: &around.home,
        path: &[],
        disk: &DiskCache::default(),
    };
    let names = covered::names(module, dialect.card(), machine, project);
    let mut hasher = blake3::Hasher::new();
    let mut feed = |bytes: &[u8]| {
        // Length first, so that no two lists of parts hash alike.
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    };
    feed(FORMAT);
    feed(dialect.card().id.as_bytes());
    for file in names.files() {
        let relative = file.strip_prefix(folder).unwrap_or(&file);
        feed(relative.as_os_str().as_encoded_bytes());
        match door::hash(&file, SOURCE_BYTES) {
            Ok(hash) => feed(hash.as_bytes()),
            Err(unread) => feed(unread.to_string().as_bytes()),
        }
    }
    let hash = hasher.finalize().to_hex().to_string();
    let mut looked = module.clone();
    if let Handler::Module { content, .. } = &mut looked.handler {
        *content = hash;
    }
    looked
}

/// What bridges told, a file a content. It may be deleted at any time.
struct Tables(PathBuf);

impl Tables {
    fn of(around: &Surroundings) -> Self {
        Self(around.data_dir.join("cache").join("modules"))
    }

    fn file(&self, module: &Hook) -> Option<PathBuf> {
        match &module.handler {
            Handler::Module { content, .. } if !content.is_empty() => Some(self.0.join(format!("{content}.json"))),
            Handler::Module { .. }
            | Handler::Shell { .. }
            | Handler::Script { .. }
            | Handler::Peer { .. }
            | Handler::Callback { .. }
            | Handler::Insert { .. }
            | Handler::Prompt { .. }
            | Handler::Builtin => None,
        }
    }

    fn read(&self, module: &Hook) -> Option<Value> {
        let text = door::read(&self.file(module)?, TABLE_BYTES).ok()?;
        serde_json::from_slice(&text).ok().filter(Value::is_object)
    }

    /// Keeps a table; returns whether it is another than was kept.
    fn keep(&self, module: &Hook, told: &Value) -> bool {
        if self.read(module).as_ref() == Some(told) {
            return false;
        }
        let Some(file) = self.file(module) else { return false };
        // What cannot be kept is told again by the next bridge.
        owned::atomic_write(&file, told.to_string().as_bytes(), PRIVATE).is_ok()
    }
}

/// The moment at which bridges are started.
pub(crate) struct Moment<'a> {
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) spec: &'static EventSpec,
    pub(crate) project: &'a Path,
    pub(crate) trace: &'a str,
    pub(crate) consent: Consent,
    /// Whose long-lived processes they are.
    pub(crate) peers: &'a str,
    pub(crate) depth: u32,
    pub(crate) cancelled: Cancelled,
}

impl App {
    /// The candidates of an event, with the modules that may be imported and have or may have hooks for it imported.
    pub(crate) async fn with_modules(
        &self,
        snapshot: &Snapshot,
        moment: &Moment<'_>,
        candidates: Vec<Candidate>,
    ) -> Vec<Candidate> {
        let mine = || {
            let dialect = moment.dialect.card().id;
            snapshot.sources.iter().filter(move |source| source.dialect == dialect)
        };
        if !mine().any(|source| source.read.iter().any(|hook| is_whole(hook))) {
            return candidates;
        }
        let mut rest = candidates.into_iter();
        let parts: Vec<(&Source, Vec<Candidate>)> = mine()
            .map(|source| (source, rest.by_ref().take(source.hooks.len()).collect()))
            .collect();
        let parts = parts.into_iter().map(|(source, part)| async move {
            match source.read.iter().find(|hook| is_whole(hook)) {
                None => part,
                Some(module) => self.with_module(snapshot, moment, module, part).await,
            }
        });
        futures::future::join_all(parts).await.into_iter().flatten().collect()
    }

    async fn with_module(
        &self,
        snapshot: &Snapshot,
        moment: &Moment<'_>,
        module: &Hook,
        known: Vec<Candidate>,
    ) -> Vec<Candidate> {
        let module = looked_at(&self.around, moment.dialect, module);
        let trusted = match moment.consent {
            Consent::Approvals => self.trust.judge(&module),
            Consent::Granted => Ok(()),
        };
        let muted = self.muted(snapshot, &module).map(|mute| mute.words());
        let whole =
            |trusted: Result<(), Message>| vec![Candidate::new(Arc::new(module.clone()), trusted, muted.clone())];
        if !hosted(&self.around) {
            return known;
        }
        if trusted.is_err() || muted.is_some() {
            return whole(trusted);
        }
        let told_before = !known.iter().any(|candidate| is_whole(&candidate.hook));
        if told_before && !known.iter().any(|candidate| candidate.hook.matches_event(moment.spec)) {
            return known;
        }
        let told = match self.ask(&module, moment).await {
            Ok(told) => told,
            Err(refused) => return whole(Err(refused)),
        };
        self.keep(&module, &told);
        let hooks: Vec<Arc<Hook>> = moment
            .dialect
            .expand_module(&module, &told)
            .hooks
            .into_iter()
            .map(Arc::new)
            .collect();
        let mute = |hook: &Hook| {
            let among = hooks.iter().map(|hook| &**hook);
            self.own.mutes.muted(hook, among, self.now()).map(|mute| mute.words())
        };
        hooks
            .iter()
            .map(|hook| Candidate::new(hook.clone(), Ok(()), mute(hook)))
            .collect()
    }

    /// Starts a module's bridge in its session and returns what it told, or what went wrong in the same form.
    ///
    /// # Errors
    /// The last look found other content than was approved.
    async fn ask(&self, module: &Hook, moment: &Moment<'_>) -> Result<Value, Message> {
        let encoded = moment
            .dialect
            .encode(module, moment.spec, &Payload::new(), moment.project);
        let Call::Peer(mut call) = encoded else {
            return Ok(json!({}));
        };
        let cleared = self
            .last_look(moment.consent, moment.project, std::iter::once(module), Passed::new())
            .check(module, &call.cwd)?;
        if let Some(instead) = cleared.instead {
            call.cwd = instead.cwd;
        }
        let order = RunContext {
            hook: module.id_at(moment.spec),
            session: moment.peers.to_owned(),
            trace: moment.trace.to_owned(),
            run: self.run_id(),
            depth: moment.depth,
            limit: call.rules.handshake_timeout,
            cancelled: moment.cancelled.clone(),
        };
        let (wire, within) = (call.wire, call.rules.handshake_timeout);
        let run = self.own.exec.run(Call::Peer(call), order).await;
        let line = String::from_utf8_lossy(&run.stdout.bytes);
        Ok(match (run.end, wire.parse_handshake(&line)) {
            (End::Replied, Ok(welcome)) => welcome.result,
            (End::Replied, Err(words)) => failure(&words),
            (
                End::Exit
                | End::Signal
                | End::TimedOut
                | End::Cancelled
                | End::NotStarted
                | End::Refused
                | End::PeerGone
                | End::Done,
                _,
            ) => failure(&silence(&run, within)),
        })
    }

    fn keep(&self, module: &Hook, told: &Value) {
        if Tables::of(&self.around).keep(module, told) {
            // A window that shows this project shows the table, too.
            self.look_again();
        }
    }

    /// `check --import`: the tables of all modules of a snapshot that may be imported.
    pub async fn import_modules(&self, snapshot: &Snapshot, project: &Path) {
        if !hosted(&self.around) {
            return;
        }
        let session = ulid::Ulid::generate().to_string();
        let modules = snapshot
            .sources
            .iter()
            .flat_map(|source| source.read.iter().map(move |hook| (source, hook)))
            .filter(|(_, hook)| is_whole(hook))
            .filter_map(|(source, hook)| Some((source, hook, hookwright_dialects::find(hook.dialect)?)));
        let asked = modules.map(|(source, hook, dialect)| {
            let session = &session;
            async move {
                let Some(spec) = dialect.card().event(dialect.card().first) else {
                    return;
                };
                let module = looked_at(&self.around, dialect, hook);
                let project = source.root.project.as_deref().unwrap_or(project);
                // A file that was only pointed at is nobody's approved module.
                let places = self.around.places(project);
                let own = dialect
                    .roots(&places, &crate::surroundings::Disk)
                    .contains(&source.root);
                if !(own || Trust::needed(&module)) || self.trust.judge(&module).is_err() {
                    return;
                }
                let moment = Moment {
                    dialect,
                    spec,
                    project,
                    trace: session,
                    consent: Consent::Approvals,
                    peers: session,
                    depth: 1,
                    cancelled: futures::future::pending().boxed().shared(),
                };
                if let Ok(told) = self.ask(&module, &moment).await {
                    self.keep(&module, &told);
                }
            }
        });
        futures::future::join_all(asked).await;
        self.own.exec.close_session(&session);
    }
}

/// What a bridge would have told of a module that cannot be imported.
fn failure(words: &Message) -> Value {
    json!({"error": {"message": words.text, "line": null}})
}

fn silence(run: &Run, within: Duration) -> Message {
    if run.end == End::TimedOut || run.no_handshake.as_ref().is_some_and(|it| it.silent) {
        return BRIDGE_LATE.render(args! { "seconds" => within.as_secs() });
    }
    let Captured { bytes, .. } = &run.stderr;
    let said = String::from_utf8_lossy(bytes);
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    let stderr = last.map_or_else(String::new, |line| format!(": {}", line.trim()));
    BRIDGE_SILENT.render(args! { "stderr" => stderr })
}
