//! What a [`Workspace`](crate::Workspace) reports to the process that it is a part of.

use crate::settings::Settings;

/// The receiver of these reports.
pub trait Listener: Send + Sync {
    /// Other settings are in force from now on.
    fn settings_changed(&self, before: &Settings, now: &Settings);

    /// Something that is shown changed.
    fn changed(&self, changes: Changes);

    /// Whether somebody receives pushes now, so that a window may show a project.
    fn has_viewers(&self) -> bool;
}

/// What changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Hooks, their problems, approvals or mutes.
    pub hooks: bool,
    /// The settings or their problems.
    pub settings: bool,
    /// Whether changes of files are noticed at once.
    pub watch_mode: bool,
}

impl Changes {
    /// Whether anything changed.
    #[must_use]
    pub fn any(self) -> bool {
        self.hooks || self.settings || self.watch_mode
    }
}
