//! What the dialects' editors share: the texts of a change, and what the hooks must be afterwards.
//!
//! How it works: an editor does each change twice, once in the text ([`Draft`], by [`crate::splice`]) and once in the
//! list of hooks ([`Ledger`]). Whoever writes reads the new text as the agent would and holds the two together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_model::{
    Change, EditDesk, EditPlan, Expected, FileChange, FileKind, Given, Hook, HookKey, Shelf, SourceTree, Words, args,
};
use serde_json::Value;

use crate::splice::{self, Content, Format, Op, Step};

hookwright_model::sayings! {
    /// The hook went away between the look and the edit.
    GONE = "edit_hook_gone" { "{hook} is not in its file any more", "{hook} 已不在它的文件中" } hint { "look again: `hookwright list`", "请重新查看：`hookwright list`" };
    /// A layer that this dialect does not have.
    NO_SHELF = "edit_no_layer" { "{dialect} hooks cannot be put into layer {layer}", "{dialect} 的 hook 不能放入 {layer} 层" } hint { "it has {known}", "可用：{known}" };
    /// A place that its list does not have.
    NO_PLACE = "edit_no_place" { "there is no place {place}: the list has {count}", "没有第 {place} 位：该列表共有 {count} 项" } hint { "1 is the first", "1 是第一项" };
    /// Words that are no YAML, for a field that holds no text.
    NO_VALUE = "edit_no_value" { "`{text}` is no value for `{field}`", "`{text}` 不能作为 `{field}` 的值" } hint { "the value is YAML: put texts in quotes where in doubt", "值按 YAML 解析：拿不准时给文本加引号" };
    /// A field's name that is none.
    NO_FIELD = "edit_no_field" { "`{field}` is no field's name", "`{field}` 不是字段名" } hint { "write it as `timeout`, or `filter.tool_name` for one inside another", "写成 `timeout`；内层字段写成 `filter.tool_name`" };
    /// A name that a new hook needs.
    NO_NAME = "edit_no_name" { "a new {dialect} hook needs a `name`", "新的 {dialect} hook 需要 `name`" } hint { "write it into the definition: {\"name\": \"…\"}", "请写入定义：{\"name\": \"…\"}" };
    /// A name that another hook has.
    NAME_TAKEN = "edit_name_taken" { "there is a hook {name} in {path} already", "{path} 中已有名为 {name} 的 hook" } hint { "choose another name", "请换一个名字" };
    /// Hooks that run in an order that is no place.
    ORDERED = "edit_ordered_by" { "{dialect} orders its hooks by `{field}`, not by their place", "{dialect} 按 `{field}` 排序，而不是按位置" } hint { "change it: --set {field}=N", "请改用：--set {field}=N" };
    /// A file that could not be read.
    UNREADABLE = "edit_unreadable_file" { "{path} cannot be changed: {why}", "无法更改 {path}：{why}" } hint { "correct that first; nothing was changed", "请先更正；未作任何更改" };
}

/// The texts of a change.
#[derive(Debug, Default)]
pub struct Draft {
    texts: BTreeMap<PathBuf, Text>,
    /// Paths in the order in which they were first changed.
    order: Vec<PathBuf>,
}

#[derive(Debug)]
struct Text {
    before: Option<String>,
    now: String,
}

impl Draft {
    /// The text of a tree's file as it is by now; empty for a file that is not there.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn text(&mut self, tree: &SourceTree, path: &Path) -> Result<&mut String, Words> {
        if !self.texts.contains_key(path) {
            let before = match tree.files.get(path).map(|file| &file.text) {
                Some(Ok(text)) => Some(text.clone()),
                Some(Err(problem)) => {
                    let shown = path.display().to_string();
                    return Err(UNREADABLE.say(args! { "path" => shown, "why" => problem.message }));
                }
                None => None,
            };
            let text = Text {
                now: before.clone().unwrap_or_default(),
                before,
            };
            self.texts.insert(path.to_owned(), text);
        }
        self.order.retain(|known| known != path);
        self.order.push(path.to_owned());
        // Put there above when it was not.
        self.texts
            .get_mut(path)
            .map(|text| &mut text.now)
            .ok_or_else(|| splice::DIFFERS.plain())
    }

    /// Does a change in the file of a root.
    ///
    /// # Errors
    /// Why it cannot be done.
    pub fn splice(&mut self, tree: &SourceTree, format: Format, op: Op) -> Result<(), Words> {
        let text = self.text(tree, &tree.root.path.clone())?;
        *text = splice::apply(format, text, &[op])?;
        Ok(())
    }

    /// The files whose texts are others by now.
    #[must_use]
    pub fn changed(&self) -> Vec<PathBuf> {
        let changed = self
            .texts
            .iter()
            .filter(|(_, text)| text.before.as_ref() != Some(&text.now));
        changed.map(|(path, _)| path.clone()).collect()
    }

    /// What is to be written.
    #[must_use]
    pub fn files(self) -> Vec<FileChange> {
        let Self { mut texts, order } = self;
        let changed = order.into_iter().filter_map(|path| {
            let text = texts.remove(&path)?;
            (text.before.as_ref() != Some(&text.now)).then_some(FileChange::Write {
                path,
                text: text.now,
                kind: FileKind::Plain,
            })
        });
        changed.collect()
    }
}

