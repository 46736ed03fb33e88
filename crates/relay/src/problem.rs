//! Why an event got no reply of the engine, and the one sentence about it on stderr.

use std::fmt::Write;

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoReply {
    /// No program listens on any of the places.
    NoEngine,
    /// A program accepted the connection and did not open the session in time.
    NotAnswering,
    /// The connection ended before the reply.
    ConnectionLost,
    /// The socket belongs to another user, or cannot be used for another reason.
    Socket(String),
    /// What the engine sent is not a reply.
    NotUnderstood,
    /// The engine refused the session or the event.
    Refused {
        code: i64,
        message: String,
        hint: Option<String>,
    },
    /// A variable has a relative path.
    RelativePath { name: &'static str, path: String },
    /// Stdin could not be read.
    Stdin(String),
    /// Stdin is empty.
    EmptyEvent,
    /// Stdin is not one JSON document. The position counts bytes from 1.
    NotJson { byte: usize },
    /// Stdin is not UTF-8.
    NotUtf8,
    /// The event is larger than the engine accepts.
    TooLarge,
    /// The event's name is not known: `--event` is missing, and the payload has no such field.
    NoEventName { field: Option<&'static str> },
}

/// What happens to the agent without a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consequence<'a> {
    /// The agent continues.
    Continues,
    /// The agent is blocked, because `--fail-closed` is set.
    Blocked,
    /// `--fail-closed` is set, and this event is not one that it blocks.
    NotBlocked { event: &'a str },
}

impl NoReply {
    /// What is wrong: lower case, without a full stop.
    fn what(&self) -> String {
        match self {
            Self::NoEngine => "no Hookwright engine is running".to_owned(),
            Self::NotAnswering => "the Hookwright engine did not respond within 2 s".to_owned(),
            Self::ConnectionLost => "the Hookwright engine closed the connection before it replied".to_owned(),
            Self::Socket(why) => format!("the engine's socket cannot be used ({why})"),
            Self::NotUnderstood => "the Hookwright engine sent an invalid reply".to_owned(),
            Self::Refused { message, .. } => message.clone(),
            Self::RelativePath { name, path } => format!("{name} is the relative path `{path}`"),
            Self::Stdin(why) => format!("the event on stdin cannot be read ({why})"),
            Self::EmptyEvent => "stdin is empty; expected the event as JSON".to_owned(),
            Self::NotJson { byte } => format!("the event on stdin is not valid JSON (byte {byte})"),
            Self::NotUtf8 => "the event on stdin is not valid UTF-8".to_owned(),
            Self::TooLarge => "the event is larger than 16 MiB".to_owned(),
            Self::NoEventName { field: Some(field) } => format!("the event has no field `{field}`"),
            Self::NoEventName { field: None } => "the name of the event is not known".to_owned(),
        }
    }

    /// What to do about it, beginning with a verb.
    fn hint(&self) -> Option<&str> {
        match self {
            Self::NoEngine => Some("start it with `hookwright serve`"),
            Self::Refused { hint, .. } => hint.as_deref(),
            Self::RelativePath { .. } => Some("set it to an absolute path"),
            Self::NoEventName { .. } => Some("add `--event EVENT`"),
            Self::NotAnswering
            | Self::ConnectionLost
            | Self::Socket(_)
            | Self::NotUnderstood
            | Self::Stdin(_)
            | Self::EmptyEvent
            | Self::NotJson { .. }
            | Self::NotUtf8
            | Self::TooLarge => None,
        }
    }

    /// Whether the engine has ended the session, or is about to end (`CONTRACTS.md` §3).
    pub fn ends_session(&self) -> bool {
        matches!(
            self,
            Self::Refused {
                code: -32001 | -32005,
                ..
            }
        )
    }

    /// One line for stderr, which some agents also show to the user or give to the model.
    pub fn sentence(&self, consequence: Consequence<'_>) -> String {
        let mut line = format!("hookwright-relay: {}; ", self.what());
        match consequence {
            Consequence::Continues => line.push_str("the agent continues"),
            Consequence::Blocked => line.push_str("the agent is blocked"),
            // Writing to a `String` cannot fail.
            Consequence::NotBlocked { event } => {
                let _ = write!(
                    line,
                    "the agent continues, since --fail-closed has no effect at {event}"
                );
            }
        }
        if let Some(hint) = self.hint() {
            let _ = write!(line, " ({hint})");
        }
        line.replace(|sign: char| sign.is_control(), " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_one_line_with_what_happens_and_what_to_do() {
        assert_eq!(
            NoReply::NoEngine.sentence(Consequence::Continues),
            "hookwright-relay: no Hookwright engine is running; the agent continues (start it with `hookwright serve`)"
        );
        let refused = NoReply::Refused {
            code: -32002,
            message: "unknown event\n`x`".to_owned(),
            hint: None,
        };
        assert_eq!(
            refused.sentence(Consequence::Blocked),
            "hookwright-relay: unknown event `x`; the agent is blocked"
        );
        assert_eq!(
            NoReply::TooLarge.sentence(Consequence::NotBlocked { event: "Stop" }),
            "hookwright-relay: the event is larger than 16 MiB; the agent continues, since --fail-closed has no effect at Stop"
        );
    }
}
