//! Finds scalars whose value is not what their author wrote, because YAML reads some characters in its own way
//! (`engine.md` §14, row "values the parser changes").

use hookwright_model::problem::TextPosition;
use hookwright_model::{Message, args, render};
use serde_json::Value;
use serde_saphyr::granit_parser::{ScalarStyle, Tag};

use super::SyntaxError;
use crate::odd_characters;

hookwright_model::messages! {
    /// A `!` before a value, which YAML takes for a tag.
    TAG = "syntax" / "tag_dropped" { "YAML reads `{tag}` as a tag and drops it: the value is `{value}`", "YAML 将 `{tag}` 视为标签并丢弃：值是 `{value}`" } hint { "put the whole value in quotes, `{tag}` included", "把包括 `{tag}` 在内的整个值加上引号" };
    /// A backslash and a letter in double quotes that mean a control character.
    ESCAPE = "syntax" / "escape_read" { "`{written}` in double quotes is one control character: the value is `{value}`", "双引号中的 `{written}` 是一个控制字符：值是 `{value}`" } hint { "use single quotes, or write the backslash twice", "改用单引号，或把反斜杠写两次" };
    /// A comment that begins inside a quote of the value.
    COMMENT = "syntax" / "comment_cuts" { "` #` begins a comment inside a quote: the value is `{value}`", "` #` 在引号内开始了注释：值是 `{value}`" } hint { "put the whole value in quotes, or write it as a block after `|`", "给整个值加上引号，或写成 `|` 之后的文本块" };
    /// Lines of a script that YAML joins.
    FOLDED = "syntax" / "folded" { "YAML folds these lines into one line with spaces: the value is `{value}`", "YAML 会用空格把这些行折叠成一行：值是 `{value}`" } hint { "write the script as a block after `|`, which keeps its lines", "把脚本写成 `|` 之后的文本块，以保留换行" };
    /// Curly quotes around a value, which are part of it.
    QUOTED = "syntax" / "odd_quotes" { "the quotes around this value are not straight, so they are part of it: the value is `{value}`", "此值两侧不是直引号，因此引号是值的一部分：值是 `{value}`" } hint { "write `\"` or `'` on both sides", "两侧写 `\"` 或 `'`" };
}

/// How many characters of a value a message shows.
const MAX_SHOWN: usize = 60;
/// Words that begin a command of their own, so that a line with one of them does not continue the line above it.
const OWN_COMMANDS: [&str; 26] = [
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "exit", "return",
    "echo", "printf", "export", "local", "set", "unset", "shift", "trap", "cd", "[", "[[", "#",
];
/// What a line ends with that the next line continues.
const GOES_ON: [&str; 9] = [";", "&&", "||", "|", "{", "(", "then", "do", "else"];
/// What a line begins with that continues the line above it.
const CONTINUES: [char; 12] = ['|', '&', ';', ')', '}', '-', '<', '>', '"', '\'', '$', '\\'];
/// Programs that run the rest of their line.
const PREFIXES: [&str; 7] = ["env", "exec", "xargs", "sudo", "time", "nohup", "command"];

/// A scalar as the parser reports it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadScalar<'a> {
    pub value: &'a str,
    pub style: ScalarStyle,
    pub tag: Option<&'a Tag>,
    /// The text of the file from the first character of the scalar.
    pub rest: &'a str,
    /// Its length in bytes.
    pub length: usize,
    pub position: TextPosition,
    /// Whether it is the value of `command`.
    pub is_command: bool,
    /// Whether people read it.
    pub is_text: bool,
}

/// The warning about a scalar that the parser changes.
pub(super) fn find(scalar: &ReadScalar<'_>) -> Option<SyntaxError> {
    let value = shown(scalar.value);
    let here = |message: Message| {
        Some(SyntaxError {
            message,
            position: scalar.position,
        })
    };
    if let Some(tag) = scalar.tag.filter(|tag| is_own_tag(tag)) {
        return here(TAG.render(args! { "tag" => tag.to_string(), "value" => value }));
    }
    let raw = scalar.rest.get(..scalar.length).unwrap_or_default();
    if scalar.style == ScalarStyle::DoubleQuoted
        && let Some((written, before)) = misread_escape(raw)
    {
        let place = TextPosition {
            line: scalar.position.line + u32::try_from(before.matches('\n').count()).unwrap_or_default(),
            column: match before.rsplit_once('\n') {
                Some((_, line)) => u32::try_from(line.chars().count() + 1).unwrap_or(u32::MAX),
                None => scalar.position.column + u32::try_from(before.chars().count()).unwrap_or_default(),
            },
        };
        let message = ESCAPE.render(args! { "written" => written, "value" => value });
        return Some(SyntaxError {
            message,
            position: place,
        });
    }
    if scalar.style == ScalarStyle::Plain {
        let behind = scalar.rest.get(scalar.length..).unwrap_or_default();
        let behind = behind.lines().next().unwrap_or_default();
        let is_comment = behind.starts_with([' ', '\t']) && behind.trim_start().starts_with('#');
        if is_comment && open_quote(scalar.value).is_some_and(|quote| behind.contains(quote)) {
            return here(render!(COMMENT, "value" => value));
        }
        if !scalar.is_text && odd_characters::is_in_odd_quotes(scalar.value) {
            return here(render!(QUOTED, "value" => value));
        }
    }
    let is_folded = scalar.style != ScalarStyle::Literal;
    if scalar.is_command && is_folded && is_broken_script(raw, scalar) {
        return here(render!(FOLDED, "value" => value));
    }
    None
}

