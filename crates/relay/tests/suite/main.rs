//! Tests of the built relay, in one program.
#![cfg(unix)]

mod common;
mod forward;
mod hostile;
mod picoclaw;
mod report;
mod run;
