//! Tests of `hookwright convert` (`CONTRACTS.md` §2, §2.5): the pages of `crates/dialects/conversions`, and the command
//! itself. A page has the files of one dialect, and the files and losses that the command answers.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use hookwright_testkit::Sandbox;
use hookwright_testkit::program::workspace;
use serde_json::{Value, json};

/// A fenced block of a page.
struct Block {
    info: String,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for line in page.lines() {
        if let Some(info) = line.strip_prefix("````") {
            is_open = !is_open;
            if is_open {
                blocks.push(Block {
                    info: info.to_owned(),
                    text: String::new(),
                });
            }
        } else if let (true, Some(block)) = (is_open, blocks.last_mut()) {
            block.text += line;
            block.text.push('\n');
        }
    }
    blocks
}

impl Block {
    fn value(&self, name: &str) -> Option<&str> {
        self.info
            .split(' ')
            .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }
}

/// Runs a page, and returns the page as it should be.
fn answered(path: &Path) -> (String, String) {
    let page = std::fs::read_to_string(path).unwrap();
    let sandbox = Sandbox::new();
    let mut inputs = page.clone();
    let found = blocks(&page);
    for block in found.iter().filter(|block| block.value("file").is_some()) {
        let file = format!("project/{}", block.value("file").unwrap());
        match block.value("mode") {
            Some("0755") => drop(sandbox.script(&file, &block.text)),
            _ => drop(sandbox.write(&file, &block.text)),
        }
    }
    let command = found.iter().find(|block| block.info == "sh").unwrap();
    let args: Vec<&str> = command.text.split_whitespace().skip(1).collect();
    let finished = sandbox.run(args.iter().copied().chain(["--json"]));
    let doc = finished.json();
    let mut out = String::new();
    for file in doc["files"].as_array().unwrap() {
        let (path, mode) = (file["path"].as_str().unwrap(), file["mode"].as_str().unwrap());
        out += &format!(
            "````text wrote={path} mode={mode}\n{}````\n\n",
            file["text"].as_str().unwrap()
        );
    }
    out += "````text lost\n";
    for loss in doc["loss"].as_array().unwrap() {
        let hook = loss["hook"].as_str().unwrap_or("-");
        let message = loss["message"]
            .as_str()
            .unwrap()
            .replace(&sandbox.project().display().to_string(), "PROJECT");
        out += &format!("{hook} {}: {message}\n", loss["code"].as_str().unwrap());
    }
    out += &format!("exit {}\n````\n", finished.code());
    if let Some(at) = page.find("\n## Result\n") {
        inputs.truncate(at);
    }
    let expected = format!("{}\n\n## Result\n\n{out}", inputs.trim_end());
    (page, expected)
}

