//! Code that the tests of several crates share. It is never shipped.
//!
//! Contents:
//! * [`sandbox`]: folders and an environment in which the built program runs without access to the user's files.
//! * [`case`]: case pages as data, and [`script`]: a runner that returns scripted results and starts no process.
//! * [`model`]: a fake model server on loopback.
//! * [`json`]: a comparison of JSON documents that reports where they differ.
//! * [`rng`]: pseudo-random numbers for generators, the same in every run.
//!
//! This crate knows no dialect and no engine. The tests define the expected result of a page or a command.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a test opens files and starts programs as it needs, and stops at what it did not expect"
)]

pub mod case;
pub mod json;
pub mod model;
pub mod processes;
pub mod program;
pub mod rng;
pub mod sandbox;
pub mod script;
pub mod traces;

pub use case::CasePage;
pub use json::{differences, exact_differences};
pub use model::FakeModelServer;
pub use rng::TestRng;
pub use sandbox::{Finished, Running, Sandbox, remove_folder_in_use};
pub use script::ScriptedWorld;
pub use traces::trace_with_verdict;
