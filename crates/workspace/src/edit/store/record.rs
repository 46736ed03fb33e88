//! One stored edit and the format of its file.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use hookwright_dialects::relay::RELAY_PROGRAM;
use hookwright_model::{EditKind, TurnedTo};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::super::approval_transfer::TransferUndo;
use super::super::attributes::Attributes;
use super::super::edit_openers::EditOpeners;
use super::super::user_files::{self, FileContent, FileTransaction, PlannedFile, PlannedFolder, UnixOwner};
use super::PENDING_SUFFIX;
use crate::files::Opener;

/// The JSON line has at most this many bytes. A thousand files with their attributes need less.
const MAX_LINE_BYTES: u64 = 16 << 20;

/// The head of a stored edit: the first line of its file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EditRecord {
    /// Version of the file format.
    pub version: u32,
    pub edit: String,
    pub at: Timestamp,
    pub what: EditKind,
    /// The edit that this one undid.
    pub undoes: Option<String>,
    pub dialect: String,
    /// The project from which the edit was made.
    #[serde(with = "crate::data_files::path_serde::path")]
    pub project: PathBuf,
    /// Whether files of that project changed, and not only user files.
    pub in_project: bool,
    /// The hook's id: of a new hook after the edit, otherwise before it.
    pub hook: Option<String>,
    /// The hook's name for the user. Records of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whether `connect` made this edit. Records of earlier versions did not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub connects: bool,
    /// Whether files are in no root, such as a script that a command names. Records of earlier versions have none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub script: bool,
    /// The turned-off hook that this edit turned off or on. Records of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turning: Option<Turning>,
    /// The file that defines the hook.
    #[serde(with = "crate::data_files::path_serde::path")]
    pub path: PathBuf,
    /// Folders that the edit created, inner ones first.
    pub made: Vec<PlannedFolder>,
    /// Empty folders that the edit removed, inner ones first.
    pub gone: Vec<PlannedFolder>,
    /// Files that the edit changed, in the order in which they were written.
    pub files: Vec<FileRow>,
}

/// What an edit does with a turned-off hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turning {
    /// The id of the turned-off hook.
    pub id: String,
    /// Whether the hook is on or off after the edit.
    pub to: TurnedTo,
}

impl Turning {
    /// The opposite, for the undo of an edit.
    pub fn reversed(&self) -> Self {
        Self {
            id: self.id.clone(),
            to: match self.to {
                TurnedTo::On => TurnedTo::Off,
                TurnedTo::Off => TurnedTo::On,
            },
        }
    }
}

/// A file that an edit changed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FileRow {
    /// Absolute path of the file.
    #[serde(with = "crate::data_files::path_serde::path")]
    pub path: PathBuf,
    /// The former content; `None` if the file did not exist.
    pub before: Option<FormerFile>,
    /// Hash of the bytes after the edit; `None` if the file was removed.
    pub after: Option<String>,
    /// The mode after the edit, if the edit changed it. Records of earlier versions did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_mode: Option<u32>,
}

/// The content of a file before an edit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FormerFile {
    /// Hash of the bytes, as of [`FileContent::hash`].
    pub hash: String,
    /// How many of its bytes the file of the edit contains; 0 if they are in the trash.
    pub bytes: u64,
    /// Path in the edit's trash folder; `None` if the bytes are in the file of the edit.
    #[serde(with = "crate::data_files::path_serde::optional")]
    pub trash: Option<PathBuf>,
    pub mode: u32,
    pub owner: Option<UnixOwner>,
    pub attributes: Attributes,
}

/// Whether an edit is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditState {
    /// It is complete.
    Done,
    /// The process ended before. Each file may have the content before or after the edit.
    Pending,
}

/// An edit that can be undone.
#[derive(Debug, Clone)]
pub struct StoredEdit {
    pub record: EditRecord,
    pub state: EditState,
    pub path: PathBuf,
    /// Offset of the first byte after the head.
    bytes_start: u64,
}

impl EditRecord {
    /// A record of an edit of user files that is about no hook. [`EditRecord::fill`] enters what it changes.
    pub fn new(at: Timestamp, what: EditKind, dialect: &str, project: &Path, path: &Path) -> Self {
        Self {
            version: 1,
            edit: String::new(),
            at,
            what,
            undoes: None,
            dialect: dialect.to_owned(),
            project: project.to_owned(),
            in_project: false,
            hook: None,
            label: None,
            connects: false,
            script: false,
            turning: None,
            path: path.to_owned(),
            made: Vec::new(),
            gone: Vec::new(),
            files: Vec::new(),
        }
    }

    /// How the files of the edit are opened.
    pub(in super::super) fn openers(&self) -> EditOpeners {
        EditOpeners::of_project(Some(&*self.project).filter(|_| self.in_project))
    }

    /// Whether `disconnect` made this edit.
    pub fn removes_relay(&self) -> bool {
        self.what == EditKind::Remove && self.hook.is_none() && self.label.as_deref() == Some(RELAY_PROGRAM)
    }

