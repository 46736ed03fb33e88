"""One made-up secret at each of 31 places of an event, a hook and its output; then everything that is told or kept is
searched for it.
"""
import json
import os
import time

from hw import Control, Report, Trial, stop

BODY = "Zq7Vb2Nw9Xk4Lm1Pd8Rs5"
PLACES = [
    "chunk", "stderr", "reason", "filename", "command", "key", "toolname", "variable", "cut", "field", "message", "folder",
    "label", "gate", "badjson", "argument", "bytes", "fixture", "query", "matcher", "definition", "ignored", "deep", "args",
    "timeout", "peer", "detached", "prompt", "session", "event",
]
SECRET = {place: f"ghp_{place.upper()}{BODY}" for place in PLACES}
# From a variable of the engine whose name names a secret.
SECRET["environment"] = f"Env{BODY}"
# Identities stay as they are: traces are found by their session, files that were approved by their path, and an unknown event
# is named to whoever fired it.
IDENTITIES = {
    "session": {"fire", "control history.page", "pushes", "show --json", "history", "data/history.db"},
    "filename": {"data/trust.json"},
    "event": {"fire"},
}
# The texts of covered files are kept as they were approved, for the review of a change and for nothing else.
APPROVED_TEXTS = "data/approved/"
# A definition is shown as its file has it to the person who is to approve it.
DEFINED = {"filename", "command", "argument", "matcher", "label", "definition", "gate", "prompt", "chunk", "reason", "field"}
SHOWN = {"list", "trust --list"}

PEER = """import json, sys
for line in sys.stdin:
    request = json.loads(line)
    sys.stderr.write("boom %(peer)s\\n")
    sys.stderr.flush()
    if "id" not in request:
        continue
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] == "hook.hello":
        answer["result"] = {"ok": True}
    else:
        answer["error"] = {"code": 1, "message": "err %(peer)s"}
    print(json.dumps(answer), flush=True)
"""


def hooks(trial):
    """Hooks of five dialects that hold and print the secrets."""
    told = json.dumps({"system_message": "see " + SECRET["chunk"]})
    trial.write("chunk.py", f"import sys, time\nfor char in {told!r}:\n    sys.stdout.write(char)\n    sys.stdout.flush()\n    time.sleep(0.005)\n")
    trial.write("stderr.sh", f"echo 'oops {SECRET['stderr']}' >&2; echo '{{}}'\n")
    trial.write("reason.sh", f"echo 'fatal: {SECRET['reason']} denied' >&2; exit 3\n")
    trial.write("environment.sh", 'echo "{\\"system_message\\":\\"$PLAIN $MY_API_KEY\\"}"\n')
    trial.write("cut.py", f"import sys\nsys.stderr.write('x' * ((1 << 20) - 10) + ' {SECRET['cut']} tail')\nprint('{{}}')\n")
    trial.write("unknown.sh", f"echo '{{\"{SECRET['field']}\": 1, \"foo\": \"{SECRET['ignored']}\"}}'\n")
    trial.write("bad.sh", f"echo 'not json {SECRET['badjson']} {{'\n")
    trial.write("bytes.sh", f"printf 'a\\377 {SECRET['bytes']}\\n' >&2; echo '{{}}'\n")
    trial.write(f"f-{SECRET['filename']}.sh", "echo '{}'\n")
    trial.write("slow.sh", f"echo 'partial {SECRET['timeout']}'; sleep 5\n")
    trial.write("message.sh", f"echo '{{\"system_message\": \"{SECRET['message']}\"}}'\n")
    commands = [
        "python3 chunk.py", "sh stderr.sh", "sh reason.sh", "sh environment.sh", "python3 cut.py", "sh unknown.sh", "sh bad.sh",
        "sh bytes.sh", "sh message.sh", f"sh f-{SECRET['filename']}.sh", f"sh stderr.sh --token {SECRET['command']}",
        f"sh missing-{SECRET['argument']}.sh",
    ]
    sends = [{"command": command, "timeout": 3} for command in commands] + [{"command": "sh slow.sh", "timeout": 1}]
    gate = {"command": "true", "filter": {"tool_name": SECRET["gate"]}}
    trial.write(".jcli/hooks.yaml", json.dumps({"pre_send_message": sends, "pre_tool_execution": [gate]}), 0o644)
    group = {"matcher": SECRET["matcher"], "hooks": [{"type": "command", "name": "n " + SECRET["label"], "command": "true"}]}
    trial.write(".qoder/settings.json", json.dumps({"hooks": {"PreToolUse": [group]}}), 0o644)
    trial.write(
        ".agents/hooks/h/HOOK.md",
        f"---\nname: h\ndescription: d {SECRET['definition']}\ntrigger: after_tool\nasync: true\n---\nbody\n",
    )
    trial.write(".agents/hooks/h/scripts/run", f"#!/bin/sh\necho 'log {SECRET['detached']}'\n")
    trial.write("peer.py", PEER % {"peer": SECRET["peer"]})
    process = {"enabled": True, "command": ["python3", "peer.py"], "intercept": ["before_tool"]}
    trial.write(".picoclaw/config.json", json.dumps({"hooks": {"processes": {"p": process}}}), 0o644)
    entry = {"name": "a", "file": "a.md", "timing": "before_planning", "role": "system", "persistent": False}
    trial.write("skills/s/hooks/hooks.json", json.dumps({"hooks": [entry]}), 0o644)
    trial.write("skills/s/hooks/a.md", "text " + SECRET["prompt"])


