//! Tests of `mute` and `unmute`: the engine leaves a hook out, and its file is unchanged.

use std::os::unix::net::UnixStream;

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::agent_client::AgentClient;
use crate::cli_serve::serve;
use crate::jcli::{notices, outcomes, trace, user, with_user_hooks};

const TWO_HOOKS: &str = "stop:\n  - command: 'exit 0'\n  - command: 'exit 1'\n";

#[test]
fn a_muted_hook_is_skipped_until_it_is_unmuted() {
    let sandbox = with_user_hooks(TWO_HOOKS);
    sandbox.run(["mute", "jcli:user:stop:1"]).assert_exit(0);
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:0 no_opinion", "stop:1 skipped:muted"]
    );
    let row = sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][1].clone();
    assert_eq!(
        (&row["muted"], &row["muted_until"], &row["position"]),
        (&json!(true), &Value::Null, &Value::Null)
    );
    sandbox.run(["unmute", "jcli:user:stop:1"]).assert_exit(0);
    assert_eq!(
        outcomes(&trace(&sandbox, "stop", &json!({}))),
        ["stop:0 no_opinion", "stop:1 failed_open"]
    );
    let file = std::fs::read_to_string(sandbox.path("home/.jdata/agent/hooks.yaml")).unwrap();
    assert_eq!(file, TWO_HOOKS);
}

#[test]
fn a_hook_of_an_agent_is_muted_while_its_session_lives_and_keeps_its_index() {
    let sandbox = Sandbox::new();
    let hook = "jcli:session:stop:1";
    sandbox
        .run(["mute", hook])
        .assert_exit(1)
        .assert_stderr("no engine is running");
    let engine = serve(&sandbox);
    let socket = sandbox.path("run/hookwright/agent.sock");
    engine.wait_for("the agent socket", || UnixStream::connect(&socket).is_ok());
    let mut agent = AgentClient::open(&sandbox, "S");
    for prompt in ["one", "two", "three"] {
        let definition = json!({"type": "llm", "prompt": prompt});
        agent.call("hook.register", json!({"event": "stop", "definition": definition}));
    }
    let outcomes = |agent: &mut AgentClient| {
        let fired = agent.call("event.fire", json!({"event": "stop", "payload": {}}));
        let id = fired["trace"].as_str().expect("an id");
        let shown = sandbox.run(["show", id, "--json"]).assert_exit(0).json();
        let outcomes = shown["steps"].as_array().expect("steps").iter();
        outcomes.map(|step| step["reason"] == "muted").collect::<Vec<bool>>()
    };
    sandbox.run(["mute", hook]).assert_exit(0);
    // Those that did not run come last.
    assert_eq!(outcomes(&mut agent), [false, false, true]);
    let listed = agent.call("hook.list", json!({}));
    let muted = |index: usize| listed["hooks"][index]["muted"].clone();
    assert_eq!(
        [muted(0), muted(1), muted(2)],
        [json!(false), json!(true), json!(false)]
    );
    let third = json!({"event": "stop", "index": 2});
    assert_eq!(agent.call("hook.remove", third)["removed"], true);
    sandbox.run(["unmute", hook]).assert_exit(0);
    assert_eq!(outcomes(&mut agent), [false, false]);
    sandbox
        .run(["mute", "jcli:session:stop:9"])
        .assert_exit(1)
        .assert_stderr("jcli:session:stop:9");
}

