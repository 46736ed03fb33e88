//! The picture of ARCHITECTURE.md, held: which room may know which, and what must not be found anywhere else.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use hookwright_testkit::program::workspace;
use serde_json::Value;

/// Every package and the packages of ours that it may use.
const PICTURE: &[(&str, &[&str])] = &[
    ("hookwright-model", &[]),
    ("hookwright-dialects", &["hookwright-model"]),
    ("hookwright-engine", &["hookwright-model"]),
    ("hookwright-exec", &["hookwright-model"]),
    ("hookwright-store", &["hookwright-model"]),
    (
        "hookwright-app",
        &[
            "hookwright-model",
            "hookwright-dialects",
            "hookwright-engine",
            "hookwright-exec",
            "hookwright-store",
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
const NEVER_SHIPPED: &[&str] = &[
    "hookwright-testkit",
    "hookwright-tests",
    "hookwright-native",
    "hookwright-benches",
];

/// What may be used by these only.
const ONLY: &[(&str, &[&str])] = &[
    ("tauri", &["hookwright-desktop"]),
    ("sqlx", &["hookwright-store"]),
    ("reqwest", &["hookwright-exec"]),
    ("notify", &["hookwright-app"]),
    ("interprocess", &["hookwright-serve"]),
    ("axum", &["hookwright-cli"]),
    ("clap", &["hookwright-cli", "hookwright-desktop"]),
];

/// Rooms without a runtime, processes or files.
const PURE: &[&str] = &["hookwright-model", "hookwright-dialects", "hookwright-engine"];

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
fn no_edge_is_missing_from_the_picture() {
    let packages = packages();
    for (name, package) in &packages {
        if NEVER_SHIPPED.contains(&name.as_str()) {
            continue;
        }
        let Some((_, allowed)) = PICTURE.iter().find(|(known, _)| known == name) else {
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
fn tests_reach_no_further_than_their_room_but_for_the_testkit() {
    let packages = packages();
    for (name, allowed) in PICTURE {
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
fn what_is_never_shipped_is_used_by_tests_only() {
    for (name, package) in packages() {
        if NEVER_SHIPPED.contains(&name.as_str()) {
            continue;
        }
        for never in NEVER_SHIPPED {
            assert!(!package.normal.contains(*never), "{name} would ship {never}");
        }
    }
}

#[test]
fn the_window_the_database_and_the_wires_have_one_door_each() {
    for (name, package) in packages() {
        for (library, doors) in ONLY {
            let family = |used: &&String| *used == library || used.starts_with(&format!("{library}-"));
            let used = package.normal.iter().find(family);
            let allowed = doors.contains(&name.as_str()) || NEVER_SHIPPED.contains(&name.as_str());
            assert!(
                used.is_none() || allowed,
                "{name} uses {}: only {} may",
                used.unwrap(),
                doors.join(", ")
            );
        }
    }
}

#[test]
fn the_rooms_that_think_do_not_touch_the_world() {
    let world = [
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
        if PURE.contains(&name.as_str()) {
            let used = world.iter().find(|library| package.normal.contains(**library));
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
        let speaks = std::fs::read_to_string(folder.join("mod.rs")).is_ok_and(|text| text.contains("impl Dialect for"));
        if speaks || folder.join("cases").is_dir() {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            assert!(
                known.contains(&name),
                "crates/dialects/src/{name} is not in hookwright_dialects::all()"
            );
        }
    }
}
