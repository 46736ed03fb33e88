"""Approves tools, and refuses commands that destroy what cannot be brought back. Keeps a list of what ran."""

import json
import re
import sys

DANGEROUS = [
    r"\brm\s+(-\w*[rf]\w*\s+)+(/|~|\$HOME|\*)(\s|$)",
    r"\bmkfs(\.\w+)?\b",
    r"\bdd\b.*\bof=/dev/",
    r"\bgit\s+push\b.*(--force\b|\s-f\b)",
    r">\s*/dev/sd\w",
]


def approve(params: dict) -> dict:
    command = str(params.get("arguments", {}).get("command", ""))
    if params.get("tool") == "bash" and any(re.search(pattern, command) for pattern in DANGEROUS):
        return {"approved": False, "reason": "危险命令,禁止执行"}
    return {"approved": True}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        params = message.get("params", {})
        if "id" not in message:
            with open("tools.log", "a", encoding="utf-8") as log:
                log.write(f"{params['Kind']} {params.get('Payload', {}).get('Tool', '')}\n")
            continue
        if message["method"] == "hook.hello":
            result = {"ok": True, "name": "python-review-gate"}
        elif message["method"] == "hook.approve_tool":
            result = approve(params)
        else:
            result = {"action": "continue"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
