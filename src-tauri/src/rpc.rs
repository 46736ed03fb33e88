//! The one command that the page can call. What is asked and answered travels as JSON text: the values between the page
//! and its window hold no number such as `1e2` as it is written.

use hookwright_app::Fault;
use hookwright_app::fault::BAD_PARAMS;
use hookwright_app::payload::read_params;
use hookwright_model::render;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tauri::{AppHandle, Manager as _};

use crate::autostart;
use crate::engine::Engine;
use crate::quit;

#[derive(Deserialize)]
struct LoginSetting {
    on: bool,
}

#[derive(Deserialize)]
struct UnsavedFiles {
    files: usize,
}

fn read<T: DeserializeOwned>(method: &str, params: Value) -> Result<T, Fault> {
    serde_json::from_value(params).map_err(|error| bad_params(method, &error.to_string()))
}

fn bad_params(method: &str, why: &str) -> Fault {
    render!(BAD_PARAMS, "method" => method, "why" => why).into()
}

/// Calls a command of the engine, or a command that only the desktop program can run.
///
/// # Errors
/// The command's own fault.
#[tauri::command]
pub async fn rpc(app: AppHandle, method: String, params: String) -> Result<String, Fault> {
    let params = read_params(&params).map_err(|error| bad_params(&method, &error.to_string()))?;
    answer(&app, method, params).await.map(|reply| reply.to_string())
}

async fn answer(app: &AppHandle, method: String, params: Value) -> Result<Value, Fault> {
    let engine = app.state::<Engine>();
    match method.as_str() {
        "login.get" => Ok(json!({"on": autostart::is_enabled(app)?})),
        "login.set" => {
            let LoginSetting { on } = read(&method, params)?;
            autostart::set(
                app,
                if on {
                    autostart::Autostart::Enabled
                } else {
                    autostart::Autostart::Disabled
                },
            )?;
            Ok(json!({"on": autostart::is_enabled(app)?}))
        }
        "window.unsaved" => {
            let UnsavedFiles { files } = read(&method, params)?;
            quit::set_unsaved(app, files);
            Ok(json!({}))
        }
        "window.quit" => {
            app.exit(0);
            Ok(json!({}))
        }
        "window.listening" => {
            // A page that was loaded again has lost its unsaved text.
            quit::set_unsaved(app, 0);
            engine.set_page_listening();
            // Pushes before this moment did not reach the page: it would not know that the engine ended meanwhile.
            Ok(json!({"state": engine.host().await.engine_state().await}))
        }
        _ => engine.host().await.call(&method, params).await,
    }
}
