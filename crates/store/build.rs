//! The migrations are compiled into this crate, so a new migration file must trigger a rebuild.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
