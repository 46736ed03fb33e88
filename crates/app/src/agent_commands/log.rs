//! The protocol log of a session: its last lines in both directions, redacted.

use std::collections::HashMap;

use hookwright_redact::Redactor;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::{WantedSession, find_session};
use crate::agent_sessions::protocol_log::{LoggedLine, Sender};
use crate::app::App;
use crate::fault::Fault;

/// How much of a line is shown, in bytes.
const SHOWN_LINE_BYTES: usize = 4 << 10;

/// The parameters of `agents.log`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema, TS)]
pub struct AgentLogRequest {
    /// A session id, or the agent's name when only one session has it.
    pub session: String,
    /// The dialect of the session; absent if only one dialect has a session of this id.
    #[serde(default)]
    #[ts(optional)]
    pub dialect: Option<String>,
    /// The project of the session, absolute; absent if only one project has a session of this id.
    #[serde(default)]
    #[ts(optional)]
    pub project: Option<String>,
    /// Only lines after this number; absent for all that are kept.
    #[serde(default)]
    #[ts(optional, type = "number")]
    pub after: Option<u64>,
}

/// The last lines of a session, at most 200 and 1 MiB. They are in memory only.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, TS)]
pub struct AgentLogDoc {
    /// The lines, oldest first.
    pub lines: Vec<AgentLogLine>,
}

/// One line. Its secrets are masked.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema, TS)]
pub struct AgentLogLine {
    /// Increases from line to line.
    #[ts(type = "number")]
    pub number: u64,
    /// When it was read or written, RFC 3339.
    pub at: String,
    /// Which side sent it: `agent` or `engine`.
    pub from: String,
    /// `request`, `notification`, `result`, `error`, or `other` for a line that is none of these.
    pub kind: String,
    /// The method. For a result or an error, the method of its request; `null` if that is not kept any more.
    pub method: Option<String>,
    /// The id, as JSON; `null` if the line has none.
    pub id: Option<String>,
    /// For a result or an error, the time since its request, in milliseconds.
    pub took_ms: Option<f64>,
    /// The length of the line, in bytes.
    #[ts(type = "number")]
    pub bytes: u64,
    /// The text of the line.
    pub text: String,
    /// Whether the text is only the beginning.
    pub cut: bool,
    /// Whether secrets were masked.
    pub redacted: bool,
}

/// `agents.log`: the last lines of a session.
///
/// # Errors
/// The session is unknown.
pub async fn agents_log(app: &App, request: AgentLogRequest) -> Result<AgentLogDoc, Fault> {
    let wanted = WantedSession {
        session: &request.session,
        dialect: request.dialect.as_deref(),
        project: request.project.as_deref(),
    };
    let session = find_session(app, wanted)?;
    let after = request.after.unwrap_or(0);
    let lines = session.log.lines();
    if lines.last().is_none_or(|line| line.number <= after) {
        return Ok(AgentLogDoc { lines: Vec::new() });
    }
    let mut shown = shown_lines(&lines, &app.workspace.redactor());
    shown.retain(|line| line.number > after);
    Ok(AgentLogDoc { lines: shown })
}

/// A value that one line has under a secret name is masked in all of them.
fn shown_lines(lines: &[LoggedLine], redactor: &Redactor) -> Vec<AgentLogLine> {
    let texts: Vec<String> = lines
        .iter()
        .map(|line| String::from_utf8_lossy(&line.kept).into_owned())
        .collect();
    let mut masked = Value::from(texts.clone());
    redactor.value(&mut masked);
    let mut requests = HashMap::new();
    let mut shown = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        let text = masked[index].as_str().unwrap_or_default();
        let head = Head::of(&texts[index]);
        // The method and the id are texts of the agent too. A number stays as it is.
        let shown_id = Head::of(text).id;
        let (method, took_ms) = head.request_of(line, &mut requests);
        let method = method.map(|method| redactor.text(&method).0);
        let end = text.floor_char_boundary(SHOWN_LINE_BYTES);
        shown.push(AgentLogLine {
            number: line.number,
            at: line.at.to_string(),
            from: match line.sender {
                Sender::Agent => "agent".to_owned(),
                Sender::Engine => "engine".to_owned(),
            },
            kind: head.kind().to_owned(),
            method,
            id: shown_id.or_else(|| head.id.as_deref().map(|id| redactor.text(id).0)),
            took_ms,
            bytes: u64::try_from(line.bytes).unwrap_or(u64::MAX),
            text: text[..end].to_owned(),
            cut: end < text.len() || line.bytes > line.kept.len(),
            redacted: text != texts[index],
        });
    }
    shown
}

/// A request that waits for its answer: connection, who asked, and the id.
type RequestKey = (u64, Sender, String);

/// What kind of message a line is. A line that was cut is read as far as it goes.
#[derive(Debug, Default)]
struct Head {
    id: Option<String>,
    method: Option<String>,
    has_result: bool,
    has_error: bool,
}

impl Head {
    fn of(line: &str) -> Self {
        let mut head = Self::default();
        // What was read before an error is kept.
        let _ = HeadReader(&mut head).deserialize(&mut serde_json::Deserializer::from_str(line));
        head
    }

