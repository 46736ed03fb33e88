//! What a review shows of a hook that was approved before: what differs from the approval.

use hookwright_app::dto::{OldContent, ReviewDoc};

use crate::edit::tinted;
use crate::ink::{Line, Tint};
use crate::page::{Page, moment};

/// Why an approval no longer holds, and since when.
pub fn reason(old: &OldContent) -> String {
    let why = if old.reason == "rules_changed" {
        "approved by an earlier version, which covered less,"
    } else {
        "changed since it was approved"
    };
    format!("{why} at {}", old.at.parse().map_or_else(|_| old.at.clone(), moment))
}

/// Shows what differs from the approval: the definition, and each covered file line by line where its text was kept.
pub fn show(page: &Page, review: &ReviewDoc) {
    let Some(old) = &review.old else { return };
    page.line(Tint::Fail.of(reason(old)));
    let (was, is) = (
        with_inherited(&old.definition, &old.inherited),
        with_inherited(&review.definition, &review.inherited),
    );
    difference(page, &review.path, &was, &is);
    for file in &review.files {
        let path = &file.path;
        match old.files.iter().find(|before| before.path == *path) {
            Some(before) if before.hash == file.hash => {}
            Some(before) => match (&before.text, &file.text) {
                (Some(was), Some(is)) => difference(page, path, was, is),
                _ => page.line(Tint::Fail.of(format!("{path} changed; its approved text was not kept"))),
            },
            None => page.line(Tint::Fail.of(format!("{path} is new"))),
        }
    }
    let gone = |path: &str| !review.files.iter().any(|file| file.path == path);
    for before in old.files.iter().filter(|before| gone(&before.path)) {
        page.line(Tint::Fail.of(format!("{} is no longer covered, or is gone", before.path)));
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

fn difference(page: &Page, path: &str, was: &str, is: &str) {
    let lines = hookwright_app::edit::difference(path, was, is);
    lines.lines().map(tinted).for_each(|line: Line| page.line(line));
}
