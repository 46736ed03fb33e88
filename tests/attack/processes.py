"""Hooks that misbehave: huge output, unread input, ignored signals, closed streams, grandchildren, many children.

Each must come to its outcome within its deadline and a moment, and leave nothing behind but what the law leaves alone:
background children of a hook that ended by itself, and what left its group without its mark.
"""
import json
import os
import re
import signal
import subprocess
import time

from hw import Report, Trial

# A slow machine may take this much longer than the hook's own timeout.
MOMENT = 15
OK, FAILED, OUT = ("no_opinion", "exit"), ("failed_open", "exit"), ("timed_out_open", "timed_out")
KILLED = ("failed_open", "signal")
PYTHON = "python3 -c"

# name: (command, timeout of the hook in s, bytes of payload, outcome and end, processes that may stay)
CASES = {
    "prints-50mb": ("head -c 50000000 /dev/zero | tr '\\0' x", 20, 10, FAILED, 0),
    "prints-50mb-stderr": ("head -c 50000000 /dev/zero | tr '\\0' x >&2; echo '{}'", 20, 10, OK, 0),
    "endless": ("yes", 2, 10, OUT, 0),
    "never-reads-10mb": ("echo '{}'", 5, 10 << 20, OK, 0),
    "never-reads-hangs": ("exec 0<&-; sleep 60", 2, 10 << 20, OUT, 0),
    "reads-slowly": (f"{PYTHON} \"import sys,time\nwhile sys.stdin.buffer.read(65536): time.sleep(0.002)\nprint('{{}}')\"", 30, 8 << 20, OK, 0),
    "ignores-term": ("trap '' TERM INT HUP; while :; do sleep 60; done", 2, 10, OUT, 0),
    "closes-stdout": ("exec 1>&- 2>&-; sleep 1", 8, 10, OK, 0),
    "grandchild-holds-stdout": ("echo '{}'; sleep 60 &", 8, 10, OK, 1),
    "grandchild-setsid": ("setsid sleep 61 & sleep 60", 1, 10, OUT, 0),
    "grandchild-setsid-noenv": ("env -i setsid sleep 62 & sleep 60", 1, 10, OUT, 1),
    "double-fork-noenv": ("(env -i setsid sh -c 'sleep 63' &) ; sleep 60", 1, 10, OUT, 2),
    "200-children": ("i=0; while [ $i -lt 200 ]; do sleep 64 & i=$((i+1)); done; sleep 60", 4, 10, OUT, 0),
    "respawning": ("f() { while :; do sleep 0.05; (sleep 65) & done; }; f", 2, 10, OUT, 0),
    "stops-itself": ("kill -STOP $$", 2, 10, OUT, 0),
    "kills-parent": ("kill -TERM $PPID; sleep 60; echo '{}'", 8, 10, ("skipped", "cancelled"), 0),
    "kills-group": ("kill -9 0", 8, 10, KILLED, 0),
    "segfault": ("kill -SEGV $$", 8, 10, KILLED, 0),
    "nul-output": ("printf '\\000\\000{}'", 8, 10, FAILED, 0),
    "deep-json": (f"{PYTHON} \"print('['*200000+']'*200000)\"", 8, 10, FAILED, 0),
    "deep-object": (f"{PYTHON} \"print('{{\\\"user_input\\\":'*5000+'1'+'}}'*5000)\"", 8, 10, FAILED, 0),
    "many-keys": (f"{PYTHON} \"import json;print(json.dumps({{'k'*500+str(i):i for i in range(30000)}}))\"", 20, 10, OK, 0),
    "argv0": ("bash -c \"exec -a '[kworker/0:0]' sleep 66\" & sleep 0.1; echo '{}'", 8, 10, OK, 1),
    "nohup": ("nohup sleep 67 >/dev/null 2>&1 & sleep 60", 1, 10, OUT, 0),
    "at-exit-fork": ("trap 'sleep 68 & sleep 69 &' EXIT; echo '{}'", 8, 10, OK, 2),
    "cwd-removed": ("cd /; rmdir \"$JCLI_CWD\" 2>/dev/null; echo '{}'", 8, 10, OK, 0),
}

# Our sleepers alone: other processes of this machine may sleep as long.
OURS = re.compile(r"sleep (6\d)\b")
SUFFIX = f"00{os.getpid()}"


def left():
    out = subprocess.run(["ps", "-eo", "pid,stat,args"], stdout=subprocess.PIPE).stdout.decode(errors="replace")
    rows = [line.split(None, 2) for line in out.splitlines()[1:]]
    return [int(pid) for pid, stat, args in rows if re.search(rf"6\d\.{SUFFIX}\b", args) and stat[0] not in "ZX"]


def until_few(allowed):
    end = time.time() + 4
    while len(left()) > allowed and time.time() < end:
        time.sleep(0.05)
    return left()


def attempt(report, name):
    command, timeout, size, (outcome, ending), stays = CASES[name]
    trial = Trial("proc-" + name)
    command = OURS.sub(lambda found: f"sleep {found[1]}.{SUFFIX}", command)
    trial.write(".jcli/hooks.yaml", json.dumps({"pre_send_message": [{"command": command, "timeout": timeout}]}), 0o644)
    trial.trust_all()
    begin = time.time()
    try:
        _, trace = trial.trace("jcli", "pre_send_message", {"user_input": "x" * size}, timeout=timeout + 60)
    except subprocess.TimeoutExpired:
        report.case("ends in time", name, False, took="hangs")
        return
    took = time.time() - begin
    step = trace["steps"][0]
    got = (step["outcome"], (step["attempts"] or [{}])[-1].get("end"))
    report.case("ends in time", name, took < timeout + MOMENT, took=round(took, 1))
    report.case("comes to its outcome", name, got == (outcome, ending), got=got)
    lists = max(len(step["ignored"]), len(step["edits"]), len(trace["notices"]))
    long = max((len(one["what"]) for one in step["ignored"]), default=0)
    report.case("stays within what is recorded", name, lists <= 101 and long <= 201, entries=lists, longest=long)
    rest = until_few(stays)
    report.case("leaves nothing", name, len(rest) <= stays, left=len(rest))
    for pid in left():
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def main():
    report = Report("processes")
    for name in CASES:
        attempt(report, name)
    report.finish()


main()
