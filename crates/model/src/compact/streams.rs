//! Streams of hooks as pieces of texts that are recorded anyway: the payload, its fields, earlier streams.

use std::cell::OnceCell;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Payload;
use crate::python_json::to_python_json;

/// A shorter stream is kept as it is, in bytes.
const MIN_STREAM_BYTES: usize = 96;
/// A shorter piece is not worth a reference, in bytes.
const MIN_PIECE_BYTES: usize = 64;
/// No recorded stream is longer, in bytes (`CONTRACTS.md` §2.1 records 1 MiB, and masking may make it longer). The limit
/// is for lines of other programs, whose references could double at each step.
const MAX_STREAM_BYTES: usize = 4 << 20;
/// So many earlier streams are compared with a stream.
const MAX_COMPARED: usize = 8;
/// At so many places of a stream the payload is looked for.
const MAX_STARTS: usize = 8;
/// How much of a field's text is searched for in a stream, in bytes.
const PROBE_BYTES: usize = 48;

/// A recorded stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StreamText {
    /// The text itself.
    Own(String),
    /// The pieces of the text, in order.
    Pieces(Vec<StreamPiece>),
}

impl Default for StreamText {
    fn default() -> Self {
        Self::Own(String::new())
    }
}

/// One piece of a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StreamPiece {
    /// A text that is recorded nowhere else.
    Own(String),
    /// A part of another text.
    Part {
        /// The other text.
        #[serde(flatten)]
        of: TextSource,
        /// Where the part begins, in bytes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<usize>,
        /// Where the part ends, in bytes; absent for the end of the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<usize>,
    },
}

/// How a payload is written as JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonStyle {
    /// Without spaces.
    #[default]
    Plain,
    /// As Python writes it.
    Python,
}

impl JsonStyle {
    const ALL: [Self; 2] = [Self::Plain, Self::Python];

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that serde asks for")]
    fn is_plain(&self) -> bool {
        *self == Self::Plain
    }

    fn write(self, value: &Value) -> String {
        match self {
            Self::Plain => value.to_string(),
            Self::Python => to_python_json(value),
        }
    }
}

/// A text that pieces refer to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum TextSource {
    /// The payload before the edits, or one field of it.
    Before {
        /// The field; absent for the whole payload.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        field: Option<String>,
        /// How it is written.
        #[serde(default, skip_serializing_if = "JsonStyle::is_plain")]
        style: JsonStyle,
    },
    /// The payload after the edits, or one field of it.
    After {
        /// The field; absent for the whole payload.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        field: Option<String>,
        /// How it is written.
        #[serde(default, skip_serializing_if = "JsonStyle::is_plain")]
        style: JsonStyle,
    },
    /// An earlier stream: that many before this one, from 1. Every stdin and stdout counts, in the order of the steps.
    Stream {
        /// How many streams before this one.
        back: usize,
    },
}

/// The texts of a payload, written when they are first needed.
#[derive(Default)]
struct PayloadTexts {
    whole: [OnceCell<String>; 2],
    fields: [OnceCell<Vec<(String, String)>>; 2],
}

impl PayloadTexts {
    fn whole(&self, payload: &Payload, style: JsonStyle) -> &str {
        self.whole[style as usize].get_or_init(|| match style {
            JsonStyle::Plain => serde_json::to_string(payload).unwrap_or_default(),
            JsonStyle::Python => to_python_json(payload),
        })
    }

    /// The fields whose text is long enough to be referred to, the longest first.
    fn fields(&self, payload: &Payload, style: JsonStyle) -> &[(String, String)] {
        self.fields[style as usize].get_or_init(|| {
            let texts = payload.iter().map(|(name, value)| (name.clone(), style.write(value)));
            let mut texts: Vec<_> = texts.filter(|(_, text)| text.len() >= MIN_PIECE_BYTES).collect();
            texts.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
            texts
        })
    }
}

/// The source of a payload's field, or of the whole payload.
type SourceOf = fn(Option<String>, JsonStyle) -> TextSource;

