//! The window: it is opened once, and closed to the tray if there is one.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hookwright_workspace::HostEnv;
use hookwright_workspace::data_files::locked_file;
use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Manager as _, Theme, Url, WebviewUrl, WebviewWindowBuilder, Window, WindowEvent};
use tauri_plugin_notification::NotificationExt as _;
use tauri_plugin_opener::OpenerExt as _;

use crate::appearance::Appearance;
use crate::arguments::Arguments;
use crate::strings::CurrentLanguage;
use crate::tray::{self, Tray};
use crate::{notices, quit};

/// The label of the only window.
pub const LABEL: &str = "main";

/// Whether the window is on the screen or only in the tray.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visibility {
    /// The window is shown; other windows may cover it.
    #[default]
    OnScreen,
    /// The window is hidden, and only the tray icon is visible.
    InTray,
}

/// The visibility that was last set.
#[derive(Debug, Default)]
pub struct LastVisibility(Mutex<Visibility>);

/// Remembers that the user was notified where the window is after it was closed.
pub struct TrayHint {
    path: PathBuf,
}

impl TrayHint {
    /// The hint file is in the data folder's cache. When the user clears the cache, the notification may be shown
    /// again.
    pub fn new(env: &HostEnv) -> Self {
        Self {
            path: env.data_dir.join("cache").join("tray-hint"),
        }
    }

    /// Returns true only the first time, and records it.
    fn first_time(&self) -> bool {
        !self.path.exists() && locked_file::atomic_write(&self.path, b"", 0o600).is_ok()
    }
}

/// Opens the window. It stays in the tray if `--hidden` was given and there is a tray.
pub fn open(app: &AppHandle, arguments: &Arguments, appearance: &Appearance) -> tauri::Result<()> {
    let hidden = arguments.hidden && app.try_state::<Tray>().is_some();
    let links = app.clone();
    let others = app.clone();
    let window = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::default())
        .title("Hookwright")
        .inner_size(1280.0, 800.0)
        .min_inner_size(960.0, 640.0)
        .background_color(appearance.background(Theme::Dark))
        .initialization_script(appearance.script())
        .visible(!hidden)
        .on_document_title_changed(|window, title| {
            if let Err(error) = window.set_title(&title) {
                tracing::warn!(%error, "the window's title could not be changed");
            }
        })
        .on_navigation(move |url| is_internal(&links, url))
        .on_new_window(move |url, _| {
            open_external(&others, &url);
            NewWindowResponse::Deny
        })
        .build()?;
    // Only an open window knows the theme of the desktop.
    if let Ok(desktop) = window.theme() {
        window.set_background_color(Some(appearance.background(desktop)))?;
    }
    set_visibility(
        app,
        if hidden {
            Visibility::InTray
        } else {
            Visibility::OnScreen
        },
    );
    Ok(())
}

/// Whether an address is the page's own. Any other address is opened in the browser.
fn is_internal(app: &AppHandle, url: &Url) -> bool {
    let internal =
        url.scheme() == "tauri" || url.host_str() == Some("tauri.localhost") || url.as_str() == "about:blank";
    if !internal {
        open_external(app, url);
    }
    internal
}

fn open_external(app: &AppHandle, url: &Url) {
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
    set_visibility(app, Visibility::OnScreen);
}

/// Hides the window to the tray.
pub fn hide(app: &AppHandle) {
    let Some(window) = app.get_webview_window(LABEL) else {
        return;
    };
    if let Err(error) = window.hide() {
        tracing::warn!(%error, "the window could not be hidden");
    }
    set_visibility(app, Visibility::InTray);
}

/// Shows the window if it is hidden, and hides it if it is shown.
pub fn toggle(app: &AppHandle) {
    match visibility(app) {
        Visibility::OnScreen => hide(app),
        Visibility::InTray => show(app),
    }
}

/// The visibility that was last set. The window itself reports a change only after the desktop has applied it.
pub fn visibility(app: &AppHandle) -> Visibility {
    let last = app.state::<LastVisibility>();
    *last.0.lock().unwrap_or_else(PoisonError::into_inner)
}

fn set_visibility(app: &AppHandle, visibility: Visibility) {
    let last = app.state::<LastVisibility>();
    *last.0.lock().unwrap_or_else(PoisonError::into_inner) = visibility;
    tray::refresh_menu(app);
}

/// Whether the user looks at the window: it has the focus.
pub fn is_in_front(app: &AppHandle) -> bool {
    let Some(window) = app.get_webview_window(LABEL) else {
        return false;
    };
    visibility(app) == Visibility::OnScreen && window.is_focused().unwrap_or(false)
}

/// Handles the close request: it hides the window to the tray and notifies the user once. Without a tray it quits the
/// program, and asks first if there is unsaved text. A window that gets the focus shows what was not seen.
pub fn on_event(window: &Window, event: &WindowEvent) {
    let app = window.app_handle();
    if let WindowEvent::Focused(true) = event {
        notices::set_seen(app);
    }
    let WindowEvent::CloseRequested { api, .. } = event else {
        return;
    };
    api.prevent_close();
    if app.try_state::<Tray>().is_none() {
        quit::request(app);
        return;
    }
    hide(app);
    if app.state::<TrayHint>().first_time() {
        notify_hidden(app);
    }
}

fn notify_hidden(app: &AppHandle) {
    let strings = app.state::<CurrentLanguage>().strings();
    let shown = app
        .notification()
        .builder()
        .title(strings.hidden_title)
        .body(strings.hidden_body)
        .show();
    if let Err(error) = shown {
        tracing::warn!(%error, "the desktop does not accept notifications");
    }
}
