//! The library follows the files, however they are changed (`engine.md` §9).
#![cfg(unix)]
#![expect(clippy::expect_used, reason = "a test fails where it stands")]

#[expect(dead_code, reason = "each test program uses what it needs")]
mod common;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use common::{World, codes, commands, hooks, list, shows, until, write};
use hookwright_app::dto::StateRequest;
use hookwright_app::library::{Ears, Live, Looked, Wanted, watch};
use hookwright_app::{Hosting, Push};

const ONE: &str = "./one.sh";
const TWO: &str = "./two.sh";

/// A project with hook one, watched, then `change`, then hook two is in force.
async fn follows(change: impl FnOnce(&World)) {
    let world = World::with_folder();
    write(&world.hooks_file(), hooks(&[ONE]));
    let (_app, desk) = world.watched().await;
    shows(&desk, &[ONE]).await;
    change(&world);
    let took = shows(&desk, &[TWO]).await;
    println!("seen after {took:?}, of which 40 ms settle");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_written_in_place_is_followed() {
    follows(|world| write(&world.hooks_file(), hooks(&[TWO]))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_replaced_by_rename_is_followed() {
    follows(|world| {
        let new = world.project.join(".jcli/.hooks.yaml.tmp");
        write(&new, hooks(&[TWO]));
        fs::rename(new, world.hooks_file()).unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_moved_to_a_backup_and_written_anew_is_followed() {
    follows(|world| {
        let file = world.hooks_file();
        fs::rename(&file, world.project.join(".jcli/hooks.yaml~")).unwrap();
        write(&file, hooks(&[TWO]));
        fs::remove_file(world.project.join(".jcli/hooks.yaml~")).unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_replaced_by_a_link_is_followed() {
    follows(|world| {
        write(&world.project.join("shared/hooks.yaml"), hooks(&[TWO]));
        fs::remove_file(world.hooks_file()).unwrap();
        symlink("../shared/hooks.yaml", world.hooks_file()).unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_target_of_a_linked_file_is_followed() {
    let world = World::with_folder();
    let target = world.project.join("deep/shared.yaml");
    write(&target, hooks(&[ONE]));
    symlink("../deep/shared.yaml", world.hooks_file()).unwrap();
    let (_app, desk) = world.watched().await;
    shows(&desk, &[ONE]).await;
    write(&target, hooks(&[TWO]));
    shows(&desk, &[TWO]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_folder_that_leads_elsewhere_is_followed() {
    let world = World::new();
    write(&world.home.join("dotfiles/a/agent/hooks.yaml"), hooks(&[ONE]));
    write(&world.home.join("dotfiles/b/agent/hooks.yaml"), hooks(&[TWO]));
    symlink("dotfiles/a", world.home.join(".jdata")).unwrap();
    let (_app, desk) = world.watched().await;
    shows(&desk, &[ONE]).await;
    fs::remove_file(world.home.join(".jdata")).unwrap();
    symlink("dotfiles/b", world.home.join(".jdata")).unwrap();
    shows(&desk, &[TWO]).await;
    // And from then on its new target is, under either name.
    write(&world.home.join("dotfiles/b/agent/hooks.yaml"), hooks(&[TWO, ONE]));
    shows(&desk, &[TWO, ONE]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_without_a_folder_gets_one_later() {
    let world = World::new();
    let (_app, desk) = world.watched().await;
    shows(&desk, &[]).await;
    write(&world.hooks_file(), hooks(&[ONE]));
    shows(&desk, &[ONE]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_persons_own_folder_may_come_later() {
    let world = World::new();
    let (_app, desk) = world.watched().await;
    write(&world.user_file(), hooks(&[ONE]));
    shows(&desk, &[ONE]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_between_the_project_and_its_owner_takes_over_when_it_comes() {
    let world = World::with_folder();
    write(&world.hooks_file(), hooks(&[ONE]));
    let inner = world.project.join("packages/inner");
    fs::create_dir_all(&inner).unwrap();
    let app = world.app(Hosting::Engine);
    let desk = app.desk(&inner).unwrap();
    shows(&desk, &[ONE]).await;
    let owner = |desk: &hookwright_app::Desk| {
        let snapshot = desk.snapshot();
        let hook = snapshot.all().next().cloned();
        hook.and_then(|hook| hook.source.project.clone())
    };
    assert_eq!(owner(&desk), Some(world.project.clone()));
    until("it is watched", || desk.live() == Live::Yes).await;
    write(&world.project.join("packages/.jcli/hooks.yaml"), hooks(&[TWO]));
    shows(&desk, &[TWO]).await;
    assert_eq!(owner(&desk), Some(world.project.join("packages")));
    fs::remove_dir_all(world.project.join("packages/.jcli")).unwrap();
    shows(&desk, &[ONE]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_removed_and_returns_is_followed() {
    let world = World::with_folder();
    write(&world.hooks_file(), hooks(&[ONE]));
    let (_app, desk) = world.watched().await;
    shows(&desk, &[ONE]).await;
    for round in 0..3 {
        fs::remove_file(world.hooks_file()).unwrap();
        shows(&desk, &[]).await;
        write(&world.hooks_file(), hooks(&[TWO]));
        shows(&desk, &[TWO]).await;
        fs::remove_dir_all(world.project.join(".jcli")).unwrap();
        shows(&desk, &[]).await;
        write(&world.hooks_file(), hooks(&[ONE]));
        shows(&desk, &[ONE]).await;
        // Gone and back before anybody could look.
        fs::remove_dir_all(world.project.join(".jcli")).unwrap();
        let again = format!("./again{round}.sh");
        write(&world.hooks_file(), hooks(&[&again]));
        shows(&desk, &[&again]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_that_is_renamed_away_and_back_is_followed() {
    let world = World::with_folder();
    write(&world.hooks_file(), hooks(&[ONE]));
    let (_app, desk) = world.watched().await;
    shows(&desk, &[ONE]).await;
    let away = world.root().join("away");
    fs::rename(&world.project, &away).unwrap();
    shows(&desk, &[]).await;
    write(&away.join(".jcli/hooks.yaml"), hooks(&[TWO]));
    fs::rename(&away, &world.project).unwrap();
    shows(&desk, &[TWO]).await;
    write(&world.hooks_file(), hooks(&[ONE, TWO]));
    shows(&desk, &[ONE, TWO]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_above_that_is_renamed_away_is_noticed() {
    let mut world = World::new();
    world.project = world.root().join("above/project");
    write(&world.hooks_file(), hooks(&[ONE]));
    let (_app, desk) = world.watched().await;
    shows(&desk, &[ONE]).await;
    fs::rename(world.root().join("above"), world.root().join("elsewhere")).unwrap();
    shows(&desk, &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_content_again_is_no_news() {
    let world = World::with_folder();
    write(&world.hooks_file(), hooks(&[ONE]));
    let (app, desk) = world.watched().await;
    shows(&desk, &[ONE]).await;
    let before = desk.snapshot();
    let mut pushes = app.subscribe();
    write(&world.hooks_file(), hooks(&[ONE]));
    // A second project's news come after whatever the first would have said.
    let other = world.root().join("other");
    fs::create_dir_all(other.join(".jcli")).unwrap();
    let second = app.desk(&other).unwrap();
    until("it is watched", || second.live() == Live::Yes).await;
    write(&other.join(".jcli/hooks.yaml"), hooks(&[TWO]));
    shows(&second, &[TWO]).await;
    desk.refresh();
    assert!(
        std::sync::Arc::ptr_eq(&before, &desk.snapshot()),
        "nothing was replaced"
    );
    until("the other's change is told", || {
        matches!(pushes.try_recv(), Ok(Push::Stale { .. }))
    })
    .await;
    assert!(pushes.try_recv().is_err(), "one change, one push");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_quick_saves_end_in_the_last_content() {
    let world = World::with_folder();
    let (_app, desk) = world.watched().await;
    for number in 0..1000 {
        let new = world.project.join(".jcli/new");
        write(&new, hooks(&[&format!("./number{number}.sh")]));
        fs::rename(new, world.hooks_file()).unwrap();
    }
    shows(&desk, &["./number999.sh"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_broken_while_edited_keeps_its_last_good_version() {
    let world = World::new();
    write(&world.user_file(), hooks(&[ONE]));
    let (app, desk) = world.watched().await;
    shows(&desk, &[ONE]).await;
    for broken in ["pre_send_message:\n  - command: [", "- a\n- b\n", "\u{0}"] {
        write(&world.user_file(), broken);
        until("the text is broken", || desk.snapshot().sources[0].last_good).await;
        let list = list(&app, &world.project).await;
        assert_eq!(list.hooks.len(), 1, "{broken:?}");
        assert!(list.hooks[0].valid && list.hooks[0].enabled);
        assert!(list.sources[0].last_good, "{broken:?}");
        assert!(!list.problems.is_empty());
        write(&world.user_file(), hooks(&[ONE]));
        until("it is well again", || {
            codes(&desk).iter().all(|code| code != "syntax") && !desk.snapshot().sources[0].last_good
        })
        .await;
    }
    write(&world.user_file(), hooks(&[TWO]));
    shows(&desk, &[TWO]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_entry_costs_only_itself() {
    let world = World::new();
    let text = "pre_send_message:\n  - command: ./one.sh\n  - command: ''\n  - {type: nothing}\nstop:\n  - command: ./two.sh\n";
    write(&world.user_file(), text);
    let app = world.app(Hosting::OneShot);
    let list = list(&app, &world.project).await;
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
async fn what_cannot_be_read_is_said_and_read_once_it_can_be() {
    let world = World::new();
    let large = format!("{}#{}", hooks(&[ONE]), "x".repeat(1 << 20));
    let cases: [(&str, &[u8]); 2] = [("too_large", large.as_bytes()), ("unreadable", b"stop: \xff\n")];
    let (_app, desk) = world.watched().await;
    for (code, text) in cases {
        write(&world.user_file(), text);
        until(code, || codes(&desk).contains(&code.to_owned())).await;
        assert_eq!(commands(&desk.snapshot()), [""; 0]);
        assert!(!desk.snapshot().sources[0].last_good, "there never was a good one");
    }
    write(&world.user_file(), format!("\u{feff}{}", hooks(&[ONE])));
    shows(&desk, &[ONE]).await;
    let mode = fs::Permissions::from_mode(0o000);
    fs::set_permissions(world.user_file(), mode).unwrap();
    if fs::read(world.user_file()).is_err() {
        until("it is unreadable", || codes(&desk).contains(&"unreadable".to_owned())).await;
        assert!(desk.snapshot().sources[0].last_good);
        assert_eq!(commands(&desk.snapshot()), [ONE]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_or_a_dead_link_in_the_place_of_the_file_is_unreadable() {
    let world = World::with_folder();
    fs::create_dir(world.hooks_file()).unwrap();
    let (_app, desk) = world.watched().await;
    assert_eq!(codes(&desk), ["unreadable"]);
    fs::remove_dir(world.hooks_file()).unwrap();
    symlink("nowhere.yaml", world.hooks_file()).unwrap();
    until("the link is looked at", || codes(&desk) == ["unreadable"]).await;
    write(&world.project.join(".jcli/nowhere.yaml"), hooks(&[ONE]));
    shows(&desk, &[ONE]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_of_a_project_must_end_inside_it() {
    let world = World::with_folder();
    let outside = world.root().join("outside");
    write(&outside.join("hooks.yaml"), hooks(&[ONE]));
    symlink(outside.join("hooks.yaml"), world.hooks_file()).unwrap();
    let (_app, desk) = world.watched().await;
    assert_eq!(codes(&desk), ["file_outside"]);
    assert_eq!(commands(&desk.snapshot()), [""; 0]);
    fs::remove_dir_all(world.project.join(".jcli")).unwrap();
    until("it is gone", || codes(&desk).is_empty()).await;
    symlink(&outside, world.project.join(".jcli")).unwrap();
    until("the folder leads out", || codes(&desk) == ["file_outside"]).await;
    fs::remove_file(world.project.join(".jcli")).unwrap();
    write(&world.project.join("config/hooks.yaml"), hooks(&[TWO]));
    symlink("config", world.project.join(".jcli")).unwrap();
    shows(&desk, &[TWO]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_of_a_person_may_lead_anywhere() {
    let world = World::new();
    let outside = world.root().join("outside/hooks.yaml");
    write(&outside, hooks(&[ONE]));
    fs::create_dir_all(world.home.join(".jdata/agent")).unwrap();
    symlink(&outside, world.user_file()).unwrap();
    let (_app, desk) = world.watched().await;
    shows(&desk, &[ONE]).await;
    write(&outside, hooks(&[TWO]));
    shows(&desk, &[TWO]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_projects_share_one_watcher() {
    let world = World::new();
    let app = world.app(Hosting::Engine);
    let mut desks = Vec::new();
    // More than the watchers that a system hands out to one person.
    for number in 0..200 {
        let project = world.root().join(format!("many/{number}"));
        write(&project.join(".jcli/hooks.yaml"), hooks(&[ONE]));
        desks.push((app.desk(&project).unwrap(), project));
    }
    for (desk, _) in &desks {
        until("each is watched", || desk.live() == Live::Yes).await;
    }
    for (_, project) in desks.iter().step_by(20) {
        write(&project.join(".jcli/hooks.yaml"), hooks(&[TWO]));
    }
    for (number, (desk, _)) in desks.iter().enumerate() {
        shows(desk, if number % 20 == 0 { &[TWO] } else { &[ONE] }).await;
    }
    write(&world.user_file(), hooks(&["./mine.sh"]));
    for (number, (desk, _)) in desks.iter().enumerate() {
        shows(desk, &["./mine.sh", if number % 20 == 0 { TWO } else { ONE }]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_do_beside_the_places_wakes_nobody() {
    let world = World::with_folder();
    let looks = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = looks.clone();
    let wanted = Wanted {
        places: vec![world.hooks_file()],
        signs: Vec::new(),
        folders: Vec::new(),
    };
    let settle = std::time::Duration::from_millis(20);
    let ears = std::sync::Arc::<Ears>::default();
    let _watching = watch(
        &ears,
        settle,
        move || wanted.clone(),
        move |_, _| {
            counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            Looked::Read
        },
    );
    let count = || looks.load(std::sync::atomic::Ordering::SeqCst);
    until("it looked first", || count() > 0).await;
    until("it came to rest", {
        let before = std::cell::Cell::new((usize::MAX, std::time::Instant::now()));
        move || {
            let (number, since) = before.get();
            if number != count() {
                before.set((count(), std::time::Instant::now()));
            }
            number == count() && since.elapsed() > settle * 5
        }
    })
    .await;
    let before = count();
    for number in 0..50 {
        write(&world.project.join(format!("noise{number}")), "x");
        write(&world.project.join(format!(".jcli/noise{number}")), "x");
    }
    write(&world.hooks_file(), hooks(&[ONE]));
    until("the file itself is heard", || count() > before).await;
    assert!(count() - before < 10, "{} looks", count() - before);
}

/// Waits until the desk has hooks of exactly these names.
async fn named(desk: &hookwright_app::Desk, wanted: &[&str]) {
    until(&format!("{wanted:?} are in force"), || {
        desk.snapshot().all().map(|hook| hook.label.clone()).collect::<Vec<_>>() == wanted
    })
    .await;
}

fn hook_md(name: &str) -> String {
    format!("---\nname: {name}\ndescription: d\ntrigger: before_tool\n---\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_folder_is_seen_when_it_comes_changes_and_goes() {
    let world = World::new();
    let place = world.project.join(".agents/hooks");
    let user = world.home.join(".config/agents/hooks");
    fs::create_dir_all(&place).unwrap();
    let (_app, desk) = world.watched().await;
    until("changes are heard of", || desk.live() == Live::Yes).await;
    write(&place.join("first/HOOK.md"), hook_md("first"));
    named(&desk, &["first"]).await;
    // A folder that was put together elsewhere comes whole.
    write(&world.root().join("made/HOOK.md"), hook_md("moved"));
    fs::rename(world.root().join("made"), place.join("moved")).unwrap();
    named(&desk, &["first", "moved"]).await;
    // The person's place, of which no folder is there yet.
    write(&user.join("mine/HOOK.md"), hook_md("mine"));
    named(&desk, &["mine", "first", "moved"]).await;
    write(&place.join("first/HOOK.md"), hook_md("renamed"));
    named(&desk, &["mine", "renamed", "moved"]).await;
    fs::remove_dir_all(place.join("first")).unwrap();
    named(&desk, &["mine", "moved"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_comes_or_gets_its_bit_is_seen() {
    let world = World::new();
    let folder = world.project.join(".agents/hooks/gate");
    write(&folder.join("HOOK.md"), hook_md("gate"));
    let (_app, desk) = world.watched().await;
    let has = |code: &'static str| {
        let desk = desk.clone();
        move || codes(&desk).contains(&code.to_owned())
    };
    until("there is no script", has("entry_missing")).await;
    write(&folder.join("scripts/run.sh"), "#!/bin/sh\nexit 0\n");
    until("it cannot be executed", has("entry_not_executable")).await;
    fs::set_permissions(folder.join("scripts/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    until("all is well", || codes(&desk).is_empty()).await;
}

#[tokio::test]
async fn a_state_is_told_once_it_is_known_whether_changes_are_heard() {
    let world = World::new();
    let app = world.app(Hosting::Engine);
    let desk = app.desk(&world.project).unwrap();
    assert_eq!(desk.live(), Live::NotYet);
    let state = app.state(StateRequest { project: None }).await.unwrap();
    assert_eq!((state.watching.live, desk.live()), (true, Live::Yes));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_comes_into_a_hooks_folder_is_news_for_its_approval() {
    let world = World::new();
    let folder = world.project.join(".agents/hooks/gate");
    write(&folder.join("HOOK.md"), hook_md("gate"));
    let (app, desk) = world.watched().await;
    until("changes are heard of", || desk.live() == Live::Yes).await;
    named(&desk, &["gate"]).await;
    let mut pushes = app.subscribe();
    write(&folder.join("words.txt"), "x");
    let told = tokio::time::timeout(std::time::Duration::from_secs(20), async {
        while !matches!(pushes.recv().await, Ok(Push::Stale { .. })) {}
    });
    told.await.expect("whoever shows approvals is told");
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_of_skills_are_followed_as_the_settings_name_them() {
    let world = World::new();
    let skill = world.root().join("shared/reader/hooks");
    let entry = r#"{"hooks": [{"name": "tone", "file": "tone.md", "timing": "after_user_input", "role": "system", "persistent": false}]}"#;
    write(&skill.join("hooks.json"), entry);
    write(&skill.join("tone.md"), "Be brief.");
    let (_app, desk) = world.watched().await;
    let labels = || desk.snapshot().all().map(|hook| hook.label.clone()).collect::<Vec<_>>();
    assert!(labels().is_empty());
    let folder = world.root().join("shared").display().to_string();
    write(
        &world.home.join("data/settings.toml"),
        format!("[watch]\nsettle_ms = 40\nskills_roots = [{folder:?}]\n"),
    );
    until("the settings' skills are read", || labels() == ["tone"]).await;
    write(&skill.join("tone.md"), "Be kind.");
    let text = || match desk.snapshot().all().next().map(|hook| hook.handler.clone()) {
        Some(hookwright_model::Handler::Insert { text }) => text,
        _ => String::new(),
    };
    until("the text is read anew", || text() == "Be kind.").await;
}
