//! A converted hook says the same as its source (`engine.md` §14, conversion). Every answer that the tables of a dialect
//! allow is fired with the source and with each conversion: a denial is never lost, no approval is made, and a new input
//! arrives. Where the other dialect cannot deny, the hook is left out with an error.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_app::dto::ConvertDoc;
use hookwright_app::event_options::{Consent, Recording};
use hookwright_app::fire::{Caller, FireJob};
use hookwright_app::sessions::SessionRequest;
use hookwright_app::{App, convert, fire};
use hookwright_model::event::FieldKind;
use hookwright_model::{Dialect, EventSpec, Origin, Payload, Trace, VerdictKind};
use hookwright_workspace::ProcessRole;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::common::{TestHome, load, write};

/// The dialects with commands. Skills have texts only.
fn dialects() -> impl Iterator<Item = &'static dyn Dialect> {
    let all = hookwright_dialects::all().iter().copied();
    all.filter(|dialect| dialect.card().id != "skill")
}

fn find(id: &str) -> &'static dyn Dialect {
    dialects().find(|dialect| dialect.card().id == id).expect("a dialect")
}

/// What a hook does, whatever it is written in.
#[derive(Debug, Clone)]
struct Answer {
    name: String,
    /// What it prints; for PicoClaw the result of a request.
    printed: Option<Value>,
    /// What it says on stderr.
    said: &'static str,
    code: i32,
}

impl Answer {
    fn printed(name: impl Into<String>, value: Value) -> Self {
        Self {
            name: name.into(),
            printed: Some(value),
            said: "",
            code: 0,
        }
    }

    fn exit(code: i32, said: &'static str) -> Self {
        Self {
            name: format!("exit {code}, stderr {said:?}"),
            printed: None,
            said,
            code,
        }
    }
}

/// The input that hooks give a call.
fn new_input() -> Value {
    json!({"command": "ls \"new, one\" {"})
}

/// Every answer that has a meaning at an event, by the tables of the dialect.
fn answers(dialect: &str, event: &EventSpec) -> Vec<Answer> {
    let mut answers = vec![Answer::exit(1, "broken"), Answer::exit(0, "")];
    let has = |name: &str| event.output(name).is_some();
    let takes = |kind: VerdictKind| event.verdicts.contains(&kind);
    let print = |value: Value| Answer::printed(value.to_string(), value);
    match dialect {
        "picoclaw" => {
            let actions = ["continue", "deny_tool", "abort_turn", "hard_abort"];
            answers = actions
                .iter()
                .map(|action| print(json!({"action": action, "reason": "no"})))
                .collect();
            answers.extend(
                has("call")
                    .then(|| print(json!({"action": "modify", "call": {"tool": "bash", "arguments": new_input()}}))),
            );
            if has("approved") {
                answers = [true, false]
                    .iter()
                    .map(|approved| print(json!({"approved": approved})))
                    .collect();
            }
        }
        "jcli" => {
            answers.extend(["stop", "skip"].map(|action| print(json!({"action": action, "system_message": "no"}))));
            answers.push(print(json!({"abort": true})));
            answers.push(print(json!({"retry_feedback": "again"})));
            answers.push(print(json!({"additional_context": "context"})));
            answers.extend(has("tool_arguments").then(|| print(json!({"tool_arguments": new_input().to_string()}))));
        }
        "agent-hooks" => {
            answers.extend([Answer::exit(2, "no"), Answer::exit(2, "")]);
            for decision in ["deny", "ask", "allow"] {
                answers.push(print(json!({"decision": decision, "reason": "why"})));
            }
            answers.push(print(json!({"additional_context": "context"})));
            if has("modified_input") {
                answers.push(print(json!({"modified_input": new_input()})));
                answers.push(print(json!({"decision": "allow", "modified_input": new_input()})));
                answers.push(print(json!({"decision": "ask", "modified_input": new_input()})));
            }
        }
        _ => {
            answers.extend([Answer::exit(2, "no"), Answer::exit(2, "")]);
            let output = |fields: Value| {
                let mut fields = fields;
                fields["hookEventName"] = event.name.into();
                print(json!({"hookSpecificOutput": fields}))
            };
            if event
                .output("decision")
                .is_some_and(|output| output.kind == FieldKind::Text)
            {
                answers.push(print(json!({"decision": "block", "reason": "no"})));
            }
            if has("permissionDecision") {
                for word in ["deny", "ask", "allow"] {
                    answers.push(output(
                        json!({"permissionDecision": word, "permissionDecisionReason": "why"}),
                    ));
                    answers.push(output(json!({"permissionDecision": word, "updatedInput": new_input()})));
                }
                answers.push(output(json!({"updatedInput": new_input()})));
            }
            if takes(VerdictKind::Approve) && !has("permissionDecision") {
                answers.push(output(json!({"decision": {"behavior": "deny", "message": "no"}})));
                answers.push(output(json!({"decision": {"behavior": "allow"}})));
                answers.push(output(
                    json!({"decision": {"behavior": "allow", "updatedInput": new_input()}}),
                ));
                answers.push(print(json!({"decision": "block", "reason": "no"})));
            }
            answers.push(print(json!({"continue": false, "stopReason": "enough"})));
            answers.push(output(json!({"additionalContext": "context"})));
        }
    }
    answers
}

