//! The processes of a session.

use super::*;

#[test]
fn all_processes_of_a_session_start_with_its_first_event() {
    let sandbox = with_entries(&[
        ("observer", json!({ "observe": ["turn_start"] })),
        ("approver", json!({ "intercept": ["approve_tool"] })),
        ("off", json!({ "enabled": false, "observe": ["*"] })),
    ]);
    sandbox.write("project/play.yaml", "dialect: picoclaw\nturns: [{user: hi}]\n");
    let doc = sandbox
        .run(["simulate", "play.yaml", "--trust", "--json"])
        .assert_exit(0)
        .json();
    assert!(!events(&doc).contains(&"approve_tool"));
    let started = |name: &str| sandbox.path(&format!("project/started-{name}")).exists();
    assert_eq!(
        [started("observer"), started("approver"), started("off")],
        [true, true, false]
    );
}

#[test]
fn one_process_receives_all_events_of_a_session_and_ends_with_it() {
    let sandbox = with_hook("home");
    sandbox.write("project/play.yaml", SCENARIO);
    let doc = sandbox.run(["simulate", "play.yaml", "--json"]).assert_exit(0).json();
    let closed = std::fs::read_to_string(sandbox.path("project/closed")).unwrap();
    let approvals: Vec<&str> = doc["traces"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|trace| trace["event"] == "approve_tool")
        .filter_map(|trace| trace["verdict"]["reason"].as_str())
        .collect();
    assert_eq!(approvals, [closed.as_str(); 3]);
    let received = std::fs::read_to_string(sandbox.path("project/heard")).unwrap();
    let ids: Vec<u64> = received
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_u64())
        .collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>());
}

#[test]
fn only_calls_that_hooks_left_in_the_answer_are_made() {
    let sandbox = Sandbox::new();
    let hook = HOOK.replace(
        r#"elif method == "hook.approve_tool":"#,
        r#"elif method == "hook.after_llm" and params["response"].get("tool_calls"):
        call = lambda id, name: {"id": id, "type": "function", "function": {"name": name, "arguments": '{"p": 2}'}}
        calls = [call("call_1", "changed"), call("made-up", "plugin"), call("", "ls")]
        result = {"action": "modify", "response": {"response": dict(params["response"], tool_calls=calls)}}
    elif method == "hook.approve_tool":"#,
    );
    sandbox.write("project/hook.py", hook);
    let entry =
        json!({ "enabled": true, "command": ["python3", "hook.py"], "intercept": ["after_llm", "before_tool"] });
    let config = json!({ "hooks": { "processes": { "all": entry } } });
    sandbox.write("home/.picoclaw/config.json", config.to_string());
    sandbox.write(
        "project/play.yaml",
        "dialect: picoclaw\nturns: [{user: hi, steps: [{calls: [{tool: read, arguments: {p: 1}, result: R}]}, {reply: ok}]}]\n",
    );
    let doc = sandbox
        .run(["simulate", "play.yaml", "--trust", "--json"])
        .assert_exit(0)
        .json();
    let called: Vec<&Value> = doc["traces"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|trace| trace["event"] == "before_tool")
        .map(|trace| &trace["payload_before"]["tool"])
        .collect();
    assert_eq!(called, ["changed", "plugin", "ls"]);
    let seen = doc["llm_calls"][1]["messages"].as_array().unwrap();
    let asked: Vec<&Value> = seen[1]["tool_calls"].as_array().unwrap().iter().collect();
    assert_eq!(
        asked[0],
        &json!({ "id": "call_1", "name": "changed", "arguments": "{\"p\":2}" })
    );
    assert_eq!([&asked[1]["id"], &asked[2]["id"]], ["made-up", "call_2"]);
    let contents: Vec<&Value> = seen[2..5].iter().map(|message| &message["content"]).collect();
    assert_eq!(contents, ["R", "from the plugin", ""]);
}

#[test]
fn a_missing_handshake_is_a_problem_until_a_handshake_succeeds() {
    let sandbox = with_hook("home");
    let hook = std::fs::read_to_string(sandbox.path("project/hook.py")).unwrap();
    let problems = || {
        let doc = sandbox
            .run(["list", "--dialect", "picoclaw", "--json"])
            .assert_exit(0)
            .json();
        let all = doc["problems"].as_array().unwrap().clone();
        let all = all.into_iter().filter(|problem| problem["code"] == "handshake_failed");
        all.map(|problem| (problem["severity"].clone(), problem["hook"].clone()))
            .collect::<Vec<_>>()
    };
    let fire = || {
        sandbox
            .run([
                "fire",
                "--dialect",
                "picoclaw",
                "--event",
                "before_tool",
                "--trust",
                "--json",
            ])
            .assert_exit(0);
    };
    assert_eq!(problems(), []);
    sandbox.write("project/hook.py", "import sys\nsys.exit(3)\n");
    fire();
    assert_eq!(problems(), [(json!("warning"), json!("picoclaw:user:all"))]);
    sandbox.run(["check", "--dialect", "picoclaw"]).assert_exit(0);
    sandbox.write("project/hook.py", hook);
    fire();
    assert_eq!(problems(), []);
}

#[test]
fn starts_handshakes_and_dropped_lines_are_counted() {
    let sandbox = with_hook("home");
    let hook = std::fs::read_to_string(sandbox.path("project/hook.py")).unwrap();
    // Before every response it sends another one to a request that does not exist.
    let chatty = hook.replace(
        "    print(json.dumps({\"jsonrpc\"",
        "    print(json.dumps({\"jsonrpc\": \"2.0\", \"id\": 999, \"result\": {}}))\n    print(json.dumps({\"jsonrpc\"",
    );
    assert_ne!(hook, chatty);
    sandbox.write("project/hook.py", chatty);
    sandbox.run(["trust", "--all"]).assert_exit(0);
    for _ in 0..2 {
        sandbox
            .run_with(
                json!({"tool": "ls"}).to_string(),
                "fire --dialect picoclaw --event before_tool --payload - --json".split(' '),
            )
            .assert_exit(0);
    }
    let stats = sandbox.run(["stats", "--json"]).assert_exit(0).json();
    let native = &stats["hooks"][0]["native"];
    assert_eq!(
        [&native["starts"], &native["restarts"], &native["dropped_notifications"]],
        [2, 0, 0]
    );
    assert_eq!(native["dropped_lines"], 4, "{native}");
    assert!(native["handshake_ms"].as_f64().unwrap() > 0.0, "{native}");
}
