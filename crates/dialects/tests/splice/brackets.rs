//! Lists between brackets, of JSON and of YAML, with comments wherever there may be some.

use hookwright_dialects::splice::Format;

use crate::check::{Document, Own};
use crate::yaml::Writer;
use hookwright_testkit::Chance;

const EVENT: &str = "stop";

struct Sheet<'a> {
    chance: &'a mut Chance,
    words: Writer,
    format: Format,
    text: String,
    own: Vec<Own>,
    /// Whether there are comments that only a line break ends.
    lines: bool,
}

pub fn document(chance: &mut Chance, format: Format) -> Document {
    let hooks = 1 + chance.below(4);
    let mut sheet = Sheet {
        words: Writer::new(),
        format,
        text: String::new(),
        own: Vec::new(),
        lines: chance.one_in(2),
        chance,
    };
    sheet.text += match format {
        Format::Json => "{\"stop\": [",
        Format::Yaml => "stop: [",
    };
    let mut begins = sheet.line_break();
    for hook in 0..hooks {
        begins = sheet.item(hook, hook + 1 == hooks, begins);
    }
    if begins {
        sheet.alone(None);
        if sheet.chance.one_in(3) {
            sheet.text += "\n";
        }
        sheet.text += "  ";
    }
    sheet.text += match format {
        Format::Json => "]}",
        Format::Yaml => "]",
    };
    let Sheet { chance, text, own, .. } = sheet;
    let lines = text.split('\n').map(|line| (line.to_owned(), None)).collect();
    let counts = vec![(EVENT.to_owned(), hooks)];
    Document::of(format, chance, lines, counts).with(own)
}

impl Sheet<'_> {
    fn line_break(&mut self) -> bool {
        let breaks = self.chance.one_in(2);
        self.text += if breaks { "\n" } else { "" };
        breaks
    }

    /// Writes a comment; `true` when a line break must follow.
    fn comment(&mut self, owner: Option<usize>, field: Option<&'static str>) -> bool {
        let words = self.words.mark(self.chance);
        if let Some(hook) = owner {
            let mark = words.split(' ').next().unwrap_or_default().to_owned();
            self.own.push(Own {
                mark,
                hook: (0, hook),
                field,
            });
        }
        let open = self.format == Format::Yaml || self.lines && self.chance.one_in(2);
        self.text += &match self.format {
            Format::Yaml => format!("# {words}"),
            Format::Json if open => format!("// {words}"),
            Format::Json => format!("/* {words} */"),
        };
        open
    }

    fn may_comment(&mut self) -> bool {
        self.chance.one_in(3) && (self.lines || self.format == Format::Json)
    }

    /// Comments on lines of their own.
    fn alone(&mut self, owner: Option<usize>) {
        while self.may_comment() {
            self.text += "  ";
            self.comment(owner, None);
            self.text += "\n";
        }
    }

    /// A comment before a comma or bracket.
    fn before_sign(&mut self, owner: Option<usize>, field: Option<&'static str>) {
        if self.may_comment() {
            self.text += " ";
            if self.comment(owner, field) {
                self.text += "\n  ";
            }
        }
    }

    fn item(&mut self, hook: usize, last: bool, begins: bool) -> bool {
        let breaks = self.chance.one_in(2);
        if begins {
            if breaks || last {
                self.alone(Some(hook));
            }
            self.text += "  ";
        }
        let fields: Vec<&'static str> = ["command", "timeout", "extra", "on_error"]
            .into_iter()
            .filter(|name| *name == "command" || self.chance.one_in(2))
            .collect();
        self.text += "{";
        for (number, name) in fields.iter().enumerate() {
            let value = match (*name, self.format) {
                ("timeout", _) => "3",
                ("extra", _) => "[1, 2]",
                (_, Format::Json) => "\"a, }\"",
                (_, Format::Yaml) => "a",
            };
            self.text += &match self.format {
                Format::Json => format!("\"{name}\": {value}"),
                Format::Yaml => format!("{name}: {value}"),
            };
            self.before_sign(Some(hook), Some(name));
            if number + 1 < fields.len() {
                self.text += ", ";
            }
        }
        self.text += "}";
        let comma = !last || self.chance.one_in(4);
        if comma {
            self.before_sign(Some(hook), None);
            self.text += ",";
        }
        if breaks && (begins || !comma) && self.may_comment() {
            self.text += " ";
            self.comment(Some(hook), None);
        } else if !breaks && !last {
            self.text += " ";
            if self.may_comment() && self.format == Format::Json && !self.lines {
                // Between two in one line it is neither's.
                self.comment(None, None);
                self.text += " ";
            }
        }
        self.text += if breaks { "\n" } else { "" };
        breaks
    }
}
