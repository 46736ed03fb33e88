//! Tests of the login shell, with scripts in its place.

#![cfg(target_os = "linux")]
mod common;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use common::script;
use hookwright_exec::login_environment;

fn inherited() -> BTreeMap<OsString, OsString> {
    [
        ("PATH", "/usr/bin:/bin"),
        ("HOME", "/"),
        ("SHLVL", "1"),
        ("FROM_DESKTOP", "yes"),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .into()
}

/// A shell with these start-up lines. It then runs the argument of `-c`.
fn shell(folder: &tempfile::TempDir, startup: &str) -> std::path::PathBuf {
    script(
        folder.path(),
        "shell",
        &format!("#!/bin/sh\n{startup}\n[ \"$1 $2 $3\" = '-l -i -c' ] || exit 9\neval \"$4\"\n"),
        0o755,
    )
}

#[tokio::test]
async fn what_the_start_up_files_set_is_found_whatever_they_print() {
    let folder = tempfile::tempdir().unwrap();
    let startup = "echo 'PATH=/wrong welcome!'; export PATH=/opt/own:$PATH\nexport TWO='a\nb'";
    let found = login_environment(&shell(&folder, startup), &inherited()).await.unwrap();
    assert_eq!(found[OsStr::new("PATH")], "/opt/own:/usr/bin:/bin");
    assert_eq!(found[OsStr::new("TWO")], "a\nb");
    assert_eq!(found[OsStr::new("FROM_DESKTOP")], "yes");
    for own in ["SHLVL", "PWD", "HOOKWRIGHT_RUN"] {
        assert!(
            !found.contains_key(OsStr::new(own)),
            "{own} says something of the shell only"
        );
    }
}

#[tokio::test]
async fn a_shell_that_fails_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let message = login_environment(
        &shell(&folder, "echo 'syntax error in .profile' >&2; exit 2"),
        &inherited(),
    )
    .await
    .unwrap_err();
    assert_eq!(
        (message.code, &message.args["why"]),
        ("login_shell", &"syntax error in .profile".into())
    );
}

#[tokio::test]
async fn a_shell_that_is_missing_says_why() {
    let message = login_environment("/no/such/shell".as_ref(), &inherited())
        .await
        .unwrap_err();
    assert!(message.text.contains("No such file"), "{}", message.text);
}

#[tokio::test]
async fn a_shell_that_waits_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let message = login_environment(&shell(&folder, "exec sleep 1000"), &inherited())
        .await
        .unwrap_err();
    assert_eq!((message.code, &message.args["case"]), ("login_shell", &"slow".into()));
}
