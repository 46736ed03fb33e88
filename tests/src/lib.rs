//! This library is empty. The tests are in `suite/main.rs` and its modules, in one test program.
