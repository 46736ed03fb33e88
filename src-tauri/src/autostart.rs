//! Starting Hookwright at login.

use hookwright_app::Fault;
use hookwright_app::fault::LOGIN_FAILED;
use hookwright_model::args;
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Runtime};
use tauri_plugin_autostart::ManagerExt as _;

/// Whether to start at login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Autostart {
    /// Start, in the tray.
    Enabled,
    /// Do not.
    Disabled,
}

/// The part of the desktop that starts programs.
pub fn plugin<R: Runtime>() -> TauriPlugin<R> {
    tauri_plugin_autostart::Builder::new()
        .app_name("Hookwright")
        .args(["--hidden"])
        .build()
}

/// Whether Hookwright starts at login.
///
/// # Errors
/// The desktop does not tell.
pub fn is_enabled(app: &AppHandle) -> Result<bool, Fault> {
    app.autolaunch().is_enabled().map_err(login_failed)
}

/// Changes whether Hookwright starts at login.
///
/// # Errors
/// The desktop does not let us.
pub fn set(app: &AppHandle, setting: Autostart) -> Result<(), Fault> {
    match setting {
        Autostart::Enabled => app.autolaunch().enable().map_err(login_failed),
        // Taking out what is not there is an error to some desktops.
        Autostart::Disabled if !is_enabled(app)? => Ok(()),
        Autostart::Disabled => app.autolaunch().disable().map_err(login_failed),
    }
}

fn login_failed(error: tauri_plugin_autostart::Error) -> Fault {
    LOGIN_FAILED.render(args! { "why" => error.to_string() }).into()
}
