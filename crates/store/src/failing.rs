//! Which hooks fail now (`engine.md` §13, `failing`). It reads the rollups only.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::Timestamp;

use crate::error::StoreError;
use crate::metrics::read_hook_identities;
use crate::open::Db;
use crate::rollup::{DAY, HOUR, Period, RollupKind, covering_ranges, read_totals};
use crate::store::Store;
use crate::transaction::Transaction;

/// So many last runs that all failed make a hook a failing one.
const LAST_RUNS: u64 = 3;
/// From so many runs on, a share of failed ones counts.
const MANY_RUNS: u64 = 10;

/// A version of a hook that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingHook {
    /// The hook's id.
    pub hook: String,
    /// The version of its definition.
    pub version: String,
    /// The project of the runs, or empty for a hook of the user.
    pub project: String,
    /// The runs that were counted.
    pub runs: u64,
    /// Those of them that failed or timed out.
    pub failed: u64,
}

impl Store {
    /// The hooks whose last 3 runs failed, or at least half of 10 or more in the last 24 hours.
    ///
    /// # Errors
    /// The history cannot be read, or the database was found damaged.
    pub async fn failing_hooks(&self) -> Result<Vec<FailingHook>, StoreError> {
        let now = self.clock.now();
        let db = self.reading_db().await?;
        let read = read_failing(&db, now).await;
        self.check_result(&db, read).await
    }
}

/// Runs and failed runs of one bucket.
type Count = (u64, u64);

async fn read_failing(db: &Arc<Db>, now: Timestamp) -> Result<Vec<FailingHook>, sqlx::Error> {
    let now = now.as_second();
    let period = Period::rounded(now - DAY, Some(now), now);
    let mut transaction = Transaction::begin_read(db).await?;
    let mut by_hook: HashMap<i64, BTreeMap<i64, Count>> = HashMap::new();
    for range in covering_ranges(period, HOUR) {
        for (start, hook_id, totals) in read_totals(&mut transaction, RollupKind::Hooks, range).await? {
            let (mut runs, mut failed) = (0, 0);
            for (outcome, count) in totals.outcomes() {
                runs += if outcome.ran() { count } else { 0 };
                failed += if outcome.failed() { count } else { 0 };
            }
            let bucket = by_hook.entry(hook_id).or_default().entry(start).or_default();
            bucket.0 += runs;
            bucket.1 += failed;
        }
    }
    by_hook.retain(|_, buckets| is_failing(buckets).is_some());
    let mut hooks = Vec::new();
    if !by_hook.is_empty() {
        let identities = read_hook_identities(&mut transaction).await?;
        for (id, buckets) in &by_hook {
            if let (Some(hook), Some((runs, failed))) = (identities.get(id), is_failing(buckets)) {
                hooks.push(FailingHook {
                    hook: hook.hook.to_string(),
                    version: hook.definition.to_string(),
                    project: hook.project.to_string(),
                    runs,
                    failed,
                });
            }
        }
    }
    transaction.finish(Ok(())).await?;
    Ok(hooks)
}

/// The runs that show that a hook fails; `None` if they do not. Buckets are by their begin.
fn is_failing(buckets: &BTreeMap<i64, Count>) -> Option<Count> {
    let whole = buckets
        .values()
        .fold((0, 0), |sum, bucket| (sum.0 + bucket.0, sum.1 + bucket.1));
    if whole.0 >= MANY_RUNS && whole.1 * 2 >= whole.0 {
        return Some(whole);
    }
    // The order within a bucket is not known, so the buckets of the last runs must contain failures only.
    let mut last = (0, 0);
    for bucket in buckets.values().rev() {
        last = (last.0 + bucket.0, last.1 + bucket.1);
        if last.1 < last.0 {
            return None;
        }
        if last.0 >= LAST_RUNS {
            return Some(last);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_at_last_or_half_of_ten_make_a_failing_hook() {
        let judge = |buckets: &[Count]| is_failing(&(0..).zip(buckets.iter().copied()).collect());
        assert_eq!(judge(&[(5, 0), (2, 2), (1, 1)]), Some((3, 3)));
        assert_eq!(judge(&[(5, 0), (2, 2)]), None);
        assert_eq!(judge(&[(2, 2), (1, 0)]), None);
        assert_eq!(judge(&[(6, 3), (4, 2)]), Some((10, 5)));
        assert_eq!(judge(&[(6, 3), (4, 1)]), None);
        assert_eq!(
            judge(&[(3, 3), (0, 0)]),
            Some((3, 3)),
            "a step that did not run is no run"
        );
        assert_eq!(judge(&[]), None);
    }
}
