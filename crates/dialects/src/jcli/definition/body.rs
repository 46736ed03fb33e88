//! What a hook runs: `type`, `command`, `prompt`, `model`.

use hookwright_model::problem::TextPosition;
use hookwright_model::{Handler, args};
use serde_json::Value;

use super::{Desk, Fields, Type};
use crate::jcli::prompt::{self, Piece};
use crate::jcli::{messages, nearest};
use crate::relay;
use crate::yaml::{Kind, Node};

impl Desk<'_> {
    /// The type; `None` for one that does not exist, and then it has been said.
    pub(super) fn kind(&mut self, fields: Fields<'_>) -> Option<Type> {
        let Some(node) = fields.get("type") else {
            return Some(Type::Bash);
        };
        match self.text("type", node)? {
            "llm" => Some(Type::Llm),
            "bash" => Some(Type::Bash),
            other => {
                self.say(messages::UNKNOWN_TYPE.render(args! { "written" => other }), node.spot);
                None
            }
        }
    }

    /// The command, and the command inside when it is wrapped by our relay.
    pub(super) fn command(&mut self, fields: Fields<'_>, spot: TextPosition) -> (Handler, Option<String>) {
        self.idle(fields, Type::Bash, &["model", "prompt"]);
        let written = match fields.get("command") {
            None => {
                let saying = if fields.get("prompt").is_some() {
                    messages::MISSING_TYPE
                } else {
                    messages::MISSING
                };
                self.say(saying.render(args! { "type" => "bash", "field" => "command" }), spot);
                String::new()
            }
            Some(node) => {
                if let Some((words, spot)) = crate::held::text("command", node) {
                    self.say(words, spot);
                }
                match &node.kind {
                    Kind::Scalar {
                        value: Value::Bool(_) | Value::Number(_),
                        text,
                    } => {
                        let words =
                            messages::BARE_COMMAND.render(args! { "found" => node.kind_word(), "written" => text });
                        self.warn(words, node.spot);
                        text.clone()
                    }
                    Kind::Scalar { .. } | Kind::List(_) | Kind::Mapping { .. } => self.not_blank("command", node),
                }
            }
        };
        let inner = relay::unwrap("jcli", &written);
        (
            Handler::Shell {
                command: inner.clone().unwrap_or(written),
            },
            inner,
        )
    }

    pub(super) fn prompt(&mut self, fields: Fields<'_>, spot: TextPosition) -> Handler {
        self.idle(fields, Type::Llm, &["command"]);
        let template = match fields.get("prompt") {
            None => {
                let saying = if fields.get("command").is_some() {
                    messages::MISSING_PROMPT
                } else {
                    messages::MISSING
                };
                self.say(saying.render(args! { "type" => "llm", "field" => "prompt" }), spot);
                String::new()
            }
            Some(node) => {
                let template = self.not_blank("prompt", node);
                self.placeholders(node, &template);
                template
            }
        };
        let model = fields
            .get("model")
            .and_then(|node| self.text("model", node))
            .map(str::to_owned);
        Handler::Prompt { template, model }
    }

    fn not_blank(&mut self, field: &str, node: &Node) -> String {
        let Some(text) = self.text(field, node) else {
            return String::new();
        };
        if text.trim().is_empty() {
            self.say(messages::EMPTY.render(args! { "field" => field }), node.spot);
        }
        text.to_owned()
    }

    /// Fields that belong to the other type.
    fn idle(&mut self, fields: Fields<'_>, kind: Type, idle: &[&str]) {
        for field in idle {
            let missing = if kind == Type::Bash { "command" } else { "prompt" };
            // A prompt without a command is a forgotten type, and said as that.
            let told_elsewhere = *field != "model" && fields.get(missing).is_none();
            if let (Some(node), Some(spot), false) = (fields.get(field), fields.key_spot(field), told_elsewhere) {
                if *field == "model" && self.text(field, node).is_none() {
                    continue;
                }
                self.say(
                    messages::NO_EFFECT.render(args! { "field" => *field, "type" => kind.word() }),
                    spot,
                );
            }
        }
    }

    fn placeholders(&mut self, node: &Node, template: &str) {
        let mut from = 0;
        for piece in prompt::pieces(template) {
            let Piece::Unknown(written, name) = piece else { continue };
            let known: Vec<String> = prompt::PLACEHOLDERS
                .iter()
                .map(|name| format!("{{{{{name}}}}}"))
                .collect();
            let words = match nearest(name, prompt::PLACEHOLDERS.into_iter()) {
                Some(nearest) => messages::PLACEHOLDER_NEAR
                    .render(args! { "written" => written, "nearest" => format!("{{{{{nearest}}}}}") }),
                None => messages::PLACEHOLDER.render(args! { "written" => written, "known" => known.join(" ") }),
            };
            let spot = self.spot_inside(node, written, &mut from);
            self.say(words, spot);
        }
    }

    /// Where the next such piece stands inside a value, as it is written in the file; the value's place when it cannot be found.
    fn spot_inside(&self, node: &Node, written: &str, from: &mut usize) -> TextPosition {
        let source = self.place.text.get(node.span.clone()).unwrap_or_default();
        let Some(ahead) = source.get(*from..).and_then(|rest| rest.find(written)) else {
            return node.spot;
        };
        let at = *from + ahead;
        *from = at + written.len();
        let count = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let before = &source[..at];
        let lines = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX);
        let column = match before.rfind('\n') {
            Some(end) => count(&before[end + 1..]) + 1,
            None => node.spot.column + count(before),
        };
        TextPosition {
            line: node.spot.line + lines,
            column,
        }
    }
}
