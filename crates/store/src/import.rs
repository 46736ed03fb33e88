//! From the spool into the database, many traces a transaction, their metrics with them.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use crate::commit::{Bodies, commit};
use crate::error::{StoreError, Trouble};
use crate::folder::Folder;
use crate::insert::json;
use crate::open::Db;
use crate::store::{Note, Store};
use crate::unread::{Chunk, Json, Retired, files, has_unborn, read_chunk, retire, sweep};

/// Traces of one transaction, about.
const BATCH: usize = 512;
/// An import sets at most so many traces aside that the database refuses; with more of them it is the database that is wrong.
const MOST_REFUSED: usize = 16;

/// What an import brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// Traces that are in the database now and were not, or not so complete, before.
    pub traces: u64,
    /// Those of them whose payloads and streams did not fit on the disk.
    pub bodies_dropped: u64,
    /// Spool files that were read to their end and removed.
    pub files_removed: u64,
    /// Files whose writer died in the middle of a line, and how many bytes of it there were.
    pub torn: Vec<(PathBuf, u64)>,
    /// Files that held complete lines which are no trace, or which the database refused: put beside as `….unread`.
    pub put_beside: Vec<PathBuf>,
    /// Traces that the database refused, though it took others.
    pub refused: Vec<Refused>,
}

/// A trace that the database refused. Its spool file is put beside as `….unread` once its writer is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its id.
    pub trace: String,
    /// The spool file.
    pub path: PathBuf,
    /// SQLite's words.
    pub why: String,
}

impl Store {
    /// Brings every complete line of every spool file into the database, and removes the files whose writer is gone.
    /// Lines that are there already change nothing. A full disk costs bodies first; what does not fit even without
    /// stays in the spool.
    ///
    /// # Errors
    /// The database cannot be used, written, or was found damaged. Nothing is lost: the spool keeps what was not imported.
    pub async fn import(&self) -> Result<Imported, StoreError> {
        let result = self.import_all().await;
        match &result {
            Ok(imported) if imported.bodies_dropped > 0 => self.note(Note::Bare),
            Ok(imported) if imported.traces > 0 => self.note(Note::Well),
            Ok(_) => self.note(Note::Usable),
            Err(error) => self.note(Note::Failed(error.to_string())),
        }
        result
    }

    async fn import_all(&self) -> Result<Imported, StoreError> {
        let _turn = self.turn.lock().await;
        let db = self.ready().await?;
        let mut imported = Imported::default();
        let mut positions = self.imported_so_far(&db).await?;
        loop {
            let (dir, from) = (self.folder.spool(), positions.clone());
            let pass = blocking(move || read_pass(&dir, &from)).await;
            let pass = pass.map_err(|error| StoreError::io(self.folder.spool(), error))?;
            // Files that were deleted are forgotten.
            positions.retain(|name, _| pass.files.contains(name));
            positions.extend(pass.chunks.iter().map(|chunk| (chunk.file.clone(), chunk.end)));
            if !pass.chunks.is_empty() {
                self.take_in(&db, pass.chunks, &mut imported).await?;
            }
            db.remember(positions.clone());
            let more = pass.more || pass.left_behind && self.retire(&db, &mut imported).await?;
            if !more {
                return Ok(imported);
            }
        }
    }

    /// From where on each file is to be read. Asked of the database once: what another process has imported since is
    /// read again then, and found to be there when it is written.
    async fn imported_so_far(&self, db: &Arc<Db>) -> Result<HashMap<String, u64>, StoreError> {
        if let Some(known) = db.remembered() {
            return Ok(known);
        }
        let positions = positions(db).await;
        self.checked(db, positions).await
    }

    /// Writes what was read. A trace that the database refuses costs itself only: what was read is halved until it is alone.
    async fn take_in(&self, db: &Arc<Db>, chunks: Vec<Chunk>, imported: &mut Imported) -> Result<(), StoreError> {
        let mut parts = vec![chunks];
        while let Some(part) = parts.pop() {
            let result = self.commit(db, &part, imported).await;
            let Err(error) = result else { continue };
            let refused = Trouble::of(&error) == Trouble::Refused && imported.refused.len() < MOST_REFUSED;
            if !refused {
                return self.checked(db, Err(error)).await;
            }
            match halve(part) {
                Half::Two(first, second) => parts.extend([second, first]),
                Half::One(mut chunk, trace) => {
                    let path = self.folder.spool().join(&chunk.file);
                    let why = error.to_string();
                    imported.refused.push(Refused { trace, path, why });
                    chunk.unread += 1;
                    parts.push(vec![chunk]);
                }
                Half::None => return self.checked(db, Err(error)).await,
            }
        }
        Ok(())
    }

    /// One transaction. Bodies that do not fit on the disk are left out.
    async fn commit(&self, db: &Db, chunks: &[Chunk], imported: &mut Imported) -> Result<(), sqlx::Error> {
        let mut result = commit(db, chunks, Bodies::Keep).await;
        if result.as_ref().is_err_and(|error| Trouble::of(error) == Trouble::Full) {
            result = commit(db, chunks, Bodies::Drop).await;
        }
        let (traces, dropped) = result?;
        imported.traces += traces;
        imported.bodies_dropped += dropped;
        Ok(())
    }

