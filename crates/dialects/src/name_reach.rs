//! Finds matchers that no name of a tool can meet (`engine.md` §14, matchers), and the spelling that was probably meant.

use hookwright_model::matcher::{Anchor, MAX_PATTERN_BYTES};
use hookwright_model::{Card, Code, Hook, LintContext, Message, Problem, args};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::command_lint::problem_at_field;
use crate::pattern::{self, looks_like_glob};

pub mod messages {
    //! The messages about such matchers, in English and Chinese.

    hookwright_model::messages! {
        /// A matcher that no tool's name meets, with the spelling that was probably meant.
        NO_NAME = "never_matches" / "no_name" { "no tool has a name that `{written}` matches", "没有工具的名称能匹配 `{written}`" } hint { "write `{fixed}`: the matcher is compared with the name of the tool", "写成 `{fixed}`：匹配条件只与工具名比较" };
        /// The same, where only the hook itself can check what is meant.
        NO_NAME_AT_ALL = "never_matches" / "no_name_at_all" { "no tool has a name that `{written}` matches", "没有工具的名称能匹配 `{written}`" } hint { "write names of tools such as `{example}`, and check files and arguments in the hook", "写工具名，例如 `{example}`，并在 Hook 中检查文件和参数" };
    }
}

/// How a dialect reads a matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// A list of names, separated by one of these signs. Each is compared as it is.
    Names(&'static [char]),
    /// A pattern for the whole name.
    Whole,
    /// A pattern for a part of the name.
    Part,
    /// The same, in a language without look-around.
    PlainPart,
}

/// Tools of agents, to recognize `Edit:*.py` and to give an example.
const TOOLS: [&str; 14] = [
    "Bash",
    "Edit",
    "Write",
    "Read",
    "Glob",
    "Grep",
    "Task",
    "WebFetch",
    "WebSearch",
    "MultiEdit",
    "NotebookEdit",
    "Shell",
    "WriteFile",
    "ReadFile",
];

/// The message about a matcher that no name meets; `None` if some name may.
#[must_use]
pub fn unreachable_matcher(written: &str, reading: Reading) -> Option<Message> {
    (!can_match(written, reading)).then(|| no_name_message(written, reading))
}

fn no_name_message(written: &str, reading: Reading) -> Message {
    match suggestion(written, reading) {
        Some(fixed) => messages::NO_NAME.render(args! { "written" => written, "fixed" => fixed }),
        None => messages::NO_NAME_AT_ALL.render(args! { "written" => written, "example" => "Edit|Write" }),
    }
}

/// Reports the matchers of definitions that are invalid because their matcher is written as a file pattern or as rules.
/// `field` is the matcher's key in the condition, `place` its path in the definition.
pub fn check_unreadable_matchers(
    card: &Card,
    field: &str,
    place: &str,
    reading: Reading,
    context: &LintContext<'_>,
    out: &mut Vec<Problem>,
) {
    let invalid = context
        .hooks
        .iter()
        .filter(|hook| hook.dialect == card.id && hook.invalid.is_some());
    for hook in invalid {
        // What other events compare is no name of a tool.
        let event = card.event(&hook.event);
        if !event.is_some_and(|event| event.subject == Some(card.tool_field)) {
            continue;
        }
        let written = hook.filter.as_ref().and_then(|filter| filter.get(field)?.as_str());
        let Some(written) = written.filter(|written| looks_like_glob(written)) else {
            continue;
        };
        let problem = problem_at_field(hook, no_name_message(written, reading), place);
        let is_same =
            |known: &Problem| (&known.path, known.line, known.column) == (&problem.path, problem.line, problem.column);
        // The entries of a group have one matcher.
        if !out.iter().any(|known| known.code == problem.code && is_same(known)) {
            out.push(problem);
        }
    }
}

