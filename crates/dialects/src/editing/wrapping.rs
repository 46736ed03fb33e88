//! Puts the relay around the commands of a file, or takes it away.

use std::sync::Arc;

use hookwright_model::{Card, FileChange, Hook, Message, SourceTree};

use super::TextEdits;
use crate::relay::{self, RelayChange};
use crate::splice::{Op, PathStep, key};

/// Changes the relay around the commands of these hooks in their files. Nothing else of the hooks changes, as their
/// definitions have only the inner command.
///
/// # Errors
/// A file does not parse, or a command cannot be edited in place.
pub fn change_wrappings(
    card: &Card,
    trees: &[SourceTree],
    hooks: &[Arc<Hook>],
    change: RelayChange<'_>,
) -> Result<Vec<FileChange>, Message> {
    let mut texts = TextEdits::new(card.definition.format);
    let is_first = |hook: &Hook| hook.at.iter().all(|step| !matches!(step, PathStep::Key(_, 1..)));
    for tree in trees {
        let path = &tree.root.path;
        let mine = hooks.iter().filter(|hook| hook.source.path == *path && is_first(hook));
        let mut mine = mine.peekable();
        if mine.peek().is_none() {
            continue;
        }
        let Some(root) = texts.node(tree, path, &[])? else {
            continue;
        };
        let changed = |hook: &Arc<Hook>| {
            let definition = root.find(&hook.at)?.to_value();
            let command = definition.get("command")?.as_str()?;
            let changed = relay::change_wrapping(change, card, (&hook.event, &hook.id), &definition, command);
            (changed != command).then(|| Op::Set {
                at: [hook.at.as_slice(), &[key("command")]].concat(),
                value: changed.into(),
            })
        };
        let ops: Vec<Op> = mine.filter_map(changed).collect();
        texts.splice(tree, path, &ops)?;
    }
    Ok(texts.files())
}
