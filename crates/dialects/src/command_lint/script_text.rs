//! The part of a script that can become output: its text without comments, docstrings and redirected output
//! (`engine.md` §14). Every line keeps its number.

use super::ScriptLanguage;

/// Returns the text with blanks for comments, docstrings, and statements whose output goes to a file or to stderr.
#[must_use]
pub fn output_text(text: &str, language: ScriptLanguage) -> String {
    match language {
        ScriptLanguage::Sh | ScriptLanguage::Bash => ShellText::new(text).read(),
        ScriptLanguage::Other => program_text(text),
    }
}

/// Replaces everything but line breaks by blanks.
fn blank(out: &mut [char]) {
    for sign in out.iter_mut().filter(|sign| **sign != '\n') {
        *sign = ' ';
    }
}

/// Reads a text for a shell, statement by statement.
struct ShellText {
    chars: Vec<char>,
    out: Vec<char>,
    /// Where the present statement begins.
    from: usize,
    /// Whether its standard output goes elsewhere.
    redirected: bool,
    /// The end words of here-documents whose bodies follow, each with whether the body goes elsewhere.
    documents: Vec<(String, bool)>,
}

impl ShellText {
    fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        Self {
            out: chars.clone(),
            chars,
            from: 0,
            redirected: false,
            documents: Vec::new(),
        }
    }

    fn read(mut self) -> String {
        let mut at = 0;
        let mut quote: Option<char> = None;
        while let Some(&sign) = self.chars.get(at) {
            let before = at.checked_sub(1).map(|before| self.chars[before]);
            match (quote, sign) {
                (Some('\''), '\'') => quote = None,
                (Some('\''), _) => {}
                (_, '\\') => at += 1,
                (Some(open), _) if sign == open => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(sign),
                (None, '#') if before.is_none_or(|before| before.is_whitespace() || ";()".contains(before)) => {
                    let end = self.line_end(at);
                    blank(&mut self.out[at..end]);
                    at = end;
                    continue;
                }
                (None, '\n') => {
                    let elsewhere = self.redirected;
                    for document in &mut self.documents {
                        document.1 |= elsewhere;
                    }
                    self.end_statement(at);
                    at = self.skip_documents(at + 1);
                    self.from = at;
                    continue;
                }
                (None, ';' | '&' | '|' | ')' | '}' | '(' | '{')
                    if !is_part_of_redirection(before, self.chars.get(at + 1)) =>
                {
                    self.end_statement(at);
                }
                (None, '>') => self.redirected |= self.goes_elsewhere(at),
                (None, '<') if self.chars.get(at + 1) == Some(&'<') && self.chars.get(at + 2) != Some(&'<') => {
                    at = self.note_document(at + 2);
                    continue;
                }
                (None, _) => {}
            }
            at += 1;
        }
        let end = self.chars.len();
        self.end_statement(end);
        self.out.into_iter().collect()
    }

    fn line_end(&self, at: usize) -> usize {
        let rest = self.chars[at..].iter().position(|sign| *sign == '\n');
        rest.map_or(self.chars.len(), |ahead| at + ahead)
    }

    fn end_statement(&mut self, at: usize) {
        if std::mem::take(&mut self.redirected) {
            let at = at.min(self.out.len());
            blank(&mut self.out[self.from.min(at)..at]);
        }
        self.from = at + 1;
    }

    /// Whether the `>` at this place sends the standard output to a file or to stderr.
    fn goes_elsewhere(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| self.chars[before]);
        let is_first_sign = before != Some('>');
        let is_stdout = before != Some('2');
        let target: String = self.chars[at + 1..]
            .iter()
            .skip_while(|sign| ">| ".contains(**sign))
            .take(12)
            .collect();
        let stays = ["&1", "/dev/stdout", "(", "/dev/fd/1"]
            .iter()
            .any(|begin| target.starts_with(begin));
        is_first_sign && is_stdout && !stays && !target.is_empty()
    }

    /// Reads the end word of a here-document, and returns the place behind it.
    fn note_document(&mut self, from: usize) -> usize {
        let mut at = from;
        while self.chars.get(at).is_some_and(|sign| "- \t".contains(*sign)) {
            at += 1;
        }
        let mut word = String::new();
        while let Some(&sign) = self.chars.get(at) {
            if sign.is_whitespace() || ";|&)><".contains(sign) {
                break;
            }
            word.extend(Some(sign).filter(|sign| !"'\"\\".contains(*sign)));
            at += 1;
        }
        if !word.is_empty() {
            self.documents.push((word, false));
        }
        at
    }

    /// Skips the bodies of the here-documents that begin here. Those that go elsewhere become blank.
    fn skip_documents(&mut self, from: usize) -> usize {
        let mut at = from;
        for (end_word, elsewhere) in std::mem::take(&mut self.documents) {
            while at < self.chars.len() {
                let end = self.line_end(at);
                let line: String = self.chars[at..end].iter().collect();
                if elsewhere {
                    blank(&mut self.out[at..end]);
                }
                at = (end + 1).min(self.chars.len());
                if line.trim() == end_word {
                    break;
                }
            }
        }
        at
    }
}

/// Whether `&` or `|` belongs to `>&`, `&>` or `>|`.
fn is_part_of_redirection(before: Option<char>, next: Option<&char>) -> bool {
    before == Some('>') || before == Some('<') || next == Some(&'>')
}

