//! The project list, stored in `[watch] projects` of the settings, most recent first.

use std::path::Path;

use hookwright_model::args;

use crate::dto::{PathRequest, ProjectRow, ProjectsDoc};
use crate::fault::{Fault, NOT_A_DIRECTORY};
use crate::{App, ProcessRole};

/// How long the list may get without the user adding a project.
const MAX_NOTED_PROJECTS: usize = 50;

impl App {
    /// `projects.add`: adds a project, or moves it to the top of the list.
    ///
    /// # Errors
    /// The path is not a directory, or the settings cannot be written.
    pub async fn add_project(&self, request: PathRequest) -> Result<ProjectsDoc, Fault> {
        let path = self.env.absolute(Path::new(&request.path));
        if !path.is_dir() {
            return Err(NOT_A_DIRECTORY
                .render(args! { "path" => path.display().to_string() })
                .into());
        }
        let settings = self.settings().add_project(&path)?;
        self.app_files.apply(settings);
        if self.role == ProcessRole::Engine {
            self.open_project(&path)?;
        }
        Ok(self.projects())
    }

    /// Adds a project that Hookwright met, for example in a fired event, so that the window offers it. A project that
    /// is already listed keeps its position. Nothing is added to a list of [`MAX_NOTED_PROJECTS`] projects: only the
    /// user makes it longer.
    ///
    /// # Errors
    /// The settings cannot be written.
    pub fn note_project(&self, project: &Path) -> Result<(), Fault> {
        let settings = self.settings();
        let path = self.env.absolute(project);
        let known = &settings.watch.projects;
        if known.len() < MAX_NOTED_PROJECTS && !known.contains(&path) {
            self.app_files.apply(settings.add_project(&path)?);
        }
        Ok(())
    }

    /// `projects.use`: the same as `projects.add`, so that the most recent project is first.
    ///
    /// # Errors
    /// The path is not a directory, or the settings cannot be written.
    pub async fn use_project(&self, request: PathRequest) -> Result<ProjectsDoc, Fault> {
        self.add_project(request).await
    }

    /// `projects.remove`: removes a project from the list. Its files are not changed.
    ///
    /// # Errors
    /// The settings cannot be written.
    pub async fn remove_project(&self, request: PathRequest) -> Result<ProjectsDoc, Fault> {
        let path = self.env.absolute(Path::new(&request.path));
        let settings = self.settings().remove_project(&path)?;
        self.app_files.apply(settings);
        self.close_project(&path);
        Ok(self.projects())
    }

    /// The project list as it is now.
    #[must_use]
    pub fn projects(&self) -> ProjectsDoc {
        let settings = self.settings();
        let rows = settings.watch.projects.iter().map(|path| ProjectRow {
            path: path.display().to_string(),
            name: path.file_name().map_or_else(
                || path.display().to_string(),
                |name| name.to_string_lossy().into_owned(),
            ),
            exists: path.is_dir(),
        });
        ProjectsDoc {
            projects: rows.collect(),
        }
    }
}
