//! What the dialects' editors share: the texts of a change ([`TextEdits`], through [`crate::splice`]), and where the hooks
//! are while it is made ([`HookList`]).

mod change_set;
mod hook_list;
mod hook_names;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookwright_model::definition::DefinitionSpec;
use hookwright_model::{FieldValue, FileChange, FileKind, Former, Message, SourceTree, TargetLayer, args};
use serde_json::Value;

pub use change_set::{ChangeSet, EditSubject, SwitchState};
pub use hook_list::{HookEntry, HookList, ListName, ListSlot};
pub use hook_names::HookNames;

use crate::splice::{self, Format, NewValue, Op, PathStep};

hookwright_model::messages! {
    /// The hook was removed from its file between the listing and the edit.
    HOOK_GONE = "edit_hook_gone" { "{hook} no longer exists in its file", "{hook} 已不在其文件中" } hint { "run `hookwright list` to see the current hooks", "执行 `hookwright list` 查看当前的 Hook" };
    /// The dialect does not have this layer.
    NO_LAYER = "edit_no_layer" { "layer {layer} cannot contain {dialect} hooks", "{layer} 层不能包含 {dialect} 的 Hook" } hint { "use one of these layers: {known}", "使用以下层级之一：{known}" };
    /// The list does not have this position.
    NO_POSITION = "edit_no_place" { "position {place} does not exist: the list ends at {count}", "第 {place} 位不存在：列表共有 {count} 项" } hint { "write 1 for the first position", "第一位写作 1" };
    /// The given text is not YAML, and the field needs another value than a string.
    NO_VALUE = "edit_no_value" { "`{text}` is not a valid value for `{field}`", "`{text}` 不是 `{field}` 的有效值" } hint { "write the value as YAML, and put strings in quotes if in doubt", "值按 YAML 书写；不确定时给字符串加引号" };
    /// The field name is invalid.
    NO_FIELD = "edit_no_field" { "`{field}` is not a field name", "`{field}` 不是字段名" } hint { "write `timeout`, or `filter.tool_name` for a field inside another", "写成 `timeout`；内层字段写成 `filter.tool_name`" };
    /// The file does not parse before the edit.
    BROKEN_IN = "edit_broken_file" / "in" { "{path}:{line} does not parse: {why}", "{path}:{line} 无法解析：{why}" } hint { "correct it first; nothing was changed", "先更正；未作任何更改" };
    /// The value is shared: an alias elsewhere refers to it.
    SHARED_IN = "edit_shared_anchor" / "in" { "{path}:{line} is shared: other parts of the file refer to its anchor", "{path}:{line} 被共享：文件的其他部分引用它的锚点" } hint { "edit the file by hand, or repeat the value where it should differ; nothing was changed", "手工编辑文件，或在需要不同的位置直接写出该值；未作任何更改" };
    /// The syntax of this line is read, but cannot be edited piece by piece.
    FORM_IN = "edit_form" / "in" { "{path}:{line} uses syntax that cannot be edited in place", "{path}:{line} 的语法无法就地修改" } hint { "edit the file by hand; nothing was changed", "手工编辑文件；未作任何更改" };
    /// The line has another kind of content than the operation needs.
    NOT_THERE_IN = "edit_not_there" / "in" { "the content at {path}:{line} cannot be changed in this way", "{path}:{line} 处的内容无法这样修改" } hint { "check the file; nothing was changed", "检查文件；未作任何更改" };
    /// The field is nested deeper than a file can be.
    TOO_DEEP = "edit_no_field" / "deep" { "`{field}…` has more than {limit} levels", "`{field}…` 超过 {limit} 层" } hint { "use at most 100 levels in YAML, and 127 in JSON", "YAML 最多使用 100 层，JSON 最多 127 层" };
    /// A new hook needs a name.
    NO_NAME = "edit_no_name" { "a new {dialect} hook needs a `name`", "新的 {dialect} Hook 需要 `name`" } hint { "add it to the definition: `{\"name\": \"…\"}`", "添加到定义中：`{\"name\": \"…\"}`" };
    /// The definition names another event than the request.
    OTHER_EVENT = "edit_other_event" { "the definition has `{field}: {found}`, but the requested event is {event}", "定义中是 `{field}: {found}`，但指定的事件是 {event}" } hint { "remove `{field}`, or make both the same", "删除 `{field}`，或使两者一致" };
    /// The name cannot be the name of a folder.
    BAD_NAME = "edit_bad_name" { "`{name}` cannot be the name of a folder", "`{name}` 不能作为文件夹名" } hint { "use lower-case letters, digits and single hyphens", "使用小写字母、数字和单个连字符" };
    /// Another hook has this name.
    NAME_TAKEN = "edit_name_taken" { "{path} already has a hook named {name}", "{path} 中已有名为 {name} 的 Hook" } hint { "choose another name", "换一个名称" };
    /// The dialect orders its hooks by a field, not by position.
    ORDERED = "edit_ordered_by" { "{dialect} orders its hooks by `{field}`, not by position", "{dialect} 按 `{field}` 排序，而不是按位置" } hint { "use `--set {field}=N`", "使用 `--set {field}=N`" };
    /// The file could not be read.
    UNREADABLE = "edit_unreadable_file" { "{path} cannot be changed: {why}", "无法更改 {path}：{why}" } hint { "correct that first; nothing was changed", "先更正该问题；未作任何更改" };
}

