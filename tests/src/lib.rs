//! The tests live in `suite`, in one program: see `suite/main.rs`.
