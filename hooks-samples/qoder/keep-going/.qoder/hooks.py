from __future__ import annotations

from pathlib import Path

from qoder_agent_sdk import HookMatcher
from qoder_agent_sdk.types import HookContext, HookInput, HookJSONOutput


def is_task_complete() -> bool:
    """The seed does not say what this asks. Here: no box of `TODO.md` is left open."""
    todo = Path("TODO.md")
    return not todo.exists() or "- [ ]" not in todo.read_text(encoding="utf-8")


async def keep_going(inp: HookInput, tid: str | None, ctx: HookContext) -> HookJSONOutput:
    if inp.get("hook_event_name") != "Stop":
        return {}

    if not is_task_complete():
        return {"decision": "block", "reason": "Please continue completing the remaining tasks"}
    return {}


hooks = {"Stop": [HookMatcher(hooks=[keep_going])]}
