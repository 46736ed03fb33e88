//! Files as people write them, line by line, with what each line belongs to.

use hookwright_testkit::Chance;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Yaml,
    Json,
    /// Markdown with front matter.
    Front,
    /// A text that no edit takes apart: a Markdown text, a script.
    Text,
}

/// What a line or comment belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Nobody's: it stays whatever happens.
    Nobody,
    /// The hook's, and that field's where there is one.
    Hook(usize, Option<&'static str>),
    /// What holds a hook that is alone in it: it goes with the hook, and is not copied with it.
    Around(usize),
    /// The keys and brackets of an event's list, which an edit opens and closes.
    Frame,
}

impl Owner {
    pub fn hook(self) -> Option<usize> {
        match self {
            Self::Hook(hook, _) | Self::Around(hook) => Some(hook),
            Self::Nobody | Self::Frame => None,
        }
    }
}

/// A comment by the word that stands in it alone.
#[derive(Debug, Clone)]
pub struct Mark {
    pub word: String,
    pub owner: Owner,
    /// It stands behind or inside the value of its field, and not above it.
    pub in_field: bool,
}

#[derive(Debug)]
pub struct File {
    /// Inside the world's folder.
    pub path: String,
    pub kind: Kind,
    pub lines: Vec<(String, Owner)>,
    pub crlf: bool,
    pub ends: bool,
    pub mark: bool,
    pub mode: u32,
}

impl File {
    pub fn new(chance: &mut Chance, path: impl Into<String>, kind: Kind) -> Self {
        Self {
            path: path.into(),
            kind,
            lines: Vec::new(),
            crlf: chance.one_in(3),
            ends: !chance.one_in(4),
            mark: chance.one_in(6),
            mode: *chance.pick(&[0o600, 0o644, 0o640]),
        }
    }

    pub fn line(&mut self, text: impl Into<String>, owner: Owner) {
        self.lines.push((text.into(), owner));
    }

    /// Its whole text.
    pub fn text(&self) -> String {
        let eol = if self.crlf { "\r\n" } else { "\n" };
        let mark = if self.mark { "\u{feff}" } else { "" };
        let lines: Vec<&str> = self.lines.iter().map(|(line, _)| line.as_str()).collect();
        format!("{mark}{}{}", lines.join(eol), if self.ends { eol } else { "" })
    }
}

/// Everything that is written, and what is known of it.
#[derive(Debug, Default)]
pub struct World {
    pub files: Vec<File>,
    pub marks: Vec<Mark>,
    /// Hooks there are; each has its number in its tag.
    pub hooks: usize,
    /// Some value is shared by an anchor.
    pub anchored: bool,
}

impl World {
    pub fn hook(&mut self) -> usize {
        self.hooks += 1;
        self.hooks - 1
    }

    fn word(&mut self, chance: &mut Chance, owner: Owner, in_field: bool) -> String {
        let word = format!("c{}c", self.marks.len());
        let more = *chance.pick(&[
            "why",
            "说明：保留",
            "- looks: like",
            "timeout: 5",
            "a # b",
            "\"quoted",
            "{x: [",
            "// x",
        ]);
        self.marks.push(Mark {
            word: word.clone(),
            owner,
            in_field,
        });
        format!("{word} {more}")
    }

    /// A comment of YAML on a line of its own.
    pub fn above(&mut self, chance: &mut Chance, file: &mut File, column: usize, owner: Owner, in_field: bool) {
        let word = self.word(chance, owner, in_field);
        let blank = *chance.pick(&["", " ", " ", "\t"]);
        file.line(format!("{}#{blank}{word}", " ".repeat(column)), owner);
    }

    /// A comment of YAML behind something, or nothing.
    pub fn behind(&mut self, chance: &mut Chance, owner: Owner) -> String {
        if !chance.one_in(4) {
            return String::new();
        }
        let gap = *chance.pick(&[" ", "   ", "\t"]);
        format!("{gap}# {}", self.word(chance, owner, true))
    }

    /// A comment of JSON on lines of its own, or nothing.
    pub fn note(&mut self, chance: &mut Chance, file: &mut File, indent: &str, owner: Owner) {
        if !chance.one_in(4) {
            return;
        }
        let word = self.word(chance, owner, false);
        match chance.below(4) {
            0 => file.line(format!("{indent}/* {word} */"), owner),
            1 => {
                file.line(format!("{indent}/* {word}"), owner);
                file.line(format!("{indent}   and more */"), owner);
            }
            _ => file.line(format!("{indent}// {word}"), owner),
        }
    }

    /// A comment of JSON between something and its comma.
    pub fn inner(&mut self, chance: &mut Chance, owner: Owner) -> String {
        format!(" /* {} */", self.word(chance, owner, true))
    }

    /// A comment of JSON behind something, or nothing.
    pub fn tail(&mut self, chance: &mut Chance, owner: Owner) -> String {
        if !chance.one_in(4) {
            return String::new();
        }
        let word = self.word(chance, owner, true);
        match chance.below(4) {
            0 => format!(" /* {word} */"),
            _ => format!("  // {word}"),
        }
    }
}