/// Whether a tag is none of YAML's own.
fn is_own_tag(tag: &Tag) -> bool {
    !tag.to_string().starts_with("tag:yaml.org,2002:")
}

/// A value as messages show it: in quotes, with escapes, and not too long.
pub(crate) fn shown(value: &str) -> String {
    let text = value.trim_end();
    let start: String = text.chars().take(MAX_SHOWN).collect();
    let cut = if start.len() < text.len() { "…" } else { "" };
    Value::from(format!("{start}{cut}")).to_string()
}

/// The escape in double quotes that is more likely a word boundary or a part of a path, and the text before it.
pub(crate) fn misread_escape(raw: &str) -> Option<(&str, &str)> {
    let mut signs = raw.char_indices();
    let mut before = None;
    while let Some((at, sign)) = signs.next() {
        if sign == '\\' {
            let (_, letter) = signs.next()?;
            let in_path = before.is_some_and(|sign: char| sign.is_alphanumeric() || sign == ':');
            if letter == 'b' || in_path && "fva".contains(letter) {
                return Some((&raw[at..at + 2], &raw[..at]));
            }
            before = None;
        } else {
            before = Some(sign);
        }
    }
    None
}

/// The quote that a shell would still have open at the end of a text.
fn open_quote(text: &str) -> Option<char> {
    let mut open = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (open, sign) {
            (None | Some('"'), '\\') => {
                signs.next();
            }
            (None, '"' | '\'') => open = Some(sign),
            (Some(quote), _) if quote == sign => open = None,
            _ => {}
        }
    }
    open
}

/// Whether a script means something else once its lines are joined with spaces.
fn is_broken_script(raw: &str, scalar: &ReadScalar<'_>) -> bool {
    let base = usize::try_from(scalar.position.column).unwrap_or(1) - 1;
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let lines: Vec<&str> = match scalar.style {
        ScalarStyle::Folded => {
            let mut all = scalar.rest.lines();
            let inside = |line: &&str| line.trim().is_empty() || indent(line) >= base;
            let first = all.next().into_iter();
            first.chain(all.take_while(inside)).collect()
        }
        ScalarStyle::Plain | ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted | ScalarStyle::Literal => {
            raw.lines().collect()
        }
    };
    let mut so_far = String::new();
    lines.windows(2).any(|pair| {
        let (above, below) = (pair[0], pair[1]);
        so_far += above.trim();
        so_far.push(' ');
        // A line that is indented further, or a blank one, keeps its line break.
        let is_deeper = |line: &str| scalar.style == ScalarStyle::Folded && indent(line) > base;
        let is_kept = above.trim().is_empty() || below.trim().is_empty() || is_deeper(above) || is_deeper(below);
        !is_kept && breaks_when_joined(above.trim(), below.trim(), &so_far, scalar.value)
    })
}

/// Whether two lines that are joined run something else than one after the other.
fn breaks_when_joined(above: &str, below: &str, so_far: &str, whole: &str) -> bool {
    if open_quote(so_far).is_some() {
        let runs_python = ["python3 -c", "python -c"].iter().any(|start| so_far.contains(start));
        return runs_python && !above.ends_with([';', ',', '(', '{', '[', '"', '\'']);
    }
    if above.starts_with('#') || above.ends_with('\\') || above.contains("<<") {
        return true;
    }
    let last_word = above.rsplit(' ').next().unwrap_or_default();
    let ends_with = |end: &str| above.ends_with(end) && (!end.chars().all(char::is_alphabetic) || last_word == end);
    if GOES_ON.iter().any(|end| ends_with(end)) || PREFIXES.contains(&last_word) {
        return false;
    }
    let first = |line: &str| line.split([' ', ';']).next().unwrap_or_default().to_owned();
    if OWN_COMMANDS.contains(&first(below).as_str()) || below.starts_with('#') || is_assignment(below) {
        return true;
    }
    if below.starts_with(CONTINUES) {
        return false;
    }
    if let Some(name) = assigned(above).filter(|_| above.split_whitespace().all(is_assignment) || above.ends_with(')'))
    {
        return whole.contains(&format!("${name}")) || whole.contains(&format!("${{{name}"));
    }
    first(above) == first(below)
}

fn is_assignment(line: &str) -> bool {
    assigned(line).is_some()
}

/// The variable that a line begins to assign.
fn assigned(line: &str) -> Option<&str> {
    let (name, _) = line.split_once('=')?;
    let is_name = !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_');
    (is_name && !name.starts_with(|sign: char| sign.is_ascii_digit())).then_some(name)
}
