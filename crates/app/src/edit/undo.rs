//! What was there before an edit, kept as long as this process lives, so that a person can have it back.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::PoisonError;

use super::carry::Carried;
use super::people::{self, Work};
use crate::App;
use crate::dto::{Empty, UndoRequest};
use crate::fault::Fault;

/// Edits that can be taken back.
const KEPT: usize = 100;

hookwright_model::sayings! {
    /// Taken back already, or done by another process.
    NO_UNDO = "edit_no_undo" { "this edit cannot be taken back any more", "此编辑已无法撤销" } hint { "only edits of the running engine can be taken back, and each once", "只能撤销运行中的引擎所做的编辑，且每次编辑只能撤销一次" };
}

/// The edits of this process, newest last.
#[derive(Debug, Default)]
pub struct Undo {
    kept: VecDeque<Kept>,
}

#[derive(Debug)]
struct Kept {
    id: String,
    back: Work,
    carried: Carried,
}

impl Undo {
    /// Keeps what an edit did, and names it.
    pub(super) fn keep(&mut self, back: Work, carried: Carried) -> String {
        let id = ulid::Ulid::generate().to_string();
        self.kept.push_back(Kept {
            id: id.clone(),
            back,
            carried,
        });
        if self.kept.len() > KEPT {
            self.kept.pop_front();
        }
        id
    }
}

impl App {
    /// `edit.undo`: puts the former text back where nobody changed the file since.
    ///
    /// # Errors
    /// There is nothing to take back, or a file was changed since.
    pub async fn edit_undo(&self, request: UndoRequest) -> Result<Empty, Fault> {
        let mut undo = self.undo.lock().unwrap_or_else(PoisonError::into_inner);
        let found = undo.kept.iter().position(|kept| kept.id == request.undo);
        let index = found.ok_or_else(|| NO_UNDO.plain())?;
        people::write(&self.around.data_dir, &undo.kept[index].back)?;
        let kept = undo.kept.remove(index);
        drop(undo);
        let desk = self.desk(Path::new(&request.project))?;
        desk.refresh();
        if let Some(kept) = kept {
            self.carry_back(&kept.carried, &desk.snapshot())?;
        }
        Ok(Empty {})
    }
}
