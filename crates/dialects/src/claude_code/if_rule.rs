//! The rules of the field `if` (`claude-code.md` §4): one permission rule for one tool.
//!
//! The agent judges them with a parser of its own for shell commands. These are the rules that were compared with it
//! (CC-Q9).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookwright_model::{Layer, OtherNames, Payload, Root, Rule};
use serde_json::Value;

/// Tools whose rule is about one sub-command of `command`.
const COMMAND_TOOLS: [&str; 3] = ["Bash", "PowerShell", "Monitor"];
/// Tools whose rule is about the path in one of these fields.
const PATH_TOOLS: [(&str, &str); 4] = [
    ("Read", "file_path"),
    ("Edit", "file_path"),
    ("Write", "file_path"),
    ("NotebookEdit", "notebook_path"),
];
/// Tools whose rule is about their `pattern`.
const PATTERN_TOOLS: [&str; 2] = ["Glob", "Grep"];
/// Tools that are also known by other names, for matchers and rules alike.
pub const OTHER_NAMES: OtherNames = &[("Task", &["Agent"]), ("Agent", &["Task"]), ("Monitor", &["Bash"])];
/// Words with which a part of a shell command may begin before its program.
const KEYWORDS: [&str; 12] = [
    "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}",
];

/// Substitutions inside each other that are read. What a payload contains must not use up the stack.
const MAX_NESTING: usize = 24;

/// What a rule says, if it can ever hold.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Parsed {
    /// Every call of the tool.
    Tool(String),
    /// A call of the tool with something that the text fits.
    With(String, String),
}

/// The folders that the paths of a rule begin at.
struct Folders {
    /// Of `/p`: the project, or the user's folder of the agent.
    base: PathBuf,
    /// Of `~/p`.
    home: Option<PathBuf>,
}

/// The condition of a rule in a file of this root.
#[must_use]
pub fn rule(source: &str, root: &Root) -> Rule {
    let parsed = parse(source);
    let base = match root.layer {
        Layer::User => root.path.parent(),
        Layer::Builtin | Layer::Project | Layer::Session | Layer::Skill => root.project.as_deref(),
    };
    let folders = Folders {
        base: base.map(Path::to_owned).unwrap_or_default(),
        home: root.home.clone(),
    };
    Rule {
        source: source.to_owned(),
        holds: Arc::new(move |payload| parsed.as_ref().is_some_and(|rule| holds(rule, payload, &folders))),
    }
}

/// Whether the rule can hold for no call at all.
#[must_use]
pub fn never_holds(source: &str) -> bool {
    parse(source).is_none()
}

/// Whether the rule is written for this tool.
#[must_use]
pub fn is_about(source: &str, tool: &str) -> bool {
    match parse(source) {
        Some(Parsed::Tool(name) | Parsed::With(name, _)) => name == tool,
        None => false,
    }
}

fn parse(source: &str) -> Option<Parsed> {
    let (tool, inner) = match source.split_once('(') {
        Some((tool, rest)) => (tool, Some(rest.strip_suffix(')')?)),
        None => (source, None),
    };
    let is_name = |sign: char| sign.is_ascii_alphanumeric() || "_-.:".contains(sign);
    if tool.is_empty() || !tool.chars().all(is_name) || inner.is_some_and(|inner| inner.starts_with('(')) {
        return None;
    }
    let is_server = tool.starts_with("mcp__") && tool.split("__").count() < 3;
    if is_server {
        return None;
    }
    match inner {
        None | Some("" | "*") => Some(Parsed::Tool(tool.to_owned())),
        Some(inner) => {
            let knows = COMMAND_TOOLS.contains(&tool)
                || PATTERN_TOOLS.contains(&tool)
                || PATH_TOOLS.iter().any(|(name, _)| *name == tool);
            knows.then(|| Parsed::With(tool.to_owned(), inner.to_owned()))
        }
    }
}

