//! Queries of the history (`CONTRACTS.md` §2.5): words that must all match a trace.
//!
//! What it deliberately does not do: it reads no history. [`parse`](Query::parse) is pure, and a trace is tested as it
//! is given.
//!
//! How it works: [`words`] cuts the text, this module reads each word into a [`Condition`]. Some conditions need only
//! the row of a trace, others its payloads, steps and streams.

mod words;

use hookwright_model::event::Origin;
use hookwright_model::trace::TraceRow;
use hookwright_model::{Message, Outcome, Trace, VerdictKind, args, render};
use hookwright_store::{TraceFilter, tool_name};
use jiff::Timestamp;

use crate::dto::Millis;
use words::{Value, Word};

hookwright_model::messages! {
    /// A quote has no end.
    OPEN_QUOTE = "query_open_quote" { "character {at} of the query opens a quote that is not closed", "查询的第 {at} 个字符处引号未闭合" } hint { "add the closing `\"`", "补上结尾的 `\"`" };
    /// The key is unknown.
    UNKNOWN_KEY = "query_unknown_key" { "unknown key `{key}` at character {at} of the query", "查询的第 {at} 个字符处有未知的键 `{key}`" } hint { "known keys: {known}; put a text that contains a colon into quotes", "可用的键：{known}；含冒号的文本请加引号" };
    /// The key has no value.
    NO_VALUE = "query_no_value" { "`{key}` has no value at character {at} of the query", "查询的第 {at} 个字符处 `{key}` 没有值" } hint { "write it as `{key}value`", "写成 `{key}值`" };
    /// The value is none of those that the key can have.
    UNKNOWN_VALUE = "query_unknown_value" { "unknown value `{value}` of `{key}` at character {at} of the query", "查询的第 {at} 个字符处 `{key}` 的值 `{value}` 未知" } hint { "known values: {known}", "可用的值：{known}" };
    /// The value is no limit of a duration.
    BAD_DURATION = "query_bad_duration" { "`{value}` at character {at} of the query is not a limit", "查询的第 {at} 个字符处 `{value}` 不是时长界限" } hint { "write it as `dur:>500ms` or `dur:<2s`", "写成 `dur:>500ms` 或 `dur:<2s`" };
    /// The value is no period.
    BAD_PERIOD = "query_bad_period" { "`{value}` at character {at} of the query is not a period", "查询的第 {at} 个字符处 `{value}` 不是时间段" } hint { "write it as `since:2h`; the units are ms, s, m, h and d", "写成 `since:2h`；单位为 ms、s、m、h、d" };
}

/// The keys, in the order of the contract.
const KEYS: [&str; 13] = [
    "event", "dialect", "tool", "hook", "outcome", "verdict", "agent", "session", "project", "origin", "text", "dur",
    "since",
];

/// A query that was read.
#[derive(Debug, Clone, Default)]
pub struct Query {
    conditions: Vec<(bool, Condition)>,
}

/// One condition. In a query it may be negated.
#[derive(Debug, Clone)]
enum Condition {
    /// A text of the row has one of these values.
    Row(RowText, Vec<Value>),
    /// One of the outcomes of the steps is one of these.
    Outcome(Vec<Outcome>),
    Verdict(Vec<VerdictKind>),
    Origin(Vec<Origin>),
    /// The payload names one of these tools.
    Tool(Vec<Value>),
    /// A step's hook has one of these ids or labels.
    Hook(Vec<Value>),
    /// A payload, a stream or a reason contains one of these texts.
    Text(Vec<Value>),
    /// The event took longer than this, in milliseconds.
    Longer(f64),
    /// The event took less than this, in milliseconds.
    Shorter(f64),
    /// The event was fired at this time or later.
    Since(Timestamp),
}

/// A text that each row has.
#[derive(Debug, Clone, Copy)]
enum RowText {
    Event,
    Dialect,
    Agent,
    Session,
    Project,
}

impl Query {
    /// Reads a query. `now` is the end of its periods.
    ///
    /// # Errors
    /// A word cannot be read. The message says where it begins, in characters from 1.
    pub fn parse(text: &str, now: Timestamp) -> Result<Self, Message> {
        let words = words::split(text).map_err(|at| render!(OPEN_QUOTE, "at" => at))?;
        let conditions = words.into_iter().map(|word| {
            let negated = word.negated;
            Ok((negated, read_word(word, now)?))
        });
        Ok(Self {
            conditions: conditions.collect::<Result<_, Message>>()?,
        })
    }

