//! The requested changes of one hook, in the order in which they are applied.

use hookwright_model::{FieldValue, HookChange, TargetLayer};

/// The requested changes of one hook, in the order in which they are applied. First the hook is moved or copied to its
/// target, then its fields change there, then it gets its position in the list.
#[derive(Debug)]
pub struct ChangeSet<'a> {
    /// Whether the hook changes, or only a copy of it.
    pub subject: EditSubject,
    /// The layer that the hook moves to.
    pub layer: Option<TargetLayer>,
    /// The new position in its list, from 1.
    pub position: Option<u32>,
    /// Whether the hook is enabled or disabled.
    pub switch: Option<SwitchState>,
    /// Fields in the given order. A field without a value is removed.
    pub fields: Vec<(&'a str, Option<&'a FieldValue>)>,
}

/// Whether a hook or a copy of it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditSubject {
    /// The hook itself.
    Original,
    /// A copy; the hook stays as it is.
    Copy,
}

/// The requested state of a hook in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchState {
    /// The hook is enabled.
    On,
    /// The hook is disabled.
    Off,
}

impl<'a> ChangeSet<'a> {
    /// Sorts changes. If several changes of one kind are given, the last one counts; field changes are all kept.
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
                HookChange::ToLayer(layer) => set.layer = Some(*layer),
                HookChange::Duplicate => set.subject = EditSubject::Copy,
            }
        }
        set
    }
}
