//! A planned edit, and its comparison with the expected hooks before anything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{
    Code, Dialect, EditContext, EditDoc, EditPlan, EditRequest, ExpectedHook, Former, Hook, HookKey, Message, Problem,
    Severity, SourceTree, args,
};
use serde_json::Value;

use super::user_files::{CHANGED, FileTransaction};
use super::{DIFFERS_FROM_PLAN, NO_EDITOR, containment, diff, folders};
use crate::discovery::{self, PendingFile, PendingFiles};
use crate::host_env::HostEnv;
use crate::snapshot::{LoadedSource, Snapshot};
use crate::trust::Trust;

/// An edit that is not written yet.
#[derive(Debug)]
pub(super) struct PlannedEdit {
    /// What changes on the disk.
    pub transaction: FileTransaction,
    /// The hook's id after the edit.
    pub hook: Option<String>,
    /// The hook after the edit, once for each event that it serves.
    pub hooks: Vec<Arc<Hook>>,
    /// Whether the hook needs no approval after the edit.
    pub runs_unreviewed: bool,
    /// Whether files of the project change, and not only user files.
    pub in_project: bool,
    moved_ids: BTreeMap<String, String>,
    path: PathBuf,
    /// The hook's Problems after the edit.
    problems: Vec<Problem>,
    /// The first error that the change would cause.
    error: Option<Problem>,
}

impl PlannedEdit {
    /// Requests a plan from the dialect, and checks the result as if it were written.
    pub fn new(
        env: &HostEnv,
        project: &Path,
        before: &Snapshot,
        dialect: &'static str,
        intention: &EditRequest,
        former: &Former,
    ) -> Result<Self, Message> {
        let known = find_dialect(dialect)?;
        let mine = || before.sources.iter().filter(|source| source.dialect == dialect);
        let trees = mine()
            .map(|source| read_unchanged(known, source))
            .collect::<Result<Vec<_>, _>>()?;
        let hooks: Vec<Hook> = mine()
            .flat_map(|source| source.file_hooks.iter())
            .map(|hook| (**hook).clone())
            .collect();
        let places = env.locations(project);
        let target = target_hook(before, dialect, intention);
        let context = EditContext {
            trees: &trees,
            hooks: &hooks,
            target: target.as_ref(),
            locations: &places,
            former,
        };
        let none = || NO_EDITOR.render(args! { "dialect" => dialect });
        let plan = known.edit(&context, intention).ok_or_else(none)??;
        let work = folders::plan_transaction(&trees, &plan.files)?;
        let in_project = containment::touches_project(&trees, &work);
        let pending = pending_files(&work);
        let after = discovery::load_with(env, project, Some(before), &pending);
        if let Err(message) = matches_plan(&plan, &pending, dialect, &after) {
            // If another program wrote the files since, that is the reason, and not the plan.
            for source in mine() {
                read_unchanged(known, source)?;
            }
            return Err(message);
        }
        let ids = (
            FinalIds::from_snapshot(before, dialect),
            FinalIds::from_snapshot(&after, dialect),
        );
        let hook = match &plan.hook {
            Some(key) => Some(
                ids.1
                    .get(key)
                    .ok_or_else(|| DIFFERS_FROM_PLAN.render_plain())?
                    .to_owned(),
            ),
            None => None,
        };
        let is_it = |known: &&Arc<Hook>| hook.as_ref() == Some(&known.id);
        let planned: Vec<Arc<Hook>> = after.all().filter(is_it).cloned().collect();
        // Problems of the file name the hook as it is there, before conflicts between files are resolved.
        let id_in_file = plan.hook.as_ref().and_then(|key| id_in_file(&after, dialect, key));
        let runs_unreviewed = planned.first().is_some_and(|hook| !Trust::needs_approval(hook));
        let (was, is) = (before.problems(env, Some(dialect)), after.problems(env, Some(dialect)));
        let error = new_error(&was, &is);
        let was_reported = |problem: &Problem| {
            let same = |known: &Problem| {
                (known.code, &known.message, &known.path) == (problem.code, &problem.message, &problem.path)
            };
            was.iter().any(same)
        };
        // A Problem of an event's key or of the whole file names no hook. It is shown if the change causes it.
        let about = |problem: &Problem| match &problem.hook {
            Some(of) => Some(of) == hook.as_ref() || Some(of) == id_in_file.as_ref(),
            None => !was_reported(problem),
        };
        let mut problems: Vec<Problem> = is.into_iter().filter(about).collect();
        problems.extend(error.clone().filter(|error| !problems.contains(error)));
        problems.sort_by_key(|problem| problem.severity);
        Ok(Self {
            moved_ids: moved_ids(&plan, &ids.0, &ids.1),
            path: plan.path,
            hooks: planned,
            hook,
            runs_unreviewed,
            in_project,
            problems,
            error,
            transaction: work,
        })
    }

