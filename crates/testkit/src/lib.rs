//! What tests share; never shipped.
//!
//! What it is: a [`sandbox`] in which the built program runs without seeing the machine it runs on, conformance pages
//! as data ([`case`]) with a [`script`] that answers in the place of processes, a [`model`] that answers on loopback,
//! a comparison of JSON that says where two documents differ ([`json`]), and
//! numbers for generators that are the same every time ([`chance`]).
//!
//! What it deliberately does not do: it knows no dialect and no engine; what a page or a command must come to is said
//! by the tests.

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

pub use case::CasePage;
pub use json::{differences, exact_differences};
pub use model::FakeModelServer;
pub use rng::TestRng;
pub use sandbox::{Finished, Running, Sandbox};
pub use script::ScriptedWorld;