/// The hooks of all places whose ids end in their index, list by list.
#[derive(Debug, Default)]
pub struct Ledger {
    lists: BTreeMap<Name, List>,
}

/// A list: its file, and the begin of its hooks' ids up to their index.
pub type Name = (PathBuf, String);

#[derive(Debug)]
struct List {
    /// The place that its file belongs to.
    root: PathBuf,
    rows: Vec<Row>,
}

/// A hook of a list.
#[derive(Debug, Clone)]
pub struct Row {
    /// What it was before the change; `None` for a new one.
    pub old: Option<HookKey>,
    /// Its event.
    pub event: String,
    /// Its definition.
    pub definition: Value,
}

impl Row {
    /// A hook as it is.
    #[must_use]
    pub fn of(hook: &Hook) -> Self {
        Self {
            old: Some((hook.source.path.clone(), hook.id.clone())),
            event: hook.event.clone(),
            definition: hook.definition.clone(),
        }
    }
}

/// A hook's place: its list, and its index there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The list.
    pub list: Name,
    /// The index.
    pub index: usize,
}

impl Spot {
    /// Of a hook whose index stands behind the last of these signs in its id.
    #[must_use]
    pub fn of(hook: &Hook, sign: char) -> Option<Self> {
        let at = hook.id.rfind(sign)? + sign.len_utf8();
        let (list, index) = hook.id.split_at(at);
        Some(Self {
            list: (hook.source.path.clone(), list.to_owned()),
            index: index.parse().ok()?,
        })
    }

    /// The hook that stands there.
    #[must_use]
    pub fn key(&self) -> HookKey {
        (self.list.0.clone(), format!("{}{}", self.list.1, self.index))
    }
}

impl Ledger {
    /// The hooks that have their index behind this sign.
    #[must_use]
    pub fn of(desk: &EditDesk<'_>, sign: char) -> Self {
        let mut ledger = Self::default();
        for hook in desk.hooks {
            let Some(spot) = Spot::of(hook, sign) else { continue };
            // A file is the place itself in every dialect that counts its hooks.
            let rows = &mut ledger.list(&spot.list, &hook.source.path).rows;
            rows.insert(spot.index.min(rows.len()), Row::of(hook));
        }
        ledger
    }

    fn list(&mut self, name: &Name, root: &Path) -> &mut List {
        self.lists.entry(name.clone()).or_insert_with(|| List {
            root: root.to_owned(),
            rows: Vec::new(),
        })
    }

    /// How many hooks a list has.
    #[must_use]
    pub fn count(&self, list: &Name) -> usize {
        self.lists.get(list).map_or(0, |list| list.rows.len())
    }

    /// A hook.
    #[must_use]
    pub fn row(&mut self, spot: &Spot) -> Option<&mut Row> {
        self.lists.get_mut(&spot.list)?.rows.get_mut(spot.index)
    }

    /// Puts a hook before that place.
    pub fn put(&mut self, spot: &Spot, row: Row) {
        let rows = &mut self.list(&spot.list, &spot.list.0).rows;
        rows.insert(spot.index.min(rows.len()), row);
    }

    /// Takes a hook out.
    pub fn take(&mut self, spot: &Spot) -> Option<Row> {
        let rows = &mut self.lists.get_mut(&spot.list)?.rows;
        (spot.index < rows.len()).then(|| rows.remove(spot.index))
    }

