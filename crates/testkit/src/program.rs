//! Path of the program under test.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Path of the `hookwright` program. It is `$HOOKWRIGHT_BIN` if that is set. Otherwise cargo builds it, once per run.
pub fn hookwright() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(
        || match std::env::var_os("HOOKWRIGHT_BIN").filter(|path| !path.is_empty()) {
            Some(path) => PathBuf::from(path),
            None => build(),
        },
    )
}

fn build() -> PathBuf {
    // A test program is in `<target>/<profile>/deps`, other programs are one folder up.
    let test_program = std::env::current_exe().expect("a running program has a path");
    let profile = test_program
        .parent()
        .and_then(Path::parent)
        .expect("a test program lies two folders deep");
    let program = profile.join(format!("hookwright{}", std::env::consts::EXE_SUFFIX));
    // nextest starts one process per test. With this file, cargo is called only once per run.
    let build_stamp = std::env::var("NEXTEST_RUN_ID")
        .ok()
        .map(|run| profile.join(format!(".hookwright-built-{run}")));
    if build_stamp.as_ref().is_some_and(|stamp| stamp.exists()) && program.exists() {
        return program;
    }
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build
        .args([
            "build",
            "--quiet",
            "-p",
            "hookwright-cli",
            "-p",
            "hookwright-relay",
            "-p",
            "hookwright-sample-agent",
            "--bins",
        ])
        .current_dir(workspace());
    if profile.file_name().is_some_and(|name| name == "release") {
        build.arg("--release");
    }
    let status = build.status().expect("cargo can be started");
    assert!(
        status.success(),
        "hookwright does not build; `cargo build -p hookwright-cli` says why"
    );
    if let Some(stamp) = build_stamp {
        std::fs::write(stamp, "").expect("the target folder can be written");
    }
    program
}

/// Path of the `hookwright-relay` program, which is built next to `hookwright`.
#[must_use]
pub fn relay() -> PathBuf {
    next_to_hookwright("hookwright-relay")
}

/// Path of the sample agent in Rust, which is built next to `hookwright`.
#[must_use]
pub fn sample_agent() -> PathBuf {
    next_to_hookwright("hookwright-sample-agent")
}

#[track_caller]
fn next_to_hookwright(name: &str) -> PathBuf {
    let program = hookwright().canonicalize().expect("it was just built");
    let path = program.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "{} is missing; `cargo build -p {name}` builds it",
        path.display()
    );
    path
}

/// The root folder of the workspace.
#[must_use]
pub fn workspace() -> PathBuf {
    let manifest_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest_dir
        .ancestors()
        .nth(2)
        .expect("this crate lies two folders deep")
        .to_owned()
}
