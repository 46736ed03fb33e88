//! Mods: functions that a module of a plugin registers in the agent's process (`claude-code.md` §1). They are listed.
//!
//! What it deliberately does not do: it runs and imports no module. Which events a module takes is read from its text: the
//! agent demands that names are literals.

use std::collections::BTreeMap;

use hookwright_model::{
    Args, DisabledReason, EVERY_EVENT, Handler, Hook, Message, Parsed, PlacedBy, Problem, Root, args,
    problem::TextPosition,
};
use serde_json::{Value, json};

use super::events::CARD;
use super::messages::{self, answers};
use super::{places, plugins};
use crate::definition::{self, Problems};
use crate::script_scan::line_after;

/// The field of a hook file with the paths of modules.
pub const FIELD: &str = "modules";
/// What a module must contain to be loaded.
const REGISTER: &str = "export function register";
/// Names that stand for calls of tools, and their event.
const TOOL_NAMES: [&str; 2] = ["tool.call", "tool.check"];
const TOOL_EVENT: &str = "PreToolUse";
/// What stands before the name of an event.
const CLASSIC: &str = "classic.";

/// Reads the text of a module: a hook for each event that it takes. `number` is its part of the ids.
#[must_use]
pub fn read(root: &Root, number: &str, text: &str) -> Parsed {
    let id = format!("{}mod:{number}", root.layer.id_prefix(CARD.id));
    let begin = TextPosition { line: 1, column: 1 };
    let code = Code::of(text);
    // The names of each event, in the order of the events.
    let mut events: BTreeMap<usize, BTreeMap<&str, u32>> = BTreeMap::new();
    for (name, line) in code.names.iter().filter(|_| code.registers) {
        let event = event_of(name);
        let row = CARD.events.iter().position(|spec| Some(spec.name) == event);
        if event.is_some() {
            events.entry(row.unwrap_or(usize::MAX)).or_default().insert(name, *line);
        }
    }
    if events.is_empty() {
        events.insert(usize::MAX, BTreeMap::new());
    }
    let mut parsed = Parsed::default();
    let said = messages::AGENT_MOD.render_plain();
    let problem = |message| Problem::new(message, &root.path, Some(begin)).for_hook(&id);
    parsed.problems.push(problem(said.clone()));
    if !code.registers {
        parsed.problems.push(problem(messages::MOD_IDLE.render_plain()));
    }
    let name = root.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for (row, names) in events {
        let event = CARD.events.get(row).map_or(EVERY_EVENT, |spec| spec.name);
        let line = names.values().min().copied().unwrap_or(begin.line);
        let problems = Problems::new(&root.path, Some(&id), TextPosition { line, ..begin });
        let names: Vec<&str> = names.into_keys().collect();
        let hook = Hook {
            label: name.clone(),
            handler: Handler::MOD,
            filter: Some(json!({ "on": names })),
            disabled_reason: Some(DisabledReason::AgentOnly(said.clone())),
            placed_by: PlacedBy::Definition,
            ..definition::hook(CARD.id, root, &problems, event, Vec::new(), json!({ "module": name }))
        };
        parsed.hooks.push(hook.into());
    }
    parsed
}

/// The event of a name that a module registers; `None` for one that is about no event.
fn event_of(name: &str) -> Option<&str> {
    if TOOL_NAMES.contains(&name) {
        return Some(TOOL_EVENT);
    }
    let event = name.strip_prefix(CLASSIC)?;
    (event == EVERY_EVENT || CARD.event(event).is_some()).then_some(event)
}

/// How a mod can get around a hook, from the strongest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Override {
    /// It can allow what the hook denied.
    Allows,
    /// It can answer a call in the place of the agent, so that the hook does not see it.
    TakesCall,
    /// It can keep the hooks of an event from running.
    TakesEvent,
}

impl Override {
    /// What a mod that registers this name can do to the hooks of an event; `None` for nothing.
    fn of(name: &str, event: &str) -> Option<Self> {
        match (name, event) {
            ("tool.check", TOOL_EVENT) => Some(Self::Allows),
            ("tool.call", TOOL_EVENT | "PostToolUse") => Some(Self::TakesCall),
            _ => {
                let taken = name.strip_prefix(CLASSIC)?;
                (taken == EVERY_EVENT || taken == event).then_some(Self::TakesEvent)
            }
        }
    }
}

/// The strongest way in which one of the mods among `hooks` can get around a hook, and what names the mod. An
/// administrator's hook runs before all mods.
pub fn overriding<'h>(hook: &Hook, hooks: impl Iterator<Item = &'h Hook>) -> Option<(Override, Args)> {
    let is_run = !matches!(hook.handler, Handler::Builtin { .. });
    let is_managed = places::is_managed(&hook.source.path);
    let mods = hooks.filter(|other| is_run && other.handler == Handler::MOD);
    let names = mods.flat_map(|other| {
        let names = other.filter.as_ref().and_then(|filter| filter.get("on")?.as_array());
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        names.filter_map(move |name| Some((Override::of(name, &hook.event)?, name, other)))
    });
    let fitting = names.filter(|(way, ..)| !is_managed || *way == Override::Allows);
    let (way, name, by) = fitting.min_by_key(|(way, ..)| *way)?;
    let path = &by.source.path;
    let plugin = plugins::folder_of_hook(path)
        .unwrap_or(path)
        .file_name()
        .unwrap_or_default();
    let named = args! {
        "on" => name, "plugin" => plugin.to_string_lossy(), "path" => path.display().to_string(),
        "line" => by.source.line,
    };
    Some((way, named))
}

