//! The rules about what a command does: how it blocks, what it prints, and what it leaves behind.

use hookwright_model::event::EventSpec;
use hookwright_model::{Hook, LintContext, Message, OnFailure, Problem, RunMode, args, render};
use serde_json::Value;

use super::messages;
use crate::blocking_texts;
use crate::claude_code::events::CARD;
use crate::command_lint::exits::lines_like;
use crate::command_lint::messages::{IGNORED_STDOUT, UNEXPANDED};
use crate::command_lint::prints::{IgnoredPart, PrintedField, find_ignored_prints, printed_objects};
use crate::command_lint::ways::open_ways;
use crate::command_lint::{CodePiece, LintSubject, ScriptLanguage, check_argument_signs, code_lines, exits};
use crate::definition::{NAME_SIGNS, names_of};
use crate::hook_output::SPECIFIC_OUTPUT;
use crate::script_scan;
use crate::shell::{self, Target, Word};

/// The exit code that blocks (`claude-code.md` §6).
const BLOCKING_EXIT_CODE: i32 = 2;
/// Events at which a block comes after the tool has run.
const LATE: [&str; 2] = ["PostToolUse", "PostToolUseFailure"];
/// Events whose hooks are guards that fail open (`claude-code.md` §11).
const GUARDED: [&str; 4] = ["PreToolUse", "PreModelSwitch", "ConfigChange", "PreCompact"];
/// Events at which a hook that always blocks is called again and again.
const STOPS: [&str; 2] = ["Stop", "SubagentStop"];
/// Events at which a call can be approved.
const APPROVED: [&str; 2] = ["PreToolUse", "PermissionRequest"];
/// Fields with a decision.
const DECIDING: [&str; 3] = ["permissionDecision", "behavior", "decision"];
/// Programs that write to stderr only if they fail.
const QUIET: [&str; 31] = [
    "[", "[[", ":", "awk", "basename", "cat", "cut", "date", "dirname", "echo", "exit", "export", "false", "grep",
    "egrep", "head", "jq", "local", "ls", "printf", "read", "return", "sed", "shift", "sort", "tail", "test", "tr",
    "true", "uniq", "wc",
];
/// Fields that have an effect inside that one only.
const INNER_FIELDS: [&str; 3] = ["permissionDecision", "updatedInput", "additionalContext"];

/// A command with its texts.
pub(super) struct LintedCommand<'a> {
    pub hook: &'a Hook,
    pub event: &'static EventSpec,
    pub subject: LintSubject<'a>,
}

