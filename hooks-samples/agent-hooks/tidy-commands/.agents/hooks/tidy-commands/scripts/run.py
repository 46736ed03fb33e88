#!/usr/bin/env python3
"""Changes commands that would wait for a person."""

import json
import re
import sys

RULES = [
    (r"^git (log|diff|show|branch)\b", r"git --no-pager \1"),
    (r"^npm init\b(?! .*-y)", "npm init -y"),
    (r"^(apt(?:-get)?) install\b(?! .*-y)", r"\1 install -y"),
]

event = json.load(sys.stdin)
tool_input = dict(event["tool_input"])
command = tool_input.get("command", "")
for pattern, better in RULES:
    command = re.sub(pattern, better, command)
if command != tool_input.get("command"):
    tool_input["command"] = command
    print(json.dumps({"modified_input": tool_input, "log": f"now {command}"}))
