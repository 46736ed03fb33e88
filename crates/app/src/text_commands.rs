//! The commands of the text editor: what an unsaved text of a hook file would define, and saving it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_dialects::lookup::find_dialect;
use hookwright_dialects::splice::{ElementLines, Format};
use hookwright_model::{EditDoc, Hook, HookRow, Problem};
use hookwright_workspace::Snapshot;
use hookwright_workspace::edit::draft_edit::{self, DraftEdit};
use hookwright_workspace::edit::requests::check_some;
use hookwright_workspace::edit::script_edit;
use hookwright_workspace::edit::text_edit::{self, TextEdit};
use hookwright_workspace::snapshot::LoadedSource;
use hookwright_workspace::{discovery, project};

use crate::app::App;
use crate::dto::{
    ChangeTextDoc, ChangeTextRequest, CheckTextDoc, CheckTextRequest, FieldPlace, HookFilesDoc, HookFilesRequest,
    HookLines, SaveTextRequest, TextDoc, TextRequest,
};
use crate::edit_commands::{parse_change, to_answer, write_mode};
use crate::fault::Fault;
use crate::hooks;

/// The command `hooks.text`: the text of one file, with its hash, its problems and the lines of its hooks.
///
/// # Errors
/// The project is not a directory, or the file belongs to none of its sources.
pub async fn hooks_text(app: &App, request: TextRequest) -> Result<TextDoc, Fault> {
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let snapshot = open_project.snapshot();
    let path = app.workspace.env.absolute(Path::new(&request.path));
    let source = match text_edit::source_of(&snapshot, &path, request.dialect.as_deref()) {
        Ok(source) => source,
        Err(refusal) => {
            let hook = script_edit::find_script(&app.workspace, &snapshot, request.hook.as_deref(), &path);
            return script_text(app, &snapshot, hook.ok_or(refusal)?, &path);
        }
    };
    let read = discovery::read_tree(find_dialect(source.dialect)?, &source.root)
        .files
        .shift_remove(&path)
        .and_then(|file| file.text.ok());
    let (text, hash) = match read {
        // The text and the hash are of the same bytes, whatever is written meanwhile.
        Some(_) => text_edit::read_with_hash(&snapshot, &path)?.unzip(),
        None => (None, None),
    };
    let text = text.unwrap_or_default();
    Ok(TextDoc {
        problems: problems_of(app, &snapshot, source.dialect, &path),
        hooks: hook_lines(source, &path, &text),
        dialect: source.dialect.to_owned(),
        path: request.path,
        last_good: source.has_older_hooks(),
        text,
        hash,
    })
}

/// The command `hooks.files`: the file with the definition of a hook, and the others that it consists of.
///
/// # Errors
/// The project is not a directory, or it has no such hook.
pub async fn hooks_files(app: &App, request: HookFilesRequest) -> Result<HookFilesDoc, Fault> {
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let snapshot = open_project.snapshot();
    let hook = snapshot
        .hook(&request.hook)
        .ok_or_else(|| snapshot.unknown_hook(&request.hook))?;
    let others = script_edit::files_of(&app.workspace, &snapshot, hook);
    let files = std::iter::once(&hook.source.path).chain(&others);
    Ok(HookFilesDoc {
        files: files.map(|path| path.display().to_string()).collect(),
    })
}

/// The text of a script that a hook's command names. It defines no hook.
fn script_text(app: &App, snapshot: &Snapshot, hook: &Hook, path: &Path) -> Result<TextDoc, Fault> {
    let (text, hash) = text_edit::read_with_hash(snapshot, path)?.unzip();
    Ok(TextDoc {
        path: path.display().to_string(),
        dialect: hook.dialect.to_owned(),
        problems: problems_of(app, snapshot, hook.dialect, path),
        hooks: Vec::new(),
        last_good: false,
        text: text.unwrap_or_default(),
        hash,
    })
}

/// Only compares the file with the text that the editor began with: a script has no syntax that is known here.
fn check_script(
    app: &App,
    snapshot: &Snapshot,
    hook: &Hook,
    request: &CheckTextRequest,
    path: &Path,
) -> Result<CheckTextDoc, Fault> {
    let disk = text_edit::file_hash(snapshot, path)?;
    Ok(CheckTextDoc {
        path: path.display().to_string(),
        dialect: hook.dialect.to_owned(),
        parses: true,
        problems: problems_of(app, snapshot, hook.dialect, path),
        hooks: Vec::new(),
        lines: Vec::new(),
        same_base: disk == request.base,
        hash: disk,
    })
}

