//! The use cases: list, explain, fire, simulate, review, history, settings, and the one list of commands.
//!
//! It deliberately contains no socket, no window and no command line. Those belong to the hosts around it. Files of
//! users and of Hookwright belong to `workspace`.
//!
//! How it works: [`App`] holds what one process needs. Each use case is a function that receives the [`App`], in the
//! module of its task. [`commands`] is the router that every host calls.

pub mod agent_commands;
pub mod agent_programs;
pub mod agent_sessions;
pub mod agents;
mod app;
pub mod bindings;
pub mod candidates;
pub mod chain_commands;
pub mod check;
pub mod commands;
pub mod convert;
pub mod definitions;
pub mod detached_hooks;
pub mod dialects;
mod draft_hook;
pub mod dto;
pub mod edit_commands;
pub mod event_options;
mod event_tables;
mod exec_settings;
pub mod explain;
pub mod fault;
pub mod fire;
pub mod fixtures;
mod found_words;
pub mod gone;
mod guards;
pub mod history;
pub mod history_match;
mod history_store;
mod hook_files;
mod hook_groups;
mod hook_templates;
pub mod hooks;
mod known_hooks;
pub mod lint_examples;
mod messages;
pub mod model_test;
pub mod modules;
pub mod mute_commands;
mod named_runs;
pub mod notices;
pub mod output_doctor;
mod output_origins;
pub mod overview;
pub mod payload;
pub mod projects;
mod prompts;
pub mod pushes;
pub mod query;
mod record_handshakes;
mod recording;
mod reply_cache;
mod reported_hooks;
pub mod reported_runs;
pub mod review;
mod run_knowledge;
pub mod running_chains;
pub mod sample_project;
pub mod samples;
pub mod scenario;
pub mod scenario_commands;
mod scratch_folder;
pub mod sessions;
pub mod simulate;
pub mod state;
pub mod stats;
mod stats_compare;
pub mod text_commands;
pub mod trust_texts;

/// Functions of `hookwright_exec` for the hosts. That crate is the only place that starts programs, those of Hookwright
/// and those of the system.
pub mod programs {
    pub use hookwright_exec::{
        guardian_main, is_guardian, login_environment, raise_descriptor_limit, return_large_blocks, start_detached,
        which,
    };
}

pub use app::App;
pub use fault::Fault;
pub use history_store::History;
pub use hookwright_dialects::lookup;
pub use messages::messages;
pub use pushes::{NoticeReason, Push, Topic};
