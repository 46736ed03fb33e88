//! Changes in a readable form: one unified diff over all files, and the same as data.

use std::path::Path;

use hookwright_model::{DiffHunk, FileDiff, ModeChange, WholeFileChange};
use similar::TextDiff;

use super::user_files::{FileContent, FileTransaction, PlannedFile};

/// How many equal lines are shown around a change.
const CONTEXT_LINES: usize = 3;

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

/// How each file of the transaction differs; files that stay as they are are left out.
pub(super) fn file_diffs(work: &FileTransaction) -> Vec<FileDiff> {
    work.files.iter().filter_map(file_diff).collect()
}

fn file_diff(file: &PlannedFile) -> Option<FileDiff> {
    let mode = file
        .before
        .as_ref()
        .zip(file.new_mode())
        .map(|(before, mode)| ModeChange {
            from: format!("{:04o}", before.mode),
            to: format!("{mode:04o}"),
        });
    let bytes = |content: &Option<FileContent>| content.as_ref().map(|content| content.bytes.clone());
    let (before, after) = (bytes(&file.before), bytes(&file.after));
    if before == after && mode.is_none() {
        return None;
    }
    let text = |bytes: &Option<Vec<u8>>| String::from_utf8(bytes.clone().unwrap_or_default());
    let texts = text(&before).ok().zip(text(&after).ok());
    Some(FileDiff {
        path: file.path.display().to_string(),
        change: match (&before, &after) {
            (None, Some(_)) => Some(WholeFileChange::Created),
            (Some(_), None) => Some(WholeFileChange::Removed),
            (None, None) | (Some(_), Some(_)) => None,
        },
        mode,
        binary: texts.is_none() && before != after,
        hunks: texts.map(|(old, new)| hunks(&old, &new)).unwrap_or_default(),
    })
}

fn hunks(old: &str, new: &str) -> Vec<DiffHunk> {
    let diff = TextDiff::from_lines(old, new);
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX).saturating_add(1);
    let hunk = |ops: &Vec<similar::DiffOp>| {
        let (first, last) = (ops.first()?, ops.last()?);
        let before = first.old_range().start..last.old_range().end;
        let after = first.new_range().start..last.new_range().end;
        Some(DiffHunk {
            old_start: number(before.start),
            new_start: number(after.start),
            before: before.filter_map(|at| diff.old_slice(at)).collect(),
            after: after.filter_map(|at| diff.new_slice(at)).collect(),
        })
    };
    diff.grouped_ops(CONTEXT_LINES).iter().filter_map(hunk).collect()
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
    let diff = TextDiff::from_lines(&old, &new);
    diff.unified_diff()
        .context_radius(CONTEXT_LINES)
        .header(&name(before), &name(after))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(old_start: u32, new_start: u32, before: &str, after: &str) -> DiffHunk {
        DiffHunk {
            old_start,
            new_start,
            before: before.to_owned(),
            after: after.to_owned(),
        }
    }

    #[test]
    fn a_hunk_has_the_lines_of_both_sides() {
        let old = "1\n2\n3\n4\nstop:\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nstart:\nx\n6\n7\n8\n9\n";
        let one = hunk(2, 2, "2\n3\n4\nstop:\n6\n7\n8\n", "2\n3\n4\nstart:\nx\n6\n7\n8\n");
        assert_eq!(hunks(old, new), [one]);
    }

    #[test]
    fn a_line_feed_at_the_end_is_a_difference() {
        assert_eq!(hunks("a", "a\n"), [hunk(1, 1, "a", "a\n")]);
        assert_eq!(hunks("", "a\r\n"), [hunk(1, 1, "", "a\r\n")]);
    }

    #[test]
    fn places_far_apart_are_two_hunks() {
        let lines: Vec<String> = (0..40).map(|number| format!("{number}\n")).collect();
        let mut changed = lines.clone();
        changed[2] = "x\n".to_owned();
        changed[30].clear();
        let starts: Vec<(u32, u32)> = hunks(&lines.concat(), &changed.concat())
            .iter()
            .map(|hunk| (hunk.old_start, hunk.new_start))
            .collect();
        assert_eq!(starts, [(1, 1), (28, 28)]);
    }
}
