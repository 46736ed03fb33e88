#!/usr/bin/env python3
"""Keeps tools from writing files that only a person should write."""

import json
import re
import sys

PROTECTED = re.compile(r"(^|/)(\.env(\..*)?|\.git/.*|\.jcli/.*|\.ssh/.*|[^/]*\.(pem|key))$")

event = json.load(sys.stdin.buffer)
arguments = json.loads(event.get("tool_arguments") or "{}")
path = str(arguments.get("file_path") or arguments.get("path") or "")
print(json.dumps({"action": "skip", "system_message": f"{path} is written by people only."} if PROTECTED.search(path) else {}))
