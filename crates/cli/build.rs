//! Notices when the interface was built anew.

fn main() {
    println!("cargo::rerun-if-changed=../../ui/dist");
}
