//! Tests of trust: no project hook runs before the user approved exactly this content.

mod agent_programs;
mod agents;
mod output;
mod user_hooks;

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::jcli::{fire, notices, outcomes, project, trace, user};

const SCRIPT: &str = "stop:\n  - command: 'sh scripts/gate.sh'\n";

fn with_script() -> Sandbox {
    let sandbox = Sandbox::new();
    project(&sandbox, SCRIPT);
    sandbox.script("project/scripts/gate.sh", "#!/bin/sh\ntouch ran\necho '{}'\n");
    sandbox
}

fn ran(sandbox: &Sandbox) -> bool {
    sandbox.path("project/ran").exists()
}

#[track_caller]
fn approve(sandbox: &Sandbox) {
    sandbox.run(["trust", "--all"]).assert_exit(0);
}

#[test]
fn a_project_hook_does_not_run_before_its_approval() {
    let sandbox = with_script();
    let seen = trace(&sandbox, "stop", &json!({}));
    assert_eq!(outcomes(&seen), ["stop:0 skipped:untrusted"]);
    assert!(
        notices(&seen)
            .iter()
            .any(|text| text.contains('1') && text.contains("jcli:project:stop:0")),
        "{seen:#}"
    );
    assert!(!ran(&sandbox));
    approve(&sandbox);
    assert_eq!(outcomes(&trace(&sandbox, "stop", &json!({}))), ["stop:0 no_opinion"]);
    assert!(ran(&sandbox));
}

#[test]
fn without_a_terminal_trust_lists_and_exits_1_while_something_is_pending() {
    let sandbox = with_script();
    let done = sandbox.run(["trust"]).assert_exit(1);
    done.assert_output("jcli:project:stop:0").assert_output("gate.sh");
    approve(&sandbox);
    sandbox.run(["trust"]).assert_exit(0);
}

#[test]
fn the_list_names_definition_and_files() {
    let sandbox = with_script();
    let pending = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    let item = &pending["pending"][0];
    assert_eq!(
        (&item["kind"], &item["hook"], &item["project"]),
        (&json!("hook"), &json!("jcli:project:stop:0"), &json!(sandbox.project()))
    );
    assert_eq!(item["files"][0]["path"], json!(sandbox.path("project/scripts/gate.sh")));
    assert!(
        item["files"][0]["hash"].is_string() && !item["definition"].is_null(),
        "{item:#}"
    );
    assert_eq!(pending["approved"], json!([]));
    approve(&sandbox);
    let after = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert_eq!(after["pending"], json!([]));
    assert_eq!(after["approved"][0]["hook"], "jcli:project:stop:0");
}

#[test]
fn a_denied_hook_is_listed_apart_and_is_not_approved_with_all_others() {
    let sandbox = with_script();
    sandbox.run(["trust", "--deny"]).assert_exit(1);
    let denied = sandbox.run(["trust", "--deny", "jcli:project:stop:0"]).assert_exit(0);
    denied.assert_output("denied jcli:project:stop:0");
    sandbox.run(["trust"]).assert_exit(0);
    approve(&sandbox);
    let list = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert_eq!(
        (&list["pending"], &list["approved"], &list["denied"][0]["hook"]),
        (&json!([]), &json!([]), &json!("jcli:project:stop:0"))
    );
    let seen = trace(&sandbox, "stop", &json!({}));
    assert_eq!(outcomes(&seen), ["stop:0 skipped:untrusted"]);
    sandbox
        .run(["explain", "--dialect", "jcli", "--event", "stop"])
        .assert_output("denied in the review");
    sandbox
        .run(["trust", "--revoke", "jcli:project:stop:0"])
        .assert_exit(0)
        .assert_output("revoked jcli:project:stop:0");
    sandbox.run(["trust"]).assert_exit(1);
}

