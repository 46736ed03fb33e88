//! Reads the output of a run (`claude-code.md` §6): by the tables of [`super::events`], with what no row can say.

use std::collections::{BTreeMap, BTreeSet};

use hookwright_model::event::{EventSpec, Payload};
use hookwright_model::{
    Clause, Condition, Conversation, ConversationRead, Decision, Decoded, End, EngineVars, Handler, Hook, HookOutput,
    Ignored, Match, Message, OnFailure, Predicate, Run, Trace, VerdictKind, render,
};
use serde_json::Value;

use super::events::{OUTPUT, rules};
use super::messages::answers;
use super::wire::ENV_FILE;
use super::{if_rule, plugins, prompt};
use crate::exit_status;
use crate::hook_output::{self, ReportedTexts};
use crate::json;

/// The agent stops after this many blocked stops in a row, unless the variable sets another number; 0 is no limit.
const STOP_CAP: u64 = 8;
const STOP_CAP_VAR: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";
/// The words on stderr by which the agent recognizes a missing script.
const MISSING_SCRIPT: [&str; 2] = ["no such file", "can't open"];
/// Events at which a callback that reaches its time limit blocks.
const CALLBACK_TIMEOUT_BLOCKS: [&str; 3] = ["PreToolUse", "UserPromptSubmit", "UserPromptExpansion"];
/// The commands (OSC) that the agent writes to the terminal.
const TERMINAL_COMMANDS: [&str; 6] = ["0", "1", "2", "9", "99", "777"];
/// What a hook that makes a worktree answers with.
const PATH: &str = "worktreePath";
/// Fields that are refused while another process keeps stdout open.
const HELD_FIELDS: [&str; 2] = ["updatedInput", "updatedToolOutput"];
/// Events at which a block is refused then.
const HELD_BLOCKS: [&str; 3] = ["Stop", "SubagentStop", "PostToolUse"];
/// A longer text reaches the model as a file.
const MOST_CHARS: usize = 10_000;
/// Events at which context makes the agent continue.
const CONTINUING: [&str; 2] = ["Stop", "SubagentStop"];

/// Reads the output of one run.
#[must_use]
pub fn decode(hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
    let unblocked = EventSpec {
        exit_2: None,
        verdicts: &[],
        ..*event
    };
    // An administrator's change of the settings cannot be blocked.
    let event = if is_policy_change(event, payload) {
        &unblocked
    } else {
        event
    };
    let decoded = match &hook.handler {
        Handler::Prompt { .. } => decode_prompt(hook, event, run),
        Handler::Http(_) => decode_response(hook, event, payload, run),
        Handler::Callback { .. } | Handler::Module { .. } | Handler::Peer { .. } => {
            decode_callback(hook, event, payload, run)
        }
        Handler::Shell { .. } | Handler::Script { .. } | Handler::Insert { .. } | Handler::Builtin { .. } => {
            decode_command(hook, event, payload, run)
        }
    };
    match with_env_file(decoded, run) {
        Decoded::Answer(answer) => Decoded::Answer(finish(hook, event, payload, answer)),
        // `onFailure` has nothing to block here.
        Decoded::Failure(why) if is_policy_change(event, payload) && hook.on_failure == OnFailure::Closed => {
            Decoded::Answer(HookOutput {
                ignored: vec![Ignored::new("onFailure", why)],
                ..HookOutput::default()
            })
        }
        other @ (Decoded::Nothing | Decoded::Failure(_) | Decoded::Closed(_)) => other,
    }
}

/// Whether an event is the change of an administrator's settings.
fn is_policy_change(event: &EventSpec, payload: &Payload) -> bool {
    event.name == "ConfigChange" && payload.get("source").is_some_and(|source| source == "policy_settings")
}

/// Says which variables a hook set for later commands. Hookwright has no later commands to set them for.
fn with_env_file(decoded: Decoded, run: &Run) -> Decoded {
    let text = String::from_utf8_lossy(&run.env_file);
    let names = text.lines().filter_map(|line| {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        // A line may also be a command, of which the program is named.
        let program = line.split_whitespace().next();
        line.split_once('=').map(|(name, _)| name.trim()).or(program)
    });
    let names: Vec<&str> = names
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .collect();
    let mut answer = match decoded {
        Decoded::Nothing if !names.is_empty() => HookOutput::default(),
        Decoded::Answer(answer) => answer,
        other @ (Decoded::Nothing | Decoded::Failure(_) | Decoded::Closed(_)) => return other,
    };
    if !names.is_empty() {
        let why = render!(answers::ENV_FILE, "names" => names.join(", "));
        answer.ignored.push(Ignored::new(ENV_FILE, why));
    }
    Decoded::Answer(answer)
}

