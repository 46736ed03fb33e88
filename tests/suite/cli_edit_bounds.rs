//! Tests that the content of a hook file cannot direct an edit to a file outside (`engine.md` §9, `skill.md` §2 `file`)
//! or crash the program.

use std::os::unix::fs::symlink;

use hookwright_testkit::Sandbox;
use serde_json::json;

use crate::editing::{add, read};

const LIST: &str = "project/skills/s/hooks/hooks.json";

/// Creates a skill with one hook. The text of the hook is in `file`.
fn skill_with(file: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let entry = json!({"name": "n", "file": file, "timing": "before_planning", "role": "user", "persistent": false});
    sandbox.write(LIST, json!({ "hooks": [entry] }).to_string());
    sandbox
}

/// Path and content of every file in the home and the project. Hookwright's data and the files below `.local` are left
/// out.
fn file_contents(sandbox: &Sandbox) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![sandbox.home(), sandbox.project()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let is_folder = entry.symlink_metadata().unwrap().is_dir();
            let text = std::fs::read_to_string(&entry).unwrap_or_default();
            found.push(format!("{} {text}", entry.display()));
            if is_folder && !entry.starts_with(sandbox.home().join(".local")) {
                folders.push(entry);
            }
        }
    }
    found.sort();
    found
}

/// Runs an edit and asserts that it is refused with the message `why` and changes no file.
#[track_caller]
fn assert_refused(sandbox: &Sandbox, args: &[&str], why: &str) {
    let before = file_contents(sandbox);
    sandbox.run(args).assert_exit(1).assert_stderr(why);
    assert_eq!(file_contents(sandbox), before);
}

const SET: [&str; 4] = ["edit", "skill:skill:s:n", "--set", "text=echo owned"];

#[test]
fn a_text_is_written_inside_its_skill_only() {
    let home = Sandbox::new().home().join(".bash_login").display().to_string();
    for file in [
        home.as_str(),
        "../../../made.md",
        "a/../../b.md",
        "",
        "hooks.json",
        "./hooks.json",
        "sub/",
        ".",
        "sub/.",
    ] {
        assert_refused(&skill_with(file), &SET, "cannot be the text file of a hook");
    }
    let sandbox = skill_with("sub/n.md");
    sandbox.run(SET).assert_exit(0);
    assert_eq!(read(&sandbox, "project/skills/s/hooks/sub/n.md"), "echo owned");
}

#[test]
fn a_text_that_is_a_link_out_of_its_skill_is_not_written_through() {
    for (target, why) in [
        ("../../../.git/config", "n.md"),
        ("hooks.json", "n.md"),
        ("../made.md", "leads out of its skill"),
        ("../../../../home/made.md", "leads out of the project"),
        ("n.md", "Too many"),
    ] {
        let sandbox = skill_with("n.md");
        sandbox.write("project/.git/config", "precious");
        symlink(target, sandbox.path("project/skills/s/hooks/n.md")).unwrap();
        assert_refused(&sandbox, &SET, why);
    }
    let sandbox = skill_with("n.md");
    symlink("own.md", sandbox.path("project/skills/s/hooks/n.md")).unwrap();
    sandbox.run(SET).assert_exit(0);
    assert_eq!(read(&sandbox, "project/skills/s/hooks/own.md"), "echo owned");
}

#[test]
fn a_listed_skills_root_has_the_bounds_of_a_project_root() {
    let sandbox = Sandbox::new();
    let entry = json!({"name": "n", "file": "n.md", "timing": "before_planning", "role": "user", "persistent": false});
    let list = json!({ "hooks": [entry] }).to_string();
    let own = "home/mine/s/hooks";
    sandbox.write(&format!("{own}/hooks.json"), list);
    let precious = sandbox.write("home/precious.conf", "precious");
    let roots = format!(
        "[watch]\nskills_roots = [\"{}\"]\n",
        sandbox.path("home/mine").display()
    );
    sandbox.write("data/settings.toml", roots);
    let link = sandbox.path(&format!("{own}/n.md"));
    symlink(&precious, &link).unwrap();
    assert_refused(&sandbox, &SET, "n.md");
    std::fs::remove_file(&link).unwrap();
    symlink(sandbox.path("home/made.conf"), &link).unwrap();
    assert_refused(&sandbox, &SET, "n.md");
    std::fs::remove_file(&link).unwrap();
    sandbox.run(SET).assert_exit(0);
    assert_eq!(read(&sandbox, &format!("{own}/n.md")), "echo owned");
}

