//! The project list: kept in `[watch] projects` of the settings, most recent first.

use std::path::Path;

use hookwright_model::args;

use crate::dto::{PathRequest, ProjectRow, ProjectsDoc};
use crate::fault::{Fault, NOT_A_DIRECTORY};
use crate::{App, ProcessRole};

/// So many projects may stand on the list without anybody having put them there.
const MAX_NOTED_PROJECTS: usize = 50;

impl App {
    /// `projects.add`
    ///
    /// # Errors
    /// It is no directory, or the settings cannot be written.
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

    /// Puts a project that was met on the way, of a fired event say, on the list, so that the window offers it. One that is
    /// on it stays where it is; a list of [`MAX_NOTED_PROJECTS`] is left to people.
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

    /// `projects.use`: the same, so that the most recent one stands first.
    ///
    /// # Errors
    /// It is no directory, or the settings cannot be written.
    pub async fn use_project(&self, request: PathRequest) -> Result<ProjectsDoc, Fault> {
        self.add_project(request).await
    }

    /// `projects.remove`: only from the list.
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

    /// The list as it stands.
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
