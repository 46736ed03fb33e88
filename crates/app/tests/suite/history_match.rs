//! How many recorded events a filter would match, and the list of the user's own hooks.

use std::sync::Arc;

use hookwright_app::{App, commands};
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::{TestHome, wait_until, write};

const BASH: &str = "pre_tool_execution:\n  - command: 'exit 0'\n    filter: {tool_name: Bash}\n";
const HOOK: &str = "jcli:user:pre_tool_execution:0";

struct HistorySandbox {
    test_home: TestHome,
    app: Arc<App>,
}

impl HistorySandbox {
    /// A user hook for the tool `Bash`, and one recorded event for each of these tools, the oldest first.
    async fn with_events(tools: &[&str]) -> Self {
        let test_home = TestHome::new();
        write(&test_home.user_file(), BASH);
        let app = test_home.app(ProcessRole::OneShot);
        let sandbox = Self { test_home, app };
        for tool in tools {
            let payload = json!({"tool_name": tool, "tool_arguments": "{}"});
            let request = json!({"project": sandbox.test_home.project, "dialect": "jcli", "event": "pre_tool_execution",
                "payload": payload, "run": "r"});
            sandbox.call("fire", request).await;
        }
        sandbox
    }

    async fn ask(&self, method: &str, params: Value) -> Result<Value, String> {
        let answer = commands::call(&self.app, method, params).await;
        answer.map_err(|fault| {
            serde_json::to_value(fault).unwrap()["code"]
                .as_str()
                .unwrap()
                .to_owned()
        })
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        self.ask(method, params).await.expect(method)
    }

