//! Edits of user files, as data: what the user requests, and the file changes that a dialect makes of it
//! (`CONTRACTS.md` §2.7).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::dialect::Locations;
use crate::hook::{Hook, HookId, Layer, PathStep};
use crate::source_tree::SourceTree;

/// What the user wants to change in a hook file. Field names are those of the dialect.
#[derive(Debug, Clone, PartialEq)]
pub enum EditRequest {
    /// Adds a new hook behind the others.
    Add {
        /// The hook's event, in the dialect's spelling.
        event: String,
        /// The layer that the hook is added to.
        layer: TargetLayer,
        /// The fields of the definition.
        definition: Map<String, Value>,
    },
    /// Several changes of one hook, made together.
    Change {
        /// The hook to change.
        hook: HookId,
        /// The changes.
        changes: Vec<HookChange>,
    },
    /// Removes a hook.
    Remove {
        /// The hook to remove.
        hook: HookId,
    },
}

/// One change of a hook.
#[derive(Debug, Clone, PartialEq)]
pub enum HookChange {
    /// Sets a field. Dots separate the keys of nested mappings (`filter.tool_name`).
    Set {
        /// The field's dotted name.
        field: String,
        /// The new value.
        value: FieldValue,
    },
    /// Removes a field.
    Unset {
        /// The field's dotted name.
        field: String,
    },
    /// Switches the hook on in its file.
    Enable,
    /// Switches the hook off in its file.
    Disable,
    /// Moves the hook to this position in its list, from 1.
    MoveTo(u32),
    /// Moves the hook to the file of another layer.
    ToLayer(TargetLayer),
    /// Inserts a copy directly behind the hook. The other changes then apply to the copy.
    Duplicate,
}

/// A field value, as JSON or as text from the command line.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// A JSON value.
    Value(Value),
    /// Text from the command line.
    Written {
        /// The text as the user wrote it.
        text: String,
        /// The text read as YAML; `None` if it is not valid YAML.
        read: Option<Value>,
        /// The string that the text is in YAML; `None` if it is another value, or if YAML reads a part of the text as
        /// something else than the string: a tag, an anchor, a comment, or a line break that it folds.
        string: Option<String>,
    },
}

impl FieldValue {
    /// The value for a text field. If the text is not one YAML string and nothing else, the text itself is the value.
    #[must_use]
    pub fn text(&self) -> Value {
        match self {
            Self::Value(value) => value.clone(),
            Self::Written { text, string, .. } => Value::String(string.as_ref().unwrap_or(text).clone()),
        }
    }

    /// The value for any other field; `None` if the text is not valid YAML.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value.clone()),
            Self::Written { read, .. } => read.clone(),
        }
    }
}

/// A target for hooks, as the user names it on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetLayer {
    /// The user's file.
    User,
    /// The project's shared file.
    Project,
    /// The project's local file, which is not shared.
    Local,
    /// A skill's hook file.
    Skill,
}

impl TargetLayer {
    /// All targets.
    pub const ALL: [Self; 4] = [Self::User, Self::Project, Self::Local, Self::Skill];

    /// The name on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Skill => "skill",
        }
    }

    /// The layer of the hooks in such a file.
    #[must_use]
    pub const fn as_layer(self) -> Layer {
        match self {
            Self::User => Layer::User,
            Self::Project | Self::Local => Layer::Project,
            Self::Skill => Layer::Skill,
        }
    }

    /// The target of this name; `None` if the name is unknown.
    #[must_use]
    pub fn from_name(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.as_str() == word)
    }
}

/// What a dialect's editor supports, in addition to fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EditSupport {
    /// The field that switches a hook on and off in its file; `None` if the dialect has none.
    pub switch: Option<&'static str>,
    /// Where hooks can be added or moved to. It is empty if this dialect's files cannot be edited.
    pub target_layers: &'static [TargetLayer],
}

/// What a dialect plans its edits from.
pub struct EditContext<'a> {
    /// The dialect's roots with their present files, in load order.
    pub trees: &'a [SourceTree],
    /// The hooks of these files, in load order, before conflicts between files are resolved.
    pub hooks: &'a [Hook],
    /// The hook to change or remove; `None` for a new one. Its id may differ from the requested id, because conflicts
    /// are not resolved here.
    pub target: Option<&'a Hook>,
    /// The directories of this machine and project.
    pub locations: &'a Locations,
    /// A path with its links resolved.
    pub real: &'a dyn Fn(&Path) -> PathBuf,
    /// Earlier contents of files, from stored edits. A removal uses them to restore the bytes that were there before
    /// `add`.
    pub former: &'a Former,
}

/// Earlier contents of files, by path.
pub type Former = BTreeMap<PathBuf, Past>;

/// Earlier contents of one file. Only Hookwright's edits lie between them and the present content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// Whether the latest edit added the hook that is now removed, and did nothing else.
    pub just_added: bool,
    /// Earlier texts, newest first; `None` if the file did not exist.
    pub states: Vec<Option<String>>,
}

/// Identifies a hook by the file that defines it and the path to its definition in that file.
pub type HookKey = (PathBuf, Vec<PathStep>);

/// The file changes of one edit, and the hook that it is about.
#[derive(Debug, Clone, Default)]
pub struct EditPlan {
    /// The changes in the order in which they are made: new files first, removals last.
    pub files: Vec<FileChange>,
    /// The hook after the edit; `None` if it was removed.
    pub hook: Option<HookKey>,
    /// The file that defines the hook after the edit. For a removed hook it is the file that defined it.
    pub path: PathBuf,
}

/// One change on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// Writes a file with exactly this text, without byte-order mark.
    Write {
        /// The file.
        path: PathBuf,
        /// The complete text.
        text: String,
        /// Decides the mode, if the file is new.
        kind: FileKind,
    },
    /// Removes a file.
    Remove {
        /// The file.
        path: PathBuf,
    },
    /// Copies a file, with its bytes and mode, to a path that does not exist yet.
    CopyFile {
        /// The existing file.
        from: PathBuf,
        /// The new file.
        to: PathBuf,
    },
    /// Copies a folder, with all its files, to a path that does not exist yet.
    CopyFolder {
        /// The existing folder.
        from: PathBuf,
        /// The new folder.
        to: PathBuf,
    },
    /// Removes a folder with all its files.
    RemoveFolder {
        /// The folder.
        path: PathBuf,
    },
    /// Removes a folder if it is empty.
    RemoveEmpty {
        /// The folder.
        path: PathBuf,
    },
}

/// The kind of a new file, which decides its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A file that is only read: mode 0600.
    Plain,
    /// A script that is executed: mode 0700.
    Script,
}
