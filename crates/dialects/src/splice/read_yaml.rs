//! Reads YAML into a [`Doc`].

use std::cell::OnceCell;
use std::collections::HashMap;
use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use serde_saphyr::granit_parser::{Event, Options, Parser, ScalarStyle, Span, StructureStyle};

use super::Format;
use super::tree::{Collection, Doc, Element, NodeShape, Quote, SpanNode, is_blank};

/// Reads a text that [`crate::yaml::read`] accepts. Returns `None` if it cannot be read.
pub(super) fn read(text: &str) -> Option<Doc<'_>> {
    let mut options = Options::default();
    options.emit_anchor_events = true;
    options.max_buffered_comment_events = usize::MAX;
    let events: Vec<_> = Parser::new_from_str_with_options(text, options)
        .collect::<Result<_, _>>()
        .ok()?;
    // Comments are collected first, because the search for what is between two values skips them.
    let is_comment = |event: &Event<'_>| matches!(event, Event::Comment(..));
    let (comments, events): (Vec<_>, Vec<_>) = events.into_iter().partition(|(event, _)| is_comment(event));
    let mut comments: Vec<_> = comments.iter().filter_map(|(_, span)| span.byte_range()).collect();
    comments.sort_by_key(|comment| comment.start);
    let mut reader = YamlReader {
        events: events.into_iter().peekable(),
        doc: Doc {
            text,
            format: Format::Yaml,
            root: None,
            comments,
            alias_counts: HashMap::new(),
            begin: 0,
            style: OnceCell::new(),
        },
        open: Vec::new(),
    };
    while let Some((event, span)) = reader.events.next() {
        reader.read_event(event, span)?;
    }
    let nothing = |root: &SpanNode| matches!(root.shape, NodeShape::Absent) && root.props.is_none();
    reader.doc.root.take_if(|root| nothing(root));
    Some(reader.doc)
}

struct YamlReader<'t> {
    events: Peekable<IntoIter<(Event<'t>, Span)>>,
    doc: Doc<'t>,
    open: Vec<OpenNode>,
}

/// A list or mapping whose end is not read yet.
struct OpenNode {
    map: bool,
    /// Where it begins, if it is in flow style.
    flow: Option<usize>,
    read_only: bool,
    props: NodeProps,
    elements: Vec<Element>,
    key: Option<PendingKey>,
    /// Everything before this byte is read.
    after: usize,
}

struct PendingKey {
    name: String,
    start: usize,
    end: usize,
    sign_end: usize,
    read_only: bool,
}

#[derive(Default)]
struct NodeProps {
    range: Option<Range<usize>>,
    anchor: usize,
    tagged: bool,
}

impl<'t> YamlReader<'t> {
    fn read_event(&mut self, event: Event<'t>, span: Span) -> Option<()> {
        let bytes = span.byte_range()?;
        match event {
            Event::DocumentStart(true, _) => self.doc.begin = bytes.end,
            Event::Scalar(text, style, anchor, _) => {
                let props = self.read_props(anchor, &span);
                let from = props.range.as_ref().map_or(self.value_start(), |props| props.end);
                let (range, shape) = scalar(&self.doc, style, bytes, from)?;
                self.add(SpanNode::new(range, props, shape), &text);
            }
            Event::SequenceStart(style, anchor, _) => self.begin(false, style, bytes.start, anchor, &span),
            Event::MappingStart(style, anchor, _) => self.begin(true, style, bytes.start, anchor, &span),
            Event::SequenceEnd | Event::MappingEnd => self.end(bytes.end)?,
            Event::Alias(id) => {
                *self.doc.alias_counts.entry(id).or_default() += 1;
                let name = self.doc.text.get(bytes.clone())?.to_owned();
                self.add(SpanNode::new(bytes, NodeProps::default(), NodeShape::Alias(id)), &name);
            }
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(..)
            | Event::DocumentEnd
            | Event::Anchor(..)
            | Event::UnresolvedAlias(_)
            | Event::Comment(..) => {}
            // A later parser may have further events. Their meaning is not known here, so the text is refused.
            _ => return None,
        }
        Some(())
    }

    /// The byte behind the dash or colon of the next value.
    fn value_start(&self) -> usize {
        match self.open.last() {
            None => self.doc.begin,
            Some(open) => match &open.key {
                Some(key) => key.sign_end,
                None if open.map || open.flow.is_some() => open.after,
                None => {
                    let dash = self.doc.skip_blanks(open.after);
                    dash + usize::from(self.doc.text[dash..].starts_with('-'))
                }
            },
        }
    }

    fn read_props(&mut self, anchor: usize, span: &Span) -> NodeProps {
        let mut range = span.tag_span().and_then(|tag| tag.byte_range());
        let tagged = range.is_some();
        if let Some((Event::Anchor(..), span)) = self.events.peek()
            && let Some(name) = span.byte_range()
        {
            range = Some(match range {
                Some(tag) => tag.start.min(name.start)..tag.end.max(name.end),
                None => name,
            });
        }
        NodeProps { range, anchor, tagged }
    }

    fn begin(&mut self, map: bool, style: StructureStyle, start: usize, anchor: usize, span: &Span) {
        let props = self.read_props(anchor, span);
        let bracket = if map { "{" } else { "[" };
        let flow = style == StructureStyle::Flow;
        let read_only = flow && !self.doc.text[start..].starts_with(bracket);
        let mut after = props.range.as_ref().map_or(self.value_start(), |props| props.end);
        if flow && !read_only {
            after = start + 1;
        }
        self.open.push(OpenNode {
            map,
            flow: flow.then_some(start),
            read_only,
            props,
            elements: Vec::new(),
            key: None,
            after,
        });
    }

