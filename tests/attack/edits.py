"""Edits of people's files: two processes at once, an editor beside them, SIGKILL in the middle, undo of what was killed, and
files that are read-only, linked, hard-linked, in odd encodings. Usage: edits.py [two|editor|kill|start|remove|odd ...]
"""
import json
import os
import random
import shutil
import stat
import sys
import threading
import time

from hw import Control, Report, Trial, stop

BASE = "# a person's file\n\npre_send_message:\n  # first\n  - command: \"echo a\"   # tail\n    timeout: 5\n  - command: echo b\n\nstop:\n  - {command: echo c}\n"
HOOK = "jcli:project:pre_send_message:%d"
FILE = ".jcli/hooks.yaml"
FOLDER = ".config/agents/hooks/guard"


def hooks(trial):
    """The hooks of the project, and how many errors there are."""
    found = trial.json("list", "--dialect", "jcli")
    return found["hooks"], sum(problem["severity"] == "error" for problem in found["problems"])


def add(trial, event, command):
    definition = json.dumps({"command": command})
    return trial.run("add", "--dialect", "jcli", "--event", event, "--layer", "project", "--definition", definition, "--json")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def text_of(trial):
    return read(os.path.join(trial.proj, FILE)).decode()


def both(work):
    threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]


def left_over(folder):
    """Texts of ours that never came to their place."""
    return [name for _, _, names in os.walk(folder) for name in names if name.startswith(".hookwright-")]


def two(report):
    """Two processes add and change at once: what was said done is there."""
    trial = Trial("edit-two")
    trial.write(FILE, BASE, 0o644)
    done, last = [0, 0], [0, 0]

    def adds(number):
        for turn in range(50):
            run = add(trial, ("stop", "pre_send_message")[number], f"echo {number}-{turn}")
            done[number] += run.returncode == 0

    def changes(number):
        for turn in range(1, 51):
            if trial.run("edit", HOOK % number, "--set", f"timeout={turn}", "--json").returncode == 0:
                last[number] = turn

    both(adds)
    rows, errors = hooks(trial)
    report.figure("adds by two processes that are lost", abs(sum(done) - (len(rows) - 3)) + errors, 0)
    both(changes)
    rows = {row["hook"]: row["timeout_ms"] for row in hooks(trial)[0]}
    lost = sum(rows[HOOK % number] != last[number] * 1000 for number in (0, 1))
    report.figure("changes by two processes that are lost", lost, 0)
    kept = sum(text_of(trial).count(mark) != 1 for mark in ("# first", "# tail", "# a person's file"))
    report.figure("comments lost", kept, 0)


def editor(report):
    """Somebody else saves the whole file again and again; none of its lines may be lost."""
    trial = Trial("edit-editor")
    trial.write(FILE, BASE, 0o644)
    path, go, saved = os.path.join(trial.proj, FILE), [True], [0]

    def save():
        while go[0]:
            text = text_of(trial)
            with open(path + ".editor", "w") as file:
                file.write(text + f"# saved {saved[0] + 1}\n")
            os.rename(path + ".editor", path)
            saved[0] += 1
            time.sleep(0.03)

    thread = threading.Thread(target=save)
    thread.start()
    for turn in range(40):
        add(trial, "stop", f"echo {turn}")
    go[0] = False
    thread.join()
    lines = sum(line.startswith("# saved") for line in text_of(trial).splitlines())
    report.figure("saves of an editor that are lost", saved[0] - lines, 0)
    report.figure("files broken beside an editor", hooks(trial)[1], 0)


