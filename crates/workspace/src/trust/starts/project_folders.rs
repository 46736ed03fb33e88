//! The folders of a project from which an event may come.

use std::path::{Path, PathBuf};

use crate::trust::names::is_skipped_folder;

/// Limits for the number of folders that are searched, and for their depth.
const MAX_FOLDERS: usize = 2_000;
const MAX_DEPTH: usize = 8;

/// The folders below a project, the upper ones first. Links are not followed. Folders with dependencies and build
/// products are left out.
pub(super) fn project_folders(project: &Path) -> Vec<PathBuf> {
    let mut level = vec![project.to_owned()];
    let mut out = Vec::new();
    for _ in 0..MAX_DEPTH {
        let mut next: Vec<PathBuf> = level.iter().flat_map(|folder| subfolders(folder)).collect();
        next.sort();
        next.truncate(MAX_FOLDERS.saturating_sub(out.len()));
        if next.is_empty() {
            break;
        }
        out.extend(next.iter().cloned());
        level = next;
    }
    out
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let wanted = folders.filter(|entry| !is_skipped_folder(&entry.file_name()));
    wanted.take(MAX_FOLDERS).map(|entry| entry.path()).collect()
}
