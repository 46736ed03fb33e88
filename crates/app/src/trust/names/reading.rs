//! Which names a text may mean (`engine.md` §3): every word and every part of one, with what its place says of it.
//! Names are over-approximated; that a word is none of a file's is found out by looking.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;

use super::expand::{Values, tails};
use super::operands::{Operands, is_assignment, is_number};
use super::tables::{self, Interpreter};
use super::words::{self, Redirect, Word};

/// What the places of a name say of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// It stands where code is loaded from.
    pub code: bool,
    /// It stands where a folder with code is named.
    pub folder: bool,
    /// It stands only where something is written to.
    pub written: bool,
    /// Lists of operands of which the first that is a file or folder is run, with its place in the list.
    pub operand: Vec<(usize, usize)>,
}

/// The names of a hook.
#[derive(Debug, Default)]
pub struct Reading {
    /// Each name, in the order of the texts.
    pub names: IndexMap<String, Marks>,
    /// Interpreters that run, which add to names.
    pub interpreters: Vec<&'static Interpreter>,
    /// Names of files that are read by convention.
    pub conventions: BTreeSet<&'static str>,
    /// The `scripts` of a `package.json` may run.
    pub package_scripts: bool,
    /// `cargo` runs.
    pub cargo: bool,
    /// What is named only while the command runs, as written, each once.
    pub computed: Vec<String>,
    /// What is written to, as written.
    pub outputs: Vec<String>,
    groups: usize,
}

/// A path has at most so many bytes, and a name in it so many.
const MAX_PATH: usize = 4096;
const MAX_COMPONENT: usize = 255;
/// So many options may stand behind one dash.
const GLUED_OPTIONS: usize = 4;

/// Signs of names that only the run knows, with how they are shown.
const SIGNS: [(&str, &str); 8] = [
    ("$(", "$(…)"),
    ("`", "`…`"),
    ("$'", "$'…'"),
    ("<(", "<(…)"),
    ("@(", "@(…)"),
    ("+(", "+(…)"),
    ("!(", "!(…)"),
    ("/proc/", "/proc"),
];

impl Reading {
    /// Reads a shell's text.
    pub fn shell(&mut self, text: &str, values: &Values<'_>) {
        let outputs = self.outputs.len();
        for protect in [false, true] {
            // In a quoted program `>` is as likely another sign; what is written to shows in the other reading.
            self.outputs.truncate(outputs);
            for command in words::read(text, protect) {
                self.command(&command, values);
            }
        }
        self.parts(text);
        self.signs(text);
    }

    /// Reads a program and its arguments, which no shell reads: each is one word, and may hold a program of its own.
    pub fn arguments(&mut self, arguments: &[String], values: &Values<'_>) {
        let word = |text: &String| Word {
            text: text.clone(),
            redirect: Redirect::None,
            glued: false,
        };
        let whole: Vec<Word> = arguments.iter().map(word).collect();
        self.command(&whole, values);
        for argument in arguments
            .iter()
            .filter(|text| text.contains([' ', '\t', '\n', ';', '|', '&', '\'', '"', '$', '(', '`', '<', '>']))
        {
            self.shell(argument, values);
        }
        arguments.iter().for_each(|text| self.parts(text));
    }

    /// Reads the value of a variable that the definition sets.
    pub fn variable(&mut self, name: &str, value: &str, values: &Values<'_>) {
        let marks = self.marks_of(name);
        for protect in [false, true] {
            for word in words::read(value, protect).concat() {
                self.word(&word, &marks, values);
            }
        }
        self.parts(value);
        self.signs(value);
    }

    /// What it says of a value that a variable is given it.
    fn marks_of(&mut self, variable: &str) -> Marks {
        let loaded = tables::loaded_by(variable);
        if let Some(interpreter) = loaded.and_then(tables::interpreter) {
            self.runs(interpreter);
        }
        Marks {
            code: loaded.is_some(),
            folder: tables::is_path_variable(variable),
            ..Marks::default()
        }
    }

