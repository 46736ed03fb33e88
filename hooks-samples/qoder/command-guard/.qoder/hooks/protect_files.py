#!/usr/bin/env python3
"""Holds writes to files that hold secrets, or that lie outside the project. It blocks with exit code 2."""

import json
import os
import re
import sys

SECRET = re.compile(r"(^|/)(\.env(\..+)?|id_(rsa|ed25519)|[^/]*\.(pem|key)|credentials|\.git/.*)$")

event = json.load(sys.stdin)
given = event.get("tool_input") or {}
name = given.get("file_path") or given.get("notebook_path") or ""
project = os.path.realpath(os.environ["QODER_PROJECT_DIR"])
path = os.path.realpath(os.path.join(event.get("cwd") or project, name))
if not path.startswith(project + os.sep):
    print(f"{name} lies outside the project", file=sys.stderr)
    sys.exit(2)
if SECRET.search(path) and not path.endswith(".env.example"):
    print(f"{name} is not for agents to write", file=sys.stderr)
    sys.exit(2)
