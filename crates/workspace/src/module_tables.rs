//! The tables of hooks that the bridges of Python modules reported (`qoder.md` §1, "Module"), cached by content.
//!
//! Listing hooks imports no module: it reads what a bridge once reported for exactly this content. `app` decides when a
//! bridge is started.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use hookwright_model::{Dialect, EVERY_EVENT, Handler, Hook, Parsed, Problem, render};
use serde_json::Value;

use crate::data_files::locked_file::{self, PRIVATE_FILE_MODE};
use crate::files::Opener;
use crate::host_env::HostEnv;
use crate::identities;
use crate::trust::covered_files::{self, Machine};
use crate::trust::disk_cache::DiskCache;

hookwright_model::messages! {
    /// There is no Python on `PATH` to host a module.
    BRIDGE_MISSING = "bridge_missing" { "`{program}`, which runs this module, was not found", "未找到执行此模块所需的 `{program}`" } hint { "install it, or put it on the PATH of the desktop and the terminal", "安装它，或把它加入桌面和终端的 PATH" };
    /// The hooks of a module are unknown, because there is no cached table for it.
    NOT_LOADED = "not_loaded" { "the hooks of this module are not known yet: the module has not run", "尚不知道此模块有哪些 Hook：模块还未执行过" } hint { "fire an event, or run `hookwright check --import`; a project's module needs an approval first", "触发一次事件，或执行 `hookwright check --import`；项目中的模块需先批准" };
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

/// Returns the hooks of a source. Each module is replaced by its hooks, as far as they are known. Also returns the
/// problems of the modules.
#[must_use]
pub fn expand_modules(env: &HostEnv, file_hooks: &[Arc<Hook>]) -> (Vec<Arc<Hook>>, Vec<Problem>) {
    let mut hooks = Vec::with_capacity(file_hooks.len());
    let mut problems = Vec::new();
    for hook in file_hooks {
        let Some(dialect) = hookwright_dialects::find(hook.dialect).filter(|_| is_unexpanded_module(hook)) else {
            hooks.push(hook.clone());
            continue;
        };
        let module = with_content_hash(env, dialect, hook);
        let table = ModuleTableCache::new(env).read(&module);
        let mut parsed = match &table {
            Some(table) => dialect.expand_module(&module, table),
            None => Parsed {
                hooks: vec![Arc::new(module.clone())],
                ..Parsed::default()
            },
        };
        if !has_python(env) {
            let message = render!(BRIDGE_MISSING, "program" => PYTHON);
            for hook in &mut parsed.hooks {
                Arc::make_mut(hook).invalid.get_or_insert(message.clone());
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
        // These hooks are in no file, so their identity is that of their definition.
        let mut equal: HashMap<String, usize> = HashMap::new();
        for hook in parsed.hooks.iter_mut().filter(|_| table.is_some()) {
            let nth = equal.entry(hook.definition_text.clone()).or_default();
            let uid = identities::computed_uid(hook, *nth);
            Arc::make_mut(hook).uid = uid;
            *nth += 1;
        }
        hooks.append(&mut parsed.hooks);
        problems.append(&mut parsed.problems);
    }
    (hooks, problems)
}

/// Whether a hook represents a whole module.
#[must_use]
pub fn is_unexpanded_module(hook: &Hook) -> bool {
    hook.event == EVERY_EVENT && matches!(hook.handler, Handler::Module { .. })
}

/// Whether `PATH` has a Python that can host modules.
#[must_use]
pub fn has_python(env: &HostEnv) -> bool {
    let path = env.var("PATH").unwrap_or_default();
    hookwright_exec::which(PYTHON, path.as_ref()).is_some()
}

/// The module with the hash of its current content.
#[must_use]
pub fn with_content_hash(env: &HostEnv, dialect: &dyn Dialect, module: &Hook) -> Hook {
    let folder = module.source.path.parent().unwrap_or(&module.source.path);
    let project = module.source.project.as_deref().unwrap_or(folder);
    let machine = Machine {
        home: &env.home,
        path: &[],
        disk: &DiskCache::default(),
    };
    let names = covered_files::find_covered_files(module, dialect.card(), machine, project);
    let opener = Opener::of_project(module.source.project.as_deref());
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
        match opener.hash(&file, MAX_HASHED_BYTES) {
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
pub struct ModuleTableCache(PathBuf);

impl ModuleTableCache {
    /// The cache in the data folder.
    #[must_use]
    pub fn new(env: &HostEnv) -> Self {
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
            | Handler::Http(_)
            | Handler::Builtin { .. } => None,
        }
    }

    fn read(&self, module: &Hook) -> Option<Value> {
        let text = Opener::user().read(&self.file(module)?, MAX_TABLE_BYTES).ok()?;
        serde_json::from_slice(&text).ok().filter(Value::is_object)
    }

    /// Caches a table. Returns whether the cache changed.
    pub fn store(&self, module: &Hook, table: &Value) -> bool {
        if self.read(module).as_ref() == Some(table) {
            return false;
        }
        let Some(file) = self.file(module) else { return false };
        // If the table cannot be cached, the next bridge reports it again.
        locked_file::atomic_write(&file, table.to_string().as_bytes(), PRIVATE_FILE_MODE).is_ok()
    }
}
