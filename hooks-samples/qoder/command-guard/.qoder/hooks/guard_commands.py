#!/usr/bin/env python3
"""Holds commands that destroy what cannot be brought back, and asks about those that reach beyond this machine.

It looks at words, not at the text, so quotes and the order of flags hide nothing. A seat belt, not a sandbox: what a
script does from within is not seen.
"""

import json
import re
import shlex
import sys

BROAD = re.compile(r"(/|/\*|~/?|\$\{?HOME\}?/?|\.|\./|\.\.(/.*)?|\*)$")


def words_of(command):
    """The simple commands of a shell text, each a list of words."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace, lexer.whitespace_split = " \t\r", True
    out = [[]]
    for word in lexer:
        if set(word) <= set(";&|()\n"):
            out.append([])
        else:
            out[-1].append(word)
    return [words for words in out if words]


def judge(words):
    """`deny` or `ask` with the reason, or None."""
    while words and (words[0] in ("sudo", "env", "nohup", "time", "command") or re.match(r"\w+=", words[0])):
        words = words[1:]
    program, *rest = words or [""]
    program = program.rsplit("/", 1)[-1]
    flags = "".join(word.lstrip("-") for word in rest if re.match(r"-[A-Za-z]+$", word))
    plain = [word for word in rest if not word.startswith("-")]
    if program == "rm" and ("r" in flags.lower() or "--recursive" in rest):
        broad = next((word for word in plain if BROAD.match(word)), None)
        if broad:
            return "deny", f"it deletes {broad} with everything in it"
    if program.startswith("mkfs") or program == "dd" and any(word.startswith("of=/dev/") for word in rest):
        return "deny", "it overwrites a disk"
    if program == "git" and plain[:1] == ["push"]:
        force = "f" in flags or any(word.startswith("--force") for word in rest)
        return ("deny", "it replaces what others have pushed") if force else ("ask", "it publishes commits")
    if program in ("npm", "cargo") and plain[:1] == ["publish"]:
        return "ask", "it publishes a package"
    return None


event = json.load(sys.stdin)
command = (event.get("tool_input") or {}).get("command") or ""
try:
    found = [judgement for words in words_of(command) if (judgement := judge(words))]
except ValueError:
    found = [("ask", "its quotes do not close")]
if found:
    decision, reason = next((one for one in found if one[0] == "deny"), found[0])
    answer = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
    print(json.dumps({"hookSpecificOutput": answer}))