fn holds(rule: &Parsed, payload: &Payload, folders: &Folders) -> bool {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let called = text(payload.get("tool_name"));
    let others = OTHER_NAMES.iter().filter(|(name, _)| *name == called);
    let is_called = |tool: &str| called == tool || others.clone().any(|(_, names)| names.contains(&tool));
    let input = |field: &str| text(payload.get("tool_input").and_then(|input| input.get(field)));
    match rule {
        Parsed::Tool(tool) => is_called(tool),
        Parsed::With(tool, pattern) if COMMAND_TOOLS.contains(&tool.as_str()) => {
            is_called(tool) && command_fits(pattern, &input("command"))
        }
        Parsed::With(tool, pattern) if PATTERN_TOOLS.contains(&tool.as_str()) => {
            called == *tool && glob(pattern, &input("pattern"))
        }
        Parsed::With(tool, pattern) => {
            let field = PATH_TOOLS.iter().find(|(name, _)| name == tool);
            let cwd = text(payload.get("cwd"));
            field.is_some_and(|(_, field)| {
                called == *tool && path_fits(pattern, &input(field), Path::new(&cwd), folders)
            })
        }
    }
}

/// Whether a pattern fits one sub-command of a command.
fn command_fits(pattern: &str, command: &str) -> bool {
    let mut split = Split::default();
    split.read(&command.chars().collect::<Vec<char>>());
    let name = pattern.strip_suffix(" *").or_else(|| pattern.strip_suffix(":*"));
    let is_prefix = name.is_some_and(|name| !name.contains(['*', ' ']));
    if split.is_unclear || split.has_substitution && !is_prefix {
        return true;
    }
    let fits = |part: &String| match name {
        Some(name) => glob(name, part) || glob(&format!("{name} *"), part),
        None => glob(pattern, part),
    };
    split.parts.iter().any(fits)
}

/// The sub-commands of a shell command.
#[derive(Debug, Default)]
struct Split {
    parts: Vec<String>,
    /// It has `$(…)` or backticks.
    has_substitution: bool,
    /// What runs cannot be said: a process substitution, a variable as the program, an open quote, a group in `{ }`, or
    /// several commands inside brackets.
    is_unclear: bool,
    /// How many brackets are open.
    depth: usize,
    /// In how many substitutions the text is that is being read.
    nesting: usize,
}

impl Split {
    fn read(&mut self, signs: &[char]) {
        let mut part = String::new();
        let mut quote = None;
        let mut at = 0;
        while let Some(sign) = signs.get(at).copied() {
            let next = signs.get(at + 1).copied();
            at += 1;
            match (quote, sign) {
                (_, '\\') if quote != Some('\'') => {
                    part.push(sign);
                    part.extend(next);
                    at += 1;
                }
                (None, '\'' | '"') => {
                    quote = Some(sign);
                    part.push(sign);
                }
                (Some(open), sign) if open == sign => {
                    quote = None;
                    part.push(sign);
                }
                (Some('\''), sign) => part.push(sign),
                (_, '$') if next == Some('(') => {
                    let end = closing(signs, at + 1);
                    self.depth += 1;
                    self.read_substitution(&signs[at + 1..end]);
                    self.depth -= 1;
                    part.extend(&signs[at - 1..(end + 1).min(signs.len())]);
                    at = end + 1;
                }
                (_, '`') => {
                    let end = signs[at..]
                        .iter()
                        .position(|sign| *sign == '`')
                        .map_or(signs.len(), |end| at + end);
                    self.read_substitution(&signs[at..end]);
                    part.extend(&signs[at - 1..(end + 1).min(signs.len())]);
                    at = end + 1;
                }
                (Some(_), sign) => part.push(sign),
                (None, '<' | '>') if next == Some('(') => {
                    self.is_unclear = true;
                    part.push(sign);
                }
                (None, '<' | '>') => at = cut_redirection(signs, at, &mut part),
                (None, '&') if next == Some('>') => {}
                (None, ';' | '|' | '&' | '\n' | '(' | ')') => {
                    let is_pair = next == Some('&') || at > 1 && signs[at - 2] == '&';
                    let separates = sign == ';' || sign == '&' && !is_pair;
                    self.is_unclear |= self.depth > 0 && separates;
                    match sign {
                        '(' => self.depth += 1,
                        ')' => self.depth = self.depth.saturating_sub(1),
                        _ => {}
                    }
                    self.end(&mut part);
                }
                (None, sign) => part.push(sign),
            }
        }
        self.is_unclear |= quote.is_some();
        self.end(&mut part);
    }

    fn read_substitution(&mut self, inside: &[char]) {
        self.has_substitution = true;
        if self.nesting == MAX_NESTING {
            self.is_unclear = true;
            return;
        }
        self.nesting += 1;
        self.read(inside);
        self.nesting -= 1;
    }

