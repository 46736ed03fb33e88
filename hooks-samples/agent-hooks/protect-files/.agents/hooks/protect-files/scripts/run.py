#!/usr/bin/env python3
"""Keeps keys and environment files from being read or written."""

import json
import os.path
import sys
from fnmatch import fnmatch

FORBIDDEN = [".env", ".env.*", "*.pem", "*.key", "id_rsa", "id_ed25519", ".npmrc", ".netrc"]
ALLOWED = [".env.example", ".env.template"]
ASKED = ["*.lock", "package-lock.json", "pnpm-lock.yaml"]


def main():
    event = json.load(sys.stdin)
    path = str(event.get("tool_input", {}).get("path", ""))
    # `src/../.env` and a link are the file that they lead to.
    real = os.path.realpath(os.path.join(event.get("work_dir", "."), path))
    names = {os.path.basename(os.path.normpath(path)), os.path.basename(real)}
    fits = lambda patterns: any(fnmatch(name, pattern) for name in names for pattern in patterns)
    if fits(FORBIDDEN) and not fits(ALLOWED):
        print(f"{path} holds secrets; ask the user for the one value that is needed", file=sys.stderr)
        sys.exit(2)
    if fits(ASKED) and event.get("tool_name") != "ReadFile":
        print(json.dumps({"decision": "ask", "reason": f"{path} is written by the package manager; change it by hand?"}))


try:
    main()
except Exception as error:
    # What cannot be judged is held: a guard that breaks with another code lets everything pass.
    print(f"protect-files could not judge this call: {error}", file=sys.stderr)
    sys.exit(2)
