//! Follows the ways through a shell text: with which exit codes it can end, and what it can print on the way.
//!
//! What it deliberately does not do: it runs nothing and knows nothing about the machine. What it does not understand may
//! have any outcome. So an end that it does not list cannot come, and one that it lists can perhaps come.
//!
//! How it works: each command gets the set of outcomes that it can have, and each variable the texts that it can hold. Both
//! branches of a condition are followed unless its outcome is known.

mod programs;
mod state;
mod tests_of_text;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::shell::tree::{self, AndOr, List, Pipeline, ShellCommand, Simple};
use crate::shell::{self, Script, Word};

pub(crate) use programs::{asked_program, other_text, shell_text};
pub use state::Codes;
use state::{State, Text};

/// Says how a script ends that words start.
type ScriptCodes<'a> = dyn Fn(&[Word]) -> Option<Codes> + 'a;

/// What is taken for granted about a run.
#[derive(Clone, Copy, Default)]
pub struct Assumption<'a> {
    /// This program is missing.
    pub missing: Option<&'a str>,
    /// No search finds anything.
    pub nothing_found: bool,
    /// The exit codes of a script that words start; `None` if they start none that is known.
    pub script: Option<&'a ScriptCodes<'a>>,
    /// Whether a printed text blocks.
    pub blocks: Option<&'a dyn Fn(&str) -> bool>,
    /// These variables are empty at the beginning.
    pub unset: &'a [&'a str],
}

/// How a text can end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends {
    /// The exit codes.
    pub codes: Codes,
    /// Whether it can print a text that blocks.
    pub prints_block: bool,
    /// Whether it ends with the code of a program that failed, where only that program can say 2.
    pub hands_on: bool,
    /// The first line, from 1, of a search whose failure can become the exit code.
    pub search: Option<u32>,
}

/// How many commands are followed. A text with more is not known.
const MAX_STEPS: u32 = 20_000;
/// How deep calls and texts inside texts are followed.
const MAX_DEPTH: u32 = 12;

/// Finds how a text can end; `None` if it is not understood.
#[must_use]
pub fn ends(script: &Script, has_errexit: bool, assumption: Assumption<'_>) -> Option<Ends> {
    let list = tree::tree(script)?;
    let mut follower = Follower {
        assumption,
        steps: 0,
        depth: 0,
        gave_up: false,
        prints_block: false,
        hands_on: false,
        ended: Codes::NONE,
        search: None,
        inner_search: None,
        returned: Vec::new(),
        left_loop: None,
    };
    let state = State {
        errexit: has_errexit,
        ..State::at_start(
            assigned_names(script)
                .into_iter()
                .chain(assumption.unset.iter().map(|&name| name.to_owned())),
        )
    };
    let codes = follower.whole(&list, state);
    (!follower.gave_up).then_some(Ends {
        codes,
        prints_block: follower.prints_block,
        hands_on: follower.hands_on,
        search: follower.search,
    })
}

/// The lines, from 1, of the programs that a text can start with these variables empty; `None` if it is not understood.
#[must_use]
pub fn started_lines(script: &Script, has_errexit: bool, unset: &[&str]) -> Option<BTreeSet<u32>> {
    let lines = RefCell::new(BTreeSet::new());
    let note = |words: &[Word]| {
        lines.borrow_mut().extend(words.first().map(|word| word.line));
        None
    };
    let assumption = Assumption {
        script: Some(&note),
        unset,
        ..Assumption::default()
    };
    ends(script, has_errexit, assumption)?;
    Some(lines.into_inner())
}

/// The variables that the text sets to something. Before that they are taken as empty, if no default is given for them.
fn assigned_names(script: &Script) -> BTreeSet<String> {
    let words = || script.commands.iter().flat_map(|command| &command.words);
    let names = words().filter_map(|word| shell::assignment_name(&word.text));
    let has_default = |name: &str| {
        let written = [format!("${{{name}:"), format!("${{{name}-"), format!("${{{name}=")];
        words().any(|word| written.iter().any(|written| word.text.contains(written.as_str())))
    };
    let own = names.filter(|name| !has_default(name));
    own.map(str::to_owned).collect()
}