#[test]
fn a_denied_script_stays_denied_whatever_the_definition_around_it_says() {
    let sandbox = with_script();
    sandbox.run(["trust", "--deny", "jcli:project:stop:0"]).assert_exit(0);
    let script = "#!/bin/sh\ntouch ran\necho '{}'\n";
    sandbox.script("project/scripts/other.sh", script);
    for (what, hooks, hook) in [
        (
            "a time limit",
            "stop:\n  - {command: ./scripts/gate.sh, timeout: 7}\n",
            "jcli:project:stop:0",
        ),
        (
            "an argument",
            "stop:\n  - command: ./scripts/gate.sh --again\n",
            "jcli:project:stop:0",
        ),
        (
            "a place",
            "stop:\n  - command: 'exit 0'\n  - command: ./scripts/gate.sh\n",
            "jcli:project:stop:1",
        ),
        (
            "an event",
            "pre_send_message:\n  - command: ./scripts/gate.sh\n",
            "jcli:project:pre_send_message:0",
        ),
        (
            "a file name",
            "stop:\n  - command: sh scripts/other.sh\n",
            "jcli:project:stop:0",
        ),
    ] {
        sandbox.write("project/.jcli/hooks.yaml", hooks);
        approve(&sandbox);
        let list = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
        let denied = &list["denied"][0];
        assert_eq!(denied["hook"], hook, "{what}: {list:#}");
        assert_eq!(denied["denied"]["code"], "denied_in_review", "{what}");
        let rows = sandbox.run(["list", "--json"]).assert_exit(0).json();
        let row = rows["hooks"].as_array().unwrap().iter().find(|row| row["hook"] == hook);
        assert_eq!(row.unwrap()["denied"]["args"]["other"], "jcli:project:stop:0", "{what}");
        sandbox
            .run(["list"])
            .assert_output("was denied in the review of jcli:project:stop:0");
    }
    sandbox
        .run(["explain", "--dialect", "jcli", "--event", "stop"])
        .assert_output("was denied in the review of jcli:project:stop:0");
    sandbox.script("project/scripts/other.sh", "#!/bin/sh\nexit 0\n");
    sandbox.run(["trust"]).assert_exit(1);
}

#[test]
fn a_denied_command_stays_denied_and_its_approval_by_name_counts() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: 'exit 0'\n");
    sandbox.run(["trust", "--deny", "jcli:project:stop:0"]).assert_exit(0);
    sandbox.write(
        "project/.jcli/hooks.yaml",
        "stop:\n  - {command: 'exit 0', timeout: 5}\n",
    );
    approve(&sandbox);
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:0 skipped:untrusted"]
    );
    sandbox.run(["trust", "jcli:project:stop:0", "--yes"]).assert_exit(0);
    assert_eq!(outcomes(&trace(&sandbox, "stop", &json!({}))), ["stop:0 no_opinion"]);
    sandbox.write("project/.jcli/hooks.yaml", "stop:\n  - command: 'exit 0'\n");
    sandbox.run(["trust"]).assert_exit(0);
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:0 skipped:untrusted"],
        "the very content that was denied stays denied"
    );
    sandbox
        .run(["trust", "--revoke", "jcli:project:stop:0"])
        .assert_exit(0)
        .assert_output("revoked");
    sandbox.run(["trust"]).assert_exit(1);
}

#[test]
fn a_named_hook_can_be_approved_alone() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: 'exit 0'\n  - command: 'exit 1'\n");
    sandbox.run(["trust", "jcli:project:stop:1"]).assert_exit(1);
    sandbox.run(["trust", "jcli:project:stop:1", "--yes"]).assert_exit(0);
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:1 failed_open", "stop:0 skipped:untrusted"]
    );
    sandbox
        .run(["trust", "jcli:project:stop:9", "--yes"])
        .assert_exit(1)
        .assert_stderr("jcli:project:stop:9");
}

