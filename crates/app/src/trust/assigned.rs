//! Variables whose value a command gives itself: known where it is given once, for certain, before it is used.

use std::collections::{BTreeMap, BTreeSet};

use super::splitter::{Item, Simple};
use super::words::{Piece, Word};

/// Commands that only assign.
const ASSIGN: [&str; 5] = ["export", "readonly", "local", "declare", "typeset"];
/// Commands that change variables they name.
pub(super) const CHANGE: [&str; 9] = [
    "read",
    "for",
    "select",
    "unset",
    "getopts",
    "mapfile",
    "readarray",
    "printf",
    "let",
];
/// Commands that may change any.
pub(super) const ANYTHING: [&str; 3] = ["eval", ".", "source"];
const OPENS: [&str; 7] = ["if", "for", "while", "until", "select", "case", "{"];
const CLOSES: [&str; 4] = ["fi", "done", "esac", "}"];

/// Puts what is known in the place of variables.
pub(super) fn put_in(items: &mut [Item]) {
    let known = known(items);
    if known.is_empty() {
        return;
    }
    for item in items {
        if let Item::Simple(simple) = item {
            for word in &mut simple.words {
                word.pieces = with(&word.pieces, &known);
            }
        }
    }
}

fn with(pieces: &[Piece], known: &BTreeMap<String, Vec<Piece>>) -> Vec<Piece> {
    let one = |piece: &Piece| match piece {
        Piece::Variable(name) => known
            .get(name)
            .map_or_else(|| piece.clone(), |value| Piece::Assigned(name.clone(), value.clone())),
        Piece::Text(_) | Piece::Assigned(..) | Piece::Given(..) | Piece::Opaque(_) | Piece::Home => piece.clone(),
    };
    pieces.iter().map(one).collect()
}

fn known(items: &[Item]) -> BTreeMap<String, Vec<Piece>> {
    let mut known = BTreeMap::new();
    // Given otherwise as well, or used before.
    let mut spoilt: BTreeSet<String> = BTreeSet::new();
    let mut depth = 0_usize;
    let mut certain = true;
    for (index, item) in items.iter().enumerate() {
        match item {
            Item::And | Item::Or | Item::Apart => certain = false,
            Item::Next => certain = true,
            Item::Open => depth += 1,
            Item::Close => depth = depth.saturating_sub(1),
            Item::Function => return BTreeMap::new(),
            Item::Simple(simple) => {
                let Some(values) = values(simple, &mut depth) else {
                    return BTreeMap::new();
                };
                let apart = matches!(items.get(index + 1), Some(Item::Apart));
                let sure = certain && depth == 0 && !apart;
                let assigns = values.len();
                spoilt.extend(changed(simple));
                for (name, value) in values {
                    let plain = sure && is_plain(&value) && !spoilt.contains(&name);
                    if !plain || known.contains_key(&name) {
                        spoilt.insert(name);
                    } else {
                        known.insert(name, with(&value.pieces, &known));
                    }
                }
                if assigns == 0 {
                    spoilt.extend(used(simple, &known));
                }
            }
        }
    }
    known.retain(|name, _| !spoilt.contains(name));
    if spoilt.contains("IFS") { BTreeMap::new() } else { known }
}

/// What a command that does nothing else assigns; nothing is known where it may assign anything.
fn values(simple: &Simple, depth: &mut usize) -> Option<Vec<(String, Word)>> {
    let mut words = simple.words.iter().peekable();
    while let Some(word) = words
        .peek()
        .filter(|word| word.is_plain(&OPENS) || word.is_plain(&CLOSES))
    {
        if word.is_plain(&OPENS) {
            *depth += 1;
        } else {
            *depth = depth.saturating_sub(1);
        }
        words.next();
    }
    if words.clone().any(|word| word.is_plain(&ANYTHING)) {
        return None;
    }
    if words.peek().is_some_and(|word| word.is_plain(&ASSIGN)) {
        words.next();
    }
    let each = words.map(|word| {
        let (name, value) = word.assignment()?;
        (!name.starts_with('-')).then(|| (name.to_owned(), value))
    });
    Some(each.collect::<Option<Vec<_>>>().unwrap_or_default())
}

/// Variables that a command changes without our knowing to what.
fn changed(simple: &Simple) -> Vec<String> {
    let changes = simple.words.iter().any(|word| word.is_plain(&CHANGE));
    let each = simple.words.iter().filter_map(|word| match &word.pieces[..] {
        [Piece::Text(text), ..] => match text.split_once('=') {
            // `X=1 command` is for that command alone; `X+=1` goes on from what it was.
            Some((name, _)) if name.ends_with('+') => Some(name.trim_end_matches('+').to_owned()),
            Some((name, _)) => (!only_assigns(simple)).then(|| name.to_owned()),
            None => changes.then(|| text.clone()),
        },
        _ => None,
    });
    each.collect()
}

fn only_assigns(simple: &Simple) -> bool {
    let named = |word: &Word| word.is_plain(&ASSIGN) || word.is_plain(&OPENS) || word.is_plain(&CLOSES);
    simple
        .words
        .iter()
        .all(|word| named(word) || word.assignment().is_some())
}

/// Variables that are used while nothing is known of them.
fn used(simple: &Simple, known: &BTreeMap<String, Vec<Piece>>) -> Vec<String> {
    let pieces = simple.words.iter().flat_map(|word| &word.pieces);
    let names = pieces.filter_map(|piece| match piece {
        Piece::Variable(name) => (!known.contains_key(name)).then(|| name.clone()),
        Piece::Text(_) | Piece::Assigned(..) | Piece::Given(..) | Piece::Opaque(_) | Piece::Home => None,
    });
    names.collect()
}

/// A value that is one word wherever it stands: an unquoted variable is split and matched once more.
fn is_plain(value: &Word) -> bool {
    let one = |piece: &Piece| match piece {
        Piece::Text(text) => !text.contains([' ', '\t', '\n', '*', '?', '[', '{', '~', '\\']),
        Piece::Variable(_) | Piece::Given(..) | Piece::Home => true,
        Piece::Assigned(..) | Piece::Opaque(_) => false,
    };
    !value.pieces.is_empty() && value.pieces.iter().all(one)
}
