//! Reading the newest traces one after the other, with their bodies.

use std::ops::ControlFlow;

use hookwright_model::Catalog;
use hookwright_model::trace::Trace;
use sqlx::SqliteConnection;

use crate::blocks::{read_block, trace_at};
use crate::error::StoreError;
use crate::fetch::{StoredTrace, full_trace};
use crate::filter::TraceFilter;
use crate::page::read_page;
use crate::store::Store;
use crate::transaction::Transaction;

/// Receives traces until it breaks.
pub type TraceVisitor<'v> = dyn FnMut(Trace) -> ControlFlow<()> + Send + 'v;

impl Store {
    /// Calls `visit` with the newest traces that match, newest first, until it breaks. There are at most `limit`. A trace
    /// whose body was removed has `bodies_removed_days`. Only one trace is in memory at a time.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn visit_newest(
        &self,
        filter: &TraceFilter,
        limit: u32,
        visit: &mut TraceVisitor<'_>,
    ) -> Result<(), StoreError> {
        let db = self.reading_db().await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).max(1);
        let found = read_page(&db, filter, None, limit).await;
        let mut rows = self.check_result(&db, found).await?;
        rows.truncate(limit);
        let mut transaction = self.check_result(&db, Transaction::begin_read(&db).await).await?;
        let visited = visit_rows(&mut transaction, rows, &self.catalog, visit).await;
        let visited = transaction.finish(visited).await;
        self.check_result(&db, visited).await
    }
}

async fn visit_rows(
    connection: &mut SqliteConnection,
    rows: Vec<StoredTrace>,
    catalog: &Catalog,
    visit: &mut TraceVisitor<'_>,
) -> Result<(), sqlx::Error> {
    // Neighbours in time are mostly in one block. It is decompressed once for all of them.
    let mut block: Option<(i64, Vec<u8>)> = None;
    for stored in rows {
        if let Some(part) = stored.body
            && block.as_ref().is_none_or(|(id, _)| *id != part.block)
        {
            block = read_block(connection, part.block).await?.map(|data| (part.block, data));
        }
        let with_body = match (stored.body, &block) {
            (Some(part), Some((id, data))) if *id == part.block => trace_at(data, part, catalog),
            (Some(_) | None, _) => None,
        };
        let trace = match with_body {
            Some(trace) => trace,
            None => full_trace(connection, stored, catalog).await?,
        };
        if visit(trace).is_break() {
            break;
        }
    }
    Ok(())
}
