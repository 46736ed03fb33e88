#!/usr/bin/env python3
"""Compares what Codex's own trust says about each hook (`hooks/list` of its app-server) with Hookwright's `agent_trust`.

The environment names the programs: HOOKWRIGHT_CODEX, HOOKWRIGHT_BIN. A line for each difference is printed, then a table.
The end is 1 if something differs.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import codex
from box import Box

GUARD = {"matcher": "Bash", "hooks": [{"type": "command", "command": "python3 .codex/guard.py", "statusMessage": "Checking"}]}
LOG = {"hooks": [{"type": "command", "command": "true", "timeout": 9}]}
FILE = {"hooks": {"PreToolUse": [GUARD, LOG], "SessionEnd": [LOG]}}


def environment(box):
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    data = {"HOOKWRIGHT_DATA": str(box.root / "data"), "LOCAL_KEY": "none"}
    return {**kept, **box.environment(), **data, **codex.variables(box)}


def hooks_of_agent(program, box):
    """The hooks that Codex lists for the project, by key."""
    asked = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "scripted", "title": "scripted", "version": "1"}, "capabilities": {"experimentalApi": True}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {"cwds": [str(box.project)]}},
    ]
    process = subprocess.Popen([program, "app-server"], cwd=box.project, env=environment(box), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    process.stdin.write("".join(json.dumps(one) + "\n" for one in asked))
    process.stdin.flush()
    answers = (json.loads(line) for line in process.stdout)
    answer = next(one for one in answers if one.get("id") == 2)
    process.stdin.close()
    process.wait(timeout=10)
    return {hook["key"]: hook for row in answer["result"]["data"] for hook in row["hooks"]}


def states_of_agent(program, box):
    hooks = hooks_of_agent(program, box)
    return {key: hook["trustStatus"] if hook["enabled"] else "disabled" for key, hook in hooks.items()}


def hookwright(box, *words):
    command = [os.environ["HOOKWRIGHT_BIN"], "--project", str(box.project), "--json", *words]
    ended = subprocess.run(command, env=environment(box), capture_output=True, text=True)
    if not ended.stdout.strip():
        raise RuntimeError(f"{words}: {ended.stderr}")
    return json.loads(ended.stdout)


def states_of_hookwright(box):
    states = {}
    for hook in hookwright(box, "list", "--dialect", "codex")["hooks"]:
        group, index = hook["hook"].split(".")[-2:]
        event = re.sub(r"(?<!^)([A-Z])", r"_\1", hook["event"]).lower()
        states[f"{hook['path']}:{event}:{group}:{index}"] = hook["agent_trust"]
    return states


def files(box, project=FILE, state="", trusted=True):
    codex.write(box, {"project": project, "config": state, "trusted": trusted, "user": {"hooks": {}}}, False)


def tables(program, box, change=lambda text: text, more=""):
    """The tables by which Codex trusts every hook that it lists now."""
    hooks = hooks_of_agent(program, box)
    return "".join(f"[hooks.state.{json.dumps(key)}]\ntrusted_hash = {json.dumps(change(hook['currentHash']))}\n{more}" for key, hook in hooks.items())


def no_entry(program, box):
    files(box)


def right_hash(program, box):
    files(box)
    files(box, state=tables(program, box))


def wrong_hash(program, box):
    files(box)
    files(box, state=tables(program, box, lambda text: text[:-1] + ("0" if text[-1] != "0" else "1")))


def capitals(program, box):
    files(box)
    files(box, state=tables(program, box, lambda text: "sha256:" + text[7:].upper()))


def switched_off(program, box):
    files(box)
    files(box, state=tables(program, box, more="enabled = false\n"))


def switched_off_here(program, box):
    right_hash(program, box)
    hookwright(box, "edit", "codex:project:PreToolUse:hooks.0.0", "--disable")


def inserted_before(program, box):
    files(box)
    state = tables(program, box)
    files(box, {"hooks": {**FILE["hooks"], "PreToolUse": [LOG, GUARD, LOG]}}, state)


def moved_here(program, box):
    right_hash(program, box)
    hookwright(box, "edit", "codex:project:PreToolUse:hooks.0.0", "--move-to", "2")


def other_folder(program, box):
    files(box)
    files(box, state=tables(program, box), trusted=False)


def in_settings(program, box):
    table = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"true\"\n"
    codex.write(box, {"config": table, "user": {"hooks": {}}}, False)
    codex.write(box, {"config": table + tables(program, box), "user": {"hooks": {}}}, False)


def connected(program, box):
    files(box, {"hooks": {}})
    hookwright(box, "connect", "codex", "--yes")


def connected_with_trust(program, box):
    files(box, {"hooks": {}})
    hookwright(box, "connect", "codex", "--trust", "--yes")


SCENARIOS = [no_entry, right_hash, wrong_hash, capitals, switched_off, switched_off_here, inserted_before, moved_here, other_folder, in_settings, connected, connected_with_trust]


def main():
    program = os.environ.get(codex.PROGRAM)
    if not program:
        print(f"skipped: {codex.PROGRAM} is not set")
        return 0
    failed = 0
    for scenario in SCENARIOS:
        with tempfile.TemporaryDirectory(prefix="real-agent-") as folder:
            box = Box(Path(folder) / "codex", "http://127.0.0.1:1")
            scenario(program, box)
            theirs, ours = states_of_agent(program, box), states_of_hookwright(box)
        # Hooks of a folder that is not trusted are not listed at all.
        theirs = {key: theirs.get(key, "untrusted") for key in {**theirs, **ours}}
        agrees = theirs == ours
        failed += not agrees
        states = ", ".join(sorted(set(filter(None, ours.values()))))
        print(f"{'ok  ' if agrees else 'FAIL'} {scenario.__name__.replace('_', ' ')}: {len(ours)} hooks, {states}")
        for key in theirs:
            if theirs[key] != ours.get(key):
                print(f"    {key}\n    Codex: {theirs[key]}\n    Hookwright: {ours.get(key)}")
    print(f"{codex.NAME}: {len(SCENARIOS)} scenarios, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
