//! Runs for a window, which can be stopped by the name that the client gave them. A host makes the names of different
//! connections different. Two runs of one connection may have the same name; stopping that name stops both.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use hookwright_workspace::lock::lock;
use tokio_util::sync::CancellationToken;

/// The name that the client gave to a run. The host puts its own part and a `/` before it.
#[must_use]
pub fn client_name(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, own)| own)
}

/// All runs that have a name.
#[derive(Debug, Clone, Default)]
pub struct NamedRuns(Arc<Mutex<NamedRunTable>>);

#[derive(Debug, Default)]
struct NamedRunTable {
    next: u64,
    by_id: HashMap<u64, (String, CancellationToken)>,
}

/// One run. It is removed from the named runs when this is dropped.
#[derive(Debug)]
pub struct NamedRun {
    runs: NamedRuns,
    id: u64,
    cancel: CancellationToken,
}

impl NamedRuns {
    fn table(&self) -> MutexGuard<'_, NamedRunTable> {
        lock(&self.0)
    }

    /// Begins a run under this name.
    #[must_use]
    pub fn begin(&self, name: String) -> NamedRun {
        self.begin_with(name, CancellationToken::new())
    }

    /// Begins a run under this name that `cancel` stops, too.
    #[must_use]
    pub fn begin_with(&self, name: String, cancel: CancellationToken) -> NamedRun {
        let mut table = self.table();
        let id = table.next;
        table.next += 1;
        table.by_id.insert(id, (name, cancel.clone()));
        NamedRun {
            runs: self.clone(),
            id,
            cancel,
        }
    }

    /// Stops every run of this name. Returns whether there was one.
    #[must_use]
    pub fn stop(&self, name: &str) -> bool {
        let mut stopped = false;
        for (_, cancel) in self.table().by_id.values().filter(|(known, _)| known == name) {
            cancel.cancel();
            stopped = true;
        }
        stopped
    }

    /// Stops every run.
    pub fn stop_all(&self) {
        for (_, cancel) in self.table().by_id.values() {
            cancel.cancel();
        }
    }
}

impl NamedRun {
    /// The token that stops the hooks of this run.
    #[must_use]
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }
}

impl Drop for NamedRun {
    fn drop(&mut self) {
        self.runs.table().by_id.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_of_one_name_are_both_stopped_by_it() {
        let runs = NamedRuns::default();
        let (first, second, other) = (runs.begin("r".into()), runs.begin("r".into()), runs.begin("s".into()));
        drop(second);
        let third = runs.begin("r".into());
        assert!(runs.stop("r") && first.cancel().is_cancelled() && third.cancel().is_cancelled());
        assert!(!other.cancel().is_cancelled());
        drop((first, third));
        assert!(!runs.stop("r"));
    }
}
