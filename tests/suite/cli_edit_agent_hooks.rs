//! Tests of edits of Agent Hooks: front matter, script and folder (`CONTRACTS.md` §2.7).

use std::os::unix::fs::PermissionsExt;

use hookwright_testkit::{Finished, Sandbox};
use serde_json::json;

use crate::editing::{self, edit, read};

const FOLDER: &str = "home/.config/agents/hooks/guard";
const HOOK: &str = "---\r\n# what it guards\r\nname: guard\r\ndescription: 'Looks at commands' # one line\r\ntrigger: before_tool\r\nmatcher:\r\n  tool: \"Shell\"\r\n---\r\n\r\n# Guard\r\n\r\n---\r\nname: not this one\r\n";
const SCRIPT: &str = "#!/bin/sh\nexit 0\n";

fn with_hook() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(&format!("{FOLDER}/HOOK.md"), HOOK);
    sandbox.script(&format!("{FOLDER}/scripts/run.sh"), SCRIPT);
    sandbox.write(&format!("{FOLDER}/data/words.bin"), [0, 159, 146, 150]);
    sandbox
}

fn mode(sandbox: &Sandbox, inside: &str) -> u32 {
    std::fs::metadata(sandbox.path(inside)).unwrap().permissions().mode() & 0o777
}

fn add(sandbox: &Sandbox, event: &str, layer: &str, definition: &str) -> Finished {
    editing::add(sandbox, "agent-hooks", event, layer, definition)
}

#[test]
fn the_front_matter_changes_and_the_text_after_it_stays() {
    let sandbox = with_hook();
    let doc = edit(
        &sandbox,
        &[
            "agent-hooks:user:guard",
            "--set",
            "timeout=5000",
            "--set",
            "matcher.tool=Bash",
        ],
    );
    assert_eq!(
        (&doc["hook"], &doc["moved"]),
        (&json!("agent-hooks:user:guard"), &json!({}))
    );
    assert_eq!(doc["path"], json!(sandbox.path(&format!("{FOLDER}/HOOK.md"))));
    let after = HOOK.replace("  tool: \"Shell\"\r\n", "  tool: \"Bash\"\r\ntimeout: 5000\r\n");
    assert_eq!(read(&sandbox, &format!("{FOLDER}/HOOK.md")), after);
    edit(
        &sandbox,
        &[
            "agent-hooks:user:guard",
            "--unset",
            "timeout",
            "--set",
            "matcher.tool=Shell",
        ],
    );
    assert_eq!(read(&sandbox, &format!("{FOLDER}/HOOK.md")), HOOK);
}

#[test]
fn the_script_changes_and_stays_executable() {
    let sandbox = with_hook();
    edit(
        &sandbox,
        &["agent-hooks:user:guard", "--set", "script=\"#!/bin/sh\\nexit 2\\n\""],
    );
    let script = format!("{FOLDER}/scripts/run.sh");
    assert_eq!(
        (read(&sandbox, &script).as_str(), mode(&sandbox, &script)),
        ("#!/bin/sh\nexit 2\n", 0o755)
    );
    assert_eq!(read(&sandbox, &format!("{FOLDER}/HOOK.md")), HOOK);
}

#[test]
fn a_script_is_stored_unchanged() {
    let sandbox = with_hook();
    let text = "#!/bin/sh\n# guard: {a}\nexit 2 # why\n";
    edit(
        &sandbox,
        &["agent-hooks:user:guard", "--set", &format!("script={text}")],
    );
    assert_eq!(read(&sandbox, &format!("{FOLDER}/scripts/run.sh")), text);
}

