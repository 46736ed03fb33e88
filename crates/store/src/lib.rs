//! History and metrics in SQLite, and the spool that stands before them.
//!
//! What it is: the one place that knows SQL. A fired event's trace is first a line in the [`Spool`], by one write on
//! the event path; a [`Writer`] off that path brings it into the database, with its metrics in the same transaction.
//! Readers ([`Store::page`], [`Store::show`], [`Store::stats`], [`Store::bars`],
//! [`Store::moments`]) see both as one.
//!
//! What it deliberately does not do: it redacts nothing (what arrives is written), it never deletes a file that it could
//! not read, and it asks the wall clock for nothing but the names of spool files: any other time is handed in.
//!
//! How it works: every process that uses the database shares `history.lock`; who migrates or sets aside holds it alone
//! (`CONTRACTS.md` §2.6), so that no file is ever renamed under another process. A trace's whole JSON is its body;
//! columns hold what outlives bodies. Pages are walked by (time, id), never by offset. Metrics are rolled up by minute,
//! hour and day, as numbers and a logarithmic histogram that add up.

mod about;
mod bars;
mod commit;
mod cursor;
mod digest;
mod error;
mod fetch;
mod filter;
mod folder;
#[cfg(test)]
mod full;
mod histogram;
mod import;
mod insert;
mod metrics;
mod moments;
mod newest;
mod open;
mod overlay;
mod page;
mod retention;
mod rollup;
#[cfg(test)]
mod samples;
mod sheet;
mod spool;
mod store;
mod tally;
mod tools;
mod transaction;
mod unread;
mod varint;
mod weigh;
mod writer;

pub use about::about;
pub use bars::Bar;
pub use cursor::Cursor;
pub use digest::{row, without_body};
pub use error::StoreError;
pub use filter::Filter;
pub use folder::{set_aside, spool_aside};
pub use import::{Imported, Refused};
pub use metrics::HookStats;
pub use moments::Moment;
pub use page::{Counts, Page};
pub use retention::{Policy, Removed};
pub use spool::{Kept, Losses, NotKept, Restored, Short, Spool};
pub use store::{Mode, Now, Standing, Store, StoreState};
pub use tools::ToolStats;
pub use unread::{Spooled, read_all, unread_files};
pub use writer::Writer;
