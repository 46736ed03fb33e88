//! Two of the three readings of a text (`engine.md` §3): its words with and without the protection of quotes. Nothing
//! here decides what a shell would do. What either reading finds counts.

/// Whether a word follows `<` or `>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redirect {
    /// It follows neither.
    None,
    /// The file is read.
    In,
    /// The file is written.
    Out,
}

/// A word without its quotes and backslashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnquotedWord {
    pub text: String,
    /// The redirection before the word.
    pub redirect: Redirect,
    /// Whether it directly follows a substitution. Then a leading `/` does not begin a path.
    pub after_substitution: bool,
}

/// A text as a list of commands: words up to an operator.
pub type Commands = Vec<Vec<UnquotedWord>>;

/// Cuts a text at spaces, tabs and operators, and removes quotes, backslashes and backslash-newlines. With `protect`,
/// spaces, tabs and operators within quotes or after a backslash do not cut.
#[must_use]
pub fn split_commands(text: &str, protect: bool) -> Commands {
    let mut scan = WordScanner::default();
    let mut quote = None;
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match (sign, quote) {
            ('\\', Some('\'')) if protect => scan.push(sign),
            ('\\', _) => match signs.peek() {
                Some('\n') => drop(signs.next()),
                Some(&next) if protect => {
                    scan.push(next);
                    signs.next();
                }
                Some(_) | None => {}
            },
            (_, Some(open)) if sign == open => quote = None,
            (_, Some(_)) => scan.push(sign),
            ('\'' | '"', None) => {
                scan.begin_word();
                quote = protect.then_some(sign);
            }
            (' ' | '\t', None) => scan.end_word(),
            ('\n' | ';' | '&' | '|' | '(' | ')' | '`', None) => scan.operator(sign),
            ('<', None) => scan.redirect(Redirect::In),
            ('>', None) => scan.redirect(Redirect::Out),
            (_, None) => scan.push(sign),
        }
    }
    scan.end_command();
    scan.commands
}

#[derive(Default)]
struct WordScanner {
    commands: Commands,
    command: Vec<UnquotedWord>,
    word: Option<String>,
    redirect: Option<Redirect>,
    glued: bool,
}

impl WordScanner {
    fn push(&mut self, sign: char) {
        self.word.get_or_insert_default().push(sign);
    }

    /// Begins a word at a quote, because an empty quoted word is a word too.
    fn begin_word(&mut self) {
        self.word.get_or_insert_default();
    }

    fn end_word(&mut self) {
        let glued = std::mem::take(&mut self.glued);
        let Some(text) = self.word.take() else { return };
        // A `$` before the place of a cut is not part of a name.
        let text = text.strip_suffix('$').map(str::to_owned).unwrap_or(text);
        let redirect = self.redirect.take().unwrap_or(Redirect::None);
        self.command.push(UnquotedWord {
            text,
            redirect,
            after_substitution: glued,
        });
    }

    fn end_command(&mut self) {
        self.end_word();
        self.redirect = None;
        if !self.command.is_empty() {
            self.commands.push(std::mem::take(&mut self.command));
        }
    }

    fn operator(&mut self, sign: char) {
        // `>&`, `>|` and `<&` are one operator each.
        if self.redirect.is_some() && self.word.is_none() && matches!(sign, '&' | '|') {
            return;
        }
        self.end_command();
        self.glued = matches!(sign, ')' | '`');
    }

    fn redirect(&mut self, direction: Redirect) {
        let number = self
            .word
            .as_ref()
            .is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        if number {
            self.word = None;
        }
        self.end_word();
        // `<>` opens a file for reading and writing.
        let read = self.redirect == Some(Redirect::In);
        self.redirect = Some(if read { Redirect::In } else { direction });
    }
}

/// Each quoted text as a whole, with whether `>` comes before it. It is not decided which quotes belong together: the
/// text between any two neighbouring quotes counts.
pub fn quoted(text: &str) -> impl Iterator<Item = (&str, bool)> {
    ['\'', '"'].into_iter().flat_map(move |quote| {
        let mut parts = text.split(quote);
        // The text before the first quote and after the last one is not quoted.
        let first = parts.next().map_or(0, |before| before.len() + 1);
        let count = text.matches(quote).count();
        parts.take(count.saturating_sub(1)).scan(first, move |at, part| {
            let start = *at;
            *at += part.len() + 1;
            let before = text[..start - 1].trim_end_matches([' ', '\t']);
            Some((part, before.ends_with('>')))
        })
    })
}

/// The text, cut at spaces, tabs, newlines, quotes and every character with a meaning in a shell or a list.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split([
        ' ', '\t', '\n', '\'', '"', ';', '&', '|', '<', '>', '(', ')', '{', '}', '$', '`', ',', '=', ':',
    ])
    .filter(|piece| !piece.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, protect: bool) -> Vec<Vec<String>> {
        let texts = |command: Vec<UnquotedWord>| command.into_iter().map(|word| word.text).collect();
        split_commands(text, protect).into_iter().map(texts).collect()
    }

    #[test]
    fn quotes_and_backslashes_go_and_blanks_cut() {
        let cut = texts("sh 'a b.sh' ev\\il.sh \"$X\"/c", false);
        assert_eq!(cut, [["sh", "a", "b.sh", "evil.sh", "$X/c"]]);
        let whole = texts("sh 'a b.sh' d\\ e.sh \"$X\"'/f g'", true);
        assert_eq!(whole, [["sh", "a b.sh", "d e.sh", "$X/f g"]]);
        assert_eq!(texts("sh ev\\\nil.sh", true), [["sh", "evil.sh"]]);
        assert_eq!(
            texts("sh evil.sh\r", false),
            [["sh", "evil.sh\r"]],
            "a carriage return is part of a word"
        );
    }

    #[test]
    fn operators_end_commands_and_redirections_mark_words() {
        assert_eq!(texts("a;b&&c|(d)\ne", true), [["a"], ["b"], ["c"], ["d"], ["e"]]);
        let marked = |text: &str| {
            let words = split_commands(text, true).concat();
            let marked = words.iter().filter(|word| word.redirect != Redirect::None);
            marked
                .map(|word| (word.text.clone(), word.redirect))
                .collect::<Vec<_>>()
        };
        let out = |text: &str| (text.to_owned(), Redirect::Out);
        assert_eq!(
            marked("a >x 2> y >>'z z' >|v &>w"),
            [out("x"), out("y"), out("z z"), out("v"), out("w")]
        );
        assert_eq!(
            marked("sh <x 3<>y"),
            [("x".to_owned(), Redirect::In), ("y".to_owned(), Redirect::In)]
        );
    }

    #[test]
    fn what_follows_a_substitution_begins_no_path() {
        let words = split_commands("sh $(pwd)/evil.sh", true).concat();
        assert!(
            words
                .iter()
                .any(|word| word.text == "/evil.sh" && word.after_substitution),
            "{words:?}"
        );
    }

    #[test]
    fn every_quoted_text_is_a_name() {
        let found: Vec<_> = quoted("sh 'a b' > \"c\" \"d'e\"").collect();
        for text in [("a b", false), ("c", true), ("d'e", false)] {
            assert!(found.contains(&text), "{found:?}");
        }
    }
}
