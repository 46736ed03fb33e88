//! Changes in a readable form: one unified diff over all files.

use std::path::Path;

use super::user_files::{FileContent, FileTransaction, PlannedFile};

/// The unified diff of all files.
pub(super) fn for_transaction(work: &FileTransaction) -> String {
    let bytes = |content: &Option<FileContent>| content.as_ref().map(|content| content.bytes.clone());
    let files = work.files.iter();
    files
        .map(|file| {
            let text = unified(
                &file.path,
                bytes(&file.before).as_deref(),
                bytes(&file.after).as_deref(),
            );
            mode_lines(file) + &text
        })
        .collect()
}

/// The change of a mode, as Git writes it, below the name of its file.
fn mode_lines(file: &PlannedFile) -> String {
    let (Some(before), Some(mode)) = (&file.before, file.new_mode()) else {
        return String::new();
    };
    let path = file.path.display();
    format!(
        "--- {path}\n+++ {path}\nold mode {:04o}\nnew mode {mode:04o}\n",
        before.mode
    )
}

/// The unified diff of two texts of a file; empty if they are equal.
#[must_use]
pub fn difference(path: &str, was: &str, is: &str) -> String {
    unified(Path::new(path), Some(was.as_bytes()), Some(is.as_bytes()))
}

/// The unified diff of one file. `None` is a file that does not exist.
fn unified(path: &Path, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    if before == after {
        return String::new();
    }
    let name = |there: Option<&[u8]>| match there {
        Some(_) => path.display().to_string(),
        None => "/dev/null".to_owned(),
    };
    let text = |bytes: Option<&[u8]>| std::str::from_utf8(bytes.unwrap_or_default()).map(str::to_owned);
    let (Ok(old), Ok(new)) = (text(before), text(after)) else {
        return format!("Binary files {} and {} differ\n", name(before), name(after));
    };
    let diff = similar::TextDiff::from_lines(&old, &new);
    diff.unified_diff()
        .context_radius(3)
        .header(&name(before), &name(after))
        .to_string()
}
