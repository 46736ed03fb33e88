//! Random files with lists of tables: with comments, inner tables, dotted keys, and other tables between them. And tests
//! of the form in which a hook is written.

use hookwright_dialects::splice::{self, Destination, Format, NewValue, Op, Path, PathStep, key};
use serde_json::{Value, json};

use crate::check::{Document, LineOwner};
use crate::yaml::LineWriter;
use hookwright_testkit::TestRng;

const EVENTS: [&str; 3] = ["PreToolUse", "Stop", "\"会话\""];

pub fn document(rng: &mut TestRng) -> Document {
    let mut out = LineWriter::new();
    let mut counts = Vec::new();
    if rng.one_in(3) {
        out.comment(rng, 0, None);
        out.line("", None);
    }
    if rng.one_in(2) {
        out.line("model = 'm\\u'  # its model", None);
    }
    for (number, name) in EVENTS.iter().enumerate().take(1 + rng.less_than(3)) {
        if rng.one_in(3) {
            out.line("", None);
            out.line(format!("[other.\"part {number} # 1\"]"), None);
            for line in ["\"a#b\" = \"\"\"", "[[Stop]]", "#\"\"\""] {
                out.line(line, None);
            }
        }
        let hooks = rng.less_than(4);
        for hook in 0..hooks {
            table(rng, &mut out, name, (number, hook));
        }
        counts.push((name.trim_matches('"').to_owned(), hooks));
    }
    if rng.one_in(3) {
        out.line("", None);
        out.comment(rng, 0, None);
        out.line("[last]", None);
        out.line("x.y = 1", None);
    }
    if rng.one_in(4) {
        out.comment(rng, 0, None);
    }
    Document::new(Format::Toml, rng, out.lines, counts)
}

/// One table of a list.
fn table(rng: &mut TestRng, out: &mut LineWriter, name: &str, id: (usize, usize)) {
    let owner: LineOwner = Some(id);
    if !rng.one_in(4) {
        out.line("", None);
    }
    if rng.one_in(3) {
        out.comment(rng, 0, owner);
    }
    let blank = *rng.pick(&["", " "]);
    let tail = trailing(rng, out);
    out.line(format!("[[{blank}{name}{blank}]]{tail}"), owner);
    let mut fields = vec!["command = \"echo # no comment\""];
    for field in [
        "timeout = 7",
        "extra = [\n  \"a\",\n  'b, c',\n]",
        "on_error  =  'x'",
        "\"new key\" = 0x1F",
    ] {
        if rng.one_in(2) {
            fields.insert(rng.less_than(fields.len() + 1), field);
        }
    }
    let filter = rng.less_than(5);
    match filter {
        0 => fields.push("filter = { tool_name = \"Bash\", tool_matcher = '.*' }"),
        1 => fields.push("filter.tool_name = \"Bash\""),
        _ => {}
    }
    for field in fields {
        if rng.one_in(5) {
            out.comment(rng, 0, owner);
        }
        let tail = trailing(rng, out);
        for line in format!("{field}{tail}").split('\n') {
            out.line(line, owner);
        }
    }
    if filter == 2 {
        if rng.one_in(2) {
            out.line("", owner);
        }
        out.line(format!("[{name}.filter]"), owner);
        out.line("tool_name = \"Bash\"", owner);
    }
}

fn trailing(rng: &mut TestRng, out: &mut LineWriter) -> String {
    if rng.one_in(4) {
        format!("  # {}", out.mark(rng))
    } else {
        String::new()
    }
}

fn apply(text: &str, op: Op) -> String {
    splice::apply(Format::Toml, text, &[op]).unwrap_or_else(|message| panic!("{}\n{text}", message.text))
}

fn insert(text: &str, at: Path, value: Value) -> String {
    let content = value.into();
    apply(text, Op::Insert { at, content })
}

fn group(event: &str, index: usize) -> Path {
    vec![key("hooks"), key(event), PathStep::Item(index)]
}

fn hook() -> Value {
    json!({ "matcher": "^Bash$", "hooks": [{ "type": "command", "command": "x \"y\"", "timeout": null }] })
}

const GROUP: &str =
    "[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = 'x \"y\"'\n";

