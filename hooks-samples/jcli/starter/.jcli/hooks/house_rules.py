#!/usr/bin/env python3
"""What this project does not want run, and why. Add lines of your own."""

import json
import re
import sys

RULES = [
    (r"\b(drop|truncate)\s+(table|database|schema)\b", "it drops a table or a database"),
    (r"--nocapture\b", "its output would flood the conversation; run it without --nocapture"),
    (r"\bcurl\b.*\|\s*(sudo\s+)?(ba|z)?sh\b", "it runs what it downloads, unread"),
]

command = json.load(sys.stdin.buffer).get("tool_arguments", "")
why = next((why for pattern, why in RULES if re.search(pattern, command, re.I)), None)
print(json.dumps({"action": "skip", "system_message": f"Held back: {why}."} if why else {}))
