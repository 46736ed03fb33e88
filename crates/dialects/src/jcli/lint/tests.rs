use super::*;
use crate::jcli::Jcli;
use hookwright_model::{Files, Layer, Locations, Root, SourceTree};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

struct LintSandbox {
    layer: Layer,
    files: Vec<(&'static str, &'static str)>,
}

const USER: LintSandbox = LintSandbox {
    layer: Layer::User,
    files: Vec::new(),
};
const PROJECT: LintSandbox = LintSandbox {
    layer: Layer::Project,
    files: Vec::new(),
};

impl LintSandbox {
    /// `hook line:column code[.case]` of every hint. Each hook names the files whose path its command contains.
    fn hints(&self, text: &str) -> Vec<String> {
        let root = Root::file(self.layer, "/p/.jcli/hooks.yaml".into(), None);
        let text = Ok(text.to_owned());
        let parsed = Jcli.parse(&SourceTree::with_text(root, text));
        let named: BTreeMap<String, Vec<(PathBuf, String)>> = parsed
            .hooks
            .iter()
            .map(|hook| {
                let Handler::Shell { command } = &hook.handler else {
                    return (hook.id.clone(), Vec::new());
                };
                let mine = self.files.iter().filter(|(name, _)| command.contains(name));
                (
                    hook.id.clone(),
                    mine.map(|(name, text)| (PathBuf::from(name), (*text).to_owned()))
                        .collect(),
                )
            })
            .collect();
        let places = Locations {
            skills_roots: Vec::new(),
            home: "/home/me".into(),
            project: "/code/p".into(),
            vars: BTreeMap::new(),
        };
        let env = ["HOME".to_owned(), "PATH".to_owned()];
        let is_there = |path: &Path| !path.starts_with("/opt/none") && !path.ends_with("hooks.yml");
        let context = LintContext {
            hooks: &parsed.hooks,
            named_file_texts: &named,
            locations: &places,
            env: &env,
            sh: "dash",
            on_path: &|_| true,
            path_exists: &is_there,
            is_executable: &|_| true,
            list_dir: &|_| Vec::new(),
            read_text: &|_| None,
        };
        let short = |problem: &Problem| {
            crate::jcli::config::tests::assert_filled(problem);
            let case = problem
                .args
                .get("case")
                .and_then(|case| case.as_str())
                .map_or_else(String::new, |case| format!(".{case}"));
            let hook = problem.hook.as_deref().unwrap_or_default().trim_start_matches("jcli:");
            let hook = hook.split_once(':').map_or(hook, |(_, rest)| rest);
            format!(
                "{hook} {}:{} {}{case}",
                problem.line.unwrap_or(0),
                problem.column.unwrap_or(0),
                problem.code.as_str()
            )
        };
        Jcli.lint(&context).iter().map(short).collect()
    }

    #[track_caller]
    fn assert_hints(&self, text: &str, want: &[&str]) {
        assert_eq!(self.hints(text), want, "{text}");
    }
}

const SKIP: &str = r#"echo '{"action":"skip"}'"#;
const STOP: &str = r#"echo '{"action":"stop"}'"#;

fn hook_yaml(event: &str, command: &str, more: &str) -> String {
    format!(
        "{event}:\n  - command: {}\n{more}",
        serde_json::to_string(command).unwrap()
    )
}

#[test]
fn a_stop_that_j_cli_ignores_is_reported() {
    for event in [
        "pre_tool_execution",
        "post_tool_execution",
        "post_tool_execution_failure",
        "post_micro_compact",
        "post_auto_compact",
    ] {
        let abort = format!("{event}:0 3:15 stop_not_honoured.abort");
        USER.assert_hints(&hook_yaml(event, "x", "    on_error: abort\n"), &[&abort]);
        let literal = format!("{event}:0 2:14 stop_not_honoured.stop");
        let found = USER.hints(&hook_yaml(event, STOP, ""));
        assert_eq!(found.first(), Some(&literal), "{event}");
    }
    for event in ["pre_send_message", "pre_llm_request", "stop", "pre_auto_compact"] {
        let found = USER.hints(&hook_yaml(event, STOP, "    on_error: abort\n"));
        assert!(found.is_empty(), "{event} {found:?}");
    }
}

