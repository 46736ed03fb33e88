//! What runs for a window and can be stopped by the name that its client gave it. Two clients may choose the same name:
//! neither run loses it to the other, and stopping that name stops both.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use tokio_util::sync::CancellationToken;

use crate::fire::lock;

/// Everything that runs under a name.
#[derive(Debug, Clone, Default)]
pub struct Runs(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    next: u64,
    by_id: HashMap<u64, (String, CancellationToken)>,
}

/// One run; its name is free again when this is dropped.
#[derive(Debug)]
pub struct NamedRun {
    runs: Runs,
    id: u64,
    cancel: CancellationToken,
}

impl Runs {
    fn known(&self) -> MutexGuard<'_, Known> {
        lock(&self.0)
    }

    /// Begins a run under this name.
    #[must_use]
    pub fn begin(&self, name: String) -> NamedRun {
        let cancel = CancellationToken::new();
        let mut known = self.known();
        let id = known.next;
        known.next += 1;
        known.by_id.insert(id, (name, cancel.clone()));
        NamedRun {
            runs: self.clone(),
            id,
            cancel,
        }
    }

    /// Stops every run of this name; whether there was one.
    #[must_use]
    pub fn stop(&self, name: &str) -> bool {
        let mut stopped = false;
        for (_, cancel) in self.known().by_id.values().filter(|(known, _)| known == name) {
            cancel.cancel();
            stopped = true;
        }
        stopped
    }

    /// Stops everything.
    pub fn stop_all(&self) {
        for (_, cancel) in self.known().by_id.values() {
            cancel.cancel();
        }
    }
}

impl NamedRun {
    /// What its hooks listen to.
    #[must_use]
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }
}

impl Drop for NamedRun {
    fn drop(&mut self) {
        self.runs.known().by_id.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_of_one_name_are_both_stopped_by_it() {
        let runs = Runs::default();
        let (first, second, other) = (runs.begin("r".into()), runs.begin("r".into()), runs.begin("s".into()));
        drop(second);
        let third = runs.begin("r".into());
        assert!(runs.stop("r") && first.cancel().is_cancelled() && third.cancel().is_cancelled());
        assert!(!other.cancel().is_cancelled());
        drop((first, third));
        assert!(!runs.stop("r"));
    }
}
