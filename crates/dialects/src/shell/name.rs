//! What people call a command.

use super::{Word, base_name, scan};

/// Programs that only run the script behind them.
const INTERPRETERS: [&str; 16] = [
    "python", "python2", "python3", "node", "deno", "bun", "ruby", "perl", "php", "sh", "bash", "zsh", "dash", "uv",
    "npx", "tsx",
];
/// Commands that prepare for the one that matters.
const PREPARATIONS: [&str; 12] = [
    "cd", "set", "export", ":", "true", "test", "[", "[[", "umask", "trap", "unset", "mkdir",
];
/// Bytes of a name that is the command itself.
const LONGEST: usize = 80;

/// The script or program that a command runs (`python3 ~/hooks/inject_time.py --utc` is `inject_time.py`).
#[must_use]
pub fn label(command: &str) -> String {
    let script = scan(command);
    let main = script
        .programs()
        .find(|words| !PREPARATIONS.contains(&words[0].text.as_str()))
        .or_else(|| script.programs().next());
    let name = main.and_then(named);
    name.map_or_else(|| first_line(command, LONGEST), |name| cut(&name, LONGEST).to_owned())
}

fn named(words: &[Word]) -> Option<String> {
    let program = base_name(&words.first()?.text);
    let plain = program.strip_suffix(".exe").unwrap_or(program);
    let is_interpreter = INTERPRETERS.contains(&plain) || plain.strip_prefix("python3.").is_some();
    let name = if is_interpreter {
        script_of(plain, &words[1..])
    } else {
        None
    };
    let name = name.unwrap_or_else(|| program.to_owned());
    (!name.trim().is_empty()).then_some(name)
}

/// The script an interpreter is given; `None` when its program stands in the command (`-c`) or on stdin.
fn script_of(interpreter: &str, arguments: &[Word]) -> Option<String> {
    let mut rest = arguments.iter().map(|word| word.text.as_str()).peekable();
    while let Some(argument) = rest.next() {
        match argument {
            "-m" => return rest.next().map(str::to_owned),
            "run" if ["deno", "bun", "uv"].contains(&interpreter) => {}
            "-" => return None,
            _ if argument.starts_with("--") => {}
            _ if argument.starts_with('-') => {
                let inline = if ["sh", "bash", "zsh", "dash"].contains(&interpreter) {
                    argument.contains('c')
                } else {
                    ["-c", "-e", "-p", "-r"].contains(&argument)
                };
                if inline {
                    return None;
                }
            }
            _ => return Some(base_name(argument).to_owned()),
        }
    }
    None
}

/// The first line that is not blank, at most so many bytes.
#[must_use]
pub(crate) fn first_line(text: &str, longest: usize) -> String {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    cut(line, longest).to_owned()
}

/// At most so many bytes, whole characters.
fn cut(text: &str, longest: usize) -> &str {
    &text[..text.floor_char_boundary(longest)]
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
            ("bash -lc 'x'", "bash"),
            ("echo '{\"a\": 1}'", "echo"),
            ("cd \"$JCLI_CWD\" && ./check.sh --all", "check.sh"),
            ("\"$JCLI_CWD/.jcli/hooks/my guard.sh\"", "my guard.sh"),
            ("A=1 B=2 exec ./run.rb", "run.rb"),
            ("uv run hooks/a.py", "a.py"),
            ("cat | jq .", "cat"),
            ("cd /tmp", "cd"),
            ("exit 3", "exit"),
            ("# only words", "# only words"),
        ];
        for (command, want) in table {
            assert_eq!(label(command), want, "{command}");
        }
    }

    #[test]
    fn a_line_is_cut_between_characters() {
        assert_eq!(first_line("\n  \n  审查工具  \nmore", 80), "审查工具");
        assert_eq!(first_line("审查工具", 7), "审查");
    }
}
