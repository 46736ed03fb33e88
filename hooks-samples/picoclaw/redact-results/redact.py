"""Masks keys and tokens in what tools return, before the model reads it."""

import json
import re
import sys

SECRETS = [
    r"\bsk-[A-Za-z0-9_-]{16,}",
    r"\bgh[pousr]_[A-Za-z0-9]{20,}",
    r"\bAKIA[0-9A-Z]{16}\b",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----",
]


def clean(text: str) -> str:
    for pattern in SECRETS:
        text = re.sub(pattern, "[redacted]", text)
    return text


def after_tool(params: dict) -> dict:
    result = dict(params.get("result", {}))
    for part in ("for_llm", "for_user"):
        if part in result:
            result[part] = clean(result[part])
    if result == params.get("result", {}):
        return {"action": "continue"}
    # The wrapper is needed: a bare result is dropped without a word.
    return {"action": "modify", "result": {"result": result}}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["method"] == "hook.hello":
            result = {"ok": True, "name": "redact-results"}
        elif message["method"] == "hook.after_tool":
            result = after_tool(message["params"])
        else:
            result = {"action": "continue"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
