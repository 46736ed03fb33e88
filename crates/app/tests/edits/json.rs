//! Qoder's settings, a skill's `hooks.json`, PicoClaw's `config.json`: by two blanks, four or tabs, with comments and
//! spare commas, or strict.

use hookwright_testkit::Chance;

use crate::paper::{File, Kind, Owner, World};

/// A file in the making.
struct Sheet<'a> {
    chance: &'a mut Chance,
    world: &'a mut World,
    file: File,
    unit: &'static str,
    comments: bool,
}

type Choice = (&'static str, &'static [&'static str]);

impl<'a> Sheet<'a> {
    fn new(chance: &'a mut Chance, world: &'a mut World, path: String) -> Self {
        let file = File::new(chance, path, Kind::Json);
        let unit = *chance.pick(&["  ", "    ", "\t"]);
        let comments = chance.one_in(2);
        Self {
            chance,
            world,
            file,
            unit,
            comments,
        }
    }

    fn line(&mut self, depth: usize, text: &str, owner: Owner) {
        let tail = if self.comments && owner != Owner::Frame {
            self.world.tail(self.chance, owner)
        } else {
            String::new()
        };
        self.file
            .line(format!("{}{text}{tail}", self.unit.repeat(depth)), owner);
    }

    /// A line that goes with the last hook in it, unless somebody wrote a comment there.
    fn frame(&mut self, depth: usize, text: &str) {
        self.line(depth, text, Owner::Nobody);
        if let Some((line, owner)) = self.file.lines.last_mut()
            && line.ends_with(text)
        {
            *owner = Owner::Frame;
        }
    }

    fn note(&mut self, depth: usize, owner: Owner) {
        if self.comments {
            let indent = self.unit.repeat(depth);
            self.world.note(self.chance, &mut self.file, &indent, owner);
        }
    }

    /// A comment before a comma, or nothing.
    fn inner(&mut self, owner: Owner) -> String {
        if self.comments && self.chance.one_in(4) {
            self.world.inner(self.chance, owner)
        } else {
            String::new()
        }
    }

    /// A comma, where one is needed; sometimes where none is.
    fn comma(&mut self, more: bool) -> &'static str {
        if more || self.comments && self.chance.one_in(5) {
            ","
        } else {
            ""
        }
    }

    /// An object with these fields, as an item or behind a key.
    fn object(&mut self, depth: usize, key: &str, hook: usize, fields: &[String], names: &[&'static str], more: bool) {
        let owner = Owner::Hook(hook, None);
        if self.chance.one_in(6) {
            self.file.line("", Owner::Nobody);
        }
        self.note(depth, owner);
        if self.chance.one_in(4) {
            let comma = self.comma(more);
            let inside = fields.join(*self.chance.pick(&[", ", ","]));
            let blank = *self.chance.pick(&["", " "]);
            let inner = self.inner(owner);
            self.line(depth, &format!("{key}{{{blank}{inside}{blank}}}{inner}{comma}"), owner);
            return;
        }
        self.line(depth, &format!("{key}{{"), owner);
        for (number, (field, name)) in fields.iter().zip(names).enumerate() {
            self.note(depth + 1, owner);
            let comma = self.comma(number + 1 < fields.len());
            let inner = self.inner(Owner::Hook(hook, Some(name)));
            self.line(
                depth + 1,
                &format!("{field}{inner}{comma}"),
                Owner::Hook(hook, Some(name)),
            );
        }
        self.note(depth + 1, owner);
        let comma = self.comma(more);
        let inner = self.inner(owner);
        self.line(depth, &format!("}}{inner}{comma}"), owner);
    }

    /// Some of these fields, and all of the first `sure` ones, in any order.
    fn some(&mut self, from: &[Choice], sure: usize) -> (Vec<String>, Vec<&'static str>) {
        let mut found: Vec<(String, &'static str)> = Vec::new();
        for (number, (name, values)) in from.iter().enumerate() {
            if number < sure || self.chance.one_in(3) {
                let colon = *self.chance.pick(&[": ", ": ", ":", " : "]);
                let text = format!("\"{name}\"{colon}{}", self.chance.pick(values));
                let at = self.chance.below(found.len() + 1);
                found.insert(at, (text, name));
            }
        }
        found.into_iter().unzip()
    }
}

const ENTRY: [Choice; 6] = [
    ("type", &["\"command\""]),
    (
        "command",
        &[
            "\"python3 \\\"x\\\" // no comment\"",
            "\"echo, }\"",
            "\"运行 /* no */\"",
            "\"\\u4e2d\"",
        ],
    ),
    ("timeout", &["7", "1.5", "30"]),
    ("name", &["\"n\"", "\"\""]),
    ("statusMessage", &["\"[a]\"", "\"忙\""]),
    ("env", &["{\"A\": \"1\"}", "{}"]),
];

pub fn qoder(chance: &mut Chance) -> World {
    let mut world = World::default();
    let paths = [
        "home/.qoder/settings.json",
        "project/.qoder/settings.json",
        "project/.qoder/settings.local.json",
    ];
    for path in paths {
        if !chance.one_in(4) {
            settings(chance, &mut world, path);
        }
    }
    world
}

fn settings(chance: &mut Chance, world: &mut World, path: &str) {
    let mut sheet = Sheet::new(chance, world, path.to_owned());
    sheet.note(0, Owner::Nobody);
    sheet.line(0, "{", Owner::Nobody);
    sheet.line(1, "\"model\": \"m\\u4e2d\",", Owner::Nobody);
    sheet.note(1, Owner::Nobody);
    sheet.frame(1, "\"hooks\": {");
    let events = ["PreToolUse", "Stop", "PostToolUse"];
    let count = 1 + sheet.chance.below(3);
    for (number, event) in events.iter().enumerate().take(count) {
        sheet.note(2, Owner::Nobody);
        let comma = sheet.comma(number + 1 < count);
        let groups = sheet.chance.below(4);
        if groups == 0 {
            sheet.line(2, &format!("\"{event}\": []{comma}"), Owner::Frame);
            continue;
        }
        sheet.line(2, &format!("\"{event}\": ["), Owner::Frame);
        for group in 0..groups {
            one_group(&mut sheet, group + 1 < groups);
        }
        sheet.note(3, Owner::Nobody);
        sheet.line(2, &format!("]{comma}"), Owner::Frame);
    }
    sheet.frame(1, "},");
    sheet.note(1, Owner::Nobody);
    sheet.line(1, "\"other\": [1, {\"a\": null}]", Owner::Nobody);
    sheet.line(0, "}", Owner::Nobody);
    let file = sheet.file;
    world.files.push(file);
}

fn one_group(sheet: &mut Sheet<'_>, more: bool) {
    let hooks: Vec<usize> = (0..1 + sheet.chance.below(3)).map(|_| sheet.world.hook()).collect();
    let around = match hooks.as_slice() {
        [alone] => Owner::Around(*alone),
        _ => Owner::Nobody,
    };
    sheet.note(3, around);
    sheet.line(3, "{", around);
    if !sheet.chance.one_in(3) {
        let matcher = *sheet.chance.pick(&["\"Bash\"", "\"Edit|Write\"", "\"*\"", "\"\""]);
        sheet.line(4, &format!("\"matcher\": {matcher},"), around);
    }
    sheet.note(4, around);
    sheet.line(4, "\"hooks\": [", around);
    for (index, hook) in hooks.iter().enumerate() {
        let (mut fields, mut names) = sheet.some(&ENTRY, 2);
        fields.push(format!("\"id\": \"h{hook}\""));
        names.push("id");
        sheet.object(5, "", *hook, &fields, &names, index + 1 < hooks.len());
    }
    sheet.note(5, around);
    sheet.line(4, "]", around);
    let comma = sheet.comma(more);
    let inner = sheet.inner(around);
    sheet.line(3, &format!("}}{inner}{comma}"), around);
}

const TEXT_ENTRY: [Choice; 4] = [
    ("role", &["\"system\"", "\"user\""]),
    ("persistent", &["true", "false"]),
    (
        "timing",
        &["\"before_planning\"", "\"after_tool_call\"", "\"after_user_input\""],
    ),
    ("note", &["\"// no\"", "[1, 2]", "null"]),
];

pub fn skill(chance: &mut Chance) -> World {
    let mut world = World::default();
    for skill in ["reader", "审查", "writer"] {
        if !chance.one_in(4) {
            hooks_json(chance, &mut world, skill);
        }
    }
    world
}

fn hooks_json(chance: &mut Chance, world: &mut World, skill: &str) {
    let folder = format!("project/skills/{skill}/hooks");
    let mut sheet = Sheet::new(chance, world, format!("{folder}/hooks.json"));
    let hooks = sheet.chance.below(5);
    let mut texts: Vec<(usize, String)> = Vec::new();
    sheet.line(0, "{", Owner::Nobody);
    sheet.note(1, Owner::Nobody);
    if hooks == 0 {
        sheet.line(1, "\"hooks\": []", Owner::Frame);
    } else {
        sheet.line(1, "\"hooks\": [", Owner::Frame);
        for index in 0..hooks {
            let hook = sheet.world.hook();
            let (mut fields, mut names) = sheet.some(&TEXT_ENTRY, 3);
            let shared = !texts.is_empty() && sheet.chance.one_in(5);
            let name = if shared {
                texts[0].1.clone()
            } else {
                format!("text{hook}.md")
            };
            if !shared {
                texts.push((hook, name.clone()));
            }
            for (field, text) in [
                ("name", format!("\"name\": \"n{hook}\"")),
                ("file", format!("\"file\": \"{name}\"")),
                ("tag", format!("\"tag\": \"h{hook}\"")),
            ] {
                fields.push(text);
                names.push(field);
            }
            sheet.object(2, "", hook, &fields, &names, index + 1 < hooks);
        }
        sheet.note(2, Owner::Nobody);
        sheet.line(1, "]", Owner::Frame);
    }
    sheet.line(0, "}", Owner::Nobody);
    let file = sheet.file;
    world.files.push(file);
    for (hook, name) in texts {
        let mut text = File::new(chance, format!("{folder}/{name}"), Kind::Text);
        for line in ["# 标题", "", "- {\"not\": 'taken apart'}", "end"]
            .iter()
            .take(1 + chance.below(4))
        {
            text.line(*line, Owner::Hook(hook, None));
        }
        world.files.push(text);
    }
}

const PROCESS: [Choice; 6] = [
    ("command", &["[\"python3\", \"x.py\"]", "[ \"./gate\" ]"]),
    ("enabled", &["true", "false"]),
    (
        "intercept",
        &["[\"before_tool\", \"after_tool\"]", "[\"approve_tool\"]"],
    ),
    ("observe", &["[\"error\"]", "[]"]),
    ("priority", &["5", "-3", "0"]),
    ("dir", &["\"sub\"", "\"子\""]),
];

pub fn picoclaw(chance: &mut Chance) -> World {
    let mut world = World::default();
    for path in ["home/.picoclaw/config.json", "project/.picoclaw/config.json"] {
        if !chance.one_in(5) {
            config(chance, &mut world, path);
        }
    }
    world
}

fn config(chance: &mut Chance, world: &mut World, path: &str) {
    let mut sheet = Sheet::new(chance, world, path.to_owned());
    sheet.line(0, "{", Owner::Nobody);
    sheet.line(1, "\"agents\": {\"x\": [1, 2]},", Owner::Nobody);
    sheet.note(1, Owner::Nobody);
    sheet.frame(1, "\"hooks\": {");
    if sheet.chance.one_in(2) {
        sheet.line(2, "\"defaults\": {\"observer_timeout_ms\": 400},", Owner::Nobody);
    }
    sheet.note(2, Owner::Nobody);
    let hooks = sheet.chance.below(5);
    if hooks == 0 {
        sheet.line(2, "\"processes\": {}", Owner::Frame);
    } else {
        sheet.line(2, "\"processes\": {", Owner::Frame);
        for index in 0..hooks {
            let hook = sheet.world.hook();
            let (mut fields, mut names) = sheet.some(&PROCESS, 3);
            fields.push(format!("\"env\": {{\"TAG\": \"h{hook}\"}}"));
            names.push("env");
            let colon = *sheet.chance.pick(&[": ", ":"]);
            sheet.object(
                3,
                &format!("\"proc{hook}\"{colon}"),
                hook,
                &fields,
                &names,
                index + 1 < hooks,
            );
        }
        sheet.note(3, Owner::Nobody);
        sheet.line(2, "}", Owner::Frame);
    }
    sheet.frame(1, "}");
    sheet.line(0, "}", Owner::Nobody);
    let file = sheet.file;
    world.files.push(file);
}
