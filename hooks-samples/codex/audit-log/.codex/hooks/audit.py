#!/usr/bin/env python3
"""Writes a line for each call. It prints nothing: at `Interrupt` Codex would fail plain text."""

import json
import sys

event = json.load(sys.stdin)
record = {key: event.get(key) for key in ("hook_event_name", "session_id", "tool_name", "tool_input")}
with open("audit.jsonl", "a", encoding="utf-8") as log:
    log.write(json.dumps(record, ensure_ascii=False) + "\n")
