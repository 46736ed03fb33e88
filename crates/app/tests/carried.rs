//! What goes along with an edited hook, whoever gave it.
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test fails where it stands")]

#[expect(dead_code, reason = "each test program uses what it needs")]
mod common;

use common::{World, hooks, list, write};
use hookwright_app::Hosting;
use hookwright_app::edit::Writing;
use hookwright_model::{EditRequest, FieldValue, HookChange};
use serde_json::json;

const HOOK: &str = "jcli:user:pre_send_message:0";

#[tokio::test]
async fn a_mute_of_another_process_follows_at_once() {
    let world = World::new();
    write(&world.user_file(), hooks(&["./one.sh", "./two.sh"]));
    let engine = world.app(Hosting::Engine);
    assert!(!list(&engine, &world.project).await.hooks[0].muted);
    let other = world.app(Hosting::OneShot);
    other.mute_in(&world.project, HOOK, None).expect("it is known");
    let intention = EditRequest::Change {
        hook: HOOK.to_owned(),
        changes: vec![HookChange::Set {
            field: "timeout".to_owned(),
            value: FieldValue::Value(json!(9)),
        }],
    };
    engine
        .edit(&world.project, None, &intention, Writing::Now)
        .expect("it is written");
    for app in [&engine, &world.app(Hosting::OneShot)] {
        let muted: Vec<bool> = list(app, &world.project)
            .await
            .hooks
            .iter()
            .map(|row| row.muted)
            .collect();
        assert_eq!(muted, [true, false]);
    }
}
