#!/usr/bin/env python3
"""Tidies the file that was written: no blanks at ends of lines, one newline at the end. The model is told when the file
is no longer what it wrote."""

import json
import os
import sys

event = json.load(sys.stdin)
project = os.path.realpath(os.environ["CLAUDE_PROJECT_DIR"])
name = (event.get("tool_input") or {}).get("file_path") or ""
path = os.path.realpath(os.path.join(event.get("cwd") or project, name))
if not name or not path.startswith(project + os.sep) or not os.path.isfile(path) or name.endswith(".md"):
    sys.exit()
with open(path, encoding="utf-8", newline="") as file:
    text = file.read()
lines = text.split("\n")
tidy = "\n".join(line.rstrip(" \t") for line in lines).rstrip("\n") + "\n"
if tidy == text or not text.strip():
    sys.exit()
with open(path, "w", encoding="utf-8", newline="") as file:
    file.write(tidy)
told = f"{name} was tidied after you wrote it: blanks at ends of lines, and the newline at its end. Read it again before you edit it."
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": told}}))