    /// The first error that the change would cause.
    pub fn new_error(&self) -> Option<&Problem> {
        self.error.as_ref()
    }

    /// The answer for the user, for an edit that is not written yet.
    pub fn to_doc(&self) -> EditDoc {
        EditDoc {
            hook: self.hook.clone(),
            moved: self.moved_ids.clone(),
            problems: self.problems.clone(),
            ..EditDoc::unwritten(&self.path, diff::for_transaction(&self.transaction))
        }
    }
}

/// Reads the files of a root. They must still be those from which its hooks were loaded.
pub(super) fn read_unchanged(dialect: &dyn Dialect, source: &LoadedSource) -> Result<SourceTree, Message> {
    let place = discovery::read_root(dialect, &source.root);
    if place.hash == source.hash {
        return Ok(place.tree);
    }
    let path = source.root.path.display().to_string();
    Err(CHANGED.render(args! { "path" => path }))
}

/// The hook that an edit is about, as its file defines it. In the snapshot it may have another id. A hook inside a
/// module cannot be edited; it is returned as the snapshot has it.
pub(super) fn target_hook(before: &Snapshot, dialect: &str, intention: &EditRequest) -> Option<Hook> {
    let id = match intention {
        EditRequest::Add { .. } => return None,
        EditRequest::Change { hook, .. } | EditRequest::Remove { hook } => hook,
    };
    let is_it = |hook: &&Arc<Hook>| hook.id == *id;
    let mine = || before.sources.iter().filter(|source| source.dialect == dialect);
    let as_read = mine()
        .flat_map(hook_pairs)
        .find(|(_, hook)| is_it(hook))
        .map(|(read, _)| read);
    let any = || mine().flat_map(|source| source.hooks.iter().chain(source.file_hooks.iter()));
    as_read.or_else(|| any().find(is_it)).map(|hook| (**hook).clone())
}

/// The id of a hook before conflicts between files are resolved.
fn id_in_file(snapshot: &Snapshot, dialect: &str, key: &HookKey) -> Option<String> {
    let mine = snapshot.sources.iter().filter(|source| source.dialect == dialect);
    let mut hooks = mine.flat_map(|source| source.file_hooks.iter());
    hooks.find(|hook| hook.key() == *key).map(|hook| hook.id.clone())
}

/// Each hook as read from the source's files, together with the hook in the snapshot. There are no pairs if the hooks
/// of a module are known, because no list in a file contains those.
fn hook_pairs(source: &LoadedSource) -> impl Iterator<Item = (&Arc<Hook>, &Arc<Hook>)> {
    let pairs = || source.file_hooks.iter().zip(source.hooks.iter());
    let aligned = source.file_hooks.len() == source.hooks.len() && pairs().all(|(read, hook)| read.event == hook.event);
    pairs().filter(move |_| aligned)
}

/// The id that each hook has after conflicts between files are resolved.
pub(super) struct FinalIds(BTreeMap<HookKey, String>);

