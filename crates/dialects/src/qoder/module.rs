//! `hooks.py`, a module of callbacks (`qoder.md` §1, "Module"): one hook until its bridge told what is in it, then one a
//! callback. Nothing here imports anything.

use std::collections::BTreeMap;
use std::time::Duration;

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, Condition, EVERY_EVENT, Handler, Hook, Message, OnFailure, Parsed, Problem, RunMode, Severity,
    Source, SourceTree, args, term,
};
use serde_json::{Value, json};

use super::entry::{DEFAULT_TIMEOUT, LONGEST};
use super::{events, group, messages};
use crate::near::nearest_event;

/// The module's name among people, and its definition for an approval; the files are covered beside it.
const NAME: &str = "hooks.py";

/// The one hook of a module that nobody has looked into.
#[must_use]
pub fn parse(tree: &SourceTree) -> Parsed {
    let path = &tree.root.path;
    let Some(file) = tree.files.get(path) else {
        return Parsed::default();
    };
    if let Err(problem) = &file.text {
        return Parsed {
            problems: vec![problem.clone()],
            broken: vec![path.clone()],
            ..Parsed::default()
        };
    }
    let hook = Hook {
        id: format!("qoder:{}:{EVERY_EVENT}:module", tree.root.layer.as_str()),
        dialect: "qoder",
        event: EVERY_EVENT.to_owned(),
        label: NAME.to_owned(),
        handler: Handler::Module {
            path: path.clone(),
            callback: None,
            content: String::new(),
        },
        when: Condition::default(),
        filter: None,
        timeout: DEFAULT_TIMEOUT,
        attempts: 1,
        on_failure: OnFailure::Open,
        mode: RunMode::Await,
        rank: None,
        source: Source {
            layer: tree.root.layer,
            path: path.clone(),
            line: 1,
            column: 1,
            project: tree.root.project.clone(),
        },
        definition: json!({ "module": NAME }),
        field_positions: BTreeMap::new(),
        definition_text: NAME.to_owned(),
        inherited_text: String::new(),
        invalid: None,
        blocks_when_invalid: None,
        off: None,
        wrapped: false,
        cover: ApprovalScope::Sources {
            folder: path.parent().unwrap_or(path).to_owned(),
            ending: ".py",
        },
    };
    Parsed {
        hooks: vec![hook],
        ..Parsed::default()
    }
}

/// The hooks of a module, from its bridge's `initialize` request.
#[must_use]
pub fn unfold(module: &Hook, told: &Value) -> Parsed {
    let mut unfolding = Unfolding {
        module,
        places: told.pointer("/hookwright/callbacks").unwrap_or(&Value::Null),
        out: Parsed::default(),
    };
    if let Some(error) = told.get("error") {
        unfolding.failed(error);
        return unfolding.out;
    }
    let problems = told.pointer("/hookwright/problems").and_then(Value::as_array);
    for problem in problems.into_iter().flatten() {
        unfolding.wrong(problem);
    }
    let hooks = told.get("hooks").and_then(Value::as_object);
    for (event, groups) in hooks.into_iter().flatten() {
        for (index, matcher) in groups.as_array().into_iter().flatten().enumerate() {
            unfolding.matcher(event, index, matcher);
        }
    }
    unfolding.out
}

/// Modules of which nothing runs: a guard among their callbacks would be missed in silence.
#[must_use]
pub fn remarks(hooks: &[&Hook]) -> Vec<Message> {
    let whole = |hook: &&&Hook| hook.event == EVERY_EVENT && matches!(hook.handler, Handler::Module { .. });
    let out = hooks.iter().filter(whole).filter_map(|hook| {
        let path = hook.source.path.display().to_string();
        let why = hook.invalid.as_ref()?;
        Some(
            messages::answers::MODULE_OUT
                .render(args! { "path" => path, "why" => why.text, "why_message" => why.to_args() }),
        )
    });
    out.collect()
}

struct Unfolding<'a> {
    module: &'a Hook,
    places: &'a Value,
    out: Parsed,
}

