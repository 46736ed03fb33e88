//! What the frame and the status bar show, and the settings as commands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::Message;

use crate::desk::Desk;
use crate::dto::{
    AppState, Empty, EngineInfo, MaskedText, ModelInfo, SetRequest, SettingsDoc, StateRequest, TextBody, WatchInfo,
};
use crate::fault::Fault;
use crate::own::model_endpoint;
use crate::{App, Hosting};

impl App {
    /// `state`
    ///
    /// # Errors
    /// Never.
    pub async fn state(&self, request: StateRequest) -> Result<AppState, Fault> {
        let projects = self.projects().projects;
        let project = request
            .project
            .or_else(|| projects.iter().find(|row| row.exists).map(|row| row.path.clone()));
        let desk = project.as_deref().and_then(|path| self.desk(Path::new(path)).ok());
        let pending = desk.as_ref().map_or(0, |desk| self.pending(&desk.snapshot()));
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
            project: desk.as_ref().map(|desk| desk.project.display().to_string()),
            redaction: self.settings().redaction.enabled,
            watching: self.watching().await,
            store: self.history.info().await,
            pending,
            model: self.model_info(),
            platform: std::env::consts::OS.to_owned(),
            data_dir: self.around.data_dir.display().to_string(),
            window: false,
            shell: hookwright_exec::shell(self.around.var("PATH").unwrap_or_default().as_ref()).join(" "),
        })
    }

    async fn watching(&self) -> WatchInfo {
        let desks = self.desks();
        // The person's own files are part of every project and watched once.
        let mut sources: BTreeMap<PathBuf, bool> = BTreeMap::new();
        for desk in &desks {
            for source in &desk.snapshot().sources {
                *sources.entry(source.root.path.clone()).or_default() |= source.exists;
            }
        }
        let silent = self.why_not_live(&desks).await;
        let (code, args) = silent
            .as_ref()
            .map(|words| (words.code.to_owned(), words.args.clone()))
            .unzip();
        WatchInfo {
            sources: u32::try_from(sources.len()).unwrap_or(u32::MAX),
            there: u32::try_from(sources.values().filter(|there| **there).count()).unwrap_or(u32::MAX),
            live: silent.is_none(),
            why: silent.map(|words| words.text),
            code,
            args: args.unwrap_or_default(),
        }
    }

    /// Why changes of a project or of our own files are not told at once.
    async fn why_not_live(&self, desks: &[Arc<Desk>]) -> Option<Message> {
        if self.hosting != Hosting::Engine {
            // Nothing is watched for one command.
            return None;
        }
        for desk in desks {
            if let Some(why) = desk.why_not_live().await {
                return Some(why);
            }
        }
        self.own_live.why_not_live().await
    }

    fn model_info(&self) -> ModelInfo {
        match model_endpoint(&self.around, &self.settings()) {
            Ok(_) => ModelInfo {
                configured: true,
                why: None,
                code: None,
                args: hookwright_model::Args::new(),
            },
            Err(words) => ModelInfo {
                configured: false,
                why: Some(words.text),
                code: Some(words.code.to_owned()),
                args: words.args,
            },
        }
    }

    /// `settings.get`
    ///
    /// # Errors
    /// Never.
    pub async fn settings_get(&self, _: Empty) -> Result<SettingsDoc, Fault> {
        Ok(self.settings_doc())
    }

    /// `settings.set`
    ///
    /// # Errors
    /// The key is none of ours, the value is not of its kind, or the file cannot be written.
    pub async fn settings_set(&self, request: SetRequest) -> Result<SettingsDoc, Fault> {
        let settings = self.settings().set(&request.key, &request.value)?;
        self.own.take(settings);
        // Folders of skills are settings, too.
        self.look_again();
        Ok(self.settings_doc())
    }

    /// `settings.redact`: with the settings in force.
    ///
    /// # Errors
    /// Never.
    pub async fn settings_redact(&self, request: TextBody) -> Result<MaskedText, Fault> {
        let (text, masked) = self.redactor().text(&request.text);
        Ok(MaskedText {
            text,
            masked: u32::try_from(masked).unwrap_or(u32::MAX),
        })
    }

    fn settings_doc(&self) -> SettingsDoc {
        let settings = self.settings();
        let problems = self.own.settings_problems();
        SettingsDoc {
            values: settings.to_json(),
            problems,
            path: settings.path().display().to_string(),
        }
    }
}
