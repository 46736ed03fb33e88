//! Reads `hooks.py`, a module of callbacks (`qoder.md` §1, "Module").
//!
//! A module is one hook until its bridge reports what it contains. Then it is one hook per callback. The code here
//! imports no Python.

use std::sync::Arc;
use std::time::Duration;

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, Condition, EVERY_EVENT, Handler, Hook, Message, Parsed, Problem, Severity, Source, SourceTree,
    render, term,
};
use serde_json::{Value, json};

use super::entry::{DEFAULT_TIMEOUT, MAX_TIMEOUT};
use super::schema::{DEFINITION, REGISTRATION};
use super::{entry, events, messages};
use crate::definition::{self, Problems};
use crate::node::Node;

/// The module's label, and its definition for an approval. The approval covers the files in addition.
const MODULE_NAME: &str = "hooks.py";

/// The one hook of a module whose content is not known yet.
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
    let id = format!("qoder:{}:{EVERY_EVENT}:module", tree.root.layer.as_str());
    let handler = Handler::Module {
        path: path.clone(),
        callback: None,
        content: String::new(),
    };
    let hook = Hook {
        label: MODULE_NAME.to_owned(),
        timeout: DEFAULT_TIMEOUT,
        source: Source {
            layer: tree.root.layer,
            path: path.clone(),
            line: 1,
            column: 1,
            project: tree.root.project.clone(),
        },
        definition: json!({ "module": MODULE_NAME }),
        definition_text: MODULE_NAME.to_owned(),
        approval_scope: ApprovalScope::Sources {
            folder: path.parent().unwrap_or(path).to_owned(),
            ending: ".py",
        },
        ..Hook::new("qoder", id, EVERY_EVENT, handler)
    };
    Parsed {
        hooks: vec![Arc::new(hook)],
        ..Parsed::default()
    }
}

/// The hooks of a module, from the `initialize` request of its bridge.
#[must_use]
pub fn expand_module(module: &Hook, reported: &Value) -> Parsed {
    let mut expansion = ModuleExpansion {
        module,
        callback_sources: reported.pointer("/hookwright/callbacks").unwrap_or(&Value::Null),
        out: Parsed::default(),
    };
    if let Some(error) = reported.get("error") {
        expansion.report_import_failure(error);
        return expansion.out;
    }
    let problems = reported.pointer("/hookwright/problems").and_then(Value::as_array);
    for problem in problems.into_iter().flatten() {
        expansion.report_table_problem(problem);
    }
    let hooks = reported.get("hooks").and_then(Value::as_object);
    for (event, groups) in hooks.into_iter().flatten() {
        for (index, matcher) in groups.as_array().into_iter().flatten().enumerate() {
            expansion.expand_matcher(event, index, matcher);
        }
    }
    expansion.out
}

/// Warns about modules whose hooks do not run. Otherwise the user would not notice that a guard is missing.
#[must_use]
pub fn unloaded_module_warnings(hooks: &[&Hook]) -> Vec<Message> {
    let whole = |hook: &&&Hook| hook.event == EVERY_EVENT && matches!(hook.handler, Handler::Module { .. });
    let out = hooks.iter().filter(whole).filter_map(|hook| {
        let path = hook.source.path.display().to_string();
        let why = hook.invalid.as_ref()?;
        Some(render!(messages::answers::MODULE_OUT, "path" => path, "why" => why.text, "why_message" => why.to_args()))
    });
    out.collect()
}

struct ModuleExpansion<'a> {
    module: &'a Hook,
    callback_sources: &'a Value,
    out: Parsed,
}

