//! Which parts of a trace are content that is masked, and which of them are cut.
//!
//! Identities are not content: ids of traces and hooks, names of dialects and events, paths of projects and sources, and
//! Hookwright's fixed codes. Traces are found and counted by them. A payload that calls the id of another hook a secret
//! must not hide the step of that hook. The session id and the agent's name are chosen by the agent, so each is masked
//! if it looks like a secret itself.

use std::io::Write;
use std::sync::Arc;

use hookwright_model::listing::ExplainDoc;
use hookwright_model::{Args, Attempt, FieldEdit, Gate, Ignored, Notice, Outcome, Reply, Step, Trace, Verdict};
use serde_json::Value;

use super::json::KeyContext;
use super::scanner::{ScanPass, Scanner};
use super::{MAX_RECORDED_BYTES, limits, spans};

impl Scanner<'_> {
    /// Scans all content of a trace.
    pub fn trace(&mut self, trace: &mut Trace) {
        if Arc::ptr_eq(&trace.payload_before, &trace.payload_after) {
            // Released for the moment, so that the one payload is scanned without a copy.
            drop(std::mem::take(&mut trace.payload_after));
            self.map(Arc::make_mut(&mut trace.payload_before), KeyContext::Other);
            trace.payload_after = trace.payload_before.clone();
        } else {
            self.map(Arc::make_mut(&mut trace.payload_before), KeyContext::Other);
            self.map(Arc::make_mut(&mut trace.payload_after), KeyContext::Other);
        }
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
        // The reason of a skipped step is a fixed code such as `untrusted`, not content.
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
            let context = if secret {
                KeyContext::Secret
            } else {
                self.rules.keys.context_of(last)
            };
            self.value(before, context);
            self.value(after, context);
        }
        for Ignored { what, why, args, .. } in &mut step.ignored {
            self.string(what, KeyContext::Other);
            self.scan_message(why, args);
        }
        for attempt in &mut step.attempts {
            self.attempt(attempt);
        }
    }

    /// Scans the payload and the notices of an explanation, and the labels and gates of its steps.
    pub fn explanation(&mut self, doc: &mut ExplainDoc) {
        self.map(&mut doc.payload, KeyContext::Other);
        for Notice { text, args, .. } in &mut doc.notices {
            self.scan_message(text, args);
        }
        for step in &mut doc.steps {
            self.string(&mut step.label, KeyContext::Other);
            self.gates(&mut step.gates);
            self.map(Arc::make_mut(&mut step.health.args), KeyContext::Other);
        }
    }

    fn gates(&mut self, gates: &mut [Gate]) {
        for Gate { why, args, fixes, .. } in gates {
            let Some(why) = why else { continue };
            let before = (!fixes.is_empty()).then(|| (why.clone(), args.clone()));
            self.scan_message(why, args);
            // A fix names the same values.
            if before.is_some_and(|before| (&before.0, &before.1) != (&*why, &*args)) {
                fixes.clear();
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
        self.items(&mut attempt.env);
        self.optional(&mut attempt.cwd);
    }

    /// Scans a stream of which only the first part was read. It may end in the middle of a secret, so the start of a
    /// known value at its end is masked too.
    fn cut_stream(&mut self, stream: &mut String) {
        let mut found = self.text(stream);
        if let ScanPass::Mask(known) = self.pass {
            known.find_cut(stream, &mut found);
            *stream = spans::apply(stream, &spans::merge_overlapping(found));
        }
    }

    /// Scans a message and its arguments. An argument may be JSON whose keys show what is secret in it. The keys do not
    /// show that inside the message, so a masked argument also replaces its original there.
    fn scan_message(&mut self, text: &mut String, args: &mut Args) {
        let before: Vec<(String, String)> = args
            .iter()
            .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
            .collect();
        self.map(args, KeyContext::Other);
        for (key, original) in before {
            match args.get(&key).and_then(Value::as_str) {
                Some(masked) if masked != original => *text = text.replace(&original, masked),
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

/// This many bytes after the recorded part of a long output are scanned too: a secret may cross the end of that part.
const EXTRA_SCAN_BYTES: usize = 64 << 10;

/// Removes the end of a long hook output that is neither recorded nor needed to find secrets. An output that may be a
/// JSON document is scanned as a whole: its keys name secrets at any depth.
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

/// Whether a trace is so large that other tasks should not wait while it is scanned.
pub fn is_large(trace: &Trace) -> bool {
    const LARGE_BYTES: usize = 128 << 10;
    let attempts = trace.steps.iter().flat_map(|step| &step.attempts);
    let streams = attempts.map(|attempt| attempt.stdin.len() + attempt.stdout.len() + attempt.stderr.len());
    let mut remaining = LARGE_BYTES.saturating_sub(streams.sum());
    let payloads = trace.payload_before.values().chain(trace.payload_after.values());
    payloads
        .chain([&trace.reply.json])
        .any(|value| !fits(value, &mut remaining))
        || remaining == 0
}

/// Whether a value fits into the remaining bytes. Each part of it costs one byte, and a text also its length.
fn fits(value: &Value, remaining: &mut usize) -> bool {
    let text = value.as_str().map_or(0, str::len);
    *remaining = remaining.saturating_sub(1 + text);
    *remaining > 0
        && match value {
            Value::Array(items) => items.iter().all(|item| fits(item, remaining)),
            Value::Object(map) => map.values().all(|item| fits(item, remaining)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        }
}

/// Cuts streams and the sides of edits at [`MAX_RECORDED_BYTES`], on a character boundary. Also cuts the texts of gates
/// and of ignored output.
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

/// A gate text has at most this many characters: it is shown as one line and must not contain a whole file.
const MAX_GATE_CHARS: usize = 1000;

/// Cuts the message and the text arguments of a gate.
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

/// Cuts one side of an edit and returns whether it was too long. A text is cut directly. A list or object that is too
/// long becomes a text: the start of its JSON.
fn cut_value(value: &mut Value) -> bool {
    match value {
        Value::String(text) => return cut_text(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => return false,
        Value::Array(_) | Value::Object(_) => {}
    }
    let mut buffer = BoundedBuffer(Vec::new());
    if serde_json::to_writer(&mut buffer, value).is_ok() {
        return false;
    }
    let valid = buffer.0.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    *value = Value::String(valid.to_owned());
    true
}

/// A buffer of at most [`MAX_RECORDED_BYTES`]. The first byte that does not fit is an error.
struct BoundedBuffer(Vec<u8>);

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let remaining = MAX_RECORDED_BYTES - self.0.len();
        if remaining == 0 && !bytes.is_empty() {
            return Err(std::io::ErrorKind::FileTooLarge.into());
        }
        let accepted = bytes.len().min(remaining);
        self.0.extend_from_slice(&bytes[..accepted]);
        Ok(accepted)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
