//! A command in another spelling covers the same files, or the review reports what it does not cover (`engine.md` §3).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_app::App;
use hookwright_model::Hook;
use hookwright_workspace::trust::HookContent;
use hookwright_workspace::trust::covered_files::{self, Machine, find_swapped_file};
use hookwright_workspace::trust::disk_cache::DiskCache;
use hookwright_workspace::{HostEnv, ProcessRole, wall_clock};
use serde_json::json;

use crate::common::{TestHome, hooks, load, write};

struct TrustSandbox {
    test_home: TestHome,
    app: Arc<App>,
}

impl TrustSandbox {
    fn with_files(files: &[&str]) -> Self {
        let test_home = TestHome::with_config_folder();
        let app = test_home.app(ProcessRole::OneShot);
        let sandbox = Self { test_home, app };
        files.iter().for_each(|file| sandbox.write_file(file, "true\n"));
        sandbox
    }

    fn write_file(&self, path: &str, text: &str) {
        write(&self.test_home.project.join(path), text);
    }

    fn hook(&self) -> Arc<Hook> {
        let snapshot = load(&self.app, &self.test_home.project);
        snapshot.all().next().expect("there is a hook").clone()
    }

    fn content(&self, command: &str) -> Arc<HookContent> {
        write(&self.test_home.hooks_file(), hooks(&[command]));
        self.app.workspace.trust.content(&self.hook())
    }

    fn entry(&self, entry: serde_json::Value) -> Arc<HookContent> {
        let mut entry = entry;
        entry["type"] = "command".into();
        self.write_file(
            ".qoder/settings.json",
            &json!({"hooks": {"Stop": [{"hooks": [entry]}]}}).to_string(),
        );
        self.app.workspace.trust.content(&self.hook())
    }

    fn covered(&self, command: &str) -> BTreeSet<String> {
        names(&self.test_home.project, &self.content(command))
    }

    /// The paths whose state decides what is covered.
    fn input_paths(&self) -> BTreeSet<PathBuf> {
        let hook = self.hook();
        let card = hookwright_dialects::find(hook.dialect).unwrap().card();
        let machine = Machine {
            home: &self.test_home.home,
            path: &[],
            disk: &DiskCache::default(),
        };
        let names = covered_files::find_covered_files(&hook, card, machine, &self.test_home.project);
        names.dependencies.expect("it is known")
    }

    /// The file that a run from a folder of the project would find instead of the approved one.
    fn file_found_from(&self, command: &str, folder: &str) -> Option<String> {
        write(&self.test_home.hooks_file(), hooks(&[command]));
        let project = &self.test_home.project;
        let card = hookwright_dialects::find("jcli").unwrap().card();
        let machine = Machine {
            home: &self.test_home.home,
            path: &[PathBuf::from("bin"), PathBuf::from("/usr/bin")],
            disk: &DiskCache::default(),
        };
        let other = find_swapped_file(&self.hook(), card, machine, project, &project.join(folder));
        other.map(|other| other.found.strip_prefix(project).unwrap().display().to_string())
    }
}

fn names(project: &Path, content: &HookContent) -> BTreeSet<String> {
    let name = |path: &PathBuf| path.strip_prefix(project).unwrap_or(path).display().to_string();
    content.files.iter().map(|file| name(&file.path)).collect()
}

fn name_set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn reports(content: &HookContent, code: &str) -> bool {
    content.covered.not_covered.iter().any(|message| message.code == code)
}

#[test]
fn the_value_of_an_option_is_never_taken_for_the_script() {
    let sandbox = TrustSandbox::with_files(&["hooks/guard", "pipefail/x", "errexit", "dev/x", "foo/x", "data.json"]);
    for command in [
        "bash -euo pipefail hooks/guard",
        "sh -o errexit hooks/guard",
        "python3 -X dev hooks/guard data.json",
        "node --title foo hooks/guard data.json",
        "sh - hooks/guard",
    ] {
        assert_eq!(sandbox.covered(command), name_set(&["hooks/guard"]), "{command}");
    }
    assert_eq!(
        sandbox.covered("tclsh -unknown errexit hooks/guard"),
        name_set(&["errexit", "hooks/guard"]),
        "either may be the script"
    );
}

#[test]
fn a_name_that_means_another_file_from_the_directory_is_found_there() {
    let sandbox = TrustSandbox::with_files(&[
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
        let path = sandbox.test_home.project.join(file);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
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
        assert_eq!(sandbox.file_found_from(command, folder).as_deref(), found, "{command}");
    }
}

#[test]
fn files_read_by_convention_are_found_in_parent_folders_too() {
    let sandbox = TrustSandbox::with_files(&[
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
        assert_eq!(sandbox.covered(command), name_set(files), "{command}");
    }
}

#[test]
fn sources_behind_a_program_that_starts_another_are_data() {
    let sandbox = TrustSandbox::with_files(&["src/a.js", "src/b.py", "tests/c.py"]);
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
        assert_eq!(sandbox.covered(command), name_set(&[]), "{command}");
    }
    assert_eq!(
        sandbox.covered("python3 tests"),
        name_set(&["tests/c.py"]),
        "a folder as a script"
    );
    sandbox.write_file("hooks/a", "true\n");
    for command in [
        "bash \"${JCLI_CWD:-.}/hooks/a\"",
        "python3 \"${JCLI_CWD:-$(pwd)}/hooks/a\"",
        "python3 \"${A:-${JCLI_CWD}}/hooks/a\"",
        "env FOO=\"$JCLI_CWD\" python3 hooks/a",
    ] {
        assert_eq!(
            sandbox.covered(command),
            name_set(&["hooks/a"]),
            "the folder before a name is none: {command}"
        );
    }
}

#[test]
fn a_runner_counts_however_it_is_written() {
    let sandbox = TrustSandbox::with_files(&["Makefile", "package.json", "hooks/evil.js", "tools/evil.py", "evil"]);
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
        assert!(sandbox.covered(command).contains(file), "{command}");
    }
    drop(fs::remove_file(sandbox.test_home.hooks_file()));
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
        let content = sandbox.entry(entry.clone());
        assert!(names(&sandbox.test_home.project, &content).contains(file), "{entry}");
    }
}

