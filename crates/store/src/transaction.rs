//! Writing transactions that survive what SQLite does by itself.
//!
//! The driver's own transactions count depth: when a full disk makes SQLite roll back on its own, that count stays wrong
//! and the connection can begin nothing any more. These look at what the connection says instead.

use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqliteConnection, SqlitePool};

/// A transaction that holds the write lock from its begin. Dropped unfinished, it is rolled back with its connection.
#[derive(Debug)]
pub(crate) struct Transaction {
    connection: Option<PoolConnection<Sqlite>>,
}

impl Transaction {
    /// Begins one, waiting for other processes' ones.
    pub(crate) async fn begin(writer: &SqlitePool) -> Result<Self, sqlx::Error> {
        let mut connection = writer.acquire().await?;
        sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await?;
        Ok(Self {
            connection: Some(connection),
        })
    }

    /// The connection to write through.
    pub(crate) fn connection(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        self.connection.as_deref_mut().ok_or(sqlx::Error::PoolClosed)
    }

    /// Commits what succeeded, and takes back what did not.
    pub(crate) async fn finish<T>(mut self, result: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        let connection = self.connection()?;
        let result = match result {
            Ok(value) => sqlx::query("COMMIT").execute(&mut *connection).await.map(|_| value),
            Err(error) => Err(error),
        };
        if result.is_err() {
            // Fails when SQLite has rolled back already, which is just as well.
            let _ = sqlx::query("ROLLBACK").execute(&mut *connection).await;
        }
        // Back to the pool.
        drop(self.connection.take());
        result
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(connection.detach());
        }
    }
}