/// The command `edit.check`: the problems and hooks of a text that is not saved.
///
/// # Errors
/// The project is not a directory, or no source of it contains such a file.
pub async fn edit_check(app: &App, request: CheckTextRequest) -> Result<CheckTextDoc, Fault> {
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let before = open_project.snapshot();
    let path = app.workspace.env.absolute(Path::new(&request.path));
    let source = match text_edit::source_of(&before, &path, request.dialect.as_deref()) {
        Ok(source) => source,
        Err(refusal) => {
            let hook = script_edit::find_script(&app.workspace, &before, request.hook.as_deref(), &path);
            return check_script(app, &before, hook.ok_or(refusal)?, &request, &path);
        }
    };
    let after = text_edit::snapshot_with_text(&app.workspace, &before, source.dialect, &path, &request.text);
    project::compile_patterns(&after, &app.workspace.trust);
    let is_it = |it: &&LoadedSource| it.dialect == source.dialect && it.root == source.root;
    let source = after.sources.iter().find(is_it).unwrap_or(source);
    let parses = !source.broken.contains(&path);
    let disk = text_edit::file_hash(&before, &path)?;
    let (hooks, lines) = if parses {
        let rows = hooks::list(app, &after, Some(source.dialect), None).hooks;
        let is_here = |row: &HookRow| Path::new(&row.path) == path;
        (
            rows.into_iter().filter(is_here).collect(),
            hook_lines(source, &path, &request.text),
        )
    } else {
        // What is in force then are the hooks of an older text.
        (Vec::new(), Vec::new())
    };
    Ok(CheckTextDoc {
        path: path.display().to_string(),
        dialect: source.dialect.to_owned(),
        parses,
        problems: problems_of(app, &after, source.dialect, &path),
        hooks,
        lines,
        same_base: disk == request.base,
        hash: disk,
    })
}

/// The command `edit.fields`: changes fields of a hook in a text that is not saved. Nothing is written.
///
/// # Errors
/// The reason why the change cannot be made.
pub async fn edit_fields(app: &App, request: ChangeTextRequest) -> Result<ChangeTextDoc, Fault> {
    let path = app.workspace.env.absolute(Path::new(&request.path));
    let changes = request
        .steps
        .into_iter()
        .map(parse_change)
        .collect::<Result<Vec<_>, _>>()?;
    let edit = DraftEdit {
        path: &path,
        dialect: request.dialect.as_deref(),
        text: &request.text,
        hook: &request.hook,
        changes: check_some(changes)?,
    };
    let changed = draft_edit::change(&app.workspace, Path::new(&request.project), edit)?;
    Ok(ChangeTextDoc {
        text: changed.text,
        hook: changed.hook,
    })
}

/// The command `edit.save`: saves the whole text of a hook file.
///
/// # Errors
/// The reason why the text is refused. No file was changed then.
pub async fn edit_save(app: &App, request: SaveTextRequest) -> Result<EditDoc, Fault> {
    let path: PathBuf = app.workspace.env.absolute(Path::new(&request.path));
    let edit = TextEdit {
        path: &path,
        dialect: request.dialect.as_deref(),
        base: request.base.as_deref(),
        text: &request.text,
        hook: request.hook.as_deref(),
    };
    let writing = write_mode(request.dry_run);
    let done = text_edit::save(&app.workspace, Path::new(&request.project), &edit, writing);
    to_answer(done, writing)
}

fn problems_of(app: &App, snapshot: &Snapshot, dialect: &str, path: &Path) -> Vec<Problem> {
    let all = snapshot.problems(&app.workspace.env, Some(dialect));
    all.into_iter().filter(|problem| problem.path == path).collect()
}

/// The lines of each hook that this text defines, in the order of the text.
fn hook_lines(source: &LoadedSource, path: &Path, text: &str) -> Vec<HookLines> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let elements = match ending {
        Some("json") => ElementLines::new(Format::Json, text),
        Some("yaml" | "yml") => ElementLines::new(Format::Yaml, text),
        Some(_) | None => None,
    };
    let whole = u32::try_from(text.lines().count()).unwrap_or(u32::MAX).max(1);
    let mut lines: BTreeMap<(u32, &str), HookLines> = BTreeMap::new();
    for hook in source.hooks.iter().filter(|hook| hook.source.path == path) {
        let first = hook.source.line;
        let reach = hook.field_positions.iter().map(|(_, position)| position.line).max();
        let at_least = reach.unwrap_or(first).max(first);
        let last = match (&elements, ending) {
            (Some(elements), _) => elements.last_line(first, at_least).unwrap_or(at_least),
            // A file of this kind defines one hook.
            (None, Some("md")) => whole,
            (None, _) => at_least,
        };
        lines.entry((first, &hook.id)).or_insert_with(|| HookLines {
            hook: hook.id.clone(),
            line: first,
            end_line: last,
            fields: hook
                .field_positions
                .iter()
                .map(|(field, position)| FieldPlace {
                    field: field.to_owned(),
                    line: position.line,
                    column: position.column,
                })
                .collect(),
        });
    }
    lines.into_values().collect()
}
