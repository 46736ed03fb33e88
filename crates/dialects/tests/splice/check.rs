//! Makes one random edit, and checks the result independently of the code that made it.

use hookwright_dialects::splice::{self, Destination, Format, NewValue, Op, Path, PathStep, key};
use hookwright_model::Message;
use serde_json::{Value, json};

use hookwright_testkit::TestRng;

/// The event and the hook that a line belongs to; `None` if it belongs to no hook.
pub type LineOwner = Option<(usize, usize)>;

pub struct Document {
    pub format: Format,
    pub text: String,
    /// The owner of each line.
    owners: Vec<LineOwner>,
    /// Name and number of hooks of each event.
    counts: Vec<(String, usize)>,
    /// Comments on lines that several hooks share.
    shared_comments: Vec<SharedLineComment>,
}

/// A comment on a line of several hooks, and the hook that it belongs to.
pub struct SharedLineComment {
    pub mark: String,
    pub hook: (usize, usize),
    /// The field that the comment follows.
    pub field: Option<&'static str>,
}

impl Document {
    pub fn new(
        format: Format,
        rng: &mut TestRng,
        lines: Vec<(String, LineOwner)>,
        counts: Vec<(String, usize)>,
    ) -> Self {
        let eol = if rng.one_in(3) { "\r\n" } else { "\n" };
        let mut text: Vec<&str> = lines.iter().map(|(text, _)| text.as_str()).collect();
        if !rng.one_in(4) {
            text.push("");
        }
        Self {
            format,
            text: text.join(eol),
            owners: lines.iter().map(|(_, owner)| *owner).collect(),
            counts,
            shared_comments: Vec::new(),
        }
    }

    /// The same document, with comments whose owners cannot be seen from their lines.
    pub fn with_comments(self, shared_comments: Vec<SharedLineComment>) -> Self {
        Self {
            shared_comments,
            ..self
        }
    }

    /// Start of the first and end of the last line of a hook.
    fn bytes_of(&self, hook: (usize, usize)) -> (usize, usize) {
        let mut at = 0;
        let mut found: Option<(usize, usize)> = None;
        for (line, owner) in self.text.split_inclusive('\n').zip(&self.owners) {
            if *owner == Some(hook) {
                let begin = found.map_or(at, |(begin, _)| begin);
                found = Some((begin, at + line.len()));
            }
            at += line.len();
        }
        found.unwrap_or((0, self.text.len()))
    }

    fn marks_of(&self, hook: (usize, usize)) -> Vec<String> {
        let hook_lines = self
            .text
            .lines()
            .zip(&self.owners)
            .filter(|(_, owner)| **owner == Some(hook));
        let shared = self.shared_comments.iter().filter(|own| own.hook == hook);
        hook_lines
            .flat_map(|(line, _)| marks(line))
            .chain(shared.map(|own| own.mark.clone()))
            .collect()
    }

    /// Whether a comment is in the part that an edit of a field removes.
    fn in_field(&self, mark: &str, op: &Op) -> bool {
        let (Op::Set { at, .. } | Op::Unset { at }) = op else {
            return false;
        };
        let named = |name: &str| matches!(at.get(2), Some(PathStep::Key(field, _)) if field == name);
        let known = self.shared_comments.iter().find(|own| own.mark == mark);
        known.is_none_or(|own| own.field.is_some_and(named))
    }
}

/// The marks in a text, such as `c12c`. Every comment contains one mark that no other comment has.
fn marks(text: &str) -> Vec<String> {
    let starts = text.match_indices('c').map(|(at, _)| at);
    starts
        .filter_map(|at| {
            let rest = &text[at + 1..];
            let end = rest.find('c')?;
            let number = &rest[..end];
            let before = text[..at].chars().next_back();
            let whole = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            (whole && matches!(before, Some(' ' | '#'))).then(|| format!("c{number}c"))
        })
        .collect()
}

const TEXTS: [&str; 18] = [
    "echo done",
    "",
    "yes",
    "007",
    "2026-01-15",
    "a: b # c",
    "'quoted' \"both\"",
    "line one\nline two\n",
    "no end\nof line",
    "  leads\nwith blanks\n",
    "\n\nempty lines first\n",
    "trailing blank \nand more\n\n",
    "中文 ✓ \u{1f600}",
    "tab\there",
    "back\\slash, [brackets], {braces}",
    "- dash",
    "\u{7}bell\u{85}next",
    "{{tool_name}}",
];