    fn kind(&self) -> &'static str {
        match (&self.method, &self.id) {
            (Some(_), Some(_)) => "request",
            (Some(_), None) => "notification",
            (None, _) if self.has_error => "error",
            (None, _) if self.has_result => "result",
            (None, _) => "other",
        }
    }

    /// The method of this line, and for an answer the time since its request.
    fn request_of(
        &self,
        line: &LoggedLine,
        requests: &mut HashMap<RequestKey, (String, Timestamp)>,
    ) -> (Option<String>, Option<f64>) {
        match (&self.method, &self.id) {
            (Some(method), Some(id)) => {
                let key = (line.connection, line.sender, id.clone());
                requests.insert(key, (method.clone(), line.at));
                (Some(method.clone()), None)
            }
            (None, Some(id)) => {
                let asker = match line.sender {
                    Sender::Agent => Sender::Engine,
                    Sender::Engine => Sender::Agent,
                };
                let asked = requests.remove(&(line.connection, asker, id.clone()));
                let took = |at: Timestamp| line.at.duration_since(at).as_secs_f64() * 1000.0;
                asked.map_or((None, None), |(method, at)| (Some(method), Some(took(at))))
            }
            (method, None) => (method.clone(), None),
        }
    }
}

struct HeadReader<'h>(&'h mut Head);

impl<'de> DeserializeSeed<'de> for HeadReader<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for HeadReader<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "id" => self.0.id = map.next_value::<Option<Value>>()?.map(|id| id.to_string()),
                "method" => self.0.method = Some(map.next_value()?),
                "result" | "error" => {
                    self.0.has_result |= key == "result";
                    self.0.has_error |= key == "error";
                    map.next_value::<IgnoredAny>()?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hookwright_redact::RedactionSettings;

    use super::*;

    fn line(second: i64, sender: Sender, text: &str) -> LoggedLine {
        LoggedLine {
            number: u64::try_from(second).unwrap(),
            connection: 1,
            at: Timestamp::from_second(second).unwrap(),
            sender,
            bytes: text.len(),
            kept: text.as_bytes().into(),
        }
    }

    fn shown(lines: &[LoggedLine]) -> Vec<AgentLogLine> {
        let redactor = Redactor::new(Vec::<(String, String)>::new(), &RedactionSettings::default());
        shown_lines(lines, &redactor)
    }

    #[test]
    fn an_answer_has_the_method_of_its_request_and_the_time_between() {
        let shown = shown(&[
            line(1, Sender::Agent, r#"{"jsonrpc":"2.0","id":1,"method":"event.fire"}"#),
            line(
                2,
                Sender::Engine,
                r#"{"jsonrpc":"2.0","id":1,"method":"model.complete"}"#,
            ),
            line(4, Sender::Engine, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            line(5, Sender::Agent, r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#),
            line(6, Sender::Engine, r#"{"jsonrpc":"2.0","id":9,"result":{}}"#),
            line(7, Sender::Agent, r#"{"jsonrpc":"2.0","method":"event.note"}"#),
            line(8, Sender::Agent, "garbage"),
        ]);
        let found: Vec<_> = shown
            .iter()
            .map(|line| (line.kind.as_str(), line.method.as_deref(), line.took_ms))
            .collect();
        assert_eq!(
            found,
            [
                ("request", Some("event.fire"), None),
                ("request", Some("model.complete"), None),
                ("result", Some("event.fire"), Some(3000.0)),
                ("error", Some("model.complete"), Some(3000.0)),
                ("result", None, None),
                ("notification", Some("event.note"), None),
                ("other", None, None),
            ]
        );
    }

    #[test]
    fn a_secret_of_one_line_is_masked_in_every_line() {
        let shown = shown(&[
            line(
                1,
                Sender::Agent,
                r#"{"method":"a","params":{"api_key":"Zx81kQ90vmLw22"}}"#,
            ),
            line(2, Sender::Engine, r#"{"method":"b","params":"uses Zx81kQ90vmLw22"}"#),
        ]);
        assert!(
            shown
                .iter()
                .all(|line| !line.text.contains("Zx81kQ90vmLw22") && line.redacted)
        );
    }

    #[test]
    fn a_secret_as_method_or_id_is_masked_and_its_answer_is_still_found() {
        let token = "ghp_Zx81kQ90vmLw22Zx81kQ90vmLw22Zx81kQ90";
        let shown = shown(&[
            line(1, Sender::Agent, &format!(r#"{{"id":"{token}","method":"{token}"}}"#)),
            line(2, Sender::Engine, &format!(r#"{{"id":"{token}","error":{{}}}}"#)),
        ]);
        assert!(!format!("{shown:?}").contains(token), "{shown:#?}");
        assert_eq!((shown[1].kind.as_str(), shown[1].took_ms), ("error", Some(1000.0)));
        assert_eq!(shown[1].method, shown[0].method);
    }

    #[test]
    fn a_long_line_is_cut_and_still_recognized() {
        let text = format!(r#"{{"id":3,"method":"event.fire","params":"{}"#, "é".repeat(5000));
        let shown = shown(&[line(1, Sender::Agent, &text)]);
        assert!(shown[0].cut && shown[0].text.len() <= SHOWN_LINE_BYTES);
        assert_eq!((shown[0].kind.as_str(), shown[0].id.as_deref()), ("request", Some("3")));
    }
}