/// Returns a program in another language without comments and without texts that are statements of their own.
fn program_text(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = chars.clone();
    let starts_with = |at: usize, text: &str| {
        text.chars()
            .enumerate()
            .all(|(ahead, sign)| chars.get(at + ahead) == Some(&sign))
    };
    let find = |from: usize, text: &str| (from..chars.len()).find(|at| starts_with(*at, text));
    let line_start = |at: usize| {
        chars[..at]
            .iter()
            .rev()
            .take_while(|sign| **sign != '\n')
            .all(|sign| sign.is_whitespace())
    };
    let mut at = 0;
    while at < chars.len() {
        let before = at.checked_sub(1).map(|before| chars[before]);
        let triple = ["\"\"\"", "'''"].into_iter().find(|quotes| starts_with(at, quotes));
        let comment_end = if starts_with(at, "/*") {
            Some(find(at + 2, "*/").map_or(chars.len(), |end| end + 2))
        } else if (chars[at] == '#' && before.is_none_or(char::is_whitespace))
            || (starts_with(at, "//") && before != Some(':'))
        {
            Some(find(at, "\n").unwrap_or(chars.len()))
        } else {
            triple
                .filter(|_| line_start(at))
                .map(|quotes| find(at + 3, quotes).map_or(chars.len(), |end| end + 3))
        };
        if let Some(end) = comment_end {
            blank(&mut out[at..end]);
            at = end;
        } else if let Some(quotes) = triple {
            at = find(at + 3, quotes).map_or(chars.len(), |end| end + 3);
        } else if ['"', '\'', '`'].contains(&chars[at]) {
            at = closing_quote(&chars, at);
        } else {
            at += 1;
        }
    }
    out.into_iter().collect()
}

/// Returns a program's text with blanks for what it writes to stderr: `print(…, file=sys.stderr)`, `console.error(…)`.
#[must_use]
pub fn without_stderr(text: &str) -> String {
    const CALLS: [&str; 5] = [
        "print(",
        "console.error(",
        "console.warn(",
        "stderr.write(",
        "STDERR.puts(",
    ];
    let mut out: Vec<char> = text.chars().collect();
    let chars = out.clone();
    for (begin, call) in CALLS.iter().flat_map(|call| text.match_indices(*call)) {
        let from = text[..begin].chars().count();
        let (mut depth, mut at) = (0_u32, from + call.chars().count() - 1);
        while let Some(&sign) = chars.get(at) {
            match sign {
                '"' | '\'' | '`' => {
                    at = closing_quote(&chars, at);
                    continue;
                }
                '(' => depth += 1,
                ')' if depth <= 1 => break,
                ')' => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        let end = at.min(chars.len());
        let written: String = chars[from..end].iter().collect();
        if call != "print(" || written.contains("sys.stderr") {
            blank(&mut out[from..end]);
        }
    }
    out.into_iter().collect()
}

/// Returns the place behind the text that begins with the quote at `from`. A text in `"` or `'` ends with its line.
fn closing_quote(chars: &[char], from: usize) -> usize {
    let quote = chars[from];
    let mut at = from + 1;
    while let Some(&sign) = chars.get(at) {
        match sign {
            '\\' => at += 1,
            '\n' if quote != '`' => return at,
            _ if sign == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    chars.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(text: &str, language: ScriptLanguage) -> bool {
        let out = output_text(text, language);
        assert_eq!(out.lines().count(), text.lines().count(), "{text}");
        out.contains("decision")
    }

    #[test]
    fn comments_and_redirected_output_of_a_shell_are_no_output() {
        for text in [
            "# {\"decision\": 1}",
            "x; # decision",
            "printf '{\"decision\":\"%s\"}\\n' \\\n  block >> \"$HOME/log\"",
            "echo decision >&2",
            "echo decision > /tmp/x; exit 0",
            "echo decision &> log",
            "cat > f <<EOF\ndecision\nEOF\necho x",
            "cat <<'EOF' >> f\ndecision\nEOF\n",
        ] {
            assert!(!has(text, ScriptLanguage::Sh), "{text}");
        }
        for text in [
            "echo '# decision'",
            "echo \"{\\\"decision\\\": 1}\"",
            "echo x > log; echo decision",
            "echo decision 2>/dev/null",
            "echo decision >&1",
            "cat <<EOF\n{\"decision\": 1}\nEOF\n",
            "echo no >&2 && echo decision",
            "X=${A#b}; echo decision",
            "jq -n '{decision: 1}'",
        ] {
            assert!(has(text, ScriptLanguage::Sh), "{text}");
        }
    }

    #[test]
    fn what_goes_to_stderr_is_no_output() {
        for (text, stays) in [
            ("print(json.dumps({'decision': 'block'}), file=sys.stderr)", false),
            ("console.error(JSON.stringify({decision: 'block'}))", false),
            ("print(json.dumps({'decision': 'block'}))", true),
            ("print('x', file=sys.stderr)\nprint(json.dumps({'decision': 1}))", true),
            ("print(')'); print('decision', file=sys.stdout)", true),
        ] {
            assert_eq!(without_stderr(text).contains("decision"), stays, "{text}");
        }
    }

    #[test]
    fn comments_and_docstrings_of_a_program_are_no_output() {
        for text in [
            "'''Prints decision.'''\nx",
            "def f():\n    \"\"\"decision\n    more\"\"\"\n",
            "x = 1  # decision",
            "// decision",
            "/* decision\n * decision */ x",
        ] {
            assert!(!has(text, ScriptLanguage::Other), "{text}");
        }
        for text in [
            "print('# decision')",
            "console.log(\"// decision\")",
            "x = \"\"\"\ndecision\n\"\"\"\nprint(x)",
            "fetch('http://x'); print('decision')",
            "`\n// ${x} decision`",
        ] {
            assert!(has(text, ScriptLanguage::Other), "{text}");
        }
    }
}
