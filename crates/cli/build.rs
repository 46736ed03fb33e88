//! Rebuilds this crate when the built interface in `ui/dist` changes.

fn main() {
    println!("cargo::rerun-if-changed=../../ui/dist");
}
