"""Always-allow: exactly this program, name and dialect; revoked at once; names that look alike; a denied hook; a connection that changes its program."""
import json
import os
import shutil
import subprocess
import sys

from ag import Agent, Control, Report, Trial, agent_socket, stop

report = Report("allow")
trial = Trial("allow")
server = trial.serve()
path = agent_socket(trial)
control = Control(trial.control(), 30)
EVENT = {"event": "pre_tool_execution", "payload": {"tool_name": "Bash", "tool_arguments": "{}"}}


def registered(agent, word):
    return agent.call("hook.register", {"event": "pre_tool_execution", "definition": {"command": f"echo {word} >> {trial.mark}; echo '{{}}'"}})


def ran(agent):
    trial.marked()
    agent.call("event.fire", EVENT)
    return trial.marked()


first = Agent(path)
first.open("jcli", trial.proj, "a", name="tester")
got = registered(first, "first")
report.case("allow", "waits at first", got["result"]["trusted"] is False and not ran(first))
run = trial.run("trust", "jcli:agent:tester", "--yes")
report.case("allow", "is allowed", run.returncode == 0, err=run.stderr.decode()[-200:])
report.case("allow", "runs at once", ran(first) == ["first"])
for name in ["Tester", "tester ", " tester", "tеster", "tester\u200b", "tester2", "test", ""]:
    other = Agent(path)
    other.open("jcli", trial.proj, "n" + name, name=name)
    got = registered(other, "other")
    report.case("allow", f"another name {name!r} is not allowed", got.get("result", {}).get("trusted") is False and not ran(other), got=str(got)[:150])
    other.close()
other = Agent(path)
other.open("qoder", trial.proj, "q", name="tester", offers=["callbacks"])
got = other.call("hook.register", {"event": "PreToolUse", "definition": {"type": "command", "command": f"echo qoder >> {trial.mark}"}})
report.case("allow", "another dialect is not allowed", got.get("result", {}).get("trusted") is not True, got=str(got)[:150])
# Another program of the same name.
copy = os.path.join(trial.dir, "python-copy")
shutil.copy(os.path.realpath(sys.executable), copy)
script = """
import json, socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
f = s.makefile("rw")
def call(i, m, p):
    f.write(json.dumps({"jsonrpc": "2.0", "id": i, "method": m, "params": p}) + "\\n"); f.flush()
    while True:
        got = json.loads(f.readline())
        if got.get("id") == i: return got
call(1, "session.open", {"dialect": "jcli", "agent": {"name": "tester", "version": "1"}, "cwd": sys.argv[2], "session_id": "x", "protocol": 1})
print(json.dumps(call(2, "hook.register", {"event": "pre_tool_execution", "definition": {"command": "echo copy >> " + sys.argv[3]}})))
call(3, "event.fire", {"event": "pre_tool_execution", "payload": {"tool_name": "Bash"}})
"""
trial.marked()
run = subprocess.run([copy, "-c", script, path, trial.proj, trial.mark], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30, env={"PYTHONHOME": sys.prefix, "PATH": os.environ["PATH"]})
report.case("allow", "another file of the same name is not allowed", b'"trusted": false' in run.stdout and not trial.marked(), out=run.stdout.decode()[:200], err=run.stderr.decode()[-200:])
# A joined connection of another program, in the session of the allowed one.
run = subprocess.run([copy, "-c", script.replace('"session_id": "x"', '"session_id": "a"'), path, trial.proj, trial.mark], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30, env={"PYTHONHOME": sys.prefix, "PATH": os.environ["PATH"]})
marked = ran(first)
report.case("allow", "a command of another program in the same session waits", "copy" not in marked, marked=marked, out=run.stdout.decode()[:200])
# Revoked: from the next event on.
run = trial.run("trust", "--revoke", "jcli:agent:tester")
report.case("allow", "revoked", run.returncode == 0, err=run.stderr.decode()[-200:])
report.case("allow", "does not run any more", not ran(first))
run = trial.run("trust", "jcli:agent:tester", "--yes")
# Denied by itself: not run although the agent is allowed?
hook = [row["hook"] for row in first.call("hook.list")["result"]["hooks"]]
deny = trial.run("trust", "--deny", hook[0])
marked = ran(first)
print("deny:", deny.returncode, deny.stderr.decode().strip()[:150], deny.stdout.decode().strip()[:150], "ran", marked, file=sys.stderr)
report.case("allow", "a denied hook of an allowed agent does not run", deny.returncode != 0 or "first" not in marked, marked=marked)
# `--all` never allows an agent; names that cannot be shown.
for name in ["a\x1b[2K", "x" * 65, "a  b", "\u202e"]:
    run = trial.run("trust", f"jcli:agent:{name}", "--yes")
    report.case("allow", f"{name!r} cannot be allowed", run.returncode == 1)
text = open(os.path.join(trial.data, "trust.json")).read()
print("agents in trust.json:", json.dumps(json.loads(text).get("agents"))[:300], file=sys.stderr)
# `trust --all` is for the files of a project: does it approve what an agent registered meanwhile?
last = Agent(path)
last.open("jcli", trial.proj, "late", name="sandboxed")
registered(last, "late")
trial.run("trust", "--all")
report.case("allow", "`trust --all` does not approve commands of a connected agent", not ran(last))
stop(server)
report.finish()
