//! JSON-RPC 2.0 as the sockets speak it: one object a line, no batches, parameters by name (`CONTRACTS.md` §3).

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::codec::{Codec, Incoming, Request, ServiceCodec};

/// The longest id of a request, in bytes. The answer repeats it.
const MAX_ID_BYTES: usize = 1024;

/// The codec of JSON-RPC 2.0.
#[derive(Debug, Clone, Copy)]
pub struct JsonRpc;

/// The error of a request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ErrorObject {
    /// The number that JSON-RPC or the application assigned.
    pub code: i64,
    /// The English message.
    pub message: String,
    /// What else is known; left out when there is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

/// A line that is neither an answer nor a request.
#[derive(Debug, Clone)]
pub struct BadLine {
    /// The id, if one could be read.
    pub id: Option<Box<RawValue>>,
    /// What is wrong.
    pub reason: BadLineReason,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadLineReason {
    /// The bytes are not UTF-8.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// The text is not JSON; the parser says why.
    #[error("{0}")]
    NotJson(String),
    /// It is a list of requests.
    #[error("batches are not supported")]
    Batch,
    /// It is a single value.
    #[error("it is not an object")]
    NotAnObject,
    /// `jsonrpc` is missing or has another value.
    #[error("`jsonrpc` is not \"2.0\"")]
    Version,
    /// `id` is a list, an object, `true` or `false`.
    #[error("`id` is neither a string nor a number")]
    Id,
    /// `id` is so long that the answer might not fit into a line.
    #[error("`id` is longer than 1024 bytes")]
    LongId,
    /// `method` is missing or no string.
    #[error("`method` is not a string")]
    Method,
    /// `params` has no names.
    #[error("parameters must be given by name")]
    Params,
}

impl BadLineReason {
    /// The error number of JSON-RPC 2.0.
    #[must_use]
    pub fn code(&self) -> i64 {
        match self {
            Self::NotUtf8 | Self::NotJson(_) => JsonRpc::PARSE_ERROR,
            Self::Batch | Self::NotAnObject | Self::Version | Self::Id | Self::LongId | Self::Method => {
                JsonRpc::INVALID_REQUEST
            }
            Self::Params => JsonRpc::INVALID_PARAMS,
        }
    }
}

impl JsonRpc {
    /// The line is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The line is JSON, but no request.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The parameters have the wrong form.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The result cannot be written as JSON.
    pub const INTERNAL_ERROR: i64 = -32603;

    /// The line of an error that answers no readable request, or the request with this id.
    #[must_use]
    pub fn error(id: Option<&RawValue>, error: &ErrorObject) -> Vec<u8> {
        let mut line = begin_line(id.unwrap_or(RawValue::NULL));
        line.extend_from_slice(b",\"error\":");
        append(&mut line, error);
        end_line(line)
    }
}

impl Codec for JsonRpc {
    type Answer = Result<Box<RawValue>, ErrorObject>;
    type Other = BadLine;
    type Context = ();

    fn call(&self, id: u64, method: &str, params: &RawValue) -> Vec<u8> {
        let mut line = begin_line(&id);
        append_request(&mut line, method, params);
        end_line(line)
    }

    fn notification(&self, method: &str, params: &RawValue) -> Vec<u8> {
        let mut line = b"{\"jsonrpc\":\"2.0\"".to_vec();
        append_request(&mut line, method, params);
        end_line(line)
    }

    fn cancel(&self, _id: u64) -> Option<Vec<u8>> {
        None
    }

    fn read(&self, line: &[u8]) -> Incoming<Self::Answer, BadLine> {
        let bad = |reason| Incoming::Other(BadLine { id: None, reason });
        let Ok(text) = std::str::from_utf8(line) else {
            return bad(BadLineReason::NotUtf8);
        };
        match serde_json::from_str::<Envelope>(text) {
            Ok(envelope) => envelope.classify(),
            Err(error) if error.is_data() => match text.trim_start().as_bytes().first() {
                // The rest of the line may still not be JSON.
                Some(first) if serde_json::from_str::<IgnoredAny>(text).is_ok() => match first {
                    b'[' => bad(BadLineReason::Batch),
                    _ => bad(BadLineReason::NotAnObject),
                },
                Some(_) | None => bad(BadLineReason::NotJson(syntax_error(text))),
            },
            Err(error) => bad(BadLineReason::NotJson(error.to_string())),
        }
    }
}

impl ServiceCodec for JsonRpc {
    type Error = ErrorObject;
    const HAS_CANCEL: bool = false;

