//! What an edit would do, held against what was meant before anything is written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_model::{
    Code, Dialect, EditDesk, EditPlan, Expected, FileChange, FileKind, Hook, Intention, Problem, Severity, SourceTree,
    args,
};

use super::people::Planned;
use super::{NO_EDITOR, NOT_AS_MEANT, diff};
use crate::dto::EditDoc;
use crate::fault::Fault;
use crate::hooks::find_dialect;
use crate::library::{self, Overlay, Snapshot, Written};
use crate::surroundings::Surroundings;

/// An edit that is not written yet.
#[derive(Debug)]
pub(super) struct Draft {
    /// The dialect's plan.
    pub plan: EditPlan,
    /// Its files with what stands there now.
    pub files: Vec<Planned>,
    /// Problems as they would be.
    problems: Vec<Problem>,
    /// The first error that the change would bring.
    error: Option<Problem>,
}

impl Draft {
    /// Asks the dialect and looks at the result as if it were written.
    pub fn of(
        around: &Surroundings,
        project: &Path,
        before: &Snapshot,
        dialect: &'static str,
        intention: &Intention,
    ) -> Result<Self, Fault> {
        let known = find_dialect(dialect)?;
        let trees: Vec<SourceTree> = before
            .sources
            .iter()
            .filter(|source| source.dialect == dialect)
            .map(|source| library::tree(known, &source.root))
            .collect();
        let plan = ask(known, &trees, &around.places(project), intention)?;
        let files = plan
            .files
            .iter()
            .map(|file| planned(&trees, file))
            .collect::<Result<Vec<_>, _>>()?;
        let after = library::load_with(around, project, Some(before), &overlay(&plan.files));
        agrees(&plan, dialect, &after)?;
        let (was, is) = (problems(before, dialect), problems(&after, dialect));
        let error = new_error(&was, &is);
        let mut problems: Vec<Problem> = is.into_iter().filter(|problem| about(&plan, problem)).collect();
        problems.extend(error.clone().filter(|error| !problems.contains(error)));
        problems.sort_by_key(|problem| problem.severity);
        Ok(Self {
            error,
            problems,
            files,
            plan,
        })
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(|file| file.before == file.after)
    }

    /// The first error that the change would bring.
    pub fn new_error(&self) -> Option<&Problem> {
        self.error.as_ref()
    }

    /// What a person is told.
    pub fn document(&self) -> EditDoc {
        let diffs = self
            .files
            .iter()
            .map(|file| diff::unified(&file.path, file.before.as_deref(), file.after.as_deref()));
        EditDoc {
            hook: self.plan.hook.clone(),
            moved: self.plan.moved.clone(),
            path: self.plan.path.display().to_string(),
            diff: diffs.collect(),
            written: false,
            problems: self.problems.clone(),
            undo: None,
        }
    }
}

fn ask(
    dialect: &dyn Dialect,
    trees: &[SourceTree],
    places: &hookwright_model::Places,
    intention: &Intention,
) -> Result<EditPlan, Fault> {
    let hooks: Vec<Hook> = trees.iter().flat_map(|tree| dialect.parse(tree).hooks).collect();
    let desk = EditDesk {
        trees,
        hooks: &hooks,
        places,
    };
    let none = || NO_EDITOR.say(args! { "dialect" => dialect.card().id });
    Ok(dialect.edit(&desk, intention).ok_or_else(none)??)
}

/// A file with what stands there now. What the dialect was not shown must not be there.
fn planned(trees: &[SourceTree], file: &FileChange) -> Result<Planned, Fault> {
    let path = file.path().clone();
    let shown = trees.iter().find_map(|tree| tree.files.get(&path));
    let before = match shown.map(|file| &file.text) {
        Some(Ok(text)) => Some(text.clone()),
        Some(Err(problem)) => {
            let words = hookwright_model::Words {
                code: problem.code.word(),
                text: problem.message.clone(),
                hint: problem.hint.clone(),
                args: problem.args.clone(),
            };
            return Err(words.into());
        }
        None => None,
    };
    Ok(match file {
        FileChange::Write { text, kind, .. } => Planned {
            path,
            before,
            after: Some(text.clone()),
            kind: *kind,
        },
        FileChange::Remove { .. } => Planned {
            path,
            before,
            after: None,
            kind: FileKind::Plain,
        },
    })
}

fn overlay(files: &[FileChange]) -> Overlay {
    let written = |file: &FileChange| match file {
        FileChange::Write { text, kind, .. } => Some(Written {
            text: text.clone(),
            executable: *kind == FileKind::Script,
        }),
        FileChange::Remove { .. } => None,
    };
    Overlay(files.iter().map(|file| (file.path().clone(), written(file))).collect())
}

/// The hooks of every place that changes must be exactly those that are expected.
fn agrees(plan: &EditPlan, dialect: &str, after: &Snapshot) -> Result<(), Fault> {
    for (path, expected) in &plan.expected {
        let source = after
            .sources
            .iter()
            .find(|source| source.dialect == dialect && source.root.path == *path);
        let agrees = source.is_some_and(|source| source.broken.is_empty() && same(expected, &source.read));
        if !agrees {
            return Err(NOT_AS_MEANT.plain().into());
        }
    }
    Ok(())
}

fn same(expected: &[Expected], read: &[std::sync::Arc<Hook>]) -> bool {
    let wanted: BTreeMap<(&str, &str), &serde_json::Value> = expected
        .iter()
        .map(|hook| ((hook.id.as_str(), hook.event.as_str()), &hook.definition))
        .collect();
    let found: BTreeMap<(&str, &str), &serde_json::Value> = read
        .iter()
        .map(|hook| ((hook.id.as_str(), hook.event.as_str()), &hook.definition))
        .collect();
    wanted == found && expected.len() == read.len()
}

fn problems(snapshot: &Snapshot, dialect: &str) -> Vec<Problem> {
    let mine = snapshot.sources.iter().filter(|source| source.dialect == dialect);
    let mut all: Vec<Problem> = mine.flat_map(|source| source.problems.iter().cloned()).collect();
    let paths: Vec<PathBuf> = all.iter().map(|problem| problem.path.clone()).collect();
    let hooks: Vec<&str> = snapshot.hooks(dialect).map(|hook| hook.id.as_str()).collect();
    let lint = snapshot.lint.iter().filter(|problem| {
        let about = problem.hook.as_deref();
        about.map_or_else(|| paths.contains(&problem.path), |hook| hooks.contains(&hook))
    });
    all.extend(lint.cloned());
    all
}

/// An error that was not there before. Places and ids move, so an error is known by what it says.
fn new_error(was: &[Problem], is: &[Problem]) -> Option<Problem> {
    let mut known: BTreeMap<(Code, &str), usize> = BTreeMap::new();
    for problem in was.iter().filter(|problem| problem.severity == Severity::Error) {
        *known.entry((problem.code, &problem.message)).or_default() += 1;
    }
    let errors = is.iter().filter(|problem| problem.severity == Severity::Error);
    let mut new = errors.filter(
        |problem| match known.get_mut(&(problem.code, problem.message.as_str())) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            Some(_) | None => true,
        },
    );
    new.next().cloned()
}

fn about(plan: &EditPlan, problem: &Problem) -> bool {
    problem.hook.is_some() && problem.hook == plan.hook
}
