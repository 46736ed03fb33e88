//! What is wanted of one hook, sorted by when it is done.

use hookwright_model::{FieldValue, HookChange, TargetLayer};

/// What is wanted of one hook, sorted by when it is done: first the hook is brought to where it will stand, then its
/// fields change there, then it takes its place in the list.
#[derive(Debug)]
pub struct ChangeSet<'a> {
    /// A copy changes, and the hook stays as it is.
    pub subject: EditSubject,
    /// Where it goes.
    pub layer: Option<TargetLayer>,
    /// Its place from 1.
    pub position: Option<u32>,
    /// Whether it is switched on or off.
    pub switch: Option<SwitchState>,
    /// Fields, in the order given; without a value they are taken out.
    pub fields: Vec<(&'a str, Option<&'a FieldValue>)>,
}

/// Whether a hook or a copy of it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditSubject {
    /// The hook itself.
    Original,
    /// A copy.
    Copy,
}

/// A switch in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchState {
    /// On.
    On,
    /// Off.
    Off,
}

impl<'a> ChangeSet<'a> {
    /// Sorts changes; of several of a kind the last holds.
    #[must_use]
    pub fn new(changes: &'a [HookChange]) -> Self {
        let mut set = Self {
            subject: EditSubject::Original,
            layer: None,
            position: None,
            switch: None,
            fields: Vec::new(),
        };
        for change in changes {
            match change {
                HookChange::Set { field, value } => set.fields.push((field, Some(value))),
                HookChange::Unset { field } => set.fields.push((field, None)),
                HookChange::Enable => set.switch = Some(SwitchState::On),
                HookChange::Disable => set.switch = Some(SwitchState::Off),
                HookChange::MoveTo(position) => set.position = Some(*position),
                HookChange::ToShelf(layer) => set.layer = Some(*layer),
                HookChange::Duplicate => set.subject = EditSubject::Copy,
            }
        }
        set
    }
}
