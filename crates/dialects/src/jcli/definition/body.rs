//! Reads what a hook runs: `type`, `command`, `prompt`, `model`.

use hookwright_model::problem::TextPosition;
use hookwright_model::{Handler, args};
use serde_json::Value;

use super::{DefinitionReader, HookType};
use crate::jcli::events::CARD;
use crate::jcli::prompt::{self, TemplatePart};
use crate::jcli::{messages, nearest};
use crate::node::FieldReader;
use crate::relay;
use crate::yaml::{Node, ValueKind};

impl DefinitionReader<'_> {
    /// Reads the type. Returns `None` for a wrong or unknown one, after it is reported.
    pub(super) fn read_type(&mut self, fields: FieldReader<'_>) -> Option<HookType> {
        let Some(node) = fields.get("type") else {
            return Some(HookType::Bash);
        };
        match self.read_text("type", node)? {
            "llm" => Some(HookType::Llm),
            "bash" => Some(HookType::Bash),
            other => {
                self.report_rejected(
                    messages::UNKNOWN_TYPE.render(args! { "written" => other }),
                    node.position,
                );
                None
            }
        }
    }

    /// Reads the command. The second value is the inner command if Hookwright's relay wraps it.
    pub(super) fn read_command(&mut self, fields: FieldReader<'_>, spot: TextPosition) -> (Handler, Option<String>) {
        self.report_idle_fields(fields, HookType::Bash, &["model", "prompt"]);
        let written = match fields.get("command") {
            None => {
                let template = if fields.get("prompt").is_some() {
                    messages::MISSING_TYPE
                } else {
                    messages::MISSING
                };
                self.report(template.render(args! { "type" => "bash", "field" => "command" }), spot);
                String::new()
            }
            Some(node) => {
                if let Some((message, spot)) = crate::nul_checks::check_text("command", node) {
                    self.report(message, spot);
                }
                match &node.kind {
                    ValueKind::Scalar {
                        value: Value::Bool(_) | Value::Number(_),
                        text,
                    } => {
                        let message =
                            messages::BARE_COMMAND.render(args! { "found" => node.yaml_type(), "written" => text });
                        self.warn(message, node.position);
                        text.clone()
                    }
                    ValueKind::Scalar { .. } | ValueKind::List(_) | ValueKind::Mapping { .. } => {
                        self.read_non_blank("command", node)
                    }
                }
            }
        };
        let inner = relay::unwrap_command(&CARD, &written);
        (
            Handler::Shell {
                command: inner.clone().unwrap_or(written),
            },
            inner,
        )
    }

    pub(super) fn read_prompt(&mut self, fields: FieldReader<'_>, spot: TextPosition) -> Handler {
        self.report_idle_fields(fields, HookType::Llm, &["command"]);
        let template = match fields.get("prompt") {
            None => {
                let template = if fields.get("command").is_some() {
                    messages::MISSING_PROMPT
                } else {
                    messages::MISSING
                };
                self.report(template.render(args! { "type" => "llm", "field" => "prompt" }), spot);
                String::new()
            }
            Some(node) => {
                let template = self.read_non_blank("prompt", node);
                self.check_placeholders(node, &template);
                template
            }
        };
        let model = fields
            .get("model")
            .and_then(|node| self.read_text("model", node))
            .map(str::to_owned);
        Handler::Prompt { template, model }
    }

    fn read_non_blank(&mut self, field: &str, node: &Node) -> String {
        let Some(text) = self.read_text(field, node) else {
            return String::new();
        };
        if text.trim().is_empty() {
            self.report(messages::EMPTY.render(args! { "field" => field }), node.position);
        }
        text.to_owned()
    }

    /// Reports the fields that belong to the other type of hook.
    fn report_idle_fields(&mut self, fields: FieldReader<'_>, kind: HookType, idle: &[&str]) {
        for field in idle {
            let missing = if kind == HookType::Bash { "command" } else { "prompt" };
            // If the field that the type needs is missing too, `MISSING_TYPE` or `MISSING_PROMPT` reports it.
            let reported_elsewhere = *field != "model" && fields.get(missing).is_none();
            if let (Some(node), Some(spot), false) = (fields.get(field), fields.key_position(field), reported_elsewhere)
            {
                if *field == "model" && self.read_text(field, node).is_none() {
                    continue;
                }
                self.report(
                    messages::NO_EFFECT.render(args! { "field" => *field, "type" => kind.as_str() }),
                    spot,
                );
            }
        }
    }

    fn check_placeholders(&mut self, node: &Node, template: &str) {
        let mut from = 0;
        for piece in prompt::split_template(template) {
            let TemplatePart::Unknown(written, name) = piece else {
                continue;
            };
            let known: Vec<String> = prompt::PLACEHOLDERS
                .iter()
                .map(|name| format!("{{{{{name}}}}}"))
                .collect();
            let message = match nearest(name, prompt::PLACEHOLDERS.into_iter()) {
                Some(nearest) => messages::PLACEHOLDER_NEAR
                    .render(args! { "written" => written, "nearest" => format!("{{{{{nearest}}}}}") }),
                None => messages::PLACEHOLDER.render(args! { "written" => written, "known" => known.join(" ") }),
            };
            let spot = self.position_inside(node, written, &mut from);
            self.report(message, spot);
        }
    }

    /// The position of the next `written` in the file's text of a value. If it is not found, the position of the value.
    fn position_inside(&self, node: &Node, written: &str, from: &mut usize) -> TextPosition {
        let source = self.site.text.get(node.span.clone()).unwrap_or_default();
        let Some(ahead) = source.get(*from..).and_then(|rest| rest.find(written)) else {
            return node.position;
        };
        let at = *from + ahead;
        *from = at + written.len();
        let count = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let before = &source[..at];
        let lines = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX);
        let column = match before.rfind('\n') {
            Some(end) => count(&before[end + 1..]) + 1,
            None => node.position.column + count(before),
        };
        TextPosition {
            line: node.position.line + lines,
            column,
        }
    }
}
