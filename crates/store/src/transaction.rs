//! Transactions that stay correct when SQLite rolls back by itself.
//!
//! The driver's own transactions count their depth. When a full or failing disk makes SQLite roll back by itself, that
//! count stays wrong, and the connection can begin no further transaction. These transactions keep no such count: they
//! use only the result of each statement.

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqliteConnection, SqlitePool};

/// A transaction. If it is dropped unfinished, its connection is closed, which rolls it back.
#[derive(Debug)]
pub(crate) struct Transaction {
    connection: PoolConnection<Sqlite>,
    finished: bool,
}

impl Transaction {
    /// Begins a transaction that writes, and waits for those of other processes.
    pub(crate) async fn begin_write(writer: &SqlitePool) -> Result<Self, sqlx::Error> {
        Self::begin_with(writer, "BEGIN IMMEDIATE").await
    }

    /// Begins a transaction that reads. What others commit after the first statement is not visible.
    pub(crate) async fn begin_read(readers: &SqlitePool) -> Result<Self, sqlx::Error> {
        Self::begin_with(readers, "BEGIN").await
    }

    async fn begin_with(pool: &SqlitePool, begin: &'static str) -> Result<Self, sqlx::Error> {
        let mut connection = pool.acquire().await?;
        sqlx::query(begin).execute(&mut *connection).await?;
        Ok(Self {
            connection,
            finished: false,
        })
    }

    /// Commits on success, and rolls back on an error.
    pub(crate) async fn finish<T>(mut self, result: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        let result = match result {
            Ok(value) => sqlx::query("COMMIT")
                .execute(&mut *self.connection)
                .await
                .map(|_| value),
            Err(error) => Err(error),
        };
        if result.is_err() {
            // This fails if SQLite has already rolled back, which is also fine.
            let _ = sqlx::query("ROLLBACK").execute(&mut *self.connection).await;
        }
        self.finished = true;
        result
    }
}

impl Deref for Transaction {
    type Target = SqliteConnection;

    fn deref(&self) -> &SqliteConnection {
        &self.connection
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut SqliteConnection {
        &mut self.connection
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.finished {
            self.connection.close_on_drop();
        }
    }
}
