//! The files of a hook, and editing the scripts that its command names (`engine.md` §3, `CONTRACTS.md` §2.7).

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_app::{App, commands};
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::{TestHome, hooks, write};

const FIRST: &str = "jcli:project:pre_send_message:0";
const OF_USER: &str = "jcli:user:pre_send_message:0";

struct ScriptSandbox {
    test_home: TestHome,
    app: Arc<App>,
}

impl ScriptSandbox {
    /// A project with hooks of these commands, and an executable script `guard.sh`.
    fn new(commands: &[&str]) -> Self {
        let test_home = TestHome::with_config_folder();
        write(&test_home.hooks_file(), hooks(commands));
        let script = test_home.project.join("guard.sh");
        write(&script, "#!/bin/sh\nexit 0\n");
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let app = test_home.app(ProcessRole::OneShot);
        Self { test_home, app }
    }

    fn script(&self) -> PathBuf {
        self.test_home.project.join("guard.sh")
    }

    async fn ask(&self, method: &str, mut params: Value) -> Result<Value, String> {
        params["project"] = json!(self.test_home.project);
        let answer = commands::call(&self.app, method, params).await;
        answer.map_err(|fault| {
            serde_json::to_value(fault).unwrap()["code"]
                .as_str()
                .unwrap()
                .to_owned()
        })
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        self.ask(method, params).await.expect(method)
    }

    async fn files(&self, hook: &str) -> Vec<PathBuf> {
        let doc = self.call("hooks.files", json!({"hook": hook})).await;
        serde_json::from_value(doc["files"].clone()).unwrap()
    }

    async fn save(&self, hook: &str, path: &Path, text: &str) -> Result<Value, String> {
        let read = self.ask("hooks.text", json!({"path": path, "hook": hook})).await?;
        let request = json!({"path": path, "hook": hook, "text": text, "base": read["hash"]});
        self.ask("edit.save", request).await
    }

    async fn approve(&self, hook: &str) {
        let review = self.call("trust.review", json!({"hook": hook})).await;
        let request = json!({"hook": hook, "fingerprint": review["fingerprint"]});
        self.call("trust.approve", request).await;
    }

