//! Changing hook folders (`CONTRACTS.md` §2.7): the front matter of a HOOK.md, the script beside it, and the folder.

use std::path::{Path, PathBuf};

use hookwright_model::{
    EditContext, EditPlan, EditRequest, FieldValue, FileChange, FileKind, Hook, HookKey, Layer, Message, SourceTree,
    TargetLayer, args,
};
use serde_json::{Map, Value};

use super::entry;
use super::events::{CARD, renamed};
use super::places::HOOK_FILE;
use crate::edited::{self, Copy, GONE, NAME_TAKEN, NO_NAME, NamedRow, Names, ORDERED, OTHER_EVENT, Wanted};
use crate::front::{self, Front};
use crate::splice::{self, Format, Op, key};

hookwright_model::messages! {
    /// A HOOK.md has no switch.
    NO_SWITCH = "edit_no_switch" / "agent-hooks" { "a HOOK.md has no switch: every folder that has one is a hook", "HOOK.md 中没有开关：带有它的文件夹就是一个 hook" } hint { "`hookwright mute {hook}` leaves it out of Hookwright's engine", "`hookwright mute {hook}` 可让 Hookwright 的引擎跳过它" };
    /// A script is no field.
    SCRIPT_STAYS = "edit_script_stays" { "a hook's script cannot be taken out: without it nothing runs", "hook 的脚本无法移除：没有它就什么都不会运行" } hint { "give it another one: --set script=…; `hookwright remove` takes the hook with its script", "可换一个脚本：--set script=…；`hookwright remove` 会连同脚本一起移除 hook" };
}

/// Fields that hold a text (`agent-hooks.md` §2).
const TEXTS: [&str; 5] = ["name", "description", "trigger", "matcher.tool", "matcher.pattern"];

const SHELVES: [TargetLayer; 2] = [TargetLayer::User, TargetLayer::Project];
const NEW_SCRIPT: &str = "scripts/run";

/// What is to be written.
///
/// # Errors
/// Why it cannot be done.
pub(super) fn edit(desk: &EditContext<'_>, intention: &EditRequest) -> Result<EditPlan, Message> {
    let editor = Editor {
        desk,
        names: Names::of(desk, |hook| place(&hook.source.path)),
    };
    match intention {
        EditRequest::Add {
            event,
            shelf,
            definition,
        } => editor.add(event, *shelf, definition),
        EditRequest::Change { hook, changes } => editor.change(hook, &Wanted::of(changes)),
        EditRequest::Remove { hook } => editor.remove(hook),
    }
}

/// The folder of hooks' folders that a HOOK.md is found in.
fn place(hook_file: &Path) -> PathBuf {
    hook_file.ancestors().nth(2).unwrap_or(hook_file).to_owned()
}

/// The script of a hook, when it really lies in the hook's folder. What a link leads to belongs to whoever put it there.
fn own_script(folder: &Folder<'_>) -> Option<PathBuf> {
    let (path, script) = entry::find(folder.tree, &folder.path)?;
    let inside = path.strip_prefix(&folder.path).ok()?;
    let real = folder.tree.files.get(&folder.file())?.folder.join(inside);
    (script.real == real).then_some(path)
}

struct Editor<'d> {
    desk: &'d EditContext<'d>,
    names: Names,
}

/// A hook's folder as it will be.
struct Folder<'d> {
    tree: &'d SourceTree,
    path: PathBuf,
    /// Its HOOK.md.
    text: String,
    /// Its script, where that changes: the place inside, and the text.
    script: Option<(PathBuf, String)>,
    /// The folder that it is made from.
    from: Option<PathBuf>,
}

impl<'d> Folder<'d> {
    fn file(&self) -> PathBuf {
        self.path.join(HOOK_FILE)
    }

    fn key(&self, definition: &Value) -> HookKey {
        let folder = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let named = match definition.get("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => name.clone(),
            Some(name @ (Value::Bool(_) | Value::Number(_))) => name.to_string(),
            Some(_) | None => folder,
        };
        (
            self.file(),
            format!("{}:{}:{named}", CARD.id, self.tree.root.layer.as_str()),
        )
    }

