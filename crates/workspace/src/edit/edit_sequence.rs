//! Several edits of one dialect's files that are written as one. Each is planned on the result of those before it, and
//! compared with its plan, as if it were written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_model::{
    Dialect, EditContext, EditRequest, FileChange, FileKind, Former, Hook, Message, Problem, Severity, SourceTree,
    TargetLayer, args,
};
use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::planned_edit::{FinalIds, matches_plan, moved_ids, new_error, read_unchanged, target_hook};
use super::user_files::{FileTransaction, PlannedFile};
use super::{DIFFERS_FROM_PLAN, NO_EDITOR, folders};
use crate::discovery::{self, PendingFile, PendingFiles};
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
    moved: BTreeMap<String, String>,
    path: PathBuf,
    /// Files that no dialect plans, such as scripts.
    further: Vec<PlannedFile>,
}

/// The result of all edits, compared with the files on the disk.
pub(super) struct PlannedSequence {
    pub transaction: FileTransaction,
    /// The files of the roots as they are on the disk.
    pub trees: Vec<SourceTree>,
    /// The file of the last edit; empty if nothing was edited.
    pub path: PathBuf,
    /// Every id that is different afterwards.
    pub moved: BTreeMap<String, String>,
    /// Problems of the changed files that were not there before, hints left out.
    pub problems: Vec<Problem>,
    /// The first error that the edits would cause.
    pub error: Option<Problem>,
    /// The files as they would be.
    pub after: Snapshot,
}

impl<'w> EditSequence<'w> {
    /// Reads the files. They must be those from which the snapshot was loaded.
    pub fn new(workspace: &'w Workspace, before: &'w Snapshot, dialect: &'static dyn Dialect) -> Result<Self, Message> {
        let mine = before
            .sources
            .iter()
            .filter(|source| source.dialect == dialect.card().id);
        Ok(Self {
            workspace,
            dialect,
            before,
            trees: mine
                .map(|source| read_unchanged(dialect, source))
                .collect::<Result<_, _>>()?,
            now: None,
            pending: PendingFiles::default(),
            changes: IndexMap::new(),
            emptied: Vec::new(),
            moved: BTreeMap::new(),
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
        self.pending.0.extend(super::planned_edit::pending_files(&work).0);
        self.further.extend(work.files);
        let id = self.dialect.card().id;
        self.now = Some(discovery::load_dialect_with(
            &self.workspace.env,
            self.before,
            id,
            &self.pending,
        ));
    }

    /// Begins with another text of one file than that on the disk.
    pub fn begin_with(&mut self, path: &Path, text: &str) {
        let file = PendingFile {
            bytes: text.as_bytes().to_vec(),
            executable: false,
        };
        self.pending.0.insert(path.to_owned(), Some(file));
        let id = self.dialect.card().id;
        let now = discovery::load_dialect_with(&self.workspace.env, self.before, id, &self.pending);
        self.now = Some(now);
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
            let mut hooks = source.file_hooks.iter().filter(|hook| hook.event == event);
            hooks.any(|hook| self.dialect.definition_to_add(&tree, hook).as_ref() == Some(definition))
        })
    }

    /// Plans one more edit.
    pub fn apply(&mut self, request: &EditRequest) -> Result<(), Message> {
        let id = self.dialect.card().id;
        let present = self.snapshot();
        let mine = || present.sources.iter().filter(|source| source.dialect == id);
        let trees: Vec<SourceTree> = mine()
            .map(|source| discovery::read_root_with(self.dialect, &source.root, &self.pending).tree)
            .collect();
        let hooks: Vec<Hook> = mine()
            .flat_map(|source| source.file_hooks.iter())
            .map(|hook| (**hook).clone())
            .collect();
        let places = self.workspace.env.locations(&self.before.project);
        let target = target_hook(present, id, request);
        let context = EditContext {
            trees: &trees,
            hooks: &hooks,
            target: target.as_ref(),
            locations: &places,
            former: &Former::new(),
        };
        let none = || NO_EDITOR.render(args! { "dialect" => id });
        let plan = self.dialect.edit(&context, request).ok_or_else(none)??;
        let ids = FinalIds::from_snapshot(present, id);
        for file in &plan.files {
            self.record(file)?;
        }
        let after = discovery::load_dialect_with(&self.workspace.env, self.before, id, &self.pending);
        matches_plan(&plan, &self.pending, id, &after)?;
        for (old, new) in moved_ids(&plan, &ids, &FinalIds::from_snapshot(&after, id)) {
            self.add_moved(old, new);
        }
        self.path = plan.path;
        self.now = Some(after);
        Ok(())
    }

    fn add_moved(&mut self, old: String, new: String) {
        let first = self.moved.iter().find(|(_, now)| **now == old);
        let first = first.map_or(old, |(first, _)| first.clone());
        self.moved.insert(first, new);
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
        let id = self.dialect.card().id;
        let now = discovery::load_dialect_with(&self.workspace.env, self.before, id, &self.pending);
        self.now = Some(now);
    }

    /// Compares the result with the files on the disk.
    pub fn finish(self) -> Result<PlannedSequence, Message> {
        let dialect = self.dialect.card().id;
        let env = &self.workspace.env;
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
        let pending = super::planned_edit::pending_files(&transaction);
        let after = discovery::load_dialect_with(env, self.before, dialect, &pending);
        let (was, is) = (
            self.before.problems(env, Some(dialect)),
            after.problems(env, Some(dialect)),
        );
        let is_new = |problem: &Problem| {
            let same = |known: &Problem| (known.code, &known.path) == (problem.code, &problem.path);
            problem.severity != Severity::Hint && pending.0.contains_key(&problem.path) && !was.iter().any(same)
        };
        Ok(PlannedSequence {
            error: new_error(&was, &is),
            problems: is.iter().filter(|problem| is_new(problem)).cloned().collect(),
            transaction,
            trees: self.trees,
            path: self.path,
            moved: self.moved,
            after,
        })
    }
}
