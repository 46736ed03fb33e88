//! Makes the hook of a HOOK.md (`agent-hooks.md` §2). It never fails: every error becomes a Problem and affects only its
//! own hook.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::{
    ApprovalScope, Code, DisabledReason, Handler, Hook, OnFailureEffect, Parsed, PlacedBy, Problem, RunMode,
    SourceFile, SourceTree, args, render, term,
};

use super::entry;
use super::events::CARD;
use super::roots::HOOK_FILE;
use super::schema::{DEFINITION, MAX_TIMEOUT_MS};
use super::{messages, name};
use crate::command_lint::{MergeRule, join_few, merge_by_rule};
use crate::definition::{self, Fields, Problems};
use crate::node::{Node, ValueKind};

const MAX_DESCRIPTION_CHARS: usize = 1024;
/// The range that the seed's authors expect, in milliseconds. A value outside of it is a warning.
const USUAL_TIMEOUT_MS: std::ops::RangeInclusive<i128> = 100..=600_000;

/// Reads every HOOK.md of a root.
#[must_use]
pub fn parse(tree: &SourceTree) -> Parsed {
    let mut parsed = Parsed::default();
    for (path, file) in tree.files.iter().filter(|(path, _)| path.ends_with(HOOK_FILE)) {
        match definition::open(&DEFINITION, path, file) {
            Ok(None) => {}
            Ok(Some(mut file)) => {
                let (hook, mut problems) = read(tree, path, &file.root);
                parsed.hooks.push(Arc::new(hook));
                parsed.problems.append(&mut problems);
                parsed.problems.append(&mut file.odd_warnings(path));
            }
            Err(problem) => {
                parsed.broken.push(path.clone());
                parsed.problems.push(problem);
            }
        }
    }
    merge_by_rule(&mut parsed.problems, &RENAMED);
    parsed
}

/// Later spellings in several hooks are one choice of their author, so they are reported together.
const RENAMED: MergeRule = MergeRule {
    templates: &[(messages::RENAMED, messages::RENAMED_ALL)],
    across_files: true,
    shared_key: |_| String::new(),
    lists: &[
        ("written", "names", join_few),
        ("event", "events", |events| events.join(", ")),
    ],
};

fn read(tree: &SourceTree, path: &Path, node: &Node) -> (Hook, Vec<Problem>) {
    let folder = path.parent().unwrap_or(path);
    let folder_name = folder.file_name().unwrap_or_default().to_string_lossy();
    let named = match node.get("name").map(|name| &name.kind) {
        Some(ValueKind::Scalar { value, text }) if !value.is_null() && !text.trim().is_empty() => text.as_str(),
        Some(_) | None => &folder_name,
    };
    let id = format!("{}{named}", tree.root.layer.id_prefix(CARD.id));
    let mut problems = Problems::new(path, Some(&id), node.position);
    let fields = definition::read(&DEFINITION, &DEFINITION.root, "", node, &mut problems);
    let label = read_name(&fields, &folder_name, &mut problems);
    check_description(&fields, &mut problems);
    let event = read_trigger(&fields, &mut problems);
    let when = fields.condition(None, &mut problems);
    if let Some(millis) = fields.get("timeout").and_then(Node::whole_number)
        && !USUAL_TIMEOUT_MS.contains(&millis)
        && millis <= i128::from(MAX_TIMEOUT_MS)
    {
        let written = fields.number("timeout");
        problems.warn(
            render!(messages::UNUSUAL, "written" => written),
            fields.position("timeout"),
        );
    }
    let entry = entry::find(tree, folder);
    let (handler, disabled_reason) = read_entry(entry.as_ref(), &mut problems);
    let spelling = if fields.given("async").is_some() {
        "async"
    } else {
        "async_"
    };
    let hook = Hook {
        label,
        handler,
        when,
        filter: fields.given("matcher").map(Node::to_value),
        timeout: fields.duration("timeout"),
        mode: if fields.flag(spelling) {
            RunMode::Detach
        } else {
            RunMode::Await
        },
        rank: Some(fields.number("priority")),
        field_positions: fields.positions().into_iter().collect(),
        placed_by: PlacedBy::of_definition(named, &[&event]),
        disabled_reason,
        approval_scope: ApprovalScope::Folder(folder.to_owned()),
        ..definition::hook(CARD.id, &tree.root, &problems, &event, Vec::new(), node.to_value())
    };
    if let Some(failure) = entry::start_failure(entry.as_ref()) {
        let event = CARD.event(&event);
        let effect = event.map_or(OnFailureEffect::Nothing, |event| {
            OnFailureEffect::of_exit(&hook, event, failure.exit)
        });
        let fix = failure.fix.clone();
        let problem = Problem::new(failure.message(effect), problems.path, Some(problems.begin));
        problems.push(problem.stopping_start().with_fix(fix));
    }
    (hook, problems.into_list())
}

