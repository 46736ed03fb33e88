//! Where the files of a new hook are written, and how its definition names them there.
//!
//! Hooks that come with files are written for a project: every path is relative to it. In the project they are written
//! as they are. In layer `user` they are written next to the user's file, and the definition names them there.

use std::path::{Path, PathBuf};

use hookwright_dialects::convert::NewFile;
use hookwright_dialects::editing;
use hookwright_model::{Card, Dialect, DirProbe, Layer, Locations, Message, Root, RootKind, TargetLayer, render};
use hookwright_workspace::disk_probe::DiskProbe;
use hookwright_workspace::edit::added_hooks::NewHook;
use serde_json::{Map, Value};

use crate::app::App;
use crate::dto::SampleFile;

hookwright_model::messages! {
    /// A script names another file by its path in the project.
    TIED_TO_PROJECT = "hook_files_tied" { "{path} names {other}, which is in a project", "{path} 引用了项目中的 {other}" } hint { "add it to a project instead; nothing was changed", "改为添加到项目中；未作任何更改" };
    /// The path of a file that comes along is not in the project.
    NOT_IN_PROJECT = "edit_outside" / "hook_files" { "`{path}` is not a path in the project", "`{path}` 不是项目中的路径" } hint { "write it relative to the project, without `..`; nothing was changed", "写成相对于项目的路径，不含 `..`；未作任何更改" };
}

/// Hooks with their files, placed in one layer.
#[derive(Debug)]
pub(crate) struct PlacedHooks {
    /// The project that the files belong to.
    pub project: PathBuf,
    pub hooks: Vec<NewHook>,
    /// The files, with absolute paths.
    pub files: Vec<NewFile>,
}

/// Places hooks and their files, which have paths in the project.
///
/// # Errors
/// The dialect has no files in this layer, or a file cannot be moved to it.
pub(crate) fn place(
    app: &App,
    dialect: &dyn Dialect,
    (project, layer): (&Path, TargetLayer),
    hooks: &[NewHook],
    files: &[NewFile],
) -> Result<PlacedHooks, Message> {
    let project = app.workspace.env.absolute(project);
    let locations = app.workspace.env.locations(&project);
    let places = LayerPlaces::new(dialect, &locations, layer)?;
    let mut placed = PlacedHooks {
        project: match layer {
            TargetLayer::User => project,
            TargetLayer::Project | TargetLayer::Local | TargetLayer::Skill => places.base.clone(),
        },
        hooks: hooks.to_vec(),
        files: Vec::new(),
    };
    for file in files {
        check_relative(&file.path)?;
        placed.files.push(NewFile {
            path: places.path_of(&file.path),
            ..file.clone()
        });
    }
    if layer == TargetLayer::User {
        check_untied(files)?;
        for hook in &mut placed.hooks {
            for file in files {
                let to = Renamed::new(&file.path, &places.path_of(&file.path), &locations.home);
                rename_in(&mut hook.definition, &to, dialect.card());
            }
        }
    }
    Ok(placed)
}

/// A disk without folders: a dialect then looks for a project's files in the project itself.
pub(crate) struct NoDirs;

impl DirProbe for NoDirs {
    fn is_dir(&self, _: &Path) -> bool {
        false
    }

    fn is_file(&self, _: &Path) -> bool {
        false
    }
}

fn check_relative(path: &Path) -> Result<(), Message> {
    let is_inside = path
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_)));
    if is_inside && path.file_name().is_some() {
        return Ok(());
    }
    Err(render!(NOT_IN_PROJECT, "path" => path.display().to_string()))
}

/// Whether no script of these names another one by its path in the project.
pub(crate) fn can_leave_project(files: &[NewFile]) -> bool {
    check_untied(files).is_ok()
}

/// A file for the window.
pub(crate) fn to_dto(file: &NewFile) -> SampleFile {
    SampleFile {
        path: file.path.display().to_string(),
        text: String::from_utf8_lossy(&file.bytes).into_owned(),
        executable: file.mode & 0o111 != 0,
    }
}

/// A file from the window. A script is written with its executable bit.
pub(crate) fn from_dto(file: SampleFile) -> NewFile {
    NewFile {
        path: PathBuf::from(file.path),
        bytes: file.text.into_bytes(),
        mode: if file.executable { 0o700 } else { 0o600 },
    }
}

/// A script that names another file by its path in the project works only there.
fn check_untied(files: &[NewFile]) -> Result<(), Message> {
    for file in files {
        let text = String::from_utf8_lossy(&file.bytes);
        let named = files.iter().find(|other| {
            let path = other.path.display().to_string().replace('\\', "/");
            other.path != file.path && text.contains(&path)
        });
        if let Some(other) = named.filter(|_| is_script(file)) {
            let shown = (file.path.display().to_string(), other.path.display().to_string());
            return Err(render!(TIED_TO_PROJECT, "path" => shown.0, "other" => shown.1));
        }
    }
    Ok(())
}