impl Unfolding<'_> {
    /// The import raised.
    fn failed(&mut self, error: &Value) {
        let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
        let line = error.get("line").and_then(Value::as_u64);
        let spot = line
            .and_then(|line| u32::try_from(line).ok())
            .map(|line| TextPosition { line, column: 1 });
        let words = messages::IMPORT_FAILED.render(args! { "error" => message });
        self.whole(words, spot);
    }

    /// What the bridge found no table in.
    fn wrong(&mut self, problem: &Value) {
        let text = |name: &str| problem.get(name).and_then(Value::as_str).unwrap_or_default();
        let found = text("found");
        let words = match text("what") {
            "nothing" => return self.whole(messages::NO_TABLE.render_plain(), None),
            "hooks" => return self.whole(messages::TABLE_TYPE.render(args! { "found" => found }), None),
            "event" => messages::EVENT_MATCHERS.render(args! { "event" => text("event"), "found" => found }),
            "key" => messages::EVENT_KEY.render(args! { "found" => found }),
            "unread" => messages::MATCHER_UNREAD.render(args! { "event" => text("event"), "error" => text("error") }),
            "callbacks" => messages::CALLBACKS_TYPE.render(args! { "event" => text("event"), "found" => found }),
            _ => messages::MATCHER_TYPE.render(args! { "event" => text("event"), "found" => found }),
        };
        self.say(words, None, None);
    }

    /// The whole module is no good: it stays one hook, and an invalid one.
    fn whole(&mut self, words: Message, spot: Option<TextPosition>) {
        let id = self.module.id.clone();
        self.say(words.clone(), spot, Some(&id));
        self.out.hooks.push(Hook {
            invalid: Some(words),
            ..self.module.clone()
        });
    }

    fn say(&mut self, words: Message, spot: Option<TextPosition>, hook: Option<&str>) {
        let problem = Problem::new(words, &self.module.source.path, spot);
        self.out.problems.push(match hook {
            Some(id) => problem.for_hook(id),
            None => problem,
        });
    }

    /// One `HookMatcher`.
    fn matcher(&mut self, event: &str, index: usize, told: &Value) {
        let mut verdict = self.event_name(event, index);
        let source = told.get("matcher").unwrap_or(&Value::Null);
        let mut when = Condition::default();
        match source {
            Value::Null => {}
            Value::String(source) => match group::condition(event, source) {
                Ok(condition) => {
                    when = condition;
                    self.idle(event, source);
                }
                Err(words) => self.costs(words, &mut verdict),
            },
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                self.costs(wrong_type("matcher", term!("a string"), source), &mut verdict);
            }
        }
        let timeout = match told.get("timeout") {
            None | Some(Value::Null) => DEFAULT_TIMEOUT,
            Some(given) => self.timeout(given, &mut verdict),
        };
        let callbacks = told.get("hookCallbackIds").and_then(Value::as_array);
        for (place, callback) in callbacks.into_iter().flatten().enumerate() {
            let mut hook = self.callback(event, &format!("{index}.{place}"), callback, timeout);
            if let (Some(given), Some(definition)) = (told.get("timeout"), hook.definition.as_object_mut()) {
                definition.insert("timeout".to_owned(), written(given));
            }
            let hook = Hook {
                when: when.clone(),
                filter: (!source.is_null()).then(|| json!({ "matcher": source })),
                invalid: hook.invalid.or_else(|| verdict.clone()),
                ..hook
            };
            self.out.hooks.push(hook);
        }
    }

    /// Says it, and holds it against all callbacks of the matcher.
    fn costs(&mut self, words: Message, verdict: &mut Option<Message>) {
        self.say(words.clone(), None, None);
        verdict.get_or_insert(words);
    }

    fn event_name(&mut self, event: &str, index: usize) -> Option<Message> {
        if events::CARD.event(event).is_some() {
            return None;
        }
        let words = unknown_event(event);
        // Once an event is enough.
        if index == 0 {
            self.say(words.clone(), None, None);
        }
        Some(words)
    }

    fn idle(&mut self, event: &str, source: &str) {
        let known = events::CARD.event(event).is_some();
        if known && events::subject(event).is_none() && !["", "*", ".*"].contains(&source) {
            self.say(group::idle(event), None, None);
        }
    }

    fn timeout(&mut self, given: &Value, verdict: &mut Option<Message>) -> Duration {
        let Some(seconds) = seconds(given) else {
            self.costs(wrong_type("timeout", term!("a number of seconds"), given), verdict);
            return DEFAULT_TIMEOUT;
        };
        let written = written(given);
        if seconds <= 0.0 {
            self.costs(messages::TOO_SMALL.render(args! { "written" => written }), verdict);
            return DEFAULT_TIMEOUT;
        }
        if seconds > LONGEST.as_secs_f64() {
            let words = messages::TOO_LONG.render(args! { "written" => written, "most" => LONGEST.as_secs() });
            let problem = Problem::new(words, &self.module.source.path, None);
            self.out.problems.push(problem.with_severity(Severity::Warning));
            return LONGEST;
        }
        Duration::try_from_secs_f64(seconds)
            .unwrap_or(DEFAULT_TIMEOUT)
            .max(Duration::from_millis(1))
    }

    fn callback(&mut self, event: &str, key: &str, told: &Value, timeout: Duration) -> Hook {
        let Handler::Module { path, content, .. } = &self.module.handler else {
            return self.module.clone();
        };
        let id = format!("qoder:{}:{event}:module.{key}", self.module.source.layer.as_str());
        let name = told.as_str();
        let place = name.and_then(|name| self.places.get(name)).unwrap_or(&Value::Null);
        let file = place.get("file").and_then(Value::as_str);
        let line = place
            .get("line")
            .and_then(Value::as_u64)
            .filter(|_| file.is_some_and(|file| path.ends_with(file)));
        let line = line.and_then(|line| u32::try_from(line).ok()).unwrap_or(1);
        let label = place.get("name").and_then(Value::as_str).unwrap_or(&id).to_owned();
        let definition = json!({ "module": NAME, "event": event, "callback": label });
        let handler = Handler::Module {
            path: path.clone(),
            callback: name.map(str::to_owned),
            content: content.clone(),
        };
        let invalid = name.is_none().then(|| messages::NOT_CALLABLE.render_plain());
        if let Some(words) = &invalid {
            self.say(words.clone(), None, Some(&id));
        }
        Hook {
            id,
            event: event.to_owned(),
            label,
            handler,
            timeout,
            source: Source {
                line,
                ..self.module.source.clone()
            },
            definition,
            invalid,
            ..self.module.clone()
        }
    }
}

