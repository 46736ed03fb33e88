//! Front matter: YAML between two lines `---` at the start of a Markdown file, with free text behind it.
//!
//! What it deliberately does not do: it parses no YAML. [`split`] returns the part that [`crate::yaml::read`] accepts.
//! That part begins at the first byte of the file and includes the opening line, which in YAML marks the start of a
//! document. So every position and span in it is also one of the file, and nothing has to be shifted.

/// The front matter at the start of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontMatter<'a> {
    /// The file has front matter.
    Found {
        /// The file from its start to the closing line, without that line.
        yaml: &'a str,
        /// Where the free text begins, in bytes of the text without byte-order mark.
        body: usize,
    },
    /// The first line is not `---`.
    Missing,
    /// There is no closing line.
    Unclosed,
}

/// Finds the front matter of a text. Lines may end with CRLF. Spaces behind the dashes and a byte-order mark are
/// ignored.
#[must_use]
pub fn split(text: &str) -> FrontMatter<'_> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let end = at + line.len();
        match (number, line.trim_end() == "---") {
            (0, false) => return FrontMatter::Missing,
            (0, true) | (_, false) => {}
            (_, true) => {
                return FrontMatter::Found {
                    yaml: &text[..at],
                    body: end,
                };
            }
        }
        at = end;
    }
    if text.is_empty() {
        FrontMatter::Missing
    } else {
        FrontMatter::Unclosed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn found(text: &str) -> (&str, &str) {
        let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
        match split(text) {
            FrontMatter::Found { yaml, body } => (yaml, &plain[body..]),
            FrontMatter::Missing | FrontMatter::Unclosed => panic!("no front matter in {text:?}"),
        }
    }

    #[test]
    fn the_part_that_is_yaml_begins_at_the_first_byte() {
        assert_eq!(found("---\na: 1\n---\nbody\n"), ("---\na: 1\n", "body\n"));
        assert_eq!(found("---\r\na: 1\r\n---\r\nbody"), ("---\r\na: 1\r\n", "body"));
        assert_eq!(found("\u{feff}--- \na: 1\n---"), ("--- \na: 1\n", ""));
        assert_eq!(found("---\n---\n"), ("---\n", ""));
        assert_eq!(found("---\na: |\n  ---\n---\nx\n---\n").0, "---\na: |\n  ---\n");
    }

    #[test]
    fn places_in_it_are_places_in_the_file() {
        let (yaml, _) = found("---\nname: x\nmatcher:\n  tool: Shell\n---\n");
        let node = crate::yaml::read(yaml).unwrap().unwrap();
        let entries = node.entries().unwrap();
        assert_eq!((entries[0].key_position.line, entries[0].value.position.column), (2, 7));
        assert_eq!(&yaml[entries[0].value.span.clone()], "x");
    }

    #[test]
    fn a_file_without_it_says_which_line_is_missing() {
        for text in [
            "",
            "# Title\n---\na: 1\n---\n",
            "----\na: 1\n---\n",
            " ---\na: 1\n---\n",
        ] {
            assert_eq!(split(text), FrontMatter::Missing, "{text:?}");
        }
        for text in ["---", "---\na: 1\n", "---\na: 1\n --- x\n"] {
            assert_eq!(split(text), FrontMatter::Unclosed, "{text:?}");
        }
    }
}
