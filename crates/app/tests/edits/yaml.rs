//! `hooks.yaml` of j-cli, and the front matter of a `HOOK.md`.

use hookwright_testkit::Chance;

use crate::paper::{File, Kind, Owner, World};

/// What a field's value may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Text,
    Number(usize),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A mapping with these keys, each a text.
    Map(&'static [&'static str]),
    List,
    Bool,
}

pub type Field = (&'static str, Holds);

const JCLI: [Field; 7] = [
    ("command", Holds::Text),
    ("timeout", Holds::Number(5)),
    ("on_error", Holds::Word(&["skip", "abort"])),
    ("filter", Holds::Map(&["tool_name", "tool_matcher"])),
    ("note", Holds::Text),
    ("extra", Holds::List),
    ("label", Holds::Text),
];

const EVENTS: [&str; 4] = [
    "pre_tool_execution",
    "stop",
    "\"post_llm_response\"",
    "pre_send_message",
];

/// How mappings are written in a file.
struct Looks {
    unit: usize,
    anchor: bool,
}

pub fn jcli(chance: &mut Chance) -> World {
    let mut world = World::default();
    for path in ["home/.jdata/agent/hooks.yaml", "project/.jcli/hooks.yaml"] {
        if path.starts_with("project") && chance.one_in(5) {
            continue;
        }
        let file = hooks_yaml(chance, &mut world, path);
        world.files.push(file);
    }
    world
}

fn hooks_yaml(chance: &mut Chance, world: &mut World, path: &str) -> File {
    let mut file = File::new(chance, path, Kind::Yaml);
    if chance.one_in(3) {
        world.above(chance, &mut file, 0, Owner::Nobody, false);
        file.line("", Owner::Nobody);
    }
    if chance.one_in(8) {
        file.line("---", Owner::Nobody);
    }
    let looks = Looks {
        unit: *chance.pick(&[2, 2, 4]),
        anchor: chance.one_in(4),
    };
    if looks.anchor {
        world.anchored = true;
        let tail = world.behind(chance, Owner::Nobody);
        file.line(format!("x-defaults: &defaults{tail}"), Owner::Nobody);
        file.line("  timeout: 7", Owner::Nobody);
        file.line("  on_error: &broken skip", Owner::Nobody);
    }
    let (dash, gap) = (*chance.pick(&[0, 2, 2, 4]), *chance.pick(&[2, 2, 2, 4]));
    for (number, name) in EVENTS.iter().enumerate().take(1 + chance.below(3)) {
        if number > 0 && chance.one_in(2) {
            file.line("", Owner::Nobody);
        }
        if chance.one_in(3) {
            world.above(chance, &mut file, 0, Owner::Nobody, false);
        }
        let hooks = chance.below(5);
        let tail = world.behind(chance, Owner::Nobody);
        let empty = *chance.pick(&[" []", "", " ~", " null", " [ ]"]);
        file.line(
            format!("{name}:{}{tail}", if hooks == 0 { empty } else { "" }),
            Owner::Frame,
        );
        for _ in 0..hooks {
            one_hook(chance, world, &mut file, &looks, dash, gap);
        }
    }
    if chance.one_in(4) {
        file.line("", Owner::Nobody);
        world.above(chance, &mut file, 0, Owner::Nobody, false);
    }
    if chance.one_in(12) {
        file.line("...", Owner::Nobody);
    }
    file
}

fn one_hook(chance: &mut Chance, world: &mut World, file: &mut File, looks: &Looks, dash: usize, gap: usize) {
    let number = world.hook();
    let owner = Owner::Hook(number, None);
    if chance.one_in(5) {
        file.line(*chance.pick(&["", "  "]), Owner::Nobody);
        if chance.one_in(3) {
            // Nobody's: an empty line stands between it and the hook.
            world.above(chance, file, dash, Owner::Nobody, false);
            file.line("", Owner::Nobody);
        }
    }
    for _ in 0..chance.below(3) {
        let column = if chance.one_in(4) { 0 } else { dash };
        world.above(chance, file, column, owner, false);
    }
    let indent = " ".repeat(dash);
    let head = format!("{indent}-{}", " ".repeat(gap - 1));
    if chance.one_in(5) {
        let tail = world.behind(chance, owner);
        let text = *chance.pick(&[
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
    if chance.one_in(12) {
        file.line(format!("{head}{{command: echo, tag: h{number},"), owner);
        let tail = world.behind(chance, owner);
        file.line(format!("{indent}    timeout: 4,{tail}"), owner);
        file.line(format!("{indent}    on_error: skip}}"), owner);
        return;
    }
    let mut fields: Vec<Field> = JCLI[1..].iter().copied().filter(|_| chance.one_in(2)).collect();
    fields.insert(chance.below(fields.len() + 1), JCLI[0]);
    let merge = looks.anchor && chance.one_in(4);
    let anchor = looks.anchor && chance.one_in(6);
    if merge {
        fields.retain(|(name, _)| *name != "timeout" && *name != "on_error");
    }
    let column = dash + gap;
    let mut head = head;
    if merge {
        file.line(format!("{head}<<: *defaults"), owner);
        head = " ".repeat(column);
    }
    mapping(chance, world, file, looks, &mut head, column, number, &fields, anchor);
    file.line(format!("{}tag: h{number}", " ".repeat(column)), owner);
    if chance.one_in(6) {
        world.above(chance, file, column, owner, false);
    }
}

#[expect(clippy::too_many_arguments, reason = "all of it is one place in a text")]
fn mapping(
    chance: &mut Chance,
    world: &mut World,
    file: &mut File,
    looks: &Looks,
    head: &mut String,
    column: usize,
    hook: usize,
    fields: &[Field],
    anchor: bool,
) {
    for field in fields {
        let owner = Owner::Hook(hook, Some(field.0));
        if head.trim().is_empty() && chance.one_in(6) {
            world.above(chance, file, column, Owner::Hook(hook, None), false);
        }
        let alias = anchor && field.0 == "on_error";
        one_field(chance, world, file, looks, *field, head, owner, alias);
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
    chance: &mut Chance,
    world: &mut World,
    file: &mut File,
    looks: &Looks,
    (name, holds): Field,
    head: &str,
    owner: Owner,
    alias: bool,
) {
    let column = head.chars().count();
    let deeper = " ".repeat(column + looks.unit);
    let tail = world.behind(chance, owner);
    let gap = *chance.pick(&[" ", " ", "  "]);
    match holds {
        Holds::Word(_) if alias => file.line(format!("{head}{name}:{gap}*broken{tail}"), owner),
        Holds::Text => match chance.below(9) {
            0 => {
                let sign = *chance.pick(&["|", "|-", "|+", ">", ">-", ">+", "|2"]);
                let inner = if sign == "|2" { " ".repeat(column + 2) } else { deeper };
                file.line(format!("{head}{name}: {sign}{tail}"), owner);
                file.line(format!("{inner}审查：{{{{tool_name}}}}"), owner);
                file.line(format!("{inner}# not a comment"), owner);
                if chance.one_in(2) {
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
            3 | 4 => file.line(format!("{head}{name}:{gap}{}{tail}", chance.pick(&DOUBLE)), owner),
            5 | 6 => file.line(format!("{head}{name}:{gap}{}{tail}", chance.pick(&SINGLE)), owner),
            _ => file.line(format!("{head}{name}:{gap}{}{tail}", chance.pick(&PLAIN)), owner),
        },
        Holds::Number(from) => file.line(format!("{head}{name}:{gap}{}{tail}", from + chance.below(60)), owner),
        Holds::Bool => file.line(
            format!("{head}{name}:{gap}{}{tail}", chance.pick(&["true", "false"])),
            owner,
        ),
        Holds::Word(words) => {
            let word = *chance.pick(words);
            let word = match chance.below(3) {
                0 => format!("'{word}'"),
                1 => format!("\"{word}\""),
                _ => word.to_owned(),
            };
            file.line(format!("{head}{name}:{gap}{word}{tail}"), owner);
        }
        Holds::List => {
            if chance.one_in(2) {
                let list = *chance.pick(&["[a, 'b, c', \"d\"]", "[]", "[ {x: 1}, two ]"]);
                file.line(format!("{head}{name}: {list}{tail}"), owner);
            } else {
                file.line(format!("{head}{name}:{tail}"), owner);
                let inner = if chance.one_in(2) { deeper } else { " ".repeat(column) };
                file.line(format!("{inner}- one"), owner);
                if chance.one_in(3) {
                    world.above(chance, file, inner.len(), owner, true);
                }
                let tail = world.behind(chance, owner);
                file.line(format!("{inner}- two: 2{tail}"), owner);
            }
        }
        Holds::Map(keys) => {
            let key = *chance.pick(keys);
            if chance.one_in(2) {
                file.line(format!("{head}{name}: {{{key}: Bash}}{tail}"), owner);
            } else {
                file.line(format!("{head}{name}:{tail}"), owner);
                if chance.one_in(4) {
                    world.above(chance, file, column + looks.unit, owner, true);
                }
                let tail = world.behind(chance, owner);
                file.line(format!("{deeper}{key}: 'Edit|Write'{tail}"), owner);
            }
        }
    }
}

const FRONT: [Field; 6] = [
    ("description", Holds::Text),
    ("matcher", Holds::Map(&["tool", "pattern"])),
    ("timeout", Holds::Number(200)),
    ("async", Holds::Bool),
    ("priority", Holds::Number(3)),
    ("license", Holds::Text),
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

pub fn agent_hooks(chance: &mut Chance) -> World {
    let mut world = World::default();
    for place in ["home/.config/agents/hooks", "project/.agents/hooks"] {
        for _ in 0..chance.below(4) {
            folder(chance, &mut world, place);
        }
    }
    world
}

fn folder(chance: &mut Chance, world: &mut World, place: &str) {
    let number = world.hook();
    let owner = Owner::Hook(number, None);
    let name = format!("guard{number}");
    let mut file = File::new(chance, format!("{place}/{name}/HOOK.md"), Kind::Front);
    let looks = Looks {
        unit: *chance.pick(&[2, 4]),
        anchor: false,
    };
    file.line(*chance.pick(&["---", "---", "--- "]), owner);
    if chance.one_in(4) {
        world.above(chance, &mut file, 0, owner, false);
    }
    let quoted = if chance.one_in(3) { "'" } else { "" };
    let tail = world.behind(chance, owner);
    file.line(
        format!("name: {quoted}{name}{quoted}{tail}"),
        Owner::Hook(number, Some("name")),
    );
    let mut fields: Vec<Field> = FRONT[1..].iter().copied().filter(|_| chance.one_in(2)).collect();
    fields.insert(chance.below(fields.len() + 1), FRONT[0]);
    let mut head = String::new();
    mapping(chance, world, &mut file, &looks, &mut head, 0, number, &fields, false);
    let trigger = *chance.pick(&["before_tool", "'after_tool'", "before_stop", "pre-tool-call"]);
    file.line(format!("trigger: {trigger}"), Owner::Hook(number, Some("trigger")));
    if chance.one_in(5) {
        file.line("", owner);
    }
    file.line("metadata:", owner);
    let tail = world.behind(chance, owner);
    file.line(format!("  tag: h{number}{tail}"), owner);
    if chance.one_in(4) {
        world.above(chance, &mut file, 0, owner, false);
    }
    file.line("---", owner);
    for _ in 0..chance.below(6) {
        file.line(*chance.pick(&BODIES), owner);
    }
    world.files.push(file);
    let mut script = File::new(chance, format!("{place}/{name}/scripts/run"), Kind::Text);
    script.mode = *chance.pick(&[0o755, 0o700]);
    script.mark = false;
    for line in ["#!/bin/sh", "echo 'ü' # c", "exit 0"] {
        script.line(line, owner);
    }
    world.files.push(script);
    if chance.one_in(3) {
        let mut more = File::new(chance, format!("{place}/{name}/notes/more.txt"), Kind::Text);
        more.line("kept 一", owner);
        world.files.push(more);
    }
}