fn random_value(rng: &mut TestRng, format: Format) -> Value {
    match rng.less_than(8) {
        0 => json!(rng.less_than(100)),
        1 => json!(true),
        // TOML has no null.
        2 if format == Format::Toml => json!(1.5),
        2 => json!(null),
        3 => json!({"tool_name": "Read", "deep": {"x": [1, "two"]}}),
        4 => json!(["a", "b: c", 3]),
        _ => json!(*rng.pick(&TEXTS)),
    }
}

fn random_hook(rng: &mut TestRng) -> Value {
    let mut hook = json!({"command": *rng.pick(&TEXTS)});
    if rng.one_in(2) {
        hook["timeout"] = json!(5);
    }
    if rng.one_in(3) {
        hook["filter"] = json!({"tool_matcher": "Edit|Write"});
    }
    hook
}

fn random_field(rng: &mut TestRng) -> Path {
    match rng.less_than(9) {
        0 => vec![key("command")],
        1 => vec![key("timeout")],
        2 => vec![key("prompt")],
        3 => vec![key("filter"), key("tool_name")],
        4 => vec![key("filter"), key("tool_matcher")],
        5 => vec![key("extra")],
        6 => vec![key("on_error")],
        7 => vec![key("filter")],
        _ => vec![key("new key")],
    }
}

/// An operation, the value that it must give, and the hooks whose lines it may touch.
struct ExpectedEdit {
    op: Op,
    expected: Value,
    touched: Vec<(usize, usize)>,
    removed: Option<(usize, usize)>,
    /// The copied hook. Each of its comments must occur twice after the edit.
    copied: Option<(usize, usize)>,
}

fn random_edit(rng: &mut TestRng, document: &Document) -> Option<ExpectedEdit> {
    let value = splice::parse_value(document.format, &document.text).expect("a document parses");
    let event = rng.less_than(document.counts.len());
    let (name, count) = document.counts[event].clone();
    let list = vec![key(&name)];
    let mut expected = value.clone();
    let mut edit = ExpectedEdit {
        op: Op::Unset { at: list.clone() },
        expected: Value::Null,
        touched: Vec::new(),
        removed: None,
        copied: None,
    };
    let at = |index: usize, rest: Path| [list.clone(), vec![PathStep::Item(index)], rest].concat();
    let kind = rng.less_than(7);
    if kind == 0 || count == 0 {
        let index = rng.less_than(count + 1);
        let hook = random_hook(rng);
        if expected[&name].is_null() {
            expected[&name] = json!([]);
        }
        expected[&name].as_array_mut()?.insert(index, hook.clone());
        if let Some(neighbour) = index.checked_sub(1).filter(|_| index == count) {
            edit.touched.push((event, neighbour));
        } else if index < count {
            edit.touched.push((event, index));
        }
        edit.op = Op::Insert {
            at: at(index, vec![]),
            content: hook.into(),
        };
    } else {
        let index = rng.less_than(count);
        edit.touched.push((event, index));
        match kind {
            1 => {
                expected[&name].as_array_mut()?.remove(index);
                edit.removed = Some((event, index));
                // The comma of the item before is removed too.
                edit.touched.extend(index.checked_sub(1).map(|before| (event, before)));
                edit.op = Op::Remove { at: at(index, vec![]) };
            }
            2 => {
                let to = rng.less_than(count);
                let items = expected[&name].as_array_mut()?;
                let item = items.remove(index);
                items.insert(to, item);
                edit.touched.push((event, to));
                edit.op = Op::Move { list, from: index, to };
            }
            3 => {
                let content = NewValue {
                    value: value[&name][index].clone(),
                    fragment: splice::copy_fragment(
                        document.format,
                        &document.text,
                        &at(index, vec![]),
                        *rng.pick(&[Destination::SameText, Destination::OtherText]),
                    ),
                };
                let copy = value[&name][index].clone();
                expected[&name].as_array_mut()?.insert(index + 1, copy);
                edit.copied = content.fragment.is_some().then_some((event, index));
                edit.touched.extend((index + 1 < count).then_some((event, index + 1)));
                edit.op = Op::Insert {
                    at: at(index + 1, vec![]),
                    content,
                };
            }
            4 => {
                let field = random_field(rng);
                let found = field.iter().try_fold(&value[&name][index], |value, step| match step {
                    PathStep::Key(name, _) => value.get(name),
                    PathStep::Item(_) => None,
                });
                found?;
                let mut below = &mut expected[&name][index];
                for step in &field[..field.len() - 1] {
                    if let PathStep::Key(name, _) = step {
                        below = &mut below[name];
                    }
                }
                if let Some(PathStep::Key(name, _)) = field.last() {
                    below.as_object_mut()?.shift_remove(name);
                }
                edit.op = Op::Unset { at: at(index, field) };
            }
            _ => {
                let field = random_field(rng);
                let new = random_value(rng, document.format);
                let mut below = &mut expected[&name][index];
                for step in &field {
                    if let PathStep::Key(name, _) = step {
                        if !(below.is_object() || below.is_null()) {
                            return None;
                        }
                        below = &mut below[name];
                    }
                }
                *below = new.clone();
                edit.op = Op::Set {
                    at: at(index, field),
                    value: new,
                };
            }
        }
    }
    edit.expected = expected;
    Some(edit)
}

