#!/usr/bin/env python3
"""Collects what the compaction of a conversation must preserve."""

import json
import re
import sys

REMEMBER = re.compile(r"^\s*(?:remember|note|记住|注意)\s*[:\uff1a]\s*(.+)$", re.I | re.M)
WRITERS = {"Write", "Edit", "write_file", "edit_file"}


def written(messages):
    """Paths of the files that the calls in these messages wrote, oldest first, each once."""
    paths = {}
    for message in messages:
        for call in message.get("tool_calls") or []:
            function = call.get("function") or call
            try:
                arguments = json.loads(function.get("arguments") or "{}")
            except (TypeError, ValueError):
                continue
            path = isinstance(arguments, dict) and (arguments.get("path") or arguments.get("file_path"))
            if function.get("name") in WRITERS and isinstance(path, str):
                paths[path] = None
    return list(paths)


messages = json.load(sys.stdin.buffer).get("messages", [])
said = [m.get("content", "") for m in messages if m.get("role") == "user"]
parts = []
if said:
    parts.append("The task, in the user's words:\n" + said[0][:1000])
remembered = [line.strip() for text in said for line in REMEMBER.findall(text)]
if remembered:
    parts.append("The user asked to remember:\n" + "\n".join("- " + line for line in remembered))
files = written(messages)
if files:
    parts.append("Files written so far:\n" + "\n".join("- " + path for path in files))
print(json.dumps({"additional_context": "\n\n".join(parts)} if parts else {}))
