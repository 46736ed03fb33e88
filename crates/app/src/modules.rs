//! Python modules of hooks (`qoder.md` §1, "Module"). A bridge reports the table of hooks of a module, and the tables
//! are cached by content. Here it is also decided when a bridge is started. To list hooks imports nothing: it reads
//! what a bridge once reported for exactly this content.

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
use crate::hooks::Consent;
use crate::host_env::HostEnv;
use crate::library::{LoadedSource, Snapshot};
use crate::locked_file;
use crate::regular_file;
use crate::trust::covered_files::{self, Machine};
use crate::trust::disk_cache::DiskCache;
use crate::trust::{PassedContents, Trust};

hookwright_model::messages! {
    /// There is no Python on `PATH` to host a module.
    BRIDGE_MISSING = "bridge_missing" { "there is no `{program}` to host this module", "没有可用于承载此模块的 `{program}`" } hint { "install it, or put it on the PATH of the desktop and the terminal", "请安装它，或把它加入桌面和终端的 PATH" };
    /// The hooks of a module are unknown, because there is no cached table for it.
    NOT_LOADED = "not_loaded" { "the hooks of this module are not known yet: nothing of it has run", "尚不知道此模块有哪些 hook：还没有运行过它" } hint { "fire an event, or run `hookwright check --import`; a project's module needs an approval first", "触发一次事件，或运行 `hookwright check --import`；项目中的模块需先批准" };
    /// A bridge exited before it reported the hooks.
    BRIDGE_SILENT = "bridge_silent" { "its bridge ended before it told the hooks{stderr}", "桥接进程在报告 hook 之前退出{stderr}" };
    /// A bridge did not report the hooks within the time limit.
    BRIDGE_LATE = "bridge_late" { "its bridge did not tell the hooks within {seconds} s", "桥接进程未在 {seconds} 秒内报告 hook" };
}

/// The program that hosts modules.
const PYTHON: &str = "python3";
/// The format of cached tables. It is part of the content hash, so a new format makes all cached tables unused.
const TABLE_FORMAT: &[u8] = b"2";
/// Maximum size of a source file in bytes. A larger file is not read: the hash contains only the error, so two such
/// files are not distinguished.
const MAX_HASHED_BYTES: u64 = 64 << 20;
/// Maximum size of a cached table in bytes. A larger table is not read, so the bridge reports it again.
const MAX_TABLE_BYTES: u64 = 32 << 20;
/// The file mode of cached tables.
const PRIVATE_FILE_MODE: u32 = 0o600;

/// Returns the hooks of a source. Each module is replaced by its hooks, as far as they are known. Also returns the
/// problems of the modules.
pub fn expand_modules(env: &HostEnv, source: &LoadedSource) -> (Vec<Arc<Hook>>, Vec<Problem>) {
    let mut hooks = Vec::with_capacity(source.file_hooks.len());
    let mut problems = Vec::new();
    for hook in source.file_hooks.iter() {
        let Some(dialect) = hookwright_dialects::find(hook.dialect).filter(|_| is_unexpanded_module(hook)) else {
            hooks.push(hook.clone());
            continue;
        };
        let module = with_content_hash(env, dialect, hook);
        let table = ModuleTableCache::new(env).read(&module);
        let mut parsed = match &table {
            Some(table) => dialect.expand_module(&module, table),
            None => Parsed {
                hooks: vec![module.clone()],
                ..Parsed::default()
            },
        };
        if !has_python(env) {
            let message = BRIDGE_MISSING.render(args! { "program" => PYTHON });
            for hook in &mut parsed.hooks {
                hook.invalid.get_or_insert(message.clone());
            }
            parsed
                .problems
                .push(Problem::new(message, &module.source.path, None).for_hook(&module.id));
        } else if table.is_none() {
            let message = NOT_LOADED.render_plain();
            parsed
                .problems
                .push(Problem::new(message, &module.source.path, None).for_hook(&module.id));
        }
        hooks.extend(parsed.hooks.into_iter().map(Arc::new));
        problems.append(&mut parsed.problems);
    }
    (hooks, problems)
}

/// Whether a hook represents a whole module.
pub(crate) fn is_unexpanded_module(hook: &Hook) -> bool {
    hook.event == EVERY_EVENT && matches!(hook.handler, Handler::Module { .. })
}

fn has_python(env: &HostEnv) -> bool {
    let path = env.var("PATH").unwrap_or_default();
    hookwright_exec::which(PYTHON, path.as_ref()).is_some()
}

