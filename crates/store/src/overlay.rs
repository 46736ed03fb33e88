//! What stands in the spool and not yet in the database, for readers: both are seen as one (`CONTRACTS.md` §2.6).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use sqlx::SqliteConnection;

use crate::error::StoreError;
use crate::import::{blocking, positions};
use crate::newest::{ALONE, BESIDE, parts, read_newest};
use crate::open::Db;
use crate::store::{Standing, Store};
use crate::unread::Incoming;
use crate::weigh::{News, most_complete, weigh};

impl Store {
    /// The newest lines of the spool that were not imported when it was looked at; how many more there are is remembered.
    /// Read before the snapshot is taken: what is imported in between is then in both, never in neither.
    pub(crate) async fn unread(&self, db: Option<&Arc<Db>>) -> Result<Vec<Incoming>, StoreError> {
        let known = self.positions(db).await?;
        let (dir, reach) = (self.folder.spool(), if db.is_some() { BESIDE } else { ALONE });
        let counted = Arc::clone(&self.counted);
        let newest = blocking(move || read_newest(&dir, &known, reach, &counted)).await;
        let (traces, left_out) = newest.map_err(|error| StoreError::io(self.folder.spool(), error))?;
        self.left_out.store(left_out, Ordering::Relaxed);
        Ok(traces)
    }

    async fn positions(&self, db: Option<&Arc<Db>>) -> Result<HashMap<String, u64>, StoreError> {
        match db {
            Some(db) => {
                let known = positions(db).await;
                self.checked(db, known).await
            }
            None => Ok(HashMap::new()),
        }
    }

    /// Whether there is anything in the spool that was not imported, whole lines or not.
    ///
    /// # Errors
    /// The database or the spool cannot be read, or the database was found damaged.
    pub async fn has_unread(&self) -> Result<bool, StoreError> {
        Ok(self.unread_bytes().await? > 0)
    }

    /// Whether a database that can be used lacks more than is read beside it, so that it is worth waiting for an import.
    pub async fn is_behind(&self) -> bool {
        let usable = !matches!(self.standing().await, Standing::SpoolOnly { .. });
        usable && self.unread_bytes().await.is_ok_and(|bytes| bytes > BESIDE.bytes)
    }

    async fn unread_bytes(&self) -> Result<u64, StoreError> {
        let db = self.db().await;
        let known = self.positions(db.as_ref()).await?;
        let dir = self.folder.spool();
        let sizes = blocking(move || Ok(parts(&dir, &known)?.iter().map(|(_, from, to)| to - from).sum())).await;
        sizes.map_err(|error| StoreError::io(self.folder.spool(), error))
    }
}

/// Spooled traces that a snapshot of the database does not hold, or not so complete.
#[derive(Default)]
pub(crate) struct Overlay<'a> {
    pub(crate) news: Vec<News<'a>>,
}

impl<'a> Overlay<'a> {
    /// Compares the spool with a snapshot.
    pub(crate) async fn over(snapshot: &mut SqliteConnection, unread: &'a [Incoming]) -> Result<Self, sqlx::Error> {
        Ok(Self {
            news: weigh(snapshot, unread.iter().collect()).await?,
        })
    }

    /// Without a database all of it is new.
    pub(crate) fn alone(unread: &'a [Incoming]) -> Self {
        Self {
            news: most_complete(unread.iter())
                .map(|incoming| News {
                    incoming,
                    replaces: None,
                })
                .collect(),
        }
    }

    /// The traces.
    pub(crate) fn traces(&self) -> impl Iterator<Item = &'a Incoming> {
        self.news.iter().map(|it| it.incoming)
    }

    /// `traces.seq` of the rows that are out of date.
    pub(crate) fn replaced(&self) -> HashSet<i64> {
        self.news.iter().filter_map(|it| it.replaces).collect()
    }
}
