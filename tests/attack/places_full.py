"""One agent takes all places: the 64 events of a session, the 128 hook processes of an engine. What becomes of another agent's guard?"""
import json
import os
import subprocess
import sys
import time

from ag import RELAY, Agent, Report, Trial, agent_socket, rss, stop

report = Report("places_full")
GUARD = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}], "Stop": [{"hooks": [{"type": "command", "command": "sleep 4", "timeout": 30}]}]}}
EVENT = {"hook_event_name": "PreToolUse", "session_id": "victim", "tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}


def begin(name):
    trial = Trial(name)
    trial.write(os.path.join(trial.home, ".qoder/settings.json"), json.dumps(GUARD), 0o600)
    server = trial.serve()
    return trial, server, agent_socket(trial)


def relay(trial, limit=60):
    t = time.time()
    try:
        run = subprocess.run([RELAY, "--dialect", "qoder"], input=json.dumps(EVENT).encode(), env=trial.env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=trial.proj, timeout=limit)
        return b'"deny"' in run.stdout, time.time() - t, run.stderr.decode().strip()[:120]
    except subprocess.TimeoutExpired:
        return False, time.time() - t, "timed out"


def session_places():
    """64 events of the victim's session that wait for a callback of another connection."""
    trial, server, path = begin("session")
    before = relay(trial)
    other = Agent(path, 30)
    other.open("qoder", trial.proj, "victim", name="other", offers=["callbacks"])
    other.call("hook.register", {"event": "UserPromptSubmit", "definition": {"callback": "never", "timeout": 600}})
    for number in range(64):
        other.send("event.fire", {"event": "UserPromptSubmit", "payload": {"prompt": "x"}}, f"n{number}")
    time.sleep(1.5)
    during = relay(trial)
    print("  session:", before, "->", during, file=sys.stderr)
    report.case("places", "64 waiting events of another connection do not open the guard of the session", during[0], before=before[0], during=during)
    other.close()
    stop(server)


def engine_places():
    """Events of other sessions whose hooks take long."""
    trial, server, path = begin("engine")
    before = relay(trial)
    others = []
    for count in range(10):
        other = Agent(path, 30)
        other.open("qoder", trial.proj, f"o{count}", name="busy")
        for number in range(64):
            other.send("event.fire", {"event": "Stop", "payload": {}}, f"n{number}")
        others.append(other)
    time.sleep(1.5)
    during = relay(trial, 90)
    print("  engine:", before, "->", during, rss(server.pid), file=sys.stderr)
    report.figure("seconds that a guard waits for 640 slow events of other sessions", round(during[1], 2), 0.5)
    report.case("places", "the guard still blocks", during[0], during=during)
    for other in others:
        other.close()
    stop(server, wait=30)


def deep():
    """Deep and large values in each place of a request and of an answer."""
    trial, server, path = begin("deep")
    nest = '{"a":' * 150000 + "1" + "}" * 150000
    big = json.dumps("x" * (15 << 20))
    agent = Agent(path, 60)
    agent.open("qoder", trial.proj, "d", offers=["callbacks", "model", "fire"])
    skill = Agent(path, 60)
    skill.open("skill", trial.proj, "d")
    for name, value in (("deep", nest), ("big", big)):
        for who, line in ((agent, '"event.fire","params":{"event":"PreToolUse","payload":{"a":%s}}'), (agent, '"run.report","params":{"event":"PreToolUse","payload":{},"steps":%s}'),
                          (agent, '"run.report","params":{"event":"PreToolUse","payload":%s}'), (agent, '"hook.register","params":{"event":"PreToolUse","definition":{"callback":"x","y":%s}}'),
                          (agent, '"hook.list","params":%s'), (skill, '"skill.begin","params":{"messages":%s}'), (skill, '"skill.begin","params":{"messages":[],"enabled_skills":%s}'),
                          (agent, '"session.open","params":{"dialect":"jcli","agent":%s,"cwd":"/"}')):
            who.count += 1
            who.raw('{"jsonrpc":"2.0","id":"c%d","method":' % who.count + line % value + "}\n")
            try:
                got = who.wait(f"c{who.count}", 60)
                code = got.get("error", {}).get("code")
                report.case("deep", f"{name} {line[:40]}", code != -32603, got=str(got)[:150])
            except (EOFError, TimeoutError, OSError) as error:
                report.case("deep", f"{name} {line[:40]}", False, error=repr(error), alive=server.poll() is None)
                break
    report.case("deep", "the engine lives", server.poll() is None and relay(trial)[0])
    stop(server)


for part in (session_places, engine_places, deep):
    if len(sys.argv) < 2 or part.__name__ in sys.argv[1:]:
        print("▸", part.__name__, file=sys.stderr)
        part()
report.finish()
