//! Tests of the identity of hooks: it stays with the hook in the list, in traces and after edits.

use serde_json::{Value, json};

use crate::jcli::{outcomes, trace, user, with_user_hooks};

fn uids(answer: &Value, of: &str) -> Vec<String> {
    let rows = answer[of].as_array().unwrap();
    rows.iter()
        .map(|row| row["uid"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn list_and_traces_name_the_same_identity_which_follows_the_hook() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n  - command: 'exit 1'\n");
    let list = || {
        sandbox
            .run(["list", "--dialect", "jcli", "--json"])
            .assert_exit(0)
            .json()
    };
    let before = uids(&list(), "hooks");
    assert!(before.iter().all(|uid| uid.len() == 32), "{before:?}");
    let seen = trace(&sandbox, "stop", &json!({}));
    assert_eq!(uids(&seen, "steps"), before);
    let id = seen["trace"].as_str().unwrap();
    let stored = sandbox.run(["show", id, "--json"]).assert_exit(0).json();
    assert_eq!(uids(&stored, "steps"), before, "and as it was recorded");
    // Another program puts a hook above them.
    user(
        &sandbox,
        "stop:\n  - command: 'true'\n  - command: 'exit 0'\n  - command: 'exit 1'\n",
    );
    let after = uids(&list(), "hooks");
    assert_eq!(after[1..], before);
    assert_eq!(outcomes(&trace(&sandbox, "stop", &json!({}))).len(), 3);
}

#[test]
fn an_edit_through_hookwright_keeps_the_identity_and_the_mute_of_a_hook() {
    let sandbox = with_user_hooks("stop:\n  - command: 'exit 0'\n  - command: 'exit 1'\n");
    let list = || {
        sandbox
            .run(["list", "--dialect", "jcli", "--json"])
            .assert_exit(0)
            .json()
    };
    let before = uids(&list(), "hooks");
    sandbox.run(["mute", "jcli:user:stop:1"]).assert_exit(0);
    // Command, and with it the name, are others.
    sandbox
        .run(["edit", "jcli:user:stop:1", "--set", "command=touch other"])
        .assert_exit(0);
    let after = list();
    assert_eq!(uids(&after, "hooks"), before);
    assert_eq!(after["hooks"][1]["muted"], true);
    sandbox.run(["undo"]).assert_exit(0);
    assert_eq!(uids(&list(), "hooks"), before, "and so does its undo");
    sandbox.run(["remove", "jcli:user:stop:1"]).assert_exit(0);
    sandbox.run(["undo"]).assert_exit(0);
    assert_eq!(uids(&list(), "hooks"), before, "a hook that is back is the same one");
}

#[test]
fn of_equal_hooks_each_keeps_its_identity_and_its_mute_when_another_is_moved_or_removed() {
    let sandbox = with_user_hooks(
        "stop:\n  # the first\n  - command: 'exit 0'\n  # the second\n  - command: 'exit 0'\n  # the third\n  - command: 'exit 0'\n",
    );
    let state = || {
        let list = sandbox
            .run(["list", "--dialect", "jcli", "--json"])
            .assert_exit(0)
            .json();
        let muted = list["hooks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hook| hook["muted"] == true);
        (uids(&list, "hooks"), muted.collect::<Vec<_>>())
    };
    sandbox.run(["mute", "jcli:user:stop:1"]).assert_exit(0);
    let begin = state();
    let ([first, second, third], true) = (<[String; 3]>::try_from(begin.0.clone()).unwrap(), begin.1[1]) else {
        panic!("{begin:?}");
    };
    let edit = |args: &[&str]| drop(sandbox.run(args.iter().copied()).assert_exit(0));
    // One above the muted one goes, and comes back.
    edit(&["remove", "jcli:user:stop:0"]);
    let left = (vec![second.clone(), third.clone()], vec![true, false]);
    assert_eq!(state(), left);
    edit(&["undo"]);
    assert_eq!(state(), begin);
    // The muted one itself: no other gets its mute.
    edit(&["remove", "jcli:user:stop:1"]);
    assert_eq!(state(), (vec![first.clone(), third.clone()], vec![false, false]));
    edit(&["undo"]);
    assert_eq!(state(), begin);
    edit(&["edit", "jcli:user:stop:0", "--move-to", "3"]);
    let moved = (
        vec![second.clone(), third.clone(), first.clone()],
        vec![true, false, false],
    );
    assert_eq!(state(), moved);
    edit(&["undo"]);
    assert_eq!(state(), begin);
    edit(&["edit", "jcli:user:stop:1", "--move-to", "1"]);
    assert_eq!(state(), (vec![second, first, third], vec![true, false, false]));
    edit(&["undo"]);
    assert_eq!(state(), begin);
    // A copy is another hook, and not muted.
    edit(&["edit", "jcli:user:stop:1", "--duplicate"]);
    let copied = state();
    let kept: Vec<&String> = copied.0.iter().filter(|uid| begin.0.contains(uid)).collect();
    assert_eq!(kept, begin.0.iter().collect::<Vec<_>>());
    assert_eq!(copied.1.iter().filter(|muted| **muted).count(), 1);
    let muted = copied.1.iter().position(|muted| *muted).unwrap();
    assert_eq!(copied.0[muted], begin.0[1]);
}
