//! No two modules of the large crates, or of their large folders, use each other in a circle (`ARCHITECTURE.md`).

use std::collections::{BTreeMap, BTreeSet};

use crate::architecture::shipped_sources;

/// The folders whose modules are compared.
const FOLDERS: &[&str] = &[
    "crates/dialects/src/",
    "crates/workspace/src/",
    "crates/workspace/src/edit/",
    "crates/workspace/src/snapshot/",
    "crates/app/src/",
    "crates/app/src/agents/",
    "crates/app/src/agent_sessions/",
    "crates/app/src/fire/",
    "crates/app/src/notices/",
];

/// Each module with the modules of the same folder that it uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The name of the module of a folder that a file belongs to; `None` for the folder's own file and for programs.
fn module_of(file: &str, folder: &str) -> Option<String> {
    let path = file.strip_prefix(folder)?;
    let first = path.split('/').next()?;
    let name = first.strip_suffix(".rs").unwrap_or(first);
    (!matches!(name, "lib" | "main" | "mod" | "bin")).then(|| name.to_owned())
}

/// The text without comments and without the unit tests at the end of the file.
fn code(text: &str) -> String {
    let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = shipped.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The first names of the paths that follow a prefix, also in `crate::{a::B, c}`.
fn names_after<'c>(prefix: &str, code: &'c str) -> BTreeSet<&'c str> {
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(list) => names.extend(first_names(list)),
            None => names.extend(identifier(rest)),
        }
    }
    names
}

/// The first name of each path in a list, up to the `}` that ends the list.
fn first_names(list: &str) -> Vec<&str> {
    let mut names = Vec::from_iter(identifier(list.trim_start()));
    let mut depth = 0_u32;
    for (at, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.extend(identifier(list[at + 1..].trim_start())),
            _ => {}
        }
    }
    names
}

fn identifier(text: &str) -> Option<&str> {
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

/// The prefixes of paths to the modules of a folder, in one of its files.
fn prefixes(file: &str, folder: &str) -> [String; 2] {
    let (_, modules) = folder.split_once("/src/").unwrap_or_default();
    let levels = file[folder.len()..].trim_end_matches("/mod.rs").matches('/').count();
    [
        format!("crate::{}", modules.replace('/', "::")),
        "super::".repeat(levels + 1),
    ]
}

/// The module of each name that a folder's own file exports, as in `pub use module::Name;`.
fn root_exports(root: &str) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for statement in code(root).split(';') {
        let (_, path) = statement.rsplit_once("use ").unwrap_or_default();
        let Some((module, names)) = path.split_once("::").filter(|_| statement.trim().starts_with("pub")) else {
            continue;
        };
        for name in names.trim_matches(['{', '}']).split(',').map(str::trim) {
            exports.insert(name.to_owned(), module.to_owned());
        }
    }
    exports
}

/// The graph of a folder, from the files of shipped code.
fn graph(files: &[(String, String)], folder: &str) -> Graph {
    let is_own = |file: &str| {
        ["lib.rs", "mod.rs"]
            .map(|name| format!("{folder}{name}"))
            .contains(&file.to_owned())
    };
    let root = files.iter().find(|(file, _)| is_own(file));
    let exports = root.map(|(_, text)| root_exports(text)).unwrap_or_default();
    let mut graph = Graph::new();
    for (file, text) in files {
        let Some(module) = module_of(file, folder) else {
            continue;
        };
        let code = code(text);
        let names = prefixes(file, folder)
            .map(|prefix| names_after(&prefix, &code))
            .into_iter()
            .flatten();
        let used = names.map(|name| {
            let export = exports.get(name).map(String::as_str);
            export.unwrap_or(name).to_owned()
        });
        graph.entry(module).or_default().extend(used);
    }
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    for (module, used) in &mut graph {
        used.retain(|name| modules.contains(name) && name != module);
    }
    graph
}

/// The modules that remain when every module that uses no remaining one, or that no remaining one uses, is removed
/// repeatedly: those of circles, and those between two circles.
fn circles(mut graph: Graph) -> Graph {
    loop {
        let used: BTreeSet<String> = graph.values().flatten().cloned().collect();
        let outside: BTreeSet<String> = graph
            .iter()
            .filter(|(module, uses)| uses.is_empty() || !used.contains(*module))
            .map(|(module, _)| module.clone())
            .collect();
        if outside.is_empty() {
            return graph;
        }
        graph.retain(|module, _| !outside.contains(module));
        for uses in graph.values_mut() {
            uses.retain(|name| !outside.contains(name));
        }
    }
}

#[test]
fn no_modules_of_a_large_folder_use_each_other_in_a_circle() {
    let files = shipped_sources();
    for folder in FOLDERS {
        let graph = graph(&files, folder);
        assert!(graph.len() > 2, "only {} modules of {folder} were found", graph.len());
        let left = circles(graph);
        assert!(
            left.is_empty(),
            "modules of {folder} use each other in a circle: {left:#?}"
        );
    }
}

#[test]
fn a_circle_is_found_through_lists_and_through_names_of_the_root() {
    let file = |name: &str, text: &str| (format!("crates/x/src/{name}"), text.to_owned());
    let root = file("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::{App, Other};\n");
    let user = file("c/mod.rs", "use crate::b::{self, B};");
    let through_root = [
        root.clone(),
        file("a.rs", "use crate::{d::D, b::{B, E}};"),
        file("b/mod.rs", "fn f(app: &super::App) {}"),
        user.clone(),
    ];
    let left = circles(graph(&through_root, "crates/x/src/"));
    assert_eq!(left.keys().collect::<Vec<_>>(), ["a", "b"]);
    let fine = [
        root,
        file("a.rs", "use crate::{d::D, b::{B, E}};"),
        file("b.rs", "// crate::App\n#[cfg(test)]\nmod tests { use crate::App; }"),
        user,
    ];
    assert!(circles(graph(&fine, "crates/x/src/")).is_empty());
}

#[test]
fn a_circle_is_found_in_a_folder_through_its_full_path_and_from_below() {
    let file = |name: &str, text: &str| (format!("crates/x/src/edit/{name}"), text.to_owned());
    let files = [
        file("mod.rs", "mod a;\nmod b;\npub(super) use b::B;\n"),
        file("a/below.rs", "use super::super::B;"),
        file("b.rs", "use crate::edit::a::A;\nuse crate::a::Other;"),
        file("c.rs", "use super::a::A;"),
    ];
    let left = circles(graph(&files, "crates/x/src/edit/"));
    assert_eq!(left.keys().collect::<Vec<_>>(), ["a", "b"]);
}
