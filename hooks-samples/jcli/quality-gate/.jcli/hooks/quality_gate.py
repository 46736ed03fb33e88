#!/usr/bin/env python3
"""Sends the model back to work while the checks fail, a limited number of times.

Argument: the script with the checks. Feedback goes into the conversation as a user message that begins with MARK; the
attempts are counted there, from the last message that is not ours. No file is written, so nothing can be left behind.
"""

import json
import subprocess
import sys

MARK = "[quality gate]"
ATTEMPTS = 3

event = json.load(sys.stdin.buffer)
asked = 0
for message in reversed(event.get("messages", [])):
    if message.get("role") == "user":
        if not message.get("content", "").startswith(MARK):
            break
        asked += 1

checks = subprocess.run(["sh", sys.argv[1]], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace", timeout=20)
report = (checks.stdout + checks.stderr).strip()[:2000]
if checks.returncode == 0:
    answer = {}
elif asked >= ATTEMPTS:
    answer = {"system_message": f"The checks still fail after {ATTEMPTS} attempts; the turn ends all the same.\n{report}"}
else:
    answer = {"retry_feedback": f"{MARK} attempt {asked + 1} of {ATTEMPTS}. The checks fail; correct this before you finish:\n{report}"}
print(json.dumps(answer))
