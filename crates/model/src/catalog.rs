//! All message templates of the program, to write a recorded message again from its code and arguments.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::message::{Args, MessageTemplate, fill_template};

/// The message templates by code and case. Clones share the table.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    templates: Arc<HashMap<(&'static str, &'static str), &'static MessageTemplate>>,
}

impl Catalog {
    /// Creates a catalog. Of two templates with the same code and case, the last one remains, as in the window.
    pub fn new(templates: impl IntoIterator<Item = &'static MessageTemplate>) -> Self {
        let by_key = templates.into_iter().map(|it| ((it.code, it.case), it));
        Self {
            templates: Arc::new(by_key.collect()),
        }
    }

    /// The English text of a message; `None` if no template has this code.
    #[must_use]
    pub fn text(&self, code: &str, args: &Args) -> Option<String> {
        let case = args.get("case").and_then(Value::as_str).unwrap_or_default();
        let template = self
            .templates
            .get(&(code, case))
            .or_else(|| self.templates.get(&(code, "")))?;
        Some(fill_template(template.en, args))
    }

    /// The English text of a recorded message. A code that no longer exists gives its name and arguments
    /// (`CONTRACTS.md` §2.6).
    #[must_use]
    pub fn text_or_code(&self, code: &str, args: &Args) -> String {
        self.text(code, args).unwrap_or_else(|| {
            if args.is_empty() {
                code.to_owned()
            } else {
                format!("{code} {}", Value::Object(args.clone()))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;

    crate::messages! {
        ONE = "one" { "one {thing}", "一 {thing}" };
        OTHER = "one" / "other" { "another {thing}", "另一 {thing}" };
    }

    #[test]
    fn a_message_is_written_again_from_its_code_and_arguments() {
        let catalog = Catalog::new(ALL.iter().copied());
        for template in ALL {
            let message = template.render(args! { "thing" => "x" });
            assert_eq!(catalog.text(message.code, &message.args), Some(message.text));
        }
    }

    #[test]
    fn a_removed_code_gives_its_name_and_arguments() {
        let catalog = Catalog::new(ALL.iter().copied());
        assert_eq!(catalog.text("gone", &Args::new()), None);
        assert_eq!(catalog.text_or_code("gone", &Args::new()), "gone");
        assert_eq!(catalog.text_or_code("gone", &args! { "n" => 2 }), r#"gone {"n":2}"#);
    }
}
