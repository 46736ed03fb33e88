//! What a host can follow of a chain while it runs.

use std::sync::Arc;

use hookwright_model::{Hook, Outcome, RunProgress};

/// Follows the chain of one event. Steps are named by their index in the plan. Every function is called on the path of
/// the event, so it must not wait.
pub trait ChainProgress: Send + Sync {
    /// The chain begins. These are the hooks that it will run, in run order, unless it ends before them.
    fn chain_began(&self, hooks: &mut dyn Iterator<Item = (usize, &Arc<Hook>)>);

    /// An attempt of a step begins. A step that is tried again has several attempts. The result receives what the hook
    /// writes.
    fn attempt_began(&self, step: usize) -> Option<Arc<dyn RunProgress>>;

    /// An attempt of a step has ended. Its outcome follows, except if the step is tried again.
    fn attempt_ended(&self, step: usize);

    /// A step has ended.
    fn step_ended(&self, step: usize, outcome: Outcome);
}
