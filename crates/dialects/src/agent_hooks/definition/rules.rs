//! When and how a hook runs: `matcher`, `timeout`, `async`, `priority`.

use std::time::Duration;

use hookwright_model::matcher::Anchor;
use hookwright_model::{Clause, Condition, Pattern, Predicate, Problem, RunMode, Severity, args};
use serde_json::Value;

use super::{Desk, Fields, MATCHER_FIELDS, messages};
use crate::node::{Kind, Node};
use crate::pattern;

/// Milliseconds when nothing is written.
const TIMEOUT: u64 = 30_000;
/// What the seed's authors have in mind.
const USUAL: std::ops::RangeInclusive<u64> = 100..=600_000;
/// Milliseconds that a longer timeout counts as (`engine.md` §6).
const LONGEST: u64 = 3_600_000;
/// Priority when nothing is written, and the highest.
const PRIORITY: i64 = 100;
const HIGHEST: i64 = 1000;

impl Desk<'_> {
    /// The condition, and the matcher as JSON.
    pub(super) fn matcher(&mut self, fields: Fields<'_>) -> (Condition, Option<Value>) {
        let Some(node) = fields.get("matcher") else {
            return (Condition::default(), None);
        };
        let Some(entries) = node.entries() else {
            let args = args! { "field" => "matcher", "found" => node.kind_word() };
            self.say(messages::MAPPING_TYPE.render(args), node.spot);
            return (Condition::default(), Some(node.to_value()));
        };
        self.unknown(entries, "matcher.", &MATCHER_FIELDS);
        let parts = Fields { entries };
        let tool = self.pattern(parts, "tool", "matcher.tool").map(|pattern| Clause {
            key: "tool",
            field: "tool_name",
            test: Predicate::Pattern(pattern),
        });
        let input = self.pattern(parts, "pattern", "matcher.pattern").map(|pattern| Clause {
            key: "pattern",
            field: "tool_input",
            test: Predicate::Within(pattern),
        });
        let clauses = tool.into_iter().chain(input).collect();
        (Condition { clauses }, Some(node.to_value()))
    }

    fn pattern(&mut self, parts: Fields<'_>, part: &str, field: &str) -> Option<Pattern> {
        let node = parts.get(part)?;
        let text = self.text(field, node, Severity::Error)?;
        match pattern::python(text, Anchor::Anywhere) {
            Ok(pattern) => Some(pattern),
            Err(words) => {
                self.say(words, node.spot);
                None
            }
        }
    }

    pub(super) fn timeout(&mut self, fields: Fields<'_>) -> Duration {
        let Some((node, number)) = self.whole(fields, "timeout") else {
            return Duration::from_millis(TIMEOUT);
        };
        let Some(ms) = u64::try_from(number).ok().filter(|ms| *ms > 0) else {
            self.say(
                messages::TOO_SHORT.render(args! { "written" => node.exactly() }),
                node.spot,
            );
            return Duration::from_millis(TIMEOUT);
        };
        if ms > LONGEST {
            let args = args! { "written" => node.exactly(), "most" => LONGEST };
            self.warn(messages::LONGEST.render(args), node.spot);
        } else if !USUAL.contains(&ms) {
            self.warn(messages::UNUSUAL.render(args! { "written" => ms }), node.spot);
        }
        Duration::from_millis(ms.min(LONGEST))
    }

    pub(super) fn mode(&mut self, fields: Fields<'_>) -> RunMode {
        let given = ["async", "async_"]
            .into_iter()
            .find_map(|name| Some((name, fields.get(name)?)));
        let Some((field, node)) = given else {
            return RunMode::Await;
        };
        match &node.kind {
            Kind::Scalar {
                value: Value::Bool(true),
                ..
            } => RunMode::Detach,
            Kind::Scalar {
                value: Value::Bool(false),
                ..
            } => RunMode::Await,
            Kind::Scalar { .. } | Kind::List(_) | Kind::Mapping { .. } => {
                let args = args! { "field" => field, "written" => written(node) };
                self.say(messages::BOOLEAN_TYPE.render(args), node.spot);
                RunMode::Await
            }
        }
    }

    /// Out of range it is taken as the nearest bound.
    pub(super) fn priority(&mut self, fields: Fields<'_>) -> i64 {
        let Some((node, number)) = self.whole(fields, "priority") else {
            return PRIORITY;
        };
        let taken = i64::try_from(number.clamp(0, i128::from(HIGHEST))).unwrap_or(HIGHEST);
        if i128::from(taken) != number {
            let args = args! { "written" => node.exactly(), "taken" => taken };
            self.warn(messages::PRIORITY.render(args), node.spot);
        }
        taken
    }

    /// A whole number; `None` when it is absent or wrong, and then it has been said. One too large for 64 bits is simply
    /// very large.
    fn whole<'n>(&mut self, fields: Fields<'n>, field: &str) -> Option<(&'n Node, i128)> {
        let node = fields.get(field)?;
        if let Some(number) = node.whole() {
            return Some((node, number));
        }
        let args = args! { "field" => field, "written" => written(node) };
        self.say(messages::INTEGER_TYPE.render(args), node.spot);
        None
    }

    /// A string, or a Problem of this severity.
    pub(super) fn text<'n>(&mut self, field: &str, node: &'n Node, severity: Severity) -> Option<&'n str> {
        if let Kind::Scalar {
            value: Value::String(text),
            ..
        } = &node.kind
        {
            return Some(text);
        }
        let words = messages::STRING_TYPE.render(args! { "field" => field, "found" => node.kind_word() });
        let problem = Problem::new(words, self.path, Some(node.spot)).for_hook(&self.id);
        self.problems.push(problem.with_severity(severity));
        None
    }
}

/// A value as its author sees it.
fn written(node: &Node) -> String {
    match &node.kind {
        Kind::Scalar {
            value: Value::String(text),
            ..
        } => format!("\"{text}\""),
        Kind::Scalar { text, .. } => text.clone(),
        Kind::List(_) | Kind::Mapping { .. } => format!("a {}", node.kind_word()),
    }
}