/// What a hook is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    /// A command of a shell.
    Shell,
    /// A script that `python3` is started with.
    Python,
    /// A script that names its interpreter itself.
    OwnPython,
    /// A script that `node` is started with.
    Node,
}

/// Writes a hook with this answer into a project. Returns the path to convert.
fn write_hook(project: &Path, dialect: &str, event: &str, answer: &Answer, language: Language) -> &'static str {
    let printed = answer.printed.as_ref().map(Value::to_string).unwrap_or_default();
    let (said, code) = (answer.said, answer.code);
    let literal = json!(printed).to_string();
    let python = if dialect == "picoclaw" {
        format!(
            "import json, sys\nfor line in sys.stdin:\n    request = json.loads(line)\n    is_asked = request[\"method\"] == \"hook.{event}\"\n    result = json.loads({literal}) if is_asked else {{}}\n    if \"id\" in request:\n        print(json.dumps({{\"id\": request[\"id\"], \"result\": result}}), flush=True)\n"
        )
    } else {
        format!(
            "import json, sys\nevent = json.load(sys.stdin)\nprint({literal}, end=\"\")\nprint({}, end=\"\", file=sys.stderr)\nsys.exit({code})\n",
            json!(said)
        )
    };
    let node = format!(
        "const event = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));\nprocess.stdout.write({literal});\nprocess.stderr.write({});\nprocess.exitCode = {code};\n",
        json!(said)
    );
    let shell_quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let command = match language {
        Language::Shell => {
            let prints = (!printed.is_empty()).then(|| format!("printf '%s' {}; ", shell_quoted(&printed)));
            let says = (!said.is_empty()).then(|| format!("echo {said} >&2; "));
            format!("{}{}exit {code}", prints.unwrap_or_default(), says.unwrap_or_default())
        }
        Language::Python => "python3 hook.py".to_owned(),
        Language::OwnPython => "./hook.py".to_owned(),
        Language::Node => "node hook.cjs".to_owned(),
    };
    let executable = |path: PathBuf, text: String| {
        write(&path, text);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(path, mode).expect("a mode");
    };
    if dialect == "agent-hooks" {
        let folder = project.join(".agents/hooks/hook");
        write(
            &folder.join("HOOK.md"),
            format!("---\nname: hook\ndescription: d\ntrigger: {event}\n---\n"),
        );
        let text = match language {
            Language::Shell => format!("#!/bin/sh\n{command}\n"),
            Language::Python | Language::OwnPython => format!("#!/usr/bin/env python3\n{python}"),
            Language::Node => format!("#!/usr/bin/env node\n{node}"),
        };
        executable(folder.join("scripts/run"), text);
        return ".agents/hooks";
    }
    if language != Language::Shell {
        executable(project.join("hook.py"), format!("#!/usr/bin/env python3\n{python}"));
        write(&project.join("hook.cjs"), node);
    }
    let (path, text) = match dialect {
        "jcli" => (
            ".jcli/hooks.yaml",
            json!({event: [{"command": command, "on_error": "abort"}]}),
        ),
        "picoclaw" => {
            let process = json!({"enabled": true, "command": ["python3", "hook.py"], "intercept": [event]});
            (
                ".picoclaw/config.json",
                json!({"hooks": {"processes": {"hook": process}}}),
            )
        }
        _ => (
            place(dialect),
            json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}}),
        ),
    };
    write(&project.join(path), text.to_string());
    path
}

