//! The command `state` for the frame and the status bar of the window, and the commands for settings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::Message;

use crate::app_files::model_endpoint;
use crate::dto::{
    AppState, Empty, EngineInfo, MaskedText, ModelInfo, SetRequest, SettingsDoc, StateRequest, TextBody, WatchInfo,
};
use crate::fault::Fault;
use crate::open_project::OpenProject;
use crate::{App, ProcessRole};

impl App {
    /// `state`
    ///
    /// # Errors
    /// It returns no error.
    pub async fn state(&self, request: StateRequest) -> Result<AppState, Fault> {
        let projects = self.projects().projects;
        let project = request
            .project
            .or_else(|| projects.iter().find(|row| row.exists).map(|row| row.path.clone()));
        let open_project = project
            .as_deref()
            .and_then(|path| self.open_project(Path::new(path)).ok());
        let pending = open_project
            .as_ref()
            .map_or(0, |open_project| self.pending(&open_project.snapshot()));
        Ok(AppState {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            engine: EngineInfo {
                mode: "embedded".to_owned(),
                pid: std::process::id(),
                socket: None,
                listening: false,
            },
            first_start: self.first_start && projects.is_empty(),
            projects,
            project: open_project
                .as_ref()
                .map(|open_project| open_project.project.display().to_string()),
            redaction: self.settings().redaction.enabled,
            watching: self.watch_info().await,
            store: self.history.info().await,
            pending,
            model: self.model_info(),
            platform: std::env::consts::OS.to_owned(),
            data_dir: self.env.data_dir.display().to_string(),
            window: false,
            shell: hookwright_exec::shell(self.env.var("PATH").unwrap_or_default().as_ref()).join(" "),
        })
    }

    async fn watch_info(&self) -> WatchInfo {
        let open_projects = self.open_projects();
        // The user's files are part of every project, so each path is counted once.
        let mut sources: BTreeMap<PathBuf, bool> = BTreeMap::new();
        for open_project in &open_projects {
            for source in &open_project.snapshot().sources {
                *sources.entry(source.root.path.clone()).or_default() |= source.exists;
            }
        }
        let reason = self.not_live_reason(&open_projects).await;
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

    /// The reason why changes of a project or of Hookwright's own files are not reported at once.
    async fn not_live_reason(&self, open_projects: &[Arc<OpenProject>]) -> Option<Message> {
        if self.role != ProcessRole::Engine {
            // A process for one command watches nothing.
            return None;
        }
        for open_project in open_projects {
            if let Some(why) = open_project.not_live_reason().await {
                return Some(why);
            }
        }
        self.app_files_status.not_live_reason().await
    }

    fn model_info(&self) -> ModelInfo {
        match model_endpoint(&self.env, &self.settings()) {
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
    pub async fn settings_get(&self, _: Empty) -> Result<SettingsDoc, Fault> {
        Ok(self.settings_doc())
    }

    /// `settings.set`
    ///
    /// # Errors
    /// The key is unknown, the value has the wrong type, or the file cannot be written.
    pub async fn settings_set(&self, request: SetRequest) -> Result<SettingsDoc, Fault> {
        let settings = self.settings().set(&request.key, &request.value)?;
        self.app_files.apply(settings);
        // The folders of skills are a setting too.
        self.request_refresh();
        Ok(self.settings_doc())
    }

    /// `settings.redact`: masks a text by the settings in force.
    ///
    /// # Errors
    /// It returns no error.
    pub async fn settings_redact(&self, request: TextBody) -> Result<MaskedText, Fault> {
        let (text, masked) = self.redactor().text(&request.text);
        Ok(MaskedText {
            text,
            masked: u32::try_from(masked).unwrap_or(u32::MAX),
        })
    }

    fn settings_doc(&self) -> SettingsDoc {
        let settings = self.settings();
        let problems = self.app_files.settings_problems();
        SettingsDoc {
            values: settings.to_json(),
            problems,
            path: settings.path().display().to_string(),
        }
    }
}