/// The name; that of the folder if it is missing or wrong.
fn read_name(fields: &Fields<'_>, folder: &str, problems: &mut Problems<'_>) -> String {
    let example = || args! { "field" => "name", "example" => folder };
    let position = fields.position("name");
    let Some(text) = fields.text("name") else {
        if !fields.is_wrong("name") {
            problems.report(messages::MISSING.render(example()), position);
        }
        return folder.to_owned();
    };
    if text.trim().is_empty() {
        problems.report(messages::EMPTY.render(example()), position);
        return folder.to_owned();
    }
    let long = text.chars().count();
    if long > name::MAX_NAME_CHARS {
        let args = args! { "field" => "name", "found" => long, "most" => name::MAX_NAME_CHARS };
        problems.report(messages::TOO_LONG.render(args), position);
    } else if let Some(message) = name::check_name(text, folder) {
        problems.report(message, position);
    }
    text.to_owned()
}

/// Checks the description. A hook also runs without a good one, so every problem here is a warning.
fn check_description(fields: &Fields<'_>, problems: &mut Problems<'_>) {
    let position = fields.position("description");
    let long = fields.text("description").unwrap_or_default().chars().count();
    if fields.given("description").is_none() {
        let args = args! { "field" => "description", "example" => term!("what it does, in one sentence") };
        problems.warn(messages::MISSING.render(args), position);
    } else if long > MAX_DESCRIPTION_CHARS {
        let args = args! { "field" => "description", "found" => long, "most" => MAX_DESCRIPTION_CHARS };
        problems.warn(messages::TOO_LONG.render(args), position);
    }
}

/// The event in the seed's spelling. An unknown event is returned as written.
fn read_trigger(fields: &Fields<'_>, problems: &mut Problems<'_>) -> String {
    let written = fields.text("trigger").unwrap_or_default();
    if fields.text("trigger").is_none() || CARD.event(written).is_some() {
        return written.to_owned();
    }
    let position = fields.position("trigger");
    if let Some(event) = CARD.resolve_alias(written) {
        problems.report(
            render!(messages::RENAMED, "written" => written, "event" => event),
            position,
        );
        return event.to_owned();
    }
    let message = if CARD.aliases.iter().any(|(alias, _)| *alias == written) {
        let events = CARD
            .events
            .iter()
            .map(|event| event.name)
            .collect::<Vec<_>>()
            .join(", ");
        render!(messages::UNKNOWN_EVENT_LATER, "event" => written, "events" => events)
    } else {
        definition::unknown_event(&CARD, written, messages::UNKNOWN_EVENT_NEAR, messages::UNKNOWN_EVENT)
    };
    problems.report(message, position);
    written.to_owned()
}

/// The script, and the reason why the hook is off if the script is Hookwright's relay.
fn read_entry(
    entry: Option<&(PathBuf, &SourceFile)>,
    problems: &mut Problems<'_>,
) -> (Handler, Option<DisabledReason>) {
    let handler = Handler::Script {
        entry: entry.map(|(path, _)| path.clone()),
    };
    if let Some((_, SourceFile { text: Err(problem), .. })) = entry
        && problem.code == Code::FileOutside
    {
        // An approval of the project does not cover a file outside the project.
        problems.push(problem.clone());
        return (handler, None);
    }
    let is_relay = entry.is_some_and(|(_, file)| entry::is_relay(file));
    let off = is_relay.then(|| messages::RELAY.render_plain());
    off.iter()
        .for_each(|message| problems.report(message.clone(), problems.begin));
    (handler, off.map(DisabledReason::Relay))
}

#[cfg(test)]
#[path = "definition_tests.rs"]
mod tests;
