//! What an approval covers (`engine.md` §3). File names are over-approximated, and every file that really runs is
//! covered or reported.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use hookwright_app::App;
use hookwright_workspace::ProcessRole;
use hookwright_workspace::trust::HookContent;
use serde_json::json;

use crate::common::{TestHome, hooks, load, write};

struct TrustSandbox {
    test_home: TestHome,
    app: Arc<App>,
}

/// What the review of a command lists.
struct Listed {
    files: BTreeSet<String>,
    data: BTreeSet<String>,
    codes: BTreeSet<&'static str>,
    texts: Vec<String>,
}

impl TrustSandbox {
    fn new() -> Self {
        let test_home = TestHome::with_config_folder();
        let app = test_home.app(ProcessRole::OneShot);
        Self { test_home, app }
    }

    fn write_file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.test_home.project.join(path);
        write(&path, text);
        path
    }

    fn put_executable(&self, path: &str, text: &str) {
        let path = self.write_file(path, text);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn content(&self) -> Arc<HookContent> {
        let snapshot = load(&self.app, &self.test_home.project);
        let hook = snapshot.all().next().expect("there is a hook");
        self.app.workspace.trust.content(hook)
    }

    fn listed(&self) -> Listed {
        let content = self.content();
        let name = |path: &Path| {
            let project = fs::canonicalize(&self.test_home.project).unwrap();
            path.strip_prefix(&project).unwrap_or(path).display().to_string()
        };
        Listed {
            files: content.files.iter().map(|file| name(&file.path)).collect(),
            data: content.covered.data.iter().map(|path| name(path)).collect(),
            codes: content.covered.not_covered.iter().map(|message| message.code).collect(),
            texts: content
                .covered
                .not_covered
                .iter()
                .map(|message| message.text.clone())
                .collect(),
        }
    }

    /// What the review of a command of j-cli lists.
    fn command(&self, command: &str) -> Listed {
        write(&self.test_home.hooks_file(), hooks(&[command]));
        self.listed()
    }

    /// What the review of an entry of Qoder lists.
    fn entry(&self, mut entry: serde_json::Value) -> Listed {
        drop(fs::remove_file(self.test_home.hooks_file()));
        entry["type"] = "command".into();
        let text = json!({"hooks": {"Stop": [{"hooks": [entry]}]}}).to_string();
        let project = self.test_home.project.display().to_string();
        self.write_file(".qoder/settings.json", &text.replace("{project}", &project));
        self.listed()
    }

    /// A project of files that each write their own path to `$MARK` when they are run or loaded.
    fn with_marking_files() -> Self {
        let sandbox = Self::new();
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
            sandbox.write_file(name, &shell(name.trim()));
        }
        for name in ["guard", "bin/guard", "parts/evil"] {
            sandbox.put_executable(name, &format!("#!/bin/sh\n{}", shell(name)));
        }
        for name in ["evil.py", "tools/evil.py", "app/__main__.py", "lib/helper.py"] {
            sandbox.write_file(name, &python(name));
        }
        sandbox.write_file("imports.py", "import helper\n");
        for name in ["evil.js", "hooks/evil.js", "dir/index.js"] {
            sandbox.write_file(name, &node(name));
        }
        sandbox.write_file("evil.awk", "BEGIN { print \"evil.awk\" >> ENVIRON[\"MARK\"] }\n");
        let perl = "open(F, '>>', $ENV{MARK}); print F \"evil.pl\\n\"; close(F); 1;\n";
        sandbox.write_file("evil.pl", perl);
        sandbox.write_file("lib/Evil.pm", &perl.replace("evil.pl", "lib/Evil.pm"));
        sandbox.write_file("Makefile", "guard:\n\t@echo Makefile >> $$MARK\n");
        sandbox.write_file("evil.mk", "guard:\n\t@echo evil.mk >> $$MARK\n");
        sandbox
    }

    /// The marking files that really ran when the command was started.
    fn ran(&self, program: &str, arguments: &[&str]) -> BTreeSet<String> {
        let mark = self.test_home.root().join("mark");
        drop(fs::remove_file(&mark));
        let status = Command::new(program)
            .args(arguments)
            .current_dir(&self.test_home.project)
            .env("MARK", &mark)
            .env("HOME", &self.test_home.home)
            .env("JCLI_CWD", &self.test_home.project)
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
fn every_marking_file_that_a_command_runs_is_covered_or_reported() {
    let sandbox = TrustSandbox::with_marking_files();
    for shell in ["sh", "bash"] {
        for (command, everywhere) in COMMANDS {
            let ran = sandbox.ran(shell, &["-c", command]);
            assert!(
                !everywhere || !ran.is_empty() || shell == "bash",
                "{command:?} ran nothing in {shell}"
            );
            let listed = sandbox.command(command);
            let is_reported = listed.codes.iter().any(|code| *code != "starts_others");
            for file in ran {
                let known = |list: &BTreeSet<String>| list.iter().any(|path| path.trim() == file);
                let lists = known(&listed.files) || known(&listed.data);
                assert!(
                    lists || is_reported,
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
    let sandbox = TrustSandbox::with_marking_files();
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
        let listed = sandbox.command(command);
        let expected: BTreeSet<String> = files.iter().map(|file| (*file).to_owned()).collect();
        assert_eq!(listed.files, expected, "{command}");
    }
}

#[test]
fn data_and_output_are_listed_and_not_covered() {
    let sandbox = TrustSandbox::new();
    sandbox.write_file("data.json", "{}");
    sandbox.write_file("notes.txt", "x");
    sandbox.write_file("out.sh", "true\n");
    sandbox.write_file("gate.sh", "true\n");
    sandbox.write_file("src/index.txt", "x");
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
        let listed = sandbox.command(command);
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!((listed.files, listed.data), (set(files), set(data)), "{command}");
    }
    assert!(sandbox.command("cat x > out.sh").codes.contains("output_file"));
    assert!(!sandbox.command("sh gate.sh 2>/dev/null").codes.contains("output_file"));
}

#[test]
fn computed_names_are_reported_in_one_sentence() {
    let sandbox = TrustSandbox::new();
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
        let listed = sandbox.command(command);
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
        let listed = sandbox.command(command);
        assert!(
            !listed.codes.contains("computes_names"),
            "{command}: {:?}",
            listed.texts
        );
    }
}

#[test]
fn files_outside_the_project_are_reported_once_and_system_files_never() {
    let sandbox = TrustSandbox::new();
    write(&sandbox.test_home.root().join("outside/x.sh"), "true\n");
    write(&sandbox.test_home.home.join("mine.sh"), "true\n");
    for command in [
        "sh ../outside/x.sh",
        "cd .. && sh outside/x.sh",
        "sh ~/mine.sh",
        "sh \"$HOME/mine.sh\"",
    ] {
        let listed = sandbox.command(command);
        assert!(
            listed.codes.contains("outside_project"),
            "{command}: {:?}",
            listed.texts
        );
        assert_eq!(listed.files, BTreeSet::new(), "{command}");
    }
    let listed = sandbox.command("/bin/sh -c '/usr/bin/env true' < /dev/null > /dev/null");
    assert!(!listed.codes.contains("outside_project"), "{:?}", listed.texts);
}

#[test]
fn of_a_package_json_only_the_scripts_count() {
    let sandbox = TrustSandbox::new();
    let fingerprint = |package: &str| {
        sandbox.write_file("package.json", package);
        sandbox.command("npm run guard");
        sandbox.content().fingerprint.clone()
    };
    let first = fingerprint(r#"{"name": "x", "scripts": {"guard": "a", "b": "c"}}"#);
    assert_eq!(
        sandbox.listed().files,
        BTreeSet::from(["package.json#scripts".to_owned()])
    );
    assert_eq!(
        fingerprint(r#"{"scripts": {"b": "c", "guard": "a"}, "dependencies": {"d": "1"}}"#),
        first
    );
    assert_ne!(fingerprint(r#"{"scripts": {"guard": "other"}}"#), first);
    assert!(sandbox.command("cargo test").codes.contains("cargo_build"));
}

#[test]
fn a_folder_with_too_much_code_is_reported_and_the_hook_stays_approvable() {
    let sandbox = TrustSandbox::new();
    for index in 0..201 {
        sandbox.write_file(&format!("lib/m{index}.py"), "");
    }
    sandbox.write_file("main.py", "");
    let listed = sandbox.command("PYTHONPATH=lib python3 main.py");
    assert_eq!(listed.files, BTreeSet::from(["main.py".to_owned()]));
    assert!(listed.codes.contains("folder_too_large"), "{:?}", listed.texts);
    assert!(sandbox.content().covered.refusal.is_none());
}

#[test]
fn a_command_with_too_many_names_cannot_be_approved() {
    let sandbox = TrustSandbox::new();
    let many: String = (0..600).fold(String::from("sh"), |text, index| format!("{text} a{index}"));
    let long = format!("sh {}", "a".repeat(70_000));
    for command in [many, long] {
        assert!(sandbox.command(&command).codes.contains("too_many_names"));
        assert!(sandbox.content().covered.refusal.is_some());
    }
}

#[test]
fn a_file_becomes_code_by_its_bit_its_first_line_or_its_place() {
    let sandbox = TrustSandbox::new();
    sandbox.write_file("data", "x");
    sandbox.put_executable("tool", "x");
    sandbox.write_file("script", "#!./interpreter\n");
    sandbox.put_executable("interpreter", "x");
    assert_eq!(sandbox.command("cat data").files, BTreeSet::new());
    assert_eq!(
        sandbox.command("./tool data").files,
        BTreeSet::from(["tool".to_owned()])
    );
    let both = BTreeSet::from(["interpreter".to_owned(), "script".to_owned()]);
    assert_eq!(sandbox.command("./script").files, both);
    assert_eq!(
        sandbox.command("python3 data").files,
        BTreeSet::from(["data".to_owned()])
    );
    assert_eq!(
        sandbox.command("cd . && . ./data").files,
        BTreeSet::from(["data".to_owned()])
    );
    assert_eq!(
        sandbox.command("awk -f data").files,
        BTreeSet::from(["data".to_owned()])
    );
}

#[test]
fn variables_of_an_entry_name_files_too() {
    let sandbox = TrustSandbox::new();
    for file in ["sub/g.sh", "sub/gate.sh", "pre.js", "cfg"] {
        sandbox.write_file(file, "true\n");
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
        let listed = sandbox.entry(entry.clone());
        assert!(listed.files.contains(file), "{entry}: {:?}", listed.files);
    }
}

#[test]
fn hook_tests_are_listed_as_data_and_not_covered() {
    let sandbox = TrustSandbox::new();
    sandbox.write_file("evil.hooktest.yaml", "name: x\n");
    let listed = sandbox.command("sh evil.hooktest.yaml");
    assert_eq!(listed.files, BTreeSet::new());
    assert_eq!(listed.data, BTreeSet::from(["evil.hooktest.yaml".to_owned()]));
}