    fn answer<T: Serialize + ?Sized>(&self, id: &RawValue, result: Result<&T, &ErrorObject>) -> Vec<u8> {
        let result = match result {
            Ok(result) => result,
            Err(error) => return Self::error(Some(id), error),
        };
        let mut line = begin_line(id);
        line.extend_from_slice(b",\"result\":");
        match serde_json::to_writer(&mut line, result) {
            Ok(()) => end_line(line),
            Err(error) => Self::error(
                Some(id),
                &ErrorObject {
                    code: Self::INTERNAL_ERROR,
                    message: error.to_string(),
                    data: None,
                },
            ),
        }
    }
}

/// What the parser says about a text that is not JSON.
fn syntax_error(text: &str) -> String {
    serde_json::from_str::<IgnoredAny>(text).map_or_else(|error| error.to_string(), |_| String::new())
}

fn begin_line(id: &(impl Serialize + ?Sized)) -> Vec<u8> {
    let mut line = b"{\"jsonrpc\":\"2.0\",\"id\":".to_vec();
    append(&mut line, id);
    line
}

fn append_request(line: &mut Vec<u8>, method: &str, params: &RawValue) {
    line.extend_from_slice(b",\"method\":");
    append(line, method);
    line.extend_from_slice(b",\"params\":");
    line.extend_from_slice(params.get().as_bytes());
}

fn append(line: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // Numbers, texts and raw JSON are written into memory, which cannot fail.
    drop(serde_json::to_writer(line, value));
}

/// Closes the object. Raw JSON may have line feeds between its parts, never inside a text; they become blanks.
fn end_line(mut line: Vec<u8>) -> Vec<u8> {
    line.push(b'}');
    let mut from = 0;
    while let Some(at) = memchr::memchr2(b'\n', b'\r', &line[from..]) {
        line[from + at] = b' ';
        from += at + 1;
    }
    line
}

/// The parts of a line that matter. Of a key that occurs twice, the last value counts.
#[derive(Debug, Default)]
struct Envelope<'t> {
    jsonrpc: Option<&'t RawValue>,
    id: Option<&'t RawValue>,
    method: Option<&'t RawValue>,
    params: Option<&'t RawValue>,
    result: Option<&'t RawValue>,
    error: Option<&'t RawValue>,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    #[serde(other)]
    Unknown,
}

impl<'de> Deserialize<'de> for Envelope<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Self::Value, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(key) = pairs.next_key()? {
            let part = match key {
                Key::Jsonrpc => &mut envelope.jsonrpc,
                Key::Id => &mut envelope.id,
                Key::Method => &mut envelope.method,
                Key::Params => &mut envelope.params,
                Key::Result => &mut envelope.result,
                Key::Error => &mut envelope.error,
                Key::Unknown => {
                    pairs.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *part = Some(pairs.next_value()?);
        }
        Ok(envelope)
    }
}

impl Envelope<'_> {
    fn classify(self) -> Incoming<Result<Box<RawValue>, ErrorObject>, BadLine> {
        if self.method.is_none() {
            // Other versions of JSON-RPC give both, one of them `null`.
            let is_given = |part: &&RawValue| part.get() != "null";
            let answer = match (self.result, self.error) {
                (Some(result), Some(error)) if is_given(&result) && is_given(&error) => Some(Err(both_given())),
                (_, Some(error)) if is_given(&error) => Some(Err(error_object(error))),
                (Some(result), _) => Some(Ok(result.to_owned())),
                (None, Some(error)) => Some(Err(error_object(error))),
                (None, None) => None,
            };
            if let Some(answer) = answer {
                let id = self.id.and_then(|id| id.get().parse().ok()).unwrap_or(0);
                return Incoming::Answer { id, answer };
            }
        }
        match self.request() {
            Ok(request) => Incoming::Request(request),
            Err(bad) => Incoming::Other(bad),
        }
    }

    fn request(self) -> Result<Request, BadLine> {
        let kind = |raw: &RawValue| raw.get().as_bytes().first().copied().unwrap_or_default();
        let is_text_or_number = |raw: &&RawValue| matches!(kind(raw), b'"' | b'-' | b'0'..=b'9');
        let is_short = |raw: &&RawValue| raw.get().len() <= MAX_ID_BYTES;
        let bad = |reason| BadLine {
            id: self
                .id
                .filter(is_text_or_number)
                .filter(is_short)
                .map(ToOwned::to_owned),
            reason,
        };
        if self.jsonrpc.and_then(text_of).as_deref() != Some("2.0") {
            return Err(bad(BadLineReason::Version));
        }
        if self.id.is_some_and(|id| !is_text_or_number(&id) && kind(id) != b'n') {
            return Err(bad(BadLineReason::Id));
        }
        if self.id.is_some_and(|id| !is_short(&id)) {
            return Err(bad(BadLineReason::LongId));
        }
        let Some(method) = self.method.and_then(text_of) else {
            return Err(bad(BadLineReason::Method));
        };
        let params = self.params.filter(|params| kind(params) != b'n');
        if params.is_some_and(|params| kind(params) != b'{') {
            return Err(bad(BadLineReason::Params));
        }
        Ok(Request {
            id: self.id.map(ToOwned::to_owned),
            method,
            params: params.map(ToOwned::to_owned),
        })
    }
}

