//! Imports the spool into the database: many traces in one transaction, together with their metrics.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::Catalog;
use jiff::Timestamp;

use crate::commit::commit;
use crate::data_folder::{DataFolder, open_regular};
use crate::error::{ErrorClass, StoreError};
use crate::handed_lines::{HandedLines, batches};
use crate::insert::to_json;
use crate::open::{Db, Persistence};
use crate::spool_reader::{
    Chunk, RetireResult, has_temp_files, list_files, read_chunk, remove_temp_files, retire_file,
};
use crate::store::{ImportStatus, Store};

/// About how many traces are in one transaction.
pub(crate) const TRANSACTION_TRACES: usize = 512;
/// An import leaves out at most this many traces that the database refuses. If there are more, the database is at
/// fault.
const MAX_REFUSED: usize = 16;

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportResult {
    /// Traces that are new in the database, or are now more complete.
    pub traces: u64,
    /// Spool files that were read to their end and removed.
    pub files_removed: u64,
    /// Files whose writer died in the middle of a line, each with the number of bytes of that line.
    pub torn_files: Vec<(PathBuf, u64)>,
    /// Files with complete lines that are not a trace, or that the database refused. They are kept as `….unread`.
    pub quarantined_files: Vec<PathBuf>,
    /// Traces that the database refused while it accepted others.
    pub refused: Vec<RefusedTrace>,
}

/// A trace that the database refused. Its spool file is renamed to `….unread` once its writer has exited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedTrace {
    /// The id of the trace.
    pub trace: String,
    /// The spool file.
    pub path: PathBuf,
    /// SQLite's message.
    pub why: String,
}

impl Store {
    /// Imports every complete line of every spool file into the database, and removes the files whose writer has
    /// exited. Lines that are already imported change nothing.
    ///
    /// What does not fit on the disk stays in the spool, and is never dropped (`CONTRACTS.md` §2.6).
    ///
    /// # Errors
    /// The database cannot be used or written, or was found damaged. Nothing is lost: the spool keeps what was not
    /// imported.
    pub async fn import(&self) -> Result<ImportResult, StoreError> {
        self.import_from(HandedLines::read_everything()).await
    }

    /// The same as [`Self::import`] in a task of its own. A line that makes the import panic fails only the import.
    ///
    /// # Errors
    /// See [`Self::import`]; also a panic.
    pub async fn import_in_task(self: &Arc<Self>) -> Result<ImportResult, StoreError> {
        self.import_from_in_task(HandedLines::read_everything()).await
    }

    /// The same as [`Self::import_from`] in a task of its own.
    pub(crate) async fn import_from_in_task(self: &Arc<Self>, handed: HandedLines) -> Result<ImportResult, StoreError> {
        let store = Arc::clone(self);
        let imported = tokio::spawn(async move { store.import_from(handed).await }).await;
        imported.unwrap_or_else(|failed| {
            let error = StoreError::Database {
                path: self.folder.database(),
                what: format!("the import ended unexpectedly: {failed}"),
            };
            self.set_import_status(ImportStatus::Failed(error.to_string()));
            Err(error)
        })
    }

    /// Imports the lines that the journal handed over, and the spool files of other processes.
    pub(crate) async fn import_from(&self, handed: HandedLines) -> Result<ImportResult, StoreError> {
        let result = self.import_all(handed).await;
        match &result {
            Ok(imported) if imported.traces > 0 => self.set_import_status(ImportStatus::Complete),
            Ok(_) => self.set_import_status(ImportStatus::Usable),
            Err(error) => self.set_import_status(ImportStatus::Failed(error.to_string())),
        }
        result
    }

    async fn import_all(&self, handed: HandedLines) -> Result<ImportResult, StoreError> {
        let _guard = self.import_lock.lock().await;
        self.forget_uncommitted().await;
        let db = self.open_for_writing().await?;
        self.import_into(&db, handed).await
    }