    /// Does a change in the front matter; the free text behind it stays.
    fn splice(&mut self, op: Op) -> Result<(), Message> {
        let Front::Found { yaml, .. } = front::split(&self.text) else {
            return Err(splice::DIFFERS.render_plain());
        };
        let rest = &self.text[yaml.len()..];
        let next = splice::apply(Format::Yaml, yaml, &[op]);
        self.text = next.map_err(|words| edited::in_file(words, &self.path.join(HOOK_FILE)))? + rest;
        Ok(())
    }
}

impl<'d> Editor<'d> {
    fn tree(&self, shelf: TargetLayer) -> Result<&'d SourceTree, Message> {
        let layer = match shelf {
            TargetLayer::User => Layer::User,
            TargetLayer::Project => Layer::Project,
            TargetLayer::Local | TargetLayer::Skill => return Err(edited::no_shelf(CARD.id, shelf, &SHELVES)),
        };
        let tree = self.desk.trees.iter().find(|tree| tree.root.layer == layer);
        tree.ok_or_else(|| edited::no_shelf(CARD.id, shelf, &SHELVES))
    }

    fn find(&self, id: &str) -> Result<(&'d Hook, Folder<'d>), Message> {
        let gone = || GONE.render(args! { "hook" => id });
        let hook = self.desk.target.ok_or_else(gone)?;
        let path = &hook.source.path;
        let tree = self
            .desk
            .trees
            .iter()
            .find(|tree| tree.files.contains_key(path))
            .ok_or_else(gone)?;
        let file = tree.files.get(path).ok_or_else(gone)?;
        let text = match &file.text {
            Ok(text) => text.clone(),
            Err(problem) => {
                let shown = path.display().to_string();
                return Err(edited::UNREADABLE.render(args! { "path" => shown, "why" => problem.message }));
            }
        };
        let folder = Folder {
            tree,
            path: path.parent().unwrap_or(path).to_owned(),
            text,
            script: None,
            from: None,
        };
        Ok((hook, folder))
    }

    /// The path of a folder that is not there yet.
    fn vacant(&self, tree: &SourceTree, name: &str) -> Result<PathBuf, Message> {
        edited::is_file_name(name)?;
        let path = tree.root.path.join(name);
        if tree.files.keys().any(|file| file.starts_with(&path)) {
            let shown = tree.root.path.display().to_string();
            return Err(NAME_TAKEN.render(args! { "name" => name, "path" => shown }));
        }
        Ok(path)
    }

    fn add(mut self, event: &str, shelf: TargetLayer, definition: &Map<String, Value>) -> Result<EditPlan, Message> {
        let mut fields = definition.clone();
        let name = match fields.get("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => name.clone(),
            Some(_) | None => return Err(NO_NAME.render(args! { "dialect" => CARD.id })),
        };
        let trigger = fields.entry("trigger").or_insert_with(|| event.into()).clone();
        let means = trigger.as_str().map(|written| renamed(written).unwrap_or(written));
        if means.is_some_and(|means| means != event) {
            let found = trigger.as_str().unwrap_or_default();
            return Err(OTHER_EVENT.render(args! { "field" => "trigger", "found" => found, "event" => event }));
        }
        let script = fields.shift_remove("script");
        let tree = self.tree(shelf)?;
        let mut folder = Folder {
            tree,
            path: self.vacant(tree, &name)?,
            text: "---\n---\n".to_owned(),
            script: None,
            from: None,
        };
        if let Some(script) = script {
            let text = script.as_str().map(str::to_owned).unwrap_or_else(|| script.to_string());
            folder.script = Some((PathBuf::from(NEW_SCRIPT), text));
        }
        // As people write them: what it is called, what it does, when it runs; then the rest.
        let first = ["name", "description", "trigger"];
        let order = |name: &str| first.iter().position(|first| *first == name).unwrap_or(first.len());
        let mut fields: Vec<(String, Value)> = fields.into_iter().collect();
        fields.sort_by_key(|(name, _)| order(name));
        for (name, value) in &fields {
            folder.splice(Op::Set {
                at: vec![key(name)],
                value: value.clone(),
            })?;
        }
        let row = NamedRow {
            old: None,
            definition: Value::Object(fields.into_iter().collect()),
        };
        let files = vec![FileChange::Write {
            path: folder.file(),
            text: folder.text.clone(),
            kind: FileKind::Plain,
        }];
        let found = folder.key(&row.definition);
        self.names.put(found, &tree.root.path, row.clone());
        Ok(self.plan(files, Some((&folder, &row.definition)), &folder.file()))
    }

    fn remove(mut self, id: &str) -> Result<EditPlan, Message> {
        let (hook, folder) = self.find(id)?;
        self.names.take(&(hook.source.path.clone(), hook.id.clone()));
        let mut files = vec![FileChange::Remove { path: folder.file() }];
        let mut folders = vec![folder.path.clone()];
        if let Some(script) = own_script(&folder) {
            folders.splice(0..0, script.parent().map(Path::to_owned));
            files.push(FileChange::Remove { path: script });
        }
        files.extend(folders.into_iter().map(|path| FileChange::RemoveEmpty { path }));
        Ok(self.plan(files, None, &folder.file()))
    }

    fn change(mut self, id: &str, wanted: &Wanted<'_>) -> Result<EditPlan, Message> {
        if wanted.place.is_some() {
            return Err(ORDERED.render(args! { "dialect" => "Agent Hooks", "field" => "priority" }));
        }
        if wanted.switch.is_some() {
            return Err(NO_SWITCH.render(args! { "hook" => id }));
        }
        let (hook, here) = self.find(id)?;
        let before = (hook.source.path.clone(), hook.id.clone());
        let mut row = NamedRow {
            old: (wanted.copy == Copy::Itself).then(|| before.clone()),
            definition: hook.definition.clone(),
        };
        let mut folder = self.placed(here, wanted, &mut row.definition)?;
        for (field, given) in &wanted.fields {
            match (*field, given) {
                ("script", given) => self.script(&mut folder, *given)?,
                ("name", Some(given)) => self.rename(&mut folder, given, &mut row.definition)?,
                (field, given) => set(&mut folder, field, *given, &mut row.definition)?,
            }
        }
        let mut files = Vec::new();
        if let Some(from) = &folder.from {
            files.push(FileChange::CopyFolder {
                from: from.clone(),
                to: folder.path.clone(),
            });
        }
        files.push(FileChange::Write {
            path: folder.file(),
            text: folder.text.clone(),
            kind: FileKind::Plain,
        });
        if let (Some(from), Copy::Itself) = (&folder.from, wanted.copy) {
            files.push(FileChange::RemoveFolder { path: from.clone() });
        }
        if wanted.copy == Copy::Itself {
            self.names.take(&before);
        }
        let found = folder.key(&row.definition);
        self.names.put(found, &folder.tree.root.path, row.clone());
        Ok(self.plan(files, Some((&folder, &row.definition)), &folder.file()))
    }

    /// The folder in which a hook or its copy will be.
    fn placed(&self, here: Folder<'d>, wanted: &Wanted<'_>, definition: &mut Value) -> Result<Folder<'d>, Message> {
        let tree = match wanted.shelf {
            Some(shelf) if self.tree(shelf)?.root.layer != here.tree.root.layer => self.tree(shelf)?,
            Some(_) | None => here.tree,
        };
        let elsewhere = tree.root.path != here.tree.root.path;
        if wanted.copy == Copy::Itself && !elsewhere {
            return Ok(here);
        }
        let name = here.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = if elsewhere {
            self.vacant(tree, &name)?
        } else {
            let spare = edited::spare(&name, |name| self.vacant(tree, name).is_err());
            self.vacant(tree, &spare)?
        };
        let mut there = Folder {
            tree,
            from: Some(here.path.clone()),
            path,
            ..here
        };
        if !elsewhere {
            let name = there
                .path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            set_value(&mut there, "name", Value::String(name), definition)?;
        }
        Ok(there)
    }

    /// The folder goes by its hook's name, where it did before.
    fn rename(&self, folder: &mut Folder<'d>, given: &FieldValue, definition: &mut Value) -> Result<(), Message> {
        let value = edited::value_of("name", given, &TEXTS)?;
        let name = value.as_str().unwrap_or_default().to_owned();
        let old = folder
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let follows = definition.get("name").and_then(Value::as_str) == Some(&old);
        if follows && name != old {
            let path = self.vacant(folder.tree, &name)?;
            // Of a copy that is not there yet the original is what it is made from.
            let old = std::mem::replace(&mut folder.path, path);
            folder.from.get_or_insert(old);
        }
        set_value(folder, "name", value, definition)
    }

    /// The script that counts gets another text; without one it is gone.
    fn script(&self, folder: &mut Folder<'d>, given: Option<&FieldValue>) -> Result<(), Message> {
        let origin = folder.from.clone().unwrap_or_else(|| folder.path.clone());
        let source = self.desk.trees.iter().find_map(|tree| entry::find(tree, &origin));
        let inside = source.map_or_else(
            || PathBuf::from(NEW_SCRIPT),
            |(path, _)| path.strip_prefix(&origin).map(Path::to_owned).unwrap_or(path),
        );
        let Some(given) = given else {
            return Err(SCRIPT_STAYS.render_plain());
        };
        folder.script = Some((inside, edited::content_of(given)));
        Ok(())
    }

    fn plan(self, mut files: Vec<FileChange>, hook: Option<(&Folder<'_>, &Value)>, path: &Path) -> EditPlan {
        let mut changed = vec![place(path)];
        if let Some((folder, _)) = hook {
            if let Some((inside, text)) = &folder.script {
                let write = FileChange::Write {
                    path: folder.path.join(inside),
                    text: text.clone(),
                    kind: FileKind::Script,
                };
                let at = files
                    .iter()
                    .position(|file| matches!(file, FileChange::RemoveFolder { .. }));
                files.insert(at.unwrap_or(files.len()), write);
            }
            changed.extend(folder.from.iter().filter_map(|from| from.parent()).map(Path::to_owned));
        }
        // Where only the script changes, it is what is written.
        let only_script = hook.and_then(|(folder, _)| {
            let (inside, _) = folder.script.as_ref()?;
            let before = folder.tree.files.get(&folder.file())?.text.as_ref().ok()?;
            (folder.from.is_none() && *before == folder.text).then(|| folder.path.join(inside))
        });
        let mut plan = EditPlan {
            files,
            hook: hook.map(|(folder, definition)| folder.key(definition)),
            path: only_script.unwrap_or_else(|| path.to_owned()),
            ..EditPlan::default()
        };
        self.names.finish(&mut plan, &changed);
        plan
    }
}

fn set(
    folder: &mut Folder<'_>,
    field: &str,
    given: Option<&FieldValue>,
    definition: &mut Value,
) -> Result<(), Message> {
    match given {
        Some(given) => {
            let value = edited::value_of(field, given, &TEXTS)?;
            set_value(folder, field, value, definition)
        }
        None => {
            let op = Op::Unset {
                at: edited::steps(field)?,
            };
            if edited::field(definition, field, &op)? {
                folder.splice(op)?;
            }
            Ok(())
        }
    }
}

fn set_value(folder: &mut Folder<'_>, field: &str, value: Value, definition: &mut Value) -> Result<(), Message> {
    let op = Op::Set {
        at: edited::steps(field)?,
        value,
    };
    edited::field(definition, field, &op)?;
    folder.splice(op)
}
