//! A text as it is written: every value, key and sign with its bytes, so that a change can leave all others alone.

use std::collections::HashMap;
use std::ops::Range;

use super::Format;

/// A text and its tree.
#[derive(Debug)]
pub(super) struct Doc<'t> {
    /// The text, without byte-order mark.
    pub text: &'t str,
    /// How it is written.
    pub format: Format,
    /// The one value; `None` for a text that has none.
    pub root: Option<SpanNode>,
    /// Every comment, in order, without its line break.
    pub comments: Vec<Range<usize>>,
    /// How often each anchor is used.
    pub alias_counts: HashMap<usize, usize>,
    /// Where a first value would be written: behind the document's own sign, when it has one.
    pub begin: usize,
}

/// One value.
#[derive(Debug)]
pub(super) struct SpanNode {
    /// Its bytes, without anchor and tag. Of a block text from its sign to the end of its last line; empty where nothing
    /// is written.
    pub range: Range<usize>,
    /// Anchor and tag.
    pub props: Option<Range<usize>>,
    /// Number of its anchor; 0 for none.
    pub anchor: usize,
    /// Whether it has a tag.
    pub tagged: bool,
    /// What it is.
    pub shape: NodeShape,
}

/// What a value is.
#[derive(Debug)]
pub(super) enum NodeShape {
    /// Nothing is written, which is null.
    Absent,
    /// Text in one of three styles; numbers, booleans and null are plain.
    Scalar(Quote),
    /// Text behind `|` or `>`, with the bytes of that sign and its indicators.
    Block(Range<usize>),
    /// `*name`, with the anchor's number.
    Alias(usize),
    /// A list.
    List(Collection),
    /// A mapping.
    Map(Collection),
}

/// How a text on one line is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    /// Not at all.
    Plain,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
}

/// A list or mapping.
#[derive(Debug)]
pub(super) struct Collection {
    /// Between brackets; otherwise by lines and indentation.
    pub flow: bool,
    /// Written in a way that is read and not changed (`[a: b]`).
    pub read_only: bool,
    /// Its parts, in file order.
    pub elements: Vec<Element>,
}

/// An item of a list, or an entry of a mapping.
#[derive(Debug)]
pub(super) struct Element {
    /// The key, without quotes.
    pub key: Option<String>,
    /// Where it begins: its dash, its key, or itself.
    pub start: usize,
    /// Behind its key, or where it begins.
    pub key_end: usize,
    /// Behind its dash or colon; where it begins, when it has neither.
    pub sign_end: usize,
    /// Written in a way that is read and not changed (`? key`).
    pub read_only: bool,
    /// Its value.
    pub node: SpanNode,
}

impl SpanNode {
    /// Where it begins, anchor and tag included.
    pub fn start(&self) -> usize {
        self.props
            .as_ref()
            .map_or(self.range.start, |props| props.start.min(self.range.start))
    }

    /// Where it ends.
    pub fn end(&self) -> usize {
        self.range.end.max(self.props.as_ref().map_or(0, |props| props.end))
    }

    pub fn collection(&self) -> Option<&Collection> {
        match &self.shape {
            NodeShape::List(group) | NodeShape::Map(group) => Some(group),
            NodeShape::Absent | NodeShape::Scalar(_) | NodeShape::Block(_) | NodeShape::Alias(_) => None,
        }
    }

    /// Shows it and everything in it.
    pub fn for_each<'n>(&'n self, visit: &mut dyn FnMut(&'n Self)) {
        visit(self);
        for slot in self.collection().iter().flat_map(|group| &group.elements) {
            slot.node.for_each(visit);
        }
    }
}

impl Element {
    /// Where it ends.
    pub fn end(&self) -> usize {
        self.node.end().max(self.sign_end)
    }
}

impl Doc<'_> {
    /// Begin of the line that this byte is in.
    pub fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// End of the line that this byte is in, before its line break.
    pub fn line_end(&self, at: usize) -> usize {
        match self.text[at..].find('\n') {
            None => self.text.len(),
            Some(ahead) if self.text[at..at + ahead].ends_with('\r') => at + ahead - 1,
            Some(ahead) => at + ahead,
        }
    }

    /// Begin of the next line; the text's end in the last one.
    pub fn next_line(&self, at: usize) -> usize {
        self.text[at..]
            .find('\n')
            .map_or(self.text.len(), |ahead| at + ahead + 1)
    }

    /// The blanks that the line of this byte begins with.
    pub fn indent(&self, at: usize) -> &str {
        let line = &self.text[self.line_start(at)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Bytes between the begin of the line and this one.
    pub fn column(&self, at: usize) -> usize {
        at - self.line_start(at)
    }

    /// The line of this byte, from 1, for people.
    pub fn line(&self, at: usize) -> usize {
        self.text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1
    }

    /// Whether nothing but blanks stands before this byte in its line.
    pub fn begins_line(&self, at: usize) -> bool {
        is_blank(&self.text[self.line_start(at)..at])
    }

    /// The comment that begins at this byte.
    fn comment_at(&self, at: usize) -> Option<&Range<usize>> {
        let index = self.comments.binary_search_by_key(&at, |comment| comment.start).ok()?;
        self.comments.get(index)
    }

    /// The first byte from here that is neither blank nor comment.
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

    /// The end of the comments behind this byte in its line; the byte itself when there are none.
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

    /// Whether a comment ends here that only a line break ends.
    pub fn needs_break(&self, at: usize) -> bool {
        let before = self.comments.partition_point(|comment| comment.end < at);
        let ends_here = self.comments.get(before).filter(|comment| comment.end == at);
        ends_here.is_some_and(|comment| !self.text[comment.clone()].starts_with("/*"))
    }

    /// Whether there is a comment between two bytes.
    pub fn has_comment(&self, within: Range<usize>) -> bool {
        let first = self.comments.partition_point(|comment| comment.start < within.start);
        self.comments
            .get(first)
            .is_some_and(|comment| comment.start < within.end)
    }

    /// Where the comments begin that stand on lines of their own directly above this byte's line, and begin at `floor` at
    /// the earliest; the begin of its line when there are none. `fits` says of a comment whether it belongs there.
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

    /// The line break of the line that this byte is in; of the last line that of the one before it.
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

    /// The line break of this text.
    pub fn eol(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            Some(_) | None => "\n",
        }
    }
}

/// Whether there is nothing but blanks in it.
pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| byte == b' ' || byte == b'\t')
}
