//! The editor of hook files ([`edit`]): it makes the changed texts of a request (`CONTRACTS.md` §2.7).
//!
//! What it deliberately does not do: it does not say which hooks the new texts define. Their reader does.
//!
//! How it works: [`Editor`] makes the changes one after the other in [`TextEdits`], through [`crate::splice`]. Whatever it
//! needs to know about a file, such as the number of hooks in a list, it reads from the text as it is by then. A dialect
//! adds its [`Shape`]: which list a new hook goes to, and what a hook has besides its own mapping.

mod editor;
mod texts;
mod wrapping;

use std::path::Path;

use hookwright_model::definition::DefinitionSpec;
use hookwright_model::{FieldValue, Message, TargetLayer, render};
use serde_json::Value;

pub use editor::{Editor, HookPlace, Shape, edit};
pub use texts::{TextEdits, text_in};
pub use wrapping::change_wrappings;

use crate::splice::{self, PathStep};

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
    /// The hook has comments, and the file to which it goes is written in another format.
    COMMENTS = "edit_form" / "comments" { "the comments in {path}:{line} cannot be copied to {to}", "{path}:{line} 处的注释无法复制到 {to}" } hint { "remove the comments, or move the hook by hand; nothing was changed", "删除注释，或手工移动该 Hook；未作任何更改" };
    /// The field is nested deeper than a file can be.
    TOO_DEEP = "edit_no_field" / "deep" { "`{field}…` has more than {limit} levels", "`{field}…` 超过 {limit} 层" } hint { "use at most 100 levels in YAML, 127 in JSON and 80 in TOML", "YAML 最多使用 100 层，JSON 最多 127 层，TOML 最多 80 层" };
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
const MAX_TOML_DEPTH: usize = 80;

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
    let odd = |character: char| character == '/' || character == '\\' || character.is_control();
    if name.starts_with('.') || name.trim().is_empty() || name.contains(odd) {
        return Err(render!(BAD_NAME, "name" => name));
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
        return Err(render!(TOO_DEEP, "field" => begin, "limit" => MAX_FIELD_DEPTH));
    }
    if field.split('.').any(|part| part.trim().is_empty()) {
        return Err(render!(NO_FIELD, "field" => field));
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
        render!(NO_VALUE, "text" => text, "field" => field)
    })
}

/// The content of a whole file. It is used as given, since `#` begins a comment in YAML but a normal line in a script.
/// Only a value that is one quoted or block string is read as that string.
#[must_use]
pub fn content_of(given: &FieldValue) -> String {
    match given {
        FieldValue::Value(Value::String(text)) => text.clone(),
        FieldValue::Value(value) => value.to_string(),
        FieldValue::Written { text, read, string } => match (read, string) {
            (_, Some(string)) if text.trim_start().starts_with(['"', '\'']) => string.clone(),
            (Some(Value::String(read)), _) if text.trim_start().starts_with(['|', '>']) => read.clone(),
            _ => text.clone(),
        },
    }
}

/// The message that a dialect does not have this layer. `known` are the layers that it has.
#[must_use]
pub fn no_layer(dialect: &str, layer: TargetLayer, known: &[TargetLayer]) -> Message {
    let known: Vec<&str> = known.iter().map(|layer| layer.as_str()).collect();
    render!(NO_LAYER, "dialect" => dialect, "layer" => layer.as_str(), "known" => known.join(", "))
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
        .ok_or_else(|| render!(NO_POSITION, "place" => position, "count" => count))
}
