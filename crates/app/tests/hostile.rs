//! Projects that are large, many, or made to cost: counted, never timed (`engine.md` §9).
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test fails where it stands")]

#[expect(dead_code, reason = "each test program uses what it needs")]
mod common;

use std::sync::Arc;

use common::{World, hooks, until, write};
use hookwright_app::library::MAX_PROBLEMS;
use hookwright_app::{Hosting, MOST_OPEN};
use hookwright_model::{Code, MAX_FILE_HOOKS, Severity};
use serde_json::json;

/// Settings with a group for each matcher.
fn matchers(matchers: impl IntoIterator<Item = String>) -> String {
    let group = |matcher| json!({"matcher": matcher, "hooks": [{"type": "command", "command": "true"}]});
    let groups: Vec<_> = matchers.into_iter().map(group).collect();
    json!({"hooks": {"PreToolUse": groups}}).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_projects_are_opened_and_let_go() {
    let world = World::new();
    write(&world.user_file(), hooks(&["./mine.sh"]));
    let app = world.app(Hosting::Engine);
    let mut first: Option<Arc<_>> = None;
    for number in 0..1000 {
        let project = world.root().join(format!("p{number}"));
        std::fs::create_dir(&project).expect("a folder");
        let snapshot = app.desk(&project).expect("it is a folder").snapshot();
        let hook = snapshot.hooks("jcli").next().expect("the user's hook").clone();
        // The user's file is parsed once for all of them.
        let first = first.get_or_insert_with(|| hook.clone());
        assert!(Arc::ptr_eq(first, &hook), "project {number}");
    }
    // One whose watch looks right now is held by it, and let go when the next project is opened after that.
    let mut more = 0;
    until("the others are let go", || {
        let project = world.root().join(format!("more{more}"));
        more += 1;
        std::fs::create_dir(&project).expect("a folder");
        app.desk(&project).expect("it is a folder");
        app.open_projects().len() <= MOST_OPEN + 4
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn patterns_that_nobody_approved_are_never_compiled() {
    let world = World::new();
    let large = (0..200).map(|number| format!(r"\w{{90}}N\w{{90}}{number}"));
    write(&world.project.join(".qoder/settings.json"), matchers(large));
    let (app, desk) = world.watched().await;
    let list = app.list(&desk.snapshot(), None, None);
    assert_eq!(list.hooks.len(), 200);
    assert!(list.problems.iter().all(|problem| problem.code != Code::BadPattern));
    assert_eq!((desk.patterns().compiled(), desk.patterns().bytes()), (0, 0));
    // Not by explaining them either: what that compiles is not kept.
    let payload = json!({"tool_name": "Bash"}).as_object().cloned().unwrap_or_default();
    let payload = payload.into_iter().collect();
    app.explain_in(&desk.snapshot(), &desk.project, "qoder", "PreToolUse", payload)
        .expect("it can be explained");
    assert_eq!(desk.patterns().compiled(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn patterns_of_the_user_are_compiled_before_an_event_comes_and_too_large_ones_are_told() {
    let world = World::new();
    let mine = [r"\w{300}", "mcp__.*", "mcp__.*", "Edit|Write"].map(str::to_owned);
    write(&world.home.join(".qoder/settings.json"), matchers(mine));
    let (app, desk) = world.watched().await;
    let told = || app.list(&desk.snapshot(), Some("qoder"), None).problems;
    until("the large one is told", || {
        told().iter().any(|problem| problem.code == Code::TooLarge)
    })
    .await;
    let problems = told();
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
fn a_command_that_asks_once_is_told_of_large_patterns_of_what_may_run() {
    let large = || matchers([r"\w{300}".to_owned()]);
    let told = |place: fn(&World) -> std::path::PathBuf| {
        let world = World::new();
        write(&place(&world), large());
        let app = world.app(Hosting::OneShot);
        let desk = app.desk(&world.project).expect("it is a folder");
        let checked = app.check_project(&desk.snapshot(), Some("qoder")).problems;
        let listed = app.list(&desk.snapshot(), None, None).problems;
        let large = |problems: &[hookwright_model::Problem]| problems.iter().any(|it| it.code == Code::TooLarge);
        (large(&checked), large(&listed))
    };
    assert_eq!(told(|world| world.home.join(".qoder/settings.json")), (true, true));
    // Nobody approved anything of the project: nothing of it is compiled.
    assert_eq!(told(|world| world.project.join(".qoder/settings.json")), (false, false));
}

#[test]
fn a_pattern_with_more_text_than_a_pattern_may_have_is_told_at_its_place() {
    let world = World::new();
    write(
        &world.project.join(".qoder/settings.json"),
        matchers(["(".repeat(5000)]),
    );
    let app = world.app(Hosting::OneShot);
    let desk = app.desk(&world.project).expect("it is a folder");
    let problems = app.list(&desk.snapshot(), None, None).problems;
    let large: Vec<_> = problems
        .iter()
        .filter(|problem| problem.code == Code::TooLarge)
        .collect();
    assert_eq!(large.len(), 1, "{problems:?}");
    assert_eq!((large[0].severity, large[0].line), (Severity::Warning, Some(1)));
    assert!(large[0].column.is_some_and(|column| column > 1));
}

#[test]
fn a_file_has_so_many_hooks_and_no_more() {
    let world = World::new();
    write(
        &world.hooks_file(),
        format!("stop:\n{}", "- command: a\n".repeat(MAX_FILE_HOOKS + 7)),
    );
    let app = world.app(Hosting::OneShot);
    let desk = app.desk(&world.project).expect("it is a folder");
    assert_eq!(desk.snapshot().all().count(), MAX_FILE_HOOKS);
    let problems = desk.problems(Some("jcli"));
    let large: Vec<_> = problems
        .iter()
        .filter(|problem| problem.code == Code::TooLarge)
        .collect();
    assert_eq!(large.len(), 1);
    assert_eq!((large[0].severity, large[0].line), (Severity::Error, None));
}

#[test]
fn of_many_problems_of_a_file_the_worst_are_told_and_how_many_more_there_are() {
    let world = World::new();
    let fields: String = (0..MAX_PROBLEMS + 500)
        .map(|number| format!("  x{number}: 1\n"))
        .collect();
    write(
        &world.hooks_file(),
        format!("stop:\n- command: a\n{fields}- command: 1\n- command: []\n"),
    );
    let app = world.app(Hosting::OneShot);
    let desk = app.desk(&world.project).expect("it is a folder");
    let problems = desk.problems(Some("jcli"));
    assert!(problems.len() <= MAX_PROBLEMS + 1, "{}", problems.len());
    assert!(problems.iter().any(|problem| problem.severity == Severity::Error));
    let more: Vec<_> = problems.iter().filter(|problem| problem.code == Code::More).collect();
    assert_eq!((more.len(), more[0].severity), (1, Severity::Hint));
    assert!(more[0].args["count"].as_u64().is_some_and(|count| count >= 500));
}

#[test]
fn advice_is_worked_out_when_somebody_asks_and_for_whom_they_ask() {
    let world = World::new();
    write(&world.hooks_file(), hooks(&["./one.sh"]));
    let app = world.app(Hosting::OneShot);
    let desk = app.desk(&world.project).expect("it is a folder");
    let snapshot = desk.snapshot();
    assert_eq!(snapshot.advisor.given(), 0);
    drop(snapshot.problems(&app.around, Some("jcli")));
    assert_eq!(snapshot.advisor.given(), 1);
    desk.refresh();
    assert_eq!(desk.snapshot().advisor.given(), 1, "nothing changed, so it still holds");
    drop(snapshot.problems(&app.around, None));
    assert_eq!(snapshot.advisor.given(), hookwright_dialects::all().len());
}

#[test]
fn a_command_about_one_dialect_reads_no_other() {
    let world = World::new();
    write(&world.hooks_file(), hooks(&["./one.sh"]));
    write(
        &world.project.join(".qoder/settings.json"),
        matchers(["Bash".to_owned()]),
    );
    let app = world.app(Hosting::OneShot);
    let desk = app.read_dialect(&world.project, "qoder").expect("it is a folder");
    assert!(desk.snapshot().sources.iter().all(|source| source.dialect == "qoder"));
    assert_eq!(desk.snapshot().all().count(), 1);
    assert!(app.open_projects().is_empty());
}

#[test]
fn what_is_met_on_the_way_fills_the_list_of_projects_no_further_than_its_bound() {
    let world = World::new();
    let app = world.app(Hosting::OneShot);
    for number in 0..60 {
        let project = world.root().join(format!("p{number}"));
        std::fs::create_dir(&project).expect("a folder");
        app.note_project(&project).expect("it can be noted");
        app.note_project(&project).expect("it is noted already");
    }
    let listed = app.projects().projects;
    assert_eq!(listed.len(), 50);
    assert!(listed.iter().all(|row| row.exists));
}
