#!/usr/bin/env python3
"""Plays scenarios through a real agent and through Hookwright, and compares what both did.

    compare.py AGENT [NAME...]

AGENT is `claude-code` or `codex`. `scenarios/AGENT/*.json` has the scenarios, each file a list; with NAME only those whose
name contains it are played. The environment names the programs: HOOKWRIGHT_CLAUDE, HOOKWRIGHT_CODEX, HOOKWRIGHT_BIN. A
line for each difference is printed, then a table. The end is 1 if a side differs where the scenario does not say so.

The agent runs once, with a scripted model on loopback and a home of its own. A hook of the user, the observer, notes the
payload of each event. Hookwright then fires each of these events with the same files. Compared are, event by event: which
hooks began, and how often; the payload, the folder, the arguments and the variables that each got; what the
agent did next, and what Hookwright's reply asks for; and which of the words that the hooks wrote reached the model.

A scenario has these keys, and those that the agent's module names:

    name      a sentence that says what must agree
    rows      the clauses of the specification that it shows
    event, does, matcher, entry
              one hook of the project at this event, which does that; `matcher` of its group, `entry` for further fields
    hooks     what the hook with a label does, where there are several (`hook.py`)
    files, home
              files of the project and of the home folder
    model     the answers of the model (`model_server.py`): default one call of `Bash`; `rules` and `pages` as there
    prompt    what the user says
    observes  false for a scenario whose files leave no place for the observer; `fires` then has the events to fire:
              {"event", "payload"}
    differs   for what is known to differ (`runs`, `effect`, `told`): why
"""

import argparse
import concurrent.futures
import dataclasses
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from box import HERE, Box
from model_server import Model

AGENTS = {"claude-code": "claude_code", "codex": "codex"}
CALL = [{"tool": "Bash", "input": {"command": "echo word-output", "description": "say a word"}}, "finished"]
# Words of hooks that are looked for in what the model got.
WORDS = re.compile(r"\bword-[a-z0-9]+(?:-[a-z0-9]+)*")
OBSERVER = "observer"
# The model that Hookwright asks for hooks that are prompts.
MODEL = '[model]\nprovider = "anthropic"\nbase_url = "@model"\nmodel = "scripted"\napi_key = "none"\n'
LIMIT = 90


@dataclasses.dataclass
class Occurrence:
    """An event that the agent fired."""

    event: str
    payload: dict
    began: float
    runs: list


def variables(agent, record):
    return {name: record["env"][name] for name in agent.VARIABLES if name in record["env"]}


def run_of(agent, box, record):
    """What of a hook's run is compared."""
    kept = {"label": record["label"], "payload": agent.comparable(record["payload"]), "newlines": record["newlines"]}
    kept |= {"arguments": record["arguments"], "cwd": record["cwd"], "env": variables(agent, record)}
    return box.without_paths(kept)


def pages_asked(requests, since):
    """The runs of hooks that are requests."""
    hooks = [request for request in requests[since:] if request["path"].startswith("/hook/")]
    return [{"label": request["path"].rsplit("/", 1)[1], "payload": request["body"]} for request in hooks]


def occurrences(agent, box):
    """The events that the agent fired, each with the runs of its hooks. All hooks of an event get the same payload, but
    for a tool's input that an earlier one changed."""
    found, counts = [], {}
    records = box.records()
    for record in (record for record in records if record["label"] == OBSERVER):
        found.append(Occurrence(record["payload"]["hook_event_name"], record["payload"], record["began"], []))
    for record in records:
        key = identity(record["payload"])
        same = [one for one in found if identity(one.payload) == key]
        at = counts.setdefault((record["label"], key), 0)
        counts[(record["label"], key)] += 1
        if same:
            same[min(at, len(same) - 1)].runs.append(run_of(agent, box, record))
    return found


def identity(payload):
    """What is equal in the payloads of one event."""
    if not isinstance(payload, dict):
        return payload
    return json.dumps({name: value for name, value in payload.items() if name != "tool_input"}, sort_keys=True)


def start(words, box, extra, **options):
    """Runs a program to its end, which sees the folders of its box only."""
    env = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return subprocess.run(words, env={**env, **box.environment(), **extra}, timeout=LIMIT, **options)


