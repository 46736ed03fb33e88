//! Hookwright's messages: a code, an English and a Chinese text, and the arguments that fill them (`CONTRACTS.md` §1).
//!
//! A message is made only from a [`MessageTemplate`], and a template has both languages. So a code without a text does
//! not compile. Each crate has its own list; `app` joins the lists for the window.

use serde_json::{Map, Value};

/// The values of the `{placeholders}` of a message, by name.
pub type Args = Map<String, Value>;

/// The template of one message in two languages. An empty `hint_*` means that there is no hint. An empty `case` means
/// that the code has one text only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageTemplate {
    /// The stable code that scripts rely on.
    pub code: &'static str,
    /// Names this text, if the code has several.
    pub case: &'static str,
    /// English template with `{name}` placeholders.
    pub en: &'static str,
    /// Simplified Chinese template with the same placeholders.
    pub zh: &'static str,
    /// English hint: what the user can do about it.
    pub hint_en: &'static str,
    /// Simplified Chinese hint.
    pub hint_zh: &'static str,
}

/// A rendered message: the English text, the code and the arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// [`MessageTemplate::code`].
    pub code: &'static str,
    /// The English text.
    pub text: String,
    /// The English hint, if the template has one.
    pub hint: Option<String>,
    /// The arguments. They include `case`, if the template has one.
    pub args: Args,
}

impl MessageTemplate {
    /// The key in the window's table of messages: `code` or `code.case`.
    #[must_use]
    pub fn key(&self) -> String {
        if self.case.is_empty() {
            self.code.to_owned()
        } else {
            format!("{}.{}", self.code, self.case)
        }
    }

    /// Fills the template with these arguments.
    #[must_use]
    pub fn render(&self, mut args: Args) -> Message {
        let text = fill_template(self.en, &args);
        let hint = (!self.hint_en.is_empty()).then(|| fill_template(self.hint_en, &args));
        if !self.case.is_empty() {
            args.insert("case".to_owned(), self.case.into());
        }
        Message {
            code: self.code,
            text,
            hint,
            args,
        }
    }

    /// Fills a template that has no placeholders.
    #[must_use]
    pub fn render_plain(&self) -> Message {
        self.render(Args::new())
    }
}

impl Message {
    /// The second argument that is needed when the text of this message is part of another message. Its name is the
    /// placeholder's name plus `_message`: `args! { "why" => inner.text, "why_message" => inner.to_args() }`. With it
    /// the window can render the inner message in its own language too.
    #[must_use]
    pub fn to_args(&self) -> Value {
        serde_json::json!({ "code": self.code, "args": self.args })
    }
}

impl std::fmt::Display for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// Fills a template in one pass. Placeholders inside an argument's value are not replaced. An unknown placeholder stays
/// as it is.
#[must_use]
pub fn fill_template(template: &str, args: &Args) -> String {
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let after = &rest[open + 1..];
        match after.find('}').map(|close| (&after[..close], &after[close + 1..])) {
            Some((name, tail)) if args.contains_key(name) => {
                match &args[name] {
                    Value::String(text) => out.push_str(text),
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                        out.push_str(&args[name].to_string());
                    }
                }
                rest = tail;
            }
            Some(_) | None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Builds [`Args`]: `args! { "field" => "timeout", "max" => 3600 }`.
#[macro_export]
macro_rules! args {
    () => { $crate::Args::new() };
    ($($name:literal => $value:expr),+ $(,)?) => {{
        let mut args = $crate::Args::new();
        $(args.insert($name.to_owned(), ::serde_json::json!($value));)+
        args
    }};
}

/// Declares message templates, and `ALL`, the list of them.
///
/// ```text
/// hookwright_model::messages! {
///     /// A field that the event does not accept.
///     NOT_ACCEPTED = "not_accepted" { "{event} does not accept it", "{event} 不接受此项" };
///     /// The same code with another text for lists, and a hint.
///     WRONG_LIST = "wrong_type" / "list" { "{field} must be a list", "{field} 必须是列表" }
///         hint { "write a list", "写成列表" };
/// }
/// ```
#[macro_export]
macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident = $code:literal $(/ $case:literal)? { $en:literal, $zh:literal } $(hint { $hen:literal, $hzh:literal })?;)+) => {
        $($(#[$doc])* pub const $name: $crate::MessageTemplate = $crate::MessageTemplate {
            code: $code,
            case: concat!($($case)?),
            en: $en,
            zh: $zh,
            hint_en: concat!($($hen)?),
            hint_zh: concat!($($hzh)?),
        };)+
        /// Every template of this list.
        pub const ALL: &[&$crate::MessageTemplate] = &[$(&$name),+];
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    mod declared {
        crate::messages! {
            /// A field that the event does not accept.
            NOT_ACCEPTED = "not_accepted" { "{event} does not accept it", "{event} 不接受此项" };
            /// The same code with another text for lists, and a hint.
            WRONG_LIST = "wrong_type" / "list" { "{field} must be a list", "{field} 必须是列表" }
                hint { "write a list", "写成列表" };
        }
    }

    #[test]
    fn declared_templates_are_listed_in_their_order() {
        let codes: Vec<_> = declared::ALL.iter().map(|it| (it.code, it.case)).collect();
        assert_eq!(codes, [("not_accepted", ""), ("wrong_type", "list")]);
        assert!(declared::NOT_ACCEPTED.code == codes[0].0 && declared::WRONG_LIST.case == codes[1].1);
    }

    #[test]
    fn a_value_that_looks_like_a_placeholder_stays_as_it_is() {
        let said = fill_template("{a} and {b} and {c}", &args! { "a" => "{b}", "b" => 2 });
        assert_eq!(said, "{b} and 2 and {c}");
    }
}
