//! Variables that a definition gives its own process (`env`): with them a command's words mean what they will mean when
//! it runs, and not what they would mean beside it (`engine.md` §3).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use hookwright_model::{Card, Hook};
use serde_json::Value;

use super::words::{Piece, Place, Role, Split, Word};

/// What a definition adds to the environment, over what is there.
#[derive(Debug, Default)]
pub(super) struct Given<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Given<'a> {
    pub(super) fn of(hook: &'a Hook, card: &Card) -> Self {
        let field = card.env_field.and_then(|field| hook.definition.get(field));
        let pairs = field.and_then(Value::as_object).into_iter().flatten();
        Self(
            pairs
                // What every run is told of itself is set over it.
                .filter(|(name, _)| !name.starts_with("HOOKWRIGHT_"))
                .filter_map(|(name, value)| Some((name.as_str(), value.as_str()?)))
                .collect(),
        )
    }

    /// Puts values in the place of the variables that the command does not set itself.
    pub(super) fn put_in(&self, split: &mut Split) {
        if self.0.is_empty() {
            return;
        }
        let mut words = std::mem::take(&mut split.words);
        for word in &mut words {
            *word = self.word(word, split);
        }
        split.words = words;
    }

    fn word(&self, word: &Word, split: &Split) -> Word {
        let place = |place: &Place| place.iter().map(|folder| self.word(folder, split)).collect();
        Word {
            pieces: self.pieces(&word.pieces, split),
            from: word.from.iter().map(place).collect::<Vec<Place>>().into(),
            ..word.clone()
        }
    }

    fn pieces(&self, pieces: &[Piece], split: &Split) -> Vec<Piece> {
        let value = |name: &str| self.0.get(name).filter(|_| !split.sets.contains(name));
        // Where the command may change any variable, or how words are split, a value says nothing for certain.
        let sure = !split.sets_any && !split.sets.contains("IFS");
        let one = |piece: &Piece| match piece {
            Piece::Variable(name) => match value(name) {
                Some(value) if sure && is_one_word(value) => Piece::Given(name.clone(), (*value).to_owned()),
                // Without quotes around it the shell makes several words of it, or names that match.
                Some(_) => Piece::Opaque(format!("${name}")),
                None => piece.clone(),
            },
            Piece::Home => match value("HOME") {
                Some(_) if !sure => Piece::Opaque("~".to_owned()),
                Some(value) => Piece::Given("HOME".to_owned(), (*value).to_owned()),
                None => Piece::Home,
            },
            Piece::Assigned(name, inner) => Piece::Assigned(name.clone(), self.pieces(inner, split)),
            Piece::Text(_) | Piece::Opaque(_) | Piece::Given(..) => piece.clone(),
        };
        pieces.iter().map(one).collect()
    }

    /// The places where a program called so would be looked for, when the definition says where to look.
    pub(super) fn on_path(&self, word: &Word, text: &str) -> Vec<(PathBuf, Word)> {
        let looked_for = matches!(word.role, Role::Program | Role::Run) && !text.is_empty() && !text.contains('/');
        let Some(path) = self.0.get("PATH").filter(|_| looked_for) else {
            return Vec::new();
        };
        let place = |folder: PathBuf| {
            let file = Piece::Text(folder.join(text).display().to_string());
            let named = Word {
                pieces: vec![file],
                pattern: None,
                ..word.clone()
            };
            (folder, named)
        };
        std::env::split_paths(path).map(place).collect()
    }

    /// The file that bash reads before the command, when the definition names one.
    pub(super) fn read_first(&self) -> Option<Word> {
        let value = self.0.get("BASH_ENV").filter(|value| !value.is_empty())?;
        // bash expands it.
        let home = self
            .0
            .get("HOME")
            .map_or(Piece::Home, |home| Piece::Given("HOME".to_owned(), (*home).to_owned()));
        let pieces = match value.strip_prefix('~') {
            Some(rest) if rest.starts_with('/') && is_one_word(rest) => vec![home, Piece::Text(rest.to_owned())],
            None if !value.contains(['$', '`', '\\']) => vec![Piece::Text((*value).to_owned())],
            Some(_) | None => vec![Piece::Opaque((*value).to_owned())],
        };
        Some(Word {
            role: Role::Run,
            from: Arc::from([Place::new()]),
            ..Word::new(pieces, None)
        })
    }

    /// Functions that bash takes over from its environment, by the names of their variables.
    pub(super) fn functions(&self) -> impl Iterator<Item = &'a str> {
        self.0.keys().copied().filter(|name| name.starts_with("BASH_FUNC_"))
    }

    /// Whether `cd` goes by a list of folders of its own.
    pub(super) fn leads_cd(&self) -> bool {
        self.0.get("CDPATH").is_some_and(|value| !value.is_empty())
    }
}

/// A value that is one word wherever it stands, also where a shell reads it as part of a command.
fn is_one_word(value: &str) -> bool {
    let plain = |sign: char| sign.is_alphanumeric() || "_./@%+,:-".contains(sign);
    !value.is_empty() && value.chars().all(plain)
}
