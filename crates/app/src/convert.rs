//! Converts hooks to another dialect (`CONTRACTS.md` §2.5): reads them with the files that come along, and writes new
//! files. Nothing is ever overwritten.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_dialects::convert::{self, Conversion, Loss, NewFile, ScriptFile, SourceHook};
use hookwright_dialects::lookup::find_dialect;
use hookwright_model::problem::Severity;
use hookwright_model::{Dialect, Hook, Layer, Message, Root, Source, args, render};
use hookwright_workspace::disk_probe::DiskProbe;
use hookwright_workspace::edit::WriteMode;
use hookwright_workspace::edit::new_files::{self, NewFiles};
use hookwright_workspace::files::{self, Opener};
use hookwright_workspace::snapshot::LoadedSource;
use hookwright_workspace::trust::Trust;
use hookwright_workspace::trust::covered_files::named_files;
use hookwright_workspace::trust::disk_cache::DiskCache;

use crate::app::App;
use crate::check;
use crate::dto::{ConvertDoc, ConvertHookRequest, ConvertedFile, LossRow};
use crate::edit_commands::write_mode;
use crate::fault::Fault;

hookwright_model::messages! {
    /// A folder contains no hook file of the dialect.
    NO_SOURCES = "convert_no_sources" { "{path} contains no hook files of {dialect}", "{path} 不包含 {dialect} 的 Hook 文件" } hint { "name the file, or use another hook system with `--from`", "指定文件，或用 `--from` 指定另一种 Hook 体系" };
    /// A file to convert does not parse.
    BROKEN = "convert_broken" { "{path}:{line} does not parse: {why}", "{path}:{line} 无法解析：{why}" } hint { "correct it first; nothing was converted", "先更正；未作任何转换" };
}

/// At most this many bytes of a script come along.
const MAX_SCRIPT_BYTES: u64 = 8 << 20;

/// Hooks to convert, and where they are.
struct Selection {
    from: &'static dyn Dialect,
    to: &'static dyn Dialect,
    hooks: Vec<(Arc<Hook>, Origin)>,
    /// Losses of whole files.
    losses: Vec<Loss>,
    unconverted: usize,
}

/// The folder in which a hook's command starts, if the files that it names come along.
#[derive(Debug, Clone)]
struct Origin {
    base: PathBuf,
    carries_files: bool,
}

/// Converts a configuration file, a hook's folder, or every hook file below a folder. With `out`, the files are written
/// there.
///
/// # Errors
/// The path does not exist, a file does not parse, a dialect is unknown, a new file would replace another one, or a hook
/// that is not approved would run without a review there.
pub fn convert_path(app: &App, from: &str, to: &str, path: &Path, out: Option<&Path>) -> Result<ConvertDoc, Fault> {
    let (from, to) = dialects(from, to)?;
    let path = app.workspace.env.absolute(path);
    let mut selection = Selection {
        from,
        to,
        hooks: Vec::new(),
        losses: Vec::new(),
        unconverted: 0,
    };
    let sources = check::find_sources(app, &path, from)?;
    if sources.is_empty() {
        let args = args! { "path" => path.display().to_string(), "dialect" => from.card().name };
        return Err(NO_SOURCES.render(args).into());
    }
    for found in sources {
        selection.add_source(app, &found.source, &found.folder)?;
    }
    finish(app, selection, out, WriteMode::Now)
}

/// The command `hooks.convert`: converts one hook of a project, and writes the files if the request says so.
///
/// # Errors
/// The hook or the dialect is unknown, a new file would replace another one, or a hook that is not approved would run
/// without a review there.
pub async fn hooks_convert(app: &App, request: ConvertHookRequest) -> Result<ConvertDoc, Fault> {
    let open_project = app.workspace.open_project(Path::new(&request.project))?;
    let snapshot = open_project.snapshot();
    let hook = snapshot
        .hook(&request.hook)
        .ok_or_else(|| snapshot.unknown_hook(&request.hook))?;
    let (from, to) = dialects(hook.dialect, &request.to)?;
    let same = |other: &&Arc<Hook>| other.id == hook.id && other.source.path == hook.source.path;
    let origin = Origin {
        base: open_project.project.clone(),
        carries_files: hook.source.project.is_some(),
    };
    let hooks = snapshot.hooks(from.card().id).filter(same);
    let selection = Selection {
        from,
        to,
        hooks: hooks.map(|hook| (hook.clone(), origin.clone())).collect(),
        losses: Vec::new(),
        unconverted: 0,
    };
    let folder = request.folder.map(|folder| open_project.project.join(folder));
    finish(app, selection, folder.as_deref(), write_mode(request.dry_run))
}

