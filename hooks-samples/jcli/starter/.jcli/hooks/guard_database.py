#!/usr/bin/env python3
"""Holds back commands that drop tables or databases."""

import json
import re
import sys

event = json.load(sys.stdin.buffer)
dropped = re.search(r"\b(drop|truncate)\s+(table|database|schema)\s+(\w+)", event.get("tool_arguments", ""), re.I)
print(json.dumps({"action": "skip", "system_message": f"Held back: it drops the {dropped[2].lower()} {dropped[3]}."} if dropped else {}))
