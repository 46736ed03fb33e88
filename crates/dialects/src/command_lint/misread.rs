//! Words of a command that its shell reads otherwise than their author meant, so that the program or script is not found
//! (`engine.md` §14, paths).

use hookwright_model::{Card, LintContext};

use super::LintSubject;
use super::start::StartedProgram;
use crate::shell::Word;

/// How a shell reads a path otherwise than its author meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misreading {
    /// The shell drops backslashes outside quotes.
    Backslashes,
    /// A variable in single quotes is not replaced.
    SingleQuotes,
    /// `~` in quotes is not replaced.
    QuotedTilde,
    /// A variable without quotes is split at the blanks of its value.
    Split,
    /// No shell reads the command, so that nothing is replaced.
    NoShell,
}

/// A word that is read otherwise than meant, and how to write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MisreadWord {
    /// What happens to the word.
    pub misreading: Misreading,
    /// The word as the shell gets it; with its backslashes for [`Misreading::Backslashes`].
    pub written: String,
    /// The word as it works.
    pub fixed: String,
}

/// Finds out whether the word that names a program or its script is read otherwise than meant.
pub(super) fn misread_word(
    subject: &LintSubject<'_>,
    start: &StartedProgram<'_>,
    word: &Word,
    card: &Card,
    context: &LintContext<'_>,
) -> Option<MisreadWord> {
    let text = word.text.as_str();
    let found = |misreading, fixed: String| {
        Some(MisreadWord {
            misreading,
            written: text.to_owned(),
            fixed,
        })
    };
    if start.piece.is_none() {
        let rest = text.strip_prefix("~/").or_else(|| text.strip_prefix("$HOME/"));
        let fixed = rest.map(|rest| context.locations.home.join(rest).display().to_string());
        return fixed.and_then(|fixed| found(Misreading::NoShell, fixed));
    }
    // One at the beginning only keeps an alias from being used: `\grep`.
    if let Some(path) = word.with_slashes().filter(|path| !path.starts_with('/')) {
        let is_relative = !super::is_drive(&path);
        let below = card.dir_vars.first().filter(|_| is_relative);
        let fixed = below.map_or_else(|| path.clone(), |dir| format!("\"${}/{path}\"", dir.name));
        return Some(MisreadWord {
            misreading: Misreading::Backslashes,
            written: path.replace('/', "\\"),
            fixed,
        });
    }
    if word.keeps_variable {
        return found(Misreading::SingleQuotes, format!("\"{text}\""));
    }
    if let Some(rest) = text.strip_prefix("~/").filter(|_| word.unquoted_bytes == 0) {
        return found(Misreading::QuotedTilde, format!("\"$HOME/{rest}\""));
    }
    let splits = word.unquoted_bytes > 0 && value_has_blank(subject, text, card, context);
    splits
        .then(|| found(Misreading::Split, format!("\"{text}\"")))
        .flatten()
}

/// Whether a word begins with a variable for a directory whose path has a blank on this machine.
fn value_has_blank(subject: &LintSubject<'_>, text: &str, card: &Card, context: &LintContext<'_>) -> bool {
    let Some(rest) = text.strip_prefix('$') else {
        return false;
    };
    let rest = rest.strip_prefix('{').unwrap_or(rest);
    let end = rest.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
    let name = &rest[..end.unwrap_or(rest.len())];
    let source = &subject.hook.source;
    let project = source.project.as_deref().unwrap_or(&context.locations.project);
    let dir = if card.dir_vars.iter().any(|dir| dir.name == name) {
        project
    } else if name == "HOME" {
        &context.locations.home
    } else {
        return false;
    };
    dir.to_string_lossy().contains(char::is_whitespace)
}
