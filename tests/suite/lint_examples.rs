//! What `check` says about blocking is true: each example of a message is fired, and what happens is compared with the
//! sentence (`engine.md` §14).

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;

use hookwright_app::bindings::all_messages;
use hookwright_app::lint_examples::{AgentAction, LintExample, Remedy, read_examples};
use hookwright_model::{Code, MessageTemplate};
use hookwright_testkit::program::workspace;
use hookwright_testkit::{Finished, Sandbox};
use serde_json::{Map, Value};

/// What the agent does by the words of a message; the first of these words that it has count.
const WORDS: [(&str, AgentAction); 32] = [
    ("but the tool still runs", AgentAction::EndsTurn),
    ("tool has already run", AgentAction::TooLate),
    ("the tool has run", AgentAction::TooLate),
    // The code still blocks; only the text is lost.
    ("stdout is ignored with `exit 2`", AgentAction::Blocks),
    ("the agent continues", AgentAction::Continues),
    ("the user is asked", AgentAction::Asks),
    ("the agent is blocked", AgentAction::Blocks),
    ("Claude Code continues", AgentAction::Continues),
    ("can never block", AgentAction::Continues),
    ("cannot block", AgentAction::Continues),
    ("cannot be blocked", AgentAction::Continues),
    ("but an asynchronous hook cannot", AgentAction::Continues),
    ("does not block", AgentAction::Continues),
    ("does not deny", AgentAction::Continues),
    ("does not stop", AgentAction::Continues),
    ("lets every call pass", AgentAction::Continues),
    ("the call is allowed", AgentAction::Continues),
    ("the tool runs", AgentAction::Continues),
    ("hook fails each time", AgentAction::Continues),
    ("hooks fail", AgentAction::Continues),
    ("line of the script fails", AgentAction::Continues),
    ("which is a failure", AgentAction::Continues),
    ("never matches", AgentAction::Continues),
    ("never runs there", AgentAction::Continues),
    ("so the hook never runs", AgentAction::Continues),
    ("a hook with a matcher never runs", AgentAction::Continues),
    ("is blocked", AgentAction::Blocks),
    ("which blocks", AgentAction::Blocks),
    ("it blocks", AgentAction::Blocks),
    ("can block the end", AgentAction::Blocks),
    ("call is denied", AgentAction::Blocks),
    ("is then denied", AgentAction::Blocks),
];
/// Codes about outputs that have no effect, and the words with which their messages say so.
const OUTPUT_CODES: [Code; 4] = [
    Code::ReturnsIgnored,
    Code::BareResult,
    Code::AnswerRefused,
    Code::BlockNotHonoured,
];
const OUTPUT_WORDS: [&str; 7] = [
    "ignore",
    "discard",
    "no effect",
    "fails",
    "takes no plain text",
    "is not one",
    "without a wrapper",
];
/// Messages that speak of a call and cannot be fired, with the reason.
const EXEMPT: [(&str, &str); 6] = [
    (
        "unreachable",
        "it is about another hook than the one that ends the chain",
    ),
    ("drops_changes", "it is about changes, whatever is decided"),
    (
        "too_late.codex",
        "the reason replaces the output, which is the effect that is meant",
    ),
    ("unreadable.shared_trust", "it is about approvals"),
    ("mod_may_override.claude_check", "mods run in Claude Code only"),
    ("bare_result", "the reason of a part of an output, not a problem"),
];

/// What the agent does by the words of a message; `None` if it does not say.
fn action_by_words(code: Code, text: &str) -> Option<AgentAction> {
    let found = WORDS.iter().find(|(words, _)| text.contains(words));
    let is_unused_output = || OUTPUT_CODES.contains(&code) && OUTPUT_WORDS.iter().any(|words| text.contains(words));
    found
        .map(|(_, action)| *action)
        .or_else(|| is_unused_output().then_some(AgentAction::Continues))
}

fn is_about_blocking(template: &MessageTemplate) -> bool {
    let code = Code::from_name(template.code);
    let speaks = |code| action_by_words(code, template.en).is_some() || template.en.contains("{then}");
    code.is_some_and(speaks) && !EXEMPT.iter().any(|(key, _)| *key == template.key())
}

