//! Functions that the tests of `add`, `edit` and `remove` share, in every dialect.

use hookwright_testkit::{Finished, Sandbox};
use serde_json::Value;

pub fn read(sandbox: &Sandbox, inside: &str) -> String {
    std::fs::read_to_string(sandbox.path(inside)).unwrap()
}

#[track_caller]
pub fn edit(sandbox: &Sandbox, args: &[&str]) -> Value {
    let all = ["edit"].iter().chain(args).chain(&["--json"]);
    sandbox.run(all).assert_exit(0).json()
}

pub fn add(sandbox: &Sandbox, dialect: &str, event: &str, layer: &str, definition: &str) -> Finished {
    let target = ["add", "--dialect", dialect, "--event", event, "--layer", layer];
    let what = ["--definition", definition, "--json"];
    sandbox.run(target.iter().chain(&what))
}

/// Asserts that the file contains `before`, with its only occurrence of `from` replaced by `to`.
#[track_caller]
pub fn assert_replaced(sandbox: &Sandbox, file: &str, before: &str, from: &str, to: &str) {
    assert_eq!(before.matches(from).count(), 1, "{from:?} stands there once");
    assert_eq!(read(sandbox, file), before.replace(from, to));
}