/// The payloads of a trace as texts.
pub struct StreamTexts<'a> {
    before: &'a Payload,
    /// `None` if the chain changed nothing.
    after: Option<&'a Payload>,
    texts: [PayloadTexts; 2],
}

impl<'a> StreamTexts<'a> {
    pub fn new(before: &'a Payload, after: Option<&'a Payload>) -> Self {
        Self {
            before,
            after,
            texts: Default::default(),
        }
    }

    /// Both payloads, each with its texts.
    fn sides(&self) -> impl Iterator<Item = (&'a Payload, &PayloadTexts, SourceOf)> {
        let before: SourceOf = |field, style| TextSource::Before { field, style };
        let after: SourceOf = |field, style| TextSource::After { field, style };
        let sides = [
            (Some(self.before), &self.texts[0], before),
            (self.after, &self.texts[1], after),
        ];
        sides
            .into_iter()
            .filter_map(|(payload, texts, base)| Some((payload?, texts, base)))
    }

    /// The text of a piece's base. A base that does not exist is empty: a trace that another program wrote must not end
    /// this one.
    fn text<'t>(&'t self, base: &TextSource, earlier: &'t [String]) -> std::borrow::Cow<'t, str> {
        let (payload, texts, field, style) = match base {
            TextSource::Before { field, style } => (self.before, &self.texts[0], field, *style),
            TextSource::After { field, style } => (self.after.unwrap_or(self.before), &self.texts[1], field, *style),
            TextSource::Stream { back } => {
                let at = earlier.len().checked_sub(*back);
                return at.and_then(|at| earlier.get(at)).map_or("", String::as_str).into();
            }
        };
        match field {
            None => texts.whole(payload, style).into(),
            Some(name) => payload
                .get(name)
                .map(|value| style.write(value))
                .unwrap_or_default()
                .into(),
        }
    }

    /// Writes a stream out.
    pub fn render(&self, stream: &StreamText, earlier: &[String]) -> String {
        let pieces = match stream {
            StreamText::Own(text) => return text.clone(),
            StreamText::Pieces(pieces) => pieces,
        };
        let mut out = String::new();
        for piece in pieces {
            match piece {
                StreamPiece::Own(text) => out.push_str(text),
                StreamPiece::Part { of, from, to } => {
                    let text = self.text(of, earlier);
                    let range = from.unwrap_or(0)..to.unwrap_or(text.len());
                    out.push_str(text.get(range).unwrap_or_default());
                }
            }
            if out.len() > MAX_STREAM_BYTES {
                out.truncate(out.floor_char_boundary(MAX_STREAM_BYTES));
                break;
            }
        }
        out
    }

    /// Describes a stream by what is recorded anyway. `earlier` are the streams before it, with their texts.
    pub fn compact(&self, text: &str, earlier: &[&str]) -> StreamText {
        if text.len() < MIN_STREAM_BYTES {
            return StreamText::Own(text.to_owned());
        }
        same_as_earlier(text, earlier)
            .or_else(|| self.around_payload(text))
            .or_else(|| changed_earlier(text, earlier))
            .or_else(|| self.with_fields(text))
            .unwrap_or_else(|| StreamText::Own(text.to_owned()))
    }

    /// The whole payload with a text before and after it, as in a request of a protocol.
    fn around_payload(&self, text: &str) -> Option<StreamText> {
        for (payload, texts, base) in self.sides() {
            for (at, style) in payload_starts(text, payload) {
                let whole = texts.whole(payload, style);
                if whole.len() < MIN_PIECE_BYTES || !text[at..].starts_with(whole) {
                    continue;
                }
                let part = StreamPiece::Part {
                    of: base(None, style),
                    from: None,
                    to: None,
                };
                return Some(pieces([own(&text[..at]), Some(part), own(&text[at + whole.len()..])]));
            }
        }
        None
    }

