//! Which parts of a trace are somebody's content, and what of them is cut.
//!
//! Identities stay as they are: trace, session and hook ids, names of dialect, event and agent, project and source
//! paths, codes and words of our own lists. A trace is found and counted by them, and a payload must not be able to
//! make another hook's step disappear by calling its id a secret.

use std::io::Write;

use hookwright_model::listing::ExplainDoc;
use hookwright_model::{Args, Attempt, FieldEdit, Gate, Ignored, Notice, Outcome, Reply, Step, Trace, Verdict};
use serde_json::Value;

use super::MAX_RECORDED_BYTES;
use super::json::KeyContext;
use super::scanner::{ScanPass, Scanner};
use super::{limits, spans};

impl Scanner<'_> {
    /// Everything of a trace that is content.
    pub fn trace(&mut self, trace: &mut Trace) {
        self.map(&mut trace.payload_before, KeyContext::Other);
        self.map(&mut trace.payload_after, KeyContext::Other);
        self.verdict(&mut trace.verdict);
        self.reply(&mut trace.reply);
        for Notice { text, args, .. } in &mut trace.notices {
            self.scan_message(text, args);
        }
        for step in &mut trace.steps {
            self.step(step);
        }
    }

    fn verdict(
        &mut self,
        Verdict {
            reason, feedback, args, ..
        }: &mut Verdict,
    ) {
        self.optional(reason);
        self.optional(feedback);
        self.map(args, KeyContext::Other);
    }

    fn reply(&mut self, Reply { json, stderr, .. }: &mut Reply) {
        self.value(json, KeyContext::Other);
        self.string(stderr, KeyContext::Other);
    }

    fn step(&mut self, step: &mut Step) {
        self.string(&mut step.label, KeyContext::Other);
        // The reason of a skipped step is a word of the contract.
        if step.outcome != Outcome::Skipped {
            self.optional(&mut step.reason);
        }
        self.map(&mut step.args, KeyContext::Other);
        self.gates(&mut step.gates);
        for FieldEdit {
            field, before, after, ..
        } in &mut step.edits
        {
            let secret = field.split('.').any(|part| self.rules.keys.is_secret_name(part));
            let last = field.rsplit('.').next().unwrap_or_default();
            let under = if secret {
                KeyContext::Secret
            } else {
                self.rules.keys.context_of(last)
            };
            self.value(before, under);
            self.value(after, under);
        }
        for Ignored { what, why, args, .. } in &mut step.ignored {
            self.string(what, KeyContext::Other);
            self.scan_message(why, args);
        }
        for attempt in &mut step.attempts {
            self.attempt(attempt);
        }
    }

    /// The payload of an explanation and what its gates tell of it.
    pub fn explanation(&mut self, doc: &mut ExplainDoc) {
        self.map(&mut doc.payload, KeyContext::Other);
        for step in &mut doc.steps {
            self.string(&mut step.label, KeyContext::Other);
            self.gates(&mut step.gates);
        }
    }

    fn gates(&mut self, gates: &mut [Gate]) {
        for Gate { why, args, .. } in gates {
            if let Some(why) = why {
                self.scan_message(why, args);
            }
        }
    }

    fn attempt(&mut self, attempt: &mut Attempt) {
        let cut = attempt.truncated;
        for stream in [&mut attempt.stdin, &mut attempt.stdout, &mut attempt.stderr] {
            if cut && stream.len() >= MAX_RECORDED_BYTES {
                self.cut_stream(stream);
            } else {
                self.string(stream, KeyContext::Other);
            }
        }
        self.items(&mut attempt.command);
        self.optional(&mut attempt.cwd);
    }

    /// A stream that was longer than what was kept may end within a secret.
    fn cut_stream(&mut self, stream: &mut String) {
        let mut found = self.text(stream);
        if let ScanPass::Mask(known) = self.pass {
            known.find_cut(stream, &mut found);
            *stream = spans::apply(stream, &spans::merge_overlapping(found));
        }
    }

    /// A sentence and what fills it. Alone a value may show by its keys what is secret in it; in the sentence it is the same
    /// value.
    fn scan_message(&mut self, text: &mut String, args: &mut Args) {
        let before: Vec<(String, String)> = args
            .iter()
            .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
            .collect();
        self.map(args, KeyContext::Other);
        for (key, was) in before {
            match args.get(&key).and_then(Value::as_str) {
                Some(is) if is != was => *text = text.replace(&was, is),
                Some(_) | None => {}
            }
        }
        self.string(text, KeyContext::Other);
    }

    fn optional(&mut self, text: &mut Option<String>) {
        if let Some(text) = text {
            self.string(text, KeyContext::Other);
        }
    }
}

