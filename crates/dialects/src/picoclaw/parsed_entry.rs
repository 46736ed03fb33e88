//! What an entry of `hooks.processes` says: the events it serves, why it is off, what an approval covers.

use std::path::{Component, Path};

use hookwright_model::problem::TextPosition;
use hookwright_model::{
    ApprovalScope, Command, DisabledReason, EVERY_EVENT, Message, MessageTemplate, Root, args, render,
};

use super::entry::POINTS;
use super::events::CARD;
use super::schema::EVERY_KIND;
use super::{events, messages};
use crate::definition::{Fields, Problems};
use crate::relay;
use crate::suggest::nearest;

/// The entry's fields that could be read.
#[derive(Default)]
pub(super) struct ParsedEntry {
    pub(super) enabled: EnabledField,
    pub(super) priority: i64,
    pub(super) command: Vec<String>,
    pub(super) dir: Option<String>,
    pub(super) observe: Vec<String>,
    /// Kinds that PicoClaw fires and Hookwright does not, with their positions.
    pub(super) other_kinds: Vec<(String, TextPosition)>,
    pub(super) intercept: Vec<String>,
    /// `intercept` is not a list or contains an invalid value, which may stand for `approve_tool`.
    pub(super) intercept_unreadable: bool,
    pub(super) modes_unreadable: bool,
}

/// The value of an entry's own switch.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum EnabledField {
    On,
    Off,
    #[default]
    Absent,
    /// Neither true nor false. The entry is treated as on, because it was probably intended to be.
    Unreadable,
}

impl ParsedEntry {
    /// An entry that is no mapping.
    pub(super) const UNREADABLE: Self = Self {
        enabled: EnabledField::Unreadable,
        priority: 0,
        command: Vec::new(),
        dir: None,
        observe: Vec::new(),
        other_kinds: Vec::new(),
        intercept: Vec::new(),
        intercept_unreadable: true,
        modes_unreadable: true,
    };

    /// What the fields of an entry say, or those of a registration. What is wrong with the program and the events is
    /// reported.
    pub(super) fn read(fields: &Fields<'_>, problems: &mut Problems<'_>) -> Self {
        let command = fields.words("command");
        let is_blank = command.first().is_none_or(|(program, _)| program.trim().is_empty());
        if is_blank && fields.get("command").is_some() {
            let position = command
                .first()
                .map_or(fields.position("command"), |(_, position)| *position);
            problems.report(messages::EMPTY.render_plain(), position);
        }
        let mut parsed = Self {
            enabled: match fields.get("enabled") {
                Some(_) if fields.flag("enabled") => EnabledField::On,
                Some(_) => EnabledField::Off,
                None if fields.is_wrong("enabled") => EnabledField::Unreadable,
                None => EnabledField::Absent,
            },
            priority: fields.number("priority"),
            command: command.into_iter().map(|(word, _)| word.to_owned()).collect(),
            dir: fields.text("dir").map(str::to_owned),
            modes_unreadable: fields.is_wrong("observe"),
            intercept_unreadable: fields.is_wrong("intercept"),
            ..Self::default()
        };
        parsed.read_kinds(fields, problems);
        for (word, position) in fields
            .words("intercept")
            .into_iter()
            .filter(|(word, _)| !word.is_empty())
        {
            if POINTS.contains(&word) {
                parsed.intercept.push(word.to_owned());
            } else {
                let near = (messages::UNKNOWN_POINT_NEAR, messages::UNKNOWN_POINT);
                problems.report(unknown_word(word, POINTS.into_iter(), near), position);
                parsed.intercept_unreadable = true;
            }
        }
        parsed.modes_unreadable |= parsed.intercept_unreadable;
        if let Some((_, position)) = parsed.other_kinds.first() {
            let kinds = backticked(parsed.other_kinds.iter().map(|(word, _)| word.as_str()));
            let message = render!(messages::OTHER_KINDS, "kinds" => kinds);
            // They make an entry invalid only if it serves nothing else.
            if parsed.observe.is_empty() && parsed.intercept.is_empty() {
                problems.report(message, *position);
            } else {
                problems.warn(message, *position);
            }
        }
        parsed
    }

    /// Reads the kinds of `observe`, in either spelling.
    fn read_kinds(&mut self, fields: &Fields<'_>, problems: &mut Problems<'_>) {
        let mut renamed = Vec::new();
        for (word, position) in fields.words("observe") {
            if EVERY_KIND.contains(&word) || events::kinds().any(|kind| kind == word) {
                self.observe.push(word.to_owned());
            } else if let Some(kind) = CARD.resolve_alias(word) {
                self.observe.push(kind.to_owned());
                renamed.push((word, kind, position));
            } else if word.contains('.') {
                self.other_kinds.push((word.to_owned(), position));
            } else {
                let near = (messages::UNKNOWN_KIND_NEAR, messages::UNKNOWN_KIND);
                problems.report(unknown_word(word, events::kinds(), near), position);
                self.modes_unreadable = true;
            }
        }
        if let Some((_, _, position)) = renamed.first() {
            let kinds = backticked(renamed.iter().map(|(word, ..)| *word));
            let names = backticked(renamed.iter().map(|(_, kind, _)| *kind));
            problems.report(
                render!(messages::RENAMED_KIND, "kinds" => kinds, "names" => names),
                *position,
            );
        }
    }