#[test]
fn a_decision_at_the_wrong_event_is_reported() {
    USER.assert_hints(&hook_yaml("stop", SKIP, ""), &["stop:0 2:14 skip_no_effect"]);
    USER.assert_hints(
        &hook_yaml("pre_tool_execution", SKIP, "    on_error: abort\n"),
        &["pre_tool_execution:0 3:15 stop_not_honoured.abort"],
    );
    USER.assert_hints(
        &hook_yaml("session_start", "x", "    on_error: abort\n"),
        &["session_start:0 3:15 abort_no_hold"],
    );
    USER.assert_hints(
        &hook_yaml("session_end", "echo '{\"ok\": 1}'", ""),
        &["session_end:0 2:14 returns_ignored"],
    );
    USER.assert_hints(&hook_yaml("session_end", "date >> /tmp/x", ""), &[]);
}

#[test]
fn a_guard_that_fails_open_or_closed_is_reported() {
    USER.assert_hints(
        &hook_yaml("pre_tool_execution", SKIP, ""),
        &["pre_tool_execution:0 2:5 fails_open"],
    );
    USER.assert_hints(
        &hook_yaml("pre_send_message", STOP, "    on_error: skip\n"),
        &["pre_send_message:0 3:15 fails_open"],
    );
    USER.assert_hints(
        &hook_yaml("pre_send_message", SKIP, ""),
        &["pre_send_message:0 2:14 skip_no_effect"],
    );
    // A hook that cannot start is reported as that only, and not also as one that fails open.
    USER.assert_hints(
        &hook_yaml("pre_tool_execution", &format!("/opt/none/guard.sh && {SKIP}"), ""),
        &["pre_tool_execution:0 2:14 entry_missing.missing"],
    );
    let script = LintSandbox {
        files: vec![("/h/guard.py", "print(json.dumps({'action': 'skip'}))")],
        ..USER
    };
    script.assert_hints(
        &hook_yaml("pre_tool_execution", "python3 /h/guard.py", ""),
        &["pre_tool_execution:0 2:5 fails_open"],
    );
    let llm = "pre_llm_request:\n  - type: llm\n    prompt: judge\n    timeout: 9\n    on_error: abort\n";
    USER.assert_hints(llm, &["pre_llm_request:0 5:15 fails_closed"]);
    // A hint must not ask for something that another hint reports.
    let guard = "pre_send_message:\n  - type: llm\n    prompt: 'else {\"action\":\"stop\"}'\n    timeout: 9\n";
    USER.assert_hints(guard, &["pre_send_message:0 2:5 fails_open"]);
    USER.assert_hints(&format!("{guard}    on_error: abort\n"), &[]);
}

#[test]
fn a_filter_without_effect_is_reported() {
    let filter = |event: &str, filter: &str| hook_yaml(event, "x", &format!("    filter: {filter}\n"));
    USER.assert_hints(
        &filter("pre_send_message", "{tool_name: Bash}"),
        &["pre_send_message:0 3:25 never_matches"],
    );
    USER.assert_hints(
        &filter("pre_tool_execution", "{model_prefix: gpt}"),
        &["pre_tool_execution:0 3:28 never_matches"],
    );
    USER.assert_hints(&filter("pre_llm_request", "{model_prefix: gpt}"), &[]);
    for names in [
        "Edit.*",
        "Write|Edit+",
        "^Bash",
        "Bash$",
        "(Bash)",
        "[Bb]ash",
        r"Bash\b",
    ] {
        let text = filter("pre_tool_execution", &format!("{{tool_matcher: '{names}'}}"));
        USER.assert_hints(&text, &["pre_tool_execution:0 3:28 not_a_regex"]);
    }
    USER.assert_hints(
        &filter("pre_tool_execution", "{tool_name: Bash, tool_matcher: 'Bash|Edit.*'}"),
        &["pre_tool_execution:0 3:45 no_effect.matcher"],
    );
    USER.assert_hints(
        &hook_yaml("stop", "x || true", "    retry: 2\n"),
        &["stop:0 3:12 no_effect.retry"],
    );
    USER.assert_hints(&hook_yaml("stop", "x || true", ""), &[]);
}

