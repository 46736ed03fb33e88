//! The text of a hook file: what an unsaved one would define, saving it, and the list of edits (`CONTRACTS.md` §2.7).

use std::sync::Arc;

use hookwright_app::{App, commands};
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};

use crate::common::{TestHome, hooks, write};

const FIRST: &str = "jcli:project:pre_send_message:0";
const SECOND: &str = "jcli:project:pre_send_message:1";

struct EditSandbox {
    test_home: TestHome,
    app: Arc<App>,
}

impl EditSandbox {
    /// A project with hooks of these commands.
    fn new(commands: &[&str]) -> Self {
        let test_home = TestHome::with_config_folder();
        write(&test_home.hooks_file(), hooks(commands));
        let app = test_home.app(ProcessRole::OneShot);
        Self { test_home, app }
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

    fn path(&self) -> Value {
        json!(self.test_home.hooks_file())
    }

    async fn hash(&self) -> Value {
        self.call("hooks.text", json!({"path": self.path()})).await["hash"].clone()
    }

    async fn check(&self, text: &str) -> Value {
        let base = self.hash().await;
        self.call("edit.check", json!({"path": self.path(), "text": text, "base": base}))
            .await
    }

    async fn save(&self, text: &str) -> Result<Value, String> {
        let base = self.hash().await;
        self.ask("edit.save", json!({"path": self.path(), "text": text, "base": base}))
            .await
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

    fn read(&self) -> String {
        std::fs::read_to_string(self.test_home.hooks_file()).unwrap()
    }

    async fn edits(&self, params: Value) -> Value {
        commands::call(&self.app, "edit.list", params).await.expect("a list")
    }
}

fn codes(doc: &Value) -> Vec<&str> {
    let problems = doc["problems"].as_array().unwrap().iter();
    problems.map(|problem| problem["code"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_has_its_hash_and_the_lines_of_each_hook() {
    let sandbox = EditSandbox::new(&["true"]);
    let text = "# mine\npre_send_message:\n  - command: a\n    timeout: 3\n  # two\n  - command: |\n      b\n      c\n";
    write(&sandbox.test_home.hooks_file(), text);
    sandbox.app.workspace.open_project(&sandbox.test_home.project).unwrap();
    let doc = sandbox.call("hooks.text", json!({"path": sandbox.path()})).await;
    assert_eq!(doc["text"], text);
    assert_eq!(doc["hash"], blake3::hash(text.as_bytes()).to_hex().to_string());
    let place = |field, line, column| json!({"field": field, "line": line, "column": column});
    let lines = |hook, line, end, fields: &[_]| json!({"hook": hook, "line": line, "end_line": end, "fields": fields});
    let first = lines(FIRST, 3, 4, &[place("command", 3, 14), place("timeout", 4, 14)]);
    assert_eq!(
        doc["hooks"],
        json!([first, lines(SECOND, 6, 8, &[place("command", 7, 7)])])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsaved_text_shows_its_hooks_and_problems_and_changes_nothing() {
    let sandbox = EditSandbox::new(&["true"]);
    let before = sandbox.read();
    let doc = sandbox
        .check("pre_send_message:\n  - command: a\n  - comand: b\nstop:\n  - command: c\n    timeout: soon\n")
        .await;
    assert_eq!((&doc["parses"], &doc["same_base"]), (&json!(true), &json!(true)));
    let ids: Vec<&str> = doc["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["hook"].as_str().unwrap())
        .collect();
    assert_eq!(ids, [FIRST, SECOND, "jcli:project:stop:0"]);
    assert!(codes(&doc).contains(&"unknown_field"), "{doc:#}");
    let at = |code: &str| {
        let problem = doc["problems"]
            .as_array()
            .unwrap()
            .iter()
            .find(|problem| problem["code"] == code);
        problem.map(|problem| (problem["line"].clone(), problem["column"].clone()))
    };
    assert_eq!(at("unknown_field"), Some((json!(3), json!(5))));
    assert_eq!(sandbox.read(), before);

    let broken = sandbox.check("pre_send_message: [\n").await;
    assert_eq!((&broken["parses"], &broken["hooks"]), (&json!(false), &json!([])));
    assert!(!codes(&broken).is_empty());

    let old = json!({"path": sandbox.path(), "text": "", "base": "0"});
    assert_eq!(sandbox.call("edit.check", old).await["same_base"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_of_an_undo_shows_the_difference_and_writes_nothing() {
    let sandbox = EditSandbox::new(&["a"]);
    let first = sandbox.read();
    let saved = sandbox.save("pre_send_message:\n  - command: b\n").await.unwrap();
    let undo = json!({"undo": saved["undo"], "dry_run": true});
    let doc = sandbox.call("edit.undo", undo.clone()).await;
    let diff = doc["diff"].as_str().unwrap();
    assert!(diff.contains("-  - command: b"), "{diff}");
    assert_eq!((&doc["edit"], &doc["undone"]), (&Value::Null, &saved["undo"]));
    assert_ne!(sandbox.read(), first);
    assert_eq!(sandbox.edits(json!({})).await["edits"].as_array().unwrap().len(), 1);

    let done = sandbox.call("edit.undo", json!({"undo": saved["undo"]})).await;
    assert_eq!((&done["diff"], sandbox.read()), (&doc["diff"], first));
    assert_eq!(sandbox.ask("edit.undo", undo).await, Err("edit_undone".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_file_can_be_checked_and_saved() {
    let sandbox = EditSandbox::new(&["true"]);
    let settings = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"true\"}]}]}}\n";
    let definition = "---\nname: guard\ndescription: d\ntrigger: before_tool\n---\n";
    for (file, text) in [
        (".qoder/settings.json", settings),
        (".agents/hooks/guard/HOOK.md", definition),
    ] {
        let path = sandbox.test_home.project.join(file);
        let request = json!({"path": path, "text": text});
        let doc = sandbox.call("edit.check", request.clone()).await;
        let hooks = doc["hooks"].as_array().unwrap();
        assert_eq!((hooks.len(), &doc["hash"]), (1, &Value::Null), "{doc:#}");
        let done = sandbox.call("edit.save", request).await;
        assert_eq!(done["written"], true, "{done:#}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        sandbox.call("edit.undo", json!({"undo": done["edit"]})).await;
        assert!(
            !path.parent().unwrap().exists(),
            "undo also removes the new folder of {file}"
        );
    }
    let elsewhere = json!({"path": sandbox.test_home.project.join("notes.yaml"), "text": "a"});
    for method in ["edit.save", "edit.check"] {
        assert_eq!(
            sandbox.ask(method, elsewhere.clone()).await,
            Err("edit_outside".into()),
            "{method}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_saved_text_is_written_exactly_and_can_be_undone_and_redone() {
    let sandbox = EditSandbox::new(&["a", "b"]);
    let before = sandbox.read();
    let text = "# \u{4e00}\r\npre_send_message:\r\n  - command: b\r\n";
    let base = sandbox.hash().await;
    let request = json!({"path": sandbox.path(), "text": text, "base": base, "hook": SECOND, "dry_run": true});
    let dry = sandbox.call("edit.save", request.clone()).await;
    assert_eq!((&dry["written"], sandbox.read()), (&json!(false), before.clone()));
    let mut request = request;
    request["dry_run"] = json!(false);
    let doc = sandbox.call("edit.save", request).await;
    assert_eq!(
        (sandbox.read(), &doc["hook"], &doc["diff"]),
        (text.to_owned(), &json!(FIRST), &dry["diff"])
    );
    assert_eq!(doc["moved"], json!({SECOND: FIRST}));

    let edits = sandbox.edits(json!({})).await;
    let row = &edits["edits"][0];
    assert_eq!(
        (&row["edit"], &row["what"], &row["label"]),
        (&doc["edit"], &json!("save"), &json!("b"))
    );
    assert_eq!(
        (&row["can_undo"], &row["undone"], &row["in_project"]),
        (&json!(true), &json!(false), &json!(true))
    );
    let undone = sandbox.call("edit.undo", json!({"undo": doc["edit"]})).await;
    assert_eq!(sandbox.read(), before);
    sandbox.call("edit.undo", json!({"undo": undone["edit"]})).await;
    assert_eq!(sandbox.read(), text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_refused_if_the_file_changed_or_the_text_has_a_new_error() {
    let sandbox = EditSandbox::new(&["a"]);
    let base = sandbox.hash().await;
    write(&sandbox.test_home.hooks_file(), hooks(&["b"]));
    let request = json!({"path": sandbox.path(), "text": hooks(&["c"]), "base": base});
    assert_eq!(sandbox.ask("edit.save", request).await, Err("edit_file_changed".into()));
    let without_base = json!({"path": sandbox.path(), "text": hooks(&["c"])});
    assert_eq!(
        sandbox.ask("edit.save", without_base).await,
        Err("edit_file_changed".into())
    );
    for wrong in [
        "pre_send_message: [\n",
        "pre_send_message:\n  - command: a\n    timeout: soon\n",
    ] {
        assert_eq!(sandbox.save(wrong).await, Err("edit_would_be_wrong".into()), "{wrong}");
    }
    assert_eq!(sandbox.read(), hooks(&["b"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approval_moves_with_an_approved_hook_and_undo_restores_it() {
    let sandbox = EditSandbox::new(&["true a", "true b"]);
    sandbox.approve(FIRST).await;
    assert_eq!(sandbox.trusted().await, [true, false]);
    let doc = sandbox.save(&hooks(&["true c", "true b"])).await.unwrap();
    assert_eq!(sandbox.trusted().await, [true, false], "{doc:#}");
    assert_eq!(doc.get("notices"), None, "{doc:#}");
    sandbox.call("edit.undo", json!({"undo": doc["edit"]})).await;
    assert_eq!(sandbox.trusted().await, [true, false]);
    // Inserting a hook moves the ids of the others, not their approvals.
    let doc = sandbox.save(&hooks(&["true n", "true a", "true b"])).await.unwrap();
    assert_eq!(sandbox.trusted().await, [false, true, false]);
    assert_eq!(doc["notices"][0]["code"], "edit_unapproved");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_nobody_reviewed_cannot_take_the_place_of_an_approved_one() {
    let sandbox = EditSandbox::new(&["true a", "true b"]);
    sandbox.approve(FIRST).await;
    // The approved hook is removed, and the other one is changed and gets its id.
    let doc = sandbox.save(&hooks(&["true b2"])).await.unwrap();
    assert_eq!(sandbox.trusted().await, [false], "{doc:#}");
    assert_eq!(doc["notices"][0]["code"], "edit_unapproved");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_hook_whose_script_was_not_approved_waits_for_a_review() {
    let sandbox = EditSandbox::new(&["sh a.sh"]);
    write(&sandbox.test_home.project.join("a.sh"), "true\n");
    write(&sandbox.test_home.project.join("b.sh"), "true\n");
    sandbox.approve(FIRST).await;
    sandbox.save(&hooks(&["sh a.sh --fast"])).await.unwrap();
    assert_eq!(sandbox.trusted().await, [true]);
    sandbox.save(&hooks(&["sh b.sh"])).await.unwrap();
    assert_eq!(sandbox.trusted().await, [false]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mute_moves_with_the_hook_that_the_text_changes() {
    let sandbox = EditSandbox::new(&["a", "b"]);
    sandbox.call("mute", json!({"hook": SECOND})).await;
    let doc = sandbox.save(&hooks(&["a", "c"])).await.unwrap();
    let muted = |list: &Value| -> Vec<bool> {
        let rows = list["hooks"].as_array().unwrap().iter();
        rows.map(|row| row["muted"] == true).collect()
    };
    assert_eq!(muted(&sandbox.call("hooks.list", json!({})).await), [false, true]);
    sandbox.call("edit.undo", json!({"undo": doc["edit"]})).await;
    assert_eq!(muted(&sandbox.call("hooks.list", json!({})).await), [false, true]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_edits_are_listed_page_by_page_with_the_reason_why_one_cannot_be_undone() {
    let sandbox = EditSandbox::new(&["a"]);
    let mut ids = Vec::new();
    for command in ["b", "c", "d"] {
        ids.push(sandbox.save(&hooks(&[command])).await.unwrap()["edit"].clone());
    }
    let page = sandbox.edits(json!({"limit": 2})).await;
    let of = |page: &Value, field: &str| -> Vec<Value> {
        page["edits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row[field].clone())
            .collect()
    };
    assert_eq!(of(&page, "edit"), [ids[2].clone(), ids[1].clone()]);
    assert_eq!(of(&page, "can_undo"), [true, false]);
    assert_eq!(page["edits"][1]["why"]["code"], "edit_changed_since");
    let rest = sandbox.edits(json!({"limit": 2, "after": page["next"]})).await;
    assert_eq!((of(&rest, "edit"), &rest["next"]), (vec![ids[0].clone()], &Value::Null));

    sandbox.call("edit.undo", json!({"undo": ids[2]})).await;
    let page = sandbox.edits(json!({"project": sandbox.test_home.project})).await;
    assert_eq!(of(&page, "what"), ["undo", "save", "save", "save"]);
    assert_eq!(of(&page, "undone"), [false, true, false, false]);
    assert_eq!(
        of(&page, "can_undo"),
        [true, false, true, false],
        "the second save is undone next"
    );
    assert_eq!(page["edits"][1]["why"]["code"], "edit_undone");
    let elsewhere = sandbox.edits(json!({"project": sandbox.test_home.home})).await;
    assert_eq!(elsewhere["edits"], json!([]));
}
