//! Turning a hook on again.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{
    Dialect, EditDoc, EditKind, EditRequest, Hook, HookChange, Message, Notice, SourceTree, TurnedTo, args, render,
};

use super::super::commit::{self, Change, CheckedEdit, Expect, ShownProblems};
use super::super::edit_openers::EditOpeners;
use super::super::hook_edit::perform;
use super::super::messages::DIFFERS_FROM_PLAN;
use super::super::refusal::{EditRefusal, WriteMode};
use super::super::store::{EditRecord, Turning};
use super::super::turned_off_store::{AMBIGUOUS, KeptContent, KeptFile, StoredHook, TurnedOffStore};
use super::super::user_files::{self, FileContent, FileTransaction, PlannedFile};
use super::super::{approval_transfer, containment, notices};
use super::{AT_END, COPY_DAMAGED, PLACE_TAKEN, WITHOUT_COMMENTS, at_end, merge};
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;

/// Turns a hook on for the agent. `id` is the id of a turned-off hook or its beginning, or the id of a hook whose dialect
/// has a field for it.
///
/// # Errors
/// The reason why the hook cannot be turned on. No file was changed then.
pub fn turn_on(workspace: &Workspace, project: &Path, id: &str, mode: WriteMode) -> Result<EditDoc, EditRefusal> {
    let store = TurnedOffStore::new(&workspace.env.data_dir);
    let stored = match id.contains(':') {
        false => store.find(id)?,
        true => match find_by_hook(&store, id)? {
            Some(stored) => stored,
            None => {
                let request = EditRequest::Change {
                    hook: id.to_owned(),
                    changes: vec![HookChange::Enable],
                };
                return perform(workspace, project, None, &request, mode);
            }
        },
    };
    // The user's own files are the same for every project.
    let open_project = workspace.open_project(stored.project.as_deref().unwrap_or(project))?;
    open_project.refresh();
    let before = open_project.snapshot();
    let (mut edit, notices) = Planner::new(workspace, &before, &stored)?.plan()?;
    edit.doc.notices = notices;
    let hook = edit.doc.hook.clone().unwrap_or_default();
    let record = EditRecord {
        hook: Some(hook.clone()),
        label: Some(stored.label.clone()),
        turning: Some(Turning {
            id: stored.id.clone(),
            to: TurnedTo::On,
        }),
        ..edit.record(workspace, &open_project, EditKind::Add, &stored.dialect)
    };
    let mut doc = edit.write(workspace, &open_project, mode, record, None, |after, _| {
        Ok(approval_transfer::mute_again(workspace, &stored.mutes, &hook, after))
    })?;
    let now = open_project.snapshot();
    let after = if doc.written { &*now } else { &edit.after };
    let is_unapproved = |hook: &&Arc<Hook>| workspace.trust.check_gate(hook).is_err();
    if after.hook(&hook).filter(is_unapproved).is_some() {
        doc.notices.push(notices::unapproved_hook(&hook));
    }
    Ok(doc)
}

/// The one turned-off hook that had this id. Several hooks may have had it one after the other.
fn find_by_hook(store: &TurnedOffStore, hook: &str) -> Result<Option<StoredHook>, Message> {
    let (all, _) = store.all();
    let mut fits = all.into_iter().filter(|stored| stored.hook == hook);
    match (fits.next(), fits.count()) {
        (Some(only), 0) => Ok(Some(only)),
        (Some(_), more) => Err(render!(AMBIGUOUS, "id" => hook, "count" => more + 1)),
        (None, _) => Ok(None),
    }
}

/// What is known before a plan is made.
pub(super) struct Planner<'a> {
    pub workspace: &'a Workspace,
    pub before: &'a Snapshot,
    pub stored: &'a StoredHook,
    pub dialect: &'static dyn Dialect,
    trees: Vec<SourceTree>,
}

/// What can be done with a file of the hook.
enum Restored {
    /// It is as it should be.
    Unchanged,
    /// It gets this content.
    Content(FileContent),
    /// It changed where the hook was.
    Conflict,
}

impl<'a> Planner<'a> {
    fn new(workspace: &'a Workspace, before: &'a Snapshot, stored: &'a StoredHook) -> Result<Self, Message> {
        let dialect = find_dialect(&stored.dialect)?;
        let trees = commit::read_trees(dialect, before)?;
        Ok(Self {
            workspace,
            before,
            stored,
            dialect,
            trees,
        })
    }

    /// The hook in its place if that is possible, otherwise after the others of its list.
    fn plan(&self) -> Result<(CheckedEdit, Vec<Notice>), EditRefusal> {
        if let Some(transaction) = self.in_place()?
            && let Ok(edit) = self.checked(transaction)
        {
            return Ok((edit, Vec::new()));
        }
        let (edit, mut notices) = self.after_the_others()?;
        let path = self.stored.path.display().to_string();
        notices.push(Notice::warning(
            render!(AT_END, "path" => path),
            edit.doc.hook.as_deref(),
        ));
        Ok((edit, notices))
    }

