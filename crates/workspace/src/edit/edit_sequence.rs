//! Several edits of one dialect's files that are written as one. Each is planned on the result of those before it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::editing;
use hookwright_dialects::relay::RelayChange;
use hookwright_model::{
    AgentTrustChange, AgentTrustContext, AgentTrustEdit, Dialect, DirProbe, EditRequest, FileChange, FileKind, Former,
    Hook, Message, SourceTree, TargetLayer,
};
use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::commit::{self, Change, CheckedEdit, Expect, ShownProblems};
use super::folders;
use super::messages::DIFFERS_FROM_PLAN;
use super::user_files::{FileTransaction, PlannedFile};
use crate::discovery::{self, PendingFile, PendingFiles};
use crate::disk_probe::DiskProbe;
use crate::snapshot::{LoadedSource, Snapshot};
use crate::workspace::Workspace;

/// Edits of one dialect's files that are not written yet.
pub(super) struct EditSequence<'w> {
    workspace: &'w Workspace,
    dialect: &'static dyn Dialect,
    before: &'w Snapshot,
    /// The files as they are on the disk.
    trees: Vec<SourceTree>,
    /// The snapshot after all edits so far.
    now: Option<Snapshot>,
    pending: PendingFiles,
    /// The last change of each file, in the order of the first one.
    changes: IndexMap<PathBuf, FileChange>,
    /// Folders that are removed if they are empty.
    emptied: Vec<FileChange>,
    path: PathBuf,
    /// Files that no dialect plans, such as scripts.
    further: Vec<PlannedFile>,
}

impl<'w> EditSequence<'w> {
    /// Reads the files. They must be those from which the snapshot was loaded.
    pub fn new(workspace: &'w Workspace, before: &'w Snapshot, dialect: &'static dyn Dialect) -> Result<Self, Message> {
        Ok(Self {
            workspace,
            dialect,
            before,
            trees: commit::read_trees(dialect, before)?,
            now: None,
            pending: PendingFiles::default(),
            changes: IndexMap::new(),
            emptied: Vec::new(),
            path: PathBuf::new(),
            further: Vec::new(),
        })
    }

    /// Writes further files together with the edits, before them. The edits are planned as if these files existed.
    pub fn add_files(&mut self, files: Vec<PlannedFile>) {
        let work = FileTransaction {
            files,
            ..FileTransaction::default()
        };
        self.pending.0.extend(commit::pending_files(&work).0);
        self.further.extend(work.files);
        self.load();
    }

    /// Begins with another text of one file than that on the disk.
    pub fn begin_with(&mut self, path: &Path, text: &str) {
        let file = PendingFile {
            bytes: text.as_bytes().to_vec(),
            executable: false,
        };
        self.pending.0.insert(path.to_owned(), Some(file));
        self.load();
    }

    /// The text that the edits so far give to a file; `None` if they remove it or leave it alone.
    pub fn text(&self, path: &Path) -> Option<&str> {
        let change = self.changes.get(path)?;
        if let FileChange::Write { text, .. } = change {
            Some(text)
        } else {
            None
        }
    }

