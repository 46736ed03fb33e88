//! One definition (`jcli.md` §2): every field, its default, its validation.

use std::collections::BTreeMap;
use std::time::Duration;

use hookwright_model::problem::Spot;
use hookwright_model::{
    args, Clause, Condition, Cover, Handler, Hook, Mode, Off, OnFailure, Problem, Root, Severity, Source, Test, Words,
};
use serde_json::{Map, Value};

use super::prompt::{self, Piece};
use super::{relay, sayings};
use crate::shell;
use crate::yaml::{Entry, Kind, Node};

/// The fields of a definition.
pub const FIELDS: [&str; 8] = ["type", "command", "prompt", "model", "timeout", "retry", "on_error", "filter"];
/// The parts of a filter.
pub const FILTER_FIELDS: [&str; 3] = ["tool_name", "tool_matcher", "model_prefix"];
/// Seconds that a longer timeout counts as (`engine.md` §6).
const LONGEST: u64 = 3600;
/// Bytes of an llm hook's label.
pub const LABEL_BYTES: usize = 80;

/// Where a definition stands, and what is known of it before it is read.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// Its file.
    pub root: &'a Root,
    /// The file's text, without byte-order mark.
    pub text: &'a str,
    /// Its id.
    pub id: &'a str,
    /// Its event.
    pub event: &'a str,
}

/// A definition being read.
pub struct Desk<'a> {
    place: Place<'a>,
    /// What is wrong or noteworthy with it.
    pub problems: Vec<Problem>,
    spots: BTreeMap<String, Spot>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Bash,
    Llm,
}

impl Type {
    const fn word(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Llm => "llm",
        }
    }
}

/// Reads one item of an event's list.
#[must_use]
pub fn read(desk: &mut Desk<'_>, node: &Node) -> Hook {
    let entries = node.entries();
    if entries.is_none() {
        desk.say(sayings::HOOK_TYPE.say(args! { "found" => node.kind_word() }), node.spot);
    }
    let entries = entries.unwrap_or_default();
    node.each_again(&mut |entry| desk.say(sayings::DUPLICATE_KEY.say(args! { "key" => entry.key }), entry.key_spot));
    desk.unknown(entries, "", &FIELDS);
    let fields = Fields { entries };
    let kind = desk.kind(fields);
    let (handler, inner) = match kind {
        Type::Bash => desk.command(fields, node.spot),
        Type::Llm => (desk.prompt(fields, node.spot), None),
    };
    let (timeout, attempts) = desk.limits(fields, kind);
    let on_failure = desk.on_error(fields);
    let (when, filter) = desk.filter(fields);
    let mut definition = node.to_value();
    if let (Some(inner), Value::Object(map)) = (&inner, &mut definition) {
        map.insert("command".to_owned(), Value::String(inner.clone()));
    }
    let off = relay_off(&handler);
    if let Some(words) = &off {
        let spot = desk.spots.get("command").copied().unwrap_or(node.spot);
        desk.say(words.clone(), spot);
    }
    let place = desk.place;
    Hook {
        id: place.id.to_owned(),
        dialect: "jcli",
        event: place.event.to_owned(),
        label: label(&handler, place.id),
        cover: match &handler {
            Handler::Shell { command } => Cover::Command(command.clone()),
            Handler::Prompt { .. } | Handler::Builtin => Cover::Nothing,
        },
        handler,
        when,
        filter,
        timeout,
        attempts,
        on_failure,
        mode: Mode::Await,
        rank: None,
        source: Source {
            layer: place.root.layer,
            path: place.root.path.clone(),
            line: node.spot.line,
            column: node.spot.column,
            project: place.root.project.clone(),
        },
        definition_text: sorted(&definition).to_string(),
        definition,
        spots: std::mem::take(&mut desk.spots),
        invalid: desk.first_error(),
        off: off.map(Off::Disabled),
        wrapped: inner.is_some(),
    }
}

/// What people call a hook: the command's script or program, or the first line of the prompt.
fn label(handler: &Handler, id: &str) -> String {
    let label = match handler {
        Handler::Shell { command } => shell::label(command),
        Handler::Prompt { template, .. } => shell::first_line(template, LABEL_BYTES),
        Handler::Builtin => String::new(),
    };
    // A definition without a command still needs a name to be talked about.
    if label.is_empty() { id.to_owned() } else { label }
}

