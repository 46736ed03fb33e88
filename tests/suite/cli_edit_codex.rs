//! Tests of edits of Codex's files: `config.toml` with comments and a form of its own, the switch of a hook, and what an
//! edit costs in Codex's own trust (`codex.md` §13, §15).

use hookwright_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

use crate::editing::{self, edit, read};

const FILE: &str = "home/.codex/config.toml";
const CONFIG: &str = r#"# mine
model = "o5"   # the large one
features.web = true

[[hooks.PreToolUse]]
matcher = "^Bash$"
# the guard
[[hooks.PreToolUse.hooks]]
type = "command"
command = 'guard "$X"'   # always
timeout = 30

# the log
[[hooks.PreToolUse]]
[[hooks.PreToolUse.hooks]]
type = "command"
command = "log"

[tools]
view_image = true
"#;
const GUARD: &str = "codex:user:PreToolUse:config.0.0";
const LOG: &str = "codex:user:PreToolUse:config.1.0";

fn with_config(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(FILE, text);
    sandbox
}

fn add(sandbox: &Sandbox, event: &str, layer: &str, definition: &str) -> Finished {
    editing::add(sandbox, "codex", event, layer, definition)
}

#[track_caller]
fn assert_replaced(sandbox: &Sandbox, from: &str, to: &str) {
    editing::assert_replaced(sandbox, FILE, CONFIG, from, to);
}

fn agent_trust(sandbox: &Sandbox) -> Vec<Value> {
    let doc = sandbox
        .run(["list", "--dialect", "codex", "--json"])
        .assert_exit(0)
        .json();
    let hooks = doc["hooks"].as_array().unwrap();
    hooks.iter().map(|hook| hook["agent_trust"].clone()).collect()
}

#[test]
fn a_field_changes_and_every_other_byte_stays() {
    let sandbox = with_config(CONFIG);
    edit(&sandbox, &[GUARD, "--set", "timeout=9"]);
    assert_replaced(&sandbox, "timeout = 30", "timeout = 9");
    sandbox.run(["undo"]).assert_exit(0);
    assert_eq!(read(&sandbox, FILE), CONFIG);
    edit(&sandbox, &[GUARD, "--unset", "timeout"]);
    assert_replaced(&sandbox, "timeout = 30\n", "");
    sandbox.run(["undo"]).assert_exit(0);
    edit(&sandbox, &[GUARD, "--set", "matcher=^Bash$|^apply_patch$"]);
    assert_replaced(&sandbox, "\"^Bash$\"", "\"^Bash$|^apply_patch$\"");
}