def play_agent(agent, program, box, scenario, url):
    """Runs the agent. Its hooks note their calls, and the model its requests."""
    words, extra = agent.command(program, box, scenario, url)
    with open(box.root / "stdout", "wb") as out, open(box.root / "stderr", "wb") as err:
        start(words, box, extra, cwd=box.project, stdin=subprocess.DEVNULL, stdout=out, stderr=err)


def fire(agent, box, event, payload):
    """Fires an event at Hookwright, and returns the trace."""
    file = box.root / "payload.json"
    file.write_text(json.dumps(payload), "utf-8")
    words = [os.environ["HOOKWRIGHT_BIN"], "--project", str(box.project), "--json", "fire", "--trust"]
    words += ["--dialect", agent.DIALECT, "--event", event, "--payload", str(file)]
    extra = {"HOOKWRIGHT_DATA": str(box.root / "data"), **agent.variables(box)}
    ended = start(words, box, extra, capture_output=True, text=True)
    if not ended.stdout.strip():
        raise RuntimeError(f"fire {event}: {ended.stderr}")
    return json.loads(ended.stdout)


def in_other_box(value, one, other):
    return json.loads(json.dumps(value).replace(str(one.root), str(other.root)))


def only_different(theirs, ours):
    """The runs that only one side had. Hooks of one event begin at once, so their order says nothing. Of two runs of one
    hook only what differs is left."""
    left = [run for run in theirs if run not in ours], [run for run in ours if run not in theirs]
    labels = [sorted(run["label"] for run in side) for side in (theirs, ours)]
    if labels[0] != labels[1]:
        return labels
    pairs = [(one, other) for one in left[0] for other in left[1] if one["label"] == other["label"]]
    differ = [{name: (one[name], other[name]) for name in one if one[name] != other[name]} for one, other in pairs]
    return [[{name: value[side] for name, value in pair.items()} for pair in differ] for side in (0, 1)]


def words_in(value):
    """The words of hooks in all texts of a value."""
    if isinstance(value, str):
        return set(WORDS.findall(value))
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return set().union(*map(words_in, parts))


def words_of_hooks(scenario):
    """The words that hooks can say: commands, requests and prompts."""
    answers = [rule["answer"] for rule in scenario.get("rules", [])]
    judged = [json.loads(found) for answer in answers for found in re.findall(r"\{.*\}", answer)]
    return words_in([scenario.get("hooks", {}), scenario.get("pages", {}), judged])


def split_requests(requests, scenario):
    """The requests of the agent with tools, by which its turn goes on, and all that it sent to the model. What a hook
    asks a model itself is left out."""
    of_hooks = [rule["contains"] for rule in scenario.get("rules", [])]
    to_model = [one for one in requests if not one["path"].startswith("/hook/")]
    turns = [one for one in to_model if isinstance(one["body"], dict) and one["body"].get("tools")]
    is_own = lambda one: any(text in json.dumps(one["body"]) for text in of_hooks)
    return turns, [one for one in to_model if one in turns or not is_own(one)]


class Differences(dict):
    """What differs, as `{what: [(where, the agent's, Hookwright's)]}`."""

    def note(self, what, where, theirs, ours):
        if theirs != ours:
            self.setdefault(what, []).append((where, theirs, ours))


def fire_all(agent, found, theirs, ours, turns, differences):
    """Fires the events of the agent at Hookwright, and compares each. Returns the words that its replies give the model."""
    told, ended = set(), False
    for at, one in enumerate(found):
        earlier = len(ours.records())
        trace = fire(agent, ours, one.event, in_other_box(one.payload, theirs, ours))
        reply = in_other_box(trace["reply"], ours, theirs)
        was_ended, ended = ended, ended or agent.ends_turn(one, reply)
        # What a hook says while it ends the turn reaches no model.
        told |= set() if ended else words_in(agent.told_by_reply(one, reply))
        wanted = agent.effect(found, at, any(request["at"] > one.began for request in turns))
        given = {"goes_on": False} if was_ended else agent.effect_of_reply(one, reply)
        where = f"{one.event} {at}"
        differences.note("effect", where, wanted, {name: given[name] for name in given if name in wanted})
        runs = [run_of(agent, ours, record) for record in ours.records()[earlier:]]
        differences.note("runs", where, *only_different(one.runs, runs))
    return told


