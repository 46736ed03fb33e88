//! Transactions that stay correct when SQLite rolls back by itself.
//!
//! The driver's own transactions count their depth. When a full or failing disk makes SQLite roll back by itself, that
//! count stays wrong, and the connection can begin no further transaction. These transactions keep no such count: they
//! use only the result of each statement.

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqliteConnection, SqlitePool};

use crate::open::{Db, Persistence};

/// A transaction. If it is dropped unfinished, its connection is closed, which rolls it back.
#[derive(Debug)]
pub(crate) struct Transaction {
    connection: PoolConnection<Sqlite>,
    statements: Statements,
    finished: bool,
}

/// The statements that begin, commit and roll back.
#[derive(Debug)]
struct Statements {
    begin: &'static str,
    commit: &'static str,
    roll_back: &'static str,
}

const WRITE: Statements = Statements {
    begin: "BEGIN IMMEDIATE",
    commit: "COMMIT",
    roll_back: "ROLLBACK",
};
const READ: Statements = Statements {
    begin: "BEGIN",
    ..WRITE
};
/// Within the transaction of a database that is never committed.
const NESTED: Statements = Statements {
    begin: "SAVEPOINT part",
    commit: "RELEASE part",
    roll_back: "ROLLBACK TO part",
};

fn statements_for(db: &Db, usual: Statements) -> Statements {
    match db.persistence() {
        Persistence::Committed | Persistence::Memory => usual,
        Persistence::Uncommitted => NESTED,
    }
}

impl Transaction {
    /// Begins a transaction that writes, and waits for those of other processes.
    pub(crate) async fn begin_write(writer: &SqlitePool) -> Result<Self, sqlx::Error> {
        Self::begin_with(writer, WRITE).await
    }

    /// Begins the transaction of an import. `writer` belongs to `db`.
    pub(crate) async fn begin_import(db: &Db, writer: &SqlitePool) -> Result<Self, sqlx::Error> {
        Self::begin_with(writer, statements_for(db, WRITE)).await
    }

    /// Begins a transaction that reads. What others commit after the first statement is not visible.
    pub(crate) async fn begin_read(db: &Db) -> Result<Self, sqlx::Error> {
        Self::begin_with(&db.readers, statements_for(db, READ)).await
    }

    async fn begin_with(pool: &SqlitePool, statements: Statements) -> Result<Self, sqlx::Error> {
        // If this future is dropped while the statement runs, the connection is closed too.
        let mut transaction = Self {
            connection: pool.acquire().await?,
            statements,
            finished: false,
        };
        sqlx::query(transaction.statements.begin)
            .execute(&mut *transaction.connection)
            .await?;
        Ok(transaction)
    }

    /// Commits on success, and rolls back on an error.
    pub(crate) async fn finish<T>(mut self, result: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        let result = match result {
            Ok(value) => sqlx::query(self.statements.commit)
                .execute(&mut *self.connection)
                .await
                .map(|_| value),
            Err(error) => Err(error),
        };
        if result.is_err() {
            // This fails if SQLite has already rolled back, which is also fine.
            let _ = sqlx::query(self.statements.roll_back)
                .execute(&mut *self.connection)
                .await;
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
