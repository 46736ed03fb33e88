//! History and metrics in SQLite, and the spool that takes each trace before the database does.
//!
//! What it is: the only crate that contains SQL. A fired event's trace is first written to the [`Spool`] as one line,
//! by one write on the event path. A [`Writer`] outside that path imports it into the database, with its metrics in the
//! same transaction. Who reads ([`Store::page`], [`Store::show`], [`Store::metrics`], [`Store::bars`],
//! [`Store::event_activity`]) imports first. While the database cannot be used, the newest part of the spool is imported
//! into a database in memory, so each query exists once.
//!
//! What it deliberately does not do: it redacts nothing, so a trace is written as it arrives. It never deletes a file
//! that it could not read. It reads the wall clock only for the names of spool files; any other time is passed in.
//!
//! How it works: every process that uses the database shares `history.lock`. A process that migrates or quarantines the
//! database holds that lock exclusively (`CONTRACTS.md` §2.6), so that no file is renamed while another process uses
//! it. The spool line of a trace is its body, in a compressed block; columns contain what outlives the body. Pages are
//! read by (time, id), never by offset. Metrics are rolled up by minute, hour and day. They are numbers and a logarithmic histogram, and
//! both can be added up.

mod bars;
mod blocks;
mod commit;
mod cursor;
mod data_folder;
mod dedup;
#[cfg(test)]
mod disk_full_tests;
mod error;
mod event_activity;
mod event_counts;
mod fetch;
mod filter;
mod handed_lines;
mod histogram;
mod import;
mod insert;
mod memory;
mod metric_sums;
mod metrics;
mod newest;
mod open;
mod open_segment;
mod page;
mod projection;
mod removal;
mod retention;
mod rollup;
mod run_facts;
#[cfg(test)]
mod samples;
mod search;
mod spool;
mod spool_reader;
mod spool_tail;
mod step_totals;
mod store;
mod summary;
mod tools;
mod trace_totals;
mod transaction;
mod varint;
mod writer;

pub use bars::{EventBar, OutcomeBar};
pub use cursor::Cursor;
pub use data_folder::{quarantined_databases, quarantined_spools};
pub use error::StoreError;
pub use event_activity::EventActivity;
pub use filter::{TraceFilter, WantedHook};
pub use import::{ImportResult, RefusedTrace};
pub use metrics::{
    HookStats, KnownHook, MAX_COUNTED_TRACES, Metrics, MetricsBucket, MetricsFilter, MetricsSeries, Percentiles,
    RecentSession,
};
pub use newest::TraceVisitor;
pub use page::{HistoryPage, TraceCounts};
pub use projection::{trace_row, without_body};
pub use retention::{Retention, RetentionPolicy, RetentionResult};
pub use run_facts::{FailingHook, PassedEvent, RecordedHook, RunFacts};
pub use spool::{AppendError, AppendResult, Appended, DiskFullLosses, NoSpace, RestoreRecord, Spool};
pub use spool_reader::{SpoolContents, read_all, unread_files};
pub use store::{AccessMode, Availability, Store, StoreState};
pub use summary::{summarize, tool_name};
pub use tools::ToolStats;
pub use writer::Writer;
