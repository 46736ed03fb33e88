//! Generated files in the form that users write. Each line is stored with its owner.

use hookwright_testkit::TestRng;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileStyle {
    Yaml,
    Json,
    /// Markdown with front matter.
    Front,
    /// A text that an edit only replaces as a whole: a Markdown text or a script.
    Text,
}

/// What a line or comment belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookLineOwner {
    /// It belongs to no hook and stays in every edit.
    Unowned,
    /// It belongs to the hook of this number, and to the field if one is given.
    Hook(usize, Option<&'static str>),
    /// It belongs to the container of a single hook. It is removed with the hook, but not copied with it.
    Container(usize),
    /// The keys and brackets of an event's list, which an edit opens and closes.
    Frame,
}

impl HookLineOwner {
    pub fn hook(self) -> Option<usize> {
        match self {
            Self::Hook(hook, _) | Self::Container(hook) => Some(hook),
            Self::Unowned | Self::Frame => None,
        }
    }
}

/// A comment, identified by a word that occurs in no other comment.
#[derive(Debug, Clone)]
pub struct CommentMark {
    pub word: String,
    pub owner: HookLineOwner,
    /// Whether the comment is after or inside the value of its field, not above it.
    pub in_field: bool,
}

#[derive(Debug)]
pub struct GeneratedFile {
    /// Relative to the root of the sandbox.
    pub path: String,
    pub kind: FileStyle,
    pub lines: Vec<(String, HookLineOwner)>,
    pub crlf: bool,
    pub ends_with_newline: bool,
    pub has_bom: bool,
    pub mode: u32,
}

impl GeneratedFile {
    pub fn new(rng: &mut TestRng, path: impl Into<String>, kind: FileStyle) -> Self {
        Self {
            path: path.into(),
            kind,
            lines: Vec::new(),
            crlf: rng.one_in(3),
            ends_with_newline: !rng.one_in(4),
            has_bom: rng.one_in(6),
            mode: *rng.pick(&[0o600, 0o644, 0o640]),
        }
    }

    pub fn line(&mut self, text: impl Into<String>, owner: HookLineOwner) {
        self.lines.push((text.into(), owner));
    }

    /// The whole text of the file.
    pub fn text(&self) -> String {
        let eol = if self.crlf { "\r\n" } else { "\n" };
        let bom = if self.has_bom { "\u{feff}" } else { "" };
        let lines: Vec<&str> = self.lines.iter().map(|(line, _)| line.as_str()).collect();
        format!(
            "{bom}{}{}",
            lines.join(eol),
            if self.ends_with_newline { eol } else { "" }
        )
    }
}

/// All generated files, and what the checks need to know about them.
#[derive(Debug, Default)]
pub struct GeneratedFiles {
    pub files: Vec<GeneratedFile>,
    pub marks: Vec<CommentMark>,
    /// The number of hooks. Each hook has its own number in its tag.
    pub hooks: usize,
    /// Whether any value is shared by an anchor.
    pub anchored: bool,
}

impl GeneratedFiles {
    pub fn next_hook(&mut self) -> usize {
        self.hooks += 1;
        self.hooks - 1
    }

    fn add_mark(&mut self, rng: &mut TestRng, owner: HookLineOwner, in_field: bool) -> String {
        let word = format!("c{}c", self.marks.len());
        let more = *rng.pick(&[
            "why",
            "说明：保留",
            "- looks: like",
            "timeout: 5",
            "a # b",
            "\"quoted",
            "{x: [",
            "// x",
        ]);
        self.marks.push(CommentMark {
            word: word.clone(),
            owner,
            in_field,
        });
        format!("{word} {more}")
    }

    /// Adds a YAML comment on a line of its own.
    pub fn comment_above(
        &mut self,
        rng: &mut TestRng,
        file: &mut GeneratedFile,
        column: usize,
        owner: HookLineOwner,
        in_field: bool,
    ) {
        let word = self.add_mark(rng, owner, in_field);
        let blank = *rng.pick(&["", " ", " ", "\t"]);
        file.line(format!("{}#{blank}{word}", " ".repeat(column)), owner);
    }

    /// Returns a YAML comment for the end of a line, or nothing.
    pub fn comment_behind(&mut self, rng: &mut TestRng, owner: HookLineOwner) -> String {
        if !rng.one_in(4) {
            return String::new();
        }
        let gap = *rng.pick(&[" ", "   ", "\t"]);
        format!("{gap}# {}", self.add_mark(rng, owner, true))
    }

    /// Adds a JSON comment on lines of its own, or nothing.
    pub fn json_comment(&mut self, rng: &mut TestRng, file: &mut GeneratedFile, indent: &str, owner: HookLineOwner) {
        if !rng.one_in(4) {
            return;
        }
        let word = self.add_mark(rng, owner, false);
        match rng.less_than(4) {
            0 => file.line(format!("{indent}/* {word} */"), owner),
            1 => {
                file.line(format!("{indent}/* {word}"), owner);
                file.line(format!("{indent}   and more */"), owner);
            }
            _ => file.line(format!("{indent}// {word}"), owner),
        }
    }

    /// Returns a JSON comment between a value and its comma.
    pub fn inner_comment(&mut self, rng: &mut TestRng, owner: HookLineOwner) -> String {
        format!(" /* {} */", self.add_mark(rng, owner, true))
    }

    /// Returns a JSON comment for the end of a line, or nothing.
    pub fn trailing_comment(&mut self, rng: &mut TestRng, owner: HookLineOwner) -> String {
        if !rng.one_in(4) {
            return String::new();
        }
        let word = self.add_mark(rng, owner, true);
        match rng.less_than(4) {
            0 => format!(" /* {word} */"),
            _ => format!("  // {word}"),
        }
    }
}
