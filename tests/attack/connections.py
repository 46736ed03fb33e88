"""Another user opens connections to the page until the engine would have no descriptors left: a guard must still block.

Needs root, to act as another user.
"""
import json
import os
import re
import resource
import subprocess
import time

from hw import Control, Report, Trial, stop

OPENER = """
import socket, sys, time
host, port = sys.argv[1].split(":")
kept = []
for _ in range(1100):
    try:
        connection = socket.create_connection((host, int(port)), timeout=6)
        connection.send(b"G")
        kept.append(connection)
    except OSError:
        time.sleep(0.01)
print(len(kept), flush=True)
time.sleep(60)
"""


def served(trial):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    engine = trial.serve("--web", "127.0.0.1:0", preexec_fn=limit)
    end = time.time() + 10
    while time.time() < end:
        printed = open(trial.dir + "/serve.out").read() + open(trial.dir + "/serve.err").read()
        link = re.search(r"http://([^/]+)/\?code=", printed)
        if link:
            return engine, link.group(1)
        time.sleep(0.05)
    raise SystemExit("the page was not served")


def open_from_others(host):
    other = {"user": 65534, "group": 65534, "extra_groups": []}
    raise_limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    opener = subprocess.Popen(["python3", "-c", OPENER, host], stdout=subprocess.PIPE, preexec_fn=raise_limit, cwd="/", **other)
    opener.stdout.readline()
    return opener


def main():
    report = Report("connections")
    if os.geteuid() != 0:
        report.skip("needs root, to act as another user")
        report.finish()
    trial = Trial("connections")
    guard = {"pre_tool_execution": [{"command": "echo '{\"action\":\"stop\"}'"}]}
    trial.write(".jcli/hooks.yaml", json.dumps(guard), 0o644)
    trial.trust_all()
    engine, host = served(trial)
    control = Control(trial.control())
    control.call("projects.add", {"path": trial.proj})
    payload = {"tool_name": "Bash", "tool_arguments": "{}"}

    def blocked(run):
        params = {"run": run, "project": trial.proj, "dialect": "jcli", "event": "pre_tool_execution", "payload": payload}
        answer = control.call("fire", params)
        return answer.get("result", {}).get("verdict", {}).get("kind") == "stop"

    report.case("guard over the socket", "before", blocked("before"))
    opener = open_from_others(host)
    descriptors = len(os.listdir(f"/proc/{engine.pid}/fd"))
    report.figure("descriptors of the engine during the attack", descriptors, 200)
    for number in range(5):
        report.case("guard over the socket", f"during {number}", blocked(f"during {number}"))
    report.case("new control connection", "during", "result" in Control(trial.control(), 10).call("state"))
    code = trial.fire("jcli", "pre_tool_execution", payload).returncode
    report.case("guard on the command line", "during", code == 2, exit=code)
    opener.kill()
    opener.wait()
    report.case("guard over the socket", "after", blocked("after"))
    stop(engine)
    report.finish()


if __name__ == "__main__":
    main()
