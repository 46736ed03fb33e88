//! Locking of a mutex.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also after another thread panicked: a panic leaves no data half changed.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
