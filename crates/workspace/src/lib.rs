//! The files of users and of Hookwright: discovery, watching, snapshots, trust, edits, settings and mutes.
//!
//! What it deliberately does not do: it fires no event, records nothing, and knows no command of a host.
//!
//! How it works: [`discovery`] reads the hook files of a project and of the user into a [`Snapshot`]. An
//! [`OpenProject`] replaces its snapshot when the [`watcher`] reports a change. [`trust`] decides which hooks may run,
//! and [`edit`] is the only writer of user files. A [`Workspace`] holds all of this for one process.

mod app_files;
pub mod approvals;
pub mod blocking;
pub mod data_files;
pub mod discovery;
pub mod disk_probe;
pub mod edit;
pub mod files;
pub mod handshakes;
pub mod health;
pub mod host_env;
pub mod identities;
pub mod listener;
pub mod lock;
pub mod module_tables;
pub mod mutes;
mod pairing;
pub mod project;
pub mod settings;
pub mod snapshot;
mod stamps;
mod start_texts;
pub mod trust;
pub mod watcher;
pub mod workspace;

use hookwright_model::MessageTemplate;

pub use host_env::{HostEnv, wall_clock};
pub use project::OpenProject;
pub use snapshot::Snapshot;
pub use workspace::{ProcessRole, Workspace};

/// All message templates of this crate.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [
        approvals::ALL.to_vec(),
        discovery::ALL.to_vec(),
        watcher::messages(),
        snapshot::ALL.to_vec(),
        snapshot::LOST_MESSAGES.to_vec(),
        snapshot::limits::ALL.to_vec(),
        trust::ALL.to_vec(),
        trust::directory::ALL.to_vec(),
        trust::folder::ALL.to_vec(),
        trust::covered_files::ALL.to_vec(),
        health::ALL.to_vec(),
        mutes::ALL.to_vec(),
        settings::ALL.to_vec(),
        data_files::age_clock::ALL.to_vec(),
        data_files::locked_file::ALL.to_vec(),
        module_tables::ALL.to_vec(),
        workspace::ALL.to_vec(),
        edit::messages(),
    ]
    .concat()
}
