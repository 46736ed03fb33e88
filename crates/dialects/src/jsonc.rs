//! JSON of settings files. Comments and commas before a closing bracket are accepted and reported (`engine.md` §9).
//! Anything else that is not JSON is a syntax error.
//!
//! How it works: a lax parser builds the tree with its positions. Then comments and trailing commas are replaced by
//! spaces, and a strict reader checks the rest. So nothing else is accepted that the agent's own reader would refuse.

use std::ops::Range;
use std::sync::Arc;

use hookwright_model::problem::TextPosition;
use hookwright_model::{MessageTemplate, args, render};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ParseStringErrorKind, parse_to_ast};
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::json::definition_number;
use crate::node::{Entry, Node, SyntaxError, ValueKind};
use crate::{odd_characters, yaml};

hookwright_model::messages! {
    /// Any other error, with the message of the reader.
    JSON = "syntax" / "json" { "invalid JSON: {detail}", "无效的 JSON：{detail}" };
    /// A missing comma.
    COMMA = "syntax" / "json_comma" { "a comma is missing here", "此处缺少逗号" } hint { "put a comma between two values", "两个值之间要有逗号" };
    /// A missing colon.
    COLON = "syntax" / "json_colon" { "a colon is missing after this key", "键后面缺少冒号" } hint { "write `\"key\": value`", "写成 `\"键\": 值`" };
    /// A comma without a value before it.
    SPARE_COMMA = "syntax" / "json_spare_comma" { "there is a comma, but no value before it", "逗号之前没有值" } hint { "remove the comma", "删除逗号" };
    /// A bracket that is not closed.
    OPEN = "syntax" / "json_open" { "the bracket that opens here is not closed", "此处的括号没有闭合" } hint { "close it with the matching bracket", "用对应的括号闭合" };
    /// A closing bracket that closes nothing, or another kind of bracket.
    CLOSE = "syntax" / "json_close" { "this bracket closes nothing", "此括号没有对应的左括号" } hint { "remove it, or use the matching bracket", "删除它，或换成对应的括号" };
    /// A string or key in single quotes, or without quotes.
    BARE = "syntax" / "json_bare" { "strings and keys need double quotes in JSON", "JSON 中的字符串和键需要双引号" } hint { "put double quotes around it", "加上双引号" };
    /// A backslash sequence that JSON does not define.
    ESCAPE = "syntax" / "json_escape" { "JSON does not allow this character after a backslash", "JSON 不允许反斜杠后出现此字符" } hint { "write the backslash twice", "把反斜杠写两次" };
    /// A backslash and a letter that mean a control character.
    ESCAPE_READ = "syntax" / "json_escape_read" { "`{written}` is one control character in JSON: the value is `{value}`", "`{written}` 在 JSON 中是一个控制字符：值是 `{value}`" } hint { "write the backslash twice", "把反斜杠写两次" };
    /// More than one value in a file.
    SEVERAL = "syntax" / "json_several" { "a second value begins here", "这里开始了第二个值" } hint { "write one value per file", "每个文件只写一个值" };
    /// A comment that is not closed.
    COMMENT_OPEN = "syntax" / "json_comment_open" { "the comment that begins here is not closed", "此处开始的注释没有结束" } hint { "end it with `*/`", "以 `*/` 结束" };
    /// Arrays and objects that are nested too deeply.
    TOO_DEEP = "syntax" / "json_deep" { "nested too deeply", "嵌套太深" };
    /// A comment, which the agent may refuse.
    COMMENT = "syntax" / "json_comment" { "comments are not valid JSON: Hookwright skips them, the agent may reject the whole file", "JSON 不允许注释：Hookwright 会跳过它们，Agent 可能拒绝整个文件" } hint { "remove them, or write such text under a key that begins with `_`", "删除它们，或把说明写在以 `_` 开头的键里" };
    /// A comma before a closing bracket, which the agent may refuse.
    TRAILING = "syntax" / "json_trailing" { "a comma before a closing bracket is not valid JSON: Hookwright skips it, the agent may reject the whole file", "JSON 不允许右括号前的逗号：Hookwright 会跳过它，Agent 可能拒绝整个文件" } hint { "remove the comma", "删除该逗号" };
}

