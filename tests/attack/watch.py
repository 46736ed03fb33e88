"""Does a living engine show what the files say, after storms of saves, replacements, removals and swaps, with thousands of
hook folders, with more projects than it keeps open, and when the system has no watches left (needs user namespaces)?

    watch.py [saves|replace|remove|links|many|projects|limits …]
"""
import json
import os
import shutil
import subprocess
import sys
import time

from hw import Control, Report, Trial, stop

# Seconds after which a change must be shown; every wait is for less on a quiet machine.
SHOWN = 20
FOLDERS = 1500
PROJECTS = 120
HOOK = "---\nname: {name}\ndescription: x\ntrigger: before_tool\n---\n"


def commands(count, command="true"):
    return json.dumps({"pre_send_message": [{"command": command}] * count})


class Seen:
    """An engine that shows one project."""

    def __init__(self, report, name, files):
        self.report, self.trial = report, Trial("watch-" + name)
        for path, text in files.items():
            self.trial.write(path, text, 0o644)
        self.engine = self.trial.serve()
        self.control = Control(self.trial.control(), 120)
        self.control.call("projects.add", {"path": self.trial.proj})
        self.control.call("subscribe")

    def rows(self, project=None):
        got = self.control.call("hooks.list", {"project": project or self.trial.proj})
        return len(got["result"]["hooks"]) if "result" in got else None

    def shows(self, what, count, project=None, limit=SHOWN):
        """One trial: so many hooks are shown in time."""
        begin = time.monotonic()
        while (now := self.rows(project)) != count and time.monotonic() - begin < limit:
            time.sleep(0.05)
        self.report.case("changes never shown", what, now == count, shown=now, wanted=count)

    def cpu(self):
        with open(f"/proc/{self.engine.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def status(self, name):
        with open(f"/proc/{self.engine.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))

    def watches(self):
        found = 0
        for name in os.listdir(f"/proc/{self.engine.pid}/fdinfo"):
            try:
                with open(f"/proc/{self.engine.pid}/fdinfo/{name}") as file:
                    found += sum(line.startswith("inotify") for line in file)
            except OSError:
                pass
        return found

    def path(self, name):
        return os.path.join(self.trial.proj, name)

    def end(self):
        stop(self.engine)


def saves(report):
    seen = Seen(report, "saves", {".jcli/hooks.yaml": commands(1)})
    before = seen.cpu()
    for number in range(500):
        seen.trial.write(".jcli/hooks.yaml", commands(number % 9 + 1), 0o644)
    seen.shows("500 saves", 499 % 9 + 1)
    report.figure("CPU of 500 saves, s", round(seen.cpu() - before, 1), 10)
    seen.end()


def replace(report):
    seen = Seen(report, "replace", {".jcli/hooks.yaml": commands(1), ".agents/hooks/h/HOOK.md": HOOK.format(name="h")})
    file = seen.path(".jcli/hooks.yaml")
    for number in range(200):
        os.rename(seen.trial.write(".jcli/.tmp", commands(number % 7 + 1), 0o644), file)
    seen.shows("200 renames over it", 199 % 7 + 2)
    for number in range(50):
        os.rename(file, file + "~")
        time.sleep(0.002)
        seen.trial.write(file, commands(number % 5 + 1), 0o644)
        os.remove(file + "~")
    seen.shows("50 times backup, removed, made", 49 % 5 + 2)
    text = commands(3)
    with open(file, "w") as half:
        half.write(text[:20])
        half.flush()
        seen.shows("half written: the last good version stays", 49 % 5 + 2)
        half.write(text[20:])
    seen.shows("written to its end", 4)
    seen.end()


def remove(report):
    seen = Seen(report, "remove", {".jcli/hooks.yaml": commands(1), ".agents/hooks/h/HOOK.md": HOOK.format(name="h")})
    away = os.path.join(seen.trial.dir, "away")
    for what in (".jcli", ".agents", ".agents/hooks", ".agents/hooks/h"):
        os.rename(seen.path(what), away)
        seen.shows(f"{what} moved away", 1)
        os.rename(away, seen.path(what))
        seen.shows(f"{what} moved back", 2)
        seen.trial.write(".agents/hooks/h2/HOOK.md", HOOK.format(name="h2"))
        seen.shows(f"a new hook after {what}", 3)
        shutil.rmtree(seen.path(".agents/hooks/h2"))
        seen.shows(f"removed again after {what}", 2)
    os.rename(seen.trial.proj, away)
    time.sleep(1)
    os.rename(away, seen.trial.proj)
    seen.trial.write(".jcli/hooks.yaml", commands(5))
    seen.shows("the project moved away and back, then a change", 6)
    shutil.rmtree(seen.trial.proj)
    os.makedirs(seen.trial.proj)
    seen.trial.write(".jcli/hooks.yaml", commands(1))
    seen.shows("the project removed and made anew", 1)
    for _ in range(200):
        seen.trial.write(".agents/hooks/z/HOOK.md", HOOK.format(name="z"))
        shutil.rmtree(seen.path(".agents"))
    seen.trial.write(".agents/hooks/z/HOOK.md", HOOK.format(name="z"))
    seen.shows("200 times made and removed, at last made", 2)
    seen.end()


def links(report):
    seen = Seen(report, "links", {"a/hooks.yaml": commands(1), "b/hooks.yaml": commands(2)})

    def put(target, name):
        os.symlink(target, seen.path("tmp"))
        os.rename(seen.path("tmp"), seen.path(name))

    put("a", ".jcli")
    seen.shows("a folder link appears", 1)
    for number in range(50):
        put("ab"[number % 2], ".jcli")
    seen.shows("50 swaps of a folder link", 2)
    seen.trial.write("b/hooks.yaml", commands(3))
    seen.shows("a change behind the link", 3)
    os.remove(seen.path(".jcli"))
    os.makedirs(seen.path(".jcli"))
    put("../a/hooks.yaml", ".jcli/hooks.yaml")
    seen.shows("a file link", 1)
    os.rename(seen.trial.write("a/new.yaml", commands(4)), seen.path("a/hooks.yaml"))
    seen.shows("its target replaced by rename", 4)
    put("../b/hooks.yaml", ".jcli/hooks.yaml")
    seen.shows("the file link swapped", 3)
    os.rename(seen.path(".jcli"), seen.path("old"))
    put("/etc", ".jcli")
    seen.shows("a link out of the project", 0)
    seen.end()


def many(report):
    files = {}
    for number in range(FOLDERS):
        files[f".agents/hooks/h{number}/HOOK.md"] = HOOK.format(name=f"h{number}")
        files[f".agents/hooks/h{number}/scripts/run"] = "#!/bin/sh\n"
    seen = Seen(report, "many", files)
    seen.shows(f"{FOLDERS} hook folders", FOLDERS, limit=120)
    shutil.rmtree(seen.path(".agents/hooks/h7"))
    seen.shows("one of them removed", FOLDERS - 1, limit=60)
    for number in range(10, 510):
        shutil.rmtree(seen.path(f".agents/hooks/h{number}"))
    seen.shows("500 of them removed", FOLDERS - 501, limit=60)
    seen.end()


def projects(report):
    """More projects than an engine keeps open: they are let go, and one that was is followed again once it is asked for."""
    seen = Seen(report, "projects", {".jcli/hooks.yaml": commands(1)})
    folders = []
    for number in range(PROJECTS):
        folders.append(os.path.join(seen.trial.dir, f"p{number}"))
        seen.trial.write(os.path.join(folders[-1], ".jcli/hooks.yaml"), commands(2), 0o644)
    for number, folder in enumerate(folders):
        seen.rows(folder)
        if number == 39:
            before, memory = seen.watches(), seen.status("VmRSS")
    report.figure("watches after 120 projects, beside those after 40", seen.watches() - before, 0)
    report.figure("MiB after 120 projects, beside those after 40", round((seen.status("VmRSS") - memory) / 1024, 1), 8)
    seen.trial.write(os.path.join(folders[0], ".jcli/hooks.yaml"), commands(3), 0o644)
    seen.shows("a project that was let go, and changed since", 3, folders[0])
    seen.trial.write(os.path.join(folders[0], ".jcli/hooks.yaml"), commands(4), 0o644)
    seen.shows("and is followed again", 4, folders[0])
    seen.end()


def limits(report):
    """No watches left: changes are found all the same, later."""
    if os.environ.get("ATTACK_NS") != "1":
        inside = ["unshare", "-U", "-r", sys.executable, os.path.abspath(__file__), "limits"]
        try:
            done = subprocess.run(inside, env={**os.environ, "ATTACK_NS": "1"}, stdout=subprocess.PIPE)
            told = json.loads(done.stdout.decode().splitlines()[-1])
        except (OSError, ValueError, IndexError):
            return report.skip("watch limits: user namespaces are not available")
        report.missed += told["missed"]
        for figure in told["figures"]:
            report.figure("no watches left: " + figure["what"], figure["value"], figure["target"])
        return None
    for what, most in (("max_inotify_instances", 0), ("max_inotify_watches", 3), ("max_inotify_watches", 0)):
        for name, value in (("max_inotify_instances", 128), ("max_inotify_watches", 100_000), (what, most)):
            with open(f"/proc/sys/user/{name}", "w") as file:
                file.write(str(value))
        seen = Seen(report, f"limits-{what}-{most}", {".jcli/hooks.yaml": commands(1)})
        watching = seen.control.call("state")["result"]["watching"]
        report.case("states that hide that nothing is heard", f"{what} {most}", not watching["live"])
        seen.trial.write(".jcli/hooks.yaml", commands(4))
        seen.shows(f"{what} {most}: a change", 4)
        seen.trial.write(".agents/hooks/h/HOOK.md", HOOK.format(name="h"))
        seen.shows(f"{what} {most}: a new place", 5)
        seen.end()
    return None


PARTS = {"saves": saves, "replace": replace, "remove": remove, "links": links, "many": many, "projects": projects, "limits": limits}


def main():
    report = Report("watch")
    for name in sys.argv[1:] or PARTS:
        PARTS[name](report)
    report.finish()


if __name__ == "__main__":
    main()