fn dialects(from: &str, to: &str) -> Result<(&'static dyn Dialect, &'static dyn Dialect), Fault> {
    let (from, to) = (find_dialect(from)?, find_dialect(to)?);
    if from.card().id == to.card().id {
        return Err(render!(convert::SAME_DIALECT, "dialect" => from.card().name).into());
    }
    Ok((from, to))
}

impl Selection {
    /// Adds the hooks of a source that are below this folder. Errors that belong to no hook are losses of the file.
    fn add_source(&mut self, app: &App, source: &LoadedSource, folder: &Path) -> Result<(), Fault> {
        let is_asked_for = |path: &Path| path.starts_with(folder);
        let errors = source
            .file_problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error && is_asked_for(&problem.path));
        for problem in errors {
            if source.broken.contains(&problem.path) {
                let args = args! {
                    "path" => problem.path.display().to_string(), "line" => problem.line.unwrap_or(1), "why" => problem.message
                };
                return Err(BROKEN.render(args).into());
            }
            let hook = problem.hook.as_deref();
            if !source.file_hooks.iter().any(|known| Some(known.id.as_str()) == hook) {
                let args = args! { "why" => problem.message };
                self.unconverted += 1;
                self.losses.push(Loss {
                    hook: None,
                    message: convert::INVALID.render(args),
                });
            }
        }
        let origin = Origin::new(app, self.from, &source.root);
        let hooks = source.file_hooks.iter().filter(|hook| is_asked_for(&hook.source.path));
        self.hooks.extend(hooks.map(|hook| (hook.clone(), origin.clone())));
        Ok(())
    }
}

impl Origin {
    fn new(app: &App, dialect: &dyn Dialect, root: &Root) -> Self {
        let base = root
            .project
            .clone()
            .or_else(|| root.path.parent().map(Path::to_owned))
            .unwrap_or_default();
        let places = app.workspace.env.locations(&base);
        let is_in_place = dialect
            .roots(&places, &DiskProbe)
            .iter()
            .any(|known| known.path == root.path);
        // What the user's own files name is found from everywhere. A file that lies anywhere else is like a project.
        let carries_files = root.project.is_some() || (root.layer == Layer::User && !is_in_place);
        Self { base, carries_files }
    }
}

fn finish(app: &App, selection: Selection, out: Option<&Path>, mode: WriteMode) -> Result<ConvertDoc, Fault> {
    let ids = (selection.from.card().id, selection.to.card().id);
    let hooks: Vec<SourceHook<'_>> = selection
        .hooks
        .iter()
        .map(|(hook, origin)| SourceHook {
            hook,
            files: script_files(app, selection.from, hook, origin),
        })
        .collect();
    let mut conversion = convert::convert(&hooks, ids.0, ids.1);
    conversion.losses.splice(0..0, selection.losses);
    conversion.unconverted += selection.unconverted;
    conversion.losses.extend(notes_losses(&selection.hooks));
    conversion.losses.extend(binary_losses(&conversion.files));
    let mut doc = to_doc(&conversion, None);
    let unreviewed = selection
        .hooks
        .iter()
        .find(|(hook, origin)| !is_reviewed(app, hook, origin));
    if let Some(folder) = out {
        let folder = app.workspace.env.absolute(folder);
        let request = NewFiles {
            folder: &folder,
            dialect: ids.1,
            files: &conversion.files,
            unreviewed: unreviewed.map(|(hook, _)| hook.id.as_str()),
        };
        let change = new_files::write(&app.workspace, &request, mode)?;
        doc = ConvertDoc {
            written: change.written,
            change: Some(change),
            ..to_doc(&conversion, Some(&folder))
        };
    }
    Ok(doc)
}

