//! Writes one test a conformance page, so that each page is reported by its own name.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads its environment and writes what it makes"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// How a page is held: functions of `suite/cases.rs`.
const MODES: [&str; 1] = ["scripted"];

fn main() -> std::io::Result<()> {
    let dialects = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/dialects/src");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", dialects.display());
    let mut out = String::new();
    for dialect in folders(&dialects)? {
        let cases = dialect.join("cases");
        if !cases.is_dir() {
            continue;
        }
        println!("cargo:rerun-if-changed={}", cases.display());
        let id = name(&dialect).replace('_', "-");
        let _infallible = writeln!(out, "mod {} {{", ident(&dialect));
        for page in pages(&cases)? {
            let path = page.canonicalize()?;
            let _infallible = writeln!(out, "    mod {} {{", ident(&page));
            for mode in MODES {
                let _infallible = writeln!(
                    out,
                    "        #[test] fn {mode}() {{ crate::cases::{mode}({id:?}, {path:?}); }}"
                );
            }
            out.push_str("    }\n");
        }
        out.push_str("}\n");
    }
    let to = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("pages.rs");
    fs::write(to, out)
}

fn folders(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    sorted(path, |path| path.is_dir())
}

fn pages(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    sorted(path, |path| {
        path.extension().is_some_and(|kind| kind == "md") && name(path) != "README"
    })
}

fn sorted(path: &Path, wanted: impl Fn(&Path) -> bool) -> std::io::Result<Vec<PathBuf>> {
    let mut out: Vec<PathBuf> = fs::read_dir(path)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| wanted(path))
        .collect();
    out.sort();
    Ok(out)
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn ident(path: &Path) -> String {
    let words: String = name(path)
        .chars()
        .map(|sign| {
            if sign.is_ascii_alphanumeric() {
                sign.to_ascii_lowercase()
            } else {
                '_'
            }
        })
        .collect();
    if words.starts_with(|first: char| first.is_ascii_digit()) {
        format!("p{words}")
    } else {
        words
    }
}
