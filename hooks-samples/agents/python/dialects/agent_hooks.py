"""agent-hooks: a hook speaks by its exit code. 2 blocks, with the reason on stderr; JSON is read only with 0."""

import time

from session import EndSession

NAME = "agent-hooks"
TOOLS = {"read": "ReadFile", "write": "WriteFile", "shell": "Shell", "task": "Task"}
REGISTRATIONS = []  # the dialect has no session hooks


def play(session):
    talk = Talk(session)
    reason = "error"
    try:
        talk.fire("session_start", {"model": session.script["model"], "args": {}}, ends_session=True)
        for turn in session.script["turns"]:
            talk.turn(turn)
        reason = "user_exit"
    except EndSession as end:
        reason = "hook"
        session.say(f"a hook ends the session: {end}")
    finally:  # also when a signal ends the conversation
        seconds = round(time.monotonic() - talk.started, 3)
        end = {"duration_seconds": seconds, "total_steps": talk.steps, "exit_reason": reason}
        session.fire("session_end", end)


def command_of(event, payload):
    if event != "before_tool" or payload.get("tool_name") != TOOLS["shell"]:
        return None
    return (payload.get("tool_input") or {}).get("command")


def own_reply(_event, _payload, reason):
    return {"json": {}, "exit_code": 2 if reason else 0, "stderr": reason or ""}


class Talk:
    """The conversation so far. `context` is what hooks have told the model."""

    def __init__(self, session):
        self.session = session
        self.context = []
        self.steps = 0
        self.calls = 0
        self.started = time.monotonic()

    def fire(self, event, payload, ends_session=False):
        """Returns the reason of a block, else None, and the fields of the reply."""
        reply = self.session.fire(event, payload)
        if reply.exit_code == 2:
            if ends_session:
                raise EndSession(reply.stderr)
            return reply.stderr, {}
        if reply.json.get("additional_context"):
            self.context.append(reply.json["additional_context"])
        if reply.json.get("decision") == "ask":
            self.session.say(f"the user is asked, and agrees: {reply.json.get('reason', '')}")
        return None, reply.json

    def turn(self, turn):
        if turn.get("compact"):
            self.fire("pre_compact", {})  # a block leaves the messages as they are
        blocked, _ = self.fire("before_agent", {})
        if blocked is not None:
            return
        replies = iter(turn["replies"])
        # The engine blocks at most three stops of a turn, so this ends.
        while True:
            self.steps += 1
            model = next(replies, {"text": "I have nothing to add."})
            for call in model.get("calls", []):
                self.call(call)
            if not model.get("calls"):
                message = {"role": "assistant", "content": model["text"]}
                end = {"stop_reason": "no_tool_calls", "step_count": self.steps, "final_message": message}
                blocked, _ = self.fire("before_stop", end)
                if blocked is None:
                    break
                self.session.say(f"the model is sent back: {blocked}")
        self.fire("after_agent", {})

    def call(self, call):
        """Runs one tool, as the hooks allow. Returns what the model gets."""
        self.calls += 1
        asked = {"tool_name": TOOLS[call["tool"]], "tool_input": call["input"], "tool_use_id": f"call_{self.calls}"}
        blocked, fields = self.fire("before_tool", asked)
        if blocked is not None:
            return f"Tool blocked: {blocked}"
        asked["tool_input"] = fields.get("modified_input", asked["tool_input"])
        if call["tool"] == "task":
            self.subagent(call)
        took = 12  # a scripted tool needs no time
        if call.get("error"):
            self.fire("after_tool_failure", {**asked, "error": call["error"], "duration_ms": took})
            return call["error"]
        blocked, _ = self.fire("after_tool", {**asked, "tool_output": call["result"], "duration_ms": took})
        return call["result"] if blocked is None else f"Result withheld: {blocked}"

    def subagent(self, call):
        task = {"subagent_name": "helper", "subagent_type": "general"}
        task["task_description"] = call["input"]["description"]
        self.fire("subagent_start", task)
        self.fire("subagent_stop", task)
