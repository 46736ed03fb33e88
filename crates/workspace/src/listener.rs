//! What a [`Workspace`](crate::Workspace) reports to the process that it is a part of.

use crate::settings::Settings;

/// The receiver of these reports.
pub trait Listener: Send + Sync {
    /// Other settings are about to be in force.
    fn settings_changed(&self, before: &Settings, now: &Settings);

    /// Something that is shown changed.
    fn changed(&self, changes: Changes);

    /// Whether a window may show a project now.
    fn has_viewers(&self) -> bool;
}

/// What changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Hooks, their problems, approvals or mutes.
    pub hooks: bool,
    /// The settings or their problems.
    pub settings: bool,
    /// The mode of a watch: by events of the system, or by polling.
    pub watch_mode: bool,
}

impl Changes {
    /// Whether anything changed.
    #[must_use]
    pub fn any(self) -> bool {
        self.hooks || self.settings || self.watch_mode
    }
}