impl ModuleExpansion<'_> {
    /// Reports an import that raised an exception.
    fn report_import_failure(&mut self, error: &Value) {
        let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
        let line = error.get("line").and_then(Value::as_u64);
        let spot = line
            .and_then(|line| u32::try_from(line).ok())
            .map(|line| TextPosition { line, column: 1 });
        let failure = render!(messages::IMPORT_FAILED, "error" => message);
        self.invalidate_module(failure, spot);
    }

    /// Reports a part of the table that the bridge could not read.
    fn report_table_problem(&mut self, problem: &Value) {
        let text = |name: &str| problem.get(name).and_then(Value::as_str).unwrap_or_default();
        let found = text("found");
        let message = match text("what") {
            "nothing" => return self.invalidate_module(messages::NO_TABLE.render_plain(), None),
            "hooks" => return self.invalidate_module(render!(messages::TABLE_TYPE, "found" => found), None),
            "event" => render!(messages::EVENT_MATCHERS, "event" => text("event"), "found" => found),
            "key" => render!(messages::EVENT_KEY, "found" => found),
            "unread" => render!(messages::MATCHER_UNREAD, "event" => text("event"), "error" => text("error")),
            "callbacks" => render!(messages::CALLBACKS_TYPE, "event" => text("event"), "found" => found),
            _ => render!(messages::MATCHER_TYPE, "event" => text("event"), "found" => found),
        };
        self.report(message, None, None);
    }

    /// Makes the whole module invalid. It stays one hook.
    fn invalidate_module(&mut self, message: Message, spot: Option<TextPosition>) {
        let id = self.module.id.clone();
        self.report(message.clone(), spot, Some(&id));
        self.out.hooks.push(Arc::new(Hook {
            invalid: Some(message),
            ..self.module.clone()
        }));
    }

    fn report(&mut self, message: Message, spot: Option<TextPosition>, hook: Option<&str>) {
        let problem = Problem::new(message, &self.module.source.path, spot);
        self.out.problems.push(match hook {
            Some(id) => problem.for_hook(id),
            None => problem,
        });
    }

    /// Adds the hooks of one `HookMatcher`.
    fn expand_matcher(&mut self, event: &str, index: usize, reported: &Value) {
        let mut invalid = self.check_event_name(event, index);
        let source = reported.get("matcher").unwrap_or(&Value::Null);
        let mut when = Condition::default();
        match source {
            Value::Null => {}
            Value::String(written) => {
                let node = Node::from_value(&json!({ "matcher": source }));
                let mut problems = Problems::new(&self.module.source.path, None, node.position);
                let fields = definition::read(&DEFINITION, &REGISTRATION, "", &node, &mut problems);
                when = fields.condition(events::CARD.event(event), &mut problems);
                match problems.invalid {
                    Some(message) => self.invalidate_matcher(message, &mut invalid),
                    None => {
                        let idle = entry::idle_matcher_message(event, written);
                        idle.into_iter().for_each(|message| self.report(message, None, None));
                    }
                }
            }
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                self.invalidate_matcher(wrong_type_message("matcher", term!("a string"), source), &mut invalid);
            }
        }
        let timeout = match reported.get("timeout") {
            None | Some(Value::Null) => DEFAULT_TIMEOUT,
            Some(given) => self.read_timeout(given, &mut invalid),
        };
        let callbacks = reported.get("hookCallbackIds").and_then(Value::as_array);
        for (position, callback) in callbacks.into_iter().flatten().enumerate() {
            let mut hook = self.callback_hook(event, &format!("{index}.{position}"), callback, timeout);
            if let (Some(given), Some(definition)) = (reported.get("timeout"), hook.definition.as_object_mut()) {
                definition.insert("timeout".to_owned(), as_written(given));
            }
            let hook = Hook {
                when: when.clone(),
                filter: (!source.is_null()).then(|| json!({ "matcher": source })),
                invalid: hook.invalid.or_else(|| invalid.clone()),
                ..hook
            };
            self.out.hooks.push(Arc::new(hook));
        }
    }

    /// Reports an error that makes all callbacks of the matcher invalid.
    fn invalidate_matcher(&mut self, message: Message, invalid: &mut Option<Message>) {
        self.report(message.clone(), None, None);
        invalid.get_or_insert(message);
    }

    fn check_event_name(&mut self, event: &str, index: usize) -> Option<Message> {
        if events::CARD.event(event).is_some() {
            return None;
        }
        let message = unknown_event_message(event);
        // One report per event is enough.
        if index == 0 {
            self.report(message.clone(), None, None);
        }
        Some(message)
    }

    fn read_timeout(&mut self, given: &Value, invalid: &mut Option<Message>) -> Duration {
        let Some(seconds) = parse_seconds(given) else {
            self.invalidate_matcher(
                wrong_type_message("timeout", term!("a number of seconds"), given),
                invalid,
            );
            return DEFAULT_TIMEOUT;
        };
        let written = as_written(given);
        if seconds <= 0.0 {
            self.invalidate_matcher(render!(messages::TOO_SMALL, "written" => written), invalid);
            return DEFAULT_TIMEOUT;
        }
        if seconds > MAX_TIMEOUT.as_secs_f64() {
            let message = render!(messages::TOO_LONG, "written" => written, "most" => MAX_TIMEOUT.as_secs());
            let problem = Problem::new(message, &self.module.source.path, None);
            self.out.problems.push(problem.with_severity(Severity::Warning));
            return MAX_TIMEOUT;
        }
        Duration::try_from_secs_f64(seconds)
            .unwrap_or(DEFAULT_TIMEOUT)
            .max(Duration::from_millis(1))
    }

    fn callback_hook(&mut self, event: &str, key: &str, reported: &Value, timeout: Duration) -> Hook {
        let Handler::Module { path, content, .. } = &self.module.handler else {
            return self.module.clone();
        };
        let id = format!("qoder:{}:{event}:module.{key}", self.module.source.layer.as_str());
        let name = reported.as_str();
        let callback_source = name
            .and_then(|name| self.callback_sources.get(name))
            .unwrap_or(&Value::Null);
        let file = callback_source.get("file").and_then(Value::as_str);
        let line = callback_source
            .get("line")
            .and_then(Value::as_u64)
            .filter(|_| file.is_some_and(|file| path.ends_with(file)));
        let line = line.and_then(|line| u32::try_from(line).ok()).unwrap_or(1);
        let label = callback_source
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or(&id)
            .to_owned();
        let definition = json!({ "module": MODULE_NAME, "event": event, "callback": label });
        let handler = Handler::Module {
            path: path.clone(),
            callback: name.map(str::to_owned),
            content: content.clone(),
        };
        let invalid = name.is_none().then(|| messages::NOT_CALLABLE.render_plain());
        if let Some(message) = &invalid {
            self.report(message.clone(), None, Some(&id));
        }
        if let Some(message) = fault_message(callback_source, &label) {
            let spot = TextPosition { line, column: 1 };
            let problem = Problem::new(message, path, Some(spot)).for_hook(&id);
            self.out.problems.push(problem.with_severity(Severity::Warning));
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

/// Why each call of a callback fails, as its bridge reports it.
fn fault_message(callback_source: &Value, name: &str) -> Option<Message> {
    let fault = callback_source.get("fault")?;
    let found = fault.get("found").and_then(Value::as_str).unwrap_or_default();
    match fault.get("what")?.as_str()? {
        "not_async" => Some(render!(messages::CALLBACK_SYNC, "name" => name)),
        "generator" => Some(render!(messages::CALLBACK_GENERATOR, "name" => name)),
        "parameters" => Some(render!(messages::CALLBACK_PARAMETERS, "name" => name, "found" => found)),
        _ => None,
    }
}

/// The message about an event that Hookwright does not fire.
pub(super) fn unknown_event_message(event: &str) -> Message {
    if events::UNSUPPORTED_EVENTS.contains(&event) {
        return render!(messages::UNSUPPORTED_EVENT, "event" => event);
    }
    definition::unknown_event(
        &events::CARD,
        event,
        messages::UNKNOWN_EVENT_NEAR,
        messages::UNKNOWN_EVENT,
    )
}

/// A number of seconds. Infinite numbers are given by name, because JSON has none.
fn parse_seconds(given: &Value) -> Option<f64> {
    match given.get("number").and_then(Value::as_str) {
        Some("inf") => Some(f64::INFINITY),
        Some("-inf") => Some(f64::NEG_INFINITY),
        Some(_) => None,
        None => given.as_f64(),
    }
}

/// A value as its author would write it.
fn as_written(given: &Value) -> Value {
    given.get("number").unwrap_or(given).clone()
}

fn wrong_type_message(field: &str, wanted: &str, found: &Value) -> Message {
    let found = match found {
        Value::Null => term!("null"),
        Value::Bool(_) => term!("boolean"),
        Value::Number(_) => term!("number"),
        Value::String(_) => term!("string"),
        Value::Array(_) => term!("list"),
        // A value that JSON cannot represent is given by the name of its type.
        Value::Object(object) => object.get("type").and_then(Value::as_str).unwrap_or(term!("object")),
    };
    render!(messages::FIELD_TYPE, "field" => field, "wanted" => wanted, "found" => found)
}

#[cfg(test)]
#[path = "module_tests.rs"]
pub(super) mod tests;
