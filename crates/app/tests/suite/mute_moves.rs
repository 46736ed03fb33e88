//! A mute moves with an edited hook, even if another process set the mute.

use hookwright_app::mute_commands;
use hookwright_model::{EditRequest, FieldValue, HookChange};
use hookwright_workspace::edit::WriteMode;
use hookwright_workspace::{ProcessRole, edit};
use serde_json::json;

use crate::common::{TestHome, hooks, list, write};

const HOOK: &str = "jcli:user:pre_send_message:0";

#[tokio::test]
async fn a_mute_of_another_process_moves_with_an_edit() {
    let test_home = TestHome::new();
    write(&test_home.user_file(), hooks(&["./one.sh", "./two.sh"]));
    let engine = test_home.app(ProcessRole::Engine);
    assert!(!list(&engine, &test_home.project).await.hooks[0].muted);
    let other = test_home.app(ProcessRole::OneShot);
    mute_commands::mute_in(&other, &test_home.project, HOOK, None).expect("it is known");
    let request = EditRequest::Change {
        hook: HOOK.to_owned(),
        changes: vec![HookChange::Set {
            field: "timeout".to_owned(),
            value: FieldValue::Value(json!(9)),
        }],
    };
    edit::perform(&engine.workspace, &test_home.project, None, &request, WriteMode::Now).expect("it is written");
    for app in [&engine, &test_home.app(ProcessRole::OneShot)] {
        let muted: Vec<bool> = list(app, &test_home.project)
            .await
            .hooks
            .iter()
            .map(|row| row.muted)
            .collect();
        assert_eq!(muted, [true, false]);
    }
}