/// Whether a person has approved a hook, or put it into a place of the user. A file that lies anywhere else is like one
/// of a project.
fn is_reviewed(app: &App, hook: &Hook, origin: &Origin) -> bool {
    !origin.carries_files || (Trust::needs_approval(hook) && app.workspace.trust.check_gate(hook).is_ok())
}

/// The files that come along: those of the hook's folder, or those of the project that its command names.
fn script_files(app: &App, dialect: &dyn Dialect, hook: &Hook, origin: &Origin) -> Vec<ScriptFile> {
    let disk = DiskCache::default();
    let places = app.workspace.env.locations(&origin.base);
    let is_folder = matches!(hook.approval_scope, hookwright_model::ApprovalScope::Folder(_));
    let base = if is_folder {
        hook.source.path.parent().unwrap_or(&origin.base)
    } else if origin.carries_files && !matches!(hook.handler, hookwright_model::Handler::Insert { .. }) {
        &origin.base
    } else {
        return Vec::new();
    };
    let (real, definition) = (disk.real(base), disk.real(&hook.source.path));
    // The paths have no links. One that leads elsewhere by now is not opened.
    let opener = Opener::beneath(&real);
    let read = |path: PathBuf| {
        let found = disk.real(&path);
        let inside = found.strip_prefix(&real).ok()?.to_owned();
        // The definition is written anew.
        if found == definition {
            return None;
        }
        let (file, meta) = opener.open(&found).ok()?;
        Some(ScriptFile {
            bytes: files::read_open(&file, &meta, MAX_SCRIPT_BYTES).ok()?,
            mode: file_mode(&meta),
            path: inside,
        })
    };
    named_files(hook, dialect.card(), &places, &disk)
        .into_iter()
        .filter_map(read)
        .collect()
}

#[cfg(unix)]
fn file_mode(meta: &Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o777
}

#[cfg(not(unix))]
fn file_mode(_: &Metadata) -> u32 {
    0o600
}

/// Files whose comments or notes are not converted.
fn notes_losses(hooks: &[(Arc<Hook>, Origin)]) -> Vec<Loss> {
    let mut sources: Vec<(&Source, &str)> = hooks.iter().map(|(hook, _)| (&hook.source, hook.dialect)).collect();
    sources.dedup_by(|one, other| one.0.path == other.0.path);
    let has_notes = |(source, dialect): &(&Source, &str)| {
        let text = Opener::of_project(source.project.as_deref()).read_text(&source.path, MAX_SCRIPT_BYTES);
        text.is_some_and(|text| convert::has_notes(dialect, &text))
    };
    let loss = |(source, _): (&Source, &str)| Loss {
        hook: None,
        message: render!(convert::COMMENTS, "file" => source.path.display().to_string()),
    };
    sources.into_iter().filter(has_notes).map(loss).collect()
}

fn binary_losses(files: &[NewFile]) -> Vec<Loss> {
    let binary = files.iter().filter(|file| std::str::from_utf8(&file.bytes).is_err());
    let message = |file: &NewFile| render!(convert::FILE_BINARY, "file" => file.path.display().to_string());
    binary
        .map(|file| Loss {
            hook: None,
            message: message(file),
        })
        .collect()
}

fn to_doc(conversion: &Conversion, folder: Option<&Path>) -> ConvertDoc {
    let path = |file: &NewFile| folder.map_or_else(|| file.path.clone(), |folder| folder.join(&file.path));
    let row = |loss: &Loss| {
        let Message { code, text, hint, args } = loss.message.clone();
        LossRow {
            hook: loss.hook.clone(),
            code: code.to_owned(),
            message: text,
            hint,
            args,
        }
    };
    let file = |file: &NewFile| ConvertedFile {
        path: path(file).display().to_string(),
        text: String::from_utf8(file.bytes.clone()).ok(),
        mode: format!("{:04o}", file.mode),
    };
    ConvertDoc {
        files: conversion.files.iter().map(file).collect(),
        loss: conversion.losses.iter().map(row).collect(),
        unconverted: u32::try_from(conversion.unconverted).unwrap_or(u32::MAX),
        written: false,
        change: None,
    }
}
