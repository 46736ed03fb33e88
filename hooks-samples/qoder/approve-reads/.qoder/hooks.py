from __future__ import annotations

from qoder_agent_sdk import HookMatcher
from qoder_agent_sdk.types import HookContext, HookInput, HookJSONOutput


async def auto_approve_read(inp: HookInput, tid: str | None, ctx: HookContext) -> HookJSONOutput:
    if inp.get("hook_event_name") != "PermissionRequest":
        return {}

    if inp.get("tool_name") == "Read":
        return {
            "hookSpecificOutput": {
                "hookEventName": "PermissionRequest",
                "decision": {"behavior": "allow"},
            },
        }
    return {}


hooks = {"PermissionRequest": [HookMatcher(hooks=[auto_approve_read])]}
