//! Which names a text may contain (`engine.md` §3): every word and every part of a word, marked by its position. The
//! names are over-approximated. Whether a file of a name exists is checked later.

use hookwright_dialects::shell::{Interpreter, find_wrapper, interpreter, is_keyword, program_name};
use indexmap::IndexMap;

use super::expand::{KnownValues, tails};
use super::operands::{CommandState, assigned_name, is_number};
use super::tables::{self, Convention};
use super::words::{self, Redirect, UnquotedWord};

/// What the positions of a name reveal about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameMarks {
    /// Whether it is at a position from which code is loaded.
    pub code: bool,
    /// Whether it is at a position that names a folder with code.
    pub folder: bool,
    /// Whether it is only at positions where a file is written.
    pub is_output: bool,
    /// Whether it is at the position of an interpreter's script.
    pub operand: bool,
    /// Whether that script may be a folder.
    pub operand_folder: bool,
}

/// The names of a hook's command and variables.
#[derive(Debug, Default)]
pub struct NameCollector {
    /// The names, in the order of the texts.
    pub names: IndexMap<String, NameMarks>,
    /// The interpreters that run. They add suffixes to names.
    pub interpreters: Vec<&'static Interpreter>,
    /// The conventions of programs that run: files that they read without an argument.
    pub conventions: Vec<&'static Convention>,
    /// Whether `cargo` runs.
    pub cargo: bool,
    /// Names that are known only while the command runs, as written, each once.
    pub computed: Vec<String>,
    /// The files that are written to, as written.
    pub outputs: Vec<String>,
}

/// Limits for the bytes of a path, and of each component in it.
const MAX_PATH_BYTES: usize = 4096;
const MAX_COMPONENT_BYTES: usize = 255;
/// Limit for the options that can share one dash.
const MAX_GLUED_OPTIONS: usize = 4;

/// Character sequences that produce names at run time, each with the text that is shown for it.
const COMPUTED_SIGNS: [(&str, &str); 10] = [
    ("$(", "$(…)"),
    ("`", "`…`"),
    ("$'", "$'…'"),
    ("<(", "<(…)"),
    ("@(", "@(…)"),
    ("+(", "+(…)"),
    ("!(", "!(…)"),
    ("/proc/", "/proc"),
    ("/dev/fd/", "/dev/fd"),
    // `env -S` reads it as a space.
    ("\\_", "\\_"),
];
/// Programs for which a special variable with a number is not a file name: `exit $?`.
const NUMBER_PROGRAMS: [&str; 9] = ["exit", "return", "test", "[", "[[", "kill", "wait", "shift", "echo"];

impl NameCollector {
    /// Reads the text of a shell command.
    pub fn read_shell(&mut self, text: &str, values: &KnownValues<'_>) {
        let outputs = self.outputs.len();
        for protect in [false, true] {
            // Within quotes, `>` is often not a redirection. So only outputs of the reading with quotes are kept.
            self.outputs.truncate(outputs);
            for command in words::split_commands(text, protect) {
                self.read_command(&command, values);
            }
        }
        self.read_parts(text);
        self.note_signs(text);
    }

    /// Reads a program and its arguments without a shell. Each argument is one word, and may contain a program's text.
    pub fn read_arguments(&mut self, arguments: &[String], values: &KnownValues<'_>) {
        let word = |text: &String| UnquotedWord {
            text: text.clone(),
            redirect: Redirect::None,
            after_substitution: false,
        };
        let whole: Vec<UnquotedWord> = arguments.iter().map(word).collect();
        self.read_command(&whole, values);
        for argument in arguments
            .iter()
            .filter(|text| text.contains([' ', '\t', '\n', ';', '|', '&', '\'', '"', '$', '(', '`', '<', '>']))
        {
            self.read_shell(argument, values);
        }
        arguments.iter().for_each(|text| self.read_parts(text));
    }

    /// Reads the value of a variable that the definition sets.
    pub fn read_variable(&mut self, name: &str, value: &str, values: &KnownValues<'_>) {
        let marks = self.marks_of(name);
        for protect in [false, true] {
            for word in words::split_commands(value, protect).concat() {
                self.read_word(&word, &marks, None, values);
            }
        }
        self.read_parts(value);
        self.note_signs(value);
    }

    /// The marks for the value of this variable. Also adds the interpreter that loads the value.
    fn marks_of(&mut self, variable: &str) -> NameMarks {
        let loaded = tables::loaded_by(variable);
        if let Some(interpreter) = loaded.and_then(interpreter) {
            self.add_interpreter(interpreter);
        }
        NameMarks {
            code: loaded.is_some(),
            folder: tables::is_path_variable(variable),
            ..NameMarks::default()
        }
    }