#[test]
fn a_mute_ends_with_a_notice_when_no_session_has_the_hook_any_more() {
    let sandbox = Sandbox::new();
    let engine = serve(&sandbox);
    let socket = sandbox.path("run/hookwright/agent.sock");
    engine.wait_for("the agent socket", || UnixStream::connect(&socket).is_ok());
    let definition = json!({"event": "stop", "definition": {"type": "llm", "prompt": "guard"}});
    let lifted = |agent: &mut AgentClient| {
        let fired = agent.call("event.fire", json!({"event": "session_start", "payload": {}}));
        let id = fired["trace"].as_str().expect("an id");
        let shown = sandbox.run(["show", id, "--json"]).assert_exit(0).json();
        let notices = shown["notices"].as_array().expect("notices").clone();
        notices.iter().filter(|notice| notice["code"] == "mute_lifted").count()
    };
    let mut first = AgentClient::open(&sandbox, "first");
    let hook = first.call("hook.register", definition.clone())["hook"].clone();
    sandbox.run(["mute", hook.as_str().expect("an id")]).assert_exit(0);
    assert_eq!(lifted(&mut first), 0, "its session has the hook");
    first.call("session.close", json!({}));

    // A session that registers the same hook before its first event has the muted hook again.
    let mut second = AgentClient::open(&sandbox, "second");
    second.call("hook.register", definition.clone());
    assert_eq!(lifted(&mut second), 0);
    assert_eq!(second.call("hook.list", json!({}))["hooks"][0]["muted"], true);
    // Only the engine knows the sessions.
    trace(&sandbox, "stop", &json!({}));
    second.call("session.close", json!({}));

    let mut third = AgentClient::open(&sandbox, "third");
    assert_eq!(lifted(&mut third), 1);
    assert_eq!(lifted(&mut third), 0, "it is said once");
    third.call("hook.register", definition);
    assert_eq!(third.call("hook.list", json!({}))["hooks"][0]["muted"], false);
}

#[test]
fn a_mute_ends_after_its_time() {
    let sandbox = with_user_hooks(TWO_HOOKS);
    sandbox.run(["mute", "jcli:user:stop:1", "--for", "30m"]).assert_exit(0);
    let row = sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][1].clone();
    assert!(
        row["muted_until"].as_str().is_some_and(|until| until.ends_with('Z')),
        "{row:#}"
    );
    sandbox
        .run(["mute", "jcli:user:stop:0", "--for", "100ms"])
        .assert_exit(0);
    let ended = || outcomes(&trace(&sandbox, "stop", &json!({})))[0] == "stop:0 no_opinion";
    assert!(hookwright_testkit::processes::wait_until(
        std::time::Duration::from_secs(10),
        ended
    ));
    sandbox
        .run(["mute", "jcli:user:stop:1", "--for", "soon"])
        .assert_exit(1)
        .assert_stderr("soon");
}

#[test]
fn a_mute_follows_the_definition_when_it_moves() {
    let sandbox = with_user_hooks(TWO_HOOKS);
    sandbox.run(["mute", "jcli:user:stop:1"]).assert_exit(0);
    user(&sandbox, "stop:\n  - command: 'exit 1'\n  - command: 'exit 2'\n");
    let seen = trace(&sandbox, "stop", &json!({}));
    assert_eq!(outcomes(&seen), ["stop:1 failed_open", "stop:0 skipped:muted"]);
}

#[test]
fn a_mute_of_a_removed_definition_is_removed_and_reported_once() {
    let sandbox = with_user_hooks(TWO_HOOKS);
    sandbox.run(["mute", "jcli:user:stop:1"]).assert_exit(0);
    user(&sandbox, "stop:\n  - command: 'exit 0'\n");
    let seen = trace(&sandbox, "stop", &json!({}));
    assert_eq!(
        notices(&seen)
            .iter()
            .filter(|text| text.contains("jcli:user:stop:1"))
            .count(),
        1,
        "{seen:#}"
    );
    user(&sandbox, TWO_HOOKS);
    let seen = trace(&sandbox, "stop", &json!({}));
    assert_eq!(outcomes(&seen), ["stop:0 no_opinion", "stop:1 failed_open"]);
}

#[test]
fn a_missing_hook_cannot_be_muted() {
    let sandbox = with_user_hooks(TWO_HOOKS);
    sandbox
        .run(["mute", "jcli:user:stop:7"])
        .assert_exit(1)
        .assert_stderr("jcli:user:stop:7");
    sandbox
        .run(["unmute", "jcli:user:stop:7"])
        .assert_exit(1)
        .assert_stderr("jcli:user:stop:7");
}

#[test]
fn a_mute_is_kept_while_the_file_does_not_parse() {
    let sandbox = with_user_hooks(TWO_HOOKS);
    sandbox.run(["mute", "jcli:user:stop:1"]).assert_exit(0);
    user(&sandbox, "stop: [\n");
    let meanwhile = trace(&sandbox, "stop", &json!({}));
    assert_eq!(meanwhile["notices"][0]["code"], "hooks_lost");
    assert_eq!(notices(&meanwhile).len(), 1, "only that nobody was on guard");
    user(&sandbox, TWO_HOOKS);
    let seen = trace(&sandbox, "stop", &json!({}));
    assert_eq!(outcomes(&seen), ["stop:0 no_opinion", "stop:1 skipped:muted"]);
}