def fires(trial, told):
    """Events of five dialects."""
    def fire(*args):
        run = trial.fire(*args, HOOKWRIGHT_LOG="debug")
        told["fire"] = told.get("fire", b"") + run.stdout + run.stderr

    nested = [[[{"a": SECRET["deep"]}]]]
    arguments = json.dumps({"command": "x " + SECRET["args"]})
    sent = {"user_input": "x", SECRET["key"]: "v", "deep": nested}
    fire("jcli", "pre_send_message", sent, "--json", "--session", SECRET["session"])
    fire("jcli", "pre_send_message", {"user_input": "x", "cwd": f"{trial.dir}/{SECRET['folder']}"}, "--json")
    fire("jcli", "pre_tool_execution", {"tool_name": SECRET["toolname"], "tool_arguments": arguments}, "--json")
    fire("jcli", SECRET["event"], {}, "--json")
    fire("qoder", "PreToolUse", {"tool_name": SECRET["toolname"], "tool_input": {}, "tool_use_id": "x"}, "--json")
    fire("agent-hooks", "after_tool", {"tool_name": "x"}, "--json")
    fire("picoclaw", "before_tool", {"tool": "x", "arguments": {}}, "--json")
    fire("skill", "before_planning", {"messages": [], "enabled_skills": ["s"]}, "--json")
    payload = json.dumps({"tool_name": SECRET["toolname"]})
    explained = trial.run("explain", "--dialect", "jcli", "--event", "pre_tool_execution", "--payload", "-", stdin=payload)
    told["explain"] = explained.stdout


def calls(trial, control, told):
    """The same over the control socket."""
    payload = {"tool_name": SECRET["toolname"], "tool_arguments": json.dumps({"a": SECRET["args"]})}
    fired = {"run": "r1", "project": trial.proj, "dialect": "jcli", "event": "pre_tool_execution", "payload": payload}
    saved = {"dialect": "jcli", "event": "pre_send_message", "name": "kept", "payload": {"user_input": SECRET["fixture"]}}
    for method, params in (("fire", fired), ("fixtures.save", saved), ("history.page", {"limit": 50, "query": SECRET["query"]})):
        told[f"control {method}"] = json.dumps(control.call(method, params)).encode()
    time.sleep(1)
    control.call("state")
    told["pushes"] = json.dumps(control.pushes).encode()


def reads(trial, told):
    """What commands tell afterwards."""
    traces = [trace["trace"] for trace in trial.json("history")["traces"]]
    for name, flags in (("show --json", ["--json"]), ("show", [])):
        told[name] = b"".join(trial.run("show", trace, *flags).stdout for trace in traces)
    for command in (["history"], ["stats"], ["list"], ["trust", "--list"]):
        told[" ".join(command)] = trial.run(*command).stdout + trial.run(*command, "--json").stdout


def main():
    report = Report("places")
    trial = Trial("places", env={"MY_API_KEY": SECRET["environment"], "PLAIN": SECRET["variable"]})
    hooks(trial)
    trial.trust_all()
    engine = trial.serve(env={"HOOKWRIGHT_LOG": "debug"})
    control = Control(trial.control())
    control.call("projects.add", {"path": trial.proj})
    control.call("subscribe")
    told = {}
    fires(trial, told)
    calls(trial, control, told)
    reads(trial, told)
    stop(engine)
    with open(os.path.join(trial.dir, "serve.err"), "rb") as file:
        told["log"] = file.read()
    for top, _, names in os.walk(trial.data):
        for name in names:
            path = os.path.join(top, name)
            with open(path, "rb") as file:
                told["data/" + os.path.relpath(path, trial.data)] = file.read()
    for place, secret in SECRET.items():
        core = secret.removeprefix("ghp_").encode()
        where = [name for name, text in told.items() if core in text or core[:14] in text]
        where = [name for name in where if not (place in DEFINED and name in SHOWN)]
        where = [name for name in where if name not in IDENTITIES.get(place, ()) and not name.startswith(APPROVED_TEXTS)]
        report.case("places seen", place, not where, where=where)
    report.finish()


if __name__ == "__main__":
    main()
