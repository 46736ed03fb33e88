//! One kept edit, as its file has it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::super::approval_transfer::TransferUndo;
use super::super::attributes::Attributes;
use super::super::user_files::{self, FileContent, FileTransaction, PlannedFile, PlannedFolder, UnixOwner};
use super::PENDING_SUFFIX;

/// The line of JSON may have this many bytes: a thousand files with their attributes have less.
const MAX_LINE_BYTES: u64 = 16 << 20;

/// What an edit did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "snake_case")]
pub enum EditKind {
    /// Put a new hook into a file.
    Add,
    /// Changed a hook.
    Edit,
    /// Took a hook out of its file.
    Remove,
    /// Took another edit back.
    Undo,
}

/// The head of a kept edit.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct EditRecord {
    /// Format of the file.
    pub version: u32,
    /// Its id.
    pub edit: String,
    /// When.
    pub at: Timestamp,
    /// What it did.
    pub what: EditKind,
    /// The edit that it took back.
    pub undoes: Option<String>,
    /// Dialect id.
    pub dialect: String,
    /// The project that it was made from.
    #[serde(with = "crate::path_serde::path")]
    pub project: PathBuf,
    /// Whether files of that project changed, and not only the user's own.
    pub in_project: bool,
    /// The hook's id: of a new one afterwards, else before.
    pub hook: Option<String>,
    /// The file that defines the hook.
    #[serde(with = "crate::path_serde::path")]
    pub path: PathBuf,
    /// Folders that it made, inner ones first.
    pub made: Vec<PlannedFolder>,
    /// Folders that it removed when they were empty, inner ones first.
    pub gone: Vec<PlannedFolder>,
    /// Files that it changed, in the order in which they were written.
    pub files: Vec<FileRow>,
}

/// A file that an edit changed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FileRow {
    /// The file, absolute.
    #[serde(with = "crate::path_serde::path")]
    pub path: PathBuf,
    /// What it was; `None` when it was not there.
    pub before: Option<FormerFile>,
    /// Hash of its bytes afterwards; `None` when it is gone.
    pub after: Option<String>,
}

/// What a file was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FormerFile {
    /// Hash of its bytes.
    pub hash: String,
    /// How many bytes of it are in this file.
    pub bytes: u64,
    /// Its place in the edit's trash, where it has no bytes here.
    #[serde(with = "crate::path_serde::optional")]
    pub trash: Option<PathBuf>,
    /// Its permissions.
    pub mode: u32,
    /// Its owner and group.
    pub owner: Option<UnixOwner>,
    /// Its extended attributes.
    pub attributes: Attributes,
}

/// Whether an edit came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditState {
    /// It did.
    Done,
    /// Its process ended before: each file may be as before or as after.
    Pending,
}

/// An edit that can be undone.
#[derive(Debug, Clone)]
pub struct StoredEdit {
    /// Its head.
    pub record: EditRecord,
    /// Whether it came to its end.
    pub state: EditState,
    /// Its file.
    pub path: PathBuf,
    /// Where the bytes begin.
    bytes_start: u64,
}

impl EditRecord {
    /// Writes down what changes, and gives the whole file.
    ///
    /// # Errors
    /// A path that is no text, where the system has no bytes for it.
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
    /// # Errors
    /// It cannot be read, or its head is damaged.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let mut line = Vec::new();
        let mut reader = BufReader::new(File::open(path)?).take(MAX_LINE_BYTES);
        reader.read_until(b'\n', &mut line)?;
        let pending = path.extension().is_some_and(|end| end == PENDING_SUFFIX);
        Ok(Self {
            record: serde_json::from_slice(&line)?,
            state: if pending { EditState::Pending } else { EditState::Done },
            path: path.to_owned(),
            bytes_start: line.len() as u64,
        })
    }

    /// What a file was before; `None` when its copy is gone or damaged.
    pub(super) fn content(&self, index: usize, trash: &Path) -> Option<FileContent> {
        let former = self.record.files.get(index)?.before.as_ref()?;
        let content = match &former.trash {
            Some(place) => user_files::read_content(&trash.join(place)).ok()??,
            None => FileContent {
                bytes: self.bytes(self.offset(index), Some(former.bytes))?,
                mode: former.mode,
                owner: former.owner,
                attributes: former.attributes.clone(),
            },
        };
        (hash_of(Some(&content)).as_ref() == Some(&former.hash)).then_some(content)
    }

    /// The approvals and mutes that went along; none of an edit that was broken off.
    pub fn transfer_undo(&self) -> TransferUndo {
        let line = self
            .bytes(self.offset(self.record.files.len()), None)
            .unwrap_or_default();
        serde_json::from_slice(&line).unwrap_or_default()
    }

    /// Where the bytes of a file begin.
    fn offset(&self, index: usize) -> u64 {
        let before = self.record.files.iter().take(index);
        let bytes = before.filter_map(|file| file.before.as_ref()).map(|was| was.bytes);
        self.bytes_start + bytes.sum::<u64>()
    }

    fn bytes(&self, offset: u64, length: Option<u64>) -> Option<Vec<u8>> {
        let mut file = File::open(&self.path).ok()?;
        file.seek(SeekFrom::Start(offset)).ok()?;
        let mut bytes = Vec::new();
        file.take(length.unwrap_or(MAX_LINE_BYTES))
            .read_to_end(&mut bytes)
            .ok()?;
        length
            .is_none_or(|length| bytes.len() as u64 == length)
            .then_some(bytes)
    }

    /// Whether every file is as before, and whether every one is as after.
    pub(super) fn compare_with_disk(&self) -> (bool, bool) {
        let mut matches = (true, true);
        for file in &self.record.files {
            let now = user_files::read_content(&file.path)
                .ok()
                .map(|content| hash_of(content.as_ref()));
            matches.0 &= now.as_ref() == Some(&file.before.as_ref().map(|was| was.hash.clone()));
            matches.1 &= now.as_ref() == Some(&file.after);
        }
        matches
    }
}

/// Hash of a file's bytes; `None` when it is not there.
pub(super) fn hash_of(content: Option<&FileContent>) -> Option<String> {
    content.map(FileContent::hash)
}