/// The same problem about a matcher, with its consequence for the hook's health, unless some name of a list of names can
/// match. `is_list` says whether the dialect reads a matcher as such a list.
#[must_use]
pub fn never_matching(problem: Problem, hook: &Hook, is_list: impl Fn(&str) -> bool) -> Problem {
    let matcher = hook
        .filter
        .as_ref()
        .and_then(|filter| filter.get("matcher")?.as_str())
        .unwrap_or_default();
    let matches_in_part = is_list(matcher) && can_match(matcher, Reading::Names(&['|', ',']));
    if problem.code == Code::NeverMatches && !matches_in_part {
        problem.never_matching()
    } else {
        problem
    }
}

/// Whether a matcher accepts at least one name that a tool can have. What is not known counts as accepted.
fn can_match(written: &str, reading: Reading) -> bool {
    match reading {
        Reading::Names(signs) => {
            let mut names = written
                .split(signs)
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .peekable();
            names.peek().is_none() || names.any(|name| is_tool_name(name, true))
        }
        Reading::Whole | Reading::Part | Reading::PlainPart => {
            // A longer one is never used, and its tree would take hundreds of times its length.
            let is_read = written.len() <= MAX_PATTERN_BYTES;
            // In most languages braces around a word are braces; no name has any.
            let parse = || regex_syntax::parse(written).or_else(|_| regex_syntax::parse(&with_literal_braces(written)));
            let Some(pattern) = is_read.then(|| parse().ok()).flatten() else {
                // A look-around, or a pattern that is no pattern at all.
                return !looks_like_glob(written);
            };
            let is_anchored = written.starts_with('^') && written.ends_with('$');
            let whole = reading == Reading::Whole || is_anchored;
            let samples = Samples::of(&pattern);
            samples.cut
                || samples
                    .texts
                    .iter()
                    .any(|text| is_tool_name(text, whole) && meets_anchors(&pattern, written, text))
        }
    }
}

/// The pattern with a backslash before each brace that does not begin or end a count such as `{2}`.
fn with_literal_braces(written: &str) -> String {
    let mut out = String::new();
    let mut in_count = false;
    for (at, sign) in written.char_indices() {
        let is_count = sign == '{' && written[at + 1..].starts_with(|next: char| next.is_ascii_digit());
        in_count |= is_count;
        if (sign == '{' && !is_count) || (sign == '}' && !std::mem::take(&mut in_count)) {
            out.push('\\');
        }
        out.push(sign);
    }
    out
}

/// Whether a text that the pattern without its assertions matches is also found with them. Only those of the start and
/// the end are looked at: `$x` matches nothing.
fn meets_anchors(pattern: &Hir, written: &str, text: &str) -> bool {
    let looks = pattern.properties().look_set();
    let is_known = looks.iter().all(|look| matches!(look, Look::Start | Look::End));
    let found = || pattern::from_rust(written, Anchor::Anywhere).ok()?.is_match(text);
    looks.is_empty() || !is_known || found().unwrap_or(true)
}

/// Whether a tool can have this name.
#[must_use]
pub fn may_be_tool(name: &str) -> bool {
    is_tool_name(name, true)
}

/// Whether a tool can have this name, or, unless it is `whole`, a name with this part.
fn is_tool_name(name: &str, whole: bool) -> bool {
    let fits = |sign: char| sign.is_ascii_alphanumeric() || "_.:-".contains(sign);
    if !name.chars().all(fits) {
        return false;
    }
    // `Edit:…` is a rule about the arguments of a tool.
    let is_rule = name.split_once(':').is_some_and(|(tool, _)| TOOLS.contains(&tool));
    let is_server_only = whole
        && name
            .strip_prefix("mcp__")
            .is_some_and(|rest| !names_tool_of_server(rest));
    !(is_rule || is_server_only || whole && name.is_empty())
}

/// Whether `server__tool` has both parts.
fn names_tool_of_server(rest: &str) -> bool {
    rest.split_once("__").is_some_and(|(server, tool)| {
        let is_named = |text: &str| text.contains(|sign: char| sign.is_ascii_alphanumeric());
        is_named(server) && is_named(tool)
    })
}

