//! Limits for projects that are large, many, or made to be expensive. Costs are counted, never timed (`engine.md` §9).

use std::sync::Arc;

use hookwright_app::{check, explain, hooks, projects};
use hookwright_model::{Code, MAX_FILE_HOOKS, MAX_FILE_PROBLEMS, Payload, Severity};
use hookwright_workspace::ProcessRole;
use hookwright_workspace::project::MAX_OPEN_PROJECTS;
use serde_json::json;

use crate::common::{TestHome, hooks, wait_until, write};

/// Settings of Qoder with one group for each matcher.
fn matchers(matchers: impl IntoIterator<Item = String>) -> String {
    let group = |matcher| json!({"matcher": matcher, "hooks": [{"type": "command", "command": "true"}]});
    let groups: Vec<_> = matchers.into_iter().map(group).collect();
    json!({"hooks": {"PreToolUse": groups}}).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_projects_are_opened_and_released() {
    let test_home = TestHome::new();
    write(&test_home.user_file(), hooks(&["./mine.sh"]));
    let app = test_home.app(ProcessRole::Engine);
    let mut first: Option<Arc<_>> = None;
    for number in 0..1000 {
        let project = test_home.root().join(format!("p{number}"));
        std::fs::create_dir(&project).expect("a folder");
        let snapshot = app.workspace.open_project(&project).expect("it is a folder").snapshot();
        let hook = snapshot.hooks("jcli").next().expect("the user's hook").clone();
        // The user's file is parsed once for all projects.
        let first = first.get_or_insert_with(|| hook.clone());
        assert!(Arc::ptr_eq(first, &hook), "project {number}");
    }
    // A project stays open while its watch scans it. It is released when the next project is opened after that.
    let mut more = 0;
    wait_until("the others are let go", || {
        let project = test_home.root().join(format!("more{more}"));
        more += 1;
        std::fs::create_dir(&project).expect("a folder");
        app.workspace.open_project(&project).expect("it is a folder");
        app.workspace.open_projects().len() <= MAX_OPEN_PROJECTS + 4
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unapproved_patterns_are_never_compiled() {
    let test_home = TestHome::new();
    let large = (0..200).map(|number| format!(r"\w{{90}}N\w{{90}}{number}"));
    write(&test_home.project.join(".qoder/settings.json"), matchers(large));
    let (app, open_project) = test_home.open_watched().await;
    let list = hooks::list(&app, &open_project.snapshot(), None, None);
    assert_eq!(list.hooks.len(), 200);
    assert!(list.problems.iter().all(|problem| problem.code != Code::BadPattern));
    assert_eq!(
        (open_project.patterns().compiled(), open_project.patterns().bytes()),
        (0, 0)
    );
    // An explanation of an event does not compile them either: what it compiles is not added to the pool.
    let payload = json!({"tool_name": "Bash"}).as_object().cloned().unwrap_or_default();
    let payload: Payload = payload.into_iter().collect();
    explain::explain_in(
        &app,
        &open_project.snapshot(),
        &open_project.project,
        "qoder",
        "PreToolUse",
        payload.into(),
    )
    .expect("it can be explained");
    assert_eq!(open_project.patterns().compiled(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn patterns_of_the_user_are_compiled_before_the_first_event_and_too_large_ones_are_reported() {
    let test_home = TestHome::new();
    let mine = [r"\w{300}", "mcp__.*", "mcp__.*", "Edit|Write"].map(str::to_owned);
    write(&test_home.home.join(".qoder/settings.json"), matchers(mine));
    let (app, open_project) = test_home.open_watched().await;
    let listed_problems = || hooks::list(&app, &open_project.snapshot(), Some("qoder"), None).problems;
    wait_until("the large one is told", || {
        listed_problems().iter().any(|problem| problem.code == Code::TooLarge)
    })
    .await;
    let problems = listed_problems();
    let large: Vec<_> = problems
        .iter()
        .filter(|problem| problem.code == Code::TooLarge)
        .collect();
    assert_eq!(large.len(), 1, "{large:?}");
    assert_eq!(large[0].severity, Severity::Warning);
    assert!(
        large[0]
            .hook
            .as_ref()
            .is_some_and(|hook| hook.starts_with("qoder:user:PreToolUse"))
    );
}

#[test]
fn check_and_list_report_large_patterns_of_hooks_that_may_run() {
    let large = || matchers([r"\w{300}".to_owned()]);
    let has_large_pattern = |settings_file: fn(&TestHome) -> std::path::PathBuf| {
        let test_home = TestHome::new();
        write(&settings_file(&test_home), large());
        let app = test_home.app(ProcessRole::OneShot);
        let open_project = app.workspace.open_project(&test_home.project).expect("it is a folder");
        let checked = check::check_project(&app, &open_project.snapshot(), Some("qoder")).problems;
        let listed = hooks::list(&app, &open_project.snapshot(), None, None).problems;
        let large = |problems: &[hookwright_model::Problem]| problems.iter().any(|it| it.code == Code::TooLarge);
        (large(&checked), large(&listed))
    };
    assert_eq!(
        has_large_pattern(|test_home| test_home.home.join(".qoder/settings.json")),
        (true, true)
    );
    // No hook of the project is approved, so none of its patterns is compiled.
    assert_eq!(
        has_large_pattern(|test_home| test_home.project.join(".qoder/settings.json")),
        (false, false)
    );
}

#[test]
fn a_pattern_with_too_much_text_is_reported_with_its_position() {
    let test_home = TestHome::new();
    write(
        &test_home.project.join(".qoder/settings.json"),
        matchers(["(".repeat(5000)]),
    );
    let app = test_home.app(ProcessRole::OneShot);
    let open_project = app.workspace.open_project(&test_home.project).expect("it is a folder");
    let problems = hooks::list(&app, &open_project.snapshot(), None, None).problems;
    let large: Vec<_> = problems
        .iter()
        .filter(|problem| problem.code == Code::TooLarge)
        .collect();
    assert_eq!(large.len(), 1, "{problems:?}");
    assert_eq!((large[0].severity, large[0].line), (Severity::Warning, Some(1)));
    assert!(large[0].column.is_some_and(|column| column > 1));
}

#[test]
fn hooks_beyond_the_limit_of_a_file_are_ignored() {
    let test_home = TestHome::new();
    write(
        &test_home.hooks_file(),
        format!("stop:\n{}", "- command: a\n".repeat(MAX_FILE_HOOKS + 7)),
    );
    let app = test_home.app(ProcessRole::OneShot);
    let open_project = app.workspace.open_project(&test_home.project).expect("it is a folder");
    assert_eq!(open_project.snapshot().all().count(), MAX_FILE_HOOKS);
    let problems = open_project.problems(Some("jcli"));
    let large: Vec<_> = problems
        .iter()
        .filter(|problem| problem.code == Code::TooLarge)
        .collect();
    assert_eq!(large.len(), 1);
    assert_eq!((large[0].severity, large[0].line), (Severity::Error, None));
}

#[test]
fn of_many_problems_of_a_file_the_worst_are_listed_and_the_rest_is_counted() {
    let test_home = TestHome::new();
    let fields: String = (0..MAX_FILE_PROBLEMS + 500)
        .map(|number| format!("  x{number}: 1\n"))
        .collect();
    write(
        &test_home.hooks_file(),
        format!("stop:\n- command: a\n{fields}- command: 1\n- command: []\n"),
    );
    let app = test_home.app(ProcessRole::OneShot);
    let open_project = app.workspace.open_project(&test_home.project).expect("it is a folder");
    let problems = open_project.problems(Some("jcli"));
    assert!(problems.len() <= MAX_FILE_PROBLEMS + 1, "{}", problems.len());
    assert!(problems.iter().any(|problem| problem.severity == Severity::Error));
    let more: Vec<_> = problems.iter().filter(|problem| problem.code == Code::More).collect();
    assert_eq!((more.len(), more[0].severity), (1, Severity::Hint));
    assert!(more[0].args["count"].as_u64().is_some_and(|count| count >= 500));
}

#[test]
fn lint_runs_only_for_the_dialects_that_are_asked_for() {
    let test_home = TestHome::new();
    write(&test_home.hooks_file(), hooks(&["./one.sh"]));
    let app = test_home.app(ProcessRole::OneShot);
    let open_project = app.workspace.open_project(&test_home.project).expect("it is a folder");
    let snapshot = open_project.snapshot();
    assert_eq!(
        snapshot.lints.cached_dialects(),
        1,
        "a new source is asked once which of its hooks are guards"
    );
    drop(snapshot.problems(&app.workspace.env, Some("jcli")));
    assert_eq!(snapshot.lints.cached_dialects(), 1);
    open_project.refresh();
    assert_eq!(
        open_project.snapshot().lints.cached_dialects(),
        1,
        "nothing changed, so it still holds"
    );
    drop(snapshot.problems(&app.workspace.env, None));
    assert_eq!(snapshot.lints.cached_dialects(), hookwright_dialects::all().len());
}

#[test]
fn a_command_about_one_dialect_reads_no_other() {
    let test_home = TestHome::new();
    write(&test_home.hooks_file(), hooks(&["./one.sh"]));
    write(
        &test_home.project.join(".qoder/settings.json"),
        matchers(["Bash".to_owned()]),
    );
    let app = test_home.app(ProcessRole::OneShot);
    let open_project = app
        .workspace
        .read_dialect(&test_home.project, "qoder")
        .expect("it is a folder");
    assert!(
        open_project
            .snapshot()
            .sources
            .iter()
            .all(|source| source.dialect == "qoder")
    );
    assert_eq!(open_project.snapshot().all().count(), 1);
    assert!(app.workspace.open_projects().is_empty());
}

#[test]
fn noted_projects_fill_the_project_list_only_up_to_its_limit() {
    let test_home = TestHome::new();
    let app = test_home.app(ProcessRole::OneShot);
    for number in 0..60 {
        let project = test_home.root().join(format!("p{number}"));
        std::fs::create_dir(&project).expect("a folder");
        projects::note_project(&app, &project).expect("it can be noted");
        projects::note_project(&app, &project).expect("it is noted already");
    }
    let listed = projects::projects(&app);
    assert_eq!(listed.len(), 50);
    assert!(listed.iter().all(|row| row.exists));
}
