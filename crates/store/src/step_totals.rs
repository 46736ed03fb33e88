//! What a hook did in a span of time (`engine.md` §11, `jcli.md` §10), as numbers that can be added up.

use std::collections::BTreeMap;

use hookwright_model::trace::{Attempt, FieldEdit, Step};
use hookwright_model::{End, HookCounts, Outcome};
use serde_json::Value;

use crate::histogram::Histogram;
use crate::varint;

/// The first byte of stored totals (column `tally`).
const FORMAT: u8 = 2;
/// The earlier format, which has no additional counters.
const FORMAT_WITHOUT_COUNTERS: u8 = 1;

/// Sums over steps of one hook. Durations are whole microseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StepTotals {
    outcomes: [u64; 12],
    pub(crate) attempts: u64,
    pub(crate) successes: u64,
    pub(crate) timeouts: u64,
    pub(crate) total_us: u64,
    /// The longest run. It is never reduced: a trace that replaces another one has run at least as long.
    pub(crate) max_us: u64,
    pub(crate) chars_added: u64,
    /// Additional counters, by counter name.
    pub(crate) counted: BTreeMap<String, u64>,
    times: Histogram,
}

impl StepTotals {
    /// What one step adds. `chars` is [`chars_added`] of its edits, and `removals` is how often its text was removed. A
    /// step without its body no longer contains either.
    pub(crate) fn from_step(step: &Step, chars: u64, removals: u64) -> Self {
        Self::from_attempts(step.outcome, &step.attempts, chars, removals)
    }

    /// What a step with this outcome and these attempts adds.
    pub(crate) fn from_attempts(outcome: Outcome, attempts: &[Attempt], chars: u64, removals: u64) -> Self {
        let made = completed_attempts(attempts).count() as u64;
        let mut totals = Self {
            attempts: made,
            chars_added: chars,
            ..Self::default()
        };
        totals.outcomes[usize::from(outcome_code(outcome))] = 1;
        totals.timeouts = attempts.iter().filter(|attempt| attempt.end == End::TimedOut).count() as u64;
        totals.successes = u64::from(last_succeeded(outcome, attempts));
        if removals > 0 {
            totals.counted.insert(REMOVALS.to_owned(), removals);
        }
        if attempts.is_empty() && outcome.failed() {
            totals.counted.insert(HookCounts::NEVER_RAN.to_owned(), 1);
        }
        for attempt in attempts {
            add_counters(&mut totals.counted, &attempt.counted);
        }
        if made > 0 {
            totals.total_us = took_us(attempts);
            totals.max_us = totals.total_us;
            totals.times.add(totals.total_us);
        }
        totals
    }

    /// Adds other totals.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.outcomes.iter_mut().zip(other.outcomes) {
            *mine = mine.saturating_add(theirs);
        }
        // A spool line may contain any number, so no sum overflows.
        self.attempts = self.attempts.saturating_add(other.attempts);
        self.successes = self.successes.saturating_add(other.successes);
        self.timeouts = self.timeouts.saturating_add(other.timeouts);
        self.total_us = self.total_us.saturating_add(other.total_us);
        self.max_us = self.max_us.max(other.max_us);
        self.chars_added = self.chars_added.saturating_add(other.chars_added);
        self.times.merge(&other.times);
        add_counters(&mut self.counted, &other.counted);
    }

    /// Subtracts other totals, except their maximum.
    pub(crate) fn subtract(&mut self, other: &Self) {
        for (mine, theirs) in self.outcomes.iter_mut().zip(other.outcomes) {
            *mine = mine.saturating_sub(theirs);
        }
        self.attempts = self.attempts.saturating_sub(other.attempts);
        self.successes = self.successes.saturating_sub(other.successes);
        self.timeouts = self.timeouts.saturating_sub(other.timeouts);
        self.total_us = self.total_us.saturating_sub(other.total_us);
        self.chars_added = self.chars_added.saturating_sub(other.chars_added);
        self.times.subtract(&other.times);
        for (word, count) in &other.counted {
            if let Some(mine) = self.counted.get_mut(word) {
                *mine = mine.saturating_sub(*count);
            }
        }
        self.counted.retain(|_, count| *count > 0);
    }

    /// How often each outcome occurred. Outcomes that did not occur are absent.
    pub(crate) fn outcomes(&self) -> BTreeMap<Outcome, u64> {
        let counts = Outcome::ALL
            .into_iter()
            .map(|outcome| (outcome, self.outcomes[usize::from(outcome_code(outcome))]));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// Steps in which the hook ran. A step that failed without an attempt did not run, for example because its filter
    /// failed. Texts are inserted without attempts, and cannot fail.
    pub(crate) fn runs(&self) -> u64 {
        let ran = self.outcomes().into_iter().filter(|(outcome, _)| outcome.ran());
        let never = self.counted.get(HookCounts::NEVER_RAN).copied().unwrap_or(0);
        ran.map(|(_, count)| count)
            .fold(0, u64::saturating_add)
            .saturating_sub(never)
    }

    /// The run time that `share` (0 to 1) of the runs do not exceed, in microseconds.
    pub(crate) fn percentile_us(&self, share: f64) -> u64 {
        self.times.percentile(share).min(self.max_us)
    }

    /// The totals as bytes, in the current [`FORMAT`].
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = vec![FORMAT];
        let sums = [
            self.attempts,
            self.successes,
            self.timeouts,
            self.total_us,
            self.max_us,
            self.chars_added,
        ];
        for number in self.outcomes.into_iter().chain(sums) {
            varint::write(&mut out, number);
        }
        self.times.encode(&mut out);
        for (word, count) in &self.counted {
            varint::write(&mut out, word.len() as u64);
            out.extend_from_slice(word.as_bytes());
            varint::write(&mut out, *count);
        }
        out
    }

    /// Reads what [`Self::encode`] wrote; `None` for any other bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (&format, mut bytes) = bytes.split_first()?;
        if ![FORMAT_WITHOUT_COUNTERS, FORMAT].contains(&format) {
            return None;
        }
        let bytes = &mut bytes;
        let mut outcomes = [0; 12];
        for count in &mut outcomes {
            *count = varint::read(bytes)?;
        }
        let mut sums = [0; 6];
        for sum in &mut sums {
            *sum = varint::read(bytes)?;
        }
        let [attempts, successes, timeouts, total_us, max_us, chars_added] = sums;
        let times = Histogram::decode(bytes)?;
        let mut counted = BTreeMap::new();
        while format == FORMAT && !bytes.is_empty() {
            let len = usize::try_from(varint::read(bytes)?).ok()?;
            let (word, rest) = bytes.split_at_checked(len)?;
            let word = std::str::from_utf8(word).ok()?.to_owned();
            *bytes = rest;
            counted.insert(word, varint::read(bytes)?);
        }
        Some(Self {
            outcomes,
            attempts,
            successes,
            timeouts,
            total_us,
            max_us,
            chars_added,
            counted,
            times,
        })
    }
}

