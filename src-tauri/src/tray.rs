//! The icon in the tray. It shows the window again after it was closed, says what needs the user, and quits the program.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};
use tauri::menu::{Menu, MenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager as _, Wry};

use crate::engine::Engine;
use crate::notices::{self, Attention};
use crate::quit;
use crate::strings::CurrentLanguage;
use crate::window::{self, Visibility};

const TOGGLE: &str = "toggle";
const NEEDS: &str = "needs";
const QUIT: &str = "quit";

/// The icon; it exists only if the desktop shows tray icons.
pub struct Tray {
    toggle: MenuItem<Wry>,
    needs: MenuItem<Wry>,
    quit: MenuItem<Wry>,
    _icon: TrayIcon<Wry>,
}

/// Adds the icon if the desktop has a tray. Without a tray, closing the window quits the program.
pub fn set_up(app: &AppHandle) {
    if !is_supported() {
        return;
    }
    // The tray library is loaded at its first use. If it is not installed, that panics.
    match catch_unwind(AssertUnwindSafe(|| build(app))) {
        Ok(Ok(tray)) => drop(app.manage(tray)),
        Ok(Err(error)) => tracing::warn!(%error, "the tray icon is not available; closing the window quits"),
        Err(_) => tracing::warn!("the library for tray icons is not installed; closing the window quits"),
    }
}

fn build(app: &AppHandle) -> tauri::Result<Tray> {
    let strings = app.state::<CurrentLanguage>().strings();
    let toggle = MenuItem::with_id(app, TOGGLE, strings.hide, true, None::<&str>)?;
    let quit = MenuItem::with_id(app, QUIT, strings.quit, true, None::<&str>)?;
    let needs = MenuItem::with_id(app, NEEDS, strings.needs(0), false, None::<&str>)?;
    let menu = Menu::with_items(app, &[&toggle, &needs, &quit])?;
    let mut icon = TrayIconBuilder::with_id("hookwright").menu(&menu).tooltip("Hookwright");
    if let Some(image) = app.default_window_icon() {
        icon = icon.icon(image.clone());
    }
    let icon = icon.on_menu_event(|app, event| match event.id().as_ref() {
        TOGGLE => window::toggle(app),
        NEEDS => notices::show_first(app),
        QUIT => quit::request(app),
        _ => {}
    });
    Ok(Tray {
        toggle,
        needs,
        quit,
        _icon: icon.build(app)?,
    })
}

/// Updates the menu texts, so that they describe what each item does now.
pub fn refresh_menu(app: &AppHandle) {
    let Some(tray) = app.try_state::<Tray>() else { return };
    let strings = app.state::<CurrentLanguage>().strings();
    let toggle = match window::visibility(app) {
        Visibility::OnScreen => strings.hide,
        Visibility::InTray => strings.show,
    };
    let count = app.state::<Attention>().count();
    if let Err(error) = tray
        .toggle
        .set_text(toggle)
        .and_then(|()| tray.needs.set_text(strings.needs(count)))
        .and_then(|()| tray.needs.set_enabled(count > 0))
        .and_then(|()| tray.quit.set_text(strings.quit))
    {
        tracing::warn!(%error, "the tray's menu could not be changed");
    }
}

/// Uses the language of the settings in the tray and in notifications.
pub async fn set_language(app: &AppHandle) {
    let settings = app
        .state::<Engine>()
        .host()
        .await
        .call("settings.get", json!({}))
        .await
        .unwrap_or_default();
    let language = settings["values"]["ui"]
        .get("language")
        .and_then(Value::as_str)
        .unwrap_or_default();
    app.state::<CurrentLanguage>().set(language);
    refresh_menu(app);
}

/// Whether the desktop shows tray icons. Without a visible icon, the user could not reach a closed window.
#[cfg(target_os = "linux")]
fn is_supported() -> bool {
    let watcher = "org.kde.StatusNotifierWatcher";
    let query = || -> zbus::Result<bool> {
        let bus = zbus::blocking::connection::Builder::session()?
            .method_timeout(std::time::Duration::from_secs(1))
            .build()?;
        let property = (watcher, "IsStatusNotifierHostRegistered");
        let properties = Some("org.freedesktop.DBus.Properties");
        let answer = bus.call_method(Some(watcher), "/StatusNotifierWatcher", properties, "Get", &property)?;
        let registered: zbus::zvariant::OwnedValue = answer.body().deserialize()?;
        Ok(registered.try_into()?)
    };
    query().unwrap_or_else(|error| {
        tracing::info!(%error, "the desktop has no tray; closing the window quits");
        false
    })
}

/// These platforms always have a tray.
#[cfg(not(target_os = "linux"))]
fn is_supported() -> bool {
    true
}