impl FinalIds {
    pub fn from_snapshot(snapshot: &Snapshot, dialect: &str) -> Self {
        let mine = snapshot.sources.iter().filter(|source| source.dialect == dialect);
        let pairs = mine.flat_map(hook_pairs);
        Self(pairs.map(|(read, hook)| (read.key(), hook.id.clone())).collect())
    }

    pub fn get(&self, key: &HookKey) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Each hook with its id.
    pub fn pairs(&self) -> impl Iterator<Item = (&HookKey, &String)> {
        self.0.iter()
    }
}

/// Every id that is different after the edit. This includes ids that change because other hooks change.
pub(super) fn moved_ids(plan: &EditPlan, before: &FinalIds, after: &FinalIds) -> BTreeMap<String, String> {
    let taken: BTreeSet<&HookKey> = plan.moved.values().collect();
    let pairs = before.0.iter().filter_map(|(key, old)| {
        let now = match plan.moved.get(key) {
            Some(now) => now,
            // Another hook has this one's id in the file, so this hook was removed.
            None if taken.contains(key) => return None,
            None => key,
        };
        let new = after.get(now)?;
        (new != old).then(|| (old.clone(), new.to_owned()))
    });
    pairs.collect()
}

pub(super) fn pending_files(work: &FileTransaction) -> PendingFiles {
    let written = |content: &super::user_files::FileContent| PendingFile {
        bytes: content.bytes.clone(),
        executable: content.mode & 0o111 != 0,
    };
    let files = work.files.iter();
    PendingFiles(
        files
            .map(|file| (file.path.clone(), file.after.as_ref().map(written)))
            .collect(),
    )
}

/// Checks that every changed root defines exactly the expected hooks. A file next to them that is not written may be as
/// broken as before.
pub(super) fn matches_plan(
    plan: &EditPlan,
    pending: &PendingFiles,
    dialect: &str,
    after: &Snapshot,
) -> Result<(), Message> {
    let is_readable = |broken: &PathBuf| !pending.0.contains_key(broken);
    for (path, expected) in &plan.expected {
        let source = after
            .sources
            .iter()
            .find(|source| source.dialect == dialect && source.root.path == *path);
        if !source
            .is_some_and(|source| source.broken.iter().all(is_readable) && are_same_hooks(expected, &source.file_hooks))
        {
            return Err(DIFFERS_FROM_PLAN.render_plain());
        }
    }
    Ok(())
}

/// Whether these are the same hooks with the same definitions. A hook that serves several events is read once for each.
fn are_same_hooks(expected: &[ExpectedHook], read: &[Arc<Hook>]) -> bool {
    let wanted: BTreeMap<&HookKey, &ExpectedHook> = expected.iter().map(|hook| (&hook.key, hook)).collect();
    let mut found: BTreeMap<HookKey, &Value> = BTreeMap::new();
    for hook in read {
        let key = hook.key();
        let fits = wanted.get(&key).is_some_and(|wanted| {
            wanted.definition == hook.definition && wanted.event.as_ref().is_none_or(|event| *event == hook.event)
        });
        if !fits {
            return false;
        }
        found.insert(key, &hook.definition);
    }
    found.len() == wanted.len() && wanted.len() == expected.len()
}

/// The first error that was not there before. Positions and ids change, so an error is identified by its code and
/// message.
pub(super) fn new_error(was: &[Problem], is: &[Problem]) -> Option<Problem> {
    let mut known: BTreeMap<(Code, &str), usize> = BTreeMap::new();
    for problem in was.iter().filter(|problem| problem.severity == Severity::Error) {
        *known.entry((problem.code, &problem.message)).or_default() += 1;
    }
    let errors = is.iter().filter(|problem| problem.severity == Severity::Error);
    let mut new = errors.filter(
        |problem| match known.get_mut(&(problem.code, problem.message.as_str())) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            Some(_) | None => true,
        },
    );
    new.next().cloned()
}