/// `HOOKWRIGHT_BLESS=1` writes the pages.
#[test]
fn every_page_of_a_conversion_is_answered_as_it_says() {
    let mut pages: Vec<PathBuf> = std::fs::read_dir(workspace().join("crates/dialects/conversions"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().is_some_and(|name| name != "README.md"))
        .collect();
    pages.sort();
    assert!(pages.len() >= 10, "{}", pages.len());
    let mut wrong = Vec::new();
    for path in pages {
        let (page, expected) = answered(&path);
        if page != expected {
            if std::env::var_os("HOOKWRIGHT_BLESS").is_some() {
                std::fs::write(&path, &expected).unwrap();
            } else {
                wrong.push(format!("{}\n{expected}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const JCLI: &str = "stop:\n  - command: sh gate.sh\n    timeout: 5\n  - command: b\n";

fn convert(sandbox: &Sandbox, args: &[&str], exit: i32) -> Value {
    sandbox
        .run(["convert"].iter().chain(args).chain(&["--json"]))
        .assert_exit(exit)
        .json()
}

#[test]
fn files_are_printed_under_their_names_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.jcli/hooks.yaml", JCLI);
    let done = sandbox
        .run(["convert", "--from", "jcli", "--to", "qoder", ".jcli/hooks.yaml"])
        .assert_exit(0)
        .assert_output(".qoder/settings.json\n{")
        .assert_stderr("loss[convert_payload_renamed]");
    assert_eq!(done.code(), 0);
    assert!(!sandbox.path("project/.qoder").exists());
}

#[test]
fn new_files_are_written_with_their_scripts_and_undone() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/.agents/hooks/guard/HOOK.md",
        "---\nname: guard\ndescription: d\ntrigger: before_tool\n---\n",
    );
    sandbox.script(
        "project/.agents/hooks/guard/scripts/run.sh",
        "#!/bin/sh\ncat >/dev/null\necho no >&2\nexit 2\n",
    );
    sandbox.write("project/.agents/hooks/guard/scripts/data.txt", "x");
    let args = [
        "--from",
        "agent-hooks",
        "--to",
        "qoder",
        ".agents/hooks/guard",
        "--out",
        "there/new",
    ];
    let doc = convert(&sandbox, &args, 0);
    let script = sandbox.path("project/there/new/.qoder/hooks/guard/scripts/run.sh");
    assert_eq!(script.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    let written: Vec<&str> = doc["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|file| file["path"].as_str())
        .collect();
    assert!(written.iter().all(|path| Path::new(path).is_file()), "{written:?}");
    sandbox.run(["check", "there/new"]).assert_exit(0);
    let fire = [
        "fire",
        "--dialect",
        "qoder",
        "--event",
        "PreToolUse",
        "--trust",
        "--project",
        "there/new",
    ];
    sandbox.run(fire).assert_exit(2).assert_output("no");
    let again = sandbox.run(["convert"].iter().chain(&args));
    again.assert_exit(0);
    sandbox.write("project/there/new/.qoder/settings.json", "{}");
    let refused = sandbox.run(["convert"].iter().chain(&args)).assert_exit(1);
    refused.assert_stderr("settings.json already exists");
    assert_eq!(
        std::fs::read_to_string(sandbox.path("project/there/new/.qoder/settings.json")).unwrap(),
        "{}"
    );
}

#[test]
fn an_edit_of_new_files_is_undone_completely() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.jcli/hooks.yaml", JCLI);
    let doc = convert(
        &sandbox,
        &[
            "--from",
            "jcli",
            "--to",
            "agent-hooks",
            ".jcli/hooks.yaml",
            "--out",
            ".",
        ],
        0,
    );
    assert!(sandbox.path("project/.agents/hooks").is_dir());
    sandbox
        .run(["undo", doc["change"]["edit"].as_str().unwrap()])
        .assert_exit(0);
    assert!(!sandbox.path("project/.agents").exists());
}

#[test]
fn an_unapproved_hook_is_not_converted_to_a_place_where_it_would_run() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.jcli/hooks.yaml", "stop:\n  - command: echo hi\n");
    // Not in a place of a hook file, so nobody can have approved it.
    sandbox.write("project/other.yaml", "stop:\n  - command: echo hi\n");
    std::os::unix::fs::symlink(sandbox.home(), sandbox.path("project/link")).unwrap();
    std::fs::create_dir_all(sandbox.path("home/dotfiles/.qoder")).unwrap();
    std::os::unix::fs::symlink("dotfiles/.qoder", sandbox.path("home/.qoder")).unwrap();
    let attempt = |to: &str, file: &str, out: &Path| {
        let out = out.to_string_lossy().into_owned();
        sandbox.run(["convert", "--from", "jcli", "--to", to, file, "--out", &out])
    };
    let folders = [
        sandbox.home(),
        sandbox.path("project/link"),
        sandbox.path("home/dotfiles"),
        sandbox.data(),
        sandbox.data().join("trust.json"),
    ];
    for file in [".jcli/hooks.yaml", "other.yaml"] {
        for folder in &folders {
            attempt("qoder", file, folder)
                .assert_exit(1)
                .assert_stderr("is not approved");
        }
    }
    attempt("picoclaw", ".jcli/hooks.yaml", &sandbox.home())
        .assert_exit(1)
        .assert_stderr("is not approved");
    assert!(
        std::fs::read_dir(sandbox.path("home/dotfiles/.qoder"))
            .unwrap()
            .next()
            .is_none()
    );
    assert!(!sandbox.path("home/.picoclaw").exists() && !sandbox.data().join("trust.json").exists());
    // Elsewhere it needs an approval of its own before it runs.
    attempt("qoder", ".jcli/hooks.yaml", &sandbox.path("project/there")).assert_exit(0);
    sandbox.run(["trust", "--all"]).assert_exit(0);
    attempt("qoder", ".jcli/hooks.yaml", &sandbox.path("home/dotfiles")).assert_exit(0);
    assert!(sandbox.path("home/.qoder/settings.json").is_file());
}

#[test]
fn a_converted_guard_still_blocks() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/.jcli/hooks.yaml",
        "pre_tool_execution:\n  - command: \"echo '{\\\"action\\\": \\\"skip\\\"}'\"\n    filter: {tool_name: Bash}\n",
    );
    let payload = |tool: &str| json!({"tool_name": tool, "tool_input": {}}).to_string();
    for (to, event, tool) in [("qoder", "PreToolUse", "Bash"), ("agent-hooks", "before_tool", "Shell")] {
        let out = format!("to-{to}");
        convert(
            &sandbox,
            &["--from", "jcli", "--to", to, ".jcli/hooks.yaml", "--out", &out],
            0,
        );
        let fire = [
            "fire",
            "--dialect",
            to,
            "--event",
            event,
            "--trust",
            "--payload",
            "-",
            "--project",
            &out,
        ];
        sandbox.run_with(payload(tool), fire).assert_exit(2);
        sandbox.run_with(payload("Grep"), fire).assert_exit(0);
        let back = format!("back-{to}");
        convert(&sandbox, &["--from", to, "--to", "jcli", &out, "--out", &back], 0);
        let text = std::fs::read_to_string(sandbox.path(&format!("project/{back}/.jcli/hooks.yaml"))).unwrap();
        assert!(text.contains("tool_name: Bash") && !text.contains("HW="), "{text}");
    }
}

#[test]
fn exit_code_2_blocks_in_j_cli_too() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/.qoder/settings.json",
        json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo 'run \"tests\"' >&2; exit 2"}]}]}})
            .to_string(),
    );
    convert(
        &sandbox,
        &[
            "--from",
            "qoder",
            "--to",
            "jcli",
            ".qoder/settings.json",
            "--out",
            "out",
        ],
        0,
    );
    let fired = sandbox
        .run([
            "fire",
            "--dialect",
            "jcli",
            "--event",
            "stop",
            "--trust",
            "--json",
            "--project",
            "out",
        ])
        .assert_exit(2)
        .json();
    assert_eq!(fired["verdict"]["feedback"], "run \"tests\"");
}

