//! Scenario files of a project (`CONTRACTS.md` §2.4): which there are, and saving one.
//!
//! A scenario file defines no hook. It may be written only where scenarios are searched, under a name that no dialect
//! reads, so that a saved scenario cannot become a hook or a part of one.

use std::path::{Path, PathBuf};

use hookwright_model::{EditDoc, Message, render};

use super::edit_openers::EditOpeners;
use super::refusal::{EditRefusal, WriteMode};
use super::script_edit::ScriptPlace;
use super::user_files::{self, CHANGED, FileContent, FileTransaction, PlannedFile};
use super::{folders, plain_files};
use crate::workspace::Workspace;

/// The folder of a project in which scenarios are searched, in addition to the project's directory.
const SCENARIO_FOLDER: &str = "tests/hooks";
/// The name of a sample's scenario.
const SAMPLE_NAME: &str = "play.yaml";
const ENDINGS: [&str; 3] = [".scenario.yaml", ".scenario.yml", ".scenario.json"];
/// At most this many files are listed.
const MAX_FILES: usize = 200;
const NEW_FILE_MODE: u32 = 0o600;

hookwright_model::messages! {
    /// Scenarios are not saved at this path.
    NOT_A_SCENARIO_PLACE = "edit_outside" / "scenario" { "{path} is not a location for scenarios", "{path} 不是存放场景的位置" } hint { "save it as `NAME.scenario.yaml` in `tests/hooks` of the project; nothing was changed", "在项目的 `tests/hooks` 中保存为 `NAME.scenario.yaml`；未作任何更改" };
}

/// A scenario to save.
#[derive(Debug, Clone)]
pub struct ScenarioEdit<'a> {
    /// The file, absolute or relative to the project.
    pub path: &'a Path,
    /// Dialect id of the scenario.
    pub dialect: &'static str,
    /// The hash of the bytes that the text was made from; `None` if the file did not exist.
    pub base: Option<&'a str>,
    /// The whole new text.
    pub text: &'a str,
}

/// The scenario files of a project, sorted; at most 200.
#[must_use]
pub fn files_in(project: &Path) -> Vec<PathBuf> {
    let listed = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let entries = listed(project.to_owned()).chain(listed(project.join(SCENARIO_FOLDER)));
    let is_file = |path: &PathBuf| is_scenario_place(project, path) && path.is_file();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_file).collect();
    files.sort();
    files.truncate(MAX_FILES);
    files
}

/// Whether scenarios are searched at this path of the project.
fn is_scenario_place(project: &Path, path: &Path) -> bool {
    let folder = path.parent();
    let in_folder = folder == Some(project) || folder == Some(&project.join(SCENARIO_FOLDER));
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let has_stem = |ending: &&str| name.strip_suffix(*ending).is_some_and(is_plain_name);
    in_folder && (name == SAMPLE_NAME || ENDINGS.iter().any(has_stem))
}

/// Whether this is a file name on every system, and neither hidden nor a path.
fn is_plain_name(stem: &str) -> bool {
    let is_allowed = |character: char| character.is_alphanumeric() || " -_.,+()".contains(character);
    stem.len() <= 200
        && stem.chars().all(is_allowed)
        && !stem.starts_with(['.', ' '])
        && !stem.ends_with(['.', ' '])
        && !stem.is_empty()
}

/// Saves a scenario file of a project. [`super::undo`] can undo it.
///
/// # Errors
/// The reason why the file is refused. No file was changed then.
pub fn save(workspace: &Workspace, project: &Path, request: &ScenarioEdit<'_>) -> Result<EditDoc, EditRefusal> {
    let open_project = workspace.open_project(project)?;
    let path = open_project.project.join(request.path);
    if !is_scenario_place(&open_project.project, &path) {
        return Err(render!(NOT_A_SCENARIO_PLACE, "path" => path.display().to_string()).into());
    }
    ScriptPlace::new(workspace, &open_project, &path).check()?;
    let work = plan_transaction(&EditOpeners::of_open_project(&open_project), &path, request)?;
    let write = plain_files::write(workspace, &open_project, request.dialect, (&path, work), WriteMode::Now);
    Ok(write?)
}

fn plan_transaction(
    openers: &EditOpeners,
    path: &Path,
    request: &ScenarioEdit<'_>,
) -> Result<FileTransaction, Message> {
    let before = user_files::read_content(&openers.of(path), path)?;
    if before.as_ref().map(FileContent::hash).as_deref() != request.base {
        return Err(render!(CHANGED, "path" => path.display().to_string()));
    }
    let after = FileContent {
        bytes: folders::checked_bytes(path, "", request.text)?,
        mode: before.as_ref().map_or(NEW_FILE_MODE, |content| content.mode),
        owner: None,
        attributes: Vec::new(),
    };
    let file = PlannedFile {
        path: path.to_owned(),
        before,
        after: Some(after),
    };
    Ok(FileTransaction {
        files: vec![file],
        ..FileTransaction::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_a_named_file_of_the_project_or_its_test_folder() {
        let project = Path::new("/p");
        for good in [
            "/p/play.yaml",
            "/p/a.scenario.yaml",
            "/p/tests/hooks/two turns.scenario.json",
        ] {
            assert!(is_scenario_place(project, Path::new(good)), "{good}");
        }
        for bad in [
            "/p/hooks.yaml",
            "/p/.scenario.yaml",
            "/p/.x.scenario.yaml",
            "/p/src/a.scenario.yaml",
            "/p/tests/hooks/../a.scenario.yaml",
            "/a.scenario.yaml",
            "/p/a\u{202e}b.scenario.yaml",
        ] {
            assert!(!is_scenario_place(project, Path::new(bad)), "{bad}");
        }
    }
}
