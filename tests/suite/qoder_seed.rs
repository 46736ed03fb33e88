//! Checks that the samples contain the callbacks of Qoder's documentation byte for byte. Qoder's rules come from that
//! documentation.

use std::collections::BTreeSet;

/// Name of the sample, and the callback that its module must contain.
const CALLBACKS: [(&str, &str); 6] = [
    (
        "guard-bash",
        r##"async def security_hook(inp: HookInput, tid: str | None, ctx: HookContext) -> HookJSONOutput:
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
"##,
    ),
    (
        "redact-secrets",
        r##"async def secret_redact_hook(inp: HookInput, tid: str | None, ctx: HookContext) -> HookJSONOutput:
    if inp.get("hook_event_name") != "PostToolUse":
        return {}

    response = inp.get("tool_response", "")
    content = response if isinstance(response, str) else json.dumps(response)

    redacted = re.sub(r"(?:LTAI|AKID)[A-Za-z0-9]{16,}", "<REDACTED_AK>", content)
    redacted = re.sub(r"Bearer\s+[A-Za-z0-9\-._~+/]+=*", "Bearer <REDACTED>", redacted)

    if redacted == content:
        return {}

    return {
        "hookSpecificOutput": {
            "hookEventName": "PostToolUse",
            "updatedToolOutput": redacted,
        },
    }
"##,
    ),
    (
        "trim-output",
        r##"async def bash_summarize_hook(inp: HookInput, tid: str | None, ctx: HookContext) -> HookJSONOutput:
    if inp.get("hook_event_name") != "PostToolUse":
        return {}
    if inp.get("tool_name") != "Bash":
        return {}

    content = str(inp.get("tool_response") or "")
    THRESHOLD = 50 * 1024
    if len(content) <= THRESHOLD:
        return {}

    head = content[:8 * 1024]
    tail = content[-4 * 1024:]
    omitted = len(content) - len(head) - len(tail)
    return {
        "hookSpecificOutput": {
            "hookEventName": "PostToolUse",
            "updatedToolOutput": f"{head}\n\n[... OMITTED {omitted} chars ...]\n\n{tail}",
        },
    }
"##,
    ),
    (
        "keep-going",
        r##"async def keep_going(inp: HookInput, tid: str | None, ctx: HookContext) -> HookJSONOutput:
    if inp.get("hook_event_name") != "Stop":
        return {}

    if not is_task_complete():
        return {"decision": "block", "reason": "Please continue completing the remaining tasks"}
    return {}
"##,
    ),
    (
        "approve-reads",
        r##"async def auto_approve_read(inp: HookInput, tid: str | None, ctx: HookContext) -> HookJSONOutput:
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
"##,
    ),
    (
        "audit-and-guard",
        r##"import json
import logging
import re
from qoder_agent_sdk import query, QoderAgentOptions, HookMatcher
from qoder_agent_sdk.types import HookInput, HookContext, HookJSONOutput

async def security_hook(inp: HookInput, tid: str | None, ctx: HookContext) -> HookJSONOutput:
    if inp.get("hook_event_name") != "PreToolUse":
        return {}

    # Audit log
    logging.info(json.dumps({
        "event": "tool_call",
        "tool": inp.get("tool_name"),
        "input": inp.get("tool_input"),
    }))

    # Security check: block curl to external domains
    if inp.get("tool_name") == "Bash":
        cmd = str((inp.get("tool_input") or {}).get("command", ""))
        if re.search(r"curl\s+https?://(?!localhost)", cmd):
            return {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "permissionDecision": "deny",
                    "permissionDecisionReason": "HTTP requests to external domains are not allowed",
                },
            }

    return {}


async def main():
    async for msg in query(
        prompt="run deployment",
        options=QoderAgentOptions(
            hooks={
                "PreToolUse": [HookMatcher(hooks=[security_hook])],
            },
        ),
    ):
        pass  # process messages
"##,
    ),
];

#[test]
fn the_samples_contain_the_callbacks_byte_for_byte() {
    for (sample, callback) in CALLBACKS {
        let path = format!("hooks-samples/qoder/{sample}/.qoder/hooks.py");
        let text = std::fs::read_to_string(hookwright_testkit::program::workspace().join(&path)).unwrap();
        let (before, after) = text
            .split_once(callback)
            .unwrap_or_else(|| panic!("{path} does not hold the callback as it is printed"));
        let table = after.trim_start();
        assert!(
            table.starts_with("hooks = {") && table.lines().count() == 1,
            "{path} has only the table behind it: {table}"
        );
        // Before the callback: imports, and at most a function that the documentation calls but does not define.
        let defined: BTreeSet<&str> = before
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with([' ', '#']))
            .filter(|line| !line.starts_with("import ") && !line.starts_with("from "))
            .collect();
        let wanted = (sample == "keep-going").then_some("def is_task_complete() -> bool:");
        assert_eq!(defined, wanted.into_iter().collect(), "{path}");
    }
}
