//! Settings as people keep them: by two blanks, four, or tabs, in one line, with comments and spare commas.

use hookwright_dialects::splice::Format;

use crate::check::{Document, Owner};
use crate::yaml::Writer;
use hookwright_testkit::Chance;

const EVENTS: [&str; 3] = ["PreToolUse", "Stop", "会话"];

pub fn document(chance: &mut Chance) -> Document {
    let mut out = Writer::new();
    let unit = *chance.pick(&["  ", "    ", "\t"]);
    let comments = chance.one_in(2);
    let events = 1 + chance.below(3);
    let mut counts = Vec::new();
    if chance.one_in(6) {
        let mut all = Vec::new();
        for name in EVENTS.iter().take(events) {
            let hooks = chance.below(4);
            let items: Vec<String> = (0..hooks).map(|_| in_one_line(chance).to_owned()).collect();
            let gap = *chance.pick(&["", " "]);
            all.push(format!("\"{name}\":{gap}[{}]", items.join(&format!(",{gap}"))));
            counts.push(((*name).to_owned(), hooks));
        }
        out.line(format!("{{{}}}", all.join(", ")), None);
        return Document::of(Format::Json, chance, out.lines, counts);
    }
    out.line("{", None);
    out.line(format!("{unit}\"model\": \"m\\u4e2d\","), None);
    for (number, name) in EVENTS.iter().enumerate().take(events) {
        note(chance, &mut out, comments, unit, None);
        let hooks = chance.below(5);
        let last = number + 1 == events;
        let comma = if !last || comments && chance.one_in(3) { "," } else { "" };
        if hooks == 0 {
            out.line(format!("{unit}\"{name}\": []{comma}"), None);
        } else {
            out.line(format!("{unit}\"{name}\": ["), None);
            for hook in 0..hooks {
                let comma = hook + 1 < hooks || comments && chance.one_in(4);
                one_hook(
                    chance,
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
    Document::of(Format::Json, chance, out.lines, counts)
}

fn note(chance: &mut Chance, out: &mut Writer, comments: bool, indent: &str, owner: Owner) {
    if comments && chance.one_in(4) {
        let mark = out.mark(chance);
        let text = if chance.one_in(3) {
            format!("/* {mark} */")
        } else {
            format!("// {mark}")
        };
        out.line(format!("{indent}{text}"), owner);
    }
}

fn trailing(chance: &mut Chance, out: &mut Writer, comments: bool) -> String {
    if comments && chance.one_in(4) {
        let mark = out.mark(chance);
        if chance.one_in(4) {
            format!(" /* {mark} */")
        } else {
            format!("  // {mark}")
        }
    } else {
        String::new()
    }
}

fn in_one_line(chance: &mut Chance) -> &'static str {
    chance.pick::<&str>(&[
        "{\"command\": \"echo, }\", \"timeout\": 5}",
        "{ \"command\": \"a\", \"filter\": {\"tool_name\": \"Bash\"} }",
        "{\"command\":\"x\\\"y\",\"extra\":[1,2]}",
    ])
}

fn one_hook(chance: &mut Chance, out: &mut Writer, unit: &str, comments: bool, id: (usize, usize), comma: &str) {
    let owner = Some(id);
    let indent = unit.repeat(2);
    if chance.one_in(6) {
        out.line("", None);
    }
    note(chance, out, comments, &indent, owner);
    if chance.one_in(3) {
        let text = in_one_line(chance);
        let tail = trailing(chance, out, comments);
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
        if chance.one_in(2) {
            fields.push(field);
        }
    }
    fields.insert(
        chance.below(fields.len() + 1),
        "\"command\": \"python3 \\\"x\\\" // no comment\"",
    );
    for (number, field) in fields.iter().enumerate() {
        note(chance, out, comments, &inner, owner);
        let comma = if number + 1 < fields.len() || comments && chance.one_in(5) {
            ","
        } else {
            ""
        };
        let tail = trailing(chance, out, comments);
        out.line(format!("{inner}{field}{comma}{tail}"), owner);
    }
    let tail = trailing(chance, out, comments);
    out.line(format!("{indent}}}{comma}{tail}"), owner);
}
