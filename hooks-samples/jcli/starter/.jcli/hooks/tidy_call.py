#!/usr/bin/env python3
"""Tidies a tool's arguments: paths lose their detours (`./build/../out.log` becomes `./out.log`), waits are capped."""

import json
import posixpath
import re
import sys

LONGEST_WAIT = 60  # seconds
LEAVE_ALONE = re.compile(r"""://|["'`$*?\\{}]""")  # addresses, quotes and what a shell would expand


def tidy(word):
    if LEAVE_ALONE.search(word) or not re.search(r"[^/]/\.\.?(/|$)", word):
        return word
    short = posixpath.normpath(word)
    return "./" + short if word.startswith("./") and not short.startswith(".") else short


def tidied(key, value):
    if isinstance(value, str) and (key == "command" or "path" in key):
        return "".join(map(tidy, re.split(r"(\s+)", value)))
    if key == "timeout" and isinstance(value, int):
        return min(value, LONGEST_WAIT)
    return value


event = json.load(sys.stdin.buffer)
try:
    before = json.loads(event.get("tool_arguments", ""))
except ValueError:
    before = None  # not JSON: nothing to tidy
after = {key: tidied(key, value) for key, value in before.items()} if isinstance(before, dict) else before
print(json.dumps({} if after == before else {"tool_arguments": json.dumps(after, ensure_ascii=False)}))
