//! The `#!` line with which a script starts: for a script that has none, and for one whose interpreter is not found.

use std::path::Path;

use hookwright_model::{FileFix, FixChange, LintContext};

use crate::shell::base_name;

/// The line for scripts of each ending.
const BY_ENDING: [(&str, &str); 8] = [
    ("sh", "#!/bin/sh"),
    ("bash", "#!/usr/bin/env bash"),
    ("zsh", "#!/usr/bin/env zsh"),
    ("py", "#!/usr/bin/env python3"),
    ("js", "#!/usr/bin/env node"),
    ("mjs", "#!/usr/bin/env node"),
    ("rb", "#!/usr/bin/env ruby"),
    ("pl", "#!/usr/bin/env perl"),
];

/// Other names of the same interpreter.
const OTHER_NAMES: [(&str, &str); 4] = [
    ("python", "python3"),
    ("python2", "python3"),
    ("nodejs", "node"),
    ("node", "nodejs"),
];

/// Why the system cannot start a script by its first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineFault {
    /// There is no `#!` line.
    Absent,
    /// It ends with a carriage return, which the system takes as part of the interpreter's name.
    CarriageReturn,
    /// A byte-order mark is before it.
    ByteOrderMark,
    /// A space or an empty line is before it. It is on this line, from 1.
    NotFirst(u32),
    /// It is written `#\!`.
    Escaped,
    /// `env` gets this text as the name of one program.
    EnvArguments(String),
    /// It names its program without a folder, as in `#!bash -e`. The system does not look for it on the `PATH`.
    NoFolder(String),
}

/// How many lines are searched for a `#!` that is not on the first one.
const SEARCHED_LINES: usize = 10;

/// Returns what is wrong with the first line of a script; `None` if the system can read it.
#[must_use]
pub fn line_fault(text: &str) -> Option<LineFault> {
    if let Some(line) = text.strip_prefix("#!") {
        let line = line.split('\n').next().unwrap_or_default();
        if line.ends_with('\r') {
            return Some(LineFault::CarriageReturn);
        }
        let line = line.trim();
        let (program, arguments) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        if !program.is_empty() && !program.contains('/') {
            return Some(LineFault::NoFolder(line.to_owned()));
        }
        let arguments = arguments.trim();
        let splits = arguments.starts_with('-') || !arguments.contains([' ', '\t']);
        return (base_name(program) == "env" && !splits).then(|| LineFault::EnvArguments(arguments.to_owned()));
    }
    if text.starts_with("#\\!") {
        return Some(LineFault::Escaped);
    }
    let unmarked = text.trim_start_matches('\u{feff}');
    if unmarked.len() < text.len() && unmarked.starts_with("#!") {
        return Some(LineFault::ByteOrderMark);
    }
    let mut lines = (1..).zip(unmarked.lines().take(SEARCHED_LINES));
    let first = lines.find(|(_, line)| !line.trim().is_empty());
    Some(match first {
        Some((at, line)) if line.trim_start().starts_with("#!/") => LineFault::NotFirst(at),
        Some(_) | None => LineFault::Absent,
    })
}

/// Returns the program that the `#!` line names. After `env`, that is the program that `env` starts.
#[must_use]
pub fn interpreter(text: &str) -> Option<&str> {
    let first = text.lines().next()?.strip_prefix("#!")?;
    let mut words = first.split_whitespace();
    let program = words.next()?;
    if base_name(program) == "env" {
        return words.find(|word| !word.starts_with('-') && !word.contains('='));
    }
    Some(program)
}

/// Whether this machine has the program of a `#!` line.
#[must_use]
pub fn has_interpreter(interpreter: &str, context: &LintContext<'_>) -> bool {
    if interpreter.contains('/') {
        // A relative path is looked up in the directory of the run, which is not known here.
        !interpreter.starts_with('/') || (context.path_exists)(Path::new(interpreter))
    } else {
        (context.on_path)(interpreter)
    }
}

/// The change that adds a `#!` line to a script without one, by the ending of its name.
#[must_use]
pub fn for_name(path: &Path) -> Option<FileFix> {
    let ending = path.extension()?.to_str()?;
    let (_, line) = BY_ENDING.iter().find(|(known, _)| *known == ending)?;
    Some(with_line(path, (*line).to_owned()))
}

