//! Runs work that waits for the disk without delaying other tasks.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs work that waits for the disk. In a runtime with several workers, the other tasks of this worker move to another
/// thread in the meantime. Elsewhere no other task waits, so the work runs directly.
pub fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        Ok(_) | Err(_) => work(),
    }
}

/// Runs a future of which every poll may wait for the disk.
pub async fn all_blocking<T>(work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(|context| blocking(|| work.as_mut().poll(context))).await
}
