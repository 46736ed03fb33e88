//! Samples: what is listed, adding each of them to every layer, and undoing it (`CONTRACTS.md` §2.7).

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_app::{App, commands};
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::{TestHome, write};

struct SampleSandbox {
    test_home: TestHome,
    app: Arc<App>,
}

impl SampleSandbox {
    fn new() -> Self {
        let test_home = TestHome::new();
        let app = test_home.app(ProcessRole::OneShot);
        Self { test_home, app }
    }

    async fn ask(&self, method: &str, params: Value) -> Result<Value, String> {
        let answer = commands::call(&self.app, method, params).await;
        answer.map_err(|fault| format!("{}: {}", fault.code, fault.message))
    }

    async fn samples(&self) -> Vec<Value> {
        let doc = self.ask("samples.list", json!({})).await.expect("a list");
        doc["samples"].as_array().unwrap().clone()
    }

    async fn add(&self, sample: &str, layer: Option<&str>, dry_run: bool) -> Result<Value, String> {
        let mut params = json!({"project": self.test_home.project, "sample": sample, "dry_run": dry_run});
        if let Some(layer) = layer {
            params["layer"] = json!(layer);
        }
        self.ask("samples.add", params).await
    }

    fn project_file(&self, path: &str) -> PathBuf {
        self.test_home.project.join(path)
    }

    /// Every file of the home and the project, except Hookwright's own, with text and mode.
    fn files(&self) -> BTreeMap<PathBuf, (Vec<u8>, u32)> {
        let mut files = BTreeMap::new();
        let data = self.test_home.home.join("data");
        collect(self.test_home.root(), &data, &mut files);
        files
    }
}

fn collect(folder: &Path, data: &Path, files: &mut BTreeMap<PathBuf, (Vec<u8>, u32)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path == data {
            continue;
        }
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        if path.is_dir() {
            files.insert(path.clone(), (Vec::new(), mode));
            collect(&path, data, files);
        } else {
            files.insert(path.clone(), (std::fs::read(&path).unwrap(), mode));
        }
    }
}

#[tokio::test]
async fn every_folder_with_a_sample_is_listed_with_both_sentences_and_its_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hooks-samples");
    let mut on_disk = Vec::new();
    for dialect in std::fs::read_dir(&folder).unwrap().flatten() {
        for sample in std::fs::read_dir(dialect.path()).into_iter().flatten().flatten() {
            if sample.path().join("sample.yaml").is_file() {
                let name = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
                on_disk.push(format!("{}/{}", name(&dialect), name(&sample)));
            }
        }
    }
    on_disk.sort();
    let samples = SampleSandbox::new().samples().await;
    let mut listed: Vec<&str> = samples
        .iter()
        .map(|sample| sample["sample"].as_str().unwrap())
        .collect();
    listed.sort_unstable();
    assert_eq!(listed, on_disk);
    for sample in &samples {
        let has_text = |language: &str| !sample["about"][language].as_str().unwrap().is_empty();
        assert!(has_text("en") && has_text("zh"), "{sample}");
        assert!(!sample["hooks"].as_array().unwrap().is_empty(), "{sample}");
        let files = sample["files"].as_array().unwrap();
        let first = files[0]["path"].as_str().unwrap();
        assert!(
            first.contains("hook") || first.contains("HOOK") || first.contains("settings") || first.contains("config"),
            "{first}"
        );
        for file in files {
            let is_program = file["text"].as_str().unwrap().starts_with("#!");
            assert!(!is_program || file["executable"] == true, "{}", file["path"]);
        }
    }
}

#[tokio::test]
async fn every_sample_is_added_to_each_of_its_layers_and_undone_completely() {
    let sandbox = SampleSandbox::new();
    let before = sandbox.files();
    for sample in sandbox.samples().await {
        let id = sample["sample"].as_str().unwrap();
        for layer in sample["layers"].as_array().unwrap() {
            let layer = layer.as_str().unwrap();
            let what = format!("{id} in {layer}");
            let planned = sandbox.add(id, Some(layer), true).await.expect(&what);
            assert_eq!(planned["written"], false, "{what}");
            assert_eq!(sandbox.files(), before, "{what}");
            let done = sandbox.add(id, Some(layer), false).await.expect(&what);
            assert_eq!(
                (&done["written"], &done["diff"]),
                (&json!(true), &planned["diff"]),
                "{what}"
            );
            assert!(done["hook"].is_string(), "{what}: {done}");
            let errors = done["problems"].as_array().unwrap().iter();
            let errors: Vec<_> = errors.filter(|problem| problem["severity"] != "hint").collect();
            let own = |problem: &&&Value| problem["code"] == "script_missing" || problem["severity"] == "error";
            assert_eq!(errors.iter().find(own), None, "{what}");
            let again = sandbox.add(id, Some(layer), false).await.expect(&what);
            assert_eq!(
                (&again["written"], &again["diff"]),
                (&json!(false), &json!("")),
                "{what} again"
            );
            let undo = json!({"project": sandbox.test_home.project, "undo": done["undo"]});
            sandbox.ask("edit.undo", undo).await.expect(&what);
            assert_eq!(sandbox.files(), before, "{what}: undone");
        }
    }
}

