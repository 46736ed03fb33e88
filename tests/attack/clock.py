"""A clock that is wrong for a moment: what is removed because it seems old, what expires, what keeps its order."""
import json
import os
import subprocess
import sys
import time

from ag import HEAVY, Control, Report, Trial, stop

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, at);
    const char *by = getenv("ATTACK_CLOCK");
    if (by && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec += atoll(by);
    return result;
}
"""
report = Report("clock")
shared = Trial("clock-shim")
source, library = shared.write("clock.c", SHIM, 0o644), os.path.join(shared.dir, "clock.so")
if subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"]).returncode:
    report.skip("no C compiler")
    report.finish()
DAY = 86_400


def wrong(by):
    return {"LD_PRELOAD": library, "ATTACK_CLOCK": str(by)}


def listed(trial, **more):
    run = trial.run("history", "--limit", "1000", "--json", **more)
    return {row["trace"] for row in json.loads(run.stdout)["traces"]} if run.returncode == 0 else None


for by in (60 * DAY, 3650 * DAY) if HEAVY else (60 * DAY,):
    trial = Trial("history")
    trial.write(os.path.join(trial.home, ".jdata/agent/hooks.yaml"), "stop:\n  - command: echo '{}'\n", 0o600)
    fired = {json.loads(trial.fire("jcli", "stop", {"assistant_output": str(n)}, "--json").stdout)["trace"] for n in range(10)}
    # An engine that runs for a few seconds with a wrong clock (a laptop whose clock battery is empty, a virtual machine that resumed).
    engine = trial.serve(env=wrong(by))
    control = Control(trial.control(), 20)
    control.call("state")
    control.call("fire", {"run": "1", "project": trial.proj, "dialect": "jcli", "event": "stop", "payload": {}})
    time.sleep(float(os.environ.get("WAIT", "36")))
    stop(engine)
    trial.run("stats", "--json")
    left = listed(trial)
    print(f"history: {by // DAY} days ahead for a moment: {len(fired & left)} of {len(fired)} events left", file=sys.stderr)
    report.case("history", f"{by // DAY} days ahead for a moment: the events stay", fired <= left, left=len(fired & left), of=len(fired))

if not HEAVY:
    report.skip("history, 3,650 days ahead: heavy, set ATTACK_HEAVY=1")
for by in (31 * DAY, -31 * DAY, 3650 * DAY):
    trial = Trial("edits")
    trial.write(".jcli/hooks.yaml", "stop:\n" + "".join(f"  - command: echo {n}\n" for n in range(8)), 0o644)
    for n in range(5):
        trial.run("remove", "jcli:project:stop:0")
    trial.write(".agents/hooks/x/HOOK.md", "---\nname: x\ndescription: d\ntrigger: before_tool\n---\n", 0o644)
    trial.write(".agents/hooks/x/scripts/run.sh", "#!/bin/sh\nexit 0\n")
    removed = trial.run("remove", "agent-hooks:project:x")
    before = len(json.loads(trial.run("undo", "--list", "--json").stdout)["edits"])
    trial.run("add", "--dialect", "jcli", "--event", "stop", "--layer", "project", "--definition", '{"command": "true"}', **wrong(by))
    edits = json.loads(trial.run("undo", "--list", "--json").stdout)["edits"]
    print(f"edits: {by // DAY} days: {before} -> {len(edits)}; trash {os.listdir(trial.data + '/trash') if os.path.exists(trial.data + '/trash') else []} {removed.returncode}", file=sys.stderr)
    report.case("edits", f"one edit with the clock {by // DAY} days off: the others stay", len(edits) == before + 1, before=before, after=len(edits))
    # The next edit with the right clock, and undo takes the latest.
    trial.run("add", "--dialect", "jcli", "--event", "stop", "--layer", "project", "--definition", '{"command": "last"}')
    trial.run("undo")
    report.case("edits", f"{by // DAY} days: undo takes the latest edit", "last" not in open(os.path.join(trial.proj, ".jcli/hooks.yaml")).read())

trial = Trial("mutes")
trial.write(os.path.join(trial.home, ".jdata/agent/hooks.yaml"), "pre_tool_execution:\n  - command: echo '{\"action\":\"stop\"}'\n", 0o600)
trial.run("mute", "jcli:user:pre_tool_execution:0", "--for", "30m", **wrong(3650 * DAY))
code, trace = trial.trace("jcli", "pre_tool_execution", {"tool_name": "Bash"})
print("mute for 30 minutes, made with a clock 10 years ahead: verdict now", trace["verdict"]["kind"], file=sys.stderr)
report.case("mutes", "30 minutes from a wrong clock do not last for ten years", trace["verdict"]["kind"] != "proceed")
report.finish()
