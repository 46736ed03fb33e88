//! Which hooks began to wait for approval.

use std::collections::{BTreeMap, BTreeSet};

/// A hook that waits for approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Waiting<'h> {
    /// Hook id.
    pub hook: &'h str,
    /// Tells contents apart: ids of hooks move when another hook is written above them.
    pub definition: &'h str,
    /// Who registered it.
    pub from: WaitingFrom,
}

/// Where a hook that waits comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitingFrom {
    /// A file, which may be older than this engine.
    File,
    /// An agent that is connected now.
    Agent,
}

/// The hooks that are known to wait, and those that the user was told of.
#[derive(Debug, Default)]
pub(super) struct PendingHooks {
    /// The definitions that wait, by project.
    known: BTreeMap<String, BTreeSet<String>>,
    /// Hook ids that were said, by project.
    told: BTreeMap<String, BTreeSet<String>>,
}

impl PendingHooks {
    /// Takes what waits in a project now, and returns the indexes of what is new. What the files of a project contain
    /// when it is first seen is not new: the window shows it. What an agent registered is.
    pub fn update(&mut self, project: &str, waiting: &[Waiting<'_>]) -> Vec<usize> {
        let now = waiting.iter().map(|it| it.definition.to_owned()).collect();
        let before = self.known.insert(project.to_owned(), now);
        let is_new = |it: &Waiting<'_>| match &before {
            Some(before) => !before.contains(it.definition),
            None => it.from == WaitingFrom::Agent,
        };
        let told = self.told.entry(project.to_owned()).or_default();
        // Who was approved and waits again is told of again.
        told.retain(|hook| waiting.iter().any(|it| it.hook == hook));
        let new = waiting.iter().enumerate().filter(|(_, it)| is_new(it));
        let new: Vec<usize> = new.map(|(index, _)| index).collect();
        told.extend(new.iter().map(|index| waiting[*index].hook.to_owned()));
        new
    }

    /// Whether the user was not told yet that this hook, which an agent's event would have run, waits.
    pub fn tell(&mut self, project: Option<&str>, hook: &str) -> bool {
        let told = self.told.entry(project.unwrap_or_default().to_owned()).or_default();
        told.insert(hook.to_owned())
    }

    /// Forgets the projects that are neither listed nor open.
    pub fn keep(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.known.retain(|project, _| is_kept(project));
        self.told.retain(|project, _| project.is_empty() || is_kept(project));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_file<'h>(hook: &'h str, definition: &'h str) -> Waiting<'h> {
        Waiting {
            hook,
            definition,
            from: WaitingFrom::File,
        }
    }

    #[test]
    fn what_a_project_contains_when_it_is_first_seen_is_not_new() {
        let mut pending = PendingHooks::default();
        assert!(pending.update("/p", &[of_file("x:0", "a")]).is_empty());
        assert!(pending.update("/p", &[of_file("x:0", "a")]).is_empty());
        assert_eq!(pending.update("/p", &[of_file("x:0", "a"), of_file("x:1", "b")]), [1]);
        assert!(pending.update("/other", &[of_file("x:0", "c")]).is_empty());
    }

    #[test]
    fn a_hook_above_another_one_does_not_make_that_one_new() {
        let mut pending = PendingHooks::default();
        pending.update("/p", &[of_file("x:0", "a")]);
        assert_eq!(pending.update("/p", &[of_file("x:0", "b"), of_file("x:1", "a")]), [0]);
    }

    #[test]
    fn a_hook_that_was_approved_and_waits_again_is_new() {
        let mut pending = PendingHooks::default();
        pending.update("/p", &[of_file("x:0", "a")]);
        assert!(pending.tell(Some("/p"), "x:0"));
        pending.update("/p", &[]);
        assert_eq!(pending.update("/p", &[of_file("x:0", "a")]), [0]);
        assert!(!pending.tell(Some("/p"), "x:0"));
    }

    #[test]
    fn what_an_agent_registers_is_new_at_once() {
        let mut pending = PendingHooks::default();
        let of_agent = Waiting {
            from: WaitingFrom::Agent,
            ..of_file("jcli:session:x:0", "a")
        };
        assert_eq!(pending.update("/p", &[of_file("x:0", "b"), of_agent]), [1]);
    }

    #[test]
    fn a_hook_that_did_not_run_is_said_once() {
        let mut pending = PendingHooks::default();
        pending.update("/p", &[of_file("x:0", "a")]);
        assert!(pending.tell(Some("/p"), "x:0"));
        assert!(!pending.tell(Some("/p"), "x:0"));
        assert!(pending.tell(None, "x:0"));
        pending.keep(|project| project != "/p");
        assert!(pending.tell(Some("/p"), "x:0"));
    }
}
