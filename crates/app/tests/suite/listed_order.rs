//! The order of the list of hooks: by the place that they are read from, and in the chain of each event.

use hookwright_app::commands;
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::{TestHome, hooks, write};

/// Writes a hook of agent-hooks, which run in the order of their priority.
fn write_agent_hook(test_home: &TestHome, name: &str, trigger: &str, priority: u32) {
    let folder = test_home.project.join(".agents/hooks").join(name);
    let head = format!("---\nname: {name}\ndescription: d\ntrigger: {trigger}\npriority: {priority}\n---\n");
    write(&folder.join("HOOK.md"), head);
    write(&folder.join("scripts/run.sh"), "#!/bin/sh\n");
}

async fn list(test_home: &TestHome) -> Value {
    let app = test_home.app(ProcessRole::OneShot);
    let request = json!({"project": test_home.project});
    commands::call(&app, "hooks.list", request).await.expect("a list")
}

fn labels<'l>(list: &'l Value, rows: &Value) -> Vec<&'l str> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| {
        let row = usize::try_from(row.as_u64().unwrap()).unwrap();
        list["hooks"][row]["label"].as_str().unwrap()
    })
    .collect()
}

#[tokio::test]
async fn hooks_are_grouped_by_the_place_that_is_read_and_stand_in_run_order() {
    let test_home = TestHome::with_config_folder();
    write(&test_home.hooks_file(), hooks(&["true"]));
    write(&test_home.user_file(), hooks(&["false"]));
    write_agent_hook(&test_home, "a-late", "before_tool", 10);
    write_agent_hook(&test_home, "b-other", "after_tool", 500);
    write_agent_hook(&test_home, "c-early", "before_tool", 900);
    let list = list(&test_home).await;
    let groups: Vec<(String, Value, String)> = list["groups"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|group| group["layer"] != "builtin")
        .map(|group| {
            let rows = labels(&list, &group["rows"]).join(" ");
            let path = group["path"].as_str().unwrap().to_owned();
            (path, group["place"].clone(), rows)
        })
        .collect();
    let path = |path: std::path::PathBuf| path.display().to_string();
    assert_eq!(
        groups,
        [
            (path(test_home.user_file()), json!(1), "false".to_owned()),
            (path(test_home.hooks_file()), json!(2), "true".to_owned()),
            (
                path(test_home.project.join(".agents/hooks")),
                json!(1),
                "c-early a-late b-other".to_owned()
            ),
        ]
    );
    for group in list["groups"].as_array().unwrap() {
        for row in group["rows"].as_array().unwrap() {
            let row = usize::try_from(row.as_u64().unwrap()).unwrap();
            assert_eq!(list["hooks"][row]["group"], group["group"]);
        }
    }
    let chains: Vec<(Value, String)> = list["chains"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|chain| chain["dialect"] == "agent-hooks")
        .map(|chain| (chain["event"].clone(), labels(&list, &chain["rows"]).join(" ")))
        .collect();
    assert_eq!(
        chains,
        [
            (json!("before_tool"), "c-early a-late".to_owned()),
            (json!("after_tool"), "b-other".to_owned()),
        ]
    );
}

#[tokio::test]
async fn a_place_whose_guard_cannot_hold_is_marked() {
    let test_home = TestHome::with_config_folder();
    let guard = "pre_tool_execution:\n  - command: /no/such/guard.sh\n";
    write(&test_home.user_file(), guard);
    write(&test_home.hooks_file(), hooks(&["true"]));
    let list = list(&test_home).await;
    let fault = |layer: &str| {
        let groups = list["groups"].as_array().unwrap().iter();
        let mut found = groups.filter(|group| group["layer"] == layer && group["dialect"] == "jcli");
        found.next().unwrap()["fault"].clone()
    };
    let row = list["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["layer"] == "user");
    assert_eq!(row.unwrap()["health"]["state"], "cannot_start");
    let expected = if row.unwrap()["guard"] == true {
        json!("guard")
    } else {
        Value::Null
    };
    assert_eq!((fault("user"), fault("project")), (expected, Value::Null));
}
