"""Configurations, scripts and folders of a project that are links out of it, pipes, devices, too large, too deep, or aliases
without end: nothing hangs, and nothing outside runs that the review does not name."""
import json
import os
import subprocess

from hw import Report, Trial

LIMIT = 30
MARK = 'echo X >> "$MARK"'
SH = f"#!/bin/sh\n{MARK}\n"
HOOK = "---\nname: h\ndescription: x\ntrigger: before_tool\n---\n"
JCLI = ("jcli", "pre_send_message", {})
AGENT = ("agent-hooks", "before_tool", {"tool_name": "Bash", "tool_input": {}})
QODER = ("qoder", "PreToolUse", {"tool_name": "Bash", "tool_input": {}, "tool_use_id": "x"})
PICO = ("picoclaw", "before_tool", {"tool": "x", "arguments": {}})
SKILL = ("skill", "before_planning", {"messages": [], "enabled_skills": ["s"]})


def jcli(command):
    return json.dumps({"pre_send_message": [{"command": command}]})


def skill(file):
    entry = {"name": "a", "file": file, "timing": "before_planning", "role": "system", "persistent": False}
    return json.dumps({"hooks": [entry]})


def pico(folder):
    process = {"enabled": True, "command": ["sh", "hook.sh"], "dir": folder, "intercept": ["before_tool"]}
    return json.dumps({"hooks": {"processes": {"p": process}}})


def folder(path):
    os.makedirs(path, exist_ok=True)


class Case:
    """One trial. Each method makes one thing, in the project or outside of it."""

    def __init__(self, name):
        self.trial = Trial("escape-" + name)
        self.out = os.path.join(self.trial.dir, "outside")
        folder(self.out)

    def path(self, name):
        path = os.path.join(self.trial.proj, name)
        folder(os.path.dirname(path))
        return path

    def write(self, name, text):
        self.trial.write(name, text)

    def outside(self, name, text):
        self.trial.write(os.path.join(self.out, name), text)

    def link(self, name, target):
        os.symlink(target, self.path(name))

    def pipe(self, name):
        os.mkfifo(self.path(name))


def jcli_link_out(c):
    c.outside("h.yaml", jcli(MARK))
    c.link(".jcli/hooks.yaml", c.out + "/h.yaml")


def jcli_folder_link_out(c):
    c.outside("hooks.yaml", jcli(MARK))
    c.link(".jcli", c.out)


def jcli_script_pipe(c):
    c.write(".jcli/hooks.yaml", jcli("sh pipe & sleep 0.2; true"))
    c.pipe("pipe")


def jcli_script_device(c):
    c.write(".jcli/hooks.yaml", jcli("head -c1 zero"))
    c.link("zero", "/dev/zero")


def jcli_aliases(c):
    lines = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    lines += [f"{n}: &{n} [{','.join(['*' + before] * 9)}]" for before, n in zip("abcdef", "bcdefg")]
    c.write(".jcli/hooks.yaml", "\n".join(lines) + "\npre_send_message: [*g,*g,*g,*g]\n")


def agent_links(where, target):
    def make(c):
        if where != ".agents/hooks":
            c.outside("run", SH)
            if where.startswith(".agents/hooks/h/"):
                c.write(".agents/hooks/h/HOOK.md", HOOK)
        c.outside("h/HOOK.md", HOOK)
        c.outside("h/scripts/run", SH)
        c.link(where, c.out + target)
    return make


def agent_pipe(where):
    def make(c):
        if where != "HOOK.md":
            c.write(".agents/hooks/h/HOOK.md", HOOK)
        if where == "pipe":
            c.write(".agents/hooks/h/scripts/run", SH)
        c.pipe(".agents/hooks/h/" + where)
    return make


def qoder_link(c):
    hook = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": MARK}]}]}}
    c.outside("s.json", json.dumps(hook))
    c.link(".qoder/settings.json", c.out + "/s.json")


def qoder_module_link(c):
    c.outside("hooks.py", "import os\nopen(os.environ['MARK'],'a').write('X')\nhooks={}\n")
    c.link(".qoder/hooks.py", c.out + "/hooks.py")


def pico_dir(target):
    def make(c):
        c.outside("hook.sh", SH)
        if target == "link":
            c.link("link", c.out)
        c.write(".picoclaw/config.json", pico(c.out if target == "absolute" else target))
    return make


def skill_file(file):
    def make(c):
        c.outside("a.md", "SECRET")
        c.write("skills/s/hooks/a.md", "fine")
        c.write("skills/s/hooks/hooks.json", skill(file or c.out + "/a.md"))
    return make


