//! A text with the byte range of every value, key and comment, so that a change can leave all other bytes alone.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use super::Format;
use super::style::Style;

/// A text and its tree.
#[derive(Debug)]
pub(super) struct Doc<'t> {
    /// The text, without byte-order mark.
    pub text: &'t str,
    pub format: Format,
    /// The root value; `None` for a text that has none.
    pub root: Option<SpanNode>,
    /// The byte range of every comment, in order, without its line break.
    pub comments: Vec<Range<usize>>,
    /// The number of aliases of each anchor.
    pub alias_counts: HashMap<usize, usize>,
    /// Where a first value would be written: behind the `---` of the document, if there is one.
    pub begin: usize,
    /// The style of the text, once it was needed.
    pub style: OnceCell<Style>,
}

impl Doc<'_> {
    /// The style in which values are written.
    pub fn style(&self) -> Style {
        self.style.get_or_init(|| Style::from_doc(self)).clone()
    }
}

/// One value with its byte range.
#[derive(Debug)]
pub(super) struct SpanNode {
    /// Its bytes, without anchor and tag. A block string reaches from its indicator to the end of its last line. Empty
    /// if nothing is written.
    pub range: Range<usize>,
    /// The bytes of its anchor and tag, or of the header of a table in TOML.
    pub props: Option<Range<usize>>,
    /// Number of its anchor; 0 for none.
    pub anchor: usize,
    /// Whether `props` contains a tag.
    pub tagged: bool,
    pub shape: NodeShape,
}

/// The kind of a value, and how it is written.
#[derive(Debug)]
pub(super) enum NodeShape {
    /// Nothing is written, which means null.
    Absent,
    /// A scalar in one of three styles. Numbers, booleans and null are plain.
    Scalar(Quote),
    /// A string behind `|` or `>`, with the bytes of that character and its indicators.
    Block(Range<usize>),
    /// An alias `*name`, with the number of its anchor.
    Alias(usize),
    List(Collection),
    Map(Collection),
}

/// The quotes of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// No quotes.
    Plain,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
}

/// A list or mapping with its elements.
#[derive(Debug)]
pub(super) struct Collection {
    /// Written in brackets; otherwise by lines and indentation, or below headers.
    pub flow: bool,
    /// Written in a syntax that is read but not edited (`[a: b]`).
    pub read_only: bool,
    /// Items or entries, in file order.
    pub elements: Vec<Element>,
}

/// An item of a list, or an entry of a mapping.
#[derive(Debug)]
pub(super) struct Element {
    /// The key, without quotes; `None` for an item of a list.
    pub key: Option<String>,
    /// Where it begins: at its dash, its key or its value.
    pub start: usize,
    /// The byte behind its key; equal to `start` without a key.
    pub key_end: usize,
    /// The byte behind its dash or colon; equal to `start` if it has neither.
    pub sign_end: usize,
    /// Written in a syntax that is read but not edited (`? key`).
    pub read_only: bool,
    pub node: SpanNode,
}

impl SpanNode {
    /// Where it begins, with anchor and tag.
    pub fn start(&self) -> usize {
        self.props
            .as_ref()
            .map_or(self.range.start, |props| props.start.min(self.range.start))
    }

    /// Where it ends, with anchor and tag.
    pub fn end(&self) -> usize {
        self.range.end.max(self.props.as_ref().map_or(0, |props| props.end))
    }

    pub fn collection(&self) -> Option<&Collection> {
        match &self.shape {
            NodeShape::List(group) | NodeShape::Map(group) => Some(group),
            NodeShape::Absent | NodeShape::Scalar(_) | NodeShape::Block(_) | NodeShape::Alias(_) => None,
        }
    }

    /// Calls `visit` for the node and for every node in it.
    pub fn for_each<'n>(&'n self, visit: &mut dyn FnMut(&'n Self)) {
        visit(self);
        for slot in self.collection().iter().flat_map(|group| &group.elements) {
            slot.node.for_each(visit);
        }
    }
}

impl Element {
    /// Where it ends: behind its value, or behind its dash or colon if nothing follows.
    pub fn end(&self) -> usize {
        self.node.end().max(self.sign_end)
    }
}

