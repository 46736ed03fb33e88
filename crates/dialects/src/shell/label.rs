//! Creates short labels for commands.

use std::ops::RangeInclusive;

use super::target::{Target, is_code_name, is_shell_program, target};
use super::{Word, base_name, scan};

/// Commands that only prepare for another one, which gives the label.
const PREPARATIONS: [&str; 17] = [
    "cd", "set", "export", ":", "true", "test", "[", "[[", "umask", "trap", "unset", "mkdir", "case", "for", "cat",
    "read", "exec",
];
/// The file name of the relay program, without `.exe`.
pub const RELAY_PROGRAM: &str = "hookwright-relay";
/// How many characters a label may have.
pub const LABEL_CHARS: usize = 40;

/// How long a comment above a definition is that names its hook, in characters (`engine.md` §13).
const COMMENT_CHARS: RangeInclusive<usize> = 3..=LABEL_CHARS;

/// Returns the label of a command (`engine.md` §13): its first comment, else the script that it runs
/// (`inject_time.py` for `python3 ~/hooks/inject_time.py --utc`), else its program with the first word that says
/// something (`grep rm -rf`). Empty if nothing does.
#[must_use]
pub fn label(command: &str) -> String {
    if let Some(comment) = first_comment(command) {
        return shorten(comment);
    }
    let script = scan(command);
    let is_main = |words: &&[Word]| !PREPARATIONS.contains(&words[0].text.as_str());
    let file = script.programs().find_map(script_label);
    let main = || script.programs().filter(is_main).find_map(program_label);
    let label = file.or_else(main).or_else(|| script.programs().find_map(program_label));
    shorten(&label.unwrap_or_default())
}

/// The comment line directly above the line in which this byte of a text is, if it can name a hook.
#[must_use]
pub fn comment_above(text: &str, byte: usize) -> Option<&str> {
    let (above, _) = text.get(..byte)?.rsplit_once('\n')?;
    let comment = above.lines().next_back()?.trim().strip_prefix('#')?;
    let comment = comment.trim_matches(|character: char| character == '#' || character.is_whitespace());
    // A definition that is commented out describes no other one.
    let names = !comment.starts_with("- ") && comment.chars().any(char::is_alphabetic);
    (names && COMMENT_CHARS.contains(&comment.chars().count())).then_some(comment)
}

/// Returns the label of a program that is started with these arguments, without a shell.
#[must_use]
pub fn argv_label(argv: &[&str]) -> String {
    let words: Vec<Word> = argv.iter().map(|text| Word::literal(text)).collect();
    shorten(&program_label(&words).unwrap_or_default())
}

/// Shortens a text to one line of at most `LABEL_CHARS` characters. If something is cut, the last character is `…`.
#[must_use]
pub fn shorten(text: &str) -> String {
    let text = text.trim();
    let line: String = text
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect();
    if line.chars().count() <= LABEL_CHARS {
        return line;
    }
    let cut: String = line.chars().take(LABEL_CHARS - 1).collect();
    format!("{}…", cut.trim_end())
}

/// Returns the text of a comment in the first line that is not blank. A `#!` line is not a comment.
fn first_comment(command: &str) -> Option<&str> {
    let first = command.lines().map(str::trim).find(|line| !line.is_empty())?;
    let words = first.strip_prefix('#').filter(|rest| !rest.starts_with('!'))?;
    Some(words.trim_start_matches('#').trim()).filter(|words| !words.is_empty())
}

/// The file name of the script that a command runs.
fn script_label(words: &[Word]) -> Option<String> {
    let program = &words.first()?.text;
    let name = match target(words) {
        Target::Script(file) => base_name(&file.text).to_owned(),
        Target::Program if is_script(program) => base_name(program).to_owned(),
        Target::Module(_) | Target::Text(_) | Target::Program => return None,
    };
    names_something(&name).then_some(name)
}

fn program_label(words: &[Word]) -> Option<String> {
    let program = &words.first()?.text;
    let name = match target(words) {
        Target::Script(_) => return script_label(words),
        Target::Program if is_script(program) => return script_label(words),
        Target::Module(name) => name.text.clone(),
        Target::Text(text) if is_shell_program(program) => label(&text.text),
        Target::Text(_) | Target::Program => with_first_word(base_name(program), &words[1..]),
    };
    names_something(&name).then_some(name)
}

