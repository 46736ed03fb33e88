//! Variables in a name whose value is known before the run (`engine.md` §3): home, the dialect's directories, and what
//! the definition itself gives its process.

use std::collections::BTreeMap;
use std::path::Path;

use hookwright_model::{Card, DirOf};

/// The values that are known.
#[derive(Debug)]
pub struct Values<'a> {
    /// The user's home.
    pub home: &'a Path,
    /// The project.
    pub project: &'a Path,
    /// Where the command starts; also what variables with the payload's directory hold.
    pub start: &'a Path,
    /// The dialect's own variables.
    pub card: &'a Card,
    /// What the definition adds to the environment.
    pub given: BTreeMap<&'a str, &'a str>,
}

/// A name with its variables filled in.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// What it may come to; more than one where the definition gives a known variable another value.
    pub texts: Vec<String>,
    /// The variables that nobody knows.
    pub unknown: Vec<String>,
}

impl Values<'_> {
    /// Fills in the variables of a name, and a leading `~`. A name without any has no texts here.
    #[must_use]
    pub fn expand(&self, text: &str) -> Expanded {
        let mut out = Expanded::default();
        if !text.contains('$') && !text.starts_with('~') {
            return out;
        }
        for given_first in [true, false] {
            let mut unknown = Vec::new();
            let filled = self.fill(text, given_first, &mut unknown);
            if unknown.is_empty() && !out.texts.contains(&filled) {
                out.texts.push(filled);
            }
            out.unknown = unknown;
        }
        out
    }

    fn fill(&self, text: &str, given_first: bool, unknown: &mut Vec<String>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        if let Some(below) = text
            .strip_prefix('~')
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        {
            out.push_str(&self.value("HOME", given_first).unwrap_or_default());
            rest = below;
        }
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            let variable = Variable::at(&rest[at + 1..]);
            rest = &rest[at + 1 + variable.length..];
            if variable.name.is_empty() {
                out.push('$');
                continue;
            }
            match self
                .value(variable.name, given_first)
                .or_else(|| variable.default.map(str::to_owned))
            {
                Some(value) => out.push_str(&value),
                None => unknown.push(format!("${}", variable.name)),
            }
        }
        out.push_str(rest);
        out
    }

    fn value(&self, name: &str, given_first: bool) -> Option<String> {
        let given = || self.given.get(name).map(|value| (*value).to_owned());
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
        if given_first {
            given().or_else(known)
        } else {
            known().or_else(given)
        }
    }
}

/// A variable behind a `$`.
struct Variable<'a> {
    /// Empty where the `$` begins none, or one that never is a name (`$?`).
    name: &'a str,
    /// `${NAME:-default}`.
    default: Option<&'a str>,
    /// Bytes behind the `$`.
    length: usize,
}

impl<'a> Variable<'a> {
    fn at(text: &'a str) -> Self {
        let braced = text.strip_prefix('{');
        let inner = braced.unwrap_or(text);
        let length = name_length(inner);
        let name = &inner[..length];
        let Some(braced) = braced else {
            return Self {
                name,
                default: None,
                length,
            };
        };
        let end = braced.find('}').unwrap_or(braced.len());
        let behind = braced.get(length..end).unwrap_or_default();
        let default = behind.strip_prefix(":-").or_else(|| behind.strip_prefix('-'));
        let length = (end + 2).min(text.len());
        Self { name, default, length }
    }
}

/// Bytes of the variable's name at the beginning of a text.
fn name_length(text: &str) -> usize {
    match text.bytes().next() {
        Some(b'@' | b'*' | b'0'..=b'9') => 1,
        Some(first) if first.is_ascii_alphabetic() || first == b'_' => {
            let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            text.bytes().take_while(part).count()
        }
        Some(_) | None => 0,
    }
}

/// What stands behind each variable of a name, without a leading `/`: where the variable is a folder, a name in it.
pub fn tails(text: &str) -> impl Iterator<Item = &str> {
    let behind = text.match_indices('$').map(move |(at, _)| {
        let variable = Variable::at(&text[at + 1..]);
        text[at + 1 + variable.length..].trim_start_matches('/')
    });
    behind.filter(|tail| !tail.is_empty())
}