fn place(dialect: &str) -> &'static str {
    match dialect {
        "qoder" => ".qoder/settings.json",
        "claude-code" => ".claude/settings.json",
        "codex" => ".codex/hooks.json",
        other => unreachable!("{other}"),
    }
}

/// The payload of an event, with a call of the agent's shell.
fn payload(dialect: &dyn Dialect, event: &EventSpec) -> Payload {
    let card = dialect.card();
    let mut payload = dialect.fixture(event);
    payload.retain(|name, _| !["cwd", "work_dir"].contains(&name.as_str()));
    if payload.contains_key(card.tool_field) {
        let shell = match card.id {
            "agent-hooks" => "Shell",
            "picoclaw" => "bash",
            _ => "Bash",
        };
        payload.insert(card.tool_field.into(), shell.into());
    }
    if payload.contains_key(card.call_input) {
        let input = json!({"command": "ls old"});
        let is_text = card.id == "jcli";
        payload.insert(
            card.call_input.into(),
            if is_text { input.to_string().into() } else { input },
        );
    }
    payload
}

/// What an event came to.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    verdict: VerdictKind,
    /// The new input of the call.
    edited: Option<Value>,
}

impl Outcome {
    fn of(dialect: &dyn Dialect, trace: &Trace) -> Self {
        let input = |payload: &Payload| {
            let value = payload.get(dialect.card().call_input)?.clone();
            Some(match value.as_str() {
                Some(text) => serde_json::from_str(text).expect("JSON"),
                None => value,
            })
        };
        let (before, after) = (input(&trace.payload_before), input(&trace.payload_after));
        Self {
            verdict: trace.verdict.kind,
            edited: after.filter(|after| before.as_ref() != Some(after)),
        }
    }

    /// How strict the verdict is: it continues, asks, or blocks.
    fn strictness(&self) -> u8 {
        match self.verdict {
            VerdictKind::Ask => 1,
            other if other.blocks() => 2,
            _ => 0,
        }
    }

    /// Whether the turn ends.
    fn ends(&self) -> bool {
        [VerdictKind::Stop, VerdictKind::EndTurn, VerdictKind::EndSession].contains(&self.verdict)
    }
}

async fn fired(app: &App, dialect: &dyn Dialect, event: &EventSpec, project: &Path) -> Outcome {
    let session = SessionRequest {
        dialect: dialect.card().id.into(),
        id: None,
        project: project.to_owned(),
    };
    let job = FireJob {
        event: event.name.into(),
        payload: payload(dialect, event).into(),
        origin: Origin::Cli,
        caller: Caller::ThisProcess,
        consent: Consent::Granted,
        recording: Recording::Off,
        cancel: CancellationToken::new(),
        run: None,
    };
    let snapshot = load(app, project);
    let fired = fire::fire_once(app, &snapshot, session, job).await;
    let fired = fired.unwrap_or_else(|fault| panic!("{} {}: {}", dialect.card().id, event.name, fault.message));
    Outcome::of(dialect, fired.raw())
}

