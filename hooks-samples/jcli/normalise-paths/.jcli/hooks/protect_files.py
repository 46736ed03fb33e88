#!/usr/bin/env python3
"""Keeps tools from writing files that only a person should write. Expects paths as normalise_paths.py leaves them."""

import fnmatch
import json
import sys

PROTECTED = [".env", ".env.*", "*.pem", "*.key", ".git/*", "*/.git/*", ".jcli/*", "*/.ssh/*", "*/.env", "*/.env.*"]

event = json.load(sys.stdin.buffer)
try:
    arguments = json.loads(event.get("tool_arguments", ""))
except ValueError:
    arguments = None
paths = [v for k, v in arguments.items() if "path" in k.lower() and isinstance(v, str)] if isinstance(arguments, dict) else []
held = next((p for p in paths if any(fnmatch.fnmatchcase(p, pattern) for pattern in PROTECTED)), None)
print(json.dumps({"action": "skip", "system_message": f"{held} is written by people only."} if held else {}))
