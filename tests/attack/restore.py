"""Restore in Trust, denials, and edits of scripts: links in the place of a script, races, what a revert brings back."""
import json
import os
import subprocess
import sys
import time

from ag import Control, Report, Trial, stop

report = Report("restore")
HOOK = "jcli:project:pre_tool_execution:0"


def begin(name):
    trial = Trial(name)
    trial.write(".jcli/hooks.yaml", "pre_tool_execution:\n  - command: sh hooks/guard.sh\n", 0o644)
    trial.write("hooks/guard.sh", f"#!/bin/sh\necho good >> {trial.mark}\n")
    trial.victim = trial.write(os.path.join(trial.home, ".bashrc"), "# mine\n", 0o644)
    trial.trust_all()
    return trial, trial.serve()


def restore(trial, control, path):
    """As the window does it: the approved text over the present one."""
    texts = control.call("trust.texts", {"project": trial.proj, "hook": HOOK})["result"]
    now = control.call("hooks.text", {"project": trial.proj, "path": path, "hook": HOOK})
    good = f"#!/bin/sh\necho good >> {trial.mark}\n"
    return texts, now, control.call("edit.save", {"project": trial.proj, "path": path, "hook": HOOK, "base": now.get("result", {}).get("hash"), "text": good})


def changed(trial):
    return open(trial.victim).read() != "# mine\n"


for name, swap in (("script is a link out", lambda t: (os.remove(t.proj + "/hooks/guard.sh"), os.symlink(t.victim, t.proj + "/hooks/guard.sh"))),
                   ("folder is a link out", lambda t: (os.rename(t.proj + "/hooks", t.proj + "/old"), os.symlink(t.home, t.proj + "/hooks"), os.symlink(t.victim, t.home + "/guard.sh"))),
                   ("script is a pipe", lambda t: (os.remove(t.proj + "/hooks/guard.sh"), os.mkfifo(t.proj + "/hooks/guard.sh"))),
                   ("script is a folder", lambda t: (os.remove(t.proj + "/hooks/guard.sh"), os.mkdir(t.proj + "/hooks/guard.sh"))),
                   ("script is gone", lambda t: os.remove(t.proj + "/hooks/guard.sh")),
                   ("script is a hard link", lambda t: (os.remove(t.proj + "/hooks/guard.sh"), os.link(t.victim, t.proj + "/hooks/guard.sh"))),
                   ("script changed", lambda t: t.write("hooks/guard.sh", f"#!/bin/sh\necho evil >> {t.mark}\n"))):
    trial, server = begin("restore")
    control = Control(trial.control(), 20)
    control.call("hooks.list", {"project": trial.proj})
    swap(trial)
    time.sleep(0.4)
    try:
        texts, now, got = restore(trial, control, trial.proj + "/hooks/guard.sh")
        print(f"  {name}: {'saved' if 'result' in got else got['error']['message'][:100]}", file=sys.stderr)
        report.case("restore", name + ": nothing outside changes", not changed(trial))
        leaked = "# mine" in json.dumps(texts) or "# mine" in json.dumps(now)
        if leaked:
            print(f"  {name}: the text of the outside file is shown", file=sys.stderr)
        trial.marked()
        code, trace = trial.trace("jcli", "pre_tool_execution", {"tool_name": "Bash"})
        ran = trial.marked()
        report.case("restore", name + ": only the approved text runs", ran in ([], ["good"]), ran=ran)
    except (TimeoutError, EOFError) as error:
        report.case("restore", name + ": answers", False, error=repr(error))
    stop(server)

# Deny, revert, deny again, change, `--all`.
trial, server = begin("deny")
fire = lambda: (trial.fire("jcli", "pre_tool_execution", {"tool_name": "Bash"}), trial.marked())[1]  # noqa: E731
report.case("deny", "approved runs", fire() == ["good"])
trial.write("hooks/guard.sh", f"#!/bin/sh\necho evil >> {trial.mark}\n")
run = trial.run("trust", "--deny", HOOK)
report.case("deny", "denied", run.returncode == 0, err=run.stderr.decode()[-200:])
report.case("deny", "denied does not run", not fire())
trial.run("trust", "--all")
report.case("deny", "--all does not approve a denied one", not fire())
trial.run("trust", HOOK, "--yes")
state = fire()
print("  trust HOOK --yes of a denied hook:", state, file=sys.stderr)
trial.run("trust", "--deny", HOOK)
trial.write("hooks/guard.sh", f"#!/bin/sh\necho good >> {trial.mark}\n")
state = fire()
print("  back to the text that was approved before the denial:", state, json.loads(trial.run("trust", "--list", "--json").stdout)["pending"][:1] and "pending", file=sys.stderr)
report.case("deny", "after a denial the old approval is not back by itself", not state, ran=state)
trial.write("hooks/guard.sh", f"#!/bin/sh\necho evil >> {trial.mark}\n")
report.case("deny", "the denied text again: still denied", not fire())
run = trial.run("trust", "--all")
report.case("deny", "the denied text again: `--all` leaves it", not fire(), out=run.stdout.decode()[:200])
# Hookwright's own edit of a denied hook carries nothing over.
trial.run("edit", HOOK, "--set", "timeout=9")
trial.run("trust", "--all")
state = fire()
print("  a denied hook, edited with Hookwright (timeout), then `trust --all`:", state, file=sys.stderr)
# Many parallel denials and approvals.
processes = [trial.popen("trust", *(["--deny", HOOK] if n % 2 else ["--revoke", HOOK]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for n in range(20)]
for process in processes:
    process.wait(60)
report.case("deny", "trust.json is whole after 20 at once", trial.run("trust", "--list", "--json").returncode == 0)
stop(server)
report.finish()
