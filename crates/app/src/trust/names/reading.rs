//! Which names a text may mean (`engine.md` §3): every word and every part of one, with what its place says of it.
//! Names are over-approximated; that a word is none of a file's is found out by looking.

use indexmap::IndexMap;

use super::expand::{Values, tails};
use super::interpreters::{Interpreter, interpreter};
use super::operands::{Operands, assigned, is_number};
use super::tables::{self, Convention};
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
    /// It stands where an interpreter is given its script.
    pub operand: bool,
    /// That script may be a folder.
    pub operand_folder: bool,
}

/// The names of a hook.
#[derive(Debug, Default)]
pub struct Reading {
    /// Each name, in the order of the texts.
    pub names: IndexMap<String, Marks>,
    /// Interpreters that run, which add to names.
    pub interpreters: Vec<&'static Interpreter>,
    /// Files that are read by convention.
    pub conventions: Vec<&'static Convention>,
    /// `cargo` runs.
    pub cargo: bool,
    /// What is named only while the command runs, as written, each once.
    pub computed: Vec<String>,
    /// What is written to, as written.
    pub outputs: Vec<String>,
}

/// A path has at most so many bytes, and a name in it so many.
const MAX_PATH: usize = 4096;
const MAX_COMPONENT: usize = 255;
/// So many options may stand behind one dash.
const GLUED_OPTIONS: usize = 4;

