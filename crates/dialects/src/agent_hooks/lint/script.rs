//! What a script's text lets expect, by literal words only: whether it blocks, what it prints before it ends, what it needs.

use hookwright_model::LintDesk;

use crate::commands::{exit_code, lines, missing_command};
use crate::reads;
use crate::shell::base_name;

/// Whether it ends with exit 2 somewhere, or answers deny.
#[must_use]
pub fn blocks(text: &str) -> bool {
    lines(text).any(|line| exit_code(line) == Some(2)) || reads::assigns(text, "decision", &["deny"])
}

/// Whether it answers with a changed input.
#[must_use]
pub fn modifies_input(text: &str) -> bool {
    reads::writes(text, "modified_input")
}

/// What is printed for nobody: the exit code behind it, and whether a decision is in it.
#[must_use]
pub fn printed_in_vain(text: &str) -> Option<(i32, Vain)> {
    let all: Vec<&str> = lines(text).collect();
    all.iter().enumerate().find_map(|(at, line)| {
        let code = exit_code(line)
            .or_else(|| exit_code(all.get(at + 1)?))
            .filter(|code| *code != 0)?;
        let decides = reads::writes(line, "decision") && prints(line);
        match (decides, code) {
            (true, 2) | (false, 2) if prints(line) => Some((code, Vain::Anything)),
            (true, _) => Some((code, Vain::Decision)),
            (false, _) => None,
        }
    })
}

/// What was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vain {
    /// Beside exit 2 nothing is read.
    Anything,
    /// A decision beside a failure.
    Decision,
}

/// Whether the line writes to stdout.
fn prints(line: &str) -> bool {
    let aside = ["&2", "stderr", "/dev/null", ">>", "> \"", "> $"]
        .iter()
        .any(|sign| line.contains(sign));
    let words = ["echo ", "printf ", "print(", "console.log(", "sys.stdout.write(", "jq "];
    !aside
        && words
            .iter()
            .any(|word| line.starts_with(word) || line.contains(&format!("; {word}")))
}

/// The first program that the script needs and nobody has: its interpreter, or a command of a shell script.
#[must_use]
pub fn lacks(text: &str, desk: &LintDesk<'_>) -> Option<String> {
    let first = text.lines().next().and_then(|line| line.strip_prefix("#!"))?;
    let mut words = first.split_whitespace();
    let interpreter = words.next()?;
    let by_env = base_name(interpreter) == "env";
    let named = if by_env {
        words.find(|word| !word.starts_with('-'))?
    } else {
        interpreter
    };
    let is_there = if named.starts_with('/') {
        (desk.is_there)(std::path::Path::new(named))
    } else {
        (desk.on_path)(named)
    };
    if !is_there {
        return Some(named.to_owned());
    }
    let is_shell = ["sh", "bash", "dash", "zsh", "ksh"].contains(&base_name(named));
    is_shell.then(|| missing_command(text, desk)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_seen_in_any_language() {
        for text in [
            "exit 2",
            "    sys.exit(2)",
            "process.exit(2);",
            "[ -n \"$x\" ] && exit 2",
            "echo no >&2; exit 2  # blocks",
            "print(json.dumps({\"decision\": \"deny\"}))",
        ] {
            assert!(blocks(text), "{text}");
        }
        for text in [
            "exit 0",
            "# exit 2",
            "exit 20",
            "echo 'then exit 2'",
            "my_exit 2",
            "exit $code",
        ] {
            assert!(!blocks(text), "{text}");
        }
    }

    #[test]
    fn what_is_printed_before_a_block_is_for_nobody() {
        assert_eq!(printed_in_vain("echo blocked\nexit 2\n"), Some((2, Vain::Anything)));
        assert_eq!(
            printed_in_vain("echo '{\"decision\": \"allow\"}'; exit 2"),
            Some((2, Vain::Anything))
        );
        assert_eq!(
            printed_in_vain("print(json.dumps({\"decision\": \"deny\"}))\nsys.exit(1)"),
            Some((1, Vain::Decision))
        );
        for text in [
            "echo blocked >&2\nexit 2",
            "print(f\"x\", file=sys.stderr)\nsys.exit(2)",
            "echo '{\"decision\": \"deny\"}'\nexit 0",
            "echo failed\nexit 1",
            "echo hello\nsleep 1\nexit 2",
        ] {
            assert_eq!(printed_in_vain(text), None, "{text}");
        }
    }
}