fn decode_command(hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
    let rules = rules(event.name);
    let code = (run.end == End::Exit).then_some(run.code).flatten();
    let stdout = String::from_utf8_lossy(&run.stdout.bytes);
    let stdout = stdout.trim_start_matches('\u{feff}').trim();
    if let Some(late) = after_background(stdout) {
        return match late {
            "" => Decoded::Nothing,
            _ => Decoded::Answer(HookOutput {
                ignored: vec![Ignored::new("stdout", answers::IN_BACKGROUND.render_plain())],
                ..HookOutput::default()
            }),
        };
    }
    if run.end == End::TimedOut && rules.timeout_blocks {
        return Decoded::Closed(exit_status::timeout_message(hook));
    }
    let stderr = exit_status::stderr_reason(run);
    let is_of_plugin = || plugins::folder_of_hook(&hook.source.path).is_some();
    let takes_for_missing = rules.missing_script || event.name == "UserPromptSubmit" && is_of_plugin();
    if code == Some(2) && stdout.is_empty() && takes_for_missing {
        let lower = stderr.to_lowercase();
        if MISSING_SCRIPT.iter().any(|words| lower.contains(words)) {
            return Decoded::Failure(render!(answers::MISSING_SCRIPT, "stderr" => stderr));
        }
    }
    let decoded = hook_output::decode(&OUTPUT, hook, event, payload, run);
    let is_blocked = code == Some(2) && event.exit_2.is_some();
    if run.pipe_held && !is_blocked && is_refused(event, stdout, &decoded) {
        let message = answers::HOLDS_PIPE.render_plain();
        return match event.exit_2 {
            Some(_) => Decoded::Closed(message),
            None => Decoded::Failure(message),
        };
    }
    match (event.name, code) {
        (_, Some(code)) if rules.every_code_blocks && code != 0 && !blocks(&decoded) => {
            Decoded::Closed(exit_status::exit_message(code, run))
        }
        // The path is the last line, and a program may have printed others before it.
        ("WorktreeCreate", Some(0)) => match last_line(stdout) {
            Some(path) => text_field(PATH, &path),
            None => Decoded::Closed(exit_status::ENDED_OTHERWISE.render_plain()),
        },
        // Everything but a block is text, JSON too.
        ("PreCompact", Some(0)) if !stdout.is_empty() && !blocks(&decoded) => text_field("additionalContext", stdout),
        // A hook that fails closed gives no other answer than a denial, whatever it printed.
        (_, Some(code)) if hook.on_failure == OnFailure::Closed && ![0, 2].contains(&code) => {
            with_failure(event, decoded, exit_status::exit_message(code, run))
        }
        _ => decoded,
    }
}

/// What follows a first line of stdout that sends the hook to the background; from that line on the agent does not wait
/// for it. `None` if there is no such line.
fn after_background(stdout: &str) -> Option<&str> {
    let (line, rest) = stdout.split_once('\n').unwrap_or((stdout, ""));
    let (first, _) = json::read_last_wins(line.trim()).ok()?;
    (first.get("async") == Some(&Value::Bool(true))).then(|| rest.trim())
}

/// What a hook that fails closed printed beside another code: a denial counts, and what ends the turn ends it beside the
/// failure's own denial.
fn with_failure(event: &EventSpec, decoded: Decoded, message: Message) -> Decoded {
    let kinds = |answer: &HookOutput| {
        let all = answer.decision.iter().chain(&answer.other_decisions);
        all.map(|decision| decision.kind).collect::<Vec<_>>()
    };
    match (decoded, event.exit_2) {
        (Decoded::Answer(mut answer), Some(kind)) if kinds(&answer) == [VerdictKind::EndTurn] => {
            answer.other_decisions.push(Decision {
                what: "",
                kind,
                reason: None,
                feedback: None,
                default_message: Some(message),
            });
            Decoded::Answer(answer)
        }
        (decoded, _) if blocks(&decoded) => decoded,
        _ => Decoded::Failure(message),
    }
}

