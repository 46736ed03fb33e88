//! Bounds the hooks that only reports name (`CONTRACTS.md` §3, "Bounds"): each has rows of metrics of its own, and an agent
//! can invent any number of them.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hookwright_model::{EventSpec, Hook, Trace};
use hookwright_workspace::lock::lock;
use jiff::Timestamp;

/// How many of these hooks a project has in a day.
pub(crate) const MAX_HOOKS: usize = 256;
/// How many projects have such hooks in a day.
const MAX_PROJECTS: usize = 64;
/// The id and label of the rest.
const OTHERS: &str = "others";
const SECONDS_PER_DAY: i64 = 86_400;

/// The hooks that reports have named today.
#[derive(Debug, Default)]
pub(crate) struct ReportedHooks(Mutex<Today>);

#[derive(Debug, Default)]
struct Today {
    /// Days since 1970.
    day: i64,
    /// The ids, each with the version of its definition.
    by_project: HashMap<PathBuf, HashSet<(String, String)>>,
}

impl ReportedHooks {
    /// Joins the steps of hooks that are not known, and are too many, under one name. `known` are the hooks that the
    /// project and the session have.
    pub(crate) fn bound(&self, trace: &mut Trace, spec: &EventSpec, project: &Path, known: &[Arc<Hook>]) {
        let is_known =
            |hook: &str, version: &str| known.iter().any(|it| it.id_at(spec) == hook && it.version() == version);
        let mut today = lock(&self.0);
        today.begin(trace.at);
        for step in &mut trace.steps {
            if is_known(&step.hook, &step.version) || today.admits(project, &step.hook, &step.version) {
                continue;
            }
            OTHERS.clone_into(&mut step.hook);
            OTHERS.clone_into(&mut step.label);
            step.version.clear();
        }
    }
}

impl Today {
    fn begin(&mut self, now: Timestamp) {
        let day = now.as_second().div_euclid(SECONDS_PER_DAY);
        if day != self.day {
            self.day = day;
            self.by_project.clear();
        }
    }

    /// Whether a hook has a row of its own, and from now on has one.
    fn admits(&mut self, project: &Path, hook: &str, version: &str) -> bool {
        if !self.by_project.contains_key(project) && self.by_project.len() >= MAX_PROJECTS {
            return false;
        }
        let hooks = self.by_project.entry(project.to_owned()).or_default();
        let key = (hook.to_owned(), version.to_owned());
        if hooks.contains(&key) {
            return true;
        }
        hooks.len() < MAX_HOOKS && hooks.insert(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_project_has_rows_for_so_many_hooks_a_day() {
        let mut today = Today::default();
        today.begin(at(0));
        let admitted = (0..MAX_HOOKS + 9).filter(|n| today.admits(Path::new("/p"), &n.to_string(), "v"));
        assert_eq!(admitted.count(), MAX_HOOKS);
        assert!(today.admits(Path::new("/p"), "0", "v"), "it has one already");
        assert!(
            !today.admits(Path::new("/p"), "0", "other"),
            "another definition would be another row"
        );
        assert!(today.admits(Path::new("/q"), "0", "v"));
        today.begin(at(SECONDS_PER_DAY));
        assert!(today.admits(Path::new("/p"), "new", "v"));
    }

    #[test]
    fn the_projects_of_a_day_are_bounded_too() {
        let mut today = Today::default();
        let admitted = (0..MAX_PROJECTS + 9).filter(|n| today.admits(Path::new(&format!("/{n}")), "h", "v"));
        assert_eq!(admitted.count(), MAX_PROJECTS);
    }
}
