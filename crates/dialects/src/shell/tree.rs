//! The commands of a text as a tree: lists, pipelines, conditions, loops and functions.
//!
//! What it deliberately does not do: it accepts no text that it does not understand. Then there is no tree, and nothing is
//! said about the ways through the text.

use super::{Join, Part, Script, Word};

/// A list of commands, in order.
#[derive(Debug, Clone, Default)]
pub struct List(pub Vec<AndOr>);

/// Pipelines that `&&` and `||` join.
#[derive(Debug, Clone)]
pub struct AndOr {
    /// The first one.
    pub first: Pipeline,
    /// The others, each with whether it runs after a success (`&&`) or after a failure (`||`).
    pub rest: Vec<(bool, Pipeline)>,
    /// Whether it runs in the background.
    pub background: bool,
}

/// Commands that `|` joins.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// Whether `!` is before it.
    pub negated: bool,
    /// The commands, at least one.
    pub parts: Vec<ShellCommand>,
}

/// One command, simple or compound.
#[derive(Debug, Clone)]
pub enum ShellCommand {
    /// Words that start a program, a builtin or a function, or that assign variables.
    Simple(Simple),
    /// `{ … }`
    Group(List),
    /// `( … )`
    Subshell(List),
    /// `if … then … elif … else … fi`
    If(Vec<(List, List)>, Option<List>),
    /// `while … do … done`, or `until`, for which the flag is true.
    Loop(List, bool, List),
    /// `for NAME in … do … done`
    For(String, List),
    /// `case WORD in PATTERNS) … esac`
    Case(Simple, Vec<(String, List)>),
    /// The definition of a function.
    Function(String, Box<ShellCommand>),
}

/// The words of a simple command.
#[derive(Debug, Clone)]
pub struct Simple {
    /// Its words without the keywords before them.
    pub words: Vec<Word>,
    /// The substitutions in its words.
    pub substitutions: Vec<List>,
    /// The texts of its here-documents.
    pub documents: Vec<String>,
}

/// Reads the tree of a text; `None` if it is not understood.
#[must_use]
pub fn tree(script: &Script) -> Option<List> {
    if script.has_unmatched_keyword() {
        return None;
    }
    read_parts(script, &script.parts)
}

fn read_parts(script: &Script, parts: &[Part]) -> Option<List> {
    let mut tokens = tokens(script, parts)?;
    tokens.reverse();
    let mut reader = Reader { tokens };
    let list = reader.list()?;
    reader.tokens.is_empty().then_some(list)
}

#[derive(Debug)]
enum Token {
    Keyword(String),
    Simple(Simple),
    For(String),
    Case(Simple),
    Function(String),
    Clause(String),
    Esac,
    Open,
    Close,
    Operator(Join),
    Background,
}

/// Keywords that are tokens of their own.
const KEYWORDS: [&str; 13] = [
    "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}", "!", "time",
];

fn tokens(script: &Script, parts: &[Part]) -> Option<Vec<Token>> {
    let mut out = Vec::new();
    let mut substitutions: Vec<List> = Vec::new();
    for part in parts {
        match part {
            Part::Substitution(inner) => substitutions.push(read_parts(script, inner)?),
            Part::Open => out.push(Token::Open),
            Part::Close => out.push(Token::Close),
            Part::Function(name) => out.push(Token::Function(name.clone())),
            Part::Clause(patterns) => out.push(Token::Clause(patterns.clone())),
            Part::Esac => out.push(Token::Esac),
            Part::Operator(join) => out.push(Token::Operator(*join)),
            Part::Background => out.push(Token::Background),
            Part::Command(number) => {
                let command = script.commands.get(*number)?;
                let mut rest = command.words.as_slice();
                while let Some((word, behind)) = rest.split_first() {
                    let text = word.text.as_str();
                    let mut simple = || Simple {
                        words: rest.to_vec(),
                        substitutions: std::mem::take(&mut substitutions),
                        documents: command
                            .documents
                            .iter()
                            .filter_map(|number| Some(script.here_documents.get(*number)?.text.clone()))
                            .collect(),
                    };
                    match text {
                        _ if word.quoted => out.push(Token::Simple(simple())),
                        _ if KEYWORDS.contains(&text) => {
                            out.push(Token::Keyword(text.to_owned()));
                            rest = behind;
                            continue;
                        }
                        "for" | "select" => {
                            substitutions.clear();
                            out.push(Token::For(
                                behind.first().map(|name| name.text.clone()).unwrap_or_default(),
                            ));
                        }
                        "case" => out.push(Token::Case(simple())),
                        "function" => {
                            let (name, behind) = behind.split_first()?;
                            out.push(Token::Function(name.text.clone()));
                            rest = behind;
                            continue;
                        }
                        _ => out.push(Token::Simple(simple())),
                    }
                    break;
                }
                out.push(Token::Operator(command.join));
            }
        }
    }
    Some(out)
}

/// Reads tokens. The next one is the last of the list.
struct Reader {
    tokens: Vec<Token>,
}

impl Reader {
    fn keyword(&self) -> Option<&str> {
        match self.tokens.last() {
            Some(Token::Keyword(word)) => Some(word),
            _ => None,
        }
    }

    fn take_keyword(&mut self, word: &str) -> Option<()> {
        (self.keyword() == Some(word)).then(|| drop(self.tokens.pop()))
    }

    fn skip_breaks(&mut self) {
        while matches!(self.tokens.last(), Some(Token::Operator(Join::Next))) {
            self.tokens.pop();
        }
    }

