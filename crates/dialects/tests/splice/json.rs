//! Random settings files: indented by two spaces, four spaces or tabs, or on one line, with comments and trailing
//! commas.

use hookwright_dialects::splice::Format;

use crate::check::{Document, LineOwner};
use crate::yaml::LineWriter;
use hookwright_testkit::TestRng;

const EVENTS: [&str; 3] = ["PreToolUse", "Stop", "会话"];

pub fn document(rng: &mut TestRng) -> Document {
    let mut out = LineWriter::new();
    let unit = *rng.pick(&["  ", "    ", "\t"]);
    let comments = rng.one_in(2);
    let events = 1 + rng.less_than(3);
    let mut counts = Vec::new();
    if rng.one_in(6) {
        let mut all = Vec::new();
        for name in EVENTS.iter().take(events) {
            let hooks = rng.less_than(4);
            let items: Vec<String> = (0..hooks).map(|_| one_line_hook(rng).to_owned()).collect();
            let gap = *rng.pick(&["", " "]);
            all.push(format!("\"{name}\":{gap}[{}]", items.join(&format!(",{gap}"))));
            counts.push(((*name).to_owned(), hooks));
        }
        out.line(format!("{{{}}}", all.join(", ")), None);
        return Document::new(Format::Json, rng, out.lines, counts);
    }
    out.line("{", None);
    out.line(format!("{unit}\"model\": \"m\\u4e2d\","), None);
    for (number, name) in EVENTS.iter().enumerate().take(events) {
        add_comment(rng, &mut out, comments, unit, None);
        let hooks = rng.less_than(5);
        let last = number + 1 == events;
        let comma = if !last || comments && rng.one_in(3) { "," } else { "" };
        if hooks == 0 {
            out.line(format!("{unit}\"{name}\": []{comma}"), None);
        } else {
            out.line(format!("{unit}\"{name}\": ["), None);
            for hook in 0..hooks {
                let comma = hook + 1 < hooks || comments && rng.one_in(4);
                one_hook(
                    rng,
                    &mut out,
                    unit,
                    comments,
                    (number, hook),
                    if comma { "," } else { "" },
                );
            }
            out.line(format!("{unit}]{comma}"), None);
        }
        counts.push(((*name).to_owned(), hooks));
    }
    out.line("}", None);
    Document::new(Format::Json, rng, out.lines, counts)
}

fn add_comment(rng: &mut TestRng, out: &mut LineWriter, comments: bool, indent: &str, owner: LineOwner) {
    if comments && rng.one_in(4) {
        let mark = out.mark(rng);
        let text = if rng.one_in(3) {
            format!("/* {mark} */")
        } else {
            format!("// {mark}")
        };
        out.line(format!("{indent}{text}"), owner);
    }
}

fn trailing(rng: &mut TestRng, out: &mut LineWriter, comments: bool) -> String {
    if comments && rng.one_in(4) {
        let mark = out.mark(rng);
        if rng.one_in(4) {
            format!(" /* {mark} */")
        } else {
            format!("  // {mark}")
        }
    } else {
        String::new()
    }
}

fn one_line_hook(rng: &mut TestRng) -> &'static str {
    rng.pick::<&str>(&[
        "{\"command\": \"echo, }\", \"timeout\": 5}",
        "{ \"command\": \"a\", \"filter\": {\"tool_name\": \"Bash\"} }",
        "{\"command\":\"x\\\"y\",\"extra\":[1,2]}",
    ])
}

fn one_hook(rng: &mut TestRng, out: &mut LineWriter, unit: &str, comments: bool, id: (usize, usize), comma: &str) {
    let owner = Some(id);
    let indent = unit.repeat(2);
    if rng.one_in(6) {
        out.line("", None);
    }
    add_comment(rng, out, comments, &indent, owner);
    if rng.one_in(3) {
        let text = one_line_hook(rng);
        let tail = trailing(rng, out, comments);
        out.line(format!("{indent}{text}{comma}{tail}"), owner);
        return;
    }
    out.line(format!("{indent}{{"), owner);
    let inner = unit.repeat(3);
    let mut fields: Vec<&str> = Vec::new();
    for field in [
        "\"timeout\": 7",
        "\"filter\": {\"tool_matcher\": \"Edit|Write\"}",
        "\"extra\": [\"a\", \"b, c\"]",
        "\"_说明\": null",
    ] {
        if rng.one_in(2) {
            fields.push(field);
        }
    }
    fields.insert(
        rng.less_than(fields.len() + 1),
        "\"command\": \"python3 \\\"x\\\" // no comment\"",
    );
    for (number, field) in fields.iter().enumerate() {
        add_comment(rng, out, comments, &inner, owner);
        let comma = if number + 1 < fields.len() || comments && rng.one_in(5) {
            ","
        } else {
            ""
        };
        let tail = trailing(rng, out, comments);
        out.line(format!("{inner}{field}{comma}{tail}"), owner);
    }
    let tail = trailing(rng, out, comments);
    out.line(format!("{indent}}}{comma}{tail}"), owner);
}
