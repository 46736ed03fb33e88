//! What became of each event of a dialect: how often, how often it was held, and what was last.

use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::trace::TraceRow;
use jiff::Timestamp;

use crate::error::StoreError;
use crate::filter::Filter;
use crate::open::Db;
use crate::overlay::Overlay;
use crate::store::Store;
use crate::transaction::Transaction;
use crate::unread::Incoming;

/// One event of a dialect.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moment {
    /// How many traces since then.
    pub traces: u64,
    /// How many of them held the agent.
    pub held: u64,
    /// The newest trace, however old.
    pub last: Option<TraceRow>,
}

/// Traces and held ones, by event.
type Tally = BTreeMap<String, (u64, u64)>;

impl Store {
    /// What became of these events of a dialect in a project: counted since then, the newest of all times.
    ///
    /// # Errors
    /// The database or the spool cannot be read, or the database was found damaged.
    pub async fn moments(
        &self,
        project: &str,
        dialect: &str,
        events: &[&str],
        since: Timestamp,
    ) -> Result<BTreeMap<String, Moment>, StoreError> {
        let filter = Filter {
            project: Some(project.to_owned()),
            dialect: Some(dialect.to_owned()),
            since: Some(since),
            ..Filter::default()
        };
        let mut tally = self.tallied(&filter).await?;
        let mut moments = BTreeMap::new();
        for event in events {
            let newest = Filter {
                event: Some((*event).to_owned()),
                since: None,
                ..filter.clone()
            };
            let (traces, held) = tally.remove(*event).unwrap_or_default();
            let last = self.page(&newest, None, 1).await?.rows.into_iter().next();
            moments.insert((*event).to_owned(), Moment { traces, held, last });
        }
        Ok(moments)
    }

    async fn tallied(&self, filter: &Filter) -> Result<Tally, StoreError> {
        let db = self.db().await;
        let unread = self.unread(db.as_ref()).await?;
        let (spooled, mut tally) = match &db {
            Some(db) => {
                let counted = counted(db, &unread, filter).await;
                self.checked(db, counted).await?
            }
            None => (Overlay::alone(&unread), Tally::new()),
        };
        let news = spooled.news.iter().filter(|it| it.replaces.is_none());
        for it in news.filter(|it| filter.matches(&it.incoming.trace)) {
            let trace = &it.incoming.trace;
            let (traces, held) = tally.entry(trace.event.clone()).or_default();
            *traces += 1;
            *held += u64::from(trace.verdict.kind.holds());
        }
        Ok(tally)
    }
}

async fn counted<'a>(
    db: &Arc<Db>,
    unread: &'a [Incoming],
    filter: &Filter,
) -> Result<(Overlay<'a>, Tally), sqlx::Error> {
    let mut snapshot = Transaction::snapshot(&db.readers).await?;
    let spooled = Overlay::over(&mut snapshot, unread).await?;
    let rows: Vec<(String, Option<String>, i64)> = sqlx::query_as(
        "SELECT (SELECT value FROM names WHERE id = t.event), t.verdict ->> 'kind', count(*) FROM traces t \
         WHERE t.at_ns >= ? AND t.dialect = (SELECT id FROM names WHERE kind = 'dialect' AND value = ?) \
         AND t.project = (SELECT id FROM names WHERE kind = 'project' AND value = ?) GROUP BY 1, 2",
    )
    .bind(filter.since_ns())
    .bind(filter.dialect.as_deref())
    .bind(filter.project.as_deref())
    .fetch_all(&mut *snapshot)
    .await?;
    let mut tally = Tally::new();
    for (event, verdict, count) in rows {
        let count = count.unsigned_abs();
        let (traces, held) = tally.entry(event).or_default();
        *traces += count;
        *held += if verdict.as_deref().is_some_and(holds) {
            count
        } else {
            0
        };
    }
    snapshot.finish(Ok((spooled, tally))).await
}

/// Whether a verdict of this word holds the agent; an unknown word is of a later version and counts as none.
fn holds(word: &str) -> bool {
    serde_json::from_value(word.into()).is_ok_and(hookwright_model::VerdictKind::holds)
}
