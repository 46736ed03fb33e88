//! User hooks need no approval, unless they start content of a project.

use super::*;

#[test]
fn user_hooks_need_no_approval() {
    let sandbox = crate::jcli::with_user_hooks("stop:\n  - command: 'exit 0'\n");
    assert_eq!(
        sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json()["pending"],
        json!([])
    );
    let row: Value = sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][0].clone();
    assert_eq!(row["trusted"], true);
}

#[test]
fn a_user_hook_that_starts_a_project_script_needs_its_approval() {
    let sandbox = Sandbox::new();
    user(&sandbox, "stop:\n  - command: 'sh scripts/gate.sh'\n");
    let runs = || outcomes(&trace(&sandbox, "stop", &json!({})));
    assert_eq!(runs(), ["stop:0 failed_open"], "there is no such script");
    sandbox.script("project/scripts/gate.sh", "#!/bin/sh\ntouch ran\n");
    assert_eq!(runs(), ["stop:0 skipped:untrusted"]);
    assert!(!sandbox.path("project/ran").exists());
    let row = &sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][0];
    assert_eq!((&row["layer"], &row["trusted"]), (&json!("user"), &json!(false)));
    let args = ["explain", "--dialect", "jcli", "--event", "stop", "--json"];
    assert_eq!(sandbox.run(args).assert_exit(0).json()["steps"][0]["would_run"], false);

    let pending = &sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json()["pending"];
    assert_eq!(pending[0]["hook"], "jcli:user:stop:0");
    assert_eq!(
        pending[0]["files"][0]["path"],
        json!(sandbox.project().join("scripts/gate.sh"))
    );
    sandbox.run(["trust", "jcli:user:stop:0", "--yes"]).assert_exit(0);
    assert_eq!(runs(), ["stop:0 no_opinion"]);
    assert!(sandbox.path("project/ran").exists());
    sandbox
        .run(["edit", "jcli:user:stop:0", "--set", "timeout=5"])
        .assert_exit(0);
    assert_eq!(runs(), ["stop:0 no_opinion"], "an edit of the person's carries it over");

    sandbox.script("project/scripts/gate.sh", "#!/bin/sh\ntouch again\n");
    assert_eq!(runs(), ["stop:0 skipped:untrusted"], "for its bytes");
    sandbox.script("project/in/scripts/gate.sh", "#!/bin/sh\ntouch again\n");
    let inner = trace(&sandbox, "stop", &json!({"cwd": sandbox.path("project/in")}));
    assert_eq!(
        outcomes(&inner),
        ["stop:0 skipped:untrusted"],
        "from the directory of the run"
    );
    sandbox.script("outside/scripts/gate.sh", "#!/bin/sh\nexit 0\n");
    let outside = trace(&sandbox, "stop", &json!({"cwd": sandbox.path("outside")}));
    assert_eq!(
        outcomes(&outside),
        ["stop:0 no_opinion"],
        "what is not the project's is the person's own affair"
    );
    let once = fire(&sandbox, "stop", &json!({}), &["--trust"]).assert_exit(0).json();
    assert_eq!(outcomes(&once), ["stop:0 no_opinion"]);
}

#[test]
fn a_project_file_name_cannot_disable_a_user_hook() {
    let sandbox = Sandbox::new();
    let command = "cd ~/own && ./gate.sh; python3 -W ignore -c 'pass'; grep -q x y; true scripts/gate.sh";
    user(&sandbox, &format!("stop:\n  - command: {}\n", json!(command)));
    sandbox.script("home/own/gate.sh", "#!/bin/sh\nexit 0\n");
    for name in [
        "gate.sh",
        "ignore",
        "pass",
        "grep",
        "true",
        "x",
        "y",
        "scripts/gate.sh",
        "cd",
        "c",
    ] {
        sandbox.script(&format!("project/{name}"), "#!/bin/sh\nexit 1\n");
    }
    assert_eq!(outcomes(&trace(&sandbox, "stop", &json!({}))), ["stop:0 no_opinion"]);
}