    /// What the store can answer itself. Every trace of the query matches it, but not every trace that matches it is of
    /// the query.
    #[must_use]
    pub fn filter(&self) -> TraceFilter {
        let mut filter = TraceFilter::default();
        for (_, condition) in self.conditions.iter().filter(|(negated, _)| !negated) {
            match condition {
                Condition::Outcome(one) if one.len() == 1 => filter.outcome = one.first().copied(),
                Condition::Verdict(one) if one.len() == 1 => filter.verdict = one.first().copied(),
                Condition::Since(at) => filter.since = filter.since.max(Some(*at)),
                Condition::Row(RowText::Dialect, values) => {
                    if let [Value::Whole(id)] = values.as_slice()
                        && let Some(dialect) = known_dialect(id)
                    {
                        filter.dialect = Some(dialect.to_owned());
                    }
                }
                Condition::Row(..)
                | Condition::Outcome(_)
                | Condition::Verdict(_)
                | Condition::Origin(_)
                | Condition::Tool(_)
                | Condition::Hook(_)
                | Condition::Text(_)
                | Condition::Longer(_)
                | Condition::Shorter(_) => {}
            }
        }
        filter
    }

    /// Whether every trace matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Whether the whole trace is needed, and not only its row.
    #[must_use]
    pub fn needs_trace(&self) -> bool {
        let is_whole =
            |condition: &Condition| matches!(condition, Condition::Tool(_) | Condition::Hook(_) | Condition::Text(_));
        self.conditions.iter().any(|(_, condition)| is_whole(condition))
    }

    /// Whether the conditions that a row can answer are met.
    #[must_use]
    pub fn matches_row(&self, row: &TraceRow) -> bool {
        let is_met = |(negated, condition): &(bool, Condition)| {
            condition.row_matches(row).is_none_or(|matches| matches != *negated)
        };
        self.conditions.iter().all(is_met)
    }

    /// Whether the conditions that need the whole trace are met.
    #[must_use]
    pub fn matches_trace(&self, trace: &Trace) -> bool {
        let is_met = |(negated, condition): &(bool, Condition)| {
            condition.trace_matches(trace).is_none_or(|matches| matches != *negated)
        };
        self.conditions.iter().all(is_met)
    }
}

impl Condition {
    /// `None` if a row does not say it.
    fn row_matches(&self, row: &TraceRow) -> Option<bool> {
        Some(match self {
            Self::Row(text, values) => text.of(row).is_some_and(|found| any(values, found)),
            Self::Outcome(wanted) => row.outcomes.iter().any(|outcome| wanted.contains(outcome)),
            Self::Verdict(wanted) => wanted.contains(&row.verdict.kind),
            Self::Origin(wanted) => wanted.contains(&row.origin),
            Self::Longer(limit) => row.took_ms > *limit,
            Self::Shorter(limit) => row.took_ms < *limit,
            Self::Since(at) => row.at >= *at,
            Self::Tool(_) | Self::Hook(_) | Self::Text(_) => return None,
        })
    }

    /// `None` if the row says it.
    fn trace_matches(&self, trace: &Trace) -> Option<bool> {
        match self {
            Self::Tool(values) => Some(tool_name(trace).is_some_and(|tool| any(values, tool))),
            Self::Hook(values) => {
                let mut steps = trace.steps.iter();
                Some(steps.any(|step| any(values, &step.hook) || any(values, &step.label)))
            }
            Self::Text(values) => {
                let texts = searched_texts(trace);
                Some(values.iter().any(|value| texts.iter().any(|text| value.is_in(text))))
            }
            Self::Row(..)
            | Self::Outcome(_)
            | Self::Verdict(_)
            | Self::Origin(_)
            | Self::Longer(_)
            | Self::Shorter(_)
            | Self::Since(_) => None,
        }
    }
}

impl RowText {
    fn of(self, row: &TraceRow) -> Option<&str> {
        match self {
            Self::Event => Some(&row.event),
            Self::Dialect => Some(&row.dialect),
            Self::Agent => row.agent.as_deref(),
            Self::Session => row.session.as_deref(),
            Self::Project => row.project.as_deref(),
        }
    }
}

fn any(values: &[Value], found: &str) -> bool {
    values.iter().any(|value| value.matches(found))
}

/// The payloads, the streams and the reasons of a trace, in small letters.
fn searched_texts(trace: &Trace) -> Vec<String> {
    let json = |payload: &hookwright_model::event::Payload| serde_json::to_string(payload).unwrap_or_default();
    let strings =
        |payload: &hookwright_model::event::Payload| payload.values().flat_map(inner_strings).collect::<Vec<_>>();
    let mut texts = vec![json(&trace.payload_before), json(&trace.payload_after)];
    texts.extend(strings(&trace.payload_before));
    texts.extend(strings(&trace.payload_after));
    texts.extend(
        [&trace.verdict.reason, &trace.verdict.feedback]
            .into_iter()
            .flatten()
            .cloned(),
    );
    texts.extend(trace.notices.iter().map(|notice| notice.text.clone()));
    for step in &trace.steps {
        texts.extend(step.reason.clone());
        texts.extend(step.gates.iter().filter_map(|gate| gate.why.clone()));
        for attempt in &step.attempts {
            texts.extend([&attempt.stdin, &attempt.stdout, &attempt.stderr].map(Clone::clone));
        }
    }
    texts.iter().map(|text| text.to_lowercase()).collect()
}

