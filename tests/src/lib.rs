//! The tests live in `suite`.