#[test]
fn changed_content_is_untrusted_again() {
    let sandbox = with_script();
    approve(&sandbox);
    sandbox.script("project/scripts/gate.sh", "#!/bin/sh\ntouch ran2\n");
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:0 skipped:untrusted"]
    );
    assert!(!sandbox.path("project/ran2").exists());
    sandbox.script("project/scripts/gate.sh", "#!/bin/sh\ntouch ran\necho '{}'\n");
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:0 no_opinion"],
        "the approved content is back"
    );
    project(&sandbox, "stop:\n  - {command: 'sh scripts/gate.sh', timeout: 9}\n");
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:0 skipped:untrusted"]
    );
}

#[test]
fn comments_and_blank_lines_need_no_new_approval() {
    let sandbox = with_script();
    approve(&sandbox);
    project(&sandbox, &format!("# what it is for\n\n{SCRIPT}"));
    assert_eq!(outcomes(&trace(&sandbox, "stop", &json!({}))), ["stop:0 no_opinion"]);
}

#[test]
fn a_payloads_directory_cannot_swap_the_script() {
    let sandbox = with_script();
    approve(&sandbox);
    sandbox.script("evil/scripts/gate.sh", "#!/bin/sh\ntouch pwned\n");
    let seen = trace(&sandbox, "stop", &json!({"cwd": sandbox.path("evil")}));
    assert_eq!(outcomes(&seen), ["stop:0 no_opinion"], "it runs in the project");
    assert_eq!(
        seen["payload_after"]["cwd"],
        json!(sandbox.path("evil")),
        "the payload is the agent's"
    );
    assert_eq!(seen["notices"][0]["code"], "cwd_replaced");
    assert!(!sandbox.path("evil/pwned").exists());
    std::fs::create_dir(sandbox.path("project/empty")).unwrap();
    let seen = trace(&sandbox, "stop", &json!({"cwd": sandbox.path("project/empty")}));
    assert_eq!(
        outcomes(&seen),
        ["stop:0 failed_open"],
        "a name that resolves to nothing is the hook's own failure"
    );
}

#[test]
fn a_script_swapped_by_an_earlier_hook_does_not_run() {
    let sandbox = with_script();
    project(
        &sandbox,
        "stop:\n  - command: 'echo touch pwned > scripts/gate.sh'\n  - command: 'sh scripts/gate.sh'\n",
    );
    // The first hook names the file too, but its pre-spawn check is before its own change. So the first hook runs.
    approve(&sandbox);
    let seen = trace(&sandbox, "stop", &json!({}));
    assert_eq!(outcomes(&seen), ["stop:0 no_opinion", "stop:1 skipped:untrusted"]);
    assert!(!sandbox.path("project/pwned").exists());
}

#[test]
fn trust_for_one_call_writes_nothing() {
    let sandbox = with_script();
    let seen = fire(&sandbox, "stop", &json!({}), &["--trust"]).assert_exit(0).json();
    assert_eq!(outcomes(&seen), ["stop:0 no_opinion"]);
    assert!(!sandbox.data().join("trust.json").exists());
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:0 skipped:untrusted"]
    );
}

#[test]
fn trust_for_one_call_does_not_let_a_payloads_directory_swap_the_script() {
    let sandbox = with_script();
    sandbox.script("evil/scripts/gate.sh", "#!/bin/sh\ntouch pwned\n");
    let seen = fire(&sandbox, "stop", &json!({"cwd": sandbox.path("evil")}), &["--trust"]).json();
    assert_eq!(outcomes(&seen), ["stop:0 no_opinion"]);
    assert_eq!(seen["notices"][0]["code"], "cwd_replaced");
    assert!(!sandbox.path("evil/pwned").exists());
}

#[test]
fn an_approval_can_be_revoked() {
    let sandbox = with_script();
    approve(&sandbox);
    sandbox.run(["trust", "--revoke", "jcli:project:stop:0"]).assert_exit(0);
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:0 skipped:untrusted"]
    );
    sandbox
        .run(["trust", "--revoke", "jcli:project:stop:0"])
        .assert_exit(0)
        .assert_output("jcli:project:stop:0 was neither approved nor denied");
}

