//! The newest part of the spool in a database in memory, for as long as the database itself cannot be used
//! (`CONTRACTS.md` §2.6).

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::StoreError;
use crate::handed_lines::HandedLines;
use crate::import::{read_positions, run_blocking};
use crate::open::Db;
use crate::spool_tail::{LIMITS_SPOOL_ONLY, count_unread, newest_starts, unread_ranges};
use crate::store::Store;

/// A database in memory has at most so many traces. Then it is made again from the newest ones.
const MAX_TRACES: u64 = 2 * LIMITS_SPOOL_ONLY.lines;

/// The newest part of the spool.
pub(crate) struct MemoryDb {
    db: Arc<Db>,
    traces: u64,
    /// How many older lines were left out.
    left_out: u64,
}

impl Store {
    /// The database to read from. If it cannot be used, it is one in memory, with what was spooled until now.
    pub(crate) async fn reading_db(&self) -> Result<Arc<Db>, StoreError> {
        if let Some(db) = self.db().await {
            return Ok(db);
        }
        let mut memory = self.memory.lock().await;
        let current = match memory.take_if(|it| it.traces < MAX_TRACES) {
            Some(current) => current,
            None => self.new_memory_db().await?,
        };
        let imported = self.import_into(&current.db, HandedLines::read_everything()).await?;
        let db = Arc::clone(&current.db);
        *memory = Some(MemoryDb {
            traces: current.traces + imported.traces,
            ..current
        });
        Ok(db)
    }

    async fn new_memory_db(&self) -> Result<MemoryDb, StoreError> {
        let dir = self.folder.spool();
        let newest = run_blocking(move || newest_starts(&dir, &HashMap::new(), LIMITS_SPOOL_ONLY)).await;
        let (starts, left_out) = newest.map_err(|error| StoreError::from_io(self.folder.spool(), error))?;
        let db = Db::in_memory(starts).await;
        let db = db.map_err(|error| StoreError::from_sqlx(self.folder.database(), &error))?;
        Ok(MemoryDb {
            db: Arc::new(db),
            traces: 0,
            left_out,
        })
    }

    /// How many recorded traces no read contains yet: those that are not imported, or that do not fit into memory.
    ///
    /// # Errors
    /// The database or the spool cannot be read, or the database was found damaged.
    pub async fn waiting(&self) -> Result<u64, StoreError> {
        let Some(db) = self.db().await else {
            return Ok(self.memory.lock().await.as_ref().map_or(0, |memory| memory.left_out));
        };
        let positions = read_positions(&db).await;
        let positions = self.check_result(&db, positions).await?;
        let (dir, known) = (self.folder.spool(), Arc::clone(&self.line_counts));
        let unread = run_blocking(move || count_unread(&dir, &positions, &known)).await;
        unread.map_err(|error| StoreError::from_io(self.folder.spool(), error))
    }

    /// Whether the spool contains anything that is not imported, whole lines or not.
    ///
    /// # Errors
    /// The database or the spool cannot be read, or the database was found damaged.
    pub async fn has_unread(&self) -> Result<bool, StoreError> {
        let positions = match self.db().await {
            Some(db) => {
                let positions = read_positions(&db).await;
                self.check_result(&db, positions).await?
            }
            None => HashMap::new(),
        };
        let dir = self.folder.spool();
        let ranges = run_blocking(move || unread_ranges(&dir, &positions)).await;
        let ranges = ranges.map_err(|error| StoreError::from_io(self.folder.spool(), error))?;
        Ok(!ranges.is_empty())
    }
}