#[test]
fn a_time_limit_that_does_not_fit_is_reported() {
    USER.assert_hints(
        &hook_yaml("stop", "x", "    timeout: 31\n"),
        &["stop:0 3:14 over_budget"],
    );
    USER.assert_hints(&hook_yaml("stop", "x", "    retry: 2\n    timeout: 10\n"), &[]);
    USER.assert_hints(&hook_yaml("stop", "x", "    retry: 3\n"), &["stop:0 2:5 over_budget"]);
    USER.assert_hints(
        "stop:\n  - type: llm\n    prompt: x\n",
        &["stop:0 2:5 over_budget.defaults"],
    );
    USER.assert_hints("stop:\n  - type: llm\n    prompt: x\n    retry: 0\n", &[]);
    let sum =
        "stop:\n  - command: a\n  - command: b\n    timeout: 20\n  - command: c\n    timeout: 1\n  - command: d\n";
    USER.assert_hints(sum, &["stop:2 6:14 over_budget.sum"]);
    USER.assert_hints(
        &hook_yaml("stop", "x", "    timeout: 1500\n"),
        &["stop:0 3:14 unit_suspect"],
    );
    USER.assert_hints(
        &hook_yaml("stop", "x", "    timeout: 1001\n"),
        &["stop:0 3:14 over_budget"],
    );
}

#[test]
fn an_unset_variable_is_reported() {
    USER.assert_hints(
        &hook_yaml("stop", "echo $TOOL_INPUT $HOME ${JCLI_CWD} $1", ""),
        &["stop:0 2:14 unset_variable.command"],
    );
    USER.assert_hints(&hook_yaml("stop", "T=$(cat); echo \"$T\" '$NOT'", ""), &[]);
    USER.assert_hints(&hook_yaml("stop", "eval \"$X\"", ""), &[]);
    let script = LintSandbox {
        files: vec![("/h/a.sh", "echo $A\n"), ("/h/b.py", "x = '$B'")],
        ..USER
    };
    script.assert_hints(
        &hook_yaml("stop", "sh /h/a.sh", ""),
        &["stop:0 2:14 unset_variable.command"],
    );
    script.assert_hints(&hook_yaml("stop", "python3 /h/b.py", ""), &[]);
}

#[test]
fn a_command_that_works_on_one_machine_only_is_reported() {
    for command in ["python3 hooks/a.py", "./check.sh", "sh a.sh", "hooks/run"] {
        USER.assert_hints(&hook_yaml("stop", command, ""), &["stop:0 2:14 not_portable.relative"]);
        PROJECT.assert_hints(&hook_yaml("stop", command, ""), &[]);
    }
    for command in [
        "python3 ~/hooks/a.py",
        "\"$HOME/a.sh\"",
        "jq . a.json",
        "python3 -c 'x'",
    ] {
        USER.assert_hints(&hook_yaml("stop", command, ""), &[]);
    }
    for command in [
        "python3 /home/you/a.py",
        "/Users/you/bin/x",
        "cat /home/me/x",
        "/code/p/x.sh",
        "/mnt/d/x.sh",
    ] {
        PROJECT.assert_hints(&hook_yaml("stop", command, ""), &["stop:0 2:14 not_portable.home"]);
        USER.assert_hints(&hook_yaml("stop", command, ""), &[]);
    }
    for command in ["/opt/none/x.sh", "/usr/bin/python3 /opt/none/x.py"] {
        PROJECT.assert_hints(&hook_yaml("stop", command, ""), &["stop:0 2:14 entry_missing.missing"]);
        PROJECT.assert_hints(
            &hook_yaml("session_end", command, ""),
            &["session_end:0 2:14 entry_missing.missing"],
        );
        let closed = hook_yaml("stop", command, "    on_error: abort\n");
        PROJECT.assert_hints(&closed, &["stop:0 2:14 entry_missing.missing"]);
    }
    PROJECT.assert_hints(&hook_yaml("stop", "/usr/bin/env sed /foo/d /dev/stdin", ""), &[]);
    for command in [
        "[[ -n x ]] && y",
        "cat <<< x",
        "diff <(a) b",
        "a &> /tmp/x",
        "source ./env",
    ] {
        PROJECT.assert_hints(&hook_yaml("stop", command, ""), &["stop:0 2:14 not_portable.breaks"]);
    }
    PROJECT.assert_hints(&hook_yaml("stop", "bash -c '[[ -n x ]]'", ""), &[]);
}

