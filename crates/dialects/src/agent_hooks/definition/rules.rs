//! Reads when and how a hook runs: `matcher`, `timeout`, `async`, `priority`.

use std::time::Duration;

use hookwright_model::matcher::Anchor;
use hookwright_model::{Clause, Condition, Pattern, Predicate, Problem, RunMode, Severity, args};
use serde_json::Value;

use super::{HookFileReader, MATCHER_FIELDS, messages, schema};
use crate::node::{FieldReader, Node, ValueKind};
use crate::pattern;

const DEFAULT_TIMEOUT_MS: u64 = schema::TIMEOUT_MS.unsigned_abs();
/// The range that the seed's authors expect. A value outside of it is a warning.
const USUAL_TIMEOUT_MS: std::ops::RangeInclusive<u64> = 100..=600_000;
const MAX_TIMEOUT_MS: u64 = schema::MAX_TIMEOUT_MS.unsigned_abs();

impl HookFileReader<'_> {
    /// The condition, and the matcher as JSON.
    pub(super) fn read_matcher(&mut self, fields: FieldReader<'_>) -> (Condition, Option<Value>) {
        let Some(node) = fields.get("matcher") else {
            return (Condition::default(), None);
        };
        let Some(entries) = node.entries() else {
            let args = args! { "field" => "matcher", "found" => node.yaml_type() };
            self.report(messages::MAPPING_TYPE.render(args), node.position);
            return (Condition::default(), Some(node.to_value()));
        };
        self.report_unknown_fields(entries, "matcher.", &MATCHER_FIELDS);
        let parts = FieldReader { entries };
        let tool = self.read_pattern(parts, "tool", "matcher.tool").map(|pattern| Clause {
            key: "tool",
            field: "tool_name",
            predicate: Predicate::Pattern(pattern),
        });
        let input = self
            .read_pattern(parts, "pattern", "matcher.pattern")
            .map(|pattern| Clause {
                key: "pattern",
                field: "tool_input",
                predicate: Predicate::Within(pattern),
            });
        let clauses = tool.into_iter().chain(input).collect();
        (Condition { clauses }, Some(node.to_value()))
    }

    fn read_pattern(&mut self, parts: FieldReader<'_>, part: &str, field: &str) -> Option<Pattern> {
        let node = parts.get(part)?;
        let text = self.text(field, node, Severity::Error)?;
        match pattern::from_python(text, Anchor::Anywhere) {
            Ok(pattern) => Some(pattern),
            Err(message) => {
                self.report(message, node.position);
                None
            }
        }
    }

    pub(super) fn read_timeout(&mut self, fields: FieldReader<'_>) -> Duration {
        let Some((node, number)) = self.read_whole_number(fields, "timeout") else {
            return Duration::from_millis(DEFAULT_TIMEOUT_MS);
        };
        let Some(ms) = u64::try_from(number).ok().filter(|ms| *ms > 0) else {
            self.report(
                messages::TOO_SHORT.render(args! { "written" => node.exact_number() }),
                node.position,
            );
            return Duration::from_millis(DEFAULT_TIMEOUT_MS);
        };
        if ms > MAX_TIMEOUT_MS {
            let args = args! { "written" => node.exact_number(), "most" => MAX_TIMEOUT_MS };
            self.warn(messages::TIMEOUT_TOO_LONG.render(args), node.position);
        } else if !USUAL_TIMEOUT_MS.contains(&ms) {
            self.warn(messages::UNUSUAL.render(args! { "written" => ms }), node.position);
        }
        Duration::from_millis(ms.min(MAX_TIMEOUT_MS))
    }

    pub(super) fn read_mode(&mut self, fields: FieldReader<'_>) -> RunMode {
        let given = ["async", "async_"]
            .into_iter()
            .find_map(|name| Some((name, fields.get(name)?)));
        let Some((field, node)) = given else {
            return RunMode::Await;
        };
        match &node.kind {
            ValueKind::Scalar {
                value: Value::Bool(true),
                ..
            } => RunMode::Detach,
            ValueKind::Scalar {
                value: Value::Bool(false),
                ..
            } => RunMode::Await,
            ValueKind::Scalar { .. } | ValueKind::List(_) | ValueKind::Mapping { .. } => {
                let args = args! { "field" => field, "written" => written(node) };
                self.report(messages::BOOLEAN_TYPE.render(args), node.position);
                RunMode::Await
            }
        }
    }

    /// The priority. A value out of range is replaced by the nearest bound.
    pub(super) fn read_priority(&mut self, fields: FieldReader<'_>) -> i64 {
        let Some((node, number)) = self.read_whole_number(fields, "priority") else {
            return schema::PRIORITY;
        };
        let taken = i64::try_from(number.clamp(0, i128::from(schema::MAX_PRIORITY))).unwrap_or(schema::MAX_PRIORITY);
        if i128::from(taken) != number {
            let args = args! { "written" => node.exact_number(), "taken" => taken };
            self.warn(messages::PRIORITY.render(args), node.position);
        }
        taken
    }

    /// A whole number. `None` if it is missing or wrong; a wrong value is reported. A number that does not fit into 64
    /// bits is read as a very large or very small one.
    fn read_whole_number<'n>(&mut self, fields: FieldReader<'n>, field: &str) -> Option<(&'n Node, i128)> {
        let node = fields.get(field)?;
        if let Some(number) = node.whole_number() {
            return Some((node, number));
        }
        let args = args! { "field" => field, "written" => written(node) };
        self.report(messages::INTEGER_TYPE.render(args), node.position);
        None
    }

    /// A string. Any other value is reported as a Problem of this severity.
    pub(super) fn text<'n>(&mut self, field: &str, node: &'n Node, severity: Severity) -> Option<&'n str> {
        if let ValueKind::Scalar {
            value: Value::String(text),
            ..
        } = &node.kind
        {
            return Some(text);
        }
        let message = messages::STRING_TYPE.render(args! { "field" => field, "found" => node.yaml_type() });
        let problem = Problem::new(message, self.path, Some(node.position)).for_hook(&self.id);
        self.problems.push(problem.with_severity(severity));
        None
    }
}

/// A value as its author wrote it, for messages.
fn written(node: &Node) -> String {
    match &node.kind {
        ValueKind::Scalar {
            value: Value::String(text),
            ..
        } => format!("\"{text}\""),
        ValueKind::Scalar { text, .. } => text.clone(),
        ValueKind::List(_) | ValueKind::Mapping { .. } => format!("a {}", node.yaml_type()),
    }
}
