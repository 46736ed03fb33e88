//! Tests with special files: a pipe, a socket, an endless device, a huge file, a folder in the place of a file. Every
//! command must end and report the file.

use std::fs::File;

use hookwright_testkit::Sandbox;
use serde_json::{Value, json};

use crate::jcli::codes;

const SPECIAL_FILES: [fn(&Sandbox, &str); 3] = [pipe, endless, huge];

fn path_with_folder(sandbox: &Sandbox, inside: &str) -> std::path::PathBuf {
    let path = sandbox.path(inside);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    path
}

fn pipe(sandbox: &Sandbox, inside: &str) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path_with_folder(sandbox, inside), FileType::Fifo, Mode::RWXU, 0).unwrap();
}

fn endless(sandbox: &Sandbox, inside: &str) {
    std::os::unix::fs::symlink("/dev/zero", path_with_folder(sandbox, inside)).unwrap();
}

fn huge(sandbox: &Sandbox, inside: &str) {
    File::create(path_with_folder(sandbox, inside))
        .unwrap()
        .set_len(10 << 30)
        .unwrap();
}

fn socket(sandbox: &Sandbox, inside: &str) {
    drop(std::os::unix::net::UnixListener::bind(path_with_folder(sandbox, inside)).unwrap());
}

fn folder(sandbox: &Sandbox, inside: &str) {
    std::fs::create_dir_all(sandbox.path(inside)).unwrap();
}

/// Places in the data folder that commands read or write, in groups: within a group no place hides another one.
const DATA_PLACES: [&[&str]; 4] = [
    &[
        "edit.lock",
        "edits/01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "edits/01ARZ3NDEKTSV4RRFFQ69G5FAW.pending",
        "trash/01ARZ3NDEKTSV4RRFFQ69G5FAV/x",
        "turned_off/01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "turned_off/01ARZ3NDEKTSV4RRFFQ69G5FAW.ended",
        "fixtures/jcli/stop/a.json",
        "cache/greetings/a.json",
        "cache/modules/a.json",
        "run/endpoint",
        "run/control.sock",
        "spool/a.new",
        "spool/a.jsonl",
        "spool/a.jsonl.unread",
    ],
    &[
        "settings.toml",
        "trust.json",
        "trust.json.lock",
        "mutes.json",
        "mutes.json.lock",
        "history.db-wal",
        "history.db-shm",
    ],
    &["history.lock", "history.db"],
    &[
        "edits",
        "trash",
        "turned_off",
        "approved",
        "fixtures",
        "cache",
        "run",
        "spool",
    ],
];

/// Runs the commands that read or write the data folder, with special files in all places of a group. `Sandbox` fails
/// the test if one of them does not end.
fn assert_every_command_ends_with(kind: fn(&Sandbox, &str)) {
    for places in DATA_PLACES {
        let sandbox = Sandbox::new();
        sandbox.write("project/.jcli/hooks.yaml", "stop:\n  - {command: 'true', timeout: 1}\n");
        for place in places {
            kind(&sandbox, &format!("data/{place}"));
        }
        let hook = "jcli:project:stop:0";
        let add = r#"{"command": "true"}"#;
        for command in [
            &["list"][..],
            &["fire", "--dialect", "jcli", "--event", "stop"],
            &["history"],
            &["trust", "--all"],
            &["mute", hook],
            &[
                "add",
                "--dialect",
                "jcli",
                "--event",
                "stop",
                "--layer",
                "user",
                "--definition",
                add,
            ],
            &["turn-off", hook],
            &["undo", "--list"],
            &["undo"],
            &["agents"],
        ] {
            let code = sandbox.run(command).code();
            assert!((0..=2).contains(&code), "{command:?} {places:?}: {code}");
        }
    }
}

#[test]
fn every_command_ends_with_pipes_in_the_data_folder() {
    assert_every_command_ends_with(pipe);
}

#[test]
fn every_command_ends_with_sockets_in_the_data_folder() {
    assert_every_command_ends_with(socket);
}

#[test]
fn every_command_ends_with_endless_devices_in_the_data_folder() {
    assert_every_command_ends_with(endless);
}

#[test]
fn every_command_ends_with_folders_in_the_place_of_files_of_the_data_folder() {
    assert_every_command_ends_with(folder);
}

