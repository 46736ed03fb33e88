//! Tests of `samples` and of `add --sample`: what is listed, what a project has afterwards, and what is refused.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hookwright_testkit::Sandbox;
use hookwright_testkit::program::workspace;
use serde_json::{Value, json};

/// One sample of each dialect whose scripts come along into the project.
const WITH_SCRIPTS: [&str; 5] = [
    "jcli/guard-shell",
    "qoder/command-guard",
    "claude-code/secrets-guard",
    "codex/guard-secrets",
    "agent-hooks/protect-files",
];

fn samples(sandbox: &Sandbox) -> Vec<Value> {
    let doc = sandbox.run(["samples", "--json"]).assert_exit(0).json();
    doc["samples"].as_array().unwrap().clone()
}

fn id(sample: &Value) -> &str {
    sample["sample"].as_str().unwrap()
}

fn add(sandbox: &Sandbox, sample: &str) -> Value {
    let done = sandbox.run(["add", "--sample", sample, "--json"]);
    done.assert_exit(0).json()
}

/// Every file of the project, with its text and mode.
fn files(sandbox: &Sandbox) -> BTreeMap<PathBuf, (String, u32)> {
    let mut found = BTreeMap::new();
    collect(&sandbox.project(), &mut found);
    found
}

fn collect(folder: &Path, found: &mut BTreeMap<PathBuf, (String, u32)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
            continue;
        }
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        found.insert(path.clone(), (std::fs::read_to_string(path).unwrap(), mode));
    }
}

/// The samples in the repository, as `add --sample` names them.
fn in_repository() -> Vec<String> {
    let mut names = Vec::new();
    for dialect in std::fs::read_dir(workspace().join("hooks-samples")).unwrap().flatten() {
        for sample in std::fs::read_dir(dialect.path()).into_iter().flatten().flatten() {
            if sample.path().join("sample.yaml").is_file() {
                let name = |entry: &std::fs::DirEntry| entry.file_name().into_string().unwrap();
                names.push(format!("{}/{}", name(&dialect), name(&sample)));
            }
        }
    }
    names.sort();
    names
}

#[test]
fn every_sample_is_listed_with_what_it_shows() {
    let sandbox = Sandbox::new();
    let samples = samples(&sandbox);
    let text = sandbox.run(["samples"]).assert_exit(0).stdout;
    assert_eq!(text.lines().count(), samples.len());
    for (line, sample) in text.lines().zip(&samples) {
        let about = sample["about"]["en"].as_str().unwrap();
        assert!(line.starts_with(id(sample)) && line.ends_with(about), "{line}");
    }
    let mut listed: Vec<&str> = samples.iter().map(id).collect();
    listed.sort_unstable();
    assert_eq!(listed, in_repository());
}

#[test]
fn a_sample_comes_into_an_empty_project_with_executable_scripts() {
    let sandbox = Sandbox::new();
    let samples = samples(&sandbox);
    for name in WITH_SCRIPTS {
        let sandbox = Sandbox::new();
        let done = add(&sandbox, name);
        assert_eq!(done["written"], true, "{name}");
        let files = files(&sandbox);
        let sample = samples.iter().find(|sample| id(sample) == name).unwrap();
        let mut scripts = 0;
        for file in sample["files"].as_array().unwrap() {
            let path = sandbox.project().join(file["path"].as_str().unwrap());
            let (text, mode) = files.get(&path).unwrap_or_else(|| panic!("{name}: no {path:?}"));
            assert_eq!(text, file["text"].as_str().unwrap(), "{name}");
            if file["executable"] == true {
                assert_eq!(mode & 0o700, 0o700, "{name}: {path:?}");
                scripts += 1;
            }
        }
        assert!(scripts > 0, "{name} has a script");
        let list = sandbox.run(["list", "--json"]).assert_exit(0).json();
        let hooks = list["hooks"].as_array().unwrap();
        assert!(
            hooks.iter().any(|hook| hook["hook"] == done["hook"]),
            "{name}: {hooks:#?}"
        );
        sandbox.run(["check"]).assert_exit(0);
    }
}

#[test]
fn without_json_the_change_is_printed_and_a_dry_run_writes_nothing() {
    let sandbox = Sandbox::new();
    let dry = sandbox
        .run(["add", "--sample", "jcli/guard-shell", "--dry-run"])
        .assert_exit(0)
        .assert_stderr("dry run: nothing was written");
    assert!(dry.stdout.contains("+#!"), "{dry}");
    assert_eq!(files(&sandbox), BTreeMap::new());
    let done = sandbox
        .run(["add", "--sample", "jcli/guard-shell"])
        .assert_exit(0)
        .assert_stderr("hooks.yaml is written");
    assert_eq!(done.stdout, dry.stdout);
}

#[test]
fn a_second_add_changes_nothing_and_never_overwrites_a_script() {
    for name in WITH_SCRIPTS {
        let sandbox = Sandbox::new();
        add(&sandbox, name);
        let added = files(&sandbox);
        sandbox
            .run(["add", "--sample", name])
            .assert_exit(0)
            .assert_stderr("nothing to change");
        let again = add(&sandbox, name);
        assert_eq!(
            (&again["written"], &again["diff"]),
            (&json!(false), &json!("")),
            "{name}"
        );
        assert_eq!(files(&sandbox), added, "{name}");
        let (script, (_, mode)) = added.iter().find(|(_, (text, _))| text.starts_with("#!")).unwrap();
        std::fs::write(script, "#!/bin/sh\n# mine\n").unwrap();
        let refused = sandbox.run(["add", "--sample", name]).assert_exit(1);
        let refused = refused.assert_stderr("already exists");
        assert!(refused.stderr.contains(script.to_str().unwrap()), "{refused}");
        let mut expected = added.clone();
        expected.insert(script.clone(), ("#!/bin/sh\n# mine\n".to_owned(), *mode));
        assert_eq!(files(&sandbox), expected, "{name}");
    }
}

#[test]
fn an_unknown_sample_is_refused_with_those_that_exist() {
    let sandbox = Sandbox::new();
    let refused = sandbox
        .run(["add", "--sample", "jcli/gard-shell"])
        .assert_exit(1)
        .assert_stderr("unknown sample jcli/gard-shell");
    assert!(refused.stderr.contains("jcli/guard-shell") && !refused.stderr.contains("qoder/"));
    let refused = sandbox.run(["add", "--sample", "guard-shell"]).assert_exit(1);
    for sample in samples(&sandbox) {
        assert!(refused.stderr.contains(id(&sample)), "{refused}");
    }
    assert_eq!(files(&sandbox), BTreeMap::new());
}

#[test]
fn a_sample_for_all_projects_comes_into_the_users_folder_and_not_into_an_administrators() {
    let sandbox = Sandbox::new();
    let args = ["add", "--sample", "claude-code/tidy-after-edits", "--layer", "user"];
    let home = sandbox.home().display().to_string();
    let at_home = [&["--project", home.as_str()], &args[..], &["--dry-run"]].concat();
    for shown in [sandbox.run(at_home), sandbox.run(args)] {
        let shown = shown.assert_exit(0);
        let written = shown.stdout.lines().filter_map(|line| line.strip_prefix("+++ "));
        assert!(written.clone().count() > 2, "{shown}");
        assert!(written.clone().all(|line| line.contains(&home)), "{shown}");
    }
    for file in ["settings.json", "hooks/tidy.py"] {
        assert!(sandbox.home().join(".claude").join(file).is_file(), "{file}");
    }
}