def kill(report):
    """SIGKILL amid edits: the file is the old one or the new one, and the next edit sweeps what is left."""
    trial = Trial("edit-kill")
    many = "# many\npre_send_message:\n" + "".join(f"  - command: echo {n}  # note {n}\n" for n in range(400))
    trial.write(FILE, many, 0o640)
    path, chance, broken, killed = os.path.join(trial.proj, FILE), random.Random(1), 0, 0
    begin = time.time()
    trial.run("edit", HOOK % 1, "--set", "timeout=2")
    took, before = time.time() - begin, text_of(trial)
    for _ in range(120):
        process = trial.popen("edit", HOOK % chance.randrange(400), "--set", f"timeout={chance.randint(1, 9)}", stdout=-3, stderr=-3)
        time.sleep(chance.uniform(0.4, 1.1) * took)
        killed += process.poll() is None
        process.kill()
        process.wait()
        now = text_of(trial)
        broken += abs(len(now.splitlines()) - len(before.splitlines())) > 1 or not now.endswith("\n")
        before = now
    rows, errors = hooks(trial)
    mode = stat.S_IMODE(os.stat(path).st_mode)
    report.figure(f"files broken by {killed} kills", broken + errors + (len(rows) != 400) + (mode != 0o640), 0)
    done = trial.run("edit", HOOK % 5, "--set", "timeout=3").returncode
    report.figure("temporary files left after the next edit", len(left_over(trial.proj)) + done, 0)
    before = text_of(trial)
    edit = trial.json("edit", HOOK % 7, "--set", "note=x")["edit"]
    ok = trial.run("undo", edit, "--json").returncode == 0 and text_of(trial) == before
    report.figure("undo after kills that fails", int(not ok), 0)


def start(report):
    """What a killed edit left goes when an engine opens the project, and what a living process writes stays."""
    trial = Trial("edit-start")
    trial.write(FILE, BASE, 0o644)
    gone = trial.write(".jcli/.hookwright-999999999-aB3xYz.tmp", "half", 0o644)
    lives = trial.write(f".jcli/.hookwright-{os.getpid()}-aB3xYz.tmp", "half", 0o644)
    engine = trial.serve()
    control = Control(trial.control())
    control.call("hooks.list", {"project": trial.proj})
    control.close()
    stop(engine)
    report.figure("temporary files left when an engine opens the project", int(os.path.exists(gone)), 0)
    report.figure("temporary files of living processes that are lost", int(not os.path.exists(lives)), 0)


def remove(report):
    """SIGKILL amid removals of a folder: of each file there is a whole copy, and undo brings them back."""
    trial, chance, lost, not_back, took = Trial("edit-remove"), random.Random(2), 0, 0, None
    folder = os.path.join(trial.home, FOLDER)
    own = {"HOOK.md": "---\nname: guard\ndescription: d\ntrigger: before_tool\n---\n", "scripts/run.sh": "#!/bin/sh\n" + "# text\n" * 2000}
    for turn in range(60):
        for name, text in {**own, "notes/thesis.txt": "my work"}.items():
            trial.write(os.path.join(folder, name), text)
        process = trial.popen("remove", "agent-hooks:user:guard", stdout=-3, stderr=-3)
        begin = time.time()
        if turn == 0:
            process.wait()
            took = time.time() - begin
        else:
            time.sleep(chance.uniform(0.5, 1.1) * took)
            process.kill()
            process.wait()
        whole = {read(os.path.join(base, name)) for base, _, names in os.walk(os.path.join(trial.data, "trash")) for name in names}
        for name, text in {**own, "notes/thesis.txt": "my work"}.items():
            path = os.path.join(folder, name)
            there = os.path.exists(path) and read(path) == text.encode()
            lost += not (there or (name in own and text.encode() in whole))
        if not all(os.path.exists(os.path.join(folder, name)) for name in own):
            trial.run("undo", "--json")
        not_back += not all(os.path.exists(os.path.join(folder, name)) and read(os.path.join(folder, name)) == text.encode() for name, text in own.items())
    report.figure("files lost by kills amid 60 removals", lost, 0)
    report.figure("removals that undo did not bring back", not_back, 0)