/// Limit for the levels of a dotted field.
const MAX_FIELD_DEPTH: usize = 100;
/// Limits for the levels that the reader of a file accepts, including those above the hook.
const MAX_YAML_DEPTH: usize = 100;
const MAX_JSON_DEPTH: usize = 127;

/// The edited texts of one change.
#[derive(Debug, Default)]
pub struct TextEdits {
    texts: BTreeMap<PathBuf, EditedText>,
    /// Paths in the order in which their texts were last requested.
    order: Vec<PathBuf>,
}

#[derive(Debug)]
struct EditedText {
    before: Option<String>,
    now: String,
    /// The format of the text and the path of the parent from which an element was removed, if one was.
    removed_from: Option<(Format, splice::Path)>,
    /// Whether the file is removed.
    is_removed: bool,
}

impl TextEdits {
    /// The current text of a file of this tree. It is empty for a file that does not exist.
    ///
    /// # Errors
    /// The file exists and cannot be read.
    pub fn text(&mut self, tree: &SourceTree, path: &Path) -> Result<&mut String, Message> {
        if !self.texts.contains_key(path) {
            let before = match tree.files.get(path).map(|file| &file.text) {
                Some(Ok(text)) => Some(text.clone()),
                Some(Err(problem)) => {
                    let shown = path.display().to_string();
                    return Err(UNREADABLE.render(args! { "path" => shown, "why" => problem.message }));
                }
                None => None,
            };
            let text = EditedText {
                now: before.clone().unwrap_or_default(),
                before,
                removed_from: None,
                is_removed: false,
            };
            self.texts.insert(path.to_owned(), text);
        }
        self.order.retain(|known| known != path);
        self.order.push(path.to_owned());
        // It was added above if it was missing.
        self.texts
            .get_mut(path)
            .map(|text| &mut text.now)
            .ok_or_else(|| splice::DIFFERS.render_plain())
    }

    /// Applies an operation to the file of a root.
    ///
    /// # Errors
    /// The operation cannot be done.
    pub fn splice(&mut self, tree: &SourceTree, format: Format, op: Op) -> Result<(), Message> {
        self.splice_at(tree, &tree.root.path, format, op)
    }

    /// Applies an operation to one of the files of a root.
    ///
    /// # Errors
    /// The operation cannot be done.
    pub fn splice_at(&mut self, tree: &SourceTree, path: &Path, format: Format, op: Op) -> Result<(), Message> {
        self.splice_all(tree, path, format, &[op])
    }

    /// Applies operations to one of the files of a root.
    ///
    /// # Errors
    /// One of the operations cannot be done.
    pub fn splice_all(&mut self, tree: &SourceTree, path: &Path, format: Format, ops: &[Op]) -> Result<(), Message> {
        ops.iter().try_for_each(|op| check_depth(format, op))?;
        let text = self.text(tree, path)?;
        *text = splice::apply(format, text, ops).map_err(|message| with_file(message, path))?;
        Ok(())
    }

    /// Removes an element from a file of a root, and each list and mapping around it that becomes empty.
    ///
    /// # Errors
    /// The element cannot be removed.
    pub fn remove(&mut self, tree: &SourceTree, path: &Path, format: Format, at: splice::Path) -> Result<(), Message> {
        let before = self.text(tree, path)?.clone();
        let parent = self.remove_part(tree, path, format, at)?;
        let text = self.text(tree, path)?;
        *text = splice::without_empty(format, text, &parent);
        if format == Format::Yaml
            && let Some(blank) = splice::without_empty_root(&before, text)
        {
            *text = blank;
        }
        Ok(())
    }

