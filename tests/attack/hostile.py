"""A hostile folder: what does it cost to open a project that nobody approved anything of? Large patterns, many hooks, large
files. Each project is listed by a process of its own; time and memory are compared with what an empty project takes.

Goal 20: at most 1 s and 100 MiB more in a release build. A build that does not lie in a folder `release` has DEBUG times as long; its memory is the same.
"""
import json
import os
import subprocess
import sys
import time

from hw import PROGRAM, Report, Trial

# Debug builds of this code take about so many times as long.
DEBUG = 10
SECONDS = 1.0 * (1 if os.sep + "release" + os.sep in PROGRAM else DEBUG)
MIB = 100
LARGE = r"\w{90}N\w{90}"


# A process counts the memory of the one that started it as its own until it runs another program: a small one starts it.
STARTER = """import os, subprocess, sys
child = subprocess.Popen(sys.argv[2:])
_, status, usage = os.wait4(child.pid, 0)
with open(sys.argv[1], "w") as file:
    file.write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status))
"""


def measured(trial, *args):
    """Seconds, peak MiB, exit status and output of one run."""
    out, memory = os.path.join(trial.dir, "out"), os.path.join(trial.dir, "memory")
    command = [sys.executable, "-c", STARTER, memory, PROGRAM, "--project", trial.proj, *args]
    begin = time.monotonic()
    with open(out, "wb") as stdout:
        done = subprocess.run(command, env=trial.env(), cwd=trial.proj, stdout=stdout, stderr=stdout)
    took = time.monotonic() - begin
    with open(out, "rb") as file:
        text = file.read()
    with open(memory) as file:
        return took, int(file.read()) / 1024, done.returncode, text


def qoder(groups):
    return json.dumps({"hooks": {"PreToolUse": groups}})


def group(command, matcher=None):
    hook = {"hooks": [{"type": "command", "command": command}]}
    return hook if matcher is None else {"matcher": matcher, **hook}


def agent_hooks(trial):
    for number in range(2000):
        name = f"h{number}"
        head = f"---\nname: {name}\ndescription: x\ntrigger: before_tool\nmatcher:\n  tool: '{LARGE}{number}'\n---\n"
        trial.write(f".agents/hooks/{name}/HOOK.md", head, 0o644)


def one_mib(trial):
    trial.write("big.sh", "#!/bin/sh\n" + "# nothing\n" * 25_000)
    trial.write(".qoder/settings.json", qoder([group("sh ./big.sh", f"Edit{n}") for n in range(8000)]), 0o644)


PROJECTS = {
    "200 large patterns": lambda t: t.write(
        ".qoder/settings.json", qoder([group("true", LARGE) for _ in range(200)]), 0o644),
    "5,000 different large patterns": lambda t: t.write(
        ".qoder/settings.json", qoder([group("true", f"{LARGE}{n}") for n in range(5000)]), 0o644),
    "2,000 hook folders with large patterns": agent_hooks,
    "10,000 hooks in a YAML file": lambda t: t.write(
        ".jcli/hooks.yaml", "pre_send_message:\n" + "".join(f"  - command: echo {n}\n" for n in range(10_000)), 0o644),
    "10,000 hooks with filters": lambda t: t.write(
        ".jcli/hooks.yaml",
        "pre_tool_execution:\n" + "".join(
            f"  - command: echo {n}\n    filter: {{tool_matcher: Bash}}\n" for n in range(10_000)), 0o644),
    "8,000 hooks that change the same input": lambda t: t.write(
        ".qoder/settings.json", qoder([group("echo updatedInput", f"Edit{n}|Write") for n in range(8000)]), 0o644),
    "8,000 hooks that name one script of 250 KB": one_mib,
    "a pattern of 1 MB": lambda t: t.write(".qoder/settings.json", qoder([group("true", "(" * 1_000_000)]), 0o644),
    "60,000 hooks in 1 MiB": lambda t: t.write(
        ".jcli/hooks.yaml", "stop:\n" + "- command: a\n" * 75_000, 0o644),
    "1 MiB of wrong fields": lambda t: t.write(
        ".jcli/hooks.yaml", "stop:\n- command: a\n" + "".join(f"  x{n}: 1\n" for n in range(70_000)), 0o644),
}


def main():
    report = Report("hostile")
    empty = [measured(Trial(f"hostile-empty-{n}"), "list", "--json")[:2] for n in range(3)]
    base = min(seconds for seconds, _ in empty), min(mib for _, mib in empty)
    wanted = sys.argv[1:]
    slowest = heaviest = 0.0
    for number, (name, make) in enumerate(PROJECTS.items()):
        if wanted and str(number) not in wanted:
            continue
        trial = Trial(f"hostile-{number}")
        make(trial)
        seconds, mib, status, text = measured(trial, "list", "--json")
        seconds, mib = seconds - base[0], mib - base[1]
        slowest, heaviest = max(slowest, seconds), max(heaviest, mib)
        try:
            document = json.loads(text)
        except ValueError:
            document = None
        figures = {"seconds": round(seconds, 2), "mib": round(mib, 1)}
        print(f"{name}: {figures}, {len(text) >> 10} KiB of JSON", file=sys.stderr)
        report.case("hostile projects that cannot be listed", name, status == 0 and document is not None, status=status)
        report.case("hostile projects over the goal", name, seconds <= SECONDS and mib <= MIB, **figures)
        if document:
            codes = {problem["code"] for problem in document["problems"]}
            report.case("valid patterns called bad", name, "bad_pattern" not in codes or name == "a pattern of 1 MB")
            most = max((sum(1 for p in document["problems"] if p["path"] == path) for path in {p["path"] for p in document["problems"]}), default=0)
            report.case("files with more than 1,001 problems", name, most <= 1001, most=most)
            report.case("files with more than 20,000 hooks", name, len(document["hooks"]) <= 20_000)
    report.figure("slowest, seconds more than an empty project", round(slowest, 2), SECONDS)
    report.figure("heaviest, MiB more than an empty project", round(heaviest, 1), MIB)
    fire(report)
    report.finish()


def fire(report):
    """An event in a hostile project: hooks that nobody approved cost their text and no more."""
    trial = Trial("hostile-fire")
    trial.write(".qoder/settings.json", qoder([group("true", f"{LARGE}{n}") for n in range(200)]), 0o644)
    payload = os.path.join(trial.dir, "payload.json")
    with open(payload, "w") as file:
        json.dump({"tool_name": "x", "tool_input": {}, "tool_use_id": "1"}, file)
    seconds, mib, status, _ = measured(trial, "fire", "--dialect", "qoder", "--event", "PreToolUse", "--payload", payload, "--json")
    report.figure("fire beside 200 large patterns that nobody approved, MiB", round(mib, 1), MIB)
    report.case("events that a hostile folder stops", "fire", status == 0, status=status, seconds=round(seconds, 2))


if __name__ == "__main__":
    main()
