//! Reads how a hook runs: `timeout`, `retry`, `on_error`, `filter`.

use std::time::Duration;

use hookwright_model::problem::TextPosition;
use hookwright_model::{Clause, Condition, OnFailure, Predicate, args};
use serde_json::Value;

use super::{DefinitionReader, FILTER_FIELDS, HookType};
use crate::jcli::{messages, schema};
use crate::node::FieldReader;
use crate::yaml::{Node, ValueKind};

/// Limit for `timeout`, in seconds.
const MAX_TIMEOUT_SECS: u64 = schema::MAX_TIMEOUT_SECS.unsigned_abs();

impl DefinitionReader<'_> {
    /// Reads the time limit and the number of attempts.
    pub(super) fn read_limits(&mut self, fields: FieldReader<'_>, kind: HookType) -> (Duration, u32) {
        let (seconds, retries) = match kind {
            HookType::Bash => (schema::BASH_TIMEOUT_SECS.unsigned_abs(), 0),
            HookType::Llm => (
                schema::LLM_TIMEOUT_SECS.unsigned_abs(),
                schema::LLM_RETRIES.unsigned_abs(),
            ),
        };
        let timeout = self.read_whole_number(fields, "timeout", 1).unwrap_or(seconds);
        let timeout = if timeout > MAX_TIMEOUT_SECS {
            let node = fields.get("timeout");
            let spot = node.map_or(TextPosition { line: 1, column: 1 }, |node| node.position);
            // A number that does not fit into 64 bits is shown as it is written.
            let written = match node.map(|node| &node.kind) {
                Some(ValueKind::Scalar { value, text }) if !value.is_u64() => Value::from(text.clone()),
                Some(_) | None => timeout.into(),
            };
            self.warn(
                messages::TOO_LONG.render(args! { "written" => written, "most" => MAX_TIMEOUT_SECS }),
                spot,
            );
            MAX_TIMEOUT_SECS
        } else {
            timeout
        };
        let retries = self.read_whole_number(fields, "retry", 0).unwrap_or(retries);
        let attempts = u32::try_from(retries.saturating_add(1)).unwrap_or(u32::MAX);
        (Duration::from_secs(timeout), attempts)
    }

    /// Reads a whole number of at least `least`. Returns `None` if it is absent or wrong; a wrong one is reported.
    fn read_whole_number(&mut self, fields: FieldReader<'_>, field: &str, least: u64) -> Option<u64> {
        let node = fields.get(field)?;
        let (value, written) = match &node.kind {
            ValueKind::Scalar {
                value: Value::Number(value),
                text,
            } => (value, text.as_str()),
            ValueKind::Scalar { text, .. } => return self.report_no_whole_number(field, node, &format!("\"{text}\"")),
            ValueKind::List(_) | ValueKind::Mapping { .. } => {
                return self.report_no_whole_number(field, node, &format!("a {}", node.yaml_type()));
            }
        };
        let digits = written.strip_prefix(['+', '-']).unwrap_or(written);
        let is_whole = value.is_i64() || value.is_u64() || digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_whole {
            return self.report_no_whole_number(field, node, written);
        }
        if written.starts_with('-') || value.as_u64().is_some_and(|value| value < least) {
            self.report(
                messages::TOO_SMALL.render(args! { "field" => field, "written" => written, "least" => least }),
                node.position,
            );
            return None;
        }
        // A number that does not fit into 64 bits becomes the largest one.
        Some(value.as_u64().unwrap_or(u64::MAX))
    }

    fn report_no_whole_number(&mut self, field: &str, node: &Node, written: &str) -> Option<u64> {
        self.report_rejected(
            messages::INTEGER_TYPE.render(args! { "field" => field, "written" => written }),
            node.position,
        );
        None
    }

    pub(super) fn read_on_error(&mut self, fields: FieldReader<'_>) -> OnFailure {
        let Some(node) = fields.get("on_error") else {
            return OnFailure::Open;
        };
        match self.read_text("on_error", node) {
            Some("abort" | "stop") => OnFailure::Closed,
            Some("skip") | None => OnFailure::Open,
            Some(other) => {
                self.report_rejected(
                    messages::UNKNOWN_ON_ERROR.render(args! { "written" => other }),
                    node.position,
                );
                OnFailure::Open
            }
        }
    }

    /// Reads the filter as a condition and as JSON.
    pub(super) fn read_filter(&mut self, fields: FieldReader<'_>) -> (Condition, Option<Value>) {
        let Some(node) = fields.get("filter") else {
            return (Condition::default(), None);
        };
        let Some(entries) = node.entries() else {
            self.report_rejected(
                messages::MAPPING_TYPE.render(args! { "field" => "filter", "found" => node.yaml_type() }),
                node.position,
            );
            return (Condition::default(), Some(node.to_value()));
        };
        self.report_unknown_keys(entries, "filter.", &FILTER_FIELDS);
        let parts = FieldReader { entries };
        let mut part = |name: &str| {
            let text = parts
                .get(name)
                .and_then(|node| self.read_text(&format!("filter.{name}"), node));
            text.map(str::to_owned)
        };
        let (tool_name, tool_matcher, model_prefix) = (part("tool_name"), part("tool_matcher"), part("model_prefix"));
        let tool = match (tool_name, tool_matcher) {
            (Some(name), _) => Some(Clause {
                key: "tool_name",
                field: "tool_name",
                predicate: Predicate::Equals(name),
            }),
            (None, Some(names)) => {
                let names = names.split('|').map(|name| name.trim().to_owned()).collect();
                Some(Clause {
                    key: "tool_matcher",
                    field: "tool_name",
                    predicate: Predicate::OneOf(names),
                })
            }
            (None, None) => None,
        };
        let model = model_prefix.map(|prefix| Clause {
            key: "model_prefix",
            field: "model",
            predicate: Predicate::Prefix(prefix),
        });
        (
            Condition {
                clauses: tool.into_iter().chain(model).collect(),
            },
            Some(node.to_value()),
        )
    }
}
