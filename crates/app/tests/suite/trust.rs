//! A project hook runs only if the user approved it (`engine.md` §3).

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hookwright_app::dto::{ApproveRequest, HookRequest, ReviewDoc};
use hookwright_app::event_options::{Consent, Recording};
use hookwright_app::fire::{Caller, FireJob, FireResult};
use hookwright_app::sessions::{SessionRequest, open_session};
use hookwright_app::{App, commands, fire, review};
use hookwright_engine::Session;
use hookwright_model::{Hook, Origin, Outcome, Payload};
use hookwright_workspace::{ProcessRole, Snapshot};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::common::{TestHome, hooks, load, write};

/// A script that records in the file `ran` of the home that it ran.
const GUARD: &str = "#!/bin/sh\necho good >> \"$HOME/ran\"\n";
const EVIL: &str = "#!/bin/sh\necho evil >> \"$HOME/ran\"\n";

struct TrustSandbox {
    test_home: TestHome,
    app: Arc<App>,
}

impl TrustSandbox {
    /// A project with these commands and a guard script, read once.
    fn with_commands(commands: &[&str]) -> Self {
        let test_home = TestHome::with_config_folder();
        write(&test_home.hooks_file(), hooks(commands));
        write(&test_home.project.join(".jcli/hooks/guard.sh"), GUARD);
        let app = test_home.app(ProcessRole::OneShot);
        Self { test_home, app }
    }

    fn snapshot(&self) -> Snapshot {
        load(&self.app, &self.test_home.project)
    }

    fn hook(&self) -> Arc<Hook> {
        self.snapshot().all().next().expect("there is a hook").clone()
    }

    fn request(&self, hook: &str) -> HookRequest {
        HookRequest {
            project: self.test_home.project.display().to_string(),
            hook: hook.to_owned(),
        }
    }

    async fn review(&self, hook: &str) -> ReviewDoc {
        self.app
            .workspace
            .open_project(&self.test_home.project)
            .unwrap()
            .refresh();
        review::trust_review(&self.app, self.request(hook))
            .await
            .expect("a review")
    }

    async fn approve(&self, review: &ReviewDoc) -> Result<u32, String> {
        let request = ApproveRequest {
            project: self.test_home.project.display().to_string(),
            hook: review.hook.clone(),
            fingerprint: review.fingerprint.clone(),
        };
        let approved = review::trust_approve(&self.app, request).await;
        approved.map(|left| left.pending).map_err(|fault| format!("{fault:?}"))
    }

    async fn approve_all(&self) {
        let ids: Vec<String> = self.snapshot().all().map(|hook| hook.id.clone()).collect();
        for id in ids {
            let review = self.review(&id).await;
            self.approve(&review).await.expect("nothing changed since");
        }
    }

    fn trusted(&self) -> Vec<bool> {
        self.snapshot()
            .all()
            .map(|hook| self.app.workspace.trust.check_gate(hook).is_ok())
            .collect()
    }

    async fn fire(&self, consent: Consent, cwd: &Path) -> FireResult {
        self.fire_in_session(consent, cwd, &self.open_session()).await
    }

    fn open_session(&self) -> Arc<Session> {
        let request = SessionRequest {
            dialect: "jcli".into(),
            id: None,
            project: self.test_home.project.clone(),
        };
        open_session(&self.app, request).expect("the dialect is known")
    }

    async fn fire_in_session(&self, consent: Consent, cwd: &Path, session: &Arc<Session>) -> FireResult {
        let mut payload = Payload::new();
        payload.insert("cwd".into(), json!(cwd));
        payload.insert("user_input".into(), json!("hello"));
        let job = FireJob {
            event: "pre_send_message".into(),
            payload: payload.into(),
            origin: Origin::Cli,
            caller: Caller::ThisProcess,
            consent,
            recording: Recording::Off,
            cancel: CancellationToken::new(),
            run: None,
        };
        let fired = fire::fire_in_session(&self.app, &self.snapshot(), session, job).await;
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
        fs::read_to_string(self.test_home.home.join("ran")).unwrap_or_default()
    }

    fn script(&self, name: &str) -> std::path::PathBuf {
        self.test_home.project.join(".jcli/hooks").join(name)
    }
}

fn untrusted() -> (Outcome, Option<String>) {
    (Outcome::Skipped, Some("untrusted".into()))
}

