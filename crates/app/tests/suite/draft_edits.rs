//! Changes of a hook in a text that is not saved (`edit.fields`), and the explanation by such a text.

use std::sync::Arc;

use hookwright_app::{App, commands};
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::{TestHome, write};

const SECOND: &str = "jcli:project:pre_tool_execution:1";
const TEXT: &str = "# Guards\npre_tool_execution:\n  - command: \"one\"   # first\n\n  - command: 'two'\n    # why so short\n    timeout: 1\n    own_key: kept\n";

struct DraftSandbox {
    test_home: TestHome,
    app: Arc<App>,
}

impl DraftSandbox {
    fn new() -> Self {
        let test_home = TestHome::with_config_folder();
        write(&test_home.hooks_file(), TEXT);
        let app = test_home.app(ProcessRole::OneShot);
        Self { test_home, app }
    }

    async fn ask(&self, method: &str, mut params: Value) -> Result<Value, String> {
        params["project"] = json!(self.test_home.project);
        let answer = commands::call(&self.app, method, params).await;
        answer.map_err(|fault| {
            serde_json::to_value(fault).unwrap()["code"]
                .as_str()
                .unwrap()
                .to_owned()
        })
    }

    async fn change(&self, text: &str, hook: &str, steps: Value) -> Result<Value, String> {
        let path = self.test_home.hooks_file();
        self.ask(
            "edit.fields",
            json!({"path": path, "text": text, "hook": hook, "steps": steps}),
        )
        .await
    }
}

#[tokio::test]
async fn a_field_of_an_unsaved_text_changes_and_everything_else_stays() {
    let sandbox = DraftSandbox::new();
    let draft = format!("# not saved\n{TEXT}");
    let steps = json!([{"do": "set", "field": "timeout", "value": 5}]);
    let changed = sandbox.change(&draft, SECOND, steps).await.unwrap();
    assert_eq!(changed["text"], draft.replace("timeout: 1", "timeout: 5"));
    assert_eq!(changed["hook"], SECOND);
    assert_eq!(std::fs::read_to_string(sandbox.test_home.hooks_file()).unwrap(), TEXT);
}

#[tokio::test]
async fn a_hook_that_only_the_unsaved_text_defines_can_be_changed() {
    let sandbox = DraftSandbox::new();
    let draft = format!("{TEXT}  - command: three\n");
    let steps = json!([{"do": "set", "field": "on_error", "value": "abort"}]);
    let hook = "jcli:project:pre_tool_execution:2";
    let changed = sandbox.change(&draft, hook, steps).await.unwrap();
    assert!(
        changed["text"]
            .as_str()
            .unwrap()
            .contains("command: three\n    on_error: ")
    );
}

#[tokio::test]
async fn a_value_that_is_a_problem_is_still_written_into_the_text() {
    let sandbox = DraftSandbox::new();
    let steps = json!([{"do": "set", "field": "timeout", "value": "soon"}]);
    let changed = sandbox.change(TEXT, SECOND, steps).await.unwrap();
    assert!(changed["text"].as_str().unwrap().contains("soon"));
}

#[tokio::test]
async fn a_text_that_does_not_parse_and_a_hook_that_is_gone_are_refused() {
    let sandbox = DraftSandbox::new();
    let steps = || json!([{"do": "unset", "field": "timeout"}]);
    let broken = sandbox.change("stop: [", SECOND, steps()).await;
    assert_eq!(broken.unwrap_err(), "edit_broken_file");
    let gone = sandbox.change("stop: []\n", SECOND, steps()).await;
    assert_eq!(gone.unwrap_err(), "edit_hook_gone");
    let nothing = sandbox.change(TEXT, SECOND, json!([])).await;
    assert_eq!(nothing.unwrap_err(), "edit_nothing_asked");
}

#[tokio::test]
async fn an_event_is_explained_by_the_unsaved_text() {
    let sandbox = DraftSandbox::new();
    let request = |unsaved: Value| {
        let payload = json!({"tool_name": "Bash", "tool_arguments": "{}"});
        json!({"dialect": "jcli", "event": "pre_tool_execution", "payload": payload, "unsaved": unsaved})
    };
    let text = TEXT.replace("timeout: 1", "filter: {tool_name: Other}");
    let unsaved = json!({"path": sandbox.test_home.hooks_file(), "text": text});
    let filter_of = |doc: &Value| {
        let gates = doc["steps"][1]["gates"].as_array().unwrap().clone();
        gates.into_iter().find(|gate| gate["gate"] == "filter").expect("filter")["pass"].clone()
    };
    let saved = sandbox.ask("explain", request(Value::Null)).await.unwrap();
    let edited = sandbox.ask("explain", request(unsaved)).await.unwrap();
    assert_eq!((filter_of(&saved), filter_of(&edited)), (json!(true), json!(false)));
}
