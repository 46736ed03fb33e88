//! Nothing of a project runs but what a person approved (`engine.md` §3).
#![cfg(unix)]
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails where it stands")]

#[expect(dead_code, reason = "each test program uses what it needs")]
mod common;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::{World, hooks, load, write};
use hookwright_app::dto::{ApproveRequest, HookRequest, ReviewDoc};
use hookwright_app::library::Snapshot;
use hookwright_app::{App, Consent, Conversation, Fired, Firing, Hosting, Recording};
use hookwright_model::{Hook, Origin, Outcome, Payload};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Says that it ran, in a file beside it.
const GUARD: &str = "#!/bin/sh\necho good >> \"$HOME/ran\"\n";
const EVIL: &str = "#!/bin/sh\necho evil >> \"$HOME/ran\"\n";

struct Stage {
    world: World,
    app: Arc<App>,
}

impl Stage {
    /// A project with these commands and a guard script, read once.
    fn with(commands: &[&str]) -> Self {
        let world = World::with_folder();
        write(&world.hooks_file(), hooks(commands));
        write(&world.project.join(".jcli/hooks/guard.sh"), GUARD);
        let app = world.app(Hosting::OneShot);
        Self { world, app }
    }

    fn snapshot(&self) -> Snapshot {
        load(&self.app, &self.world.project)
    }

    fn hook(&self) -> Arc<Hook> {
        self.snapshot().all().next().expect("there is a hook").clone()
    }

    fn request(&self, hook: &str) -> HookRequest {
        HookRequest {
            project: self.world.project.display().to_string(),
            hook: hook.to_owned(),
        }
    }

    async fn review(&self, hook: &str) -> ReviewDoc {
        self.app.desk(&self.world.project).unwrap().refresh();
        self.app.trust_review(self.request(hook)).await.expect("a review")
    }

    async fn approve(&self, review: &ReviewDoc) -> Result<u32, String> {
        let request = ApproveRequest {
            project: self.world.project.display().to_string(),
            hook: review.hook.clone(),
            fingerprint: review.fingerprint.clone(),
        };
        let approved = self.app.trust_approve(request).await;
        approved.map(|left| left.pending).map_err(|fault| format!("{fault:?}"))
    }

    async fn approve_all(&self) {
        let ids: Vec<String> = self.snapshot().all().map(|hook| hook.id.clone()).collect();
        for id in ids {
            let review = self.review(&id).await;
            self.approve(&review).await.expect("nothing changed since");
        }
    }

    fn trusts(&self) -> Vec<bool> {
        self.snapshot()
            .all()
            .map(|hook| self.app.trust.judge(hook).is_ok())
            .collect()
    }

    async fn fire(&self, consent: Consent, cwd: &Path) -> Fired {
        self.fire_within(consent, cwd, &mut Conversation::default()).await
    }

    async fn fire_within(&self, consent: Consent, cwd: &Path, conversation: &mut Conversation) -> Fired {
        let mut payload = Payload::new();
        payload.insert("cwd".into(), json!(cwd));
        payload.insert("user_input".into(), json!("hello"));
        let firing = Firing {
            dialect: "jcli".into(),
            event: "pre_send_message".into(),
            payload,
            project: self.world.project.clone(),
            session: None,
            origin: Origin::Cli,
            consent,
            recording: Recording::Off,
            cancel: CancellationToken::new(),
        };
        let fired = self.app.fire_within(&self.snapshot(), firing, conversation).await;
        fired.expect("it fires")
    }

    async fn outcomes(&self, consent: Consent, cwd: &Path) -> Vec<(Outcome, Option<String>)> {
        let fired = self.fire(consent, cwd).await;
        fired
            .raw()
            .steps
            .iter()
            .map(|step| (step.outcome, step.reason.clone()))
            .collect()
    }

    fn ran(&self) -> String {
        fs::read_to_string(self.world.home.join("ran")).unwrap_or_default()
    }

    fn script(&self, name: &str) -> std::path::PathBuf {
        self.world.project.join(".jcli/hooks").join(name)
    }
}

fn untrusted() -> (Outcome, Option<String>) {
    (Outcome::Skipped, Some("untrusted".into()))
}

