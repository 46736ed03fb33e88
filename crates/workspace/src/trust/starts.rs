//! Which files of a project a user hook starts (`engine.md` §3, "A user's hook that starts project content").
//!
//! Unlike for a project's hooks, nothing is over-approximated here: no file name in a repository may switch off a user
//! hook. Only what a shell would start from the run's directory counts: a program that is given as a path, and the
//! script of an interpreter, `.` or `source`.

mod project_folders;
mod script_walk;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_dialects::shell::{self, Join, Script, Word};
use hookwright_model::{ApprovalScope, Card, Hook, Layer, Source};

use super::Trust;
use script_walk::ScriptWalk;

/// Limit for the files of a project that are reviewed for one hook.
const MAX_FILES: usize = 64;

/// The directories that decide what a command starts.
#[derive(Debug, Clone, Copy)]
struct StartDirs<'a> {
    home: &'a Path,
    /// The canonical path of the project.
    project: &'a Path,
    /// The directory of the run.
    start: &'a Path,
}

impl Trust {
    /// Returns a user hook as a hook of the project, with the files of the project that it starts from the directory
    /// `start`. `None` if it starts none (`engine.md` §3, "A user's hook that starts project content").
    #[must_use]
    pub fn bind(&self, hook: &Hook, project: &Path, start: &Path) -> Option<Hook> {
        self.bind_with(hook, project, |card, project| {
            let home = &self.home;
            started_files(hook, card, StartDirs { home, project, start })
        })
    }

    /// Like [`Trust::bind`], for the files that the hook starts from any folder of the project. A review shows these.
    #[must_use]
    pub fn bind_from_any_folder(&self, hook: &Hook, project: &Path) -> Option<Hook> {
        self.bind_with(hook, project, |card, project| {
            let home = &self.home;
            let start = project;
            started_anywhere(hook, card, StartDirs { home, project, start })
        })
    }

    fn bind_with(&self, hook: &Hook, project: &Path, files: impl FnOnce(&Card, &Path) -> Vec<PathBuf>) -> Option<Hook> {
        if hook.source.layer != Layer::User || hook.invalid.is_some() {
            return None;
        }
        let real = dunce::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        let files = files(hookwright_dialects::find(hook.dialect)?.card(), &real);
        if files.is_empty() {
            return None;
        }
        Some(Hook {
            source: Source {
                project: Some(project.to_owned()),
                ..hook.source.clone()
            },
            approval_scope: ApprovalScope::Files(files),
            ..hook.clone()
        })
    }
}

/// The files of the project that a user hook starts: real paths, each once, sorted.
fn started_files(hook: &Hook, card: &Card, from: StartDirs<'_>) -> Vec<PathBuf> {
    let mut walk = ScriptWalk::new(card, super::names::definition_env(hook, card), from);
    walk.follow_script(&script_of(hook));
    walk.found.into_iter().collect()
}

/// A hook's command as a shell would read it. A command that no shell reads is one command of whole words.
fn script_of(hook: &Hook) -> Script {
    let command = match &hook.approval_scope {
        ApprovalScope::Command(command) => command,
        ApprovalScope::Folder(_) | ApprovalScope::Sources { .. } | ApprovalScope::Files(_) | ApprovalScope::Nothing => {
            return Script::default();
        }
    };
    if command.shell {
        return shell::scan(&command.text());
    }
    let word = |text: &String| Word {
        quoted: false,
        unquoted_bytes: text.len(),
        ..Word::literal(text)
    };
    Script {
        commands: vec![shell::SimpleCommand {
            words: command.words.iter().map(word).collect(),
            join: Join::Next,
            subshells: Vec::new(),
            documents: Vec::new(),
        }],
        ..Script::default()
    }
}

/// The files of the project that the hook starts from any folder of it, within the limits of the search.
fn started_anywhere(hook: &Hook, card: &Card, from: StartDirs<'_>) -> Vec<PathBuf> {
    let script = script_of(hook);
    let env_of_definition: BTreeMap<&str, &str> = super::names::definition_env(hook, card);
    let mut first = ScriptWalk::new(card, env_of_definition.clone(), from);
    first.follow_script(&script);
    let mut found = first.found;
    if first.depends_on_start {
        for folder in project_folders::project_folders(from.project) {
            let start = StartDirs { start: &folder, ..from };
            let mut walk = ScriptWalk::new(card, env_of_definition.clone(), start);
            walk.follow_script(&script);
            found.extend(walk.found);
            if found.len() > MAX_FILES {
                break;
            }
        }
    }
    found.into_iter().take(MAX_FILES).collect()
}
