#!/usr/bin/env python3
"""Blocks `@event@` if @where@.

Made from a recorded event. The payload is only compared, never run. If it cannot be read, the event is blocked.
"""
import json
import sys

NAME = @name@
FIELD = @field@
BLOCKED = @value@
REASON = @reason@


@value_at@


def is_blocked(params):
    try:
        return value_at(params, FIELD) == BLOCKED
    except (ValueError, RecursionError):
        return True


def reply(method, params):
    if method == "hook.hello":
        return {"ok": True, "name": NAME}
    if method == "hook.@event@":
        return @block@ if is_blocked(params) else @allow@
    return {"action": "continue"}


for line in sys.stdin.buffer:
    message = json.loads(line)
    if "id" in message:
        result = reply(message.get("method"), message.get("params"))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