    /// Gives numbered lists other numbers. Their names are `before` and a number and a dot; those that get none are gone.
    pub fn renumber(&mut self, file: &Path, before: &str, number: impl Fn(usize) -> Option<usize>) {
        let numbered = |name: &Name| {
            let rest = name.1.strip_prefix(before).filter(|_| name.0 == file)?;
            rest.strip_suffix('.')?.parse::<usize>().ok()
        };
        let lists = std::mem::take(&mut self.lists).into_iter();
        self.lists = lists
            .filter_map(|(name, list)| match numbered(&name) {
                None => Some((name, list)),
                Some(old) => number(old).map(|new| ((name.0, format!("{before}{new}.")), list)),
            })
            .collect();
    }

    /// Writes down what must be there afterwards.
    pub fn finish(self, plan: &mut EditPlan) {
        let changed = changed(&plan.files);
        for (name, list) in self.lists {
            for (index, row) in list.rows.into_iter().enumerate() {
                let spot = Spot {
                    list: name.clone(),
                    index,
                };
                expect(plan, &changed, &list.root, spot.key(), row);
            }
        }
        for path in changed {
            // A file that has no hook left must have none.
            plan.expected.entry(path).or_default();
        }
    }
}

/// The files that a plan changes.
fn changed(files: &[FileChange]) -> Vec<PathBuf> {
    let paths = files.iter().map(|file| match file {
        FileChange::Write { path, .. } | FileChange::Remove { path } | FileChange::RemoveFolder { path } => path,
        FileChange::CopyFolder { to, .. } => to,
    });
    paths.cloned().collect()
}

/// Writes down that this hook must be there.
fn expect(plan: &mut EditPlan, changed: &[PathBuf], root: &Path, key: HookKey, row: Row) {
    if let Some(old) = row.old.filter(|old| *old != key) {
        plan.moved.insert(old, key.clone());
    }
    if changed.iter().any(|path| path == root) {
        plan.expected.entry(root.to_owned()).or_default().push(Expected {
            key,
            event: Some(row.event),
            definition: row.definition,
        });
    }
}

/// The hooks of all places, known by their names.
#[derive(Debug, Default)]
pub struct Names {
    rows: BTreeMap<HookKey, (PathBuf, NamedRow)>,
}

/// A hook that has a name.
#[derive(Debug, Clone)]
pub struct NamedRow {
    /// What it was before the change; `None` for a new one.
    pub old: Option<HookKey>,
    /// Its definition, which tells its events too.
    pub definition: Value,
}

impl Names {
    /// All hooks; `root` is the place that a hook's file belongs to.
    #[must_use]
    pub fn of(desk: &EditDesk<'_>, root: impl Fn(&Hook) -> PathBuf) -> Self {
        let rows = desk.hooks.iter().map(|hook| {
            let key = (hook.source.path.clone(), hook.id.clone());
            let row = NamedRow {
                old: Some(key.clone()),
                definition: hook.definition.clone(),
            };
            (key, (root(hook), row))
        });
        Self { rows: rows.collect() }
    }

    /// Whether there is such a hook.
    #[must_use]
    pub fn has(&self, key: &HookKey) -> bool {
        self.rows.contains_key(key)
    }

    /// A hook.
    pub fn row(&mut self, key: &HookKey) -> Option<&mut NamedRow> {
        self.rows.get_mut(key).map(|(_, row)| row)
    }

    /// Puts a hook there.
    pub fn put(&mut self, key: HookKey, root: &Path, row: NamedRow) {
        self.rows.insert(key, (root.to_owned(), row));
    }

    /// Takes a hook out.
    pub fn take(&mut self, key: &HookKey) -> Option<NamedRow> {
        self.rows.remove(key).map(|(_, row)| row)
    }

    /// Writes down what must be there afterwards in these places.
    pub fn finish(self, plan: &mut EditPlan, changed: &[PathBuf]) {
        for path in changed {
            plan.expected.entry(path.clone()).or_default();
        }
        for (key, (root, row)) in self.rows {
            if let Some(old) = row.old.filter(|old| *old != key) {
                plan.moved.insert(old, key.clone());
            }
            if let Some(expected) = plan.expected.get_mut(&root) {
                expected.push(Expected {
                    key,
                    event: None,
                    definition: row.definition,
                });
            }
        }
    }
}

