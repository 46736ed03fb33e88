use hookwright_model::{Handler, Source};
use serde_json::json;

use super::*;

const EVENT: &str = "pre_tool_execution";
const NONE: [usize; 0] = [];

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn now() -> ClockReading {
    ClockReading::wall(at("2026-01-15T10:30:00Z"))
}

fn clock() -> Clock {
    Clock::new(|| now().wall)
}

fn hook(index: usize, definition: &str) -> Hook {
    let handler = Handler::Shell {
        command: definition.to_owned(),
    };
    let mut hook = Hook::new("jcli", format!("jcli:user:{EVENT}:{index}"), EVENT, handler);
    hook.source.path = "/home/p/.jdata/agent/hooks.yaml".into();
    Hook {
        definition: json!({ "command": definition }),
        definition_text: definition.to_owned(),
        ..hook
    }
}

fn list(definitions: &[&str]) -> Vec<Hook> {
    definitions
        .iter()
        .enumerate()
        .map(|(index, definition)| hook(index, definition))
        .collect()
}

fn root(hook: &Hook) -> Root {
    Root::file(hook.source.layer, hook.source.path.clone(), hook.source.project.clone())
}

/// The indexes of the muted hooks in a list.
fn muted(mutes: &Mutes, list: &[Hook]) -> Vec<usize> {
    (0..list.len())
        .filter(|index| mutes.muted(&list[*index], list, &now()).is_some())
        .collect()
}

struct MuteSandbox {
    _dir: tempfile::TempDir,
    mutes: Mutes,
}

fn sandbox() -> MuteSandbox {
    let dir = tempfile::tempdir().unwrap();
    let (mutes, error) = Mutes::open(dir.path());
    assert!(error.is_none());
    MuteSandbox { _dir: dir, mutes }
}

fn orphaned(mutes: &Mutes, list: &[Hook], version: SourceVersion) -> Vec<String> {
    let place = root(&hook(0, ""));
    mutes
        .orphaned("jcli", &place, list, version, &now())
        .into_iter()
        .map(|mute| mute.hook)
        .collect()
}

#[test]
fn without_mutes_nothing_is_muted() {
    let MuteSandbox { mutes, .. } = &sandbox();
    assert_eq!(muted(mutes, &list(&["a", "b"])), NONE);
}

#[test]
fn a_mute_is_seen_by_other_programs_of_the_same_folder() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a", "b"]);
    mutes.mute(&[&hooks[1]], &hooks, None, &clock()).unwrap();
    let (other, _) = Mutes::open(mutes.path().parent().unwrap());
    assert_eq!(muted(&other, &hooks), [1]);
    other.unmute(&[&hooks[1]], &hooks, &clock()).unwrap();
    assert_eq!(muted(mutes, &hooks), [1]);
    mutes.reload().unwrap();
    assert_eq!(muted(mutes, &hooks), NONE);
}

#[test]
fn a_mute_ends_at_its_time() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a"]);
    let until = at("2026-01-15T11:00:00Z");
    mutes.mute(&[&hooks[0]], &hooks, Some(until), &clock()).unwrap();
    let mute = mutes
        .muted(&hooks[0], &hooks, &ClockReading::wall(at("2026-01-15T10:59:59Z")))
        .unwrap();
    assert_eq!(mute.time.until, Some(until));
    assert_eq!(mute.message(&now()).text, "muted until 2026-01-15T11:00:00Z");
    assert_eq!(mutes.muted(&hooks[0], &hooks, &ClockReading::wall(until)), None);
}

#[test]
fn muting_again_sets_the_new_time_and_drops_what_ended() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a", "b"]);
    mutes
        .mute(&[&hooks[1]], &hooks, Some(at("2026-01-15T10:00:00Z")), &clock())
        .unwrap();
    mutes
        .mute(&[&hooks[0]], &hooks, Some(at("2026-01-15T11:00:00Z")), &clock())
        .unwrap();
    mutes.mute(&[&hooks[0]], &hooks, None, &clock()).unwrap();
    let all = mutes.all();
    assert_eq!(all.mutes.len(), 1);
    assert_eq!(
        (all.mutes[0].hook.as_str(), all.mutes[0].time.until),
        (hooks[0].id.as_str(), None)
    );
}

