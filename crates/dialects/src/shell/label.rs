//! Creates short labels for commands.

use super::target::{Target, is_shell_program, target};
use super::{Word, base_name, scan};

/// Commands that only prepare for another one, which gives the label.
const PREPARATIONS: [&str; 14] = [
    "cd", "set", "export", ":", "true", "test", "[", "[[", "umask", "trap", "unset", "mkdir", "case", "for",
];
/// How many characters a label may have.
pub const LABEL_CHARS: usize = 40;

/// Returns the label of a command: its first comment, else the script or program that it runs
/// (`inject_time.py` for `python3 ~/hooks/inject_time.py --utc`).
#[must_use]
pub fn label(command: &str) -> String {
    if let Some(comment) = first_comment(command) {
        return shorten(comment);
    }
    let script = scan(command);
    let main = script
        .programs()
        .find(|words| !PREPARATIONS.contains(&words[0].text.as_str()))
        .or_else(|| script.programs().next());
    let name = main.and_then(program_label);
    shorten(&name.unwrap_or_else(|| first_line(command, LABEL_CHARS * 4)))
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

fn program_label(words: &[Word]) -> Option<String> {
    let program = &words.first()?.text;
    let name = match target(words) {
        Target::Script(file) => base_name(&file.text).to_owned(),
        Target::Module(name) => name.text.clone(),
        Target::Text(text) if is_shell_program(program) => label(&text.text),
        Target::Text(_) | Target::Program => base_name(program).to_owned(),
    };
    (!name.trim().is_empty()).then_some(name)
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
            ("python3 -c 'print(1)'", "python3"),
            ("python3.12 a.py", "a.py"),
            ("/usr/bin/env -S python3 x.py", "x.py"),
            ("sh .jcli/hooks/guard_shell.sh", "guard_shell.sh"),
            ("bash -lc './x.sh y'", "x.sh"),
            ("echo '{\"a\": 1}'", "echo"),
            ("cd \"$JCLI_CWD\" && ./check.sh --all", "check.sh"),
            ("\"$JCLI_CWD/.jcli/hooks/my guard.sh\"", "my guard.sh"),
            ("A=1 B=2 exec ./run.rb", "run.rb"),
            ("uv run hooks/a.py", "a.py"),
            ("cat | jq .", "cat"),
            ("cd /tmp", "cd"),
            ("exit 3", "exit"),
            ("# only words", "only words"),
            ("\n# Check the format\nnpx prettier x", "Check the format"),
            ("npx tsx hooks/a.ts", "a.ts"),
            (
                "a-program-with-a-name-that-is-far-too-long-for-a-row --x",
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
    fn a_line_is_cut_between_characters() {
        assert_eq!(first_line("\n  \n  审查工具  \nmore", 80), "审查工具");
        assert_eq!(first_line("审查工具", 7), "审查");
    }
}
