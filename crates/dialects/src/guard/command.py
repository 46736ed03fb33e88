#!/usr/bin/env python3
"""Blocks `@event@` if @where@.

Made from a recorded event. The payload is only compared, never run. If it cannot be read, the event is blocked.
"""
import json
import sys

FIELD = @field@
BLOCKED = @value@
REASON = @reason@


@value_at@


def block():
@block@


def main():
    try:
        found = value_at(json.load(sys.stdin.buffer), FIELD)
    except (ValueError, RecursionError):
        return block()
    return block() if found == BLOCKED else 0


sys.exit(main())
