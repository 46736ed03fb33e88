//! Random YAML as users write it: comments everywhere, block strings with text like comments, flow mappings, anchors.

use hookwright_dialects::splice::Format;

use crate::check::{Document, LineOwner};
use hookwright_testkit::TestRng;

const EVENTS: [&str; 4] = [
    "pre_tool_execution",
    "stop",
    "\"post_llm_response\"",
    "pre_send_message",
];

/// A text that is being written: each line with the hook that it belongs to.
pub struct LineWriter {
    pub lines: Vec<(String, LineOwner)>,
    comments: usize,
}

impl LineWriter {
    pub fn new() -> Self {
        Self {
            lines: Vec::new(),
            comments: 0,
        }
    }

    pub fn line(&mut self, text: impl Into<String>, owner: LineOwner) {
        self.lines.push((text.into(), owner));
    }

    /// The text of a comment, with a mark that no other comment has.
    pub fn mark(&mut self, rng: &mut TestRng) -> String {
        self.comments += 1;
        let words = *rng.pick(&[
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

    pub fn comment(&mut self, rng: &mut TestRng, column: usize, owner: LineOwner) {
        let mark = self.mark(rng);
        let blank = if rng.one_in(5) { "" } else { " " };
        self.line(format!("{}#{blank}{mark}", " ".repeat(column)), owner);
    }

    fn trailing(&mut self, rng: &mut TestRng) -> String {
        if rng.one_in(4) {
            let gap = *rng.pick(&[" ", "   ", "\t"]);
            format!("{gap}# {}", self.mark(rng))
        } else {
            String::new()
        }
    }
}

struct YamlStyle {
    dash: usize,
    gap: usize,
    unit: usize,
}

pub fn document(rng: &mut TestRng) -> Document {
    let mut out = LineWriter::new();
    if rng.one_in(3) {
        out.comment(rng, 0, None);
        out.line("", None);
    }
    if rng.one_in(8) {
        out.line("---", None);
    }
    let anchor = rng.one_in(4);
    if anchor {
        let tail = out.trailing(rng);
        out.line(format!("x-defaults: &defaults{tail}"), None);
        out.line("  timeout: 7", None);
        out.line("  note: &note '说 ''hi'''", None);
    }
    let style = YamlStyle {
        dash: *rng.pick(&[0, 2, 2, 4]),
        gap: *rng.pick(&[2, 2, 2, 4]),
        unit: *rng.pick(&[2, 2, 4]),
    };
    let events = 1 + rng.less_than(3);
    let mut counts = Vec::new();
    for (number, name) in EVENTS.iter().enumerate().take(events) {
        if number > 0 && rng.one_in(2) {
            out.line("", None);
        }
        if rng.one_in(3) {
            out.comment(rng, 0, None);
        }
        let hooks = rng.less_than(5);
        let tail = out.trailing(rng);
        if hooks == 0 {
            let empty = *rng.pick(&[" []", "", " ~", " null", " [ ]"]);
            out.line(format!("{name}:{empty}{tail}"), None);
        } else {
            out.line(format!("{name}:{tail}"), None);
            for hook in 0..hooks {
                one_hook(rng, &mut out, &style, (number, hook), anchor);
            }
        }
        counts.push((name.trim_matches('"').to_owned(), hooks));
    }
    if rng.one_in(4) {
        out.line("", None);
        out.comment(rng, 0, None);
    }
    Document::new(Format::Yaml, rng, out.lines, counts)
}

fn one_hook(rng: &mut TestRng, out: &mut LineWriter, style: &YamlStyle, id: (usize, usize), anchor: bool) {
    let owner = Some(id);
    if rng.one_in(5) {
        out.line(*rng.pick(&["", "  "]), None);
        if rng.one_in(3) {
            // This comment belongs to no hook, because a blank line is between it and the hook.
            out.comment(rng, style.dash, None);
            out.line("", None);
        }
    }
    for _ in 0..rng.less_than(3) {
        let column = if rng.one_in(4) { 0 } else { style.dash };
        out.comment(rng, column, owner);
    }
    let indent = " ".repeat(style.dash);
    let dash = format!("{indent}-{}", " ".repeat(style.gap - 1));
    if rng.one_in(5) {
        let tail = out.trailing(rng);
        let text = *rng.pick(&[
            "{command: 'echo a, b', timeout: 3}",
            "{ command: echo, filter: { tool_matcher: \"Edit|Write\" } }",
            "{\"command\": \"echo #1\", \"timeout\":5}",
            "{command: 运行, extra: [1, two, {three: 3}]}",
        ]);
        out.line(format!("{dash}{text}{tail}"), owner);
        return;
    }
    if rng.one_in(12) {
        out.line(format!("{dash}{{command: echo,"), owner);
        let tail = out.trailing(rng);
        out.line(format!("{indent}    timeout: 4,{tail}"), owner);
        out.line(format!("{indent}    on_error: skip}}"), owner);
        return;
    }
    let column = style.dash + style.gap;
    let mut head = dash;
    let mut fields: Vec<usize> = (0..FIELD_COUNT).filter(|_| rng.one_in(2)).collect();
    if !fields.iter().any(|field| *field < 3) {
        fields.insert(rng.less_than(fields.len() + 1), 0);
    }
    if anchor && rng.one_in(4) {
        out.line(format!("{head}<<: *defaults"), owner);
        head = " ".repeat(column);
    }
    for field in fields {
        if head.trim().is_empty() && rng.one_in(6) {
            out.comment(rng, column, owner);
        }
        one_field(rng, out, style, field, &head, owner, anchor);
        head = " ".repeat(column);
    }
    if rng.one_in(6) {
        out.comment(rng, column, owner);
    }
}

const FIELD_COUNT: usize = 7;

fn one_field(
    rng: &mut TestRng,
    out: &mut LineWriter,
    style: &YamlStyle,
    field: usize,
    head: &str,
    owner: LineOwner,
    anchor: bool,
) {
    let column = head.len();
    let deeper = " ".repeat(column + style.unit);
    match field {
        0 => {
            let tail = out.trailing(rng);
            let value = *rng.pick(&[
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
            let sign = *rng.pick(&["|", "|-", "|+", ">", ">-", ">+", "|2"]);
            let tail = out.trailing(rng);
            let inner = " ".repeat(column + 2);
            let inner = if sign == "|2" { inner } else { deeper };
            out.line(format!("{head}prompt: {sign}{tail}"), owner);
            out.line(format!("{inner}审查：{{{{tool_name}}}}"), owner);
            out.line(format!("{inner}# not a comment"), owner);
            if rng.one_in(2) {
                out.line("", owner);
                out.line(format!("{inner}- neither: a list"), owner);
            }
        }
        2 => {
            out.line(format!("{head}label: two"), owner);
            out.line(format!("{deeper}lines"), owner);
        }
        3 => {
            let tail = out.trailing(rng);
            out.line(format!("{head}timeout:   {}{tail}", rng.less_than(60)), owner);
        }
        4 => {
            let tail = out.trailing(rng);
            if rng.one_in(2) {
                out.line(format!("{head}filter: {{tool_name: Bash}}{tail}"), owner);
            } else {
                out.line(format!("{head}filter:{tail}"), owner);
                if rng.one_in(4) {
                    out.comment(rng, column + style.unit, owner);
                }
                let tail = out.trailing(rng);
                out.line(format!("{deeper}tool_matcher: 'Edit|Write'{tail}"), owner);
            }
        }
        5 => {
            let value = *rng.pick(&["[a, 'b, c', \"d\"]", "[]", "{}", "~", "!!str 5"]);
            let tail = out.trailing(rng);
            out.line(format!("{head}extra: {value}{tail}"), owner);
        }
        _ => {
            let value = if anchor { "*note" } else { "yes" };
            let tail = out.trailing(rng);
            out.line(format!("{head}on_error: {value}{tail}"), owner);
        }
    }
}