/// Whether the agent refuses an answer while another process keeps stdout open, because more could follow.
fn is_refused(event: &EventSpec, stdout: &str, decoded: &Decoded) -> bool {
    if stdout.starts_with('{') && !stdout.ends_with('}') {
        return true;
    }
    let Decoded::Answer(answer) = decoded else { return false };
    let kinds = answer.decision.iter().chain(&answer.other_decisions);
    let mut kinds = kinds.map(|decision| (decision.what, decision.kind));
    let reads_text = event.plain_stdout.is_some();
    let mut fields = answer.fields.iter().map(|(name, _)| name.as_str());
    kinds.any(|(what, kind)| kind == VerdictKind::Approve || what == "decision" && HELD_BLOCKS.contains(&event.name))
        || fields.any(|name| HELD_FIELDS.contains(&name) || name == "additionalContext" && !reads_text)
}

fn blocks(decoded: &Decoded) -> bool {
    match decoded {
        Decoded::Answer(answer) => answer.decision.as_ref().is_some_and(|decision| decision.kind.blocks()),
        Decoded::Closed(_) => true,
        Decoded::Nothing | Decoded::Failure(_) => false,
    }
}

fn text_field(name: &str, text: &str) -> Decoded {
    Decoded::Answer(HookOutput {
        fields: vec![(name.to_owned(), text.into())],
        ..HookOutput::default()
    })
}

/// The last line that is not blank, without colour codes.
fn last_line(text: &str) -> Option<String> {
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    let mut plain = String::new();
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        if sign == '\u{1b}' {
            signs.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(sign);
        }
    }
    Some(plain.trim().to_owned()).filter(|line| !line.is_empty())
}

fn decode_prompt(hook: &Hook, event: &EventSpec, run: &Run) -> Decoded {
    let text = String::from_utf8_lossy(&run.stdout.bytes);
    match run.end {
        End::Replied => {
            let continues = hook.definition.get("continueOnBlock") == Some(&Value::Bool(true));
            prompt::decode(event, continues, &text)
        }
        End::TimedOut => Decoded::Failure(exit_status::timeout_message(hook)),
        End::Exit | End::Signal | End::Cancelled | End::NotStarted | End::Refused | End::PeerGone | End::Done => {
            let stderr = exit_status::stderr_reason(run);
            Decoded::Failure(render!(exit_status::NOT_STARTED, "stderr" => stderr))
        }
    }
}

/// The response to a request: its body is never context, and another status than 2xx is a failure.
fn decode_response(hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
    let failed = match (run.end, run.code) {
        (End::Replied, Some(200..=299)) => {
            let body = String::from_utf8_lossy(&run.stdout.bytes);
            match body.trim_start_matches('\u{feff}').trim() {
                "" if event.output(PATH).is_none() => return Decoded::Nothing,
                body => match json::read_last_wins(body) {
                    Ok((Value::Object(object), twice)) => {
                        let decoded = hook_output::decode_object(&OUTPUT, hook, event, payload, object, twice);
                        let has_path = matches!(&decoded, Decoded::Answer(answer) if answer.fields.iter().any(|(name, _)| name == PATH));
                        if event.output(PATH).is_none() || has_path {
                            return decoded;
                        }
                        exit_status::ENDED_OTHERWISE.render_plain()
                    }
                    Ok(_) | Err(_) => answers::BODY.render_plain(),
                },
            }
        }
        (End::Replied, status) => render!(answers::STATUS, "status" => status.unwrap_or_default()),
        (End::TimedOut, _) if rules(event.name).timeout_blocks => {
            return Decoded::Closed(exit_status::timeout_message(hook));
        }
        (End::TimedOut, _) => exit_status::timeout_message(hook),
        (_, _) => render!(answers::NO_RESPONSE, "why" => exit_status::stderr_reason(run)),
    };
    Decoded::Failure(failed)
}

fn decode_callback(hook: &Hook, event: &EventSpec, payload: &Payload, run: &Run) -> Decoded {
    match hook_output::decode_callback(&OUTPUT, hook, event, payload, run) {
        Decoded::Failure(message) if run.end == End::TimedOut && CALLBACK_TIMEOUT_BLOCKS.contains(&event.name) => {
            Decoded::Closed(message)
        }
        decoded @ (Decoded::Nothing | Decoded::Answer(_) | Decoded::Failure(_) | Decoded::Closed(_)) => decoded,
    }
}