    /// The files with the hook where it was; `None` if one changed there.
    fn in_place(&self) -> Result<Option<FileTransaction>, Message> {
        let mut work = FileTransaction {
            new_folders: self.stored.folders.clone(),
            ..FileTransaction::default()
        };
        let openers = EditOpeners::of_trees(&self.trees);
        for kept in &self.stored.files {
            let now = user_files::read_content(&openers.of(&kept.path), &kept.path)?;
            let after = match self.restored(kept, now.as_ref())? {
                Restored::Unchanged => continue,
                Restored::Conflict => return Ok(None),
                Restored::Content(content) => Some(content),
            };
            work.files.push(PlannedFile {
                path: kept.path.clone(),
                before: now,
                after,
            });
        }
        Ok(Some(work))
    }

    fn restored(&self, kept: &KeptFile, now: Option<&FileContent>) -> Result<Restored, Message> {
        if kept.before.is_none() || kept.is_like(&kept.before, now) {
            return Ok(Restored::Unchanged);
        }
        let shown = || kept.path.display().to_string();
        let damaged = || render!(COPY_DAMAGED, "path" => shown(), "hook" => self.stored.hook);
        let former = kept
            .before
            .as_ref()
            .and_then(KeptContent::content)
            .ok_or_else(damaged)?;
        // The user may have changed the mode since.
        let with_mode = |content: FileContent| FileContent {
            mode: now.map_or(content.mode, |now| now.mode),
            ..content
        };
        if kept.is_like(&kept.after, now) {
            return Ok(Restored::Content(with_mode(former)));
        }
        let is_list = kept.path == self.stored.path && !self.is_folder();
        match (&kept.after, now) {
            (None, Some(_)) if !is_list => Err(render!(PLACE_TAKEN, "path" => shown(), "hook" => self.stored.hook)),
            (Some(after), Some(now)) => {
                let texts = (after.text(), kept.before.as_ref().and_then(KeptContent::text));
                let (Some(after), Some(before)) = texts else {
                    return Ok(Restored::Conflict);
                };
                let merged = std::str::from_utf8(&now.bytes)
                    .ok()
                    .and_then(|now| merge::merge(after, before, now));
                Ok(merged.map_or(Restored::Conflict, |text| {
                    Restored::Content(FileContent {
                        bytes: text.into_bytes(),
                        ..now.clone()
                    })
                }))
            }
            (None | Some(_), _) => Ok(Restored::Conflict),
        }
    }

    /// Whether the hook is a folder, so that its file defines no other hook.
    fn is_folder(&self) -> bool {
        self.stored.addition.is_none()
    }

    fn after_the_others(&self) -> Result<(CheckedEdit, Vec<Notice>), Message> {
        let taken = || {
            let path = self.stored.path.display().to_string();
            render!(PLACE_TAKEN, "path" => path, "hook" => self.stored.hook)
        };
        if self.is_folder() {
            return Err(taken());
        }
        let mut reason = None;
        let additions = at_end::additions(self)?;
        for addition in additions {
            match self.checked(addition.transaction) {
                Ok(edit) => {
                    let mut notices = Vec::new();
                    if !addition.lost_comments.is_empty() {
                        let args = args! { "comments" => addition.lost_comments.join(" ") };
                        notices.push(Notice::warning(WITHOUT_COMMENTS.render(args), edit.doc.hook.as_deref()));
                    }
                    return Ok((edit, notices));
                }
                Err(message) => reason = Some(message),
            }
        }
        Err(reason.unwrap_or_else(taken))
    }

    /// The edit, if the files then define exactly the hooks of now and this one.
    fn checked(&self, transaction: FileTransaction) -> Result<CheckedEdit, Message> {
        containment::check_containment(&self.trees, &transaction)?;
        let change = Change {
            dialect: self.dialect,
            before: self.before,
            trees: &self.trees,
            transaction,
            expect: Expect::Added(1),
            hook: None,
            path: self.stored.path.clone(),
            shown: ShownProblems::OfHook,
            known_errors: &self.stored.errors,
        };
        let edit = CheckedEdit::new(self.workspace, change)?;
        let events: BTreeSet<&str> = self.stored.events.iter().map(String::as_str).collect();
        let is_it = |it: &Arc<Hook>| it.definition == self.stored.definition && it.source.path == self.stored.path;
        let found: BTreeSet<&str> = edit.hooks().map(|it| it.event.as_str()).collect();
        if found != events || !edit.hooks().all(is_it) {
            return Err(DIFFERS_FROM_PLAN.render_plain());
        }
        Ok(edit)
    }
}