/// The spelling that was probably meant, if it can match.
fn suggestion(written: &str, reading: Reading) -> Option<String> {
    let text = written.trim().trim_matches(['"', '\'', '`']);
    let text = text
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'))
        .unwrap_or(text);
    if let Some(name) = text.strip_prefix('!').filter(|_| !matches!(reading, Reading::Names(_))) {
        if reading == Reading::PlainPart {
            return None;
        }
        return Some(format!("^(?!{}$).*", name.trim()));
    }
    let without_rules = remove_rules(text);
    let mut names: Vec<String> = Vec::new();
    for name in without_rules.split([',', '|']) {
        let name = name.trim().trim_matches(['"', '\'']);
        let name = name
            .split_once(':')
            .filter(|(tool, _)| TOOLS.contains(tool))
            .map_or(name, |(tool, _)| tool);
        let name = match name.strip_prefix("mcp__") {
            Some(rest) if !matches!(reading, Reading::Names(_)) => {
                let rest = rest
                    .trim_end_matches(['*', '.', '_'])
                    .replace(".*", "*")
                    .replace('*', ".*");
                let rest = rest.as_str();
                let has_any_server = rest.starts_with(".*__") && rest.len() > ".*__".len();
                if has_any_server {
                    format!("mcp__{rest}")
                } else if names_tool_of_server(rest) {
                    format!("mcp__{rest}.*")
                } else {
                    format!("mcp__{rest}__.*")
                }
            }
            _ => name.to_owned(),
        };
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    let fixed = names.join("|");
    let is_new = !fixed.is_empty() && fixed != written && fixed.chars().any(|sign| sign.is_ascii_alphanumeric());
    let is_read = regex_syntax::parse(&fixed).is_ok();
    (is_new && is_read && !looks_like_glob(&fixed) && names.iter().all(|name| can_match(name, reading)))
        .then_some(fixed)
}

/// Removes the parts in round brackets: `Bash|Edit` for `Bash(npm *)|Edit(src/**)`.
fn remove_rules(text: &str) -> String {
    let mut depth = 0_u32;
    let mut out = String::new();
    for sign in text.chars() {
        match sign {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(sign),
            _ => {}
        }
    }
    out
}

/// Texts that a pattern matches, of each kind one. Assertions are not looked at.
struct Samples {
    texts: Vec<String>,
    /// Whether more were possible than are kept.
    cut: bool,
}

impl Samples {
    /// How many are kept.
    const MAX: usize = 256;

    fn new(texts: impl IntoIterator<Item = String>) -> Self {
        Self {
            texts: texts.into_iter().collect(),
            cut: false,
        }
    }

    fn of(pattern: &Hir) -> Self {
        match pattern.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::new([String::new()]),
            HirKind::Literal(literal) => Self::new(std::str::from_utf8(&literal.0).ok().map(str::to_owned)),
            HirKind::Class(class) => Self::new(class_samples(class)),
            HirKind::Capture(group) => Self::of(&group.sub),
            HirKind::Alternation(parts) => {
                let mut out = Self::new([]);
                for part in parts {
                    let part = Self::of(part);
                    out.texts.extend(part.texts);
                    out.cut |= part.cut;
                }
                out.limited()
            }
            HirKind::Concat(parts) => parts.iter().fold(Self::new([String::new()]), |before, part| {
                let part = Self::of(part);
                let joined = before
                    .texts
                    .iter()
                    .flat_map(|first| part.texts.iter().map(move |next| format!("{first}{next}")));
                Self {
                    texts: joined.take(Self::MAX + 1).collect(),
                    cut: before.cut || part.cut,
                }
                .limited()
            }),
            HirKind::Repetition(repeated) => {
                let one = Self::of(&repeated.sub);
                let most = repeated.max.unwrap_or(u32::MAX).min(repeated.min.saturating_add(2));
                let counts = repeated.min..=most;
                let mut texts: Vec<String> = Vec::new();
                for count in counts {
                    if count == 0 {
                        texts.push(String::new());
                    } else {
                        texts.extend(one.texts.iter().map(|text| text.repeat(count as usize)));
                    }
                }
                // A repeated class may give the name of a server and of its tool.
                let has = |text: &str| one.texts.iter().any(|sample| sample == text);
                if has("a") && has("_") && repeated.max.is_none_or(|max| max >= 4) {
                    texts.push("a__a".to_owned());
                }
                Self { texts, cut: one.cut }.limited()
            }
        }
    }

    fn limited(mut self) -> Self {
        self.cut |= self.texts.len() > Self::MAX;
        self.texts.truncate(Self::MAX);
        self
    }
}