#[test]
fn a_mute_stays_with_its_definition_when_hooks_are_added_above_it() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let before = list(&["a", "b"]);
    mutes.mute(&[&before[1]], &before, None, &clock()).unwrap();
    assert_eq!(muted(mutes, &list(&["new", "a", "b"])), [2]);
    assert_eq!(muted(mutes, &list(&["b"])), [0]);
    assert_eq!(
        orphaned(mutes, &list(&["new", "a", "b"]), SourceVersion::Current),
        Vec::<String>::new()
    );
}

#[test]
fn the_id_tells_equal_definitions_apart() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a", "a", "b", "a"]);
    mutes.mute(&[&hooks[1]], &hooks, None, &clock()).unwrap();
    assert_eq!(muted(mutes, &hooks), [1]);
}

#[test]
fn equal_definitions_that_all_moved_are_muted_as_often_as_before() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a", "a"]);
    mutes.mute(&[&hooks[0], &hooks[1]], &hooks, None, &clock()).unwrap();
    assert_eq!(muted(mutes, &list(&["new", "a", "a"])), [1, 2]);
    assert_eq!(muted(mutes, &list(&["new", "new", "a", "a", "a"])), [2, 3]);
}

#[test]
fn a_definition_of_another_list_is_not_meant() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a"]);
    mutes.mute(&[&hooks[0]], &hooks, None, &clock()).unwrap();
    let mut other = hook(0, "a");
    other.event = "post_tool_execution".to_owned();
    assert_eq!(mutes.muted(&other, [&other], &now()), None);
    let mut other = hook(0, "a");
    other.source.path = "/home/p/elsewhere/hooks.yaml".into();
    assert_eq!(mutes.muted(&other, [&other], &now()), None);
    let mut other = hook(0, "a");
    other.source.layer = Layer::Project;
    other.source.project = Some("/home/p/code".into());
    assert_eq!(mutes.muted(&other, [&other], &now()), None);
}

#[test]
fn a_hook_that_serves_several_events_is_muted_at_each() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let one = hook(0, "a");
    let mut two = hook(0, "a");
    two.event = "post_tool_execution".to_owned();
    let all = [one, two];
    mutes.mute(&[&all[0], &all[1]], &all, None, &clock()).unwrap();
    assert_eq!(muted(mutes, &all), [0, 1]);
    assert_eq!(mutes.unmute(&[&all[0], &all[1]], &all, &clock()).unwrap(), 2);
    assert_eq!(muted(mutes, &all), NONE);
    assert_eq!(mutes.unmute(&[&all[0]], &all, &clock()).unwrap(), 0);
}

#[test]
fn a_mute_without_its_definition_ends_once() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a", "b"]);
    mutes.mute(&[&hooks[1]], &hooks, None, &clock()).unwrap();
    let left = list(&["a", "changed"]);
    assert_eq!(orphaned(mutes, &left, SourceVersion::LastGood), Vec::<String>::new());
    assert_eq!(orphaned(mutes, &left, SourceVersion::Current), [hooks[1].id.clone()]);
    let missing = mutes.orphaned("jcli", &root(&hooks[0]), &left, SourceVersion::Current, &now());
    let (other, _) = Mutes::open(mutes.path().parent().unwrap());
    assert_eq!(mutes.remove_orphaned(&missing).unwrap(), missing);
    assert_eq!(other.remove_orphaned(&missing).unwrap(), []);
    let message = missing[0].mute_ended();
    assert!(
        message.text.contains(&hooks[1].id) && message.text.contains("hooks.yaml"),
        "{}",
        message.text
    );
    // A definition that is added again later is not muted.
    assert_eq!(muted(mutes, &hooks), NONE);
}

#[test]
fn removing_one_of_two_equal_definitions_ends_one_mute() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a", "a"]);
    mutes.mute(&[&hooks[0], &hooks[1]], &hooks, None, &clock()).unwrap();
    assert_eq!(
        orphaned(mutes, &list(&["a"]), SourceVersion::Current),
        [hooks[1].id.clone()]
    );
    assert_eq!(orphaned(mutes, &[], SourceVersion::Current).len(), 2);
}

