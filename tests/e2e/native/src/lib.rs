//! The tests live in `window`, in one program: see `window/main.rs`. They want a display; `./dev test native` gives them
//! one of their own.