/// What follows the ways through one text.
struct Follower<'a> {
    assumption: Assumption<'a>,
    steps: u32,
    depth: u32,
    gave_up: bool,
    prints_block: bool,
    hands_on: bool,
    /// How the present shell or subshell can end before its last command.
    ended: Codes,
    search: Option<u32>,
    /// The line of the search that gave the status of the last subshell.
    inner_search: Option<u32>,
    /// The states in which the functions that run return.
    returned: Vec<Option<State>>,
    /// The state behind `break` and `continue`.
    left_loop: Option<State>,
}

impl Follower<'_> {
    /// Follows a shell of its own from its beginning to its end. Returns its exit codes.
    fn whole(&mut self, list: &List, state: State) -> Codes {
        let (ended, left) = (std::mem::take(&mut self.ended), self.left_loop.take());
        let returned = std::mem::take(&mut self.returned);
        if let Some(last) = self.list(list, state, false) {
            let codes = last.status;
            self.note_search(&last);
            self.end(last, codes);
        }
        self.returned = returned;
        self.left_loop = left;
        std::mem::replace(&mut self.ended, ended)
    }

    /// Follows a subshell. Returns its exit codes and its output.
    fn inside(&mut self, list: &List, state: &State, tested: bool) -> (Codes, Text) {
        let (ended, left) = (std::mem::take(&mut self.ended), self.left_loop.take());
        let returned = std::mem::take(&mut self.returned);
        // A search that ends the subshell ends nothing else.
        let noted = self.search.take();
        let inner = State {
            out: Text::empty(),
            at_exit: None,
            ..state.clone()
        };
        let mut out = Text::Any;
        let last = self.list(list, inner, tested);
        let mut search = std::mem::replace(&mut self.search, noted);
        if let Some(last) = last {
            let codes = last.status;
            search = search.or(last.search);
            out = if self.ended == Codes::NONE {
                last.out.clone()
            } else {
                Text::Any
            };
            self.end(last, codes);
        }
        self.returned = returned;
        self.left_loop = left;
        self.inner_search = search;
        (std::mem::replace(&mut self.ended, ended), out)
    }

    /// Ends the present shell with these codes, by way of its `trap … EXIT`.
    fn end(&mut self, mut state: State, codes: Codes) {
        let Some(trap) = state.at_exit.take() else {
            self.ended |= codes;
            return;
        };
        state.status = codes;
        match self.parsed(&trap) {
            // A trap that does not exit leaves the code as it is.
            Some(list) => {
                if self.list(&list, state, true).is_some() {
                    self.ended |= codes;
                }
            }
            None => self.ended |= Codes::ANY,
        }
    }

    fn parsed(&self, text: &str) -> Option<List> {
        (self.depth < MAX_DEPTH)
            .then(|| tree::tree(&shell::scan(text)))
            .flatten()
    }

    fn list(&mut self, list: &List, mut state: State, tested: bool) -> Option<State> {
        for entry in &list.0 {
            state = self.and_or(entry, state, tested)?;
        }
        Some(state)
    }

    fn and_or(&mut self, entry: &AndOr, state: State, tested: bool) -> Option<State> {
        if entry.background {
            let front = AndOr {
                background: false,
                ..entry.clone()
            };
            let (codes, _) = self.inside(&List(vec![front]), &state, tested);
            let background = state.background | codes;
            return Some(State { background, ..state }.with_status(Codes::OK));
        }
        let is_last = entry.rest.is_empty();
        let mut state = self.pipeline(&entry.first, state, tested || !is_last);
        for (number, (after_success, pipeline)) in entry.rest.iter().enumerate() {
            let before = state?;
            let tested = tested || number + 1 < entry.rest.len();
            let (runs, skips) = if *after_success {
                (before.status.ok(), before.status.failure())
            } else {
                (before.status.failure(), before.status.ok())
            };
            let skipped = (skips != Codes::NONE).then(|| before.clone().with_status(skips));
            let ran = if runs == Codes::NONE {
                None
            } else {
                self.pipeline(pipeline, before.with_status(runs), tested)
            };
            state = State::either(ran, skipped);
        }
        state
    }

    fn pipeline(&mut self, pipeline: &Pipeline, state: State, tested: bool) -> Option<State> {
        let tested_here = tested || pipeline.negated;
        let state = match pipeline.parts.as_slice() {
            [only] => self.command(only, state, tested_here)?,
            parts => self.piped(parts, state, tested_here),
        };
        if pipeline.negated {
            let status = state.status.negated();
            return Some(state.with_status(status));
        }
        // A compound command has checked its own commands already.
        match pipeline.parts.as_slice() {
            [ShellCommand::Simple(_) | ShellCommand::Subshell(_)] | [_, _, ..] => self.check_failure(state, tested),
            _ => Some(state),
        }
    }

    /// The commands of a pipe, each in a shell of its own.
    fn piped(&mut self, parts: &[ShellCommand], state: State, tested: bool) -> State {
        let mut input = state.input.clone();
        let (mut codes, mut all) = (Codes::OK, Codes::OK);
        for part in parts {
            let one = Pipeline {
                negated: false,
                parts: vec![part.clone()],
            };
            let list = List(vec![AndOr {
                first: one,
                rest: Vec::new(),
                background: false,
            }]);
            let from = State {
                input: input.clone(),
                ..state.clone()
            };
            let out;
            (codes, out) = self.inside(&list, &from, tested);
            all = if all.ok() == Codes::NONE {
                all
            } else {
                all.failure() | codes | all
            };
            input = out;
        }
        if state.lastpipe {
            // The last command runs in the shell itself.
            let mut state = state;
            state.forget();
            self.ended |= Codes::ANY;
            return state.with_status(Codes::ANY);
        }
        let status = if state.pipefail { all } else { codes };
        let out = state.out.clone().then(&input);
        State {
            out,
            search: self.inner_search,
            ..state
        }
        .with_status(status)
    }

    /// Applies `set -e` and `trap … ERR` to a command that can have failed.
    fn check_failure(&mut self, mut state: State, tested: bool) -> Option<State> {
        let failure = state.status.failure();
        if tested || failure == Codes::NONE {
            return Some(state);
        }
        if let Some(trap) = state.at_error.clone() {
            let failed = State {
                at_error: None,
                ..state.clone().with_status(failure)
            };
            let went_on = match self.parsed(&trap) {
                Some(list) => self.list(&list, failed, true).map(|after| State {
                    at_error: Some(trap),
                    ..after.with_status(failure)
                }),
                None => Some(failed.with_status(Codes::ANY)),
            };
            let good = (state.status.ok() != Codes::NONE).then(|| state.clone().with_status(Codes::OK));
            state = State::either(went_on, good)?;
        }
        if state.errexit {
            let failure = state.status.failure();
            if failure != Codes::NONE {
                self.note_search(&state);
                self.end(state.clone(), failure);
            }
            return (state.status.ok() != Codes::NONE).then(|| state.with_status(Codes::OK));
        }
        Some(state)
    }

    /// Notes the search whose failure becomes the exit code.
    fn note_search(&mut self, state: &State) {
        if state.status.has_one() {
            self.search = self.search.or(state.search);
        }
    }

    fn command(&mut self, command: &ShellCommand, state: State, tested: bool) -> Option<State> {
        self.steps += 1;
        if self.steps > MAX_STEPS || self.depth > MAX_DEPTH {
            self.gave_up = true;
            return Some(state);
        }
        match command {
            ShellCommand::Simple(simple) => self.simple(simple, state, tested),
            ShellCommand::Group(list) => self.list(list, state.with_status(Codes::OK), tested),
            ShellCommand::Subshell(list) => {
                let (codes, out) = self.inside(list, &state, tested);
                let out = state.out.clone().then(&out);
                Some(
                    State {
                        out,
                        search: self.inner_search,
                        ..state
                    }
                    .with_status(codes),
                )
            }
            ShellCommand::If(arms, otherwise) => self.branches(arms, otherwise.as_ref(), state, tested),
            ShellCommand::Loop(condition, is_until, body) => {
                self.repeated(Some((condition, *is_until)), body, state, tested)
            }
            ShellCommand::For(name, body) => {
                let mut state = state;
                state.variables.insert(name.clone(), Text::Any);
                self.repeated(None, body, state, tested)
            }
            ShellCommand::Case(word, clauses) => self.clauses(word, clauses, state, tested),
            ShellCommand::Function(name, body) => {
                let mut state = state.with_status(Codes::OK);
                state.functions.insert(name.clone(), Rc::new((**body).clone()));
                Some(state)
            }
        }
    }

    fn branches(
        &mut self,
        arms: &[(List, List)],
        otherwise: Option<&List>,
        state: State,
        tested: bool,
    ) -> Option<State> {
        let mut out = None;
        let mut open = Some(state);
        for (condition, body) in arms {
            let Some(before) = open else { break };
            let after = self.list(condition, before, true);
            let Some(after) = after else { return out };
            let holds = (after.status.ok() != Codes::NONE).then(|| after.clone().with_status(Codes::OK));
            let ran = holds.and_then(|state| self.list(body, state, tested));
            out = State::either(out, ran);
            open = (after.status.failure() != Codes::NONE).then(|| after.with_status(Codes::OK));
        }
        let last = match (open, otherwise) {
            (Some(state), Some(body)) => self.list(body, state, tested),
            (open, _) => open,
        };
        State::either(out, last)
    }

    fn repeated(&mut self, condition: Option<(&List, bool)>, body: &List, state: State, tested: bool) -> Option<State> {
        let outer = self.left_loop.take();
        let mut out = None;
        let mut open = Some(state);
        // The second round sees what the first one has changed.
        for _ in 0..2 {
            let Some(before) = open else { break };
            let (runs, leaves) = match condition {
                None => (Some(before.clone()), Some(before.with_status(Codes::OK))),
                Some((condition, is_until)) => match self.list(condition, before, true) {
                    None => (None, None),
                    Some(after) => {
                        let (good, bad) = (after.status.ok(), after.status.failure());
                        let (runs, leaves) = if is_until { (bad, good) } else { (good, bad) };
                        (
                            (runs != Codes::NONE).then(|| after.clone().with_status(Codes::OK)),
                            (leaves != Codes::NONE).then(|| after.with_status(Codes::OK)),
                        )
                    }
                },
            };
            out = State::either(out, leaves);
            let after = runs.and_then(|state| self.list(body, state, tested));
            open = State::either(after, self.left_loop.take());
            // The status of the loop is that of its body.
            out = State::either(out, open.clone());
        }
        self.left_loop = outer;
        out
    }

    fn clauses(&mut self, word: &Simple, clauses: &[(String, List)], state: State, tested: bool) -> Option<State> {
        let values: Vec<Text> = word
            .substitutions
            .iter()
            .map(|list| self.inside(list, &state, tested).1)
            .collect();
        let value = word.words.get(1).map_or(Text::Any, |word| state.value(word, &values));
        let mut rest = value.clone();
        let mut out = None;
        for (patterns, body) in clauses {
            let (may, others) = tests_of_text::match_clause(patterns, &rest);
            if may {
                let ran = self.list(body, state.clone().with_status(Codes::OK), tested);
                out = State::either(out, ran);
            }
            match others {
                Some(others) => rest = others,
                None => return out,
            }
        }
        State::either(out, Some(state.with_status(Codes::OK)))
    }

    fn simple(&mut self, simple: &Simple, mut state: State, tested: bool) -> Option<State> {
        let mut values = Vec::new();
        let (mut last_codes, mut last_search) = (Codes::OK, None);
        for list in &simple.substitutions {
            let (codes, text) = self.inside(list, &state, tested);
            last_codes = codes;
            last_search = self.inner_search;
            values.push(text);
        }
        let words = self.skip_assignments(simple, &values, &mut state);
        let Some(first) = words.first() else {
            state.search = last_search.filter(|_| last_codes.has_one());
            return Some(state.with_status(last_codes));
        };
        if let Some(program) = programs::asked_program(words) {
            let is_missing = self.assumption.missing == Some(program);
            let found = if is_missing { Text::empty() } else { Text::Any };
            state.out = state.out.clone().then(&found);
            return Some(state.with_status(if is_missing { Codes::OTHER } else { Codes::OK_OR_ONE }));
        }
        let start = shell::start(words);
        let replaces = first.text == "exec" && !start.words.is_empty();
        let is_wrapped = !start.wrappers.is_empty();
        let Some(program) = start.words.first() else {
            return Some(state.with_status(Codes::OK));
        };
        let name = match state.value(program, &values) {
            Text::OneOf(texts) if texts.len() == 1 && program.text.contains('$') => {
                texts.into_iter().next().unwrap_or_default()
            }
            Text::OneOf(_) | Text::Any => program.text.clone(),
        };
        let call = Call {
            name,
            words: start.words,
            simple,
            values,
            is_wrapped,
            tested,
        };
        let after = self.call(&call, state)?;
        if replaces {
            let codes = after.status;
            self.end(State { at_exit: None, ..after }, codes);
            return None;
        }
        Some(after)
    }

    /// Sets the variables that a command sets, and returns the words behind them.
    fn skip_assignments<'s>(&self, simple: &'s Simple, values: &[Text], state: &mut State) -> &'s [Word] {
        let is_set = |word: &&Word| shell::assignment_name(&word.text).is_some() && !word.text.starts_with(['"', '\'']);
        let count = simple.words.iter().take_while(is_set).count();
        let rest = &simple.words[count..];
        for word in &simple.words[..count] {
            self.assign(word, values, state);
        }
        rest
    }

    fn assign(&self, word: &Word, values: &[Text], state: &mut State) {
        let Some((name, written)) = word.text.split_once('=') else {
            return;
        };
        let text = match name.strip_suffix('+') {
            Some(_) => Text::Any,
            None => {
                let value = Word {
                    text: written.to_owned(),
                    ..word.clone()
                };
                state.value(&value, values)
            }
        };
        state.variables.insert(name.trim_end_matches('+').to_owned(), text);
    }
}

