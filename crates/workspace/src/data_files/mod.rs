//! Files in Hookwright's data folder: locked and atomic changes, and the spelling of paths in them.

pub mod age_clock;
pub mod locked_file;
pub mod path_serde;
