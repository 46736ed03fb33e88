//! History and metrics in SQLite, and the spool that stands before them.
//!
//! What it is: the one place that knows SQL. A fired event's trace is first a line in the [`Spool`], by one write on
//! the event path; a [`Writer`] off that path brings it into the database, with its metrics in the same transaction.
//! Readers ([`Store::page`], [`Store::show`], [`Store::stats`], [`Store::bars`],
//! [`Store::event_activity`]) see both as one.
//!
//! What it deliberately does not do: it redacts nothing (what arrives is written), it never deletes a file that it could
//! not read, and it asks the wall clock for nothing but the names of spool files: any other time is handed in.
//!
//! How it works: every process that uses the database shares `history.lock`; who migrates or sets aside holds it alone
//! (`CONTRACTS.md` §2.6), so that no file is ever renamed under another process. A trace's whole JSON is its body;
//! columns hold what outlives bodies. Pages are walked by (time, id), never by offset. Metrics are rolled up by minute,
//! hour and day, as numbers and a logarithmic histogram that add up.

mod bars;
mod commit;
mod cursor;
mod data_folder;
mod dedup;
#[cfg(test)]
mod disk_full_tests;
mod error;
mod event_activity;
mod fetch;
mod filter;
mod histogram;
mod import;
mod insert;
mod metrics;
mod open;
mod open_segment;
mod overlay;
mod page;
mod projection;
mod retention;
mod rollup;
#[cfg(test)]
mod samples;
mod spool;
mod spool_reader;
mod spool_tail;
mod step_totals;
mod store;
mod summary;
mod tools;
mod transaction;
mod varint;
mod writer;

pub use bars::OutcomeBar;
pub use cursor::Cursor;
pub use data_folder::{quarantined_databases, quarantined_spools};
pub use error::StoreError;
pub use event_activity::EventActivity;
pub use filter::TraceFilter;
pub use import::{ImportResult, RefusedTrace};
pub use metrics::HookStats;
pub use page::{HistoryPage, TraceCounts};
pub use projection::{trace_row, without_body};
pub use retention::{RetentionPolicy, RetentionResult};
pub use spool::{AppendError, AppendResult, DiskFullLosses, NoSpace, RestoreRecord, Spool};
pub use spool_reader::{SpoolContents, read_all, unread_files};
pub use store::{AccessMode, Availability, Clock, Store, StoreState};
pub use summary::summarize;
pub use tools::ToolStats;
pub use writer::Writer;