/// The hooks that a mod may skip or undo.
pub fn overridden(hooks: &[&Hook]) -> Vec<(usize, Message)> {
    let message = |hook: &Hook| {
        let (_, named) = overriding(hook, hooks.iter().copied())?;
        Some(answers::AGENT_OVERRIDES.render(named))
    };
    let known = hooks.iter().enumerate();
    known.filter_map(|(at, hook)| Some((at, message(hook)?))).collect()
}

/// What the text of a module says, comments left out.
#[derive(Debug, Default, PartialEq, Eq)]
struct Code {
    /// The first argument of each call of `on`, with its first line.
    names: BTreeMap<String, u32>,
    /// Whether the agent loads the module.
    registers: bool,
}

impl Code {
    fn of(text: &str) -> Self {
        let (mut code, mut names, mut rest) = (String::new(), BTreeMap::new(), text);
        while let Some(sign) = rest.chars().next() {
            if rest.starts_with("//") {
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
            } else if let Some(comment) = rest.strip_prefix("/*") {
                rest = comment.split_once("*/").map_or("", |(_, after)| after);
            } else if ['"', '\'', '`'].contains(&sign) {
                let (string, after) = string(&rest[1..], sign);
                if sign != '`' && calls_on(&code) {
                    let line = line_after(&text[..text.len() - rest.len()]);
                    names.entry(string).or_insert(line);
                }
                code.push_str("''");
                rest = after;
            } else {
                code.push(sign);
                rest = &rest[sign.len_utf8()..];
            }
        }
        let words: Vec<&str> = code.split_whitespace().collect();
        let words = words.join(" ").replace("async function", "function");
        let mut found = words.match_indices(REGISTER);
        let registers = found.any(|(at, found)| !words[at + found.len()..].starts_with(is_name));
        Self { names, registers }
    }
}

/// A string up to its closing quote, and the text behind it.
fn string(text: &str, quote: char) -> (String, &str) {
    let mut out = String::new();
    let mut signs = text.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' => out.extend(signs.next().map(|(_, sign)| sign)),
            sign if sign == quote => return (out, &text[at + 1..]),
            sign => out.push(sign),
        }
    }
    (out, "")
}

/// Whether a text ends where the first argument of a call of `on` begins.
fn calls_on(code: &str) -> bool {
    let before = code.trim_end().strip_suffix('(').map(str::trim_end);
    let before = before.and_then(|before| before.strip_suffix("on"));
    before.is_some_and(|before| !before.ends_with(is_name))
}

fn is_name(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_' || sign == '$'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        Code::of(text).names.into_keys().collect()
    }

    #[test]
    fn the_first_argument_of_each_call_is_a_name() {
        let text = "// on('classic.Stop', f)\n/* on(\"tool.check\", f) */\nexport function register({ on }) {\n  on('tool.call', f);\n  api.on ( \"classic.PreToolUse\", g);\n  button('no'); on(`tool.check`, h); x = \"on('classic.Setup')\";\n}\n";
        assert_eq!(names(text), ["classic.PreToolUse", "tool.call"]);
        assert!(Code::of(text).registers);
    }

    #[test]
    fn a_module_without_its_function_is_not_loaded() {
        assert!(Code::of("export  async function\nregister() {}").registers);
        for text in [
            "",
            "function register() {}",
            "export function registerAll() {}",
            "// export function register",
        ] {
            assert!(!Code::of(text).registers, "{text}");
        }
    }

    #[test]
    fn each_event_that_a_module_takes_is_a_hook() {
        let root = Root::file(hookwright_model::Layer::User, "/h/.claude/skills/x/m.mjs".into(), None);
        let rows = |text: &str| -> Vec<(String, String)> {
            let parsed = read(&root, "plugin-x.0", text);
            let row = |hook: &std::sync::Arc<Hook>| {
                assert_eq!(hook.id, "claude-code:user:mod:plugin-x.0");
                (hook.event.clone(), hook.filter.clone().unwrap()["on"].to_string())
            };
            parsed.hooks.iter().map(row).collect()
        };
        let row = |event: &str, on: &str| (event.to_owned(), on.to_owned());
        let register = "export function register(on) {}\n";
        assert_eq!(rows(register), [row("*", "[]")]);
        assert_eq!(
            rows(&format!("{register}on('classic.*'); on('other')")),
            [row("*", "[\"classic.*\"]")]
        );
        assert_eq!(
            rows(&format!(
                "{register}on('tool.check'); on('classic.PreToolUse'); on('classic.Stop')"
            )),
            [
                row("PreToolUse", "[\"classic.PreToolUse\",\"tool.check\"]"),
                row("Stop", "[\"classic.Stop\"]")
            ]
        );
    }
}
