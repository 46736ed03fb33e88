//! Edits of hook folders (`CONTRACTS.md` §2.7): the front matter of a HOOK.md, the script next to it, and the folder.

use std::path::{Path, PathBuf};

use hookwright_model::{
    EditContext, EditPlan, EditRequest, FieldValue, FileChange, FileKind, Hook, HookKey, Layer, Message, SourceTree,
    TargetLayer, args,
};
use serde_json::{Map, Value};

use super::entry;
use super::events::CARD;
use super::roots::HOOK_FILE;
use super::schema::DEFINITION;
use crate::editing::{self, ChangeSet, EditSubject, HOOK_GONE, NAME_TAKEN, NO_NAME, ORDERED, OTHER_EVENT};
use crate::front_matter::{self, FrontMatter};
use crate::splice::{self, Format, Op, key};

hookwright_model::messages! {
    /// The request sets a switch, but a HOOK.md has none.
    NO_SWITCH = "edit_no_switch" / "agent-hooks" { "HOOK.md cannot switch a hook off: every folder that contains one is a hook", "HOOK.md 无法关闭 Hook：含有该文件的文件夹就是一个 Hook" } hint { "run `hookwright turn-off {hook}` to remove it from the file and keep it", "执行 `hookwright turn-off {hook}`，将其移出文件并保留" };
    /// The request removes a hook's script, without which nothing runs.
    SCRIPT_REQUIRED = "edit_script_stays" { "the script of a hook cannot be removed: without it nothing runs", "Hook 的脚本无法删除：没有脚本就没有可执行的内容" } hint { "use `--set script=…` for another script; `hookwright remove` removes the hook with its script", "用 `--set script=…` 更换脚本；`hookwright remove` 会删除 Hook 及其脚本" };
}

const TARGET_LAYERS: [TargetLayer; 2] = [TargetLayer::User, TargetLayer::Project];
const NEW_SCRIPT: &str = "scripts/run";

/// Plans the file changes of an edit.
///
/// # Errors
/// Why the edit is not possible.
pub(super) fn edit(context: &EditContext<'_>, request: &EditRequest) -> Result<EditPlan, Message> {
    let editor = Editor { context };
    match request {
        EditRequest::Add {
            event,
            layer: shelf,
            definition,
        } => editor.add(event, *shelf, definition),
        EditRequest::Change { hook, changes } => editor.change(hook, &ChangeSet::new(changes)),
        EditRequest::Remove { hook } => editor.remove(hook),
    }
}

/// The script of a hook, if it is really in the hook's folder. A script that is reached through a link is not returned,
/// because the link's target is not the hook's file.
fn own_script(folder: &HookFolder<'_>) -> Option<PathBuf> {
    let (path, script) = entry::find(folder.tree, &folder.path)?;
    let inside = path.strip_prefix(&folder.path).ok()?;
    let real = folder.tree.files.get(&folder.hook_file())?.folder.join(inside);
    (script.real == real).then_some(path)
}

struct Editor<'d> {
    context: &'d EditContext<'d>,
}

/// A hook's folder as it will be after the edit.
struct HookFolder<'d> {
    tree: &'d SourceTree,
    path: PathBuf,
    /// The text of its HOOK.md.
    text: String,
    /// The new script, if it changes: the path inside the folder, and the text.
    script: Option<(PathBuf, String)>,
    /// The folder that it is copied or moved from.
    copied_from: Option<PathBuf>,
}

impl<'d> HookFolder<'d> {
    fn hook_file(&self) -> PathBuf {
        self.path.join(HOOK_FILE)
    }

    fn hook_key(&self) -> HookKey {
        (self.hook_file(), Vec::new())
    }

    /// Applies a change to the front matter. The text after the front matter is unchanged.
    fn edit_front_matter(&mut self, op: Op) -> Result<(), Message> {
        let FrontMatter::Found { yaml, .. } = front_matter::split(&self.text) else {
            return Err(splice::DIFFERS.render_plain());
        };
        let rest = &self.text[yaml.len()..];
        let next = splice::apply(Format::Yaml, yaml, &[op]);
        self.text = next.map_err(|message| editing::with_file(message, &self.path.join(HOOK_FILE)))? + rest;
        Ok(())
    }
}

