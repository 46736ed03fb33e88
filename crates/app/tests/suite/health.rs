//! `engine.md` §13: the health of hooks is the same in the list, in explanations and in what needs the user.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use hookwright_app::overview::{self, is_failing};
use hookwright_app::{App, Push, Topic, explain, hooks};
use hookwright_model::status::{NeedKind, VerdictCode};
use hookwright_model::{ExplainDoc, GateName, HealthState, HookRow, OnFailureEffect, Payload};
use hookwright_workspace::{OpenProject, ProcessRole};
use serde_json::json;

use crate::common::{TestHome, wait_until, write};

fn rows(app: &App, open_project: &OpenProject) -> Vec<HookRow> {
    hooks::list(app, &open_project.snapshot(), None, None).hooks
}

/// State, code and whether it is a guard, of each hook.
fn healths(app: &App, open_project: &OpenProject) -> Vec<(HealthState, String, bool)> {
    let rows = rows(app, open_project).into_iter();
    rows.map(|row| (row.health.state, row.health.code.unwrap_or_default(), row.guard))
        .collect()
}

fn qoder(test_home: &TestHome, commands: &[&str]) {
    let entries: Vec<_> = commands
        .iter()
        .map(|command| json!({"type": "command", "command": command}))
        .collect();
    let text = json!({"hooks": {"PreToolUse": [{"hooks": entries}]}}).to_string();
    write(&test_home.home.join(".qoder/settings.json"), text);
}

fn explain_qoder(app: &App, open_project: &OpenProject) -> ExplainDoc {
    let payload = json!({"tool_name": "Bash", "tool_input": {}});
    let payload: Payload = payload.as_object().cloned().unwrap_or_default();
    let (snapshot, project) = (open_project.snapshot(), &open_project.project);
    explain::explain_in(app, &snapshot, project, "qoder", "PreToolUse", payload.into()).expect("an event")
}