def skill_link(c):
    c.outside("a.md", "SECRET")
    c.write("skills/s/hooks/hooks.json", skill("a.md"))
    c.link("skills/s/hooks/a.md", c.out + "/a.md")


def skill_folder_link(c):
    c.outside("s/hooks/a.md", "SECRET")
    c.outside("s/hooks/hooks.json", skill("a.md"))
    c.link("skills", c.out)


# What the review says of every hook names nothing.
SAID_OF_ALL = "starts_others"

# name: (what is made, the event, whether it may run because the review names what is not covered)
CASES = {
    "jcli-link-out": (jcli_link_out, JCLI, False),
    "jcli-folder-link-out": (jcli_folder_link_out, JCLI, False),
    "jcli-pipe": (lambda c: c.pipe(".jcli/hooks.yaml"), JCLI, False),
    "jcli-device": (lambda c: c.link(".jcli/hooks.yaml", "/dev/zero"), JCLI, False),
    "jcli-script-pipe": (jcli_script_pipe, JCLI, False),
    "jcli-script-device": (jcli_script_device, JCLI, False),
    "jcli-large": (lambda c: c.write(".jcli/hooks.yaml", jcli("true") + " " * (1 << 20)), JCLI, False),
    "jcli-folder": (lambda c: folder(c.path(".jcli/hooks.yaml")), JCLI, False),
    "jcli-aliases": (jcli_aliases, JCLI, False),
    "jcli-deep": (lambda c: c.write(".jcli/hooks.yaml", "pre_send_message: " + "[" * 100_000 + "]" * 100_000), JCLI, False),
    "jcli-itself": (lambda c: c.write(".jcli/hooks.yaml", "pre_send_message: &a [*a]\n"), JCLI, False),
    "jcli-utf16": (lambda c: c.write(".jcli/hooks.yaml", jcli(MARK).encode("utf-16")), JCLI, False),
    "agent-link-hooks": (agent_links(".agents/hooks", ""), AGENT, False),
    "agent-link-hook": (agent_links(".agents/hooks/h", "/h"), AGENT, False),
    "agent-link-entry": (agent_links(".agents/hooks/h/scripts/run", "/run"), AGENT, False),
    "agent-link-scripts": (agent_links(".agents/hooks/h/scripts", ""), AGENT, False),
    "agent-pipe-entry": (agent_pipe("scripts/run"), AGENT, False),
    "agent-pipe-definition": (agent_pipe("HOOK.md"), AGENT, False),
    "agent-pipe-beside": (agent_pipe("pipe"), AGENT, True),
    "qoder-link": (qoder_link, QODER, False),
    "qoder-module-link": (qoder_module_link, QODER, False),
    "qoder-module-pipe": (lambda c: c.pipe(".qoder/hooks.py"), QODER, False),
    "pico-dir-up": (pico_dir("../outside"), PICO, True),
    "pico-dir-absolute": (pico_dir("absolute"), PICO, True),
    "pico-dir-link": (pico_dir("link"), PICO, True),
    "skill-up": (skill_file("../../../../outside/a.md"), SKILL, False),
    "skill-absolute": (skill_file(None), SKILL, False),
    "skill-inside": (skill_file("a.md"), SKILL, False),
    "skill-link": (skill_link, SKILL, False),
    "skill-folder-link": (skill_folder_link, SKILL, False),
}


def try_it(report, name, make, event, told):
    case = Case(name)
    make(case)
    trial = case.trial
    ends = {}
    for command in (["list", "--json"], ["check", "--json"], ["trust", "--list", "--json"], ["trust", "--all"]):
        try:
            ends[command[0]] = trial.run(*command, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            report.case("commands that hang", f"{name}: {' '.join(command)}", False)
            return
        report.case("commands that hang", f"{name}: {' '.join(command)}", True)
    report.case("projects that cannot be listed", name, ends["list"].returncode == 0)
    try:
        _, trace = trial.trace(*event, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        report.case("commands that hang", f"{name}: fire", False)
        return
    report.case("events that cannot be fired", name, trace is not None)
    ran = "X" in trial.marked()
    approved = trial.json("trust", "--list")["approved"]
    named = any(said["code"] != SAID_OF_ALL for item in approved for said in item["not_covered"])
    report.case("things outside that ran", name, not ran or (told and named), approved=len(approved))
    report.case("texts outside that were inserted", name, "SECRET" not in json.dumps(trace))


def main():
    report = Report("escape")
    for name, (make, event, told) in CASES.items():
        try_it(report, name, make, event, told)
    report.finish()


if __name__ == "__main__":
    main()
