//! What an entry of `hooks.processes` results in: the events it serves, why it is off, what an approval covers.

use std::path::{Component, Path};

use hookwright_model::problem::TextPosition;
use hookwright_model::{ApprovalScope, Command, DisabledReason, EVERY_EVENT, Message, Root};

use super::schema::EVERY_KIND;
use super::{events, messages};
use crate::relay;

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