/// Limit for arrays and objects inside each other (`engine.md` §9).
const MAX_DEPTH: usize = 128;

/// A parsed text.
#[derive(Debug, Clone)]
pub struct ParsedJsonc {
    /// The root value; `None` for a text without a value: empty, or only comments.
    pub root: Option<Arc<Node>>,
    /// The first comment or trailing comma. It is reported as a warning `syntax` if the file has hooks.
    pub non_strict: Option<SyntaxError>,
    /// Keys and values that are not what they look like. They are reported as warnings.
    pub warnings: Vec<SyntaxError>,
}

/// Parses a text.
///
/// # Errors
/// The text is not JSON, apart from comments and commas before closing brackets.
pub fn read(text: &str) -> Result<ParsedJsonc, SyntaxError> {
    let lines = LineStarts::new(text);
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Positions do not count the byte-order mark, as in editors.
    let lines = if body.len() == text.len() {
        lines
    } else {
        LineStarts::new(body)
    };
    let odd = |error: SyntaxError| match odd_characters::explain_json(body) {
        Some((message, at)) => SyntaxError {
            message,
            position: lines.position(at),
        },
        None => error,
    };
    let parsed = parse_to_ast(body, &COLLECT_OPTIONS, &PARSE_OPTIONS).map_err(|error| odd(explain(&lines, &error)))?;
    let tokens = parsed.tokens.unwrap_or_default();
    let spare = non_strict_syntax(&tokens);
    check_strict(&lines, &tokens, &spare).map_err(odd)?;
    let root = parsed.value.as_ref().map(|value| build_tree(&lines, value));
    let root = root.transpose()?.map(Arc::new);
    let mut warnings = misread_escapes(&lines, &tokens);
    warnings.extend(root.iter().flat_map(|root| odd_characters::warn_about_keys(root, 1)));
    let non_strict = spare.first().map(|(range, template)| SyntaxError {
        message: template.render_plain(),
        position: lines.position(range.start),
    });
    Ok(ParsedJsonc {
        root,
        non_strict,
        warnings,
    })
}

/// Strings with an escape that was more likely meant as a backslash and a letter.
fn misread_escapes(lines: &LineStarts<'_>, tokens: &[TokenAndRange<'_>]) -> Vec<SyntaxError> {
    let strings = tokens.iter().filter_map(|token| {
        let Token::String(value) = &token.token else {
            return None;
        };
        Some((value, token.range.start, token.range.end))
    });
    let found = strings.filter_map(|(value, start, end)| {
        let (written, before) = yaml::misread_escape(lines.text.get(start..end)?)?;
        let given = args! { "written" => written, "value" => yaml::shown(value) };
        Some(SyntaxError {
            message: ESCAPE_READ.render(given),
            position: lines.position(start + before.len()),
        })
    });
    found.collect()
}

const COLLECT_OPTIONS: CollectOptions = CollectOptions {
    comments: CommentCollectionStrategy::AsTokens,
    tokens: true,
};