/// The module with the hash of its current content.
fn with_content_hash(env: &HostEnv, dialect: &dyn Dialect, module: &Hook) -> Hook {
    let folder = module.source.path.parent().unwrap_or(&module.source.path);
    let project = module.source.project.as_deref().unwrap_or(folder);
    let machine = Machine {
        home: &env.home,
        path: &[],
        disk: &DiskCache::default(),
    };
    let names = covered_files::find_covered_files(module, dialect.card(), machine, project);
    let mut hasher = blake3::Hasher::new();
    let mut feed = |bytes: &[u8]| {
        // The length comes first, so that two different lists of parts never have the same hash.
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    };
    feed(TABLE_FORMAT);
    feed(dialect.card().id.as_bytes());
    for file in names.files() {
        let relative = file.strip_prefix(folder).unwrap_or(&file);
        feed(relative.as_os_str().as_encoded_bytes());
        match regular_file::hash(&file, MAX_HASHED_BYTES) {
            Ok(hash) => feed(hash.as_bytes()),
            Err(error) => feed(error.to_string().as_bytes()),
        }
    }
    let hash = hasher.finalize().to_hex().to_string();
    let mut module_with_hash = module.clone();
    if let Handler::Module { content, .. } = &mut module_with_hash.handler {
        *content = hash;
    }
    module_with_hash
}

/// The cache of the tables that bridges reported, one file for each content. It may be deleted at any time.
struct ModuleTableCache(PathBuf);

impl ModuleTableCache {
    fn new(env: &HostEnv) -> Self {
        Self(env.data_dir.join("cache").join("modules"))
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
        let text = regular_file::read(&self.file(module)?, MAX_TABLE_BYTES).ok()?;
        serde_json::from_slice(&text).ok().filter(Value::is_object)
    }

    /// Caches a table. Returns whether the cache changed.
    fn store(&self, module: &Hook, table: &Value) -> bool {
        if self.read(module).as_ref() == Some(table) {
            return false;
        }
        let Some(file) = self.file(module) else { return false };
        // If the table cannot be cached, the next bridge reports it again.
        locked_file::atomic_write(&file, table.to_string().as_bytes(), PRIVATE_FILE_MODE).is_ok()
    }
}

/// The circumstances in which bridges are started: an event, or `check --import`.
pub(crate) struct ImportContext<'a> {
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) spec: &'static EventSpec,
    pub(crate) project: &'a Path,
    pub(crate) trace: &'a str,
    pub(crate) consent: Consent,
    /// The key of the session to which the bridges belong.
    pub(crate) peers: &'a str,
    pub(crate) depth: u32,
    pub(crate) cancelled: Cancelled,
}

impl App {
    /// The candidates of an event, after the import of modules. A module is imported if it may run, and if it has or
    /// may have hooks for the event.
    pub(crate) async fn with_modules(
        &self,
        snapshot: &Snapshot,
        context: &ImportContext<'_>,
        candidates: Vec<Candidate>,
    ) -> Vec<Candidate> {
        let mine = || {
            let dialect = context.dialect.card().id;
            snapshot.sources.iter().filter(move |source| source.dialect == dialect)
        };
        if !mine().any(|source| source.file_hooks.iter().any(|hook| is_unexpanded_module(hook))) {
            return candidates;
        }
        let mut rest = candidates.into_iter();
        let parts: Vec<(&LoadedSource, Vec<Candidate>)> = mine()
            .map(|source| (source, rest.by_ref().take(source.hooks.len()).collect()))
            .collect();
        let parts = parts.into_iter().map(|(source, part)| async move {
            match source.file_hooks.iter().find(|hook| is_unexpanded_module(hook)) {
                None => part,
                Some(module) => self.with_module(snapshot, context, module, part).await,
            }
        });
        futures::future::join_all(parts).await.into_iter().flatten().collect()
    }

    async fn with_module(
        &self,
        snapshot: &Snapshot,
        context: &ImportContext<'_>,
        module: &Hook,
        known: Vec<Candidate>,
    ) -> Vec<Candidate> {
        let module = with_content_hash(&self.env, context.dialect, module);
        let trusted = match context.consent {
            Consent::Approvals => self.trust.check_gate(&module),
            Consent::Granted => Ok(()),
        };
        let muted = self.muted(snapshot, &module).map(|mute| mute.message());
        let whole =
            |trusted: Result<(), Message>| vec![Candidate::new(Arc::new(module.clone()), trusted, muted.clone())];
        if !has_python(&self.env) {
            return known;
        }
        if trusted.is_err() || muted.is_some() {
            return whole(trusted);
        }
        let is_expanded = !known.iter().any(|candidate| is_unexpanded_module(&candidate.hook));
        if is_expanded && !known.iter().any(|candidate| candidate.hook.matches_event(context.spec)) {
            return known;
        }
        let table = match self.import_module(&module, context).await {
            Ok(table) => table,
            Err(refused) => return whole(Err(refused)),
        };
        self.store_table(&module, &table);
        let hooks: Vec<Arc<Hook>> = context
            .dialect
            .expand_module(&module, &table)
            .hooks
            .into_iter()
            .map(Arc::new)
            .collect();
        let mute = |hook: &Hook| {
            let all = hooks.iter().map(|hook| &**hook);
            self.app_files
                .mutes
                .muted(hook, all, self.now())
                .map(|mute| mute.message())
        };
        hooks
            .iter()
            .map(|hook| Candidate::new(hook.clone(), Ok(()), mute(hook)))
            .collect()
    }