/// The event of the only hook in a converted project.
fn converted_event(app: &App, to: &'static dyn Dialect, project: &Path) -> &'static EventSpec {
    let snapshot = load(app, project);
    let mut hooks = snapshot.hooks(to.card().id);
    // A process of PicoClaw is also asked at the event beside the one that it names.
    let is_named = |hook: &&Arc<hookwright_model::Hook>| {
        let points = ["intercept", "observe"].map(|name| hook.definition.get(name).cloned());
        let named = points
            .into_iter()
            .flatten()
            .any(|points| points[0] == hook.event.as_str());
        to.card().id != "picoclaw" || named
    };
    let hook = hooks.find(is_named).expect("a hook");
    to.card().event(&hook.event).expect("its event")
}

struct Bench {
    test_home: TestHome,
    app: Arc<App>,
    count: usize,
    wrong: Vec<String>,
}

impl Bench {
    fn new() -> Self {
        let test_home = TestHome::new();
        let app = test_home.app(ProcessRole::OneShot);
        Self {
            test_home,
            app,
            count: 0,
            wrong: Vec::new(),
        }
    }

    /// Fires an answer with its source and with every conversion.
    async fn check(
        &mut self,
        from: &'static dyn Dialect,
        event: &'static EventSpec,
        answer: &Answer,
        language: Language,
    ) {
        let id = from.card().id;
        self.count += 1;
        let project = self.test_home.root().join(format!("case-{}", self.count));
        let path = write_hook(&project, id, event.name, answer, language);
        let before = fired(&self.app, from, event, &project).await;
        for to in dialects().filter(|to| to.card().id != id) {
            let out = project.join(format!("to-{}", to.card().id));
            let doc = convert::convert_path(&self.app, id, to.card().id, &project.join(path), Some(&out));
            let doc = doc.unwrap_or_else(|fault| panic!("{}", fault.message));
            let what = format!("{id} {} {language:?} → {}: {}", event.name, to.card().id, answer.name);
            let fault = if doc.files.is_empty() {
                let is_tool_call = ["PreToolUse", "pre_tool_execution", "before_tool"].contains(&event.name);
                left_out(&before, &doc).or_else(|| {
                    let is_possible = is_tool_call && (language != Language::Shell || to.card().id != "picoclaw");
                    is_possible.then(|| "is left out".to_owned())
                })
            } else {
                let there = converted_event(&self.app, to, &out);
                let after = fired(&self.app, to, there, &out).await;
                let is_broken = language == Language::Shell && there.output("call").is_some();
                let fault = compared(&before, &after, event, there).filter(|_| {
                    // A command cannot answer PicoClaw, and the report says that it fails there.
                    !is_broken
                        || before.strictness() > 0
                        || !doc.loss.iter().any(|loss| loss.code == "convert_protocol")
                });
                // Where exit code 2 is no block, its author meant one.
                let fault = fault.filter(|fault| answer.code != 2 || fault != GOES_ON);
                fault.map(|fault| format!("{fault}: {before:?}, {} {after:?}", there.name))
            };
            if let Some(fault) = fault {
                let codes: Vec<&str> = doc.loss.iter().map(|loss| loss.code.as_str()).collect();
                self.wrong.push(format!("{what}\n    {fault} {codes:?}"));
            }
        }
        std::fs::remove_dir_all(project).expect("it is there");
    }

    fn finish(self, least: usize) {
        assert!(
            self.wrong.is_empty(),
            "{} of {}:\n{}",
            self.wrong.len(),
            self.count,
            self.wrong.join("\n")
        );
        assert!(self.count >= least, "{}", self.count);
    }
}

/// What is wrong with a hook that was left out: if it blocked, an error must say so.
fn left_out(before: &Outcome, doc: &ConvertDoc) -> Option<String> {
    let errors = ["would_not_block", "would_always_block", "convert_no_event"];
    let is_told = doc.loss.iter().any(|loss| errors.contains(&loss.code.as_str())) && doc.unconverted > 0;
    (before.strictness() > 0 && !is_told).then(|| "is left out without an error".to_owned())
}

const GOES_ON: &str = "the agent is made to go on";

/// What the converted hook does otherwise than it may.
fn compared(before: &Outcome, after: &Outcome, event: &EventSpec, there: &EventSpec) -> Option<String> {
    let approves = |outcome: &Outcome| outcome.verdict == VerdictKind::Approve;
    // An approver of PicoClaw has no other word for "nothing against it".
    let is_neutral = there.name == "approve_tool";
    let takes_edit = ["tool_arguments", "updatedInput", "modified_input", "call"];
    let takes_edit = takes_edit.iter().any(|name| there.output(name).is_some());
    let stops = event.name.to_lowercase().ends_with("stop");
    if after.strictness() < before.strictness() && !(stops && before.ends() && after.strictness() == 0) {
        Some("the denial is lost".to_owned())
    } else if stops && before.ends() && after.verdict == VerdictKind::Retry {
        Some("the agent goes on instead of ending".to_owned())
    } else if approves(after) && !approves(before) && !is_neutral {
        Some("an approval is made".to_owned())
    } else if approves(after) && before.edited != after.edited {
        Some("another input is approved".to_owned())
    } else if before.strictness() == 0 && takes_edit && before.edited != after.edited {
        Some("the new input does not arrive".to_owned())
    } else if after.strictness() == 2 && before.strictness() == 0 && after.verdict == VerdictKind::Retry {
        Some(GOES_ON.to_owned())
    } else {
        None
    }
}

/// Whether an event matters to what hooks decide.
fn is_tried(event: &EventSpec, language: Language) -> bool {
    let calls = [
        "PreToolUse",
        "PermissionRequest",
        "pre_tool_execution",
        "before_tool",
        "approve_tool",
    ];
    let stops = ["Stop", "stop", "before_stop"];
    match language {
        Language::Shell => !event.notify_only && event.verdicts.iter().any(|verdict| verdict.blocks()),
        Language::Python => calls.contains(&event.name) || stops.contains(&event.name),
        Language::OwnPython | Language::Node => is_first(event),
    }
}

/// Whether it comes before a call.
fn is_first(event: &EventSpec) -> bool {
    ["PreToolUse", "pre_tool_execution", "before_tool"].contains(&event.name)
}

async fn check_all(id: &str, languages: &[Language], least: usize) {
    let from = find(id);
    let mut bench = Bench::new();
    for language in languages {
        for event in from.card().events.iter().filter(|event| is_tried(event, *language)) {
            for (number, answer) in answers(id, event).into_iter().enumerate() {
                let is_spoken = match language {
                    Language::Shell => true,
                    Language::OwnPython => answer.code == 2,
                    // The adapters of Python and Node share their rules: before a call each answer is fired in one of them.
                    Language::Python => !languages.contains(&Language::Node) || !is_first(event) || number % 2 == 0,
                    Language::Node => number % 2 == 1,
                };
                if is_spoken {
                    bench.check(from, event, &answer, *language).await;
                }
            }
        }
    }
    bench.finish(least);
}

const COMMANDS: [Language; 2] = [Language::Shell, Language::OwnPython];
const SCRIPTS: [Language; 2] = [Language::Python, Language::Node];

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_j_cli_mean_the_same_elsewhere() {
    check_all("jcli", &COMMANDS, 50).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_qoder_mean_the_same_elsewhere() {
    check_all("qoder", &COMMANDS, 50).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_claude_code_mean_the_same_elsewhere() {
    check_all("claude-code", &COMMANDS, 50).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_codex_mean_the_same_elsewhere() {
    check_all("codex", &COMMANDS, 40).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_agent_hooks_mean_the_same_elsewhere() {
    check_all("agent-hooks", &COMMANDS, 50).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_picoclaw_mean_the_same_elsewhere() {
    check_all("picoclaw", &[Language::Python], 7).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_scripts_of_j_cli_mean_the_same_elsewhere() {
    check_all("jcli", &SCRIPTS, 8).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_scripts_of_qoder_mean_the_same_elsewhere() {
    check_all("qoder", &SCRIPTS, 8).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_scripts_of_claude_code_mean_the_same_elsewhere() {
    check_all("claude-code", &SCRIPTS, 8).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_scripts_of_codex_mean_the_same_elsewhere() {
    check_all("codex", &SCRIPTS, 8).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_scripts_of_agent_hooks_mean_the_same_elsewhere() {
    check_all("agent-hooks", &SCRIPTS, 8).await;
}
