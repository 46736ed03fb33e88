//! Edits of a skill's `hooks.json` and of the texts next to it (`CONTRACTS.md` §2.7).

mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::{
    EditContext, EditPlan, EditRequest, FileChange, FileKind, Hook, Message, SourceTree, TargetLayer, args,
};
use serde_json::{Map, Value};

use super::config::{self, HOOKS_FILE};
use super::events::CARD;
use super::schema::DEFINITION;
use crate::editing::{self, ChangeSet, EditSubject, HOOK_GONE, HookEntry, NO_NAME, OTHER_EVENT, TextEdits};
use crate::splice::{self, Destination, Format, Fragment, Op, PathStep, key};

hookwright_model::messages! {
    /// The request sets a switch, but `hooks.json` has none.
    NO_SWITCH = "edit_no_switch" / "skill" { "hooks.json cannot switch a hook off: the texts of every enabled skill are inserted", "hooks.json 无法关闭 Hook：每个已启用 Skill 的文本都会插入" } hint { "run `hookwright turn-off {hook}` to remove it from the file and keep it", "执行 `hookwright turn-off {hook}`，将其移出文件并保留" };
    /// The definition of a new hook does not name its skill.
    NO_SKILL = "edit_no_skill" { "a new hook needs the name of its `skill`", "新的 Hook 需要指明所属的 `skill`" } hint { "add it to the definition: `{\"skill\": \"…\"}`", "添加到定义中：`{\"skill\": \"…\"}`" };
    /// The request removes a hook's text, which is all that the hook inserts.
    TEXT_REQUIRED = "edit_text_stays" { "the text of a hook cannot be removed: it is all that the hook inserts", "Hook 的文本无法删除：它是该 Hook 插入的全部内容" } hint { "use `--set text=…` for another text; `hookwright remove` removes the hook with its text", "用 `--set text=…` 更换文本；`hookwright remove` 会删除 Hook 及其文本" };
    /// The path cannot be the file of a text.
    NO_TEXT_FILE = "edit_text_file" { "`{file}` cannot be the text file of a hook", "`{file}` 不能作为 Hook 的文本文件" } hint { "name a separate file inside the skill's `hooks/`: `--set file=….md`", "使用该 Skill 的 `hooks/` 中单独的文件：`--set file=….md`" };
    /// Another hook inserts the same text.
    SHARED_TEXT = "edit_text_shared" { "`{file}` is also the text of {hook}", "`{file}` 也是 {hook} 的文本" } hint { "give this hook a separate file: `--set file=….md --set text=…`", "为此 Hook 指定单独的文件：`--set file=….md --set text=…`" };
}

const TARGET_LAYERS: [TargetLayer; 1] = [TargetLayer::Skill];

/// Plans the file changes of an edit.
///
/// # Errors
/// Why the edit is not possible.
pub(super) fn edit(context: &EditContext<'_>, request: &EditRequest) -> Result<EditPlan, Message> {
    let mut editor = Editor {
        context,
        draft: TextEdits::default(),
        files: BTreeMap::new(),
        copies: Vec::new(),
        texts: Vec::new(),
        removed_texts: Vec::new(),
    };
    for hook in context.hooks {
        let rows = editor.files.entry(hook.source.path.clone()).or_default();
        rows.push(HookEntry::from_hook(hook));
    }
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

/// The definition with its skill, and with the text if no other hook inserts the same one.
pub(super) fn definition_to_add(tree: &SourceTree, hook: &Hook) -> Option<Map<String, Value>> {
    let mut fields = hook.definition.as_object()?.clone();
    let folder = hook.source.path.parent()?;
    let skill = folder.parent()?.file_name()?.to_string_lossy().into_owned();
    fields.insert("skill".to_owned(), skill.into());
    let has_same_text = |other: &&Arc<Hook>| {
        other.source.path == hook.source.path && other.definition.get("file") == hook.definition.get("file")
    };
    let hooks = config::parse(tree).hooks;
    if hooks.iter().filter(has_same_text).count() == 1
        && let Some(file) = fields.get("file").and_then(Value::as_str)
        && let Some(text) = tree
            .files
            .get(&folder.join(file))
            .and_then(|file| file.text.clone().ok())
    {
        fields.insert("text".to_owned(), text.into());
    }
    Some(fields)
}

struct Editor<'d> {
    context: &'d EditContext<'d>,
    draft: TextEdits,
    /// The hooks of each `hooks.json`, in their order in the file.
    files: BTreeMap<PathBuf, Vec<HookEntry>>,
    /// Texts to copy: from, to.
    copies: Vec<(PathBuf, PathBuf)>,
    /// Texts to write: path, content.
    texts: Vec<(PathBuf, String)>,
    /// Texts to remove, because no hook names them after the edit.
    removed_texts: Vec<PathBuf>,
}