    async fn matches(&self, mut request: Value) -> Value {
        request["dialect"] = json!("jcli");
        request["event"] = json!("pre_tool_execution");
        self.call("history.match", request).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_filter_of_a_hook_is_compared_with_recorded_events() {
    let sandbox = HistorySandbox::with_events(&["Bash", "Read", "bash", "Bash"]).await;
    let doc = sandbox.matches(json!({"hook": HOOK})).await;
    assert_eq!((&doc["looked_at"], &doc["matches"]), (&json!(4), &json!(2)));
    let page = sandbox.call("history.page", json!({"limit": 10, "after": null})).await;
    let trace = |index: usize| page["traces"][index]["trace"].clone();
    assert_eq!(doc["matched"], json!([trace(0), trace(3)]), "newest first");
    assert_eq!(doc["near"], json!([{"trace": trace(1), "near_miss": "case"}]));
    let newest = sandbox.matches(json!({"hook": HOOK, "last": 1})).await;
    assert_eq!((&newest["looked_at"], &newest["matches"]), (&json!(1), &json!(1)));
    let elsewhere = sandbox
        .matches(json!({"hook": HOOK, "project": sandbox.test_home.home}))
        .await;
    assert_eq!(elsewhere["looked_at"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_hook_did_at_each_event_is_listed_with_its_reasons() {
    let sandbox = HistorySandbox::with_events(&["Bash", "Read", "Bash", "Read", "bash"]).await;
    write(&sandbox.test_home.user_file(), format!("{BASH}  - command: 'exit 1'\n"));
    assert_eq!(sandbox.matches(json!({"hook": HOOK})).await.get("events"), None);
    let doc = sandbox.matches(json!({"hook": HOOK, "events": true})).await;
    let did: Vec<(&Value, &Value)> = doc["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| (&event["outcome"], &event["reason"]))
        .collect();
    let (not_matched, ran) = (json!("not_matched"), json!("no_opinion"));
    assert_eq!(
        did,
        [
            (&not_matched, &json!(0)),
            (&not_matched, &json!(1)),
            (&ran, &Value::Null),
            (&not_matched, &json!(1)),
            (&ran, &Value::Null),
        ],
        "newest first"
    );
    let reasons = doc["reasons"].as_array().unwrap();
    assert_eq!(reasons.len(), 2, "each is named once");
    assert_eq!(
        (&reasons[0]["gate"], &reasons[0]["near_miss"]),
        (&json!("filter"), &json!("case"))
    );
    let page = sandbox.call("history.page", json!({"limit": 1})).await;
    assert_eq!(doc["events"][0]["trace"], page["traces"][0]["trace"]);
    // The other hook was added after these events.
    let later = sandbox
        .matches(json!({"hook": "jcli:user:pre_tool_execution:1", "events": true, "last": 1}))
        .await;
    assert_eq!(
        (&later["events"][0]["outcome"], &later["events"][0]["reason"]),
        (&Value::Null, &Value::Null)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_narrowed_by_a_query_and_says_how_many_events_were_looked_at() {
    let sandbox = HistorySandbox::with_events(&["Bash", "Read", "bash", "Bash"]).await;
    let page = async |request: Value| sandbox.call("history.page", request).await;
    let all = page(json!({"limit": 10})).await;
    assert_eq!(all.get("searched"), None);
    let found = page(json!({"limit": 10, "query": "-tool:read event:pre_tool_*"})).await;
    let ids = |doc: &Value| -> Vec<Value> {
        let rows = doc["traces"].as_array().unwrap().iter();
        rows.map(|row| row["trace"].clone()).collect()
    };
    let known = ids(&all);
    assert_eq!(ids(&found), [known[0].clone(), known[1].clone(), known[3].clone()]);
    assert_eq!((&found["searched"], &found["next"]), (&json!(4), &Value::Null));
    // Both have to hold: the parameters and the query.
    let both = page(json!({"limit": 10, "event": "pre_tool_execution", "query": "event:stop"})).await;
    assert_eq!(ids(&both), Vec::<Value>::new());
    let first = page(json!({"limit": 1, "query": "tool:Bash"})).await;
    assert_eq!(ids(&first), known[..1]);
    let next = page(json!({"limit": 5, "query": "tool:Bash", "after": first["next"]})).await;
    assert_eq!(ids(&next), [known[1].clone(), known[3].clone()]);
    let wrong = sandbox
        .ask("history.page", json!({"limit": 1, "query": "colour:red"}))
        .await;
    assert_eq!(wrong, Err("query_unknown_key".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_or_new_definition_is_compared_without_being_written() {
    let sandbox = HistorySandbox::with_events(&["Bash", "Read", "Write"]).await;
    let project = json!(sandbox.test_home.project);
    let step = json!({"do": "set", "field": "filter", "value": {"tool_matcher": "Read|Write"}});
    let changed = sandbox
        .matches(json!({"project": project, "hook": HOOK, "steps": [step]}))
        .await;
    assert_eq!(changed["matches"], 2);
    let definition = json!({"command": "x", "filter": {"tool_name": "Read"}});
    let new = sandbox
        .matches(json!({"project": project, "definition": definition}))
        .await;
    assert_eq!(new["matches"], 1);
    let text = BASH.replace("{tool_name: Bash}", "{tool_name: Write}");
    let unsaved = json!({"path": sandbox.test_home.user_file(), "text": text});
    let unsaved = sandbox
        .matches(json!({"project": project, "hook": HOOK, "unsaved": unsaved}))
        .await;
    assert_eq!(unsaved["matches"], 1);
    assert_eq!(std::fs::read_to_string(sandbox.test_home.user_file()).unwrap(), BASH);
    let none = json!({"dialect": "jcli", "event": "pre_tool_execution"});
    assert_eq!(sandbox.ask("history.match", none).await, Err("bad_params".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_event_has_a_result_with_the_values_that_occur_and_nearly_match() {
    let sandbox = HistorySandbox::with_events(&["Bash", "Read", "bash", "bash", "Bash", "Write"]).await;
    let filter = json!({"tool_matcher": "Bash|Wirte", "model_prefix": "gpt"});
    let step = json!({"do": "set", "field": "filter", "value": filter});
    let request = json!({"project": sandbox.test_home.project, "hook": HOOK, "steps": [step], "cells": true});
    let dead = sandbox.matches(request.clone()).await;
    assert_eq!(
        (&dead["matches"], &dead["cells"][0]["matches"]),
        (&json!(0), &json!(false))
    );
    let mut request = request;
    request["without"] = json!(["model_prefix"]);
    let doc = sandbox.matches(request).await;
    let cells: Vec<(&Value, &Value, &Value)> = doc["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| (&cell["tool"], &cell["matches"], &cell["near_miss"]))
        .collect();
    let (yes, no, none) = (json!(true), json!(false), Value::Null);
    assert_eq!(
        cells,
        [
            (&json!("Write"), &no, &json!("spelling")),
            (&json!("Bash"), &yes, &none),
            (&json!("bash"), &no, &json!("case")),
            (&json!("bash"), &no, &json!("case")),
            (&json!("Read"), &no, &none),
            (&json!("Bash"), &yes, &none),
        ],
        "newest first"
    );
    let near = |got: &str, miss: &str, count: u32| json!({"key": "tool_matcher", "got": got, "near_miss": miss, "count": count});
    assert_eq!(
        doc["near_values"],
        json!([near("bash", "case", 2), near("Write", "spelling", 1)])
    );
    assert_eq!(
        doc["values"][0],
        json!({"field": "tool_name", "value": "Bash", "count": 2})
    );
    assert_eq!(sandbox.matches(json!({"hook": HOOK})).await.get("values"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_of_another_event_matches_no_recorded_event() {
    let sandbox = HistorySandbox::with_events(&["Bash"]).await;
    let request = json!({"dialect": "jcli", "event": "pre_tool_execution", "hook": "jcli:user:stop:0"});
    write(&sandbox.test_home.user_file(), "stop:\n  - command: 'exit 0'\n");
    let doc = sandbox.call("history.match", request).await;
    assert_eq!((&doc["looked_at"], &doc["matches"]), (&json!(1), &json!(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_users_hooks_are_listed_without_a_project() {
    let sandbox = HistorySandbox::with_events(&[]).await;
    write(
        &sandbox.test_home.home.join(".jcli/hooks.yaml"),
        "stop:\n  - command: x\n",
    );
    write(&sandbox.test_home.hooks_file(), "stop:\n  - command: x\n");
    let list = sandbox.call("hooks.list", json!({})).await;
    let ids: Vec<&Value> = list["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["hook"])
        .collect();
    assert_eq!(ids, [HOOK], "neither the home nor a project is read as a project");
    assert!(
        list["sources"]
            .as_array()
            .unwrap()
            .iter()
            .all(|source| source["layer"] != "project")
    );
    assert_eq!(sandbox.app.workspace.open_projects().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_watches_the_users_hooks_without_a_project() {
    let test_home = TestHome::new();
    write(&test_home.user_file(), BASH);
    let app = test_home.app(ProcessRole::Engine);
    let user_hooks = app.workspace.user_hooks();
    wait_until("the watch begins", || {
        user_hooks.watch_mode() != hookwright_workspace::watcher::WatchMode::Starting
    })
    .await;
    write(&test_home.user_file(), "stop:\n  - command: new\n");
    wait_until("the new hook is in force", || {
        crate::common::commands(&app.workspace.user_hooks().snapshot()) == ["new"]
    })
    .await;
    app.shutdown().await;
}
