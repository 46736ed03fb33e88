#!/usr/bin/env python3
"""Blocks a prompt that contains a key, before it leaves the machine."""

import json
import re
import sys

event = json.load(sys.stdin)
if re.search(r"\bsk-[A-Za-z0-9]{20,}", event["prompt"]):
    print(json.dumps({"decision": "block", "reason": "The prompt contains a key. Remove it, and change the key."}))