    fn add_interpreter(&mut self, interpreter: &'static Interpreter) {
        if !self.interpreters.contains(&interpreter) {
            self.interpreters.push(interpreter);
        }
    }

    /// Reads one command: a program with its operands, as far as they are recognisable.
    fn read_command(&mut self, command: &[UnquotedWord], values: &KnownValues<'_>) {
        let mut state = CommandState::default();
        for word in command {
            let mut marks = self.assignment_marks(&word.text);
            marks.is_output = word.redirect == Redirect::Out;
            if marks.is_output {
                self.add_output(&word.text);
            } else {
                self.read_program(word, &mut state, &mut marks, values);
            }
            self.read_word(word, &marks, state.program.as_deref(), values);
        }
        if state.reads_program() {
            self.add_computed("stdin");
        }
    }

    /// The marks for the value in `NAME=value`.
    fn assignment_marks(&mut self, text: &str) -> NameMarks {
        match text.split_once('=') {
            Some((name, _)) => self.marks_of(name.trim_end_matches('+')),
            None => NameMarks::default(),
        }
    }

    /// Recognises programs, options and operands.
    fn read_program(
        &mut self,
        word: &UnquotedWord,
        state: &mut CommandState,
        marks: &mut NameMarks,
        values: &KnownValues<'_>,
    ) {
        let text = word.text.as_str();
        let option = text.starts_with('-');
        let programs = program_names(text, state, values);
        marks.code |= state.code_follows;
        state.program_on_stdin |= state.code_follows && text == "-";
        marks.code |= self.mark_code(text, state);
        state.read_word(text, word.redirect == Redirect::In, marks);
        marks.is_output |= state.writes && !option && word.redirect == Redirect::None;
        if marks.is_output {
            self.add_output(text);
        }
        marks.folder |= state.takes_folders && !option;
        let begins = state.program.is_none() && !is_keyword(text) && assigned_name(text).is_none();
        let wraps = programs.iter().any(|name| find_wrapper(name).is_some());
        if begins && word.redirect == Redirect::None && !wraps && !is_number(text) {
            state.program = programs.last().cloned();
        }
        // `.` is a program only at the start of a command or after a wrapper. Elsewhere it is a folder.
        let sourced = begins || state.after_wrapper;
        state.after_wrapper = wraps || matches!(text, "-c" | "eval" | "trap");
        state.has_wrapper |= wraps;
        for name in &programs {
            if let Some(interpreter) = interpreter(name).filter(|_| sourced || !matches!(name.as_str(), "." | "source"))
            {
                self.add_interpreter(interpreter);
                state.begin(interpreter);
            }
            state.writes |= name == "tee";
            state.takes_folders |= name == "run-parts";
            if tables::is_computing(name) {
                self.add_computed(name);
            }
        }
    }

    /// Returns whether the word contains an option and the name of code. Notes in `state` whether code is the next
    /// word.
    fn mark_code(&mut self, text: &str, state: &mut CommandState) -> bool {
        let program = state.program.as_deref();
        let names_code = |option: &str| tables::is_code_option(program, option);
        let short = text.starts_with('-') && !text.starts_with("--");
        // `-sf file`: the letters before `f` are options without a value.
        let last = short && text.len() > 2 && text.ends_with('f') && names_code("-f");
        state.code_follows = names_code(text) || last;
        match text.split_once('=').filter(|_| text.starts_with('-')) {
            Some((option, _)) => names_code(option),
            None => short && text.len() > 2 && text.is_char_boundary(2) && names_code(&text[..2]),
        }
    }

    /// Notes what the programs in a text imply, at any position: conventions, `cargo` and interpreters.
    fn note_programs(&mut self, text: &str) {
        for name in text.split([' ', '\t', '\n']).map(program_name) {
            if let Some(convention) = tables::convention(name).filter(|known| !self.conventions.contains(known)) {
                self.conventions.push(convention);
            }
            self.cargo |= name == "cargo";
            if let Some(interpreter) = interpreter(name).filter(|_| !matches!(name, "." | "source")) {
                self.add_interpreter(interpreter);
            }
        }
    }

