//! How a hook runs: `timeout`, `retry`, `on_error`, `filter`.

use std::time::Duration;

use hookwright_model::problem::TextPosition;
use hookwright_model::{Clause, Condition, OnFailure, Predicate, args};
use serde_json::Value;

use super::{Desk, FILTER_FIELDS, Fields, Type};
use crate::jcli::messages;
use crate::yaml::{Kind, Node};

/// Seconds that a longer timeout counts as (`engine.md` §6).
const LONGEST: u64 = 3600;

impl Desk<'_> {
    /// Time limit and attempts.
    pub(super) fn limits(&mut self, fields: Fields<'_>, kind: Type) -> (Duration, u32) {
        let (seconds, retries) = match kind {
            Type::Bash => (10, 0),
            Type::Llm => (30, 1),
        };
        let timeout = self.whole(fields, "timeout", 1).unwrap_or(seconds);
        let timeout = if timeout > LONGEST {
            let node = fields.get("timeout");
            let spot = node.map_or(TextPosition { line: 1, column: 1 }, |node| node.spot);
            // One too large for 64 bits as it is written.
            let written = match node.map(|node| &node.kind) {
                Some(Kind::Scalar { value, text }) if !value.is_u64() => Value::from(text.clone()),
                Some(_) | None => timeout.into(),
            };
            self.warn(
                messages::TOO_LONG.render(args! { "written" => written, "most" => LONGEST }),
                spot,
            );
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
            Kind::Scalar {
                value: Value::Number(value),
                text,
            } => (value, text.as_str()),
            Kind::Scalar { text, .. } => return self.no_whole(field, node, &format!("\"{text}\"")),
            Kind::List(_) | Kind::Mapping { .. } => {
                return self.no_whole(field, node, &format!("a {}", node.kind_word()));
            }
        };
        let digits = written.strip_prefix(['+', '-']).unwrap_or(written);
        let is_whole = value.is_i64() || value.is_u64() || digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_whole {
            return self.no_whole(field, node, written);
        }
        if written.starts_with('-') || value.as_u64().is_some_and(|value| value < least) {
            self.say(
                messages::TOO_SMALL.render(args! { "field" => field, "written" => written, "least" => least }),
                node.spot,
            );
            return None;
        }
        // A number too large for 64 bits is simply very large.
        Some(value.as_u64().unwrap_or(u64::MAX))
    }

    fn no_whole(&mut self, field: &str, node: &Node, written: &str) -> Option<u64> {
        self.say(
            messages::INTEGER_TYPE.render(args! { "field" => field, "written" => written }),
            node.spot,
        );
        None
    }

    pub(super) fn on_error(&mut self, fields: Fields<'_>) -> OnFailure {
        let Some(node) = fields.get("on_error") else {
            return OnFailure::Open;
        };
        match self.text("on_error", node) {
            Some("abort" | "stop") => OnFailure::Closed,
            Some("skip") | None => OnFailure::Open,
            Some(other) => {
                self.say(
                    messages::UNKNOWN_ON_ERROR.render(args! { "written" => other }),
                    node.spot,
                );
                OnFailure::Open
            }
        }
    }

    /// The condition, and the filter as JSON.
    pub(super) fn filter(&mut self, fields: Fields<'_>) -> (Condition, Option<Value>) {
        let Some(node) = fields.get("filter") else {
            return (Condition::default(), None);
        };
        let Some(entries) = node.entries() else {
            self.say(
                messages::MAPPING_TYPE.render(args! { "field" => "filter", "found" => node.kind_word() }),
                node.spot,
            );
            return (Condition::default(), Some(node.to_value()));
        };
        self.unknown(entries, "filter.", &FILTER_FIELDS);
        let parts = Fields { entries };
        let mut part = |name: &str| {
            let text = parts
                .get(name)
                .and_then(|node| self.text(&format!("filter.{name}"), node));
            text.map(str::to_owned)
        };
        let (tool_name, tool_matcher, model_prefix) = (part("tool_name"), part("tool_matcher"), part("model_prefix"));
        let tool = match (tool_name, tool_matcher) {
            (Some(name), _) => Some(Clause {
                key: "tool_name",
                field: "tool_name",
                test: Predicate::Equals(name),
            }),
            (None, Some(names)) => {
                let names = names.split('|').map(|name| name.trim().to_owned()).collect();
                Some(Clause {
                    key: "tool_matcher",
                    field: "tool_name",
                    test: Predicate::OneOf(names),
                })
            }
            (None, None) => None,
        };
        let model = model_prefix.map(|prefix| Clause {
            key: "model_prefix",
            field: "model",
            test: Predicate::Prefix(prefix),
        });
        (
            Condition {
                clauses: tool.into_iter().chain(model).collect(),
            },
            Some(node.to_value()),
        )
    }
}
