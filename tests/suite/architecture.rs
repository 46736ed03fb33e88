//! The picture of ARCHITECTURE.md, held: which room may know which, and what must not be found anywhere else.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use hookwright_testkit::program::workspace;
use serde_json::Value;

/// Every package and the packages of ours that it may use.
const ALLOWED_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("hookwright-model", &[]),
    ("hookwright-dialects", &["hookwright-model"]),
    ("hookwright-engine", &["hookwright-model"]),
    ("hookwright-exec", &["hookwright-model"]),
    ("hookwright-store", &["hookwright-model"]),
    ("hookwright-redact", &["hookwright-model"]),
    (
        "hookwright-app",
        &[
            "hookwright-model",
            "hookwright-dialects",
            "hookwright-engine",
            "hookwright-exec",
            "hookwright-store",
            "hookwright-redact",
        ],
    ),
    ("hookwright-serve", &["hookwright-model", "hookwright-app"]),
    (
        "hookwright-cli",
        &["hookwright-model", "hookwright-app", "hookwright-serve"],
    ),
    (
        "hookwright-desktop",
        &["hookwright-model", "hookwright-app", "hookwright-serve"],
    ),
];

/// Packages that nobody ships; they may use anything, and only tests may use them.
const UNSHIPPED: &[&str] = &[
    "hookwright-testkit",
    "hookwright-tests",
    "hookwright-native",
    "hookwright-benches",
];

/// What may be used by these only.
const EXCLUSIVE_LIBRARIES: &[(&str, &[&str])] = &[
    ("tauri", &["hookwright-desktop"]),
    ("sqlx", &["hookwright-store"]),
    ("reqwest", &["hookwright-exec"]),
    ("notify", &["hookwright-app"]),
    ("interprocess", &["hookwright-serve"]),
    ("axum", &["hookwright-cli"]),
    ("clap", &["hookwright-cli", "hookwright-desktop"]),
];

/// Rooms without a runtime, processes or files.
const PURE_CRATES: &[&str] = &[
    "hookwright-model",
    "hookwright-dialects",
    "hookwright-engine",
    "hookwright-redact",
];

struct Package {
    /// Dependencies of the shipped code.
    normal: BTreeSet<String>,
    /// Those of tests.
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
        if is_dialect || folder.join("cases").is_dir() {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            assert!(
                known.contains(&name),
                "crates/dialects/src/{name} is not in hookwright_dialects::all()"
            );
        }
    }
}
