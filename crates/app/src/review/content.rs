//! What a review shows of a hook's content: its files with their texts, and what was approved before.

use std::path::PathBuf;
use std::sync::Arc;

use hookwright_model::Hook;
use hookwright_workspace::approvals::redacted_definition;
use hookwright_workspace::files::Opener;
use hookwright_workspace::trust::covered_files::CoveredPart;
use hookwright_workspace::trust::{CoveredFile, CurrentFingerprints, HookContent};

use crate::app::App;
use crate::dto::{FileHash, MAX_SHOWN_BYTES, OldContent, OldFile, ReviewFile, Sentence};

/// The content of a hook, with the texts of its files. It is read again if a file changed in between, so that the
/// fingerprint belongs to the texts that are shown.
pub(crate) fn with_file_texts(app: &App, hook: &Hook) -> (Arc<HookContent>, Vec<ReviewFile>) {
    const TRIES: usize = 5;
    let mut tries = 0;
    loop {
        let content = app.workspace.trust.content(hook);
        let files: Vec<ReviewFile> = content
            .files
            .iter()
            .map(|file| review_file(hook, file, &content))
            .collect();
        let agree = files
            .iter()
            .zip(&content.files)
            .all(|(shown, file)| shown.hash == file.hash);
        tries += 1;
        if agree || tries == TRIES {
            return (content, files);
        }
    }
}

/// What an approval of this hook covered before its content changed; `None` if nothing was approved before.
pub(crate) fn old_content(
    app: &App,
    hook: &Hook,
    content: &HookContent,
    standing: &CurrentFingerprints,
) -> Option<OldContent> {
    let text = |hash: &str| app.workspace.trust.approved_text(hash);
    app.workspace
        .trust
        .superseded_approval(hook, content, standing)
        .map(|former| OldContent {
            // If the stored text is the masked text of the present definition, nothing changed.
            definition: if former.definition == redacted_definition(&app.workspace.redactor(), &hook.definition_text) {
                hook.definition_text.clone()
            } else {
                former.definition.clone()
            },
            inherited: if former.inherited == redacted_definition(&app.workspace.redactor(), &hook.inherited_text) {
                hook.inherited_text.clone()
            } else {
                former.inherited.clone()
            },
            files: old_files(&former.files, text),
            reason: if !former.is_valid() && app.workspace.trust.was_valid(&former, hook, content) {
                "rules_changed".to_owned()
            } else {
                "changed".to_owned()
            },
            at: former.at.to_string(),
        })
}

pub(super) fn file_hashes(files: &[CoveredFile]) -> Vec<FileHash> {
    files
        .iter()
        .map(|file| FileHash {
            path: file.path.display().to_string(),
            hash: file.hash.clone(),
        })
        .collect()
}

fn old_files(files: &[CoveredFile], text: impl Fn(&str) -> Option<String>) -> Vec<OldFile> {
    let file = |file: &CoveredFile| OldFile {
        path: file.path.display().to_string(),
        hash: file.hash.clone(),
        text: text(&file.hash),
    };
    files.iter().map(file).collect()
}

pub(super) fn display_paths(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.display().to_string()).collect()
}

pub(super) fn not_covered_sentences(content: &HookContent) -> Vec<Sentence> {
    content
        .covered
        .not_covered
        .iter()
        .cloned()
        .map(Sentence::from)
        .collect()
}

fn review_file(hook: &Hook, file: &CoveredFile, content: &HookContent) -> ReviewFile {
    let part = content
        .covered
        .parts
        .iter()
        .find(|part| part.display_path() == file.path);
    let opener = |part: &CoveredPart| Opener::of_project(hook.source.project.as_deref()).for_path(&part.file);
    let read = part.and_then(|part| {
        let bytes = opener(part).read(&part.file, MAX_SHOWN_BYTES).ok()?;
        Some(part.covered_bytes(bytes))
    });
    let bytes = read.filter(|bytes| bytes.len() as u64 <= MAX_SHOWN_BYTES);
    let disk = part.map_or(&file.path, |part| &part.file);
    ReviewFile {
        path: file.path.display().to_string(),
        // The hash is computed from the text that is shown, so exactly that text is approved.
        hash: bytes
            .as_ref()
            .map_or_else(|| file.hash.clone(), |bytes| blake3::hash(bytes).to_hex().to_string()),
        size: bytes.as_ref().map_or_else(
            || std::fs::metadata(disk).map_or(0, |meta| meta.len()),
            |bytes| bytes.len() as u64,
        ),
        text: bytes.and_then(|bytes| String::from_utf8(bytes).ok()),
    }
}
