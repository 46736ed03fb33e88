//! The differences that a review shows for a hook that was approved before.

use hookwright_app::dto::{OldContent, ReviewDoc};

use crate::edit::style_diff_line;
use crate::output::{Output, local_time};
use crate::style::{StyledLine, TextStyle};

/// Why an approval is no longer valid, and since when.
pub fn change_reason(old: &OldContent) -> String {
    let why = if old.reason == "rules_changed" {
        "approved by an earlier version, which covered less,"
    } else {
        "changed since it was approved"
    };
    format!(
        "{why} at {}",
        old.at.parse().map_or_else(|_| old.at.clone(), local_time)
    )
}

/// Shows what differs from the approval: the definition, and each covered file line by line if its approved text was
/// stored.
pub fn print_changes(output: &Output, review: &ReviewDoc) {
    let Some(old) = &review.old else { return };
    output.line(TextStyle::Fail.apply_to(change_reason(old)));
    let (approved, current) = (
        with_inherited(&old.definition, &old.inherited),
        with_inherited(&review.definition, &review.inherited),
    );
    print_difference(output, &review.path, &approved, &current);
    for file in &review.files {
        let path = &file.path;
        match old.files.iter().find(|before| before.path == *path) {
            Some(before) if before.hash == file.hash => {}
            Some(before) => match (&before.text, &file.text) {
                (Some(approved), Some(current)) => print_difference(output, path, approved, current),
                _ => output.line(TextStyle::Fail.apply_to(format!("{path} changed; its approved text was not stored"))),
            },
            None => output.line(TextStyle::Fail.apply_to(format!("{path} is new"))),
        }
    }
    let is_uncovered = |path: &str| !review.files.iter().any(|file| file.path == path);
    for before in old.files.iter().filter(|before| is_uncovered(&before.path)) {
        output.line(TextStyle::Fail.apply_to(format!("{} is no longer covered or no longer exists", before.path)));
    }
}

fn with_inherited(definition: &str, inherited: &str) -> String {
    let end = if inherited.is_empty() {
        String::new()
    } else {
        format!("with {inherited}\n")
    };
    format!("{definition}\n{end}")
}

fn print_difference(output: &Output, path: &str, approved: &str, current: &str) {
    let lines = hookwright_workspace::edit::difference(path, approved, current);
    lines
        .lines()
        .map(style_diff_line)
        .for_each(|line: StyledLine| output.line(line));
}
