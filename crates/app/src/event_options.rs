//! What a host decides for one event: whether approvals count, and whether it is recorded.

/// Whether approvals decide which hooks may run, or the user's `--trust` replaces them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// A hook that needs an approval runs only with one.
    Approvals,
    /// `--trust` was given: every hook counts as trusted for this one call.
    Granted,
}

/// Whether the trace is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recording {
    /// The trace is spooled before the reply leaves, and imported later.
    On,
    /// Nothing is written. Only tests and benchmarks use it.
    Off,
}
