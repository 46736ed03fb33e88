//! What an engine says while its database cannot be read yet.

use std::fs::File;
use std::time::Duration;

use hookwright_app::dto::StateRequest;
use hookwright_app::{Push, Topic, state};
use hookwright_workspace::ProcessRole;
use serde_json::json;

use crate::common::TestHome;

#[tokio::test(flavor = "multi_thread")]
async fn readers_are_told_to_read_again_when_the_database_is_open() {
    let test_home = TestHome::new();
    let lock = File::create(test_home.home.join("data/history.lock")).expect("a file");
    lock.lock().expect("the lock");
    let app = test_home.app(ProcessRole::Engine);
    let mut pushes = app.subscribe();
    let before = state::state(&app, StateRequest { project: None })
        .await
        .expect("a state");
    assert!(!before.store.ok, "the older events are missing, and the state says so");
    drop(lock);
    let told = tokio::time::timeout(Duration::from_secs(20), async {
        // It may give up once before.
        loop {
            let push = pushes.recv().await.expect("the engine lives");
            let is_stale = matches!(&push, Push::Stale { what } if what.contains(&Topic::History));
            let now = state::state(&app, StateRequest { project: None })
                .await
                .expect("a state");
            if is_stale && now.store.ok {
                return;
            }
        }
    });
    told.await.expect("a push when the database is open");
    let page = hookwright_app::commands::call(&app, "history.page", json!({ "limit": 1 })).await;
    assert_eq!(page.expect("a page")["traces"], json!([]));
}
