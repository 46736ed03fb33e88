//! Turning a hook on again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{
    Dialect, EditDoc, EditKind, EditRequest, Hook, HookChange, Message, Notice, Problem, Severity, SourceTree,
    TurnedTo, args,
};

use super::super::edit_openers::EditOpeners;
use super::super::hook_pairs::HookPairs;
use super::super::planned_edit::{FinalIds, new_error, pending_files, read_unchanged};
use super::super::store::{EditRecord, Turning};
use super::super::user_files::{self, FileContent, FileTransaction, PlannedFile};
use super::super::{
    DIFFERS_FROM_PLAN, EditRefusal, WriteMode, apply, approval_transfer, attributes, containment, diff,
    new_error_message, notices, perform,
};
use super::store::{KeptContent, KeptFile, StoredHook, TurnedOffStore};
use super::{AT_END, COPY_DAMAGED, PLACE_TAKEN, WITHOUT_COMMENTS, at_end, merge};
use crate::discovery;
use crate::project::OpenProject;
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
    let mut plan = Planner::new(workspace, &before, &stored)?.plan()?;
    let mut doc = plan.to_doc(&stored);
    if let Some(problem) = &plan.error {
        return Err(EditRefusal::Problems(Box::new(doc), new_error_message(problem)));
    }
    doc.notices.extend(attributes::hard_link_notices(&plan.transaction));
    if mode == WriteMode::Now {
        write(workspace, &open_project, &stored, &mut plan, &mut doc)?;
    }
    let is_unapproved = |hook: &&Arc<Hook>| workspace.trust.check_gate(hook).is_err();
    if plan.after.hook(&plan.hook).filter(is_unapproved).is_some() {
        doc.notices.push(notices::unapproved_hook(&plan.hook));
    }
    Ok(doc)
}

/// The one turned-off hook that had this id. Several hooks may have had it one after the other.
fn find_by_hook(store: &TurnedOffStore, hook: &str) -> Result<Option<StoredHook>, Message> {
    let (all, _) = store.all();
    let mut fits = all.into_iter().filter(|stored| stored.hook == hook);
    match (fits.next(), fits.count()) {
        (Some(only), 0) => Ok(Some(only)),
        (Some(_), more) => Err(super::AMBIGUOUS.render(args! { "id" => hook, "count" => more + 1 })),
        (None, _) => Ok(None),
    }
}

fn write(
    workspace: &Workspace,
    open_project: &OpenProject,
    stored: &StoredHook,
    plan: &mut Plan,
    doc: &mut EditDoc,
) -> Result<(), Message> {
    let record = EditRecord {
        version: 1,
        edit: String::new(),
        at: workspace.now(),
        what: EditKind::Add,
        undoes: None,
        dialect: stored.dialect.clone(),
        project: open_project.project.clone(),
        in_project: plan.in_project,
        hook: Some(plan.hook.clone()),
        label: Some(stored.label.clone()),
        path: stored.path.clone(),
        made: Vec::new(),
        gone: Vec::new(),
        files: Vec::new(),
        connects: false,
        script: false,
        turning: Some(Turning {
            id: stored.id.clone(),
            to: TurnedTo::On,
        }),
    };
    let mut work = std::mem::take(&mut plan.transaction);
    let hook = plan.hook.clone();
    let done = apply::apply(workspace, open_project, &mut work, record, |after, _| {
        approval_transfer::mute_again(workspace, &stored.mutes, &hook, after)
    })?;
    doc.written = true;
    doc.notices.extend(done.notices);
    (doc.edit, doc.undo) = (done.edit.clone(), done.edit);
    plan.after = Snapshot::clone(&open_project.snapshot());
    Ok(())
}

/// Turning on, not written yet.
struct Plan {
    transaction: FileTransaction,
    in_project: bool,
    after: Snapshot,
    /// The hook's id after the edit.
    hook: String,
    moved: BTreeMap<String, String>,
    problems: Vec<Problem>,
    error: Option<Problem>,
    notices: Vec<Notice>,
}