/// Adds what an answer means at its event beside its fields.
fn finish(hook: &Hook, event: &EventSpec, payload: &Payload, mut answer: HookOutput) -> HookOutput {
    if is_policy_change(event, payload) {
        ignore_decisions(&mut answer, VerdictKind::blocks, &answers::POLICY_CHANGE.render_plain());
    }
    if is_met_as_bash_only(hook, payload) {
        let why = answers::AS_BASH.render_plain();
        ignore_decisions(&mut answer, |kind| kind == VerdictKind::Approve, &why);
        let (input, others) = answer.fields.into_iter().partition(|(name, _)| name == "updatedInput");
        let input: Vec<(String, Value)> = input;
        answer.fields = others;
        answer
            .ignored
            .extend(input.into_iter().map(|(name, _)| Ignored::new(name, why.clone())));
    }
    let long = answer.fields.iter().filter(|(name, value)| {
        let is_shown = name == "systemMessage" || name == "additionalContext" && event.name != "PreCompact";
        is_shown && value.as_str().is_some_and(|text| text.chars().count() > MOST_CHARS)
    });
    let long = long.map(|(name, _)| render!(answers::LONG_TEXT, "field" => name, "most" => MOST_CHARS));
    answer.warnings.extend(long.collect::<Vec<_>>());
    let tool = payload.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let response = payload.get("tool_response").unwrap_or(&Value::Null);
    let ignored = &mut answer.ignored;
    answer.fields.retain(|(name, value)| {
        let why = match name.as_str() {
            "terminalSequence" if !value.as_str().is_some_and(is_written) => answers::SEQUENCE.render_plain(),
            "updatedToolOutput" if !has_form(tool, response, value) => {
                render!(answers::OUTPUT_SHAPE, "tool" => tool)
            }
            _ => return true,
        };
        ignored.push(Ignored::new(name.as_str(), why));
        false
    });
    let context = answer.fields.iter().find(|(name, _)| name == "additionalContext");
    if CONTINUING.contains(&event.name)
        && let Some((_, Value::String(text))) = context
    {
        let continues = Decision {
            what: "additionalContext",
            kind: VerdictKind::Retry,
            reason: None,
            feedback: Some(text.clone()),
            default_message: None,
        };
        let all = answer.decision.take().into_iter().chain(answer.other_decisions);
        let mut all: Vec<Decision> = all.chain([continues]).collect();
        all.sort_by_key(|decision| std::cmp::Reverse(decision.kind));
        let mut all = all.into_iter();
        answer.decision = all.next();
        answer.other_decisions = all.collect();
    }
    let kinds = || {
        answer
            .decision
            .iter()
            .chain(&answer.other_decisions)
            .map(|decision| decision.kind)
    };
    if event.name == "PreToolUse"
        && kinds().any(|kind| kind == VerdictKind::EndTurn)
        && kinds().all(|kind| kind != VerdictKind::Deny)
    {
        answer.warnings.push(answers::TOOL_STILL_RUNS.render_plain());
    }
    answer
}

/// Takes the decisions of some kinds out of an answer.
fn ignore_decisions(answer: &mut HookOutput, is_meant: impl Fn(VerdictKind) -> bool, why: &Message) {
    let all = answer
        .decision
        .take()
        .into_iter()
        .chain(std::mem::take(&mut answer.other_decisions));
    let (lost, kept): (Vec<Decision>, Vec<Decision>) = all.partition(|decision| is_meant(decision.kind));
    answer.ignored.extend(
        lost.into_iter()
            .map(|decision| Ignored::new(decision.what, why.clone())),
    );
    let mut kept = kept.into_iter();
    answer.decision = kept.next();
    answer.other_decisions = kept.collect();
}

/// Whether a hook gets a call of `Monitor` only because it is matched as `Bash`, too.
fn is_met_as_bash_only(hook: &Hook, payload: &Payload) -> bool {
    const MONITOR: &str = "Monitor";
    let is_as_bash = |clause: &Clause| match &clause.predicate {
        Predicate::Rule(rule) => !if_rule::is_about(&rule.source, MONITOR),
        Predicate::Pattern(_)
        | Predicate::Within(_)
        | Predicate::Equals(_)
        | Predicate::OneOf(_)
        | Predicate::Prefix(_) => {
            let alone = Clause {
                other_names: &[],
                ..clause.clone()
            };
            let alone = Condition { clauses: vec![alone] };
            alone.evaluate(payload) != Match::Yes
        }
    };
    payload.get("tool_name").is_some_and(|tool| tool == MONITOR) && hook.when.clauses.iter().any(is_as_bash)
}