/// Every string in a value, as its author wrote it: JSON escapes quotes and line ends.
fn inner_strings(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::String(text) => vec![text.clone()],
        serde_json::Value::Array(items) => items.iter().flat_map(inner_strings).collect(),
        serde_json::Value::Object(map) => map.values().flat_map(inner_strings).collect(),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => Vec::new(),
    }
}

fn known_dialect(name: &str) -> Option<&'static str> {
    let ids = hookwright_dialects::all().iter().map(|dialect| dialect.card().id);
    let mut same = ids.filter(|id| words::normal(id) == name);
    same.next()
}

fn read_word(word: Word, now: Timestamp) -> Result<Condition, Message> {
    let Some(key) = &word.key else {
        return Ok(Condition::Text(word.texts()));
    };
    if word.values.is_empty() {
        return Err(render!(NO_VALUE, "key" => format!("{key}:"), "at" => word.at));
    }
    Ok(match key.as_str() {
        "event" => Condition::Row(RowText::Event, word.names()),
        "dialect" => Condition::Row(RowText::Dialect, word.names()),
        "agent" => Condition::Row(RowText::Agent, word.names()),
        "session" => Condition::Row(RowText::Session, word.names()),
        "project" => Condition::Row(RowText::Project, word.names()),
        "tool" => Condition::Tool(word.names()),
        "hook" => Condition::Hook(word.names()),
        "text" => Condition::Text(word.texts()),
        "outcome" => Condition::Outcome(known_values(&word, &Outcome::ALL, Outcome::as_str)?),
        "verdict" => Condition::Verdict(known_values(&word, &VerdictKind::ALL, VerdictKind::as_str)?),
        "origin" => Condition::Origin(known_values(&word, &Origin::ALL, Origin::as_str)?),
        "dur" => read_limit(&word)?,
        "since" => Condition::Since(read_since(&word, now)?),
        _ => {
            let known = KEYS.map(|key| format!("{key}:")).join(", ");
            return Err(render!(UNKNOWN_KEY, "key" => format!("{key}:"), "at" => word.at, "known" => known));
        }
    })
}

/// The values of a list that a word names; each part of the word names at least one.
fn known_values<T: Copy>(word: &Word, all: &[T], name: fn(T) -> &'static str) -> Result<Vec<T>, Message> {
    let mut found = Vec::new();
    for (value, written) in word.names().iter().zip(&word.values) {
        let before = found.len();
        found.extend(all.iter().copied().filter(|one| value.matches(name(*one))));
        if found.len() == before {
            let known = all.iter().map(|one| name(*one)).collect::<Vec<_>>().join(", ");
            let key = format!("{}:", word.key.as_deref().unwrap_or_default());
            let args = args! { "value" => written.text, "key" => key, "at" => written.at, "known" => known };
            return Err(UNKNOWN_VALUE.render(args));
        }
    }
    Ok(found)
}

fn read_limit(word: &Word) -> Result<Condition, Message> {
    let text = word.written_value();
    let bad = || render!(BAD_DURATION, "value" => text, "at" => word.value_at());
    let in_range = |ms: &f64| Millis::new(*ms).is_some();
    let limit = |text: &str| milliseconds(text).filter(in_range).ok_or_else(bad);
    match (text.strip_prefix('>'), text.strip_prefix('<')) {
        (Some(text), _) => Ok(Condition::Longer(limit(text)?)),
        (_, Some(text)) => Ok(Condition::Shorter(limit(text)?)),
        (None, None) => Err(bad()),
    }
}

fn read_since(word: &Word, now: Timestamp) -> Result<Timestamp, Message> {
    let text = word.written_value();
    let bad = || render!(BAD_PERIOD, "value" => text, "at" => word.value_at());
    let period = milliseconds(&text).and_then(Millis::new).ok_or_else(bad)?;
    Ok(period.before(now))
}

/// `500ms`, `2s`, `1.5h` and so on, in milliseconds.
fn milliseconds(text: &str) -> Option<f64> {
    let end = text.find(|sign: char| !sign.is_ascii_digit() && sign != '.')?;
    let (number, unit) = text.split_at(end);
    let unit = match unit {
        "ms" => 1.0,
        "s" => 1e3,
        "m" => 60e3,
        "h" => 3600e3,
        "d" => 86400e3,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    Some(number * unit).filter(|ms| ms.is_finite())
}

#[cfg(test)]
mod tests;
