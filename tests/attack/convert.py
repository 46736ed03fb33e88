"""`convert`: hostile names, links in the target, scripts outside, secrets; and what an unapproved hook becomes."""
import json
import os
import sys

from ag import Control, Report, Trial, stop

report = Report("convert")
DIALECTS = ["jcli", "qoder", "agent-hooks", "picoclaw"]
NAMES = ["../../evil", "/etc/evil", "a/b", "..", ".", "a\nb", "a\x00b", "x" * 300, "-rf", "con", "a b", "'$(touch pwned)'", "\u202e", "a:b", "~", ".git/hooks/pre-commit"]


def outside(trial, keep):
    found = []
    for folder, folders, files in os.walk(trial.dir):
        for name in files:
            path = os.path.join(folder, name)
            if not path.startswith((trial.out, trial.data)) and path not in keep:
                found.append(path[len(trial.dir):])
    return found


def listing(trial):
    return {os.path.join(folder, name) for folder, _, files in os.walk(trial.dir) for name in files}


def one(source, name):
    trial = Trial("convert")
    trial.out = os.path.join(trial.dir, "out", "inner")
    os.makedirs(trial.out)
    trial.write("guard.sh", "#!/bin/sh\nexit 0\n")
    quoted = json.dumps(name)
    if source == "picoclaw":
        trial.write(".picoclaw/config.json", json.dumps({"hooks": {"enabled": True, "processes": {name: {"enabled": True, "command": ["sh", "guard.sh"], "intercept": ["before_tool"]}}}}), 0o644)
        return trial, ".picoclaw/config.json"
    if source == "agent-hooks":
        trial.write(".agents/hooks/h/HOOK.md", f"---\nname: {quoted}\ndescription: {quoted}\ntrigger: pre-tool-call\nmatcher:\n  tool: {quoted}\n---\n", 0o644)
        trial.write(".agents/hooks/h/scripts/run.sh", "#!/bin/sh\nexit 0\n")
        return trial, ".agents/hooks/h"
    if source == "qoder":
        trial.write(".qoder/settings.json", json.dumps({"hooks": {"PreToolUse": [{"matcher": name, "hooks": [{"type": "command", "command": "sh guard.sh", "name": name}]}]}}), 0o644)
        return trial, ".qoder/settings.json"
    trial.write(".jcli/hooks.yaml", json.dumps({"pre_tool_execution": [{"command": f"sh guard.sh {name}", "filter": {"tool_matcher": name}}]}), 0o644)
    return trial, ".jcli/hooks.yaml"


def names():
    wrote = 0
    for source in DIALECTS:
        for target in DIALECTS:
            if source == target:
                continue
            for name in NAMES:
                trial, path = one(source, name)
                keep = listing(trial)
                run = trial.run("convert", "--from", source, "--to", target, path, "--out", trial.out, timeout=60)
                new = outside(trial, keep)
                wrote += run.returncode == 0
                report.case("names", f"{source} → {target} {name[:20]!r}", not new and run.returncode in (0, 1) and b"panick" not in run.stderr and b"\x1b" not in run.stdout + run.stderr,
                            new=new, rc=run.returncode, err=run.stderr.decode(errors="replace")[-200:])
    print("  names: written", wrote, file=sys.stderr)


def links():
    """The folder of the result has links that somebody else put there."""
    for source in DIALECTS:
        for target in DIALECTS:
            if source == target:
                continue
            trial, path = one(source, "plain")
            elsewhere = os.path.join(trial.dir, "elsewhere")
            os.makedirs(elsewhere)
            for place in (".jcli", ".qoder", ".agents", ".picoclaw", "guard.sh", "hooks"):
                os.symlink(elsewhere if place != "guard.sh" else os.path.join(elsewhere, "new.sh"), os.path.join(trial.out, place))
            keep = listing(trial)
            run = trial.run("convert", "--from", source, "--to", target, path, "--out", trial.out, timeout=60)
            new = [name for name in os.listdir(elsewhere)]
            report.case("links", f"{source} → {target}: nothing is written behind a link", not new, new=new, rc=run.returncode, err=run.stderr.decode()[-150:])


def scripts():
    """Scripts that are links out of the project, or outside: is their text copied into the result?"""
    for name, make in (("link", lambda t: os.symlink(os.path.join(t.dir, "secret"), os.path.join(t.proj, "guard.sh"))), ("dots", None)):
        for target in ("qoder", "agent-hooks", "picoclaw"):
            trial = Trial("scripts")
            trial.out = os.path.join(trial.dir, "out")
            os.makedirs(trial.out)
            trial.write(os.path.join(trial.dir, "secret"), "#!/bin/sh\n# TOP-SECRET-4711\n", 0o700)
            if make:
                make(trial)
            trial.write(".jcli/hooks.yaml", "pre_tool_execution:\n  - command: " + ("sh guard.sh" if make else "sh ../secret") + "\n", 0o644)
            run = trial.run("convert", "--from", "jcli", "--to", target, ".jcli/hooks.yaml", "--json")
            report.case("scripts", f"{name} → {target}: a text of outside is not in the result", b"TOP-SECRET" not in run.stdout, rc=run.returncode)


def layers():
    """An unapproved hook of a project becomes one of the user, who is asked nothing."""
    for how in ("convert", "control"):
        trial = Trial("layers")
        trial.write(".jcli/hooks.yaml", f"pre_tool_execution:\n  - command: echo RAN >> {trial.mark}\n", 0o644)
        if how == "convert":
            run = trial.run("convert", "--from", "jcli", "--to", "qoder", ".jcli/hooks.yaml", "--out", trial.home)
        else:
            server = trial.serve()
            Control(trial.control(), 20).call("hooks.convert", {"project": trial.proj, "hook": "jcli:project:pre_tool_execution:0", "to": "qoder", "folder": trial.home})
            stop(server)
        moved = trial.run("edit", "jcli:project:pre_tool_execution:0", "--to-layer", "user")
        trial.fire("qoder", "PreToolUse", {"tool_name": "Bash", "tool_input": {}})
        marked = trial.marked()
        print(f"  {how}: edit --to-layer user of the unapproved hook rc {moved.returncode} {moved.stderr.decode().strip()[:100]}; after convert it ran: {marked}", file=sys.stderr)
        report.case("layers", f"{how} of an unapproved hook into the home folder does not run without a review", not marked)


for part in (names, links, scripts, layers):
    if len(sys.argv) < 2 or part.__name__ in sys.argv[1:]:
        print("▸", part.__name__, file=sys.stderr)
        part()
report.finish()
