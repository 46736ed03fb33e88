//! How a text is written, so that what is put into it looks like its neighbours.

use super::Format;
use super::tree::{Doc, Group, Node, Quote, Shape};

/// The habits of a text.
#[derive(Debug, Clone)]
pub(super) struct Style {
    pub format: Format,
    /// Line break.
    pub eol: &'static str,
    /// One step of a mapping's indentation.
    pub unit: String,
    /// Columns from a key to the dashes of its list.
    pub dash: usize,
    /// Columns from a dash to what stands behind it.
    pub gap: usize,
    /// How a text is quoted that needs no quotes, and how one that does.
    pub quotes: (Quote, Quote),
    /// `{ a: 1 }` rather than `{a: 1}`.
    pub padded: bool,
    /// Whether lists of texts and numbers stand on one line.
    pub short_lists: bool,
    /// What parts two values on one line.
    pub comma: &'static str,
    /// What parts a key from its value.
    pub colon: &'static str,
}

impl Style {
    /// Of a text that shows nothing.
    pub fn plain(format: Format) -> Self {
        let quoted = match format {
            Format::Json => Quote::Double,
            Format::Yaml => Quote::Single,
        };
        Self {
            format,
            eol: "\n",
            unit: "  ".to_owned(),
            dash: 2,
            gap: 2,
            quotes: (Quote::Plain, quoted),
            padded: false,
            short_lists: true,
            comma: ", ",
            colon: ": ",
        }
    }

    /// The same with the line break of the line at this byte: in a text with both kinds neither may become the other.
    pub fn at(mut self, doc: &Doc<'_>, at: usize) -> Self {
        self.eol = doc.eol_at(at);
        self
    }

    /// Of a text; what it does not show is as most people write.
    pub fn of(doc: &Doc<'_>) -> Self {
        let mut seen = Seen::default();
        if let Some(root) = &doc.root {
            seen.look(doc, root, None);
        }
        let json = doc.format == Format::Json;
        let plain = if json || seen.quotes[1].max(seen.quotes[2]) > seen.quotes[0] {
            seen.quoted(json)
        } else {
            Quote::Plain
        };
        let tight_colon = seen.tight_colon.unwrap_or(false);
        Self {
            format: doc.format,
            eol: doc.eol(),
            unit: seen.unit.clone().unwrap_or_else(|| "  ".to_owned()),
            dash: seen.dash.unwrap_or(2),
            gap: seen.gap.unwrap_or(2),
            quotes: (plain, seen.quoted(json)),
            padded: seen.padded.unwrap_or(false),
            short_lists: seen.short_lists.unwrap_or(true),
            comma: if seen.tight_comma.unwrap_or(tight_colon) {
                ","
            } else {
                ", "
            },
            colon: if tight_colon { ":" } else { ": " },
        }
    }
}

/// What was seen first of each habit; how often each kind of quotes.
#[derive(Debug, Default)]
struct Seen {
    unit: Option<String>,
    dash: Option<usize>,
    gap: Option<usize>,
    quotes: [usize; 3],
    padded: Option<bool>,
    short_lists: Option<bool>,
    tight_comma: Option<bool>,
    tight_colon: Option<bool>,
}

impl Seen {
    fn quoted(&self, json: bool) -> Quote {
        if json || self.quotes[2] > self.quotes[1] {
            Quote::Double
        } else {
            Quote::Single
        }
    }

    /// `above` is where the mapping's key stands that this is the value of.
    fn look(&mut self, doc: &Doc<'_>, node: &Node, above: Option<usize>) {
        match &node.shape {
            Shape::Absent | Shape::Alias(_) | Shape::Block(_) => {}
            Shape::Scalar(quote) => self.scalar(doc, node, *quote),
            Shape::List(group) => {
                self.list(doc, group, above);
                self.flow(doc, group, node);
                for slot in &group.slots {
                    self.look(doc, &slot.node, None);
                }
            }
            Shape::Map(group) => {
                if let (false, Some(above), Some(first)) = (group.flow, above, group.slots.first()) {
                    let deeper = doc.column(first.start).saturating_sub(doc.column(above));
                    self.unit.get_or_insert_with(|| " ".repeat(deeper.max(1)));
                }
                self.flow(doc, group, node);
                for slot in &group.slots {
                    self.look(doc, &slot.node, Some(slot.start));
                }
            }
        }
    }

    fn scalar(&mut self, doc: &Doc<'_>, node: &Node, quote: Quote) {
        let is_text = quote != Quote::Plain || {
            let text = &doc.text[node.range.clone()];
            crate::yaml::resolve(text).is_string()
        };
        if is_text {
            self.quotes[match quote {
                Quote::Plain => 0,
                Quote::Single => 1,
                Quote::Double => 2,
            }] += 1;
        }
    }

    fn list(&mut self, doc: &Doc<'_>, group: &Group, above: Option<usize>) {
        let (false, Some(first)) = (group.flow, group.slots.first()) else {
            return;
        };
        if let Some(above) = above {
            let deeper = doc.column(first.start).saturating_sub(doc.column(above));
            self.dash.get_or_insert(deeper);
        }
        let behind = first.node.start();
        if doc.line_start(behind) == doc.line_start(first.start) && behind > first.start + 1 {
            self.gap.get_or_insert(behind - first.start);
        }
    }

    fn flow(&mut self, doc: &Doc<'_>, group: &Group, node: &Node) {
        let (true, Some(first)) = (group.flow, group.slots.first()) else {
            return;
        };
        let own_line = doc.begins_line(first.start);
        if own_line && doc.format == Format::Json {
            let inner = doc.indent(first.start);
            if let Some(unit) = inner
                .strip_prefix(doc.indent(node.range.start))
                .filter(|unit| !unit.is_empty())
            {
                self.unit.get_or_insert_with(|| unit.to_owned());
            }
        }
        if matches!(node.shape, Shape::Map(_)) && !own_line {
            self.padded.get_or_insert(first.start > node.range.start + 1);
        }
        self.signs(doc, group);
        let simple = group
            .slots
            .iter()
            .all(|slot| matches!(slot.node.shape, Shape::Scalar(_)));
        if matches!(node.shape, Shape::List(_)) && simple {
            self.short_lists.get_or_insert(!own_line);
        }
    }

    /// Whether there are blanks behind commas and colons, as far as they and their values are on one line.
    fn signs(&mut self, doc: &Doc<'_>, group: &Group) {
        let one_line = |from: usize, to: usize| doc.line_start(from) == doc.line_start(to);
        if let [first, second, ..] = group.slots.as_slice()
            && one_line(first.end(), second.start)
        {
            self.tight_comma
                .get_or_insert(doc.text[first.end()..second.start].ends_with(','));
        }
        let mut named = group.slots.iter().filter(|slot| slot.key.is_some());
        // YAML has no colon without a blank.
        if let Some(slot) = named
            .next()
            .filter(|slot| doc.format == Format::Json && one_line(slot.start, slot.node.start()))
        {
            self.tight_colon.get_or_insert(slot.node.start() == slot.sign_end);
        }
    }
}