/// The counter name for inserted texts that were removed again (`skill.md` §10).
const REMOVALS: &str = "removals";

fn add_counters(to: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>) {
    for (word, count) in more {
        let sum = to.entry(word.clone()).or_default();
        *sum = sum.saturating_add(*count);
    }
}

/// The attempts that were not cancelled. A cancelled attempt is neither a failure nor counted as one, so its time does
/// not describe the hook either (`engine.md` §4).
fn completed_attempts(attempts: &[Attempt]) -> impl Iterator<Item = &Attempt> {
    attempts.iter().filter(|attempt| attempt.end != End::Cancelled)
}

/// The time of all attempts of a step together, in microseconds. Cancelled attempts are left out.
pub(crate) fn took_us(attempts: &[Attempt]) -> u64 {
    completed_attempts(attempts)
        .map(|attempt| micros(attempt.took_ms))
        .fold(0, u64::saturating_add)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast saturates, and a negative time is none"
)]
fn micros(ms: f64) -> u64 {
    (ms * 1000.0).round() as u64
}

/// Characters that a step's edits and additions added. Each edit counts what it made longer; one that made a text
/// shorter counts 0. For a chat message only its content is counted, not its JSON form.
pub(crate) fn chars_added(edits: &[FieldEdit]) -> u64 {
    edits
        .iter()
        .filter(|edit| edit.code.is_none())
        .map(|edit| char_count(&edit.after).saturating_sub(char_count(&edit.before)))
        .sum()
}

fn char_count(value: &Value) -> u64 {
    match value {
        Value::Null => 0,
        Value::String(text) => text.chars().count() as u64,
        Value::Object(message) if message.contains_key("role") && message.contains_key("content") => {
            message.get("content").map_or(0, char_count)
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string().chars().count() as u64
        }
    }
}

/// Whether the last attempt succeeded. A step retries until an attempt succeeds, so all attempts before the last
/// failed. The last one succeeded if the step did not fail.
fn last_succeeded(outcome: Outcome, attempts: &[Attempt]) -> bool {
    // The step was stopped during an attempt.
    let stopped = matches!(outcome, Outcome::Skipped | Outcome::NotMatched);
    !attempts.is_empty() && !stopped && !outcome.failed()
}

/// The number of an outcome in the database. It must never change.
pub(crate) const fn outcome_code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::NotMatched => 0,
        Outcome::Skipped => 1,
        Outcome::NoOpinion => 2,
        Outcome::Allowed => 3,
        Outcome::Changed => 4,
        Outcome::Asked => 5,
        Outcome::Denied => 6,
        Outcome::FailedOpen => 7,
        Outcome::FailedClosed => 8,
        Outcome::TimedOutOpen => 9,
        Outcome::TimedOutClosed => 10,
        Outcome::Detached => 11,
    }
}

/// The outcome with this number.
pub(crate) fn outcome_from_code(number: u8) -> Option<Outcome> {
    Outcome::ALL
        .into_iter()
        .find(|outcome| outcome_code(*outcome) == number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_outcome_has_a_number_of_its_own() {
        let numbers: BTreeSet<u8> = Outcome::ALL.into_iter().map(outcome_code).collect();
        assert_eq!(numbers, (0..12).collect());
        assert!(
            Outcome::ALL
                .into_iter()
                .all(|it| outcome_from_code(outcome_code(it)) == Some(it))
        );
    }

    #[test]
    fn bytes_of_another_format_are_not_read() {
        assert_eq!(StepTotals::decode(&[2, 0, 0]), None);
        assert_eq!(StepTotals::decode(&[]), None);
        assert_eq!(
            StepTotals::decode(&StepTotals::default().encode()),
            Some(StepTotals::default())
        );
    }
}
