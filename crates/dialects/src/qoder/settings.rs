//! Reads `settings.json` and `settings.local.json`, from text to hooks (`qoder.md` §1, §2).
//!
//! Reading never fails as a whole: each error becomes a Problem and affects only the part that contains it.

use std::path::Path;

use hookwright_model::{Parsed, Problem, SourceTree};

use super::events::CARD;
use super::schema::{DEFINITION, GROUP, REGISTRATION};
use super::{entry, messages, module};
use crate::definition;
use crate::event_list::{self, Callbacks, Groups, ListMessages};
use crate::misplaced;
use crate::node::{Entry, Node, ValueKind};
use crate::wrapper_fix::add_wrapper_fix;

/// How groups are read.
static GROUPS: Groups = Groups {
    card: &CARD,
    group: &GROUP,
    lists: ListMessages {
        list_type: messages::EVENT_TYPE,
        rejects_file: |_| false,
        duplicate: messages::DUPLICATE_EVENT,
        last_counts: false,
        unknown_event: |entry| module::unknown_event_message(&entry.key),
    },
    section_type: messages::SECTION_TYPE,
    section_rejects: false,
    inherited_flags: &["async"],
    check: entry::check_matcher,
    read_entry: entry::read,
};

/// How callbacks are read.
pub(super) static CALLBACKS: Callbacks = Callbacks {
    groups: &GROUPS,
    fields: &REGISTRATION,
    check_timeout: |_, fields, problems| entry::warn_long_timeout(fields, problems),
    time_limit: |_, fields| fields.duration("timeout"),
    tier: 0,
};

/// Reads the file of a root: settings, or a module.
#[must_use]
pub fn parse(tree: &SourceTree) -> Parsed {
    if tree.root.path.extension().is_some_and(|end| end == "py") {
        return module::parse(tree);
    }
    let part = id_part(&tree.root.path);
    definition::parse_root(&DEFINITION, tree, |node| {
        let mut parsed = event_list::read_file(&GROUPS, &tree.root, part, node);
        parsed.problems.extend(outside_hooks(&tree.root.path, node));
        parsed
    })
}

/// Lists of hooks that are not under `hooks`.
fn outside_hooks(path: &Path, node: &Node) -> Vec<Problem> {
    let is_event = |entry: &&Entry| CARD.event(&entry.key).is_some() && matches!(entry.value.kind, ValueKind::List(_));
    let outside = node.entries().unwrap_or_default().iter().filter(is_event);
    let fix = add_wrapper_fix(path, node, |entry| is_event(&entry));
    let mut out: Vec<Problem> = outside
        .map(|entry| misplaced::outside(&CARD, path, entry, "hooks").with_fix(fix.clone()))
        .collect();
    out.extend(misplaced::wrong_wrapper(&CARD, path, node, |value| {
        event_list::has_event(&CARD, value)
    }));
    out
}

/// The part of the ids that names the file.
pub(super) fn id_part(path: &Path) -> &'static str {
    if path.file_name().is_some_and(|name| name == "settings.local.json") {
        "local"
    } else {
        "settings"
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
pub(super) mod tests;