    /// Removes an element from a file of a root, and returns the path of its parent.
    ///
    /// # Errors
    /// The element cannot be removed.
    pub fn remove_part(
        &mut self,
        tree: &SourceTree,
        path: &Path,
        format: Format,
        at: splice::Path,
    ) -> Result<splice::Path, Message> {
        let parent = at.split_last().map_or(&[][..], |(_, parent)| parent).to_vec();
        self.splice_at(tree, path, format, Op::Remove { at })?;
        if let Some(text) = self.texts.get_mut(path) {
            text.removed_from = Some((format, parent.clone()));
        }
        Ok(parent)
    }

    /// Restores the bytes that files had before an edit by Hookwright. It applies to files from which an element was
    /// removed and which have the same value again. If the last edit only added that element, the values are not
    /// compared. A file that did not exist before is removed.
    pub fn restore(&mut self, former: &Former) {
        for (path, text) in &mut self.texts {
            let (Some((format, parent)), Some(past)) = (&text.removed_from, former.get(path)) else {
                continue;
            };
            let same = |earlier: &&Option<String>| splice::means_same(*format, earlier.as_deref(), &text.now, parent);
            let found = if past.just_added {
                past.states.first()
            } else {
                past.states.iter().find(same)
            };
            match found {
                Some(Some(earlier)) => text.now.clone_from(earlier),
                Some(None) => text.is_removed = true,
                None => {}
            }
        }
    }

    /// The files whose texts have changed.
    #[must_use]
    pub fn changed(&self) -> Vec<PathBuf> {
        let changed = self
            .texts
            .iter()
            .filter(|(_, text)| text.before.as_ref() != Some(&text.now));
        changed.map(|(path, _)| path.clone()).collect()
    }

    /// The file changes to be written.
    #[must_use]
    pub fn files(self) -> Vec<FileChange> {
        let Self { mut texts, order } = self;
        let changed = order.into_iter().filter_map(|path| {
            let text = texts.remove(&path)?;
            if text.is_removed {
                return text.before.is_some().then_some(FileChange::Remove { path });
            }
            (text.before.as_ref() != Some(&text.now)).then_some(FileChange::Write {
                path,
                text: text.now,
                kind: FileKind::Plain,
            })
        });
        changed.collect()
    }
}

/// Checks that the edited text can be read again: it is not nested deeper than its reader accepts.
fn check_depth(format: Format, op: &Op) -> Result<(), Message> {
    let (at, value) = match op {
        Op::Set { at, value } => (at, value),
        Op::Insert { at, content } => (at, &content.value),
        Op::Unset { .. } | Op::Remove { .. } | Op::Rename { .. } | Op::Move { .. } => return Ok(()),
    };
    let limit = match format {
        Format::Yaml => MAX_YAML_DEPTH,
        Format::Json => MAX_JSON_DEPTH,
    };
    if at.len() + nesting_depth(value) <= limit {
        return Ok(());
    }
    let names = at.iter().filter_map(|step| match step {
        PathStep::Key(name, _) => Some(name.as_str()),
        PathStep::Item(_) => None,
    });
    let begin: String = names.collect::<Vec<_>>().join(".").chars().take(20).collect();
    Err(TOO_DEEP.render(args! { "field" => begin, "limit" => limit }))
}

