//! This library is empty. The tests are in `window/main.rs`, in one test program. They need a display;
//! `./dev test native` starts a separate one for them.
