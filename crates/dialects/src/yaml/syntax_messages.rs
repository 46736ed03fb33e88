//! Messages for a text that is not YAML. Each common mistake has a message that says what to write instead.

use hookwright_model::problem::TextPosition;
use hookwright_model::{Message, MessageTemplate, render, term};
use serde_saphyr::granit_parser::ErrorKind;

use super::SyntaxError;
use crate::odd_characters;

hookwright_model::messages! {
    /// Any other error, with the message of the parser.
    SYNTAX = "syntax" { "invalid YAML: {detail}", "无效的 YAML：{detail}" };
    /// A tab where YAML needs spaces.
    TAB = "syntax" / "tab" { "YAML does not allow a tab here", "YAML 不允许此处使用制表符" } hint { "indent with spaces only", "只用空格缩进" };
    /// A block string that is not indented deeper than its key.
    LOST_INDENT = "syntax" / "lost_indentation" { "the text of `{key}` must be indented more than `{key}`", "`{key}` 的文本必须比 `{key}` 缩进更深" } hint { "indent every line of the text by at least {columns} spaces", "文本的每一行至少缩进 {columns} 个空格" };
    /// A value that begins with `{{`.
    TEMPLATE = "syntax" / "template" { "YAML reads a value that begins with `{{` as a mapping", "YAML 会将以 `{{` 开头的值视为映射" } hint { "put it in quotes, or write it as a block after `|`", "加上引号，或写成 `|` 之后的文本块" };
    /// Keys or dashes that are not in the same column.
    INDENT = "syntax" / "indentation" { "this line is not aligned with the lines it belongs to", "此行没有与所属的行对齐" } hint { "begin all fields of a hook in the same column, and each hook with a dash in the same column", "让同一个 Hook 的字段从同一列开始，每个 Hook 以同一列的短横线开头" };
    /// A key without its colon.
    NO_COLON = "syntax" / "colon" { "a colon is missing after this key", "键后面缺少冒号" } hint { "write `key: value`, with a space after the colon", "写成 `键: 值`，冒号后要有空格" };
    /// A colon inside a value without quotes.
    COLON_INSIDE = "syntax" / "colon_inside" { "a colon followed by a space makes this text a second key", "文本中的“冒号加空格”会被视为另一个键" } hint { "put the value in quotes", "给这个值加上引号" };
    /// A quote that is not closed.
    QUOTE = "syntax" / "quote" { "a quoted text is not closed, or continues on a line that is not indented", "引号没有闭合，或后续行没有缩进" } hint { "close the quote at the end of the value", "在值的末尾闭合引号" };
    /// A quoted text at the beginning of a value that has more behind it.
    BEHIND_QUOTE = "syntax" / "behind_quote" { "YAML ends the value at the closing quote, and text follows: `{rest}`", "YAML 在右引号处结束此值，而其后还有文本：`{rest}`" } hint { "put the whole value in quotes: `{fixed}`", "给整个值加上引号：`{fixed}`" };
    /// A list or mapping in brackets at the beginning of a value that has more behind it.
    BEHIND_BRACKET = "syntax" / "behind_bracket" { "YAML reads a value that begins with `{sign}` as a {kind}, and text follows: `{rest}`", "YAML 将以 `{sign}` 开头的值视为{kind}，而其后还有文本：`{rest}`" } hint { "put the whole value in quotes: `{fixed}`", "给整个值加上引号：`{fixed}`" };
    /// A bracket that is not closed, or closed by another kind.
    BRACKET = "syntax" / "bracket" { "a bracket is not closed, or closed by another kind", "括号没有闭合，或用了另一种括号" } hint { "close it, or put the value in quotes", "闭合它，或给这个值加上引号" };
    /// A backslash sequence that YAML does not define.
    ESCAPE = "syntax" / "escape" { "YAML does not allow this character after a backslash in double quotes", "YAML 不允许双引号中的反斜杠后出现此字符" } hint { "use single quotes, or write the backslash twice", "改用单引号，或把反斜杠写两次" };
    /// A character that cannot begin a value.
    RESERVED = "syntax" / "reserved" { "a value cannot begin with {sign}", "值不能以 {sign} 开头" } hint { "put the value in quotes", "给这个值加上引号" };
    /// An alias whose anchor is not defined above it.
    NO_ANCHOR = "syntax" / "anchor" { "the anchor of this alias is not defined before it", "此别名引用的锚点未在它之前定义" } hint { "write the anchor (`&name`) first, or put a value that begins with * in quotes", "先写锚点（`&name`），或给以 * 开头的值加上引号" };
    /// An alias inside its own anchor.
    INSIDE_ITSELF = "syntax" / "inside_itself" { "this alias is inside its own anchor", "别名出现在它自己的锚点之内" } hint { "write the value out; a value cannot contain itself", "直接写出该值；值不能包含它自身" };
    /// More than one document in a file.
    SEVERAL_DOCUMENTS = "syntax" / "documents" { "a second YAML document begins here", "这里开始了第二个 YAML 文档" } hint { "remove the `---`; one file contains one document", "删除 `---`；一个文件只能有一个文档" };
    /// Lists and mappings that are nested too deeply.
    TOO_DEEP = "syntax" / "too_deep" { "nested too deeply", "嵌套太深" };
    /// Aliases that stand for too many values, such as aliases of aliases.
    ALIAS_BOMB = "syntax" / "alias_bomb" { "the aliases of this file expand to too many values", "此文件的别名展开后数量过大" } hint { "write the values out, or use fewer nested aliases", "直接写出这些值，或减少别名的嵌套" };
}

