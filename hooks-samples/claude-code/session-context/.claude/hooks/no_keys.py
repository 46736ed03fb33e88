#!/usr/bin/env python3
"""A prompt with a key in it is not sent: it would go to the model, and stay in the conversation."""

import json
import re
import sys

KEY = re.compile(r"\b(?:LTAI|AKID|AKIA)[A-Za-z0-9]{12,}|\bgh[pousr]_[A-Za-z0-9]{30,}|\bsk-[A-Za-z0-9_-]{20,}|-----BEGIN [A-Z ]*PRIVATE KEY")

if KEY.search(json.load(sys.stdin).get("prompt") or ""):
    print("There is a key in this message. Take it out and send it again.", file=sys.stderr)
    sys.exit(2)
