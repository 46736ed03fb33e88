//! Hooks that an agent registers for its session: approval, review and mute of hooks that have no file.

use std::path::Path;
use std::sync::Arc;

use hookwright_app::{App, review};
use hookwright_dialects::session_hooks;
use hookwright_engine::{Candidate, plan};
use hookwright_model::{Diagnosis, Health, HealthState, Hook, Message, Payload, PreSpawnCheck, SessionRegistration};
use hookwright_workspace::trust::{ApprovalCheck, PassedContents, Trust};
use hookwright_workspace::{ProcessRole, Snapshot};
use serde_json::{Value, json};

use crate::common::{TestHome, load, write};

const EVENT: &str = "pre_tool_execution";

struct SessionSandbox {
    test_home: TestHome,
    app: Arc<App>,
}

impl SessionSandbox {
    fn new() -> Self {
        let test_home = TestHome::with_config_folder();
        write(&test_home.project.join("guard.sh"), "#!/bin/sh\n");
        let app = test_home.app(ProcessRole::OneShot);
        Self { test_home, app }
    }

    fn project(&self) -> &Path {
        &self.test_home.project
    }

    fn snapshot(&self) -> Snapshot {
        load(&self.app, self.project())
    }

    fn registered(&self, dialect: &str, event: Option<&str>, definition: &Value) -> Hook {
        let registration = SessionRegistration {
            event,
            definition,
            hooks: &[],
            project: self.project(),
        };
        let dialect = hookwright_dialects::find(dialect).unwrap();
        session_hooks::register(dialect, &registration)
            .expect("it is valid")
            .remove(0)
    }

    fn command(&self, command: &str) -> Hook {
        self.registered("jcli", Some(EVENT), &json!({ "command": command }))
    }

    fn approve(&self, hook: &Hook) {
        let content = self.app.workspace.trust.content(hook);
        self.app
            .workspace
            .approve(&self.snapshot(), &[(hook, content)])
            .unwrap();
    }

    fn gate(&self, hook: &Hook) -> Result<(), Message> {
        self.app.workspace.trust.check_gate(hook)
    }
}

#[test]
fn only_session_hooks_that_start_a_process_need_an_approval() {
    let sandbox = SessionSandbox::new();
    let callback = json!({"callback": "a"});
    let point = json!({"callback": "a", "intercept": ["approve_tool"]});
    let prompt = json!({"type": "llm", "prompt": "is this safe?"});
    let free = [
        sandbox.registered("qoder", Some("PreToolUse"), &callback),
        sandbox.registered("picoclaw", None, &point),
        sandbox.registered("jcli", Some(EVENT), &prompt),
    ];
    for hook in &free {
        assert!(!Trust::needs_approval(hook), "{}", hook.id);
        assert!(sandbox.gate(hook).is_ok());
    }
    let command = sandbox.command("./guard.sh");
    assert!(Trust::needs_approval(&command));
    assert_eq!(sandbox.gate(&command).unwrap_err().code, "never_approved");
}

#[test]
fn an_approval_covers_the_definition_and_the_files_that_its_command_names() {
    let sandbox = SessionSandbox::new();
    let hook = sandbox.command("./guard.sh");
    sandbox.approve(&hook);
    assert!(sandbox.gate(&hook).is_ok());
    assert!(
        sandbox.gate(&sandbox.command("./guard.sh")).is_ok(),
        "the same definition in a later session"
    );
    assert_eq!(
        sandbox.gate(&sandbox.command("./guard.sh -x")).unwrap_err().code,
        "never_approved"
    );
    let other_event = sandbox.registered("jcli", Some("stop"), &json!({"command": "./guard.sh"}));
    assert!(sandbox.gate(&other_event).is_err());
    write(&sandbox.project().join("guard.sh"), "#!/bin/sh\nexit 2\n");
    assert!(sandbox.gate(&hook).is_err());
}

#[test]
fn approvals_of_hooks_with_the_same_id_in_different_sessions_do_not_replace_each_other() {
    let sandbox = SessionSandbox::new();
    let (first, second) = (sandbox.command("./guard.sh"), sandbox.command("echo other"));
    assert_eq!(first.id, second.id);
    sandbox.approve(&first);
    sandbox.approve(&second);
    assert!(sandbox.gate(&first).is_ok() && sandbox.gate(&second).is_ok());
}

