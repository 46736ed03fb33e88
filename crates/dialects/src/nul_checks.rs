//! Checks for texts that cannot be passed to a program. The system ends every text at its first NUL character, and the
//! name of a variable at `=`.

use hookwright_model::problem::TextPosition;
use hookwright_model::{Message, render};

use crate::node::Node;

hookwright_model::messages! {
    /// A text contains a NUL character, where the system would end it.
    NUL = "wrong_type" / "nul" { "`{field}` contains a NUL character, which cannot be passed to a program", "`{field}` 含有 NUL 字符，无法传给任何程序" } hint { "remove the character", "删除该字符" };
    /// The name of a variable contains `=` or a NUL character, where the system would end it.
    VARIABLE_NAME = "wrong_type" / "variable_name" { "`{name}` is not a valid variable name: it contains `=` or a NUL character", "`{name}` 不是有效的变量名：含有 `=` 或 NUL 字符" } hint { "write the name before the colon and the value after it", "冒号前写名称，冒号后写值" };
    /// A variable has an empty name.
    VARIABLE_NAMELESS = "empty_field" / "variable_name" { "a variable in `{field}` has no name", "`{field}` 中有变量没有名称" } hint { "write its name before the colon", "在冒号前写上名称" };
}

/// Checks the text of a field that is passed to a program. Returns the message and the position of the value.
#[must_use]
pub fn check_text(field: &str, node: &Node) -> Option<(Message, TextPosition)> {
    node.string()?
        .contains('\0')
        .then(|| (render!(NUL, "field" => field), node.position))
}

/// Checks the names and values in a mapping of variables. Returns the messages and their positions.
#[must_use]
pub fn check_variables(field: &str, node: &Node) -> Vec<(Message, TextPosition)> {
    let mut out = Vec::new();
    for entry in node.entries().unwrap_or_default() {
        if entry.key.is_empty() {
            out.push((render!(VARIABLE_NAMELESS, "field" => field), entry.key_position));
        } else if entry.key.contains(['=', '\0']) {
            let name = entry.key.replace('\0', "\u{fffd}");
            out.push((render!(VARIABLE_NAME, "name" => name), entry.key_position));
        }
        out.extend(check_text(&format!("{field}.{}", entry.key), &entry.value));
    }
    out
}
