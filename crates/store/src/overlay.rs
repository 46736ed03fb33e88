//! Spooled traces that are not yet in the database. Readers see spool and database as one (`CONTRACTS.md` §2.6).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use sqlx::SqliteConnection;

use crate::dedup::{Upsert, dedup, most_complete};
use crate::error::StoreError;
use crate::import::{read_positions, run_blocking};
use crate::open::Db;
use crate::spool_reader::SpooledTrace;
use crate::spool_tail::{LIMITS_SPOOL_ONLY, LIMITS_WITH_DATABASE, read_newest, unread_ranges};
use crate::store::{Availability, Store};

impl Store {
    /// The newest lines of the spool that are not imported yet. The number of older ones is stored in `left_out`.
    ///
    /// The spool is read before the database snapshot is taken. A trace that is imported in between is then in both,
    /// never in neither.
    pub(crate) async fn unread_traces(&self, db: Option<&Arc<Db>>) -> Result<Vec<SpooledTrace>, StoreError> {
        let known = self.read_import_positions(db).await?;
        let (dir, limits) = (
            self.folder.spool(),
            if db.is_some() {
                LIMITS_WITH_DATABASE
            } else {
                LIMITS_SPOOL_ONLY
            },
        );
        let counted = Arc::clone(&self.line_counts);
        let newest = run_blocking(move || read_newest(&dir, &known, limits, &counted)).await;
        let (traces, left_out) = newest.map_err(|error| StoreError::from_io(self.folder.spool(), error))?;
        self.left_out.store(left_out, Ordering::Relaxed);
        Ok(traces)
    }

    async fn read_import_positions(&self, db: Option<&Arc<Db>>) -> Result<HashMap<String, u64>, StoreError> {
        match db {
            Some(db) => {
                let known = read_positions(db).await;
                self.check_result(db, known).await
            }
            None => Ok(HashMap::new()),
        }
    }

    /// Whether the spool contains anything that is not imported, whole lines or not.
    ///
    /// # Errors
    /// The database or the spool cannot be read, or the database was found damaged.
    pub async fn has_unread(&self) -> Result<bool, StoreError> {
        Ok(self.unread_bytes().await? > 0)
    }

    /// Whether the spool contains more than is read together with a usable database, so that waiting for an import is
    /// useful.
    pub async fn is_behind(&self) -> bool {
        let usable = !matches!(self.availability().await, Availability::SpoolOnly { .. });
        usable
            && self
                .unread_bytes()
                .await
                .is_ok_and(|bytes| bytes > LIMITS_WITH_DATABASE.bytes)
    }

    async fn unread_bytes(&self) -> Result<u64, StoreError> {
        let db = self.db().await;
        let known = self.read_import_positions(db.as_ref()).await?;
        let dir = self.folder.spool();
        let sizes =
            run_blocking(move || Ok(unread_ranges(&dir, &known)?.iter().map(|(_, from, to)| to - from).sum())).await;
        sizes.map_err(|error| StoreError::from_io(self.folder.spool(), error))
    }
}

/// Spooled traces that a snapshot of the database does not contain, or contains less completely.
#[derive(Default)]
pub(crate) struct SpoolOverlay<'a> {
    pub(crate) upserts: Vec<Upsert<'a>>,
}

impl<'a> SpoolOverlay<'a> {
    /// Compares the spool with a snapshot of the database.
    pub(crate) async fn new(
        transaction: &mut SqliteConnection,
        unread: &'a [SpooledTrace],
    ) -> Result<Self, sqlx::Error> {
        Ok(Self {
            upserts: dedup(transaction, unread.iter().collect()).await?,
        })
    }

    /// Takes all spooled traces as new, because there is no database.
    pub(crate) fn without_database(unread: &'a [SpooledTrace]) -> Self {
        Self {
            upserts: most_complete(unread.iter())
                .map(|incoming| Upsert {
                    incoming,
                    replaces: None,
                })
                .collect(),
        }
    }

    /// The spooled traces that are new or replace a row.
    pub(crate) fn traces(&self) -> impl Iterator<Item = &'a SpooledTrace> {
        self.upserts.iter().map(|it| it.incoming)
    }

    /// `traces.seq` of the rows that spooled traces replace.
    pub(crate) fn replaced_rows(&self) -> HashSet<i64> {
        self.upserts.iter().filter_map(|it| it.replaces).collect()
    }
}