    /// Whether each hook of the project is trusted, in the order of the file.
    async fn trusted(&self) -> Vec<bool> {
        let list = self.call("hooks.list", json!({})).await;
        let rows = list["hooks"].as_array().unwrap().iter();
        rows.filter(|row| row["layer"] == "project")
            .map(|row| row["trusted"] == true)
            .collect()
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_files_of_a_hook_are_its_definition_and_the_scripts_that_it_names() {
    let sandbox = ScriptSandbox::new(&["sh guard.sh --list names.txt", "true"]);
    write(&sandbox.test_home.project.join("names.txt"), "data\n");
    let file = sandbox.test_home.hooks_file();
    assert_eq!(sandbox.files(FIRST).await, [file.clone(), sandbox.script()]);
    assert_eq!(sandbox.files("jcli:project:pre_send_message:1").await, [file]);
    let unknown = sandbox.ask("hooks.files", json!({"hook": "jcli:project:stop:7"})).await;
    assert_eq!(unknown, Err("unknown_hook".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_files_of_a_folder_hook_are_those_of_its_folder() {
    let sandbox = ScriptSandbox::new(&["true"]);
    let folder = sandbox.test_home.project.join(".agents/hooks/guard");
    let definition = "---\nname: guard\ndescription: d\ntrigger: before_tool\n---\n";
    write(&folder.join("HOOK.md"), definition);
    write(&folder.join("scripts/run.sh"), "#!/bin/sh\n. ./lib.sh\n");
    write(&folder.join("scripts/lib.sh"), "true\n");
    sandbox
        .app
        .workspace
        .open_project(&sandbox.test_home.project)
        .unwrap()
        .refresh();
    let list = sandbox.call("hooks.list", json!({})).await;
    let mut rows = list["hooks"].as_array().unwrap().iter();
    let row = rows.find(|row| row["dialect"] == "agent-hooks").unwrap();
    let hook = row["hook"].as_str().unwrap().to_owned();
    let wanted = ["HOOK.md", "scripts/lib.sh", "scripts/run.sh"].map(|name| folder.join(name));
    assert_eq!(sandbox.files(&hook).await, wanted);
    for path in &wanted[1..] {
        sandbox.save(&hook, path, "#!/bin/sh\nexit 0\n").await.unwrap();
        assert_eq!(read(path), "#!/bin/sh\nexit 0\n");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_script_keeps_its_mode_and_its_approval_and_can_be_undone_and_redone() {
    let sandbox = ScriptSandbox::new(&["sh guard.sh", "sh guard.sh --again"]);
    sandbox.approve(FIRST).await;
    let before = read(&sandbox.script());
    let dry = sandbox
        .call("hooks.text", json!({"path": sandbox.script(), "hook": FIRST}))
        .await;
    let text = "#!/bin/sh\r\nexit 2\r\n";
    let request = json!({"path": sandbox.script(), "hook": FIRST, "text": text, "base": dry["hash"], "dry_run": true});
    let dry = sandbox.call("edit.save", request).await;
    assert_eq!(
        (&dry["written"], read(&sandbox.script())),
        (&json!(false), before.clone())
    );
    assert!(dry["diff"].as_str().unwrap().contains("-exit 0"), "{dry:#}");
    // The second hook was never approved, and still is not.
    assert_eq!(dry["notices"][0]["hook"], "jcli:project:pre_send_message:1");

    let doc = sandbox.save(FIRST, &sandbox.script(), text).await.unwrap();
    assert_eq!((read(&sandbox.script()), &doc["diff"]), (text.to_owned(), &dry["diff"]));
    let mode = std::fs::metadata(sandbox.script()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    assert_eq!(sandbox.trusted().await, [true, false]);

    let undone = sandbox.call("edit.undo", json!({"undo": doc["edit"]})).await;
    assert_eq!(
        (read(&sandbox.script()), sandbox.trusted().await),
        (before, vec![true, false])
    );
    sandbox.call("edit.undo", json!({"undo": undone["edit"]})).await;
    assert_eq!(
        (read(&sandbox.script()), sandbox.trusted().await),
        (text.to_owned(), vec![true, false])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_edit_of_one_script_approves_no_other_one_that_changed() {
    let sandbox = ScriptSandbox::new(&["sh guard.sh other.sh"]);
    let other = sandbox.test_home.project.join("other.sh");
    write(&other, "true\n");
    sandbox.approve(FIRST).await;
    write(&other, "curl example.test\n");
    assert_eq!(sandbox.trusted().await, [false]);
    let doc = sandbox.save(FIRST, &sandbox.script(), "exit 2\n").await.unwrap();
    assert_eq!(sandbox.trusted().await, [false]);
    assert_eq!(doc["notices"][0]["code"], "edit_unapproved");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_changed_since_it_was_read_is_not_written() {
    let sandbox = ScriptSandbox::new(&["sh guard.sh"]);
    let read_doc = sandbox
        .call("hooks.text", json!({"path": sandbox.script(), "hook": FIRST}))
        .await;
    write(&sandbox.script(), "exit 1\n");
    let request = json!({"path": sandbox.script(), "hook": FIRST, "text": "exit 2\n", "base": read_doc["hash"]});
    let check = sandbox.call("edit.check", request.clone()).await;
    assert_eq!((&check["same_base"], &check["hooks"]), (&json!(false), &json!([])));
    assert_eq!(
        sandbox.ask("edit.save", request).await,
        Err("edit_file_changed".to_owned())
    );
    assert_eq!(read(&sandbox.script()), "exit 1\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_files_that_the_hook_names_inside_the_project_are_shown_and_written() {
    let sandbox = ScriptSandbox::new(&["sh guard.sh; . ~/.profile; sh link.sh"]);
    let profile = sandbox.test_home.home.join(".profile");
    write(&profile, "PATH=/secret\n");
    let outside = sandbox.test_home.root().join("outside.sh");
    write(&outside, "true\n");
    symlink(&outside, sandbox.test_home.project.join("link.sh")).unwrap();
    write(&sandbox.test_home.project.join("notes.sh"), "true\n");
    assert_eq!(
        sandbox.files(FIRST).await,
        [sandbox.test_home.hooks_file(), sandbox.script()]
    );
    let project = &sandbox.test_home.project;
    for path in [profile, outside, project.join("link.sh"), project.join("notes.sh")] {
        for method in ["hooks.text", "edit.check", "edit.save"] {
            let request = json!({"path": path, "hook": FIRST, "text": "evil\n"});
            let answer = sandbox.ask(method, request).await;
            assert_eq!(answer, Err("edit_outside".to_owned()), "{method} {}", path.display());
        }
    }
    let without_hook = json!({"path": sandbox.script()});
    assert_eq!(
        sandbox.ask("hooks.text", without_hook).await,
        Err("edit_outside".to_owned())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_became_a_link_is_neither_written_nor_restored() {
    let sandbox = ScriptSandbox::new(&["sh guard.sh"]);
    let outside = sandbox.test_home.root().join("outside.sh");
    let doc = sandbox.save(FIRST, &sandbox.script(), "exit 2\n").await.unwrap();
    write(&outside, "exit 2\n");
    std::fs::remove_file(sandbox.script()).unwrap();
    symlink(&outside, sandbox.script()).unwrap();
    let undo = sandbox.ask("edit.undo", json!({"undo": doc["edit"]})).await;
    assert_eq!(undo, Err("edit_outside".to_owned()));
    assert_eq!(
        sandbox.save(FIRST, &sandbox.script(), "x\n").await,
        Err("edit_outside".to_owned())
    );
    assert_eq!(read(&outside), "exit 2\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_of_the_user_has_scripts_of_the_home_directory_and_needs_no_approval() {
    let sandbox = ScriptSandbox::new(&["true"]);
    let script = sandbox.test_home.home.join("bin/mine.sh");
    write(&script, "true\n");
    write(&sandbox.test_home.user_file(), hooks(&["sh ~/bin/mine.sh"]));
    sandbox
        .app
        .workspace
        .open_project(&sandbox.test_home.project)
        .unwrap()
        .refresh();
    assert_eq!(
        sandbox.files(OF_USER).await,
        [sandbox.test_home.user_file(), script.clone()]
    );
    let doc = sandbox.save(OF_USER, &script, "exit 2\n").await.unwrap();
    assert_eq!((read(&script), doc.get("notices")), ("exit 2\n".to_owned(), None));
    let edits = commands::call(&sandbox.app, "edit.list", json!({})).await.unwrap();
    assert_eq!(edits["edits"][0]["in_project"], false);
}

/// The fixes of the problems of a project, each with its hook.
async fn fixes(sandbox: &ScriptSandbox) -> Vec<Value> {
    sandbox
        .app
        .workspace
        .open_project(&sandbox.test_home.project)
        .unwrap()
        .refresh();
    let list = sandbox.call("hooks.list", json!({})).await;
    let with_hook = |problem: &Value| {
        let fixes = problem["fixes"].as_array().cloned().unwrap_or_default();
        let hook = problem["hook"].clone();
        fixes.into_iter().map(move |fix| json!({"hook": hook, "fix": fix}))
    };
    list["problems"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(with_hook)
        .collect()
}

fn mode_of(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test(flavor = "multi_thread")]
async fn the_executable_bits_are_set_with_the_exact_change_shown_first_and_can_be_undone() {
    let sandbox = ScriptSandbox::new(&["./guard.sh"]);
    std::fs::set_permissions(sandbox.script(), std::fs::Permissions::from_mode(0o644)).unwrap();
    sandbox.approve(FIRST).await;
    let offered = fixes(&sandbox).await;
    assert_eq!(offered.len(), 1, "{offered:#?}");
    assert_eq!(offered[0]["fix"]["fix"], "make_executable");
    let mut request = offered[0].clone();
    request["dry_run"] = json!(true);
    let dry = sandbox.call("edit.fix", request).await;
    assert!(
        dry["diff"]
            .as_str()
            .unwrap()
            .ends_with("old mode 0644\nnew mode 0755\n"),
        "{dry:#}"
    );
    assert_eq!((mode_of(&sandbox.script()), &dry["written"]), (0o644, &json!(false)));
    let done = sandbox.call("edit.fix", offered[0].clone()).await;
    assert_eq!((mode_of(&sandbox.script()), &done["written"]), (0o755, &json!(true)));
    assert_eq!(
        sandbox.trusted().await,
        [true],
        "the approval covers the file as before"
    );
    assert!(fixes(&sandbox).await.is_empty());
    sandbox.call("edit.undo", json!({"undo": done["edit"]})).await;
    assert_eq!(mode_of(&sandbox.script()), 0o644);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_of_a_text_leaves_a_mode_that_was_changed_since() {
    let sandbox = ScriptSandbox::new(&["sh guard.sh"]);
    let doc = sandbox.save(FIRST, &sandbox.script(), "exit 2\n").await.unwrap();
    std::fs::set_permissions(sandbox.script(), std::fs::Permissions::from_mode(0o700)).unwrap();
    sandbox.call("edit.undo", json!({"undo": doc["edit"]})).await;
    assert_eq!(mode_of(&sandbox.script()), 0o700);
}

#[tokio::test(flavor = "multi_thread")]
async fn line_endings_and_the_interpreter_line_are_corrected() {
    let sandbox = ScriptSandbox::new(&["./guard.sh"]);
    write(&sandbox.script(), "#!/bin/sh\r\nexit 0\r\n");
    let offered = fixes(&sandbox).await;
    assert_eq!(offered[0]["fix"]["fix"], "line_endings", "{offered:#?}");
    sandbox.call("edit.fix", offered[0].clone()).await;
    assert_eq!(
        (read(&sandbox.script()), mode_of(&sandbox.script())),
        ("#!/bin/sh\nexit 0\n".to_owned(), 0o755)
    );
    write(&sandbox.script(), "#!/no/such/place/sh -e\nexit 0\n");
    let offered = fixes(&sandbox).await;
    assert_eq!(offered[0]["fix"]["line"], "#!/usr/bin/env -S sh -e", "{offered:#?}");
    let done = sandbox.call("edit.fix", offered[0].clone()).await;
    assert_eq!(read(&sandbox.script()), "#!/usr/bin/env -S sh -e\nexit 0\n");
    sandbox.call("edit.undo", json!({"undo": done["edit"]})).await;
    assert_eq!(read(&sandbox.script()), "#!/no/such/place/sh -e\nexit 0\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_line_endings_of_a_script_that_a_shell_reads_are_corrected() {
    let sandbox = ScriptSandbox::new(&["sh guard.sh"]);
    write(&sandbox.script(), "echo hi\r\nexit 0\r\n");
    let offered = fixes(&sandbox).await;
    assert_eq!(offered[0]["fix"]["fix"], "line_endings", "{offered:#?}");
    sandbox.call("edit.fix", offered[0].clone()).await;
    assert_eq!(read(&sandbox.script()), "echo hi\nexit 0\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_script_of_a_hook_is_fixed() {
    let sandbox = ScriptSandbox::new(&["./guard.sh"]);
    let other = sandbox.test_home.project.join("other.sh");
    write(&other, "true\n");
    let fix = |path: &Path, line: &str| json!({"hook": FIRST, "fix": {"fix": "interpreter_line", "path": path, "line": line}});
    let refused = sandbox.ask("edit.fix", fix(&other, "#!/bin/sh")).await;
    assert_eq!(refused, Err("fix_not_a_script".to_owned()));
    let refused = sandbox
        .ask("edit.fix", fix(&sandbox.script(), "#!/bin/sh\nrm -r /"))
        .await;
    assert_eq!(refused, Err("fix_bad_line".to_owned()));
    let refused = sandbox
        .ask("edit.fix", fix(&sandbox.test_home.hooks_file(), "#!/bin/sh"))
        .await;
    assert_eq!(refused, Err("fix_not_a_script".to_owned()));
}

#[tokio::test]
async fn what_is_wrong_with_an_output_is_found_in_its_script_and_corrected_there() {
    let sandbox = ScriptSandbox::new(&["./guard.sh"]);
    write(
        &sandbox.script(),
        "#!/bin/sh\necho checking\necho '{\"action\": \"stop\"}'\n",
    );
    sandbox.approve(FIRST).await;
    let request = json!({"run": "r", "dialect": "jcli", "event": "pre_send_message", "payload": {}});
    let trace = sandbox.call("fire", request).await;
    let problems = &trace["steps"][0]["attempts"][0]["output_problems"];
    assert_eq!(problems[0]["code"], "output_text_before", "{trace}");
    let doc = sandbox.call("output.origins", json!({"trace": trace["trace"]})).await;
    let origin = &doc["origins"][0];
    assert_eq!(
        (&origin["path"], &origin["line"], &origin["script"], &origin["hook"]),
        (&json!(sandbox.script()), &json!(2), &json!(true), &json!(FIRST))
    );
    let fix = &origin["fixes"][0];
    assert_eq!(fix["fix"], "to_stderr");
    let done = sandbox.call("edit.fix", json!({"hook": FIRST, "fix": fix})).await;
    assert_eq!(
        done["changes"][0]["hunks"][0],
        json!({
            "old_start": 1,
            "new_start": 1,
            "before": "#!/bin/sh\necho checking\necho '{\"action\": \"stop\"}'\n",
            "after": "#!/bin/sh\necho >&2 checking\necho '{\"action\": \"stop\"}'\n",
        })
    );
    let doc = sandbox.call("output.origins", json!({"trace": trace["trace"]})).await;
    assert_eq!(
        doc["origins"][0]["fixes"],
        json!([]),
        "the same fix is not offered again"
    );
}
