//! Which lines of a text belong to a definition, for a display that marks them.

use std::collections::HashMap;

use super::tree::{Doc, SpanNode};
use super::{Format, parse_doc};

/// For each line, the last lines of the items and entries that begin on it. Lines count from 1.
#[derive(Debug, Default)]
pub struct ElementLines(HashMap<u32, Vec<u32>>);

impl ElementLines {
    /// The lines of all items and entries of a text; `None` if it does not parse.
    #[must_use]
    pub fn new(format: Format, text: &str) -> Option<Self> {
        let doc = parse_doc(format, text)?;
        let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let mut lines = Self::default();
        if let Some(root) = &doc.root {
            lines.collect(&doc, root, &starts);
        }
        Some(lines)
    }

    fn collect(&mut self, doc: &Doc<'_>, node: &SpanNode, starts: &[usize]) {
        let line_of =
            |at: usize| u32::try_from(starts.partition_point(|start| *start <= at)).map_or(u32::MAX, |n| n + 1);
        for element in node.collection().iter().flat_map(|group| &group.elements) {
            let written = doc
                .text
                .get(element.start..element.end())
                .unwrap_or_default()
                .trim_end();
            let last = element.start + written.len().saturating_sub(1);
            self.0.entry(line_of(element.start)).or_default().push(line_of(last));
            self.collect(doc, &element.node, starts);
        }
    }

    /// The last line of the smallest item or entry that begins on line `first` and reaches line `at_least`.
    #[must_use]
    pub fn last_line(&self, first: u32, at_least: u32) -> Option<u32> {
        let ends = self.0.get(&first)?;
        ends.iter().filter(|end| **end >= at_least).min().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_of_a_block_list_ends_before_the_next_one() {
        let text =
            "stop:\n  - command: a\n    timeout: 3\n\n  # two\n  - command: |\n      b\n      c\n  - {command: d}\n";
        let lines = ElementLines::new(Format::Yaml, text).unwrap();
        assert_eq!(lines.last_line(2, 3), Some(3));
        assert_eq!(lines.last_line(6, 6), Some(8), "the block string belongs to it");
        assert_eq!(lines.last_line(9, 9), Some(9));
        assert_eq!(lines.last_line(5, 5), None, "a comment is no item");
    }

    #[test]
    fn an_object_of_json_ends_with_its_bracket() {
        let text = "{\"hooks\": {\"Stop\": [\n  {\n    \"command\": \"a\"\n  },\n  {\"command\": \"b\"}\n]}}\n";
        let lines = ElementLines::new(Format::Json, text).unwrap();
        assert_eq!(lines.last_line(2, 3), Some(4));
        assert_eq!(lines.last_line(5, 5), Some(5));
        assert!(ElementLines::new(Format::Json, "{").is_none());
    }
}