/// What is said of an event that is not fired.
pub(super) fn unknown_event(event: &str) -> Message {
    if events::UNSUPPORTED.contains(&event) {
        return messages::UNSUPPORTED_EVENT.render(args! { "event" => event });
    }
    let names = || events::CARD.events.iter().map(|event| event.name);
    match nearest_event(event, names()) {
        Some(nearest) => messages::UNKNOWN_EVENT_NEAR.render(args! { "event" => event, "nearest" => nearest }),
        None => {
            let all: Vec<&str> = names().collect();
            messages::UNKNOWN_EVENT.render(args! { "event" => event, "events" => all.join(", ") })
        }
    }
}

/// A number of seconds; infinite ones come by their names, since JSON has none.
fn seconds(given: &Value) -> Option<f64> {
    match given.get("number").and_then(Value::as_str) {
        Some("inf") => Some(f64::INFINITY),
        Some("-inf") => Some(f64::NEG_INFINITY),
        Some(_) => None,
        None => given.as_f64(),
    }
}

/// A value as its author would write it.
fn written(given: &Value) -> Value {
    given.get("number").unwrap_or(given).clone()
}

fn wrong_type(field: &str, wanted: &str, found: &Value) -> Message {
    let found = match found {
        Value::Null => term!("null"),
        Value::Bool(_) => term!("boolean"),
        Value::Number(_) => term!("number"),
        Value::String(_) => term!("string"),
        Value::Array(_) => term!("list"),
        // Anything that JSON cannot hold comes by the name of its type.
        Value::Object(object) => object.get("type").and_then(Value::as_str).unwrap_or(term!("object")),
    };
    messages::FIELD_TYPE.render(args! { "field" => field, "wanted" => wanted, "found" => found })
}

#[cfg(test)]
#[path = "module_tests.rs"]
pub(super) mod tests;
