//! Random lists in brackets, in JSON, YAML and TOML, with comments at every possible place.

use hookwright_dialects::splice::Format;

use crate::check::{Document, SharedLineComment};
use crate::yaml::LineWriter;
use hookwright_testkit::TestRng;

const EVENT: &str = "stop";

struct DocumentBuilder<'a> {
    rng: &'a mut TestRng,
    writer: LineWriter,
    format: Format,
    text: String,
    shared_comments: Vec<SharedLineComment>,
    /// Whether there are comments that end only at a line break.
    allows_line_comments: bool,
}

pub fn document(rng: &mut TestRng, format: Format) -> Document {
    let hooks = 1 + rng.less_than(4);
    let mut builder = DocumentBuilder {
        writer: LineWriter::new(),
        format,
        text: String::new(),
        shared_comments: Vec::new(),
        allows_line_comments: rng.one_in(2),
        rng,
    };
    builder.text += match format {
        Format::Json => "{\"stop\": [",
        Format::Yaml => "stop: [",
        Format::Toml => "stop = [",
    };
    let mut begins = builder.line_break();
    for hook in 0..hooks {
        begins = builder.item(hook, hook + 1 == hooks, begins);
    }
    if begins {
        builder.own_line_comments(None);
        if builder.rng.one_in(3) {
            builder.text += "\n";
        }
        builder.text += "  ";
    }
    builder.text += match format {
        Format::Json => "]}",
        Format::Yaml | Format::Toml => "]",
    };
    let DocumentBuilder {
        rng,
        text,
        shared_comments,
        ..
    } = builder;
    let lines = text.split('\n').map(|line| (line.to_owned(), None)).collect();
    let counts = vec![(EVENT.to_owned(), hooks)];
    Document::new(format, rng, lines, counts).with_comments(shared_comments)
}

impl DocumentBuilder<'_> {
    fn line_break(&mut self) -> bool {
        let breaks = self.rng.one_in(2);
        self.text += if breaks { "\n" } else { "" };
        breaks
    }

    /// Writes a comment. Returns `true` if a line break must follow.
    fn comment(&mut self, owner: Option<usize>, field: Option<&'static str>) -> bool {
        let words = self.writer.mark(self.rng);
        if let Some(hook) = owner {
            let mark = words.split(' ').next().unwrap_or_default().to_owned();
            self.shared_comments.push(SharedLineComment {
                mark,
                hook: (0, hook),
                field,
            });
        }
        let open = self.format != Format::Json || self.allows_line_comments && self.rng.one_in(2);
        self.text += &match self.format {
            Format::Yaml | Format::Toml => format!("# {words}"),
            Format::Json if open => format!("// {words}"),
            Format::Json => format!("/* {words} */"),
        };
        open
    }

    fn may_comment(&mut self) -> bool {
        self.rng.one_in(3) && (self.allows_line_comments || self.format == Format::Json)
    }

    /// Writes comments on lines of their own.
    fn own_line_comments(&mut self, owner: Option<usize>) {
        while self.may_comment() {
            self.text += "  ";
            self.comment(owner, None);
            self.text += "\n";
        }
    }

    /// Writes a comment before a comma or bracket.
    fn comment_before_sign(&mut self, owner: Option<usize>, field: Option<&'static str>) {
        if self.may_comment() {
            self.text += " ";
            if self.comment(owner, field) {
                self.text += "\n  ";
            }
        }
    }

    fn item(&mut self, hook: usize, last: bool, begins: bool) -> bool {
        let breaks = self.rng.one_in(2);
        if begins {
            if breaks || last {
                self.own_line_comments(Some(hook));
            }
            self.text += "  ";
        }
        let fields: Vec<&'static str> = ["command", "timeout", "extra", "on_error"]
            .into_iter()
            .filter(|name| *name == "command" || self.rng.one_in(2))
            .collect();
        self.text += "{";
        for (number, name) in fields.iter().enumerate() {
            let value = match (*name, self.format) {
                ("timeout", _) => "3",
                ("extra", _) => "[1, 2]",
                (_, Format::Json | Format::Toml) => "\"a, }\"",
                (_, Format::Yaml) => "a",
            };
            self.text += &match self.format {
                Format::Json => format!("\"{name}\": {value}"),
                Format::Yaml => format!("{name}: {value}"),
                Format::Toml => format!("{name} = {value}"),
            };
            // In TOML a table in brackets is on one line.
            if self.format != Format::Toml {
                self.comment_before_sign(Some(hook), Some(name));
            }
            if number + 1 < fields.len() {
                self.text += ", ";
            }
        }
        self.text += "}";
        let comma = !last || self.rng.one_in(4);
        if comma {
            self.comment_before_sign(Some(hook), None);
            self.text += ",";
        }
        if breaks && (begins || !comma) && self.may_comment() {
            self.text += " ";
            self.comment(Some(hook), None);
        } else if !breaks && !last {
            self.text += " ";
            if self.may_comment() && self.format == Format::Json && !self.allows_line_comments {
                // A comment between two items on one line belongs to neither.
                self.comment(None, None);
                self.text += " ";
            }
        }
        self.text += if breaks { "\n" } else { "" };
        breaks
    }
}