#[test]
fn an_approval_is_for_one_project() {
    let sandbox = with_script();
    approve(&sandbox);
    sandbox.write("other/.jcli/hooks.yaml", SCRIPT);
    sandbox.script("other/scripts/gate.sh", "#!/bin/sh\ntouch ran\necho '{}'\n");
    let other = sandbox.path("other");
    let seen = fire(&sandbox, "stop", &json!({}), &["--project", other.to_str().unwrap()])
        .assert_exit(0)
        .json();
    assert_eq!(outcomes(&seen), ["stop:0 skipped:untrusted"]);
}

#[test]
fn approving_a_hook_with_a_reused_id_keeps_the_approval_of_the_other() {
    let sandbox = Sandbox::new();
    project(&sandbox, "stop:\n  - command: 'exit 0'\n");
    approve(&sandbox);
    project(&sandbox, "stop:\n  - command: 'exit 1'\n  - command: 'exit 0'\n");
    let list = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert_eq!(list["pending"][0]["hook"], "jcli:project:stop:0");
    assert_eq!(list["pending"][0]["old"], Value::Null, "it is new, not changed");
    approve(&sandbox);
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:0 failed_open", "stop:1 no_opinion"]
    );
    sandbox.run(["trust", "--revoke", "jcli:project:stop:0"]).assert_exit(0);
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:1 no_opinion", "stop:0 skipped:untrusted"]
    );
}

#[test]
fn revoking_a_project_also_revokes_approvals_of_removed_hooks() {
    let sandbox = Sandbox::new();
    let hooks = "stop:\n  - command: 'exit 0'\n";
    project(&sandbox, hooks);
    approve(&sandbox);
    project(&sandbox, "stop: []\n");
    sandbox.run(["trust", "--revoke"]).assert_exit(0);
    project(&sandbox, hooks);
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:0 skipped:untrusted"]
    );
}

#[test]
fn an_already_approved_hook_exits_0() {
    let sandbox = with_script();
    approve(&sandbox);
    sandbox.run(["trust", "jcli:project:stop:0"]).assert_exit(0);
}

#[test]
fn resetting_the_trust_file_prints_one_document() {
    let sandbox = with_script();
    approve(&sandbox);
    let aside = sandbox.run(["trust", "--reset", "--json"]).assert_exit(0).json()["set_aside"].clone();
    assert!(
        aside.as_str().is_some_and(|path| std::path::Path::new(path).is_file()),
        "{aside}"
    );
    assert_eq!(
        sandbox.run(["trust", "--reset", "--json"]).assert_exit(0).json()["set_aside"],
        Value::Null
    );
}

