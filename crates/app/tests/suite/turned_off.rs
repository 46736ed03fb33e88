//! The list of turned-off hooks: whose they are, and what is known of them.

use hookwright_app::{App, commands};
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::{TestHome, write};

async fn call(app: &App, method: &str, params: Value) -> Value {
    let answer = commands::call(app, method, params).await;
    answer.unwrap_or_else(|fault| panic!("{method}: {}: {}", fault.code, fault.message))
}

async fn turn_off(app: &App, home: &TestHome, hook: &str) {
    let params = json!({"project": home.project, "hook": hook});
    assert_eq!(call(app, "hook.turn_off", params).await["written"], true, "{hook}");
}

/// The turned-off hooks of a list: their former ids.
fn hooks(list: &Value) -> Vec<&str> {
    let rows = list["turned_off"].as_array().map(Vec::as_slice).unwrap_or_default();
    rows.iter().map(|row| row["hook"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_project_the_turned_off_hooks_of_the_user_are_listed() {
    let home = TestHome::new();
    write(&home.user_file(), "stop:\n  - command: a\n");
    write(&home.hooks_file(), "stop:\n  - command: b\n");
    let app = home.app(ProcessRole::OneShot);
    turn_off(&app, &home, "jcli:user:stop:0").await;
    turn_off(&app, &home, "jcli:project:stop:0").await;
    let of_user = call(&app, "hooks.list", json!({})).await;
    assert_eq!(hooks(&of_user), ["jcli:user:stop:0"]);
    let of_project = call(&app, "hooks.list", json!({"project": home.project})).await;
    assert_eq!(hooks(&of_project), ["jcli:user:stop:0", "jcli:project:stop:0"]);
    assert_eq!(of_user["turned_off"][0], of_project["turned_off"][0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turned_off_hook_keeps_its_condition_in_the_form_of_a_row() {
    let home = TestHome::new();
    let definitions = "pre_tool_execution:\n  - {command: a, filter: {tool_name: Bash}}\n  - command: b\n";
    write(&home.user_file(), definitions);
    let qoder =
        json!({"hooks": {"PreToolUse": [{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "c"}]}]}});
    write(&home.home.join(".qoder/settings.json"), qoder.to_string());
    let app = home.app(ProcessRole::OneShot);
    let list = call(&app, "hooks.list", json!({"project": home.project})).await;
    let rows: Vec<Value> = list["hooks"].as_array().unwrap().clone();
    assert_eq!(rows.len(), 3, "{list:#}");
    // The last one first, so that no index moves.
    for row in rows.iter().rev() {
        turn_off(&app, &home, row["hook"].as_str().unwrap()).await;
    }
    let list = call(&app, "hooks.list", json!({})).await;
    for row in &rows {
        let off = list["turned_off"]
            .as_array()
            .unwrap()
            .iter()
            .find(|off| off["hook"] == row["hook"]);
        assert_eq!(off.unwrap()["filter"], row["filter"], "{list:#}");
    }
    let with_condition = rows.iter().filter(|row| !row["filter"].is_null());
    assert_eq!(with_condition.count(), 2, "{rows:#?}");
}