/// The result of a valid edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditOutcome {
    Written,
    /// Refused because of the empty lines of a block string that keeps them.
    Refused,
}

/// Makes one random edit and checks every rule. Returns `None` if the document has nothing that it could change.
pub fn try_random_edit(rng: &mut TestRng, document: &Document) -> Option<Result<EditOutcome, String>> {
    random_edit(rng, document).map(|edit| check_edit(document, &edit))
}

fn check_edit(document: &Document, edit: &ExpectedEdit) -> Result<EditOutcome, String> {
    let Document { format, text, .. } = document;
    let after = splice::apply(*format, text, std::slice::from_ref(&edit.op));
    if after
        .as_ref()
        .is_err_and(|message| is_refused_for_comments(&edit.op, message))
    {
        return Ok(EditOutcome::Written);
    }
    let shown = |what: String| {
        let after = after.as_deref().unwrap_or_default();
        format!(
            "{what}\n{:?}\n── before\n{}\n── after\n{}",
            edit.op,
            show_control_chars(text),
            show_control_chars(after)
        )
    };
    let check = |after: &str| {
        let read = splice::parse_value(*format, after).map_err(|message| message.text)?;
        // In TOML a list of tables ends with its last table.
        let shown = |value: &Value| match value {
            Value::Object(map) if *format == Format::Toml => {
                let entries = map.clone().into_iter();
                entries.filter(|(_, value)| *value != json!([])).collect()
            }
            _ => value.clone(),
        };
        let is_expected = shown(&read) == shown(&edit.expected)
            || ended_table(*format, edit).is_some_and(|ended| shown(&read) == shown(&ended));
        ensure(is_expected, || format!("it says {read}"))?;
        comments_stay(document, edit, after)?;
        if document.shared_comments.is_empty() {
            lines_stay(document, edit, after)?;
        }
        let crlf = text.contains("\r\n");
        let bare = after.replace("\r\n", "").contains('\n');
        ensure(if crlf { !bare } else { !after.contains('\r') }, || {
            "mixed line breaks".into()
        })?;
        // A blank line before a removed last hook stays.
        // A string with a line break at its end brings that break to the end of the file.
        let brought = document.format == Format::Yaml && after.ends_with('\n');
        // The first table of an empty file is a line like every other.
        let brought = brought || document.format == Format::Toml && text.is_empty();
        let end_stays = edit.removed.is_some() || brought || text.ends_with('\n') == after.ends_with('\n');
        ensure(end_stays, || "the end of the text".into())
    };
    match &after {
        Ok(after) => check(after).map(|()| EditOutcome::Written).map_err(shown),
        Err(message) if is_refused_for_empty_lines(text, &edit.op, message) => Ok(EditOutcome::Refused),
        Err(words) => Err(shown(format!("refused: {words}"))),
    }
}

/// The expected value without a table that became empty. In TOML one that only dotted keys name ends with its last key.
fn ended_table(format: Format, edit: &ExpectedEdit) -> Option<Value> {
    let Op::Unset { at } = &edit.op else { return None };
    let (_, table) = at.split_last().filter(|_| format == Format::Toml)?;
    let (PathStep::Key(name, _), above) = table.split_last()? else {
        return None;
    };
    let mut ended = edit.expected.clone();
    let holder = above.iter().try_fold(&mut ended, |value, step| match step {
        PathStep::Key(name, _) => value.get_mut(name),
        PathStep::Item(index) => value.get_mut(index),
    })?;
    let is_empty = holder.get(name) == Some(&json!({}));
    holder.as_object_mut()?.shift_remove(name).filter(|_| is_empty)?;
    Some(ended)
}

/// Whether a move in brackets is refused, because it is not clear which item a comment belongs to.
fn is_refused_for_comments(op: &Op, message: &Message) -> bool {
    matches!(op, Op::Move { .. }) && message.code == splice::FORM.code
}

/// Whether an edit is refused because of empty lines behind a block string that keeps them. They become part of the
/// string when the text between them is removed. So only edits that remove or move something are refused, never
/// insertions or new values.
fn is_refused_for_empty_lines(text: &str, op: &Op, message: &Message) -> bool {
    let takes_away = matches!(op, Op::Remove { .. } | Op::Unset { .. } | Op::Move { .. });
    takes_away && message.code == splice::DIFFERS.code && (text.contains("|+") || text.contains(">+"))
}