#[test]
fn a_removed_file_ends_its_mutes_and_no_others() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a"]);
    let mut project = hook(0, "a");
    project.source.layer = Layer::Project;
    project.source.project = Some("/home/p/code".into());
    project.source.path = "/home/p/code/.jcli/hooks.yaml".into();
    mutes.mute(&[&hooks[0], &project], &hooks, None, &clock()).unwrap();
    let none: [&Hook; 0] = [];
    let orphaned = mutes.orphaned("jcli", &root(&project), none, SourceVersion::Current, &now());
    assert_eq!(orphaned.len(), 1);
    assert_eq!(orphaned[0].project.as_deref(), Some(Path::new("/home/p/code")));
}

#[test]
fn a_mute_that_ended_is_not_reported_as_orphaned() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a"]);
    mutes
        .mute(&[&hooks[0]], &hooks, Some(at("2026-01-15T10:00:00Z")), &clock())
        .unwrap();
    assert_eq!(orphaned(mutes, &[], SourceVersion::Current), Vec::<String>::new());
}

#[test]
fn a_broken_file_mutes_nothing_is_named_and_stays() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("mutes.json");
    std::fs::write(&path, "{\"mutes\": [}").unwrap();
    let (mutes, error) = Mutes::open(dir.path());
    let error = error.unwrap().to_string();
    assert!(error.contains("mutes.json:1:12"), "{error}");
    let hooks = list(&["a"]);
    assert_eq!(muted(&mutes, &hooks), NONE);
    assert!(mutes.mute(&[&hooks[0]], &hooks, None, &clock()).is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"mutes\": [}");
}

#[test]
fn a_file_that_breaks_while_we_run_mutes_nothing_from_then_on() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a"]);
    mutes.mute(&[&hooks[0]], &hooks, None, &clock()).unwrap();
    std::fs::write(mutes.path(), "oops").unwrap();
    assert!(mutes.reload().is_err());
    assert_eq!(muted(mutes, &hooks), NONE);
}

#[cfg(unix)]
#[test]
fn the_way_a_project_is_reached_makes_no_difference() {
    let MuteSandbox { _dir: dir, mutes } = &sandbox();
    let real = dir.path().join("real");
    std::fs::create_dir(&real).unwrap();
    std::fs::write(real.join("hooks.yaml"), "").unwrap();
    std::os::unix::fs::symlink(&real, dir.path().join("link")).unwrap();
    let through = |folder: &Path| {
        let mut hook = hook(0, "a");
        hook.source.layer = Layer::Project;
        hook.source.project = Some(folder.to_owned());
        hook.source.path = folder.join("hooks.yaml");
        hook
    };
    let (link, real) = (through(&dir.path().join("link")), through(&real));
    mutes.mute(&[&link], [&link], None, &clock()).unwrap();
    assert!(mutes.muted(&real, [&real], &now()).is_some());
}

#[test]
fn a_mute_of_an_earlier_version_is_active() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a"]);
    mutes.mute(&[&hooks[0]], &hooks, None, &clock()).unwrap();
    let text = std::fs::read_to_string(mutes.path()).unwrap();
    let print = format!("blake3:{}", blake3::hash(b"a").to_hex());
    std::fs::write(mutes.path(), text.replace(&print, "a")).unwrap();
    let (again, _) = Mutes::open(mutes.path().parent().unwrap());
    assert!(again.muted(&hooks[0], &hooks, &now()).is_some());
}

#[test]
fn the_file_has_the_fields_of_the_contract() {
    let MuteSandbox { mutes, .. } = &sandbox();
    let hooks = list(&["a"]);
    mutes
        .mute(&[&hooks[0]], &hooks, Some(at("2026-01-15T11:00:00Z")), &clock())
        .unwrap();
    let file: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(mutes.path()).unwrap()).unwrap();
    assert_eq!(
        file,
        json!({ "version": 1, "mutes": [{
            "project": null, "dialect": "jcli", "layer": "user", "path": "/home/p/.jdata/agent/hooks.yaml",
            "event": EVENT, "definition": format!("blake3:{}", blake3::hash(b"a").to_hex()), "hook": hooks[0].id, "until": "2026-01-15T11:00:00Z",
            "set": { "wall": "2026-01-15T10:30:00Z" }
        }] })
    );
}