/// Whether the agent writes a sequence to the terminal: commands for titles and notifications, and the bell.
fn is_written(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{7}');
    while let Some(command) = rest.strip_prefix("\u{1b}]") {
        let Some((number, after)) = command.split_once(';') else {
            return false;
        };
        let end = after.find(['\u{7}', '\u{1b}']).map(|at| (at, &after[at..]));
        let Some((_, end)) = end.filter(|_| TERMINAL_COMMANDS.contains(&number)) else {
            return false;
        };
        let Some(after) = end.strip_prefix('\u{7}').or_else(|| end.strip_prefix("\u{1b}\\")) else {
            return false;
        };
        rest = after.trim_start_matches('\u{7}');
    }
    rest.is_empty()
}

/// Whether a value can replace the output of a tool.
fn has_form(tool: &str, response: &Value, value: &Value) -> bool {
    if tool == "Bash" {
        let is_text = |name: &str| value.get(name).is_some_and(Value::is_string);
        let is_flag = |name: &str| value.get(name).is_some_and(Value::is_boolean);
        return is_text("stdout") && is_text("stderr") && is_flag("interrupted") && is_flag("isImage");
    }
    if tool.starts_with("mcp__") {
        return value.is_string() || value.is_array() || value.is_object();
    }
    match (response, value) {
        (Value::Object(old), Value::Object(new)) => old.keys().all(|key| new.contains_key(key)),
        (old, new) => std::mem::discriminant(old) == std::mem::discriminant(new),
    }
}

/// What stops are counted by: those of a subagent are its own.
fn stop_key(event: &EventSpec, agent: Option<&Value>) -> String {
    let agent = agent.filter(|_| event.name == "SubagentStop").and_then(Value::as_str);
    format!("{}:{}", event.name, agent.unwrap_or_default())
}

/// What a conversation remembers: the texts that were said to have no effect, and the blocked stops in a row.
#[derive(Debug)]
pub struct Memory {
    texts: ReportedTexts,
    /// After how many blocked stops in a row the agent stops; `None` if never.
    stop_cap: Option<u64>,
    /// Blocked stops in a row, by event and subagent.
    stops: BTreeMap<String, u64>,
    /// What was said once: which mods may skip or undo a hook.
    overrides: BTreeSet<String>,
}

impl Memory {
    /// A conversation that begins now.
    #[must_use]
    pub fn new(vars: EngineVars<'_>) -> Self {
        let set = vars(STOP_CAP_VAR).and_then(|text| text.trim().parse().ok());
        Self {
            texts: ReportedTexts::default(),
            stop_cap: Some(set.unwrap_or(STOP_CAP)).filter(|cap| *cap > 0),
            stops: BTreeMap::new(),
            overrides: BTreeSet::new(),
        }
    }
}

impl Conversation for Memory {
    fn read(&self, event: &EventSpec, payload: &Payload) -> ConversationRead {
        let agent = payload.get("agent_id");
        let count = self.stops.get(&stop_key(event, agent)).copied().unwrap_or_default();
        ConversationRead {
            no_block_reason: self
                .stop_cap
                .filter(|cap| count >= *cap)
                .map(|cap| render!(answers::STOP_CAP, "count" => cap)),
            ..ConversationRead::default()
        }
    }

    fn remember(&mut self, event: &EventSpec, read: &ConversationRead, trace: &mut Trace) {
        self.texts.remember(event, read, trace);
        trace.notices.retain(|notice| {
            notice.code.as_deref() != Some(answers::AGENT_OVERRIDES.code) || self.overrides.insert(notice.text.clone())
        });
        let word = trace.reply.json.pointer("/hookSpecificOutput/permissionDecision");
        if word.is_some_and(|word| word == "deny") {
            // Another hook denied the call.
            trace
                .notices
                .retain(|notice| notice.code.as_deref() != Some(answers::TOOL_STILL_RUNS.code));
        }
        let key = stop_key(event, trace.payload_before.get("agent_id"));
        match event.name {
            "Stop" | "SubagentStop" if trace.verdict.kind == VerdictKind::Retry => {
                *self.stops.entry(key).or_default() += 1;
            }
            "Stop" | "SubagentStop" => {
                self.stops.remove(&key);
            }
            "PreToolUse" | "UserPromptSubmit" | "SessionStart" => self.stops.clear(),
            _ => {}
        }
    }

    fn to_json(&self) -> Value {
        serde_json::json!({ "texts": self.texts.to_json(), "stops": self.stops })
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