impl LintedCommand<'_> {
    pub fn advise(&self, context: &LintContext<'_>, out: &mut Vec<Problem>) {
        self.check_block(out);
        self.check_null(out);
        if GUARDED.contains(&self.event.name)
            && self.hook.mode == RunMode::Await
            && self.hook.on_failure == OnFailure::Open
        {
            self.check_open(out);
        }
        out.extend(self.no_shell_text());
        out.extend(self.allow_dropped());
        out.extend(self.loops(context));
        out.extend(self.approves_everything());
        out.extend(self.holds_pipe());
        out.extend(self.says_nothing());
        out.extend(self.reason_lost());
        out.extend(self.literal_variable());
        out.extend(check_argument_signs(&self.subject, "args"));
    }

    /// What the texts may print, without comments.
    fn texts(&self) -> impl Iterator<Item = &str> {
        self.subject.pieces.iter().map(|piece| &*piece.output)
    }

    fn mentions(&self, word: &str) -> bool {
        let mut texts = self.subject.pieces.iter();
        texts.any(|piece| script_scan::mentions(&piece.text, word))
    }

    fn writes(&self, field: &str) -> bool {
        self.texts().any(|text| script_scan::writes(text, field))
    }

    /// A problem at the first line that `find` finds, if it finds one.
    fn at_line(&self, find: impl Fn(&str) -> Option<u32>, message: impl FnOnce() -> Message) -> Option<Problem> {
        let is_found = self.texts().any(|text| find(text).is_some());
        is_found.then(|| self.subject.problem_at_match(&find, message()))
    }

    fn blocking_exit(&self) -> Option<(&CodePiece<'_>, exits::Exit)> {
        exits::all_exits(&self.subject).find(|(_, exit)| exit.code == Some(BLOCKING_EXIT_CODE))
    }

    /// A block that comes too late, that has no effect at the event, or that nobody waits for.
    fn check_block(&self, out: &mut Vec<Problem>) {
        let event = self.event;
        let args = || args! { "event" => event.name };
        let blocks = |text: &str| script_scan::line_of_assignment(text, "decision", &["block"]);
        let heeds = event.exit_2.is_some() || event.output("updatedPermissions").is_some();
        let exit = self.blocking_exit();
        if self.hook.mode == RunMode::Detach {
            // With `asyncRewake`, exit code 2 wakes the agent (`claude-code.md` §5). Only a guard means to block with it.
            let rewakes = self.hook.definition.get("asyncRewake") == Some(&Value::Bool(true));
            let field = if rewakes { "asyncRewake" } else { "async" };
            let exit_means_block = heeds && (!rewakes || GUARDED.contains(&event.name));
            if self.texts().any(|text| blocks(text).is_some()) || exit.is_some() && exit_means_block {
                let message = render!(messages::BLOCK_ASYNC, "field" => field);
                out.push(crate::command_lint::problem_at_field(self.hook, message, field));
            }
            return;
        }
        // A script that asks for the event may do this at another one.
        if self.mentions("hook_event_name") {
            return;
        }
        if LATE.contains(&event.name) {
            out.extend(self.at_line(blocks, || messages::LATE.render(args())));
        } else if !heeds {
            let found = self.at_line(blocks, || messages::BLOCK.render(args()));
            let found = found.or_else(|| {
                let (piece, exit) = exit?;
                Some(self.subject.problem_in_lines(
                    piece,
                    lines_like(piece, &exit),
                    messages::BLOCK_EXIT.render(args()),
                ))
            });
            out.extend(found);
        }
        let ends = |text: &str| script_scan::line_of_assignment(text, "continue", &["false", "False"]);
        if event.output("continue").is_none() {
            out.extend(self.at_line(ends, || messages::CONTINUE.render(args())));
        } else if event.name == "PreToolUse"
            && !self.writes("permissionDecision")
            && !self.writes("decision")
            && self.blocking_exit().is_none()
        {
            let found = self.at_line(ends, || messages::ENDS_AFTER.render_plain());
            out.extend(found.map(|problem| problem.breaking("answer_dropped")));
        }
    }

    /// A field with the value null in a printed output.
    fn check_null(&self, out: &mut Vec<Problem>) {
        for piece in &self.subject.pieces {
            let has_null = |line: &str| {
                line.contains(SPECIFIC_OUTPUT) && [":null", ": null", ": None"].iter().any(|value| line.contains(value))
            };
            let lines: Vec<u32> = (1..)
                .zip(piece.output.lines())
                .filter(|(_, line)| has_null(line))
                .map(|(number, _)| number)
                .collect();
            if lines.is_empty() {
                continue;
            }
            let message = messages::NULL_FIELD.render_plain();
            out.push(
                self.subject
                    .problem_in_lines(piece, lines, message)
                    .breaking("answer_dropped"),
            );
        }
    }

    /// The ways in which a guard surely lets pass.
    fn check_open(&self, out: &mut Vec<Problem>) {
        let decides = DECIDING.iter().any(|field| self.writes(field));
        out.extend(open_ways(&self.subject, decides));
    }

    /// A command that `sh` cannot parse.
    fn no_shell_text(&self) -> Option<Problem> {
        let command = self.subject.pieces.first().filter(|piece| piece.file.is_none())?;
        let is_shell = matches!(command.language, ScriptLanguage::Sh | ScriptLanguage::Bash);
        let blocks = self.event.exit_2.is_some() && self.hook.mode == RunMode::Await;
        let is_broken = || has_open_quote(&command.text) || command.script.has_unmatched_keyword();
        (is_shell && blocks && self.subject.argv.is_empty() && is_broken()).then(|| {
            let message = render!(messages::SYNTAX, "event" => self.event.name);
            crate::command_lint::problem_at_field(self.hook, message, "command")
        })
    }

    /// An approval of a hook that fails closed and may end with another code.
    fn allow_dropped(&self) -> Option<Problem> {
        let mut ends = exits::all_exits(&self.subject);
        let is_other = self.hook.on_failure == OnFailure::Closed && ends.any(|(_, exit)| exit.code == Some(1));
        let allows = |text: &str| script_scan::line_of_assignment(text, "permissionDecision", &["allow"]);
        self.at_line(allows, || messages::ALLOW_DROPPED.render_plain())
            .filter(|_| is_other)
    }

    /// A hook that blocks every stop, because it never looks whether one was blocked already.
    fn loops(&self, context: &LintContext<'_>) -> Option<Problem> {
        let is_read = self.texts().any(|text| !text.is_empty());
        // The end of a turn does not wait for an asynchronous hook.
        let blocks = STOPS.contains(&self.event.name)
            && self.hook.mode == RunMode::Await
            && blocking_texts::is_guard(self.hook, &CARD, context);
        let has_way = self.blocking_exit().is_some() || self.texts().any(prints_block);
        let looks = self.mentions("stop_hook_active");
        (blocks && is_read && has_way && !looks)
            .then(|| crate::command_lint::problem_at_field(self.hook, messages::LOOPS.render_plain(), "command"))
    }

    /// An approval of every tool.
    fn approves_everything(&self) -> Option<Problem> {
        let matcher = self
            .hook
            .filter
            .as_ref()
            .and_then(|filter| filter["matcher"].as_str())
            .unwrap_or_default();
        let is_all = ["", "*", ".*"].contains(&matcher) && self.hook.definition.get("if").is_none();
        let field = match self.event.name {
            "PermissionRequest" => "behavior",
            _ => "permissionDecision",
        };
        let reads = self.mentions("tool_name") || self.mentions("tool_input");
        let approves = |text: &str| script_scan::line_of_assignment(text, field, &["allow"]);
        let is_reported = APPROVED.contains(&self.event.name) && is_all && !reads;
        self.at_line(approves, || messages::APPROVES_ALL.render_plain())
            .filter(|_| is_reported)
    }

    /// Something that is left running with stdout open, behind which an answer is printed.
    fn holds_pipe(&self) -> Option<Problem> {
        let answers = INNER_FIELDS
            .iter()
            .chain(&["updatedToolOutput", "decision"])
            .any(|field| self.writes(field));
        let (piece, line) = self.subject.left_running().filter(|_| answers)?;
        Some(
            self.subject
                .problem_in_piece(piece, line, messages::HOLDS_PIPE.render_plain()),
        )
    }

    /// A command that only prints text, at an event that does not read text.
    fn says_nothing(&self) -> Option<Problem> {
        let [piece] = self.subject.pieces.as_slice() else {
            return None;
        };
        let reads_text = self.event.plain_stdout.is_some();
        let mut lines = code_lines(&piece.text);
        let (Some(line), None) = (lines.next(), lines.next()) else {
            return None;
        };
        let line = line.trim();
        let prints = ["echo ", "printf ", "cat "]
            .iter()
            .any(|program| line.starts_with(program));
        let elsewhere = [">", "|", ";", "&", "{", "$("].iter().any(|sign| line.contains(sign));
        let is_reported = prints && !elsewhere && !reads_text;
        is_reported.then(|| {
            let message = render!(messages::TEXT_IGNORED, "event" => self.event.name);
            crate::command_lint::problem_at_field(self.hook, message, "command")
        })
    }

    /// A reason on stdout in front of exit code 2, which the model does not get, in a script that writes nothing to stderr.
    fn reason_lost(&self) -> Option<Problem> {
        let is_silent = || self.subject.pieces.iter().all(|piece| self.writes_no_stderr(piece));
        if self.event.exit_2.is_none() || self.hook.mode != RunMode::Await || !is_silent() {
            return None;
        }
        // An object is read whatever the exit code is.
        let is_text = |piece: &CodePiece<'_>, line: u32| {
            let at = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
            piece.output.lines().nth(at).is_some_and(|line| !line.contains('{'))
        };
        let lost = |piece: &CodePiece<'_>| -> Vec<u32> {
            let prints = find_ignored_prints(&piece.output).into_iter();
            let prints = prints.filter(|print| print.part == IgnoredPart::Anything && is_text(piece, print.line));
            prints.map(|print| print.line).collect()
        };
        let mut pieces = self.subject.pieces.iter().map(|piece| (piece, lost(piece)));
        let (piece, lines) = pieces.find(|(_, lines)| !lines.is_empty())?;
        let message = IGNORED_STDOUT.render_plain();
        Some(self.subject.problem_in_lines(piece, lines, message))
    }

    /// Whether a text surely writes nothing to stderr, as long as nothing in it fails: a shell's with programs that are
    /// known for it. A script that it starts is a text of its own.
    fn writes_no_stderr(&self, piece: &CodePiece<'_>) -> bool {
        let is_shell = matches!(piece.language, ScriptLanguage::Sh | ScriptLanguage::Bash);
        let is_read = |file: &str| {
            let mut files = self.subject.pieces.iter().filter_map(|piece| piece.file?.file_name());
            files.any(|name| name == shell::base_name(file))
        };
        let is_quiet = |words: &[Word]| match shell::target(words) {
            Target::Script(file) => piece.file.is_none() && is_read(&file.text),
            Target::Text(_) | Target::Module(_) => false,
            Target::Program => {
                let name = words[0].text.as_str();
                let traces = |word: &Word| word.text.starts_with('-') && word.text.contains('x');
                name == "set" && !words.iter().any(traces)
                    || QUIET.contains(&name)
                    || piece.file.is_none() && is_read(name)
            }
        };
        let speaks = |word: &str| piece.text.contains(word);
        let may_speak = ["stderr", ">&2", "xtrace"].into_iter().any(speaks);
        is_shell && !may_speak && piece.script.programs().all(is_quiet)
    }

    /// A variable in an argument that only a shell would put in.
    fn literal_variable(&self) -> Option<Problem> {
        let word = self.subject.argv.iter().find(|word| {
            let name = word.text.split('$').nth(1);
            name.is_some_and(|name| name.starts_with(|sign: char| sign.is_ascii_uppercase() || sign == '_'))
        })?;
        let message = render!(UNEXPANDED, "written" => word.text.as_str());
        Some(crate::command_lint::problem_at_field(self.hook, message, "args"))
    }

    /// A guard of the shell `Bash` that does not see the other shell. A program that was not read may be no guard.
    pub fn misses_shell(&self, context: &LintContext<'_>) -> Option<Problem> {
        let is_read = self.blocking_exit().is_some() || DECIDING.iter().any(|field| self.writes(field));
        if !APPROVED.contains(&self.event.name) || !is_read || !blocking_texts::is_guard(self.hook, &CARD, context) {
            return None;
        }
        let matcher = self.hook.filter.as_ref().and_then(|filter| filter["matcher"].as_str());
        let rule = self
            .hook
            .definition
            .get("if")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let names = names_of(matcher.unwrap_or_default(), NAME_SIGNS).unwrap_or_default();
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        let of_rule = rule
            .strip_prefix("Bash")
            .filter(|rest| rest.is_empty() || rest.starts_with('('));
        if let Some(rest) = of_rule {
            // A rule is about one tool, so that the other one needs a hook of its own.
            let message = render!(messages::MISSES_SHELL_RULE, "rule" => format!("PowerShell{rest}"));
            return Some(crate::command_lint::problem_at_field(self.hook, message, "if"));
        }
        (rule.is_empty() && has("Bash") && !has("PowerShell"))
            .then(|| crate::command_lint::problem_at_field(self.hook, messages::MISSES_SHELL.render_plain(), "matcher"))
    }
}