fn is_script(file: &NewFile) -> bool {
    file.mode & 0o111 != 0 || file.bytes.starts_with(b"#!")
}

/// The places of one layer of a dialect.
struct LayerPlaces {
    /// The project to which the paths are relative.
    base: PathBuf,
    /// Folders with files of hooks: the path in the project, and the path in the layer.
    folders: Vec<(PathBuf, PathBuf)>,
    /// The folder for files that are in none of these; `None` for the project.
    other: Option<PathBuf>,
}

impl LayerPlaces {
    fn new(dialect: &dyn Dialect, locations: &Locations, layer: TargetLayer) -> Result<Self, Message> {
        let card = dialect.card();
        let layers = card.edit_support.target_layers;
        let none = || editing::no_layer(card.id, layer, layers);
        if !layers.contains(&layer) {
            return Err(none());
        }
        let roots = dialect.roots(locations, &DiskProbe);
        let in_project = |root: &&Root| root.project.is_some();
        let base = roots.iter().filter(in_project).find_map(|root| root.project.clone());
        let base = base.unwrap_or_else(|| locations.project.clone());
        if layer != TargetLayer::User {
            return Ok(Self {
                base,
                folders: Vec::new(),
                other: None,
            });
        }
        let users = || roots.iter().filter(|root| root.layer == Layer::User && !root.managed);
        let pair = |root: &Root| {
            let same = |user: &&Root| user.reads == root.reads && user.path.file_name() == root.path.file_name();
            let inside = folder(root).strip_prefix(&base).ok()?.to_owned();
            Some((inside, folder(users().find(same)?).to_owned()))
        };
        Ok(Self {
            folders: roots.iter().filter(in_project).filter_map(pair).collect(),
            other: Some(folder(users().next().ok_or_else(none)?).to_owned()),
            base,
        })
    }

    /// The path in the layer of a file with this path in the project.
    fn path_of(&self, path: &Path) -> PathBuf {
        let Some(other) = &self.other else {
            return self.base.join(path);
        };
        let inside = |(from, to): &(PathBuf, PathBuf)| Some(to.join(path.strip_prefix(from).ok()?));
        self.folders
            .iter()
            .find_map(inside)
            .unwrap_or_else(|| other.join(path.file_name().unwrap_or_default()))
    }
}

/// The folder of a root's files.
fn folder(root: &Root) -> &Path {
    match root.reads {
        RootKind::File => root.path.parent().unwrap_or(&root.path),
        RootKind::Folders(_) | RootKind::FilesIn(_) | RootKind::FilesBelow(_) => &root.path,
    }
}

/// A file with another path than in the project.
struct Renamed {
    from: String,
    /// As a shell command names it.
    in_shell: String,
    /// As an item of an argument list names it.
    plain: String,
}

impl Renamed {
    fn new(from: &Path, to: &Path, home: &Path) -> Self {
        let plain = to.display().to_string();
        let is_plain = |text: &str| text.chars().all(|sign| sign.is_alphanumeric() || "/._-".contains(sign));
        let below_home = to.strip_prefix(home).ok().filter(|_| !home.as_os_str().is_empty());
        let in_shell = match below_home.map(|rest| rest.display().to_string()) {
            Some(rest) if is_plain(&rest) => format!("~/{rest}"),
            Some(_) | None => shlex::try_quote(&plain).map_or_else(|_| plain.clone(), |quoted| quoted.into_owned()),
        };
        Self {
            from: from.display().to_string().replace('\\', "/"),
            in_shell,
            plain,
        }
    }

    /// A text with every mention of the file replaced, also behind a variable of the project's directory.
    fn replace(&self, text: &str, to: &str, card: &Card) -> String {
        let mut text = text.to_owned();
        for var in card.dir_vars {
            let name = var.name;
            for before in [
                format!("\"${name}\"/"),
                format!("\"${{{name}}}\"/"),
                format!("${name}/"),
                format!("${{{name}}}/"),
            ] {
                text = text.replace(&(before + &self.from), to);
            }
        }
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once(&self.from) {
            let before = before.strip_suffix("./").unwrap_or(before);
            out.push_str(before);
            let is_part = |sign: char| sign.is_alphanumeric() || "/._-~".contains(sign);
            let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
            out.push_str(if is_whole { to } else { &self.from });
            rest = after;
        }
        out + rest
    }
}

fn rename_in(definition: &mut Map<String, Value>, to: &Renamed, card: &Card) {
    for value in definition.values_mut() {
        match value {
            Value::String(text) => *text = to.replace(text, &to.in_shell, card),
            Value::Array(items) => {
                for item in items {
                    if let Value::String(text) = item {
                        *text = to.replace(text, &to.plain, card);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
        }
    }
}
