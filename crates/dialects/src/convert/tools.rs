//! The tools that a hook is for: exact names, parts of names, or a Python pattern.

use hookwright_model::{Card, Hook, Predicate};
use serde_json::Value;

use super::form::{ConvertForm, PatternLanguage, ToolField};
use super::moments::equivalent_tools;
use crate::definition::names_of;

/// The tools that a hook runs for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolMatch {
    /// Every tool.
    Any,
    /// Tools with exactly one of these names.
    Names(Vec<String>),
    /// Tools whose name contains one of these texts.
    Containing(Vec<String>),
    /// Tools whose whole name this pattern matches.
    Whole(String),
    /// Tools in whose name this pattern is found.
    Found(String),
}

impl ToolMatch {
    /// The tools of a hook.
    pub fn from_hook(from: &ConvertForm, hook: &Hook) -> Self {
        match from.tools {
            ToolField::Missing => Self::Any,
            ToolField::Names => Self::from_names(hook),
            ToolField::Whole if !is_tool_event(from.card, &hook.event) => Self::Any,
            ToolField::Whole => match hook.filter.as_ref().and_then(|filter| filter["matcher"].as_str()) {
                None | Some("" | "*" | ".*") => Self::Any,
                Some(pattern) => Self::from_whole(pattern),
            },
            ToolField::Found => match hook.definition["matcher"]["tool"].as_str() {
                None | Some("" | ".*") => Self::Any,
                Some(pattern) => Self::from_found(pattern),
            },
            ToolField::NamesOrFound { .. } if !is_tool_event(from.card, &hook.event) => Self::Any,
            ToolField::NamesOrFound { signs, .. } => {
                match hook.filter.as_ref().and_then(|filter| filter["matcher"].as_str()) {
                    None | Some("" | "*" | ".*") => Self::Any,
                    Some(text) => Self::from_names_or_pattern(text, signs),
                }
            }
        }
    }

    fn from_names(hook: &Hook) -> Self {
        let names = hook.when.clauses.iter().find_map(|clause| match &clause.predicate {
            Predicate::Equals(name) => Some(vec![name.clone()]),
            Predicate::OneOf(names) => Some(names.clone()),
            Predicate::Pattern(_) | Predicate::Within(_) | Predicate::Prefix(_) | Predicate::Rule(_) => None,
        });
        names.map_or(Self::Any, Self::Names)
    }

    /// A pattern that must match the whole name.
    fn from_whole(pattern: &str) -> Self {
        let bare = pattern.strip_prefix('^').unwrap_or(pattern);
        let bare = bare.strip_suffix('$').unwrap_or(bare);
        if let Some(names) = alternatives(bare) {
            return Self::Names(names);
        }
        let inner = pattern.strip_prefix(".*").and_then(|rest| rest.strip_suffix(".*"));
        match inner {
            Some("") => Self::Any,
            Some(inner) => match (alternatives(inner), group(inner)) {
                (Some(texts), _) => Self::Containing(texts),
                (None, Some(found)) => Self::Found(found.to_owned()),
                (None, None) => Self::Whole(pattern.to_owned()),
            },
            None => Self::Whole(pattern.to_owned()),
        }
    }

    /// A pattern that is searched in the name.
    fn from_found(pattern: &str) -> Self {
        let anchored = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$'));
        if let Some(inner) = anchored {
            // `^A|B$` is not anchored as a whole, so only one name or a group is.
            let is_whole = !inner.contains('|') || group(inner).is_some();
            if let Some(names) = alternatives(inner).filter(|_| is_whole) {
                return Self::Names(names);
            }
            if let Some(whole) = group(inner) {
                return Self::Whole(whole.to_owned());
            }
        }
        alternatives(pattern).map_or_else(|| Self::Found(pattern.to_owned()), Self::Containing)
    }

    /// Names, or a pattern that is searched in the name.
    fn from_names_or_pattern(text: &str, signs: &str) -> Self {
        names_of(text, signs).map_or_else(|| Self::from_found(text), Self::Names)
    }