#[test]
fn a_new_text_does_not_follow_a_link() {
    let sandbox = skill_with("n.md");
    symlink(
        sandbox.path("home/made.md"),
        sandbox.path("project/skills/s/hooks/z.md"),
    )
    .unwrap();
    let before = file_contents(&sandbox);
    let definition = r#"{"skill": "s", "name": "z", "text": "T", "role": "user", "persistent": false}"#;
    add(&sandbox, "skill", "before_planning", "skill", definition)
        .assert_exit(1)
        .assert_stderr("leads out of the project");
    let own = r#"{"skill": "t", "name": "z", "file": "hooks.json", "text": "T", "role": "user", "persistent": false}"#;
    add(&sandbox, "skill", "before_planning", "skill", own)
        .assert_exit(1)
        .assert_stderr("cannot be the text file of a hook");
    assert_eq!(file_contents(&sandbox), before);
}

#[test]
fn a_linked_text_is_not_moved_to_another_skill() {
    let sandbox = skill_with("n.md");
    sandbox.write("project/secret", "secret");
    symlink("../../../secret", sandbox.path("project/skills/s/hooks/n.md")).unwrap();
    assert_refused(&sandbox, &["edit", "skill:skill:s:n", "--set", "skill=other"], "n.md");
}

#[test]
fn a_script_that_is_a_link_out_of_the_project_is_not_written_through() {
    let sandbox = Sandbox::new();
    let folder = "project/.agents/hooks/g";
    sandbox.write(
        &format!("{folder}/HOOK.md"),
        "---\nname: g\ndescription: d\ntrigger: before_tool\n---\n",
    );
    std::fs::create_dir(sandbox.path(&format!("{folder}/scripts"))).unwrap();
    let script = sandbox.path(&format!("{folder}/scripts/run"));
    let set = ["edit", "agent-hooks:project:g", "--set", "script=#!/bin/sh"];
    for (target, why) in [
        (sandbox.path("home/made.sh"), "leads out of the project"),
        (sandbox.path(&format!("{folder}/HOOK.md")), "is a link to"),
    ] {
        symlink(target, &script).unwrap();
        assert_refused(&sandbox, &set, why);
        std::fs::remove_file(&script).unwrap();
    }
    std::fs::remove_dir(sandbox.path(&format!("{folder}/scripts"))).unwrap();
    symlink(sandbox.path("home/nowhere"), sandbox.path(&format!("{folder}/scripts"))).unwrap();
    assert_refused(&sandbox, &set, "leads out of the project");
}

#[test]
fn a_text_that_two_hooks_share_cannot_be_changed() {
    let sandbox = Sandbox::new();
    let entry = |name: &str, file: &str| json!({"name": name, "file": file, "timing": "before_planning", "role": "user", "persistent": false});
    let list = json!({"hooks": [entry("n", "n.md"), entry("b", "n.md"), entry("c", "c.md")]});
    sandbox.write(LIST, list.to_string());
    sandbox.write("project/skills/s/hooks/n.md", "both");
    symlink("n.md", sandbox.path("project/skills/s/hooks/c.md")).unwrap();
    assert_refused(&sandbox, &SET, "is also the text of b");
    assert_refused(
        &sandbox,
        &["edit", "skill:skill:s:c", "--set", "text=x"],
        "is also the text of skill:skill:s:n",
    );
    let own = ["edit", "skill:skill:s:n", "--set", "file=own.md", "--set", "text=mine"];
    sandbox.run(own).assert_exit(0);
    assert_eq!(read(&sandbox, "project/skills/s/hooks/own.md"), "mine");
    assert_eq!(read(&sandbox, "project/skills/s/hooks/n.md"), "both");
}