impl<'d> Editor<'d> {
    fn tree(&self, shelf: TargetLayer) -> Result<&'d SourceTree, Message> {
        let layer = match shelf {
            TargetLayer::User => Layer::User,
            TargetLayer::Project => Layer::Project,
            TargetLayer::Local | TargetLayer::Skill => return Err(editing::no_layer(CARD.id, shelf, &TARGET_LAYERS)),
        };
        let tree = self.context.trees.iter().find(|tree| tree.root.layer == layer);
        tree.ok_or_else(|| editing::no_layer(CARD.id, shelf, &TARGET_LAYERS))
    }

    fn find(&self, id: &str) -> Result<(&'d Hook, HookFolder<'d>), Message> {
        let not_found = || HOOK_GONE.render(args! { "hook" => id });
        let hook = self.context.target.ok_or_else(not_found)?;
        let path = &hook.source.path;
        let tree = self
            .context
            .trees
            .iter()
            .find(|tree| tree.files.contains_key(path))
            .ok_or_else(not_found)?;
        let file = tree.files.get(path).ok_or_else(not_found)?;
        let text = match &file.text {
            Ok(text) => text.clone(),
            Err(problem) => {
                let shown = path.display().to_string();
                return Err(editing::UNREADABLE.render(args! { "path" => shown, "why" => problem.message }));
            }
        };
        let folder = HookFolder {
            tree,
            path: path.parent().unwrap_or(path).to_owned(),
            text,
            script: None,
            copied_from: None,
        };
        Ok((hook, folder))
    }

    /// The path of a new folder. A folder that already exists is an error.
    fn new_folder_path(&self, tree: &SourceTree, name: &str) -> Result<PathBuf, Message> {
        editing::check_file_name(name)?;
        let path = tree.root.path.join(name);
        if tree.files.keys().any(|file| file.starts_with(&path)) {
            let shown = tree.root.path.display().to_string();
            return Err(NAME_TAKEN.render(args! { "name" => name, "path" => shown }));
        }
        Ok(path)
    }

    fn add(self, event: &str, shelf: TargetLayer, definition: &Map<String, Value>) -> Result<EditPlan, Message> {
        let mut fields = definition.clone();
        let name = match fields.get("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => name.clone(),
            Some(_) | None => return Err(NO_NAME.render(args! { "dialect" => CARD.id })),
        };
        let trigger = fields.entry("trigger").or_insert_with(|| event.into()).clone();
        let means = trigger
            .as_str()
            .map(|written| CARD.resolve_alias(written).unwrap_or(written));
        if means.is_some_and(|means| means != event) {
            let found = trigger.as_str().unwrap_or_default();
            return Err(OTHER_EVENT.render(args! { "field" => "trigger", "found" => found, "event" => event }));
        }
        let script = fields.shift_remove("script");
        let tree = self.tree(shelf)?;
        let mut folder = HookFolder {
            tree,
            path: self.new_folder_path(tree, &name)?,
            text: "---\n---\n".to_owned(),
            script: None,
            copied_from: None,
        };
        if let Some(script) = script {
            let text = script.as_str().map(str::to_owned).unwrap_or_else(|| script.to_string());
            folder.script = Some((PathBuf::from(NEW_SCRIPT), text));
        }
        // The usual order: name, description and trigger come first, then the rest.
        let first = ["name", "description", "trigger"];
        let order = |name: &str| first.iter().position(|first| *first == name).unwrap_or(first.len());
        let mut fields: Vec<(String, Value)> = fields.into_iter().collect();
        fields.sort_by_key(|(name, _)| order(name));
        for (name, value) in &fields {
            folder.edit_front_matter(Op::Set {
                at: vec![key(name)],
                value: value.clone(),
            })?;
        }
        let files = vec![FileChange::Write {
            path: folder.hook_file(),
            text: folder.text.clone(),
            kind: FileKind::Plain,
        }];
        Ok(Self::plan(files, Some(&folder), &folder.hook_file()))
    }

    fn remove(self, id: &str) -> Result<EditPlan, Message> {
        let (_, folder) = self.find(id)?;
        let mut files = vec![FileChange::Remove {
            path: folder.hook_file(),
        }];
        let mut folders = vec![folder.path.clone()];
        if let Some(script) = own_script(&folder) {
            folders.splice(0..0, script.parent().map(Path::to_owned));
            files.push(FileChange::Remove { path: script });
        }
        files.extend(folders.into_iter().map(|path| FileChange::RemoveEmpty { path }));
        Ok(Self::plan(files, None, &folder.hook_file()))
    }

    fn change(self, id: &str, change_set: &ChangeSet<'_>) -> Result<EditPlan, Message> {
        if change_set.position.is_some() {
            return Err(ORDERED.render(args! { "dialect" => "Agent Hooks", "field" => "priority" }));
        }
        if change_set.switch.is_some() {
            return Err(NO_SWITCH.render(args! { "hook" => id }));
        }
        let (hook, here) = self.find(id)?;
        let mut definition = hook.definition.clone();
        let mut folder = self.target_folder(here, change_set, &mut definition)?;
        for (field, given) in &change_set.fields {
            match (*field, given) {
                ("script", given) => self.set_script(&mut folder, *given)?,
                ("name", Some(given)) => self.rename(&mut folder, given, &mut definition)?,
                (field, given) => set_field(&mut folder, field, *given, &mut definition)?,
            }
        }
        let mut files = Vec::new();
        if let Some(from) = &folder.copied_from {
            files.push(FileChange::CopyFolder {
                from: from.clone(),
                to: folder.path.clone(),
            });
        }
        files.push(FileChange::Write {
            path: folder.hook_file(),
            text: folder.text.clone(),
            kind: FileKind::Plain,
        });
        if let (Some(from), EditSubject::Original) = (&folder.copied_from, change_set.subject) {
            files.push(FileChange::RemoveFolder { path: from.clone() });
        }
        Ok(Self::plan(files, Some(&folder), &folder.hook_file()))
    }

    /// The folder in which a hook or its copy will be.
    fn target_folder(
        &self,
        here: HookFolder<'d>,
        change_set: &ChangeSet<'_>,
        definition: &mut Value,
    ) -> Result<HookFolder<'d>, Message> {
        let tree = match change_set.layer {
            Some(shelf) if self.tree(shelf)?.root.layer != here.tree.root.layer => self.tree(shelf)?,
            Some(_) | None => here.tree,
        };
        let elsewhere = tree.root.path != here.tree.root.path;
        if change_set.subject == EditSubject::Original && !elsewhere {
            return Ok(here);
        }
        let name = here.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = if elsewhere {
            self.new_folder_path(tree, &name)?
        } else {
            let spare = editing::free_name(&name, |name| self.new_folder_path(tree, name).is_err());
            self.new_folder_path(tree, &spare)?
        };
        let mut there = HookFolder {
            tree,
            copied_from: Some(here.path.clone()),
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

    /// Changes the name. If the folder has the same name as its hook, the folder is renamed too.
    fn rename(&self, folder: &mut HookFolder<'d>, given: &FieldValue, definition: &mut Value) -> Result<(), Message> {
        let value = editing::value_of("name", given, &DEFINITION)?;
        let name = value.as_str().unwrap_or_default().to_owned();
        let old = folder
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let follows = definition.get("name").and_then(Value::as_str) == Some(&old);
        if follows && name != old {
            let path = self.new_folder_path(folder.tree, &name)?;
            // A copy does not exist yet, so it is still made from its original.
            let old = std::mem::replace(&mut folder.path, path);
            folder.copied_from.get_or_insert(old);
        }
        set_value(folder, "name", value, definition)
    }

    /// Replaces the text of the script that is used. Removing the script is an error.
    fn set_script(&self, folder: &mut HookFolder<'d>, given: Option<&FieldValue>) -> Result<(), Message> {
        let origin = folder.copied_from.clone().unwrap_or_else(|| folder.path.clone());
        let source = self.context.trees.iter().find_map(|tree| entry::find(tree, &origin));
        let inside = source.map_or_else(
            || PathBuf::from(NEW_SCRIPT),
            |(path, _)| path.strip_prefix(&origin).map(Path::to_owned).unwrap_or(path),
        );
        let Some(given) = given else {
            return Err(SCRIPT_REQUIRED.render_plain());
        };
        folder.script = Some((inside, editing::content_of(given)));
        Ok(())
    }

    fn plan(mut files: Vec<FileChange>, hook: Option<&HookFolder<'_>>, path: &Path) -> EditPlan {
        if let Some(folder) = hook
            && let Some((inside, text)) = &folder.script
        {
            let write = FileChange::Write {
                path: folder.path.join(inside),
                text: text.clone(),
                kind: FileKind::Script,
            };
            // An agent reads a folder with a HOOK.md, so a new hook gets its script first.
            let is_new = folder.copied_from.is_none() && !folder.tree.files.contains_key(&folder.hook_file());
            let at = files
                .iter()
                .position(|file| is_new || matches!(file, FileChange::RemoveFolder { .. }));
            files.insert(at.unwrap_or(files.len()), write);
        }
        // If only the script changes, the plan names the script as the edited file.
        let only_script = hook.and_then(|folder| {
            let (inside, _) = folder.script.as_ref()?;
            let before = folder.tree.files.get(&folder.hook_file())?.text.as_ref().ok()?;
            (folder.copied_from.is_none() && *before == folder.text).then(|| folder.path.join(inside))
        });
        EditPlan {
            files,
            hook: hook.map(|folder| folder.hook_key()),
            path: only_script.unwrap_or_else(|| path.to_owned()),
        }
    }
}

fn set_field(
    folder: &mut HookFolder<'_>,
    field: &str,
    given: Option<&FieldValue>,
    definition: &mut Value,
) -> Result<(), Message> {
    match given {
        Some(given) => {
            let value = editing::value_of(field, given, &DEFINITION)?;
            set_value(folder, field, value, definition)
        }
        None => {
            let op = Op::Unset {
                at: editing::parse_field(field)?,
            };
            if editing::apply_field_op(definition, field, &op)? {
                folder.edit_front_matter(op)?;
            }
            Ok(())
        }
    }
}

fn set_value(folder: &mut HookFolder<'_>, field: &str, value: Value, definition: &mut Value) -> Result<(), Message> {
    let op = Op::Set {
        at: editing::parse_field(field)?,
        value,
    };
    editing::apply_field_op(definition, field, &op)?;
    folder.edit_front_matter(op)
}
