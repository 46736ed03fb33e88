//! Makes the hook of one entry of a group (`claude-code.md` §2).

use std::time::Duration;

use hookwright_model::{
    ApprovalScope, Clause, Command, DisabledReason, EventSpec, Handler, Hook, HttpTarget, OnFailure, Predicate,
    Problem, Root, RunMode, Severity, SubjectForm, render,
};
use serde_json::Value;

use super::events::{CARD, heeds_failure, rules};
use super::schema::{DEFINITION, ENTRY, MAX_TIMEOUT_SECS};
use super::{if_rule, messages, plugins, settings};
use crate::definition::{self, Fields, Problems, RunCommand, names_of};
use crate::event_list::Group;
use crate::node::{Entry, Node, ValueKind};
use crate::pattern;
use crate::shell;

/// The types of entries that only the agent can run.
const AGENT_TYPES: [&str; 2] = ["agent", "mcp_tool"];
/// Credentials of the agent, which no header contains.
const OWN_CREDENTIALS: [&str; 2] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"];
/// Headers that the agent sets itself.
const OWN_HEADERS: [&str; 2] = ["content-length", "transfer-encoding"];

/// Reads the entry with this index in its group: the hook and its problems.
#[must_use]
pub fn read(group: &Group<'_>, id: &str, index: usize, node: &Node) -> (Hook, Vec<Problem>) {
    let mut problems = Problems::new(&group.root.path, Some(id), node.position);
    let (counted, earlier) = with_last_keys(node);
    let node = &counted;
    let known_words = without_odd_failure(node);
    let fields = definition::read(
        &DEFINITION,
        &ENTRY,
        "",
        known_words.as_ref().unwrap_or(node),
        &mut problems,
    );
    problems.extend(
        earlier
            .into_iter()
            .map(|entry| {
                let message = render!(messages::DUPLICATE_KEY, "key" => entry.key);
                Problem::new(message, &group.root.path, Some(entry.key_position)).for_hook(id)
            })
            .collect(),
    );
    let kind = fields.word("type");
    let event = CARD.event(group.event);
    check(group.event, event, kind, &fields, &mut problems);
    let run = if kind == "command" {
        RunCommand::read(&CARD, &fields, &messages::RELAY, &mut problems)
    } else {
        RunCommand::unwrapped(fields.text("url").or(fields.text("prompt")).unwrap_or_default(), node)
    };
    let is_detached = is_detached(kind, &fields);
    let start = start_of(&run);
    let at = group.entry_path(index);
    let mut field_positions = fields.positions();
    field_positions.extend(group.matcher().map(|matcher| ("matcher".to_owned(), matcher.position)));
    let label = label(kind, &fields, &start, id);
    let mut when = group.when.clone();
    adapt_names(group, &mut when.clauses);
    for clause in when.clauses.iter_mut().filter(|clause| clause.key == "matcher") {
        clause.form = rules(group.event).subject;
    }
    when.clauses.extend(fields.text("if").map(|rule| Clause {
        key: "if",
        field: "tool_name",
        predicate: Predicate::Rule(if_rule::rule(rule, group.root)),
        other_names: &[],
        form: SubjectForm::Whole,
    }));
    settings::keep_cost(group.event, &mut problems);
    let base = definition::hook(CARD.id, group.root, &problems, group.event, at, run.definition);
    let hook = Hook {
        label,
        approval_scope: if kind == "command" {
            ApprovalScope::Command(start)
        } else {
            ApprovalScope::Nothing
        },
        handler: match kind {
            "command" => Handler::Shell { command: run.text },
            "prompt" => Handler::Prompt {
                template: run.text,
                model: fields.text("model").map(str::to_owned),
            },
            "http" => Handler::Http(target(run.text, &fields)),
            _ => Handler::BUILTIN,
        },
        when,
        filter: group.matcher_as_shown(),
        timeout: timeout(group.event, kind, &fields),
        on_failure: on_failure(event, is_detached, &fields),
        mode: if is_detached { RunMode::Detach } else { RunMode::Await },
        tier: tier(group.event, group.root),
        same_as: same_as(kind, &base.definition, group.root),
        inherited_text: group.inherited.clone(),
        field_positions: field_positions.into_iter().collect(),
        invalid: base.invalid.clone().or_else(|| group.invalid.clone()),
        disabled_reason: run.off.or_else(|| {
            let message = render!(messages::AGENT_ONLY, "type" => kind);
            AGENT_TYPES
                .contains(&kind)
                .then_some(DisabledReason::AgentOnly(message))
        }),
        wrapped: run.wrapped,
        ..base
    };
    let mut problems = problems.into_list();
    for problem in problems
        .iter_mut()
        .filter(|problem| problem.says(&messages::EMPTY_COMMAND))
    {
        if fields.text("command") == Some("") {
            *problem = Problem {
                hook: problem.hook.clone(),
                ..Problem::new(
                    messages::NO_COMMAND.render_plain(),
                    &group.root.path,
                    Some(fields.position("command")),
                )
            }
            .with_severity(Severity::Warning)
            .stopping_start();
        }
    }
    (hook, problems)
}

