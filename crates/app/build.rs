//! Embeds the files of the sample project and the scenarios of all samples in the program.

use std::path::{Path, PathBuf};
use std::{env, fmt::Write as _, fs};

#[expect(clippy::disallowed_methods, reason = "a build script reads its environment")]
fn main() {
    let root =
        PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../hooks-samples/jcli/starter");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &root, &mut files);
    files.sort();
    let mut out = String::from("&[\n");
    for (name, path) in files {
        let mode = mode(&path);
        // Writing into a String cannot fail.
        let _ = writeln!(
            out,
            "({name:?}, include_bytes!({:?}), {mode:#o}),",
            path.display().to_string()
        );
    }
    out.push(']');
    write("starter.rs", &out);
    write("scenarios.rs", &scenarios());
}

/// The scenarios of the samples: dialect, name of the sample, text.
#[expect(clippy::disallowed_methods, reason = "a build script reads its environment")]
fn scenarios() -> String {
    let samples = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../hooks-samples");
    println!("cargo::rerun-if-changed={}", samples.display());
    let mut files = Vec::new();
    collect(&samples, &samples, &mut files);
    files.sort();
    let mut out = String::from("&[\n");
    for (name, path) in files {
        if let [dialect, sample, "play.yaml"] = name.split(['/', '\\']).collect::<Vec<_>>()[..] {
            // Writing into a String cannot fail.
            let _ = writeln!(
                out,
                "({dialect:?}, {sample:?}, include_str!({:?})),",
                path.display().to_string()
            );
        }
    }
    out.push(']');
    out
}

#[expect(
    clippy::disallowed_methods,
    reason = "a build script reads its environment and writes into OUT_DIR"
)]
fn write(name: &str, text: &str) {
    let target = PathBuf::from(env::var("OUT_DIR").unwrap_or_default()).join(name);
    fs::write(&target, text).unwrap_or_else(|error| panic!("cannot write {}: {error}", target.display()));
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if let Ok(name) = path.strip_prefix(root) {
            files.push((name.display().to_string(), path.canonicalize().unwrap_or(path.clone())));
        }
    }
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    let executable = fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o100 != 0);
    if executable { 0o700 } else { 0o600 }
}

#[cfg(not(unix))]
fn mode(_: &Path) -> u32 {
    0o600
}
