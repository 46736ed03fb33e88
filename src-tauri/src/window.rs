//! The window: opened once, closed to the tray where there is one.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hookwright_app::{HostEnv, locked_file};
use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Manager as _, Theme, Url, WebviewUrl, WebviewWindowBuilder, Window, WindowEvent};
use tauri_plugin_notification::NotificationExt as _;
use tauri_plugin_opener::OpenerExt as _;

use crate::arguments::Arguments;
use crate::look::Look;
use crate::tray::{self, Tray};
use crate::words::Speaker;

/// The one window.
pub const LABEL: &str = "main";

/// Where the window is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Whereabouts {
    /// It can be seen, or is behind others.
    #[default]
    Screen,
    /// Only its icon in the tray can.
    Tray,
}

/// Where the window was put last.
#[derive(Debug, Default)]
pub struct Last(Mutex<Whereabouts>);

/// Remembers that it was said where the window goes when it is closed.
pub struct Hint {
    path: PathBuf,
}

impl Hint {
    /// In the data folder's cache: whoever clears that may be told again.
    pub fn new(around: &HostEnv) -> Self {
        Self {
            path: around.data_dir.join("cache").join("tray-hint"),
        }
    }

    /// True the first time only.
    fn first_time(&self) -> bool {
        !self.path.exists() && locked_file::atomic_write(&self.path, b"", 0o600).is_ok()
    }
}

/// Opens the window, or leaves it in the tray when that was asked for and there is a tray.
pub fn open(app: &AppHandle, arguments: &Arguments, look: &Look) -> tauri::Result<()> {
    let hidden = arguments.hidden && app.try_state::<Tray>().is_some();
    let links = app.clone();
    let others = app.clone();
    let window = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::default())
        .title("Hookwright")
        .inner_size(1280.0, 800.0)
        .min_inner_size(960.0, 640.0)
        .background_color(look.canvas(Theme::Dark))
        .initialization_script(look.script())
        .visible(!hidden)
        .on_document_title_changed(|window, title| {
            if let Err(error) = window.set_title(&title) {
                tracing::warn!(%error, "the window's title could not be changed");
            }
        })
        .on_navigation(move |url| stays(&links, url))
        .on_new_window(move |url, _| {
            outside(&others, &url);
            NewWindowResponse::Deny
        })
        .build()?;
    // What the desktop's theme is, only a window knows.
    if let Ok(desktop) = window.theme() {
        window.set_background_color(Some(look.canvas(desktop)))?;
    }
    now(app, if hidden { Whereabouts::Tray } else { Whereabouts::Screen });
    Ok(())
}

/// Whether an address is the page's own; any other opens in the browser.
fn stays(app: &AppHandle, url: &Url) -> bool {
    let own = url.scheme() == "tauri" || url.host_str() == Some("tauri.localhost") || url.as_str() == "about:blank";
    if !own {
        outside(app, url);
    }
    own
}

fn outside(app: &AppHandle, url: &Url) {
    if !matches!(url.scheme(), "http" | "https") {
        return;
    }
    if let Err(error) = app.opener().open_url(url.as_str(), None::<&str>) {
        tracing::warn!(%error, %url, "no browser opened");
    }
}

/// Brings the window to the front.
pub fn show(app: &AppHandle) {
    let Some(window) = app.get_webview_window(LABEL) else {
        return;
    };
    let shown = window
        .show()
        .and_then(|()| window.unminimize())
        .and_then(|()| window.set_focus());
    if let Err(error) = shown {
        tracing::warn!(%error, "the window could not be shown");
    }
    now(app, Whereabouts::Screen);
}

/// Hides the window to the tray.
pub fn hide(app: &AppHandle) {
    let Some(window) = app.get_webview_window(LABEL) else {
        return;
    };
    if let Err(error) = window.hide() {
        tracing::warn!(%error, "the window could not be hidden");
    }
    now(app, Whereabouts::Tray);
}

/// Shows the window when it is hidden, and the other way round.
pub fn toggle(app: &AppHandle) {
    match whereabouts(app) {
        Whereabouts::Screen => hide(app),
        Whereabouts::Tray => show(app),
    }
}

/// Where the window was put last. The window itself tells only once the desktop has done it.
pub fn whereabouts(app: &AppHandle) -> Whereabouts {
    let last = app.state::<Last>();
    *last.0.lock().unwrap_or_else(PoisonError::into_inner)
}

fn now(app: &AppHandle, whereabouts: Whereabouts) {
    let last = app.state::<Last>();
    *last.0.lock().unwrap_or_else(PoisonError::into_inner) = whereabouts;
    tray::told(app);
}

/// Closing hides to the tray, and says so once; without a tray it quits.
pub fn on_event(window: &Window, event: &WindowEvent) {
    let WindowEvent::CloseRequested { api, .. } = event else {
        return;
    };
    let app = window.app_handle();
    if app.try_state::<Tray>().is_none() {
        app.exit(0);
        return;
    }
    api.prevent_close();
    hide(app);
    if app.state::<Hint>().first_time() {
        say_where(app);
    }
}

fn say_where(app: &AppHandle) {
    let words = app.state::<Speaker>().words();
    let said = app
        .notification()
        .builder()
        .title(words.hidden_title)
        .body(words.hidden_body)
        .show();
    if let Err(error) = said {
        tracing::warn!(%error, "the desktop takes no notifications");
    }
}
