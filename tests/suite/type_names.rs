//! A type name means one thing: no `pub` type is defined twice (`GLOSSARY.md`, rule 3).

use std::collections::{BTreeMap, BTreeSet};

use crate::architecture::shipped_sources;

/// Folders of the dialects: one role may have one name in each of them.
const DIALECTS: &str = "crates/dialects/src";

/// The `pub` types that a source file defines.
fn pub_types(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let item = line.trim_start().strip_prefix("pub ")?;
        let name = ["struct ", "enum ", "trait ", "type ", "union "]
            .iter()
            .find_map(|keyword| item.strip_prefix(keyword))?;
        let end = name
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(name.len());
        Some(&name[..end])
    })
}

/// The dialect in whose folder a file is.
fn dialect_folder(file: &str) -> Option<&str> {
    let (folder, rest) = file.strip_prefix(DIALECTS)?.strip_prefix('/')?.split_once('/')?;
    let is_dialect = hookwright_dialects::all()
        .iter()
        .any(|dialect| dialect.card().id.replace('-', "_") == folder);
    (is_dialect && !rest.is_empty()).then_some(folder)
}

/// Every name that two of these files define, with the files. Sibling dialect folders do not count against each other.
fn defined_twice(files: &[(String, String)]) -> BTreeMap<&str, Vec<&str>> {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, text) in files {
        // One file may define a type once for each operating system. `portable_x.rs` is `x.rs` elsewhere than on Unix.
        if file.contains("/portable_") && files.iter().any(|(other, _)| *other == file.replace("/portable_", "/")) {
            continue;
        }
        for name in pub_types(text).collect::<BTreeSet<_>>() {
            places.entry(name).or_default().push(file);
        }
    }
    places.retain(|_, files| {
        let siblings: Option<Vec<&str>> = files.iter().map(|file| dialect_folder(file)).collect();
        let mut siblings = siblings.unwrap_or_default();
        siblings.sort_unstable();
        siblings.dedup();
        files.len() > 1 && siblings.len() < files.len()
    });
    places
}

#[test]
fn no_pub_type_is_defined_twice() {
    let files = shipped_sources();
    let twice = defined_twice(&files);
    assert!(twice.is_empty(), "these type names are defined twice: {twice:#?}");
}

#[test]
fn two_definitions_of_a_name_are_found() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let files = [
        file("crates/a/src/lib.rs", "pub struct Lease {\n}\npub enum Only {}"),
        file("crates/b/src/lib.rs", "    pub trait Lease {}"),
        file("crates/a/src/place.rs", "pub struct Spot;"),
        file("crates/a/src/portable_place.rs", "pub struct Spot;"),
        file("crates/dialects/src/jcli/edit.rs", "pub struct Editor;"),
        file("crates/dialects/src/qoder/edit.rs", "pub struct Editor;"),
        file("crates/dialects/src/qoder/answer.rs", "pub struct Reader;"),
        file("crates/dialects/src/qoder/settings.rs", "pub struct Reader;"),
        file("crates/dialects/src/skill/wire.rs", "pub type Shared = u8;"),
        file("crates/dialects/src/yaml/mod.rs", "pub type Shared = u8;"),
    ];
    let names: Vec<&str> = defined_twice(&files).into_keys().collect();
    assert_eq!(names, ["Lease", "Reader", "Shared"]);
}