const PARSE_OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Finds comments, and commas before a closing bracket.
fn non_strict_syntax(tokens: &[TokenAndRange<'_>]) -> Vec<(Range<usize>, &'static MessageTemplate)> {
    let mut spare = Vec::new();
    let mut comma = None;
    for TokenAndRange { range, token } in tokens {
        let range = range.start..range.end;
        if is_comment(token) {
            spare.push((range, &COMMENT));
        } else if matches!(token, Token::Comma) {
            comma = Some(range);
        } else if let (Token::CloseBrace | Token::CloseBracket, Some(range)) = (token, comma.take()) {
            spare.push((range, &TRAILING));
        }
    }
    spare.sort_by_key(|(range, _)| range.start);
    spare
}

fn is_comment(token: &Token<'_>) -> bool {
    matches!(token, Token::CommentLine(_) | Token::CommentBlock(_))
}

/// Checks with a strict reader what is left without comments and trailing commas.
fn check_strict(
    lines: &LineStarts<'_>,
    tokens: &[TokenAndRange<'_>],
    spare: &[(Range<usize>, &MessageTemplate)],
) -> Result<(), SyntaxError> {
    if tokens.iter().all(|token| is_comment(&token.token)) {
        return Ok(());
    }
    let mut bytes = lines.text.as_bytes().to_vec();
    for byte in spare.iter().flat_map(|(range, _)| range.clone()) {
        if let Some(byte) = bytes.get_mut(byte).filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    let Err(error) = serde_json::from_slice::<IgnoredAny>(&bytes) else {
        return Ok(());
    };
    let line = lines.starts.get(error.line().saturating_sub(1)).copied().unwrap_or(0);
    let at = line + error.column().saturating_sub(1);
    let error_text = error.to_string();
    // The position is reported separately from the message.
    let detail = error_text
        .rsplit_once(" at line ")
        .map_or(error_text.as_str(), |(words, _)| words);
    let (message, at) = if detail.starts_with("control character") {
        // A line break or tab inside a string: most often its quote is not closed.
        let texts = tokens.iter().filter(|token| matches!(token.token, Token::String(_)));
        let inside = texts
            .map(|token| token.range.start)
            .take_while(|start| *start <= at)
            .last();
        (odd_characters::OPEN_STRING.render_plain(), inside.unwrap_or(at))
    } else {
        (render!(JSON, "detail" => detail), at)
    };
    Err(SyntaxError {
        message,
        position: lines.position(at),
    })
}

fn explain(lines: &LineStarts<'_>, error: &ParseError) -> SyntaxError {
    use ParseErrorKind as Kind;
    use ParseStringErrorKind as Text;
    let template = match error.kind() {
        Kind::ExpectedComma => &COMMA,
        Kind::ExpectedColonAfterObjectKey => &COLON,
        Kind::UnexpectedComma => &SPARE_COMMA,
        Kind::UnterminatedArray | Kind::UnterminatedObject => &OPEN,
        Kind::UnexpectedCloseBrace | Kind::UnexpectedCloseBracket => &CLOSE,
        Kind::String(Text::UnterminatedStringLiteral) => &odd_characters::OPEN_STRING,
        Kind::String(_) => &ESCAPE,
        Kind::SingleQuotedStringsNotAllowed | Kind::ExpectedStringObjectProperty | Kind::UnexpectedWord => &BARE,
        Kind::MultipleRootJsonValues => &SEVERAL,
        Kind::UnterminatedCommentBlock => &COMMENT_OPEN,
        Kind::NestingDepthExceeded => &TOO_DEEP,
        Kind::BareDecimalPointNumbersNotAllowed
        | Kind::CommentsNotAllowed
        | Kind::ExpectedObjectValue
        | Kind::ExpectedDigit
        | Kind::ExpectedDigitFollowingNegativeSign
        | Kind::ExpectedPlusMinusOrDigitInNumberLiteral
        | Kind::HexadecimalNumbersNotAllowed
        | Kind::NonFiniteNumbersNotAllowed
        | Kind::TrailingCommasNotAllowed
        | Kind::UnaryPlusNumbersNotAllowed
        | Kind::UnexpectedColon
        | Kind::UnexpectedToken
        | Kind::UnexpectedTokenInObject => &JSON,
    };
    let detail = error.kind().to_string();
    SyntaxError {
        message: if *template == JSON {
            template.render(args! { "detail" => detail })
        } else {
            template.render_plain()
        },
        position: lines.position(error.range().start),
    }
}

fn build_tree(lines: &LineStarts<'_>, value: &ast::Value<'_>) -> Result<Node, SyntaxError> {
    build_node(lines, value, 0)
}

fn build_node(lines: &LineStarts<'_>, value: &ast::Value<'_>, depth: usize) -> Result<Node, SyntaxError> {
    let range = value.range();
    let position = lines.position(range.start);
    if depth >= MAX_DEPTH && matches!(value, ast::Value::Array(_) | ast::Value::Object(_)) {
        return Err(SyntaxError {
            message: TOO_DEEP.render_plain(),
            position,
        });
    }
    let kind = match value {
        ast::Value::Array(array) => {
            let items = array
                .elements
                .iter()
                .map(|item| build_node(lines, item, depth + 1).map(Arc::new));
            ValueKind::List(items.collect::<Result<_, _>>()?)
        }
        ast::Value::Object(object) => build_mapping(lines, object, depth)?,
        ast::Value::StringLit(text) => ValueKind::Scalar {
            value: Value::String(text.value.to_string()),
            text: text.value.to_string(),
        },
        ast::Value::NumberLit(_) => {
            let text = lines.text.get(range.start..range.end).unwrap_or_default();
            ValueKind::Scalar {
                value: definition_number(text).map_or_else(|| out_of_f64_range(text), Value::Number),
                text: text.to_owned(),
            }
        }
        ast::Value::BooleanLit(literal) => ValueKind::Scalar {
            value: Value::Bool(literal.value),
            text: literal.value.to_string(),
        },
        ast::Value::NullKeyword(_) => ValueKind::Scalar {
            value: Value::Null,
            text: "null".to_owned(),
        },
    };
    Ok(Node {
        kind,
        position,
        span: range.start..range.end,
        weight: 1,
    })
}

/// The f64 nearest to a number that no f64 can represent. It is out of range for every known field; elsewhere it does
/// not matter.
fn out_of_f64_range(text: &str) -> Value {
    Value::from(if text.starts_with('-') { f64::MIN } else { f64::MAX })
}

fn build_mapping(lines: &LineStarts<'_>, object: &ast::Object<'_>, depth: usize) -> Result<ValueKind, SyntaxError> {
    let mut entries: Vec<Entry> = Vec::with_capacity(object.properties.len());
    let mut duplicate_keys = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for property in &object.properties {
        let key = property.name.as_str().to_owned();
        let list = if seen.insert(key.clone()) {
            &mut entries
        } else {
            &mut duplicate_keys
        };
        list.push(Entry {
            key,
            key_position: lines.position(property.name.range().start),
            value: Arc::new(build_node(lines, &property.value, depth + 1)?),
        });
    }
    Ok(ValueKind::Mapping {
        entries,
        duplicate_keys,
    })
}

/// Size of a block in bytes. The characters before each block are counted once.
const BLOCK_BYTES: usize = 1 << 10;

/// Where the lines of a text begin, and how many characters precede each block. The counts make columns cheap, because
/// a large file may be one line.
pub(crate) struct LineStarts<'a> {
    text: &'a str,
    starts: Vec<usize>,
    chars: Vec<usize>,
}

impl<'a> LineStarts<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let blocks = text.as_bytes().chunks(BLOCK_BYTES).scan(0, |before, block| {
            *before += count_chars(block);
            Some(*before)
        });
        Self {
            text,
            starts: std::iter::once(0).chain(after_breaks).collect(),
            chars: std::iter::once(0).chain(blocks).collect(),
        }
    }

    /// The line and column of a byte, for messages. The column counts characters.
    pub(crate) fn position(&self, at: usize) -> TextPosition {
        let line = self.starts.partition_point(|start| *start <= at).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let at = (start..=at.min(self.text.len()))
            .rev()
            .find(|at| self.text.is_char_boundary(*at));
        let at = at.unwrap_or(start);
        let before = if at - start <= BLOCK_BYTES {
            count_chars(&self.text.as_bytes()[start..at])
        } else {
            self.chars_before(at) - self.chars_before(start)
        };
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        TextPosition {
            line: number(line),
            column: number(before + 1),
        }
    }

    fn chars_before(&self, at: usize) -> usize {
        let block = at / BLOCK_BYTES;
        self.chars[block] + count_chars(&self.text.as_bytes()[block * BLOCK_BYTES..at])
    }
}

/// The number of characters whose first byte is in `bytes`.
fn count_chars(bytes: &[u8]) -> usize {
    let is_first = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
    bytes.iter().filter(is_first).count()
}

#[cfg(test)]
#[path = "jsonc_tests.rs"]
mod tests;