/// The change of a `#!` line whose interpreter is missing, if the same one is found on the `PATH`.
#[must_use]
pub fn instead_of_missing(path: &Path, text: &str, context: &LintContext<'_>) -> Option<FileFix> {
    let missing = interpreter(text)?;
    let name = base_name(missing);
    let without_version = name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    let names = [name, without_version].into_iter();
    let others = names.flat_map(|name| {
        let other = OTHER_NAMES.iter().find(|(known, _)| *known == name);
        std::iter::once(name).chain(other.map(|(_, other)| *other))
    });
    let found = others
        .filter(|name| !name.is_empty() && *name != missing)
        .find(|name| (context.on_path)(name))?;
    Some(with_line(path, env_line(found, options(text, missing))))
}

/// The `#!` line that looks for a program on the `PATH`. `line` is the name of the program, with its options.
#[must_use]
pub fn with_env(line: &str) -> String {
    let (program, options) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    env_line(program, options.trim())
}

/// The change that gives a script this `#!` line.
#[must_use]
pub fn with_line(path: &Path, line: String) -> FileFix {
    FileFix::new(path, FixChange::InterpreterLine { line })
}

/// What the present line gives to its interpreter.
fn options<'t>(text: &'t str, interpreter: &str) -> &'t str {
    let line = text.lines().next().unwrap_or_default();
    line.split_once(interpreter).map_or("", |(_, rest)| rest.trim())
}

fn env_line(name: &str, options: &str) -> String {
    if options.is_empty() {
        format!("#!/usr/bin/env {name}")
    } else {
        format!("#!/usr/bin/env -S {name} {options}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_line_that_the_system_does_not_understand_is_found() {
        for (text, fault) in [
            ("#!/bin/sh\nx", None),
            ("#!/usr/bin/env python3\n", None),
            ("#!/usr/bin/env -S python3 -u\n", None),
            ("#!/usr/bin/python3 -u\n", None),
            ("#!/bin/sh\r\nx\r\n", Some(LineFault::CarriageReturn)),
            ("\u{feff}#!/bin/sh\n", Some(LineFault::ByteOrderMark)),
            ("\n\n#!/bin/sh\n", Some(LineFault::NotFirst(3))),
            (" #!/bin/sh\n", Some(LineFault::NotFirst(1))),
            ("#\\!/bin/sh\n", Some(LineFault::Escaped)),
            (
                "#!/usr/bin/env python3 -u\n",
                Some(LineFault::EnvArguments("python3 -u".to_owned())),
            ),
            ("# a comment\n#!/bin/sh\n", Some(LineFault::Absent)),
            ("#!bash\n", Some(LineFault::NoFolder("bash".to_owned()))),
            ("#! python3 -u\n", Some(LineFault::NoFolder("python3 -u".to_owned()))),
            ("#!./run\n", None),
            ("import sys\n", Some(LineFault::Absent)),
            ("", Some(LineFault::Absent)),
        ] {
            assert_eq!(line_fault(text), fault, "{text:?}");
        }
    }

    #[test]
    fn a_line_keeps_the_options_of_its_interpreter() {
        assert_eq!(options("#!/opt/python -u -B\nprint(1)", "/opt/python"), "-u -B");
        assert_eq!(env_line("python3", "-u"), "#!/usr/bin/env -S python3 -u");
        assert_eq!(env_line("bash", ""), "#!/usr/bin/env bash");
    }

    #[test]
    fn a_script_without_a_line_gets_the_one_of_its_ending() {
        let line = |name: &str| match for_name(Path::new(name))?.change {
            FixChange::InterpreterLine { line } => Some(line),
            other => panic!("{other:?}"),
        };
        assert_eq!(line("/p/a.py").as_deref(), Some("#!/usr/bin/env python3"));
        assert_eq!(line("/p/a.sh").as_deref(), Some("#!/bin/sh"));
        assert_eq!((line("/p/a"), line("/p/a.txt")), (None, None));
    }
}