    /// Enters what changes, and returns the content of the edit's file.
    ///
    /// # Errors
    /// A path is not valid Unicode, and the system has no byte form for it.
    pub(super) fn fill(&mut self, work: &FileTransaction, trash: &Path) -> io::Result<Vec<u8>> {
        let changed = || work.files.iter().filter(|file| file.changes());
        let in_trash = |file: &PlannedFile| {
            let place = work.trash.get(&file.path)?;
            place.strip_prefix(trash).ok().map(Path::to_owned)
        };
        let row = |file: &PlannedFile| {
            let trash = in_trash(file);
            FileRow {
                path: file.path.clone(),
                before: file
                    .before
                    .as_ref()
                    .map(|content| FormerFile::from_content(content, trash)),
                after: hash_of(file.after.as_ref()),
                new_mode: file.new_mode(),
            }
        };
        self.files = changed().map(row).collect();
        self.made = user_files::missing_folders(work);
        self.gone.clone_from(&work.removed_folders);
        let mut bytes = serde_json::to_vec(self)?;
        bytes.push(b'\n');
        for file in changed().filter(|file| !work.trash.contains_key(&file.path)) {
            bytes.extend(file.before.iter().flat_map(|content| content.bytes.iter()));
        }
        Ok(bytes)
    }
}

impl FormerFile {
    fn from_content(content: &FileContent, trash: Option<PathBuf>) -> Self {
        Self {
            hash: content.hash(),
            bytes: if trash.is_some() { 0 } else { content.bytes.len() as u64 },
            trash,
            mode: content.mode,
            owner: content.owner,
            attributes: content.attributes.clone(),
        }
    }
}

impl StoredEdit {
    /// Reads the head of a stored edit.
    ///
    /// # Errors
    /// The file cannot be read, or its head is damaged.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let mut line = Vec::new();
        let mut reader = BufReader::new(Opener::user().open(path)?.0).take(MAX_LINE_BYTES);
        reader.read_until(b'\n', &mut line)?;
        let pending = path.extension().is_some_and(|end| end == PENDING_SUFFIX);
        Ok(Self {
            record: serde_json::from_slice(&line)?,
            state: if pending { EditState::Pending } else { EditState::Done },
            path: path.to_owned(),
            bytes_start: line.len() as u64,
        })
    }

    /// The content of a file before the edit; `None` if its copy is missing or damaged.
    pub(super) fn content(&self, index: usize, trash: &Path) -> Option<FileContent> {
        let former = self.record.files.get(index)?.before.as_ref()?;
        let content = match &former.trash {
            Some(place) => user_files::read_content(&Opener::user(), &trash.join(place)).ok()??,
            None => FileContent {
                bytes: self.bytes(self.offset(index), Some(former.bytes))?,
                mode: former.mode,
                owner: former.owner,
                attributes: former.attributes.clone(),
            },
        };
        (hash_of(Some(&content)).as_ref() == Some(&former.hash)).then_some(content)
    }

    /// The approvals and mutes that were moved; none for an interrupted edit.
    pub fn transfer_undo(&self) -> TransferUndo {
        let line = self
            .bytes(self.offset(self.record.files.len()), None)
            .unwrap_or_default();
        serde_json::from_slice(&line).unwrap_or_default()
    }

    /// Offset of the bytes of a file.
    fn offset(&self, index: usize) -> u64 {
        let before = self.record.files.iter().take(index);
        let bytes = before.filter_map(|file| file.before.as_ref()).map(|was| was.bytes);
        self.bytes_start + bytes.sum::<u64>()
    }

    fn bytes(&self, offset: u64, length: Option<u64>) -> Option<Vec<u8>> {
        let (mut file, _) = Opener::user().open(&self.path).ok()?;
        file.seek(SeekFrom::Start(offset)).ok()?;
        let mut bytes = Vec::new();
        file.take(length.unwrap_or(MAX_LINE_BYTES))
            .read_to_end(&mut bytes)
            .ok()?;
        length
            .is_none_or(|length| bytes.len() as u64 == length)
            .then_some(bytes)
    }

    /// Whether all files are as before the edit, and whether all are as after it.
    pub(super) fn compare_with_disk(&self) -> (bool, bool) {
        let mut matches = (true, true);
        let openers = self.record.openers();
        for file in &self.record.files {
            let content = user_files::read_content(&openers.of(&file.path), &file.path).ok();
            let now = content.as_ref().map(|content| hash_of(content.as_ref()));
            let mode = content.flatten().map(|content| content.mode);
            let was_mode = file.before.as_ref().map(|was| was.mode);
            let same_mode = |wanted: Option<u32>| file.new_mode.is_none() || mode == wanted;
            matches.0 &= same_mode(was_mode) && now.as_ref() == Some(&file.before.as_ref().map(|was| was.hash.clone()));
            matches.1 &= same_mode(file.new_mode) && now.as_ref() == Some(&file.after);
        }
        matches
    }
}

/// Hash of a file's bytes; `None` if the file does not exist.
pub(super) fn hash_of(content: Option<&FileContent>) -> Option<String> {
    content.map(FileContent::hash)
}
