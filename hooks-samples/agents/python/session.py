"""A session of this agent with the engine: what it fires, what it offers, and what it prints."""

import os
import re
import sys
import threading
import time

from engine import Engine, EngineError

NAME, VERSION = "sample-agent-python", "1.0"
MODEL_ANSWER = '{"system_message": "The scripted model has read this."}'


class EndTurn(Exception):
    """A hook ended the turn."""


class EndSession(Exception):
    """A hook ended the conversation."""


class Retry(Exception):
    """A hook sends the model back to work."""

    def __init__(self, feedback):
        super().__init__(feedback)
        self.feedback = feedback


class Reply:
    """What an event came back with: the three ways in which a hook of some dialect speaks."""

    def __init__(self, reply):
        self.json = reply.get("json") or {}
        self.exit_code = reply.get("exit_code") or 0
        self.stderr = reply.get("stderr") or ""


def guard(command):
    """The agent's own hook: why this shell command must not run, or None."""
    if re.search(r"\brm\s+-(rf|fr)\s+(/|~|\.)(\s|$)", command or ""):
        return "it deletes a whole folder tree"
    return None


class Session:
    """One conversation. `dialect` is a module of the folder `dialects`."""

    def __init__(self, dialect, script, options):
        self.dialect = dialect
        self.script = script
        self.options = options
        self.cwd = os.path.abspath(options.cwd)
        self.printing = threading.Lock()
        self.engine = Engine(
            {
                "agent.fire": self.test_event,
                "model.complete": self.complete,
                "callback.call": self.call_back,
                "session.notice": lambda notice: self.say(f"{notice['kind']}: {notice['text']}"),
            }
        )

    # ── what the agent sends ────────────────────────────────────────────────────────────────────────────────────────

    def open(self):
        agent = {"name": NAME, "version": VERSION, "pid": os.getpid()}
        depth = os.environ.get("HOOKWRIGHT_DEPTH", "")
        if depth.isdigit():
            agent["depth"] = int(depth)  # this agent was started by a hook
        params = {
            "protocol": 1,
            "dialect": self.dialect.NAME,
            "agent": agent,
            "cwd": self.cwd,
            "offers": ["fire", "model", "callbacks"],
            "native": self.options.native,
        }
        if self.options.session:
            params["session_id"] = self.options.session
        opened = self.engine.call("session.open", params)
        self.id = opened["session"]
        self.events = opened["events"]
        self.say(f"session {self.id}: {opened['hooks']} hooks, {opened['untrusted']} of them not approved")
        # In a native session the agent runs its own hook itself; as a callback it would run twice.
        for registration in self.dialect.REGISTRATIONS:
            if not (self.options.native and "callback" in registration["definition"]):
                registered = self.engine.call("hook.register", registration)
                self.say(f"registered {registered['hook']}")

    def fire(self, event, payload):
        """Fires an event and waits for the reply. An event that the engine refuses does not stop the agent."""
        self.pace()
        own = self.run_own_hooks(event, payload) if self.options.native else None
        try:
            result = self.engine.call("event.fire", {"event": event, "payload": payload})
        except EngineError as error:
            self.line(event, "error", str(error))
            return Reply(self.dialect.own_reply(event, payload, None))
        if own:
            return own
        reply = Reply(result["reply"])
        self.line(event, result["verdict"]["kind"], summary(result, reply), result["trace"])
        return reply

    def note(self, event, payload):
        """Fires an event that gets no answer."""
        self.pace()
        self.engine.notify("event.note", {"event": event, "payload": payload})
        self.line(event, "sent", "")

    def run_own_hooks(self, event, payload):
        """Runs and reports the agent's own hooks. Returns the reply of the one that blocks, if one does."""
        reply, steps = self.own_pipeline(event, payload)
        if not steps:
            return None
        self.engine.call("run.report", {"event": event, "payload": payload, "steps": steps})
        if steps[0]["outcome"] != "denied":
            return None
        self.line(event, "blocked", "by the agent's own guard")
        return Reply(reply)

    def close(self):
        self.engine.call("session.close")
        self.engine.close()

    # ── what the engine asks ────────────────────────────────────────────────────────────────────────────────────────

    def test_event(self, params):
        """`agent.fire`: runs the agent's own hooks on a test event, which changes nothing in the conversation."""
        reply, steps = self.own_pipeline(params["event"], params["payload"])
        self.say(f"agent.fire {params['event']}: {len(steps)} own hooks ran")
        return {"reply": reply, "steps": steps}

    def complete(self, params):
        """`model.complete`: the scripted model answers every prompt with the same text."""
        self.say(f"model.complete: {params['prompt'].strip().splitlines()[0][:60]}")
        return {"text": MODEL_ANSWER}

    def call_back(self, params):
        """`callback.call`: the hook that the agent registered for this session."""
        payload = params["input"]
        event = params.get("event") or payload.get("hook_event_name", "before_tool")  # old engines send no `event`
        reason = guard(self.dialect.command_of(event, payload))
        self.say(f"callback {params['callback']} at {event}: {reason or 'no objection'}")
        return {"output": self.dialect.own_reply(event, payload, reason)["json"]}

    def own_pipeline(self, event, payload):
        """Returns the reply of the agent's own hooks, and a step for each that ran."""
        command = self.dialect.command_of(event, payload)
        if command is None:
            return self.dialect.own_reply(event, payload, None), []
        reason = guard(command)
        step = {"hook": f"{NAME}:guard", "label": "guard", "outcome": "denied" if reason else "no_opinion"}
        return self.dialect.own_reply(event, payload, reason), [step]

    # ── what the user sees ──────────────────────────────────────────────────────────────────────────────────────────

    def line(self, event, verdict, text, trace=""):
        """One line for each event. All other lines are indented."""
        with self.printing:
            print(f"{event:<28} {verdict:<11} {text:<48} {trace}".rstrip(), flush=True)

    def say(self, text):
        with self.printing:
            print(f"    {text}", flush=True)

    def pace(self):
        if self.options.pace:
            time.sleep(self.options.pace)


def summary(result, reply):
    """What the verdict says, else which fields the reply has."""
    verdict = result["verdict"]
    unrecorded = "" if result.get("recorded", True) else " (not recorded)"
    said = verdict.get("feedback") or verdict.get("reason") or reply.stderr
    if not said:
        said = ", ".join(field for field in reply.json if field not in ("action", "approved"))
        said = said and f"reply has {said}"
    return " ".join(said.split()) + unrecorded


def complain(text):
    print(text, file=sys.stderr, flush=True)