    /// The same tools with the names that another agent uses, and the names that differ.
    pub fn renamed(self, from: &ConvertForm, to: &ConvertForm) -> (Self, Vec<(String, String)>) {
        let mut changed = Vec::new();
        let mut rename = |names: Vec<String>| {
            let mut out: Vec<String> = Vec::new();
            for name in names {
                for other in equivalent_tools(from, &name, to) {
                    if other != name {
                        changed.push((name.clone(), other.clone()));
                    }
                    if !out.contains(&other) {
                        out.push(other);
                    }
                }
            }
            out
        };
        let renamed = match self {
            Self::Names(names) => Self::Names(rename(names)),
            Self::Containing(texts) => Self::Containing(rename(texts)),
            Self::Any | Self::Whole(_) | Self::Found(_) => self,
        };
        (renamed, changed)
    }

    /// Whether the other dialect reads these tools where it takes a pattern.
    pub fn is_readable(&self, to: ToolField) -> bool {
        let (pattern, language) = match to {
            ToolField::Missing | ToolField::Names => return true,
            ToolField::Whole => (self.to_whole_pattern(), PatternLanguage::Python),
            ToolField::Found => (self.to_found_pattern(), PatternLanguage::Python),
            ToolField::NamesOrFound { language, .. } => (self.to_found_pattern(), language),
        };
        pattern.is_none_or(|pattern| language.reads(&pattern))
    }

    /// The pattern as its author wrote it, if the names of tools in it are not known.
    pub fn pattern(&self) -> Option<&str> {
        match self {
            Self::Whole(pattern) | Self::Found(pattern) => Some(pattern),
            Self::Any | Self::Names(_) | Self::Containing(_) => None,
        }
    }

    /// A pattern for these tools that must match the whole name; `None` for every tool.
    pub fn to_whole_pattern(&self) -> Option<String> {
        Some(match self {
            Self::Any => return None,
            Self::Names(names) => joined(names),
            Self::Containing(texts) => format!(".*{}.*", grouped(texts)),
            Self::Whole(pattern) => pattern.clone(),
            Self::Found(pattern) => with_flags_first(pattern, |rest| format!(".*(?:{rest}).*")),
        })
    }

    /// Names, or a pattern that is searched in the name; `None` for every tool. Text without signs of a pattern would be
    /// names, so a group is around it.
    pub fn to_names_or_pattern(&self, signs: &str) -> Option<String> {
        let own = signs.replace(['|', ',', ' '], "");
        let is_named = |name: &String| names_of(name, &own).is_some();
        if let Self::Names(names) = self
            && names.iter().all(is_named)
        {
            return Some(names.join("|"));
        }
        let pattern = self.to_found_pattern()?;
        Some(if names_of(&pattern, signs).is_some() {
            format!("(?:{pattern})")
        } else {
            pattern
        })
    }

    /// A pattern for these tools that is searched in the name; `None` for every tool.
    pub fn to_found_pattern(&self) -> Option<String> {
        Some(match self {
            Self::Any => return None,
            Self::Names(names) => format!("^{}$", grouped(names)),
            Self::Containing(texts) => joined(texts),
            Self::Whole(pattern) => with_flags_first(pattern, |rest| format!("^(?:{rest})$")),
            Self::Found(pattern) => pattern.clone(),
        })
    }
}

/// The texts of a pattern that is only literal texts with `|` between them, in a group or not.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let inner = group(pattern).unwrap_or(pattern);
    let texts: Option<Vec<String>> = inner.split('|').map(literal).collect();
    texts.filter(|texts| texts.iter().all(|text| !text.is_empty()))
}

/// The inside of a pattern that is one group as a whole.
fn group(pattern: &str) -> Option<&str> {
    let inner = pattern.strip_prefix('(')?.strip_suffix(')')?;
    let inner = inner.strip_prefix("?:").unwrap_or(inner);
    let (mut depth, mut escaped, mut in_class) = (0_i32, false, false);
    for character in inner.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' if in_class => return None,
            '[' => in_class = true,
            ']' => in_class = false,
            _ if in_class => {}
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    (depth == 0 && !escaped && !in_class && !inner.starts_with('?')).then_some(inner)
}