#[test]
fn one_definition_that_serves_several_events_is_trusted_at_each_of_them() {
    let sandbox = Sandbox::new();
    let peer = "import json, sys\nfor line in sys.stdin:\n    asked = json.loads(line)\n    if 'id' in asked:\n        print(json.dumps({'id': asked['id'], 'result': {}}), flush=True)\n";
    sandbox.write("project/peer.py", peer);
    let entry =
        json!({"enabled": true, "command": ["python3", "peer.py"], "intercept": ["before_tool"], "observe": ["*"]});
    let config = json!({"hooks": {"processes": {"guard": entry}}});
    sandbox.write("project/.picoclaw/config.json", config.to_string());
    let outcome = |event: &str, trust: &[&str]| {
        let arguments = ["fire", "--dialect", "picoclaw", "--event", event, "--json"];
        let trace = sandbox.run(arguments.iter().chain(trust)).assert_exit(0).json();
        trace["steps"][0]["outcome"].clone()
    };
    for event in ["before_tool", "after_tool", "turn_start"] {
        assert_eq!(outcome(event, &["--trust"]), "no_opinion", "{event}");
        assert_eq!(outcome(event, &[]), "skipped", "{event}");
    }
    sandbox.run(["trust", "picoclaw:project:guard", "--yes"]).assert_exit(0);
    for event in ["before_tool", "after_tool", "turn_start"] {
        assert_eq!(outcome(event, &[]), "no_opinion", "{event}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_project_path_that_is_not_utf8_can_be_approved_and_muted() {
    use std::os::unix::ffi::OsStringExt;
    let sandbox = Sandbox::new();
    let folder =
        std::ffi::OsString::from_vec([sandbox.project().into_os_string().into_vec(), b"/\xff".to_vec()].concat());
    let place = std::path::Path::new(&folder).join(".jcli");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join("hooks.yaml"), "stop:\n  - command: 'sh gate.sh'\n").unwrap();
    std::fs::write(place.join("../gate.sh"), "echo '{}'\n").unwrap();
    let run = |args: &[&str]| {
        let args = args.iter().map(std::ffi::OsString::from);
        let all = ["--project".into(), folder.clone()].into_iter().chain(args);
        sandbox.run(all.collect::<Vec<_>>()).assert_exit(0)
    };
    let fire = ["fire", "--dialect", "jcli", "--event", "stop", "--json"];
    run(&["trust", "--all"]);
    assert_eq!(outcomes(&run(&fire).json()), ["stop:0 no_opinion"]);
    run(&["mute", "jcli:project:stop:0"]);
    assert_eq!(outcomes(&run(&fire).json()), ["stop:0 skipped:muted"]);
    run(&["unmute", "jcli:project:stop:0"]);
    assert_eq!(outcomes(&run(&fire).json()), ["stop:0 no_opinion"]);
    run(&["trust", "--revoke"]);
    assert_eq!(outcomes(&run(&fire).json()), ["stop:0 skipped:untrusted"]);
}

#[test]
fn a_named_hook_that_is_approved_says_so() {
    let sandbox = with_script();
    approve(&sandbox);
    sandbox
        .run(["trust", "jcli:project:stop:0"])
        .assert_exit(0)
        .assert_output("already approved");
}

#[test]
#[cfg(unix)]
fn a_trust_file_that_other_users_can_write_approves_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = with_script();
    approve(&sandbox);
    let file = sandbox.data().join("trust.json");
    let mode = |mode: u32| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    for wide in [0o620, 0o602, 0o666] {
        mode(wide);
        let done = fire(&sandbox, "stop", &json!({}), &[])
            .assert_exit(0)
            .assert_stderr("trust.json");
        assert_eq!(outcomes(&done.json()), ["stop:0 skipped:untrusted"], "{wide:o}");
        sandbox
            .run(["trust", "--all"])
            .assert_exit(1)
            .assert_stderr("trust.json");
    }
    mode(0o644);
    assert_eq!(outcomes(&trace(&sandbox, "stop", &json!({}))), ["stop:0 no_opinion"]);
    sandbox.write("data/settings.toml", "");
    let settings = sandbox.data().join("settings.toml");
    std::fs::set_permissions(settings, std::fs::Permissions::from_mode(0o666)).unwrap();
    let done = fire(&sandbox, "stop", &json!({}), &[])
        .assert_exit(0)
        .assert_stderr("settings.toml");
    assert_eq!(outcomes(&done.json()), ["stop:0 no_opinion"]);
}

#[test]
fn a_file_that_is_named_but_not_covered_may_change() {
    let sandbox = with_script();
    sandbox.write("project/package.json", r#"{"version": "1"}"#);
    project(
        &sandbox,
        "stop:\n  - command: 'jq . package.json >/dev/null; sh scripts/gate.sh >> log.txt'\n",
    );
    let item = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json()["pending"][0].clone();
    assert_eq!(item["data"], json!([sandbox.path("project/package.json")]), "{item:#}");
    approve(&sandbox);
    sandbox.write("project/package.json", r#"{"version": "2"}"#);
    for _ in 0..3 {
        assert_eq!(outcomes(&trace(&sandbox, "stop", &json!({}))), ["stop:0 no_opinion"]);
    }
}