/// Whether a hook names a tool, in its rule or else in its matcher.
pub(super) fn sees_tool(hook: &Hook, tool: &str) -> bool {
    if let Some(rule) = hook.definition.get("if").and_then(Value::as_str) {
        return rule.split('(').next() == Some(tool);
    }
    let matcher = hook.filter.as_ref().and_then(|filter| filter["matcher"].as_str());
    let names = names_of(matcher.unwrap_or_default(), NAME_SIGNS).unwrap_or_default();
    names.iter().any(|name| name == tool)
}

/// Whether a quote is open at the end of a shell's text. With a here-document or `$'…'` nothing is said.
fn has_open_quote(text: &str) -> bool {
    let (mut open, mut signs, mut before) = (None, text.chars(), '\n');
    while let Some(sign) = signs.next() {
        match (open, sign) {
            (None | Some('"'), '\\') => drop(signs.next()),
            (None, '\'' | '"') => open = Some(sign),
            (Some(quote), sign) if quote == sign => open = None,
            (None, '#') if before.is_whitespace() => drop(signs.find(|sign| *sign == '\n')),
            _ => {}
        }
        before = sign;
    }
    open.is_some() && !["<<", "$'"].iter().any(|sign| text.contains(sign))
}

/// Whether a text prints a block. One inside `hookSpecificOutput` is none.
fn prints_block(text: &str) -> bool {
    let objects = printed_objects(text, SPECIFIC_OUTPUT);
    let is_block = |field: &PrintedField| field.name == "decision" && field.word.as_deref() == Some("block");
    if objects.is_empty() {
        return script_scan::assigns(text, "decision", &["block"]);
    }
    objects.iter().any(|object| object.fields.iter().any(is_block))
}
