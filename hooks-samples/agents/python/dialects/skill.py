"""skill: nothing is fired and nothing can block. At five moments of a request the engine inserts texts into the list of
messages, and takes them out again. The agent keeps its own list and follows the engine by the `ref` of each text."""

from engine import EngineError

NAME = "skill"
TOOLS = {"read": "read_file", "write": "write_file", "shell": "run_command", "task": "delegate"}
REGISTRATIONS = []  # the dialect has no session hooks


def play(session):
    history = []
    for turn in session.script["turns"]:
        history.append({"role": "user", "content": turn["user"]})
        request = Request(session, history)
        answer = request.play(turn["replies"])
        # The front end keeps the persistent texts, and sends them back with the next request.
        history += request.persisted + [{"role": "assistant", "content": answer}]


def command_of(_event, _payload):
    return None


def own_reply(_event, payload, _reason):
    answer = {"messages": payload.get("messages", []), "appended": [], "persist": []}
    return {"json": answer, "exit_code": 0, "stderr": ""}


class Request:
    """One request of the user. `messages` has pairs of a ref, None for the agent's own messages, and a message."""

    def __init__(self, session, history):
        self.session = session
        self.persisted = []
        begin = {"messages": history}
        if session.options.skills:  # naming a skill approves it; without names the engine takes the approved ones
            begin["enabled_skills"] = session.options.skills.split(",")
        begun = session.engine.call("skill.begin", begin)
        self.messages = [(None, message) for message in begun["messages"]]

    def play(self, replies):
        self.inject("after_user_input")
        self.inject("before_planning")
        self.with_prompt("Does this need a tool?", lambda: self.call_model("planning", "yes"))
        self.remove("before_planning")
        for number, reply in enumerate(replies):
            self.remove("before_each_agent")
            self.inject("before_each_agent")
            if number == 0:
                self.inject("before_first_agent")
            self.with_prompt("Do the next step.", lambda: self.step(number + 1, reply))
        self.remove("before_first_agent")
        self.remove("after_tool_call")
        return replies[-1]["text"]

    def step(self, number, reply):
        self.call_model(f"step {number}", reply["text"])
        calls = reply.get("calls", [])
        if not calls:
            return
        self.messages.append((None, {"role": "assistant", "content": reply["text"]}))
        for call in calls:
            self.messages.append((None, {"role": "tool", "content": call.get("result") or call.get("error", "")}))
        self.remove("after_tool_call")
        for call in calls:
            self.inject("after_tool_call", tool_name=TOOLS[call["tool"]])

    def inject(self, timing, **more):
        self.session.pace()
        try:
            result = self.session.engine.call("skill.inject", {"timing": timing, **more})
        except EngineError as error:
            self.session.line(timing, "error", str(error))
            return
        for text in result["appended"]:
            self.messages.append((text["ref"], {"role": text["role"], "content": text["content"]}))
        self.persisted += [
            {"role": text["role"], "content": text["content"], "_hook": text["name"]} for text in result["persist"]
        ]
        count = len(result["appended"])
        said = f"{count} text{'' if count == 1 else 's'} inserted" if count else ""
        self.session.line(timing, "proceed", said, result.get("trace", ""))

    def remove(self, timing):
        gone = self.session.engine.call("skill.remove", {"timing": timing})["removed"]
        self.messages = [pair for pair in self.messages if pair[0] not in gone]
        if gone:
            self.session.say(f"{len(gone)} removed of {timing}")

    def with_prompt(self, text, work):
        """The agent's own prompts are in the list for one call of the model, and belong to no moment."""
        ref = self.session.engine.call("skill.inject_prompt", {"content": text, "role": "user"})["ref"]
        self.messages.append((ref, {"role": "user", "content": text}))
        work()
        self.session.engine.call("skill.remove_prompt", {"ref": ref})
        self.messages = [pair for pair in self.messages if pair[0] != ref]

    def call_model(self, label, answer):
        self.session.say(f"{label}: the model reads {len(self.messages)} messages and says: {answer}")
