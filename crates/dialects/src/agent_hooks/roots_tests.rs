use std::collections::BTreeMap;
use std::sync::Arc;

use hookwright_model::{Files, SourceTree};

use super::*;
use crate::agent_hooks::AgentHooks;

fn places(vars: &[(&str, &str)]) -> Locations {
    Locations {
        home: "/h".into(),
        project: "/p".into(),
        skills_roots: Vec::new(),
        vars: vars
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
    }
}

fn paths(vars: &[(&str, &str)]) -> Vec<String> {
    roots(&places(vars))
        .iter()
        .map(|root| root.path.display().to_string())
        .collect()
}

struct FakeDirs(&'static [&'static str]);

impl DirProbe for FakeDirs {
    fn is_dir(&self, path: &Path) -> bool {
        self.0.iter().any(|folder| Path::new(folder) == path)
    }

    fn is_file(&self, _: &Path) -> bool {
        false
    }
}

#[test]
fn the_file_of_a_released_agent_is_mentioned_when_the_relay_is_added() {
    let notice = |folders: &'static [&'static str]| AgentHooks.relay_notice(&places(&[]), &FakeDirs(folders));
    assert_eq!(notice(&["/h/.config/agents/hooks"]), None);
    for (folder, file) in [
        (&["/h/.kimi"], "`/h/.kimi/config.toml`"),
        (&["/h/.kimi-code"], "`/h/.kimi-code/config.toml`"),
    ] {
        let message = notice(folder).unwrap();
        assert_eq!(message.code, "relay_not_read");
        assert!(message.text.contains(file), "{}", message.text);
    }
}

#[test]
fn the_user_has_one_or_two_roots() {
    assert_eq!(paths(&[]), ["/h/.config/agents/hooks", "/p/.agents/hooks"]);
    let set = paths(&[("XDG_CONFIG_HOME", "/x")]);
    assert_eq!(set, ["/x/agents/hooks", "/h/.config/agents/hooks", "/p/.agents/hooks"]);
    assert_eq!(
        paths(&[("XDG_CONFIG_HOME", "/h/.config")]).len(),
        2,
        "the same place is read once"
    );
    assert_eq!(paths(&[("XDG_CONFIG_HOME", "relative")]).len(), 2);
}

#[test]
fn a_hook_file_is_detected_by_its_path() {
    let detected = |path: &str| {
        let root = AgentHooks.detect_root(Path::new(path), &places(&[]))?;
        Some((root.layer, root.path.display().to_string(), root.project))
    };
    assert_eq!(
        detected("/q/.agents/hooks/a/HOOK.md"),
        Some((Layer::Project, "/q/.agents/hooks".to_owned(), Some("/q".into())))
    );
    assert_eq!(
        detected("/h/.config/agents/hooks/a/HOOK.md"),
        Some((Layer::User, "/h/.config/agents/hooks".to_owned(), None))
    );
    assert_eq!(
        detected("/downloads/a/HOOK.md"),
        Some((Layer::User, "/downloads/a/HOOK.md".to_owned(), None))
    );
    assert_eq!(detected("/q/.agents/hooks/a/README.md"), None);
    assert_eq!(detected("/q/hook.md"), None);
}

/// Hooks of these names in these folders, in load order.
fn read(folders: &[(&str, &str)]) -> Vec<Arc<Hook>> {
    let each = folders.iter().flat_map(|(folder, front)| {
        let layer = if folder.starts_with("/p") {
            Layer::Project
        } else {
            Layer::User
        };
        let root = Root::file(layer, PathBuf::from(folder).join(HOOK_FILE), None);
        let text = format!("---\n{front}\n---\n");
        AgentHooks.parse(&SourceTree::with_text(root, Ok(text))).hooks
    });
    each.collect()
}

/// Every hook's id after conflicts are resolved. After `by` is the hook that replaces it, after `once` the hooks that
/// replace it once they are approved.
fn resolved(folders: &[(&str, &str)]) -> Vec<String> {
    let hooks = read(folders);
    let report = resolve_conflicts(&hooks.iter().map(|hook| &**hook).collect::<Vec<_>>());
    let off: BTreeMap<usize, DisabledReason> = report.disabled.into_iter().collect();
    let of = |(index, hook): (usize, &Arc<Hook>)| {
        let id = report
            .renamed
            .get(&index)
            .unwrap_or(&hook.id)
            .replace("agent-hooks:", "");
        let rivals = report.replacements.rules.iter().filter(|rival| rival.hook == index);
        let rivals: Vec<String> = rivals.map(|rival| rival.by.replace("agent-hooks:", "")).collect();
        match off.get(&index) {
            Some(DisabledReason::Shadowed(by)) => format!("{id} by {}", by.replace("agent-hooks:", "")),
            Some(DisabledReason::Disabled(_) | DisabledReason::Relay(_) | DisabledReason::AgentOnly(_)) | None => {
                match rivals.as_slice() {
                    [] => id,
                    [..] => format!("{id} once {}", rivals.join(", ")),
                }
            }
        }
    };
    hooks.iter().enumerate().map(of).collect()
}

const OK: &str = "name: n\ntrigger: before_tool";

#[test]
fn hooks_of_one_name_rank_by_approved_project_then_first_root_then_last_folder() {
    assert_eq!(
        resolved(&[("/h/u/a", OK), ("/p/h/a", OK)]),
        ["user:n once project:n", "project:n"]
    );
    assert_eq!(
        resolved(&[("/x/u/a", OK), ("/h/u/a", OK)]),
        ["user:n", "user:n.2 by user:n"]
    );
    assert_eq!(
        resolved(&[("/h/u/a", OK), ("/h/u/b", OK)]),
        ["user:n.2 by user:n", "user:n"]
    );
    assert_eq!(
        resolved(&[("/h/u/a", OK), ("/h/u/b", OK), ("/p/h/a", OK), ("/p/h/b", OK)]),
        [
            "user:n.2 by user:n",
            "user:n once project:n, project:n.2",
            "project:n.2 once project:n",
            "project:n"
        ]
    );
}

#[test]
fn a_broken_hook_neither_replaces_nor_is_replaced() {
    let broken = "name: n\ntrigger: nothing";
    assert_eq!(resolved(&[("/h/u/a", OK), ("/p/h/a", broken)]), ["user:n", "project:n"]);
    assert_eq!(resolved(&[("/h/u/a", OK), ("/h/u/b", broken)]), ["user:n", "user:n.2"]);
}

#[test]
fn no_two_hooks_have_one_id() {
    let folders = [
        ("/h/u/a", OK),
        ("/h/u/b", OK),
        ("/h/u/c", "name: n.2\ntrigger: before_tool"),
        ("/h/u/d", OK),
    ];
    let mut ids: Vec<String> = resolved(&folders);
    ids.iter_mut()
        .for_each(|id| id.truncate(id.find(' ').unwrap_or(id.len())));
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all, "{ids:?}");
}