/// Runs the commands that read hooks. `Sandbox` fails the test if one of them does not end. Returns the document of
/// `list`.
#[track_caller]
fn assert_every_command_ends(sandbox: &Sandbox, dialect: &str, event: &str) -> Value {
    let listed = sandbox.run(["list", "--json"]).assert_exit(0).json();
    assert!(sandbox.run(["check"]).code() <= 1);
    sandbox.run(["trust", "--list"]).assert_exit(0);
    for row in listed["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["layer"] == "project")
    {
        sandbox.run(["trust", row["hook"].as_str().unwrap()]);
    }
    let payload = json!({"enabled_skills": ["odd"]}).to_string();
    let payload = if dialect == "skill" { payload } else { "{}".to_owned() };
    let args = [
        "fire",
        "--dialect",
        dialect,
        "--event",
        event,
        "--payload",
        "-",
        "--json",
    ];
    assert!(sandbox.run_with(payload, args).json()["steps"].is_array());
    listed
}

#[test]
fn every_command_ends_with_a_special_file_as_the_text_of_a_skill() {
    for kind in SPECIAL_FILES {
        let sandbox = Sandbox::new();
        let entry = json!({"name": "a", "file": "text.md", "timing": "after_user_input", "role": "system"});
        for root in ["project/skills/odd", "home/.jdata/agent/skills/odd"] {
            sandbox.write(
                &format!("{root}/hooks/hooks.json"),
                json!({"hooks": [entry]}).to_string(),
            );
            kind(&sandbox, &format!("{root}/hooks/text.md"));
        }
        assert_every_command_ends(&sandbox, "skill", "after_user_input");
    }
}

#[test]
fn every_command_ends_with_a_special_file_as_a_qoder_module_or_its_neighbour() {
    for kind in SPECIAL_FILES {
        for file in ["hooks.py", "beside.py"] {
            let sandbox = Sandbox::new();
            for root in ["project/.qoder", "home/.qoder"] {
                sandbox.write(&format!("{root}/hooks.py"), "hooks = {}\n");
                if file == "hooks.py" {
                    std::fs::remove_file(sandbox.path(&format!("{root}/hooks.py"))).unwrap();
                }
                kind(&sandbox, &format!("{root}/{file}"));
            }
            assert_every_command_ends(&sandbox, "qoder", "Stop");
        }
    }
}

#[test]
fn every_command_ends_with_a_special_file_as_the_script_of_a_command() {
    for kind in SPECIAL_FILES {
        let sandbox = Sandbox::new();
        let hooks = "stop:\n  - {command: 'sh odd.sh', timeout: 1}\n";
        sandbox.write("project/.jcli/hooks.yaml", hooks);
        kind(&sandbox, "project/odd.sh");
        assert_every_command_ends(&sandbox, "jcli", "stop");
        sandbox
            .run(["trust", "jcli:project:stop:0"])
            .assert_exit(1)
            .assert_output("odd.sh")
            .assert_output(" covered");
        let hooks = "stop:\n  - {command: 'true # ~/odd.sh'}\n  - {command: 'test -e ~/odd.sh'}\n";
        sandbox.write("home/.jdata/agent/hooks.yaml", hooks);
        kind(&sandbox, "home/odd.sh");
        assert_every_command_ends(&sandbox, "jcli", "stop");
    }
}

#[test]
fn every_command_ends_with_a_special_file_as_the_script_of_agent_hooks() {
    for kind in SPECIAL_FILES {
        let sandbox = Sandbox::new();
        for root in ["project/.agents/hooks", "home/.config/agents/hooks"] {
            let text = "---\nname: odd\ndescription: d\ntrigger: before_stop\ntimeout: 1000\n---\n";
            sandbox.write(&format!("{root}/odd/HOOK.md"), text);
            kind(&sandbox, &format!("{root}/odd/scripts/run.sh"));
        }
        assert_every_command_ends(&sandbox, "agent-hooks", "before_stop");
    }
}

#[test]
fn every_command_ends_with_a_special_file_as_a_hook_file() {
    for kind in SPECIAL_FILES {
        let sandbox = Sandbox::new();
        kind(&sandbox, "project/.jcli/hooks.yaml");
        let listed = assert_every_command_ends(&sandbox, "jcli", "stop");
        let problems = codes(&listed).join(" ");
        let fits = ["error unreadable", "error file_outside", "error too_large"].contains(&problems.as_str());
        assert!(fits, "{listed:#}");
        let edit = [
            "add",
            "--dialect",
            "jcli",
            "--event",
            "stop",
            "--layer",
            "project",
            "--definition",
            "-",
        ];
        sandbox.run_with(r#"{"command": "true"}"#, edit).assert_exit(1);
    }
}

#[test]
fn a_change_of_a_file_too_large_to_read_needs_a_new_approval() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.jcli/hooks.yaml", "stop:\n  - command: 'true odd.sh'\n");
    huge(&sandbox, "project/odd.sh");
    sandbox.run(["trust", "--all"]).assert_exit(0);
    let fire = ["fire", "--dialect", "jcli", "--event", "stop", "--json"];
    assert_eq!(crate::jcli::outcomes(&sandbox.run(fire).json()), ["stop:0 no_opinion"]);
    File::options()
        .write(true)
        .open(sandbox.path("project/odd.sh"))
        .unwrap()
        .set_len(9 << 30)
        .unwrap();
    assert_eq!(
        crate::jcli::outcomes(&sandbox.run(fire).json()),
        ["stop:0 skipped:untrusted"]
    );
}