#[test]
fn values_known_only_at_run_time_are_reported() {
    let sandbox = TrustSandbox::with_files(&["evil.sh"]);
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
        assert!(reports(&sandbox.content(command), "computes_names"), "{command}");
    }
    for command in [
        "sh ${HOME:-/root}/evil.sh",
        "[ $# -eq 0 ] || exit $?",
        "sh \"${JCLI_CWD:-.}/evil.sh\"",
    ] {
        assert!(!reports(&sandbox.content(command), "computes_names"), "{command}");
    }
}

#[test]
fn a_program_from_standard_input_is_reported() {
    let sandbox = TrustSandbox::with_files(&["evil.sh"]);
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
        assert!(reports(&sandbox.content(command), "computes_names"), "{command}");
    }
    for command in [
        "sh evil.sh",
        "python3 --version",
        "node -v evil.sh",
        "sh <evil.sh",
        "bash -c 'sh evil.sh'",
        "tail -f - evil.sh",
    ] {
        assert!(!reports(&sandbox.content(command), "computes_names"), "{command}");
    }
}

#[test]
fn every_command_reports_that_it_may_start_others() {
    let sandbox = TrustSandbox::with_files(&[]);
    for command in ["true", "python3 -m json.tool", "awk 'BEGIN { }'"] {
        assert!(reports(&sandbox.content(command), "starts_others"), "{command}");
    }
}

#[test]
fn too_many_folders_are_reported() {
    let folders: Vec<String> = (0..17).map(|index| format!("p{index}")).collect();
    let files: Vec<String> = folders.iter().map(|folder| format!("{folder}/x")).collect();
    let sandbox = TrustSandbox::with_files(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let command = |count: usize| format!("for d in {}; do (cd $d && sh run.sh); done", folders[..count].join(" "));
    let reports_more_folders = |command: &str| {
        sandbox
            .content(command)
            .covered
            .not_covered
            .iter()
            .any(|message| message.text.contains("too many folders"))
    };
    assert!(reports_more_folders(&command(17)));
    assert!(!reports_more_folders(&command(16)));
}

#[test]
fn programs_of_the_project_on_the_engines_path_are_covered() {
    let test_home = TestHome::with_config_folder();
    let tool = test_home.project.join("bin/lint");
    write(&tool, "#!/bin/sh\n");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    write(&test_home.hooks_file(), hooks(&["lint"]));
    for entry in ["bin".to_owned(), test_home.project.join("bin").display().to_string()] {
        let vars: BTreeMap<OsString, OsString> = [
            ("HOME", test_home.home.clone().into_os_string()),
            ("HOOKWRIGHT_DATA", test_home.home.join("data").into_os_string()),
            ("PATH", format!("{entry}:/usr/bin:/bin").into()),
        ]
        .map(|(name, value)| (name.into(), value))
        .into();
        let env = HostEnv::new(vars, test_home.home.clone(), PathBuf::new()).unwrap();
        let app = App::open(env, ProcessRole::OneShot, wall_clock());
        let snapshot = load(&app, &test_home.project);
        let content = app.workspace.trust.content(snapshot.all().next().unwrap());
        assert_eq!(names(&test_home.project, &content), name_set(&["bin/lint"]), "{entry}");
    }
}

#[test]
fn a_missing_start_folder_is_among_the_input_paths() {
    let sandbox = TrustSandbox::with_files(&["h.sh", "a/x"]);
    drop(fs::remove_dir_all(sandbox.test_home.project.join(".jcli")));
    let start_in = |dir: &str| {
        let process = json!({"enabled": true, "command": ["sh", "h.sh"], "intercept": ["before_tool"], "dir": dir});
        sandbox.write_file(
            ".picoclaw/config.json",
            &json!({"hooks": {"processes": {"p": process}}}).to_string(),
        );
        sandbox.app.workspace.trust.content(&sandbox.hook())
    };
    assert!(!reports(&start_in("a/b"), "outside_project"));
    let input_paths = sandbox.input_paths();
    assert!(
        input_paths.contains(&sandbox.test_home.project.join("a")),
        "{input_paths:?}"
    );
    assert!(reports(&start_in("../out"), "outside_project"), "it is not there yet");
    fs::create_dir(sandbox.test_home.root().join("out")).unwrap();
    assert!(reports(&start_in("../out"), "outside_project"), "it holds nothing yet");
}