fn relay_off(handler: &Handler) -> Option<Words> {
    match handler {
        Handler::Shell { command } if relay::starts_relay(command) => Some(sayings::RELAY.plain()),
        Handler::Shell { .. } | Handler::Prompt { .. } | Handler::Builtin => None,
    }
}

/// Keys in order, so that the fingerprint does not change when lines change places.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            Value::Object(keys.into_iter().map(|key| (key.clone(), sorted(&map[key]))).collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[derive(Clone, Copy)]
struct Fields<'a> {
    entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// The value of a field; `null` is as good as absent.
    fn get(&self, name: &str) -> Option<&'a Node> {
        let entry = self.entries.iter().find(|entry| entry.key == name)?;
        (!entry.value.is_null()).then_some(&*entry.value)
    }

    fn key_spot(&self, name: &str) -> Option<Spot> {
        self.entries.iter().find(|entry| entry.key == name).map(|entry| entry.key_spot)
    }
}

impl<'a> Desk<'a> {
    /// An empty desk for the definition of that place.
    #[must_use]
    pub fn new(place: Place<'a>) -> Self {
        Self { place, problems: Vec::new(), spots: BTreeMap::new() }
    }

    fn say(&mut self, words: Words, spot: Spot) {
        self.problems.push(Problem::new(words, &self.place.root.path, Some(spot)).about(self.place.id));
    }

    fn warn(&mut self, words: Words, spot: Spot) {
        self.problems.push(Problem::new(words, &self.place.root.path, Some(spot)).about(self.place.id).with_severity(Severity::Warning));
    }

    /// Why the definition is invalid: its first error.
    fn first_error(&self) -> Option<Words> {
        let problem = self.problems.iter().find(|problem| problem.severity == Severity::Error)?;
        let code = problem.code.word();
        Some(Words { code, text: problem.message.clone(), hint: problem.hint.clone(), args: problem.args.clone() })
    }