fn ensure(condition: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(what()) }
}

fn comments_stay(document: &Document, edit: &ExpectedEdit, after: &str) -> Result<(), String> {
    let removed = edit.removed.map(|hook| document.marks_of(hook)).unwrap_or_default();
    let copied = edit.copied.map(|hook| document.marks_of(hook)).unwrap_or_default();
    let found = marks(after);
    for mark in marks(&document.text) {
        let count = found.iter().filter(|there| **there == mark).count();
        let wanted = match () {
            () if removed.contains(&mark) => 0,
            () if copied.contains(&mark) => 2,
            () => 1,
        };
        // A comment inside a value is removed with the value, and one behind a key with its line.
        let in_the_change = document.in_field(&mark, &edit.op)
            && edit.touched.iter().any(|hook| document.marks_of(*hook).contains(&mark));
        let fine = count == wanted || (in_the_change && count == 0);
        ensure(fine, || format!("the comment {mark} stands there {count} times"))?;
    }
    Ok(())
}

/// Checks that only the lines of the touched hooks differ.
fn lines_stay(document: &Document, edit: &ExpectedEdit, after: &str) -> Result<(), String> {
    if edit.touched.is_empty() {
        return Ok(());
    }
    let text = &document.text;
    // A new table behind all others is behind the comments at the end of the file.
    let is_last = document.format == Format::Toml && matches!(edit.op, Op::Insert { .. });
    if is_last && after.starts_with(text.trim_end()) {
        return Ok(());
    }
    let spans: Vec<(usize, usize)> = edit.touched.iter().map(|hook| document.bytes_of(*hook)).collect();
    let begin = spans.iter().map(|(begin, _)| *begin).min().unwrap_or(0);
    let end = spans.iter().map(|(_, end)| *end).max().unwrap_or(text.len());
    let (mut head, mut tail) = (&text[..begin], &text[end..]);
    if let Some((event, _)) = edit.removed {
        // A list that loses its last item becomes `[]` behind its key, so its bracket closes there.
        if document.counts[event].1 == 1 && document.format != Format::Toml {
            let key = text[..begin].rfind(&document.counts[event].0).unwrap_or(0);
            let line = text[key..].find(':').unwrap_or(0);
            head = &text[..key + line];
            tail = tail.trim_start();
        }
        head = head.trim_end_matches(['\r', '\n']);
    }
    ensure(after.starts_with(head), || "something before the change differs".into())?;
    ensure(after.ends_with(tail.trim_start_matches(['\r', '\n'])), || {
        "something behind the change differs".into()
    })
}

fn show_control_chars(text: &str) -> String {
    text.replace('\r', "␍").replace('\t', "␉")
}

/// Number of edits in one sequence.
pub const EDITS_PER_SEQUENCE: usize = 12;

/// Makes edits one after the other. Each one must leave a text that the next one can edit. Returns how many were
/// refused.
pub fn edit_sequence(rng: &mut TestRng, document: &Document) -> Result<usize, String> {
    let mut text = document.text.clone();
    let mut refused = 0;
    for _ in 0..EDITS_PER_SEQUENCE {
        let value = splice::parse_value(document.format, &text).map_err(|message| message.text)?;
        let (name, _) = &document.counts[rng.less_than(document.counts.len())];
        let count = value[name].as_array().map_or(0, Vec::len);
        let op = match rng.less_than(4) {
            0 if count > 0 => Op::Remove {
                at: vec![key(name), PathStep::Item(rng.less_than(count))],
            },
            1 if count > 0 => Op::Move {
                list: vec![key(name)],
                from: rng.less_than(count),
                to: rng.less_than(count),
            },
            2 if count > 0 => Op::Set {
                at: vec![key(name), PathStep::Item(rng.less_than(count)), key("command")],
                value: random_value(rng, document.format),
            },
            _ => Op::Insert {
                at: vec![key(name), PathStep::Item(rng.less_than(count + 1))],
                content: random_hook(rng).into(),
            },
        };
        text = match splice::apply(document.format, &text, std::slice::from_ref(&op)) {
            Ok(after) => after,
            Err(message) if is_refused_for_empty_lines(&text, &op, &message) => {
                refused += 1;
                continue;
            }
            Err(message) if is_refused_for_comments(&op, &message) => continue,
            Err(words) => return Err(format!("refused: {words}\n{op:?}\n{}", show_control_chars(&text))),
        };
    }
    Ok(refused)
}
