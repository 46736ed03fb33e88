//! One pass over the text of a command.

use super::{assigned, is_name, Script, Word};

/// Looks through a command or a shell script.
#[must_use]
pub fn scan(text: &str) -> Script {
    scan_at(text, 0)
}

fn scan_at(text: &str, depth: u32) -> Script {
    let mut script = Script::default();
    Scan::new(text, &mut script, depth).run();
    for index in 0..script.commands.len() {
        let words = std::mem::take(&mut script.commands[index]);
        settle(&words, &mut script);
        script.commands[index] = words;
    }
    script.commands.retain(|words| !words.is_empty());
    script
}

/// Substitutions in substitutions that are followed.
const MAX_DEPTH: u32 = 24;

struct Scan<'b> {
    depth: u32,
    chars: Vec<char>,
    at: usize,
    script: &'b mut Script,
    words: Vec<Word>,
    word: Option<Word>,
    /// The next word is the target of a redirection, not an argument.
    target: bool,
    heredocs: Vec<Heredoc>,
}

struct Heredoc {
    end: String,
    literal: bool,
    tabs: bool,
}

impl<'b> Scan<'b> {
    fn new(text: &str, script: &'b mut Script, depth: u32) -> Self {
        Self {
            depth,
            chars: text.chars().collect(),
            at: 0,
            script,
            words: Vec::new(),
            word: None,
            target: false,
            heredocs: Vec::new(),
        }
    }

