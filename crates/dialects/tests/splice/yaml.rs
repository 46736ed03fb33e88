//! Documents as people write them: comments everywhere, blocks that hold what looks like comments, flow maps, anchors.

use hookwright_dialects::splice::Format;

use crate::check::{Document, Owner};
use hookwright_testkit::Chance;

const EVENTS: [&str; 4] = [
    "pre_tool_execution",
    "stop",
    "\"post_llm_response\"",
    "pre_send_message",
];

/// A text in the making: each line with the hook it belongs to.
pub struct Writer {
    pub lines: Vec<(String, Owner)>,
    comments: usize,
}

impl Writer {
    pub fn new() -> Self {
        Self {
            lines: Vec::new(),
            comments: 0,
        }
    }

    pub fn line(&mut self, text: impl Into<String>, owner: Owner) {
        self.lines.push((text.into(), owner));
    }

    /// Words of a comment that no other comment has.
    pub fn mark(&mut self, chance: &mut Chance) -> String {
        self.comments += 1;
        let words = *chance.pick(&[
            "why",
            "说明：保留",
            "- looks: like",
            "timeout: 5",
            "a # b",
            "\"quoted",
            "{x: [",
        ]);
        format!("c{}c {words}", self.comments)
    }

    pub fn comment(&mut self, chance: &mut Chance, column: usize, owner: Owner) {
        let mark = self.mark(chance);
        let blank = if chance.one_in(5) { "" } else { " " };
        self.line(format!("{}#{blank}{mark}", " ".repeat(column)), owner);
    }

    fn trailing(&mut self, chance: &mut Chance) -> String {
        if chance.one_in(4) {
            let gap = *chance.pick(&[" ", "   ", "\t"]);
            format!("{gap}# {}", self.mark(chance))
        } else {
            String::new()
        }
    }
}

struct Looks {
    dash: usize,
    gap: usize,
    unit: usize,
}

pub fn document(chance: &mut Chance) -> Document {
    let mut out = Writer::new();
    if chance.one_in(3) {
        out.comment(chance, 0, None);
        out.line("", None);
    }
    if chance.one_in(8) {
        out.line("---", None);
    }
    let anchor = chance.one_in(4);
    if anchor {
        let tail = out.trailing(chance);
        out.line(format!("x-defaults: &defaults{tail}"), None);
        out.line("  timeout: 7", None);
        out.line("  note: &note '说 ''hi'''", None);
    }
    let looks = Looks {
        dash: *chance.pick(&[0, 2, 2, 4]),
        gap: *chance.pick(&[2, 2, 2, 4]),
        unit: *chance.pick(&[2, 2, 4]),
    };
    let events = 1 + chance.below(3);
    let mut counts = Vec::new();
    for (number, name) in EVENTS.iter().enumerate().take(events) {
        if number > 0 && chance.one_in(2) {
            out.line("", None);
        }
        if chance.one_in(3) {
            out.comment(chance, 0, None);
        }
        let hooks = chance.below(5);
        let tail = out.trailing(chance);
        if hooks == 0 {
            let empty = *chance.pick(&[" []", "", " ~", " null", " [ ]"]);
            out.line(format!("{name}:{empty}{tail}"), None);
        } else {
            out.line(format!("{name}:{tail}"), None);
            for hook in 0..hooks {
                one_hook(chance, &mut out, &looks, (number, hook), anchor);
            }
        }
        counts.push((name.trim_matches('"').to_owned(), hooks));
    }
    if chance.one_in(4) {
        out.line("", None);
        out.comment(chance, 0, None);
    }
    Document::of(Format::Yaml, chance, out.lines, counts)
}