/// A module before its hooks are known, and two callbacks of it.
fn module() -> (Hook, Vec<Hook>) {
    let callback = |event: &str, key: &str, callback: Option<&str>| Hook {
        id: format!("qoder:user:{event}:module{key}"),
        dialect: "qoder",
        event: event.to_owned(),
        handler: Handler::Module {
            path: "/home/p/.qoder/hooks.py".into(),
            callback: callback.map(str::to_owned),
            content: String::new(),
        },
        source: Source {
            path: "/home/p/.qoder/hooks.py".into(),
            ..hook(0, "").source
        },
        ..hook(0, "hooks.py")
    };
    let known = vec![
        callback("Stop", ".0.0", Some("hook_0")),
        callback("Stop", ".0.1", Some("hook_1")),
    ];
    (callback(EVERY_EVENT, "", None), known)
}

#[test]
fn a_module_stays_muted_once_its_hooks_are_known() {
    let MuteSandbox { mutes, _dir } = sandbox();
    let (whole, known) = module();
    mutes.mute(&[&whole], [&whole], None, &clock()).unwrap();
    assert_eq!(muted(&mutes, std::slice::from_ref(&whole)), [0]);
    assert_eq!(muted(&mutes, &known), [0, 1]);
    let orphaned = |list: &[Hook]| {
        mutes
            .orphaned("qoder", &root(&whole), list, SourceVersion::Current, &now())
            .len()
    };
    assert_eq!((orphaned(&known), orphaned(&[])), (0, 1));

    assert_eq!(mutes.unmute(&[&known[0]], &known, &clock()).unwrap(), 1);
    assert_eq!(muted(&mutes, &known), [1], "the other one is muted as before");
    mutes.mute(&[&known[0]], &known, None, &clock()).unwrap();
    assert_eq!(muted(&mutes, &known), [0, 1]);
}

/// A reading of a machine that runs for this many minutes, with a wall clock that is wrong by some days.
fn after(minutes: i64, days_wrong: i64) -> ClockReading {
    ClockReading {
        wall: now().wall + jiff::SignedDuration::from_mins(minutes) + jiff::SignedDuration::from_hours(24 * days_wrong),
        uptime: Some(hookwright_model::Uptime {
            boot: "a".to_owned(),
            ms: minutes * 60_000,
        }),
    }
}

fn half_an_hour_from(set: &ClockReading) -> MuteTime {
    MuteTime::set(Some(set.wall + jiff::SignedDuration::from_mins(30)), set)
}

#[test]
fn a_mute_ends_after_the_time_that_really_passed() {
    for days_wrong in [0, 1, 60, 3650] {
        let time = half_an_hour_from(&after(0, days_wrong));
        assert!(time.is_active(&after(29, days_wrong)), "{days_wrong}");
        assert!(!time.is_active(&after(30, days_wrong)), "{days_wrong}");
    }
    // A jump of the clock does not end it early.
    let time = half_an_hour_from(&after(0, 0));
    assert!(time.is_active(&after(29, 60)));
    assert!(!time.is_active(&after(30, 60)));
    assert_eq!(time.ends_at(&after(10, 60)), Some(after(30, 60).wall));
}

#[test]
fn a_mute_that_was_set_while_the_clock_was_ahead_does_not_hold_for_as_long() {
    let time = half_an_hour_from(&after(0, 3650));
    assert!(!time.is_active(&after(1, 0)));
    // After a restart of the machine only the wall clock is known.
    assert!(!time.is_active(&now()));
}

#[test]
fn a_small_correction_of_the_clock_ends_no_mute() {
    let time = half_an_hour_from(&now());
    let earlier = ClockReading::wall(now().wall - jiff::SignedDuration::from_hours(2));
    assert!(time.is_active(&earlier));
}

#[test]
fn ended_mutes_stay_in_the_file_while_the_clock_cannot_be_believed() {
    let folder = tempfile::tempdir().unwrap();
    let (mutes, _) = Mutes::open(folder.path());
    let hooks = list(&["a", "b"]);
    let until = Some(at("2026-01-15T10:00:00Z"));
    mutes.mute(&[&hooks[0]], &hooks, until, &clock()).unwrap();
    let ahead = clock().with_ages(|now| Ages::Wait {
        until: now.wall,
        jump: None,
    });
    mutes.mute(&[&hooks[1]], &hooks, None, &ahead).unwrap();
    assert_eq!(mutes.all().mutes.len(), 2);
    mutes.unmute(&[&hooks[1]], &hooks, &clock()).unwrap();
    assert!(mutes.all().mutes.is_empty());
}
