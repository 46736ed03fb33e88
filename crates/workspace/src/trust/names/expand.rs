//! Fills in variables whose value is known before the run (`engine.md` §3): home, the dialect's directories, and
//! variables that the definition sets for its process.

use std::collections::BTreeMap;
use std::path::Path;

use hookwright_model::{Card, DirOf};

/// The variables whose values are known.
#[derive(Debug)]
pub struct KnownValues<'a> {
    /// The user's home directory.
    pub home: &'a Path,
    /// The project directory.
    pub project: &'a Path,
    /// The directory in which the command starts. Variables for the payload's directory have this value.
    pub start: &'a Path,
    /// The dialect's card, with its directory variables.
    pub card: &'a Card,
    /// The variables that the definition adds to the environment.
    pub definition_env: BTreeMap<&'a str, &'a str>,
}

/// A name with its variables filled in.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// The possible texts. There are several if the definition gives another value to a known variable.
    pub texts: Vec<String>,
    /// The variables that are known only at run time, as written. If they have a default, it is still a possible text.
    pub unknown: Vec<String>,
}

impl KnownValues<'_> {
    /// Fills in the variables of a name, and a leading `~`. The result has no texts for a name without either.
    #[must_use]
    pub fn expand(&self, text: &str) -> Expanded {
        let mut out = Expanded::default();
        if !text.contains('$') && !text.starts_with('~') {
            return out;
        }
        for definition_first in [true, false] {
            let filled = fill_variables(text, &|name| self.value(name, definition_first));
            out.texts.extend(filled.text.filter(|text| !out.texts.contains(text)));
            out.unknown = filled.unknown;
        }
        out
    }

    /// Whether the value of this variable is known.
    #[must_use]
    pub fn is_known(&self, name: &str) -> bool {
        self.value(name, true).is_some()
    }

    fn value(&self, name: &str, definition_first: bool) -> Option<String> {
        let given = || self.definition_env.get(name).map(|value| (*value).to_owned());
        let known = || {
            let place = match name {
                "HOME" => self.home,
                "PWD" => self.start,
                _ => match self.card.dir_vars.iter().find(|var| var.name == name)?.of {
                    DirOf::Project => self.project,
                    DirOf::Payload => self.start,
                },
            };
            Some(place.display().to_string())
        };
        if definition_first {
            given().or_else(known)
        } else {
            known().or_else(given)
        }
    }
}

/// A text with its variables filled in.
#[derive(Debug, Default)]
pub struct FilledText {
    /// `None` if a part of it is known only at run time and has no default.
    pub text: Option<String>,
    /// The parts that are known only at run time, as written.
    pub unknown: Vec<String>,
}

/// Limit for the nesting of defaults that are followed.
const MAX_NESTED_DEFAULTS: u32 = 8;

/// Fills in the variables of a text, and a leading `~`. `value` returns the value of a variable, if it is known.
pub fn fill_variables(text: &str, value: &dyn Fn(&str) -> Option<String>) -> FilledText {
    let mut out = FilledText {
        text: Some(String::with_capacity(text.len())),
        unknown: Vec::new(),
    };
    let below = text.strip_prefix('~');
    match below.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(below) => {
            out.push("~", value("HOME"));
            out.append(below, value, 0);
        }
        None => {
            // `~+`, `~-`, `~username`
            let end = below.map_or(0, |below| below.find('/').unwrap_or(below.len()) + 1);
            let (user, rest) = text.split_at(end);
            out.unknown.extend((end > 0).then(|| user.to_owned()));
            let folder = if user == "~+" { value("PWD") } else { None };
            out.push("", Some(folder.unwrap_or_else(|| user.to_owned())));
            out.append(rest, value, 0);
        }
    }
    out
}

impl FilledText {
    fn push(&mut self, written: &str, value: Option<String>) {
        match value {
            Some(value) => {
                if let Some(text) = &mut self.text {
                    text.push_str(&value);
                }
            }
            None => {
                self.unknown.push(written.to_owned());
                self.text = None;
            }
        }
    }

