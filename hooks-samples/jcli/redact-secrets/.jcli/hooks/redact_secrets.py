#!/usr/bin/env python3
"""Replaces secrets in one field of the event, named as the only argument."""

import json
import re
import sys

PATTERNS = [
    ("private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S)),
    ("bearer token", re.compile(r"\b(?:Bearer|Basic)\s+[A-Za-z0-9+/_.=-]{12,}")),
    ("JSON web token", re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}")),
    ("access key", re.compile(r"\b(?:AKIA|ASIA|LTAI|AKID)[0-9A-Za-z]{12,40}\b")),
    ("API key", re.compile(r"\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,})")),
    ("password in a URL", re.compile(r"(?<=://)[^\s:/@]+:[^\s/@]+(?=@)")),
]
# NAME=value and "name": "value", where the name says that the value is a secret; the name stays readable.
NAMED = re.compile(
    r"""(?P<name>\b[\w.-]*(?:passwd|password|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)\b["']?\s*[=:]\s*)"""
    r"""(?P<quote>["']?)(?P<value>[^\s"',;}\]]{6,})(?P=quote)""",
    re.I,
)


def redacted(text):
    for what, pattern in PATTERNS:
        text = pattern.sub(f"[removed: {what}]", text)
    return NAMED.sub(lambda m: m[0] if m["value"].startswith("[removed") else f"{m['name']}{m['quote']}[removed]{m['quote']}", text)


field = sys.argv[1]
event = json.load(sys.stdin.buffer)
before = event.get(field, "")
after = redacted(before)
print(json.dumps({field: after} if after != before else {}))