    fn runs(&mut self, interpreter: &'static Interpreter) {
        if !self.interpreters.contains(&interpreter) {
            self.interpreters.push(interpreter);
        }
    }

    /// One command: a program with its operands, as far as that can be told.
    fn command(&mut self, command: &[Word], values: &Values<'_>) {
        let mut state = Operands::default();
        for word in command {
            let mut marks = self.assigned(&word.text);
            marks.written = word.redirect == Redirect::Out;
            if marks.written {
                self.output(&word.text);
            } else {
                self.program(word, &mut state, &mut marks);
            }
            self.word(word, &marks, values);
            state.behind_option = word.text.starts_with('-');
        }
        if state.reads_program() {
            self.computes("stdin");
        }
    }

    /// What `NAME=value` says of its value.
    fn assigned(&mut self, text: &str) -> Marks {
        match text.split_once('=') {
            Some((name, _)) => self.marks_of(name.trim_end_matches('+')),
            None => Marks::default(),
        }
    }

    /// Follows programs, options and operands.
    fn program(&mut self, word: &Word, state: &mut Operands, marks: &mut Marks) {
        let text = word.text.as_str();
        let name = tables::program(text);
        marks.code |= state.code_follows;
        state.code_follows = tables::is_code_option(state.program.as_deref(), text);
        if let Some((option, _)) = text.split_once('=').filter(|_| text.starts_with('-')) {
            marks.code |= tables::is_code_option(state.program.as_deref(), option);
        } else if text.starts_with('-') && !text.starts_with("--") && text.is_char_boundary(2.min(text.len())) {
            let glued = text.len() > 2 && tables::is_code_option(state.program.as_deref(), &text[..2]);
            marks.code |= glued;
        }
        match text {
            "-" | "/dev/stdin" => state.end(),
            _ if text.starts_with('-') => state.option(text),
            _ => state.operand(text, marks),
        }
        marks.written |= state.writes && !text.starts_with('-');
        if marks.written {
            self.output(text);
        }
        marks.folder |= state.folders && !text.starts_with('-');
        let begins = state.program.is_none() && !tables::is_keyword(text) && !is_assignment(text);
        if begins && word.redirect == Redirect::None && !tables::is_wrapper(name) && !is_number(text) {
            state.program = Some(name.to_owned());
        }
        // `.` is a folder but where a command begins.
        let sourced = matches!(text, "." | "source") && (begins || state.wrapped);
        state.wrapped = tables::is_wrapper(name) || matches!(text, "-c" | "eval" | "trap");
        if let Some(interpreter) = tables::interpreter(name).filter(|_| sourced || !matches!(name, "." | "source")) {
            self.runs(interpreter);
            state.begin(self.group(), Some(interpreter));
        } else if tables::is_wrapper(name) {
            state.begin(self.group(), None);
        }
        self.known(name, state);
    }

    /// Programs that read or write files in ways of their own.
    fn known(&mut self, name: &str, state: &mut Operands) {
        self.conventions.extend(tables::convention(name));
        self.package_scripts |= tables::runs_package_scripts(name);
        self.cargo |= name == "cargo";
        state.writes |= name == "tee";
        state.folders |= name == "run-parts";
        if tables::is_computing(name) {
            self.computes(name);
        }
    }

    fn group(&mut self) -> usize {
        self.groups += 1;
        self.groups
    }

