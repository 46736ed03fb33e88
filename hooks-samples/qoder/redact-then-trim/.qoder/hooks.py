"""Hides keys in what a tool returned, then shortens what is too long: two steps of one callback.

Two callbacks would both see the original, and only the output of the last would be kept.
"""

import json
import re

from qoder_agent_sdk import HookMatcher

KEYS = re.compile(r"\b(?:LTAI|AKID|AKIA)[A-Za-z0-9]{12,}|\bgh[pousr]_[A-Za-z0-9]{30,}|\bsk-[A-Za-z0-9_-]{20,}")
BEARER = re.compile(r"(?i)\b(bearer)\s+[\w.~+/-]+=*")
MOST, HEAD, TAIL = 50 * 1024, 8 * 1024, 4 * 1024


def redact(text):
    return BEARER.sub(r"\1 [hidden]", KEYS.sub("[hidden]", text))


def trim(text):
    if len(text) <= MOST:
        return text
    return f"{text[:HEAD]}\n\n[... {len(text) - HEAD - TAIL} characters left out ...]\n\n{text[-TAIL:]}"


async def redact_then_trim(event, tool_use_id, context):
    response = event.get("tool_response")
    text = response if isinstance(response, str) else json.dumps(response, ensure_ascii=False)
    left = trim(redact(text))
    if left == text:
        return {}
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": left}}


hooks = {"PostToolUse": [HookMatcher(hooks=[redact_then_trim], timeout=10)]}