    fn end(&mut self, end: usize) -> Option<()> {
        let open = self.open.pop()?;
        let range = match (open.flow, open.elements.first(), open.elements.last()) {
            (Some(start), _, _) => start..end,
            (None, Some(first), Some(last)) => first.start..last.end(),
            (None, _, _) => end..end,
        };
        let group = Collection {
            flow: open.flow.is_some(),
            read_only: open.read_only,
            elements: open.elements,
        };
        let shape = if open.map {
            NodeShape::Map(group)
        } else {
            NodeShape::List(group)
        };
        let name = self.doc.text.get(range.clone())?.to_owned();
        self.add(SpanNode::new(range, open.props, shape), &name);
        Some(())
    }

    /// Adds a finished value as item, key or value to the open list or mapping, or makes it the root.
    fn add(&mut self, mut node: SpanNode, text: &str) {
        let doc = &self.doc;
        let Some(open) = self.open.last_mut() else {
            self.doc.root = Some(node);
            return;
        };
        let flow = open.flow.is_some();
        if !open.map {
            let start = element_start(doc, open.after, flow);
            let dash = !flow && doc.text[start..].starts_with('-');
            if matches!(node.shape, NodeShape::Absent) && node.props.is_none() {
                node.range = start + 1..start + 1;
            }
            let slot = Element {
                key: None,
                start,
                key_end: start,
                sign_end: if dash { start + 1 } else { start },
                read_only: !flow && !dash,
                node,
            };
            open.after = slot.end();
            open.elements.push(slot);
        } else if let Some(key) = open.key.take() {
            if matches!(node.shape, NodeShape::Absent) && node.props.is_none() {
                node.range = key.sign_end..key.sign_end;
            }
            let slot = Element {
                key: Some(key.name),
                start: key.start,
                key_end: key.end,
                sign_end: key.sign_end,
                read_only: key.read_only,
                node,
            };
            open.after = slot.end();
            open.elements.push(slot);
        } else {
            let start = element_start(doc, open.after, flow);
            let colon = doc.skip_blanks(node.end().max(start));
            let simple = matches!(node.shape, NodeShape::Scalar(_)) && doc.text[colon..].starts_with(':');
            let question = node.start() != start;
            open.key = Some(PendingKey {
                name: text.to_owned(),
                start,
                end: node.end().max(start),
                sign_end: if simple { colon + 1 } else { node.end().max(start) },
                read_only: !simple || question,
            });
        }
    }
}

/// The first byte of the next element: its dash, its key, or in brackets what follows the comma.
fn element_start(doc: &Doc<'_>, after: usize, flow: bool) -> usize {
    let at = doc.skip_blanks(after);
    if flow && doc.text[at..].starts_with(',') {
        doc.skip_blanks(at + 1)
    } else {
        at
    }
}

/// Bytes and style of a scalar. `from` is the byte behind its dash or colon, anchor and tag.
fn scalar(doc: &Doc<'_>, style: ScalarStyle, bytes: Range<usize>, from: usize) -> Option<(Range<usize>, NodeShape)> {
    let quote = match style {
        ScalarStyle::Plain if bytes.is_empty() => return Some((from..from, NodeShape::Absent)),
        ScalarStyle::Plain => Quote::Plain,
        ScalarStyle::SingleQuoted => Quote::Single,
        ScalarStyle::DoubleQuoted => Quote::Double,
        ScalarStyle::Literal | ScalarStyle::Folded => {
            let start = doc.skip_blanks(from);
            let header = doc.text.get(start..)?;
            let is_indicator = |character: char| character.is_ascii_digit() || character == '+' || character == '-';
            let character = header.strip_prefix(['|', '>'])?;
            let length = 1 + character.len() - character.trim_start_matches(is_indicator).len();
            let keep = header[..length].contains('+');
            let body = doc.next_line(start);
            let end = if keep {
                keep_block_end(doc, bytes.end, doc.line_end(start))
            } else {
                block_end(doc, body, bytes.end, doc.line_end(start))
            };
            return Some((start..end, NodeShape::Block(start..start + length)));
        }
    };
    Some((bytes, NodeShape::Scalar(quote)))
}

/// The end of the last line of a block string that keeps its trailing empty lines (`+`), before its line break.
fn keep_block_end(doc: &Doc<'_>, end: usize, none: usize) -> usize {
    let end = end.max(none);
    let line = doc.line_start(end);
    // The next line's content has its own line, behind its indentation. At the end of a file the last line may have no
    // line break.
    if !is_blank(&doc.text[line..end]) || line <= none {
        return end;
    }
    let before = doc.text[..line].strip_suffix('\n').unwrap_or(&doc.text[..line]);
    before.strip_suffix('\r').unwrap_or(before).len().max(none)
}

/// The end of the last line of a block string. Empty lines behind it do not belong to it.
fn block_end(doc: &Doc<'_>, body: usize, end: usize, none: usize) -> usize {
    let mut end = end.max(none);
    while end > body {
        let text = &doc.text[..end];
        let cut = text
            .strip_suffix('\n')
            .map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
        let line = doc.line_start(cut.len());
        if line < body {
            break;
        }
        if !is_blank(&cut[line..]) {
            return cut.len();
        }
        end = line;
    }
    none
}

impl SpanNode {
    fn new(range: Range<usize>, props: NodeProps, shape: NodeShape) -> Self {
        let range = match (&shape, &props.range) {
            (NodeShape::Absent, Some(props)) => props.end..props.end,
            (NodeShape::Absent, None) | (_, Some(_) | None) => range,
        };
        Self {
            range,
            props: props.range,
            anchor: props.anchor,
            tagged: props.tagged,
            shape,
        }
    }
}
