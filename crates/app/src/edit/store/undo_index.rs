//! Which edits are in force, and which one an undo takes back.

use std::path::Path;

use super::{EditKind, State, StoredEdit};

/// The kept edits, the latest first.
#[derive(Debug)]
pub struct UndoIndex(pub Vec<StoredEdit>);

impl UndoIndex {
    /// The edit of that id, or those whose id begins so.
    pub fn find(&self, id: &str) -> Vec<&StoredEdit> {
        let id = id.to_ascii_uppercase();
        if let Some(kept) = self.0.iter().find(|kept| kept.record.edit == id) {
            return vec![kept];
        }
        let begins = |kept: &&StoredEdit| !id.is_empty() && kept.record.edit.starts_with(&id);
        self.0.iter().filter(begins).collect()
    }

    /// The edit that took this one back.
    pub fn undone_by(&self, edit: &str) -> Option<&StoredEdit> {
        self.0.iter().find(|kept| kept.record.undoes.as_deref() == Some(edit))
    }

    /// The last link of undo and undo of undo, and whether the edit is in force after it.
    pub fn end<'b>(&'b self, kept: &'b StoredEdit) -> (&'b StoredEdit, bool) {
        let (mut end, mut in_force) = (kept, true);
        // An undo is later than what it takes back, so this ends.
        while let Some(next) = self
            .undone_by(&end.record.edit)
            .filter(|next| next.record.edit > end.record.edit)
        {
            (end, in_force) = (next, !in_force);
        }
        (end, in_force)
    }

    /// The edit that was done last and is in force, among those of this project's files and the user's own. One that was
    /// broken off comes first: it may be half done.
    pub fn last(&self, project: &Path) -> Option<&StoredEdit> {
        let mine = |kept: &&StoredEdit| !kept.record.in_project || kept.record.project == project;
        let broken_off = self.0.iter().find(|kept| kept.state == State::Pending && mine(kept));
        let roots = self
            .0
            .iter()
            .filter(|kept| kept.record.what != EditKind::Undo && mine(kept));
        let in_force = roots.map(|root| self.end(root)).filter(|(_, in_force)| *in_force);
        let done = || {
            in_force
                .map(|(end, _)| end)
                .max_by(|one, other| one.record.edit.cmp(&other.record.edit))
        };
        broken_off.or_else(done)
    }
}