fn ran_well() -> (Outcome, Option<String>) {
    (Outcome::NoOpinion, None)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_a_definition_says_changes_its_fingerprint() {
    let stage = Stage::with(&["sh .jcli/hooks/guard.sh"]);
    let print = |text: &str| {
        write(&stage.world.hooks_file(), text);
        stage.app.trust.content(&stage.hook()).fingerprint.clone()
    };
    let first = print("pre_send_message:\n  - command: sh .jcli/hooks/guard.sh\n    timeout: 5\n");
    for same in [
        "# why\npre_send_message:\n  - timeout: 5 # seconds\n    command: 'sh .jcli/hooks/guard.sh'\n",
        "pre_send_message: [{command: \"sh .jcli/hooks/guard.sh\", timeout: 5}]",
        "stop: []\n\n\npre_send_message:\n- {timeout: 5, command: sh .jcli/hooks/guard.sh}\r\n",
    ] {
        assert_eq!(print(same), first, "{same}");
    }
    for other in [
        "pre_send_message:\n  - command: sh .jcli/hooks/guard.sh\n",
        "pre_send_message:\n  - command: sh .jcli/hooks/guard.sh\n    timeout: 6\n",
        "pre_send_message:\n  - command: sh  .jcli/hooks/guard.sh\n    timeout: 5\n",
        "stop:\n  - command: sh .jcli/hooks/guard.sh\n    timeout: 5\n",
    ] {
        assert_ne!(print(other), first, "{other}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_is_untrusted_until_it_is_what_it_was() {
    let stage = Stage::with(&["sh .jcli/hooks/guard.sh"]);
    let guard = stage.script("guard.sh");
    assert_eq!(
        stage.outcomes(Consent::Approvals, &stage.world.project).await,
        [untrusted()]
    );
    stage.approve_all().await;
    assert_eq!(
        stage.outcomes(Consent::Approvals, &stage.world.project).await,
        [ran_well()]
    );
    write(&guard, EVIL);
    assert_eq!(
        stage.outcomes(Consent::Approvals, &stage.world.project).await,
        [untrusted()]
    );
    write(&guard, GUARD);
    assert_eq!(
        stage.outcomes(Consent::Approvals, &stage.world.project).await,
        [ran_well()]
    );
    fs::remove_file(&guard).unwrap();
    assert_eq!(
        stage.outcomes(Consent::Approvals, &stage.world.project).await,
        [untrusted()]
    );
    assert_eq!(stage.ran(), "good\ngood\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_hides_its_size_and_times_is_seen() {
    assert_eq!(GUARD.len(), EVIL.len());
    let stage = Stage::with(&["sh .jcli/hooks/guard.sh"]);
    let guard = stage.script("guard.sh");
    let past = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let set = |text: &str| {
        write(&guard, text);
        fs::File::options()
            .write(true)
            .open(&guard)
            .unwrap()
            .set_modified(past)
            .unwrap();
    };
    set(GUARD);
    stage.approve_all().await;
    for _ in 0..50 {
        assert_eq!(stage.trusts(), [true]);
        set(EVIL);
        assert_eq!(stage.trusts(), [false]);
        set(GUARD);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changed_since_the_review_is_not_approved() {
    let stage = Stage::with(&["sh .jcli/hooks/guard.sh"]);
    let review = stage.review("jcli:project:pre_send_message:0").await;
    assert_eq!(review.files[0].text.as_deref(), Some(GUARD));
    write(&stage.script("guard.sh"), EVIL);
    assert!(stage.approve(&review).await.unwrap_err().contains("review"));
    write(&stage.script("guard.sh"), GUARD);
    write(&stage.world.hooks_file(), hooks(&["sh .jcli/hooks/guard.sh --other"]));
    assert!(stage.approve(&review).await.is_err());
    write(&stage.world.hooks_file(), hooks(&["sh .jcli/hooks/guard.sh"]));
    assert_eq!(stage.approve(&review).await, Ok(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_cannot_swap_the_script_of_the_next() {
    let swaps = [
        "printf '%s' '#!/bin/sh' > .jcli/hooks/guard.sh",
        "mv .jcli/hooks/evil.sh .jcli/hooks/guard.sh",
        "ln -sf evil.sh .jcli/hooks/guard.sh",
        "rm .jcli/hooks/guard.sh",
    ];
    for consent in [Consent::Approvals, Consent::Granted] {
        for swap in swaps {
            // A shell's own words hide from the approval what it writes; the last look does not ask it.
            let stage = Stage::with(&[&format!("sh {}/swap.sh", "$HOME"), "sh .jcli/hooks/guard.sh"]);
            write(&stage.script("evil.sh"), EVIL);
            write(&stage.world.home.join("swap.sh"), swap);
            stage.approve_all().await;
            let outcomes = stage.outcomes(consent, &stage.world.project).await;
            assert_eq!(outcomes, [ran_well(), untrusted()], "{swap}");
            assert_eq!(stage.ran(), "", "{swap}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_consent_for_one_call_is_for_that_call() {
    let stage = Stage::with(&["sh .jcli/hooks/guard.sh"]);
    assert_eq!(
        stage.outcomes(Consent::Granted, &stage.world.project).await,
        [ran_well()]
    );
    assert_eq!(
        stage.outcomes(Consent::Approvals, &stage.world.project).await,
        [untrusted()]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_directory_of_a_run_cannot_swap_the_script() {
    let commands = [
        "sh .jcli/hooks/guard.sh",
        "sh \"$JCLI_CWD/.jcli/hooks/guard.sh\"",
        "sh ${JCLI_CWD:-.}/.jcli/hooks/guard.sh",
        "sh -c 'sh .jcli/hooks/guard.sh'",
        "cd .jcli/hooks && sh guard.sh",
        "cd \"$JCLI_CWD/.jcli\" && sh hooks/guard.sh",
        "sh guard",
        "python3.12 ./guard",
        "./guard",
        "env LANG=C ./guard",
        "BASH_ENV=./guard bash -c true",
        ". ./guard",
    ];
    for consent in [Consent::Approvals, Consent::Granted] {
        for command in commands {
            let stage = Stage::with(&[command]);
            stage.approve_all().await;
            let evil = stage.world.root().join("evil");
            write(&evil.join(".jcli/hooks/guard.sh"), EVIL);
            write(&evil.join("guard"), EVIL);
            let linked = stage.world.root().join("linked");
            std::os::unix::fs::symlink(&evil, &linked).unwrap();
            for cwd in [&evil, &linked] {
                let fired = stage.fire(consent, cwd).await;
                assert_eq!(replaced(&fired), 1, "{command}");
                assert_ne!(fired.raw().steps[0].outcome, Outcome::Skipped, "{command}");
            }
            assert!(!stage.ran().contains("evil"), "{command}");
        }
    }
}

/// How many notices say that a hook ran in the project instead.
fn replaced(fired: &Fired) -> usize {
    let notices = fired.raw().notices.iter();
    notices
        .filter(|notice| notice.code.as_deref() == Some("cwd_replaced"))
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_directory_is_told_once_a_session_hook_and_directory() {
    let stage = Stage::with(&["sh .jcli/hooks/guard.sh", "true"]);
    stage.approve_all().await;
    let folders = ["one", "two"].map(|name| stage.world.root().join(name));
    folders.iter().for_each(|folder| fs::create_dir(folder).unwrap());
    let mut session = Conversation::begin();
    let mut told = Vec::new();
    for folder in [&folders[0], &folders[0], &folders[1], &folders[0]] {
        told.push(replaced(
            &stage.fire_within(Consent::Approvals, folder, &mut session).await,
        ));
    }
    stage.app.end(session);
    assert_eq!(told, [2, 0, 2, 0]);
    let other = stage
        .fire_within(Consent::Approvals, &folders[0], &mut Conversation::begin())
        .await;
    assert_eq!(replaced(&other), 2, "another session");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_inside_the_project_stays_the_runs_unless_it_swaps_the_script() {
    let stage = Stage::with(&["sh .jcli/hooks/guard.sh"]);
    stage.approve_all().await;
    let same = stage.world.root().join("same");
    std::os::unix::fs::symlink(&stage.world.project, &same).unwrap();
    assert_eq!(stage.outcomes(Consent::Approvals, &same).await, [ran_well()]);
    let empty = stage.world.project.join("empty");
    fs::create_dir(&empty).unwrap();
    let fired = stage.fire(Consent::Approvals, &empty).await;
    assert_eq!(
        fired.raw().steps[0].outcome,
        Outcome::FailedOpen,
        "a name of nothing is its own failure"
    );
    assert_eq!(replaced(&fired), 0);

    let inner = stage.world.project.join("inner");
    write(&inner.join(".jcli/hooks/guard.sh"), EVIL);
    let fired = stage.fire(Consent::Approvals, &inner).await;
    assert_eq!(
        (fired.raw().steps[0].outcome, replaced(&fired)),
        (Outcome::NoOpinion, 1)
    );
    let notice = fired
        .raw()
        .notices
        .iter()
        .find(|notice| notice.args.contains_key("found"));
    let args = &notice.expect("both files are named").args;
    for (name, folder) in [("found", &inner), ("approved", &stage.world.project)] {
        let file = folder.canonicalize().unwrap().join(".jcli/hooks/guard.sh");
        assert_eq!(args[name], json!(file));
    }
    assert!(!stage.ran().contains("evil"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_of_the_project_is_covered_wherever_it_leads() {
    let stage = Stage::with(&["sh .jcli/hooks/linked.sh"]);
    let (good, evil) = (stage.world.root().join("good.sh"), stage.world.root().join("evil.sh"));
    write(&good, GUARD);
    write(&evil, GUARD);
    std::os::unix::fs::symlink(&good, stage.script("linked.sh")).unwrap();
    stage.approve_all().await;
    assert_eq!(stage.trusts(), [true]);
    write(&good, EVIL);
    assert_eq!(stage.trusts(), [false]);
    write(&good, GUARD);
    assert_eq!(stage.trusts(), [true]);
    fs::remove_file(stage.script("linked.sh")).unwrap();
    std::os::unix::fs::symlink(&evil, stage.script("linked.sh")).unwrap();
    assert_eq!(stage.trusts(), [false], "another file, if of the same bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_was_not_there_is_not_approved_when_it_comes() {
    let stage = Stage::with(&["sh .jcli/hooks/later.sh"]);
    stage.approve_all().await;
    assert_eq!(stage.trusts(), [true]);
    write(&stage.script("later.sh"), EVIL);
    assert_eq!(stage.trusts(), [false]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_content_in_another_project_is_not_approved() {
    let stage = Stage::with(&["sh .jcli/hooks/guard.sh"]);
    stage.approve_all().await;
    let other = stage.world.root().join("other");
    write(&other.join(".jcli/hooks.yaml"), hooks(&["sh .jcli/hooks/guard.sh"]));
    write(&other.join(".jcli/hooks/guard.sh"), GUARD);
    let snapshot = load(&stage.app, &other);
    assert!(snapshot.all().all(|hook| stage.app.trust.judge(hook).is_err()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_moves_stays_approved_and_the_newcomer_is_not() {
    let stage = Stage::with(&["sh .jcli/hooks/guard.sh"]);
    stage.approve_all().await;
    write(
        &stage.world.hooks_file(),
        hooks(&["sh new.sh", "sh .jcli/hooks/guard.sh"]),
    );
    assert_eq!(stage.trusts(), [false, true]);
    let review = stage.review("jcli:project:pre_send_message:0").await;
    assert_eq!(stage.approve(&review).await, Ok(0));
    assert_eq!(stage.trusts(), [true, true]);
    let newcomer = stage.request("jcli:project:pre_send_message:0");
    assert_eq!(stage.app.trust_revoke(newcomer).await.unwrap().pending, 1);
    assert_eq!(stage.trusts(), [false, true]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_program_takes_back_counts_at_once() {
    let stage = Stage::with(&["sh .jcli/hooks/guard.sh"]);
    stage.approve_all().await;
    assert_eq!(stage.trusts(), [true]);
    let other = stage.world.app(Hosting::OneShot);
    let request = stage.request("jcli:project:pre_send_message:0");
    assert_eq!(other.trust_revoke(request).await.unwrap().pending, 1);
    assert_eq!(stage.trusts(), [false]);
    let review = stage.review("jcli:project:pre_send_message:0").await;
    assert_eq!(stage.approve(&review).await, Ok(0));
    fs::write(stage.app.trust.path(), "{").unwrap();
    assert_eq!(stage.trusts(), [false], "a broken file trusts nothing");
}
