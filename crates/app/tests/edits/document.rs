//! Files as people write them, line by line, with what each line belongs to.

use hookwright_testkit::TestRng;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileStyle {
    Yaml,
    Json,
    /// Markdown with front matter.
    Front,
    /// A text that no edit takes apart: a Markdown text, a script.
    Text,
}

/// What a line or comment belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookLineOwner {
    /// Nobody's: it stays whatever happens.
    Unowned,
    /// The hook's, and that field's where there is one.
    Hook(usize, Option<&'static str>),
    /// What holds a hook that is alone in it: it goes with the hook, and is not copied with it.
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

/// A comment by the word that stands in it alone.
#[derive(Debug, Clone)]
pub struct CommentMark {
    pub word: String,
    pub owner: HookLineOwner,
    /// It stands behind or inside the value of its field, and not above it.
    pub in_field: bool,
}

#[derive(Debug)]
pub struct GeneratedFile {
    /// Inside the world's folder.
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

    /// Its whole text.
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

/// Everything that is written, and what is known of it.
#[derive(Debug, Default)]
pub struct GeneratedFiles {
    pub files: Vec<GeneratedFile>,
    pub marks: Vec<CommentMark>,
    /// Hooks there are; each has its number in its tag.
    pub hooks: usize,
    /// Some value is shared by an anchor.
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

    /// A comment of YAML on a line of its own.
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

    /// A comment of YAML behind something, or nothing.
    pub fn comment_behind(&mut self, rng: &mut TestRng, owner: HookLineOwner) -> String {
        if !rng.one_in(4) {
            return String::new();
        }
        let gap = *rng.pick(&[" ", "   ", "\t"]);
        format!("{gap}# {}", self.add_mark(rng, owner, true))
    }

    /// A comment of JSON on lines of its own, or nothing.
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

    /// A comment of JSON between something and its comma.
    pub fn inner_comment(&mut self, rng: &mut TestRng, owner: HookLineOwner) -> String {
        format!(" /* {} */", self.add_mark(rng, owner, true))
    }

    /// A comment of JSON behind something, or nothing.
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