#[test]
fn conflicting_hooks_of_one_event_are_reported() {
    let two = |event: &str, first: &str, second: &str| {
        let quote = |text: &str| serde_json::to_string(text).unwrap();
        format!(
            "{event}:\n  - command: {}\n    on_error: abort\n    {}",
            quote(first),
            "filter: {tool_name: A}\n"
        ) + &format!("  - command: {}\n    on_error: abort\n", quote(second))
    };
    let context = r#"echo '{"additional_context":"a"}'"#;
    let text = format!(
        "stop:\n  - command: {0}\n  - command: {0}\n",
        serde_json::to_string(context).unwrap()
    );
    USER.assert_hints(&text, &["stop:0 2:14 last_wins"]);
    let edit = r#"echo '{"tool_arguments":"{}"}'"#;
    let found = USER.hints(&two("pre_tool_execution", edit, SKIP));
    assert_eq!(found.last().unwrap(), "pre_tool_execution:1 5:14 drops_changes");
    assert!(
        !USER
            .hints(&two("pre_tool_execution", SKIP, edit))
            .iter()
            .any(|hint| hint.contains("drops_changes"))
    );
    let disjoint = two("pre_tool_execution", edit, SKIP) + "    filter: {tool_matcher: 'B|C'}\n";
    assert!(!USER.hints(&disjoint).iter().any(|hint| hint.contains("drops_changes")));
}

#[test]
fn outside_text_in_the_prompt_of_a_guard_is_reported() {
    let llm = |prompt: &str| {
        format!(
            "pre_llm_request:\n  - {{type: llm, timeout: 5, prompt: {}}}\n",
            serde_json::to_string(prompt).unwrap()
        )
    };
    USER.assert_hints(
        &llm(r#"{{user_input}} {{user_input}} {{tool_result}} else {"action":"stop"}"#),
        &["pre_llm_request:0 2:37 payload_in_prompt"; 2],
    );
    USER.assert_hints(&llm(r#"{{model}} {{cwd}} else {"action":"stop"}"#), &[]);
    USER.assert_hints(&llm("rewrite {{user_input}}"), &[]);
}

#[test]
fn a_template_in_a_command() {
    USER.assert_hints(
        &hook_yaml("stop", "log '{{ tool_name }}'", ""),
        &["stop:0 2:14 template_in_command"],
    );
    USER.assert_hints(&hook_yaml("stop", "docker ps --format '{{.ID}}'", ""), &[]);
}

#[test]
fn what_is_not_run_gets_no_advice() {
    USER.assert_hints("stop:\n  - command: x\n    timeout: 31\n    on_error: what\n", &[]);
    USER.assert_hints(
        &hook_yaml(
            "stop",
            "/r/hookwright-relay --dialect jcli --timeout $X",
            "    timeout: 40\n",
        ),
        &[],
    );
}
