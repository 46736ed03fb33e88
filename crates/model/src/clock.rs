//! The clock that functions receive, so that a test can set the time.

use std::sync::Arc;

use jiff::Timestamp;

/// Returns the current time. It is passed in, so that a test can set it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;