/// The text that a pattern without any operator matches.
fn literal(pattern: &str) -> Option<String> {
    let mut out = String::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => out.push(characters.next().filter(|next| !next.is_alphanumeric())?),
            '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '^' | '$' => return None,
            _ => out.push(character),
        }
    }
    Some(out)
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if "\\.*+?()[]{}^$|".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

fn joined(texts: &[String]) -> String {
    texts.iter().map(|text| escaped(text)).collect::<Vec<_>>().join("|")
}

fn grouped(texts: &[String]) -> String {
    match texts {
        [text] => escaped(text),
        _ => format!("(?:{})", joined(texts)),
    }
}

/// Puts something around a pattern. Flags such as `(?i)` must stay at the very start.
fn with_flags_first(pattern: &str, around: impl Fn(&str) -> String) -> String {
    let flags = pattern
        .strip_prefix("(?")
        .and_then(|rest| rest.split_once(')'))
        .filter(|(flags, _)| !flags.is_empty() && flags.chars().all(|character| "ismx".contains(character)));
    match flags {
        Some((flags, rest)) => format!("(?{flags}){}", around(rest)),
        None => around(pattern),
    }
}

/// Whether the event is about a tool.
pub fn is_tool_event(card: &Card, event: &str) -> bool {
    let spec = card.event(event);
    spec.is_some_and(|spec| spec.fields.iter().any(|field| field.name == card.tool_field))
}

/// The pattern for the tool's input.
pub fn input_pattern(hook: &Hook) -> Option<&str> {
    hook.definition.get("matcher")?.get("pattern").and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::{NAME_SIGNS, REGEX_NAME_SIGNS};

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn literal_alternatives_are_names_where_the_whole_name_is_compared() {
        for pattern in ["Edit|Write", "(Edit|Write)", "^(?:Edit|Write)$"] {
            assert_eq!(
                ToolMatch::from_whole(pattern),
                ToolMatch::Names(names(&["Edit", "Write"]))
            );
        }
        assert_eq!(ToolMatch::from_whole(r"mcp\.x"), ToolMatch::Names(names(&["mcp.x"])));
        for pattern in ["File.*|Write", "Ba[sh]+", "(?i)bash", "(A)|(B)", "A|"] {
            assert_eq!(ToolMatch::from_whole(pattern), ToolMatch::Whole(pattern.to_owned()));
        }
    }

    #[test]
    fn a_searched_name_also_matches_longer_names() {
        assert_eq!(ToolMatch::from_found("Shell"), ToolMatch::Containing(names(&["Shell"])));
        assert_eq!(ToolMatch::from_found("^Shell$"), ToolMatch::Names(names(&["Shell"])));
        assert_eq!(ToolMatch::from_found("^A|B$"), ToolMatch::Found("^A|B$".to_owned()));
        assert_eq!(ToolMatch::from_found("^(A|B)$"), ToolMatch::Names(names(&["A", "B"])));
    }

    #[test]
    fn each_form_leads_back_to_itself() {
        let forms = [
            ToolMatch::Names(names(&["A"])),
            ToolMatch::Names(names(&["A.b", "B"])),
            ToolMatch::Containing(names(&["A"])),
            ToolMatch::Containing(names(&["A", "B"])),
            ToolMatch::Whole("File.*|Write".to_owned()),
            ToolMatch::Found("^Read|[A-Z]x".to_owned()),
        ];
        for form in forms {
            let whole = form.to_whole_pattern().unwrap();
            assert_eq!(ToolMatch::from_whole(&whole), form, "{whole}");
            let found = form.to_found_pattern().unwrap();
            assert_eq!(ToolMatch::from_found(&found), form, "{found}");
            for signs in [NAME_SIGNS, REGEX_NAME_SIGNS] {
                let mixed = form.to_names_or_pattern(signs).unwrap();
                assert_eq!(ToolMatch::from_names_or_pattern(&mixed, signs), form, "{mixed}");
            }
        }
    }
}