#[test]
fn every_message_about_blocking_has_an_example_that_is_fired() {
    let examples = read_examples(&workspace());
    let fired = examples.iter().filter(|example| example.event.is_some());
    let shown: BTreeSet<&str> = fired.map(|example| example.shows.as_str()).collect();
    let missing: BTreeSet<String> = all_messages()
        .into_iter()
        .filter(|template| is_about_blocking(template))
        .map(MessageTemplate::key)
        .filter(|key| !shown.contains(key.as_str()))
        .collect();
    assert!(missing.is_empty(), "no example shows {missing:#?}");
}

#[test]
fn every_example_shows_a_message_that_exists() {
    let keys: BTreeSet<String> = all_messages().into_iter().map(MessageTemplate::key).collect();
    for example in read_examples(&workspace()) {
        assert!(keys.contains(&example.shows), "{} {}", example.dialect, example.shows);
    }
}

/// The examples of a dialect are true.
#[track_caller]
fn check_examples(dialect: &str) {
    let of_dialect = read_examples(&workspace()).into_iter();
    let wrong: Vec<String> = of_dialect
        .filter(|example| example.dialect == dialect)
        .filter_map(|example| Some(format!("{}: {}", example.shows, fault(&example)?)))
        .collect();
    assert!(wrong.is_empty(), "{dialect}:\n  {}", wrong.join("\n  "));
}

#[test]
fn what_is_said_of_j_cli_is_true() {
    check_examples("jcli");
}

#[test]
fn what_is_said_of_qoder_is_true() {
    check_examples("qoder");
}

#[test]
fn what_is_said_of_claude_code_is_true() {
    check_examples("claude-code");
}

#[test]
fn what_is_said_of_codex_is_true() {
    check_examples("codex");
}

#[test]
fn what_is_said_of_agent_hooks_is_true() {
    check_examples("agent-hooks");
}

#[test]
fn what_is_said_of_picoclaw_is_true() {
    check_examples("picoclaw");
}

#[test]
fn what_is_said_of_skills_is_true() {
    check_examples("skill");
}

/// What is not true of an example; `None` if everything is.
fn fault(example: &LintExample) -> Option<String> {
    let stage = Stage::new(example);
    stage.write(&example.files, &example.executable);
    let mut said = stage.check();
    if let Some(event) = &example.event {
        let trace = stage.fire(&example.dialect, event, &example.payload);
        said.extend(messages_of(&trace));
        let happened = action_of(&trace);
        let agent = example.agent?;
        // A block after the tool has run.
        let here = match example.here.unwrap_or(agent) {
            AgentAction::TooLate => AgentAction::Blocks,
            other => other,
        };
        if happened != here {
            return Some(format!("{happened:?} happens, not {here:?}"));
        }
        let code = Code::from_name(example.shows.split('.').next()?)?;
        let text = said
            .iter()
            .find(|(key, _)| *key == example.shows)
            .map(|(_, text)| text.as_str());
        let by_words = text.and_then(|text| action_by_words(code, text));
        if by_words.is_some_and(|by_words| by_words != agent) {
            return Some(format!(
                "`{}` means {by_words:?}, not {agent:?}",
                text.unwrap_or_default()
            ));
        }
    }
    if !said.iter().any(|(key, _)| *key == example.shows) {
        return Some(format!("it is not said, but {said:#?}"));
    }
    fault_of_fix(&stage, example).or_else(|| fault_of_remedy(example, example.remedied.as_ref()?))
}

/// What `check --fix` offers is certain: after it the message is not said any more.
fn fault_of_fix(stage: &Stage, example: &LintExample) -> Option<String> {
    let is_shown = |problem: &&Value| key_of(problem).is_some_and(|key| key == example.shows);
    let problems = stage.problems();
    let offered = problems.iter().find(is_shown)?["fixes"].as_array()?;
    let done = stage.run("", &["check", "--fix", "--yes"]);
    let is_left = stage.problems().iter().any(|problem| is_shown(&problem));
    is_left.then(|| format!("it is still said after {offered:?}: {done:?}"))
}

