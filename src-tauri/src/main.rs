//! The desktop window around the engine.
//!
//! What it deliberately does not do: it decides nothing about hooks. The page calls one command, `rpc`, which goes to
//! the engine: the living one of the data folder, or one of its own that the command line then finds.
//!
//! How it works: [`window`] opens the window and closes it to the tray ([`tray`]), [`rpc`] is the way from the page to
//! the engine, [`engine`] starts it and hands its pushes to the page.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod arguments;
mod engine;
mod login;
mod look;
mod rpc;
mod tray;
mod window;
mod words;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::Parser as _;
use hookwright_app::HostEnv;
use tauri::{Manager as _, RunEvent};
use tauri_plugin_window_state::StateFlags;
use tracing_subscriber::EnvFilter;

use arguments::Arguments;
use engine::Engine;
use look::Look;
use window::{Hint, Last};
use words::Speaker;

fn main() -> ExitCode {
    if hookwright_app::programs::is_guardian() {
        return hookwright_app::programs::guardian_main();
    }
    let arguments = Arguments::parse();
    let filter = EnvFilter::try_from_env("HOOKWRIGHT_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    let around = match HostEnv::from_process() {
        Ok(around) => around,
        Err(error) => return failed(&error.to_string()),
    };
    if cfg!(target_os = "linux") && around.var("DISPLAY").is_none() && around.var("WAYLAND_DISPLAY").is_none() {
        return failed("there is no display; `hookwright serve --web` shows the same interface in a browser");
    }
    // Before anything asks where the data folder is: which window is the first one, and its theme, hang on it.
    let around = tauri::async_runtime::block_on(login::environment(around));
    match run(around, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error.to_string()),
    }
}

fn failed(why: &str) -> ExitCode {
    eprintln!("hookwright-desktop: {why}");
    ExitCode::FAILURE
}

fn run(around: HostEnv, arguments: Arguments) -> tauri::Result<()> {
    let place = window_of(&around);
    let remembered = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED | StateFlags::FULLSCREEN;
    let app = tauri::Builder::default()
        // The first of all: a second instance ends here, after it told the first what it was asked to open.
        .plugin(
            tauri_plugin_single_instance::Builder::new()
                .dbus_id(place)
                .callback(arguments::from_another)
                .build(),
        )
        .plugin(
            tauri_plugin_window_state::Builder::new()
                .with_state_flags(remembered)
                .build(),
        )
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init())
        .plugin(
            tauri_plugin_opener::Builder::new()
                .open_js_links_on_click(false)
                .build(),
        )
        .plugin(login::plugin())
        .invoke_handler(tauri::generate_handler![rpc::rpc])
        .manage(Engine::default())
        .manage(Last::default())
        .on_window_event(window::on_event)
        .setup(move |app| {
            app.manage(Speaker::new(&around));
            app.manage(Hint::new(&around));
            tray::set_up(app.handle());
            window::open(app.handle(), &arguments, &Look::read(&around))?;
            arguments::show_project(app.handle(), arguments.project(&around.cwd));
            engine::set_up(app.handle(), around);
            Ok(())
        })
        .build(tauri::generate_context!())?;
    app.run(|app, event| match event {
        RunEvent::Exit => app.state::<Engine>().close(),
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => window::show(app),
        // Everything else is the window's own business; the list of events is not ours.
        _ => {}
    });
    Ok(())
}

/// One window a data folder: the name by which a second instance finds the first.
fn window_of(around: &HostEnv) -> String {
    let hash = blake3::hash(around.data_dir.as_os_str().as_encoded_bytes()).to_hex();
    format!("org.hookwright.desktop.d{}", &hash[..16])
}