#[tokio::test]
async fn hooks_are_appended_and_the_rest_of_the_file_stays() {
    let sandbox = SampleSandbox::new();
    let text = "# mine\npre_tool_execution:\n  - command:   'true'   # odd spaces stay\n\nstop: []  # none\n";
    let file = sandbox.project_file(".jcli/hooks.yaml");
    write(&file, text);
    let done = sandbox.add("jcli/guard-shell", None, false).await.unwrap();
    let after = std::fs::read_to_string(&file).unwrap();
    let mut lines = after.lines();
    for line in text.lines() {
        assert!(lines.any(|found| found == line), "{line:?} is not in {after}");
    }
    assert!(
        after.contains("python3 .jcli/hooks/guard_shell.py") && after.contains("tool_matcher"),
        "{after}"
    );
    let script = sandbox.project_file(".jcli/hooks/guard_shell.py");
    assert_eq!(script.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(done["hook"], "jcli:project:pre_tool_execution:1");
    let notices = done["notices"].as_array().unwrap();
    assert!(
        notices.iter().any(|notice| notice["code"] == "edit_unapproved"),
        "{notices:?}"
    );
    let undo = json!({"project": sandbox.test_home.project, "undo": done["undo"]});
    sandbox.ask("edit.undo", undo).await.unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    assert!(!script.exists());
}

#[tokio::test]
async fn groups_keep_their_matchers_when_they_are_appended() {
    let sandbox = SampleSandbox::new();
    let file = sandbox.project_file(".qoder/settings.json");
    write(&file, "{\n  \"model\": \"x\",\n  \"hooks\": {}\n}\n");
    sandbox.add("qoder/command-guard", None, false).await.unwrap();
    let after: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let groups = after["hooks"]["PreToolUse"].as_array().unwrap();
    let matchers: Vec<&Value> = groups.iter().map(|group| &group["matcher"]).collect();
    assert_eq!(matchers, ["Bash", "Edit|Write|NotebookEdit", "mcp__.*"]);
    assert_eq!(after["model"], "x");
}

#[tokio::test]
async fn a_script_of_another_text_refuses_the_sample_and_nothing_changes() {
    let sandbox = SampleSandbox::new();
    write(&sandbox.project_file(".jcli/hooks/guard_shell.py"), "print('mine')\n");
    let before = sandbox.files();
    let refused = sandbox.add("jcli/guard-shell", None, false).await.unwrap_err();
    assert!(
        refused.starts_with("edit_exists") && refused.contains("guard_shell.py"),
        "{refused}"
    );
    assert_eq!(sandbox.files(), before);
}

#[tokio::test]
async fn a_project_that_leads_out_through_a_link_is_refused() {
    let sandbox = SampleSandbox::new();
    let elsewhere = sandbox.test_home.folder.path().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, sandbox.project_file(".jcli")).unwrap();
    let refused = sandbox.add("jcli/guard-shell", None, false).await.unwrap_err();
    assert!(refused.starts_with("edit_outside"), "{refused}");
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[tokio::test]
async fn in_the_user_layer_the_definition_names_the_script_where_it_is() {
    let sandbox = SampleSandbox::new();
    sandbox.add("jcli/guard-shell", Some("user"), false).await.unwrap();
    let text = std::fs::read_to_string(sandbox.test_home.user_file()).unwrap();
    assert!(text.contains("python3 ~/.jdata/agent/hooks/guard_shell.py"), "{text}");
    sandbox
        .add("picoclaw/redact-results", Some("user"), false)
        .await
        .unwrap();
    let config = sandbox.test_home.home.join(".picoclaw/config.json");
    let config: Value = serde_json::from_slice(&std::fs::read(config).unwrap()).unwrap();
    let script = sandbox.test_home.home.join(".picoclaw/redact.py");
    assert_eq!(config["hooks"]["processes"]["redact"]["command"][1], json!(script));
    assert!(script.is_file());
    sandbox.add("qoder/command-guard", Some("user"), false).await.unwrap();
    let settings = std::fs::read_to_string(sandbox.test_home.home.join(".qoder/settings.json")).unwrap();
    assert!(
        settings.contains("python3 ~/.qoder/hooks/guard_commands.py"),
        "{settings}"
    );
}

#[tokio::test]
async fn an_unknown_sample_or_layer_is_refused() {
    let sandbox = SampleSandbox::new();
    assert!(
        sandbox
            .add("jcli/none", None, true)
            .await
            .unwrap_err()
            .starts_with("sample_unknown")
    );
    assert!(sandbox.add("skill/house-rules", Some("user"), true).await.is_err());
}