/// Of an answer longer than what is recorded so much more is looked through: a secret may stand across the end.
const EXTRA_SCAN_BYTES: usize = 64 << 10;

/// Leaves away what of long answers is neither recorded nor needed to find secrets. One that may be a JSON document is
/// looked through as a whole: in it names tell secrets, however deep these lie.
pub fn cut_unrecorded(trace: &mut Trace) {
    for attempt in trace.steps.iter_mut().flat_map(|step| &mut step.attempts) {
        let text = &mut attempt.stdout;
        let may_be_json = text.trim_start().starts_with(['{', '[', '"']);
        if !may_be_json && text.len() > MAX_RECORDED_BYTES + EXTRA_SCAN_BYTES {
            text.truncate(text.floor_char_boundary(MAX_RECORDED_BYTES + EXTRA_SCAN_BYTES));
            text.shrink_to_fit();
            attempt.truncated = true;
        }
    }
}

/// Whether a trace holds so much that looking through it takes longer than other tasks should wait.
pub fn is_large(trace: &Trace) -> bool {
    const LARGE: usize = 128 << 10;
    let attempts = trace.steps.iter().flat_map(|step| &step.attempts);
    let streams = attempts.map(|it| it.stdin.len() + it.stdout.len() + it.stderr.len());
    let mut room = LARGE.saturating_sub(streams.sum());
    let payloads = trace.payload_before.values().chain(trace.payload_after.values());
    payloads.chain([&trace.reply.json]).any(|value| !fits(value, &mut room)) || room == 0
}

/// Whether a value still fits: a byte for each of its parts, and its texts.
fn fits(value: &Value, room: &mut usize) -> bool {
    let text = value.as_str().map_or(0, str::len);
    *room = room.saturating_sub(1 + text);
    *room > 0
        && match value {
            Value::Array(items) => items.iter().all(|item| fits(item, room)),
            Value::Object(map) => map.values().all(|item| fits(item, room)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        }
}

/// Cuts streams and the sides of edits at [`MAX_RECORDED_BYTES`], on a character boundary, and what is told of a hook's wishes.
pub fn cut(trace: &mut Trace) {
    for step in &mut trace.steps {
        step.gates.iter_mut().for_each(cut_gate);
        step.ignored.iter_mut().for_each(limits::cut_names);
        for attempt in &mut step.attempts {
            for stream in [&mut attempt.stdin, &mut attempt.stdout, &mut attempt.stderr] {
                attempt.truncated |= cut_text(stream);
            }
        }
        for edit in &mut step.edits {
            for side in [&mut edit.before, &mut edit.after] {
                edit.truncated |= cut_value(side);
            }
        }
    }
}

/// A condition is told in a line, not with the whole file that somebody wrote.
const MAX_GATE_CHARS: usize = 1000;

/// Cuts what a gate tells of a value.
pub fn cut_gate(gate: &mut Gate) {
    let texts = gate.args.values_mut().filter_map(|value| match value {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    });
    for text in texts.chain(&mut gate.why) {
        if let Some((end, _)) = text.char_indices().nth(MAX_GATE_CHARS) {
            text.truncate(end);
            text.push('…');
        }
    }
}

fn cut_text(text: &mut String) -> bool {
    let long = text.len() > MAX_RECORDED_BYTES;
    if long {
        text.truncate(text.floor_char_boundary(MAX_RECORDED_BYTES));
        text.shrink_to_fit();
    }
    long
}

/// A text is cut as it is; anything else that is too long becomes the beginning of its JSON.
fn cut_value(value: &mut Value) -> bool {
    match value {
        Value::String(text) => return cut_text(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => return false,
        Value::Array(_) | Value::Object(_) => {}
    }
    let mut beginning = BoundedBuffer(Vec::new());
    if serde_json::to_writer(&mut beginning, value).is_ok() {
        return false;
    }
    let whole = beginning.0.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    *value = Value::String(whole.to_owned());
    true
}

/// Takes up what fits and fails with the first byte that does not.
struct BoundedBuffer(Vec<u8>);

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let room = MAX_RECORDED_BYTES - self.0.len();
        if room == 0 && !bytes.is_empty() {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        let taken = bytes.len().min(room);
        self.0.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
