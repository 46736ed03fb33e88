#!/usr/bin/env python3
"""Prints the decision and the reason that its arguments say. The field `if` of the hook says for which commands."""

import json
import sys

decision, reason = sys.argv[1:3]
answer = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
print(json.dumps({"hookSpecificOutput": answer}))
