//! Checks the dependency graph of ARCHITECTURE.md: which crate may use which, and which libraries only certain crates
//! may use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use hookwright_testkit::program::workspace;
use serde_json::Value;

/// Each shipped package, with the packages of this workspace that it may use.
const ALLOWED_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("hookwright-model", &[]),
    ("hookwright-dialects", &["hookwright-model"]),
    ("hookwright-engine", &["hookwright-model"]),
    ("hookwright-rpc", &[]),
    ("hookwright-exec", &["hookwright-model", "hookwright-rpc"]),
    ("hookwright-store", &["hookwright-model"]),
    ("hookwright-redact", &["hookwright-model"]),
    (
        "hookwright-workspace",
        &[
            "hookwright-model",
            "hookwright-dialects",
            "hookwright-exec",
            "hookwright-redact",
        ],
    ),
    (
        "hookwright-app",
        &[
            "hookwright-workspace",
            "hookwright-model",
            "hookwright-dialects",
            "hookwright-engine",
            "hookwright-exec",
            "hookwright-store",
            "hookwright-redact",
        ],
    ),
    (
        "hookwright-serve",
        &[
            "hookwright-model",
            "hookwright-rpc",
            "hookwright-workspace",
            "hookwright-app",
        ],
    ),
    ("hookwright-relay", &[]),
    (
        "hookwright-cli",
        &[
            "hookwright-model",
            "hookwright-workspace",
            "hookwright-app",
            "hookwright-serve",
        ],
    ),
    (
        "hookwright-desktop",
        &[
            "hookwright-model",
            "hookwright-workspace",
            "hookwright-app",
            "hookwright-serve",
        ],
    ),
];

/// Packages that are not shipped. They may use every package, and only tests may use them.
const UNSHIPPED: &[&str] = &[
    "hookwright-testkit",
    "hookwright-tests",
    "hookwright-native",
    "hookwright-benches",
    "hookwright-sample-agent",
];

/// Libraries, with the only packages that may use them. Packages that are not shipped may use them too.
const EXCLUSIVE_LIBRARIES: &[(&str, &[&str])] = &[
    ("tauri", &["hookwright-desktop"]),
    ("sqlx", &["hookwright-store"]),
    ("reqwest", &["hookwright-exec"]),
    ("notify", &["hookwright-workspace"]),
    ("interprocess", &["hookwright-serve"]),
    ("axum", &["hookwright-cli"]),
    ("clap", &["hookwright-cli", "hookwright-desktop"]),
];

/// Packages that use no async runtime, processes or files.
const PURE_CRATES: &[&str] = &[
    "hookwright-model",
    "hookwright-dialects",
    "hookwright-engine",
    "hookwright-redact",
];

struct Package {
    /// Dependencies of the shipped code.
    normal: BTreeSet<String>,
    /// Dependencies of tests only.
    dev: BTreeSet<String>,
}

fn packages() -> BTreeMap<String, Package> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let args = ["metadata", "--no-deps", "--format-version", "1"];
    let out = Command::new(cargo)
        .args(args)
        .current_dir(workspace())
        .output()
        .expect("cargo can be started");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let metadata: Value = serde_json::from_slice(&out.stdout).unwrap();
    let package = |package: &Value| {
        let of = |dev: bool| {
            let all = package["dependencies"].as_array().unwrap().iter();
            let wanted = all.filter(|dependency| (dependency["kind"] == "dev") == dev);
            wanted
                .map(|dependency| dependency["name"].as_str().unwrap().to_owned())
                .collect()
        };
        (
            package["name"].as_str().unwrap().to_owned(),
            Package {
                normal: of(false),
                dev: of(true),
            },
        )
    };
    metadata["packages"].as_array().unwrap().iter().map(package).collect()
}

#[test]
fn every_dependency_is_allowed_by_the_architecture() {
    let packages = packages();
    for (name, package) in &packages {
        if UNSHIPPED.contains(&name.as_str()) {
            continue;
        }
        let Some((_, allowed)) = ALLOWED_DEPENDENCIES.iter().find(|(known, _)| known == name) else {
            panic!("{name} is not in the picture of ARCHITECTURE.md");
        };
        for used in package.normal.iter().filter(|used| packages.contains_key(*used)) {
            assert!(
                allowed.contains(&used.as_str()),
                "{name} uses {used}: that edge is not in the picture of ARCHITECTURE.md"
            );
        }
    }
}

