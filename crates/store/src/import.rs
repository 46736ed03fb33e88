//! From the spool into the database, many traces a transaction, their metrics with them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlx::sqlite::SqliteConnection;

use crate::digest::{Mark, MarkKind, marks};
use crate::error::{StoreError, Trouble};
use crate::fetch::{self, Recorded};
use crate::folder::Folder;
use crate::insert::{Entry, HookKey, Rows, hook_ids, json, name_ids};
use crate::open::Db;
use crate::rollup::{Changes, Of};
use crate::store::Store;
use crate::tally::{Tally, chars_added};
use crate::transaction::Transaction;
use crate::unread::{Chunk, Incoming, Retired, files, has_unborn, read_chunk, retire, sweep};
use crate::weigh::{Known, News};

/// Traces of one transaction, about.
const BATCH: usize = 512;

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
    /// Files that held complete lines which are no trace: put beside as `….unread`.
    pub put_beside: Vec<PathBuf>,
}

/// Whether bodies go into the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bodies {
    Keep,
    Drop,
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
            Ok(imported) if imported.bodies_dropped > 0 => {
                self.note(Some("the disk is full: payloads are dropped".to_owned()))
            }
            Ok(imported) if imported.traces > 0 => self.note(None),
            Ok(_) => {}
            Err(error) => self.note(Some(error.to_string())),
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
            if !pass.chunks.is_empty() {
                self.take_in(&db, &pass.chunks, &mut imported).await?;
            }
            // What is gone needs no place any more.
            positions.retain(|name, _| pass.files.contains(name));
            positions.extend(pass.chunks.into_iter().map(|chunk| (chunk.file, chunk.end)));
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

    async fn take_in(&self, db: &Arc<Db>, chunks: &[Chunk], imported: &mut Imported) -> Result<(), StoreError> {
        let mut result = commit(db, chunks, Bodies::Keep).await;
        if result.as_ref().is_err_and(|error| Trouble::of(error) == Trouble::Full) {
            result = commit(db, chunks, Bodies::Drop).await;
        }
        let (traces, dropped) = self.checked(db, result).await?;
        imported.traces += traces;
        imported.bodies_dropped += dropped;
        Ok(())
    }

    /// Removes the files that are imported and whose writer is gone. `true` when one of them turned out to hold more.
    async fn retire(&self, db: &Arc<Db>, imported: &mut Imported) -> Result<bool, StoreError> {
        let known = spool_rows(db).await;
        let known = self.checked(db, known).await?;
        let folder = self.folder.clone();
        let ends = blocking(move || retire_all(&folder, known)).await;
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
        if let Some(chunk) = read_chunk(dir, &name, from)?
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
fn retire_all(folder: &Folder, known: HashMap<String, (u64, u64)>) -> io::Result<Vec<(String, Retired)>> {
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
        let (imported, unread) = known.get(&name).copied().unwrap_or((0, 0));
        let retired = retire(&dir, &name, imported, unread)?;
        Ok((name, retired))
    };
    idle.into_iter().map(end).collect()
}

/// One transaction: traces, metrics, and how far the files are imported. Gives traces and dropped bodies.
async fn commit(db: &Db, chunks: &[Chunk], bodies: Bodies) -> Result<(u64, u64), sqlx::Error> {
    let Some(writer) = &db.writer else {
        return Err(sqlx::Error::PoolClosed);
    };
    let mut transaction = Transaction::begin(writer).await?;
    let result = write(&mut transaction, chunks, bodies).await;
    transaction.finish(result).await
}

async fn write(connection: &mut SqliteConnection, chunks: &[Chunk], bodies: Bodies) -> Result<(u64, u64), sqlx::Error> {
    // Another process may have imported the same lines since they were read.
    let incoming: Vec<&Incoming> = chunks.iter().flat_map(|chunk| &chunk.traces).collect();
    let known = Known::of(connection, &incoming).await?;
    let done = |file: &str| known.imported.get(file).copied().unwrap_or(0);
    let news = known.news(incoming.into_iter().filter(|it| it.end > done(&it.file)));
    let dropped = record(connection, &news, known.next, bodies).await?;
    advance(connection, chunks, &known.imported).await?;
    Ok((news.len() as u64, dropped))
}

