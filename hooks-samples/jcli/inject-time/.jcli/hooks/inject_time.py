#!/usr/bin/env python3
"""Adds the local time to the message that is about to be sent."""

import datetime
import json
import sys

event = json.load(sys.stdin.buffer)
text = event.get("user_input", "")
if text.strip():
    now = datetime.datetime.now().astimezone()
    print(json.dumps({"user_input": f"{text}\n\n[time: {now:%A %Y-%m-%d %H:%M:%S %z}]"}))
else:
    print("{}")  # nothing was typed: nothing to date
