from __future__ import annotations

from qoder_agent_sdk import HookMatcher
from qoder_agent_sdk.types import HookContext, HookInput, HookJSONOutput


async def security_hook(inp: HookInput, tid: str | None, ctx: HookContext) -> HookJSONOutput:
    if inp.get("tool_name") == "Bash":
        cmd = (inp.get("tool_input") or {}).get("command", "")
        if "rm -rf" in cmd:
            return {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "Destructive delete operations are not allowed",
                },
            }
    return {}


hooks = {"PreToolUse": [HookMatcher(matcher="Bash", hooks=[security_hook])]}
