"""qoder: all hooks of an event run at once, and the strictest decision comes back, most of it in hookSpecificOutput."""

import os

from session import EndSession, EndTurn

NAME = "qoder"
TOOLS = {"read": "Read", "write": "Write", "shell": "Bash", "task": "Task"}
MAX_RETRIES = 3
REGISTRATIONS = [{"event": "PreToolUse", "definition": {"callback": "guard", "matcher": "Bash", "timeout": 5}}]


def play(session):
    talk = Talk(session)
    reason = "other"
    try:
        talk.start()
        for turn in session.script["turns"]:
            talk.turn(turn)
        reason = "prompt_input_exit"
    except EndSession as end:
        session.say(f"a hook ends the session: {end}")
    finally:  # also when a signal ends the conversation
        session.fire("SessionEnd", {"reason": reason})


def command_of(event, payload):
    if event != "PreToolUse" or payload.get("tool_name") != TOOLS["shell"]:
        return None
    return (payload.get("tool_input") or {}).get("command")


def own_reply(event, _payload, reason):
    answer = {}
    if reason:
        decision = {"permissionDecision": "deny", "permissionDecisionReason": reason}
        answer = {"hookSpecificOutput": {"hookEventName": event, **decision}}
    return {"json": answer, "exit_code": 0, "stderr": ""}


class Talk:
    """The conversation so far. `context` is what hooks have told the model."""

    def __init__(self, session):
        self.session = session
        self.context = []
        self.calls = 0

    def fire(self, event, payload):
        """Returns the reply and its hookSpecificOutput."""
        reply = self.session.fire(event, payload).json
        specific = reply.get("hookSpecificOutput") or {}
        if specific.get("additionalContext"):
            self.context.append(specific["additionalContext"])
        if reply.get("continue") is False:
            raise EndSession(reply.get("stopReason") or "no reason given")
        return reply, specific

    def start(self):
        _, specific = self.fire("SessionStart", {"source": "startup"})
        rules = {"file_path": os.path.join(self.session.cwd, "AGENTS.md"), "memory_type": "Project"}
        self.fire("InstructionsLoaded", {**rules, "load_reason": "session_start"})
        if specific.get("watchPaths"):
            self.session.say(f"watches {', '.join(specific['watchPaths'])}")
        if specific.get("initialUserMessage"):
            self.turn({"user": specific["initialUserMessage"], "replies": []})

    def turn(self, turn):
        if turn.get("compact"):
            self.fire("PreCompact", {"trigger": "auto", "custom_instructions": None})
            self.fire("PostCompact", {"trigger": "auto", "compact_summary": "[summary]"})
        reply, _ = self.fire("UserPromptSubmit", {"prompt": turn["user"]})
        if reply.get("decision") == "block":
            return  # the reason is for the user, not for the model
        replies = iter(turn["replies"])
        sent_back = 0
        try:
            while self.step(replies, sent_back):
                sent_back += 1
        except EndTurn:
            return

    def step(self, replies, sent_back):
        """The model works until it wants to stop. Returns True when a hook sends it back."""
        while True:
            model = next(replies, {"text": "I have nothing to add."})
            if not model.get("calls"):
                break
            for call in model["calls"]:
                self.call(call)
        end = {"stop_hook_active": sent_back > 0, "last_assistant_message": model["text"]}
        reply, _ = self.fire("Stop", end)
        if reply.get("decision") != "block":
            return False
        if sent_back == MAX_RETRIES:
            self.session.say("sent back too often: the turn ends")
            return False
        self.session.say(f"the model is sent back: {reply.get('reason')}")
        return True

    def call(self, call):
        """Runs one tool, as hooks and user allow. Returns what the model gets."""
        self.calls += 1
        asked = {"tool_name": TOOLS[call["tool"]], "tool_input": call["input"]}
        numbered = {**asked, "tool_use_id": f"toolu_{self.calls}"}
        _, specific = self.fire("PreToolUse", numbered)
        decision = specific.get("permissionDecision")
        if decision == "deny":
            return specific.get("permissionDecisionReason", "denied by a hook")
        asked["tool_input"] = specific.get("updatedInput", asked["tool_input"])
        if decision == "ask" or (call.get("needs_permission") and decision != "allow"):
            denied = self.ask_permission(asked)
            if denied:
                return denied
        numbered.update(asked)
        return self.run(call, numbered)

    def ask_permission(self, asked):
        """Returns why the tool must not run. Where no hook decides, the user does: this one always agrees."""
        _, specific = self.fire("PermissionRequest", {**asked, "permission_suggestions": []})
        decision = specific.get("decision") or {}
        if decision.get("behavior") == "deny":
            if decision.get("interrupt"):
                raise EndTurn
            return decision.get("message") or "permission denied"
        asked["tool_input"] = decision.get("updatedInput", asked["tool_input"])
        return None

    def run(self, call, asked):
        if call["tool"] == "task":
            self.subagent(call)
        took = 12  # a scripted tool needs no time
        if call.get("error"):
            failure = {"error": call["error"], "is_interrupt": False, "duration_ms": took}
            self.fire("PostToolUseFailure", {**asked, **failure})
            return call["error"]
        reply, specific = self.fire("PostToolUse", {**asked, "tool_response": call["result"], "duration_ms": took})
        output = specific.get("updatedToolOutput") or specific.get("updatedMCPToolOutput") or call["result"]
        if reply.get("decision") == "block":
            output = reply.get("reason", output)  # the tool has run; the model learns what is wrong with that
        self.after_effects(call, asked)
        return output

    def subagent(self, call):
        agent = {"agent_id": f"agent_{self.calls}", "agent_type": "general-purpose"}
        self.fire("SubagentStart", agent)
        end = {"stop_hook_active": False, "agent_transcript_path": "", "last_assistant_message": call["result"]}
        self.fire("SubagentStop", {**agent, **end})

    def after_effects(self, call, asked):
        """What a tool changes beside its result."""
        cwd = self.session.cwd
        if call["tool"] == "write":
            path = os.path.join(cwd, asked["tool_input"].get("file_path", ""))
            self.fire("FileChanged", {"file_path": path, "event": "change"})
        if call.get("cd"):
            self.fire("CwdChanged", {"old_cwd": cwd, "new_cwd": os.path.join(cwd, call["cd"])})
