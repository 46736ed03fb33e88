//! A command written otherwise covers the same, or says what it does not cover (`engine.md` §3).
#![cfg(unix)]
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails where it stands")]

#[expect(dead_code, reason = "each test program uses what it needs")]
mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{World, hooks, load, write};
use hookwright_app::trust::Content;
use hookwright_app::trust::covered::{self, Machine, other_from};
use hookwright_app::trust::disk::DiskCache;
use hookwright_app::{App, Hosting, Surroundings, wall_clock};
use hookwright_model::Hook;
use serde_json::json;

struct Stage {
    world: World,
    app: Arc<App>,
}

impl Stage {
    fn with(files: &[&str]) -> Self {
        let world = World::with_folder();
        let app = world.app(Hosting::OneShot);
        let stage = Self { world, app };
        files.iter().for_each(|file| stage.put(file, "true\n"));
        stage
    }

    fn put(&self, path: &str, text: &str) {
        write(&self.world.project.join(path), text);
    }

    fn hook(&self) -> Arc<Hook> {
        let snapshot = load(&self.app, &self.world.project);
        snapshot.all().next().expect("there is a hook").clone()
    }

    fn content(&self, command: &str) -> Arc<Content> {
        write(&self.world.hooks_file(), hooks(&[command]));
        self.app.trust.content(&self.hook())
    }

    fn entry(&self, entry: serde_json::Value) -> Arc<Content> {
        let mut entry = entry;
        entry["type"] = "command".into();
        self.put(
            ".qoder/settings.json",
            &json!({"hooks": {"Stop": [{"hooks": [entry]}]}}).to_string(),
        );
        self.app.trust.content(&self.hook())
    }

    fn covered(&self, command: &str) -> BTreeSet<String> {
        names(&self.world.project, &self.content(command))
    }

    /// The places whose state decides what is covered.
    fn looked(&self) -> BTreeSet<PathBuf> {
        let hook = self.hook();
        let card = hookwright_dialects::find(hook.dialect).unwrap().card();
        let machine = Machine {
            home: &self.world.home,
            path: &[],
            disk: &DiskCache::default(),
        };
        let names = covered::names(&hook, card, machine, &self.world.project);
        names.looked.expect("it is known")
    }

    /// What a run from a folder of the project would meet instead of what is approved.
    fn instead(&self, command: &str, folder: &str) -> Option<String> {
        write(&self.world.hooks_file(), hooks(&[command]));
        let project = &self.world.project;
        let card = hookwright_dialects::find("jcli").unwrap().card();
        let machine = Machine {
            home: &self.world.home,
            path: &[PathBuf::from("bin"), PathBuf::from("/usr/bin")],
            disk: &DiskCache::default(),
        };
        let other = other_from(&self.hook(), card, machine, project, &project.join(folder));
        other.map(|other| other.found.strip_prefix(project).unwrap().display().to_string())
    }
}

