//! The style of a text, so that a new value is written like its neighbours.

use super::Format;
use super::tree::{Collection, Doc, NodeShape, Quote, SpanNode};

/// The style of a text.
#[derive(Debug, Clone)]
pub(super) struct Style {
    pub format: Format,
    /// The line break: LF or CRLF.
    pub eol: &'static str,
    /// The indentation of one mapping level: spaces or tabs.
    pub unit: String,
    /// Columns from a key to the dashes of its list.
    pub dash: usize,
    /// Columns from a dash to the value behind it.
    pub gap: usize,
    /// Quotes for a string that needs none, and for a string that needs some.
    pub quotes: (Quote, Quote),
    /// Whether a mapping in brackets is written `{ a: 1 }`, not `{a: 1}`.
    pub padded: bool,
    /// Whether lists of scalars are written on one line.
    pub short_lists: bool,
    /// The text between two elements on one line.
    pub comma: &'static str,
    /// The text between a key and its value.
    pub colon: &'static str,
}

impl Style {
    /// The default style, for a text that shows none.
    pub fn default_for(format: Format) -> Self {
        let quoted = match format {
            Format::Json | Format::Toml => Quote::Double,
            Format::Yaml => Quote::Single,
        };
        Self {
            format,
            eol: "\n",
            unit: "  ".to_owned(),
            dash: 2,
            gap: 2,
            quotes: (Quote::Plain, quoted),
            padded: format == Format::Toml,
            short_lists: true,
            comma: ", ",
            colon: if format == Format::Toml { " = " } else { ": " },
        }
    }

    /// The same style with the line break of the line at this byte. In a text with both kinds, each line keeps its own.
    pub fn with_eol_at(mut self, doc: &Doc<'_>, at: usize) -> Self {
        self.eol = doc.eol_at(at);
        self
    }

    /// The style of a text. What the text does not show gets the most common style.
    pub fn from_doc(doc: &Doc<'_>) -> Self {
        let mut sample = StyleSample::default();
        if let Some(root) = &doc.root {
            sample.read_node(doc, root, None);
        }
        let json = doc.format == Format::Json;
        let plain = if json || sample.quotes[1].max(sample.quotes[2]) > sample.quotes[0] {
            sample.quote_style(json)
        } else {
            Quote::Plain
        };
        let tight_colon = sample.tight_colon.unwrap_or(false);
        Self {
            format: doc.format,
            eol: doc.eol(),
            unit: sample.unit.clone().unwrap_or_else(|| "  ".to_owned()),
            dash: sample.dash.unwrap_or(2),
            gap: sample.gap.unwrap_or(2),
            quotes: (plain, sample.quote_style(json)),
            padded: sample.padded.unwrap_or(doc.format == Format::Toml),
            short_lists: sample.short_lists.unwrap_or(true),
            comma: if sample.tight_comma.unwrap_or(tight_colon) {
                ","
            } else {
                ", "
            },
            colon: match (doc.format, tight_colon) {
                (Format::Toml, _) => " = ",
                (Format::Json | Format::Yaml, true) => ":",
                (Format::Json | Format::Yaml, false) => ": ",
            },
        }
    }
}

/// The first value seen of each style property, and the count of each kind of quotes.
#[derive(Debug, Default)]
struct StyleSample {
    unit: Option<String>,
    dash: Option<usize>,
    gap: Option<usize>,
    quotes: [usize; 3],
    padded: Option<bool>,
    short_lists: Option<bool>,
    tight_comma: Option<bool>,
    tight_colon: Option<bool>,
}

impl StyleSample {
    fn quote_style(&self, json: bool) -> Quote {
        if json || self.quotes[2] > self.quotes[1] {
            Quote::Double
        } else {
            Quote::Single
        }
    }

    /// Reads the style of a node. `above` is where its key begins, if it is a value of a mapping.
    fn read_node(&mut self, doc: &Doc<'_>, node: &SpanNode, above: Option<usize>) {
        match &node.shape {
            NodeShape::Absent | NodeShape::Alias(_) | NodeShape::Block(_) => {}
            NodeShape::Scalar(quote) => self.count_quotes(doc, node, *quote),
            NodeShape::List(group) => {
                self.read_list(doc, group, above);
                self.read_flow(doc, group, node);
                for slot in &group.elements {
                    self.read_node(doc, &slot.node, None);
                }
            }
            NodeShape::Map(group) => {
                if let (false, Some(above), Some(first)) = (group.flow, above, group.elements.first()) {
                    let deeper = doc.column(first.start).saturating_sub(doc.column(above));
                    self.unit.get_or_insert_with(|| " ".repeat(deeper.max(1)));
                }
                self.read_flow(doc, group, node);
                for slot in &group.elements {
                    self.read_node(doc, &slot.node, Some(slot.start));
                }
            }
        }
    }

    fn count_quotes(&mut self, doc: &Doc<'_>, node: &SpanNode, quote: Quote) {
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

    fn read_list(&mut self, doc: &Doc<'_>, group: &Collection, above: Option<usize>) {
        let (false, Some(first)) = (group.flow, group.elements.first()) else {
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

    fn read_flow(&mut self, doc: &Doc<'_>, group: &Collection, node: &SpanNode) {
        let (true, Some(first)) = (group.flow, group.elements.first()) else {
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
        if matches!(node.shape, NodeShape::Map(_)) && !own_line {
            self.padded.get_or_insert(first.start > node.range.start + 1);
        }
        self.read_separators(doc, group);
        let simple = group
            .elements
            .iter()
            .all(|slot| matches!(slot.node.shape, NodeShape::Scalar(_)));
        if matches!(node.shape, NodeShape::List(_)) && simple {
            self.short_lists.get_or_insert(!own_line);
        }
    }

    /// Reads whether a space follows commas and colons. Only those on the same line as their values count.
    fn read_separators(&mut self, doc: &Doc<'_>, group: &Collection) {
        let one_line = |from: usize, to: usize| doc.line_start(from) == doc.line_start(to);
        if let [first, second, ..] = group.elements.as_slice()
            && one_line(first.end(), second.start)
        {
            self.tight_comma
                .get_or_insert(doc.text[first.end()..second.start].ends_with(','));
        }
        let mut named = group.elements.iter().filter(|slot| slot.key.is_some());
        // In YAML a space always follows the colon.
        if let Some(slot) = named
            .next()
            .filter(|slot| doc.format == Format::Json && one_line(slot.start, slot.node.start()))
        {
            self.tight_colon.get_or_insert(slot.node.start() == slot.sign_end);
        }
    }
}
