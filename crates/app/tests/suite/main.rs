//! Tests of the use cases, in one program: a program for each subject would be linked, and built, twenty times.
#![cfg(unix)]
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a failed test may panic")]

mod common;
mod conversions;
mod cost_limits;
mod coverage;
mod draft_edits;
mod edits;
mod fixtures;
mod guards;
mod health;
mod history_match;
mod history_opening;
mod listed_order;
mod model_test;
mod mute_moves;
mod numbers;
mod prompts;
mod reviews;
mod samples;
mod scenarios;
mod script_edits;
mod session_hooks;
mod spellings;
mod templates;
mod text_edits;
mod trust;
mod trust_file;
mod turned_off;
mod watching;