/// The entry with the last value of each key, which alone counts, and the earlier ones.
fn with_last_keys(node: &Node) -> (Node, Vec<Entry>) {
    let (mut node, mut earlier) = (node.clone(), Vec::new());
    if let ValueKind::Mapping {
        entries,
        duplicate_keys,
    } = &mut node.kind
    {
        for last in duplicate_keys.drain(..) {
            if let Some(entry) = entries.iter_mut().find(|entry| entry.key == last.key) {
                earlier.push(std::mem::replace(entry, last));
            }
        }
    }
    (node, earlier)
}

/// The entry of an MCP tool without an unknown word of `onFailure`, which reads as `block` there; `None` if it has none.
fn without_odd_failure(node: &Node) -> Option<Node> {
    let word = |name: &str| node.get(name).and_then(|value| value.string());
    let is_odd = word("type") == Some("mcp_tool") && !["continue", "block"].contains(&word("onFailure")?);
    let mut node = node.clone();
    if let ValueKind::Mapping { entries, .. } = &mut node.kind {
        entries.retain(|entry| entry.key != "onFailure");
    }
    is_odd.then_some(node)
}

/// Checks what no row can say.
fn check(event: &str, spec: Option<&EventSpec>, kind: &str, fields: &Fields<'_>, problems: &mut Problems<'_>) {
    let handlers = rules(event).handlers;
    let is_typed = fields.text("type").is_some() && !fields.is_wrong("type");
    if spec.is_some() && is_typed && !handlers.contains(&kind) {
        let known = handlers.join(", ");
        let message = render!(messages::TYPE_AT_EVENT, "event" => event, "written" => kind, "known" => known);
        problems.report(message, fields.position("type"));
    }
    if let Some(url) = fields.text("url").filter(|url| kind == "http" && !url.contains("://")) {
        let message = render!(messages::BAD_URL, "written" => url);
        problems.report_rejected(message, fields.position("url"));
    }
    if fields.text("shell").is_some() && fields.given("args").is_some() {
        problems.report(messages::SHELL_IDLE.render_plain(), fields.position("shell"));
    }
    if fields.flag("once") && !problems.path.ends_with(plugins::SKILL) {
        problems.report(messages::ONCE_IDLE.render_plain(), fields.position("once"));
    }
    let is_detached = is_detached(kind, fields);
    if fields.text("onFailure") == Some("block") && (is_detached || !spec.is_some_and(heeds_failure)) {
        let message = render!(messages::FAILURE_IDLE, "event" => event);
        problems.report(message, fields.position("onFailure"));
    }
    if let Some(kind) = AGENT_TYPES.into_iter().find(|agent| *agent == kind) {
        let begin = problems.begin;
        problems.report(render!(messages::AGENT_ONLY, "type" => kind), begin);
    }
    warn_long_timeout(fields, problems);
}

/// Whether the agent does not wait for the hook. Only commands can be like this.
fn is_detached(kind: &str, fields: &Fields<'_>) -> bool {
    kind == "command" && (fields.flag("async") || fields.flag("asyncRewake"))
}

/// What is equal in two definitions of one hook (`claude-code.md` §7). A hook of a plugin counts for itself.
fn same_as(kind: &str, definition: &Value, root: &Root) -> Option<String> {
    let fields: &[&str] = match kind {
        "command" => &["type", "if", "command", "args", "shell"],
        "http" => &["type", "if", "url"],
        "prompt" => &["type", "if", "prompt"],
        _ => return None,
    };
    let value = |name: &&str| match definition.get(name) {
        None if *name == "shell" => "bash".into(),
        value => value.cloned().unwrap_or_default(),
    };
    let is_own = plugins::folder_of_hook(&root.path).is_none();
    is_own.then(|| Value::Array(fields.iter().map(value).collect()).to_string())
}