    /// Ends a sub-command.
    fn end(&mut self, part: &mut String) {
        let whole = std::mem::take(part);
        let mut words = whole.split_whitespace().peekable();
        while let Some(keyword) = words.next_if(|word| KEYWORDS.contains(word)) {
            self.is_unclear |= keyword == "{";
        }
        let words: Vec<&str> = words.collect();
        if words
            .first()
            .is_some_and(|word| ["for", "case", "select"].contains(word))
        {
            return;
        }
        let is_assignment = |word: &str| {
            word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
            })
        };
        let assigned = words.iter().take_while(|word| is_assignment(word)).count();
        if assigned == words.len()
            && let Some((_, value)) = words.last().and_then(|word| word.split_once('='))
        {
            self.parts.push(value.to_owned());
            return;
        }
        let words = &words[assigned..];
        let joined = words.join(" ");
        let text = joined.strip_prefix('\\').unwrap_or(&joined);
        let is_variable = text.starts_with('$') && !text.starts_with("$(");
        self.is_unclear |= is_variable;
        if !text.is_empty() {
            self.parts.push(text.to_owned());
        }
    }
}

/// Cuts a redirection, with the number before it and the word behind it. Returns where the text goes on.
fn cut_redirection(signs: &[char], mut at: usize, part: &mut String) -> usize {
    let kept = part.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let (length, cuts) = (kept.len(), kept.is_empty() || kept.ends_with(char::is_whitespace));
    if cuts {
        part.truncate(length);
    }
    while signs.get(at).is_some_and(|sign| "<>&|-".contains(*sign)) {
        at += 1;
    }
    while signs.get(at).is_some_and(|sign| *sign == ' ' || *sign == '\t') {
        at += 1;
    }
    let mut quote = None;
    while let Some(sign) = signs.get(at) {
        match quote {
            None if sign.is_whitespace() || ";|&()<>".contains(*sign) => break,
            None if *sign == '\'' || *sign == '"' => quote = Some(*sign),
            Some(open) if open == *sign => quote = None,
            None | Some(_) => {}
        }
        at += 1;
    }
    part.push(' ');
    at
}

