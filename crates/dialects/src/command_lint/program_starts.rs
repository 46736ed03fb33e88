//! Finds the programs that a Python or JavaScript text starts (`engine.md` §14, programs inside scripts).
//!
//! What it deliberately does not do: it follows no variables. Only names that are written in the call are found, and none
//! where the text handles a program that is missing.

use crate::script_scan::line_after;
use crate::shell::{self, ProgramSource};

/// Calls of Python that get a program, or with `shell=True` a line for a shell.
const PYTHON_CALLS: [&str; 5] = ["run(", "call(", "check_call(", "check_output(", "Popen("];
/// Calls that get a line for a shell.
const SHELL_CALLS: [&str; 3] = ["os.system(", "os.popen(", "getoutput("];
/// Calls of JavaScript that get a program.
const NODE_CALLS: [&str; 4] = ["spawnSync(", "spawn(", "execFileSync(", "execFile("];
/// Calls of JavaScript that get a line for a shell.
const NODE_SHELL_CALLS: [&str; 2] = ["execSync(", "exec("];
/// Words of a text that asks whether a program is there, where it runs, or what went wrong.
const ASKS: [&str; 16] = [
    "which",
    "FileNotFoundError",
    "OSError",
    "IOError",
    "EnvironmentError",
    "except:",
    "except Exception",
    "except BaseException",
    "ENOENT",
    "catch",
    "platform",
    "os.name",
    "PATH",
    ".error",
    "'error'",
    "\"error\"",
];

/// The programs that a text starts by a name written in it, each with the lines of the calls, from 1.
#[must_use]
pub fn started_programs(text: &str) -> Vec<(String, Vec<u32>)> {
    let is_python = text.contains("import ") && !text.contains("child_process");
    let is_known = text.contains("subprocess") || text.contains("os.system") || text.contains("os.popen");
    let handles = ASKS.iter().any(|word| text.contains(word));
    let mut found: Vec<(String, Vec<u32>)> = Vec::new();
    if handles || !(text.contains("child_process") || is_python && is_known) {
        return found;
    }
    let (calls, shell_calls): (&[&str], &[&str]) = if is_python {
        (&PYTHON_CALLS, &SHELL_CALLS)
    } else {
        (&NODE_CALLS, &NODE_SHELL_CALLS)
    };
    let all = calls.iter().map(|call| (*call, false));
    for (call, is_shell) in all.chain(shell_calls.iter().map(|call| (*call, true))) {
        for (at, _) in text.match_indices(call) {
            if !begins_call(text, at, is_python) {
                continue;
            }
            let Some(name) = program_of_call(&text[at + call.len()..], is_shell) else {
                continue;
            };
            let line = line_after(&text[..at]);
            match found.iter_mut().find(|(known, _)| *known == name) {
                Some((_, lines)) => lines.push(line),
                None => found.push((name, vec![line])),
            }
        }
    }
    found
}

/// Whether the call at this place is one of the modules that start programs, and not another function with such a name.
fn begins_call(text: &str, at: usize, is_python: bool) -> bool {
    let before = &text[..at];
    if before.ends_with("subprocess.") || before.ends_with("child_process.") || before.ends_with("cp.") {
        return true;
    }
    if text[at..].starts_with("os.") {
        return !before.ends_with(|sign: char| sign.is_alphanumeric() || sign == '.' || sign == '_');
    }
    let name = text[at..].split('(').next().unwrap_or_default();
    let is_imported = |line: &str| {
        let source = if is_python {
            "from subprocess import"
        } else {
            "child_process"
        };
        let mut words = line.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
        line.contains(source) && words.any(|word| word == name)
    };
    let is_definition = before.ends_with("def ") || before.ends_with("function ");
    let is_method = before.ends_with("')") || before.ends_with("\")");
    let is_free = !before.ends_with(|sign: char| sign.is_alphanumeric() || sign == '.' || sign == '_');
    let of_module = before.ends_with("child_process').") || before.ends_with("child_process\").");
    of_module || is_free && !is_definition && !is_method && text.lines().any(is_imported)
}

/// The program that a call starts, if its name is written as a text.
fn program_of_call(arguments: &str, is_shell: bool) -> Option<String> {
    let arguments = arguments.trim_start();
    let (is_list, first) = match arguments.strip_prefix('[') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, arguments),
    };
    let quote = first.chars().next().filter(|sign| ['"', '\'', '`'].contains(sign))?;
    let (written, behind) = first[1..].split_once(quote)?;
    if written.contains(['\\', '\n', '{', '}']) {
        return None;
    }
    // What is behind the text may belong to it: `"jq" + suffix`.
    if !behind.trim_start().starts_with([',', ')', ']']) {
        return None;
    }
    let call = behind.split_inclusive(')').next().unwrap_or_default();
    let by_option = ["shell=True", "shell = True", "shell: true"]
        .iter()
        .any(|option| call.contains(option));
    let name = if is_shell || by_option && !is_list {
        let script = shell::scan(written);
        let first = script.programs().next()?.first()?;
        (ProgramSource::of(&first.text) == ProgramSource::Name).then(|| first.text.clone())?
    } else {
        written.to_owned()
    };
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|sign| sign.is_ascii_alphanumeric() || "_.+-".contains(sign));
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_where_its_name_is_written() {
        for text in [
            "import subprocess\nsubprocess.run([\"jq\", \".\"])",
            "import subprocess\nsubprocess.run('jq .', shell=True)",
            "import subprocess\nx = subprocess.check_output(['jq'])",
            "from subprocess import run, PIPE\nrun(['jq', '.'], stdin=PIPE)",
            "import os\nos.system('jq . x')",
            "const { execSync } = require('node:child_process');\nexecSync('jq .');",
            "const cp = require('child_process');\ncp.spawnSync('jq', ['.']);",
            "import { execFileSync } from 'node:child_process';\nexecFileSync('jq', ['.']);",
        ] {
            assert_eq!(started_programs(text), [("jq".to_owned(), vec![2])], "{text}");
        }
        let direct = "require('child_process').spawnSync('jq', ['x']);";
        assert_eq!(started_programs(direct), [("jq".to_owned(), vec![1])]);
    }

    #[test]
    fn what_is_not_certain_is_not_found() {
        for text in [
            "import shutil, subprocess\nif shutil.which('jq'):\n    subprocess.run(['jq'])",
            "import subprocess\ntry:\n    subprocess.run(['jq'])\nexcept FileNotFoundError:\n    pass",
            "import subprocess\nsubprocess.run([tool])",
            "import subprocess\nsubprocess.run(['jq' + suffix])",
            "import subprocess, sys\nsubprocess.run([sys.executable, 'x.py'])",
            "import subprocess\ndef run(x):\n    pass\nrun(['jq'])",
            "import subprocess, platform\nif platform.system() == 'Darwin':\n    subprocess.run(['say'])",
            "const { execSync } = require('child_process');\ntry { execSync('jq'); } catch (e) {}",
            "const { spawn } = require('child_process');\nspawn('jq').on('error', () => {});",
            "const m = /a/.exec('jq');",
        ] {
            assert_eq!(started_programs(text), [], "{text}");
        }
    }
}
