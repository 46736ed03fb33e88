//! Work that waits for the disk, in a place where it may.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Does work that waits for the disk. On a worker of a runtime with several, the other tasks of that worker go on
/// elsewhere meanwhile; anywhere else there is nobody who waits.
pub(crate) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        Ok(_) | Err(_) => work(),
    }
}

/// A future each of whose steps may wait for the disk.
pub(crate) async fn all_blocking<T>(work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(|context| blocking(|| work.as_mut().poll(context))).await
}
