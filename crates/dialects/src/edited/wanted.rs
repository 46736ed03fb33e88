//! What is wanted of one hook, sorted by when it is done.

use hookwright_model::{FieldValue, HookChange, TargetLayer};

/// What is wanted of one hook, sorted by when it is done: first the hook is brought to where it will stand, then its
/// fields change there, then it takes its place in the list.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// A copy changes, and the hook stays as it is.
    pub copy: Copy,
    /// Where it goes.
    pub shelf: Option<TargetLayer>,
    /// Its place from 1.
    pub place: Option<u32>,
    /// Whether it is switched on or off.
    pub switch: Option<Switch>,
    /// Fields, in the order given; without a value they are taken out.
    pub fields: Vec<(&'a str, Option<&'a FieldValue>)>,
}

/// Whether a hook or a copy of it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    /// The hook itself.
    Itself,
    /// A copy.
    Copied,
}

/// A switch in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

impl<'a> Wanted<'a> {
    /// Sorts changes; of several of a kind the last holds.
    #[must_use]
    pub fn of(changes: &'a [HookChange]) -> Self {
        let mut wanted = Self {
            copy: Copy::Itself,
            shelf: None,
            place: None,
            switch: None,
            fields: Vec::new(),
        };
        for change in changes {
            match change {
                HookChange::Set { field, value } => wanted.fields.push((field, Some(value))),
                HookChange::Unset { field } => wanted.fields.push((field, None)),
                HookChange::Enable => wanted.switch = Some(Switch::On),
                HookChange::Disable => wanted.switch = Some(Switch::Off),
                HookChange::MoveTo(place) => wanted.place = Some(*place),
                HookChange::ToShelf(shelf) => wanted.shelf = Some(*shelf),
                HookChange::Duplicate => wanted.copy = Copy::Copied,
            }
        }
        wanted
    }
}
