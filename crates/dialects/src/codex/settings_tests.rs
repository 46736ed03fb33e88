use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use hookwright_model::{
    Code, DirProbe, Files, Handler, Hook, Layer, Locations, RunMode, SessionRegistration, Severity,
};
use serde_json::{Value, json};

use super::*;
use crate::codex::Codex;

/// A disk with these files.
struct FakeFiles(&'static [&'static str]);

impl DirProbe for FakeFiles {
    fn is_dir(&self, _: &Path) -> bool {
        false
    }

    fn is_file(&self, path: &Path) -> bool {
        self.0.iter().any(|file| Path::new(file) == path)
    }
}

fn places(project: &str, home: Option<&str>) -> Locations {
    let vars = home.map(|home| ("CODEX_HOME".to_owned(), home.to_owned()));
    Locations {
        home: "/h".into(),
        project: project.into(),
        skills_roots: Vec::new(),
        vars: vars.into_iter().collect::<BTreeMap<_, _>>(),
    }
}

fn roots(places: &Locations, files: &'static [&'static str]) -> Vec<(String, Option<PathBuf>, String)> {
    let roots = Codex.roots(places, &FakeFiles(files));
    let shown = roots
        .into_iter()
        .map(|root| (root.path.display().to_string(), root.project.clone(), id_part(&root)));
    shown.collect()
}

/// The hooks of a file of the user.
pub fn read(text: &Value) -> Parsed {
    let root = Root::file(Layer::User, "/h/.codex/hooks.json".into(), None);
    parse(&SourceTree::with_text(root, Ok(text.to_string())))
}

pub fn hook_of(event: &str, entry: Value) -> Hook {
    let parsed = read(&json!({ "hooks": { event: [{ "hooks": [entry] }] } }));
    let errors: Vec<&Problem> = parsed
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    (*parsed.hooks[0]).clone()
}

#[test]
fn each_folder_from_the_repository_down_to_the_project_is_read_and_approved_together() {
    let root = Some(PathBuf::from("/r"));
    let row = |path: &str, part: &str| (path.to_owned(), root.clone(), part.to_owned());
    let user = |name: &str, part: &str| (format!("/h/.codex/{name}"), None, part.to_owned());
    for git in [&["/r/.git/HEAD"], &["/r/.git"]] {
        assert_eq!(
            roots(&places("/r/a/b", None), git),
            [
                ("/etc/codex/requirements.toml".to_owned(), None, "managed".to_owned()),
                user("hooks.json", "hooks"),
                user("config.toml", "config"),
                row("/r/.codex/hooks.json", "hooks-up2"),
                row("/r/.codex/config.toml", "config-up2"),
                row("/r/a/.codex/hooks.json", "hooks-up1"),
                row("/r/a/.codex/config.toml", "config-up1"),
                row("/r/a/b/.codex/hooks.json", "hooks"),
                row("/r/a/b/.codex/config.toml", "config"),
            ]
        );
    }
    let alone = &roots(&places("/r/a", None), &[])[3];
    assert_eq!(
        *alone,
        (
            "/r/a/.codex/hooks.json".to_owned(),
            Some("/r/a".into()),
            "hooks".to_owned()
        )
    );
}

#[test]
fn the_home_directory_as_project_is_read_once() {
    assert_eq!(roots(&places("/h", None), &[]).len(), 3);
    let elsewhere = roots(&places("/h", Some("/c")), &[]);
    assert_eq!(elsewhere[1].0, "/c/hooks.json");
    assert_eq!(elsewhere[3].0, "/h/.codex/hooks.json");
}

#[test]
fn a_file_of_a_folder_above_has_its_distance_in_its_ids() {
    let root = Root {
        above: 1,
        ..Root::file(Layer::Project, "/r/.codex/hooks.json".into(), Some("/r".into()))
    };
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    let parsed = parse(&SourceTree::with_text(root, Ok(text.to_owned())));
    assert_eq!(parsed.hooks[0].id, "codex:project:Stop:hooks-up1.0.0");
}

#[test]
fn time_limits_have_their_defaults_and_bounds() {
    let limit = |event: &str, more: Value| {
        let mut entry = json!({ "type": "command", "command": "true" });
        entry
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().cloned().unwrap());
        hook_of(event, entry).timeout
    };
    for (event, more, seconds) in [
        ("Stop", json!({}), 600),
        ("Stop", json!({ "timeout": 0 }), 1),
        ("Stop", json!({ "timeout": 90 }), 90),
        ("Stop", json!({ "timeout": 4000 }), 3600),
        ("SessionEnd", json!({}), 1),
        ("Interrupt", json!({ "timeout": 30 }), 3),
    ] {
        assert_eq!(limit(event, more), Duration::from_secs(seconds), "{event} {seconds}");
    }
}