/// The text that a JSON string stands for.
fn text_of(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

/// The fault of an answer whose sender did not decide what it is.
fn both_given() -> ErrorObject {
    ErrorObject {
        code: JsonRpc::INVALID_REQUEST,
        message: "the response has both `result` and `error`".to_owned(),
        data: None,
    }
}

/// An error as it was sent. One of another form is kept as `data`.
fn error_object(raw: &RawValue) -> ErrorObject {
    serde_json::from_str(raw.get()).unwrap_or_else(|_| ErrorObject {
        code: 0,
        message: String::new(),
        data: to_raw_value(raw).ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Incoming<Result<Box<RawValue>, ErrorObject>, BadLine> {
        JsonRpc.read(line.as_bytes())
    }

    fn request(line: &str) -> (Option<String>, String, Option<String>) {
        let Incoming::Request(request) = read(line) else {
            panic!("no request: {line}")
        };
        let text = |raw: Box<RawValue>| raw.get().to_owned();
        (request.id.map(text), request.method, request.params.map(text))
    }

    fn bad(line: &[u8]) -> (Option<String>, i64, BadLineReason) {
        let Incoming::Other(bad) = JsonRpc.read(line) else {
            panic!("taken: {}", String::from_utf8_lossy(line))
        };
        (bad.id.map(|id| id.get().to_owned()), bad.reason.code(), bad.reason)
    }

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    fn text(line: Vec<u8>) -> String {
        String::from_utf8(line).unwrap()
    }

    #[test]
    fn a_request_is_read_with_its_parameters_as_they_were_written() {
        assert_eq!(
            request(r#" {"params": {"n": 1.50, "n": 1e400}, "method":"a\u0062", "id":7,"jsonrpc":"2.0"} "#),
            (
                Some("7".to_owned()),
                "ab".to_owned(),
                Some(r#"{"n": 1.50, "n": 1e400}"#.to_owned())
            )
        );
        let notification = r#"{"jsonrpc":"2.0","method":"x","params":null,"more":[]}"#;
        assert_eq!(request(notification), (None, "x".to_owned(), None));
        assert_eq!(request(r#"{"jsonrpc":"1.0","jsonrpc":"2.0","method":"x"}"#).1, "x");
    }

    #[test]
    fn an_id_is_repeated_unchanged_whatever_its_type() {
        for id in [
            "1",
            "-1",
            "1.50",
            "18446744073709551616",
            "1e9",
            r#""a\u00e9\n""#,
            r#""""#,
            "null",
        ] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#);
            assert_eq!(request(&line).0.as_deref(), Some(id));
            assert_eq!(
                text(JsonRpc.answer(&raw(id), Ok(&7))),
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":7}}"#)
            );
        }
        for id in ["true", "false", "[1]", r#"{"a":1}"#] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#);
            assert_eq!(bad(line.as_bytes()), (None, -32600, BadLineReason::Id));
        }
    }

    #[test]
    fn garbage_is_named_under_the_id_that_could_be_read() {
        let not_json = |line: &str| {
            let (id, code, reason) = bad(line.as_bytes());
            assert!(
                matches!(reason, BadLineReason::NotJson(why) if !why.is_empty()),
                "{line}"
            );
            assert_eq!((id, code), (None, -32700), "{line}");
        };
        for line in [
            "{",
            "x",
            "{} {}",
            "[1",
            "7 8",
            "\"",
            r#"{"id":1,"method":"x""#,
            r#"{"a":tru}"#,
            "\u{feff}{}",
        ] {
            not_json(line);
        }
        not_json(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{}}}}}"#,
            "[".repeat(100_000)
        ));
        let seven = || Some("7".to_owned());
        for (line, id, code, reason) in [
            (&b"\xff\xfe"[..], None, -32700, BadLineReason::NotUtf8),
            (b"{\"method\":\"\xc3\"}", None, -32700, BadLineReason::NotUtf8),
            (b"[]", None, -32600, BadLineReason::Batch),
            (b"[{\"jsonrpc\":\"2.0\"}]", None, -32600, BadLineReason::Batch),
            (b"7", None, -32600, BadLineReason::NotAnObject),
            (b" null", None, -32600, BadLineReason::NotAnObject),
            (b"\"x\"", None, -32600, BadLineReason::NotAnObject),
            (b"{}", None, -32600, BadLineReason::Version),
            (b"{\"id\":7,\"method\":\"x\"}", seven(), -32600, BadLineReason::Version),
            (b"{\"jsonrpc\":2.0,\"id\":7}", seven(), -32600, BadLineReason::Version),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":7}",
                seven(),
                -32600,
                BadLineReason::Method,
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":1}",
                seven(),
                -32600,
                BadLineReason::Method,
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":[1]}",
                seven(),
                -32602,
                BadLineReason::Params,
            ),
            (
                b"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":1}",
                None,
                -32602,
                BadLineReason::Params,
            ),
        ] {
            assert_eq!(bad(line), (id, code, reason), "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn an_id_that_is_too_long_is_refused_and_not_repeated() {
        let line = |length: usize| format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"x"}}"#, "i".repeat(length));
        assert!(request(&line(MAX_ID_BYTES - 2)).0.is_some());
        let refused = (None, JsonRpc::INVALID_REQUEST, BadLineReason::LongId);
        assert_eq!(bad(line(MAX_ID_BYTES - 1).as_bytes()), refused);
    }

    #[test]
    fn deep_parameters_are_carried_without_being_read() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(50_000), "]".repeat(50_000));
        let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{deep}}}"#);
        assert_eq!(request(&line).2, Some(deep));
    }

    #[test]
    fn an_answer_belongs_to_the_call_of_its_id() {
        let answer = |line: &str| match read(line) {
            Incoming::Answer { id, answer } => (id, answer.map(|result| result.get().to_owned())),
            other @ (Incoming::Request(_) | Incoming::Cancel(_) | Incoming::Other(_)) => panic!("{other:?}"),
        };
        for (line, id, result) in [
            (r#"{"jsonrpc":"2.0","id":3,"result":{"a": 1}}"#, 3, r#"{"a": 1}"#),
            (r#"{"id":3,"result":null,"error":null}"#, 3, "null"),
            (r#"{"id":"3","result":1}"#, 0, "1"),
            (r#"{"id":-3,"result":1}"#, 0, "1"),
            (r#"{"result":1}"#, 0, "1"),
        ] {
            let (read_id, read_result) = answer(line);
            assert_eq!((read_id, read_result.unwrap().as_str()), (id, result), "{line}");
        }
        let (id, error) = answer(r#"{"id":4,"error":{"code":-32001,"message":"no","data":{"x": 1}}}"#);
        let error = error.unwrap_err();
        assert_eq!((id, error.code, error.message.as_str()), (4, -32001, "no"));
        assert_eq!(error.data.unwrap().get(), r#"{"x": 1}"#);
        let null_result = answer(r#"{"id":4,"result":null,"error":{"code":7,"message":"no"}}"#);
        assert_eq!(null_result.1.unwrap_err().code, 7);
        let both = answer(r#"{"id":4,"result":{"output":{}},"error":{"code":7,"message":"no"}}"#);
        assert_eq!((both.0, both.1.unwrap_err().code), (4, JsonRpc::INVALID_REQUEST));
        let odd = answer(r#"{"id":4,"error":"no"}"#).1.unwrap_err();
        assert_eq!((odd.code, odd.data.unwrap().get()), (0, "\"no\""));
    }

    #[test]
    fn what_is_sent_is_one_compact_line() {
        let params = raw("{\r\n  \"a\": \"x\\n\"\n}");
        assert_eq!(
            text(JsonRpc.call(7, "say \"hi\"", &params)),
            r#"{"jsonrpc":"2.0","id":7,"method":"say \"hi\"","params":{    "a": "x\n" }}"#
        );
        assert_eq!(
            text(JsonRpc.notification("x", &raw("{}"))),
            r#"{"jsonrpc":"2.0","method":"x","params":{}}"#
        );
        let error = ErrorObject {
            code: -32000,
            message: "no\n".to_owned(),
            data: None,
        };
        let line = r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32000,"message":"no\n"}}"#;
        assert_eq!(text(JsonRpc.answer::<()>(&raw("\"a\""), Err(&error))), line);
        assert_eq!(text(JsonRpc::error(None, &error)), line.replace("\"a\"", "null"));
        assert!(JsonRpc.cancel(7).is_none());
    }

    #[test]
    fn a_result_that_is_no_json_is_answered_with_an_error() {
        let no_json = std::collections::BTreeMap::from([(vec![1], 2)]);
        let line = text(JsonRpc.answer(&raw("1"), Ok(&no_json)));
        assert!(
            line.starts_with(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"#),
            "{line}"
        );
    }
}