/// A program with the first of its arguments that says something. An argument that does not fit is left out: a label
/// never has a part of one, which could be a part of a secret.
fn with_first_word(program: &str, arguments: &[Word]) -> String {
    let says = |word: &&Word| !word.text.starts_with('-') && names_something(&word.text);
    let word = arguments.iter().find(says).map(|word| word.text.trim());
    let with_word = word.map(|word| format!("{program} {word}"));
    let label = with_word.filter(|label| label.chars().count() <= LABEL_CHARS);
    match label {
        Some(label) if names_something(program) => label,
        _ if says_nothing_alone(program) => String::new(),
        Some(_) | None => program.to_owned(),
    }
}

/// Whether a text tells hooks from each other: it has a letter or a digit and is no mere variable.
fn names_something(text: &str) -> bool {
    let is_variable = text.starts_with('$') && !text.contains(char::is_whitespace);
    !is_variable && text.chars().any(char::is_alphanumeric)
}

/// Whether a program is called by its file alone: a script, or Hookwright's relay.
fn is_script(program: &str) -> bool {
    let is_in_own_folder = program.contains('/') && !program.starts_with('/');
    is_in_own_folder || is_code_name(program) || base_name(program) == RELAY_PROGRAM
}

/// Whether so many hooks start with this program that its name alone says nothing.
fn says_nothing_alone(program: &str) -> bool {
    is_shell_program(program) || ["cat", "read", "exec"].contains(&program)
}

/// Returns the first line that is not blank, cut to at most `max_bytes` bytes.
#[must_use]
pub(crate) fn first_line(text: &str, max_bytes: usize) -> String {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    truncate(line, max_bytes).to_owned()
}

/// Cuts a text to at most `max_bytes` bytes, at a character boundary.
fn truncate(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_called_by_its_script_or_program() {
        let table = [
            ("python3 ~/.jdata/agent/hooks/inject_time.py", "inject_time.py"),
            ("python3 -u .jcli/hooks/a.py tool_result", "a.py"),
            ("python3 -m hooks.guard", "hooks.guard"),
            ("python3 -c 'print(1)'", "python3 print(1)"),
            ("python3.12 a.py", "a.py"),
            ("/usr/bin/env -S python3 x.py", "x.py"),
            ("sh .jcli/hooks/guard_shell.sh", "guard_shell.sh"),
            ("bash -lc './x.sh y'", "x.sh"),
            ("echo '{\"a\": 1}'", "echo {\"a\": 1}"),
            ("grep -q 'rm -rf'", "grep rm -rf"),
            ("cat | grep -Eq \"git push --force\" && exit 2", "grep git push --force"),
            ("\"$HW\" run --x", ""),
            ("$FORMAT src; npx prettier --check .", "npx prettier"),
            (
                "curl -s -H \"Authorization: Bearer 0123456789012345678901234567\" https://x.dev",
                "curl",
            ),
            ("cat", ""),
            ("sh", ""),
            ("sh -c 'cat | jq -r .tool_name'", "jq .tool_name"),
            ("cd \"$JCLI_CWD\" && ./check.sh --all", "check.sh"),
            ("\"$JCLI_CWD/.jcli/hooks/my guard.sh\"", "my guard.sh"),
            ("A=1 B=2 exec ./run.rb", "run.rb"),
            ("uv run hooks/a.py", "a.py"),
            ("cat | jq .", "jq"),
            ("cd /tmp", "cd /tmp"),
            ("exit 3", "exit 3"),
            ("# only words", "only words"),
            ("\n# Check the format\nnpx prettier x", "Check the format"),
            ("npx tsx hooks/a.ts", "a.ts"),
            (
                "a-program-with-a-name-that-is-far-too-long-for-a-row x",
                "a-program-with-a-name-that-is-far-too-l…",
            ),
        ];
        for (command, want) in table {
            assert_eq!(label(command), want, "{command}");
        }
    }

    #[test]
    fn a_program_without_a_shell_is_called_by_its_script() {
        assert_eq!(argv_label(&["node", "${ROOT}/hooks/a.js", "x"]), "a.js");
        assert_eq!(argv_label(&["jq", "."]), "jq");
    }

    #[test]
    fn a_comment_directly_above_a_definition_names_it() {
        let text = "stop:\n  # No force push\n  - command: a\n  #\n  - command: b\n  # - command: x\n  - command: c\n";
        let above = |part: &str| comment_above(text, text.find(part).unwrap());
        assert_eq!(above("command: a"), Some("No force push"));
        for other in ["stop", "# No", "command: b", "command: c"] {
            assert_eq!(above(other), None, "{other}");
        }
        let long = format!("# {}\n- a", "long ".repeat(9));
        assert_eq!(comment_above(&long, long.len()), None);
    }

    #[test]
    fn a_line_is_cut_between_characters() {
        assert_eq!(first_line("\n  \n  审查工具  \nmore", 80), "审查工具");
        assert_eq!(first_line("审查工具", 7), "审查");
    }
}
