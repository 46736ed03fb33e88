//! Finds out what keeps the output of a hook from being read: a banner, a second object, colours, the wrong stream, or a
//! mistake in its JSON.
//!
//! It looks at recorded streams, and marks the bytes that cause the problem. What an output means is not decided here,
//! but by the decoder of each dialect.

mod clean_text;
pub mod messages;
mod mistakes;
mod objects;
mod origin;

use std::ops::Range;

use hookwright_model::{Args, Message, MessageTemplate, OutputMark, OutputProblem, OutputStream, args, render};
use serde_json::Value;

use crate::shell::{is_shell_program, plain_name};
use clean_text::CleanText;
use mistakes::{Mistake, MistakeKind};
use objects::FoundObjects;

pub use objects::looks_like_object;
pub use origin::{HookText, OutputOrigin, origin};

/// At most this many ranges of one problem are marked.
const MAX_MARKS: usize = 100;
/// How many of the last bytes of an object that ends too early are marked.
const CUT_OFF_BYTES: usize = 16;

/// What the dialect made of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputUse {
    /// The output could not be read, and the hook failed.
    Rejected,
    /// The output, or a part of it, was ignored.
    Ignored,
    /// The output has an effect. It may be plain text.
    Used,
}

/// The streams of an attempt that ended by itself.
#[derive(Debug, Clone, Copy)]
pub struct OutputSubject<'a> {
    /// What the hook received.
    pub stdin: &'a str,
    /// What it wrote to stdout.
    pub stdout: &'a str,
    /// What it wrote to stderr.
    pub stderr: &'a str,
    /// The command, one item for each word.
    pub command: &'a [String],
    /// The fields that the event accepts.
    pub fields: &'a [&'a str],
    /// What the dialect made of stdout.
    pub use_of_stdout: OutputUse,
}

/// Finds the problems of an output. An output without a JSON object is plain text, about which nothing is said.
#[must_use]
pub fn examine(subject: &OutputSubject<'_>) -> Vec<OutputProblem> {
    let clean = CleanText::new(subject.stdout);
    if clean.text.trim().is_empty() {
        return on_stderr(subject).into_iter().collect();
    }
    let found = objects::find(&clean.text);
    let is_clean = clean.byte_order_mark.is_none() && clean.codes.is_empty() && clean.utf_16.is_empty();
    if is_one_object(&clean, &found) && is_clean {
        let is_suspect = subject.use_of_stdout != OutputUse::Used;
        let whole = found.complete[0].clone();
        let is_echo = is_suspect && is_same_json(&clean.text[whole.clone()], subject.stdin);
        return is_echo
            .then(|| problem(messages::ECHO.render_plain(), vec![clean.original(whole)]))
            .into_iter()
            .collect();
    }
    let broken = broken_object(subject, &clean, &found);
    // Plain text may contain an object that is no output: it counts if it has a field of the event.
    let has_field = found
        .complete
        .iter()
        .any(|range| has_field_of_event(&clean.text[range.clone()], subject));
    let is_all_an_object = clean.text.trim() == objects::OBJECT_AS_TEXT;
    if subject.use_of_stdout == OutputUse::Used && !has_field && broken.is_none() && !is_all_an_object {
        return Vec::new();
    }
    let mut out = polluted(subject, &clean, &found, broken);
    if out.is_empty() && subject.use_of_stdout == OutputUse::Rejected {
        out.extend(on_stderr(subject).or_else(|| carriage_returns(&clean)));
    }
    out
}

/// Where an object begins that has a mistake, and the mistake. Text that may be no output must have a field of the event.
fn broken_object(subject: &OutputSubject<'_>, clean: &CleanText, found: &FoundObjects) -> Option<(usize, Mistake)> {
    let text = &clean.text;
    let start = objects::meant_object(text).or_else(|| objects::key_starts(text).next())?;
    // A complete object beside it is the output, but one inside of it is a part of it.
    let is_beside = |first: &Range<usize>| {
        let between = text.get(start..first.start);
        between.is_none_or(|between| between.matches('{').count() <= between.matches('}').count())
    };
    if found.complete.first().is_some_and(is_beside) {
        return None;
    }
    let is_output = || subject.fields.iter().any(|field| text[start..].contains(field));
    let mistake = mistakes::first_mistake(text, start)?;
    (subject.use_of_stdout == OutputUse::Rejected || is_output()).then_some((start, mistake))
}

