//! One entry of a group (`qoder.md` §2): every field, its default, its validation.

use std::collections::BTreeMap;
use std::time::Duration;

use hookwright_model::problem::TextPosition;
use hookwright_model::{ApprovalScope, Command, DisabledReason, Handler, Hook, OnFailure, Problem, Source, args};
use serde_json::Value;

use super::group::{Desk, Place, Shared};
use super::messages;
use crate::held;
use crate::node::{Kind, Node, sorted};
use crate::{relay, shell};

/// The fields of an entry.
pub const FIELDS: [&str; 8] = ["type", "command", "timeout", "name", "args", "env", "shell", "async"];
/// What a hook has when nothing is said.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// What is used of a longer timeout (`engine.md` §6).
pub const LONGEST: Duration = Duration::from_secs(3600);

/// Reads an entry: the hook, and what is wrong or noteworthy with it.
#[must_use]
pub fn read(place: &Place<'_>, index: usize, node: &Node, shared: &Shared) -> (Hook, Vec<Problem>) {
    let id = format!("qoder:{}:{}.{index}", place.root.layer.as_str(), place.key);
    let mut desk = Desk::new(place.root, Some(&id));
    let fields = node.entries();
    if fields.is_none() {
        desk.say(
            messages::ENTRY_TYPE.render(args! { "found" => node.json_word() }),
            node.spot,
        );
    }
    node.each_again(&mut |again| {
        desk.say(
            messages::DUPLICATE_KEY.render(args! { "key" => again.key }),
            again.key_spot,
        )
    });
    let fields = fields.unwrap_or_default();
    let known = fields.is_empty() || kind(&mut desk, node);
    if known {
        desk.unknown(fields, &FIELDS);
    }
    let written = if node.entries().is_some() && known {
        command(&mut desk, node)
    } else {
        // What a type that is not run would need is nobody's business.
        plain(node, "command")
    };
    let timeout = given(node, "timeout").map_or(DEFAULT_TIMEOUT, |value| timeout(&mut desk, value));
    let name = given(node, "name").and_then(|value| desk.text("name", value));
    let detached = desk.flag(node, "async");
    arguments(&mut desk, node);
    let inner = relay::unwrap("qoder", &written);
    let command = inner.clone().unwrap_or(written);
    let off = relay::starts_relay(&command).then(|| messages::RELAY.render_plain());
    if let Some(words) = &off {
        desk.say(words.clone(), node.get("command").map_or(node.spot, |value| value.spot));
    }
    let mut definition = node.to_value();
    if let (Some(inner), Value::Object(map)) = (&inner, &mut definition) {
        map.insert("command".to_owned(), Value::String(inner.clone()));
    }
    let hook = Hook {
        id: id.clone(),
        dialect: "qoder",
        event: place.event.to_owned(),
        label: label(name.unwrap_or_default(), &command, &definition, &id),
        cover: ApprovalScope::Command(covered(&command, &definition)),
        handler: Handler::Shell { command },
        when: shared.when.clone(),
        filter: shared.filter.clone(),
        timeout,
        attempts: 1,
        on_failure: OnFailure::Open,
        mode: Shared {
            detached: detached || shared.detached,
            ..Shared::default()
        }
        .mode(),
        rank: None,
        source: source(place, node.spot),
        definition_text: sorted(&definition).to_string(),
        inherited_text: shared.inherited(),
        definition,
        field_positions: spots(node, shared),
        invalid: desk.invalid.take().or_else(|| shared.verdict.clone()),
        blocks_when_invalid: None,
        off: off.map(DisabledReason::Disabled),
        wrapped: inner.is_some(),
    };
    (hook, desk.problems)
}

fn source(place: &Place<'_>, spot: TextPosition) -> Source {
    Source {
        layer: place.root.layer,
        path: place.root.path.clone(),
        line: spot.line,
        column: spot.column,
        project: place.root.project.clone(),
    }
}

/// What people call a hook: its name, else the script or program that it runs, else its id.
fn label(name: &str, command: &str, definition: &Value, id: &str) -> String {
    let arguments = definition.get("args").and_then(Value::as_array);
    let label = match arguments {
        _ if !name.trim().is_empty() => shell::shorten(name),
        Some(arguments) => {
            let words = std::iter::once(command).chain(arguments.iter().filter_map(Value::as_str));
            shell::argv_label(&words.collect::<Vec<_>>())
        }
        None => shell::label(command),
    };
    if label.is_empty() { id.to_owned() } else { label }
}

/// The value of a field; `null` is as good as absent.
fn given<'n>(node: &'n Node, field: &str) -> Option<&'n Node> {
    node.get(field).map(|value| &**value).filter(|value| !value.is_null())
}

