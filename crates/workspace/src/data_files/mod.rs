//! Files in Hookwright's data folder: locked and atomic changes, temporary files, and the spelling of paths in them.

pub mod age_clock;
pub mod locked_file;
pub mod path_serde;
pub mod temp_files;
