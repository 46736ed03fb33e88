//! What the removal of the relay's hooks takes away beyond them, such as a list that was empty before `connect`, and how
//! it comes back in a file that the user has changed since (`CONTRACTS.md` §4).
//!
//! How it works: the former text is connected and disconnected in memory. The difference is exactly what was lost, and is
//! put into the present text where the user changed nothing. The result counts only if connecting and disconnecting it
//! leads to the present text again, and if it has the same hooks. Otherwise the present text stays.

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use hookwright_model::{Dialect, EditRequest, TargetLayer};
use serde_json::{Map, Value};
use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use super::edit_sequence::EditSequence;
use super::relay_found::relay_hooks;
use crate::snapshot::Snapshot;
use crate::workspace::Workspace;

/// How long a difference may take to find. After that it is found in larger parts.
const DIFF_LIMIT: Duration = Duration::from_secs(1);

/// The relay's hooks that are put into files, in memory only.
pub(super) struct RoundTrip<'w> {
    pub workspace: &'w Workspace,
    pub before: &'w Snapshot,
    pub dialect: &'static dyn Dialect,
    pub wanted: &'w [(&'static str, Map<String, Value>)],
}

impl RoundTrip<'_> {
    /// The text of a file without the relay, where `disconnected` lost what `former` had. `None` if nothing was lost, or
    /// if it has no safe place.
    pub fn restore_losses(&self, path: &Path, former: &str, disconnected: &str) -> Option<String> {
        let lost_from = self.disconnected(path, former)?;
        let restored = merge(&lost_from, former, disconnected)?;
        let again = self.disconnected(path, &restored)?;
        let is_same = restored != disconnected
            && sorted_words(&again) == sorted_words(disconnected)
            && self.hooks(path, &restored)? == self.hooks(path, disconnected)?;
        is_same.then_some(restored)
    }

    /// The text after `connect` and `disconnect`.
    fn disconnected(&self, path: &Path, text: &str) -> Option<String> {
        let mut edits = self.sequence(path, text)?;
        for (event, definition) in self.wanted {
            let added = EditRequest::Add {
                event: (*event).to_owned(),
                layer: TargetLayer::User,
                definition: definition.clone(),
            };
            edits.apply(&added).ok()?;
        }
        for hook in relay_hooks(edits.snapshot(), self.dialect).iter().rev() {
            edits.apply(&EditRequest::Remove { hook: hook.id.clone() }).ok()?;
        }
        edits.text(path).map(str::to_owned)
    }

    /// The hooks of the user's files with this text, without their positions; `None` if the file does not parse.
    fn hooks(&self, path: &Path, text: &str) -> Option<Vec<(String, Value)>> {
        let edits = self.sequence(path, text)?;
        let snapshot = edits.snapshot();
        if snapshot
            .sources
            .iter()
            .any(|source| source.broken.iter().any(|broken| broken == path))
        {
            return None;
        }
        let hooks = snapshot.hooks(self.dialect.card().id);
        Some(hooks.map(|hook| (hook.id.clone(), hook.definition.clone())).collect())
    }

    fn sequence(&self, path: &Path, text: &str) -> Option<EditSequence<'_>> {
        let mut edits = EditSequence::new(self.workspace, self.before, self.dialect).ok()?;
        edits.begin_with(path, text);
        Some(edits)
    }
}

/// The words and the spaces of a text.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut begin = 0;
    let mut last = None;
    for (at, character) in text.char_indices() {
        let kind = (
            character == '\n',
            character.is_whitespace(),
            character.is_alphanumeric(),
        );
        // Each line end and each mark of punctuation is a token of its own.
        let joins = last == Some(kind) && !kind.0 && (kind.1 || kind.2);
        if at > 0 && !joins {
            tokens.push(&text[begin..at]);
            begin = at;
        }
        last = Some(kind);
    }
    if begin < text.len() {
        tokens.push(&text[begin..]);
    }
    tokens
}

fn sorted_words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = tokens(text)
        .into_iter()
        .filter(|token| !token.trim().is_empty())
        .collect();
    words.sort_unstable();
    words
}

/// A part of the base that a side replaces.
struct Replacement<'t> {
    base: Range<usize>,
    text: Vec<&'t str>,
}

fn replacements<'t>(base: &[&str], side: &[&'t str]) -> Vec<Replacement<'t>> {
    let deadline = Instant::now() + DIFF_LIMIT;
    let ops = capture_diff_slices_deadline(Algorithm::Myers, base, side, Some(deadline));
    ops.iter()
        .filter(|op| op.tag() != DiffTag::Equal)
        .map(|op| Replacement {
            base: op.old_range(),
            text: side[op.new_range()].to_vec(),
        })
        .collect()
}

/// Both changes of a base. `None` if they change the same part of it.
fn merge(base: &str, one: &str, other: &str) -> Option<String> {
    let base = tokens(base);
    let (one, other) = (tokens(one), tokens(other));
    let mut changes = replacements(&base, &one);
    let own = changes.len();
    changes.extend(replacements(&base, &other));
    let clashes = |a: &Replacement<'_>, b: &Replacement<'_>| {
        a.base.start.max(b.base.start) < a.base.end.min(b.base.end)
            || (a.base.is_empty() && (b.base.start < a.base.start && a.base.start < b.base.end))
            || (b.base.is_empty() && (a.base.start < b.base.start && b.base.start < a.base.end))
            || (a.base.is_empty() && b.base.is_empty() && a.base == b.base)
    };
    if changes[..own]
        .iter()
        .any(|a| changes[own..].iter().any(|b| clashes(a, b)))
    {
        return None;
    }
    changes.sort_by_key(|change| (change.base.start, change.base.end));
    let mut text = String::new();
    let mut at = 0;
    for change in changes {
        text.extend(base.get(at..change.base.start)?.iter().copied());
        text.extend(change.text);
        at = change.base.end;
    }
    text.extend(base.get(at..)?.iter().copied());
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_changes_of_a_text_are_made_where_they_touch_different_parts() {
        let merged = merge(r#"{"m": 1}"#, r#"{"hooks": {"Stop": []}, "m": 1}"#, r#"{"m": 2}"#);
        assert_eq!(merged.as_deref(), Some(r#"{"hooks": {"Stop": []}, "m": 2}"#));
        assert_eq!(merge("{}\n", "", "{}\n# mine\n").as_deref(), Some("# mine\n"));
        assert_eq!(merge("a b", "a c", "a d"), None);
    }

    #[test]
    fn tokens_together_are_the_text() {
        for text in ["", "a", "stop: []\r\n  - x\n", "{\"é\": [1,2]}\n\n"] {
            assert_eq!(tokens(text).concat(), text);
        }
    }
}