#[test]
fn a_new_hook_is_written_as_tables_below_the_others() {
    for (before, after) in [
        ("", GROUP.to_owned()),
        ("model = \"o\"\n", format!("model = \"o\"\n\n{GROUP}")),
        (
            "[hooks]\n\n# mine\n[tools]\nx = 1\n",
            format!("[hooks]\n\n{GROUP}\n# mine\n[tools]\nx = 1\n"),
        ),
        (
            "[[hooks.Stop]]\nhooks = []\n# end of it\n\n[tools]\n",
            format!("[[hooks.Stop]]\nhooks = []\n# end of it\n\n{GROUP}\n[tools]\n"),
        ),
        (
            "hooks.Stop = []\nmodel = \"o\"\n",
            format!("hooks.Stop = []\nmodel = \"o\"\n\n{GROUP}"),
        ),
    ] {
        assert_eq!(insert(before, group("PreToolUse", 0), hook()), after, "{before}");
    }
    let two = insert(GROUP, group("PreToolUse", 1), hook());
    assert_eq!(two, format!("{GROUP}\n{GROUP}"));
    let more = [group("PreToolUse", 0), vec![key("hooks"), PathStep::Item(1)]].concat();
    let with_more = insert(GROUP, more, json!({ "type": "command", "command": "z" }));
    assert_eq!(
        with_more,
        format!("{GROUP}[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"z\"\n")
    );
}

#[test]
fn a_new_hook_in_a_list_in_brackets_is_written_in_brackets() {
    let before = "[hooks]\nStop = [{ hooks = [{ type = \"command\", command = 'a' }] }] # mine\n";
    let after = insert(
        before,
        group("Stop", 1),
        json!({ "hooks": [{ "type": "command", "command": "b" }] }),
    );
    let wanted = "[hooks]\nStop = [{ hooks = [{ type = \"command\", command = 'a' }] }, { hooks = [{ type = \"command\", command = \"b\" }] }] # mine\n";
    assert_eq!(after, wanted);
}

#[test]
fn the_last_hook_goes_with_the_table_that_it_empties() {
    for (before, after) in [
        (
            format!("model = \"o\"\n\n{GROUP}\n[tools]\n"),
            "model = \"o\"\n\n[tools]\n",
        ),
        (format!("[hooks]\n\n{GROUP}"), ""),
        (format!("# head\n\n# its own\n{GROUP}"), "# head\n"),
        ("[hooks]\nPreToolUse = [{ hooks = [] }]\n".to_owned(), ""),
    ] {
        let at = group("PreToolUse", 0);
        let parent = at[..2].to_vec();
        let text = splice::without_empty(Format::Toml, &apply(&before, Op::Remove { at }), &parent);
        assert_eq!(text, after, "{before}");
    }
}

#[test]
fn a_setting_of_a_table_that_is_missing_gets_the_table() {
    let at = vec![key("hooks"), key("state"), key("/a b:stop:0:0"), key("enabled")];
    let set = |text: &str| {
        let (at, value) = (at.clone(), json!(false));
        apply(text, Op::Set { at, value })
    };
    let table = "[hooks.state.\"/a b:stop:0:0\"]\nenabled = false\n";
    assert_eq!(set(""), table);
    let with_hash = "[hooks.state.\"/a b:stop:0:0\"] # mine\ntrusted_hash = \"x\"\n\n[z]\n";
    let wanted = "[hooks.state.\"/a b:stop:0:0\"] # mine\ntrusted_hash = \"x\"\nenabled = false\n\n[z]\n";
    assert_eq!(set(with_hash), wanted);
    let unset = Op::Unset { at: at.clone() };
    assert_eq!(apply(wanted, unset), with_hash);
    let dotted = "[hooks]\nstate.\"/a b:stop:0:0\".trusted_hash = \"x\"\n";
    assert_eq!(
        set(dotted),
        format!("{dotted}state.\"/a b:stop:0:0\".enabled = false\n")
    );
}

#[test]
fn a_copied_hook_keeps_its_comments_and_its_form() {
    let before = "# about it\n[[hooks.Stop]] # here\n[[hooks.Stop.hooks]]\ntype = 'command' # c\ncommand = 'x'\n";
    let fragment = splice::copy_fragment(Format::Toml, before, &group("Stop", 0), Destination::OtherText);
    let value = json!({ "hooks": [{ "type": "command", "command": "x" }] });
    let content = NewValue { value, fragment };
    let at = group("Stop", 0);
    assert_eq!(
        apply("a = 1\n", Op::Insert { at, content }),
        format!("a = 1\n\n{before}")
    );
}

#[test]
fn tables_of_a_hook_between_those_of_another_are_not_edited() {
    let text = "[[hooks.Stop]]\nx = 1\n[tools]\n[[hooks.Stop.hooks]]\ncommand = 'x'\n[[hooks.Stop]]\n";
    let ops = [
        Op::Remove { at: group("Stop", 0) },
        Op::Move {
            list: vec![key("hooks"), key("Stop")],
            from: 0,
            to: 1,
        },
    ];
    for op in ops {
        let refused = splice::apply(Format::Toml, text, std::slice::from_ref(&op));
        assert_eq!(refused.unwrap_err().code, splice::FORM.code, "{op:?}");
    }
    let at = [group("Stop", 0), vec![key("x")]].concat();
    let changed = apply(text, Op::Set { at, value: json!(2) });
    assert_eq!(changed, text.replace("x = 1", "x = 2"));
}