#[test]
fn a_field_without_end_is_refused() {
    let sandbox = Sandbox::new();
    let file = "home/.jdata/agent/hooks.yaml";
    let text = "stop:\n  - command: a\n";
    sandbox.write(file, text);
    let field = format!("{}b", "a.".repeat(5000));
    for args in [["--set", &format!("{field}=1")], ["--unset", &field]] {
        let args_of_case = ["edit", "jcli:user:stop:0"].iter().chain(&args);
        sandbox
            .run(args_of_case)
            .assert_exit(1)
            .assert_stderr("more than 100 levels");
    }
    // A field of a hook is already on the third level of the file.
    for depth in 90..=105 {
        let field = vec!["a"; depth].join(".");
        let value = format!("x={}1{}", "[".repeat(depth - 1), "]".repeat(depth - 1));
        // The YAML parser does not accept a deeper value at all.
        let value = (depth <= 101).then_some(value);
        for set in [Some(format!("{field}=1")), value].into_iter().flatten() {
            let done = sandbox.run(["edit", "jcli:user:stop:0", "--dry-run", "--set", &set]);
            if depth <= 98 {
                done.assert_exit(0);
            } else {
                done.assert_exit(1).assert_stderr("more than 100 levels");
            }
        }
    }
    let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
    sandbox
        .run(["edit", "jcli:user:stop:0", "--set", &format!("x={deep}")])
        .assert_exit(1);
    let definition = format!("{{\"command\": \"a\", \"x\": {deep}}}");
    add(&sandbox, "jcli", "stop", "user", &definition).assert_exit(1);
    assert_eq!(read(&sandbox, file), text);
}

#[test]
fn user_paths_may_go_up_and_user_links_may_lead_into_a_project() {
    let text = "stop:\n  - command: a\n";
    let sandbox = Sandbox::new();
    let roundabout = sandbox.path("project/../home/.jdata/../.jdata");
    let sandbox = sandbox.with_var("J_DATA_PATH", roundabout);
    let file = "home/.jdata/agent/hooks.yaml";
    sandbox.write(file, text);
    sandbox
        .run(["edit", "jcli:user:stop:0", "--set", "timeout=3"])
        .assert_exit(0);
    assert_eq!(read(&sandbox, file), "stop:\n  - command: a\n    timeout: 3\n");

    let sandbox = Sandbox::new();
    let own = sandbox.write("project/.jcli/hooks.yaml", text);
    let link = sandbox.path(file);
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&own, &link).unwrap();
    add(&sandbox, "jcli", "stop", "user", r#"{"command": "b"}"#).assert_exit(0);
    let both = "stop:\n  - command: a\n  - command: b\n";
    assert_eq!(read(&sandbox, "project/.jcli/hooks.yaml"), both);
    assert!(link.is_symlink());
    assert_refused(
        &sandbox,
        &["edit", "jcli:user:stop:0", "--to-layer", "project"],
        "is a link to",
    );
}

#[test]
fn temporary_files_of_another_writer_are_not_copied() {
    let sandbox = Sandbox::new();
    let folder = "home/.config/agents/hooks/g";
    sandbox.write(
        &format!("{folder}/HOOK.md"),
        "---\nname: g\ndescription: d\ntrigger: before_tool\n---\n",
    );
    let script = sandbox.script(&format!("{folder}/scripts/run.sh"), "#!/bin/sh\n");
    let left = script.with_file_name(format!(".hookwright-{}-aB3xYz.tmp", std::process::id()));
    std::fs::write(&left, "half").unwrap();
    sandbox
        .run(["edit", "agent-hooks:user:g", "--duplicate", "--set", "name=h"])
        .assert_exit(0);
    let copied = sandbox.path("home/.config/agents/hooks/h/scripts");
    assert!(copied.join("run.sh").exists());
    assert!(!copied.join(left.file_name().unwrap()).exists());
    assert!(left.exists());
    sandbox.run(["remove", "agent-hooks:user:g"]).assert_exit(0);
    assert!(!sandbox.path(folder).exists());
}
