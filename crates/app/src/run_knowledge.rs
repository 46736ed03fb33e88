//! What the health of hooks needs to know of their runs: which ones fail now.

use std::sync::Arc;
use std::time::Duration;

use hookwright_model::{Message, render};
use hookwright_workspace::health::{FailedRuns, FailingHooks};
use tokio::time::timeout;

use crate::app::App;

/// How long the answer of the database is waited for.
const READ_TIMEOUT: Duration = Duration::from_millis(50);

hookwright_model::messages! {
    /// The history cannot be read, so failing hooks are unknown.
    FAILING_UNKNOWN = "failing_unknown" { "the history cannot be read ({why}), so failing hooks are not shown", "无法读取历史记录（{why}），因此不显示持续失败的 Hook" };
    /// The history does not answer in time.
    TOO_SLOW = "failing_unknown" / "slow" { "the history did not respond within {ms} ms, so failing hooks are not shown", "历史记录未在 {ms} 毫秒内响应，因此不显示持续失败的 Hook" };
}

impl App {
    /// The hooks that failed when [`Self::refresh_failing`] last read them.
    pub(crate) fn failing_hooks(&self) -> Arc<FailingHooks> {
        self.failing.load_full()
    }

    /// Reads which hooks fail now, from what is in the database already. Returns why that is not known.
    pub async fn refresh_failing(&self) -> Option<Message> {
        let read = async { self.history.open_as_it_is().await?.failing_hooks().await };
        let (failing, message) = match timeout(READ_TIMEOUT, read).await {
            Ok(Ok(failing)) => (failing, None),
            Ok(Err(error)) => {
                let message = render!(FAILING_UNKNOWN, "why" => error.to_string());
                (Vec::new(), Some(message))
            }
            Err(_) => {
                let ms = u64::try_from(READ_TIMEOUT.as_millis()).unwrap_or(u64::MAX);
                (Vec::new(), Some(render!(TOO_SLOW, "ms" => ms)))
            }
        };
        let failing: FailingHooks = failing
            .into_iter()
            .map(|hook| {
                let runs = FailedRuns {
                    runs: hook.runs,
                    failed: hook.failed,
                };
                ((hook.hook, hook.version), runs)
            })
            .collect();
        self.failing.store(Arc::new(failing));
        message
    }
}
