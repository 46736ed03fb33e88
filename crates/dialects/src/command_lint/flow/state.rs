//! What is known at one place of a text: exit codes, variables, options and traps.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{BitOr, BitOrAssign};
use std::rc::Rc;

use crate::shell::tree::ShellCommand;
use crate::shell::{Word, is_name};

/// A set of exit codes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Codes(u8);

impl Codes {
    /// No code: this end does not come.
    pub const NONE: Self = Self(0);
    /// 0.
    pub const OK: Self = Self(1);
    /// 1.
    pub const ONE: Self = Self(2);
    /// 2, as the text itself says it.
    pub const TWO: Self = Self(4);
    /// Any other code.
    pub const OTHER: Self = Self(8);
    /// The code of a program, or a computed one, that may be 2.
    pub const UNKNOWN: Self = Self(16);
    /// 0 or 1.
    pub const OK_OR_ONE: Self = Self(1 | 2);
    /// What a usual tool ends with.
    pub const TOOL: Self = Self(1 | 2 | 8);
    /// What an unknown program ends with.
    pub const PROGRAM: Self = Self(1 | 2 | 8 | 16);
    /// Everything.
    pub const ANY: Self = Self(31);

    /// The success among them.
    #[must_use]
    pub const fn ok(self) -> Self {
        Self(self.0 & 1)
    }

    /// The failures among them.
    #[must_use]
    pub const fn failure(self) -> Self {
        Self(self.0 & !1)
    }

    /// Whether one of them is that of the text's own denial.
    #[must_use]
    pub const fn has_two(self) -> bool {
        self.0 & Self::TWO.0 != 0
    }

    /// Whether one of them may be 2.
    #[must_use]
    pub const fn may_be_two(self) -> bool {
        self.0 & (Self::TWO.0 | Self::UNKNOWN.0) != 0
    }

    /// Whether one of them is 1.
    #[must_use]
    pub const fn has_one(self) -> bool {
        self.0 & Self::ONE.0 != 0
    }

    pub(super) const fn negated(self) -> Self {
        let success = if self.failure().0 == 0 { 0 } else { 1 };
        let failure = if self.ok().0 == 0 { 0 } else { 2 };
        Self(success | failure)
    }

    pub(super) fn of_text(text: &Text) -> Self {
        let Text::OneOf(texts) = text else {
            return Self::PROGRAM;
        };
        let code = |text: &String| match text.parse::<i64>() {
            Ok(0) => Self::OK,
            Ok(1) => Self::ONE,
            Ok(2) => Self::TWO,
            Ok(_) => Self::OTHER,
            Err(_) if text.is_empty() => Self::OK,
            Err(_) => Self::PROGRAM,
        };
        texts.iter().map(code).fold(Self::NONE, Self::bitor)
    }

    /// The codes as the texts of `$?`.
    fn text(self) -> Text {
        if self.0 & (Self::OTHER.0 | Self::UNKNOWN.0) != 0 {
            return Text::Any;
        }
        let known = [(Self::OK, "0"), (Self::ONE, "1"), (Self::TWO, "2")];
        let held = known.iter().filter(|(code, _)| self.0 & code.0 != 0);
        Text::OneOf(held.map(|(_, text)| (*text).to_owned()).collect())
    }
}

impl BitOr for Codes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Codes {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The texts that something can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Text {
    /// One of these.
    OneOf(BTreeSet<String>),
    /// Not known.
    Any,
}

/// More texts are not told apart.
const MAX_TEXTS: usize = 8;

impl Text {
    pub(super) fn known(text: &str) -> Self {
        Self::OneOf(BTreeSet::from([text.to_owned()]))
    }

    pub(super) fn empty() -> Self {
        Self::known("")
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::OneOf(texts) if texts.iter().all(|text| text.trim().is_empty()))
    }

    /// The one text that it can be.
    pub(super) fn single(&self) -> Option<&str> {
        match self {
            Self::OneOf(texts) if texts.len() == 1 => texts.first().map(String::as_str),
            Self::OneOf(_) | Self::Any => None,
        }
    }

    /// This text with the other one behind it.
    pub(super) fn then(self, other: &Self) -> Self {
        match (self, other) {
            (own, other) if other.is_empty() => own,
            (own, other) if own.is_empty() => other.clone(),
            (Self::OneOf(first), Self::OneOf(second)) if first.len() * second.len() <= MAX_TEXTS => {
                let pairs = first
                    .iter()
                    .flat_map(|first| second.iter().map(move |second| format!("{first}{second}")));
                Self::OneOf(pairs.collect())
            }
            (_, _) => Self::Any,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::OneOf(mut first), Self::OneOf(second)) => {
                first.extend(second);
                if first.len() > MAX_TEXTS {
                    Self::Any
                } else {
                    Self::OneOf(first)
                }
            }
            (_, _) => Self::Any,
        }
    }
}

/// What is known at one place.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// The exit code of the last command.
    pub(super) status: Codes,
    /// The variables of which something is known.
    pub(super) variables: BTreeMap<String, Text>,
    pub(super) functions: BTreeMap<String, Rc<ShellCommand>>,
    /// `set -e`
    pub(super) errexit: bool,
    pub(super) pipefail: bool,
    /// `shopt -s lastpipe`
    pub(super) lastpipe: bool,
    /// The exit codes of what runs in the background.
    pub(super) background: Codes,
    /// The text of `trap … EXIT`.
    pub(super) at_exit: Option<String>,
    /// The text of `trap … ERR`.
    pub(super) at_error: Option<String>,
    /// What was printed since the beginning of the present substitution or side of a pipe.
    pub(super) out: Text,
    /// What comes from the pipe.
    pub(super) input: Text,
    /// The line of the search that gave the status.
    pub(super) search: Option<u32>,
}

