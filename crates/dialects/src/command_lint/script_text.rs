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
    /// Where the pipeline of the present statement begins.
    pipeline_from: usize,
    /// Where the open groups `{ … }` and subshells `( … )` begin, from the outside in.
    groups: Vec<(char, usize)>,
    /// Where the group begins that the present statement closes, so that a redirection after it holds for all of it.
    closed_group: Option<usize>,
    /// From here on the standard output goes elsewhere, because of `exec >…`.
    all_redirected: bool,
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
            pipeline_from: 0,
            groups: Vec::new(),
            closed_group: None,
            all_redirected: false,
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
                // A line that ends with a pipe goes on in the next one.
                (None, '\n') if self.is_behind_pipe(at) && self.documents.is_empty() => {}
                (None, '\n') => {
                    let elsewhere = self.redirected || self.all_redirected;
                    for document in &mut self.documents {
                        document.1 |= elsewhere;
                    }
                    self.end_statement(at);
                    at = self.skip_documents(at + 1);
                    self.begin_statement(at);
                    continue;
                }
                // `${X}` belongs to its word.
                (None, '{') if before == Some('$') => {
                    let rest = self.chars[at..].iter().position(|sign| ['}', '\n'].contains(sign));
                    at += rest.unwrap_or(0);
                }
                (None, '|') if self.is_pipe(at) => self.end_part_of_pipe(at),
                (None, ';' | '&' | '|' | ')' | '}' | '(' | '{')
                    if !is_part_of_redirection(before, self.chars.get(at + 1)) =>
                {
                    self.end_statement(at);
                    self.note_group(sign, at);
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
        let at = at.min(self.out.len());
        let from = self.from.min(at);
        let is_elsewhere = std::mem::take(&mut self.redirected);
        if is_elsewhere {
            let text: String = self.chars[from..at].iter().collect();
            let group = self.closed_group.filter(|_| has_only_redirections(&text));
            if is_bare_exec(&text) && self.groups.is_empty() {
                self.all_redirected = true;
            }
            let from = group.unwrap_or(from).min(self.pipeline_from);
            blank(&mut self.out[from..at]);
        } else if self.all_redirected {
            let text: String = self.chars[from..at].iter().collect();
            if is_bare_exec(&text) {
                self.all_redirected = false;
            } else if !text.contains('>') {
                blank(&mut self.out[from..at]);
            }
        }
        self.begin_statement(at + 1);
    }

    fn begin_statement(&mut self, at: usize) {
        self.from = at;
        self.pipeline_from = at;
        self.closed_group = None;
    }

    /// Whether the `|` at this place is a pipe, and not `||`, `>|` or `|&`.
    fn is_pipe(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| self.chars[before]);
        !matches!(before, Some('|' | '>')) && self.chars.get(at + 1) != Some(&'|')
    }

    fn is_behind_pipe(&self, at: usize) -> bool {
        let last = self.chars[..at].iter().rposition(|sign| !sign.is_whitespace());
        last.is_some_and(|last| self.chars[last] == '|' && self.is_pipe(last))
    }

    /// Ends a command whose output the next one reads.
    fn end_part_of_pipe(&mut self, at: usize) {
        let group = self.closed_group;
        let begin = group.unwrap_or(self.pipeline_from).min(self.pipeline_from);
        self.end_statement(at);
        self.pipeline_from = begin;
    }

    /// Notes where a group begins, or which one ends here.
    fn note_group(&mut self, sign: char, at: usize) {
        match sign {
            '{' if self.chars.get(at + 1).is_some_and(|next| next.is_whitespace()) => self.groups.push(('}', at)),
            '(' => self.groups.push((')', at)),
            '}' | ')' if self.groups.last().is_some_and(|(close, _)| *close == sign) => {
                self.closed_group = self.groups.pop().map(|(_, begin)| begin);
            }
            _ => {}
        }
    }

    /// Whether the `>` at this place sends the standard output to a file or to stderr.
    fn goes_elsewhere(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| self.chars[before]);
        let is_first_sign = before != Some('>');
        // `2>`, `9>` and the like are of another stream.
        let is_stdout = before.is_none_or(|before| !before.is_ascii_digit() || before == '1');
        let target: String = self.chars[at + 1..]
            .iter()
            .skip_while(|sign| ">| ".contains(**sign))
            .take(12)
            .collect();
        // A copy of stdout that was made before.
        let copied = target.strip_prefix('&').and_then(|name| name.chars().next());
        let is_copy = copied.is_some_and(|name| {
            let copy = [name, '>', '&', '1'];
            name.is_ascii_digit() && self.chars[..at].windows(copy.len()).any(|signs| signs == copy)
        });
        let stays = ["&1", "/dev/stdout", "(", "/dev/fd/1"]
            .iter()
            .any(|begin| target.starts_with(begin));
        is_first_sign && is_stdout && !stays && !is_copy && !target.is_empty()
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

/// Whether a statement is `exec` with redirections only, which hold for everything behind it. One that is indented, or behind
/// another statement, may be conditional.
fn is_bare_exec(statement: &str) -> bool {
    let rest = statement.strip_prefix("exec");
    rest.is_some_and(|rest| rest.starts_with(char::is_whitespace) && has_only_redirections(rest))
}

/// Whether a text consists of redirections: `>&2`, `> log 2>&1`.
fn has_only_redirections(text: &str) -> bool {
    let mut rest = text.trim();
    while !rest.is_empty() {
        let sign = rest.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '&');
        let Some(target) = sign.strip_prefix(['>', '<']) else {
            return false;
        };
        let target = target.trim_start_matches(['>', '|']).trim_start();
        rest = target
            .split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest.trim_start());
    }
    true
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
            "echo decision | jq . >/dev/null",
            "echo decision |\n  jq . > log",
            "echo decision | tee log >&2",
            "{ echo decision; echo more; } >&2",
            "( echo decision ) > log",
            "{ echo decision; } | logger >/dev/null",
            "exec 1>&2\necho decision",
            "exec >log 2>&1\necho decision\necho b",
            "echo ${X} decision > log",
            "exec >&2\ncat <<EOF\ndecision\nEOF\n",
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
            "echo decision | jq -c .",
            "echo decision | tee log",
            "echo a >&2 | true; echo decision",
            "exec 9>/tmp/lock\necho decision",
            "exec 2>/dev/null\necho decision",
            "if [ -n \"$DEBUG\" ]; then\n  exec >log\nfi\necho decision",
            "[ -n \"$DEBUG\" ] && exec >log\necho decision",
            "exec 3>&1 1>&2\necho decision >&3",
            "exec 3>&1 1>log\nexec 1>&3\necho decision",
            "{ echo a; } >&2; echo decision",
            "x=$(echo a >&2); echo decision",
            "case $X in *rm*) echo decision;; esac",
            "echo a >&2 || echo decision",
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
