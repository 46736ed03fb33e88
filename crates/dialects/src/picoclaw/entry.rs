//! One entry of `hooks.processes` (`picoclaw.md` §2): every field, its default, its validation, and the hooks it becomes.

use std::collections::BTreeMap;
use std::time::Duration;

use hookwright_model::problem::TextPosition;
use hookwright_model::{Condition, Handler, Hook, Message, OnFailure, Problem, RunMode, Severity, Source, args};
use serde_json::{Value, json};

use super::config::{Desk, unknown, whole, written};
use super::drawn::{Drawn, Switch};
use super::events::{self, CARD};
use super::messages;
use crate::held;
use crate::near::nearest;
use crate::node::{Entry, Kind, Node, sorted};

/// The fields of an entry.
pub const FIELDS: [&str; 8] = [
    "enabled",
    "priority",
    "transport",
    "command",
    "dir",
    "env",
    "observe",
    "intercept",
];
/// What `intercept` may hold.
pub const POINTS: [&str; 5] = ["before_llm", "after_llm", "before_tool", "after_tool", "approve_tool"];
/// What stands for every kind in `observe`.
pub const EVERY_KIND: [&str; 3] = ["", "*", "all"];

/// Time limits of a file's processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// To write a notification.
    pub observer: Duration,
    /// To answer at the LLM and tool points.
    pub interceptor: Duration,
    /// To approve.
    pub approval: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            observer: Duration::from_millis(500),
            interceptor: Duration::from_secs(5),
            approval: Duration::from_secs(60),
        }
    }
}

impl Limits {
    /// The file's own limits that hold at one of these events, as JSON; empty where all are the usual ones.
    fn inherited(self, events: &[&str]) -> String {
        let usual = Self::default();
        let each = [
            ("observer_timeout_ms", self.observer, usual.observer),
            ("interceptor_timeout_ms", self.interceptor, usual.interceptor),
            ("approval_timeout_ms", self.approval, usual.approval),
        ];
        let holds = |limit: Duration| events.iter().any(|event| self.at(event).0 == limit);
        let own = each
            .into_iter()
            .filter(|(_, limit, usual)| limit != usual && holds(*limit));
        let millis = |limit: Duration| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let own: serde_json::Map<String, Value> = own
            .map(|(name, limit, _)| (name.to_owned(), json!(millis(limit))))
            .collect();
        if own.is_empty() {
            String::new()
        } else {
            json!({ "defaults": own }).to_string()
        }
    }

    /// How long it has at this event, and what becomes of the agent when it breaks.
    fn at(self, event: &str) -> (Duration, OnFailure) {
        match event {
            "approve_tool" => (self.approval, OnFailure::Closed),
            point if POINTS.contains(&point) => (self.interceptor, OnFailure::Open),
            _ => (self.observer, OnFailure::Open),
        }
    }
}

fn source(desk: &Desk<'_>, spot: TextPosition) -> Source {
    Source {
        layer: desk.root.layer,
        path: desk.root.path.clone(),
        line: spot.line,
        column: spot.column,
        project: desk.root.project.clone(),
    }
}

