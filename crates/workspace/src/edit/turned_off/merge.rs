//! A merge of two changes of one text, by whole lines.

use std::ops::Range;

use similar::{DiffTag, TextDiff};

/// Lines of the old text that are replaced, and the lines that replace them.
struct Hunk<'t> {
    old: Range<usize>,
    new: Vec<&'t str>,
}

/// The text with both changes of `base`; `None` if they are at the same place.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let lines: Vec<&str> = base.split_inclusive('\n').collect();
    let (ours, theirs) = (hunks(base, ours), hunks(base, theirs));
    let collides = |one: &Hunk<'_>| theirs.iter().any(|other| collide(&one.old, &other.old));
    if ours.iter().any(collides) {
        return None;
    }
    let mut all: Vec<Hunk<'_>> = ours.into_iter().chain(theirs).collect();
    // An insertion comes before a replacement of the line after it.
    all.sort_by_key(|hunk| (hunk.old.start, hunk.old.end));
    let mut text = String::new();
    let mut at = 0;
    for hunk in all {
        text.extend(lines.get(at..hunk.old.start)?.iter().copied());
        // A line without a line break can only be the last one.
        if !text.is_empty() && !text.ends_with('\n') && !hunk.new.is_empty() {
            return None;
        }
        text.extend(hunk.new);
        at = hunk.old.end;
    }
    let rest = lines.get(at..)?;
    if !text.is_empty() && !text.ends_with('\n') && !rest.is_empty() {
        return None;
    }
    text.extend(rest.iter().copied());
    Some(text)
}

/// Whether it is not clear which of two changes comes first, or both change the same line.
fn collide(one: &Range<usize>, other: &Range<usize>) -> bool {
    match (one.is_empty(), other.is_empty()) {
        (true, true) => one.start == other.start,
        (true, false) => other.start < one.start && one.start < other.end,
        (false, true) => one.start < other.start && other.start < one.end,
        (false, false) => one.start < other.end && other.start < one.end,
    }
}

fn hunks<'t>(old: &'t str, new: &'t str) -> Vec<Hunk<'t>> {
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let old_lines: Vec<&str> = old.split_inclusive('\n').collect();
    let diff = TextDiff::from_slices(&old_lines, &new_lines);
    let changed = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    changed
        .map(|op| Hunk {
            old: op.old_range(),
            new: new_lines.get(op.new_range()).unwrap_or_default().to_vec(),
        })
        .collect()
}

/// The lines of a text that another one does not have.
pub fn lines_taken_out(before: &str, after: &str) -> String {
    let lines: Vec<&str> = before.split_inclusive('\n').collect();
    let after_lines: Vec<&str> = after.split_inclusive('\n').collect();
    let diff = TextDiff::from_slices(&lines, &after_lines);
    let changed = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    changed
        .flat_map(|op| lines.get(op.old_range()).unwrap_or_default())
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_different_lines_are_both_made() {
        let merged = merge("a\nc\nd\n", "a\nb\nc\nd\n", "A\nc\nd\ne\n");
        assert_eq!(merged.as_deref(), Some("A\nb\nc\nd\ne\n"));
        let merged = merge("a\r\nc\r\n", "a\r\nb\r\nc\r\n", "a\r\nC\r\n");
        assert_eq!(merged.as_deref(), Some("a\r\nb\r\nC\r\n"));
        assert_eq!(merge("a\n", "a\nb\n", "a\n").as_deref(), Some("a\nb\n"));
        assert_eq!(merge("", "a\n", "").as_deref(), Some("a\n"));
    }

    #[test]
    fn changes_at_the_same_place_are_not_made() {
        assert_eq!(merge("a\n", "a\nb\n", "a\nc\n"), None);
        assert_eq!(merge("a\nb\n", "a\nX\nb\n", "q\n"), None);
        assert_eq!(merge("a\nb\n", "A\nb\n", "B\nb\n"), None);
        assert_eq!(merge("a\nb", "a\nb\nc\n", "x\na\nb"), Some("x\na\nb\nc\n".to_owned()));
    }

    #[test]
    fn the_lines_that_were_taken_out_are_found() {
        assert_eq!(lines_taken_out("a\n# x\n- b\nc\n", "a\nc\n"), "# x\n- b\n");
        assert_eq!(lines_taken_out("a\n", ""), "a\n");
    }
}
