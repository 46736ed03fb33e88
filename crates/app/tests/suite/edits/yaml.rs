//! Generates `hooks.yaml` of j-cli, and the front matter of a `HOOK.md`.

use hookwright_testkit::TestRng;

use crate::edits::document::{FileStyle, GeneratedFile, GeneratedFiles, HookLineOwner};

/// The form that the value of a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldForm {
    Text,
    Number(usize),
    /// One of these values.
    Word(&'static [&'static str]),
    /// A mapping with these keys, each a text.
    Map(&'static [&'static str]),
    List,
    Bool,
}

pub type Field = (&'static str, FieldForm);

const JCLI: [Field; 7] = [
    ("command", FieldForm::Text),
    ("timeout", FieldForm::Number(5)),
    ("on_error", FieldForm::Word(&["skip", "abort"])),
    ("filter", FieldForm::Map(&["tool_name", "tool_matcher"])),
    ("note", FieldForm::Text),
    ("extra", FieldForm::List),
    ("label", FieldForm::Text),
];

const EVENTS: [&str; 4] = [
    "pre_tool_execution",
    "stop",
    "\"post_llm_response\"",
    "pre_send_message",
];

/// How mappings are written in a file.
struct YamlStyle {
    unit: usize,
    anchor: bool,
}

pub fn jcli(rng: &mut TestRng) -> GeneratedFiles {
    let mut generated = GeneratedFiles::default();
    for path in ["home/.jdata/agent/hooks.yaml", "project/.jcli/hooks.yaml"] {
        if path.starts_with("project") && rng.one_in(5) {
            continue;
        }
        let file = hooks_yaml(rng, &mut generated, path);
        generated.files.push(file);
    }
    generated
}

fn hooks_yaml(rng: &mut TestRng, generated: &mut GeneratedFiles, path: &str) -> GeneratedFile {
    let mut file = GeneratedFile::new(rng, path, FileStyle::Yaml);
    if rng.one_in(3) {
        generated.comment_above(rng, &mut file, 0, HookLineOwner::Unowned, false);
        file.line("", HookLineOwner::Unowned);
    }
    if rng.one_in(8) {
        file.line("---", HookLineOwner::Unowned);
    }
    let style = YamlStyle {
        unit: *rng.pick(&[2, 2, 4]),
        anchor: rng.one_in(4),
    };
    if style.anchor {
        generated.anchored = true;
        let tail = generated.comment_behind(rng, HookLineOwner::Unowned);
        file.line(format!("x-defaults: &defaults{tail}"), HookLineOwner::Unowned);
        file.line("  timeout: 7", HookLineOwner::Unowned);
        file.line("  on_error: &broken skip", HookLineOwner::Unowned);
    }
    let (dash, gap) = (*rng.pick(&[0, 2, 2, 4]), *rng.pick(&[2, 2, 2, 4]));
    for (number, name) in EVENTS.iter().enumerate().take(1 + rng.less_than(3)) {
        if number > 0 && rng.one_in(2) {
            file.line("", HookLineOwner::Unowned);
        }
        if rng.one_in(3) {
            generated.comment_above(rng, &mut file, 0, HookLineOwner::Unowned, false);
        }
        let hooks = rng.less_than(5);
        let tail = generated.comment_behind(rng, HookLineOwner::Unowned);
        let empty = *rng.pick(&[" []", "", " ~", " null", " [ ]"]);
        file.line(
            format!("{name}:{}{tail}", if hooks == 0 { empty } else { "" }),
            HookLineOwner::Frame,
        );
        for _ in 0..hooks {
            one_hook(rng, generated, &mut file, &style, dash, gap);
        }
    }
    if rng.one_in(4) {
        file.line("", HookLineOwner::Unowned);
        generated.comment_above(rng, &mut file, 0, HookLineOwner::Unowned, false);
    }
    if rng.one_in(12) {
        file.line("...", HookLineOwner::Unowned);
    }
    file
}

fn one_hook(
    rng: &mut TestRng,
    generated: &mut GeneratedFiles,
    file: &mut GeneratedFile,
    style: &YamlStyle,
    dash: usize,
    gap: usize,
) {
    let number = generated.next_hook();
    let owner = HookLineOwner::Hook(number, None);
    if rng.one_in(5) {
        file.line(*rng.pick(&["", "  "]), HookLineOwner::Unowned);
        if rng.one_in(3) {
            // This comment belongs to no hook, because an empty line separates it from the hook.
            generated.comment_above(rng, file, dash, HookLineOwner::Unowned, false);
            file.line("", HookLineOwner::Unowned);
        }
    }
    for _ in 0..rng.less_than(3) {
        let column = if rng.one_in(4) { 0 } else { dash };
        generated.comment_above(rng, file, column, owner, false);
    }
    let indent = " ".repeat(dash);
    let head = format!("{indent}-{}", " ".repeat(gap - 1));
    if rng.one_in(5) {
        let tail = generated.comment_behind(rng, owner);
        let text = *rng.pick(&[
            "{command: 'echo a, b', timeout: 3, tag: @}",
            "{ tag: @, command: echo, filter: { tool_matcher: \"Edit|Write\" } }",
            "{\"command\": \"echo #1\", \"timeout\":5, \"tag\":@}",
            "{command: 运行, extra: [1, two, {three: 3}], tag: @}",
        ]);
        file.line(
            format!("{head}{}{tail}", text.replace('@', &format!("h{number}"))),
            owner,
        );
        return;
    }
    if rng.one_in(12) {
        file.line(format!("{head}{{command: echo, tag: h{number},"), owner);
        let tail = generated.comment_behind(rng, owner);
        file.line(format!("{indent}    timeout: 4,{tail}"), owner);
        file.line(format!("{indent}    on_error: skip}}"), owner);
        return;
    }
    let mut fields: Vec<Field> = JCLI[1..].iter().copied().filter(|_| rng.one_in(2)).collect();
    fields.insert(rng.less_than(fields.len() + 1), JCLI[0]);
    let merge = style.anchor && rng.one_in(4);
    let anchor = style.anchor && rng.one_in(6);
    if merge {
        fields.retain(|(name, _)| *name != "timeout" && *name != "on_error");
    }
    let column = dash + gap;
    let mut head = head;
    if merge {
        file.line(format!("{head}<<: *defaults"), owner);
        head = " ".repeat(column);
    }
    mapping(rng, generated, file, style, &mut head, column, number, &fields, anchor);
    file.line(format!("{}tag: h{number}", " ".repeat(column)), owner);
    if rng.one_in(6) {
        generated.comment_above(rng, file, column, owner, false);
    }
}

#[expect(clippy::too_many_arguments, reason = "all of it is one place in a text")]
fn mapping(
    rng: &mut TestRng,
    generated: &mut GeneratedFiles,
    file: &mut GeneratedFile,
    style: &YamlStyle,
    head: &mut String,
    column: usize,
    hook: usize,
    fields: &[Field],
    anchor: bool,
) {
    for field in fields {
        let owner = HookLineOwner::Hook(hook, Some(field.0));
        if head.trim().is_empty() && rng.one_in(6) {
            generated.comment_above(rng, file, column, HookLineOwner::Hook(hook, None), false);
        }
        let alias = anchor && field.0 == "on_error";
        one_field(rng, generated, file, style, *field, head, owner, alias);
        *head = " ".repeat(column);
    }
}

const PLAIN: [&str; 6] = [
    "echo hi",
    "sh -c x\ty",
    "http://x/#frag",
    "运行 检查",
    "a, b - c",
    "x:y",
];
const DOUBLE: [&str; 3] = [
    "\"python3 ~/x.py \\\"中\\\"\"",
    "\"tab\\there # no\"",
    "\"\\u4e2d{}[]\"",
];
const SINGLE: [&str; 3] = ["'a ''b'' # c'", "'{\"x\": 1}'", "'\"'"];

#[expect(clippy::too_many_arguments, reason = "all of it is one place in a text")]
fn one_field(
    rng: &mut TestRng,
    generated: &mut GeneratedFiles,
    file: &mut GeneratedFile,
    style: &YamlStyle,
    (name, form): Field,
    head: &str,
    owner: HookLineOwner,
    alias: bool,
) {
    let column = head.chars().count();
    let deeper = " ".repeat(column + style.unit);
    let tail = generated.comment_behind(rng, owner);
    let gap = *rng.pick(&[" ", " ", "  "]);
    match form {
        FieldForm::Word(_) if alias => file.line(format!("{head}{name}:{gap}*broken{tail}"), owner),
        FieldForm::Text => match rng.less_than(9) {
            0 => {
                let sign = *rng.pick(&["|", "|-", "|+", ">", ">-", ">+", "|2"]);
                let inner = if sign == "|2" { " ".repeat(column + 2) } else { deeper };
                file.line(format!("{head}{name}: {sign}{tail}"), owner);
                file.line(format!("{inner}审查：{{{{tool_name}}}}"), owner);
                file.line(format!("{inner}# not a comment"), owner);
                if rng.one_in(2) {
                    file.line("", owner);
                    file.line(format!("{inner}- neither: a list\t"), owner);
                }
            }
            1 => {
                file.line(format!("{head}{name}: two"), owner);
                file.line(format!("{deeper}lines{tail}"), owner);
            }
            2 => {
                file.line(format!("{head}{name}: \"two"), owner);
                file.line(format!("{deeper}lines # in it\"{tail}"), owner);
            }
            3 | 4 => file.line(format!("{head}{name}:{gap}{}{tail}", rng.pick(&DOUBLE)), owner),
            5 | 6 => file.line(format!("{head}{name}:{gap}{}{tail}", rng.pick(&SINGLE)), owner),
            _ => file.line(format!("{head}{name}:{gap}{}{tail}", rng.pick(&PLAIN)), owner),
        },
        FieldForm::Number(from) => file.line(format!("{head}{name}:{gap}{}{tail}", from + rng.less_than(60)), owner),
        FieldForm::Bool => file.line(
            format!("{head}{name}:{gap}{}{tail}", rng.pick(&["true", "false"])),
            owner,
        ),
        FieldForm::Word(choices) => {
            let word = *rng.pick(choices);
            let word = match rng.less_than(3) {
                0 => format!("'{word}'"),
                1 => format!("\"{word}\""),
                _ => word.to_owned(),
            };
            file.line(format!("{head}{name}:{gap}{word}{tail}"), owner);
        }
        FieldForm::List => {
            if rng.one_in(2) {
                let list = *rng.pick(&["[a, 'b, c', \"d\"]", "[]", "[ {x: 1}, two ]"]);
                file.line(format!("{head}{name}: {list}{tail}"), owner);
            } else {
                file.line(format!("{head}{name}:{tail}"), owner);
                let inner = if rng.one_in(2) { deeper } else { " ".repeat(column) };
                file.line(format!("{inner}- one"), owner);
                if rng.one_in(3) {
                    generated.comment_above(rng, file, inner.len(), owner, true);
                }
                let tail = generated.comment_behind(rng, owner);
                file.line(format!("{inner}- two: 2{tail}"), owner);
            }
        }
        FieldForm::Map(keys) => {
            let key = *rng.pick(keys);
            if rng.one_in(2) {
                file.line(format!("{head}{name}: {{{key}: Bash}}{tail}"), owner);
            } else {
                file.line(format!("{head}{name}:{tail}"), owner);
                if rng.one_in(4) {
                    generated.comment_above(rng, file, column + style.unit, owner, true);
                }
                let tail = generated.comment_behind(rng, owner);
                file.line(format!("{deeper}{key}: 'Edit|Write'{tail}"), owner);
            }
        }
    }
}

const FRONT: [Field; 6] = [
    ("description", FieldForm::Text),
    ("matcher", FieldForm::Map(&["tool", "pattern"])),
    ("timeout", FieldForm::Number(200)),
    ("async", FieldForm::Bool),
    ("priority", FieldForm::Number(3)),
    ("license", FieldForm::Text),
];

const BODIES: [&str; 7] = [
    "# 说明",
    "",
    "```sh",
    "---",
    "no # comment c0",
    "\ttabs  ",
    "name: not me",
];

pub fn agent_hooks(rng: &mut TestRng) -> GeneratedFiles {
    let mut generated = GeneratedFiles::default();
    for hooks_folder in ["home/.config/agents/hooks", "project/.agents/hooks"] {
        for _ in 0..rng.less_than(4) {
            folder(rng, &mut generated, hooks_folder);
        }
    }
    generated
}

fn folder(rng: &mut TestRng, generated: &mut GeneratedFiles, hooks_folder: &str) {
    let number = generated.next_hook();
    let owner = HookLineOwner::Hook(number, None);
    let name = format!("guard{number}");
    let mut file = GeneratedFile::new(rng, format!("{hooks_folder}/{name}/HOOK.md"), FileStyle::Front);
    let style = YamlStyle {
        unit: *rng.pick(&[2, 4]),
        anchor: false,
    };
    file.line(*rng.pick(&["---", "---", "--- "]), owner);
    if rng.one_in(4) {
        generated.comment_above(rng, &mut file, 0, owner, false);
    }
    let quoted = if rng.one_in(3) { "'" } else { "" };
    let tail = generated.comment_behind(rng, owner);
    file.line(
        format!("name: {quoted}{name}{quoted}{tail}"),
        HookLineOwner::Hook(number, Some("name")),
    );
    let mut fields: Vec<Field> = FRONT[1..].iter().copied().filter(|_| rng.one_in(2)).collect();
    fields.insert(rng.less_than(fields.len() + 1), FRONT[0]);
    let mut head = String::new();
    mapping(rng, generated, &mut file, &style, &mut head, 0, number, &fields, false);
    let trigger = *rng.pick(&["before_tool", "'after_tool'", "before_stop", "pre-tool-call"]);
    file.line(
        format!("trigger: {trigger}"),
        HookLineOwner::Hook(number, Some("trigger")),
    );
    if rng.one_in(5) {
        file.line("", owner);
    }
    file.line("metadata:", owner);
    let tail = generated.comment_behind(rng, owner);
    file.line(format!("  tag: h{number}{tail}"), owner);
    if rng.one_in(4) {
        generated.comment_above(rng, &mut file, 0, owner, false);
    }
    file.line("---", owner);
    for _ in 0..rng.less_than(6) {
        file.line(*rng.pick(&BODIES), owner);
    }
    generated.files.push(file);
    let mut script = GeneratedFile::new(rng, format!("{hooks_folder}/{name}/scripts/run"), FileStyle::Text);
    script.mode = *rng.pick(&[0o755, 0o700]);
    script.has_bom = false;
    for line in ["#!/bin/sh", "echo 'ü' # c", "exit 0"] {
        script.line(line, owner);
    }
    generated.files.push(script);
    if rng.one_in(3) {
        let mut more = GeneratedFile::new(rng, format!("{hooks_folder}/{name}/notes/more.txt"), FileStyle::Text);
        more.line("kept 一", owner);
        generated.files.push(more);
    }
}
