//! What a review shows is what can be approved (`engine.md` §3).
#![cfg(unix)]
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails where it stands")]

#[expect(dead_code, reason = "each test program uses what it needs")]
mod common;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use common::{World, hooks, load, write};
use hookwright_app::dto::{ApproveRequest, HookRequest, ReviewDoc, TrustDoc};
use hookwright_app::{App, Consent, Conversation, Firing, Hosting, Recording};
use hookwright_model::{Origin, Payload};
use serde_json::json;
use tokio_util::sync::CancellationToken;

struct Stage {
    world: World,
    app: Arc<App>,
}

impl Stage {
    fn new() -> Self {
        let world = World::with_folder();
        let app = world.app(Hosting::OneShot);
        Self { world, app }
    }

    fn put(&self, path: &str, text: &str) {
        write(&self.world.project.join(path), text);
    }

    fn doc(&self) -> TrustDoc {
        self.app.trust_doc(&load(&self.app, &self.world.project))
    }

    /// The reasons for which steps were skipped.
    async fn fire(&self, folder: &str) -> Vec<Option<String>> {
        let mut payload = Payload::new();
        payload.insert("cwd".into(), json!(self.world.project.join(folder)));
        payload.insert("user_input".into(), json!("hello"));
        let firing = Firing {
            dialect: "jcli".into(),
            event: "pre_send_message".into(),
            payload,
            project: self.world.project.clone(),
            session: None,
            origin: Origin::Cli,
            consent: Consent::Approvals,
            recording: Recording::Off,
            cancel: CancellationToken::new(),
        };
        let snapshot = load(&self.app, &self.world.project);
        let fired = self
            .app
            .fire_within(&snapshot, firing, &mut Conversation::default())
            .await;
        let fired = fired.expect("it fires");
        fired.raw().steps.iter().map(|step| step.reason.clone()).collect()
    }

    async fn review(&self, hook: &str) -> ReviewDoc {
        self.app.desk(&self.world.project).unwrap().refresh();
        let request = HookRequest {
            project: self.world.project.display().to_string(),
            hook: hook.to_owned(),
        };
        self.app.trust_review(request).await.expect("a review")
    }

    async fn approve(&self, hook: &str) -> u32 {
        let request = ApproveRequest {
            project: self.world.project.display().to_string(),
            hook: hook.to_owned(),
            fingerprint: self.review(hook).await.fingerprint,
        };
        self.app.trust_approve(request).await.expect("it is approved").pending
    }
}

const MINE: &str = "jcli:user:pre_send_message:0";

#[tokio::test(flavor = "multi_thread")]
async fn a_users_hook_that_was_refused_in_a_subfolder_is_listed_and_can_be_approved() {
    let stage = Stage::new();
    write(&stage.world.user_file(), hooks(&["sh tools/g.sh"]));
    stage.put("sub/tools/g.sh", "true\n");
    stage.put("sub/other/x", "");
    assert_eq!(stage.fire("sub").await, [Some("untrusted".to_owned())]);
    let pending: Vec<String> = stage.doc().pending.into_iter().map(|item| item.hook).collect();
    assert_eq!(pending, [MINE]);
    assert_eq!(stage.approve(MINE).await, 0);
    assert_eq!(stage.fire("sub").await, [None]);

    stage.put("tools/g.sh", "true\n");
    assert_eq!(stage.fire("").await, [Some("untrusted".to_owned())], "another file");
    assert_eq!(stage.fire("sub").await, [None], "the approved one still runs");
    assert_eq!(stage.review(MINE).await.files.len(), 2);
    assert_eq!(stage.approve(MINE).await, 0);
    assert_eq!(
        (stage.fire("").await, stage.fire("sub").await),
        (vec![None], vec![None])
    );

    stage.put("sub/tools/g.sh", "false\n");
    assert_eq!(stage.fire("sub").await, [Some("untrusted".to_owned())], "it changed");
    assert_eq!(stage.fire("").await, [None]);
    write(&stage.world.user_file(), hooks(&["sh tools/g.sh --other"]));
    assert_eq!(
        stage.fire("").await,
        [Some("untrusted".to_owned())],
        "another definition"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn data_that_changed_since_the_approval_is_shown_and_revokes_nothing() {
    let stage = Stage::new();
    let hook = "jcli:project:pre_send_message:0";
    write(&stage.world.hooks_file(), hooks(&["sh gate.sh cfg.json"]));
    stage.put("gate.sh", "true\n");
    stage.put("cfg.json", "{}");
    assert_eq!(stage.approve(hook).await, 0);
    assert!(stage.review(hook).await.data_changed.is_empty());
    stage.put("cfg.json", "{\"a\": 1}");
    let review = stage.review(hook).await;
    assert_eq!((review.trusted, review.data_changed.len()), (true, 1));
    assert!(stage.doc().approved[0].data_changed[0].ends_with("cfg.json"));
    assert_eq!(stage.fire("").await, [None]);
    stage.put("gate.sh", "false\n");
    assert_eq!(stage.doc().pending[0].data_changed.len(), 1);
}

#[test]
fn a_pipe_beside_a_script_is_told() {
    let stage = Stage::new();
    let folder = Path::new(".agents/hooks/h");
    let definition = "---\nname: h\ndescription: x\ntrigger: before_tool\n---\n";
    stage.put(folder.join("HOOK.md").to_str().unwrap(), definition);
    stage.put(folder.join("scripts/run").to_str().unwrap(), "#!/bin/sh\n");
    let pipe = stage.world.project.join(folder).join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let doc = stage.doc();
    let said = &doc.pending[0].not_covered;
    assert!(
        said.iter()
            .any(|one| one.code == "file_unreadable" && one.why.contains("pipe")),
        "{said:?}"
    );
}