    /// The dialect whose files are edited.
    pub fn dialect(&self) -> &'static dyn Dialect {
        self.dialect
    }

    /// The snapshot after all edits so far.
    pub fn snapshot(&self) -> &Snapshot {
        self.now.as_ref().unwrap_or(self.before)
    }

    /// Whether a file of this layer defines a hook with exactly these fields already.
    pub fn defines(&self, layer: TargetLayer, event: &str, definition: &Map<String, Value>) -> bool {
        let id = self.dialect.card().id;
        let in_layer = |source: &&LoadedSource| source.dialect == id && source.root.layer == layer.as_layer();
        let mut sources = self.snapshot().sources.iter().filter(in_layer);
        sources.any(|source| {
            let tree = discovery::read_tree_with(self.dialect, &source.root, &self.pending);
            let hooks = source.file_hooks.iter().filter(|hook| hook.event == event);
            let hooks: Vec<&Hook> = hooks.map(AsRef::as_ref).collect();
            let defined = self.dialect.definitions_to_add(&tree, &hooks);
            defined.iter().flatten().any(|it| it == definition)
        })
    }

    /// Plans one more edit.
    pub fn apply(&mut self, request: &EditRequest) -> Result<(), Message> {
        let id = self.dialect.card().id;
        let present = self.snapshot();
        let trees = self.present_trees();
        let target = commit::target_hook(present, id, request);
        let (target, former) = (target.as_ref(), Former::new());
        let plan = commit::plan_request(self.workspace, present, self.dialect, &trees, request, target, &former)?;
        self.record_all(&plan.files)?;
        self.path = plan.path;
        Ok(())
    }

    /// Puts the relay around the commands of these hooks, or removes it. Nothing else of the hooks changes.
    pub fn change_relay(&mut self, hooks: &[Arc<Hook>], change: RelayChange<'_>) -> Result<(), Message> {
        if let Some(last) = hooks.last() {
            let files = editing::change_wrappings(self.dialect.card(), &self.present_trees(), hooks, change)?;
            self.record_all(&files)?;
            self.path.clone_from(&last.source.path);
        }
        Ok(())
    }

    /// Changes the agent's own trust in these hooks, as [`Self::agent_trust`] says.
    pub fn change_agent_trust(&mut self, edit: &AgentTrustEdit) -> Result<(), Message> {
        let file = edit.file.clone();
        self.record_all(&file.into_iter().collect::<Vec<_>>())
    }

    /// What a change of the agent's own trust in these hooks would write; `None` if the agent has no trust of its own.
    pub fn agent_trust(
        &self,
        hooks: &[Arc<Hook>],
        change: AgentTrustChange,
    ) -> Result<Option<AgentTrustEdit>, Message> {
        let hooks: Vec<&Hook> = hooks.iter().map(|hook| &**hook).collect();
        let trees = self.present_trees();
        let context = AgentTrustContext {
            locations: &self.workspace.env.locations(&self.snapshot().project),
            text: &|path| editing::text_in(&trees, path),
            real: &discovery::real_path,
            is_dir: &|path| DiskProbe.is_dir(path),
        };
        self.dialect.change_agent_trust(&hooks, change, &context).transpose()
    }

    /// The files after all edits so far.
    fn present_trees(&self) -> Vec<SourceTree> {
        let mine = self.snapshot().sources.iter();
        let mine = mine.filter(|source| source.dialect == self.dialect.card().id);
        mine.map(|source| discovery::read_tree_with(self.dialect, &source.root, &self.pending))
            .collect()
    }

    fn record_all(&mut self, files: &[FileChange]) -> Result<(), Message> {
        for file in files {
            self.record(file)?;
        }
        self.load();
        Ok(())
    }

    /// Parses the files that the last edit changed.
    fn load(&mut self) {
        let id = self.dialect.card().id;
        let workspace = self.workspace;
        let now = discovery::load_dialect_with(&workspace.env, self.snapshot(), id, &self.pending, workspace.now());
        self.now = Some(now);
    }

    fn record(&mut self, change: &FileChange) -> Result<(), Message> {
        let (path, content) = match change {
            FileChange::Write { path, text, kind } => {
                let file = PendingFile {
                    bytes: text.clone().into_bytes(),
                    executable: *kind == FileKind::Script,
                };
                (path, Some(file))
            }
            FileChange::Remove { path } => (path, None),
            FileChange::RemoveEmpty { .. } => {
                self.emptied.push(change.clone());
                return Ok(());
            }
            // These read files as they are on the disk, and not as an earlier edit left them.
            FileChange::CopyFile { .. } | FileChange::CopyFolder { .. } | FileChange::RemoveFolder { .. } => {
                return Err(DIFFERS_FROM_PLAN.render_plain());
            }
        };
        self.pending.0.insert(path.clone(), content);
        self.changes.insert(path.clone(), change.clone());
        Ok(())
    }

    /// The files that the edits write or remove.
    pub fn changed_files(&self) -> Vec<PathBuf> {
        self.changes.keys().cloned().collect()
    }

    /// Whether nothing is left in a file that the edits write.
    pub fn is_empty(&self, path: &Path) -> bool {
        self.text(path)
            .is_some_and(|written| ["", "{}"].contains(&written.trim()))
    }

    /// The change of a file by all edits so far.
    pub fn change(&self, path: &Path) -> Option<FileChange> {
        self.changes.get(path).cloned()
    }

    /// Replaces the result of all edits in one file: by a former text, or by its removal.
    pub fn restore(&mut self, path: &Path, former: Option<String>) {
        self.set_change(match former {
            Some(text) => FileChange::Write {
                path: path.to_owned(),
                text,
                kind: FileKind::Plain,
            },
            None => FileChange::Remove { path: path.to_owned() },
        });
    }

    /// Replaces the result of all edits in one file.
    pub fn set_change(&mut self, change: FileChange) {
        // Only changes that read further files are refused, and no edit of a sequence has one.
        let _ = self.record(&change);
        self.load();
    }

    /// Checks the result. Of the hooks that were there before, only `edited` may change or go. Returns the files of the
    /// roots as they are on the disk, too.
    pub fn finish(self, edited: BTreeSet<String>) -> Result<(CheckedEdit, Vec<SourceTree>), Message> {
        let existed = |path: &Path| self.trees.iter().any(|tree| tree.files.contains_key(path));
        let (removals, writes): (Vec<_>, Vec<_>) = self
            .changes
            .into_values()
            .partition(|change| matches!(change, FileChange::Remove { .. }));
        // A file that one edit made and another removed never exists.
        let removals = removals
            .into_iter()
            .filter(|change| !matches!(change, FileChange::Remove { path } if !existed(path)));
        let files: Vec<FileChange> = writes.into_iter().chain(removals).chain(self.emptied).collect();
        let mut transaction = folders::plan_transaction(&self.trees, &files)?;
        transaction.files.splice(0..0, self.further);
        let change = Change {
            dialect: self.dialect,
            before: self.before,
            trees: &self.trees,
            transaction,
            expect: Expect::Sequence(edited),
            hook: None,
            path: self.path,
            shown: ShownProblems::New,
            known_errors: &[],
        };
        Ok((CheckedEdit::new(self.workspace, change)?, self.trees))
    }
}
