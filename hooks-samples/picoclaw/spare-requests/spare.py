"""Keeps requests small: old tool results are shortened, and a last request of a turn asks for no tools."""

import json
import sys

KEPT = 4
LONGEST = 400


def before_llm(params: dict) -> dict:
    messages = [dict(message) for message in params.get("messages", [])]
    for message in messages[:-KEPT]:
        content = message.get("content")
        if message.get("role") == "tool" and isinstance(content, str) and len(content) > LONGEST:
            message["content"] = content[:LONGEST] + " […]"
    # A request replaces the whole request: what is left out would be empty.
    request = {
        "model": params.get("model", ""),
        "messages": messages,
        "tools": [] if params.get("graceful_terminal") else params.get("tools", []),
        "options": params.get("options", {}),
    }
    return {"action": "modify", "request": request}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["method"] == "hook.hello":
            result = {"ok": True, "name": "spare-requests"}
        elif message["method"] == "hook.before_llm":
            result = before_llm(message["params"])
        else:
            result = {"action": "continue"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
