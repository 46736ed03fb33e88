//! Quitting the program. If the page has unsaved text, it asks the user first.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tauri::{AppHandle, Emitter as _, Manager as _};

use crate::window;

/// The event at which the page asks the user. The page answers it with `window.unsaved`, and later perhaps with
/// `window.quit`.
const REQUESTED: &str = "quit-requested";
/// A page that has not answered for so long does not respond. The next request then quits without it.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the page told of unsaved text.
#[derive(Debug, Default)]
pub struct UnsavedText(Mutex<Unsaved>);

#[derive(Debug, Default)]
struct Unsaved {
    files: usize,
    /// When the page was asked. `None` once it has answered.
    asked: Option<Instant>,
}

impl Unsaved {
    /// Whether a request at this time must wait for the user's answer.
    fn asks(&mut self, now: Instant) -> bool {
        let hangs = self.asked.is_some_and(|asked| now.duration_since(asked) >= PATIENCE);
        if self.files == 0 || hangs {
            return false;
        }
        self.asked.get_or_insert(now);
        true
    }
}

/// Stores how many files with unsaved text the page has. Each call says that the page responds.
pub fn set_unsaved(app: &AppHandle, files: usize) {
    let unsaved = app.state::<UnsavedText>();
    *unsaved.0.lock().unwrap_or_else(PoisonError::into_inner) = Unsaved { files, asked: None };
}

/// Whether the program may end now. If not, the window is shown and the page asks the user.
pub fn is_allowed(app: &AppHandle) -> bool {
    let asks = {
        let unsaved = app.state::<UnsavedText>();
        let mut unsaved = unsaved.0.lock().unwrap_or_else(PoisonError::into_inner);
        unsaved.asks(Instant::now())
    };
    if !asks {
        return true;
    }
    window::show(app);
    // A page that does not hear the event cannot ask.
    app.emit(REQUESTED, ())
        .inspect_err(|error| tracing::warn!(%error, "the page could not be asked before the program ends"))
        .is_err()
}

/// Quits, or asks the user first.
pub fn request(app: &AppHandle) {
    if is_allowed(app) {
        app.exit(0);
    }
}

#[cfg(test)]
mod tests {
    use super::{PATIENCE, Unsaved};
    use std::time::{Duration, Instant};

    #[test]
    fn a_request_asks_only_if_there_is_unsaved_text() {
        let now = Instant::now();
        assert!(!Unsaved::default().asks(now));
        assert!(Unsaved { files: 1, asked: None }.asks(now));
    }

    #[test]
    fn a_second_request_quits_only_if_the_page_did_not_answer_for_two_seconds() {
        let now = Instant::now();
        let mut unsaved = Unsaved { files: 2, asked: None };
        assert!(unsaved.asks(now));
        assert!(unsaved.asks(now + PATIENCE - Duration::from_millis(1)));
        assert!(!unsaved.asks(now + PATIENCE));
    }
}