    /// Imports into an open database.
    pub(crate) async fn import_into(&self, db: &Arc<Db>, handed: HandedLines) -> Result<ImportResult, StoreError> {
        let mut imported = ImportResult::default();
        let mut positions = self.load_positions(db).await?;
        let mut live = HashSet::new();
        if let Some(chunks) = handed.chunks(&positions, &self.catalog) {
            live = handed.into_live();
            for batch in batches(chunks) {
                positions.extend(batch.iter().map(|chunk| (chunk.file.to_string(), chunk.end)));
                self.import_chunk(db, batch, &mut imported).await?;
                db.set_import_positions(positions.clone());
            }
        }
        loop {
            let (dir, from, catalog) = (self.folder.spool(), positions.clone(), self.catalog.clone());
            let others = live.clone();
            let pass = run_blocking(move || read_pass(&dir, &from, &others, &catalog)).await;
            let pass = pass.map_err(|error| StoreError::from_io(self.folder.spool(), error))?;
            // The positions of deleted files are dropped.
            positions.retain(|name, _| pass.files.contains(name));
            positions.extend(pass.chunks.iter().map(|chunk| (chunk.file.to_string(), chunk.end)));
            if !pass.chunks.is_empty() {
                self.import_chunk(db, pass.chunks, &mut imported).await?;
            }
            db.set_import_positions(positions.clone());
            // What only this process sees is a copy: its files stay for the database.
            let retires = pass.has_abandoned_files && db.persistence() == Persistence::Committed;
            let more = pass.has_more || retires && self.retire_files(db, &mut imported).await?;
            if !more {
                return Ok(imported);
            }
        }
    }

    /// The position from which each file must be read. The database is asked once. Lines that another process has
    /// imported since then are read again, and skipped when they are written.
    async fn load_positions(&self, db: &Arc<Db>) -> Result<HashMap<String, u64>, StoreError> {
        if let Some(known) = db.import_positions() {
            return Ok(known);
        }
        let positions = read_positions(db).await;
        self.check_result(db, positions).await
    }

    /// Imports chunks. If the database refuses a trace, the batch is split until that trace is alone, and is left out.
    async fn import_chunk(
        &self,
        db: &Arc<Db>,
        chunks: Vec<Chunk>,
        imported: &mut ImportResult,
    ) -> Result<(), StoreError> {
        let mut parts = vec![chunks];
        while let Some(part) = parts.pop() {
            let error = match commit(db, &part).await {
                Ok(traces) => {
                    imported.traces += traces;
                    continue;
                }
                Err(error) => error,
            };
            let refused = ErrorClass::from_sqlx(&error) == ErrorClass::Refused && imported.refused.len() < MAX_REFUSED;
            if !refused {
                return self.check_result(db, Err(error)).await;
            }
            match split_batch(part) {
                BatchSplit::Halves(first, second) => parts.extend([second, first]),
                BatchSplit::Single(mut chunk, trace) => {
                    let path = self.folder.spool().join(&*chunk.file);
                    let why = error.to_string();
                    imported.refused.push(RefusedTrace { trace, path, why });
                    chunk.unread_lines += 1;
                    parts.push(vec![chunk]);
                }
                BatchSplit::Empty => return self.check_result(db, Err(error)).await,
            }
        }
        Ok(())
    }

    /// Removes the files that are imported and whose writer has exited. Returns `true` if one of them contains more to
    /// read.
    async fn retire_files(&self, db: &Arc<Db>, imported: &mut ImportResult) -> Result<bool, StoreError> {
        let known = read_spool_rows(db).await;
        let known = self.check_result(db, known).await?;
        let folder = self.folder.clone();
        let now = self.clock.now();
        let ends = run_blocking(move || retire_all(&folder, &known, now)).await;
        let ends = ends.map_err(|error| StoreError::from_io(self.folder.spool(), error))?;
        let mut removed = Vec::new();
        let mut more = false;
        for (name, retired) in ends {
            let path = self.folder.spool().join(&name);
            match retired {
                RetireResult::InUse => continue,
                RetireResult::MoreToRead => {
                    more = true;
                    continue;
                }
                RetireResult::Removed(torn) => {
                    imported.files_removed += 1;
                    imported.torn_files.extend((torn > 0).then_some((path, torn)));
                }
                RetireResult::Quarantined(torn) => {
                    imported.torn_files.extend((torn > 0).then(|| (path.clone(), torn)));
                    imported
                        .quarantined_files
                        .push(crate::data_folder::with_suffix(&path, ".unread"));
                }
            }
            removed.push(name);
        }
        if let (false, Some(writer)) = (removed.is_empty(), &db.writer) {
            let sql = "DELETE FROM spool_files WHERE name IN (SELECT value FROM json_each(?))";
            let result = sqlx::query(sql).bind(to_json(&removed)).execute(writer).await;
            self.check_result(db, result).await?;
        }
        Ok(more)
    }
}

/// Runs work that reads files on a thread that may block.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(io::Error::other(error)),
    }
}