    fn has_point(&self, point: &str) -> bool {
        self.intercept.iter().any(|own| own == point)
    }

    pub(super) fn approves_if_broken(&self) -> bool {
        self.has_point("approve_tool") || self.intercept_unreadable
    }

    /// The events that the entry serves. Modes are coarse: one point of a pair includes the other.
    pub(super) fn events(&self, invalid: bool) -> Vec<&str> {
        let mut out = Vec::new();
        for (first, second) in [("before_llm", "after_llm"), ("before_tool", "after_tool")] {
            if self.has_point(first) || self.has_point(second) {
                out.extend([first, second]);
            }
        }
        if self.has_point("approve_tool") || (invalid && self.intercept_unreadable) {
            out.push("approve_tool");
        }
        if self.observe.iter().any(|kind| EVERY_KIND.contains(&kind.as_str())) {
            out.push(EVERY_EVENT);
        } else {
            out.extend(events::kinds().filter(|kind| self.observe.iter().any(|own| own == kind)));
        }
        if out.is_empty() {
            // An entry that serves no event is still shown.
            out.push("");
        }
        out
    }

    pub(super) fn disabled_reason(&self, hooks_enabled: bool) -> Option<DisabledReason> {
        if self.starts_relay() {
            return Some(DisabledReason::Relay(messages::RELAY.render_plain()));
        }
        let message = if !hooks_enabled {
            messages::answers::ALL_OFF.render_plain()
        } else {
            match self.enabled {
                EnabledField::On | EnabledField::Unreadable => return None,
                EnabledField::Off => messages::answers::OFF.render_plain(),
                EnabledField::Absent => messages::NOT_ENABLED.render_plain(),
            }
        };
        Some(DisabledReason::Disabled(message))
    }

    /// Warnings about the entry as a whole.
    pub(super) fn entry_warnings(&self) -> Vec<Message> {
        let switch = (self.enabled == EnabledField::Absent).then(|| messages::NOT_ENABLED.render_plain());
        let relay = self.starts_relay().then(|| messages::RELAY.render_plain());
        switch.into_iter().chain(relay).chain(self.no_modes()).collect()
    }

    /// The error that the entry serves no event.
    pub(super) fn no_modes(&self) -> Option<Message> {
        let modes = self.observe.is_empty()
            && self.other_kinds.is_empty()
            && self.intercept.is_empty()
            && !self.modes_unreadable;
        modes.then(|| messages::NO_MODES.render_plain())
    }

    fn starts_relay(&self) -> bool {
        relay::starts_relay(&shell_quoted(&self.command))
    }

    /// The `dir` of a project's entry, if it is outside the project as written.
    pub(super) fn dir_outside_project(&self, root: &Root) -> Option<&str> {
        let (dir, project) = (self.dir.as_deref()?, root.project.as_deref()?);
        let mut depth = 0_i32;
        let inside = Path::new(dir);
        let inside = if inside.is_absolute() {
            inside.strip_prefix(project).ok()
        } else {
            Some(inside)
        };
        let stays = inside.is_some_and(|path| {
            path.components().all(|part| {
                depth += match part {
                    Component::ParentDir => -1,
                    Component::Normal(_) => 1,
                    Component::CurDir => 0,
                    Component::Prefix(_) | Component::RootDir => -1,
                };
                depth >= 0
            })
        });
        (!stays).then_some(dir)
    }

    /// The files that the command names, relative to the directory in which it runs.
    pub(super) fn approval_scope(&self) -> ApprovalScope {
        let dir = self.dir.as_ref().filter(|dir| !dir.is_empty());
        ApprovalScope::Command(Command {
            words: self.command.clone(),
            shell: false,
            dir: dir.map(Into::into),
        })
    }
}

/// The parts of a command as one shell command, quoted where necessary.
fn shell_quoted(words: &[String]) -> String {
    let quote = |word: &String| {
        // A shell command cannot contain a NUL. Such a command cannot be started either.
        shlex::try_quote(word).map_or_else(|_| String::new(), std::borrow::Cow::into_owned)
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// The words, each between backticks.
fn backticked<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// The message about an unknown word of a list: the nearest known one, or else all.
fn unknown_word(
    word: &str,
    known: impl Iterator<Item = &'static str>,
    (near, all): (MessageTemplate, MessageTemplate),
) -> Message {
    let known: Vec<&str> = known.collect();
    match nearest(word, known.iter().copied()) {
        Some(nearest) => near.render(args! { "written" => word, "nearest" => nearest }),
        None => all.render(args! { "written" => word, "known" => known.join(", ") }),
    }
}