    /// Starts a module's bridge in its session. Returns the table that it reported, or a failure in the same form.
    ///
    /// # Errors
    /// The pre-spawn check found other content than was approved.
    async fn import_module(&self, module: &Hook, context: &ImportContext<'_>) -> Result<Value, Message> {
        let encoded = context
            .dialect
            .encode(module, context.spec, &Payload::new(), context.project);
        let Call::Peer(mut call) = encoded else {
            return Ok(json!({}));
        };
        let approval = self
            .pre_spawn_check(
                context.consent,
                context.project,
                std::iter::once(module),
                PassedContents::new(),
            )
            .check(module, &call.cwd)?;
        if let Some(instead) = approval.instead {
            call.cwd = instead.cwd;
        }
        let run_context = RunContext {
            hook: module.id_at(context.spec),
            session: context.peers.to_owned(),
            trace: context.trace.to_owned(),
            run: self.run_id(),
            depth: context.depth,
            limit: call.rules.handshake_timeout,
            cancelled: context.cancelled.clone(),
        };
        let (wire, time_limit) = (call.wire, call.rules.handshake_timeout);
        let run = self.app_files.exec.run(Call::Peer(call), run_context).await;
        let line = String::from_utf8_lossy(&run.stdout.bytes);
        Ok(match (run.end, wire.parse_handshake(&line)) {
            (End::Replied, Ok(handshake)) => handshake.result,
            (End::Replied, Err(error)) => failure_table(&error),
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
            ) => failure_table(&no_answer_message(&run, time_limit)),
        })
    }

    fn store_table(&self, module: &Hook, table: &Value) {
        if ModuleTableCache::new(&self.env).store(module, table) {
            // A window that shows this project must also show the new table.
            self.request_refresh();
        }
    }

    /// `check --import`: imports all modules of a snapshot that may run, and caches their tables.
    pub async fn import_modules(&self, snapshot: &Snapshot, project: &Path) {
        if !has_python(&self.env) {
            return;
        }
        let session = ulid::Ulid::generate().to_string();
        let modules = snapshot
            .sources
            .iter()
            .flat_map(|source| source.file_hooks.iter().map(move |hook| (source, hook)))
            .filter(|(_, hook)| is_unexpanded_module(hook))
            .filter_map(|(source, hook)| Some((source, hook, hookwright_dialects::find(hook.dialect)?)));
        let imports = modules.map(|(source, hook, dialect)| {
            let session = &session;
            async move {
                let Some(spec) = dialect.card().event(dialect.card().first) else {
                    return;
                };
                let module = with_content_hash(&self.env, dialect, hook);
                let project = source.root.project.as_deref().unwrap_or(project);
                // A module outside the roots that needs no approval was only named as a path. It is not imported.
                let places = self.env.locations(project);
                let is_known_root = dialect
                    .roots(&places, &crate::host_env::DiskProbe)
                    .contains(&source.root);
                if !(is_known_root || Trust::needs_approval(&module)) || self.trust.check_gate(&module).is_err() {
                    return;
                }
                let context = ImportContext {
                    dialect,
                    spec,
                    project,
                    trace: session,
                    consent: Consent::Approvals,
                    peers: session,
                    depth: 1,
                    cancelled: futures::future::pending().boxed().shared(),
                };
                if let Ok(table) = self.import_module(&module, &context).await {
                    self.store_table(&module, &table);
                }
            }
        });
        futures::future::join_all(imports).await;
        self.app_files.exec.close_session(&session);
    }
}

/// The table that a bridge reports for a module that cannot be imported.
fn failure_table(error: &Message) -> Value {
    json!({"error": {"message": error.text, "line": null}})
}

fn no_answer_message(run: &Run, time_limit: Duration) -> Message {
    if run.end == End::TimedOut || run.no_handshake.as_ref().is_some_and(|it| it.silent) {
        return BRIDGE_LATE.render(args! { "seconds" => time_limit.as_secs() });
    }
    let Captured { bytes, .. } = &run.stderr;
    let stderr_text = String::from_utf8_lossy(bytes);
    let last = stderr_text.lines().rev().find(|line| !line.trim().is_empty());
    let stderr = last.map_or_else(String::new, |line| format!(": {}", line.trim()));
    BRIDGE_SILENT.render(args! { "stderr" => stderr })
}