def odd(report):
    """Files in unusual states: what is outside the project and what is refused stays as it is."""
    def case(name, setup=lambda trial, path: None, args=("edit", HOOK % 0, "--set", "timeout=9"), exits=0, stays=(), goes=()):
        trial = Trial("edit-odd-" + name.replace("/", "_").replace("..", "_"))
        path = trial.write(FILE, BASE, 0o644)
        setup(trial, path)
        watched = [os.path.join(trial.dir, one) for one in stays]
        before = {one: read(one) if os.path.isfile(one) else None for one in watched}
        run = trial.run(*args, "--json")
        same = all((read(one) if os.path.isfile(one) else None) == text for one, text in before.items())
        absent = not any(os.path.lexists(os.path.join(trial.dir, one)) for one in goes)
        report.case("odd files", name, run.returncode == exits and same and absent, exits=run.returncode)
        return trial, path

    def mode(wanted):
        trial, path = case(f"mode-{wanted:o}", lambda trial, path: os.chmod(path, wanted))
        report.case("odd files", f"mode {wanted:o} is kept", stat.S_IMODE(os.stat(path).st_mode) == wanted)

    def linked(inside):
        def setup(trial, path):
            real = os.path.join(trial.proj if inside else trial.dir, "real.yaml")
            shutil.move(path, real)
            os.symlink(real, path)
        return setup

    def add_to(dialect, event, layer, **definition):
        return ("add", "--dialect", dialect, "--event", event, "--layer", layer, "--definition", json.dumps(definition))

    [mode(wanted) for wanted in (0o600, 0o640, 0o4755)]
    case("read-only", lambda trial, path: os.chmod(path, 0o444), exits=1, stays=["proj/" + FILE])
    trial, path = case("link inside", linked(True))
    report.case("odd files", "the link stays one", os.path.islink(path))
    case("link outside", linked(False), exits=1, stays=["real.yaml"])
    case("folder link outside", lambda trial, path: (shutil.move(trial.proj + "/.jcli", trial.dir + "/out"), os.symlink(trial.dir + "/out", trial.proj + "/.jcli")), exits=1, stays=["out/hooks.yaml"])
    for name, text in (("crlf", BASE.replace("\n", "\r\n")), ("bom", "\ufeff" + BASE), ("no newline", BASE.rstrip("\n"))):
        case(name, lambda trial, path, text=text: trial.write(FILE, text, 0o644))
    for name, text in (("tabs", BASE.replace("  - ", "\t- ")), ("latin1", BASE.encode() + b"# \xe9\n"), ("nul", BASE.encode() + b"# \0\n"), ("broken", BASE + "x: [")):
        case(name, lambda trial, path, text=text: trial.write(FILE, text, 0o644), exits=1, stays=["proj/" + FILE])
    case("injected text", args=("edit", HOOK % 0, "--set", "command=a\n  - command: evil"))
    for name in ("../../../evil", "/evil", ".evil"):
        case(f"name {name}", args=add_to("agent-hooks", "before_tool", "project", name=name, description="x", script="#!/bin/sh\n"), exits=1, goes=["evil", "home/evil", "proj/evil"])
    case("skill name", args=add_to("skill", "before_planning", "skill", skill="../../evil", name="x", text="t", role="system", persistent=False), exits=1, goes=["evil"])
    case("linked folder of hooks", lambda trial, path: (os.makedirs(trial.dir + "/o"), os.makedirs(trial.proj + "/.agents"), os.symlink(trial.dir + "/o", trial.proj + "/.agents/hooks")), add_to("agent-hooks", "before_tool", "project", name="evil", description="x", script="#!/bin/sh\n"), exits=1, goes=["o/evil"])
    case("link to nothing", lambda trial, path: (os.remove(path), os.symlink(trial.dir + "/nowhere.yaml", path)), add_to("jcli", "stop", "project", command="true"), exits=1, goes=["nowhere.yaml"])
    beside(report, case)


def beside(report, case):
    """What a file has beside its text."""
    trial, path = case("hard link", lambda trial, path: os.link(path, trial.dir + "/other"), stays=["other"])
    os.remove(path)
    os.link(trial.dir + "/other", path)
    edit = trial.json("edit", HOOK % 0, "--set", "timeout=9")
    report.case("odd files", "the edit says that it parts a hard link", "edit_link_parted" in [notice["code"] for notice in edit["notices"]])
    try:
        trial, path = case("attribute", lambda trial, path: os.setxattr(path, "user.x", b"y"))
        report.case("odd files", "an extended attribute is kept", os.getxattr(path, "user.x") == b"y")
    except OSError:
        report.skip("extended attributes: this file system has none")


if __name__ == "__main__":
    parts = {"two": two, "editor": editor, "kill": kill, "start": start, "remove": remove, "odd": odd}
    result = Report("edits")
    for part in sys.argv[1:] or parts:
        parts[part](result)
    result.finish()
