//! What stands in the spool and not yet in the database, for readers: both are seen as one (`CONTRACTS.md` §2.6).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sqlx::SqliteConnection;

use crate::error::StoreError;
use crate::import::{blocking, positions};
use crate::open::Db;
use crate::store::Store;
use crate::unread::{Incoming, read_from};
use crate::weigh::{News, most_complete, weigh};

impl Store {
    /// All lines of the spool that were not imported when it was looked at. Read before the snapshot is taken: what is
    /// imported in between is then in both, never in neither.
    pub(crate) async fn unread(&self, db: Option<&Arc<Db>>) -> Result<Vec<Incoming>, StoreError> {
        let known = match db {
            Some(db) => {
                let known = positions(db).await;
                self.checked(db, known).await?
            }
            None => HashMap::new(),
        };
        let dir = self.folder.spool();
        let chunks = blocking(move || read_from(&dir, &known)).await;
        let chunks = chunks.map_err(|error| StoreError::io(self.folder.spool(), error))?;
        Ok(chunks.into_iter().flat_map(|chunk| chunk.traces).collect())
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