impl Plan {
    fn to_doc(&self, stored: &StoredHook) -> EditDoc {
        EditDoc {
            hook: Some(self.hook.clone()),
            moved: self.moved.clone(),
            problems: self.problems.clone(),
            notices: self.notices.clone(),
            ..EditDoc::unwritten(&stored.path, diff::for_transaction(&self.transaction))
        }
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
        let mine = before
            .sources
            .iter()
            .filter(|source| source.dialect == dialect.card().id);
        let trees = mine
            .map(|source| read_unchanged(dialect, source))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            workspace,
            before,
            stored,
            dialect,
            trees,
        })
    }

    /// The hook in its place if that is possible, otherwise after the others of its list.
    fn plan(&self) -> Result<Plan, Message> {
        if let Some(transaction) = self.in_place()?
            && let Ok(plan) = self.checked(transaction)
        {
            return Ok(plan);
        }
        let mut plan = self.after_the_others()?;
        let path = self.stored.path.display().to_string();
        plan.notices.push(Notice::warning(
            AT_END.render(args! { "path" => path }),
            Some(&plan.hook),
        ));
        Ok(plan)
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
        let damaged = || COPY_DAMAGED.render(args! { "path" => shown(), "hook" => self.stored.hook });
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
            (None, Some(_)) if !is_list => {
                Err(PLACE_TAKEN.render(args! { "path" => shown(), "hook" => self.stored.hook }))
            }
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

    fn after_the_others(&self) -> Result<Plan, Message> {
        let taken = || {
            let path = self.stored.path.display().to_string();
            PLACE_TAKEN.render(args! { "path" => path, "hook" => self.stored.hook })
        };
        if self.is_folder() {
            return Err(taken());
        }
        let mut reason = None;
        let additions = at_end::additions(self)?;
        for addition in additions {
            match self.checked(addition.transaction) {
                Ok(mut plan) => {
                    if !addition.lost_comments.is_empty() {
                        let args = args! { "comments" => addition.lost_comments.join(" ") };
                        let notice = Notice::warning(WITHOUT_COMMENTS.render(args), Some(&plan.hook));
                        plan.notices.push(notice);
                    }
                    return Ok(plan);
                }
                Err(message) => reason = Some(message),
            }
        }
        Err(reason.unwrap_or_else(taken))
    }

    /// The plan, if the files then define exactly the hooks of now and this one.
    fn checked(&self, transaction: FileTransaction) -> Result<Plan, Message> {
        containment::check_containment(&self.trees, &transaction)?;
        let id = self.dialect.card().id;
        let env = &self.workspace.env;
        let after = discovery::load_dialect_with(env, self.before, id, &pending_files(&transaction));
        let hooks = |snapshot: &Snapshot| snapshot.hooks(id).cloned().collect::<Vec<_>>();
        let (was, is) = (hooks(self.before), hooks(&after));
        let pairs = HookPairs::new(was.iter().map(|hook| &**hook), is.iter().map(|hook| &**hook));
        let hook = match pairs.added.as_slice() {
            [only] if pairs.changed.is_empty() && pairs.removed.is_empty() => only.clone(),
            _ => return Err(DIFFERS_FROM_PLAN.render_plain()),
        };
        let events: BTreeSet<&str> = self.stored.events.iter().map(String::as_str).collect();
        let mine = || is.iter().filter(|it| it.id == hook);
        let is_it = mine().all(|it| it.definition == self.stored.definition && it.source.path == self.stored.path)
            && mine().map(|it| it.event.as_str()).collect::<BTreeSet<_>>() == events;
        if !is_it {
            return Err(DIFFERS_FROM_PLAN.render_plain());
        }
        let problems = after.problems(env, Some(id));
        let error = self.new_error(&problems);
        let mut moved = pairs.moved();
        moved.extend(self.moved_by_position(&after));
        let about = |problem: &Problem| problem.hook.as_ref() == Some(&hook);
        Ok(Plan {
            in_project: containment::touches_project(&self.trees, &transaction),
            problems: problems.into_iter().filter(about).collect(),
            transaction,
            after,
            hook,
            moved,
            error,
            notices: Vec::new(),
        })
    }

    /// An error that the change would cause, and that was not there when the hook was turned off.
    fn new_error(&self, is: &[Problem]) -> Option<Problem> {
        let was = self.before.problems(&self.workspace.env, Some(self.dialect.card().id));
        let mut known = self.stored.errors.clone();
        let is_new = |problem: &&Problem| {
            let same = known
                .iter()
                .position(|(code, message)| (*code, message) == (problem.code, &problem.message));
            match same.filter(|_| problem.severity == Severity::Error) {
                Some(index) => {
                    known.remove(index);
                    false
                }
                None => true,
            }
        };
        let is: Vec<Problem> = is.iter().filter(is_new).cloned().collect();
        new_error(&was, &is)
    }

    /// Ids of hooks that keep their place and get another final id, because a name is used twice.
    fn moved_by_position(&self, after: &Snapshot) -> BTreeMap<String, String> {
        let id = self.dialect.card().id;
        let ids = (
            FinalIds::from_snapshot(self.before, id),
            FinalIds::from_snapshot(after, id),
        );
        let elsewhere = ids.0.pairs().filter(|(key, _)| key.0 != self.stored.path);
        let pairs = elsewhere.filter_map(|(key, old)| Some((old.clone(), ids.1.get(key)?.to_owned())));
        pairs.filter(|(old, new)| old != new).collect()
    }
}
