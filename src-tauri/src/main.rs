//! The desktop window around the engine.
//!
//! What it deliberately does not do: it decides nothing about hooks. The page calls one command, `rpc`, which calls the
//! engine. This is the running engine of the data folder, or one in this process that the command line can find.
//!
//! How it works: [`window`] opens the window and closes it to the tray ([`tray`]). [`rpc`] carries calls from the page
//! to the engine. [`engine`] finds or starts the engine and forwards its pushes to the page.
//! [`notices`] notifies the desktop while the window is not in front, and counts what needs the user for the tray.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod appearance;
mod arguments;
mod autostart;
mod engine;
mod login_env;
mod notices;
mod quit;
mod rpc;
mod strings;
mod tray;
mod window;

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::Parser as _;
use hookwright_app::programs;
use hookwright_workspace::HostEnv;
use tauri::{Manager as _, RunEvent};
use tauri_plugin_window_state::StateFlags;
use tracing_subscriber::EnvFilter;

use appearance::Appearance;
use arguments::Arguments;
use engine::Engine;
use notices::Attention;
use quit::UnsavedText;
use strings::CurrentLanguage;
use window::{LastVisibility, TrayHint};

fn main() -> ExitCode {
    if programs::is_guardian() {
        return programs::guardian_main();
    }
    programs::return_large_blocks();
    let arguments = Arguments::parse();
    let filter = EnvFilter::try_from_env("HOOKWRIGHT_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    let env = match HostEnv::from_process() {
        Ok(env) => env,
        Err(error) => return exit_with_error(&error.to_string()),
    };
    if cfg!(target_os = "linux") && env.var("DISPLAY").is_none() && env.var("WAYLAND_DISPLAY").is_none() {
        return exit_with_error(
            "no display is available; run `hookwright serve --web` to use the same interface in a browser",
        );
    }
    // Before the data folder is used: it decides which window is the first instance, and which theme applies.
    let env = tauri::async_runtime::block_on(login_env::with_login_shell(env));
    match run(env, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit_with_error(&error.to_string()),
    }
}

fn exit_with_error(why: &str) -> ExitCode {
    eprintln!("hookwright-desktop: {why}");
    ExitCode::FAILURE
}

fn run(env: HostEnv, arguments: Arguments) -> tauri::Result<()> {
    let instance_id = instance_id(&env);
    let saved_state = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED | StateFlags::FULLSCREEN;
    let app = tauri::Builder::default()
        // This plugin must be the first. A second instance exits here, after it sent its arguments to the first one.
        .plugin(
            tauri_plugin_single_instance::Builder::new()
                .dbus_id(instance_id)
                .callback(arguments::on_second_instance)
                .build(),
        )
        .plugin(
            tauri_plugin_window_state::Builder::new()
                .with_state_flags(saved_state)
                .build(),
        )
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_notification::init())
        .plugin(
            tauri_plugin_opener::Builder::new()
                .open_js_links_on_click(false)
                .build(),
        )
        .plugin(autostart::plugin())
        .invoke_handler(tauri::generate_handler![rpc::rpc])
        .manage(Engine::default())
        .manage(LastVisibility::default())
        .manage(Attention::default())
        .manage(UnsavedText::default())
        .on_window_event(window::on_event)
        .setup(move |app| {
            app.manage(CurrentLanguage::new(&env));
            app.manage(TrayHint::new(&env));
            tray::set_up(app.handle());
            notices::set_up(app.handle());
            window::open(app.handle(), &arguments, &Appearance::read(&env))?;
            arguments::show_project(app.handle(), arguments.project(&env.cwd));
            engine::set_up(app.handle(), env);
            Ok(())
        })
        .build(tauri::generate_context!())?;
    app.run(|app, event| match event {
        // The system asks the program to end. An exit with a code was already decided.
        RunEvent::ExitRequested { api, code: None, .. } if !quit::is_allowed(app) => api.prevent_exit(),
        RunEvent::Exit => app.state::<Engine>().close(),
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => window::show(app),
        // The window handles all other events itself. Tauri may add events to this list.
        _ => {}
    });
    Ok(())
}

/// The name by which a second instance finds the first. There is one window per data folder.
fn instance_id(env: &HostEnv) -> String {
    let hash = blake3::hash(env.data_dir.as_os_str().as_encoded_bytes()).to_hex();
    format!("org.hookwright.desktop.d{}", &hash[..16])
}