/// How far each file is imported, in bytes.
pub(crate) async fn read_positions(db: &Db) -> Result<HashMap<String, u64>, sqlx::Error> {
    Ok(read_spool_rows(db)
        .await?
        .into_iter()
        .map(|(name, (imported, _))| (name, imported))
        .collect())
}

/// For each file: the bytes that are imported, and the lines that are not a trace.
async fn read_spool_rows(db: &Db) -> Result<HashMap<String, (u64, u64)>, sqlx::Error> {
    let rows: Vec<(String, i64, i64)> = sqlx::query_as("SELECT name, imported, unread FROM spool_files")
        .fetch_all(&db.readers)
        .await?;
    Ok(rows
        .into_iter()
        .map(|(name, imported, unread)| (name, (imported.unsigned_abs(), unread.unsigned_abs())))
        .collect())
}

/// The result of one pass over the spool.
struct ImportPass {
    /// The names of all spool files.
    files: HashSet<String>,
    /// About as many traces as fit into one transaction, from as many files as needed.
    chunks: Vec<Chunk>,
    /// There is more to read.
    has_more: bool,
    /// There are files whose writer has exited.
    has_abandoned_files: bool,
}

fn read_pass(
    dir: &Path,
    positions: &HashMap<String, u64>,
    live: &HashSet<String>,
    catalog: &Catalog,
) -> io::Result<ImportPass> {
    let names = list_files(dir)?;
    let mut pass = ImportPass {
        files: names.iter().cloned().collect(),
        chunks: Vec::new(),
        has_more: false,
        has_abandoned_files: has_temp_files(dir),
    };
    let mut count = 0;
    for name in names.into_iter().filter(|name| !live.contains(name)) {
        if count >= TRANSACTION_TRACES {
            pass.has_more = true;
            break;
        }
        let from = positions.get(&name).copied().unwrap_or(0);
        // This is checked before the file is read. So the read includes the last lines of a writer that has exited.
        pass.has_abandoned_files |= has_no_writer(dir, &name);
        if let Some(chunk) = read_chunk(dir, &name, from, catalog)?
            && chunk.end > from
        {
            count += chunk.traces.len();
            pass.has_more |= chunk.has_more;
            pass.chunks.push(chunk);
        }
    }
    Ok(pass)
}

fn has_no_writer(dir: &Path, name: &str) -> bool {
    open_regular(&dir.join(name)).is_ok_and(|file| file.try_lock().is_ok())
}

/// Retires all files whose writer has exited. The database's log is synced to the disk first: `synchronous=NORMAL` does
/// not sync it at every commit. Until then, only the spool files are safe.
fn retire_all(
    folder: &DataFolder,
    known: &HashMap<String, (u64, u64)>,
    now: Timestamp,
) -> io::Result<Vec<(String, RetireResult)>> {
    let dir = folder.spool();
    remove_temp_files(&dir)?;
    let idle: Vec<String> = list_files(&dir)?
        .into_iter()
        .filter(|name| has_no_writer(&dir, name))
        .collect();
    if idle.is_empty() {
        return Ok(Vec::new());
    }
    match open_regular(&folder.wal()) {
        Ok(log) => log.sync_data()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let end = |name: String| {
        let known = known.get(&name).copied().unwrap_or_default();
        let retired = retire_file(&dir, &name, known, now)?;
        Ok((name, retired))
    };
    idle.into_iter().map(end).collect()
}

/// A batch that was split in two.
enum BatchSplit {
    Halves(Vec<Chunk>, Vec<Chunk>),
    /// A single trace: its chunk without it, and its id.
    Single(Chunk, String),
    /// The batch contains no trace.
    Empty,
}

fn split_batch(mut chunks: Vec<Chunk>) -> BatchSplit {
    if chunks.len() > 1 {
        let second = chunks.split_off(chunks.len() / 2);
        return BatchSplit::Halves(chunks, second);
    }
    let Some(mut first) = chunks.pop() else {
        return BatchSplit::Empty;
    };
    let later = first.traces.split_off(first.traces.len() / 2);
    if let Some(last) = first.traces.last() {
        let second = Chunk {
            traces: later,
            ..first.clone_without_traces()
        };
        (first.end, first.unread_lines) = (last.end, 0);
        return BatchSplit::Halves(vec![first], vec![second]);
    }
    match later.into_iter().next() {
        Some(one) => BatchSplit::Single(first, one.trace.trace),
        None => BatchSplit::Empty,
    }
}
