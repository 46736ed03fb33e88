//! Changing a person's files, as data: what is meant, and what a dialect makes of it (`CONTRACTS.md` §2.7).

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::dialect::{Locations, SourceTree};
use crate::hook::{Hook, HookId};

/// What a person wants of a file. Fields are the dialect's own.
#[derive(Debug, Clone, PartialEq)]
pub enum EditRequest {
    /// A new hook, behind the others.
    Add {
        /// Its event, in the dialect's spelling.
        event: String,
        /// Where.
        layer: TargetLayer,
        /// Its fields.
        definition: Map<String, Value>,
    },
    /// Changes of one hook, done together.
    Change {
        /// Which.
        hook: HookId,
        /// What.
        changes: Vec<HookChange>,
    },
    /// Takes a hook out.
    Remove {
        /// Which.
        hook: HookId,
    },
}

/// One change of a hook.
#[derive(Debug, Clone, PartialEq)]
pub enum HookChange {
    /// Gives a field a value. Dots lead into mappings (`filter.tool_name`).
    Set {
        /// The field.
        field: String,
        /// The value.
        value: FieldValue,
    },
    /// Takes a field out.
    Unset {
        /// The field.
        field: String,
    },
    /// Switches the hook on in its file.
    Enable,
    /// Switches the hook off in its file.
    Disable,
    /// Gives it this place in its list, from 1.
    MoveTo(u32),
    /// Moves it to another file.
    ToShelf(TargetLayer),
    /// Puts a copy right behind it. The other changes are the copy's.
    Duplicate,
}

/// A value as it was given.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// A value.
    Value(Value),
    /// Words of a command line, and what they are as YAML; `None` when they are none.
    Written {
        /// The words.
        text: String,
        /// The value.
        read: Option<Value>,
    },
}

impl FieldValue {
    /// The value for a field that holds a text: what is no string is taken as it was written.
    #[must_use]
    pub fn text(&self) -> Value {
        match self {
            Self::Value(value) => value.clone(),
            Self::Written { text, read } => match read {
                Some(Value::String(read)) => Value::String(read.clone()),
                Some(_) | None => Value::String(text.clone()),
            },
        }
    }

    /// The value for any other field; `None` when it cannot be read.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value.clone()),
            Self::Written { read, .. } => read.clone(),
        }
    }
}

/// A layer as a person names it when a hook is put there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetLayer {
    /// The person's file.
    User,
    /// The project's file that is shared.
    Project,
    /// The project's file that is one person's own.
    Local,
    /// A skill.
    Skill,
}

impl TargetLayer {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::User, Self::Project, Self::Local, Self::Skill];

    /// The word on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Skill => "skill",
        }
    }

    /// The one of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shelf| shelf.as_str() == word)
    }
}

/// What a dialect's files have for a person's hand, beside fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EditSupport {
    /// The field that switches a hook on and off in its file, where there is one.
    pub switch: Option<&'static str>,
    /// Where hooks can be put; empty where no file is changed.
    pub shelves: &'static [TargetLayer],
}

/// What a dialect makes its changes from.
pub struct EditContext<'a> {
    /// Its places with their files as they are now, in load order.
    pub trees: &'a [SourceTree],
    /// What they say, in load order, before it is settled between files.
    pub hooks: &'a [Hook],
    /// The hook that is meant, where there is one already; its id is not always the one it is asked for by.
    pub target: Option<&'a Hook>,
    /// The places.
    pub places: &'a Locations,
    /// What files were before kept edits, for a removal that leads back there.
    pub former: &'a Former,
}

/// What files were, by path.
pub type Former = BTreeMap<PathBuf, Past>;

/// What a file was. Between that and the file as it is only edits of ours happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// The latest edit put the hook there that goes now, and did nothing else.
    pub just_added: bool,
    /// Its texts, the latest first; `None` where it was not there.
    pub states: Vec<Option<String>>,
}

/// A hook by the file that defines it and its id there.
pub type HookKey = (PathBuf, HookId);

/// What is to be written, and what the files must say then. Ids are those of [`crate::Dialect::parse`].
#[derive(Debug, Clone, Default)]
pub struct EditPlan {
    /// The files, in the order in which they are written: what is new before what is gone.
    pub files: Vec<FileChange>,
    /// The hook afterwards; `None` when it is gone.
    pub hook: Option<HookKey>,
    /// The file that the hook is defined in afterwards; before, when it is gone.
    pub path: PathBuf,
    /// What every hook is afterwards that is something else then.
    pub moved: BTreeMap<HookKey, HookKey>,
    /// For each place that changes, by its path, every hook that it must have.
    pub expected: BTreeMap<PathBuf, Vec<ExpectedHook>>,
}

/// A hook that must be there after a change.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedHook {
    /// The hook.
    pub key: HookKey,
    /// Its event; `None` where the definition has it.
    pub event: Option<String>,
    /// Its definition, as [`Hook::definition`].
    pub definition: Value,
}

/// One step of a change on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// A file has this text then, whole and without byte-order mark.
    Write {
        /// The file.
        path: PathBuf,
        /// The text.
        text: String,
        /// What it is when it is new.
        kind: FileKind,
    },
    /// A file is gone then.
    Remove {
        /// The file.
        path: PathBuf,
    },
    /// A file that is not there yet has the bytes and the mode of another one then.
    CopyFile {
        /// The file there is.
        from: PathBuf,
        /// The new one.
        to: PathBuf,
    },
    /// A folder that is not there yet has all files of another one then.
    CopyFolder {
        /// The folder there is.
        from: PathBuf,
        /// The new one.
        to: PathBuf,
    },
    /// A folder is gone then, with all its files.
    RemoveFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A folder is gone then, unless something is left in it.
    RemoveEmpty {
        /// The folder.
        path: PathBuf,
    },
}

/// What a new file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Read only: mode 0600.
    Plain,
    /// Executed: mode 0700.
    Script,
}
