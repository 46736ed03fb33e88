//! Generates Qoder's settings, a skill's `hooks.json` and PicoClaw's `config.json`. They are indented by two spaces,
//! four spaces or tabs. They have comments and trailing commas, or are strict JSON.

use hookwright_testkit::TestRng;

use crate::edits::document::{FileStyle, GeneratedFile, GeneratedFiles, HookLineOwner};

/// Builds one JSON file.
struct DocumentBuilder<'a> {
    rng: &'a mut TestRng,
    generated: &'a mut GeneratedFiles,
    file: GeneratedFile,
    unit: &'static str,
    comments: bool,
}

type Choice = (&'static str, &'static [&'static str]);

impl<'a> DocumentBuilder<'a> {
    fn new(rng: &'a mut TestRng, generated: &'a mut GeneratedFiles, path: String) -> Self {
        let file = GeneratedFile::new(rng, path, FileStyle::Json);
        let unit = *rng.pick(&["  ", "    ", "\t"]);
        let comments = rng.one_in(2);
        Self {
            rng,
            generated,
            file,
            unit,
            comments,
        }
    }

    fn line(&mut self, depth: usize, text: &str, owner: HookLineOwner) {
        let tail = if self.comments && owner != HookLineOwner::Frame {
            self.generated.trailing_comment(self.rng, owner)
        } else {
            String::new()
        };
        self.file
            .line(format!("{}{text}{tail}", self.unit.repeat(depth)), owner);
    }

    /// A line that is removed with the last hook of its list, unless it has a comment.
    fn frame_line(&mut self, depth: usize, text: &str) {
        self.line(depth, text, HookLineOwner::Unowned);
        if let Some((line, owner)) = self.file.lines.last_mut()
            && line.ends_with(text)
        {
            *owner = HookLineOwner::Frame;
        }
    }

    fn comment(&mut self, depth: usize, owner: HookLineOwner) {
        if self.comments {
            let indent = self.unit.repeat(depth);
            self.generated.json_comment(self.rng, &mut self.file, &indent, owner);
        }
    }

    /// Returns a comment before a comma, or nothing.
    fn inner_comment(&mut self, owner: HookLineOwner) -> String {
        if self.comments && self.rng.one_in(4) {
            self.generated.inner_comment(self.rng, owner)
        } else {
            String::new()
        }
    }

    /// Returns a comma if one is needed, and sometimes if none is needed.
    fn comma(&mut self, more: bool) -> &'static str {
        if more || self.comments && self.rng.one_in(5) {
            ","
        } else {
            ""
        }
    }

    /// Adds an object with these fields, as an item of a list or after a key.
    fn object(&mut self, depth: usize, key: &str, hook: usize, fields: &[String], names: &[&'static str], more: bool) {
        let owner = HookLineOwner::Hook(hook, None);
        if self.rng.one_in(6) {
            self.file.line("", HookLineOwner::Unowned);
        }
        self.comment(depth, owner);
        if self.rng.one_in(4) {
            let comma = self.comma(more);
            let inside = fields.join(*self.rng.pick(&[", ", ","]));
            let blank = *self.rng.pick(&["", " "]);
            let inner = self.inner_comment(owner);
            self.line(depth, &format!("{key}{{{blank}{inside}{blank}}}{inner}{comma}"), owner);
            return;
        }
        self.line(depth, &format!("{key}{{"), owner);
        for (number, (field, name)) in fields.iter().zip(names).enumerate() {
            self.comment(depth + 1, owner);
            let comma = self.comma(number + 1 < fields.len());
            let inner = self.inner_comment(HookLineOwner::Hook(hook, Some(name)));
            self.line(
                depth + 1,
                &format!("{field}{inner}{comma}"),
                HookLineOwner::Hook(hook, Some(name)),
            );
        }
        self.comment(depth + 1, owner);
        let comma = self.comma(more);
        let inner = self.inner_comment(owner);
        self.line(depth, &format!("}}{inner}{comma}"), owner);
    }

    /// Picks some of these fields, and all of the first `required` ones, in random order.
    fn pick_fields(&mut self, from: &[Choice], required: usize) -> (Vec<String>, Vec<&'static str>) {
        let mut found: Vec<(String, &'static str)> = Vec::new();
        for (number, (name, values)) in from.iter().enumerate() {
            if number < required || self.rng.one_in(3) {
                let colon = *self.rng.pick(&[": ", ": ", ":", " : "]);
                let text = format!("\"{name}\"{colon}{}", self.rng.pick(values));
                let at = self.rng.less_than(found.len() + 1);
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

pub fn qoder(rng: &mut TestRng) -> GeneratedFiles {
    let mut generated = GeneratedFiles::default();
    let paths = [
        "home/.qoder/settings.json",
        "project/.qoder/settings.json",
        "project/.qoder/settings.local.json",
    ];
    for path in paths {
        if !rng.one_in(4) {
            settings(rng, &mut generated, path);
        }
    }
    generated
}

fn settings(rng: &mut TestRng, generated: &mut GeneratedFiles, path: &str) {
    let mut builder = DocumentBuilder::new(rng, generated, path.to_owned());
    builder.comment(0, HookLineOwner::Unowned);
    builder.line(0, "{", HookLineOwner::Unowned);
    builder.line(1, "\"model\": \"m\\u4e2d\",", HookLineOwner::Unowned);
    builder.comment(1, HookLineOwner::Unowned);
    builder.frame_line(1, "\"hooks\": {");
    let events = ["PreToolUse", "Stop", "PostToolUse"];
    let count = 1 + builder.rng.less_than(3);
    for (number, event) in events.iter().enumerate().take(count) {
        builder.comment(2, HookLineOwner::Unowned);
        let comma = builder.comma(number + 1 < count);
        let groups = builder.rng.less_than(4);
        if groups == 0 {
            builder.line(2, &format!("\"{event}\": []{comma}"), HookLineOwner::Frame);
            continue;
        }
        builder.line(2, &format!("\"{event}\": ["), HookLineOwner::Frame);
        for group in 0..groups {
            one_group(&mut builder, group + 1 < groups);
        }
        builder.comment(3, HookLineOwner::Unowned);
        builder.line(2, &format!("]{comma}"), HookLineOwner::Frame);
    }
    builder.frame_line(1, "},");
    builder.comment(1, HookLineOwner::Unowned);
    builder.line(1, "\"other\": [1, {\"a\": null}]", HookLineOwner::Unowned);
    builder.line(0, "}", HookLineOwner::Unowned);
    let file = builder.file;
    generated.files.push(file);
}

fn one_group(builder: &mut DocumentBuilder<'_>, more: bool) {
    let hooks: Vec<usize> = (0..1 + builder.rng.less_than(3))
        .map(|_| builder.generated.next_hook())
        .collect();
    let container = match hooks.as_slice() {
        [alone] => HookLineOwner::Container(*alone),
        _ => HookLineOwner::Unowned,
    };
    builder.comment(3, container);
    builder.line(3, "{", container);
    if !builder.rng.one_in(3) {
        let matcher = *builder.rng.pick(&["\"Bash\"", "\"Edit|Write\"", "\"*\"", "\"\""]);
        builder.line(4, &format!("\"matcher\": {matcher},"), container);
    }
    builder.comment(4, container);
    builder.line(4, "\"hooks\": [", container);
    for (index, hook) in hooks.iter().enumerate() {
        let (mut fields, mut names) = builder.pick_fields(&ENTRY, 2);
        fields.push(format!("\"id\": \"h{hook}\""));
        names.push("id");
        builder.object(5, "", *hook, &fields, &names, index + 1 < hooks.len());
    }
    builder.comment(5, container);
    builder.line(4, "]", container);
    let comma = builder.comma(more);
    let inner = builder.inner_comment(container);
    builder.line(3, &format!("}}{inner}{comma}"), container);
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

pub fn skill(rng: &mut TestRng) -> GeneratedFiles {
    let mut generated = GeneratedFiles::default();
    for skill in ["reader", "审查", "writer"] {
        if !rng.one_in(4) {
            hooks_json(rng, &mut generated, skill);
        }
    }
    generated
}

fn hooks_json(rng: &mut TestRng, generated: &mut GeneratedFiles, skill: &str) {
    let folder = format!("project/skills/{skill}/hooks");
    let mut builder = DocumentBuilder::new(rng, generated, format!("{folder}/hooks.json"));
    let hooks = builder.rng.less_than(5);
    let mut texts: Vec<(usize, String)> = Vec::new();
    builder.line(0, "{", HookLineOwner::Unowned);
    builder.comment(1, HookLineOwner::Unowned);
    if hooks == 0 {
        builder.line(1, "\"hooks\": []", HookLineOwner::Frame);
    } else {
        builder.line(1, "\"hooks\": [", HookLineOwner::Frame);
        for index in 0..hooks {
            let hook = builder.generated.next_hook();
            let (mut fields, mut names) = builder.pick_fields(&TEXT_ENTRY, 3);
            let shared = !texts.is_empty() && builder.rng.one_in(5);
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
            builder.object(2, "", hook, &fields, &names, index + 1 < hooks);
        }
        builder.comment(2, HookLineOwner::Unowned);
        builder.line(1, "]", HookLineOwner::Frame);
    }
    builder.line(0, "}", HookLineOwner::Unowned);
    let file = builder.file;
    generated.files.push(file);
    for (hook, name) in texts {
        let mut text = GeneratedFile::new(rng, format!("{folder}/{name}"), FileStyle::Text);
        for line in ["# 标题", "", "- {\"not\": 'taken apart'}", "end"]
            .iter()
            .take(1 + rng.less_than(4))
        {
            text.line(*line, HookLineOwner::Hook(hook, None));
        }
        generated.files.push(text);
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

pub fn picoclaw(rng: &mut TestRng) -> GeneratedFiles {
    let mut generated = GeneratedFiles::default();
    for path in ["home/.picoclaw/config.json", "project/.picoclaw/config.json"] {
        if !rng.one_in(5) {
            config(rng, &mut generated, path);
        }
    }
    generated
}

fn config(rng: &mut TestRng, generated: &mut GeneratedFiles, path: &str) {
    let mut builder = DocumentBuilder::new(rng, generated, path.to_owned());
    builder.line(0, "{", HookLineOwner::Unowned);
    builder.line(1, "\"agents\": {\"x\": [1, 2]},", HookLineOwner::Unowned);
    builder.comment(1, HookLineOwner::Unowned);
    builder.frame_line(1, "\"hooks\": {");
    if builder.rng.one_in(2) {
        builder.line(
            2,
            "\"defaults\": {\"observer_timeout_ms\": 400},",
            HookLineOwner::Unowned,
        );
    }
    builder.comment(2, HookLineOwner::Unowned);
    let hooks = builder.rng.less_than(5);
    if hooks == 0 {
        builder.line(2, "\"processes\": {}", HookLineOwner::Frame);
    } else {
        builder.line(2, "\"processes\": {", HookLineOwner::Frame);
        for index in 0..hooks {
            let hook = builder.generated.next_hook();
            let (mut fields, mut names) = builder.pick_fields(&PROCESS, 3);
            fields.push(format!("\"env\": {{\"TAG\": \"h{hook}\"}}"));
            names.push("env");
            let colon = *builder.rng.pick(&[": ", ":"]);
            builder.object(
                3,
                &format!("\"proc{hook}\"{colon}"),
                hook,
                &fields,
                &names,
                index + 1 < hooks,
            );
        }
        builder.comment(3, HookLineOwner::Unowned);
        builder.line(2, "}", HookLineOwner::Frame);
    }
    builder.frame_line(1, "}");
    builder.line(0, "}", HookLineOwner::Unowned);
    let file = builder.file;
    generated.files.push(file);
}
