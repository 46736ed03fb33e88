//! The newest part of the spool in memory, for as long as the database cannot be used or cannot grow (`CONTRACTS.md`
//! §2.6).

use std::collections::HashMap;
use std::sync::Arc;

use hookwright_model::trace::Trace;

use crate::error::StoreError;
use crate::handed_lines::HandedLines;
use crate::import::{read_positions, run_blocking};
use crate::open::{Db, Persistence};
use crate::spool_tail::{LIMITS_SPOOL_ONLY, count_unread, find_unread, newest_starts, unread_ranges};
use crate::store::Store;

/// A database in memory has at most so many traces. Then it is made again from the newest ones.
const MAX_TRACES: u64 = 2 * LIMITS_SPOOL_ONLY.lines;

/// The newest part of the spool, in a database of its own or on top of the database file.
pub(crate) struct MemoryDb {
    db: Arc<Db>,
    traces: u64,
    /// How many older lines were left out.
    left_out: u64,
}

impl MemoryDb {
    fn is_uncommitted(&self) -> bool {
        self.db.persistence() == Persistence::Uncommitted
    }
}

impl Store {
    /// The database to read from. If it cannot be used, it is one in memory, with what was spooled until now.
    pub(crate) async fn reading_db(&self) -> Result<Arc<Db>, StoreError> {
        let mut memory = self.memory.lock().await;
        let is_uncommitted = memory.as_ref().is_some_and(MemoryDb::is_uncommitted);
        if let (Some(db), false) = (self.db().await, is_uncommitted) {
            return Ok(db);
        }
        let current = match memory.take_if(|it| it.traces < MAX_TRACES || is_uncommitted) {
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

    /// Lets reads of this process see the newest part of the spool, although the disk is too full to import it. Until
    /// [`Self::close`] or the next import, no other process can write to the database. So this is for commands.
    ///
    /// # Errors
    /// The database or the spool cannot be read, or another process is writing for more than 2 s.
    pub async fn read_spool_over_full_disk(&self) -> Result<(), StoreError> {
        let Some(db) = self.db().await else { return Ok(()) };
        let imported = read_positions(&db).await;
        let imported = self.check_result(&db, imported).await?;
        let (starts, left_out) = self.newest_starts(imported.clone()).await?;
        let db = Db::uncommitted(&self.folder, imported.into_iter().chain(starts).collect()).await;
        let db = db.map_err(|error| StoreError::from_sqlx(self.folder.database(), &error))?;
        *self.memory.lock().await = Some(MemoryDb {
            db: Arc::new(db),
            traces: 0,
            left_out,
        });
        Ok(())
    }

    /// Ends what [`Self::read_spool_over_full_disk`] began.
    pub(crate) async fn forget_uncommitted(&self) {
        let taken = self.memory.lock().await.take_if(|it| it.is_uncommitted());
        if let Some(memory) = taken {
            memory.db.close().await;
        }
    }

    async fn newest_starts(&self, imported: HashMap<String, u64>) -> Result<(HashMap<String, u64>, u64), StoreError> {
        let dir = self.folder.spool();
        let newest = run_blocking(move || newest_starts(&dir, &imported, LIMITS_SPOOL_ONLY)).await;
        newest.map_err(|error| StoreError::from_io(self.folder.spool(), error))
    }

    async fn new_memory_db(&self) -> Result<MemoryDb, StoreError> {
        let (starts, left_out) = self.newest_starts(HashMap::new()).await?;
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
        let memory = self
            .memory
            .lock()
            .await
            .as_ref()
            .map(|it| (it.is_uncommitted(), it.left_out));
        let db = match (self.db().await, memory) {
            (Some(db), None | Some((false, _))) => db,
            (_, memory) => return Ok(memory.map_or(0, |(_, left_out)| left_out)),
        };
        let positions = read_positions(&db).await;
        let positions = self.check_result(&db, positions).await?;
        let (dir, known) = (self.folder.spool(), Arc::clone(&self.line_counts));
        let unread = run_blocking(move || count_unread(&dir, &positions, &known)).await;
        unread.map_err(|error| StoreError::from_io(self.folder.spool(), error))
    }

    /// The trace with this complete id, if its newest version waits in the spool.
    pub(crate) async fn find_unread(&self, id: &str) -> Result<Option<Trace>, StoreError> {
        let Some(db) = self.db().await.filter(|_| id.len() == ulid::ULID_LEN) else {
            return Ok(None);
        };
        let positions = read_positions(&db).await;
        let positions = self.check_result(&db, positions).await?;
        let (dir, catalog, id) = (self.folder.spool(), self.catalog.clone(), id.to_ascii_uppercase());
        let found = run_blocking(move || find_unread(&dir, &positions, &id, &catalog)).await;
        found.map_err(|error| StoreError::from_io(self.folder.spool(), error))
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