/// How many lists and mappings are inside each other.
fn nesting_depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nesting_depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(nesting_depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Adds the path of the file to a message of [`splice`] about a line. Any other message is returned unchanged.
#[must_use]
pub fn with_file(message: Message, path: &Path) -> Message {
    let known = [
        (splice::BROKEN, BROKEN_IN),
        (splice::SHARED, SHARED_IN),
        (splice::FORM, FORM_IN),
        (splice::NOT_THERE, NOT_THERE_IN),
    ];
    let Some((_, template)) = known.into_iter().find(|(bare, _)| bare.code == message.code) else {
        return message;
    };
    let mut args = message.args;
    args.insert("path".to_owned(), path.display().to_string().into());
    template.render(args)
}

/// Checks that a name can be the name of a file or folder.
///
/// # Errors
/// The name begins with a dot, is blank, or contains a slash, a backslash or a control character.
pub fn check_file_name(name: &str) -> Result<(), Message> {
    let odd = |sign: char| sign == '/' || sign == '\\' || sign.is_control();
    if name.starts_with('.') || name.trim().is_empty() || name.contains(odd) {
        return Err(BAD_NAME.render(args! { "name" => name }));
    }
    Ok(())
}

/// A free name like this one, with a number behind it, from 2.
#[must_use]
pub fn free_name(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let stem = name
        .rsplit_once('-')
        .filter(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(name, |(stem, _)| stem);
    let mut names = (2_u32..).map(|number| format!("{stem}-{number}"));
    names.find(|name| !taken(name)).unwrap_or_default()
}

/// The path of a dotted field.
///
/// # Errors
/// The field has an empty part or too many levels.
pub fn parse_field(field: &str) -> Result<Vec<PathStep>, Message> {
    if field.split('.').nth(MAX_FIELD_DEPTH).is_some() {
        let begin: String = field.chars().take(20).collect();
        return Err(TOO_DEEP.render(args! { "field" => begin, "limit" => MAX_FIELD_DEPTH }));
    }
    if field.split('.').any(|part| part.trim().is_empty()) {
        return Err(NO_FIELD.render(args! { "field" => field }));
    }
    Ok(field.split('.').map(splice::key).collect())
}

/// The value of a field. The schema of the dialect says whether it is a string.
///
/// # Errors
/// The given text is not YAML.
pub fn value_of(field: &str, given: &FieldValue, schema: &DefinitionSpec) -> Result<Value, Message> {
    if schema.kind_of(field).is_some_and(|kind| kind.is_text()) {
        return Ok(given.text());
    }
    given.value().ok_or_else(|| {
        let text = match given {
            FieldValue::Written { text, .. } => text.clone(),
            FieldValue::Value(value) => value.to_string(),
        };
        NO_VALUE.render(args! { "text" => text, "field" => field })
    })
}

/// The content of a whole file. It is used as given, since `#` begins a comment in YAML but a normal line in a script.
/// Only a value that is one quoted or block string is read as that string.
#[must_use]
pub fn content_of(given: &FieldValue) -> String {
    match given {
        FieldValue::Value(Value::String(text)) => text.clone(),
        FieldValue::Value(value) => value.to_string(),
        FieldValue::Written { text, read } => match read {
            Some(Value::String(read)) if text.trim_start().starts_with(['"', '\'', '|', '>']) => read.clone(),
            Some(_) | None => text.clone(),
        },
    }
}

/// Applies to a definition what an operation does to its field in the text. Returns false if there is nothing to
/// change.
///
/// # Errors
/// The field name is invalid.
pub fn apply_field_op(definition: &mut Value, field: &str, op: &Op) -> Result<bool, Message> {
    let at = parse_field(field)?;
    Ok(match op {
        Op::Set { value, .. } => {
            splice::apply_to_value(
                definition,
                &Op::Set {
                    at,
                    value: value.clone(),
                },
            );
            true
        }
        // Without such a mapping there is no such field in it.
        Op::Unset { .. } => splice::apply_to_value(definition, &Op::Unset { at }),
        Op::Insert { .. } | Op::Remove { .. } | Op::Rename { .. } | Op::Move { .. } => false,
    })
}

/// The message that a dialect does not have this layer. `known` are the layers that it has.
#[must_use]
pub fn no_layer(dialect: &str, layer: TargetLayer, known: &[TargetLayer]) -> Message {
    let known: Vec<&str> = known.iter().map(|layer| layer.as_str()).collect();
    NO_LAYER.render(args! { "dialect" => dialect, "layer" => layer.as_str(), "known" => known.join(", ") })
}

/// The part of an id that names a list of hooks: its key, with a number if the key is repeated.
#[must_use]
pub fn numbered_key(key: &str, nth: usize) -> String {
    match nth {
        0 => key.to_owned(),
        _ => format!("{key}.{}", nth + 1),
    }
}

/// The index, from 0, of a position from 1.
///
/// # Errors
/// The list does not have this position.
pub fn index_of(position: u32, count: usize) -> Result<usize, Message> {
    let index = usize::try_from(position)
        .ok()
        .and_then(|position| position.checked_sub(1));
    index
        .filter(|index| *index < count)
        .ok_or_else(|| NO_POSITION.render(args! { "place" => position, "count" => count }))
}

/// A new value, with its original text if that could be copied.
#[must_use]
pub fn new_value(value: Value, fragment: Option<splice::Fragment>) -> NewValue {
    NewValue { value, fragment }
}
