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

/// Whether a template says the same in both languages: each placeholder is in both, and a hint too. `messages!` asks it
/// when the program is compiled.
#[must_use]
pub const fn says_the_same(template: &MessageTemplate) -> bool {
    has_placeholders_of(template.en, template.zh)
        && has_placeholders_of(template.zh, template.en)
        && has_placeholders_of(template.hint_en, template.hint_zh)
        && has_placeholders_of(template.hint_zh, template.hint_en)
        && template.hint_en.is_empty() == template.hint_zh.is_empty()
}

/// Whether these names include each placeholder of a template. `render!` asks it when the program is compiled.
#[must_use]
pub const fn has_arguments(template: &MessageTemplate, names: &[&str]) -> bool {
    let texts = [template.en, template.zh, template.hint_en, template.hint_zh];
    let mut text = 0;
    while text < texts.len() {
        let mut at = 0;
        while let Some((begin, end)) = placeholder(texts[text].as_bytes(), at) {
            let mut name = 0;
            while name < names.len() && !is_at(texts[text].as_bytes(), begin, end, names[name].as_bytes()) {
                name += 1;
            }
            if name == names.len() {
                return false;
            }
            at = end;
        }
        text += 1;
    }
    true
}

/// Whether a text has each placeholder of another one.
const fn has_placeholders_of(text: &str, other: &str) -> bool {
    let (text, other) = (text.as_bytes(), other.as_bytes());
    let mut at = 0;
    while let Some((begin, end)) = placeholder(other, at) {
        let (_, name) = other.split_at(begin);
        let (name, _) = name.split_at(end - begin);
        let mut from = 0;
        let is_found = loop {
            match placeholder(text, from) {
                Some((begin, end)) if is_at(text, begin, end, name) => break true,
                Some((_, end)) => from = end,
                None => break false,
            }
        };
        if !is_found {
            return false;
        }
        at = end;
    }
    true
}

/// Whether these bytes of a text are this name.
const fn is_at(text: &[u8], begin: usize, end: usize, name: &[u8]) -> bool {
    if end - begin != name.len() {
        return false;
    }
    let mut at = 0;
    while at < name.len() && text[begin + at] == name[at] {
        at += 1;
    }
    at == name.len()
}

/// The next `{name}` of a text: where its name begins and ends. Other braces, as of JSON, are text.
const fn placeholder(text: &[u8], mut at: usize) -> Option<(usize, usize)> {
    while at < text.len() {
        if text[at] == b'{' {
            let begin = at + 1;
            let mut end = begin;
            while end < text.len()
                && (text[end].is_ascii_lowercase() || text[end].is_ascii_digit() || text[end] == b'_')
            {
                end += 1;
            }
            if end > begin && end < text.len() && text[end] == b'}' {
                return Some((begin, end));
            }
        }
        at += 1;
    }
    None
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

/// Renders a template with these arguments. A placeholder without an argument does not compile.
///
/// ```
/// # use hookwright_model::{messages, render};
/// messages! {
///     /// The dialect does not have this layer.
///     NO_LAYER = "no_layer" { "{dialect} has no layer {layer}", "{dialect} 没有 {layer} 层" };
/// }
/// assert_eq!(render!(NO_LAYER, "dialect" => "j-cli", "layer" => "local").text, "j-cli has no layer local");
/// ```
///
/// ```compile_fail
/// # use hookwright_model::{messages, render};
/// # messages! {
/// #     /// The dialect does not have this layer.
/// #     NO_LAYER = "no_layer" { "{dialect} has no layer {layer}", "{dialect} 没有 {layer} 层" };
/// # }
/// render!(NO_LAYER, "dialect" => "j-cli");
/// ```
#[macro_export]
macro_rules! render {
    ($template:expr, $($name:literal => $value:expr),+ $(,)?) => {{
        const _: () = assert!(
            $crate::message::has_arguments(&$template, &[$($name),+]),
            "a placeholder of this template has no argument"
        );
        $template.render($crate::args! { $($name => $value),+ })
    }};
}

/// Declares message templates, and `ALL`, the list of them. A template whose texts have different placeholders does not
/// compile.
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
        };
        const _: () = assert!(
            $crate::message::says_the_same(&$name),
            concat!("the texts of ", stringify!($name), " have different placeholders")
        );)+
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