/// A command that runs: a builtin, a function or a program.
struct Call<'s> {
    name: String,
    /// The program and its arguments, without the wrappers before it.
    words: &'s [Word],
    simple: &'s Simple,
    /// The outputs of its substitutions.
    values: Vec<Text>,
    is_wrapped: bool,
    /// Whether its failure is looked at, so that `set -e` does not end the shell.
    tested: bool,
}

impl Call<'_> {
    fn line(&self) -> Option<u32> {
        self.words.first().map(|word| word.line)
    }

    /// Its arguments as texts, without what is not known of them.
    fn arguments(&self) -> impl Iterator<Item = &str> {
        self.words.iter().skip(1).map(|word| word.text.as_str())
    }
}

impl Follower<'_> {
    fn call(&mut self, call: &Call<'_>, mut state: State) -> Option<State> {
        let argument = call.arguments().next();
        match call.name.as_str() {
            "exit" | "return" => {
                let codes = match call.words.get(1) {
                    None => state.status,
                    Some(word) if word.text == "$?" => state.status,
                    Some(word) => Codes::of_text(&state.value(word, &call.values)),
                };
                if call.words.len() < 2 || argument == Some("$?") {
                    self.hands_on |= codes.ok() == Codes::NONE && codes.may_be_two();
                    self.note_search(&state);
                }
                if call.name == "return" && !self.returned.is_empty() {
                    let state = state.with_status(codes);
                    if let Some(last) = self.returned.last_mut() {
                        *last = State::either(last.take(), Some(state));
                    }
                } else {
                    self.end(state, codes);
                }
                return None;
            }
            "break" | "continue" => {
                let before = self.left_loop.take();
                self.left_loop = State::either(before, Some(state.with_status(Codes::OK)));
                return None;
            }
            "set" => state.set_options(call.arguments()),
            // With a number it ends with the code of what ran in the background.
            "wait" => {
                let codes = state.background | Codes::OK;
                return Some(state.with_status(codes));
            }
            "shopt" if call.arguments().any(|option| option == "lastpipe") => state.lastpipe = true,
            "trap" => state.set_trap(call.arguments()),
            "eval" => return self.evaluate(call, state),
            "." | "source" => {
                state.forget();
                self.ended |= Codes::ANY;
                return Some(state.with_status(Codes::ANY));
            }
            "local" | "export" | "readonly" | "declare" | "typeset" => {
                for word in call.words.iter().skip(1) {
                    self.assign(word, &call.values, &mut state);
                }
            }
            "unset" => call
                .arguments()
                .for_each(|name| drop(state.variables.insert(name.to_owned(), Text::empty()))),
            "read" | "mapfile" | "readarray" | "getopts" => {
                call.arguments()
                    .for_each(|name| drop(state.variables.insert(name.to_owned(), Text::Any)));
                return Some(state.with_status(Codes::OK_OR_ONE));
            }
            "printf" if argument == Some("-v") => {
                if let Some(name) = call.arguments().nth(1) {
                    state.variables.insert(name.to_owned(), Text::Any);
                }
            }
            name => {
                if let Some(body) = state.functions.get(name).cloned() {
                    return self.run_function(&body, state, call.tested);
                }
                return Some(self.program(call, state));
            }
        }
        Some(state.with_status(Codes::OK))
    }

    fn run_function(&mut self, body: &ShellCommand, state: State, tested: bool) -> Option<State> {
        self.depth += 1;
        self.returned.push(None);
        let fell_through = self.command(body, state, tested);
        let returned = self.returned.pop().flatten();
        self.depth -= 1;
        State::either(fell_through, returned)
    }

    fn evaluate(&mut self, call: &Call<'_>, mut state: State) -> Option<State> {
        let mut text = String::new();
        for word in call.words.iter().skip(1) {
            let Text::OneOf(texts) = state.value(word, &call.values) else {
                state.forget();
                self.ended |= Codes::ANY;
                return Some(state.with_status(Codes::ANY));
            };
            text.extend(texts.first().map(String::as_str));
            text.push(' ');
        }
        self.depth += 1;
        let list = self.parsed(&text);
        let after = match list {
            Some(list) => self.list(&list, state, call.tested),
            None => {
                state.forget();
                self.ended |= Codes::ANY;
                Some(state.with_status(Codes::ANY))
            }
        };
        self.depth -= 1;
        after
    }

    /// A program or a builtin that changes nothing in the shell.
    fn program(&mut self, call: &Call<'_>, mut state: State) -> State {
        let is_missing = self.assumption.missing.is_some_and(|missing| call.name == missing);
        if is_missing {
            return state.with_status(Codes::OTHER);
        }
        let input = if call.simple.documents.is_empty() {
            state.input.clone()
        } else {
            Text::Any
        };
        let texts: Vec<Text> = call
            .words
            .iter()
            .skip(1)
            .map(|word| state.value(word, &call.values))
            .collect();
        if let Some(codes) = self.assumption.script.and_then(|script| script(call.words)) {
            state.out = Text::Any;
            return state.with_status(codes);
        }
        if let Some(codes) = self.text_of(call) {
            state.out = Text::Any;
            return state.with_status(codes);
        }
        let outcome = programs::outcome(&call.name, &texts, &input, self.assumption.nothing_found);
        let printed = outcome.out;
        let written = call
            .words
            .iter()
            .map(|word| word.text.as_str())
            .chain(call.simple.documents.iter().map(String::as_str));
        if programs::PRINTERS.contains(&call.name.as_str())
            && let Some(blocks) = self.assumption.blocks
        {
            self.prints_block |= written.into_iter().any(blocks);
        }
        state.out = state.out.clone().then(&printed);
        state.search = call.line().filter(|_| outcome.is_search);
        let codes = if call.is_wrapped && outcome.codes == Codes::PROGRAM {
            Codes::ANY
        } else {
            outcome.codes
        };
        state.with_status(codes)
    }

    /// The exit codes of a text that a program gets: `sh -c TEXT`, `python3 - <<EOF`, `awk TEXT`.
    fn text_of(&mut self, call: &Call<'_>) -> Option<Codes> {
        let first = call.words.first()?;
        if let Some(text) = programs::shell_text(call.words, &call.simple.documents) {
            let script = shell::scan(text);
            self.depth += 1;
            let list = (self.depth < MAX_DEPTH).then(|| tree::tree(&script)).flatten();
            let codes = match list {
                Some(list) => {
                    let inner = State::at_start(assigned_names(&script));
                    self.whole(
                        &list,
                        State {
                            errexit: programs::has_errexit(call.words),
                            ..inner
                        },
                    )
                }
                None => Codes::ANY,
            };
            self.depth -= 1;
            return Some(codes);
        }
        let (text, codes) = programs::other_text(first, call.words, &call.simple.documents)?;
        if let Some(blocks) = self.assumption.blocks {
            self.prints_block |= blocks(&text);
        }
        Some(codes)
    }
}
