//! Transactions that survive what SQLite does by itself.
//!
//! The driver's own transactions count depth: when a full disk or a failing one makes SQLite roll back on its own, that
//! count stays wrong and the connection can begin nothing any more. These look at what the connection says instead.

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqliteConnection, SqlitePool};

/// A transaction. Dropped unfinished, it is rolled back by closing its connection.
#[derive(Debug)]
pub(crate) struct Transaction {
    connection: PoolConnection<Sqlite>,
    finished: bool,
}

impl Transaction {
    /// Begins to write, waiting for other processes' transactions.
    pub(crate) async fn begin_write(writer: &SqlitePool) -> Result<Self, sqlx::Error> {
        Self::begin_with(writer, "BEGIN IMMEDIATE").await
    }

    /// Begins to read: what others commit from the first statement on is not seen.
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

    /// Commits what succeeded, and takes back what did not.
    pub(crate) async fn finish<T>(mut self, result: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        let result = match result {
            Ok(value) => sqlx::query("COMMIT")
                .execute(&mut *self.connection)
                .await
                .map(|_| value),
            Err(error) => Err(error),
        };
        if result.is_err() {
            // Fails when SQLite has rolled back already, which is just as well.
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
