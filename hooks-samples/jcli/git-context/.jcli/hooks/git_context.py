#!/usr/bin/env python3
"""Adds the state of the git repository to the system prompt; an older one that is still in it is replaced."""

import json
import re
import subprocess
import sys

SHOWN = 20


def git(*words):
    run = subprocess.run(["git", *words], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace")
    return run.stdout.rstrip("\n") if run.returncode == 0 else None


event = json.load(sys.stdin.buffer)
status = git("--no-optional-locks", "status", "--short", "--branch")
if status is None:
    print("{}")  # no repository here, or no git
    sys.exit()

branch, *files = status.split("\n")
lines = ["Branch: " + branch[len("## ") :], "Last commit: " + (git("log", "-1", "--format=%h %s") or "none yet")]
lines += ["Not committed:", *files[:SHOWN]] if files else ["Nothing to commit."]
if len(files) > SHOWN:
    lines.append(f"and {len(files) - SHOWN} more")
block = "<git>\n" + "\n".join(lines) + "\n</git>"

prompt = event.get("system_prompt", "")
replaced = re.sub(r"<git>\n.*?\n</git>", lambda _: block, prompt, flags=re.S)
print(json.dumps({"system_prompt": replaced} if "<git>\n" in prompt else {"additional_context": block}))
