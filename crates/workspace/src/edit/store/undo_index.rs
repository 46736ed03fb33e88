//! Which edits are active, and which one an undo reverts. An edit is active if it is not undone.

use std::path::Path;

use hookwright_model::EditKind;

use super::{EditState, StoredEdit};

/// The stored edits, latest first.
#[derive(Debug)]
pub struct UndoIndex(pub Vec<StoredEdit>);

impl UndoIndex {
    /// The edit with this id, or those whose id begins with it.
    pub fn find(&self, id: &str) -> Vec<&StoredEdit> {
        let id = id.to_ascii_uppercase();
        if let Some(kept) = self.0.iter().find(|kept| kept.record.edit == id) {
            return vec![kept];
        }
        let begins = |kept: &&StoredEdit| !id.is_empty() && kept.record.edit.starts_with(&id);
        self.0.iter().filter(begins).collect()
    }

    /// The edit that undid this one.
    pub fn undone_by(&self, edit: &str) -> Option<&StoredEdit> {
        self.0.iter().find(|kept| kept.record.undoes.as_deref() == Some(edit))
    }

    /// The last undo or redo of an edit, or the edit itself. Also whether the edit is active after it.
    pub fn last_link<'b>(&'b self, edit: &'b StoredEdit) -> (&'b StoredEdit, bool) {
        let (mut last, mut is_active) = (edit, true);
        // An undo is later than the edit that it undoes, so this ends.
        while let Some(next) = self
            .undone_by(&last.record.edit)
            .filter(|next| next.record.edit > last.record.edit)
        {
            (last, is_active) = (next, !is_active);
        }
        (last, is_active)
    }

    /// The last active edit, among those of this project's files and of user files. An interrupted edit comes first,
    /// because it may be half done.
    pub fn last_active(&self, project: &Path) -> Option<&StoredEdit> {
        let mine = |kept: &&StoredEdit| !kept.record.in_project || kept.record.project == project;
        let broken_off = self
            .0
            .iter()
            .find(|kept| kept.state == EditState::Pending && mine(kept));
        let roots = self
            .0
            .iter()
            .filter(|kept| kept.record.what != EditKind::Undo && mine(kept));
        let active = roots.map(|root| self.last_link(root)).filter(|(_, in_force)| *in_force);
        let done = || {
            active
                .map(|(end, _)| end)
                .max_by(|one, other| one.record.edit.cmp(&other.record.edit))
        };
        broken_off.or_else(done)
    }
}
