"""64 agents, edits by two ways, saves of a person, a page that polls: acknowledged against recorded; memory, descriptors, orphans over time.

usage: soak.py [SECONDS] [EVENTS A SECOND]; without them 30 s, with ATTACK_HEAVY=1 120 s
"""
import json
import os
import random
import re
import subprocess
import sys
import threading
import time

from ag import HEAVY, RELAY, Agent, Control, Report, Trial, agent_socket, rss, stop

SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 120 if HEAVY else 30
RATE = float(sys.argv[2]) if len(sys.argv) > 2 else 20
report = Report("soak")
trial = Trial("soak")
user = os.path.join(trial.home, ".jdata/agent/hooks.yaml")
trial.write(user, "pre_tool_execution:\n  - command: echo '{\"action\":\"stop\"}'\npre_send_message:\n  - command: cat >/dev/null; echo '{}'\n    timeout: 10\n", 0o600)
trial.write(".jcli/hooks.yaml", "pre_send_message:\n" + "".join(f"  - command: echo '{{}}' # h{n}\n    timeout: 10\n" for n in range(6)), 0o644)
trial.write(os.path.join(trial.home, ".qoder/settings.json"), json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}), 0o600)
trial.trust_all()
server = trial.serve("--web", "127.0.0.1:0", env={"SOAK": "1"})
path = agent_socket(trial)
BLOCKED = ("stop", "deny", "skip", "retry", "end_turn", "end_session")
acked, refused, wrong, lock, done = set(), {}, [], threading.Lock(), threading.Event()
sent = [0]


def agent_loop(number):
    rng = random.Random(number)
    pause = 64 / RATE
    while not done.is_set():
        try:
            dialect = "qoder" if number % 4 == 0 else "jcli"
            agent = Agent(path, 60, answers={"callback.call": lambda params: {"output": {}}})
            agent.open(dialect, trial.proj if number % 8 else "/", f"a{number}", offers=["callbacks"], keep_ms=rng.choice([0, 0, 2000]))
            if dialect == "qoder":
                agent.call("hook.register", {"event": "PreToolUse", "definition": {"callback": "x"}})
            for _ in range(rng.randrange(3, 25)):
                if done.is_set():
                    break
                time.sleep(rng.uniform(0.3, 1.7) * pause)
                event, payload = ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "x" * rng.choice([5, 500, 20000])}}) if dialect == "qoder" else rng.choice(
                    [("pre_tool_execution", {"tool_name": "Bash", "tool_arguments": "{}"}), ("pre_send_message", {"user_input": "x" * rng.choice([5, 500, 20000])})])
                with lock:
                    sent[0] += 1
                got = agent.call("event.fire", {"event": event, "payload": payload}, 60)
                with lock:
                    if "result" in got:
                        if got["result"]["recorded"]:
                            acked.add(got["result"]["trace"])
                        kind = got["result"]["verdict"]["kind"]
                        if event in ("pre_tool_execution", "PreToolUse") and kind not in BLOCKED:
                            wrong.append((event, kind, got["result"]))
                    else:
                        code = got["error"]["data"]["code"]
                        refused[code] = refused.get(code, 0) + 1
            if rng.random() < 0.3:
                agent.send("event.fire", {"event": event, "payload": payload}, "left")
            agent.close()
        except (OSError, EOFError, TimeoutError, KeyError) as error:
            with lock:
                refused[type(error).__name__] = refused.get(type(error).__name__, 0) + 1
            time.sleep(0.5)


def editor():
    """A person's editor, the command line and the page change the project's file."""
    rng = random.Random(1)
    file = os.path.join(trial.proj, ".jcli/hooks.yaml")
    control = Control(trial.control(), 60)
    count = 0
    while not done.is_set():
        count += 1
        try:
            hook = f"jcli:project:pre_send_message:{rng.randrange(6)}"
            way = count % 3
            if way == 0:
                trial.run("edit", hook, "--set", f"timeout={rng.randrange(5, 20)}", timeout=60)
            elif way == 1:
                control.call("edit.change", {"project": trial.proj, "hook": hook, "steps": [{"set": "timeout", "value": rng.randrange(5, 20)}]})
            else:
                text = open(file).read()
                with open(file + ".x", "w") as out:
                    out.write(text.rstrip("\n") + f" \n# save {count}\n" if count < 60 else re.sub(r"# save \d+\n", "", text))
                os.replace(file + ".x", file)
            control.call("hooks.list", {"project": trial.proj})
            control.call("history.page", {"limit": 50})
            control.call("stats", {"since_ms": 3600000})
            control.call("agents.list")
            control.call("trust.list", {"project": trial.proj})
        except (OSError, EOFError, subprocess.TimeoutExpired) as error:
            print("editor:", repr(error)[:100], file=sys.stderr)
            control = Control(trial.control(), 60)
        done.wait(2)


def relays():
    while not done.is_set():
        run = subprocess.run([RELAY, "--dialect", "qoder"], input=json.dumps({"hook_event_name": "PreToolUse", "session_id": f"r{random.randrange(30)}", "tool_name": "Bash", "tool_input": {}}).encode(),
                             env=trial.env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=trial.proj)
        if run.returncode != 2 and b'"deny"' not in run.stdout:
            wrong.append(("relay", run.returncode, run.stderr.decode()[-200:]))
        done.wait(1)


samples = []
threads = [threading.Thread(target=agent_loop, args=(number,), daemon=True) for number in range(64)] + [threading.Thread(target=editor, daemon=True), threading.Thread(target=relays, daemon=True)]
for thread in threads:
    thread.start()
begin = time.time()
while time.time() - begin < SECONDS:
    time.sleep(10 if SECONDS > 60 else 3)
    mem, fds, count = rss(server.pid)
    with lock:
        samples.append((round(time.time() - begin), round(mem), fds, count, len(acked), dict(refused), len(wrong)))
    print("  ", samples[-1], file=sys.stderr, flush=True)
    if server.poll() is not None:
        break
done.set()
for thread in threads:
    thread.join(20)
time.sleep(5)
print("   at rest:", rss(server.pid), file=sys.stderr)
alive = server.poll() is None
rest = rss(server.pid) if alive else (0, 0, 0)
stop(server, wait=30)
ids, after = [], None
while True:
    page = json.loads(trial.run("history", "--limit", "5000", "--json", *(["--after", after] if after else []), timeout=120).stdout)
    ids += [row["trace"] for row in page["traces"]]
    after = page["next"]
    if not after:
        break
left = []
for pid in os.listdir("/proc"):
    if pid.isdigit():
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if b"SOAK=1" in file.read() and int(pid) != server.pid:
                    left.append((pid, open(f"/proc/{pid}/cmdline").read()[:80]))
        except OSError:
            pass
print(f"sent {sent[0]}, acknowledged {len(acked)}, recorded {len(ids)}, refused {refused}, left {left}", file=sys.stderr)
report.case("soak", "the engine lives", alive)
report.figure("acknowledged and not recorded", len(acked - set(ids)), 0)
report.figure("recorded twice", len(ids) - len(set(ids)), 0)
report.figure("guards that did not block", len(wrong), 0)
report.missed += [{"group": "wrong", "case": str(one)[:400]} for one in wrong[:5]]
report.figure("processes left", len(left), 0)
half = samples[len(samples) // 3]
report.figure("MiB more at the end than after a third", round(samples[-1][1] - half[1]), 60)
report.figure("descriptors more at rest than after a third", max(0, rest[1] - half[2]), 5)
report.finish()
