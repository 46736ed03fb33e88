#!/usr/bin/env python3
"""Denies calls that read or write files with secrets. Of a shell command, every word that could be a path is compared.

A seat belt, not a sandbox: what a program reads by itself is not seen.
"""

import json
import re
import sys

SECRET = re.compile(r"(^|/)(\.env(\.[^/]+)?|id_(rsa|ed25519|ecdsa)|[^/]*\.(pem|p12|keystore)|\.(aws|ssh|gnupg)/.*|\.netrc)$")
HARMLESS = re.compile(r"\.(example|sample|template|pub)$")
WORDS = re.compile(r"[^\s;&|()<>'\"`$={}]+")

event = json.load(sys.stdin)
tool_input = event["tool_input"]
names = [tool_input.get(field) or "" for field in ("file_path", "notebook_path", "path")]
names += WORDS.findall(tool_input.get("command") or "")
found = next((name for name in names if SECRET.search(name) and not HARMLESS.search(name)), None)
if found:
    reason = f"{found} contains secrets. Ask the user for what you need from it."
    answer = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
    print(json.dumps({"hookSpecificOutput": answer}))
