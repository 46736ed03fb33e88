//! Locks a mutex, also after a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also after another thread panicked while it had the lock. The data must be valid at every moment: no
/// user of this function changes it in several steps.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
