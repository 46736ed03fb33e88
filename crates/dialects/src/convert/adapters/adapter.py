#!/usr/bin/env python3
"""Runs a hook that was written for @FROM@ as a hook of @TO@. Hookwright made this file.

Arguments: the event of @FROM@, the event of @TO@, what a failure does, the command of the hook, and a pattern of the
tools that it is for, if there is one. The command gets the event in the form of @FROM@, and its answer is printed in the
form of @TO@. A failure of the command, or an answer that cannot be read, blocks unless the third argument is `open`.
(`closed` says that it blocked before, `guard` that the hook blocks something.)
"""

import json
import os
import re
import subprocess
import sys

RULES = json.loads(@RULES@)
FROM, TO = RULES["from"], RULES["to"]
OLD_EVENT, NEW_EVENT, ON_FAILURE, COMMAND = sys.argv[1:5]
TOOLS = sys.argv[5] if len(sys.argv) > 5 else None
EVENT_FIELDS = {"jcli": "event", "qoder": "hook_event_name", "claude-code": "hook_event_name", "codex": "hook_event_name", "agent-hooks": "event_type"}
TOOL_FIELDS = {"jcli": ("tool_name", "tool_arguments"), "picoclaw": ("tool", "arguments")}
OLD_TOOL, OLD_ARGUMENTS = TOOL_FIELDS.get(FROM, ("tool_name", "tool_input"))
NEW_TOOL, NEW_ARGUMENTS = TOOL_FIELDS.get(TO, ("tool_name", "tool_input"))


class Failed(Exception):
    """The command failed, or nobody can read its answer."""


class Answer:
    """What the command decided: `decision` is `allow`, `ask`, `deny`, `stop` (the turn ends) or None."""

    def __init__(self, decision=None, reason="", arguments=None, context=None):
        self.decision, self.reason, self.arguments, self.context = decision, reason, arguments, context


def renamed(arguments, names):
    return {names.get(key, key): value for key, value in arguments.items()} if isinstance(arguments, dict) else arguments


def old_payload(new):
    """The event in the form that the command expects."""
    known = set(RULES["fields"].values()) | set(EVENT_FIELDS.values())
    old = {key: value for key, value in new.items() if key not in known}
    for ours, theirs in RULES["fields"].items():
        if theirs in new:
            old[ours] = new[theirs]
    if TO == "picoclaw":
        if isinstance(old.get("session_id"), dict):
            old["session_id"] = old["session_id"].get("SessionKey", "")
        old.setdefault("cwd" if FROM != "agent-hooks" else "work_dir", os.getcwd())
        for name in ("tool_result", "tool_response", "tool_output"):
            if isinstance(old.get(name), dict):
                old[name] = old[name].get("for_llm", "")
    if FROM == "picoclaw":
        old["meta"] = {"SessionKey": new.get("session_id", "")}
        if "result" in old and not isinstance(old["result"], dict):
            old["result"] = {"for_llm": str(old["result"])}
    if FROM in EVENT_FIELDS:
        old = {EVENT_FIELDS[FROM]: OLD_EVENT, **old}
    tool = old.get(OLD_TOOL)
    arguments = old.get(OLD_ARGUMENTS)
    if isinstance(tool, str):
        old[OLD_TOOL] = RULES["tools"].get(tool, tool)
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return old
    if arguments is not None:
        if tool in RULES["file_tools"]:
            arguments = renamed(arguments, {RULES["paths"][1]: RULES["paths"][0]})
        old[OLD_ARGUMENTS] = json.dumps(arguments, ensure_ascii=False) if FROM == "jcli" else arguments
    return old


def new_arguments(answer, new):
    """The arguments that the command wants, in the form of the agent; None if it changes nothing."""
    arguments = answer.arguments
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            raise Failed("its arguments are no JSON")
    if arguments is not None and NEW_EVENT not in RULES["edits"]:
        # The agent would use the old input, which nobody approved.
        answer.decision = None if answer.decision == "allow" else answer.decision
        arguments = None
    if arguments is not None and new.get(NEW_TOOL) in RULES["file_tools"]:
        arguments = renamed(arguments, {RULES["paths"][0]: RULES["paths"][1]})
    return arguments


def environment():
    names = {name: os.getcwd() for name in RULES["folders"]}
    if FROM == "jcli":
        names["JCLI_HOOK_EVENT"] = OLD_EVENT
    return {**os.environ, **names}