#[test]
fn a_mute_of_a_callback_is_kept_while_its_module_does_not_parse() {
    let sandbox = hookwright_testkit::Sandbox::new();
    let module = "from qoder_agent_sdk import HookMatcher\n\n\nasync def stop(inp, tid, ctx):\n    open('ran', 'w').close()\n    return {}\n\n\nhooks = {'Stop': [HookMatcher(hooks=[stop])]}\n";
    let fire = || {
        let done = sandbox.run(["fire", "--dialect", "qoder", "--event", "Stop", "--json"]);
        let trace = done.json();
        let said: Vec<String> = notices(&trace).iter().map(|text| (*text).to_owned()).collect();
        (outcomes(&trace), said)
    };
    sandbox.write("home/.qoder/hooks.py", module);
    assert_eq!(fire().0, ["Stop:module.0.0 no_opinion"]);
    std::fs::remove_file(sandbox.path("project/ran")).unwrap();
    sandbox.run(["mute", "qoder:user:Stop:module.0.0"]).assert_exit(0);
    for edit in ["# one\n", "# two\n", "raise SystemExit(1)\n", "# three\n"] {
        sandbox.write("home/.qoder/hooks.py", format!("{module}{edit}"));
        for _ in 0..2 {
            let (outcomes, notices) = fire();
            assert!(
                !outcomes.iter().any(|outcome| outcome.ends_with("no_opinion")),
                "{edit}: {outcomes:?} {notices:?}"
            );
            assert!(
                !notices.iter().any(|text| text.contains("mute of")),
                "{edit}: {notices:?}"
            );
        }
    }
    assert!(!sandbox.path("project/ran").exists());
    assert_eq!(fire().0, ["Stop:module.0.0 skipped:muted"]);
    sandbox.write("home/.qoder/hooks.py", "hooks = {}\n");
    assert!(fire().1.iter().any(|text| text.contains("mute of")));
    sandbox.write("home/.qoder/hooks.py", module);
    assert_eq!(fire().0, ["Stop:module.0.0 no_opinion"]);
}

#[test]
fn a_negative_time_is_refused() {
    let sandbox = with_user_hooks(TWO_HOOKS);
    sandbox
        .run(["mute", "jcli:user:stop:1", "--for", "-1m"])
        .assert_exit(1)
        .assert_stderr("-1m");
}

#[test]
fn unmuting_an_unmuted_hook_says_so_and_a_name_gives_its_id() {
    let sandbox = with_user_hooks("stop:\n  - command: 'sh gate.sh'\n");
    let hook = "jcli:user:stop:0";
    sandbox
        .run(["unmute", hook])
        .assert_exit(0)
        .assert_output("was not muted");
    sandbox.run(["mute", hook]).assert_exit(0);
    sandbox.run(["unmute", hook]).assert_exit(0).assert_output("runs again");
    sandbox
        .run(["mute", "gate.sh"])
        .assert_exit(1)
        .assert_stderr("use the id jcli:user:stop:0");
}

#[test]
fn the_end_of_a_mute_of_several_events_is_reported_once() {
    let sandbox = Sandbox::new();
    let write = |intercept: Value| {
        let entry = json!({"enabled": true, "command": ["cat"], "intercept": intercept, "observe": ["turn_start"]});
        let config = json!({ "hooks": { "processes": { "p": entry } } });
        sandbox.write("home/.picoclaw/config.json", config.to_string());
    };
    write(json!(["before_tool", "approve_tool"]));
    sandbox.run(["mute", "picoclaw:user:p"]).assert_exit(0);
    write(json!([]));
    let args = ["fire", "--dialect", "picoclaw", "--event", "approve_tool", "--json"];
    let trace = sandbox.run(args).assert_exit(0).json();
    let reported = notices(&trace)
        .iter()
        .filter(|text| text.contains("the mute of"))
        .count();
    assert_eq!(reported, 1, "{:#}", trace["notices"]);
}
