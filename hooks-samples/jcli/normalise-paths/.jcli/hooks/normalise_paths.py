#!/usr/bin/env python3
"""Gives every path in a tool's arguments one spelling: relative to the working directory if it lies in it, else absolute."""

import json
import os.path
import sys

PATH_KEYS = {"path", "file_path", "filePath", "filename", "dir", "directory", "notebook_path"}


def one_spelling(path, cwd):
    path = path.strip()
    if path.startswith("file://"):
        path = path[len("file://") :]
    absolute = os.path.normpath(os.path.join(cwd, os.path.expanduser(path)))
    inside = os.path.commonpath([absolute, cwd]) == cwd
    return os.path.relpath(absolute, cwd) if inside else absolute


event = json.load(sys.stdin.buffer)
cwd = os.path.abspath(event.get("cwd") or ".")
text = event.get("tool_arguments", "")
try:
    arguments = json.loads(text)
except ValueError:
    arguments = None  # not JSON: the tool will say so itself
answer = {}
if isinstance(arguments, dict):
    changed = {
        key: one_spelling(value, cwd) if key in PATH_KEYS and isinstance(value, str) and value.strip() else value
        for key, value in arguments.items()
    }
    if changed != arguments:
        answer = {"tool_arguments": json.dumps(changed, ensure_ascii=False)}
print(json.dumps(answer))