/// Reads an entry into its hooks. `key` is its part of the ids; `verdict` says why it is invalid whatever it says itself,
/// `all` is the file's switch.
pub(super) fn read(desk: &mut Desk<'_>, entry: &Entry, key: &str, verdict: Option<Message>, all: bool, limits: Limits) {
    let id = format!("{}:{}:{key}", CARD.id, desk.root.layer.as_str());
    let mut form = Form {
        id: &id,
        key_spot: entry.key_spot,
        path: &desk.root.path,
        problems: Vec::new(),
        remarks: Vec::new(),
        spots: BTreeMap::new(),
    };
    if let Some(words) = verdict {
        form.say(words, entry.key_spot);
    }
    let drawn = form.draw(entry);
    if let Some(dir) = drawn.outside(desk.root) {
        let problem = Problem::new(
            messages::DIR_OUTSIDE.render(args! { "dir" => dir }),
            form.path,
            form.spots.get("dir").copied(),
        );
        form.problems
            .push(problem.with_severity(Severity::Warning).for_hook(&id));
    }
    let off = drawn.off(all);
    for words in drawn.notices() {
        form.say(words, entry.key_spot);
    }
    let invalid = form.first_reason();
    let places: Vec<&str> = drawn.events(invalid.is_some());
    let definition = entry.value.to_value();
    let inherited = limits.inherited(&places);
    let (mut problems, spots) = (form.problems, form.spots);
    problems.append(&mut form.remarks);
    for event in places {
        let (timeout, on_failure) = limits.at(event);
        let holds = invalid.is_some() && event == "approve_tool" && drawn.approves_if_broken();
        desk.hooks.push(Hook {
            id: id.clone(),
            dialect: CARD.id,
            event: event.to_owned(),
            label: entry.key.clone(),
            handler: Handler::Peer {
                argv: drawn.command.clone(),
            },
            when: Condition::default(),
            filter: None,
            timeout,
            attempts: 1,
            on_failure,
            mode: RunMode::Await,
            rank: Some(drawn.priority),
            source: source(desk, entry.key_spot),
            definition_text: sorted(&json!({ (&*entry.key): &definition })).to_string(),
            definition: definition.clone(),
            field_positions: spots.clone(),
            inherited_text: inherited.clone(),
            invalid: invalid.clone(),
            blocks_when_invalid: holds.then(|| messages::answers::INVALID_APPROVER.render_plain()),
            off: off.clone(),
            wrapped: false,
            cover: drawn.cover(),
        });
    }
    desk.problems.extend(problems);
}

/// An entry being read.
struct Form<'a> {
    id: &'a str,
    key_spot: TextPosition,
    path: &'a std::path::Path,
    problems: Vec<Problem>,
    /// What is noteworthy and costs the entry nothing.
    remarks: Vec<Problem>,
    spots: BTreeMap<String, TextPosition>,
}