    /// Keys that nobody reads. `within` is the mapping they stand in, with its dot.
    fn unknown(&mut self, entries: &[Entry], within: &str, known: &[&'static str]) {
        for entry in entries {
            self.spots.insert(format!("{within}{}", entry.key), entry.value.spot);
            if known.contains(&entry.key.as_str()) {
                continue;
            }
            let field = format!("{within}{}", entry.key);
            let words = if within.is_empty() && ["enabled", "disabled", "enable", "disable"].contains(&entry.key.as_str()) {
                sayings::UNKNOWN_FIELD_SWITCH.say(args! { "field" => field })
            } else if let Some(nearest) = super::nearest(&entry.key, known.iter().copied()) {
                sayings::UNKNOWN_FIELD_NEAR.say(args! { "field" => field, "nearest" => nearest })
            } else {
                sayings::UNKNOWN_FIELD.say(args! { "field" => field, "known" => known.join(", ") })
            };
            self.say(words, entry.key_spot);
        }
    }

    /// A string, or a Problem.
    fn text<'n>(&mut self, field: &str, node: &'n Node) -> Option<&'n str> {
        match &node.kind {
            Kind::Scalar { value: Value::String(text), .. } => Some(text),
            Kind::Scalar { .. } | Kind::List(_) | Kind::Mapping { .. } => {
                let words = if self.flow_template(node) {
                    sayings::TEMPLATE_TYPE.say(args! { "field" => field })
                } else {
                    sayings::STRING_TYPE.say(args! { "field" => field, "found" => node.kind_word() })
                };
                self.say(words, node.spot);
                None
            }
        }
    }

    fn flow_template(&self, node: &Node) -> bool {
        matches!(node.kind, Kind::Mapping { .. }) && self.place.text.get(node.span.clone()).is_some_and(|text| text.starts_with("{{"))
    }

    fn kind(&mut self, fields: Fields<'_>) -> Type {
        let Some(node) = fields.get("type") else { return Type::Bash };
        match self.text("type", node) {
            Some("llm") => Type::Llm,
            Some("bash") | None => Type::Bash,
            Some(other) => {
                self.say(sayings::UNKNOWN_TYPE.say(args! { "written" => other }), node.spot);
                if fields.get("command").is_none() && fields.get("prompt").is_some() { Type::Llm } else { Type::Bash }
            }
        }
    }

    /// The command, and the command inside when it is wrapped by our relay.
    fn command(&mut self, fields: Fields<'_>, spot: Spot) -> (Handler, Option<String>) {
        self.idle(fields, Type::Bash, &["model", "prompt"]);
        let written = match fields.get("command") {
            None => {
                let saying = if fields.get("prompt").is_some() { sayings::MISSING_TYPE } else { sayings::MISSING };
                self.say(saying.say(args! { "type" => "bash", "field" => "command" }), spot);
                String::new()
            }
            Some(node) => match &node.kind {
                Kind::Scalar { value: Value::Bool(_) | Value::Number(_), text } => {
                    let words = sayings::BARE_COMMAND.say(args! { "found" => node.kind_word(), "written" => text });
                    self.warn(words, node.spot);
                    text.clone()
                }
                Kind::Scalar { .. } | Kind::List(_) | Kind::Mapping { .. } => self.not_blank("command", node),
            },
        };
        let inner = relay::unwrap(&written);
        (Handler::Shell { command: inner.clone().unwrap_or(written) }, inner)
    }

    fn prompt(&mut self, fields: Fields<'_>, spot: Spot) -> Handler {
        self.idle(fields, Type::Llm, &["command"]);
        let template = match fields.get("prompt") {
            None => {
                let saying = if fields.get("command").is_some() { sayings::MISSING_PROMPT } else { sayings::MISSING };
                self.say(saying.say(args! { "type" => "llm", "field" => "prompt" }), spot);
                String::new()
            }
            Some(node) => {
                let template = self.not_blank("prompt", node);
                self.placeholders(node, &template);
                template
            }
        };
        let model = fields.get("model").and_then(|node| self.text("model", node)).map(str::to_owned);
        Handler::Prompt { template, model }
    }

    fn not_blank(&mut self, field: &str, node: &Node) -> String {
        let Some(text) = self.text(field, node) else { return String::new() };
        if text.trim().is_empty() {
            self.say(sayings::EMPTY.say(args! { "field" => field }), node.spot);
        }
        text.to_owned()
    }

    /// Fields that belong to the other type.
    fn idle(&mut self, fields: Fields<'_>, kind: Type, idle: &[&str]) {
        for field in idle {
            let missing = if kind == Type::Bash { "command" } else { "prompt" };
            // A prompt without a command is a forgotten type, and said as that.
            let told_elsewhere = *field != "model" && fields.get(missing).is_none();
            if let (Some(node), Some(spot), false) = (fields.get(field), fields.key_spot(field), told_elsewhere) {
                if *field == "model" && self.text(field, node).is_none() {
                    continue;
                }
                self.say(sayings::NO_EFFECT.say(args! { "field" => *field, "type" => kind.word() }), spot);
            }
        }
    }

    fn placeholders(&mut self, node: &Node, template: &str) {
        let mut from = 0;
        for piece in prompt::pieces(template) {
            let Piece::Unknown(written, name) = piece else { continue };
            let known: Vec<String> = prompt::PLACEHOLDERS.iter().map(|name| format!("{{{{{name}}}}}")).collect();
            let words = match super::nearest(name, prompt::PLACEHOLDERS.into_iter()) {
                Some(nearest) => {
                    sayings::PLACEHOLDER_NEAR.say(args! { "written" => written, "nearest" => format!("{{{{{nearest}}}}}") })
                }
                None => sayings::PLACEHOLDER.say(args! { "written" => written, "known" => known.join(" ") }),
            };
            let spot = self.spot_inside(node, written, &mut from);
            self.say(words, spot);
        }
    }

    /// Where the next such piece stands inside a value, as it is written in the file; the value's place when it cannot be found.
    fn spot_inside(&self, node: &Node, written: &str, from: &mut usize) -> Spot {
        let source = self.place.text.get(node.span.clone()).unwrap_or_default();
        let Some(ahead) = source.get(*from..).and_then(|rest| rest.find(written)) else { return node.spot };
        let at = *from + ahead;
        *from = at + written.len();
        let count = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let before = &source[..at];
        let lines = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX);
        let column = match before.rfind('\n') {
            Some(end) => count(&before[end + 1..]) + 1,
            None => node.spot.column + count(before),
        };
        Spot { line: node.spot.line + lines, column }
    }

    /// Time limit and attempts.
    fn limits(&mut self, fields: Fields<'_>, kind: Type) -> (Duration, u32) {
        let (seconds, retries) = match kind {
            Type::Bash => (10, 0),
            Type::Llm => (30, 1),
        };
        let timeout = self.whole(fields, "timeout", 1).unwrap_or(seconds);
        let timeout = if timeout > LONGEST {
            let spot = fields.get("timeout").map_or(Spot { line: 1, column: 1 }, |node| node.spot);
            self.warn(sayings::TOO_LONG.say(args! { "written" => timeout, "most" => LONGEST }), spot);
            LONGEST
        } else {
            timeout
        };
        let retries = self.whole(fields, "retry", 0).unwrap_or(retries);
        let attempts = u32::try_from(retries.saturating_add(1)).unwrap_or(u32::MAX);
        (Duration::from_secs(timeout), attempts)
    }

    /// A whole number of at least `least`; `None` when it is absent or wrong, and then it has been said.
    fn whole(&mut self, fields: Fields<'_>, field: &str, least: u64) -> Option<u64> {
        let node = fields.get(field)?;
        let (value, written) = match &node.kind {
            Kind::Scalar { value: Value::Number(value), text } => (value, text.as_str()),
            Kind::Scalar { text, .. } => return self.no_whole(field, node, &format!("\"{text}\"")),
            Kind::List(_) | Kind::Mapping { .. } => return self.no_whole(field, node, &format!("a {}", node.kind_word())),
        };
        let digits = written.strip_prefix(['+', '-']).unwrap_or(written);
        let is_whole = value.is_i64() || value.is_u64() || digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_whole {
            return self.no_whole(field, node, written);
        }
        if written.starts_with('-') || value.as_u64().is_some_and(|value| value < least) {
            self.say(sayings::TOO_SMALL.say(args! { "field" => field, "written" => written, "least" => least }), node.spot);
            return None;
        }
        // A number too large for 64 bits is simply very large.
        Some(value.as_u64().unwrap_or(u64::MAX))
    }

    fn no_whole(&mut self, field: &str, node: &Node, written: &str) -> Option<u64> {
        self.say(sayings::INTEGER_TYPE.say(args! { "field" => field, "written" => written }), node.spot);
        None
    }

    fn on_error(&mut self, fields: Fields<'_>) -> OnFailure {
        let Some(node) = fields.get("on_error") else { return OnFailure::Open };
        match self.text("on_error", node) {
            Some("abort" | "stop") => OnFailure::Closed,
            Some("skip") | None => OnFailure::Open,
            Some(other) => {
                self.say(sayings::UNKNOWN_ON_ERROR.say(args! { "written" => other }), node.spot);
                OnFailure::Open
            }
        }
    }

    /// The condition, and the filter as JSON.
    fn filter(&mut self, fields: Fields<'_>) -> (Condition, Option<Value>) {
        let Some(node) = fields.get("filter") else { return (Condition::default(), None) };
        let Some(entries) = node.entries() else {
            self.say(sayings::MAPPING_TYPE.say(args! { "field" => "filter", "found" => node.kind_word() }), node.spot);
            return (Condition::default(), Some(node.to_value()));
        };
        self.unknown(entries, "filter.", &FILTER_FIELDS);
        let parts = Fields { entries };
        let mut part = |name: &str| {
            let text = parts.get(name).and_then(|node| self.text(&format!("filter.{name}"), node));
            text.map(str::to_owned)
        };
        let (tool_name, tool_matcher, model_prefix) = (part("tool_name"), part("tool_matcher"), part("model_prefix"));
        let tool = match (tool_name, tool_matcher) {
            (Some(name), _) => Some(Clause { key: "tool_name", field: "tool_name", test: Test::Equals(name) }),
            (None, Some(names)) => {
                let names = names.split('|').map(|name| name.trim().to_owned()).collect();
                Some(Clause { key: "tool_matcher", field: "tool_name", test: Test::OneOf(names) })
            }
            (None, None) => None,
        };
        let model = model_prefix.map(|prefix| Clause { key: "model_prefix", field: "model", test: Test::Prefix(prefix) });
        (Condition { clauses: tool.into_iter().chain(model).collect() }, Some(node.to_value()))
    }
}
