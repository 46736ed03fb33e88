//! What moves with an edited hook: its approval and its mute.

use super::*;

#[test]
fn an_approval_is_transferred_by_an_edit_of_the_user() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: sh gate.sh # why\n  - command: exit 1\n");
    sandbox.script("project/gate.sh", "#!/bin/sh\necho '{}'\n");
    sandbox.script("project/other.sh", "#!/bin/sh\ntouch ran\n");
    sandbox.run(["trust", "jcli:project:stop:0", "--yes"]).assert_exit(0);
    edit(&sandbox, &["jcli:project:stop:0", "--set", "timeout=5"]);
    let state = || outcomes(&trace(&sandbox, "stop", &json!({})));
    assert_eq!(state(), ["stop:0 no_opinion", "stop:1 skipped:untrusted"]);
    // The second hook is not approved, and an edit does not approve it.
    edit(&sandbox, &["jcli:project:stop:1", "--set", "timeout=5"]);
    assert_eq!(state(), ["stop:0 no_opinion", "stop:1 skipped:untrusted"]);
    // An edit does not approve a script that was not approved before.
    edit(&sandbox, &["jcli:project:stop:0", "--set", "command=sh other.sh"]);
    assert_eq!(state(), ["stop:0 skipped:untrusted", "stop:1 skipped:untrusted"]);
    assert!(!sandbox.path("project/ran").exists());
}

#[test]
fn a_user_hook_moved_into_the_project_is_approved_without_project_scripts() {
    let sandbox = with_user_hooks("stop:\n  - command: exit 0\n  - command: sh ./gate.sh\n");
    sandbox.script("project/gate.sh", "#!/bin/sh\ntouch ran\n");
    edit(&sandbox, &["jcli:user:stop:0", "--to-layer", "project"]);
    edit(&sandbox, &["jcli:user:stop:0", "--to-layer", "project"]);
    let seen = outcomes(&trace(&sandbox, "stop", &json!({})));
    assert_eq!(
        seen,
        ["stop:0 no_opinion", "stop:1 skipped:untrusted"],
        "the project's script was never approved"
    );
    edit(&sandbox, &["jcli:project:stop:0", "--duplicate", "--set", "timeout=3"]);
    let seen = outcomes(&trace(&sandbox, "stop", &json!({})));
    assert_eq!(
        seen,
        ["stop:0 no_opinion", "stop:1 no_opinion", "stop:2 skipped:untrusted"]
    );
}

#[test]
fn a_muted_hook_stays_muted_when_it_is_edited() {
    let sandbox = with_user_hooks("stop:\n  - command: exit 0\n  - command: exit 1\n");
    sandbox.run(["mute", "jcli:user:stop:1"]).assert_exit(0);
    edit(&sandbox, &["jcli:user:stop:1", "--set", "timeout=3", "--move-to", "1"]);
    let seen = trace(&sandbox, "stop", &json!({}));
    assert_eq!(outcomes(&seen), ["stop:1 no_opinion", "stop:0 skipped:muted"]);
}

#[test]
fn an_unapproved_hook_cannot_be_moved_to_the_user_layer() {
    let sandbox = Sandbox::new();
    let text = "stop:\n  - command: sh evil.sh\n";
    sandbox.write("project/.jcli/hooks.yaml", text);
    let to_user = ["edit", "jcli:project:stop:0", "--to-layer", "user"];
    for dry in [None, Some("--dry-run")] {
        let refused = sandbox.run(to_user.into_iter().chain(dry)).assert_exit(1);
        assert!(
            refused.stderr.contains("hookwright trust jcli:project:stop:0"),
            "{refused}"
        );
    }
    assert_eq!(read(&sandbox, "project/.jcli/hooks.yaml"), text);
    assert!(!sandbox.path("home/.jdata/agent/hooks.yaml").exists());
    sandbox.run(["trust", "jcli:project:stop:0", "--yes"]).assert_exit(0);
    sandbox.run(to_user).assert_exit(0);
}

#[test]
fn a_mute_moves_with_its_hook_and_leaves_no_old_entry() {
    let sandbox = Sandbox::new();
    sandbox.write("home/.jdata/agent/hooks.yaml", "stop:\n  - command: 'exit 1'\n");
    let hook = "jcli:user:stop:0";
    sandbox.run(["mute", hook]).assert_exit(0);
    sandbox.run(["edit", hook, "--set", "timeout=5"]).assert_exit(0);
    let trace = sandbox
        .run(["fire", "--dialect", "jcli", "--event", "stop", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(
        (&trace["steps"][0]["reason"], &trace["notices"]),
        (&json!("muted"), &json!([]))
    );
    sandbox.run(["unmute", hook]).assert_exit(0);
    sandbox.run(["edit", hook, "--unset", "timeout"]).assert_exit(0);
    let list = sandbox.run(["list", "--json"]).assert_exit(0).json();
    assert_eq!(list["hooks"][0]["muted"], false);
}

#[test]
fn a_change_is_undone_when_its_approval_cannot_be_stored() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: exit 1\n");
    sandbox.run(["trust", "jcli:project:stop:0", "--yes"]).assert_exit(0);
    let before = read(&sandbox, "project/.jcli/hooks.yaml");
    let lock = sandbox.data().join("trust.json.lock");
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    sandbox
        .run(["edit", "jcli:project:stop:0", "--set", "timeout=5"])
        .assert_exit(1);
    assert_eq!(read(&sandbox, "project/.jcli/hooks.yaml"), before);
}