def start(payload):
    if FROM == "picoclaw":
        return ask_process(payload)
    separators = (", ", ": ") if FROM == "agent-hooks" else (",", ":")
    text = json.dumps(payload, separators=separators, ensure_ascii=FROM == "agent-hooks")
    run = subprocess.run(["sh", "-c", COMMAND], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    return decoded(run.returncode, run.stdout.decode(), run.stderr.decode(errors="replace"))


def ask_process(params):
    """Starts a process that speaks JSON-RPC, greets it and asks it once."""
    process = subprocess.Popen(["sh", "-c", COMMAND], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
    try:
        call(process, 1, "hook.hello", {"name": "hook", "version": 1, "modes": ["tool", "approve"]})
        return decoded_result(call(process, 2, "hook." + OLD_EVENT, params))
    except (OSError, AttributeError) as error:
        raise Failed(str(error))
    finally:
        process.stdin.close()
        process.kill()
        process.wait()


def call(process, number, method, params):
    line = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, ensure_ascii=False)
    process.stdin.write(line.encode() + b"\n")
    process.stdin.flush()
    for answer in process.stdout:
        try:
            message = json.loads(answer)
        except ValueError:
            continue
        if isinstance(message, dict) and message.get("id") == number and "error" not in message:
            return message.get("result")
        if isinstance(message, dict) and message.get("id") == number:
            break
    raise Failed("it gave no result")


def decoded_result(result):
    if OLD_EVENT == "approve_tool":
        approved = result.get("approved") if isinstance(result, dict) else None
        if not isinstance(approved, bool):
            raise Failed("no approval given")
        return Answer(("allow" if NEW_EVENT == "PermissionRequest" else None) if approved else "deny", str(result.get("reason") or ""))
    if result is None:
        return Answer()
    if not isinstance(result, dict):
        raise Failed("its result is no object")
    action, reason = result.get("action") or "continue", str(result.get("reason") or "")
    if action in ("deny_tool", "abort_turn", "hard_abort"):
        return Answer("deny", reason)
    if action == "respond":
        return Answer("deny", str((result.get("result") or {}).get("for_llm") or reason))
    call = result.get("call") if action in ("continue", "modify") else None
    return Answer(arguments=call.get("arguments") or {}) if isinstance(call, dict) else Answer()


def decoded(code, out, err):
    """What an answer on stdout, stderr and by the exit code means to the agent that the command was written for."""
    if code == 2 and FROM != "jcli":
        return Answer("deny", err.strip())
    answers = FROM == "claude-code" and out.strip().startswith("{")
    if code != 0 and not answers:
        raise Failed(f"it ended with {code}: {err.strip()}")
    text = out.strip()
    if not text:
        return Answer()
    try:
        document = json.loads(text)
    except ValueError:
        if FROM == "agent-hooks" or OLD_EVENT in ("UserPromptSubmit", "SessionStart"):
            return Answer(context=text)
        if FROM in ("qoder", "claude-code", "codex") and "{" not in text:
            return Answer()
        raise Failed("its answer is no JSON")
    if not isinstance(document, dict):
        raise Failed("its answer is no JSON object")
    return {"jcli": of_jcli, "agent-hooks": of_agent_hooks}.get(FROM, of_settings)(document)


def of_jcli(document):
    feedback, said = document.get("retry_feedback"), document.get("system_message") or ""
    action, arguments = document.get("action"), document.get("tool_arguments")
    if action not in (None, "skip", "stop") or not isinstance(arguments, (str, type(None))):
        raise Failed("its answer has a value that is not allowed")
    stops = action == "stop" or document.get("abort") is True
    if OLD_EVENT == "stop" and feedback:
        return Answer("deny", feedback)
    if OLD_EVENT == "stop" and stops:
        return Answer("stop", said)
    if stops or (action == "skip" and OLD_EVENT == "pre_tool_execution"):
        return Answer("deny", feedback or said)
    return Answer(None, said, arguments, document.get("additional_context"))


def of_settings(document):
    """The answer of a hook of Qoder, Claude Code or Codex."""
    output = document.get("hookSpecificOutput") or {}
    if output and FROM != "codex" and output.get("hookEventName") != OLD_EVENT:
        raise Failed("its answer names another event")
    request = output.get("decision") if OLD_EVENT == "PermissionRequest" else None
    request = request if isinstance(request, dict) else {}
    arguments, context = output.get("updatedInput", request.get("updatedInput")), output.get("additionalContext")
    decision = reason = None
    if FROM == "codex" and OLD_EVENT == "PermissionRequest":
        arguments = None
    if OLD_EVENT == "PreToolUse":
        decision, reason = output.get("permissionDecision"), output.get("permissionDecisionReason")
        if FROM == "codex":
            # `allow` belongs to a new input, and approves nothing.
            arguments = arguments if decision == "allow" else None
            decision = None if decision == "allow" else decision
    if document.get("continue") is False:
        decision, reason = "stop", document.get("stopReason") or reason
    elif document.get("decision") in ("block", "deny") or request.get("behavior") == "deny":
        decision, reason = "deny", document.get("reason") or request.get("message") or reason
    elif request.get("behavior") == "allow" and not (FROM == "codex" and set(request) - {"behavior", "message"}):
        # Codex does not take an approval with anything beside it, such as a new input.
        decision = "allow"
    elif FROM == "claude-code" and OLD_EVENT == "PreToolUse" and document.get("decision") == "approve":
        decision = decision or "allow"
    elif FROM == "claude-code" and OLD_EVENT in ("Stop", "SubagentStop") and context:
        # There a context makes the agent go on.
        decision, reason = "deny", context
    decision = decision if decision in ("allow", "ask", "deny", "stop") else None
    return Answer(decision, reason or "", arguments, context)


def of_agent_hooks(document):
    decision = document.get("decision")
    if decision == "ask" and OLD_EVENT == "before_stop":
        decision = "deny"
    decision = decision if decision in ("allow", "ask", "deny") else None
    return Answer(decision, document.get("reason") or "", document.get("modified_input"), document.get("additional_context"))


def printed(document):
    if document:
        print(json.dumps(document, ensure_ascii=False))


def reply(answer, new):
    """Prints the answer in the form of the agent, and returns the exit code."""
    arguments, reason = new_arguments(answer, new), answer.reason or "blocked by hook"
    if TO == "jcli":
        printed(for_jcli(answer, arguments, reason))
        return 0
    if TO == "agent-hooks" and answer.decision == "stop" and NEW_EVENT == "before_stop":
        # A block would make the agent go on, and it stops anyway.
        return 0
    if TO != "agent-hooks" and answer.decision == "stop" and NEW_EVENT in RULES["ends"]:
        document = {"continue": False, "stopReason": reason}
        if TO == "claude-code" and NEW_EVENT == "PreToolUse":
            # Without a denial the call runs before the turn ends.
            denial = {"permissionDecision": "deny", "permissionDecisionReason": reason}
            document["hookSpecificOutput"] = {"hookEventName": NEW_EVENT, **denial}
        printed(document)
        return 0
    asks = answer.decision == "ask" and TO != "codex" and NEW_EVENT in ("PreToolUse", "before_tool", "after_tool", "after_tool_failure")
    if answer.decision in ("deny", "stop") or (answer.decision == "ask" and not asks):
        if TO == "claude-code" and NEW_EVENT == "PermissionRequest":
            # Its exit code denies nothing.
            denial = {"behavior": "deny", "message": reason}
            printed({"hookSpecificOutput": {"hookEventName": NEW_EVENT, "decision": denial}})
            return 0
        print(reason, file=sys.stderr)
        return 2
    context = answer.context if NEW_EVENT in RULES["context"] else None
    if TO == "agent-hooks":
        document = {"decision": answer.decision, "reason": answer.reason} if answer.decision else {}
        texts = {"modified_input": arguments, "additional_context": context}
        printed({**document, **{key: value for key, value in texts.items() if value is not None}})
        return 0
    output = {"updatedInput": arguments, "additionalContext": context}
    if TO == "codex" and NEW_EVENT == "PreToolUse":
        # It has no approval there, and takes a new input only with this word.
        output["permissionDecision"] = "allow" if arguments is not None else None
    elif answer.decision and NEW_EVENT == "PreToolUse":
        output.update(permissionDecision=answer.decision, permissionDecisionReason=answer.reason)
    elif answer.decision == "allow" and NEW_EVENT == "PermissionRequest":
        output = {"decision": {"behavior": "allow", **({"updatedInput": arguments} if arguments is not None else {})}}
    output = {key: value for key, value in output.items() if value is not None}
    printed({"hookSpecificOutput": {"hookEventName": NEW_EVENT, **output}} if output else {})
    return 0


def for_jcli(answer, arguments, reason):
    if answer.decision in ("deny", "ask", "stop"):
        if NEW_EVENT == "stop" and answer.decision != "stop":
            return {"retry_feedback": reason}
        return {"action": "skip" if NEW_EVENT == "pre_tool_execution" else "stop", "system_message": reason}
    document = {"additional_context": answer.context} if answer.context and NEW_EVENT in RULES["context"] else {}
    if arguments is not None:
        document["tool_arguments"] = json.dumps(arguments, ensure_ascii=False)
    return document


def result_of(answer, new):
    """The result of a request of JSON-RPC."""
    arguments, reason = new_arguments(answer, new), answer.reason or "blocked by hook"
    holds = answer.decision in ("deny", "ask", "stop")
    if NEW_EVENT == "approve_tool":
        if not holds and answer.arguments is not None:
            return {"approved": False, "reason": "the hook wants another input, and no approval can change it"}
        return {"approved": False, "reason": reason} if holds else {"approved": True}
    if holds:
        denies_call = NEW_EVENT == "before_tool" and answer.decision != "stop"
        return {"action": "deny_tool" if denies_call else "abort_turn", "reason": reason}
    if arguments is not None:
        return {"action": "modify", "call": {"tool": new.get("tool"), "arguments": arguments}}
    return {"action": "continue"}


def with_command_only(answer, old):
    """Codex takes the command from a new input of these tools and leaves the rest; without one the call fails."""
    if FROM != "codex" or answer.arguments is None or old.get(OLD_TOOL) not in ("Bash", "apply_patch"):
        return answer
    command = answer.arguments.get("command") if isinstance(answer.arguments, dict) else None
    if not isinstance(command, str):
        return Answer("deny", "its new input has no command")
    answer.arguments = {**(old.get(OLD_ARGUMENTS) or {}), "command": command}
    return answer


def decide(new):
    """The answer of the command. A failure is a denial, unless it may let the agent continue."""
    try:
        if not isinstance(new, dict):
            raise Failed("the event is no JSON object")
        old = old_payload(new)
        if TOOLS and not re.fullmatch(TOOLS, str(old.get(OLD_TOOL, ""))):
            return Answer()
        return with_command_only(start(old), old)
    except Exception as error:
        if ON_FAILURE == "open":
            raise
        return failure(error)


def failure(error):
    """What a failure of the command does. When j-cli is about to stop, it ends the turn."""
    decision = "stop" if FROM == "jcli" and OLD_EVENT == "stop" else "deny"
    return Answer(decision, f"the hook failed: {error}")


def serve():
    """Answers requests of JSON-RPC until the input ends."""
    for line in sys.stdin:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        method, number = message.get("method"), message.get("id")
        if number is None:
            if message.get("method") == "hook.event" and (message.get("params") or {}).get("Kind") == NEW_EVENT:
                observe(message["params"])
            continue
        body = {"result": {"action": "continue"}}
        if method == "hook.hello":
            body = {"result": {"ok": True}}
        elif method == "hook." + NEW_EVENT:
            params = message.get("params") or {}
            try:
                body = {"result": result_of(decide(params), params)}
            except Exception as error:
                body = {"error": {"code": -32000, "message": str(error)}}
        print(json.dumps({"jsonrpc": "2.0", "id": number, **body}, ensure_ascii=False), flush=True)


def observe(params):
    payload = params.get("Payload") or {}
    lower = {key.lower(): value for key, value in payload.items()} if isinstance(payload, dict) else {}
    try:
        decide({"meta": params.get("Meta") or {}, **lower})
    except Exception as error:
        print(error, file=sys.stderr)


def main():
    if TO == "picoclaw":
        serve()
        return 0
    try:
        new = json.loads(sys.stdin.buffer.read().decode())
    except ValueError as error:
        new = error
    answer = decide(new)
    try:
        return reply(answer, new if isinstance(new, dict) else {})
    except Failed as error:
        if ON_FAILURE == "open":
            raise
        return reply(failure(error), {})


try:
    sys.exit(main())
except Exception as error:
    print(f"the hook failed: {error}", file=sys.stderr)
    sys.exit(1)