    fn run(&mut self) {
        while let Some(sign) = self.peek(0) {
            match sign {
                '\'' => self.single(),
                '"' => self.double(),
                '\\' => self.escape(),
                '$' => self.dollar(),
                '`' => self.backtick(),
                '#' if self.word.is_none() => self.skip_line(),
                ' ' | '\t' | '\r' => {
                    self.end_word();
                    self.at += 1;
                }
                '\n' => {
                    self.end_command();
                    self.at += 1;
                    self.skip_heredocs();
                }
                ';' | '(' | ')' => {
                    self.end_command();
                    self.at += 1;
                }
                '|' | '&' | '<' | '>' => self.operator(sign),
                _ => {
                    self.push(sign);
                    self.at += 1;
                }
            }
        }
        self.end_command();
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, sign)| self.peek(ahead) == Some(sign))
    }

    fn push(&mut self, sign: char) {
        self.word.get_or_insert_with(|| Word { text: String::new(), quoted: false }).text.push(sign);
    }

    fn quoted(&mut self) -> &mut Word {
        let word = self.word.get_or_insert_with(|| Word { text: String::new(), quoted: false });
        word.quoted = true;
        word
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if std::mem::take(&mut self.target) {
            return;
        }
        if self.words.is_empty() && word.text == "[[" && !word.quoted {
            self.bashism("[[");
        }
        self.words.push(word);
    }

    fn end_command(&mut self) {
        self.end_word();
        self.target = false;
        let words = std::mem::take(&mut self.words);
        self.script.commands.push(words);
    }

    fn bashism(&mut self, sign: &'static str) {
        if !self.script.bashisms.contains(&sign) {
            self.script.bashisms.push(sign);
        }
    }

    fn single(&mut self) {
        self.quoted();
        self.at += 1;
        while let Some(sign) = self.peek(0) {
            self.at += 1;
            if sign == '\'' {
                break;
            }
            self.push(sign);
        }
    }

    fn double(&mut self) {
        self.quoted();
        self.at += 1;
        while let Some(sign) = self.peek(0) {
            match sign {
                '"' => {
                    self.at += 1;
                    break;
                }
                '\\' => {
                    let next = self.peek(1);
                    if !next.is_some_and(|next| "\"\\$`\n".contains(next)) {
                        self.push('\\');
                    }
                    if let Some(next) = next.filter(|next| *next != '\n') {
                        self.push(next);
                    }
                    self.at += 2;
                }
                '$' => self.dollar(),
                '`' => self.backtick(),
                _ => {
                    self.push(sign);
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self) {
        if let Some(next) = self.peek(1).filter(|next| *next != '\n') {
            self.push(next);
        }
        self.at += 2;
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|sign| sign != '\n') {
            self.at += 1;
        }
    }

    /// `$NAME`, `${…}`, `$(…)`, `$((…))` or a plain dollar.
    fn dollar(&mut self) {
        let from = self.at;
        match self.peek(1) {
            Some('(') => {
                let end = self.closing(self.at + 1, '(', ')');
                let inner = self.slice(self.at + 2, end);
                if let Some(sum) = inner.strip_prefix('(') {
                    variables(sum, self.script, self.depth + 1);
                } else {
                    self.nested(&inner);
                }
                self.at = end + 1;
            }
            Some('{') => {
                let end = self.closing(self.at + 1, '{', '}');
                let inner = self.slice(self.at + 2, end);
                braced(&inner, self.script, self.depth + 1);
                self.at = end + 1;
            }
            Some(sign) if sign.is_ascii_alphabetic() || sign == '_' => {
                let mut end = self.at + 1;
                while self.chars.get(end).is_some_and(|sign| sign.is_ascii_alphanumeric() || *sign == '_') {
                    end += 1;
                }
                let name = self.slice(self.at + 1, end);
                used(&name, self.script);
                self.at = end;
            }
            Some(_) | None => self.at += 1,
        }
        let written = self.slice(from, self.at);
        self.word.get_or_insert_with(|| Word { text: String::new(), quoted: false }).text.push_str(&written);
    }

    fn backtick(&mut self) {
        let from = self.at;
        self.at += 1;
        while let Some(sign) = self.peek(0) {
            self.at += if sign == '\\' { 2 } else { 1 };
            if sign == '`' {
                break;
            }
        }
        let written = self.slice(from, self.at);
        self.nested(written.trim_matches('`'));
        self.word.get_or_insert_with(|| Word { text: String::new(), quoted: false }).text.push_str(&written);
    }

    fn slice(&self, from: usize, to: usize) -> String {
        let to = to.min(self.chars.len());
        self.chars[from.min(to)..to].iter().collect()
    }

    /// Where the bracket that opens at `from` closes; the end of the text when it does not.
    fn closing(&self, from: usize, open: char, close: char) -> usize {
        let mut depth = 0_u32;
        let mut at = from;
        while let Some(&sign) = self.chars.get(at) {
            match sign {
                '\\' => at += 1,
                '\'' => at = self.chars[at + 1..].iter().position(|sign| *sign == '\'').map_or(self.chars.len(), |ahead| at + 1 + ahead),
                _ if sign == open => depth += 1,
                _ if sign == close => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.chars.len()
    }

    fn nested(&mut self, inner: &str) {
        if self.depth >= MAX_DEPTH {
            self.script.opaque = true;
            return;
        }
        let found = scan_at(inner, self.depth + 1);
        for name in found.uses {
            used(&name, self.script);
        }
        self.script.sets.extend(found.sets);
        self.script.opaque |= found.opaque;
        for sign in found.bashisms {
            self.bashism(sign);
        }
        self.script.commands.extend(found.commands);
    }

    fn operator(&mut self, sign: char) {
        if self.starts("<<<") {
            self.bashism("<<<");
            self.redirect(3);
        } else if self.starts("<<") {
            self.heredoc();
        } else if self.starts("<(") {
            self.bashism("<(");
            self.end_word();
            self.at += 1;
        } else if self.starts("&>") {
            self.bashism("&>");
            self.redirect(if self.peek(2) == Some('>') { 3 } else { 2 });
        } else if sign == '<' || sign == '>' {
            let wide = self.peek(1).is_some_and(|next| next == '>' || next == '&' || next == '|');
            self.redirect(if wide { 2 } else { 1 });
        } else {
            self.end_command();
            self.at += 1;
        }
    }

    fn redirect(&mut self, width: usize) {
        // `2>` is the number of a stream, not an argument.
        if self.word.as_ref().is_some_and(|word| !word.quoted && word.text.chars().all(|sign| sign.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        self.at += width;
        self.target = true;
    }

    fn heredoc(&mut self) {
        self.end_word();
        let tabs = self.peek(2) == Some('-');
        self.at += if tabs { 3 } else { 2 };
        while self.peek(0).is_some_and(|sign| sign == ' ' || sign == '\t') {
            self.at += 1;
        }
        let from = self.at;
        while self.peek(0).is_some_and(|sign| !sign.is_whitespace() && !";|&<>()".contains(sign)) {
            self.at += 1;
        }
        let written = self.slice(from, self.at);
        let end: String = written.chars().filter(|sign| !"'\"\\".contains(*sign)).collect();
        self.heredocs.push(Heredoc { literal: end != written, end, tabs });
    }

    fn skip_heredocs(&mut self) {
        for heredoc in std::mem::take(&mut self.heredocs) {
            let mut body = String::new();
            while self.at < self.chars.len() {
                let from = self.at;
                self.skip_line();
                let line = self.slice(from, self.at);
                self.at += 1;
                let bare = if heredoc.tabs { line.trim_start_matches('\t') } else { line.as_str() };
                if bare.trim_end_matches('\r') == heredoc.end {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            if !heredoc.literal {
                variables(&body, self.script, self.depth + 1);
            }
        }
    }
}

fn used(name: &str, script: &mut Script) {
    if !script.uses.iter().any(|known| known == name) {
        script.uses.push(name.to_owned());
    }
}

/// The inside of `${…}`.
fn braced(inner: &str, script: &mut Script, depth: u32) {
    let body = inner.trim_start_matches(['#', '!']);
    let end = body.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').unwrap_or(body.len());
    let (name, rest) = body.split_at(end);
    variables(rest, script, depth);
    if !is_name(name) {
        return;
    }
    let operator = rest.strip_prefix(':').unwrap_or(rest);
    if operator.starts_with(['-', '=', '+', '?']) {
        script.sets.insert(name.to_owned());
    } else {
        used(name, script);
    }
}

/// Variables in a text that is no command: a here-document, a default, a sum.
fn variables(text: &str, script: &mut Script, depth: u32) {
    if depth >= MAX_DEPTH {
        script.opaque = true;
        return;
    }
    let mut inner = Script::default();
    let mut scan = Scan::new(text, &mut inner, depth);
    while let Some(sign) = scan.peek(0) {
        match sign {
            '\\' => scan.at += 2,
            '$' => scan.dollar(),
            _ => scan.at += 1,
        }
    }
    for name in inner.uses {
        used(&name, script);
    }
    script.sets.extend(inner.sets);
    script.opaque |= inner.opaque;
    script.commands.extend(inner.commands);
}

/// What a simple command sets, and whether it runs text that is not here.
fn settle(words: &[Word], script: &mut Script) {
    for word in words {
        match assigned(&word.text) {
            Some(name) => {
                script.sets.insert(name.to_owned());
            }
            None => break,
        }
    }
    let rest = super::program(words);
    let Some(first) = rest.first() else { return };
    let names = rest[1..].iter().map(|word| word.text.as_str());
    match first.text.as_str() {
        "eval" | "." => script.opaque = true,
        "source" => {
            script.opaque = true;
            if !script.bashisms.contains(&"source") {
                script.bashisms.push("source");
            }
        }
        "for" | "read" | "mapfile" | "readarray" | "getopts" | "unset" | "case" => {
            let set: Vec<String> = names.take_while(|name| *name != "in").filter(|name| is_name(name)).map(str::to_owned).collect();
            script.sets.extend(set);
        }
        "export" | "local" | "readonly" | "declare" | "typeset" => {
            let set: Vec<String> = names.filter_map(assigned).map(str::to_owned).collect();
            script.sets.extend(set);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        scan(text).commands.iter().map(|words| words.iter().map(|word| word.text.clone()).collect()).collect()
    }

    #[track_caller]
    fn unset(text: &str) -> Vec<String> {
        let script = scan(text);
        script.uses.iter().filter(|name| !script.sets.contains(*name)).cloned().collect()
    }

    #[test]
    fn commands_are_split_as_a_shell_does() {
        assert_eq!(words("python3 ~/a.py 'b c' \"d $E\""), [["python3", "~/a.py", "b c", "d $E"]]);
        assert_eq!(words("a && b || c; d | e & f\ng"), [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"]]);
        assert_eq!(words("a 2>/dev/null >out b # c d"), [["a", "b"]]);
        assert_eq!(words("a \\\n b\\ c"), [["a", "b c"]]);
        assert_eq!(words("x=$(cat; sed s/a/b/) y"), [vec!["cat"], vec!["sed", "s/a/b/"], vec!["x=$(cat; sed s/a/b/)", "y"]]);
        assert_eq!(words("cat <<'E'\n$NOT {\nE\nb"), [["cat"], ["b"]]);
    }

    #[test]
    fn a_variable_is_unset_when_nothing_gives_it_a_value() {
        let table: [(&str, &[&str]); 14] = [
            ("echo $A ${B} \"$C\"", &["A", "B", "C"]),
            ("echo '$A' \\$B $1 $@ $? $$", &[]),
            ("A=1 cmd; echo $A", &[]),
            ("export A=1 && echo $A", &[]),
            ("read -r A B; echo $A $B", &[]),
            ("for A in 1 2; do echo $A; done", &[]),
            ("echo ${A:-x} ${B-$C} ${D:?no}", &["C"]),
            (": ${A:=1}; echo $A", &[]),
            ("x=$(echo $A); echo $x", &["A"]),
            ("echo `echo $A`", &["A"]),
            ("cat <<E\n$A\nE\n", &["A"]),
            ("cat <<'E'\n$A\nE\n", &[]),
            ("echo $((1 + $A))", &["A"]),
            ("echo ${#A} ${A%%/*}", &["A"]),
        ];
        for (text, want) in table {
            assert_eq!(unset(text), want, "{text}");
        }
    }

    #[test]
    fn signs_that_only_bash_knows_are_seen_outside_of_quotes() {
        assert_eq!(scan("[[ -n $A ]] && cat <<< x; diff <(a) b &> c; source f").bashisms, ["[[", "<<<", "<(", "&>", "source"]);
        assert!(scan("echo '[[ <<< &>' \"<(\"; grep '[[:alpha:]]' x 2>&1 > f; a & b").bashisms.is_empty());
    }

    #[test]
    fn what_runs_text_that_is_not_here_is_opaque() {
        assert!(scan("eval \"$X\"").opaque && scan(". ./env.sh").opaque && scan("if source x; then a; fi").opaque);
        assert!(!scan("./env.sh").opaque);
    }

    #[test]
    fn substitutions_nested_beyond_measure_are_left_alone() {
        for sign in ["$(", "${a:-", "$((", "`$("] {
            let script = scan(&sign.repeat(20_000));
            assert!(script.opaque || script.uses.len() < 2, "{sign}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_looked_through(text in r#"[\x00-\x7f中]{0,120}"#) {
            let _ = scan(&text);
        }

        #[test]
        fn any_heap_of_signs_can_be_looked_through(text in r#"[$(){}`'"\\<>|&; \nEa=-]{0,80}"#) {
            let _ = scan(&text);
        }
    }
}