/// The index of the bracket that closes what begins here.
fn closing(signs: &[char], from: usize) -> usize {
    let mut depth = 1;
    for (at, sign) in signs.iter().enumerate().skip(from) {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    signs.len()
}

/// Whether a path fits a pattern, by the rules of git-ignore.
fn path_fits(pattern: &str, path: &str, cwd: &Path, folders: &Folders) -> bool {
    if path.is_empty() {
        return false;
    }
    let path = cwd.join(path).display().to_string();
    let given = segments(&path);
    let name = pattern.strip_prefix("./").unwrap_or(pattern).trim_end_matches('/');
    let (folder, wanted) = if let Some(rest) = pattern.strip_prefix("//") {
        (Path::new("/"), rest)
    } else if let Some(rest) = pattern.strip_prefix("~/") {
        let Some(home) = &folders.home else { return false };
        (home.as_path(), rest)
    } else if let Some(rest) = pattern.strip_prefix('/') {
        let inside = Path::new(pattern).strip_prefix(&folders.base).ok();
        (folders.base.as_path(), inside.and_then(Path::to_str).unwrap_or(rest))
    } else if !name.contains('/') {
        return given.iter().any(|segment| segment_fits(name, segment));
    } else {
        (cwd, name)
    };
    let folder = folder.display().to_string();
    let Some(below) = given.strip_prefix(segments(&folder).as_slice()) else {
        return false;
    };
    let wanted = segments(wanted);
    // What names a folder holds for all below it.
    (0..=below.len()).any(|length| segments_fit(&wanted, &below[..length]))
}

/// The parts of a path, without `.` and with `..` applied.
fn segments(path: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

fn segments_fit(wanted: &[&str], given: &[&str]) -> bool {
    match (wanted.split_first(), given.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), Some((_, others))) => segments_fit(rest, given) || segments_fit(wanted, others),
        (Some((&"**", rest)), None) => segments_fit(rest, given),
        (Some((first, rest)), Some((segment, others))) => segment_fits(first, segment) && segments_fit(rest, others),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// Whether a part of a path fits, where `*` is any text, `?` one character, and `[…]` one of a set.
fn segment_fits(pattern: &str, text: &str) -> bool {
    let mut rest = pattern.chars();
    let mut wanted = Vec::new();
    while let Some(sign) = rest.next() {
        let set = (sign == '[').then(|| set_of(rest.as_str())).flatten();
        wanted.push(match (sign, set) {
            ('*', _) => Sign::Any,
            ('?', _) => Sign::One,
            ('\\', _) => Sign::Is(rest.next().unwrap_or(sign)),
            (_, Some((set, after))) => {
                rest = after.chars();
                set
            }
            (_, None) => Sign::Is(sign),
        });
    }
    // How much of the pattern fits what was read so far, for each of its beginnings.
    let skip_any = |fits: &mut Vec<bool>| {
        for (at, sign) in wanted.iter().enumerate() {
            fits[at + 1] |= fits[at] && *sign == Sign::Any;
        }
    };
    let mut fits = vec![false; wanted.len() + 1];
    fits[0] = true;
    skip_any(&mut fits);
    for given in text.chars() {
        let mut next = vec![false; wanted.len() + 1];
        for (at, sign) in wanted.iter().enumerate().filter(|(at, _)| fits[*at]) {
            match sign {
                Sign::Any => next[at] = true,
                Sign::One | Sign::Is(_) | Sign::Set(..) => next[at + 1] |= sign.is_met_by(given),
            }
        }
        skip_any(&mut next);
        fits = next;
    }
    fits[wanted.len()]
}

/// One sign of a pattern for a part of a path.
#[derive(Debug, PartialEq, Eq)]
enum Sign {
    Any,
    One,
    Is(char),
    /// One character inside of these ranges, or outside of all of them.
    Set(bool, Vec<(char, char)>),
}

impl Sign {
    fn is_met_by(&self, given: char) -> bool {
        match self {
            Self::Any | Self::One => true,
            Self::Is(sign) => *sign == given,
            Self::Set(inside, ranges) => ranges.iter().any(|(low, high)| (*low..=*high).contains(&given)) == *inside,
        }
    }
}

/// The set that begins behind a `[`, and what follows it; `None` if it is not closed.
fn set_of(text: &str) -> Option<(Sign, &str)> {
    let inner = text.strip_prefix(['!', '^']);
    let mut signs = inner.unwrap_or(text).chars();
    let mut ranges = Vec::new();
    loop {
        let low = match signs.next()? {
            ']' if !ranges.is_empty() => return Some((Sign::Set(inner.is_none(), ranges), signs.as_str())),
            '\\' => signs.next()?,
            sign => sign,
        };
        let mut ahead = signs.clone();
        let high = ahead.next().filter(|sign| *sign == '-').and_then(|_| ahead.next());
        match high.filter(|high| *high != ']') {
            Some(high) => {
                signs = ahead;
                ranges.push((low, high));
            }
            None => ranges.push((low, low)),
        }
    }
}

/// Whether the whole text fits, where `*` is any text.
pub fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fits(source: &str, tool: &str, input: &Value) -> bool {
        let root = Root {
            home: Some("/h".into()),
            ..Root::file(Layer::Project, "/p/.claude/settings.json".into(), Some("/p".into()))
        };
        let payload = json!({"tool_name": tool, "tool_input": input, "cwd": "/p/sub"});
        (rule(source, &root).holds)(payload.as_object().unwrap())
    }

    fn command(source: &str, text: &str) -> bool {
        fits(source, "Bash", &json!({ "command": text }))
    }

    #[test]
    fn a_rule_without_text_holds_for_every_call_of_its_tool() {
        for source in ["Bash", "Bash(*)", "Bash()"] {
            assert!(command(source, "ls") && !fits(source, "Edit", &json!({})), "{source}");
            assert!(fits(source, "Monitor", &json!({"command": "ls"})), "{source}");
        }
        assert!(fits("Task", "Agent", &json!({})) && fits("Agent", "Task", &json!({})));
        assert!(fits("mcp__a__b", "mcp__a__b", &json!({})));
    }

    #[test]
    fn substitutions_without_end_are_unclear_and_cost_no_stack() {
        for text in ["$(", "$(("] {
            assert!(
                command("Bash(rm *)", &format!("echo {}", text.repeat(100_000))),
                "{text}"
            );
        }
        for text in ["`", "{ ", "if ", "(", "<("] {
            command("Bash(rm *)", &format!("echo {}", text.repeat(100_000)));
        }
        let nested = format!("echo {}rm -rf build{}", "$(".repeat(20), ")".repeat(20));
        assert!(command("Bash(rm *)", &nested));
        assert!(!command("Bash(cp *)", &nested));
    }

    #[test]
    fn what_is_no_rule_or_is_for_another_tool_never_holds() {
        for source in [
            "Bash((",
            "Bash(x",
            "Ba*",
            "*",
            "Bash(x) ",
            "mcp__srv",
            "mcp__srv__*",
            "WebFetch(domain:h)",
            "Agent(n)",
            "",
        ] {
            assert!(never_holds(source), "{source}");
        }
    }

    #[test]
    fn a_command_is_judged_by_each_of_its_parts() {
        for (source, text, want) in [
            ("Bash(git *)", "git status", true),
            ("Bash(git *)", "git", true),
            ("Bash(git:*)", "ls && git  push", true),
            ("Bash(git:*)", "gitk", false),
            ("Bash(git push*)", "git pushed", true),
            ("Bash(rm *)", "A=1 \\rm -rf x > out 2>&1", true),
            ("Bash(ls)", "ls > out", true),
            ("Bash(rm *)", "sudo rm x", false),
            ("Bash(rm *)", "/bin/rm x", false),
            ("Bash(rm *)", "echo 'rm x'", false),
            ("Bash(rm *)", "if true; then rm x; fi", true),
            ("Bash(rm *)", "(cd a; rm x) | cat", true),
            ("Bash(rm *)", "echo $(rm x)", true),
            ("Bash(rm *)", "echo $(ls)", false),
            ("Bash(rm x)", "echo $(ls)", true),
            ("Bash(rm *)", "diff <(a) b", true),
            ("Bash(rm *)", "$CMD x", true),
            ("Bash(rm *)", "echo 'open", true),
        ] {
            assert_eq!(command(source, text), want, "{source} {text}");
        }
    }

    #[test]
    fn a_path_is_judged_by_the_rules_of_git_ignore() {
        for (source, path, want) in [
            ("Edit(*.rs)", "/elsewhere/a.rs", true),
            ("Edit(*.rs)", "/p/a.rs.txt", false),
            ("Edit(./a.rs)", "/p/x/a.rs", true),
            ("Edit(src/*.rs)", "/p/sub/src/a.rs", true),
            ("Edit(src/*.rs)", "/p/src/a.rs", false),
            ("Edit(/src/**)", "/p/src/b/a.rs", true),
            ("Edit(/p/src)", "/p/src/b/a.rs", true),
            ("Edit(//etc/**)", "/etc/passwd", true),
            ("Edit(sub/)", "/p/sub/a", true),
            ("Edit(x/sub/*)", "/p/sub/x/sub/a/b", true),
            ("Edit(a)", "a", true),
            ("Edit(/)", "/p/a", true),
            ("Edit(/)", "/q/a", false),
            ("Edit(//)", "/q/a", true),
            ("Edit(a)", "../b/a", true),
            ("Edit(/b/a)", "../b/a", true),
            ("Edit(~/.ssh/**)", "/h/.ssh/id", true),
            ("Edit(~/.ssh)", "/h/.ssh/id", true),
            ("Edit(~/.ssh/**)", "/p/.ssh/id", false),
            ("Edit(?.rs)", "/p/a.rs", true),
            ("Edit(?.rs)", "/p/ab.rs", false),
            ("Edit(src/a?.rs)", "/p/sub/src/ab.rs", true),
            ("Edit([a-c].rs)", "/p/b.rs", true),
            ("Edit([!a-c].rs)", "/p/b.rs", false),
            ("Edit([^a-c]*.rs)", "/p/def.rs", true),
            ("Edit([]x].rs)", "/p/].rs", true),
            ("Edit([a.rs)", "/p/[a.rs", true),
            ("Edit(\\*.rs)", "/p/a.rs", false),
            ("Edit(*a*b*)", "/p/xaxbx", true),
            ("Edit(*a*b*)", "/p/xbxax", false),
        ] {
            assert_eq!(
                fits(source, "Edit", &json!({ "file_path": path })),
                want,
                "{source} {path}"
            );
        }
        assert!(!fits("Edit(*)x", "Edit", &json!({"file_path": "/a"})));
        assert!(!fits("Read(*.rs)", "Edit", &json!({"file_path": "/a.rs"})));
        assert!(fits("Grep(*TODO*)", "Grep", &json!({"pattern": "a TODO b"})));
    }
}