#[test]
fn what_cannot_be_converted_is_refused_with_its_reason() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.jcli/hooks.yaml", JCLI);
    sandbox.write("project/broken/.jcli/hooks.yaml", "stop: [\n");
    sandbox.write("project/llm/.jcli/hooks.yaml", "stop:\n  - {type: llm, prompt: ok?}\n");
    sandbox.write("project/.qoder/hooks.py", "hooks = {}\n");
    sandbox.write("project/empty/.jcli/hooks.yaml", "");
    let refused = |args: &[&str], words: &str| {
        sandbox
            .run(["convert"].iter().chain(args))
            .assert_exit(1)
            .assert_stderr(words);
    };
    refused(
        &["--from", "jcli", "--to", "jcli", ".jcli/hooks.yaml"],
        "already j-cli hooks",
    );
    refused(
        &["--from", "jcli", "--to", "other", ".jcli/hooks.yaml"],
        "unknown hook system other",
    );
    refused(&["--from", "jcli", "--to", "qoder", "absent.yaml"], "does not exist");
    refused(&["--from", "jcli", "--to", "qoder", "broken"], "does not parse");
    refused(&["--from", "jcli", "--to", "qoder", "llm"], "no hooks that ask a model");
    refused(
        &["--from", "qoder", "--to", "jcli", ".qoder/hooks.py"],
        "Python functions",
    );
    refused(
        &["--from", "picoclaw", "--to", "jcli", "empty"],
        "contains no hook files",
    );
    refused(
        &["--from", "jcli", "--to", "skill", ".jcli/hooks.yaml"],
        "it only inserts texts",
    );
    let doc = convert(&sandbox, &["--from", "jcli", "--to", "qoder", "empty"], 0);
    assert_eq!(doc["files"], json!([]));
    refused(
        &[
            "--from",
            "jcli",
            "--to",
            "qoder",
            ".jcli/hooks.yaml",
            "--out",
            ".jcli/hooks.yaml/x",
        ],
        "cannot be",
    );
}