/// The position of an entry in a `hooks.json`.
#[derive(Clone)]
struct HookLocation<'d> {
    tree: &'d SourceTree,
    file: PathBuf,
    index: usize,
}

impl HookLocation<'_> {
    fn entry_path(&self) -> splice::Path {
        vec![key("hooks"), PathStep::Item(self.index)]
    }

    fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(&self.file)
    }
}

impl<'d> Editor<'d> {
    fn find(&self, id: &str) -> Result<(&'d Hook, HookLocation<'d>), Message> {
        let not_found = || HOOK_GONE.render(args! { "hook" => id });
        let hook = self.context.target.ok_or_else(not_found)?;
        let file = hook.source.path.clone();
        let tree = self
            .context
            .trees
            .iter()
            .find(|tree| tree.files.contains_key(&file))
            .ok_or_else(not_found)?;
        let mine = hook.key();
        let rows = self.files.get(&file).ok_or_else(not_found)?;
        let index = rows
            .iter()
            .position(|row| row.old.as_ref() == Some(&mine))
            .ok_or_else(not_found)?;
        Ok((hook, HookLocation { tree, file, index }))
    }

    /// The position after the last entry of a skill's list. The root that has this skill comes first, then the first
    /// root.
    fn end_of_list(&self, skill: &str) -> Result<HookLocation<'d>, Message> {
        editing::check_file_name(skill)?;
        let file_in = |tree: &SourceTree| tree.root.path.join(skill).join(HOOKS_FILE);
        let known = self
            .context
            .trees
            .iter()
            .find(|tree| tree.files.contains_key(&file_in(tree)));
        let tree = known.or_else(|| self.context.trees.first());
        let tree = tree.ok_or_else(|| editing::no_layer(CARD.id, TargetLayer::Skill, &TARGET_LAYERS))?;
        let file = file_in(tree);
        let index = self.files.get(&file).map_or(0, Vec::len);
        Ok(HookLocation { tree, file, index })
    }

    fn add(mut self, event: &str, shelf: TargetLayer, definition: &Map<String, Value>) -> Result<EditPlan, Message> {
        if shelf != TargetLayer::Skill {
            return Err(editing::no_layer(CARD.id, shelf, &TARGET_LAYERS));
        }
        let mut given = definition.clone();
        let skill = given
            .shift_remove("skill")
            .and_then(|skill| skill.as_str().map(str::to_owned));
        let here = self.end_of_list(&skill.ok_or_else(|| NO_SKILL.render_plain())?)?;
        let timing = given.get("timing").and_then(Value::as_str).unwrap_or(event);
        if timing != event {
            return Err(OTHER_EVENT.render(args! { "field" => "timing", "found" => timing, "event" => event }));
        }
        let name = given
            .get("name")
            .and_then(Value::as_str)
            .filter(|name| !name.trim().is_empty());
        let name = name
            .ok_or_else(|| NO_NAME.render(args! { "dialect" => CARD.id }))?
            .to_owned();
        let text = given.shift_remove("text");
        let file = match given.get("file").and_then(Value::as_str) {
            Some(file) => file.to_owned(),
            None => text::text_file_name(&name),
        };
        // These fields come first, in the order of the format's own example.
        let mut entry = Map::new();
        for (field, value) in [
            ("name", name.into()),
            ("file", file.clone().into()),
            ("timing", event.into()),
        ] {
            entry.insert(field.to_owned(), given.shift_remove(field).unwrap_or(value));
        }
        entry.extend(given);
        if let Some(text) = text {
            let text = text.as_str().map(str::to_owned).unwrap_or_else(|| text.to_string());
            self.new_text(&here, &file, text)?;
        }
        let row = HookEntry {
            old: None,
            event: event.to_owned(),
            definition: Value::Object(entry),
        };
        self.insert(&here, row, None)?;
        Ok(self.plan(Some(&here), &here))
    }

    fn insert(&mut self, here: &HookLocation<'_>, row: HookEntry, fragment: Option<Fragment>) -> Result<(), Message> {
        let op = Op::Insert {
            at: here.entry_path(),
            content: editing::new_value(row.definition.clone(), fragment),
        };
        self.draft.splice_at(here.tree, &here.file, Format::Json, op)?;
        let rows = self.files.entry(here.file.clone()).or_default();
        rows.insert(here.index.min(rows.len()), row);
        Ok(())
    }

    fn remove_entry(&mut self, here: &HookLocation<'_>) -> Result<HookEntry, Message> {
        // The format requires the list, so an empty list stays.
        self.draft
            .remove_part(here.tree, &here.file, Format::Json, here.entry_path())?;
        let rows = self.files.get_mut(&here.file).filter(|rows| here.index < rows.len());
        let rows = rows.ok_or_else(|| HOOK_GONE.render(args! { "hook" => here.file.display().to_string() }))?;
        Ok(rows.remove(here.index))
    }

    fn remove(mut self, id: &str) -> Result<EditPlan, Message> {
        let (hook, here) = self.find(id)?;
        self.remove_entry(&here)?;
        self.removed_texts.extend(self.own_text(hook));
        self.draft.restore(self.context.former);
        Ok(self.plan(None, &here))
    }

    fn change(mut self, id: &str, change_set: &ChangeSet<'_>) -> Result<EditPlan, Message> {
        if change_set.switch.is_some() {
            return Err(NO_SWITCH.render(args! { "hook" => id }));
        }
        if let Some(shelf) = change_set.layer.filter(|shelf| *shelf != TargetLayer::Skill) {
            return Err(editing::no_layer(CARD.id, shelf, &TARGET_LAYERS));
        }
        let (hook, here) = self.find(id)?;
        let mut here = self.relocate(hook, here, change_set)?;
        for (field, given) in &change_set.fields {
            match (*field, given) {
                ("skill", _) => {}
                ("text", Some(given)) => self.set_text(&here, given)?,
                ("text", None) => return Err(TEXT_REQUIRED.render_plain()),
                (field, Some(given)) => {
                    let value = editing::value_of(field, given, &DEFINITION)?;
                    self.apply_to_field(&here, field, |at| Op::Set { at, value })?;
                }
                (field, None) => self.apply_to_field(&here, field, |at| Op::Unset { at })?,
            }
        }
        if let Some(place) = change_set.position {
            let count = self.files.get(&here.file).map_or(0, Vec::len);
            let to = editing::index_of(place, count)?;
            let op = Op::Move {
                list: vec![key("hooks")],
                from: here.index,
                to,
            };
            self.draft.splice_at(here.tree, &here.file, Format::Json, op)?;
            if let Some(rows) = self.files.get_mut(&here.file) {
                let row = rows.remove(here.index);
                rows.insert(to, row);
            }
            here.index = to;
        }
        Ok(self.plan(Some(&here), &here))
    }

    /// Copies a hook, or moves it to another skill. Its text is copied or moved with it. Returns the new position.
    fn relocate(
        &mut self,
        hook: &Hook,
        here: HookLocation<'d>,
        change_set: &ChangeSet<'_>,
    ) -> Result<HookLocation<'d>, Message> {
        let copy = change_set.subject == EditSubject::Copy;
        let skill = change_set.fields.iter().rev().find(|(field, _)| *field == "skill");
        let there = match skill {
            Some((_, Some(given))) => {
                let skill = editing::value_of("skill", given, &DEFINITION)?;
                self.end_of_list(skill.as_str().unwrap_or_default())?
            }
            Some((_, None)) => return Err(NO_SKILL.render_plain()),
            None => here.clone(),
        };
        let elsewhere = there.file != here.file;
        if !copy && !elsewhere {
            return Ok(here);
        }
        let text = self.draft.text(here.tree, &here.file)?.clone();
        let fragment = splice::copy_fragment(Format::Json, &text, &here.entry_path(), Destination::OtherText);
        let mut row = HookEntry::from_hook(hook);
        let there = if elsewhere {
            there
        } else {
            HookLocation {
                index: here.index + 1,
                ..here.clone()
            }
        };
        if copy {
            row.old = None;
        }
        self.insert(&there, row, fragment)?;
        if !elsewhere {
            self.assign_free_name(&there, hook)?;
        }
        self.copy_text_to(hook, &there)?;
        if !copy {
            self.remove_entry(&here)?;
            self.removed_texts.extend(self.own_text(hook));
        }
        Ok(there)
    }

    /// Gives a copy its own name, because two hooks of one name cannot be told apart.
    fn assign_free_name(&mut self, there: &HookLocation<'_>, hook: &Hook) -> Result<(), Message> {
        let rows = self.files.get(&there.file).into_iter().flatten();
        let names: Vec<&str> = rows.filter_map(|row| row.definition.get("name")?.as_str()).collect();
        let name = editing::free_name(&hook.label, |name| names.contains(&name));
        self.apply_to_field(there, "name", |at| Op::Set { at, value: name.into() })
    }

    /// Applies the change of a field to the file's text and to the list of hooks.
    fn apply_to_field(
        &mut self,
        here: &HookLocation<'_>,
        field: &str,
        op: impl FnOnce(splice::Path) -> Op,
    ) -> Result<(), Message> {
        let op = op([here.entry_path(), editing::parse_field(field)?].concat());
        let row = self.files.get_mut(&here.file).and_then(|rows| rows.get_mut(here.index));
        let row = row.ok_or_else(|| HOOK_GONE.render(args! { "hook" => here.file.display().to_string() }))?;
        if !editing::apply_field_op(&mut row.definition, field, &op)? {
            return Ok(());
        }
        self.draft.splice_at(here.tree, &here.file, Format::Json, op)
    }

    fn plan(self, hook: Option<&HookLocation<'_>>, at: &HookLocation<'_>) -> EditPlan {
        let changed = self.draft.changed();
        let write = |(path, text): (PathBuf, String)| FileChange::Write {
            path,
            text,
            kind: FileKind::Plain,
        };
        // If only one text changes, the plan names that text as the edited file.
        let only_text = match self.texts.as_slice() {
            [(path, _)] if changed.is_empty() && self.copies.is_empty() && self.removed_texts.is_empty() => {
                Some(path.clone())
            }
            _ => None,
        };
        let copy = |(from, to): (PathBuf, PathBuf)| FileChange::CopyFile { from, to };
        let mut files: Vec<FileChange> = self.copies.into_iter().map(copy).collect();
        files.extend(self.texts.into_iter().map(write));
        files.extend(self.draft.files());
        files.extend(self.removed_texts.into_iter().map(|path| FileChange::Remove { path }));
        EditPlan {
            files,
            hook: hook.map(|here| (here.file.clone(), here.entry_path())),
            path: only_text.unwrap_or_else(|| at.file.clone()),
        }
    }
}
