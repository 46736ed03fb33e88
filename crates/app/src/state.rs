//! The command `state` for the frame and the status bar of the window, and the commands for settings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::app::App;
use crate::dto::{
    AppState, Empty, EngineInfo, MaskedText, ModelInfo, SetRequest, SettingsDoc, StateRequest, TextBody, WatchInfo,
};
use crate::exec_settings::model_endpoint;
use crate::fault::Fault;
use crate::{projects, review};

/// `state`
///
/// # Errors
/// It returns no error.
pub async fn state(app: &App, request: StateRequest) -> Result<AppState, Fault> {
    let projects = projects::projects(app);
    let project = request
        .project
        .or_else(|| projects.iter().find(|row| row.exists).map(|row| row.path.clone()));
    let open_project = project
        .as_deref()
        .and_then(|path| app.workspace.open_project(Path::new(path)).ok());
    let pending = open_project
        .as_ref()
        .map_or(0, |open_project| review::pending(app, &open_project.snapshot()));
    Ok(AppState {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        engine: EngineInfo {
            mode: "embedded".to_owned(),
            pid: std::process::id(),
            socket: None,
            listening: false,
        },
        first_start: app.first_start && projects.is_empty(),
        projects,
        project: open_project
            .as_ref()
            .map(|open_project| open_project.project.display().to_string()),
        redaction: app.workspace.settings().redaction.enabled,
        watching: watch_info(app).await,
        store: app.history.info().await,
        pending,
        model: model_info(app),
        platform: std::env::consts::OS.to_owned(),
        data_dir: app.workspace.env.data_dir.display().to_string(),
        window: false,
        shell: hookwright_exec::shell(app.workspace.env.var("PATH").unwrap_or_default().as_ref()).join(" "),
    })
}

async fn watch_info(app: &App) -> WatchInfo {
    let open_projects = app.workspace.open_projects();
    // The user's files are part of every project, so each path is counted once.
    let mut sources: BTreeMap<PathBuf, bool> = BTreeMap::new();
    for open_project in &open_projects {
        for source in &open_project.snapshot().sources {
            *sources.entry(source.root.path.clone()).or_default() |= source.exists;
        }
    }
    let reason = app.workspace.not_live_reason().await;
    let (code, args) = reason
        .as_ref()
        .map(|message| (message.code.to_owned(), message.args.clone()))
        .unzip();
    WatchInfo {
        sources: u32::try_from(sources.len()).unwrap_or(u32::MAX),
        there: u32::try_from(sources.values().filter(|there| **there).count()).unwrap_or(u32::MAX),
        live: reason.is_none(),
        why: reason.map(|message| message.text),
        code,
        args: args.unwrap_or_default(),
    }
}

fn model_info(app: &App) -> ModelInfo {
    match model_endpoint(&app.workspace.env, &app.workspace.settings()) {
        Ok(_) => ModelInfo {
            configured: true,
            why: None,
            code: None,
            args: hookwright_model::Args::new(),
        },
        Err(message) => ModelInfo {
            configured: false,
            why: Some(message.text),
            code: Some(message.code.to_owned()),
            args: message.args,
        },
    }
}

/// `settings.get`
///
/// # Errors
/// It returns no error.
pub async fn settings_get(app: &App, _: Empty) -> Result<SettingsDoc, Fault> {
    Ok(settings_doc(app))
}

/// `settings.set`
///
/// # Errors
/// The key is unknown, the value has the wrong type, or the file cannot be written.
pub async fn settings_set(app: &App, request: SetRequest) -> Result<SettingsDoc, Fault> {
    let settings = app.workspace.settings().set(&request.key, &request.value)?;
    app.workspace.apply_settings(settings);
    // The folders of skills are a setting too.
    app.workspace.request_refresh();
    Ok(settings_doc(app))
}

/// `settings.redact`: masks a text by the settings in force.
///
/// # Errors
/// It returns no error.
pub async fn settings_redact(app: &App, request: TextBody) -> Result<MaskedText, Fault> {
    let (text, masked) = app.workspace.redactor().text(&request.text);
    Ok(MaskedText {
        text,
        masked: u32::try_from(masked).unwrap_or(u32::MAX),
    })
}

fn settings_doc(app: &App) -> SettingsDoc {
    let settings = app.workspace.settings();
    let problems = app.workspace.settings_problems();
    SettingsDoc {
        values: settings.to_json(),
        problems,
        path: settings.path().display().to_string(),
    }
}
