//! Changes of a hook in a text of its file that is not saved. Nothing is written.
//!
//! The dialect makes the change as it would in the file, so comments, formatting and unknown fields stay. The new text is
//! read again and compared with what was requested.

use std::collections::BTreeMap;
use std::path::Path;

use hookwright_dialects::editing::BROKEN_IN;
use hookwright_dialects::lookup::find_dialect;
use hookwright_model::{EditPlan, EditRequest, FileChange, Former, HookChange, Message, Severity, SourceTree, render};

use super::commit::{self, Expect};
use super::hook_pairs::{EditedHook, HookPairs};
use super::messages::DIFFERS_FROM_PLAN;
use super::text_edit;
use crate::discovery::{self, PendingFile, PendingFiles};
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;

hookwright_model::messages! {
    /// The change concerns files besides the one whose text is edited.
    OTHER_FILES = "edit_other_files" { "this change also concerns other files of the hook", "此更改还涉及该 Hook 的其他文件" } hint { "save the text first, then run `hookwright edit {hook}`; nothing was changed", "先保存文本，再执行 `hookwright edit {hook}`；未作任何更改" };
}

/// A change of a hook in a text.
#[derive(Debug, Clone)]
pub struct DraftEdit<'a> {
    /// The file, absolute.
    pub path: &'a Path,
    /// The dialect of the file; needed only if several dialects read it.
    pub dialect: Option<&'a str>,
    /// The whole text, without byte-order mark.
    pub text: &'a str,
    /// The hook, by its id in this text.
    pub hook: &'a str,
    /// The changes, made together.
    pub changes: Vec<HookChange>,
}

/// A text after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedDraft {
    /// The whole new text.
    pub text: String,
    /// The hook's id in the new text.
    pub hook: Option<String>,
}

/// Changes a hook in a text.
///
/// # Errors
/// The reason why the change cannot be made. It may cause problems; they are not a reason.
pub fn change(workspace: &Workspace, project: &Path, request: DraftEdit<'_>) -> Result<ChangedDraft, Message> {
    let open_project = workspace.open_project(project)?;
    let saved = open_project.snapshot();
    let source = text_edit::source_of(&saved, request.path, request.dialect)?;
    let dialect = find_dialect(source.dialect)?;
    let id = dialect.card().id;
    let with_text = |text: &str| text_edit::snapshot_with_text(workspace, &saved, id, request.path, text);
    let before = with_text(request.text);
    check_parses(&before, id, request.path)?;
    let pending = pending_text(request.path, request.text);
    let mine = before.sources.iter().filter(|source| source.dialect == id);
    let trees: Vec<SourceTree> = mine
        .map(|source| discovery::read_tree_with(dialect, &source.root, &pending))
        .collect();
    let edit_request = EditRequest::Change {
        hook: request.hook.to_owned(),
        changes: request.changes,
    };
    let target = commit::target_hook(&before, id, &edit_request);
    let former = Former::new();
    let plan = commit::plan_request(
        workspace,
        &before,
        dialect,
        &trees,
        &edit_request,
        target.as_ref(),
        &former,
    )?;
    let text = new_text(&plan, request.path, request.text, request.hook)?;
    let after = with_text(&text);
    let expect = Expect::of_request(&edit_request, target.as_ref());
    let edited = EditedHook {
        before: expect.target(),
        after: plan.hook.as_ref(),
    };
    let is_broken = commit::breaks_file(&after, id, &pending_text(request.path, &text));
    if is_broken || !expect.fits(&HookPairs::new(&before, &after, id, edited)) {
        return Err(DIFFERS_FROM_PLAN.render_plain());
    }
    let hook = plan.hook.as_ref().and_then(|key| commit::ids_of(&after, id, key));
    Ok(ChangedDraft {
        text,
        hook: hook.map(|(id, _)| id),
    })
}

fn pending_text(path: &Path, text: &str) -> PendingFiles {
    let file = PendingFile {
        bytes: text.as_bytes().to_vec(),
        executable: false,
    };
    PendingFiles(BTreeMap::from([(path.to_owned(), Some(file))]))
}

/// A text that does not parse has no hooks that could be changed.
fn check_parses(snapshot: &Snapshot, dialect: &str, path: &Path) -> Result<(), Message> {
    let mut sources = snapshot.sources.iter().filter(|source| source.dialect == dialect);
    let Some(source) = sources.find(|source| source.broken.iter().any(|broken| broken == path)) else {
        return Ok(());
    };
    let is_cause = |severity, at: &Path| severity == Severity::Error && at == path;
    let problem = source
        .problems
        .iter()
        .find(|problem| is_cause(problem.severity, &problem.path));
    let (line, why) = problem.map_or((1, ""), |problem| (problem.line.unwrap_or(1), &problem.message));
    Err(render!(BROKEN_IN, "path" => path.display().to_string(), "line" => line, "why" => why))
}

/// The text of the file after the plan. Without a change of the file it stays as it is.
fn new_text(plan: &EditPlan, path: &Path, text: &str, hook: &str) -> Result<String, Message> {
    let mut new = text.to_owned();
    for file in &plan.files {
        match file {
            FileChange::Write {
                path: written, text, ..
            } if written == path => new.clone_from(text),
            FileChange::Write { .. }
            | FileChange::Remove { .. }
            | FileChange::CopyFile { .. }
            | FileChange::CopyFolder { .. }
            | FileChange::RemoveFolder { .. }
            | FileChange::RemoveEmpty { .. } => return Err(render!(OTHER_FILES, "hook" => hook)),
        }
    }
    Ok(new)
}