#[test]
fn directly_before_the_start_the_files_are_compared_with_the_approved_ones() {
    let sandbox = SessionSandbox::new();
    let hook = sandbox.command("./guard.sh");
    let trust = &sandbox.app.workspace.trust;
    let check = |passed| ApprovalCheck::approved(trust, sandbox.project(), passed).check(&hook, sandbox.project());
    assert!(check(PassedContents::new()).is_err(), "not approved");
    sandbox.approve(&hook);
    assert!(check(PassedContents::new()).is_ok());
    let passed = PassedContents::from([(hook.id.clone(), trust.content(&hook))]);
    write(&sandbox.project().join("guard.sh"), "#!/bin/sh\nexit 2\n");
    assert_eq!(check(passed).unwrap_err().code, "file_changed");
}

#[test]
fn a_user_lets_an_agent_register_commands_by_the_contents_that_pass_the_gate() {
    // `[agents] commands = "allow"`: the host puts the present content among those that passed.
    let sandbox = SessionSandbox::new();
    let hook = sandbox.command("./guard.sh");
    let trust = &sandbox.app.workspace.trust;
    let passed = PassedContents::from([(hook.id.clone(), trust.content(&hook))]);
    let check = ApprovalCheck::approved(trust, sandbox.project(), passed);
    assert!(check.check(&hook, sandbox.project()).is_ok());
}

#[test]
fn the_review_of_a_session_hook_has_no_path_and_shows_the_definition_and_the_files() {
    let sandbox = SessionSandbox::new();
    let hook = sandbox.command("./guard.sh");
    let doc = review::review(&sandbox.app, &sandbox.snapshot(), &hook);
    assert_eq!((doc.path.as_str(), doc.line, doc.trusted), ("", 0, false));
    assert_eq!(doc.definition, r#"{"command":"./guard.sh"}"#);
    let files: Vec<&str> = doc
        .files
        .iter()
        .map(|file| file.path.rsplit('/').next().unwrap())
        .collect();
    assert_eq!(files, ["guard.sh"]);
    assert!(doc.old.is_none());
}

#[test]
fn a_muted_session_hook_is_found_by_its_definition() {
    let sandbox = SessionSandbox::new();
    let (hook, other) = (sandbox.command("./guard.sh"), sandbox.command("echo other"));
    let workspace = &sandbox.app.workspace;
    let among = [&hook, &other];
    workspace
        .mutes()
        .mute(&[&hook], among, None, workspace.clock())
        .unwrap();
    let muted = |hook: &Hook| {
        workspace
            .mutes()
            .muted(hook, among, &workspace.clock().read())
            .is_some()
    };
    assert_eq!((muted(&hook), muted(&other)), (true, false));
    assert!(
        workspace
            .muted(&sandbox.snapshot(), &sandbox.command("./guard.sh"))
            .is_some(),
        "a later session"
    );
    let elsewhere = Hook {
        source: hookwright_model::Source {
            project: Some("/elsewhere".into()),
            ..hook.source.clone()
        },
        ..hook.clone()
    };
    assert!(!muted(&elsewhere), "a mute is for one project");
    assert_eq!(workspace.mutes().all().mutes.len(), 1);
}

#[test]
fn explain_shows_a_session_hook_without_a_file() {
    let sandbox = SessionSandbox::new();
    let hook = Arc::new(sandbox.command("./guard.sh"));
    let dialect = hookwright_dialects::find("jcli").unwrap();
    let spec = dialect.card().event(EVENT).unwrap();
    let candidate = Candidate::new(hook.clone(), sandbox.gate(&hook), None);
    let diagnose = |_: &Candidate| Diagnosis {
        health: Health::of(HealthState::Ready),
        guard: false,
        start_fault: None,
    };
    let candidates = std::slice::from_ref(&candidate);
    let steps = plan::explain(dialect, spec, candidates, &Payload::new(), &diagnose);
    assert_eq!((steps[0].source.path.as_str(), steps[0].source.line), ("", 0));
    assert!(!steps[0].would_run);
    assert_eq!(plan::positions(dialect, spec, &[&candidate]), [None]);
}

#[test]
fn a_session_hook_is_not_among_the_files_that_commands_edit_or_list() {
    let sandbox = SessionSandbox::new();
    let hook = sandbox.command("./guard.sh");
    let dialect = hookwright_dialects::find("jcli").unwrap();
    assert_eq!(dialect.order_list(&hook), None);
    assert!(sandbox.snapshot().hook(&hook.id).is_none());
}
