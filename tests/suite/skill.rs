//! Tests of skill hooks with the built program: which are trusted, where skills are found, and a simulated request.

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::jcli::{codes, notices, outcomes};

fn entry(name: &str, timing: &str) -> Value {
    json!({"name": name, "file": "text.md", "timing": timing, "role": "system", "persistent": false})
}

/// Writes a skill with these entries. The text contains the skill's name and root.
fn skill(sandbox: &Sandbox, root: &str, name: &str, entries: &[Value]) {
    sandbox.write(
        &format!("{root}/{name}/hooks/hooks.json"),
        json!({ "hooks": entries }).to_string(),
    );
    sandbox.write(
        &format!("{root}/{name}/hooks/text.md"),
        format!("I am {name} of {root}."),
    );
}

fn fire(sandbox: &Sandbox, payload: &Value) -> Value {
    let args = "fire --dialect skill --event after_user_input --payload - --json";
    sandbox
        .run_with(payload.to_string(), args.split(' '))
        .assert_exit(0)
        .json()
}

#[test]
fn a_skill_that_is_named_is_trusted_and_one_that_was_only_found_is_not() {
    let sandbox = Sandbox::new();
    skill(&sandbox, "project/skills", "a", &[entry("x", "after_user_input")]);
    let named = fire(&sandbox, &json!({"messages": [], "enabled_skills": ["a"]}));
    assert_eq!(outcomes(&named), ["a:x changed"]);
    assert!(notices(&named).is_empty());
    let found = fire(&sandbox, &json!({"messages": []}));
    assert_eq!(outcomes(&found), ["a:x skipped:untrusted"]);
    let reported = notices(&found);
    assert!(
        reported[0].starts_with("the payload names no enabled skills"),
        "{reported:?}"
    );
    assert!(
        reported[1].starts_with("1 not run because not approved"),
        "{reported:?}"
    );
    sandbox.run(["trust", "--all"]).assert_exit(0);
    assert_eq!(outcomes(&fire(&sandbox, &json!({"messages": []}))), ["a:x changed"]);
    sandbox.write("project/skills/a/hooks/text.md", "Something else.");
    assert_eq!(
        outcomes(&fire(&sandbox, &json!({"messages": []}))),
        ["a:x skipped:untrusted"],
        "the text is what was approved"
    );
}

#[test]
fn folders_of_the_settings_are_user_folders_and_the_project_comes_first() {
    let sandbox = Sandbox::new();
    sandbox.write("data/settings.toml", "[watch]\nskills_roots = [\"~/skills\"]\n");
    skill(&sandbox, "home/skills", "a", &[entry("x", "after_user_input")]);
    skill(&sandbox, "home/skills", "b", &[entry("y", "after_user_input")]);
    let found = fire(&sandbox, &json!({"messages": []}));
    assert_eq!(outcomes(&found), ["a:x changed", "b:y changed"]);
    skill(&sandbox, "project/skills", "a", &[entry("x", "after_user_input")]);
    let both = json!({"messages": [], "enabled_skills": ["b", "a"]});
    let waiting = fire(&sandbox, &both);
    assert_eq!(
        outcomes(&waiting),
        ["b:y changed", "a:x#2 changed", "a:x skipped:untrusted"],
        "naming it was meant for the user's"
    );
    assert_eq!(
        waiting["reply"]["json"]["messages"][1]["content"],
        "I am a of home/skills."
    );
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let named = fire(&sandbox, &both);
    assert_eq!(
        outcomes(&named),
        ["b:y changed", "a:x changed", "a:x#2 skipped:disabled"]
    );
    assert_eq!(
        named["reply"]["json"]["messages"][1]["content"],
        "I am a of project/skills."
    );
    let list = sandbox
        .run(["list", "--dialect", "skill", "--json"])
        .assert_exit(0)
        .json();
    let rows = list["hooks"].as_array().unwrap();
    let shadowed: Vec<&Value> = rows.iter().map(|row| &row["shadowed_by"]).collect();
    assert_eq!(shadowed, [&json!(null), &json!("skill:skill:a:x"), &json!(null)]);
    assert!(codes(&list).contains(&"warning shadowed".to_owned()));
}

