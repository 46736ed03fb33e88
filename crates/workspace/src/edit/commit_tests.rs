use std::path::PathBuf;

use hookwright_model::{Clock, FieldValue};

use super::*;
use crate::discovery::parse_count::COUNT;
use crate::edit::perform;
use crate::edit::relay_hooks::{TrustMode, WrapMode, connect};
use crate::edit::text_edit::{self, TextEdit};
use crate::host_env::HostEnv;
use crate::listener::{Changes, Listener};
use crate::settings::Settings;
use crate::workspace::ProcessRole;

/// Nobody looks at the workspace.
struct NoListener;

impl Listener for NoListener {
    fn settings_changed(&self, _: &Settings, _: &Settings) {}

    fn changed(&self, _: Changes) {}

    fn has_viewers(&self) -> bool {
        false
    }
}

/// A user's `hooks.yaml` with this many hooks of one event, and a workspace that has read it.
fn workspace_with(count: usize) -> (tempfile::TempDir, Workspace, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = dunce::canonicalize(folder.path()).unwrap();
    let project = root.join("project");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::create_dir_all(root.join(".jdata/agent")).unwrap();
    let hooks: String = (0..count)
        .map(|number| format!("  - command: run {number}\n"))
        .collect();
    std::fs::write(root.join(".jdata/agent/hooks.yaml"), format!("stop:\n{hooks}")).unwrap();
    let vars = [("HOME".into(), root.clone().into_os_string())];
    std::fs::write(root.join("hookwright-relay"), "").unwrap();
    let env = HostEnv::new(vars.into(), root.clone(), root.join("hookwright")).unwrap();
    let clock = Clock::new(|| "2026-01-15T10:30:00Z".parse().unwrap());
    let listener = Arc::new(NoListener);
    let workspace = Workspace::open(
        Arc::new(env),
        Settings::default(),
        ProcessRole::OneShot,
        clock,
        listener,
    );
    (folder, workspace, project)
}

#[test]
fn an_edit_parses_its_file_once_before_and_once_after() {
    let (_folder, workspace, project) = workspace_with(2000);
    let first = "jcli:user:stop:0".to_owned();
    let set = HookChange::Set {
        field: "timeout".to_owned(),
        value: FieldValue::Value(5.into()),
    };
    let change = EditRequest::Change {
        hook: first.clone(),
        changes: vec![set],
    };
    for (request, moved) in [(change, 0), (EditRequest::Remove { hook: first }, 1999)] {
        COUNT.set(0);
        let doc = perform(&workspace, &project, None, &request, WriteMode::Now).unwrap();
        assert!(doc.written);
        assert_eq!(doc.moved.len(), moved);
        assert!(COUNT.get() <= 2, "{} parses", COUNT.get());
    }
}

#[test]
fn a_text_that_does_not_parse_is_refused_and_the_file_stays() {
    let (_folder, workspace, project) = workspace_with(1);
    let open_project = workspace.open_project(&project).unwrap();
    let path = open_project
        .snapshot()
        .hook("jcli:user:stop:0")
        .unwrap()
        .source
        .path
        .clone();
    let base = text_edit::file_hash(&open_project.snapshot(), &path).unwrap();
    let before = std::fs::read(&path).unwrap();
    let edit = TextEdit {
        path: &path,
        dialect: None,
        base: base.as_deref(),
        text: "stop: [",
        hook: None,
    };
    assert!(text_edit::save(&workspace, &project, &edit, WriteMode::Now).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn many_commands_are_wrapped_with_as_many_parses_as_few() {
    let parses = |count: usize| {
        let (folder, workspace, project) = workspace_with(count);
        COUNT.set(0);
        let doc = connect(
            &workspace,
            &project,
            "jcli",
            WrapMode::WrapOwnHooks,
            TrustMode::UserReviews,
            WriteMode::Now,
        )
        .unwrap();
        assert!(doc.written && doc.notices.is_empty(), "{:?}", doc.notices);
        let text = std::fs::read_to_string(folder.path().join(".jdata/agent/hooks.yaml")).unwrap();
        assert_eq!(text.matches("--hook jcli:user:stop:").count(), count);
        COUNT.get()
    };
    assert_eq!(parses(2), parses(100));
}
