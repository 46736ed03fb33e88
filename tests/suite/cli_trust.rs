//! Tests of trust: no project hook runs before the user approved exactly this content.

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
fn the_text_list_has_the_content_of_the_json_list() {
    let sandbox = with_script();
    let list = sandbox.run(["trust", "--list"]).assert_exit(0);
    list.assert_output("jcli:project:stop:0")
        .assert_output("sh scripts/gate.sh")
        .assert_output("scripts/gate.sh  ");
}

#[test]
fn the_review_of_a_named_hook_shows_covered_and_uncovered_files() {
    let sandbox = with_script();
    project(
        &sandbox,
        "stop:\n  - command: 'sh scripts/gate.sh \"$TOOLS/gate.sh\"'\n",
    );
    let shown = sandbox.run(["trust", "jcli:project:stop:0"]).assert_exit(1);
    shown.assert_output("touch ran").assert_output("not covered");
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
fn an_approval_or_revocation_is_printed_once() {
    let sandbox = with_script();
    let done = sandbox.run(["trust", "--all"]).assert_exit(0);
    assert_eq!(done.stdout.matches("jcli:project:stop:0").count(), 1, "{done}");
    sandbox
        .run(["trust", "--all"])
        .assert_exit(0)
        .assert_output("waits for an approval");
    let done = sandbox.run(["trust", "--revoke"]).assert_exit(0);
    assert_eq!(done.stdout.matches("jcli:project:stop:0").count(), 1, "{done}");
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
        .assert_output("approved as it stands");
}

#[test]
fn without_a_terminal_the_output_says_how_to_approve() {
    let sandbox = with_script();
    for arguments in [&["trust"][..], &["trust", "jcli:project:stop:0"]] {
        sandbox.run(arguments).assert_exit(1).assert_stderr("--yes approves");
    }
    sandbox
        .run(["fire", "--dialect", "jcli", "--event", "stop"])
        .assert_exit(0)
        .assert_stderr("`hookwright trust` reviews");
}

#[test]
fn a_stored_definition_contains_no_secret() {
    let sandbox = Sandbox::new();
    let config = |key: &str, command: &str| {
        let entry = json!({
            "enabled": true, "command": ["sh", "-c", command], "intercept": ["before_tool"], "env": {"API_KEY": key}
        });
        let config = json!({"hooks": {"processes": {"guard": entry}}});
        sandbox.write("project/.picoclaw/config.json", config.to_string());
    };
    let secret = "quite-a-secret-of-mine";
    let hook = "picoclaw:project:guard";
    config(secret, "true");
    let pending = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert!(
        pending["pending"][0]["definition"].as_str().unwrap().contains(secret),
        "a person sees what they approve: {pending:#}"
    );
    sandbox.run(["trust", "--all"]).assert_exit(0);
    sandbox.run(["mute", hook]).assert_exit(0);
    for file in ["trust.json", "mutes.json"] {
        let kept = std::fs::read_to_string(sandbox.data().join(file)).unwrap();
        assert!(!kept.contains(secret) && kept.contains("guard"), "{file}: {kept}");
    }
    let row = sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][0].clone();
    assert_eq!(
        (&row["muted"], &row["trusted"]),
        (&json!(true), &json!(true)),
        "{row:#}"
    );
    config("quite-another-secret", "true");
    let changed = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    assert!(
        changed["pending"][0]["old"].is_object(),
        "a secret is a part of what was approved: {changed:#}"
    );
    config(secret, "false");
    let changed = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json();
    let old = changed["pending"][0]["old"]["definition"].as_str().unwrap();
    assert!(old.contains("true") && !old.contains(secret), "{changed:#}");
}

#[test]
fn a_review_shows_every_line_of_a_script_whatever_it_contains() {
    let sandbox = with_script();
    let hiding = "#!/bin/sh\n# tidy up \u{f5a0}\necho pwned > out\n# \u{f5a1}\n: \u{1b}[8m; touch a\u{1b}[0m\n: \u{202e}\u{200b}\u{8}\rb\n── scripts/other.sh\n";
    sandbox.write("project/scripts/gate.sh", hiding);
    let done = sandbox.run(["trust", "jcli:project:stop:0"]).assert_exit(1);
    let done = done
        .assert_output("echo pwned > out")
        .assert_output("touch a")
        .assert_output(r"\u{f5a0}")
        .assert_output(r"\u{f5a1}");
    let done = done.assert_output(r": \u{202e}\u{200b}\u{8}\rb");
    assert!(!done.stdout.contains('\u{1b}'), "{done}");
    let headings = done.stdout.lines().filter(|line| line.starts_with("──")).count();
    assert_eq!(headings, 1, "a script's line is none of ours: {done}");
}