impl Doc<'_> {
    /// Start of the line that contains this byte.
    pub fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// End of the line that contains this byte, before its line break.
    pub fn line_end(&self, at: usize) -> usize {
        match self.text[at..].find('\n') {
            None => self.text.len(),
            Some(ahead) if self.text[at..at + ahead].ends_with('\r') => at + ahead - 1,
            Some(ahead) => at + ahead,
        }
    }

    /// Start of the next line, or end of the text in the last line.
    pub fn next_line(&self, at: usize) -> usize {
        self.text[at..]
            .find('\n')
            .map_or(self.text.len(), |ahead| at + ahead + 1)
    }

    /// The spaces and tabs at the start of the line that contains this byte.
    pub fn indent(&self, at: usize) -> &str {
        let line = &self.text[self.line_start(at)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Number of bytes between the start of the line and this byte.
    pub fn column(&self, at: usize) -> usize {
        at - self.line_start(at)
    }

    /// Number of the line that contains this byte, from 1, for messages.
    pub fn line(&self, at: usize) -> usize {
        self.text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1
    }

    /// Whether only spaces and tabs precede this byte on its line.
    pub fn begins_line(&self, at: usize) -> bool {
        is_blank(&self.text[self.line_start(at)..at])
    }

    /// The comment that begins at this byte.
    fn comment_at(&self, at: usize) -> Option<&Range<usize>> {
        let index = self.comments.binary_search_by_key(&at, |comment| comment.start).ok()?;
        self.comments.get(index)
    }

    /// The first byte from here that is neither white space nor in a comment.
    pub fn skip_blanks(&self, mut at: usize) -> usize {
        loop {
            let rest = &self.text[at..];
            at += rest.len() - rest.trim_start().len();
            match self.comment_at(at) {
                Some(comment) => at = comment.end,
                None => return at,
            }
        }
    }

    /// The end of the comments behind this byte on its line, or the byte itself if there are none.
    pub fn comments_end(&self, at: usize) -> usize {
        let mut end = at;
        loop {
            let rest = &self.text[end..];
            let next = end + rest.len() - rest.trim_start_matches([' ', '\t']).len();
            match self.comment_at(next) {
                Some(comment) => end = comment.end,
                None => return end,
            }
        }
    }

    /// Whether a comment ends here that needs a line break behind it. A comment `/* … */` needs none.
    pub fn needs_break(&self, at: usize) -> bool {
        let before = self.comments.partition_point(|comment| comment.end < at);
        let ends_here = self.comments.get(before).filter(|comment| comment.end == at);
        ends_here.is_some_and(|comment| !self.text[comment.clone()].starts_with("/*"))
    }

    /// Whether a comment begins in this range.
    pub fn has_comment(&self, within: Range<usize>) -> bool {
        let first = self.comments.partition_point(|comment| comment.start < within.start);
        self.comments
            .get(first)
            .is_some_and(|comment| comment.start < within.end)
    }

    /// Where the comment lines directly above this byte's line begin, or the start of that line if there are none.
    /// Comments before `floor` do not count. `fits` decides whether a comment belongs to them.
    pub fn comments_above(&self, at: usize, floor: usize, fits: impl Fn(&Range<usize>) -> bool) -> usize {
        let mut top = self.line_start(at);
        let mut index = self.comments.partition_point(|comment| comment.start < top);
        while let Some(comment) = index.checked_sub(1).and_then(|index| self.comments.get(index)) {
            let between = &self.text[comment.end.min(top)..top];
            let directly = between.matches('\n').count() == 1 && between.trim().is_empty();
            if !directly || comment.start < floor || !self.begins_line(comment.start) || !fits(comment) {
                break;
            }
            top = self.line_start(comment.start);
            index -= 1;
        }
        top
    }

    /// The line break of the line that contains this byte. The last line has the one of the line before it.
    pub fn eol_at(&self, at: usize) -> &'static str {
        let end = self.line_end(at.min(self.text.len()));
        let before = || self.text[..self.line_start(end)].strip_suffix('\n');
        match (&self.text[end..], before()) {
            (rest, _) if rest.starts_with('\r') => "\r\n",
            (rest, _) if rest.starts_with('\n') => "\n",
            (_, Some(before)) if before.ends_with('\r') => "\r\n",
            (_, Some(_) | None) => "\n",
        }
    }

    /// The first line break of the text, or LF if it has none.
    pub fn eol(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            Some(_) | None => "\n",
        }
    }
}

/// Whether a text contains only spaces and tabs.
pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte == b' ' || byte == b'\t')
}