#[test]
fn tests_use_only_the_allowed_crates_and_the_testkit() {
    let packages = packages();
    for (name, allowed) in ALLOWED_DEPENDENCIES {
        let Some(package) = packages.get(*name) else {
            panic!("{name} is in the picture of ARCHITECTURE.md, and there is no such package");
        };
        for used in package.dev.iter().filter(|used| packages.contains_key(*used)) {
            let fine = used == "hookwright-testkit" || used == name || allowed.contains(&used.as_str());
            assert!(
                fine,
                "the tests of {name} use {used}: that edge is not in the picture of ARCHITECTURE.md"
            );
        }
    }
}

#[test]
fn unshipped_packages_are_used_by_tests_only() {
    for (name, package) in packages() {
        if UNSHIPPED.contains(&name.as_str()) {
            continue;
        }
        for never in UNSHIPPED {
            assert!(!package.normal.contains(*never), "{name} would ship {never}");
        }
    }
}

#[test]
fn each_restricted_library_is_used_by_its_own_crate_only() {
    for (name, package) in packages() {
        for (library, owners) in EXCLUSIVE_LIBRARIES {
            let family = |used: &&String| *used == library || used.starts_with(&format!("{library}-"));
            let used = package.normal.iter().find(family);
            let allowed = owners.contains(&name.as_str()) || UNSHIPPED.contains(&name.as_str());
            assert!(
                used.is_none() || allowed,
                "{name} uses {}: only {} may",
                used.unwrap(),
                owners.join(", ")
            );
        }
    }
}

#[test]
fn pure_crates_do_no_io() {
    let io_libraries = [
        "tokio",
        "reqwest",
        "sqlx",
        "notify",
        "rustix",
        "libc",
        "tempfile",
        "interprocess",
    ];
    for (name, package) in packages() {
        if PURE_CRATES.contains(&name.as_str()) {
            let used = io_libraries.iter().find(|library| package.normal.contains(**library));
            assert!(
                used.is_none(),
                "{name} uses {}: it must not touch the world",
                used.unwrap()
            );
        }
    }
}

#[test]
fn every_dialect_folder_is_in_the_list_of_dialects() {
    let known: BTreeSet<String> = hookwright_dialects::all()
        .iter()
        .map(|dialect| dialect.card().id.replace('-', "_"))
        .collect();
    for entry in std::fs::read_dir(workspace().join("crates/dialects/src")).unwrap() {
        let folder = entry.unwrap().path();
        let is_dialect =
            std::fs::read_to_string(folder.join("mod.rs")).is_ok_and(|text| text.contains("impl Dialect for"));
        if is_dialect {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            assert!(
                known.contains(&name),
                "crates/dialects/src/{name} is not in hookwright_dialects::all()"
            );
        }
    }
    for entry in std::fs::read_dir(workspace().join("crates/dialects/cases")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().replace('-', "_");
        assert!(
            known.contains(&name),
            "crates/dialects/cases/{name} is not in hookwright_dialects::all()"
        );
    }
}

/// The Rust files of shipped code below a folder. Files of tests are left out.
fn source_files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if name != "tests" && !name.ends_with("_tests") {
                source_files(&path, out);
            }
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            out.push(path);
        }
    }
}

