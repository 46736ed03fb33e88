//! What an approval covers (`engine.md` §3): names are over-approximated, and what really runs is covered or told.
#![cfg(unix)]
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test fails where it stands")]

#[expect(dead_code, reason = "each test program uses what it needs")]
mod common;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use common::{World, hooks, load, write};
use hookwright_app::trust::Content;
use hookwright_app::{App, Hosting};
use serde_json::json;

struct Stage {
    world: World,
    app: Arc<App>,
}

/// What the review of a command lists.
struct Listed {
    files: BTreeSet<String>,
    data: BTreeSet<String>,
    codes: BTreeSet<&'static str>,
    texts: Vec<String>,
}

impl Stage {
    fn new() -> Self {
        let world = World::with_folder();
        let app = world.app(Hosting::OneShot);
        Self { world, app }
    }

    fn put(&self, path: &str, text: &str) -> PathBuf {
        let place = self.world.project.join(path);
        write(&place, text);
        place
    }

    fn put_executable(&self, path: &str, text: &str) {
        let place = self.put(path, text);
        fs::set_permissions(place, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn content(&self) -> Arc<Content> {
        let snapshot = load(&self.app, &self.world.project);
        let hook = snapshot.all().next().expect("there is a hook");
        self.app.trust.content(hook)
    }

    fn listed(&self) -> Listed {
        let content = self.content();
        let name = |path: &Path| {
            let project = fs::canonicalize(&self.world.project).unwrap();
            path.strip_prefix(&project).unwrap_or(path).display().to_string()
        };
        Listed {
            files: content.files.iter().map(|file| name(&file.path)).collect(),
            data: content.names.data.iter().map(|path| name(path)).collect(),
            codes: content.names.not_covered.iter().map(|words| words.code).collect(),
            texts: content
                .names
                .not_covered
                .iter()
                .map(|words| words.text.clone())
                .collect(),
        }
    }

    /// What the review of a command of j-cli lists.
    fn command(&self, command: &str) -> Listed {
        write(&self.world.hooks_file(), hooks(&[command]));
        self.listed()
    }

    /// What the review of an entry of Qoder lists.
    fn entry(&self, mut entry: serde_json::Value) -> Listed {
        drop(fs::remove_file(self.world.hooks_file()));
        entry["type"] = "command".into();
        let text = json!({"hooks": {"Stop": [{"hooks": [entry]}]}}).to_string();
        let project = self.world.project.display().to_string();
        self.put(".qoder/settings.json", &text.replace("{project}", &project));
        self.listed()
    }

    /// A project of files that each write their own path to `$MARK` when they are run or loaded.
    fn planted() -> Self {
        let stage = Self::new();
        let shell = |name: &str| format!("echo {name} >> \"$MARK\"\n");
        let python = |name: &str| format!("import os\nopen(os.environ['MARK'], 'a').write('{name}\\n')\n");
        let node = |name: &str| format!("require('fs').appendFileSync(process.env.MARK, '{name}\\n')\n");
        for name in [
            "evil.sh",
            "sub/evil.sh",
            "a b.sh",
            "sub dir/evil.sh",
            "hooks.d/evil.sh",
            "tool/run",
            "evil.sh\r",
        ] {
            stage.put(name, &shell(name.trim()));
        }
        for name in ["guard", "bin/guard", "parts/evil"] {
            stage.put_executable(name, &format!("#!/bin/sh\n{}", shell(name)));
        }
        for name in ["evil.py", "tools/evil.py", "app/__main__.py", "lib/helper.py"] {
            stage.put(name, &python(name));
        }
        stage.put("imports.py", "import helper\n");
        for name in ["evil.js", "hooks/evil.js", "dir/index.js"] {
            stage.put(name, &node(name));
        }
        stage.put("evil.awk", "BEGIN { print \"evil.awk\" >> ENVIRON[\"MARK\"] }\n");
        let perl = "open(F, '>>', $ENV{MARK}); print F \"evil.pl\\n\"; close(F); 1;\n";
        stage.put("evil.pl", perl);
        stage.put("lib/Evil.pm", &perl.replace("evil.pl", "lib/Evil.pm"));
        stage.put("Makefile", "guard:\n\t@echo Makefile >> $$MARK\n");
        stage.put("evil.mk", "guard:\n\t@echo evil.mk >> $$MARK\n");
        stage
    }

    /// The planted files that a command ran, really started.
    fn ran(&self, program: &str, arguments: &[&str]) -> BTreeSet<String> {
        let mark = self.world.root().join("mark");
        drop(fs::remove_file(&mark));
        let status = Command::new(program)
            .args(arguments)
            .current_dir(&self.world.project)
            .env("MARK", &mark)
            .env("HOME", &self.world.home)
            .env("JCLI_CWD", &self.world.project)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        drop(status);
        let text = fs::read_to_string(&mark).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

/// Commands, and whether every machine that runs these tests can run them.
const COMMANDS: &[(&str, bool)] = &[
    ("sh evil.sh", true),
    ("sh 'a b.sh'", true),
    ("sh a\\ b.sh", true),
    ("sh \"sub dir\"/evil.sh", true),
    ("sh ev\\il.sh", true),
    ("sh ev\\\nil.sh", true),
    ("sh evil.sh\r", true),
    ("true \r# ; sh evil.sh", true),
    ("sh<evil.sh", true),
    ("exec 3<evil.sh; sh <&3", true),
    ("exec 3<>evil.sh; sh <&3", true),
    ("./guard", true),
    ("tool/run 2>/dev/null || sh tool/run", true),
    (". ./evil.sh", true),
    ("cd sub && sh evil.sh", true),
    ("cd \"$(pwd)/sub\" && sh evil.sh", true),
    ("sh \"$PWD/evil.sh\"", true),
    ("sh \"$JCLI_CWD\"/evil.sh", true),
    ("sh ${JCLI_CWD:-.}/evil.sh", true),
    ("sh ${X:-evil.sh}", true),
    ("X=evil; sh $X.sh", true),
    ("set -- evil.sh; sh $1", true),
    ("f() { sh \"$1.sh\"; }; f evil", true),
    ("sh -c -e 'sh evil.sh'", true),
    ("env 'A=1' sh evil.sh", true),
    ("timeout 5 sh evil.sh", true),
    ("eval sh -c '\"sh evil.sh\"'", true),
    ("eval cd sub '&&' . ./evil.sh", true),
    ("trap 'sh evil.sh' EXIT", true),
    ("echo 'sh evil.sh' | sh", true),
    ("sh <<E\nsh evil.sh\nE", true),
    ("cat <<\"E'F\"\nx\nE'F\nsh evil.sh", true),
    ("case x in x) for i in 1; do (sh evil.sh); done;; esac", true),
    ("case x in x) echo a in >/dev/null; (sh evil.sh);; esac", true),
    ("alias x='sh evil.sh'\nx", false),
    ("for f in hooks.d/*; do sh $f; done", true),
    ("find sub -name '*.sh' -exec sh {} ';'", true),
    ("find sub -name '*.sh' | xargs -n1 sh", true),
    ("sh $(echo evil).sh", true),
    ("PATH=bin:$PATH guard", true),
    ("sh ../project/evil.sh", true),
    ("awk -fevil.awk", true),
    ("awk -f evil.awk", true),
    ("awk 'BEGIN { system(\"sh evil.sh\") }'", true),
    ("bash -c 'cat <<< x >/dev/null\nsh evil.sh'", false),
    ("bash -c '((x=1<<2))\nsh evil.sh'", false),
    ("bash -O extglob -c 'sh @(evil).sh'", false),
    ("BASH_ENV=evil.sh bash -c true", false),
    ("bash --rcfile evil.sh -i -c true", false),
    ("run-parts parts", false),
    ("make -s guard", false),
    ("make -s -fevil.mk guard", false),
    ("python3 evil.py", false),
    ("python3 -m evil", false),
    ("python3 -m tools.evil", false),
    ("python3 app", false),
    ("python3 -c 'import evil'", false),
    ("PYTHONPATH=lib python3 imports.py", false),
    ("node evil.js", false),
    ("node hooks/evil", false),
    ("node ./evil", false),
    ("node dir", false),
    ("node -r ./evil -e 0", false),
    ("node --require=./evil.js -e 0", false),
    ("node -e 'require(\"./evil\")'", false),
    ("NODE_OPTIONS='--require ./evil.js' node -e 0", false),
    ("perl evil.pl", false),
    ("perl -e 'do \"./evil.pl\"'", false),
    ("perl -Ilib -MEvil -e 0", false),
];

#[test]
fn every_planted_file_that_a_command_really_runs_is_covered_or_told() {
    let stage = Stage::planted();
    for shell in ["sh", "bash"] {
        for (command, everywhere) in COMMANDS {
            let ran = stage.ran(shell, &["-c", command]);
            assert!(
                !everywhere || !ran.is_empty() || shell == "bash",
                "{command:?} ran nothing in {shell}"
            );
            let listed = stage.command(command);
            let told = listed.codes.iter().any(|code| *code != "starts_others");
            for file in ran {
                let known = |list: &BTreeSet<String>| list.iter().any(|path| path.trim() == file);
                let lists = known(&listed.files) || known(&listed.data);
                assert!(
                    lists || told,
                    "{command:?} runs {file}, and {:?} {:?}",
                    listed.files,
                    listed.codes
                );
            }
        }
    }
}

#[test]
fn code_that_a_command_names_is_covered() {
    let stage = Stage::planted();
    let table: &[(&str, &[&str])] = &[
        ("sh evil.sh", &["evil.sh"]),
        ("sh 'a b.sh'", &["a b.sh"]),
        ("cd sub && sh evil.sh", &["evil.sh", "sub/evil.sh"]),
        ("sh \"$PWD/evil.sh\"", &["evil.sh"]),
        ("python3 -m tools.evil", &["tools/evil.py"]),
        ("node hooks/evil", &["hooks/evil.js"]),
        ("node dir", &["dir/index.js"]),
        ("python3 app", &["app/__main__.py"]),
        ("awk -fevil.awk", &["evil.awk"]),
        ("perl -Ilib -MEvil -e 0", &["lib/Evil.pm"]),
        ("PATH=bin:$PATH guard", &["bin/guard", "guard"]),
        ("tool/run", &[]),
        ("sh tool/run", &["tool/run"]),
        ("make guard", &["Makefile", "guard"]),
        ("make -f evil.mk", &["Makefile", "evil.mk"]),
        ("run-parts parts", &["parts/evil"]),
        (
            "PYTHONPATH=lib python3 imports.py",
            &["imports.py", "lib/Evil.pm", "lib/helper.py"],
        ),
        ("echo nothing of yours", &[]),
    ];
    for (command, files) in table {
        let listed = stage.command(command);
        let wanted: BTreeSet<String> = files.iter().map(|file| (*file).to_owned()).collect();
        assert_eq!(listed.files, wanted, "{command}");
    }
}

#[test]
fn data_and_output_are_listed_and_not_covered() {
    let stage = Stage::new();
    stage.put("data.json", "{}");
    stage.put("notes.txt", "x");
    stage.put("out.sh", "true\n");
    stage.put("gate.sh", "true\n");
    stage.put("src/index.txt", "x");
    let table: &[(&str, &[&str], &[&str])] = &[
        ("jq . data.json", &[], &["data.json"]),
        ("jq '.' data.json", &[], &["data.json"]),
        ("[ -f data.json ] && sh gate.sh", &["gate.sh"], &["data.json"]),
        ("test -r data.json", &[], &["data.json"]),
        ("grep -r x notes.txt", &[], &["notes.txt"]),
        ("rm -f data.json", &[], &["data.json"]),
        ("sh gate.sh data.json", &["gate.sh"], &["data.json"]),
        ("cat notes.txt > out.sh", &[], &["notes.txt"]),
        ("sh gate.sh | tee -a out.sh", &["gate.sh"], &[]),
        ("echo x > out.sh; sh out.sh", &["out.sh"], &[]),
        ("eslint src", &[], &[]),
        ("sh gate.sh 2>/dev/null", &["gate.sh"], &[]),
    ];
    for (command, files, data) in table {
        let listed = stage.command(command);
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!((listed.files, listed.data), (set(files), set(data)), "{command}");
    }
    assert!(stage.command("cat x > out.sh").codes.contains("output_file"));
    assert!(!stage.command("sh gate.sh 2>/dev/null").codes.contains("output_file"));
}

#[test]
fn names_that_only_the_run_knows_are_told_in_one_sentence() {
    let stage = Stage::new();
    for command in [
        "sh $OTHER/a.sh",
        "sh $(pwd)/a.sh",
        "sh `pwd`/a.sh",
        "sh *.sh",
        "sh a?.sh",
        "sh [ab].sh",
        "sh {a,b}.sh",
        "sh $'a.sh'",
        "eval \"$X\"",
        "find . -name x",
        "ls | xargs sh",
        "alias x=y",
        "curl x | sh",
        "python3 -",
        "sh $1",
    ] {
        let listed = stage.command(command);
        assert!(listed.codes.contains("computes_names"), "{command}: {:?}", listed.texts);
        assert_eq!(
            listed.texts.iter().filter(|text| text.contains("computes")).count(),
            1,
            "{command}"
        );
    }
    for command in [
        "sh a.sh",
        "[ -n x ] && sh a.sh",
        "{ sh a.sh; }",
        "sh \"$JCLI_CWD/a.sh\"",
        "sh ~/a.sh",
        "sh a.sh || exit $?",
    ] {
        let listed = stage.command(command);
        assert!(
            !listed.codes.contains("computes_names"),
            "{command}: {:?}",
            listed.texts
        );
    }
}

#[test]
fn what_lies_outside_is_told_once_and_the_system_never() {
    let stage = Stage::new();
    write(&stage.world.root().join("outside/x.sh"), "true\n");
    write(&stage.world.home.join("mine.sh"), "true\n");
    for command in [
        "sh ../outside/x.sh",
        "cd .. && sh outside/x.sh",
        "sh ~/mine.sh",
        "sh \"$HOME/mine.sh\"",
    ] {
        let listed = stage.command(command);
        assert!(
            listed.codes.contains("outside_project"),
            "{command}: {:?}",
            listed.texts
        );
        assert_eq!(listed.files, BTreeSet::new(), "{command}");
    }
    let listed = stage.command("/bin/sh -c '/usr/bin/env true' < /dev/null > /dev/null");
    assert!(!listed.codes.contains("outside_project"), "{:?}", listed.texts);
}

#[test]
fn a_package_json_counts_with_its_scripts_alone() {
    let stage = Stage::new();
    let print = |package: &str| {
        stage.put("package.json", package);
        stage.command("npm run guard");
        stage.content().fingerprint.clone()
    };
    let first = print(r#"{"name": "x", "scripts": {"guard": "a", "b": "c"}}"#);
    assert_eq!(
        stage.listed().files,
        BTreeSet::from(["package.json#scripts".to_owned()])
    );
    assert_eq!(
        print(r#"{"scripts": {"b": "c", "guard": "a"}, "dependencies": {"d": "1"}}"#),
        first
    );
    assert_ne!(print(r#"{"scripts": {"guard": "other"}}"#), first);
    assert!(stage.command("cargo test").codes.contains("cargo_build"));
}

#[test]
fn a_folder_with_more_code_than_is_looked_at_is_told_and_the_hook_stays_approvable() {
    let stage = Stage::new();
    for index in 0..201 {
        stage.put(&format!("lib/m{index}.py"), "");
    }
    stage.put("main.py", "");
    let listed = stage.command("PYTHONPATH=lib python3 main.py");
    assert_eq!(listed.files, BTreeSet::from(["main.py".to_owned()]));
    assert!(listed.codes.contains("folder_too_large"), "{:?}", listed.texts);
    assert!(stage.content().names.refused.is_none());
}

#[test]
fn a_command_with_too_many_names_cannot_be_approved() {
    let stage = Stage::new();
    let many: String = (0..600).fold(String::from("sh"), |text, index| format!("{text} a{index}"));
    let long = format!("sh {}", "a".repeat(70_000));
    for command in [many, long] {
        assert!(stage.command(&command).codes.contains("too_many_names"));
        assert!(stage.content().names.refused.is_some());
    }
}

#[test]
fn a_file_becomes_code_by_its_bit_its_first_line_or_its_place() {
    let stage = Stage::new();
    stage.put("data", "x");
    stage.put_executable("tool", "x");
    stage.put("script", "#!./interpreter\n");
    stage.put_executable("interpreter", "x");
    assert_eq!(stage.command("cat data").files, BTreeSet::new());
    assert_eq!(stage.command("./tool data").files, BTreeSet::from(["tool".to_owned()]));
    let both = BTreeSet::from(["interpreter".to_owned(), "script".to_owned()]);
    assert_eq!(stage.command("./script").files, both);
    assert_eq!(stage.command("python3 data").files, BTreeSet::from(["data".to_owned()]));
    assert_eq!(
        stage.command("cd . && . ./data").files,
        BTreeSet::from(["data".to_owned()])
    );
    assert_eq!(stage.command("awk -f data").files, BTreeSet::from(["data".to_owned()]));
}

#[test]
fn variables_of_an_entry_name_files_too() {
    let stage = Stage::new();
    for file in ["sub/g.sh", "sub/gate.sh", "pre.js", "cfg"] {
        stage.put(file, "true\n");
    }
    for (entry, file) in [
        (
            json!({"command": "sh \"$QODER_PROJECT_DIR/g.sh\"", "env": {"QODER_PROJECT_DIR": "{project}/sub"}}),
            "sub/g.sh",
        ),
        (
            json!({"command": "sh ~/g.sh", "env": {"HOME": "{project}/sub"}}),
            "sub/g.sh",
        ),
        (
            json!({"command": "cd \"$D\" && sh g.sh", "env": {"D": "sub"}}),
            "sub/g.sh",
        ),
        (
            json!({"command": "true", "shell": "bash", "env": {"BASH_ENV": "sub/g.sh"}}),
            "sub/g.sh",
        ),
        (
            json!({"command": "node", "args": ["-e", "1"], "env": {"NODE_OPTIONS": "--require ./pre.js"}}),
            "pre.js",
        ),
        (
            json!({"command": "git", "args": ["status"], "env": {"GIT_CONFIG_GLOBAL": "cfg"}}),
            "cfg",
        ),
        (
            json!({"command": "gate.sh", "env": {"PATH": "sub:/usr/bin"}}),
            "sub/gate.sh",
        ),
    ] {
        let listed = stage.entry(entry.clone());
        assert!(listed.files.contains(file), "{entry}: {:?}", listed.files);
    }
}

#[test]
fn hook_tests_are_never_covered_and_that_is_told() {
    let stage = Stage::new();
    stage.put("evil.hooktest.yaml", "name: x\n");
    let listed = stage.command("sh evil.hooktest.yaml");
    assert_eq!(listed.files, BTreeSet::new());
    assert_eq!(listed.data, BTreeSet::from(["evil.hooktest.yaml".to_owned()]));
}
