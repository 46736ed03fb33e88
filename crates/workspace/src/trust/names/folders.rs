//! Folders in which code is found. Their code is covered if it is within the limits (`engine.md` §3).

use std::path::{Path, PathBuf};

use super::resolve::{HOOK_TEST, NameHit, PathResolver};
use super::{FileCandidate, FileRole, tables};
use crate::files::temp_files;
use crate::trust::digest_cache::may_execute;

/// Limits for a folder with code: code files, their bytes, depth, and entries that are read.
const MAX_FOLDER_FILES: usize = 200;
const MAX_FOLDER_BYTES: u64 = 4 << 20;
const MAX_FOLDER_DEPTH: usize = 4;
const MAX_FOLDER_ENTRIES: usize = 5_000;

/// What was found below a folder.
#[derive(Default)]
struct FolderCode {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    bytes: u64,
    entries: usize,
}

impl PathResolver<'_> {
    /// Adds the code of a folder in which code is found. A folder beyond the limits is noted as too large.
    pub(super) fn add_folder(&mut self, hit: &NameHit, path: &Path) {
        let mut code = FolderCode::default();
        let relative = path.strip_prefix(&self.real_project).unwrap_or(path);
        let skipped = relative.iter().any(tables::is_skipped_folder);
        if skipped || !self.collect_code(path, 1, &mut code) {
            self.out.large_folders.push(path.to_owned());
            return;
        }
        for file in code.files {
            self.add(FileCandidate {
                written: hit.written.clone(),
                path: file,
                role: FileRole::Code,
                operand: false,
                base: hit.base,
                in_project: true,
            });
        }
    }

    /// Collects the code below a folder. Returns whether it is within the limits.
    fn collect_code(&mut self, folder: &Path, depth: usize, out: &mut FolderCode) -> bool {
        self.out.dependencies.insert(folder.to_owned());
        let Ok(entries) = std::fs::read_dir(folder) else {
            return true;
        };
        // Temporary files that a killed edit did not remove are not part of the project.
        for entry in entries
            .flatten()
            .filter(|entry| !temp_files::is_temp_file(&entry.file_name()))
        {
            out.entries += 1;
            let place = entry.path();
            let fits = match std::fs::metadata(&place) {
                Ok(meta) if meta.is_dir() => {
                    let real = self.real(&place);
                    let enter = !tables::is_skipped_folder(&entry.file_name())
                        && real.starts_with(&self.real_project)
                        && !out.folders.contains(&real);
                    out.folders.push(real);
                    !enter || (depth < MAX_FOLDER_DEPTH && self.collect_code(&place, depth + 1, out))
                }
                Ok(meta) if meta.is_file() => {
                    self.out.dependencies.insert(place.clone());
                    let runs = self.uses_exec_bits && may_execute(&meta);
                    let path = self.real(&place);
                    let test = place.to_string_lossy().ends_with(HOOK_TEST);
                    if !test && (runs || tables::is_code_suffix(&place) || self.is_code(&path)) {
                        out.bytes += meta.len();
                        out.files.push(path);
                    }
                    true
                }
                Ok(_) | Err(_) => true,
            };
            let within_limits = out.files.len() <= MAX_FOLDER_FILES
                && out.bytes <= MAX_FOLDER_BYTES
                && out.entries <= MAX_FOLDER_ENTRIES;
            if !fits || !within_limits {
                return false;
            }
        }
        true
    }
}