fn executable(path: &std::path::Path, text: &str) {
    write(path, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guard_that_cannot_hold_says_so_everywhere() {
    let test_home = TestHome::new();
    let guard = test_home.home.join("guard.sh");
    executable(&guard, "#!/bin/sh\ngrep -q rm && exit 2\nexit 0\n");
    let call = guard.display().to_string();
    qoder(
        &test_home,
        &[
            &call,
            &format!("python4-missing {call}"),
            "python3 /no/such/guard.py",
            "(grep -q rm && exit 2); exit 0",
            "cat >/dev/null",
        ],
    );
    let app = test_home.app(ProcessRole::OneShot);
    let open_project = app.workspace.open_project(&test_home.project).unwrap();
    assert_eq!(
        healths(&app, &open_project),
        [
            (HealthState::Unproven, String::new(), true),
            (HealthState::CannotStart, "entry_missing".to_owned(), true),
            (HealthState::CannotStart, "entry_missing".to_owned(), true),
            (HealthState::Broken, "never_blocks".to_owned(), true),
            (HealthState::Ready, String::new(), false),
        ]
    );
    let doc = explain_qoder(&app, &open_project);
    let steps: Vec<_> = doc
        .steps
        .iter()
        .map(|step| {
            let starts = step.gates.iter().find(|gate| gate.gate == GateName::Starts).unwrap();
            (starts.pass, step.would_run, step.would_fail)
        })
        .collect();
    assert_eq!(
        steps,
        [
            (true, true, None),
            (false, true, Some(OnFailureEffect::Continues)),
            // `python3` without its script ends with 2, which blocks.
            (false, true, Some(OnFailureEffect::Blocks)),
            (true, true, None),
            (true, true, None),
        ]
    );
    let listed: Vec<_> = rows(&app, &open_project).into_iter().map(|row| row.health).collect();
    let explained: Vec<_> = doc.steps.into_iter().map(|step| step.health).collect();
    assert_eq!(listed, explained);
    let status = overview::status(&app, &open_project.snapshot()).await;
    assert!(is_failing(&status));
    assert_eq!(status.verdict.code, VerdictCode::GuardsFail);
    let needs: Vec<_> = status
        .needs
        .iter()
        .map(|need| (need.kind, need.code.as_str()))
        .collect();
    let cannot_start = (NeedKind::Health, "cannot_start");
    assert_eq!(needs, [cannot_start, cannot_start, (NeedKind::Health, "broken")]);
    assert_eq!(status.counts[&HealthState::CannotStart], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_script_in_the_folder_of_a_variable_is_a_guard() {
    let test_home = TestHome::new();
    qoder(
        &test_home,
        &[
            "\"$QODER_PROJECT_DIR\"/.qoder/hooks/gone.sh",
            "\"$HOME/gone\"",
            "$HOME/gone",
        ],
    );
    let app = test_home.app(ProcessRole::OneShot);
    let open_project = app.workspace.open_project(&test_home.project).unwrap();
    let gone = || (HealthState::CannotStart, "entry_missing".to_owned(), true);
    assert_eq!(healths(&app, &open_project), [gone(), gone(), gone()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unapproved_guard_is_read_and_a_fault_counts_before_review_and_mute() {
    let test_home = TestHome::new();
    let text = "pre_tool_execution:\n  - command: \"./gone.sh || echo '{\\\"action\\\": \\\"skip\\\"}'\"\n    on_error: abort\n  - command: \"cat > seen; echo '{\\\"action\\\": \\\"skip\\\"}'\"\nsession_end:\n  - command: nobody-has-this\n";
    write(&test_home.hooks_file(), text);
    let app = test_home.app(ProcessRole::OneShot);
    let open_project = app.workspace.open_project(&test_home.project).unwrap();
    assert_eq!(
        healths(&app, &open_project),
        [
            (HealthState::CannotStart, "entry_missing".to_owned(), true),
            (HealthState::NeedsReview, String::new(), true),
            (HealthState::CannotStart, "entry_missing".to_owned(), false),
        ]
    );
    let effects: Vec<_> = rows(&app, &open_project)
        .iter()
        .map(|row| row.on_failure_effect)
        .collect();
    let continues = OnFailureEffect::Continues;
    assert_eq!(
        effects,
        [continues, continues, OnFailureEffect::Nothing],
        "j-cli ignores `abort` at pre_tool_execution"
    );
    assert!(!test_home.project.join("seen").exists(), "nothing ran");
    let status = overview::status(&app, &open_project.snapshot()).await;
    let kinds: Vec<_> = status.needs.iter().map(|need| need.kind).collect();
    assert_eq!(kinds, [NeedKind::Health, NeedKind::Health, NeedKind::Review]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_with_an_error_is_lost_and_one_that_is_off_is_silent() {
    let test_home = TestHome::new();
    write(
        &test_home.user_file(),
        "stop:\n  - command: true\n    timeout: soon\n  - command: /no/such/file\n",
    );
    write(
        &test_home.home.join(".config/agents/hooks/a/HOOK.md"),
        "---\nname: a\ndescription: d\ntrigger: before_tool\n---\n",
    );
    write(
        &test_home.project.join(".picoclaw/config.json"),
        json!({"hooks": {"processes": {"p": {"enabled": false, "command": ["/no/such"], "intercept": ["before_tool"]}}}})
            .to_string(),
    );
    let app = test_home.app(ProcessRole::OneShot);
    let open_project = app.workspace.open_project(&test_home.project).unwrap();
    let by_dialect = |dialect: &str| {
        let rows = rows(&app, &open_project).into_iter();
        rows.filter(|row| row.dialect == dialect)
            .map(|row| (row.health.state, row.guard))
            .collect::<Vec<_>>()
    };
    assert_eq!(by_dialect("jcli")[0].0, HealthState::Lost);
    assert_eq!(by_dialect("agent-hooks"), [(HealthState::CannotStart, true)]);
    assert!(
        by_dialect("picoclaw")
            .iter()
            .all(|(state, _)| *state == HealthState::Off)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_vanishes_and_comes_back_is_noticed_without_a_change_of_any_hook_file() {
    let test_home = TestHome::new();
    let guard = test_home.home.join("bin/guard");
    executable(&guard, "#!/bin/sh\nexit 2\n");
    qoder(&test_home, &[&guard.display().to_string()]);
    let (app, open_project) = test_home.open_watched().await;
    let mut pushes = app.subscribe();
    let state = || healths(&app, &open_project)[0].0;
    assert_eq!(state(), HealthState::Unproven);
    fs::rename(&guard, test_home.home.join("bin/away")).unwrap();
    assert_eq!(state(), HealthState::CannotStart, "looked at when asked");
    fs::rename(test_home.home.join("bin/away"), &guard).unwrap();
    // Nobody asks now, and the window is told.
    while pushes.try_recv().is_ok() {}
    wait_until(
        "the window is told",
        || matches!(pushes.try_recv(), Ok(Push::Stale { what }) if what.contains(&Topic::Hooks)),
    )
    .await;
    assert_eq!(state(), HealthState::Unproven);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_health_of_500_hooks_is_not_computed_again_while_nothing_changed() {
    let test_home = TestHome::new();
    let commands: Vec<String> = (0..500)
        .map(|number| format!("grep -q x{number} && exit 2; exit 0"))
        .collect();
    qoder(&test_home, &commands.iter().map(String::as_str).collect::<Vec<_>>());
    let app = test_home.app(ProcessRole::OneShot);
    let open_project = app.workspace.open_project(&test_home.project).unwrap();
    let snapshot = open_project.snapshot();
    assert_eq!(healths(&app, &open_project).len(), 500);
    let computed = snapshot.lints.computed_count();
    let begin = Instant::now();
    assert_eq!(healths(&app, &open_project).len(), 500);
    let took = begin.elapsed();
    assert_eq!(snapshot.lints.computed_count(), computed);
    println!("the list of 500 hooks again: {took:?}");
}