    fn list(&mut self) -> Option<List> {
        let mut out: Vec<AndOr> = Vec::new();
        loop {
            match self.tokens.last() {
                Some(Token::Operator(Join::Next)) => drop(self.tokens.pop()),
                Some(Token::Background) => {
                    self.tokens.pop();
                    if let Some(last) = out.last_mut() {
                        last.background = true;
                    }
                }
                None | Some(Token::Close | Token::Clause(_) | Token::Esac) => return Some(List(out)),
                Some(Token::Keyword(word))
                    if ["then", "elif", "else", "fi", "do", "done", "}"].contains(&word.as_str()) =>
                {
                    return Some(List(out));
                }
                Some(_) => out.push(self.and_or()?),
            }
        }
    }

    fn and_or(&mut self) -> Option<AndOr> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        while let Some(Token::Operator(join @ (Join::And | Join::Or))) = self.tokens.last() {
            let after_success = *join == Join::And;
            self.tokens.pop();
            rest.push((after_success, self.pipeline()?));
        }
        Some(AndOr {
            first,
            rest,
            background: false,
        })
    }

    fn pipeline(&mut self) -> Option<Pipeline> {
        let mut negated = false;
        while let Some(word @ ("!" | "time")) = self.keyword() {
            negated ^= word == "!";
            self.tokens.pop();
        }
        let mut parts = vec![self.command()?];
        while matches!(self.tokens.last(), Some(Token::Operator(Join::Pipe))) {
            self.tokens.pop();
            parts.push(self.command()?);
        }
        Some(Pipeline { negated, parts })
    }

    fn command(&mut self) -> Option<ShellCommand> {
        match self.tokens.pop()? {
            Token::Simple(simple) => Some(ShellCommand::Simple(simple)),
            Token::Open => {
                let inner = self.list()?;
                matches!(self.tokens.pop()?, Token::Close).then_some(ShellCommand::Subshell(inner))
            }
            Token::Function(name) => {
                self.skip_breaks();
                Some(ShellCommand::Function(name, Box::new(self.command()?)))
            }
            Token::For(name) => Some(ShellCommand::For(name, self.body()?)),
            Token::Case(word) => {
                self.skip_breaks();
                let mut clauses = Vec::new();
                loop {
                    match self.tokens.pop()? {
                        Token::Clause(patterns) => clauses.push((patterns, self.list()?)),
                        Token::Esac => return Some(ShellCommand::Case(word, clauses)),
                        Token::Keyword(_)
                        | Token::Simple(_)
                        | Token::For(_)
                        | Token::Case(_)
                        | Token::Function(_)
                        | Token::Open
                        | Token::Close
                        | Token::Operator(_)
                        | Token::Background => return None,
                    }
                }
            }
            Token::Keyword(word) => match word.as_str() {
                "{" => {
                    let inner = self.list()?;
                    self.take_keyword("}")?;
                    Some(ShellCommand::Group(inner))
                }
                "while" | "until" => {
                    let condition = self.list()?;
                    let body = self.body()?;
                    Some(ShellCommand::Loop(condition, word == "until", body))
                }
                "if" => self.branches(),
                _ => None,
            },
            Token::Clause(_) | Token::Esac | Token::Close | Token::Operator(_) | Token::Background => None,
        }
    }

    fn body(&mut self) -> Option<List> {
        self.skip_breaks();
        self.take_keyword("do")?;
        let body = self.list()?;
        self.take_keyword("done")?;
        Some(body)
    }

    fn branches(&mut self) -> Option<ShellCommand> {
        let mut arms = Vec::new();
        loop {
            let condition = self.list()?;
            self.take_keyword("then")?;
            arms.push((condition, self.list()?));
            let Token::Keyword(word) = self.tokens.pop()? else {
                return None;
            };
            match word.as_str() {
                "elif" => {}
                "else" => {
                    let otherwise = self.list()?;
                    self.take_keyword("fi")?;
                    return Some(ShellCommand::If(arms, Some(otherwise)));
                }
                "fi" => return Some(ShellCommand::If(arms, None)),
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan;
    use super::*;

    #[test]
    fn the_structure_of_a_text_is_read() {
        for text in [
            "",
            "exit 2",
            "a | b && ! c || { d; }\ne &",
            "if a; then\n  b\nelif c; then d; else\n  e\nfi || exit 2",
            "case $(x) in\n  # why\n  *a*|b) exit 2;;\n  *) ;;\nesac && b",
            "f() { a; }\nf",
            "function f {\n  a\n}\nf >/dev/null || exit 2",
            "f() (\n  a\n)\n(f; b) | c",
            "while IFS= read -r l; do case $l in x) exit 2;; esac; done <f",
            "for f in *; do a; done",
            "cat <<EOF | b\nx\nEOF\n",
            "X=$(a || b) Y=\"$(c \"$(d)\")\" e",
            "if (( a > 1 )); then b; fi",
            "[[ $a == *b* && c ]] && exit 2",
        ] {
            assert!(tree(&scan(text)).is_some(), "{text}");
        }
        for text in ["if a; then b", "a )", "fi", "f() {"] {
            assert!(tree(&scan(text)).is_none(), "{text}");
        }
    }

    #[test]
    fn what_belongs_together_is_kept_together() {
        let List(all) = tree(&scan("a && b || c & d")).unwrap();
        assert_eq!((all.len(), all[0].rest.len(), all[0].background), (2, 2, true));
        let List(all) = tree(&scan("X=$(a | b; c)")).unwrap();
        let ShellCommand::Simple(simple) = &all[0].first.parts[0] else {
            panic!("{all:?}");
        };
        assert_eq!((simple.substitutions.len(), simple.substitutions[0].0.len()), (1, 2));
    }
}
