//! Starting Hookwright at login.

use hookwright_app::Fault;
use hookwright_app::fault::LOGIN_FAILED;
use hookwright_model::render;
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Runtime};
use tauri_plugin_autostart::ManagerExt as _;

/// Whether to start at login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Autostart {
    /// Start at login, in the tray.
    Enabled,
    /// Do not start at login.
    Disabled,
}

/// The plugin that registers Hookwright with the desktop's autostart.
pub fn plugin<R: Runtime>() -> TauriPlugin<R> {
    tauri_plugin_autostart::Builder::new()
        .app_name("Hookwright")
        .args(["--hidden"])
        .build()
}

/// Whether Hookwright starts at login.
///
/// # Errors
/// The desktop does not report it.
pub fn is_enabled(app: &AppHandle) -> Result<bool, Fault> {
    app.autolaunch().is_enabled().map_err(login_failed)
}

/// Changes whether Hookwright starts at login.
///
/// # Errors
/// The desktop does not allow the change.
pub fn set(app: &AppHandle, setting: Autostart) -> Result<(), Fault> {
    match setting {
        Autostart::Enabled => app.autolaunch().enable().map_err(login_failed),
        // On some desktops it is an error to disable what is not enabled.
        Autostart::Disabled if !is_enabled(app)? => Ok(()),
        Autostart::Disabled => app.autolaunch().disable().map_err(login_failed),
    }
}

fn login_failed(error: tauri_plugin_autostart::Error) -> Fault {
    render!(LOGIN_FAILED, "why" => error.to_string()).into()
}