/// Where a request is sent. The lists of the settings bind it later ([`super::switches`]).
fn target(url: String, fields: &Fields<'_>) -> HttpTarget {
    let entries = fields.get("headers").and_then(Node::entries).unwrap_or_default();
    let headers = entries
        .iter()
        .filter(|entry| !OWN_HEADERS.contains(&entry.key.to_lowercase().as_str()))
        .filter_map(|entry| Some((entry.key.clone(), entry.value.string()?.to_owned())));
    let variables = fields
        .words("allowedEnvVars")
        .into_iter()
        .map(|(name, _)| name.to_owned());
    let variables = variables.filter(|name| !OWN_CREDENTIALS.contains(&name.as_str()));
    HttpTarget {
        url,
        headers: headers.collect(),
        variables: variables.collect(),
        refused: None,
    }
}

/// Warns about a timeout that is cut. If it is probably in milliseconds, the lint reports that instead.
pub(super) fn warn_long_timeout(fields: &Fields<'_>, problems: &mut Problems<'_>) {
    let Some(ValueKind::Scalar { value, text }) = fields.get("timeout").map(|node| &node.kind) else {
        return;
    };
    let seconds = value.as_f64().unwrap_or_default();
    let most = f64::from(u32::try_from(MAX_TIMEOUT_SECS).unwrap_or(u32::MAX));
    if seconds > most && !looks_like_milliseconds(seconds) {
        let message = render!(messages::TOO_LONG, "written" => text, "most" => MAX_TIMEOUT_SECS);
        problems.warn(message, fields.position("timeout"));
    }
}

/// Whether a number of seconds is probably in milliseconds.
#[must_use]
pub fn looks_like_milliseconds(seconds: f64) -> bool {
    seconds >= 1000.0 && seconds % 500.0 == 0.0
}

fn on_failure(event: Option<&EventSpec>, is_detached: bool, fields: &Fields<'_>) -> OnFailure {
    let asked = fields.text("onFailure") == Some("block");
    match event {
        Some(event) if !is_detached && (rules(event.name).always_closed || asked && heeds_failure(event)) => {
            OnFailure::Closed
        }
        Some(_) | None => OnFailure::Open,
    }
}

/// An administrator's hooks run before all others.
fn tier(event: &str, root: &Root) -> u8 {
    let is_first = root.managed || rules(event).one_tier;
    u8::from(!is_first)
}

/// Its own time limit, else the one of its event, else the one of its type.
fn timeout(event: &str, kind: &str, fields: &Fields<'_>) -> Duration {
    let of_event = rules(event)
        .timeout_ms
        .filter(|_| fields.get("timeout").is_none() && !["prompt", "agent"].contains(&kind));
    of_event.map_or_else(|| fields.duration("timeout"), Duration::from_millis)
}

/// At two events fewer characters make a matcher one of names: `.env` and `a-b` are patterns there (`claude-code.md` §4).
fn adapt_names(group: &Group<'_>, clauses: &mut [Clause]) {
    let Some(text) = group.matcher().and_then(Node::string) else {
        return;
    };
    if !["FileChanged", "StopFailure"].contains(&group.event) || names_of(text, "_|").is_some() {
        return;
    }
    for clause in clauses.iter_mut().filter(|clause| clause.key == "matcher") {
        if let Ok(pattern) = pattern::from_javascript(text, hookwright_model::Anchor::Anywhere) {
            clause.predicate = Predicate::Pattern(pattern);
        }
    }
}

/// What is started: a shell with the command, or the command as a program with `args`.
fn start_of(run: &RunCommand) -> Command {
    let Some(arguments) = run.definition.get("args").and_then(Value::as_array) else {
        return Command::shell(&run.text);
    };
    let words = std::iter::once(run.text.as_str()).chain(arguments.iter().filter_map(Value::as_str));
    Command {
        words: words.map(str::to_owned).collect(),
        shell: false,
        dir: None,
    }
}

/// The label of a hook: the script or program that it runs, its URL, its tool, or the first line of its prompt.
fn label(kind: &str, fields: &Fields<'_>, start: &Command, id: &str) -> String {
    let text = |name: &str| fields.text(name).unwrap_or_default();
    let words: Vec<&str> = start.words.iter().map(String::as_str).collect();
    let label = match (kind, words.as_slice()) {
        ("http", _) => shell::shorten(text("url")),
        ("mcp_tool", _) => shell::shorten(&format!("{}:{}", text("server"), text("tool"))),
        ("prompt" | "agent", _) => shell::shorten(text("prompt").lines().next().unwrap_or_default()),
        (_, [command]) if start.shell => shell::label(command),
        (_, words) => shell::argv_label(words),
    };
    if label.is_empty() { id.to_owned() } else { label }
}
