use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::{Files, Layer, Locations, Root, SourceFile, SourceTree};

use super::*;
use crate::agent_hooks::AgentHooks;

/// `code.case line` of the advice for one hook with this script.
fn hints(front: &str, script: &str) -> Vec<String> {
    let path = PathBuf::from("/h/a/HOOK.md");
    let entry = PathBuf::from("/h/a/scripts/run.sh");
    let root = Root::file(Layer::User, path, None);
    let text = format!("---\nname: a\ndescription: d\n{front}\n---\n");
    let mut tree = SourceTree::with_text(root, Ok(text));
    let mut file = SourceFile::with_text(entry.clone(), Ok(script.to_owned()));
    file.executable = true;
    tree.files.insert(entry.clone(), file);
    let hooks: Vec<Arc<Hook>> = AgentHooks.parse(&tree).hooks;
    let named = BTreeMap::from([(hooks[0].id.clone(), vec![(entry, script.to_owned())])]);
    let places = Locations {
        home: "/h".into(),
        project: "/p".into(),
        skills_roots: Vec::new(),
        vars: BTreeMap::new(),
    };
    let context = LintContext {
        hooks: &hooks,
        named_file_texts: &named,
        locations: &places,
        env: &[],
        sh: "dash",
        on_path: &|program| ["sh", "bash", "cat", "grep", "python3"].contains(&program),
        path_exists: &|path| path == Path::new("/bin/sh") || path == Path::new("/bin/bash"),
        is_executable: &|_| true,
        list_dir: &|_| Vec::new(),
        read_text: &|_| None,
    };
    let of = |problem: Problem| {
        let case = problem
            .args
            .get("case")
            .and_then(|case| case.as_str())
            .unwrap_or_default();
        format!("{}.{case} {}", problem.code.as_str(), problem.line.unwrap_or_default())
    };
    lint(&context).into_iter().map(of).collect()
}

const NOTHING: [String; 0] = [];

#[test]
fn a_good_guard_gets_no_advice() {
    let script = "#!/bin/bash\nevent=$(cat)\nif echo \"$event\" | grep -q rm; then\n  echo no >&2\n  exit 2\nfi\n";
    assert_eq!(hints("trigger: before_tool\nmatcher: {tool: Shell}", script), NOTHING);
}

#[test]
fn a_program_that_a_script_checks_for_or_defines_is_not_reported() {
    let guard = |script: &str| hints("trigger: before_tool", &format!("#!/bin/sh\n{script}\n"));
    assert_eq!(guard("jq -r .x"), ["entry_missing.inside 2"]);
    assert_eq!(guard("command -v jq >/dev/null || exit 2\njq -r .x"), NOTHING);
    assert_eq!(guard("check() { exit 2; }\ncheck"), NOTHING);
    assert_eq!(guard("\"$TOOL\" x; A=1 cat"), NOTHING);
    assert_eq!(guard("/opt/tool x"), ["entry_missing.inside 2"]);
    assert_eq!(guard("[ -x /opt/tool ] && /opt/tool x"), NOTHING);
    assert_eq!(
        hints("trigger: before_tool", "#!/opt/none\n"),
        ["entry_missing.not_installed 2"]
    );
    assert_eq!(
        hints("trigger: after_tool", "#!/opt/none\n"),
        ["entry_missing.not_installed 2"]
    );
    assert_eq!(guard("case $(uname) in Darwin) say x ;; esac"), NOTHING);
    assert_eq!(hints("trigger: before_tool", "#!/usr/bin/env -S python3 -u\n"), NOTHING);
    assert_eq!(
        hints("trigger: after_tool", "#!/bin/sh\njq -r .x\n"),
        ["entry_missing.inside 2"],
        "it guards nothing, and fails all the same"
    );
}

#[test]
fn tools_are_compared_with_those_of_the_agent() {
    let tool = |tool: &str| {
        hints(
            &format!("trigger: before_tool\nmatcher:\n  tool: {tool}"),
            "#!/bin/sh\n",
        )
    };
    assert_eq!(tool("Shell"), NOTHING);
    assert_eq!(tool("File"), ["unanchored.tool 6"]);
    assert_eq!(tool("^ReadFile$|^WriteFile$"), NOTHING);
    assert_eq!(tool("^(shell|bash)$"), ["never_matches.lower_case 6"]);
    assert_eq!(tool("^mcp__"), NOTHING);
    assert_eq!(tool("shell"), NOTHING, "an MCP tool may have it in its name");
    assert_eq!(tool("'.*'"), ["too_wide.blank 6"]);
}

#[test]
fn what_is_not_run_gets_no_advice() {
    assert_eq!(hints("trigger: nothing\nmatcher: {}", "#!/bin/sh\nexit 2\n"), NOTHING);
    let relay = "#!/bin/sh\nexec /opt/hookwright-relay --dialect agent-hooks --event before_agent\n";
    assert_eq!(hints("trigger: before_agent", relay), NOTHING);
}