    /// A word, and every part of it that may be a name.
    fn word(&mut self, word: &Word, marks: &Marks, values: &Values<'_>) {
        let text = word.text.as_str();
        let mut forms: Vec<&str> = vec![text];
        forms.extend(text.split(['=', ':', ',']));
        forms.extend(words::pieces(text));
        forms.extend(tails(text));
        if word.glued {
            forms.push(text.trim_start_matches('/'));
        }
        let options: Vec<&str> = forms.iter().copied().flat_map(behind_option).collect();
        forms.extend(options);
        let trimmed: Vec<&str> = forms
            .iter()
            .map(|form| form.trim_start_matches(['+', '-', '?', '!', '@']))
            .collect();
        forms.extend(trimmed);
        for form in forms {
            let expanded = values.expand(form);
            expanded.texts.iter().for_each(|text| self.name(text, marks));
            if form == text {
                expanded.unknown.iter().for_each(|name| self.computes(name));
            }
            self.name(form, marks);
        }
        self.pattern(text);
    }

    /// A name with what this place says of it.
    fn name(&mut self, text: &str, marks: &Marks) {
        if !can_be_name(text) {
            return;
        }
        let new = !self.names.contains_key(text);
        let known = self.names.entry(text.to_owned()).or_default();
        known.code |= marks.code;
        known.folder |= marks.folder;
        known.written = marks.written && (new || known.written);
        for operand in &marks.operand {
            if !known.operand.contains(operand) {
                known.operand.push(*operand);
            }
        }
    }

    /// Quoted texts and pieces, of which the place says nothing.
    fn parts(&mut self, text: &str) {
        for (part, written) in words::quoted(text) {
            let marks = Marks {
                written,
                ..Marks::default()
            };
            if !self.names.contains_key(part) {
                self.name(part, &marks);
            }
        }
        for piece in words::pieces(text) {
            if !self.names.contains_key(piece) {
                self.name(piece, &Marks::default());
            }
        }
    }

    /// Signs of names that only the run knows.
    fn signs(&mut self, text: &str) {
        for (sign, shown) in SIGNS {
            if text.contains(sign) {
                self.computes(shown);
            }
        }
    }

    /// A pattern stands for names that nobody knows beforehand.
    fn pattern(&mut self, text: &str) {
        let lone = matches!(text, "[" | "[[" | "{" | "?");
        let braces = text
            .split_once('{')
            .is_some_and(|(before, after)| !before.ends_with('$') && (after.contains(',') || after.contains("..")));
        let asks = text.replace("$?", "").contains('?');
        let signs = [
            ('*', text.contains('*')),
            ('?', asks),
            ('[', text.contains('[')),
            ('{', braces),
        ];
        for (sign, _) in signs.into_iter().filter(|(_, there)| *there && !lone) {
            self.computes(sign.encode_utf8(&mut [0; 4]));
        }
    }

    fn computes(&mut self, what: &str) {
        if !self.computed.iter().any(|known| known == what) {
            self.computed.push(what.to_owned());
        }
    }

    fn output(&mut self, text: &str) {
        let number = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if !number && !text.starts_with("/dev/") && !self.outputs.iter().any(|known| known == text) {
            self.outputs.push(text.to_owned());
        }
    }

    /// The operands of each list, in their order.
    #[must_use]
    pub fn operands(&self) -> HashMap<usize, Vec<(usize, &str)>> {
        let mut lists: HashMap<usize, Vec<(usize, &str)>> = HashMap::new();
        for (name, marks) in &self.names {
            for (list, place) in &marks.operand {
                lists.entry(*list).or_default().push((*place, name.as_str()));
            }
        }
        lists
            .values_mut()
            .for_each(|list| list.sort_by_key(|(place, _)| *place));
        lists
    }
}

/// What stands behind an option in the same word.
fn behind_option(form: &str) -> Vec<&str> {
    let Some(letters) = form.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return Vec::new();
    };
    let ends = letters.char_indices().skip(1).take(GLUED_OPTIONS);
    ends.map(|(at, _)| &letters[at..]).collect()
}

fn can_be_name(text: &str) -> bool {
    let fits = |part: &str| part.len() <= MAX_COMPONENT;
    !text.is_empty() && text.len() <= MAX_PATH && !text.contains('\0') && text.split('/').all(fits)
}