#[test]
fn a_new_hook_is_a_folder_with_its_script() {
    let sandbox = Sandbox::new();
    let definition = json!({"script": SCRIPT, "timeout": 500, "name": "tidy", "description": "Tidies: up"}).to_string();
    let doc = add(&sandbox, "after_tool", "project", &definition)
        .assert_exit(0)
        .json();
    assert_eq!(doc["hook"], "agent-hooks:project:tidy");
    let folder = "project/.agents/hooks/tidy";
    assert_eq!(
        read(&sandbox, &format!("{folder}/HOOK.md")),
        "---\nname: tidy\ndescription: 'Tidies: up'\ntrigger: after_tool\ntimeout: 500\n---\n"
    );
    assert_eq!(read(&sandbox, &format!("{folder}/scripts/run")), SCRIPT);
    let modes = ["HOOK.md", "scripts/run", "scripts", ""].map(|inside| mode(&sandbox, &format!("{folder}/{inside}")));
    assert_eq!(modes, [0o600, 0o700, 0o700, 0o700]);
    add(&sandbox, "after_tool", "project", &definition)
        .assert_exit(1)
        .assert_stderr("tidy");
    add(&sandbox, "after_tool", "project", r#"{"description": "x"}"#)
        .assert_exit(1)
        .assert_stderr("name");
    add(&sandbox, "after_tool", "project", r#"{"name": "../x"}"#)
        .assert_exit(1)
        .assert_stderr("../x");
    add(
        &sandbox,
        "after_tool",
        "project",
        r#"{"name": "x", "trigger": "before_tool"}"#,
    )
    .assert_exit(1)
    .assert_stderr("trigger");
    add(&sandbox, "after_tool", "project", r#"{"name": "x", "timeout": "soon"}"#)
        .assert_exit(1)
        .assert_stderr("timeout");
    assert!(!sandbox.path("project/.agents/hooks/x").exists());
}

#[test]
fn a_copy_has_all_files_of_the_folder_and_a_new_name() {
    let sandbox = with_hook();
    let doc = edit(
        &sandbox,
        &["agent-hooks:user:guard", "--duplicate", "--set", "priority=5"],
    );
    assert_eq!(
        (&doc["hook"], &doc["moved"]),
        (&json!("agent-hooks:user:guard-2"), &json!({}))
    );
    let copy = format!("{FOLDER}-2");
    let text = HOOK
        .replace("name: guard\r\n", "name: guard-2\r\n")
        .replace("\"Shell\"\r\n", "\"Shell\"\r\npriority: 5\r\n");
    assert_eq!(read(&sandbox, &format!("{copy}/HOOK.md")), text);
    assert_eq!(mode(&sandbox, &format!("{copy}/scripts/run.sh")), 0o755);
    assert_eq!(
        std::fs::read(sandbox.path(&format!("{copy}/data/words.bin"))).unwrap(),
        [0, 159, 146, 150]
    );
    assert_eq!(read(&sandbox, &format!("{FOLDER}/HOOK.md")), HOOK);
}

#[test]
fn a_hook_moved_to_the_project_brings_its_script_and_approval() {
    let sandbox = with_hook();
    let dry = edit(
        &sandbox,
        &["agent-hooks:user:guard", "--to-layer", "project", "--dry-run"],
    );
    assert_eq!(dry["hook"], "agent-hooks:project:guard");
    assert!(sandbox.path(FOLDER).exists() && !sandbox.path("project/.agents").exists());
    let doc = edit(&sandbox, &["agent-hooks:user:guard", "--to-layer", "project"]);
    assert_eq!(
        doc["moved"],
        json!({"agent-hooks:user:guard": "agent-hooks:project:guard"})
    );
    assert_eq!((&doc["diff"], &doc["written"]), (&dry["diff"], &json!(true)));
    assert!(!sandbox.path(FOLDER).exists());
    assert_eq!(read(&sandbox, "project/.agents/hooks/guard/HOOK.md"), HOOK);
    assert_eq!(mode(&sandbox, "project/.agents/hooks/guard/scripts/run.sh"), 0o755);
    let row = sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][0].clone();
    assert_eq!(
        (&row["hook"], &row["trusted"]),
        (&json!("agent-hooks:project:guard"), &json!(true))
    );
    edit(&sandbox, &["agent-hooks:project:guard", "--set", "timeout=900"]);
    let row = sandbox.run(["list", "--json"]).assert_exit(0).json()["hooks"][0].clone();
    assert_eq!((&row["timeout_ms"], &row["trusted"]), (&json!(900), &json!(true)));
}

#[test]
fn a_renamed_hook_renames_its_folder() {
    let sandbox = with_hook();
    let doc = edit(&sandbox, &["agent-hooks:user:guard", "--set", "name=warden"]);
    assert_eq!(
        doc["moved"],
        json!({"agent-hooks:user:guard": "agent-hooks:user:warden"})
    );
    assert!(!sandbox.path(FOLDER).exists());
    let text = read(&sandbox, "home/.config/agents/hooks/warden/HOOK.md");
    assert_eq!(text, HOOK.replace("name: guard", "name: warden"));
    assert_eq!(
        read(&sandbox, "home/.config/agents/hooks/warden/scripts/run.sh"),
        SCRIPT
    );
}

#[test]
fn an_unsupported_change_of_agent_hooks_is_refused_with_the_supported_ones() {
    let sandbox = with_hook();
    let refused = |args: &[&str], why: &str| {
        sandbox
            .run(["edit", "agent-hooks:user:guard"].iter().chain(args))
            .assert_exit(1)
            .assert_stderr(why);
        assert_eq!(read(&sandbox, &format!("{FOLDER}/HOOK.md")), HOOK);
    };
    refused(&["--move-to", "1"], "priority");
    refused(&["--disable"], "hookwright turn-off");
    refused(&["--set", "trigger=before_lunch"], "before_lunch");
    refused(&["--set", "matcher.pattern=("], "(");
    refused(&["--unset", "name"], "name");
    refused(&["--to-layer", "local"], "user, project");
    std::os::unix::fs::symlink("/etc/hostname", sandbox.path(&format!("{FOLDER}/link"))).unwrap();
    refused(&["--to-layer", "project"], "link");
}

#[test]
fn the_folder_of_a_renamed_hook_keeps_its_contents() {
    let sandbox = with_hook();
    let old = sandbox.path(FOLDER);
    std::fs::create_dir(old.join("empty")).unwrap();
    std::fs::set_permissions(old.join("empty"), std::fs::Permissions::from_mode(0o750)).unwrap();
    edit(&sandbox, &["agent-hooks:user:guard", "--set", "name=other"]);
    let new = sandbox.path("home/.config/agents/hooks/other/empty");
    assert_eq!(new.metadata().unwrap().permissions().mode() & 0o777, 0o750);
    assert!(!old.exists());
}

#[test]
fn a_broken_neighbour_is_no_reason_to_refuse() {
    let sandbox = Sandbox::new();
    for (name, text) in [
        ("good", "---\nname: good\ndescription: d\ntrigger: before_tool\n---\n"),
        ("bad", "---\nname: [\n---\n"),
    ] {
        sandbox.write(&format!("home/.config/agents/hooks/{name}/HOOK.md"), text);
        sandbox.script(&format!("home/.config/agents/hooks/{name}/scripts/run"), "#!/bin/sh\n");
    }
    let edit = |args: &[&str]| sandbox.run(["edit"].iter().chain(args));
    edit(&["agent-hooks:user:good", "--set", "timeout=900"]).assert_exit(0);
    edit(&["agent-hooks:user:bad", "--set", "timeout=900"])
        .assert_exit(1)
        .assert_stderr("HOOK.md:");
    let new = [
        "add",
        "--dialect",
        "agent-hooks",
        "--event",
        "before_tool",
        "--layer",
        "user",
        "--definition",
    ];
    let definition = r##"{"name": "new", "description": "d", "script": "#!/bin/sh\n"}"##;
    sandbox.run(new.iter().chain(&[definition])).assert_exit(0);
    let text = std::fs::read_to_string(sandbox.path("home/.config/agents/hooks/bad/HOOK.md")).unwrap();
    assert_eq!(text, "---\nname: [\n---\n");
}