    /// The fields of the payload in any order, and the text between them. The last field may be cut.
    fn with_fields(&self, text: &str) -> Option<StreamText> {
        for style in JsonStyle::ALL {
            let mut found: Vec<(usize, usize, TextSource)> = Vec::new();
            for (payload, texts, base) in self.sides() {
                for (name, field) in texts.fields(payload, style) {
                    let probe = &field[..field.floor_char_boundary(PROBE_BYTES)];
                    let Some(at) = text.find(probe) else { continue };
                    let len = common_prefix(&text[at..], field);
                    let is_free = found
                        .iter()
                        .all(|(begin, size, _)| at + len <= *begin || begin + size <= at);
                    if len >= MIN_PIECE_BYTES && is_free {
                        found.push((at, len, base(Some(name.clone()), style)));
                    }
                }
            }
            if found.is_empty() {
                continue;
            }
            found.sort_by_key(|(at, _, _)| *at);
            let mut all = Vec::new();
            let mut end = 0;
            for (at, len, of) in found {
                all.push(own(&text[end..at]));
                end = at + len;
                all.push(Some(StreamPiece::Part {
                    of,
                    from: None,
                    to: Some(len),
                }));
            }
            all.push(own(&text[end..]));
            return Some(pieces(all));
        }
        None
    }
}

/// Where a payload may begin in a text, and how it is written there: after its first key, Python writes a space. The
/// whole payload is then written only once, and compared only there.
fn payload_starts(text: &str, payload: &Payload) -> impl Iterator<Item = (usize, JsonStyle)> {
    let starts = payload.keys().next().map(|key| {
        let begins = JsonStyle::ALL.map(|style| format!("{{{}:", style.write(&Value::from(key.as_str()))));
        let [plain, python] = &begins;
        let mut found: Vec<(usize, JsonStyle)> = Vec::new();
        for (at, begin) in text.match_indices(python.as_str()).take(MAX_STARTS) {
            let is_python = text[at + begin.len()..].starts_with(' ');
            let style = if is_python { JsonStyle::Python } else { JsonStyle::Plain };
            found.push((at, style));
        }
        // Beyond ASCII, the two differ in the key itself.
        if plain != python {
            let plain = text.match_indices(plain.as_str()).take(MAX_STARTS);
            found.extend(plain.map(|(at, _)| (at, JsonStyle::Plain)));
        }
        found
    });
    starts.into_iter().flatten()
}

/// The same text as an earlier stream.
fn same_as_earlier(text: &str, earlier: &[&str]) -> Option<StreamText> {
    let at = earlier.iter().rposition(|it| *it == text)?;
    let of = TextSource::Stream {
        back: earlier.len() - at,
    };
    Some(pieces([Some(StreamPiece::Part {
        of,
        from: None,
        to: None,
    })]))
}

/// An earlier stream of which only the middle differs, such as a request with another number.
fn changed_earlier(text: &str, earlier: &[&str]) -> Option<StreamText> {
    earlier
        .iter()
        .enumerate()
        .rev()
        .take(MAX_COMPARED)
        .find_map(|(at, other)| {
            let back = earlier.len() - at;
            let start = common_prefix(text, other);
            let end = common_suffix(&text[start..], &other[start..]);
            if start + end < text.len() / 4 * 3 {
                return None;
            }
            let part = |from, to| {
                let of = TextSource::Stream { back };
                (from != to).then_some(StreamPiece::Part {
                    of,
                    from: Some(from),
                    to: Some(to),
                })
            };
            Some(pieces([
                part(0, start),
                own(&text[start..text.len() - end]),
                part(other.len() - end, other.len()),
            ]))
        })
}

fn pieces(all: impl IntoIterator<Item = Option<StreamPiece>>) -> StreamText {
    StreamText::Pieces(all.into_iter().flatten().collect())
}

fn own(text: &str) -> Option<StreamPiece> {
    (!text.is_empty()).then(|| StreamPiece::Own(text.to_owned()))
}

/// How many bytes two texts begin with alike, up to a character boundary.
fn common_prefix(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    one.floor_char_boundary(same)
}

/// How many bytes two texts end with alike, from a character boundary on.
fn common_suffix(one: &str, other: &str) -> usize {
    let same = one
        .bytes()
        .rev()
        .zip(other.bytes().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let begin = one.ceil_char_boundary(one.len() - same);
    one.len() - begin
}
