#!/usr/bin/env python3
"""Takes detours out of the paths in a tool's arguments: `./build/../out.log` becomes `./out.log`."""

import json
import posixpath
import re
import sys

LEAVE_ALONE = re.compile(r"""://|["'`$*?\\{}]""")  # addresses, quotes and what a shell would expand


def tidy(word):
    if LEAVE_ALONE.search(word) or not re.search(r"[^/]/\.\.?(/|$)", word):
        return word
    short = posixpath.normpath(word)
    return "./" + short if word.startswith("./") and not short.startswith(".") else short


event = json.load(sys.stdin.buffer)
try:
    arguments = json.loads(event.get("tool_arguments", ""))
except ValueError:
    arguments = None  # not JSON: nothing to tidy
answer = {}
if isinstance(arguments, dict):
    tidied = {
        key: "".join(map(tidy, re.split(r"(\s+)", value))) if isinstance(value, str) and (key == "command" or "path" in key) else value
        for key, value in arguments.items()
    }
    if tidied != arguments:
        answer = {"tool_arguments": json.dumps(tidied, ensure_ascii=False)}
print(json.dumps(answer))