    fn append(&mut self, text: &str, value: &dyn Fn(&str) -> Option<String>, depth: u32) {
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            self.push("", Some(rest[..at].to_owned()));
            let variable = Variable::parse(&rest[at + 1..]);
            let written = &rest[at..at + 1 + variable.length];
            rest = &rest[at + written.len()..];
            match (variable.kind, variable.default.filter(|_| depth < MAX_NESTED_DEFAULTS)) {
                (VariableKind::None, _) => self.push("", Some(written.to_owned())),
                (VariableKind::Computed, _) => self.push(written, None),
                (VariableKind::Value, default) => match (value(variable.name), default) {
                    (None, Some(default)) => {
                        self.unknown.push(format!("${}", variable.name));
                        self.append(default, value, depth + 1);
                    }
                    (known, _) => self.push(&format!("${}", variable.name), known),
                },
            }
        }
        self.push("", Some(rest.to_owned()));
    }
}

/// What a `$` begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VariableKind {
    /// No variable.
    None,
    /// The value of a variable without changes, or its default.
    Value,
    /// A text that is computed from a variable, or a value that no definition sets: `${X#a}`, `${#X}`, `$?`.
    Computed,
}

/// A variable after a `$`.
struct Variable<'a> {
    kind: VariableKind,
    name: &'a str,
    /// The default in `${NAME:-default}`.
    default: Option<&'a str>,
    /// The number of bytes after the `$`.
    length: usize,
}

impl<'a> Variable<'a> {
    fn parse(text: &'a str) -> Self {
        let braced = text.strip_prefix('{');
        let inner = braced.unwrap_or(text);
        let length = name_length(inner);
        let name = &inner[..length];
        let special = text.starts_with(['!', '#', '?', '$', '-', '@', '*'])
            || text.starts_with(|sign: char| sign.is_ascii_digit());
        let Some(braced) = braced else {
            let kind = match (special, name) {
                (true, _) => VariableKind::Computed,
                (false, "") => VariableKind::None,
                (false, _) => VariableKind::Value,
            };
            let length = length.max(usize::from(special));
            return Self {
                kind,
                name,
                default: None,
                length,
            };
        };
        let end = closing_brace(braced);
        let behind = braced.get(length..end).unwrap_or_default();
        let default = behind.strip_prefix(':').unwrap_or(behind);
        let default = default.strip_prefix(['-', '=']);
        let as_it_is = behind.is_empty() || default.is_some() || behind.trim_start_matches(':').starts_with('?');
        let is_name = !name.is_empty() && !name.starts_with(|sign: char| sign.is_ascii_digit());
        let kind = if is_name && as_it_is {
            VariableKind::Value
        } else {
            VariableKind::Computed
        };
        let length = (end + 2).min(text.len());
        Self {
            kind,
            name,
            default,
            length,
        }
    }
}

/// The position of the brace that closes the one before the text.
fn closing_brace(text: &str) -> usize {
    let mut depth = 0_u32;
    for (at, sign) in text.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' if depth == 0 => return at,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The number of bytes of the variable's name at the start of a text.
fn name_length(text: &str) -> usize {
    match text.bytes().next() {
        Some(b'0'..=b'9') => 1,
        Some(first) if first.is_ascii_alphabetic() || first == b'_' => {
            let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            text.bytes().take_while(part).count()
        }
        Some(_) | None => 0,
    }
}

/// The text after each variable of a name, without a leading `/`. If the variable is a folder, this is a name in it.
pub fn tails(text: &str) -> impl Iterator<Item = &str> {
    let behind = text.match_indices('$').map(move |(at, _)| {
        let variable = Variable::parse(&text[at + 1..]);
        text[at + 1 + variable.length..].trim_start_matches('/')
    });
    behind.filter(|tail| !tail.is_empty())
}