/// The source files of shipped code with their texts; paths are relative to the workspace.
pub fn shipped_sources() -> Vec<(String, String)> {
    let root = workspace();
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(root.join("crates")).unwrap() {
        let package = entry.unwrap().path();
        if !package.ends_with("testkit") && package.join("src").is_dir() {
            source_files(&package.join("src"), &mut paths);
        }
    }
    source_files(&root.join("src-tauri/src"), &mut paths);
    assert!(paths.len() > 300, "only {} source files were found", paths.len());
    paths
        .iter()
        .map(|path| {
            let file = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
            (file, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// Files outside the folders of dialects that may name one, with the reason.
const MAY_NAME_A_DIALECT: &[(&str, &str)] = &[
    ("crates/cli/src/args/edits.rs", "examples in the help"),
    ("crates/cli/src/args/events.rs", "examples in the help"),
    ("crates/cli/src/args/history.rs", "examples in the help"),
    ("crates/cli/src/args/mod.rs", "examples in the help"),
    ("crates/dialects/src/lib.rs", "the list of dialects"),
    ("crates/relay/src/dialects.rs", "the relay uses no other crate"),
];

/// The names of dialects that a source file has outside comments and unit tests. `skill` is also the name of a layer.
fn dialects_named(text: &str) -> Vec<String> {
    let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code: Vec<String> = shipped
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(str::to_lowercase)
        .collect();
    let ids = hookwright_dialects::all().iter().map(|dialect| dialect.card().id);
    ids.filter(|id| *id != "skill")
        .filter(|id| {
            let spellings = [(*id).to_owned(), id.replace('-', "_"), id.replace('-', "")];
            code.iter()
                .any(|line| spellings.iter().any(|spelling| line.contains(spelling)))
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn nothing_outside_the_folder_of_a_dialect_names_it() {
    let ids = hookwright_dialects::all().iter().map(|dialect| dialect.card().id);
    let folders: Vec<String> = ids
        .map(|id| format!("crates/dialects/src/{}/", id.replace('-', "_")))
        .collect();
    let mut named = BTreeMap::new();
    for (file, text) in shipped_sources() {
        if !folders.iter().any(|folder| file.starts_with(folder)) {
            let dialects = dialects_named(&text);
            if !dialects.is_empty() {
                named.insert(file, dialects);
            }
        }
    }
    for (file, reason) in MAY_NAME_A_DIALECT {
        assert!(
            named.remove(*file).is_some(),
            "{file} names no dialect any more ({reason}): take it off the list"
        );
    }
    assert!(named.is_empty(), "these files name a dialect: {named:#?}");
}

#[test]
fn a_named_dialect_is_found_in_code_and_not_in_comments() {
    assert_eq!(dialects_named("if id == \"agent-hooks\" {}"), ["agent-hooks"]);
    assert_eq!(
        dialects_named("let x = Picoclaw::new(AgentHooks);"),
        ["agent-hooks", "picoclaw"]
    );
    assert!(dialects_named("// as in jcli\n/// Qoder does this.\n#[cfg(test)]\nmod tests { jcli }").is_empty());
}

/// Methods that take a text apart.
const CUTS: [&str; 12] = [
    "split",
    "splitn",
    "rsplit",
    "rsplitn",
    "split_once",
    "rsplit_once",
    "split_at",
    "split_terminator",
    "strip_prefix",
    "strip_suffix",
    "rfind",
    "replacen",
];

/// Files that take apart an id which is not the id of a hook.
const MAY_CUT_AN_ID: &[(&str, &str)] = &[
    ("crates/app/src/agent_programs.rs", "the id of an agent program"),
    ("crates/app/src/samples/mod.rs", "the id of a sample"),
];

/// The expressions of a source file that take an id apart: something named `id`, `hook` or `hook_id`.
fn ids_taken_apart(text: &str) -> Vec<String> {
    let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = shipped.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    // A chain of calls may be written on several lines.
    let code = lines.collect::<Vec<_>>().join("\n").replace("\n.", ".");
    let mut found = Vec::new();
    for cut in CUTS {
        let call = format!(".{cut}(");
        for (at, _) in code.match_indices(&call) {
            let before = code[..at].trim_end_matches(".as_str()");
            let start = before.rfind(|sign: char| !sign.is_alphanumeric() && sign != '_');
            let name = &before[start.map_or(0, |start| start + 1)..];
            if ["id", "hook", "hook_id"].contains(&name) {
                found.push(format!("{name}{call}"));
            }
        }
    }
    found
}

#[test]
fn ids_of_hooks_are_printed_and_never_parsed() {
    let mut parsed = BTreeMap::new();
    for (file, text) in shipped_sources() {
        let found = ids_taken_apart(&text);
        if !found.is_empty() {
            parsed.insert(file, found);
        }
    }
    for (file, reason) in MAY_CUT_AN_ID {
        assert!(
            parsed.remove(*file).is_some(),
            "{file} takes no id apart any more ({reason}): take it off the list"
        );
    }
    assert!(parsed.is_empty(), "these files parse ids: {parsed:#?}");
}

#[test]
fn an_id_that_is_taken_apart_is_found_also_in_a_chain_of_calls() {
    assert_eq!(
        ids_taken_apart("let (list, _) = hook.id.rsplit_once(':')?;"),
        ["id.rsplit_once("]
    );
    assert_eq!(ids_taken_apart("step\n    .hook\n    .split(':')"), ["hook.split("]);
    assert!(ids_taken_apart("// id.split(':')\nlet id = name.split(':');").is_empty());
}