#[test]
fn a_hook_in_the_background_is_not_waited_for_but_at_the_end_of_a_session() {
    let entry = json!({ "type": "command", "command": "true", "async": true });
    assert_eq!(hook_of("Stop", entry.clone()).mode, RunMode::Detach);
    assert_eq!(hook_of("SessionEnd", entry).mode, RunMode::Await);
}

#[test]
fn the_label_is_the_message_or_what_runs() {
    let label = |entry: Value| hook_of("PreToolUse", entry).label;
    let command = "python3 .codex/guard.py";
    assert_eq!(
        label(json!({ "type": "command", "command": command, "statusMessage": "Checking" })),
        "Checking"
    );
    assert_eq!(label(json!({ "type": "command", "command": command })), "guard.py");
    assert_eq!(label(json!({ "type": "mcp_tool", "server": "s", "tool": "t" })), "s:t");
}

#[test]
fn a_callback_of_a_session_is_a_hook() {
    let registration = |definition: &Value, event| {
        crate::event_list::read_callback(
            &super::CALLBACKS,
            &SessionRegistration {
                definition,
                event,
                hooks: &[],
                project: Path::new("/p"),
            },
        )
    };
    let read = registration(&json!({ "callback": "check", "matcher": "Bash" }), Some("PreToolUse")).unwrap();
    assert_eq!(
        read[0].handler,
        Handler::Callback {
            callback: "check".to_owned()
        }
    );
    assert_eq!(read[0].timeout, Duration::from_secs(60));
    assert!(registration(&json!({ "matcher": "Bash" }), Some("PreToolUse")).is_err());
    assert!(registration(&json!({ "callback": "check" }), Some("Notification")).is_err());
}

#[test]
fn an_error_that_costs_the_file_leaves_its_hooks_listed_and_none_valid() {
    let parsed = read(&json!({ "hooks": {
        "PreToolUse": [{ "hooks": [{ "type": "command" }] }],
        "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }],
    } }));
    assert_eq!(parsed.broken, [PathBuf::from("/h/.codex/hooks.json")]);
    let codes: Vec<Option<&str>> = parsed
        .hooks
        .iter()
        .map(|hook| hook.invalid.as_ref().map(|message| message.code))
        .collect();
    assert_eq!(codes, [Some("costs_file"); 2]);
    assert!(parsed.problems.iter().any(|problem| problem.code == Code::CostsFile));
}

/// The hooks of the user's `config.toml`.
fn read_toml(text: &str) -> Parsed {
    let root = Root::file(Layer::User, "/h/.codex/config.toml".into(), None);
    parse(&SourceTree::with_text(root, Ok(text.to_owned())))
}

#[test]
fn hooks_in_settings_are_read_in_both_forms_and_the_trust_beside_them_is_no_event() {
    let parsed = read_toml(
        r#"model = "o5"
[[hooks.PreToolUse]]
matcher = "^Bash$"
[[hooks.PreToolUse.hooks]]
type = "command"
command = "python3 .codex/guard.py"
timeout = 30
[hooks.state."/h/.codex/config.toml:pre_tool_use:0:0"]
enabled = true
"#,
    );
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(parsed.hooks[0].id, "codex:user:PreToolUse:config.0.0");
    assert_eq!(
        (parsed.hooks[0].source.line, parsed.hooks[0].timeout),
        (4, Duration::from_secs(30))
    );
    let inline = read_toml("hooks.Stop = [{ hooks = [{ type = \"command\", command = \"true\" }] }]\n");
    assert_eq!(inline.hooks[0].id, "codex:user:Stop:config.0.0");
}

#[test]
fn an_error_in_settings_keeps_the_agent_from_starting() {
    let parsed = read_toml("[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"http\"\n");
    let told = parsed
        .problems
        .iter()
        .find(|problem| problem.code == Code::CostsFile)
        .unwrap();
    assert_eq!(told.args["agent"], "refuses_to_start");
    let broken = read_toml("model = \n");
    assert_eq!(broken.problems[0].code, Code::Syntax);
    assert_eq!(broken.broken.len(), 1);
}

#[test]
fn of_a_type_that_the_agent_skips_nothing_else_is_looked_at() {
    let parsed =
        read(&json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "agent", "timeout": "x", "command": 3 }] }] } }));
    let codes: Vec<Code> = parsed.problems.iter().map(|problem| problem.code).collect();
    assert_eq!(codes, [Code::Unsupported]);
    assert!(parsed.broken.is_empty());
}
