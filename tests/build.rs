//! Writes one test a conformance page and one a sample, so that each is reported by its own name.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads its environment and writes what it makes"
)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    // Asked when it runs: one build of this script may serve several clones that share a target folder.
    let manifest_dir = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let workspace = manifest_dir.join("..").canonicalize()?;
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(
        out.join("pages.rs"),
        every_page(&workspace.join("crates/dialects/src"))?,
    )?;
    fs::write(out.join("samples.rs"), every_sample(&workspace.join("hooks-samples"))?)
}

/// A module a dialect, a module a page, a test a mode.
fn every_page(dialects: &Path) -> io::Result<String> {
    println!("cargo:rerun-if-changed={}", dialects.display());
    let mut out = String::new();
    for dialect in folders(dialects)?
        .iter()
        .filter(|dialect| dialect.join("cases").is_dir())
    {
        let id = name(dialect).replace('_', "-");
        out += &format!("mod {} {{\n", ident(dialect));
        for page in pages(&dialect.join("cases"))? {
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

/// How a page is held, by functions of `suite/cases.rs`: one that fires nothing, or says why it cannot be run, starts no
/// process, and must not be counted as if it had; one may also say why only processes can show it.
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

/// A module a dialect, a test a sample.
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
        path.extension().is_some_and(|kind| kind == "md") && name(path) != "README"
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