fn polluted(
    subject: &OutputSubject<'_>,
    clean: &CleanText,
    found: &FoundObjects,
    broken: Option<(usize, Mistake)>,
) -> Vec<OutputProblem> {
    let mut out = Vec::new();
    let says_json = !found.complete.is_empty() || found.cut_off.is_some() || broken.is_some();
    if !clean.utf_16.is_empty() && (says_json || subject.use_of_stdout == OutputUse::Rejected) {
        out.push(problem(messages::UTF_16.render_plain(), clean.utf_16.clone()));
    }
    if let Some(mark) = clean.byte_order_mark.clone().filter(|_| says_json) {
        // Some dialects read past the mark.
        if subject.use_of_stdout == OutputUse::Rejected || !is_one_object(clean, found) {
            out.push(problem(messages::BYTE_ORDER_MARK.render_plain(), vec![mark]));
        }
    }
    if !clean.codes.is_empty() && says_json {
        let args = args! { "count" => clean.codes.len() };
        out.push(problem(messages::COLOURS.render(args), clean.codes.clone()));
    }
    if let Some((start, mistake)) = broken {
        out.extend(around(subject, clean, start..clean.text.len()));
        out.push(mistake_problem(clean, start, &mistake));
    } else if let Some(start) = found.cut_off {
        out.extend(around(subject, clean, start..clean.text.len()));
        out.push(cut_off(clean));
    } else if let (Some(first), Some(last)) = (found.complete.first(), found.complete.last()) {
        out.extend(around(subject, clean, first.start..last.end));
        out.extend(several_objects(subject, clean, found));
    } else if let Some(at) = clean.text.find(objects::OBJECT_AS_TEXT) {
        let mark = clean.original(at..at + objects::OBJECT_AS_TEXT.len());
        out.push(problem(messages::OBJECT_AS_TEXT.render_plain(), vec![mark]));
    } else if let Ok(Value::String(inner)) = serde_json::from_str(clean.text.trim())
        && serde_json::from_str::<Args>(&inner).is_ok()
    {
        let whole = trimmed(&clean.text, 0..clean.text.len());
        let marks = whole.map(|range| clean.original(range)).into_iter().collect();
        out.push(problem(messages::ENCODED_TWICE.render_plain(), marks));
    }
    out
}

/// What is wrong at the place of a mistake. Lines and bytes count from 1.
fn mistake_problem(clean: &CleanText, start: usize, mistake: &Mistake) -> OutputProblem {
    if mistake.kind == MistakeKind::SingleQuotes && clean.text[start + 1..mistake.range.start].trim().is_empty() {
        let whole = trimmed(&clean.text, start..clean.text.len());
        let marks = whole.map(|range| clean.original(range)).into_iter().collect();
        return problem(messages::PYTHON_DICTIONARY.render_plain(), marks);
    }
    let mark = clean.original(mistake.range.clone());
    let line = clean.text[..mistake.range.start].matches('\n').count() + 1;
    let mut args = args! { "line" => line, "byte" => mark.start + 1 };
    let template = match &mistake.kind {
        MistakeKind::Comment => messages::MISTAKE_COMMENT,
        MistakeKind::TrailingComma => messages::MISTAKE_TRAILING_COMMA,
        MistakeKind::LineBreak => messages::MISTAKE_LINE_BREAK,
        MistakeKind::Control => messages::MISTAKE_CONTROL,
        MistakeKind::QuoteInside => messages::MISTAKE_QUOTE_INSIDE,
        MistakeKind::QuoteMissing => messages::MISTAKE_QUOTE_MISSING,
        MistakeKind::Key(_) => messages::MISTAKE_KEY,
        MistakeKind::Word(_) => messages::MISTAKE_WORD,
        MistakeKind::PythonWord(_) => messages::MISTAKE_PYTHON_WORD,
        MistakeKind::SingleQuotes => messages::MISTAKE_SINGLE_QUOTES,
        MistakeKind::CurlyQuotes => messages::MISTAKE_CURLY_QUOTES,
        MistakeKind::CommaMissing => messages::MISTAKE_COMMA_MISSING,
        MistakeKind::ColonMissing => messages::MISTAKE_COLON_MISSING,
        MistakeKind::Escape => messages::MISTAKE_ESCAPE,
        MistakeKind::Sign => messages::MISTAKE_SIGN,
    };
    if let MistakeKind::Key(name) | MistakeKind::Word(name) | MistakeKind::PythonWord(name) = &mistake.kind {
        args.insert("name".to_owned(), name.as_str().into());
    }
    problem(template.render(args), vec![mark])
}

fn is_one_object(clean: &CleanText, found: &FoundObjects) -> bool {
    matches!(&*found.complete, [one] if Some(one.clone()) == trimmed(&clean.text, 0..clean.text.len()))
}