#[test]
fn a_hook_is_added_moved_and_removed_with_its_comments() {
    let sandbox = with_config(CONFIG);
    edit(&sandbox, &[LOG, "--move-to", "1"]);
    let (guard, log) = (CONFIG.find("[[hooks").unwrap(), CONFIG.find("# the log").unwrap());
    let tools = CONFIG.find("\n[tools]").unwrap();
    let moved = [
        &CONFIG[..guard],
        &CONFIG[log..tools],
        "\n",
        &CONFIG[guard..log - 1],
        &CONFIG[tools..],
    ]
    .concat();
    assert_eq!(read(&sandbox, FILE), moved);
    sandbox.run(["undo"]).assert_exit(0);
    sandbox.run(["remove", LOG]).assert_exit(0);
    assert_eq!(read(&sandbox, FILE), [&CONFIG[..log - 1], &CONFIG[tools..]].concat());
    sandbox.run(["undo"]).assert_exit(0);
    add(&sandbox, "Stop", "user", r#"{"type": "command", "command": "x"}"#).assert_exit(0);
    let added = "\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"x\"\n";
    assert_eq!(
        read(&sandbox, FILE),
        [&CONFIG[..tools], added, &CONFIG[tools..]].concat()
    );
    sandbox.run(["remove", "codex:user:Stop:config.0.0"]).assert_exit(0);
    assert_eq!(read(&sandbox, FILE), CONFIG);
}

#[test]
fn a_hook_that_was_turned_off_gets_its_text_back() {
    let sandbox = with_config(CONFIG);
    let off = sandbox.run(["turn-off", GUARD, "--json"]).assert_exit(0).json();
    assert!(!read(&sandbox, FILE).contains("guard"));
    sandbox
        .run(["turn-on", off["turned_off"].as_str().unwrap()])
        .assert_exit(0);
    assert_eq!(read(&sandbox, FILE), CONFIG);
}

#[test]
fn a_file_that_the_agent_would_refuse_is_not_written() {
    let sandbox = with_config(CONFIG);
    sandbox.run(["edit", GUARD, "--set", "timeout=soon"]).assert_exit(1);
    assert_eq!(read(&sandbox, FILE), CONFIG);
}

#[test]
fn a_new_hook_goes_to_the_file_that_has_events() {
    let sandbox = with_config("model = \"o5\"\n");
    let definition = r#"{"matcher": "Bash", "type": "command", "command": "x"}"#;
    let doc = add(&sandbox, "PreToolUse", "user", definition).assert_exit(0).json();
    assert_eq!(doc["hook"], "codex:user:PreToolUse:hooks.0.0");
    let sandbox = with_config(CONFIG);
    let doc = add(&sandbox, "PreToolUse", "user", definition).assert_exit(0).json();
    assert_eq!(doc["hook"], "codex:user:PreToolUse:config.2.0");
}

#[test]
fn the_switch_of_a_hook_is_beside_its_trust() {
    let sandbox = with_config(CONFIG);
    edit(&sandbox, &[GUARD, "--disable"]);
    let key = format!("{}:pre_tool_use:0:0", sandbox.path(FILE).display());
    let off = format!("\n[hooks.state.\"{key}\"]\nenabled = false\n");
    assert_eq!(agent_trust(&sandbox), [json!("disabled"), json!("untrusted")]);
    let tools = CONFIG.find("\n[tools]").unwrap();
    assert_eq!(
        read(&sandbox, FILE),
        [&CONFIG[..tools], &off, &CONFIG[tools..]].concat()
    );
    edit(&sandbox, &[GUARD, "--enable"]);
    assert_eq!(agent_trust(&sandbox), [json!("untrusted"), json!("untrusted")]);
}

#[test]
fn the_relay_is_trusted_only_where_the_user_asks_for_it() {
    let sandbox = with_config("# mine\nmodel = \"o5\"\n");
    let doc = sandbox
        .run(["connect", "codex", "--yes", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(doc["agent_trust"]["written"], false);
    assert_eq!(doc["agent_trust"]["waiting"].as_array().unwrap().len(), 12);
    assert_eq!(read(&sandbox, FILE), "# mine\nmodel = \"o5\"\n");
    let doc = sandbox
        .run(["connect", "codex", "--trust", "--yes", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(doc["agent_trust"], json!({ "written": true, "waiting": [] }));
    assert_eq!(agent_trust(&sandbox), vec![json!("trusted"); 12]);
    let again = sandbox.run(["connect", "codex", "--trust", "--yes"]).assert_exit(0);
    assert!(again.stderr.contains("nothing to change"), "{}", again.stderr);
    sandbox.run(["disconnect", "codex", "--yes"]).assert_exit(0);
    assert_eq!(read(&sandbox, FILE), "# mine\nmodel = \"o5\"\n");
    assert!(!sandbox.path("home/.codex/hooks.json").exists());
    sandbox
        .run(["connect", "jcli", "--trust", "--yes"])
        .assert_exit(1)
        .assert_stderr("has no review of hooks");
}

#[test]
fn an_edit_says_whose_trust_it_costs() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("home/.codex")).unwrap();
    sandbox.run(["connect", "codex", "--trust", "--yes"]).assert_exit(0);
    let relay = "codex:user:Stop:hooks.0.0";
    let lost = |doc: &Value| -> Vec<Value> {
        let notices = doc["notices"].as_array().cloned().unwrap_or_default();
        let lost = notices.iter().filter(|notice| notice["code"] == "agent_trust_lost");
        lost.map(|notice| notice["args"]["hooks"].clone()).collect()
    };
    let added = add(&sandbox, "Stop", "user", r#"{"type": "command", "command": "x"}"#)
        .assert_exit(0)
        .json();
    assert!(lost(&added).is_empty(), "it is behind the relay's: {added}");
    let mine = added["hook"].as_str().unwrap();
    let moved = sandbox
        .run(["edit", mine, "--move-to", "1", "--json"])
        .assert_exit(0)
        .json();
    assert_eq!(lost(&moved).len(), 1, "{moved}");
    let undone = sandbox.run(["undo", "--json"]).assert_exit(0).json();
    assert!(lost(&undone).is_empty());
    let hooks = sandbox
        .run(["list", "--dialect", "codex", "--json"])
        .assert_exit(0)
        .json();
    let hooks = hooks["hooks"].as_array().unwrap();
    let relay = hooks.iter().find(|hook| hook["hook"] == relay).unwrap();
    assert_eq!(relay["agent_trust"], "trusted", "its entry was left alone");
}

/// A `config.toml` into which nothing can be written, by its name: how it is made, and what is said about it.
const UNUSABLE: [(&str, &str); 6] = [
    ("no TOML", "not valid TOML"),
    ("no text", "is not UTF-8"),
    ("a folder", "cannot be read"),
    ("a link that leads nowhere", "cannot be read"),
    ("a state that is no table", "cannot be changed in this way"),
    ("too large", "more than 1048576 bytes"),
];

/// Puts such a file in its place. Returns its bytes, if it has any.
fn make_unusable(sandbox: &Sandbox, name: &str) -> Option<Vec<u8>> {
    let path = sandbox.path(FILE);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let bytes: Vec<u8> = match name {
        "a folder" => {
            std::fs::create_dir(path).unwrap();
            return None;
        }
        "a link that leads nowhere" => {
            std::os::unix::fs::symlink("gone.toml", path).unwrap();
            return None;
        }
        "no TOML" => b"# mine\nmodel = \nx = 1\n".to_vec(),
        "no text" => b"# mine\nmodel = \"\xff\"\n".to_vec(),
        "a state that is no table" => b"# mine\n[hooks]\nstate = 3\n".to_vec(),
        _ => [b"# ", "x".repeat(1 << 20).as_bytes(), b"\n"].concat(),
    };
    std::fs::write(path, &bytes).unwrap();
    Some(bytes)
}

#[test]
fn trust_is_not_written_into_a_file_that_cannot_be_used() {
    for (name, why) in UNUSABLE {
        let sandbox = Sandbox::new();
        let bytes = make_unusable(&sandbox, name);
        let refused = sandbox.run(["connect", "codex", "--trust", "--yes"]).assert_exit(1);
        for said in ["config.toml", why, "nothing was changed"] {
            assert!(refused.stderr.contains(said), "{name}: {said}\n{}", refused.stderr);
        }
        assert!(!sandbox.path("home/.codex/hooks.json").exists(), "{name}");
        assert_eq!(std::fs::read(sandbox.path(FILE)).ok(), bytes, "{name}");
    }
}

#[test]
fn a_hook_is_not_switched_in_a_file_that_cannot_be_used() {
    let hook = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;
    for (name, why) in UNUSABLE {
        let sandbox = Sandbox::new();
        let bytes = make_unusable(&sandbox, name);
        sandbox.write("home/.codex/hooks.json", hook);
        // Where the file says nothing about the hook, it is on already.
        let is_read = name == "a state that is no table";
        for switch in ["--disable", "--enable"].into_iter().take(if is_read { 1 } else { 2 }) {
            let id = "codex:user:Stop:hooks.0.0";
            let refused = sandbox.run(["edit", id, switch]).assert_exit(1);
            for said in ["config.toml", why, "nothing was changed"] {
                assert!(
                    refused.stderr.contains(said),
                    "{name} {switch}: {said}\n{}",
                    refused.stderr
                );
            }
            assert_eq!(std::fs::read(sandbox.path(FILE)).ok(), bytes, "{name} {switch}");
        }
    }
}

#[test]
fn trust_is_written_into_a_file_as_it_is_and_taken_out_again() {
    for before in [
        "",
        "# mine",
        "\u{feff}model = \"o5\"\n",
        "a = 1\r\n\r\n[b]\r\nc = 2\r\n",
    ] {
        let sandbox = with_config(before);
        sandbox.run(["connect", "codex", "--trust", "--yes"]).assert_exit(0);
        assert_eq!(agent_trust(&sandbox), vec![json!("trusted"); 12], "{before:?}");
        let after = read(&sandbox, FILE);
        assert!(after.starts_with(before.trim_end()), "{before:?}\n{after}");
        let breaks = (after.matches("\r\n").count(), after.matches('\n').count());
        assert!(!before.contains('\r') || breaks.0 == breaks.1, "{before:?}\n{after}");
        edit(&sandbox, &["codex:user:Stop:hooks.0.0", "--disable"]);
        edit(&sandbox, &["codex:user:Stop:hooks.0.0", "--enable"]);
        assert_eq!(read(&sandbox, FILE), after, "{before:?}");
        sandbox.run(["disconnect", "codex", "--yes"]).assert_exit(0);
        assert_eq!(read(&sandbox, FILE), before, "{before:?}");
    }
}

#[test]
fn a_linked_file_stays_a_link_and_a_protected_one_stays_as_it_is() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = Sandbox::new();
    sandbox.write("home/dotfiles/config.toml", "model = \"o5\"\n");
    std::fs::create_dir_all(sandbox.path("home/.codex")).unwrap();
    symlink("../dotfiles/config.toml", sandbox.path(FILE)).unwrap();
    sandbox.run(["connect", "codex", "--trust", "--yes"]).assert_exit(0);
    assert!(sandbox.path(FILE).symlink_metadata().unwrap().is_symlink());
    assert!(read(&sandbox, "home/dotfiles/config.toml").contains("trusted_hash"));
    sandbox.run(["disconnect", "codex", "--yes"]).assert_exit(0);
    assert_eq!(read(&sandbox, "home/dotfiles/config.toml"), "model = \"o5\"\n");

    let sandbox = with_config("model = \"o5\"\n");
    std::fs::set_permissions(sandbox.path(FILE), std::fs::Permissions::from_mode(0o440)).unwrap();
    sandbox
        .run(["connect", "codex", "--trust", "--yes"])
        .assert_exit(1)
        .assert_stderr("it is read-only");
    assert_eq!(read(&sandbox, FILE), "model = \"o5\"\n");
    assert!(!sandbox.path("home/.codex/hooks.json").exists());
}
