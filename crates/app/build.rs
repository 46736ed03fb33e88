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
    write("samples.rs", &samples());
}

/// Files of a sample that only its own project needs.
const OWN_FILES: [&str; 5] = ["README.md", "README.zh-CN.md", "NOTES.md", "sample.yaml", "play.yaml"];

/// The samples of the tables in both READMEs: dialect, name, what it shows in English and Chinese, files.
#[expect(clippy::disallowed_methods, reason = "a build script reads its environment")]
fn samples() -> String {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../hooks-samples");
    let english = table_rows(&folder.join("README.md"));
    let chinese = table_rows(&folder.join("README.zh-CN.md"));
    let names = |rows: &[TableRow]| -> Vec<String> { rows.iter().map(|row| row.sample.clone()).collect() };
    assert_eq!(
        names(&english),
        names(&chinese),
        "hooks-samples: the tables of README.md and README.zh-CN.md list different samples"
    );
    let mut out = String::from("&[\n");
    for (row, in_chinese) in english.iter().zip(&chinese) {
        let (dialect, name) = row.sample.split_once('/').unwrap_or_default();
        let root = folder.join(&row.sample);
        let mut files = Vec::new();
        collect(&root, &root, &mut files);
        files.sort();
        assert!(!files.is_empty(), "hooks-samples: {} does not exist", row.sample);
        // Writing into a String cannot fail.
        let _ = writeln!(
            out,
            "EmbeddedSample {{ dialect: {dialect:?}, name: {name:?}, en: {:?}, zh: {:?}, files: &[",
            row.shows, in_chinese.shows
        );
        for (file, path) in files.iter().filter(|(file, _)| !OWN_FILES.contains(&file.as_str())) {
            let (file, shown) = (file.replace('\\', "/"), path.display().to_string());
            let _ = writeln!(out, "({file:?}, include_str!({shown:?}), {:#o}),", script_mode(path));
        }
        out.push_str("] },\n");
    }
    out.push(']');
    out
}

/// The mode of a sample's file when it is added: a file with a `#!` line is a program.
#[expect(
    clippy::disallowed_methods,
    reason = "a build script reads the samples of the repository"
)]
fn script_mode(path: &Path) -> u32 {
    let is_program = fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"#!"));
    if is_program { 0o700 } else { mode(path) }
}

/// A row `| [name](dialect/name/) | event | shows |`.
struct TableRow {
    sample: String,
    shows: String,
}

#[expect(
    clippy::disallowed_methods,
    reason = "a build script reads the samples of the repository"
)]
fn table_rows(readme: &Path) -> Vec<TableRow> {
    let text = fs::read_to_string(readme).unwrap_or_else(|error| panic!("cannot read {}: {error}", readme.display()));
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| [")?.strip_suffix(" |")?.split(" | ");
        let (first, _event, shows) = (cells.next()?, cells.next()?, cells.next()?);
        let (_, sample) = first.strip_suffix("/)")?.split_once("](")?;
        Some(TableRow {
            sample: sample.to_owned(),
            shows: shows.to_owned(),
        })
    };
    text.lines().filter_map(row).collect()
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