    /// Reads a word, and every part of it that may be a name.
    fn read_word(&mut self, word: &UnquotedWord, marks: &NameMarks, program: Option<&str>, values: &KnownValues<'_>) {
        let text = word.text.as_str();
        // A script operand is the whole word. If a variable in it is a folder, it is also the part after that variable.
        let part = NameMarks {
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
                self.add_name(text, marks);
                self.note_programs(text);
            }
            let tilde = form.starts_with('~');
            let counts = matches!(text, "$?" | "$#" | "$!" | "$$")
                && program.is_some_and(|name| NUMBER_PROGRAMS.contains(&name));
            if (form == text || tilde) && !counts {
                expanded.unknown.iter().for_each(|name| self.add_computed(name));
            }
        }
        // The command may give another value to a variable whose value is known.
        let variable = assigned_name(text).unwrap_or(text);
        if values.is_known(variable) {
            self.add_computed(&format!("${variable}"));
        }
        self.note_patterns(text);
    }

    /// Adds a name with the marks of this position.
    fn add_name(&mut self, text: &str, marks: &NameMarks) {
        if !can_be_name(text) {
            return;
        }
        let new = !self.names.contains_key(text);
        let known = self.names.entry(text.to_owned()).or_default();
        known.code |= marks.code;
        known.folder |= marks.folder || marks.operand_folder;
        known.is_output = marks.is_output && (new || known.is_output);
        known.operand |= marks.operand;
    }

    /// Adds quoted texts and pieces. Their position reveals nothing.
    fn read_parts(&mut self, text: &str) {
        for (part, written) in words::quoted(text) {
            let marks = NameMarks {
                is_output: written,
                ..NameMarks::default()
            };
            if !self.names.contains_key(part) {
                self.add_name(part, &marks);
            }
        }
        for piece in words::pieces(text) {
            self.note_programs(piece);
            if !self.names.contains_key(piece) {
                self.add_name(piece, &NameMarks::default());
            }
        }
    }

    /// Notes character sequences that produce names at run time.
    fn note_signs(&mut self, text: &str) {
        for (sign, shown) in COMPUTED_SIGNS {
            if text.contains(sign) {
                self.add_computed(shown);
            }
        }
    }

    /// Notes patterns, because they match names that are known only at run time.
    fn note_patterns(&mut self, text: &str) {
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
            self.add_computed(sign.encode_utf8(&mut [0; 4]));
        }
    }

    fn add_computed(&mut self, what: &str) {
        if !self.computed.iter().any(|known| known == what) {
            self.computed.push(what.to_owned());
        }
    }

    fn add_output(&mut self, text: &str) {
        let number = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if !number && !text.starts_with("/dev/") && !self.outputs.iter().any(|known| known == text) {
            self.outputs.push(text.to_owned());
        }
    }
}

/// The programs that a word may be: the word itself, with its variables filled in, or the part after an option of a
/// wrapper. The last one is the most likely.
fn program_names(text: &str, state: &CommandState, values: &KnownValues<'_>) -> Vec<String> {
    let mut texts = values.expand(text).texts;
    texts.insert(0, text.to_owned());
    if state.has_wrapper && text.starts_with("--") {
        texts.extend(text.split_once('=').map(|(_, value)| value.to_owned()));
    } else if state.has_wrapper && text.starts_with('-') {
        texts.extend(text.split_once(['S', 'c']).map(|(_, value)| value.to_owned()));
    }
    // A filled-in text with several words is a whole command. It is read separately.
    let single = |at: usize, text: &String| at == 0 || !text.contains([' ', '\t', '\n']);
    let single = texts.iter().enumerate().filter(|(at, text)| single(*at, text));
    single.map(|(_, text)| program_name(text).to_owned()).collect()
}

/// Whether the word was not cut within `${…}`.
fn is_whole(text: &str) -> bool {
    text.matches('{').count() == text.matches('}').count()
}

/// A word, and every part of it that may be a name.
fn parts_of(word: &UnquotedWord) -> Vec<&str> {
    let text = word.text.as_str();
    let mut forms: Vec<&str> = vec![text];
    forms.extend(text.split(['=', ':', ',']));
    forms.extend(words::pieces(text));
    forms.extend(tails(text));
    if word.after_substitution {
        forms.push(text.trim_start_matches('/'));
    }
    let options: Vec<&str> = forms.iter().copied().flat_map(after_option).collect();
    forms.extend(options);
    let trimmed: Vec<&str> = forms
        .iter()
        .map(|form| form.trim_start_matches(['+', '-', '?', '!', '@']))
        .collect();
    forms.extend(trimmed);
    forms
}

/// The texts that may follow an option in the same word.
fn after_option(form: &str) -> Vec<&str> {
    let Some(letters) = form.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return Vec::new();
    };
    let ends = letters.char_indices().skip(1).take(MAX_GLUED_OPTIONS);
    ends.map(|(at, _)| &letters[at..]).collect()
}

fn can_be_name(text: &str) -> bool {
    let fits = |part: &str| part.len() <= MAX_COMPONENT_BYTES;
    !text.is_empty() && text.len() <= MAX_PATH_BYTES && !text.contains('\0') && text.split('/').all(fits)
}
