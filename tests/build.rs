//! Generates one test module per case page and one test per sample, so that each is reported by its own name.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads its environment and writes what it makes"
)]

use std::path::{Path, PathBuf};
use std::{fs, io};

fn main() -> io::Result<()> {
    // Read at run time, not at compile time: several clones can share a target folder, and with it one build of this
    // script.
    let manifest_dir = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let workspace = manifest_dir.join("..").canonicalize()?;
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(
        out.join("pages.rs"),
        every_page(&workspace.join("crates/dialects/cases"))?,
    )?;
    fs::write(out.join("samples.rs"), every_sample(&workspace.join("hooks-samples"))?)
}

/// Returns the tests of all pages: one module per dialect, in it one module per page, in it one test per mode.
fn every_page(dialects: &Path) -> io::Result<String> {
    println!("cargo:rerun-if-changed={}", dialects.display());
    let mut out = String::new();
    for dialect in &folders(dialects)? {
        let id = name(dialect);
        out += &format!("mod {} {{\n", ident(dialect));
        for page in pages(dialect)? {
            out += &format!("    mod {} {{\n", ident(&page));
            for mode in modes(&fs::read_to_string(&page)?) {
                out += &format!("        #[test] fn {mode}() {{ crate::cases::{mode}({id:?}, {page:?}); }}\n");
            }
            out += "    }\n";
        }
        out += "}\n";
    }
    Ok(out)
}

/// Returns the modes in which a page is tested; they are names of functions in `suite/cases.rs`.
///
/// A page that fires no event, or contains `scripted-only:`, starts no process. It gets no `real` test, so that the
/// number of tests with real processes is correct. A page with `real-only:` gets no `scripted` test.
fn modes(page: &str) -> &'static [&'static str] {
    let fires = page.lines().any(|line| line.starts_with("```json event="));
    if fires && page.contains("real-only:") {
        &["real"]
    } else if fires && !page.contains("scripted-only:") {
        &["scripted", "real"]
    } else {
        &["scripted"]
    }
}

/// Returns the tests of all samples: one module per dialect, in it one test per sample.
fn every_sample(samples: &Path) -> io::Result<String> {
    println!("cargo:rerun-if-changed={}", samples.display());
    let mut out = String::new();
    for dialect in folders(samples)? {
        let id = name(&dialect);
        out += &format!("mod {} {{\n", ident(&dialect));
        for sample in folders(&dialect)?
            .iter()
            .filter(|sample| sample.join("sample.yaml").is_file())
        {
            out += &format!(
                "    #[test] fn {}() {{ crate::samples::check_sample({id:?}, {sample:?}); }}\n",
                ident(sample)
            );
        }
        out += "}\n";
    }
    Ok(out)
}

fn folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    sorted(path, |path| path.is_dir())
}

fn pages(path: &Path) -> io::Result<Vec<PathBuf>> {
    sorted(path, |path| {
        path.extension().is_some_and(|kind| kind == "md") && !["README", "EVENTS"].contains(&name(path).as_str())
    })
}

fn sorted(path: &Path, wanted: impl Fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
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
    let ident: String = name(path)
        .chars()
        .map(|sign| {
            if sign.is_ascii_alphanumeric() {
                sign.to_ascii_lowercase()
            } else {
                '_'
            }
        })
        .collect();
    if ident.starts_with(|first: char| first.is_ascii_digit()) {
        format!("p{ident}")
    } else {
        ident
    }
}