def play(agent, program, scenario, folder):
    """Plays a scenario by both, and returns the differences."""
    if "event" in scenario:
        own = agent.single_hook(scenario["event"], scenario.get("matcher"), scenario.get("entry", {}))
        scenario = {**own, "hooks": {"hook": scenario.get("does", {})}, **scenario}
    observes = scenario.get("observes", True)
    script = {"answers": scenario.get("model", CALL), "rules": scenario.get("rules", []), "pages": scenario.get("pages", {})}
    differences = Differences()
    with Model() as model:
        theirs, ours = (Box(Path(folder) / name, model.url) for name in ("agent", "hookwright"))
        model.script.load(theirs.expand(script))
        for box in (theirs, ours):
            box.prepare(scenario)
            agent.write(box, scenario, observes)
        ours.write(ours.root / "data/settings.toml", MODEL)
        play_agent(agent, program, theirs, scenario, model.url)
        requests = list(model.script.requests)
        turns, told_by = split_requests(requests, scenario)
        if observes:
            found = occurrences(agent, theirs)
            if not found:
                raise RuntimeError("no event: " + (theirs.root / "stderr").read_text("utf-8", "replace")[-500:])
            told = fire_all(agent, found, theirs, ours, turns, differences)
            got = words_in([one["body"] for one in told_by]) & words_of_hooks(scenario)
            differences.note("told", "all", sorted(got), sorted(told))
        else:
            for one in scenario["fires"]:
                fire(agent, ours, one["event"], ours.expand(one["payload"]))
            labels = [sorted(record["label"] for record in box.records()) for box in (theirs, ours)]
            differences.note("runs", "all", *labels)
        pages = [pages_asked(requests, 0), pages_asked(model.script.requests, len(requests))]
        differences.note("requests", "all", theirs.without_paths(pages[0]), ours.without_paths(pages[1]))
    return differences


@dataclasses.dataclass
class Judged:
    """What came of a scenario: one line of the table, and those about differences that it does not name."""

    scenario: dict
    said: str
    lines: list
    seconds: float

    def show(self):
        mark = "FAIL" if self.lines else "ok  "
        print(f"{mark} {self.seconds:4.1f} s  {', '.join(self.scenario['rows']):8} {self.scenario['name']}: {self.said}")
        for line in self.lines:
            print("    " + line)


def judge(agent, program, scenario):
    started = time.monotonic()
    known = scenario.get("differs", {})
    with tempfile.TemporaryDirectory(prefix="real-agent-") as folder:
        try:
            found = play(agent, program, scenario, folder)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            return Judged(scenario, "could not be played", [str(error)], time.monotonic() - started)
    lines = []
    for what in sorted(set(found) - set(known)):
        for where, theirs, ours in found[what]:
            lines += [f"{what}, {where}", f"    {agent.NAME}: {json.dumps(theirs)}", f"    Hookwright: {json.dumps(ours)}"]
    lines += [f"{what} agrees now, although: {why}" for what, why in known.items() if what not in found]
    said = "; ".join(f"{what} differs: {why}" for what, why in known.items()) or "agrees"
    return Judged(scenario, "differs" if lines else said, lines, time.monotonic() - started)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("agent", choices=AGENTS)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    agent = importlib.import_module(AGENTS[options.agent])
    program = os.environ.get(agent.PROGRAM)
    if not program:
        print(f"skipped: {agent.PROGRAM} is not set")
        return 0
    files = sorted((HERE / "scenarios" / options.agent).glob("*.json"))
    scenarios = [one for file in files for row in json.loads(file.read_text("utf-8")) for one in agent.variants(row)]
    wanted = [one for one in scenarios if not options.names or any(name in one["name"] for name in options.names)]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        judged = list(pool.map(lambda one: judge(agent, program, one), wanted))
    for one in judged:
        one.show()
    failed = sum(bool(one.lines) for one in judged)
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip()
    print(f"{agent.NAME} {version}: {len(judged)} scenarios, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