/// Signs of names that only the run knows, with how they are shown.
const SIGNS: [(&str, &str); 10] = [
    ("$(", "$(…)"),
    ("`", "`…`"),
    ("$'", "$'…'"),
    ("<(", "<(…)"),
    ("@(", "@(…)"),
    ("+(", "+(…)"),
    ("!(", "!(…)"),
    ("/proc/", "/proc"),
    ("/dev/fd/", "/dev/fd"),
    // A blank to `env -S`.
    ("\\_", "\\_"),
];
/// Programs to which a number of the shell's is no name: `exit $?`.
const COUNTING: [&str; 9] = ["exit", "return", "test", "[", "[[", "kill", "wait", "shift", "echo"];

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
                self.word(&word, &marks, None, values);
            }
        }
        self.parts(value);
        self.signs(value);
    }

    /// What it says of a value that a variable is given it.
    fn marks_of(&mut self, variable: &str) -> Marks {
        let loaded = tables::loaded_by(variable);
        if let Some(interpreter) = loaded.and_then(interpreter) {
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
                self.program(word, &mut state, &mut marks, values);
            }
            self.word(word, &marks, state.program.as_deref(), values);
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
    fn program(&mut self, word: &Word, state: &mut Operands, marks: &mut Marks, values: &Values<'_>) {
        let text = word.text.as_str();
        let option = text.starts_with('-');
        let spoken = spoken(text, state, values);
        marks.code |= state.code_follows;
        state.stdin |= state.code_follows && text == "-";
        marks.code |= self.code_behind(text, state);
        state.word(text, word.redirect == Redirect::In, marks);
        marks.written |= state.writes && !option && word.redirect == Redirect::None;
        if marks.written {
            self.output(text);
        }
        marks.folder |= state.folders && !option;
        let begins = state.program.is_none() && !tables::is_keyword(text) && assigned(text).is_none();
        let wraps = spoken.iter().any(|name| tables::is_wrapper(name));
        if begins && word.redirect == Redirect::None && !wraps && !is_number(text) {
            state.program = spoken.last().cloned();
        }
        // `.` is a folder but where a command begins.
        let sourced = begins || state.wrapped;
        state.wrapped = wraps || matches!(text, "-c" | "eval" | "trap");
        state.wrapper |= wraps;
        for name in &spoken {
            if let Some(interpreter) = interpreter(name).filter(|_| sourced || !matches!(name.as_str(), "." | "source"))
            {
                self.runs(interpreter);
                state.begin(interpreter);
            }
            state.writes |= name == "tee";
            state.folders |= name == "run-parts";
            if tables::is_computing(name) {
                self.computes(name);
            }
        }
    }

    /// Whether an option has a name of code in its own word; and whether code follows it.
    fn code_behind(&mut self, text: &str, state: &mut Operands) -> bool {
        let program = state.program.as_deref();
        let names_code = |option: &str| tables::is_code_option(program, option);
        let short = text.starts_with('-') && !text.starts_with("--");
        // `-sf file`: letters without a value of their own before it.
        let last = short && text.len() > 2 && text.ends_with('f') && names_code("-f");
        state.code_follows = names_code(text) || last;
        match text.split_once('=').filter(|_| text.starts_with('-')) {
            Some((option, _)) => names_code(option),
            None => short && text.len() > 2 && text.is_char_boundary(2) && names_code(&text[..2]),
        }
    }

    /// What programs that stand in a text bring with them, wherever in it they stand.
    fn speaks_of(&mut self, text: &str) {
        for name in text.split([' ', '\t', '\n']).map(tables::program) {
            if let Some(convention) = tables::convention(name).filter(|known| !self.conventions.contains(known)) {
                self.conventions.push(convention);
            }
            self.cargo |= name == "cargo";
            if let Some(interpreter) = interpreter(name).filter(|_| !matches!(name, "." | "source")) {
                self.runs(interpreter);
            }
        }
    }

    /// A word, and every part of it that may be a name.
    fn word(&mut self, word: &Word, marks: &Marks, program: Option<&str>, values: &Values<'_>) {
        let text = word.text.as_str();
        // An operand is the whole word, or where a variable in it is a folder, what stands behind that.
        let part = Marks {
            operand: false,
            operand_folder: false,
            ..marks.clone()
        };
        let whole = is_whole(text);
        for form in parts_of(word) {
            let marks = if whole && (form == text || tails(text).any(|tail| tail == form)) {
                marks
            } else {
                &part
            };
            let expanded = values.expand(form);
            for text in expanded.texts.iter().map(String::as_str).chain([form]) {
                self.name(text, marks);
                self.speaks_of(text);
            }
            let tilde = form.starts_with('~');
            let counts =
                matches!(text, "$?" | "$#" | "$!" | "$$") && program.is_some_and(|name| COUNTING.contains(&name));
            if (form == text || tilde) && !counts {
                expanded.unknown.iter().for_each(|name| self.computes(name));
            }
        }
        // A variable whose value is known is given another one.
        let variable = assigned(text).unwrap_or(text);
        if values.knows(variable) {
            self.computes(&format!("${variable}"));
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
        known.folder |= marks.folder || marks.operand_folder;
        known.written = marks.written && (new || known.written);
        known.operand |= marks.operand;
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
            self.speaks_of(piece);
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
}

/// The programs that a word may be: as it is, with its variables filled in, or behind the option of a program that starts
/// others. The last of them is what it most likely is.
fn spoken(text: &str, state: &Operands, values: &Values<'_>) -> Vec<String> {
    let mut texts = values.expand(text).texts;
    texts.insert(0, text.to_owned());
    if state.wrapper && text.starts_with("--") {
        texts.extend(text.split_once('=').map(|(_, value)| value.to_owned()));
    } else if state.wrapper && text.starts_with('-') {
        texts.extend(text.split_once(['S', 'c']).map(|(_, value)| value.to_owned()));
    }
    // What holds a whole command is read by itself.
    let single = |at: usize, text: &String| at == 0 || !text.contains([' ', '\t', '\n']);
    let single = texts.iter().enumerate().filter(|(at, text)| single(*at, text));
    single.map(|(_, text)| tables::program(text).to_owned()).collect()
}

/// Whether a word was not cut within `${…}`.
fn is_whole(text: &str) -> bool {
    text.matches('{').count() == text.matches('}').count()
}

/// A word, and every part of it that may be a name.
fn parts_of(word: &Word) -> Vec<&str> {
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
    forms
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