/// A field's text when it is one, without a word about it.
fn plain(node: &Node, field: &str) -> String {
    let value = given(node, field).map(Node::to_value);
    value.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Whether it is an entry that Hookwright runs; everything else has been said.
fn kind(desk: &mut Desk<'_>, node: &Node) -> bool {
    let Some(value) = given(node, "type") else {
        desk.say(messages::MISSING_TYPE.render_plain(), node.spot);
        return true;
    };
    match desk.text("type", value) {
        Some("command") => true,
        Some(other @ ("http" | "prompt" | "agent")) => {
            desk.say(
                messages::UNSUPPORTED_TYPE.render(args! { "written" => other }),
                value.spot,
            );
            false
        }
        Some(other) => {
            desk.say(messages::UNKNOWN_TYPE.render(args! { "written" => other }), value.spot);
            false
        }
        None => false,
    }
}

fn command(desk: &mut Desk<'_>, node: &Node) -> String {
    let Some(value) = given(node, "command") else {
        desk.say(messages::MISSING_COMMAND.render_plain(), node.spot);
        return String::new();
    };
    let text = desk.text("command", value).unwrap_or_default();
    if let Some((words, spot)) = held::text("command", value) {
        desk.say(words, spot);
    }
    if desk.invalid.is_none() && text.trim().is_empty() {
        desk.say(messages::EMPTY.render(args! { "field" => "command" }), value.spot);
    }
    text.to_owned()
}

/// Seconds, fractions allowed.
fn timeout(desk: &mut Desk<'_>, node: &Node) -> Duration {
    let Kind::Scalar {
        value: Value::Number(number),
        text,
    } = &node.kind
    else {
        desk.wrong_type("timeout", "a number of seconds", node);
        return DEFAULT_TIMEOUT;
    };
    let seconds = number.as_f64().unwrap_or(0.0);
    if seconds <= 0.0 {
        desk.say(messages::TOO_SMALL.render(args! { "written" => text }), node.spot);
        return DEFAULT_TIMEOUT;
    }
    if seconds > LONGEST.as_secs_f64() {
        // That it reads like milliseconds is told instead, by the advice.
        if !like_milliseconds(seconds) {
            let words = messages::TOO_LONG.render(args! { "written" => text, "most" => LONGEST.as_secs() });
            desk.warn(words, node.spot);
        }
        return LONGEST;
    }
    let exact = Duration::try_from_secs_f64(seconds).unwrap_or(DEFAULT_TIMEOUT);
    exact.max(Duration::from_millis(1))
}

/// Whether a number of seconds reads like milliseconds.
#[must_use]
pub fn like_milliseconds(seconds: f64) -> bool {
    seconds >= 1000.0 && seconds % 500.0 == 0.0
}

/// `args`, `env` and `shell`: how the command is started.
fn arguments(desk: &mut Desk<'_>, node: &Node) {
    let is_text = |node: &Node| {
        matches!(
            &node.kind,
            Kind::Scalar {
                value: Value::String(_),
                ..
            }
        )
    };
    if let Some(value) = given(node, "args") {
        match &value.kind {
            Kind::List(items) => {
                for (words, spot) in items.iter().filter_map(|item| held::text("args", item)) {
                    desk.say(words, spot);
                }
                if let Some(other) = items.iter().find(|item| !is_text(item)) {
                    desk.wrong_type("args", "an array of strings", other);
                }
            }
            Kind::Scalar { .. } | Kind::Mapping { .. } => desk.wrong_type("args", "an array of strings", value),
        }
    }
    if let Some(value) = given(node, "env") {
        match &value.kind {
            Kind::Mapping { entries, .. } => {
                for (words, spot) in held::variables("env", value) {
                    desk.say(words, spot);
                }
                if let Some(other) = entries.iter().find(|entry| !is_text(&entry.value)) {
                    desk.wrong_type("env", "an object of strings", &other.value);
                }
            }
            Kind::Scalar { .. } | Kind::List(_) => desk.wrong_type("env", "an object of strings", value),
        }
    }
    let Some(value) = given(node, "shell") else { return };
    match desk.text("shell", value) {
        Some("bash") if given(node, "args").is_some() => desk.say(messages::SHELL_IDLE.render_plain(), value.spot),
        Some("bash") | None => {}
        Some(other) => desk.say(messages::UNKNOWN_SHELL.render(args! { "written" => other }), value.spot),
    }
}

/// What an approval covers the files of: the command, with arguments as one that no shell reads.
fn covered(command: &str, definition: &Value) -> Command {
    let Some(arguments) = definition.get("args").and_then(Value::as_array) else {
        return Command::shell(command);
    };
    let words = std::iter::once(command).chain(arguments.iter().filter_map(Value::as_str));
    Command {
        words: words.map(str::to_owned).collect(),
        shell: false,
        dir: None,
    }
}

fn spots(node: &Node, shared: &Shared) -> BTreeMap<String, TextPosition> {
    let fields = node.entries().unwrap_or_default().iter();
    let mut spots: BTreeMap<String, TextPosition> = fields.map(|entry| (entry.key.clone(), entry.value.spot)).collect();
    spots.extend(shared.matcher_spot.map(|spot| ("matcher".to_owned(), spot)));
    spots
}