#[test]
fn output_of_hooks_is_shown_as_plain_text_everywhere() {
    let sandbox = Sandbox::new();
    let odd = "\u{f5a0}31\u{f5a1}\u{1b}[31m\u{202e}\u{200b}\r";
    let shown = r"\u{f5a0}31\u{f5a1}";
    let answer = json!({"action": "stop", "retry_feedback": format!("x{odd}y")}).to_string();
    sandbox.write("project/say.sh", format!("cat <<'END'\n{answer}\nEND\n"));
    let yaml = format!(
        "post_llm_response:\n  - command: {}\n",
        json!(format!("sh say.sh '{odd}'"))
    );
    project(&sandbox, &yaml);
    let fired = fire(&sandbox, "post_llm_response", &json!({}), &["--trust"]).json();
    let trace = fired["trace"].as_str().unwrap();
    let hook = "jcli:project:post_llm_response:0";
    for arguments in [&["trust", "--list"][..], &["trust", hook], &["show", trace]] {
        let done = sandbox.run(arguments).assert_output(shown);
        assert!(
            !done
                .stdout
                .contains(['\u{1b}', '\u{202e}', '\u{200b}', '\r', '\u{f5a0}']),
            "{done}"
        );
    }
}

#[test]
fn the_review_of_a_program_in_the_command_names_its_files_and_no_others() {
    let sandbox = with_script();
    let program = "const fs = require(\"fs\"); const x = fs.existsSync(\"/etc/hosts\") ? 1 : 0; ".repeat(20);
    let hooks = json!({"stop": [{"command": format!("node -e '{program}' 2>/dev/null || sh scripts/gate.sh")}]});
    project(&sandbox, &hooks.to_string());
    let item = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json()["pending"][0].clone();
    let files = item["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{item:#}");
    let codes: Vec<&str> = item["not_covered"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|said| said["code"].as_str())
        .collect();
    assert!(!codes.contains(&"outside_project"), "{codes:?}");
    let list = sandbox.run(["trust", "--list"]).assert_exit(0);
    assert!(list.stdout.lines().all(|line| line.chars().count() < 600), "{list}");
}

#[test]
fn approved_text_is_kept_while_an_approval_names_it() {
    let sandbox = with_script();
    approve(&sandbox);
    let approved = sandbox.data().join("approved");
    let kept = || std::fs::read_dir(&approved).map_or(0, Iterator::count);
    assert_eq!(kept(), 1);
    #[cfg(unix)]
    for entry in std::fs::read_dir(&approved).unwrap().flatten() {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let before = std::fs::read_to_string(sandbox.path("project/scripts/gate.sh")).unwrap();
    sandbox.script("project/scripts/gate.sh", "#!/bin/sh\ntouch ran2\n");
    let item = sandbox.run(["trust", "--list", "--json"]).assert_exit(0).json()["pending"][0].clone();
    assert_eq!(
        (&item["old"]["files"][0]["text"], &item["old"]["reason"]),
        (&json!(before), &json!("changed")),
        "{item:#}"
    );
    let review = sandbox.run(["trust", "jcli:project:stop:0"]).assert_exit(1);
    review
        .assert_output("changed since it was approved")
        .assert_output("-touch ran\n")
        .assert_output("+touch ran2\n");
    approve(&sandbox);
    assert_eq!(kept(), 1, "the one before is named by no approval");
    sandbox.run(["trust", "--revoke"]).assert_exit(0);
    assert_eq!(kept(), 0);
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

#[test]
fn the_list_names_what_is_not_covered() {
    let sandbox = with_script();
    project(&sandbox, "stop:\n  - command: 'sh \"$OTHER/gate.sh\"'\n");
    let said = "the command computes file names (`$OTHER`); files found that way are not covered";
    sandbox.run(["trust"]).assert_exit(1).assert_output(said);
    sandbox.run(["trust", "--list"]).assert_exit(0).assert_output(said);
    approve(&sandbox);
    sandbox.run(["trust", "--list"]).assert_exit(0).assert_output(said);
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
