#!/usr/bin/env python3
"""Appends one line a call to $XDG_STATE_HOME/jcli-journal.jsonl (~/.local/state without the variable). Answers nothing."""

import datetime
import json
import os
import sys

event = json.load(sys.stdin.buffer)
folder = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
os.makedirs(folder, mode=0o700, exist_ok=True)
line = {
    "at": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
    "event": event["event"],
    "session": event.get("session_id", ""),
    "cwd": event.get("cwd", ""),
    "messages": len(event.get("messages", [])),
}
if "user_input" in event:
    line["characters"] = len(event["user_input"])  # how much was said, never what
journal = os.open(os.path.join(folder, "jcli-journal.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
os.write(journal, (json.dumps(line) + "\n").encode())  # one write: two sessions do not mix their lines
os.close(journal)
