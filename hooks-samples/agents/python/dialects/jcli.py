"""jcli: every event has a flat payload, and every reply is one JSON object whose fields replace those of the payload."""

import json

from session import EndTurn, Retry

NAME = "jcli"
TOOLS = {"read": "Read", "write": "Write", "shell": "Bash", "task": "Task"}
MAX_RETRIES = 3
# A prompt needs no approval, because nothing is started: the engine sends it back as `model.complete`.
REGISTRATIONS = [
    {"event": "stop", "definition": {"type": "llm", "prompt": "Was the user told what changed?", "timeout": 5}}
]


def play(session):
    talk = Talk(session)
    session.fire("session_start", {"messages": talk.messages})
    try:
        for turn in session.script["turns"]:
            talk.turn(turn)
    finally:  # also when a signal ends the conversation
        session.fire("session_end", {"messages": talk.messages})


def command_of(event, payload):
    if event != "pre_tool_execution" or payload.get("tool_name") != TOOLS["shell"]:
        return None
    return json.loads(payload.get("tool_arguments") or "{}").get("command")


def own_reply(_event, _payload, reason):
    answer = {"action": "skip", "system_message": reason} if reason else {}
    return {"json": answer, "exit_code": 0, "stderr": ""}


def obey(reply):
    """Ends the turn, or sends the model back, where the reply says so. Returns the reply's fields."""
    fields = reply.json
    if fields.get("action") == "stop":
        raise Retry(fields["retry_feedback"]) if fields.get("retry_feedback") else EndTurn
    return fields


class Talk:
    """The conversation so far."""

    def __init__(self, session):
        self.session = session
        self.messages = []
        self.system_prompt = session.script["system_prompt"]
        self.model = session.script["model"]

    def add(self, role, content, **more):
        self.messages.append({"role": role, "content": content, **more})

    def turn(self, turn):
        session = self.session
        try:
            fields = obey(session.fire("pre_send_message", {"user_input": turn["user"], "messages": self.messages}))
            self.user_input = fields.get("user_input", turn["user"])
        except EndTurn:
            return
        except Retry as retry:
            self.user_input = retry.feedback
        self.add("user", self.user_input)
        session.fire("post_send_message", {"user_input": self.user_input, "messages": self.messages})
        self.must_compact = turn.get("compact", False)
        replies = iter(turn["replies"])
        for _ in range(len(turn["replies"]) + MAX_RETRIES):
            try:
                if self.step(replies):
                    return
            except EndTurn:
                return
            except Retry as retry:
                session.say(f"the model is sent back: {retry.feedback}")
                self.add("user", retry.feedback)
        session.say("sent back too often: the turn ends")

    def step(self, replies):
        """One request to the model and the tools that it calls. Returns True when the turn is over."""
        if self.must_compact:
            self.must_compact = False
            self.compact()
        request = {"messages": self.messages, "system_prompt": self.system_prompt, "model": self.model}
        fields = obey(self.session.fire("pre_llm_request", request))
        self.messages = fields.get("messages", self.messages) + fields.get("inject_messages", [])
        self.system_prompt = fields.get("system_prompt", self.system_prompt)
        self.add_context(fields)
        reply = next(replies, {"text": "I have nothing to add."})
        answer = {"assistant_output": reply["text"], "messages": self.messages, "model": self.model}
        fields = obey(self.session.fire("post_llm_response", answer))
        text = fields.get("assistant_output", reply["text"])
        calls = [
            {"id": f"call_{number}", "name": TOOLS[call["tool"]], "arguments": json.dumps(call["input"])}
            for number, call in enumerate(reply.get("calls", []), 1)
        ]
        self.add("assistant", text, **({"tool_calls": calls} if calls else {}))
        for asked, call in zip(calls, reply.get("calls", [])):
            self.add("tool", self.run(asked, call), tool_call_id=asked["id"])
        return not calls and self.may_stop()

    def run(self, asked, call):
        """Runs one tool, as the hooks allow. Returns what the model gets."""
        before = {"tool_name": asked["name"], "tool_arguments": asked["arguments"]}
        fields = obey(self.session.fire("pre_tool_execution", before))
        asked["arguments"] = fields.get("tool_arguments", asked["arguments"])
        error = "skipped by a hook" if fields.get("action") == "skip" else call.get("error")
        if error:
            failure = {"tool_name": asked["name"], "tool_error": error}
            fields = obey(self.session.fire("post_tool_execution_failure", failure))
            context = fields.get("additional_context")
            return fields.get("tool_error", error) + (f"\n{context}" if context else "")
        after = {"tool_name": asked["name"], "tool_result": call["result"]}
        return obey(self.session.fire("post_tool_execution", after)).get("tool_result", call["result"])

    def may_stop(self):
        end = {"user_input": self.user_input, "messages": self.messages}
        end |= {"system_prompt": self.system_prompt, "model": self.model}
        fields = obey(self.session.fire("stop", end))
        self.add_context(fields)
        if fields.get("retry_feedback"):
            raise Retry(fields["retry_feedback"])
        return True

    def add_context(self, fields):
        if fields.get("additional_context"):
            self.system_prompt = "\n\n".join(filter(None, [self.system_prompt, fields["additional_context"]]))

    def compact(self):
        """First old tool results are cut, then everything becomes a summary."""
        if self.allowed_to_compact("pre_micro_compact", {}) is not None:
            for message in self.messages:
                if message["role"] == "tool":
                    message["content"] = message["content"][:20]
            fields = obey(self.session.fire("post_micro_compact", {"messages": self.messages}))
            self.messages = fields.get("messages", self.messages)
        fields = self.allowed_to_compact("pre_auto_compact", {"system_prompt": self.system_prompt})
        if fields is not None:
            keep = fields.get("additional_context", "")
            summary = f"[summary of {len(self.messages)} messages] {keep}".strip()
            self.messages = [{"role": "user", "content": summary}]
            fields = obey(self.session.fire("post_auto_compact", {"messages": self.messages}))
            self.messages = fields.get("messages", self.messages)

    def allowed_to_compact(self, event, more):
        """Fires the event before a compaction. Returns the reply's fields, or None when a hook cancels it."""
        fields = self.session.fire(event, {"messages": self.messages, "model": self.model, **more}).json
        if fields.get("action") != "stop":
            return fields
        if fields.get("retry_feedback"):
            self.add("user", fields["retry_feedback"])
        return None
