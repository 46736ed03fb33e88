//! The migrations are read when this crate is built: a new one has to build it anew.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
