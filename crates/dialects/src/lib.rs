//! What each hook system means: tables, and pure translators between files, hooks and the wire.
pub mod yaml;