/// The text around the objects: a code fence, or anything else.
fn around(subject: &OutputSubject<'_>, clean: &CleanText, objects: Range<usize>) -> Vec<OutputProblem> {
    let before = trimmed(&clean.text, 0..objects.start);
    let after = trimmed(&clean.text, objects.end..clean.text.len());
    let is_fence = |range: &Option<Range<usize>>| {
        let text = range.clone().map(|range| &clean.text[range]);
        text.is_some_and(|text| text.starts_with("```") && !text.contains('\n'))
    };
    if is_fence(&before) {
        let marks = before
            .into_iter()
            .chain(after.filter(|it| clean.text[it.clone()].starts_with("```")));
        let marks = marks.map(|range| clean.original(range)).collect();
        return vec![problem(messages::CODE_FENCE.render_plain(), marks)];
    }
    let before = before.map(|range| {
        let range = clean.original(range);
        problem(text_before(subject, range.len()), vec![range])
    });
    let after = after.map(|range| {
        let range = clean.original(range);
        problem(render!(messages::TEXT_AFTER, "bytes" => range.len()), vec![range])
    });
    before.into_iter().chain(after).collect()
}

fn text_before(subject: &OutputSubject<'_>, bytes: usize) -> Message {
    match profile_flag(subject.command) {
        Some(flag) => render!(messages::TEXT_BEFORE_PROFILE, "bytes" => bytes, "flag" => flag),
        None => render!(messages::TEXT_BEFORE, "bytes" => bytes),
    }
}

/// The option with which a command starts a shell that reads the user's profile.
fn profile_flag(command: &[String]) -> Option<&str> {
    let words: Vec<&str> = command.iter().flat_map(|word| word.split_whitespace()).collect();
    let pairs = words.windows(2).filter(|pair| is_shell_program(plain_name(pair[0])));
    pairs
        .map(|pair| pair[1])
        .find(|flag| ["-l", "-i", "-lc", "-ic", "-lic", "-cl", "-ci", "--login"].contains(flag))
}

fn several_objects(subject: &OutputSubject<'_>, clean: &CleanText, found: &FoundObjects) -> Option<OutputProblem> {
    let (first, others) = found.complete.split_first().filter(|(_, others)| !others.is_empty())?;
    if is_same_json(&clean.text[first.clone()], subject.stdin) {
        let marks = vec![clean.original(first.clone())];
        return Some(problem(messages::ECHO.render_plain(), marks));
    }
    let marks = others.iter().map(|range| clean.original(range.clone())).collect();
    let args = args! { "count" => found.complete.len() };
    Some(problem(messages::SEVERAL_OBJECTS.render(args), marks))
}

fn cut_off(clean: &CleanText) -> OutputProblem {
    let end = clean.text.trim_end().len();
    let mut start = end.saturating_sub(CUT_OFF_BYTES);
    while !clean.text.is_char_boundary(start) {
        start += 1;
    }
    problem(messages::CUT_OFF.render_plain(), vec![clean.original(start..end)])
}

fn carriage_returns(clean: &CleanText) -> Option<OutputProblem> {
    let marks: Vec<Range<usize>> = clean
        .text
        .match_indices("\r\n")
        .map(|(at, _)| clean.original(at..at + 1))
        .collect();
    let args = args! { "count" => marks.len() };
    (!marks.is_empty()).then(|| problem(messages::CARRIAGE_RETURNS.render(args), marks))
}

/// An object of the event's fields on stderr.
fn on_stderr(subject: &OutputSubject<'_>) -> Option<OutputProblem> {
    let found = objects::find(subject.stderr);
    let range = found
        .complete
        .into_iter()
        .find(|range| has_field_of_event(&subject.stderr[range.clone()], subject))?;
    let marks = to_marks(vec![range]);
    Some(OutputProblem::new(
        messages::ON_STDERR.render_plain(),
        OutputStream::Stderr,
        marks,
    ))
}

/// Whether an object, or an object in it, has a field that the event accepts.
fn has_field_of_event(object: &str, subject: &OutputSubject<'_>) -> bool {
    let Ok(Value::Object(object)) = serde_json::from_str(object) else {
        return false;
    };
    let is_field = |fields: &Args| fields.keys().any(|key| subject.fields.contains(&key.as_str()));
    is_field(&object) || object.values().filter_map(Value::as_object).any(is_field)
}

fn is_same_json(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    matches!((read(one), read(other)), (Some(one), Some(other)) if one == other && one != Value::Object(Args::new()))
}

/// The part of a range without the spaces around it; `None` if only spaces are in it.
fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    let end = range.start + part.trim_end().len();
    (start < end).then_some(start..end)
}

fn problem(message: Message, marks: Vec<Range<usize>>) -> OutputProblem {
    OutputProblem::new(message, OutputStream::Stdout, to_marks(marks))
}

fn to_marks(ranges: Vec<Range<usize>>) -> Vec<OutputMark> {
    // A recorded stream has at most 1 MiB.
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let marks = ranges.into_iter().take(MAX_MARKS).map(|range| OutputMark {
        start: number(range.start),
        end: number(range.end),
    });
    marks.collect()
}

/// Every message template of the output doctor.
pub const ALL: &[&MessageTemplate] = messages::ALL;

#[cfg(test)]
mod tests;
