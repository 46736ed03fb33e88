#!/usr/bin/env python3
"""Denies commands and patches that touch a file with secrets. Without words on stderr Codex would let them pass."""

import json
import re
import sys

SECRETS = re.compile(r"(^|[\s/'\"=])(\.env(\.\w+)?|id_rsa|[\w.-]+\.pem)(?=$|[\s'\";|&])")

event = json.load(sys.stdin)
text = event["tool_input"].get("command", "")
found = SECRETS.search(text)
if found and not found.group(2).endswith(".example"):
    print(f"{found.group(2)} holds secrets; ask the user for the value instead", file=sys.stderr)
    sys.exit(2)
