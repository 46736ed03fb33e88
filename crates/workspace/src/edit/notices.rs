//! Notices for the user about an edit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::{AgentTrust, Card, EditDoc, Hook, Notice, render};

use super::hook_pairs::HookPairs;
use super::user_files::FileTransaction;
use super::{attributes, turned_off_store};
use crate::files::temp_files;
use crate::snapshot::Snapshot;

hookwright_model::messages! {
    /// The hook has no approval after the edit.
    UNAPPROVED = "edit_unapproved" { "{hook} does not run until you approve it: `hookwright trust {hook}`", "{hook} 在获得批准前不会执行：`hookwright trust {hook}`" };
    /// The agent's own trust is bound to the place and the text of a hook.
    AGENT_TRUST_LOST = "agent_trust_lost" { "{agent} skips these hooks until you have reviewed them there again: {hooks}", "在你于 {agent} 中重新审阅之前，它会跳过这些 Hook：{hooks}" };
    /// Files were removed together with a hook.
    TRASHED = "edit_trashed" { "removed files, kept in {folder} for 30 days: {paths}", "已移除的文件（在 {folder} 中保留 30 天）：{paths}" };
    /// A folder was not removed, because it contains other files of the user.
    FOLDER_STAYS = "edit_folder_stays" { "{folder} is kept, because it contains other files", "保留 {folder}，因为其中还有其他文件" };
}

/// The notice that an edit costs hooks the agent's own trust. `pairs` says which hook is which before and after it.
pub(super) fn agent_trust_lost(before: &Snapshot, after: &Snapshot, card: &Card, pairs: &HookPairs) -> Option<Notice> {
    let was_trusted = |hook: &&Arc<Hook>| hook.agent_trust == Some(AgentTrust::Trusted);
    let is_skipped = |id: &&str| {
        let hook = after.hooks(card.id).find(|hook| hook.id == *id);
        hook.and_then(|hook| hook.agent_trust)
            .is_some_and(AgentTrust::is_skipped)
    };
    let present = before.hooks(card.id).filter(was_trusted);
    let lost: Vec<&str> = present
        .filter_map(|hook| pairs.id_after(&hook.id))
        .filter(is_skipped)
        .collect();
    (!lost.is_empty()).then(|| {
        let message = render!(AGENT_TRUST_LOST, "agent" => card.name, "hooks" => lost.join(", "));
        Notice::warning(message, None)
    })
}

/// The notice that a hook must be approved before it runs.
pub(super) fn unapproved(doc: &EditDoc) -> Option<Notice> {
    doc.hook.as_deref().map(unapproved_hook)
}

/// The notice that this hook must be approved before it runs.
pub(super) fn unapproved_hook(hook: &str) -> Notice {
    Notice::warning(render!(UNAPPROVED, "hook" => hook), Some(hook))
}

/// The notice that the definition of a turned-off hook is kept.
pub(super) fn kept(id: &str) -> Notice {
    Notice::warning(render!(turned_off_store::KEPT, "id" => id), None)
}

/// Notices that the other names of replaced files keep the old text.
pub(super) fn hard_link_notices(work: &FileTransaction) -> Vec<Notice> {
    let replaced = work
        .files
        .iter()
        .filter(|file| file.before.is_some() && file.after.is_some() && file.changes());
    let parted =
        replaced.filter(|file| std::fs::metadata(&file.path).is_ok_and(|meta| attributes::link_count(&meta) > 1));
    parted
        .map(|file| {
            Notice::warning(
                render!(attributes::LINK_PARTED, "path" => file.path.display().to_string()),
                None,
            )
        })
        .collect()
}

/// Notices about the files that a removal deletes, and about a hook's folder that stays. In `folders`, inner folders
/// come first.
pub(super) fn trashed(work: &FileTransaction, folders: &[PathBuf], trash: &Path) -> Vec<Notice> {
    let gone = work.files.iter().filter(|file| file.after.is_none() && file.changes());
    let gone: Vec<&Path> = gone.map(|file| file.path.as_path()).collect();
    let paths: Vec<String> = gone.iter().map(|path| path.display().to_string()).collect();
    let mut notices = Vec::new();
    if !paths.is_empty() {
        let folder = trash.display().to_string();
        let message = render!(TRASHED, "folder" => folder, "paths" => paths.join(", "));
        notices.push(Notice::warning(message, None));
    }
    // The outermost folder is the hook's.
    let stays = folders.last().filter(|folder| has_other_files(folder, &gone, folders));
    notices.extend(stays.map(|folder| {
        let message = render!(FOLDER_STAYS, "folder" => folder.display().to_string());
        Notice::warning(message, None)
    }));
    notices
}

/// Whether a folder contains anything that is not removed.
fn has_other_files(folder: &Path, gone: &[&Path], folders: &[PathBuf]) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = |entry: &std::fs::DirEntry| !temp_files::is_temp_file(&entry.file_name());
    entries.filter(ours).map(|entry| entry.path()).any(|path| {
        !gone.contains(&path.as_path()) && (!folders.contains(&path) || has_other_files(&path, gone, folders))
    })
}
