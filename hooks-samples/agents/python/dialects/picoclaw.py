"""picoclaw: five events wait for a reply, which is the result of a JSON-RPC method. All others are kinds: the agent
sends them as notifications (`event.note`) and goes on."""

from session import EndSession, EndTurn

NAME = "picoclaw"
TOOLS = {"read": "read_file", "write": "write_file", "shell": "bash", "task": "spawn"}
REGISTRATIONS = [{"definition": {"callback": "guard", "priority": 10, "intercept": ["before_tool"]}}]


def play(session):
    talk = Talk(session)
    turns = session.script["turns"]
    try:
        for turn, following in zip(turns, turns[1:] + [None]):
            talk.turn(turn, following)
        talk.interrupted_turn()
    except EndSession as end:
        session.say(f"a hook ends the session: {end}")


def command_of(event, payload):
    if event != "before_tool" or payload.get("tool") != TOOLS["shell"]:
        return None
    return (payload.get("arguments") or {}).get("command")


def own_reply(event, _payload, reason):
    if event == "approve_tool":
        answer = {"approved": True}
    elif event in ("before_llm", "after_llm", "before_tool", "after_tool"):
        answer = {"action": "deny_tool", "reason": reason} if reason else {"action": "continue"}
    else:
        answer = {}  # a kind
    return {"json": answer, "exit_code": 0, "stderr": ""}


def obey(fields):
    """Ends the turn or the session where the reply says so. Returns the reply's fields."""
    if fields.get("action") == "abort_turn":
        raise EndTurn(fields.get("reason") or "hook requested turn abort")
    if fields.get("action") == "hard_abort":
        raise EndSession(fields.get("reason") or "no reason given")
    return fields


class Talk:
    """The conversation so far."""

    def __init__(self, session):
        self.session = session
        self.model = session.script["model"]
        self.messages = [{"role": "system", "content": session.script["system_prompt"]}]
        self.tools = [{"name": name} for name in TOOLS.values()]
        self.turns = 0
        self.iteration = 0

    def meta(self, parent=""):
        turn = f"turn-{self.turns}" + ("-sub" if parent else "")
        place = {"AgentID": "main", "TurnID": turn, "ParentTurnID": parent, "SessionKey": self.session.id}
        return {**place, "Iteration": self.iteration, "TracePath": "", "Source": "cli"}

    def fire(self, event, payload):
        return obey(self.session.fire(event, {"meta": self.meta(), "channel": "cli", "chat_id": "1", **payload}).json)

    def note(self, kind, parent="", **payload):
        self.session.note(kind, {"Kind": kind, "Meta": self.meta(parent), "Payload": payload})

    def add(self, role, content, **more):
        self.messages.append({"role": role, "content": content, **more})

    def turn(self, turn, following):
        self.turns += 1
        self.iteration = 0
        self.note("turn_start", UserMessage=turn["user"])
        self.add("user", turn["user"])
        if turn.get("compact"):
            self.note("context_compress", Before=len(self.messages), After=2)
            self.messages = [self.messages[0], self.messages[-1]]
            self.note("session_summarize", Summary="[summary]")
        if following:  # the user is faster than the agent
            self.note("follow_up_queued", Content=following["user"])
        try:
            for number, reply in enumerate(turn["replies"]):
                self.request(reply, fails_first=self.turns == 1 and number == 0)
            status = "completed"
        except EndTurn as end:
            status = "aborted"
            self.note("error", Stage="hook", Message=str(end))
        self.note("turn_end", Status=status)

    def request(self, reply, fails_first=False):
        """One request to the model and the tools that it calls."""
        self.iteration += 1
        request = {"model": self.model, "messages": self.messages, "tools": self.tools, "options": {"temperature": 0}}
        request.update(self.fire("before_llm", request).get("request", {}))
        self.messages = request["messages"]
        self.note("llm_request", Model=request["model"], MessageCount=len(self.messages))
        if fails_first:
            self.note("llm_retry", Attempt=1, Error="the model is overloaded")
        self.note("llm_delta", Content=reply["text"][:10])
        self.note("llm_response", Content=reply["text"])
        calls = [
            {"id": f"call_{number}", "name": TOOLS[call["tool"]], "arguments": call["input"]}
            for number, call in enumerate(reply.get("calls", []), 1)
        ]
        response = {"role": "assistant", "content": reply["text"], "tool_calls": calls}
        wrapper = self.fire("after_llm", {"model": request["model"], "response": response}).get("response", {})
        response = wrapper.get("response", response)
        self.add("assistant", response.get("content", ""))
        for number, (asked, call) in enumerate(zip(calls, reply.get("calls", []))):
            self.add("tool", self.call(asked, call), tool_call_id=asked["id"])
            if number == 0 and reply.get("steering"):
                self.steer(reply["steering"], calls[1:])
                return

    def steer(self, text, rest):
        """The user says something while tools run: the calls that are left are skipped."""
        for asked in rest:
            self.skip(asked["name"], "the user sent a message")
        self.note("steering_injected", Content=text)
        self.add("user", text)

    def skip(self, tool, reason):
        self.note("tool_exec_skipped", Tool=tool, Reason=reason)
        return reason

    def call(self, asked, call):
        """Runs one tool, as the hooks allow. Returns what the model gets."""
        tool, arguments = asked["name"], asked["arguments"]
        fields = self.fire("before_tool", {"tool": tool, "arguments": arguments})
        if fields.get("action") == "deny_tool":
            return self.skip(tool, f"Tool execution denied by hook: {fields.get('reason', '')}")
        if fields.get("action") == "respond":  # the hook replaces the tool, which does not run
            self.note("tool_exec_start", Tool=tool)
            self.note("tool_exec_end", Tool=tool, Duration=0)
            return fields["result"].get("for_llm", "")
        changed = fields.get("call", {})
        tool, arguments = changed.get("tool", tool), changed.get("arguments", arguments)
        approval = self.fire("approve_tool", {"tool": tool, "arguments": arguments})
        if not approval.get("approved"):
            why = f": {approval['reason']}" if approval.get("reason") else ""
            return self.skip(tool, f"Tool execution denied by approval hook{why}")
        return self.run(tool, arguments, call)

    def run(self, tool, arguments, call):
        took = 12_000_000  # nanoseconds; a scripted tool needs no time
        self.note("tool_exec_start", Tool=tool)
        if tool == TOOLS["task"]:
            self.subturn(call)
            self.note("subturn_result_delivered", Content=call["result"])
        self.note("tool_exec_end", Tool=tool, Duration=took)
        text = call.get("error") or call["result"]
        result = {"for_llm": text, "for_user": text, "is_error": "error" in call}
        ran = {"tool": tool, "arguments": arguments, "result": result, "duration": took}
        return self.fire("after_tool", ran).get("result", {}).get("result", result).get("for_llm", "")

    def subturn(self, call):
        parent = f"turn-{self.turns}"
        self.note("subturn_spawn", parent, Task=call["input"]["description"])
        self.note("subturn_end", parent, Status="completed")

    def interrupted_turn(self):
        """A last turn that the user interrupts while its sub-agent works: its result is not delivered."""
        self.turns += 1
        parent = f"turn-{self.turns}"
        self.note("turn_start", UserMessage="Look for more of them.")
        self.note("subturn_spawn", parent, Task="look for more of them")
        self.note("interrupt_received", Kind="hard")
        self.note("error", Stage="turn", Message="interrupted by the user")
        self.note("turn_end", Status="aborted")
        self.note("subturn_end", parent, Status="completed")
        self.note("subturn_orphan", parent, Reason="its parent has ended")