    /// Removes the files that are imported and whose writer is gone. `true` when one of them turned out to hold more.
    async fn retire(&self, db: &Arc<Db>, imported: &mut Imported) -> Result<bool, StoreError> {
        let known = spool_rows(db).await;
        let known = self.checked(db, known).await?;
        let folder = self.folder.clone();
        let now = (self.now)();
        let ends = blocking(move || retire_all(&folder, &known, now)).await;
        let ends = ends.map_err(|error| StoreError::io(self.folder.spool(), error))?;
        let mut gone = Vec::new();
        let mut more = false;
        for (name, retired) in ends {
            let path = self.folder.spool().join(&name);
            match retired {
                Retired::InUse => continue,
                Retired::MoreToRead => {
                    more = true;
                    continue;
                }
                Retired::Removed(torn) => {
                    imported.files_removed += 1;
                    imported.torn.extend((torn > 0).then_some((path, torn)));
                }
                Retired::PutBeside(torn) => {
                    imported.torn.extend((torn > 0).then(|| (path.clone(), torn)));
                    imported.put_beside.push(crate::folder::with_suffix(&path, ".unread"));
                }
            }
            gone.push(name);
        }
        if let (false, Some(writer)) = (gone.is_empty(), &db.writer) {
            let sql = "DELETE FROM spool_files WHERE name IN (SELECT value FROM json_each(?))";
            let result = sqlx::query(sql).bind(json(&gone)).execute(writer).await;
            self.checked(db, result).await?;
        }
        Ok(more)
    }
}

/// Runs what reads files on a thread that may wait.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(io::Error::other(error)),
    }
}

/// How far each file has been imported.
pub(crate) async fn positions(db: &Db) -> Result<HashMap<String, u64>, sqlx::Error> {
    Ok(spool_rows(db)
        .await?
        .into_iter()
        .map(|(name, (imported, _))| (name, imported))
        .collect())
}

/// By file: bytes imported, and lines that were no trace.
async fn spool_rows(db: &Db) -> Result<HashMap<String, (u64, u64)>, sqlx::Error> {
    let rows: Vec<(String, i64, i64)> = sqlx::query_as("SELECT name, imported, unread FROM spool_files")
        .fetch_all(&db.readers)
        .await?;
    Ok(rows
        .into_iter()
        .map(|(name, imported, unread)| (name, (imported.unsigned_abs(), unread.unsigned_abs())))
        .collect())
}

/// One pass over the spool.
struct Pass {
    /// The files that are there.
    files: HashSet<String>,
    /// About as many traces as fit one transaction, from as many files as that takes.
    chunks: Vec<Chunk>,
    /// There is more to read.
    more: bool,
    /// There are files whose writer is gone.
    left_behind: bool,
}

fn read_pass(dir: &Path, positions: &HashMap<String, u64>) -> io::Result<Pass> {
    let names = files(dir)?;
    let mut pass = Pass {
        files: names.iter().cloned().collect(),
        chunks: Vec::new(),
        more: false,
        left_behind: has_unborn(dir),
    };
    let mut count = 0;
    for name in names {
        if count >= BATCH {
            pass.more = true;
            break;
        }
        let from = positions.get(&name).copied().unwrap_or(0);
        // Asked before it is read: what its writer wrote last is then read too.
        pass.left_behind |= writer_is_gone(dir, &name);
        if let Some(chunk) = read_chunk(dir, &name, from, Json::Take)?
            && chunk.end > from
        {
            count += chunk.traces.len();
            pass.more |= chunk.more;
            pass.chunks.push(chunk);
        }
    }
    Ok(pass)
}

fn writer_is_gone(dir: &Path, name: &str) -> bool {
    File::open(dir.join(name)).is_ok_and(|file| file.try_lock().is_ok())
}

/// The log is brought to the disk itself first: `synchronous=NORMAL` does not do that with every commit, and the spool
/// files are all there is until it is done.
fn retire_all(
    folder: &Folder,
    known: &HashMap<String, (u64, u64)>,
    now: Timestamp,
) -> io::Result<Vec<(String, Retired)>> {
    let dir = folder.spool();
    sweep(&dir)?;
    let idle: Vec<String> = files(&dir)?
        .into_iter()
        .filter(|name| writer_is_gone(&dir, name))
        .collect();
    if idle.is_empty() {
        return Ok(Vec::new());
    }
    match File::open(folder.wal()) {
        Ok(log) => log.sync_data()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let end = |name: String| {
        let known = known.get(&name).copied().unwrap_or_default();
        let retired = retire(&dir, &name, known, now)?;
        Ok((name, retired))
    };
    idle.into_iter().map(end).collect()
}

/// What was read, in two parts.
enum Half {
    Two(Vec<Chunk>, Vec<Chunk>),
    /// A single trace: its id, and its chunk without it.
    One(Chunk, String),
    /// There is no trace in it.
    None,
}

fn halve(mut chunks: Vec<Chunk>) -> Half {
    if chunks.len() > 1 {
        let second = chunks.split_off(chunks.len() / 2);
        return Half::Two(chunks, second);
    }
    let Some(mut first) = chunks.pop() else {
        return Half::None;
    };
    let later = first.traces.split_off(first.traces.len() / 2);
    if let Some(last) = first.traces.last() {
        let second = Chunk {
            traces: later,
            ..first.clone_without_traces()
        };
        (first.end, first.unread) = (last.end, 0);
        return Half::Two(vec![first], vec![second]);
    }
    match later.into_iter().next() {
        Some(one) => Half::One(first, one.trace.trace),
        None => Half::None,
    }
}
