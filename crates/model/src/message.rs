//! Sentences of ours: a code, its English and Chinese text, and the arguments that fill them (`CONTRACTS.md` §1).
//!
//! A sentence can only be said through a [`MessageTemplate`], and a [`MessageTemplate`] has both languages: a code without a text does
//! not compile. Each crate keeps its own list; `app` joins them for the window.

use serde_json::{Map, Value};

/// What fills the `{placeholders}` of a sentence.
pub type Args = Map<String, Value>;

/// One sentence in two languages. Empty `hint_*` means that there is none; empty `case` that the code has one wording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageTemplate {
    /// The stable name that scripts rely on.
    pub code: &'static str,
    /// Which of several wordings of this code.
    pub case: &'static str,
    /// English template with `{name}` placeholders.
    pub en: &'static str,
    /// Simplified Chinese template with the same placeholders.
    pub zh: &'static str,
    /// What to do about it, English.
    pub hint_en: &'static str,
    /// What to do about it, Simplified Chinese.
    pub hint_zh: &'static str,
}

/// A sentence that was said: English text beside code and arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// [`MessageTemplate::code`].
    pub code: &'static str,
    /// The English sentence.
    pub text: String,
    /// The English advice, when there is one.
    pub hint: Option<String>,
    /// The arguments, with `case` among them where the template has one.
    pub args: Args,
}

impl MessageTemplate {
    /// `code`, or `code.case`: the key of the window's table.
    #[must_use]
    pub fn key(&self) -> String {
        if self.case.is_empty() {
            self.code.to_owned()
        } else {
            format!("{}.{}", self.code, self.case)
        }
    }

    /// Says the sentence with these arguments.
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

    /// Says the sentence without arguments.
    #[must_use]
    pub fn render_plain(&self) -> Message {
        self.render(Args::new())
    }
}

impl Message {
    /// What stands beside the text of a sentence inside another one, under the placeholder's name and `_message`, so that the
    /// window can render the inner one in its language too: `args! { "why" => inner.text, "why_message" => inner.to_args() }`.
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

/// Puts the arguments into a template, in one pass: a value is never looked at for placeholders.
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

/// Declares sentences and the list of them, `ALL`.
///
/// ```
/// hookwright_model::messages! {
///     /// A field the event does not take.
///     NOT_ACCEPTED = "not_accepted" { "{event} does not accept it", "{event} 不接受此项" };
///     /// The same code worded for lists, with advice.
///     WRONG_LIST = "wrong_type" / "list" { "{field} must be a list", "{field} 必须是列表" } hint { "write a list", "写成列表" };
/// }
/// assert_eq!(ALL.len(), 2);
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
        /// Every sentence of this list.
        pub const ALL: &[&$crate::MessageTemplate] = &[$(&$name),+];
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_looks_like_a_placeholder_stays_as_it_is() {
        let said = fill_template("{a} and {b} and {c}", &args! { "a" => "{b}", "b" => 2 });
        assert_eq!(said, "{b} and 2 and {c}");
    }
}
