#!/usr/bin/env python3
"""Holds back shell commands that destroy what cannot be brought back.

It looks at words, not at the text: quotes are removed, `sudo`, `env` and the like are stepped over, and
`sh -c '…'` and `$(…)` are looked into. A seat belt, not a sandbox: what a script deletes from within is not seen.
"""

import json
import re
import sys

SHELLS = {"sh", "bash", "zsh", "dash", "ksh", "fish"}
FETCHERS = {"curl", "wget"}
SQL_CLIENTS = {"psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "duckdb"}
# Programs that only start another one, with those of their options that take a word.
WRAPPERS = {
    "sudo": {"-u", "-g", "-h", "-p", "-C", "-D", "--user", "--group"},
    "doas": {"-u", "-C"},
    "env": {"-u", "-C", "-S", "--unset", "--chdir"},
    "nice": {"-n"},
    "timeout": {"-k", "-s", "--kill-after", "--signal"},
    "xargs": {"-I", "-n", "-P", "-L", "-d", "-a", "-s"},
    "command": set(),
    "exec": {"-a"},
    "nohup": set(),
    "time": set(),
    "stdbuf": {"-i", "-o", "-e"},
}
BROAD = re.compile(r"(/|/\*|/[^/]+/?\*?|~|~/|~/\*|\.|\./|\./\*|\.\.|\.\./.*|\*|\.\*|\$\{?HOME\}?/?\*?|(.*/)?\.git/?)$")
DEVICE = re.compile(r"/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/)")
DROPS = re.compile(r"\b(drop\s+(table|database|schema)|truncate\s+table)\b", re.I)
HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1([^\n]*)\n(.*?)(?:\n[ \t]*\2[ \t]*(?=\n|$)|$)", re.S)


def simple_commands(text):
    """Splits a shell text into lists of words, one for each simple command, operators among them as `|` or `>`."""
    commands, words, word, quote, at = [], [], None, None, 0
    while at < len(text):
        char = text[at]
        if quote:
            if char == quote:
                quote = None
            elif char == "\\" and quote == '"' and at + 1 < len(text):
                at += 1
                word += text[at]
            else:
                word += char
        elif char in "'\"":
            quote, word = char, word or ""
        elif char == "\\" and at + 1 < len(text):
            at += 1
            word = (word or "") + ("" if text[at] == "\n" else text[at])
        elif char == "#" and word is None:
            at = text.find("\n", at) - 1 if "\n" in text[at:] else len(text)
        elif char in " \t\r\n;&|(){}<>":
            brace = char in "{}" and word is not None  # `${HOME}` and `{a,b}` are parts of words
            if brace:
                word += char
            else:
                if word is not None:
                    words.append(word)
                word = None
                if char == ">":
                    words.append(">")
                elif char in "\n;&|(){}":
                    if words:
                        commands.append(words)
                    words = ["|"] if char == "|" else []
        else:
            word = (word or "") + char
        at += 1
    if word is not None:
        words.append(word)
    return [*commands, words] if words else commands


def unwrapped(words):
    """The words from the program on: assignments and starting programs are stepped over."""
    at = 0
    while at < len(words):
        name = words[at].rsplit("/", 1)[-1]
        if re.match(r"\w+=", words[at]) or words[at] in ("!", "then", "do", "else", "if", "while"):
            at += 1
        elif name in WRAPPERS:
            takes_word = WRAPPERS[name]
            at += 1
            while at < len(words) and (words[at].startswith("-") or (name == "timeout" and words[at][:1].isdigit())):
                at += 2 if words[at] in takes_word else 1
        else:
            return [name, *words[at + 1 :]]
    return []


def has_flag(words, short, long):
    return any(w == long or re.match(rf"-[A-Za-z]*[{short}]", w) for w in words)


def git_trouble(words):
    while words[:1] in (["-C"], ["-c"]):
        words = words[2:]
    rest = [w for w in words if not w.startswith("-")]
    verb = rest[0] if rest else ""
    if verb == "push" and (has_flag(words, "f", "--force") or any(w.startswith("+") for w in rest[1:])):
        return "git push --force replaces what others have"
    if verb == "reset" and "--hard" in words:
        return "git reset --hard throws uncommitted work away"
    if verb == "clean" and has_flag(words, "f", "--force"):
        return "git clean deletes files that git does not know"
    if verb in ("checkout", "restore") and "." in rest[1:] and "--staged" not in words:
        return f"git {verb} . throws uncommitted work away"
    if verb == "stash" and rest[1:2] in (["drop"], ["clear"]):
        return "git stash drop deletes stashed work"
    return None


def trouble(words):
    """Why this simple command must not run, or None."""
    for at, word in enumerate(words):
        if word == ">" and at + 1 < len(words) and DEVICE.match(words[at + 1]):
            return "it overwrites a disk"
    program, *rest = unwrapped([w for w in words if w != "|"]) or [""]
    targets = [w for w in rest if not w.startswith("-")]
    broad = next((w for w in targets if BROAD.match(w)), None)
    if program == "rm" and broad and has_flag(rest, "rR", "--recursive"):
        return f"it deletes {broad} with everything in it"
    if program == "find" and broad and ("-delete" in rest or ("-exec" in rest and "rm" in rest)) and broad != ".":
        return f"it deletes what it finds under {broad}"
    if program in ("chmod", "chown") and broad and has_flag(rest, "R", "--recursive") and broad.startswith(("/", "~", "$")):
        return f"it changes the rights of everything under {broad}"
    if program == "dd" and any(w.startswith("of=") and DEVICE.match(w[3:]) for w in rest):
        return "it overwrites a disk"
    if program.startswith("mkfs") or program == "wipefs":
        return "it formats a disk"
    if program == "git":
        return git_trouble(rest)
    if program in SQL_CLIENTS and DROPS.search(" ".join(rest)):
        return "it drops a table or a database"
    return None


def verdict(text, depth=0):
    """Why this shell text must not run, or None."""
    if re.search(r":\s*\(\)\s*\{.*:\s*\|\s*:", text):
        return "it is a fork bomb"
    bodies = [m.group(4) for m in HEREDOC.finditer(text)]
    piped_from = ""
    for words in simple_commands(HEREDOC.sub(r"\3\n", text)):
        why = trouble(words)
        program, *rest = unwrapped([w for w in words if w != "|"]) or [""]
        if not why and words[0] == "|" and program in SHELLS and piped_from in FETCHERS:
            why = "it runs what it downloads, unread"
        nested = [w for w in words if "$(" in w or "`" in w]
        if program in SHELLS or program == "eval":
            nested += [w for w in rest if " " in w] + bodies
        for inner in nested if depth < 4 else []:
            why = why or verdict(re.sub(r"\$\(|[`)]", ";", inner), depth + 1)
        if why:
            return why
        piped_from = program
    return None


event = json.load(sys.stdin.buffer)
arguments = event.get("tool_arguments", "")
try:
    parsed = json.loads(arguments)
    command = parsed.get("command", "") if isinstance(parsed, dict) else str(parsed)
except ValueError:
    command = arguments  # not JSON: judge the text itself
why = verdict(command if isinstance(command, str) else " ".join(map(str, command)))
print(json.dumps({"action": "skip", "system_message": f"Held back: {why}."} if why else {}))
