//! Reads one entry of a group (`qoder.md` §2): every field, its default, its validation.

use std::collections::BTreeMap;
use std::time::Duration;

use hookwright_model::definition::field_names;
use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, Command, DisabledReason, Handler, Hook, OnFailure, PathStep, PlacedBy, Problem, Source, args,
};
use serde_json::Value;

use super::events::CARD;
use super::group::{EntryReader, GroupFields, GroupSite};
use super::{messages, schema};
use crate::node::{Node, ValueKind, sort_keys};
use crate::nul_checks;
use crate::splice::key;
use crate::{relay, shell};

/// The fields of an entry.
pub const FIELDS: [&str; 8] = field_names(&schema::ENTRY);
/// Timeout of a hook that does not set one.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(schema::TIMEOUT_SECS.unsigned_abs());
/// Limit for `timeout`. A longer timeout is cut to this value (`engine.md` §6).
pub const MAX_TIMEOUT: Duration = Duration::from_secs(schema::MAX_TIMEOUT_SECS.unsigned_abs());

/// Reads an entry: the hook and its problems.
#[must_use]
pub fn read(site: &GroupSite<'_>, index: usize, node: &Node, shared: &GroupFields) -> (Hook, Vec<Problem>) {
    let id = format!("qoder:{}:{}.{index}", site.root.layer.as_str(), site.key);
    let mut reader = EntryReader::new(site.root, Some(&id));
    let fields = node.entries();
    if fields.is_none() {
        reader.report(
            messages::ENTRY_TYPE.render(args! { "found" => node.json_type() }),
            node.position,
        );
    }
    node.for_each_duplicate_key(&mut |duplicate| {
        reader.report(
            messages::DUPLICATE_KEY.render(args! { "key" => duplicate.key }),
            duplicate.key_position,
        )
    });
    let fields = fields.unwrap_or_default();
    let known = fields.is_empty() || check_type(&mut reader, node);
    if known {
        reader.report_unknown_fields(fields, &FIELDS);
    }
    let written = if node.entries().is_some() && known {
        read_command(&mut reader, node)
    } else {
        // This entry is not run, so missing or wrong fields of a command are not reported.
        text_or_empty(node, "command")
    };
    let timeout = non_null_field(node, "timeout").map_or(DEFAULT_TIMEOUT, |value| read_timeout(&mut reader, value));
    let name = non_null_field(node, "name").and_then(|value| reader.read_text("name", value));
    let detached = reader.read_flag(node, "async");
    check_start_fields(&mut reader, node);
    let inner = relay::unwrap_command(&CARD, &written);
    let command = inner.clone().unwrap_or(written);
    let off = relay::starts_relay(&command).then(|| messages::RELAY.render_plain());
    if let Some(message) = &off {
        reader.report(
            message.clone(),
            node.get("command").map_or(node.position, |value| value.position),
        );
    }
    let mut definition = node.to_value();
    if let (Some(inner), Value::Object(map)) = (&inner, &mut definition) {
        map.insert("command".to_owned(), Value::String(inner.clone()));
    }
    let hook = Hook {
        id: id.clone(),
        dialect: "qoder",
        event: site.event.to_owned(),
        label: label(name.unwrap_or_default(), &command, &definition, &id),
        approval_scope: ApprovalScope::Command(approved_command(&command, &definition)),
        handler: Handler::Shell { command },
        when: shared.when.clone(),
        filter: shared.filter.clone(),
        timeout,
        attempts: 1,
        on_failure: OnFailure::Open,
        mode: GroupFields {
            detached: detached || shared.detached,
            ..GroupFields::default()
        }
        .mode(),
        rank: None,
        source: source(site, node.position),
        at: [site.at.as_slice(), &[key("hooks"), PathStep::Item(index)]].concat(),
        definition_text: sort_keys(&definition).to_string(),
        inherited_text: shared.inherited_text(),
        definition,
        field_positions: field_positions(node, shared),
        invalid: reader.invalid.take().or_else(|| shared.invalid.clone()),
        blocks_when_invalid: None,
        placed_by: PlacedBy::Event,
        disabled_reason: off.map(DisabledReason::Relay),
        wrapped: inner.is_some(),
        registered_by: None,
    };
    (hook, reader.problems)
}

fn source(site: &GroupSite<'_>, spot: TextPosition) -> Source {
    Source {
        layer: site.root.layer,
        path: site.root.path.clone(),
        line: spot.line,
        column: spot.column,
        project: site.root.project.clone(),
    }
}

/// The label of a hook: its name, else the script or program that it runs, else its id.
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

/// The value of a field. `null` counts as absent.
pub fn non_null_field<'n>(node: &'n Node, field: &str) -> Option<&'n Node> {
    node.get(field).map(|value| &**value).filter(|value| !value.is_null())
}