impl Form<'_> {
    fn say(&mut self, words: Message, spot: TextPosition) {
        self.problems
            .push(Problem::new(words, self.path, Some(spot)).for_hook(self.id));
    }

    fn aside(&mut self, words: Message, spot: TextPosition) {
        self.remarks
            .push(Problem::new(words, self.path, Some(spot)).for_hook(self.id));
    }

    /// Why it is invalid: its first error, or that it is not run here.
    fn first_reason(&self) -> Option<Message> {
        let counts = |problem: &&Problem| {
            problem.severity == Severity::Error || problem.code == hookwright_model::Code::Unsupported
        };
        let problem = self.problems.iter().find(counts)?;
        Some(Message {
            code: problem.code.word(),
            text: problem.message.clone(),
            hint: problem.hint.clone(),
            args: problem.args.clone(),
        })
    }

    fn draw(&mut self, entry: &Entry) -> Drawn {
        let mut drawn = Drawn::default();
        let node = &entry.value;
        let entries = match node.entries() {
            Some(entries) => entries,
            None if node.is_null() => &[],
            None => {
                let field = format!("hooks.processes.{}", entry.key);
                let words = messages::OBJECT_TYPE.render(args! { "field" => field, "found" => node.json_word() });
                self.say(words, node.spot);
                drawn.switch = Switch::Unreadable;
                drawn.intercept_unreadable = true;
                drawn.modes_unreadable = true;
                return drawn;
            }
        };
        node.each_again(&mut |again| {
            self.say(
                messages::DUPLICATE_KEY.render(args! { "key" => again.key }),
                again.key_spot,
            );
        });
        for entry in entries {
            self.spots.insert(entry.key.clone(), entry.value.spot);
            if !entry.key.starts_with('_')
                && let Some(words) = unread(&entry.key)
            {
                self.say(words, entry.key_spot);
            }
        }
        let get = |name: &str| node.get(name).filter(|node| !node.is_null());
        drawn.switch = get("enabled").map_or(Switch::Absent, |node| self.switch(node));
        drawn.priority = get("priority").map_or(0, |node| self.priority(node));
        if let Some(node) = get("transport") {
            self.transport(node);
        }
        drawn.command = self.command(get("command"));
        drawn.dir = get("dir").and_then(|node| self.text("dir", node));
        if let Some((words, spot)) = get("dir").and_then(|node| held::text("dir", node)) {
            self.say(words, spot);
        }
        if let Some(node) = get("env") {
            self.env(node);
        }
        self.modes(&mut drawn, get("observe"), get("intercept"));
        drawn
    }

    fn switch(&mut self, node: &Node) -> Switch {
        match &node.kind {
            Kind::Scalar {
                value: Value::Bool(on), ..
            } => {
                if *on {
                    Switch::On
                } else {
                    Switch::Off
                }
            }
            Kind::Scalar { .. } | Kind::List(_) | Kind::Mapping { .. } => {
                let words = messages::FLAG_TYPE.render(args! { "field" => "enabled", "found" => node.json_word() });
                self.say(words, node.spot);
                Switch::Unreadable
            }
        }
    }

    fn priority(&mut self, node: &Node) -> i64 {
        whole(node).unwrap_or_else(|| {
            let words = messages::INTEGER_TYPE.render(args! { "field" => "priority", "written" => written(node) });
            self.say(words, node.spot);
            0
        })
    }

    fn transport(&mut self, node: &Node) {
        if let Some(written) = self.text("transport", node)
            && !["", "stdio"].contains(&written.as_str())
        {
            self.say(messages::TRANSPORT.render(args! { "written" => written }), node.spot);
        }
    }

    fn command(&mut self, node: Option<&std::sync::Arc<Node>>) -> Vec<String> {
        let Some(node) = node else {
            self.say(messages::MISSING.render_plain(), self.key_spot);
            return Vec::new();
        };
        let Kind::List(items) = &node.kind else {
            self.say(
                messages::COMMAND_TYPE.render(args! { "found" => node.json_word() }),
                node.spot,
            );
            return Vec::new();
        };
        let words: Vec<Option<String>> = items.iter().map(|item| self.text("command", item)).collect();
        for (words, spot) in items.iter().filter_map(|item| held::text("command", item)) {
            self.say(words, spot);
        }
        if words
            .first()
            .is_none_or(|first| first.as_ref().is_some_and(|word| word.trim().is_empty()))
        {
            let spot = items.first().map_or(node.spot, |first| first.spot);
            self.say(messages::EMPTY.render_plain(), spot);
        }
        words.into_iter().map(Option::unwrap_or_default).collect()
    }

    fn env(&mut self, node: &Node) {
        let Some(entries) = node.entries() else {
            let words = messages::OBJECT_TYPE.render(args! { "field" => "env", "found" => node.json_word() });
            return self.say(words, node.spot);
        };
        for entry in entries {
            self.text(&format!("env.{}", entry.key), &entry.value);
        }
        for (words, spot) in held::variables("env", node) {
            self.say(words, spot);
        }
    }

    fn modes(
        &mut self,
        drawn: &mut Drawn,
        observe: Option<&std::sync::Arc<Node>>,
        intercept: Option<&std::sync::Arc<Node>>,
    ) {
        let kinds_read = self.kinds(drawn, observe);
        let (points, points_read) = self.words("intercept", intercept);
        drawn.modes_unreadable |= !kinds_read || !points_read;
        drawn.intercept_unreadable = !points_read;
        for (word, spot) in points.into_iter().filter(|(word, _)| !word.is_empty()) {
            if POINTS.contains(&word.as_str()) {
                drawn.intercept.push(word);
            } else {
                self.say(unknown_point(&word), spot);
                drawn.intercept_unreadable = true;
                drawn.modes_unreadable = true;
            }
        }
        self.other_kinds(drawn);
    }

    /// The kinds of `observe`, in either spelling, and whether all of the list could be read.
    fn kinds(&mut self, drawn: &mut Drawn, observe: Option<&std::sync::Arc<Node>>) -> bool {
        let (kinds, kinds_read) = self.words("observe", observe);
        let mut renamed: Vec<(String, TextPosition)> = Vec::new();
        for (word, spot) in kinds {
            if EVERY_KIND.contains(&word.as_str()) || events::kinds().any(|kind| kind == word) {
                drawn.observe.push(word);
            } else if let Some(kind) = events::renamed(&word) {
                drawn.observe.push(kind.to_owned());
                renamed.push((word, spot));
            } else if word.contains('.') {
                drawn.other_kinds.push((word, spot));
            } else {
                self.say(unknown_kind(&word), spot);
                drawn.modes_unreadable = true;
            }
        }
        if let Some((_, spot)) = renamed.first() {
            let names = renamed.iter().filter_map(|(word, _)| events::renamed(word));
            let args = args! { "kinds" => quoted(&renamed), "names" => ticked(names) };
            let words = messages::RENAMED_KIND.render(args);
            self.aside(words, *spot);
        }
        kinds_read
    }

    /// Kinds of the agent that Hookwright does not fire: they cost a process only when it has nothing else to do.
    fn other_kinds(&mut self, drawn: &Drawn) {
        let Some((_, spot)) = drawn.other_kinds.first() else {
            return;
        };
        let words = messages::OTHER_KINDS.render(args! { "kinds" => quoted(&drawn.other_kinds) });
        if drawn.observe.is_empty() && drawn.intercept.is_empty() {
            self.say(words, *spot);
        } else {
            self.aside(words, *spot);
        }
    }

    /// The strings of a list, and whether all of it could be read.
    fn words(&mut self, field: &str, node: Option<&std::sync::Arc<Node>>) -> (Vec<(String, TextPosition)>, bool) {
        let Some(node) = node else {
            return (Vec::new(), true);
        };
        let Kind::List(items) = &node.kind else {
            let words = messages::LIST_TYPE.render(args! { "field" => field, "found" => node.json_word() });
            self.say(words, node.spot);
            return (Vec::new(), false);
        };
        let read: Vec<Option<(String, TextPosition)>> = items
            .iter()
            .map(|item| self.text(field, item).map(|word| (word, item.spot)))
            .collect();
        let whole = read.iter().all(Option::is_some);
        (read.into_iter().flatten().collect(), whole)
    }

    fn text(&mut self, field: &str, node: &Node) -> Option<String> {
        match &node.kind {
            Kind::Scalar {
                value: Value::String(text),
                ..
            } => Some(text.clone()),
            Kind::Scalar { .. } | Kind::List(_) | Kind::Mapping { .. } => {
                let words = messages::STRING_TYPE.render(args! { "field" => field, "found" => node.json_word() });
                self.say(words, node.spot);
                None
            }
        }
    }
}

/// The words, each in code quotes.
fn quoted(words: &[(String, TextPosition)]) -> String {
    ticked(words.iter().map(|(word, _)| word.as_str()))
}

fn ticked<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// What is said of a key that an entry does not have.
fn unread(key: &str) -> Option<Message> {
    let limit = key.to_lowercase().contains("timeout");
    if limit {
        return Some(messages::UNKNOWN_FIELD_TIMEOUT.render(args! { "field" => key }));
    }
    unknown(key, "", &FIELDS)
}

fn unknown_kind(word: &str) -> Message {
    match nearest(word, events::kinds()) {
        Some(nearest) => messages::UNKNOWN_KIND_NEAR.render(args! { "written" => word, "nearest" => nearest }),
        None => {
            let known: Vec<&str> = events::kinds().collect();
            messages::UNKNOWN_KIND.render(args! { "written" => word, "known" => known.join(", ") })
        }
    }
}

fn unknown_point(word: &str) -> Message {
    match nearest(word, POINTS.into_iter()) {
        Some(nearest) => messages::UNKNOWN_POINT_NEAR.render(args! { "written" => word, "nearest" => nearest }),
        None => messages::UNKNOWN_POINT.render(args! { "written" => word, "known" => POINTS.join(", ") }),
    }
}