impl Default for State {
    fn default() -> Self {
        Self::at_start([])
    }
}

impl State {
    /// The state at the beginning of a text that sets these variables.
    pub(super) fn at_start(names: impl IntoIterator<Item = String>) -> Self {
        Self {
            status: Codes::OK,
            variables: names.into_iter().map(|name| (name, Text::empty())).collect(),
            functions: BTreeMap::new(),
            errexit: false,
            pipefail: false,
            lastpipe: false,
            background: Codes::NONE,
            at_exit: None,
            at_error: None,
            out: Text::empty(),
            input: Text::Any,
            search: None,
        }
    }

    pub(super) fn with_status(self, status: Codes) -> Self {
        Self { status, ..self }
    }

    /// What is known where one of two ways was taken.
    pub(super) fn either(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        let (Some(mut own), Some(mut other)) = (first.clone(), second.clone()) else {
            return first.or(second);
        };
        for (name, text) in &mut own.variables {
            let theirs = other.variables.remove(name).unwrap_or(Text::Any);
            *text = std::mem::replace(text, Text::Any).or(theirs);
        }
        for name in other.variables.into_keys() {
            own.variables.insert(name, Text::Any);
        }
        own.functions.append(&mut other.functions);
        own.search = match (own.status.has_one(), other.status.has_one()) {
            (true, true) => own.search.or(other.search),
            (true, false) => own.search,
            (false, _) => other.search,
        };
        own.status |= other.status;
        own.errexit |= other.errexit;
        own.pipefail |= other.pipefail;
        own.lastpipe |= other.lastpipe;
        own.background |= other.background;
        own.at_exit = own.at_exit.filter(|trap| other.at_exit.as_ref() == Some(trap));
        own.at_error = own.at_error.or(other.at_error);
        own.out = own.out.or(other.out);
        own.input = own.input.or(other.input);
        Some(own)
    }

    /// Nothing is known any more: a text that cannot be seen has run.
    pub(super) fn forget(&mut self) {
        self.variables.clear();
        self.functions.clear();
        self.at_exit = None;
        self.out = Text::Any;
    }

    pub(super) fn set_options<'w>(&mut self, words: impl Iterator<Item = &'w str>) {
        let mut on = true;
        for word in words {
            if let Some(letters) = word.strip_prefix(['-', '+']) {
                on = word.starts_with('-');
                if letters.contains('e') {
                    self.errexit = on;
                }
            } else if word == "errexit" {
                self.errexit = on;
            } else if word == "pipefail" {
                self.pipefail = on;
            }
        }
    }

    pub(super) fn set_trap<'w>(&mut self, words: impl Iterator<Item = &'w str>) {
        let words: Vec<&str> = words.filter(|word| *word != "--").collect();
        let Some((text, signals)) = words.split_first() else {
            return;
        };
        let trap = Some((*text).to_owned()).filter(|text| !text.is_empty() && text != "-");
        for signal in signals {
            match *signal {
                "EXIT" | "0" => self.at_exit.clone_from(&trap),
                "ERR" => self.at_error.clone_from(&trap),
                _ => {}
            }
        }
    }

    /// The texts that a word can become. `values` are the outputs of the substitutions of its command.
    pub(super) fn value(&self, word: &Word, values: &[Text]) -> Text {
        let text = word.text.as_str();
        if word.keeps_variable || !text.contains(['$', '`']) {
            return Text::known(text);
        }
        if text.contains("$(") || text.contains('`') {
            let is_whole =
                (text.starts_with("$(") && text.ends_with(')')) || (text.starts_with('`') && text.ends_with('`'));
            return match values {
                [only] if is_whole => only.clone(),
                _ => Text::Any,
            };
        }
        let mut out = Text::empty();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            out = out.then(&Text::known(before));
            let (value, length) = self.variable(behind);
            out = out.then(&value);
            rest = &behind[length..];
        }
        out.then(&Text::known(rest))
    }

    /// The value of the variable with which a text begins behind its `$`, and the length of what names it.
    fn variable(&self, text: &str) -> (Text, usize) {
        let name_length = |text: &str| {
            let end = text.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
            end.unwrap_or(text.len())
        };
        if text.starts_with('?') {
            return (self.status.text(), 1);
        }
        if let Some(inner) = text.strip_prefix('{') {
            let Some(end) = inner.find('}') else {
                return (Text::Any, text.len());
            };
            let (name, rest) = inner[..end].split_at(name_length(&inner[..end]));
            let known = self
                .variables
                .get(name)
                .filter(|_| is_name(name))
                .cloned()
                .unwrap_or(Text::Any);
            let value = match rest {
                "" => known,
                // What is cut out of nothing is nothing.
                _ if known.is_empty() && rest.starts_with(['%', '#', '/', '^', ',']) => known,
                _ if known.is_empty() && rest.starts_with([':', '-']) => default_text(rest),
                _ => Text::Any,
            };
            return (value, end + 2);
        }
        let length = name_length(text);
        let name = &text[..length];
        if is_name(name) {
            let known = self.variables.get(name).cloned().unwrap_or(Text::Any);
            return (known, length);
        }
        (Text::Any, text.chars().next().map_or(0, char::len_utf8))
    }
}

/// What takes the place of an empty variable, from the text behind its name: `:-default`.
fn default_text(rest: &str) -> Text {
    match rest.trim_start_matches(':').strip_prefix('-') {
        Some(default) if !default.contains(['$', '`']) => Text::known(default),
        Some(_) | None => Text::Any,
    }
}
