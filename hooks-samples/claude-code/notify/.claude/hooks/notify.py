#!/usr/bin/env python3
"""Asks the terminal to show a notification when the agent waits for the user. No program is needed for it."""

import json
import sys

event = json.load(sys.stdin)
text = "".join(sign if sign.isprintable() and sign not in ";\\" else " " for sign in event.get("message") or "")
print(json.dumps({"terminalSequence": f"\x1b]777;notify;Claude Code;{text[:100]}\x07"}))
