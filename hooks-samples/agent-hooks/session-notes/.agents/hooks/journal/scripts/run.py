#!/usr/bin/env python3
"""One line of JSON a tool call."""

import json
import os
import sys

event = json.load(sys.stdin)
line = {"at": event["timestamp"], "tool": event.get("tool_name"), "took_ms": event.get("duration_ms")}
os.makedirs(".agents", exist_ok=True)
with open(".agents/journal.jsonl", "a", encoding="utf-8") as journal:
    journal.write(json.dumps(line) + "\n")
