//! The project list, stored in `[watch] projects` of the settings, most recent first.

use std::path::Path;

use hookwright_workspace::ProcessRole;

use crate::app::App;
use crate::dto::{PathRequest, ProjectRow, ProjectsDoc};
use crate::fault::Fault;

/// How long the list may get without the user adding a project.
const MAX_NOTED_PROJECTS: usize = 50;

/// `projects.add`: adds a project, or moves it to the top of the list.
///
/// # Errors
/// The path is not a directory, or the settings cannot be written.
pub async fn add_project(app: &App, request: PathRequest) -> Result<ProjectsDoc, Fault> {
    let path = app.workspace.require_directory(Path::new(&request.path))?;
    let settings = app.workspace.settings().add_project(&path)?;
    app.workspace.apply_settings(settings);
    if app.workspace.role == ProcessRole::Engine {
        app.workspace.open_project(&path)?;
    }
    Ok(reply(app, &path))
}

/// Adds a project that Hookwright met, for example in a fired event, so that the window offers it. A project that
/// is already listed keeps its position. Nothing is added to a list of [`MAX_NOTED_PROJECTS`] projects: only the
/// user makes it longer.
///
/// # Errors
/// The settings cannot be written.
pub fn note_project(app: &App, project: &Path) -> Result<(), Fault> {
    let settings = app.workspace.settings();
    let path = app.workspace.env.absolute(project);
    let known = &settings.watch.projects;
    if known.len() < MAX_NOTED_PROJECTS && !known.contains(&path) {
        app.workspace.apply_settings(settings.add_project(&path)?);
    }
    Ok(())
}

/// `projects.use`: the same as `projects.add`, so that the most recent project is first.
///
/// # Errors
/// The path is not a directory, or the settings cannot be written.
pub async fn use_project(app: &App, request: PathRequest) -> Result<ProjectsDoc, Fault> {
    add_project(app, request).await
}

/// `projects.remove`: removes a project from the list. Its files are not changed.
///
/// # Errors
/// The settings cannot be written.
pub async fn remove_project(app: &App, request: PathRequest) -> Result<ProjectsDoc, Fault> {
    let path = app.workspace.env.absolute(Path::new(&request.path));
    let settings = app.workspace.settings().remove_project(&path)?;
    app.workspace.apply_settings(settings);
    app.workspace.close_project(&path);
    Ok(reply(app, &path))
}

fn reply(app: &App, path: &Path) -> ProjectsDoc {
    ProjectsDoc {
        path: path.display().to_string(),
        projects: projects(app),
    }
}

/// The project list as it is now.
#[must_use]
pub fn projects(app: &App) -> Vec<ProjectRow> {
    let settings = app.workspace.settings();
    let rows = settings.watch.projects.iter().map(|path| ProjectRow {
        path: path.display().to_string(),
        name: path.file_name().map_or_else(
            || path.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        ),
        exists: path.is_dir(),
    });
    rows.collect()
}
