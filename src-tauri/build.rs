//! Generates the permissions of the window. It also lets the program build when the interface was not built.

use std::path::{Path, PathBuf};
use std::{env, fs};

const NOT_BUILT: &str = "<!doctype html><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"dark light\">\
    <title>Hookwright</title>\
    <style>body { background: #121618; color: #e9eef0; font: 15px/1.5 sans-serif; max-width: 34em; margin: 18vh auto }</style>\
    <h1>This program was built without its interface</h1>\
    <p>Run <code>./dev run</code> in the source folder, or <code>npm ci &amp;&amp; npm run build</code> in <code>ui</code> \
    and build the program again.</p>\n";

#[expect(
    clippy::disallowed_methods,
    reason = "a build script reads its environment and writes into OUT_DIR"
)]
fn main() {
    println!("cargo::rerun-if-changed=../ui/dist");
    if !Path::new("../ui/dist/index.html").exists() {
        let folder = PathBuf::from(env::var("OUT_DIR").unwrap_or_default()).join("not-built");
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join("index.html"), NOT_BUILT));
        written.unwrap_or_else(|error| panic!("cannot write {}: {error}", folder.display()));
        let folder = folder.display().to_string();
        println!("cargo::rustc-env=TAURI_CONFIG={{\"build\":{{\"frontendDist\":{folder:?}}}}}");
    }
    // The page may call this one command and what its capability file lists, and nothing else.
    let commands = tauri_build::AppManifest::new().commands(&["rpc"]);
    let attributes = tauri_build::Attributes::new().app_manifest(commands);
    tauri_build::try_build(attributes).unwrap_or_else(|error| panic!("{error:#}"));
}
