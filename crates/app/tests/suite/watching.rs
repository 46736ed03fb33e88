//! The library follows the files, however they are changed (`engine.md` §9).

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use hookwright_app::dto::StateRequest;
use hookwright_app::{Push, Topic, state};
use hookwright_workspace::ProcessRole;
use hookwright_workspace::watcher::{RefreshResult, WatchHub, WatchMode, WatchSet, watch};

use crate::common::{TestHome, codes, commands, hooks, list, wait_for_commands, wait_until, write};

const ONE: &str = "./one.sh";
const TWO: &str = "./two.sh";

fn tells_of(push: &Push, topic: Topic) -> bool {
    matches!(push, Push::Stale { what } if what.contains(&topic))
}

/// Watches a project with hook [`ONE`], runs `change`, and waits until hook [`TWO`] is in force.
async fn assert_followed(change: impl FnOnce(&TestHome)) {
    let test_home = TestHome::with_config_folder();
    write(&test_home.hooks_file(), hooks(&[ONE]));
    let (_app, open_project) = test_home.open_watched().await;
    wait_for_commands(&open_project, &[ONE]).await;
    change(&test_home);
    let took = wait_for_commands(&open_project, &[TWO]).await;
    println!("seen after {took:?}, of which 40 ms settle");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_written_in_place_is_followed() {
    assert_followed(|test_home| write(&test_home.hooks_file(), hooks(&[TWO]))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_replaced_by_rename_is_followed() {
    assert_followed(|test_home| {
        let new = test_home.project.join(".jcli/.hooks.yaml.tmp");
        write(&new, hooks(&[TWO]));
        fs::rename(new, test_home.hooks_file()).unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_moved_to_a_backup_and_written_anew_is_followed() {
    assert_followed(|test_home| {
        let file = test_home.hooks_file();
        fs::rename(&file, test_home.project.join(".jcli/hooks.yaml~")).unwrap();
        write(&file, hooks(&[TWO]));
        fs::remove_file(test_home.project.join(".jcli/hooks.yaml~")).unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_replaced_by_a_link_is_followed() {
    assert_followed(|test_home| {
        write(&test_home.project.join("shared/hooks.yaml"), hooks(&[TWO]));
        fs::remove_file(test_home.hooks_file()).unwrap();
        symlink("../shared/hooks.yaml", test_home.hooks_file()).unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_target_of_a_linked_file_is_followed() {
    let test_home = TestHome::with_config_folder();
    let target = test_home.project.join("deep/shared.yaml");
    write(&target, hooks(&[ONE]));
    symlink("../deep/shared.yaml", test_home.hooks_file()).unwrap();
    let (_app, open_project) = test_home.open_watched().await;
    wait_for_commands(&open_project, &[ONE]).await;
    write(&target, hooks(&[TWO]));
    wait_for_commands(&open_project, &[TWO]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_folder_that_leads_elsewhere_is_followed() {
    let test_home = TestHome::new();
    write(&test_home.home.join("dotfiles/a/agent/hooks.yaml"), hooks(&[ONE]));
    write(&test_home.home.join("dotfiles/b/agent/hooks.yaml"), hooks(&[TWO]));
    symlink("dotfiles/a", test_home.home.join(".jdata")).unwrap();
    let (_app, open_project) = test_home.open_watched().await;
    wait_for_commands(&open_project, &[ONE]).await;
    fs::remove_file(test_home.home.join(".jdata")).unwrap();
    symlink("dotfiles/b", test_home.home.join(".jdata")).unwrap();
    wait_for_commands(&open_project, &[TWO]).await;
    // From then on, the new target is followed, under both of its paths.
    write(&test_home.home.join("dotfiles/b/agent/hooks.yaml"), hooks(&[TWO, ONE]));
    wait_for_commands(&open_project, &[TWO, ONE]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_config_folder_may_be_created_later() {
    let test_home = TestHome::new();
    let (_app, open_project) = test_home.open_watched().await;
    wait_for_commands(&open_project, &[]).await;
    write(&test_home.hooks_file(), hooks(&[ONE]));
    wait_for_commands(&open_project, &[ONE]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_users_own_folder_may_be_created_later() {
    let test_home = TestHome::new();
    let (_app, open_project) = test_home.open_watched().await;
    write(&test_home.user_file(), hooks(&[ONE]));
    wait_for_commands(&open_project, &[ONE]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_config_folder_nearer_to_the_project_takes_over() {
    let test_home = TestHome::with_config_folder();
    write(&test_home.hooks_file(), hooks(&[ONE]));
    let inner = test_home.project.join("packages/inner");
    fs::create_dir_all(&inner).unwrap();
    let app = test_home.app(ProcessRole::Engine);
    let open_project = app.workspace.open_project(&inner).unwrap();
    wait_for_commands(&open_project, &[ONE]).await;
    let owner = |open_project: &hookwright_workspace::OpenProject| {
        let snapshot = open_project.snapshot();
        let hook = snapshot.all().next().cloned();
        hook.and_then(|hook| hook.source.project.clone())
    };
    assert_eq!(owner(&open_project), Some(test_home.project.clone()));
    wait_until("it is watched", || open_project.watch_mode() == WatchMode::Events).await;
    write(&test_home.project.join("packages/.jcli/hooks.yaml"), hooks(&[TWO]));
    wait_for_commands(&open_project, &[TWO]).await;
    assert_eq!(owner(&open_project), Some(test_home.project.join("packages")));
    fs::remove_dir_all(test_home.project.join("packages/.jcli")).unwrap();
    wait_for_commands(&open_project, &[ONE]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_removed_and_returns_is_followed() {
    let test_home = TestHome::with_config_folder();
    write(&test_home.hooks_file(), hooks(&[ONE]));
    let (_app, open_project) = test_home.open_watched().await;
    wait_for_commands(&open_project, &[ONE]).await;
    for round in 0..3 {
        fs::remove_file(test_home.hooks_file()).unwrap();
        wait_for_commands(&open_project, &[]).await;
        write(&test_home.hooks_file(), hooks(&[TWO]));
        wait_for_commands(&open_project, &[TWO]).await;
        fs::remove_dir_all(test_home.project.join(".jcli")).unwrap();
        wait_for_commands(&open_project, &[]).await;
        write(&test_home.hooks_file(), hooks(&[ONE]));
        wait_for_commands(&open_project, &[ONE]).await;
        // The folder is removed and created again before the next scan.
        fs::remove_dir_all(test_home.project.join(".jcli")).unwrap();
        let again = format!("./again{round}.sh");
        write(&test_home.hooks_file(), hooks(&[&again]));
        wait_for_commands(&open_project, &[&again]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_that_is_renamed_away_and_back_is_followed() {
    let test_home = TestHome::with_config_folder();
    write(&test_home.hooks_file(), hooks(&[ONE]));
    let (_app, open_project) = test_home.open_watched().await;
    wait_for_commands(&open_project, &[ONE]).await;
    let away = test_home.root().join("away");
    fs::rename(&test_home.project, &away).unwrap();
    wait_for_commands(&open_project, &[]).await;
    write(&away.join(".jcli/hooks.yaml"), hooks(&[TWO]));
    fs::rename(&away, &test_home.project).unwrap();
    wait_for_commands(&open_project, &[TWO]).await;
    write(&test_home.hooks_file(), hooks(&[ONE, TWO]));
    wait_for_commands(&open_project, &[ONE, TWO]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_above_that_is_renamed_away_is_noticed() {
    let mut test_home = TestHome::new();
    test_home.project = test_home.root().join("above/project");
    write(&test_home.hooks_file(), hooks(&[ONE]));
    let (_app, open_project) = test_home.open_watched().await;
    wait_for_commands(&open_project, &[ONE]).await;
    fs::rename(test_home.root().join("above"), test_home.root().join("elsewhere")).unwrap();
    wait_for_commands(&open_project, &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_content_again_causes_no_push() {
    let test_home = TestHome::with_config_folder();
    write(&test_home.hooks_file(), hooks(&[ONE]));
    let (app, open_project) = test_home.open_watched().await;
    wait_for_commands(&open_project, &[ONE]).await;
    let before = open_project.snapshot();
    let mut pushes = app.subscribe();
    replace(&test_home.hooks_file(), hooks(&[ONE]).as_bytes());
    // A push of the second project comes after any push that the first project would send.
    let other = test_home.root().join("other");
    fs::create_dir_all(other.join(".jcli")).unwrap();
    let second = app.workspace.open_project(&other).unwrap();
    wait_until("it is watched", || second.watch_mode() == WatchMode::Events).await;
    replace(&other.join(".jcli/hooks.yaml"), hooks(&[TWO]).as_bytes());
    wait_for_commands(&second, &[TWO]).await;
    open_project.refresh();
    assert!(
        std::sync::Arc::ptr_eq(&before, &open_project.snapshot()),
        "nothing was replaced"
    );
    wait_until("the other's change is told", || {
        pushes.try_recv().is_ok_and(|push| tells_of(&push, Topic::Hooks))
    })
    .await;
    let more = std::iter::from_fn(|| pushes.try_recv().ok()).any(|push| tells_of(&push, Topic::Hooks));
    assert!(!more, "one change, one push");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_quick_saves_end_in_the_last_content() {
    let test_home = TestHome::with_config_folder();
    let (_app, open_project) = test_home.open_watched().await;
    for number in 0..1000 {
        let new = test_home.project.join(".jcli/new");
        write(&new, hooks(&[&format!("./number{number}.sh")]));
        fs::rename(new, test_home.hooks_file()).unwrap();
    }
    wait_for_commands(&open_project, &["./number999.sh"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_broken_while_edited_keeps_its_last_good_version() {
    let test_home = TestHome::new();
    write(&test_home.user_file(), hooks(&[ONE]));
    let (app, open_project) = test_home.open_watched().await;
    wait_for_commands(&open_project, &[ONE]).await;
    for broken in ["pre_send_message:\n  - command: [", "- a\n- b\n", "\u{0}"] {
        write(&test_home.user_file(), broken);
        wait_until("the text is broken", || {
            open_project.snapshot().sources[0].has_older_hooks()
        })
        .await;
        let list = list(&app, &test_home.project).await;
        assert_eq!(list.hooks.len(), 1, "{broken:?}");
        assert!(list.hooks[0].valid && list.hooks[0].enabled);
        assert!(list.sources[0].last_good, "{broken:?}");
        assert!(!list.problems.is_empty());
        write(&test_home.user_file(), hooks(&[ONE]));
        wait_until("it is well again", || {
            codes(&open_project).iter().all(|code| code != "syntax")
                && !open_project.snapshot().sources[0].has_older_hooks()
        })
        .await;
    }
    write(&test_home.user_file(), hooks(&[TWO]));
    wait_for_commands(&open_project, &[TWO]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_entry_affects_only_itself() {
    let test_home = TestHome::new();
    let text = "pre_send_message:\n  - command: ./one.sh\n  - command: ''\n  - {type: nothing}\nstop:\n  - command: ./two.sh\n";
    write(&test_home.user_file(), text);
    let app = test_home.app(ProcessRole::OneShot);
    let list = list(&app, &test_home.project).await;
    let valid: Vec<&str> = list
        .hooks
        .iter()
        .filter(|row| row.valid)
        .map(|row| row.label.as_str())
        .collect();
    assert_eq!(valid, ["one.sh", "two.sh"]);
    assert!(!list.sources[0].last_good);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_file_is_reported_and_read_once_it_can_be() {
    let test_home = TestHome::new();
    let large = format!("{}#{}", hooks(&[ONE]), "x".repeat(1 << 20));
    let cases: [(&str, &[u8]); 2] = [("too_large", large.as_bytes()), ("unreadable", b"stop: \xff\n")];
    let (_app, open_project) = test_home.open_watched().await;
    for (code, text) in cases {
        replace(&test_home.user_file(), text);
        wait_until(code, || codes(&open_project).contains(&code.to_owned())).await;
        assert_eq!(commands(&open_project.snapshot()), [""; 0]);
        assert!(
            !open_project.snapshot().sources[0].has_older_hooks(),
            "there never was a good one"
        );
    }
    write(&test_home.user_file(), format!("\u{feff}{}", hooks(&[ONE])));
    wait_for_commands(&open_project, &[ONE]).await;
    let mode = fs::Permissions::from_mode(0o000);
    fs::set_permissions(test_home.user_file(), mode).unwrap();
    if fs::read(test_home.user_file()).is_err() {
        wait_until("it is unreadable", || {
            codes(&open_project).contains(&"unreadable".to_owned())
        })
        .await;
        assert!(open_project.snapshot().sources[0].has_older_hooks());
        assert_eq!(commands(&open_project.snapshot()), [ONE]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_or_a_dead_link_in_the_place_of_the_file_is_unreadable() {
    let test_home = TestHome::with_config_folder();
    fs::create_dir(test_home.hooks_file()).unwrap();
    let (_app, open_project) = test_home.open_watched().await;
    assert_eq!(codes(&open_project), ["unreadable"]);
    fs::remove_dir(test_home.hooks_file()).unwrap();
    symlink("nowhere.yaml", test_home.hooks_file()).unwrap();
    wait_until("the link is looked at", || codes(&open_project) == ["unreadable"]).await;
    write(&test_home.project.join(".jcli/nowhere.yaml"), hooks(&[ONE]));
    wait_for_commands(&open_project, &[ONE]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_of_a_project_must_end_inside_it() {
    let test_home = TestHome::with_config_folder();
    let outside = test_home.root().join("outside");
    write(&outside.join("hooks.yaml"), hooks(&[ONE]));
    symlink(outside.join("hooks.yaml"), test_home.hooks_file()).unwrap();
    let (_app, open_project) = test_home.open_watched().await;
    assert_eq!(codes(&open_project), ["file_outside"]);
    assert_eq!(commands(&open_project.snapshot()), [""; 0]);
    fs::remove_dir_all(test_home.project.join(".jcli")).unwrap();
    wait_until("it is gone", || codes(&open_project).is_empty()).await;
    symlink(&outside, test_home.project.join(".jcli")).unwrap();
    wait_until("the folder leads out", || codes(&open_project) == ["file_outside"]).await;
    fs::remove_file(test_home.project.join(".jcli")).unwrap();
    write(&test_home.project.join("config/hooks.yaml"), hooks(&[TWO]));
    symlink("config", test_home.project.join(".jcli")).unwrap();
    wait_for_commands(&open_project, &[TWO]).await;
    fs::create_dir(test_home.root().join("empty")).unwrap();
    fs::remove_file(test_home.project.join(".jcli")).unwrap();
    symlink(test_home.root().join("empty"), test_home.project.join(".jcli")).unwrap();
    wait_until("a folder outside without the file", || {
        commands(&open_project.snapshot()).is_empty()
    })
    .await;
    assert_eq!(codes(&open_project), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn links_of_the_user_may_lead_anywhere() {
    let test_home = TestHome::new();
    let outside = test_home.root().join("outside/hooks.yaml");
    write(&outside, hooks(&[ONE]));
    fs::create_dir_all(test_home.home.join(".jdata/agent")).unwrap();
    symlink(&outside, test_home.user_file()).unwrap();
    let (_app, open_project) = test_home.open_watched().await;
    wait_for_commands(&open_project, &[ONE]).await;
    write(&outside, hooks(&[TWO]));
    wait_for_commands(&open_project, &[TWO]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_projects_share_one_watcher() {
    let test_home = TestHome::new();
    let app = test_home.app(ProcessRole::Engine);
    let mut open_projects = Vec::new();
    // More than the number of watchers that a system allows for one user.
    for number in 0..200 {
        let project = test_home.root().join(format!("many/{number}"));
        write(&project.join(".jcli/hooks.yaml"), hooks(&[ONE]));
        open_projects.push((app.workspace.open_project(&project).unwrap(), project));
    }
    for (open_project, _) in &open_projects {
        wait_until("each is watched", || open_project.watch_mode() == WatchMode::Events).await;
    }
    for (_, project) in open_projects.iter().step_by(20) {
        write(&project.join(".jcli/hooks.yaml"), hooks(&[TWO]));
    }
    for (number, (open_project, _)) in open_projects.iter().enumerate() {
        wait_for_commands(open_project, if number % 20 == 0 { &[TWO] } else { &[ONE] }).await;
    }
    write(&test_home.user_file(), hooks(&["./mine.sh"]));
    for (number, (open_project, _)) in open_projects.iter().enumerate() {
        wait_for_commands(open_project, &["./mine.sh", if number % 20 == 0 { TWO } else { ONE }]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_other_files_cause_no_refresh() {
    let test_home = TestHome::with_config_folder();
    let refreshes = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = refreshes.clone();
    let watch_set = WatchSet {
        files: vec![test_home.hooks_file()],
        markers: Vec::new(),
        folders: Vec::new(),
    };
    let debounce = std::time::Duration::from_millis(20);
    let watch_hub = std::sync::Arc::<WatchHub>::default();
    let _watching = watch(
        &watch_hub,
        debounce,
        move || watch_set.clone(),
        move |_, _| {
            counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            RefreshResult::Read
        },
    );
    let count = || refreshes.load(std::sync::atomic::Ordering::SeqCst);
    wait_until("it looked first", || count() > 0).await;
    wait_until("it came to rest", {
        let before = std::cell::Cell::new((usize::MAX, std::time::Instant::now()));
        move || {
            let (number, since) = before.get();
            if number != count() {
                before.set((count(), std::time::Instant::now()));
            }
            number == count() && since.elapsed() > debounce * 5
        }
    })
    .await;
    let before = count();
    for number in 0..50 {
        write(&test_home.project.join(format!("noise{number}")), "x");
        write(&test_home.project.join(format!(".jcli/noise{number}")), "x");
    }
    write(&test_home.hooks_file(), hooks(&[ONE]));
    wait_until("the file itself is heard", || count() > before).await;
    assert!(count() - before < 10, "{} looks", count() - before);
}

/// Waits until the open project has hooks of exactly these names.
async fn wait_for_labels(open_project: &hookwright_workspace::OpenProject, wanted: &[&str]) {
    wait_until(&format!("{wanted:?} are in force"), || {
        open_project
            .snapshot()
            .all()
            .map(|hook| hook.label.clone())
            .collect::<Vec<_>>()
            == wanted
    })
    .await;
}

fn hook_md(name: &str) -> String {
    format!("---\nname: {name}\ndescription: d\ntrigger: before_tool\n---\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_folder_that_is_added_changed_or_removed_is_noticed() {
    let test_home = TestHome::new();
    let place = test_home.project.join(".agents/hooks");
    let user = test_home.home.join(".config/agents/hooks");
    fs::create_dir_all(&place).unwrap();
    let (_app, open_project) = test_home.open_watched().await;
    wait_until("changes are heard of", || {
        open_project.watch_mode() == WatchMode::Events
    })
    .await;
    write(&place.join("first/HOOK.md"), hook_md("first"));
    wait_for_labels(&open_project, &["first"]).await;
    // A folder that was built elsewhere appears complete, by one rename.
    write(&test_home.root().join("made/HOOK.md"), hook_md("moved"));
    fs::rename(test_home.root().join("made"), place.join("moved")).unwrap();
    wait_for_labels(&open_project, &["first", "moved"]).await;
    // The user's root, of which no folder exists yet.
    write(&user.join("mine/HOOK.md"), hook_md("mine"));
    wait_for_labels(&open_project, &["mine", "first", "moved"]).await;
    write(&place.join("first/HOOK.md"), hook_md("renamed"));
    wait_for_labels(&open_project, &["mine", "renamed", "moved"]).await;
    fs::remove_dir_all(place.join("first")).unwrap();
    wait_for_labels(&open_project, &["mine", "moved"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_is_added_or_made_executable_is_noticed() {
    let test_home = TestHome::new();
    let folder = test_home.project.join(".agents/hooks/gate");
    write(&folder.join("HOOK.md"), hook_md("gate"));
    let (_app, open_project) = test_home.open_watched().await;
    let has = |code: &'static str| {
        let open_project = open_project.clone();
        move || codes(&open_project).contains(&code.to_owned())
    };
    wait_until("there is no script", has("entry_missing")).await;
    write(&folder.join("scripts/run.sh"), "#!/bin/sh\nexit 0\n");
    wait_until("it cannot be executed", has("entry_not_executable")).await;
    fs::set_permissions(folder.join("scripts/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    wait_until("all is well", || codes(&open_project).is_empty()).await;
}

#[tokio::test]
async fn the_state_waits_until_the_watch_mode_is_known() {
    let test_home = TestHome::new();
    let app = test_home.app(ProcessRole::Engine);
    let open_project = app.workspace.open_project(&test_home.project).unwrap();
    assert_eq!(open_project.watch_mode(), WatchMode::Starting);
    let state = state::state(&app, StateRequest { project: None }).await.unwrap();
    assert_eq!(
        (state.watching.live, open_project.watch_mode()),
        (true, WatchMode::Events)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_added_to_a_hook_folder_pushes_stale_trust() {
    let test_home = TestHome::new();
    let folder = test_home.project.join(".agents/hooks/gate");
    write(&folder.join("HOOK.md"), hook_md("gate"));
    let (app, open_project) = test_home.open_watched().await;
    wait_until("changes are heard of", || {
        open_project.watch_mode() == WatchMode::Events
    })
    .await;
    wait_for_labels(&open_project, &["gate"]).await;
    let mut pushes = app.subscribe();
    write(&folder.join("words.txt"), "x");
    let stale_push = tokio::time::timeout(std::time::Duration::from_secs(20), async {
        while !pushes.recv().await.is_ok_and(|push| tells_of(&push, Topic::Trust)) {}
    });
    stale_push.await.expect("whoever shows approvals is told");
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_of_skills_are_followed_as_the_settings_name_them() {
    let test_home = TestHome::new();
    let skill = test_home.root().join("shared/reader/hooks");
    let entry = r#"{"hooks": [{"name": "tone", "file": "tone.md", "timing": "after_user_input", "role": "system", "persistent": false}]}"#;
    write(&skill.join("hooks.json"), entry);
    write(&skill.join("tone.md"), "Be brief.");
    let (_app, open_project) = test_home.open_watched().await;
    let labels = || {
        open_project
            .snapshot()
            .all()
            .map(|hook| hook.label.clone())
            .collect::<Vec<_>>()
    };
    assert!(labels().is_empty());
    let folder = test_home.root().join("shared").display().to_string();
    write(
        &test_home.home.join("data/settings.toml"),
        format!("[watch]\nsettle_ms = 40\nskills_roots = [{folder:?}]\n"),
    );
    wait_until("the settings' skills are read", || labels() == ["tone"]).await;
    write(&skill.join("tone.md"), "Be kind.");
    let text = || match open_project.snapshot().all().next().map(|hook| hook.handler.clone()) {
        Some(hookwright_model::Handler::Insert { text }) => text,
        _ => String::new(),
    };
    wait_until("the text is read anew", || text() == "Be kind.").await;
}

/// Replaces a file by a rename. A watch that reads at any time finds the old text or the new one, never a part of it.
fn replace(path: &Path, text: &[u8]) {
    let new = path.with_extension("new");
    write(&new, text);
    fs::rename(new, path).unwrap();
}