/// Writes traces, numbered from `first` on, and their metrics. Gives how many bodies were not written.
async fn record(
    connection: &mut SqliteConnection,
    news: &[News<'_>],
    first: i64,
    bodies: Bodies,
) -> Result<u64, sqlx::Error> {
    if news.is_empty() {
        return Ok(0);
    }
    let mut changes = Changes::default();
    for it in news {
        if let Some(seq) = it.replaces {
            forget(connection, seq, &mut changes).await?;
        }
    }
    let marks: Vec<Vec<Mark<'_>>> = news.iter().map(|it| marks(&it.incoming.trace)).collect();
    let names = name_ids(connection, &counted(&marks)).await?;
    let owners = owners(connection, news).await?;
    let mut rows = Rows::default();
    let mut dropped = 0;
    for (seq, ((it, marks), owners)) in (first..).zip(news.iter().zip(&marks).zip(&owners)) {
        let Incoming { trace, json, .. } = it.incoming;
        let key = it.incoming.key();
        let json = (bodies == Bodies::Keep && trace.bodies_removed_days.is_none()).then(|| json.clone());
        dropped += u64::from(json.is_none());
        let project = marks.iter().find(|mark| mark.0 == MarkKind::Project);
        let project = project.and_then(|mark| names.get(mark)).copied().unwrap_or(0);
        for (step, hook) in trace.steps.iter().zip(owners) {
            let tally = Tally::of(step, chars_added(&step.edits), step.removed.len() as u64);
            changes.add(Of::Hooks, *hook, key.0, &tally);
            changes.add(Of::Projects, project, key.0, &tally);
        }
        rows.add(
            Entry {
                seq,
                key,
                trace,
                json,
                marks,
                owners,
            },
            &names,
        );
    }
    rows.write(connection).await?;
    changes.write(connection).await?;
    if dropped > 0 {
        count(connection, "dropped_bodies", dropped).await?;
    }
    Ok(dropped)
}

/// How many traces carry each mark.
fn counted<'a>(marks: &[Vec<Mark<'a>>]) -> BTreeMap<Mark<'a>, i64> {
    let mut counts = BTreeMap::new();
    for mark in marks.iter().flatten() {
        *counts.entry(*mark).or_default() += 1;
    }
    counts
}

/// The numbers of the hooks of each trace's steps.
async fn owners(connection: &mut SqliteConnection, news: &[News<'_>]) -> Result<Vec<Vec<i64>>, sqlx::Error> {
    let traces = news.iter().map(|it| &it.incoming.trace);
    let keys: Vec<Vec<HookKey<'_>>> = traces.map(|trace| HookKey::all(trace).collect()).collect();
    let ids = hook_ids(connection, &keys.iter().flatten().cloned().collect()).await?;
    let id = |key: &HookKey<'_>| ids.get(key).copied().unwrap_or(0);
    Ok(keys.iter().map(|keys| keys.iter().map(id).collect()).collect())
}

/// Takes a trace out again, with what it added to the metrics.
async fn forget(connection: &mut SqliteConnection, seq: i64, changes: &mut Changes) -> Result<(), sqlx::Error> {
    let sql = format!("SELECT {} FROM traces t WHERE t.seq = ?", fetch::COLUMNS);
    let recorded: Recorded = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(seq)
        .fetch_one(&mut *connection)
        .await?;
    let project: i64 = sqlx::query_scalar("SELECT project FROM traces WHERE seq = ?")
        .bind(seq)
        .fetch_one(&mut *connection)
        .await?;
    let key = recorded.key;
    let steps = fetch::steps(connection, seq).await?;
    for step in &steps {
        let tally = Tally::of(&step.step, step.chars, step.removals);
        changes.take_back(Of::Hooks, step.owner, key.0, &tally);
        changes.take_back(Of::Projects, project, key.0, &tally);
    }
    let old = recorded.bare(steps.into_iter().map(|step| step.step).collect());
    let less: BTreeMap<Mark<'_>, i64> = marks(&old).into_iter().map(|mark| (mark, -1)).collect();
    for (_, name) in name_ids(connection, &less).await? {
        let sql = "DELETE FROM marks WHERE name = ? AND at_ns = ? AND id = ?";
        sqlx::query(sql)
            .bind(name)
            .bind(key.0)
            .bind(key.1.to_vec())
            .execute(&mut *connection)
            .await?;
    }
    for sql in [
        "DELETE FROM steps WHERE seq = ?",
        "DELETE FROM bodies WHERE seq = ?",
        "DELETE FROM traces WHERE seq = ?",
    ] {
        sqlx::query(sql).bind(seq).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Notes how far files are imported; never back.
async fn advance(
    connection: &mut SqliteConnection,
    chunks: &[Chunk],
    done: &HashMap<String, u64>,
) -> Result<(), sqlx::Error> {
    let ahead = chunks
        .iter()
        .filter(|chunk| chunk.end > done.get(&chunk.file).copied().unwrap_or(0));
    let rows: Vec<(&str, u64, u64)> = ahead
        .map(|chunk| (chunk.file.as_str(), chunk.end, chunk.unread))
        .collect();
    sqlx::query(
        "INSERT INTO spool_files (name, imported, unread) SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true \
         ON CONFLICT (name) DO UPDATE SET imported = max(imported, excluded.imported), unread = unread + excluded.unread",
    )
    .bind(json(&rows))
    .execute(connection)
    .await
    .map(drop)
}

/// Adds to a counter.
pub(crate) async fn count(connection: &mut SqliteConnection, name: &str, more: u64) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value")
        .bind(name)
        .bind(i64::try_from(more).unwrap_or(i64::MAX))
        .execute(connection)
        .await
        .map(drop)
}
