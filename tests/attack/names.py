"""In a fresh project stands an executable file for every word of a user's guard: does the guard still block?

No file name in a repository may switch off a user's hook. Where the user's own command starts a script of the project,
that script waits for an approval.
"""
import json
import os
import re
import shutil

from hw import Report, Trial

GUARDS = {
    "exit": "echo no >&2; exit 2",
    "grep": "grep -q 'rm -rf' && exit 2; exit 0",
    "grep-or": "grep -qE 'rm -rf|git/push' && { echo no >&2; exit 2; }; exit 0",
    "case": 'text=$(cat); case "$text" in *rm*) exit 2;; esac',
    "sed": "sed 's/rm/XX/;s/a/b/g' | grep -q XX && exit 2; exit 0",
    "awk": "awk '/rm -rf/ { exit 2 }'",
    "awk-F": "awk -F: '{ if ($0 ~ /rm/) exit 2 }'",
    "python-c": "python3 -c 'import sys; sys.exit(2 if \"rm\" in sys.stdin.read() else 0)'",
    "python-script": 'python3 "$HOME/.hooks/guard.py"',
    "python-W": "python3 -W ignore ~/.hooks/guard.py",
    "python-m": "python3 -m json.tool | grep -q rm && exit 2; exit 0",
    "sh-script": "sh ~/.hooks/guard.sh",
    "sh-o": "bash -o pipefail ~/.hooks/guard.sh",
    "bash-c": "bash -c 'grep -q rm && exit 2; exit 0'",
    "wrapped": "env LANG=C timeout 5 sh ~/.hooks/guard.sh",
    "perl": "perl -ne 'exit 2 if /rm/'",
    "perl-I": "perl -I lib/perl -ne 'exit 2 if /rm/'",
    "cd-run": "cd ~/.hooks && ./guard.sh",
    "cd-sh": 'cd "$HOME/.hooks" && sh guard.sh',
    "source": ". ~/.hooks/lib.sh; guard",
    "read": 'while read -r line || [ -n "$line" ]; do case $line in *rm*) exit 2;; esac; done',
    "tee": "tee /dev/stderr | grep -q rm && exit 2; exit 0",
    "xargs": "grep -o 'rm -rf' | xargs -n 1 echo >&2 && exit 2",
    "git": "git status --short >/dev/null 2>&1; exit 2",
}
CALL = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}


def trial_of(name, command):
    trial = Trial("names-" + name)
    trial.write(trial.home + "/.hooks/guard.sh", "#!/bin/sh\ngrep -q rm && exit 2\nexit 0\n")
    trial.write(trial.home + "/.hooks/guard.py", "import sys\nsys.exit(2 if 'rm' in sys.stdin.read() else 0)\n")
    trial.write(trial.home + "/.hooks/lib.sh", "guard() { grep -q rm && exit 2; exit 0; }\n")
    entry = {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": command}]}]}}
    trial.write(trial.home + "/.qoder/settings.json", json.dumps(entry), 0o644)
    return trial


def plant(trial, command):
    """A file for every word, cut in every way: at blanks; at blanks, quotes and operators."""
    words = set(command.split()) | set(re.split(r"[\s'\"`;&|<>(){}$,=:]+", command))
    words |= {word.strip("'\";") for word in words} | {word.lstrip("./") for word in words}
    planted = 0
    for word in sorted(words):
        if not word or word.startswith(("/", "~")) or ".." in word or word in (".", "./"):
            continue
        try:
            trial.write(os.path.join(trial.proj, word), "#!/bin/sh\nexit 0\n")
            planted += 1
        except OSError:
            pass
    return planted


def main():
    report = Report("names")
    for name, command in GUARDS.items():
        program = command.split()[0]
        if program in ("perl", "awk", "bash") and not shutil.which(program):
            report.skip(f"{name}: no {program}")
            continue
        trial = trial_of(name, command)
        code, _ = trial.trace("qoder", "PreToolUse", CALL)
        report.case("guards that do not work by themselves", name, code == 2, code=code)
        plant(trial, command)
        for where in ("proj", "sub"):
            folder = trial.proj if where == "proj" else os.path.join(trial.proj, "sub folder")
            os.makedirs(folder, exist_ok=True)
            code, trace = trial.trace("qoder", "PreToolUse", {**CALL, "cwd": folder})
            step = trace["steps"][0]
            report.case("guards switched off by file names", f"{name} in {where}", code == 2,
                        outcome=step["outcome"], reason=step["reason"])
    starts_project_content(report)
    report.finish()


def starts_project_content(report):
    """What the user's own command starts of the project waits, and runs once it is approved."""
    group = "project content that a user's hook started without approval"
    for name, command in {"path": "./scripts/check.sh", "operand": "sh scripts/check.sh", "source": ". ./scripts/check.sh"}.items():
        trial = trial_of("starts-" + name, command)
        trial.write("scripts/check.sh", '#!/bin/sh\necho ran >> "$MARK"\nexit 2\n')
        code, trace = trial.trace("qoder", "PreToolUse", CALL)
        report.case(group, name, trial.marked() == [] and trace["steps"][0]["reason"] == "untrusted")
        trial.trust_all()
        code, _ = trial.trace("qoder", "PreToolUse", CALL)
        report.case("approved project content that did not run", name, code == 2 and trial.marked() == ["ran"], code=code)
        trial.write("scripts/check.sh", '#!/bin/sh\necho changed >> "$MARK"\n')
        trial.trace("qoder", "PreToolUse", CALL)
        report.case(group, f"{name}, changed", trial.marked() == [])


main()