/// A name like this one that is free: with a number behind it, from 2.
#[must_use]
pub fn spare(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let stem = name
        .rsplit_once('-')
        .filter(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(name, |(stem, _)| stem);
    let mut names = (2_u32..).map(|number| format!("{stem}-{number}"));
    names.find(|name| !taken(name)).unwrap_or_default()
}

/// What is wanted of one hook, sorted by when it is done: first the hook is brought to where it will stand, then its
/// fields change there, then it takes its place in the list.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// A copy changes, and the hook stays as it is.
    pub copy: Copy,
    /// Where it goes.
    pub shelf: Option<Shelf>,
    /// Its place from 1.
    pub place: Option<u32>,
    /// Whether it is switched on or off.
    pub switch: Option<Switch>,
    /// Fields, in the order given; without a value they are taken out.
    pub fields: Vec<(&'a str, Option<&'a Given>)>,
}

/// Whether a hook or a copy of it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    /// The hook itself.
    Itself,
    /// A copy.
    Copied,
}

/// A switch in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// On.
    On,
    /// Off.
    Off,
}

impl<'a> Wanted<'a> {
    /// Sorts changes; of several of a kind the last holds.
    #[must_use]
    pub fn of(changes: &'a [Change]) -> Self {
        let mut wanted = Self {
            copy: Copy::Itself,
            shelf: None,
            place: None,
            switch: None,
            fields: Vec::new(),
        };
        for change in changes {
            match change {
                Change::Set { field, value } => wanted.fields.push((field, Some(value))),
                Change::Unset { field } => wanted.fields.push((field, None)),
                Change::Enable => wanted.switch = Some(Switch::On),
                Change::Disable => wanted.switch = Some(Switch::Off),
                Change::MoveTo(place) => wanted.place = Some(*place),
                Change::ToShelf(shelf) => wanted.shelf = Some(*shelf),
                Change::Duplicate => wanted.copy = Copy::Copied,
            }
        }
        wanted
    }
}

/// The steps of a dotted field.
///
/// # Errors
/// It is none.
pub fn steps(field: &str) -> Result<Vec<Step>, Words> {
    if field.split('.').any(|part| part.trim().is_empty()) {
        return Err(NO_FIELD.say(args! { "field" => field }));
    }
    Ok(field.split('.').map(splice::key).collect())
}

/// The value of a field; `texts` are the dotted names of those that hold a text, `env.*` for all within one.
///
/// # Errors
/// It cannot be read.
pub fn value_of(field: &str, given: &Given, texts: &[&str]) -> Result<Value, Words> {
    let within = |name: &str| name.strip_suffix('*').is_some_and(|begin| field.starts_with(begin));
    if texts.iter().any(|name| *name == field || within(name)) {
        return Ok(given.text());
    }
    given.value().ok_or_else(|| {
        let text = match given {
            Given::Written { text, .. } => text.clone(),
            Given::Value(value) => value.to_string(),
        };
        NO_VALUE.say(args! { "text" => text, "field" => field })
    })
}

/// Does on a definition what an operation does on its field in the text. Returns whether there is anything to do.
///
/// # Errors
/// The field's name is none.
pub fn field(definition: &mut Value, field: &str, op: &Op) -> Result<bool, Words> {
    let at = steps(field)?;
    Ok(match op {
        Op::Set { value, .. } => {
            splice::meant(
                definition,
                &Op::Set {
                    at,
                    value: value.clone(),
                },
            );
            true
        }
        // Where there is no such mapping there is no such field in it.
        Op::Unset { .. } => splice::meant(definition, &Op::Unset { at }),
        Op::Insert { .. } | Op::Remove { .. } | Op::Rename { .. } | Op::Move { .. } => false,
    })
}

/// That a dialect has no such shelf; `known` are those that it has.
#[must_use]
pub fn no_shelf(dialect: &str, shelf: Shelf, known: &[Shelf]) -> Words {
    let known: Vec<&str> = known.iter().map(|shelf| shelf.word()).collect();
    NO_SHELF.say(args! { "dialect" => dialect, "layer" => shelf.word(), "known" => known.join(", ") })
}

/// The index of a place from 1.
///
/// # Errors
/// The list does not have it.
pub fn index_of(place: u32, count: usize) -> Result<usize, Words> {
    let index = usize::try_from(place).ok().and_then(|place| place.checked_sub(1));
    index
        .filter(|index| *index < count)
        .ok_or_else(|| NO_PLACE.say(args! { "place" => place, "count" => count }))
}

/// Something new from a value and, where it could be cut out, from its text.
#[must_use]
pub fn content(value: Value, cut: Option<splice::Cut>) -> Content {
    Content { value, cut }
}