/// After the remedy the message is not said any more, and the opposite happens.
fn fault_of_remedy(example: &LintExample, remedy: &Remedy) -> Option<String> {
    let stage = Stage::new(example);
    stage.write(&example.files, &example.executable);
    stage.write(&remedy.files, &remedy.executable);
    if stage.check().iter().any(|(key, _)| *key == example.shows) {
        return Some("it is still said after the remedy".to_owned());
    }
    let event = remedy.event.as_ref().or(example.event.as_ref())?;
    let payload = remedy.payload.as_ref().unwrap_or(&example.payload);
    let happened = action_of(&stage.fire(&example.dialect, event, payload));
    let wanted = match example.agent? {
        AgentAction::Blocks => AgentAction::Continues,
        AgentAction::Continues | AgentAction::Asks | AgentAction::EndsTurn | AgentAction::TooLate => {
            AgentAction::Blocks
        }
    };
    (happened != wanted).then(|| format!("{happened:?} happens after the remedy, not {wanted:?}"))
}

/// The keys and texts of the messages in a trace.
fn messages_of(trace: &Value) -> Vec<(String, String)> {
    let steps = trace["steps"].as_array().into_iter().flatten();
    let ignored = steps
        .clone()
        .flat_map(|step| step["ignored"].as_array().into_iter().flatten());
    let notices = trace["notices"].as_array().into_iter().flatten();
    let all = steps.chain(ignored).chain(notices);
    all.filter_map(|message| Some((key_of(message)?, text_of(message))))
        .collect()
}

fn key_of(message: &Value) -> Option<String> {
    let code = message["code"].as_str()?;
    let case = message["args"]["case"].as_str();
    Some(case.map_or_else(|| code.to_owned(), |case| format!("{code}.{case}")))
}

fn text_of(message: &Value) -> String {
    let text = ["message", "reason", "text", "why"]
        .iter()
        .find_map(|name| message[*name].as_str());
    text.unwrap_or_default().to_owned()
}

fn action_of(trace: &Value) -> AgentAction {
    match trace["verdict"]["kind"].as_str().unwrap_or_default() {
        "proceed" | "approve" => AgentAction::Continues,
        "ask" => AgentAction::Asks,
        "end_turn" => AgentAction::EndsTurn,
        _ => AgentAction::Blocks,
    }
}

/// A project for an example.
struct Stage {
    sandbox: Sandbox,
    /// The folder of the project, below that of the sandbox.
    folder: String,
}

impl Stage {
    fn new(example: &LintExample) -> Self {
        let stage = Self {
            sandbox: Sandbox::new(),
            folder: example.folder.clone().unwrap_or_else(|| ".".to_owned()),
        };
        std::fs::create_dir_all(stage.sandbox.project().join(&stage.folder)).unwrap();
        stage
    }

    fn write(&self, files: &Map<String, Value>, executable: &[String]) {
        for (path, text) in files {
            let inside = match path.strip_prefix("~/") {
                Some(below) => format!("home/{below}"),
                None => format!("project/{}/{path}", self.folder),
            };
            let file = self.sandbox.write(&inside, text.as_str().expect("a text"));
            let mode = if executable.contains(path) { 0o755 } else { 0o644 };
            std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        self.run("", &["trust", "--all"]);
    }

    fn run(&self, stdin: &str, args: &[&str]) -> Finished {
        let place = ["--project", &self.folder];
        self.sandbox.run_with(stdin, args.iter().copied().chain(place))
    }

    /// What `check` says.
    fn problems(&self) -> Vec<Value> {
        let checked = self.run("", &["check", "--import", "--json"]).json();
        checked["problems"].as_array().cloned().unwrap()
    }

    /// The keys and texts of what `check` says.
    fn check(&self) -> Vec<(String, String)> {
        self.problems()
            .iter()
            .map(|problem| (key_of(problem).expect("a code"), text_of(problem)))
            .collect()
    }

    fn fire(&self, dialect: &str, event: &str, payload: &Map<String, Value>) -> Value {
        let payload = Value::Object(payload.clone()).to_string();
        let args = [
            "fire",
            "--dialect",
            dialect,
            "--event",
            event,
            "--payload",
            "-",
            "--trust",
            "--json",
        ];
        self.run(&payload, &args).json()
    }
}