fn one_hook(chance: &mut Chance, out: &mut Writer, looks: &Looks, id: (usize, usize), anchor: bool) {
    let owner = Some(id);
    if chance.one_in(5) {
        out.line(*chance.pick(&["", "  "]), None);
        if chance.one_in(3) {
            // Nobody's: an empty line stands between it and the hook.
            out.comment(chance, looks.dash, None);
            out.line("", None);
        }
    }
    for _ in 0..chance.below(3) {
        let column = if chance.one_in(4) { 0 } else { looks.dash };
        out.comment(chance, column, owner);
    }
    let indent = " ".repeat(looks.dash);
    let dash = format!("{indent}-{}", " ".repeat(looks.gap - 1));
    if chance.one_in(5) {
        let tail = out.trailing(chance);
        let text = *chance.pick(&[
            "{command: 'echo a, b', timeout: 3}",
            "{ command: echo, filter: { tool_matcher: \"Edit|Write\" } }",
            "{\"command\": \"echo #1\", \"timeout\":5}",
            "{command: 运行, extra: [1, two, {three: 3}]}",
        ]);
        out.line(format!("{dash}{text}{tail}"), owner);
        return;
    }
    if chance.one_in(12) {
        out.line(format!("{dash}{{command: echo,"), owner);
        let tail = out.trailing(chance);
        out.line(format!("{indent}    timeout: 4,{tail}"), owner);
        out.line(format!("{indent}    on_error: skip}}"), owner);
        return;
    }
    let column = looks.dash + looks.gap;
    let mut head = dash;
    let mut fields: Vec<usize> = (0..FIELDS).filter(|_| chance.one_in(2)).collect();
    if !fields.iter().any(|field| *field < 3) {
        fields.insert(chance.below(fields.len() + 1), 0);
    }
    if anchor && chance.one_in(4) {
        out.line(format!("{head}<<: *defaults"), owner);
        head = " ".repeat(column);
    }
    for field in fields {
        if head.trim().is_empty() && chance.one_in(6) {
            out.comment(chance, column, owner);
        }
        one_field(chance, out, looks, field, &head, owner, anchor);
        head = " ".repeat(column);
    }
    if chance.one_in(6) {
        out.comment(chance, column, owner);
    }
}

const FIELDS: usize = 7;

fn one_field(
    chance: &mut Chance,
    out: &mut Writer,
    looks: &Looks,
    field: usize,
    head: &str,
    owner: Owner,
    anchor: bool,
) {
    let column = head.len();
    let deeper = " ".repeat(column + looks.unit);
    match field {
        0 => {
            let tail = out.trailing(chance);
            let value = *chance.pick(&[
                "echo hi",
                "\"python3 ~/x.py \\\"中\\\"\"",
                "'a ''b'' # c'",
                "sh -c x\ty",
                "http://x/#frag",
                "运行 检查",
            ]);
            out.line(format!("{head}command: {value}{tail}"), owner);
        }
        1 => {
            let sign = *chance.pick(&["|", "|-", "|+", ">", ">-", ">+", "|2"]);
            let tail = out.trailing(chance);
            let inner = " ".repeat(column + 2);
            let inner = if sign == "|2" { inner } else { deeper };
            out.line(format!("{head}prompt: {sign}{tail}"), owner);
            out.line(format!("{inner}审查：{{{{tool_name}}}}"), owner);
            out.line(format!("{inner}# not a comment"), owner);
            if chance.one_in(2) {
                out.line("", owner);
                out.line(format!("{inner}- neither: a list"), owner);
            }
        }
        2 => {
            out.line(format!("{head}label: two"), owner);
            out.line(format!("{deeper}lines"), owner);
        }
        3 => {
            let tail = out.trailing(chance);
            out.line(format!("{head}timeout:   {}{tail}", chance.below(60)), owner);
        }
        4 => {
            let tail = out.trailing(chance);
            if chance.one_in(2) {
                out.line(format!("{head}filter: {{tool_name: Bash}}{tail}"), owner);
            } else {
                out.line(format!("{head}filter:{tail}"), owner);
                if chance.one_in(4) {
                    out.comment(chance, column + looks.unit, owner);
                }
                let tail = out.trailing(chance);
                out.line(format!("{deeper}tool_matcher: 'Edit|Write'{tail}"), owner);
            }
        }
        5 => {
            let value = *chance.pick(&["[a, 'b, c', \"d\"]", "[]", "{}", "~", "!!str 5"]);
            let tail = out.trailing(chance);
            out.line(format!("{head}extra: {value}{tail}"), owner);
        }
        _ => {
            let value = if anchor { "*note" } else { "yes" };
            let tail = out.trailing(chance);
            out.line(format!("{head}on_error: {value}{tail}"), owner);
        }
    }
}