/// Finds the message and the position for an error.
pub(super) fn explain(text: &str, kind: &ErrorKind, position: TextPosition) -> SyntaxError {
    let lines: Vec<&str> = text.lines().collect();
    let at = usize::try_from(position.line).unwrap_or(usize::MAX).saturating_sub(1);
    if let Some(found) = odd_characters::explain_yaml(text, position) {
        return found;
    }
    if let Some((message, line)) = lost_indentation(&lines, at) {
        let column = u32::try_from(indent(lines[line]) + 1).unwrap_or(u32::MAX);
        let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
        return SyntaxError {
            message,
            position: TextPosition { line, column },
        };
    }
    let here = lines.get(at).copied().unwrap_or_default();
    if let Some((message, column)) = continued_value(here) {
        return SyntaxError {
            message,
            position: TextPosition {
                line: position.line,
                column,
            },
        };
    }
    if is_escape(kind) {
        return SyntaxError {
            message: ESCAPE.render_plain(),
            position: bad_escape(&lines, position),
        };
    }
    let message = if is_tab(kind) {
        TAB.render_plain()
    } else if begins_with_template(here) {
        TEMPLATE.render_plain()
    } else if let ErrorKind::UnexpectedCharacter { character } = kind {
        render!(RESERVED, "sign" => character.to_string())
    } else {
        match usual_template(kind, here, position) {
            Some(template) => template.render_plain(),
            None => render!(SYNTAX, "detail" => kind.to_string()),
        }
    };
    SyntaxError { message, position }
}

fn is_tab(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabAtBlockScalarStart
            | ErrorKind::TabInPlainScalar
    )
}

fn is_escape(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UnknownQuotedScalarEscape
            | ErrorKind::InvalidQuotedScalarHexEscape
            | ErrorKind::InvalidUnicodeEscape
    )
}

/// Finds the backslash sequence that YAML does not define. The parser only reports the start of the quoted string.
fn bad_escape(lines: &[&str], from: TextPosition) -> TextPosition {
    let number = |value: u32| usize::try_from(value).unwrap_or(usize::MAX).saturating_sub(1);
    let (first, before) = (number(from.line), number(from.column));
    for (index, line) in lines.iter().enumerate().skip(first) {
        let mut column = if index == first { before } else { 0 };
        let characters: Vec<char> = line.chars().collect();
        while column < characters.len() {
            if characters[column] != '\\' {
                column += 1;
                continue;
            }
            if !is_known_escape(&characters[column + 1..]) {
                let place = |value: usize| u32::try_from(value + 1).unwrap_or(u32::MAX);
                return TextPosition {
                    line: place(index),
                    column: place(column),
                };
            }
            column += 2;
        }
    }
    from
}

fn is_known_escape(behind: &[char]) -> bool {
    let digits = match behind.first() {
        // The backslash escapes the end of the line.
        None => return true,
        Some('x') => 2,
        Some('u') => 4,
        Some('U') => 8,
        Some(character) => return "0abt\tnvfre \"/\\N_LP".contains(*character),
    };
    behind.len() > digits && behind[1..=digits].iter().all(char::is_ascii_hexdigit)
}

/// The message template for an error that does not depend on the lines around it.
fn usual_template(kind: &ErrorKind, line: &str, position: TextPosition) -> Option<&'static MessageTemplate> {
    let one_of = |kinds: &[ErrorKind]| kinds.contains(kind);
    if one_of(&[ErrorKind::UnknownAnchor, ErrorKind::MissingAnchorOrAliasName]) {
        Some(&NO_ANCHOR)
    } else if one_of(&[
        ErrorKind::UnclosedQuotedScalar,
        ErrorKind::InvalidQuotedScalarIndent,
        ErrorKind::DocumentIndicatorInQuotedScalar,
    ]) || one_of(&[
        ErrorKind::InvalidTrailingSingleQuotedScalar,
        ErrorKind::InvalidTrailingDoubleQuotedScalar,
    ]) {
        Some(&QUOTE)
    } else if one_of(&[
        ErrorKind::MisplacedFlowCollectionEnd,
        ErrorKind::ExpectedFlowMappingSeparator,
        ErrorKind::ExpectedFlowSequenceSeparator,
    ]) || matches!(
        kind,
        ErrorKind::UnclosedFlowCollection { .. } | ErrorKind::MismatchedFlowCollectionEnd { .. }
    ) {
        Some(&BRACKET)
    } else if one_of(&[ErrorKind::SimpleKeyExpected, ErrorKind::InvalidSimpleKey]) {
        Some(&NO_COLON)
    } else if *kind == ErrorKind::MappingValueNotAllowed {
        Some(if second_colon(line, position) {
            &COLON_INSIDE
        } else {
            &INDENT
        })
    } else if *kind == ErrorKind::RecursionLimitExceeded {
        Some(&TOO_DEEP)
    } else if one_of(&[
        ErrorKind::ExpectedBlockSequenceEntry,
        ErrorKind::ExpectedBlockMappingKey,
        ErrorKind::InvalidIndentation,
    ]) || one_of(&[
        ErrorKind::BlockSequenceEntryNotAllowed,
        ErrorKind::MappingKeyNotAllowed,
        ErrorKind::InvalidBlockScalarIndent,
    ]) {
        Some(&INDENT)
    } else {
        None
    }
}

