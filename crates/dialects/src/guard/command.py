#!/usr/bin/env python3
"""Blocks `@event@` if @where@.

Made from a recorded event. The payload is only compared, never run. If it cannot be read, the event is blocked.
"""
import json
import sys

FIELD = @field@
BLOCKED = @value@
REASON = @reason@


def value_at(value, path):
    """The value at a path. A value that is JSON text is read on the way."""
    for name in path:
        if isinstance(value, str):
            value = json.loads(value)
        if not isinstance(value, dict) or name not in value:
            return None
        value = value[name]
    return value


def block():
@block@


def main():
    try:
        found = value_at(json.load(sys.stdin.buffer), FIELD)
    except (ValueError, RecursionError):
        return block()
    return block() if found == BLOCKED else 0


sys.exit(main())