fn ran_without_opinion() -> (Outcome, Option<String>) {
    (Outcome::NoOpinion, None)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_a_definition_says_changes_its_fingerprint() {
    let sandbox = TrustSandbox::with_commands(&["sh .jcli/hooks/guard.sh"]);
    let fingerprint = |text: &str| {
        write(&sandbox.test_home.hooks_file(), text);
        sandbox.app.workspace.trust.content(&sandbox.hook()).fingerprint.clone()
    };
    let first = fingerprint("pre_send_message:\n  - command: sh .jcli/hooks/guard.sh\n    timeout: 5\n");
    for same in [
        "# why\npre_send_message:\n  - timeout: 5 # seconds\n    command: 'sh .jcli/hooks/guard.sh'\n",
        "pre_send_message: [{command: \"sh .jcli/hooks/guard.sh\", timeout: 5}]",
        "stop: []\n\n\npre_send_message:\n- {timeout: 5, command: sh .jcli/hooks/guard.sh}\r\n",
    ] {
        assert_eq!(fingerprint(same), first, "{same}");
    }
    for other in [
        "pre_send_message:\n  - command: sh .jcli/hooks/guard.sh\n",
        "pre_send_message:\n  - command: sh .jcli/hooks/guard.sh\n    timeout: 6\n",
        "pre_send_message:\n  - command: sh  .jcli/hooks/guard.sh\n    timeout: 5\n",
        "stop:\n  - command: sh .jcli/hooks/guard.sh\n    timeout: 5\n",
    ] {
        assert_ne!(fingerprint(other), first, "{other}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_is_untrusted_until_its_content_returns() {
    let sandbox = TrustSandbox::with_commands(&["sh .jcli/hooks/guard.sh"]);
    let guard = sandbox.script("guard.sh");
    assert_eq!(
        sandbox.outcomes(Consent::Approvals, &sandbox.test_home.project).await,
        [untrusted()]
    );
    sandbox.approve_all().await;
    assert_eq!(
        sandbox.outcomes(Consent::Approvals, &sandbox.test_home.project).await,
        [ran_without_opinion()]
    );
    write(&guard, EVIL);
    assert_eq!(
        sandbox.outcomes(Consent::Approvals, &sandbox.test_home.project).await,
        [untrusted()]
    );
    write(&guard, GUARD);
    assert_eq!(
        sandbox.outcomes(Consent::Approvals, &sandbox.test_home.project).await,
        [ran_without_opinion()]
    );
    fs::remove_file(&guard).unwrap();
    assert_eq!(
        sandbox.outcomes(Consent::Approvals, &sandbox.test_home.project).await,
        [untrusted()]
    );
    assert_eq!(sandbox.ran(), "good\ngood\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_with_the_same_size_and_times_is_noticed() {
    assert_eq!(GUARD.len(), EVIL.len());
    let sandbox = TrustSandbox::with_commands(&["sh .jcli/hooks/guard.sh"]);
    let guard = sandbox.script("guard.sh");
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
    sandbox.approve_all().await;
    for _ in 0..50 {
        assert_eq!(sandbox.trusted(), [true]);
        set(EVIL);
        assert_eq!(sandbox.trusted(), [false]);
        set(GUARD);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn content_that_changed_since_the_review_is_not_approved() {
    let sandbox = TrustSandbox::with_commands(&["sh .jcli/hooks/guard.sh"]);
    let review = sandbox.review("jcli:project:pre_send_message:0").await;
    assert_eq!(review.files[0].text.as_deref(), Some(GUARD));
    write(&sandbox.script("guard.sh"), EVIL);
    assert!(sandbox.approve(&review).await.unwrap_err().contains("review"));
    write(&sandbox.script("guard.sh"), GUARD);
    write(
        &sandbox.test_home.hooks_file(),
        hooks(&["sh .jcli/hooks/guard.sh --other"]),
    );
    assert!(sandbox.approve(&review).await.is_err());
    write(&sandbox.test_home.hooks_file(), hooks(&["sh .jcli/hooks/guard.sh"]));
    assert_eq!(sandbox.approve(&review).await, Ok(0));
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
            // The variable hides from the approval which script runs and what it writes. The pre-spawn check still
            // detects the swapped file.
            let sandbox = TrustSandbox::with_commands(&[&format!("sh {}/swap.sh", "$HOME"), "sh .jcli/hooks/guard.sh"]);
            write(&sandbox.script("evil.sh"), EVIL);
            write(&sandbox.test_home.home.join("swap.sh"), swap);
            sandbox.approve_all().await;
            let outcomes = sandbox.outcomes(consent, &sandbox.test_home.project).await;
            assert_eq!(outcomes, [ran_without_opinion(), untrusted()], "{swap}");
            assert_eq!(sandbox.ran(), "", "{swap}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_consent_for_one_call_is_for_that_call() {
    let sandbox = TrustSandbox::with_commands(&["sh .jcli/hooks/guard.sh"]);
    assert_eq!(
        sandbox.outcomes(Consent::Granted, &sandbox.test_home.project).await,
        [ran_without_opinion()]
    );
    assert_eq!(
        sandbox.outcomes(Consent::Approvals, &sandbox.test_home.project).await,
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
            let sandbox = TrustSandbox::with_commands(&[command]);
            sandbox.approve_all().await;
            let evil = sandbox.test_home.root().join("evil");
            write(&evil.join(".jcli/hooks/guard.sh"), EVIL);
            write(&evil.join("guard"), EVIL);
            let linked = sandbox.test_home.root().join("linked");
            std::os::unix::fs::symlink(&evil, &linked).unwrap();
            for cwd in [&evil, &linked] {
                let fired = sandbox.fire(consent, cwd).await;
                assert_eq!(replaced_dirs(&fired), 1, "{command}");
                assert_ne!(fired.raw().steps[0].outcome, Outcome::Skipped, "{command}");
            }
            assert!(!sandbox.ran().contains("evil"), "{command}");
        }
    }
}

/// The number of notices which report that a hook ran in the project directory instead.
fn replaced_dirs(fired: &FireResult) -> usize {
    let notices = fired.raw().notices.iter();
    notices
        .filter(|notice| notice.code.as_deref() == Some("cwd_replaced"))
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replaced_directory_is_reported_once_per_session_hook_and_directory() {
    let sandbox = TrustSandbox::with_commands(&["sh .jcli/hooks/guard.sh", "true"]);
    sandbox.approve_all().await;
    let folders = ["one", "two"].map(|name| sandbox.test_home.root().join(name));
    folders.iter().for_each(|folder| fs::create_dir(folder).unwrap());
    let session = sandbox.open_session();
    let mut counts = Vec::new();
    for folder in [&folders[0], &folders[0], &folders[1], &folders[0]] {
        counts.push(replaced_dirs(
            &sandbox.fire_in_session(Consent::Approvals, folder, &session).await,
        ));
    }
    assert_eq!(counts, [2, 0, 2, 0]);
    let other = sandbox
        .fire_in_session(Consent::Approvals, &folders[0], &sandbox.open_session())
        .await;
    assert_eq!(replaced_dirs(&other), 2, "another session");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_inside_the_project_is_kept_unless_it_swaps_the_script() {
    let sandbox = TrustSandbox::with_commands(&["sh .jcli/hooks/guard.sh"]);
    sandbox.approve_all().await;
    let same = sandbox.test_home.root().join("same");
    std::os::unix::fs::symlink(&sandbox.test_home.project, &same).unwrap();
    assert_eq!(
        sandbox.outcomes(Consent::Approvals, &same).await,
        [ran_without_opinion()]
    );
    let empty = sandbox.test_home.project.join("empty");
    fs::create_dir(&empty).unwrap();
    let fired = sandbox.fire(Consent::Approvals, &empty).await;
    assert_eq!(
        fired.raw().steps[0].outcome,
        Outcome::FailedOpen,
        "a name of nothing is its own failure"
    );
    assert_eq!(replaced_dirs(&fired), 0);

    let inner = sandbox.test_home.project.join("inner");
    write(&inner.join(".jcli/hooks/guard.sh"), EVIL);
    let fired = sandbox.fire(Consent::Approvals, &inner).await;
    assert_eq!(
        (fired.raw().steps[0].outcome, replaced_dirs(&fired)),
        (Outcome::NoOpinion, 1)
    );
    let notice = fired
        .raw()
        .notices
        .iter()
        .find(|notice| notice.args.contains_key("found"));
    let args = &notice.expect("both files are named").args;
    for (name, folder) in [("found", &inner), ("approved", &sandbox.test_home.project)] {
        let file = folder.canonicalize().unwrap().join(".jcli/hooks/guard.sh");
        assert_eq!(args[name], json!(file));
    }
    assert!(!sandbox.ran().contains("evil"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_of_the_project_is_covered_wherever_it_leads() {
    let sandbox = TrustSandbox::with_commands(&["sh .jcli/hooks/linked.sh"]);
    let (good, evil) = (
        sandbox.test_home.root().join("good.sh"),
        sandbox.test_home.root().join("evil.sh"),
    );
    write(&good, GUARD);
    write(&evil, GUARD);
    std::os::unix::fs::symlink(&good, sandbox.script("linked.sh")).unwrap();
    sandbox.approve_all().await;
    assert_eq!(sandbox.trusted(), [true]);
    write(&good, EVIL);
    assert_eq!(sandbox.trusted(), [false]);
    write(&good, GUARD);
    assert_eq!(sandbox.trusted(), [true]);
    fs::remove_file(sandbox.script("linked.sh")).unwrap();
    std::os::unix::fs::symlink(&evil, sandbox.script("linked.sh")).unwrap();
    assert_eq!(sandbox.trusted(), [false], "another file, if of the same bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_added_after_the_approval_is_not_approved() {
    let sandbox = TrustSandbox::with_commands(&["sh .jcli/hooks/later.sh"]);
    sandbox.approve_all().await;
    assert_eq!(sandbox.trusted(), [true]);
    write(&sandbox.script("later.sh"), EVIL);
    assert_eq!(sandbox.trusted(), [false]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_content_in_another_project_is_not_approved() {
    let sandbox = TrustSandbox::with_commands(&["sh .jcli/hooks/guard.sh"]);
    sandbox.approve_all().await;
    let other = sandbox.test_home.root().join("other");
    write(&other.join(".jcli/hooks.yaml"), hooks(&["sh .jcli/hooks/guard.sh"]));
    write(&other.join(".jcli/hooks/guard.sh"), GUARD);
    let snapshot = load(&sandbox.app, &other);
    assert!(
        snapshot
            .all()
            .all(|hook| sandbox.app.workspace.trust.check_gate(hook).is_err())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moved_hook_stays_approved_and_the_new_one_is_not() {
    let sandbox = TrustSandbox::with_commands(&["sh .jcli/hooks/guard.sh"]);
    sandbox.approve_all().await;
    write(
        &sandbox.test_home.hooks_file(),
        hooks(&["sh new.sh", "sh .jcli/hooks/guard.sh"]),
    );
    assert_eq!(sandbox.trusted(), [false, true]);
    let review = sandbox.review("jcli:project:pre_send_message:0").await;
    assert_eq!(sandbox.approve(&review).await, Ok(0));
    assert_eq!(sandbox.trusted(), [true, true]);
    let newcomer = sandbox.request("jcli:project:pre_send_message:0");
    assert_eq!(review::trust_revoke(&sandbox.app, newcomer).await.unwrap().pending, 1);
    assert_eq!(sandbox.trusted(), [false, true]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revocation_by_another_program_counts_at_once() {
    let sandbox = TrustSandbox::with_commands(&["sh .jcli/hooks/guard.sh"]);
    sandbox.approve_all().await;
    assert_eq!(sandbox.trusted(), [true]);
    let other = sandbox.test_home.app(ProcessRole::OneShot);
    let request = sandbox.request("jcli:project:pre_send_message:0");
    assert_eq!(review::trust_revoke(&other, request).await.unwrap().pending, 1);
    assert_eq!(sandbox.trusted(), [false]);
    let review = sandbox.review("jcli:project:pre_send_message:0").await;
    assert_eq!(sandbox.approve(&review).await, Ok(0));
    fs::write(sandbox.app.workspace.trust.path(), "{").unwrap();
    assert_eq!(sandbox.trusted(), [false], "a broken file trusts nothing");
}

#[tokio::test]
async fn an_unapproved_hook_is_not_converted_into_a_folder_where_it_would_run() {
    let sandbox = TrustSandbox::with_commands(&["echo hi"]);
    let home = sandbox.test_home.home.clone();
    let data = sandbox.app.workspace.env.data_dir.clone();
    let convert = async |folder: &Path, dry_run: bool| {
        let request = json!({
            "project": sandbox.test_home.project, "hook": sandbox.hook().id, "to": "qoder",
            "folder": folder, "dry_run": dry_run,
        });
        let answer = commands::call(&sandbox.app, "hooks.convert", request).await;
        answer.map(|doc| doc["written"].clone()).map_err(|fault| fault.code)
    };
    for folder in [&home, &data, &data.join("trust.json")] {
        for dry_run in [true, false] {
            let refused = convert(folder, dry_run).await;
            assert_eq!(refused, Err("edit_unreviewed".to_owned()), "{}", folder.display());
        }
    }
    assert!(!home.join(".qoder").exists() && !data.join("trust.json").exists());
    let review = sandbox.review(&sandbox.hook().id).await;
    sandbox.approve(&review).await.unwrap();
    assert_eq!(convert(&home, false).await, Ok(json!(true)));
    assert!(home.join(".qoder/settings.json").is_file());
}