/// The text of a field, or an empty text. Nothing is reported.
fn text_or_empty(node: &Node, field: &str) -> String {
    let value = non_null_field(node, field).map(Node::to_value);
    value.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Whether Hookwright runs this type of entry. A missing type is reported and counts as `command`; any other type is
/// reported.
fn check_type(reader: &mut EntryReader<'_>, node: &Node) -> bool {
    let Some(value) = non_null_field(node, "type") else {
        reader.report(messages::MISSING_TYPE.render_plain(), node.position);
        return true;
    };
    match reader.read_text("type", value) {
        Some("command") => true,
        Some(other @ ("http" | "prompt" | "agent")) => {
            reader.report(
                messages::UNSUPPORTED_TYPE.render(args! { "written" => other }),
                value.position,
            );
            false
        }
        Some(other) => {
            reader.report(
                messages::UNKNOWN_TYPE.render(args! { "written" => other }),
                value.position,
            );
            false
        }
        None => false,
    }
}

fn read_command(reader: &mut EntryReader<'_>, node: &Node) -> String {
    let Some(value) = non_null_field(node, "command") else {
        reader.report(messages::MISSING_COMMAND.render_plain(), node.position);
        return String::new();
    };
    let text = reader.read_text("command", value).unwrap_or_default();
    if let Some((message, spot)) = nul_checks::check_text("command", value) {
        reader.report(message, spot);
    }
    if reader.invalid.is_none() && text.trim().is_empty() {
        reader.report(messages::EMPTY.render(args! { "field" => "command" }), value.position);
    }
    text.to_owned()
}

/// Reads the timeout in seconds. Fractions are allowed.
pub fn read_timeout(reader: &mut EntryReader<'_>, node: &Node) -> Duration {
    let ValueKind::Scalar {
        value: Value::Number(number),
        text,
    } = &node.kind
    else {
        reader.report_wrong_type("timeout", "a number of seconds", node);
        return DEFAULT_TIMEOUT;
    };
    let seconds = number.as_f64().unwrap_or(0.0);
    if seconds <= 0.0 {
        reader.report(messages::TOO_SMALL.render(args! { "written" => text }), node.position);
        return DEFAULT_TIMEOUT;
    }
    if seconds > MAX_TIMEOUT.as_secs_f64() {
        // If it is probably in milliseconds, the lint reports that instead.
        if !looks_like_milliseconds(seconds) {
            let message = messages::TOO_LONG.render(args! { "written" => text, "most" => MAX_TIMEOUT.as_secs() });
            reader.warn(message, node.position);
        }
        return MAX_TIMEOUT;
    }
    let exact = Duration::try_from_secs_f64(seconds).unwrap_or(DEFAULT_TIMEOUT);
    exact.max(Duration::from_millis(1))
}

/// Whether a number of seconds is probably in milliseconds.
#[must_use]
pub fn looks_like_milliseconds(seconds: f64) -> bool {
    seconds >= 1000.0 && seconds % 500.0 == 0.0
}

/// Checks `args`, `env` and `shell`, which control how the command is started.
fn check_start_fields(reader: &mut EntryReader<'_>, node: &Node) {
    let is_text = |node: &Node| {
        matches!(
            &node.kind,
            ValueKind::Scalar {
                value: Value::String(_),
                ..
            }
        )
    };
    if let Some(value) = non_null_field(node, "args") {
        match &value.kind {
            ValueKind::List(items) => {
                for (message, spot) in items.iter().filter_map(|item| nul_checks::check_text("args", item)) {
                    reader.report(message, spot);
                }
                if let Some(other) = items.iter().find(|item| !is_text(item)) {
                    reader.report_wrong_type("args", "an array of strings", other);
                }
            }
            ValueKind::Scalar { .. } | ValueKind::Mapping { .. } => {
                reader.report_wrong_type("args", "an array of strings", value)
            }
        }
    }
    if let Some(value) = non_null_field(node, "env") {
        match &value.kind {
            ValueKind::Mapping { entries, .. } => {
                for (message, spot) in nul_checks::check_variables("env", value) {
                    reader.report(message, spot);
                }
                if let Some(other) = entries.iter().find(|entry| !is_text(&entry.value)) {
                    reader.report_wrong_type("env", "an object of strings", &other.value);
                }
            }
            ValueKind::Scalar { .. } | ValueKind::List(_) => {
                reader.report_wrong_type("env", "an object of strings", value)
            }
        }
    }
    let Some(value) = non_null_field(node, "shell") else {
        return;
    };
    match reader.read_text("shell", value) {
        Some("bash") if non_null_field(node, "args").is_some() => {
            reader.report(messages::SHELL_IDLE.render_plain(), value.position)
        }
        Some("bash") | None => {}
        Some(other) => reader.report(
            messages::UNKNOWN_SHELL.render(args! { "written" => other }),
            value.position,
        ),
    }
}

/// The command whose files an approval covers. With `args` it is a command that no shell reads.
fn approved_command(command: &str, definition: &Value) -> Command {
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

fn field_positions(node: &Node, shared: &GroupFields) -> BTreeMap<String, TextPosition> {
    let fields = node.entries().unwrap_or_default().iter();
    let mut positions: BTreeMap<String, TextPosition> =
        fields.map(|entry| (entry.key.clone(), entry.value.position)).collect();
    positions.extend(shared.matcher_position.map(|spot| ("matcher".to_owned(), spot)));
    positions
}