#[test]
fn a_skill_without_hooks_shadows_one_of_a_later_root() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "data/settings.toml",
        "[watch]\nskills_roots = [\"~/first\", \"~/skills\"]\n",
    );
    skill(&sandbox, "home/skills", "a", &[entry("x", "after_user_input")]);
    let found = || outcomes(&fire(&sandbox, &json!({"messages": [], "enabled_skills": ["a"]})));
    sandbox.write("project/skills/a/SKILL.md", "nothing to approve");
    assert_eq!(found(), ["a:x changed"], "a project's folder replaces nobody");
    for file in ["SKILL.md", "hooks/hooks.json"] {
        sandbox.write(&format!("home/first/a/{file}"), "{\"hooks\": []}");
        assert_eq!(found(), ["a:x skipped:disabled"], "beside {file}");
    }
    let list = sandbox
        .run(["list", "--dialect", "skill", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(list["hooks"][0]["shadowed_by"], "skill:skill:a");
}

#[test]
fn the_folder_of_one_skill_is_checked_without_its_neighbours() {
    let sandbox = Sandbox::new();
    skill(&sandbox, "project/skills", "a", &[json!({"name": "x"})]);
    skill(&sandbox, "project/skills", "b", &[entry("y", "sometime")]);
    let check = |path: &str| codes(&sandbox.run(["check", path, "--json"]).assert_exit(1).json());
    assert_eq!(check("skills/b"), ["error unknown_event"]);
    assert_eq!(check("skills/b/hooks"), ["error unknown_event"]);
    assert_eq!(check("skills").len(), 5);
}

#[test]
fn a_returned_text_is_attributed_to_the_hook_that_inserted_it() {
    let sandbox = Sandbox::new();
    let kept = |timing: &str, persistent: bool| json!({"name": "same", "file": "text.md", "timing": timing, "role": "user", "persistent": persistent});
    skill(&sandbox, "project/skills", "a", &[kept("before_first_agent", true)]);
    skill(&sandbox, "project/skills", "b", &[kept("after_user_input", true)]);
    skill(&sandbox, "project/skills", "c", &[kept("after_user_input", false)]);
    let play = |skills: &str| {
        let text = format!(
            "dialect: skill\nenabled_skills: [{skills}]\nmessages:\n  - {{role: user, content: old, _hook: same}}\n\
             turns:\n  - {{user: one, enable_tools: false, steps: [{{reply: x}}]}}\n  - {{user: two, enable_tools: false, steps: [{{reply: x}}]}}\n"
        );
        sandbox.write("project/play.yaml", text);
        let doc = sandbox.run(["simulate", "play.yaml", "--json"]).assert_exit(0).json();
        let last = doc["llm_calls"].as_array().unwrap().last().unwrap().clone();
        let said = last["messages"].as_array().unwrap().clone();
        let back = said
            .iter()
            .filter(|said| said["origin"] == "history" && said["hook"].is_string());
        back.map(|said| said["hook"].clone()).collect::<Vec<_>>()
    };
    let (a, b) = (json!("skill:skill:a:same"), json!("skill:skill:b:same"));
    // The old message can belong to `a` or `b`. The new one was inserted in this simulation, so its hook is known.
    assert_eq!(play("a, b"), [a, b.clone()]);
    assert_eq!(play("c, b"), [b.clone(), b]);
}

#[test]
fn an_event_without_the_tools_name_cannot_be_fired() {
    let sandbox = Sandbox::new();
    let fired = sandbox
        .run(["fire", "--dialect", "skill", "--event", "after_tool_call"])
        .assert_exit(1);
    assert!(fired.stderr.contains("after_tool_call needs `tool_name`"), "{fired}");
}

#[test]
fn check_finds_skills_by_their_path_and_reports_only_the_given_file() {
    let sandbox = Sandbox::new();
    skill(&sandbox, "project/skills", "a", &[json!({"name": "x"})]);
    skill(&sandbox, "project/skills", "b", &[entry("y", "sometime")]);
    let one = sandbox
        .run(["check", "skills/b/hooks/hooks.json", "--json"])
        .assert_exit(1)
        .json();
    assert_eq!(codes(&one), ["error unknown_event"]);
    let walked = sandbox.run(["check", ".", "--json"]).assert_exit(1).json();
    assert_eq!(walked["problems"].as_array().unwrap().len(), 5, "{walked:#}");
    assert_eq!(
        codes(
            &sandbox
                .run(["check", "--dialect", "skill", "--json"])
                .assert_exit(1)
                .json()
        )
        .len(),
        5
    );
}

#[test]
fn a_request_is_simulated_to_its_end_and_removals_are_recorded() {
    let sandbox = Sandbox::new();
    skill(
        &sandbox,
        "project/skills",
        "reader",
        &[entry("plan", "before_planning"), entry("each", "before_each_agent")],
    );
    sandbox.write(
        "project/play.yaml",
        "dialect: skill\nsession: s1\nenabled_skills: [reader]\nturns:\n  - user: is this safe?\n    enable_tools: true\n    need_tool: true\n    \
         steps:\n      - calls: [{tool: grep, arguments: {q: unsafe}, result: 3 hits}]\n      - reply: \"no\"\n",
    );
    let doc = sandbox.run(["simulate", "play.yaml", "--json"]).assert_exit(0).json();
    let labels: Vec<&str> = doc["llm_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["planning", "step 1", "step 2"]);
    assert_eq!(doc["llm_calls"][0]["messages"][1]["hook"], "skill:skill:reader:plan");
    let planned = &doc["traces"][1];
    let removed = &planned["steps"][0]["removed"][0];
    assert_eq!(removed["by"], "remove(before_planning)");
    assert_eq!(removed["ref"], planned["reply"]["json"]["appended"][0]["ref"]);
    let shown = sandbox
        .run(["show", planned["trace"].as_str().unwrap(), "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(shown["steps"][0]["removed"][0], *removed, "the history knows it, too");
    let history = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert_eq!(
        history["traces"].as_array().unwrap().len(),
        doc["traces"].as_array().unwrap().len()
    );
}

#[test]
fn a_simulation_is_recorded_and_changes_no_figure() {
    let sandbox = Sandbox::new();
    skill(&sandbox, "project/skills", "a", &[entry("x", "before_each_agent")]);
    sandbox.write(
        "project/play.yaml",
        "dialect: skill\nenabled_skills: [a]\nturns: [{user: hi, steps: [{calls: [{tool: t}]}, {reply: done}]}]\n",
    );
    sandbox.run(["simulate", "play.yaml", "--json"]).assert_exit(0);
    let history = sandbox.run(["history", "--json"]).assert_exit(0).json();
    assert!(!history["traces"].as_array().unwrap().is_empty());
    let stats = sandbox.run(["stats", "--json"]).assert_exit(0).json();
    assert_eq!(stats["hooks"], json!([]), "{stats}");
}
