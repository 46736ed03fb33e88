#!/usr/bin/env python3
"""Appends a line of JSON to audit.jsonl: when, which event, which tool, and what it was called with. Long texts are cut."""

import datetime
import json
import os
import sys

MOST = 200

event = json.load(sys.stdin)
tool_input = {name: value[:MOST] if isinstance(value, str) else value for name, value in event["tool_input"].items()}
line = {
    "at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    "session": event.get("session_id"),
    "event": event["hook_event_name"],
    "tool": event["tool_name"],
    "input": tool_input,
}
if "error" in event:
    line["error"] = str(event["error"])[:MOST]
path = os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "audit.jsonl")
with open(path, "a", encoding="utf-8") as log:
    log.write(json.dumps(line, ensure_ascii=False) + "\n")