/// One sign of each kind that a class allows and a name may have.
fn class_samples(class: &Class) -> Vec<String> {
    const SIGNS: [char; 7] = ['a', 'A', '0', '_', '-', '.', ':'];
    let allows = |sign: char| match class {
        Class::Unicode(class) => class
            .ranges()
            .iter()
            .any(|range| (range.start()..=range.end()).contains(&sign)),
        Class::Bytes(class) => {
            let byte = u8::try_from(sign).unwrap_or_default();
            class
                .ranges()
                .iter()
                .any(|range| (range.start()..=range.end()).contains(&byte))
        }
    };
    let mut out: Vec<String> = SIGNS
        .into_iter()
        .filter(|sign| allows(*sign))
        .map(String::from)
        .collect();
    // A class of a few letters: `[Bb]`.
    if !out.iter().any(|sign| ["a", "A", "0"].contains(&sign.as_str())) {
        out.extend(
            ('!'..='~')
                .find(|sign| sign.is_ascii_alphanumeric() && allows(*sign))
                .map(String::from),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matcher_that_no_name_meets_is_found() {
        for (written, fixed) in [
            ("'Bash'", Some("Bash")),
            ("\"Edit\"", Some("Edit")),
            ("/Edit|Write/", Some("Edit|Write")),
            ("Edit, Write", Some("Edit|Write")),
            ("mcp__tracker", Some("mcp__tracker__.*")),
            ("mcp__tracker__*", Some("mcp__tracker__.*")),
            ("mcp__*__write", Some("mcp__.*__write")),
            ("!Bash", Some("^(?!Bash$).*")),
            ("*.py", None),
            ("src/.*", None),
            ("Bash(npm run test:*)|Edit(src/**)", Some("Bash|Edit")),
            ("Edit:.*\\.cs", Some("Edit")),
            ("Bash Edit", None),
        ] {
            assert!(
                looks_like_glob(written) || !can_match(written, Reading::Whole),
                "{written}"
            );
            assert_eq!(suggestion(written, Reading::Whole).as_deref(), fixed, "{written}");
        }
    }

    #[test]
    fn a_matcher_that_some_name_meets_is_not_reported() {
        for written in [
            "",
            "*",
            "Bash",
            "Edit|Write",
            "mcp__.*",
            "mcp__\\w+",
            "mcp__tracker__.*",
            "mcp__(a|b)__read",
            "^(?!Bash).*$",
            ".*",
            "[Bb]ash",
            "Edit |Write",
            "plugin:skill",
            "Notebook.*",
            "^Bash$",
            "(Edit|Write)",
        ] {
            assert!(
                written == "*" || can_match(written, Reading::Whole) || written.is_empty(),
                "{written}"
            );
        }
        for (written, fixed) in [("!Bash", None), ("Bash(x)", Some("Bash"))] {
            assert_eq!(suggestion(written, Reading::PlainPart).as_deref(), fixed, "{written}");
        }
        for never in ["Bash^", "$x", "{Edit,Write}"] {
            assert!(!can_match(never, Reading::Part), "{never}");
        }
        assert!(can_match("^Ba|sh$", Reading::Part));
        assert!(can_match("mcp__tracker", Reading::Part));
        assert!(!can_match("'Bash'", Reading::Part));
        let names = Reading::Names(&['|']);
        assert!(can_match("Bash|Edit", names));
        assert!(!can_match("Edit, Write", names));
        assert!(!can_match("mcp__tracker", names));
    }
}