/// The message about a value that begins with a quote or a bracket, ends with its partner, and has text behind it. With it,
/// the column of that text.
fn continued_value(line: &str) -> Option<(Message, u32)> {
    let (_, value) = line.split_once(": ").or_else(|| line.split_once("- "))?;
    let value = value.trim();
    // A tag may be before it: `! [ -f x ]`.
    let body = value.strip_prefix("! ").map_or(value, str::trim_start);
    let sign = body.chars().next()?;
    let end = match sign {
        '"' | '\'' => closing_quote(body, sign)?,
        '[' => closing_bracket(body, '[', ']')?,
        '{' if !body.starts_with("{{") => closing_bracket(body, '{', '}')?,
        _ => return None,
    };
    let rest = body[end..].trim_start();
    let has_blank = rest.len() < body.len() - end;
    if rest.is_empty() || has_blank && rest.starts_with('#') || rest.starts_with([':', ',', ']', '}']) {
        return None;
    }
    let fixed = format!("'{}'", value.replace('\'', "''"));
    let before = line.rfind(rest)?;
    let column = u32::try_from(line[..before].chars().count() + 1).unwrap_or(u32::MAX);
    let message = match sign {
        '"' | '\'' => render!(BEHIND_QUOTE, "rest" => rest, "fixed" => fixed),
        _ => {
            let kind = if sign == '[' { term!("list") } else { term!("mapping") };
            render!(BEHIND_BRACKET, "sign" => sign.to_string(), "kind" => kind, "rest" => rest, "fixed" => fixed)
        }
    };
    Some((message, column))
}

/// The place behind the quote that ends a text in quotes.
fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut signs = text.char_indices().skip(1).peekable();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' if quote == '"' => drop(signs.next()),
            '\'' if quote == '\'' && signs.peek().is_some_and(|(_, next)| *next == '\'') => drop(signs.next()),
            _ if sign == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The place behind the bracket that closes the one at the beginning.
fn closing_bracket(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, sign) in text.char_indices() {
        if sign == open {
            depth += 1;
        } else if sign == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

/// Whether a key already ends with a colon before the reported position.
fn second_colon(line: &str, position: TextPosition) -> bool {
    let before = usize::try_from(position.column).unwrap_or(usize::MAX).saturating_sub(1);
    let head: String = line.chars().take(before).collect();
    head.contains(": ")
}

fn begins_with_template(line: &str) -> bool {
    let body = line.trim_start().trim_start_matches("- ").trim_start();
    let value = body.split_once(": ").map_or(body, |(_, value)| value);
    value.trim_start().starts_with("{{")
}

/// Finds a pasted block string that lost its indentation: `key: |` at or above the error, then a line that is not
/// deeper.
fn lost_indentation(lines: &[&str], at: usize) -> Option<(Message, usize)> {
    let from = at.min(lines.len().checked_sub(1)?);
    let header = (0..=from)
        .rev()
        .take(3)
        .find(|&line| block_header(lines[line]).is_some())?;
    let (key, column) = block_header(lines[header])?;
    let body = (header + 1..lines.len()).find(|&line| !lines[line].trim().is_empty())?;
    // A key, a dash or a comment is correct there. Anything else was meant as text of the block.
    let text = lines[body].trim_start();
    let is_entry = text.starts_with("- ") || text == "-" || text.starts_with('#') || plain_key(text);
    (body >= from && indent(lines[body]) <= column && !is_entry)
        .then(|| (render!(LOST_INDENT, "key" => key, "columns" => column + 2), body))
}

/// The key of a line that ends in a block indicator (`prompt: |`), and the key's column from 0.
fn block_header(line: &str) -> Option<(&str, usize)> {
    let (head, character) = line.trim_end().rsplit_once(':')?;
    let character = character.trim();
    let is_block = character.starts_with(['|', '>'])
        && character[1..]
            .chars()
            .all(|character| character.is_ascii_digit() || "+-".contains(character));
    let key = head.trim_start().trim_start_matches("- ").trim_start();
    (is_block && !key.is_empty()).then(|| (key, head.len() - key.len()))
}

/// Whether the text is `word:` or `word: value`. The word has only ASCII letters, digits, underscores and hyphens.
fn plain_key(text: &str) -> bool {
    let Some((word, rest)) = text.split_once(':') else {
        return false;
    };
    let is_word = !word.is_empty()
        && word
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || character == '_' || character == '-');
    is_word && (rest.is_empty() || rest.starts_with(' '))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}