fn names(project: &Path, content: &Content) -> BTreeSet<String> {
    let name = |path: &PathBuf| path.strip_prefix(project).unwrap_or(path).display().to_string();
    content.files.iter().map(|file| name(&file.path)).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn says(content: &Content, code: &str) -> bool {
    content.names.not_covered.iter().any(|words| words.code == code)
}

#[test]
fn the_value_of_an_option_never_stands_in_for_the_script() {
    let stage = Stage::with(&["hooks/guard", "pipefail/x", "errexit", "dev/x", "foo/x", "data.json"]);
    for command in [
        "bash -euo pipefail hooks/guard",
        "sh -o errexit hooks/guard",
        "python3 -X dev hooks/guard data.json",
        "node --title foo hooks/guard data.json",
        "sh - hooks/guard",
    ] {
        assert_eq!(stage.covered(command), set(&["hooks/guard"]), "{command}");
    }
    assert_eq!(
        stage.covered("tclsh -unknown errexit hooks/guard"),
        set(&["errexit", "hooks/guard"]),
        "either may be the script"
    );
}

#[test]
fn a_name_that_leads_elsewhere_from_the_directory_is_met_there() {
    let stage = Stage::with(&[
        "hooks/guard",
        "sub/pipefail/x",
        "sub/hooks/guard",
        "notes.txt",
        "sub/notes.txt",
        "sub/deep/x",
        "sub/package.json",
        "package.json",
        "bin/lint",
        "sub/bin/lint",
        "sub/only.txt",
    ]);
    for file in ["bin/lint", "sub/bin/lint"] {
        let place = stage.world.project.join(file);
        fs::set_permissions(place, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for (command, folder, found) in [
        ("bash -euo pipefail hooks/guard", "sub", Some("sub/hooks/guard")),
        ("cat notes.txt", "sub", Some("sub/notes.txt")),
        ("tee log <notes.txt | sh", "sub", Some("sub/notes.txt")),
        ("bash -c 'sh ~+/hooks/guard'", "sub", Some("sub/hooks/guard")),
        ("npm run guard", "sub/deep", Some("sub/package.json")),
        ("lint", "sub", Some("sub/bin/lint")),
        ("cat sub/notes.txt; cat notes.txt", "sub", Some("sub/notes.txt")),
        ("cat only.txt", "sub", None),
        ("sh hooks/guard", "sub/deep", None),
        ("echo x > notes.txt", "sub", None),
    ] {
        assert_eq!(stage.instead(command, folder).as_deref(), found, "{command}");
    }
}

#[test]
fn what_is_read_by_convention_is_found_above_too() {
    let stage = Stage::with(&[
        "a/b/x",
        "a/package.json",
        "a/JustFile",
        "a/Taskfile.dist.yaml",
        "Makefile",
        "a/Rakefile",
    ]);
    for (command, files) in [
        ("cd a/b && npm run guard", &["a/package.json#scripts"][..]),
        ("cd a/b && just guard", &["a/JustFile"]),
        ("cd a/b && task guard", &["a/Taskfile.dist.yaml"]),
        ("cd a/b && rake guard", &["a/Rakefile"]),
        ("cd a && make guard", &["Makefile"]),
    ] {
        assert_eq!(stage.covered(command), set(files), "{command}");
    }
}

#[test]
fn sources_behind_a_program_that_starts_another_are_data() {
    let stage = Stage::with(&["src/a.js", "src/b.py", "tests/c.py"]);
    for command in [
        "npx -y eslint src",
        "uv run -q mypy src",
        "env -i mypy src",
        "docker exec -it src ls",
        "timeout -k 5 10 eslint src",
        "bun test src",
        "git ls-files src | xargs -r wc src",
        "python3 -m pytest tests",
    ] {
        assert_eq!(stage.covered(command), set(&[]), "{command}");
    }
    assert_eq!(
        stage.covered("python3 tests"),
        set(&["tests/c.py"]),
        "a folder as a script"
    );
    stage.put("hooks/a", "true\n");
    for command in [
        "bash \"${JCLI_CWD:-.}/hooks/a\"",
        "python3 \"${JCLI_CWD:-$(pwd)}/hooks/a\"",
        "python3 \"${A:-${JCLI_CWD}}/hooks/a\"",
        "env FOO=\"$JCLI_CWD\" python3 hooks/a",
    ] {
        assert_eq!(
            stage.covered(command),
            set(&["hooks/a"]),
            "the folder before a name is none: {command}"
        );
    }
}

#[test]
fn a_runner_counts_however_it_is_written() {
    let stage = Stage::with(&["Makefile", "package.json", "hooks/evil.js", "tools/evil.py", "evil"]);
    for (command, file) in [
        ("${MAKE:-make} -s guard", "Makefile"),
        ("\"${NPM:-npm}\" run -s guard", "package.json#scripts"),
        ("${NODE:-node} hooks/evil", "hooks/evil.js"),
        ("\"${PYTHON:-python3}\" -m tools.evil", "tools/evil.py"),
        ("env '-Smake -s guard'", "Makefile"),
        ("env --split-string='make -s guard'", "Makefile"),
        ("env '-Ssh evil'", "evil"),
        ("script -qc'make -s guard' /dev/null", "Makefile"),
        ("git -c alias.x='!make -s guard' x", "Makefile"),
        ("awk 'BEGIN{\"make -s guard\"|getline}'", "Makefile"),
        ("perl -e 'system\"make -s guard\"'", "Makefile"),
        ("${D-.} ./evil", "evil"),
        ("make -sf evil", "evil"),
    ] {
        assert!(stage.covered(command).contains(file), "{command}");
    }
    drop(fs::remove_file(stage.world.hooks_file()));
    for (entry, file) in [
        (json!({"command": "$X", "env": {"X": "make -s guard"}}), "Makefile"),
        (json!({"command": "$X -s guard", "env": {"X": "make"}}), "Makefile"),
        (
            json!({"command": "$PY -m tools.evil", "env": {"PY": "python3"}}),
            "tools/evil.py",
        ),
        (
            json!({"command": "$N hooks/evil", "env": {"N": "node"}}),
            "hooks/evil.js",
        ),
        (json!({"command": "env", "args": ["-Smake -s guard"]}), "Makefile"),
    ] {
        let content = stage.entry(entry.clone());
        assert!(names(&stage.world.project, &content).contains(file), "{entry}");
    }
}

#[test]
fn values_that_only_the_run_knows_are_told() {
    let stage = Stage::with(&["evil.sh"]);
    for command in [
        "Y=evil; sh ${Y:-other}.sh",
        "sh ${Y:=evil}.sh",
        "sh ev${HOME+}il.sh",
        "sh ${HOME:+evil}.sh",
        "sh ev${JCLI_CWD#\"$JCLI_CWD\"}il.sh",
        "sh ${PWD/#$PWD/sub}/evil.sh",
        "sh ev$!il.sh",
        "sh evil$#.sh",
        "sh evil$?.sh",
        "sh evil${#X}.sh",
        "sh ~+/evil.sh",
        "sh ~-/evil.sh",
        "HOME=sub; sh ~/evil.sh",
        "export HOME; read HOME; sh ~/evil.sh",
        "env -S 'sh\\_evil.sh'",
    ] {
        assert!(says(&stage.content(command), "computes_names"), "{command}");
    }
    for command in [
        "sh ${HOME:-/root}/evil.sh",
        "[ $# -eq 0 ] || exit $?",
        "sh \"${JCLI_CWD:-.}/evil.sh\"",
    ] {
        assert!(!says(&stage.content(command), "computes_names"), "{command}");
    }
}

#[test]
fn a_program_from_the_standard_input_is_told() {
    let stage = Stage::with(&["evil.sh"]);
    for command in [
        "cat x | sh -s x",
        "cat x | sh +e",
        "cat x | sh -o errexit",
        "cat x | sh -h",
        "cat x | sh /dev/fd/0",
        "cat x | sh /dev/stdin x",
        "cat x | bash -c '. /dev/fd/0'",
        "cat x | make -sf -",
        "cat x | make -f -",
        "cat x | tclsh",
        "cat x | sh -",
        "cat x | python3 - x",
    ] {
        assert!(says(&stage.content(command), "computes_names"), "{command}");
    }
    for command in [
        "sh evil.sh",
        "python3 --version",
        "node -v evil.sh",
        "sh <evil.sh",
        "bash -c 'sh evil.sh'",
        "tail -f - evil.sh",
    ] {
        assert!(!says(&stage.content(command), "computes_names"), "{command}");
    }
}

#[test]
fn what_a_command_starts_in_turn_is_told_of_every_command() {
    let stage = Stage::with(&[]);
    for command in ["true", "python3 -m json.tool", "awk 'BEGIN { }'"] {
        assert!(says(&stage.content(command), "starts_others"), "{command}");
    }
}

#[test]
fn more_folders_than_are_looked_into_are_told() {
    let folders: Vec<String> = (0..17).map(|index| format!("p{index}")).collect();
    let files: Vec<String> = folders.iter().map(|folder| format!("{folder}/x")).collect();
    let stage = Stage::with(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let command = |count: usize| format!("for d in {}; do (cd $d && sh run.sh); done", folders[..count].join(" "));
    let told = |command: &str| {
        stage
            .content(command)
            .names
            .not_covered
            .iter()
            .any(|words| words.text.contains("more folders"))
    };
    assert!(told(&command(17)));
    assert!(!told(&command(16)));
}

#[test]
fn programs_in_the_engines_own_path_count_where_the_project_holds_them() {
    let world = World::with_folder();
    let tool = world.project.join("bin/lint");
    write(&tool, "#!/bin/sh\n");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    write(&world.hooks_file(), hooks(&["lint"]));
    for entry in ["bin".to_owned(), world.project.join("bin").display().to_string()] {
        let vars: BTreeMap<OsString, OsString> = [
            ("HOME", world.home.clone().into_os_string()),
            ("HOOKWRIGHT_DATA", world.home.join("data").into_os_string()),
            ("PATH", format!("{entry}:/usr/bin:/bin").into()),
        ]
        .map(|(name, value)| (name.into(), value))
        .into();
        let around = Surroundings::new(vars, world.home.clone(), PathBuf::new()).unwrap();
        let app = App::open(around, Hosting::OneShot, wall_clock());
        let snapshot = load(&app, &world.project);
        let content = app.trust.content(snapshot.all().next().unwrap());
        assert_eq!(names(&world.project, &content), set(&["bin/lint"]), "{entry}");
    }
}

#[test]
fn a_folder_to_start_in_is_looked_at_while_it_is_not_there() {
    let stage = Stage::with(&["h.sh", "a/x"]);
    drop(fs::remove_dir_all(stage.world.project.join(".jcli")));
    let start_in = |dir: &str| {
        let process = json!({"enabled": true, "command": ["sh", "h.sh"], "intercept": ["before_tool"], "dir": dir});
        stage.put(
            ".picoclaw/config.json",
            &json!({"hooks": {"processes": {"p": process}}}).to_string(),
        );
        stage.app.trust.content(&stage.hook())
    };
    assert!(!says(&start_in("a/b"), "outside_project"));
    let looked = stage.looked();
    assert!(looked.contains(&stage.world.project.join("a")), "{looked:?}");
    assert!(says(&start_in("../out"), "outside_project"), "it is not there yet");
    fs::create_dir(stage.world.root().join("out")).unwrap();
    assert!(says(&start_in("../out"), "outside_project"), "it holds nothing yet");
}
