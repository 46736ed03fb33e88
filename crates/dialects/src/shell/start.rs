//! Finds the program that a command starts, and the wrappers before it.

use super::programs::{Follows, Wrapper, find_wrapper, program_name};
use super::{SHELL_BUILTINS, Word, assignment_name, is_keyword};

/// What a command starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start<'w> {
    /// The wrappers before the program, from the outside in: `sudo` and `timeout` in `sudo timeout 5 guard.sh`.
    pub wrappers: Vec<StartedBy<'w>>,
    /// The program with its arguments. It is empty if there is none, as in `X=1` and `env -S TEXT`.
    pub words: &'w [Word],
}

/// A wrapper in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartedBy<'w> {
    wrapper: &'static Wrapper,
    /// Its name, its options and its operands.
    pub words: &'w [Word],
}

/// Where the program of a word is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramSource {
    /// The shell has it.
    Builtin,
    /// At this path.
    Path,
    /// In a folder of the `PATH`, unless the text defines a function of this name.
    Name,
    /// A shell makes the name out of the word, or it is no name of a program.
    Unknown,
}

impl ProgramSource {
    /// Says where the program of a word is found.
    #[must_use]
    pub fn of(word: &str) -> Self {
        let is_name = word.starts_with(|character: char| character.is_ascii_alphabetic());
        let fits = |character: char| character.is_ascii_alphanumeric() || "-_.+".contains(character);
        if SHELL_BUILTINS.contains(&word) {
            Self::Builtin
        } else if is_name && word.chars().all(fits) {
            Self::Name
        } else if word.contains('/') && !word.contains(|character: char| "$*?`[{\n".contains(character)) {
            Self::Path
        } else {
            Self::Unknown
        }
    }
}

impl<'w> StartedBy<'w> {
    /// The folder in which its options say that the program starts: `sub` in `env -C sub guard.sh`.
    #[must_use]
    pub fn folder(&self) -> Option<&'w str> {
        self.wrapper.folder(self.words)
    }
}

/// Finds what the words of a simple command start. Assignments and keywords such as `if` are skipped.
#[must_use]
pub fn start(words: &[Word]) -> Start<'_> {
    let mut wrappers: Vec<StartedBy<'_>> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        // A shell reads a quoted `X=1` as a program. `env` does not see the quotes and reads an assignment.
        let assigns = word.assigned_name().is_some() || (!wrappers.is_empty() && assignment_name(&word.text).is_some());
        if assigns || (!word.quoted && is_keyword(&word.text)) {
            at += 1;
            continue;
        }
        let behind = &words[at + 1..];
        let wrapper = find_wrapper(program_name(&word.text)).filter(|known| is_followed(known, behind));
        let Some(wrapper) = wrapper else { break };
        let end = at + 1 + wrapper.own_words(behind);
        wrappers.push(StartedBy {
            wrapper,
            words: &words[at..end],
        });
        at = end;
    }
    Start {
        wrappers,
        words: &words[at..],
    }
}

/// Whether the program of a wrapper follows its own words, as words.
fn is_followed(wrapper: &Wrapper, behind: &[Word]) -> bool {
    match wrapper.follows {
        Follows::Program => true,
        Follows::ProgramOrText => {
            let next = behind.get(wrapper.own_words(behind));
            !next.is_some_and(|word| word.quoted && word.text.contains([' ', '\t', '\n']))
        }
        Follows::Fetched(_) | Follows::Somewhere => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan;
    use super::*;

    /// The wrappers of a command by their names, and the words of its program.
    fn started(command: &str) -> (Vec<String>, String) {
        let script = scan(command);
        let start = script.commands[0].start();
        let names = start.wrappers.iter().map(|wrapper| wrapper.words[0].text.clone());
        let words: Vec<&str> = start.words.iter().map(|word| word.text.as_str()).collect();
        (names.collect(), words.join(" "))
    }

    #[test]
    fn the_program_behind_wrappers_is_found() {
        for (command, wrappers, program) in [
            (
                "X=1 sudo -u me timeout -k 5 10 sh a.sh",
                &["sudo", "timeout"][..],
                "sh a.sh",
            ),
            ("if ! env -i A=1 'B=2' nice -n 5 ./a", &["env", "nice"], "./a"),
            ("xargs -n1 -I{} rm {}", &["xargs"], "rm {}"),
            ("'nohup' /usr/bin/time ./a", &["nohup", "/usr/bin/time"], "./a"),
            ("flock -w 5 lock ./a b", &["flock"], "./a b"),
            ("flock lock -c 'rm -r /x'", &[], "flock lock -c rm -r /x"),
            ("env -S './a b'", &["env"], "./a b"),
            ("uv run a.py", &[], "uv run a.py"),
            ("command", &["command"], ""),
        ] {
            assert_eq!(
                started(command),
                (
                    wrappers.iter().map(|name| (*name).to_owned()).collect(),
                    program.to_owned()
                ),
                "{command}"
            );
        }
    }

    #[test]
    fn the_folder_of_a_wrapper_is_found() {
        for (command, folder) in [
            ("env -C sub ./a", Some("sub")),
            ("env -Csub ./a", Some("sub")),
            ("sudo --chdir=sub ./a", Some("sub")),
            ("sudo -D sub ./a", Some("sub")),
            ("strace -D ./a", None),
            ("doas -C conf ./a", None),
        ] {
            let script = scan(command);
            let start = script.commands[0].start();
            assert_eq!(start.wrappers[0].folder(), folder, "{command}");
            assert_eq!(start.words[0].text, "./a", "{command}");
        }
    }

    #[test]
    fn the_source_of_a_program_is_told_by_its_word() {
        for (word, source) in [
            ("cd", ProgramSource::Builtin),
            ("[", ProgramSource::Builtin),
            ("jq", ProgramSource::Name),
            ("g++", ProgramSource::Name),
            ("./a.sh", ProgramSource::Path),
            ("$HOME/a.sh", ProgramSource::Unknown),
            ("{", ProgramSource::Unknown),
        ] {
            assert_eq!(ProgramSource::of(word), source, "{word}");
        }
    }
}
