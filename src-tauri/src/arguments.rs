//! What the program was asked to open, by its own arguments or by those of a later instance.

use std::path::{Path, PathBuf};

use clap::Parser;
use hookwright_app::Push;
use serde_json::json;
use tauri::{AppHandle, Manager as _};

use crate::engine::Engine;
use crate::notices::{Place, open_page};
use crate::window;

/// See, test-fire and explain the hooks of AI agents on this machine.
#[derive(Debug, Clone, Parser)]
#[command(name = "hookwright-desktop", version)]
pub struct Arguments {
    /// The project to show
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Start in the tray, where there is one
    #[arg(long)]
    pub hidden: bool,
    /// The same as --project
    #[arg(value_name = "DIR", conflicts_with = "project")]
    folder: Option<PathBuf>,
}

impl Arguments {
    /// The project to show. A relative path is relative to `cwd`, the directory in which the program was started.
    pub fn project(&self, cwd: &Path) -> Option<PathBuf> {
        self.project
            .as_ref()
            .or(self.folder.as_ref())
            .map(|path| cwd.join(path))
    }
}

/// Called when a second instance was started. This instance shows its window and the project that the second one was
/// given.
pub fn on_second_instance(app: &AppHandle, arguments: Vec<String>, cwd: String) {
    let Ok(arguments) = Arguments::try_parse_from(arguments) else {
        tracing::warn!("another instance was started with invalid arguments");
        return;
    };
    if !arguments.hidden {
        window::show(app);
    }
    show_project(app, arguments.project(Path::new(&cwd)));
}

/// Adds a project to the list and shows it, as soon as the engine and the page are ready.
pub fn show_project(app: &AppHandle, project: Option<PathBuf>) {
    let Some(project) = project else { return };
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let engine = app.state::<Engine>();
        let host = engine.host().await;
        let path = match host.call("projects.add", json!({"path": project})).await {
            // The engine made the path absolute and put it at the start of the list.
            Ok(projects) => projects["projects"][0]["path"].as_str().map(str::to_owned),
            Err(fault) => {
                host.push(Push::Notice {
                    code: fault.code,
                    text: fault.message,
                    args: fault.args,
                    reason: None,
                    to: None,
                    project: None,
                });
                return;
            }
        };
        let to = "/overview".to_owned();
        open_page(&app, Place { to, project: path });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(arguments: &[&str]) -> Option<PathBuf> {
        let all = std::iter::once("hookwright-desktop").chain(arguments.iter().copied());
        Arguments::try_parse_from(all).unwrap().project(Path::new("/home/me"))
    }

    #[test]
    fn a_project_path_is_relative_to_the_start_directory() {
        assert_eq!(project(&[]), None);
        assert_eq!(project(&["--project", "code"]), Some("/home/me/code".into()));
        assert_eq!(project(&["/srv/code"]), Some("/srv/code".into()));
        assert_eq!(project(&["--hidden", "code"]), Some("/home/me/code".into()));
    }
}
