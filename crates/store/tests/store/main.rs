//! Tests the store with real files: what is recorded can be read again, whatever happens in between.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends")]
#![expect(
    clippy::disallowed_methods,
    reason = "tests make files, and children that are killed"
)]

mod blocks;
mod damage;
mod faults;
mod journal;
mod killed_process;
mod metrics;
mod metrics_over_time;
mod pages;
mod recording;
mod retention;
mod test_store;
mod tools;
