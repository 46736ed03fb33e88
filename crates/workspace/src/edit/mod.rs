//! Edits of user files (`CONTRACTS.md` §2.7). This is the only place that writes them.
//!
//! What it deliberately does not do: it knows no format and no dialect. A dialect plans what to write. This module
//! loads the planned files as an agent would, and writes only if nothing but the requested hook is different and the
//! files did not change meanwhile.
//!
//! How it works: every entry point, such as [`perform`] or [`text_edit::save`], makes the new files. `commit` compares the
//! hooks before and after, which is all that a dry run does, and writes. `approval_transfer` moves approval and mute to
//! the edited hook. `store` stores the former content for [`undo`], which any process can run.

pub mod added_hooks;
mod apply;
mod approval_transfer;
mod attributes;
mod commit;
mod containment;
mod diff;
pub mod draft_edit;
mod edit_openers;
mod edit_sequence;
pub mod file_fix;
mod folders;
mod hook_edit;
mod hook_pairs;
mod interrupted;
mod messages;
pub mod new_files;
mod notices;
mod plain_files;
pub mod preview;
mod refusal;
mod relay_found;
pub mod relay_hooks;
mod relay_restore;
pub mod requests;
pub mod scenario_edit;
pub mod script_edit;
mod store;
pub mod text_edit;
pub mod turned_off;
mod turned_off_store;
pub mod undo;
pub mod user_files;

use hookwright_model::MessageTemplate;

pub use diff::difference;
pub use hook_edit::perform;
pub use refusal::{EditRefusal, WriteMode};
pub use requests::check_same_hook;

/// Every message template of this module.
#[must_use]
pub fn messages() -> Vec<&'static MessageTemplate> {
    [
        messages::ALL,
        attributes::ALL,
        containment::ALL,
        draft_edit::ALL,
        folders::ALL,
        notices::ALL,
        user_files::ALL,
        apply::ALL,
        file_fix::ALL,
        undo::ALL,
        interrupted::ALL,
        relay_hooks::ALL,
        scenario_edit::ALL,
        new_files::ALL,
        turned_off_store::ALL,
        turned_off::ALL,
    ]
    .concat()
}
