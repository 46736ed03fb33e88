"""`connect` and `disconnect`: odd files, odd places of the relay, hand edits, kills and races. The relay is a stand-in.

Environment: KILLS (kills a target, default 12, with ATTACK_HEAVY=1 40) and RACES (default 10, 25)."""
import json
import os
import random
import stat
import subprocess
import sys
import threading
import time

try:
    import yaml
except ImportError:
    yaml = None

from ag import HEAVY, PROGRAM, Report, Trial

report = Report("connect")
if yaml is None:
    report.skip("commands of jcli: needs PyYAML")
TARGETS = {
    "jcli": ".jdata/agent/hooks.yaml",
    "qoder": ".qoder/settings.json",
    "picoclaw": ".picoclaw/config.json",
    "agent-hooks": ".config/agents/hooks",
}
FAKE = "#!/bin/sh\n# stand-in for the relay\n[ \"$1\" = run ] || exit 0\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n"


def tree(top):
    """Every file below a folder: its bytes, mode and link."""
    found = {}
    for folder, folders, files in os.walk(top):
        for name in folders + files:
            path = os.path.join(folder, name)
            info = os.lstat(path)
            if stat.S_ISLNK(info.st_mode):
                found[path] = ("link", os.readlink(path))
            elif stat.S_ISDIR(info.st_mode):
                found[path] = ("dir", oct(info.st_mode & 0o777))
            elif not stat.S_ISREG(info.st_mode):
                found[path] = ("odd", oct(info.st_mode))
            else:
                with open(path, "rb") as file:
                    found[path] = (oct(info.st_mode & 0o777), file.read())
    return found


class Place(Trial):
    """A trial whose program and relay are in a folder of this name."""

    def __init__(self, name, folder="bin", relay=True):
        super().__init__(name)
        self.bin = os.path.join(self.dir, folder)
        os.makedirs(self.bin)
        os.link(PROGRAM, os.path.join(self.bin, "hookwright"))
        if relay:
            self.write(os.path.join(self.bin, "hookwright-relay"), FAKE)

    def hw(self, *args, timeout=120, **more):
        return subprocess.run([os.path.join(self.bin, "hookwright"), "--project", self.proj, *args], env=self.env(**more),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, cwd=self.proj)

    def conf(self, target):
        return os.path.join(self.home, TARGETS[target])


JCLI = {
    "plain": "pre_tool_execution:\n  # mine\n  - command: echo hi # why\n    timeout: 5\n",
    "crlf": "pre_tool_execution:\r\n  - command: echo hi\r\n",
    "bom": "\ufeffpre_tool_execution:\n  - command: echo hi\n",
    "no end of line": "pre_tool_execution:\n  - command: echo hi",
    "flow": "{pre_tool_execution: [{command: 'echo hi'}], stop: []}\n",
    "empty": "",
    "only comments": "# nothing\n\n# here\n",
    "null lists": "pre_tool_execution:\nstop: []\nsession_end: ~\n",
    "document marks": "---\npre_tool_execution:\n  - command: echo hi\n...\n",
    "tabs in comments": "pre_tool_execution:\n  - command: echo hi\t# x\n\t\n",
    "anchors": "pre_tool_execution: &a\n  - command: echo hi\nstop: *a\n",
    "block text": "pre_tool_execution:\n  - command: |\n      echo a\n      # no comment\n      echo 'b'\n\n  - command: >-\n      echo\n      c\n",
    "quotes": "pre_tool_execution:\n  - command: \"echo \\\"a b\\\" '$HOME' \\\\n\"\n  - command: 'it''s'\n",
    "unknown keys": "x: 1\npre_tool_execution:\n  - command: echo hi\n    nice: true\nextra_event:\n  - command: x\n",
    "deep indent": "pre_tool_execution:\n        -    command:    echo hi\n             timeout:  5\n",
    "no indent": "pre_tool_execution:\n- command: echo hi\n- command: echo ho\nstop:\n- command: echo\n",
    "unicode": "pre_tool_execution:\n  - command: echo '‮名前 \u00e9'\n",
    "long": "pre_tool_execution:\n" + "".join(f"  - command: echo {n}\n" for n in range(150)),
}
QODER = {
    "plain": '{\n  // mine\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo hi"}]}\n    ]\n  }\n}\n',
    "compact": '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo hi"}]}]},"x":1}',
    "tabs": '{\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n',
    "crlf": '{\r\n  "hooks": {}\r\n}\r\n',
    "empty object": "{}",
    "no hooks": '{"permissions": {"allow": ["x"]}}\n',
    "bash shell": '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","shell":"bash","command":"[[ a == a ]] && echo yes"}]}]}}\n',
    "trailing commas": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x",},],},],},}\n',
    "duplicate keys": '{"hooks": {}, "hooks": {"Stop": []}}\n',
    "hooks is null": '{"hooks": null}\n',
    "escapes": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"echo \\u0027a\\u0027 \\"b\\" \\\\ \\t"}]}]}}\n',
}
PICO = {
    "plain": '{\n  "agents": {"defaults": {"model": "x"}},\n  "hooks": {"enabled": true, "processes": {"mine": {"enabled": true, "command": ["./x"], "intercept": ["before_tool"]}}}\n}\n',
    "empty object": "{}\n",
    "hooks off": '{"hooks": {"enabled": false}}\n',
    "tabs": '{\n\t"hooks": {\n\t\t"processes": {}\n\t}\n}\n',
}
FILES = {"jcli": JCLI, "qoder": QODER, "picoclaw": PICO}


def round_trip():
    """connect, connect again, disconnect: the bytes come back."""
    count = 0
    for target, texts in FILES.items():
        for name, text in {"absent": None, **texts}.items():
            for wrap in ([False, True] if target in ("jcli", "qoder") else [False]):
                trial = Place("round")
                path = trial.conf(target)
                if text is not None:
                    trial.write(path, text.encode(), 0o640)
                before = tree(trial.home)
                first = trial.hw("connect", target, "--yes", *(["--wrap"] if wrap else []))
                middle = tree(trial.home)
                second = trial.hw("connect", target, "--yes", *(["--wrap"] if wrap else []))
                again = tree(trial.home)
                last = trial.hw("disconnect", target, "--yes")
                after = tree(trial.home)
                case = f"{target} {name}{' wrap' if wrap else ''}"
                count += 1
                if first.returncode:
                    report.case("round trip", case + ": refused, file untouched", middle == before, why=first.stderr.decode()[:200])
                    continue
                report.case("round trip", case + ": second connect changes nothing", again == middle, rc=second.returncode,
                            diff=[p for p in set(middle) | set(again) if middle.get(p) != again.get(p)])
                report.case("round trip", case + ": disconnect restores", after == before, rc=last.returncode, err=last.stderr.decode()[-200:],
                            diff=[(p, str(before.get(p))[:300], str(after.get(p))[:300]) for p in set(before) | set(after) if before.get(p) != after.get(p)])
    print("round trip:", count, file=sys.stderr)


def places():
    """The relay in folders with odd names: what is written runs it, and nothing else."""
    for folder in ["with space", "it's", 'q"q', "$HOME", "$(touch pwned)", "`touch pwned`", "a;touch pwned", "new\nline", "tab\there", "back\\slash",
                   "star*", "ünï", "-dash", "#hash", "~tilde", "%s", "{a,b}", "&& touch pwned", "\u202e", "a\rb"]:
        for target in ("jcli", "qoder", "agent-hooks", "picoclaw") if yaml else ("qoder", "agent-hooks", "picoclaw"):
            trial = Place("place", folder)
            trial.write(os.path.join(trial.bin, "hookwright-relay"), f"#!/bin/sh\necho relay \"$@\" >> {trial.mark}\nexit 0\n")
            before = tree(trial.home)
            done = trial.hw("connect", target, "--yes")
            if done.returncode:
                report.case("places", f"{target} {folder!r} refused cleanly", tree(trial.home) == before and b"panick" not in done.stderr, err=done.stderr.decode()[-200:])
                continue
            commands = []
            try:
                if target == "jcli":
                    text = open(trial.conf(target)).read()
                    commands = [hook["command"] for hooks in yaml.safe_load(text).values() for hook in hooks][:1]
                elif target == "qoder":
                    data = json.load(open(trial.conf(target)))
                    commands = [hook["command"] for groups in data["hooks"].values() for group in groups for hook in group["hooks"]][:1]
                elif target == "picoclaw":
                    data = json.load(open(trial.conf(target)))
                    commands = [process["command"] for process in data["hooks"]["processes"].values()][:1]
                else:
                    base = trial.conf(target)
                    folder0 = os.path.join(base, sorted(os.listdir(base))[0])
                    found = [os.path.join(top, name) for top, _, names in os.walk(folder0) for name in names if name != "HOOK.md"]
                    commands = [[found[0]]]
            except Exception as error:  # noqa: BLE001
                report.case("places", f"{target} {folder!r}: what was written parses", False, error=repr(error))
                continue
            command = commands[0]
            work = os.path.join(trial.dir, "work")
            os.makedirs(work, exist_ok=True)
            argv = command if isinstance(command, list) else ["sh", "-c", command]
            try:
                ran = subprocess.run(argv, cwd=work, input=b"{}", stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20, env={"PATH": os.environ["PATH"], "HOME": trial.home})
                why = ran.stderr.decode()[-200:]
            except Exception as error:  # noqa: BLE001
                why = repr(error)
            marked = trial.marked()
            ok = marked[:1] == ["relay"] and not os.listdir(work)
            report.case("places", f"{target} {folder!r} starts the relay and nothing else", ok, command=str(command)[:300], why=why, left=os.listdir(work))
            gone = trial.hw("disconnect", target, "--yes")
            report.case("places", f"{target} {folder!r} disconnects", tree(trial.home) == before, err=gone.stderr.decode()[-200:])
    print("places: done", file=sys.stderr)


WRAPPED = ["exit 3", "echo \"$0\" \"$#\"", "cat", "echo 'a b' \"c d\"", "kill -TERM $$", "[ -n \"$HW\" ] && echo set", "printf '%s\\n' \"$HW\"", "sh -c 'exit 7'",
           "echo a\necho b", "# comment\necho x", "exec true", "echo \\$HOME", "echo $PPID >/dev/null", "set -e; false; echo no", "trap 'echo bye' EXIT; true",
           "echo \"it's\"", "x='a'\\''b'; echo $x", "echo \\\\", "false || echo or", "(exit 4)", "echo `echo back`", "echo done;", " ", ":", "read -r a; echo \"[$a]\"",
           "ulimit -n", "umask", "echo ${HW-unset}", "export HW=mine; echo $HW; sh -c 'echo $HW'", "echo -n x", "cat <<E\nhere\nE"]


def wrapped():
    """A command runs the same with and without --wrap."""
    for dialect in ("jcli", "qoder") if yaml else ("qoder",):
        for command in WRAPPED:
            trial = Place("wrapped")
            path = trial.conf(dialect)
            if dialect == "jcli":
                trial.write(path, json.dumps({"pre_tool_execution": [{"command": command}]}), 0o600)
            else:
                trial.write(path, json.dumps({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": command}]}]}}), 0o600)
            done = trial.hw("connect", dialect, "--wrap", "--yes")
            if done.returncode:
                report.case("wrapped", f"{dialect} {command!r} refused", command.strip() == "", err=done.stderr.decode()[-150:])
                continue
            if dialect == "jcli":
                written = yaml.safe_load(open(path))["pre_tool_execution"][0]["command"]
            else:
                written = json.load(open(path))["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
            for hw_env in ({}, {"HW": "outer"}):
                env = {"PATH": os.environ["PATH"], "HOME": trial.home, **hw_env}
                run = lambda text: subprocess.run(["sh", "-c", text], input=b"in put\n", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, timeout=20)  # noqa: E731
                plain, inside = run(command), run(written)
                same = (plain.returncode, plain.stdout) == (inside.returncode, inside.stdout)
                report.case("wrapped", f"{dialect} {command!r} HW={hw_env.get('HW')}", same or written == command,
                            plain=[plain.returncode, plain.stdout.decode()[:80]], inside=[inside.returncode, inside.stdout.decode()[:80]])
            os.remove(os.path.join(trial.bin, "hookwright-relay"))
            missing = subprocess.run(["sh", "-c", written], input=b"in put\n", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={"PATH": os.environ["PATH"], "HOME": trial.home}, timeout=20)
            plain = subprocess.run(["sh", "-c", command], input=b"in put\n", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={"PATH": os.environ["PATH"], "HOME": trial.home}, timeout=20)
            report.case("wrapped", f"{dialect} {command!r} without the relay", (plain.returncode, plain.stdout) == (missing.returncode, missing.stdout),
                        plain=[plain.returncode, plain.stdout.decode()[:80]], inside=[missing.returncode, missing.stdout.decode()[:80]])
    print("wrapped: done", file=sys.stderr)


def other_shells():
    """qoder runs some commands with bash: a wrapped one still gets bash."""
    trial = Place("shells")
    path = trial.conf("qoder")
    trial.write(path, QODER["bash shell"], 0o600)
    done = trial.hw("connect", "qoder", "--wrap", "--yes")
    hook = json.load(open(path))["hooks"]["PreToolUse"][0]["hooks"][0]
    ran = subprocess.run(["bash", "-c", hook["command"]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20)
    report.case("wrapped", "qoder with shell: bash", ran.stdout == b"yes\n", rc=done.returncode, hook=hook, out=ran.stdout.decode(), err=ran.stderr.decode()[:200])


def odd_places():
    """Links, read-only files, folders, pipes, huge files in the place of the configuration."""
    def check(name, trial, target="jcli", want=None):
        before = tree(trial.dir)
        t = time.time()
        try:
            done = trial.hw("connect", target, "--yes", timeout=60)
        except subprocess.TimeoutExpired:
            report.case("odd places", name + " does not hang", False)
            return None
        took = time.time() - t
        after = tree(trial.dir)
        text = done.stderr.decode()
        print(f"  {name}: rc {done.returncode} {took:.1f} s {text.strip()[:160]}", file=sys.stderr)
        if done.returncode:
            changed = [p for p in set(before) | set(after) if before.get(p) != after.get(p) and not p.startswith(trial.data)]
            report.case("odd places", name + " refused, untouched", not changed and "panick" not in text, changed=changed, err=text[-200:])
        return done

    trial = Place("link")
    trial.write(os.path.join(trial.dir, "dotfiles/hooks.yaml"), JCLI["plain"], 0o600)
    os.makedirs(os.path.dirname(trial.conf("jcli")))
    os.symlink(os.path.join(trial.dir, "dotfiles/hooks.yaml"), trial.conf("jcli"))
    done = check("symlink to dotfiles", trial)
    report.case("odd places", "a link stays a link", os.path.islink(trial.conf("jcli")), rc=done.returncode)
    trial.hw("disconnect", "jcli", "--yes")
    report.case("odd places", "link: bytes back", os.path.islink(trial.conf("jcli")) and open(trial.conf("jcli")).read() == JCLI["plain"])

    trial = Place("dangling")
    os.makedirs(os.path.dirname(trial.conf("jcli")))
    os.symlink(os.path.join(trial.dir, "nowhere/hooks.yaml"), trial.conf("jcli"))
    check("dangling link", trial)

    trial = Place("loop")
    os.makedirs(os.path.dirname(trial.conf("jcli")))
    os.symlink(trial.conf("jcli"), trial.conf("jcli"))
    check("link to itself", trial)

    trial = Place("folderlink")
    os.makedirs(os.path.join(trial.dir, "elsewhere"))
    os.makedirs(os.path.join(trial.home, ".jdata"))
    os.symlink(os.path.join(trial.dir, "elsewhere"), os.path.join(trial.home, ".jdata/agent"))
    check("folder is a link", trial)

    trial = Place("projlink")
    trial.write("victim.yaml", JCLI["plain"], 0o600)
    os.makedirs(os.path.dirname(trial.conf("jcli")))
    os.symlink(os.path.join(trial.proj, "victim.yaml"), trial.conf("jcli"))
    check("link into the project", trial)

    trial = Place("fifo")
    os.makedirs(os.path.dirname(trial.conf("jcli")))
    os.mkfifo(trial.conf("jcli"))
    check("pipe", trial)

    trial = Place("isdir")
    os.makedirs(trial.conf("jcli"))
    check("a folder", trial)

    trial = Place("hard")
    trial.write(trial.conf("jcli"), JCLI["plain"], 0o600)
    os.link(trial.conf("jcli"), os.path.join(trial.dir, "other-name"))
    done = check("hard link", trial)
    report.case("odd places", "hard link is told", b"link" in done.stderr, err=done.stderr.decode()[:200])

    trial = Place("readonly")
    trial.write(trial.conf("jcli"), JCLI["plain"], 0o400)
    check("mode 0400", trial)
    report.case("odd places", "mode stays 0400", oct(os.stat(trial.conf("jcli")).st_mode & 0o777) == "0o400")

    trial = Place("broken")
    trial.write(trial.conf("jcli"), "pre_tool_execution: [\n", 0o600)
    check("does not parse", trial)
    trial = Place("huge")
    trial.write(trial.conf("jcli"), "pre_tool_execution:\n" + "".join(f"  - command: echo {'x' * 60} {n}\n" for n in range(2000)), 0o600)
    check("160 KB, 2,000 hooks", trial)
    for number in (50, 100, 200):
        trial = Place("wrapmany")
        trial.write(trial.conf("jcli"), "pre_tool_execution:\n" + "".join(f"  - command: echo {n}\n" for n in range(number)), 0o600)
        t = time.time()
        trial.hw("connect", "jcli", "--yes", "--wrap", timeout=300)
        print(f"  --wrap of {number} hooks: {time.time() - t:.1f} s", file=sys.stderr)
    report.figure("seconds for --wrap of 200 hooks", round(time.time() - t, 1), 5)
    trial = Place("huge2")
    trial.write(trial.conf("qoder"), '{"x": "' + "y" * (20 << 20) + '"}', 0o600)
    check("20 MB of JSON", trial, "qoder")
    trial = Place("latin1")
    trial.write(trial.conf("jcli"), b"# \xe9\npre_tool_execution:\n  - command: echo hi\n", 0o600)
    check("not UTF-8", trial)
    trial = Place("taken")
    trial.write(os.path.join(trial.conf("agent-hooks"), "hookwright-relay-pre-tool-call/HOOK.md"), "---\nname: mine\ndescription: x\ntrigger: pre-tool-call\n---\n", 0o600)
    trial.write(os.path.join(trial.conf("agent-hooks"), "hookwright-relay-pre-tool-call/scripts/run.sh"), "#!/bin/sh\necho mine\n")
    check("a person's hook has the relay's folder name", trial, "agent-hooks")
    report.case("odd places", "a person's hook of that name stays", open(os.path.join(trial.conf("agent-hooks"), "hookwright-relay-pre-tool-call/scripts/run.sh")).read() == "#!/bin/sh\necho mine\n")
    trial.hw("disconnect", "agent-hooks", "--yes")
    report.case("odd places", "… also after disconnect", os.path.exists(os.path.join(trial.conf("agent-hooks"), "hookwright-relay-pre-tool-call/scripts/run.sh")))


def killed():
    """SIGKILL at a random time; then connect/disconnect still give back the bytes."""
    rng = random.Random(3)
    bad, torn, left = 0, 0, 0
    tries = int(os.environ.get("KILLS", "40" if HEAVY else "12"))
    for target in ("jcli", "agent-hooks"):
        for count in range(tries):
            trial = Place("killed")
            if target == "jcli":
                trial.write(trial.conf("jcli"), JCLI["plain"], 0o600)
            before = tree(trial.home)
            command = "connect" if count % 2 == 0 else "disconnect"
            if command == "disconnect":
                trial.hw("connect", target, "--yes")
            process = subprocess.Popen([os.path.join(trial.bin, "hookwright"), "--project", trial.proj, command, target, "--yes"], env=trial.env(),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=trial.proj)
            time.sleep(rng.uniform(0.02, 0.5))
            process.kill()
            process.wait()
            if target == "jcli" and yaml:
                try:
                    yaml.safe_load(open(trial.conf("jcli")))
                except Exception:  # noqa: BLE001
                    torn += 1
            fixed = trial.hw("disconnect", target, "--yes")
            after = tree(trial.home)
            if after != before:
                bad += 1
                report.case("killed", f"{target} {command} {count}: bytes back", False, rc=fixed.returncode, err=fixed.stderr.decode()[-300:],
                            diff=[(p, str(before.get(p))[:100], str(after.get(p))[:100]) for p in set(before) | set(after) if before.get(p) != after.get(p)][:3])
            else:
                report.case("killed", f"{target} {command} {count}", True)
    print("killed: torn", torn, "not restored", bad, file=sys.stderr)


def races():
    """A person saves while connect writes: no save is lost."""
    lost = refused = 0
    for count in range(int(os.environ.get("RACES", "25" if HEAVY else "10"))):
        trial = Place("race")
        path = trial.conf("jcli")
        trial.write(path, JCLI["plain"], 0o600)
        done, saved = threading.Event(), []

        def editor():
            number = 0
            while not done.is_set():
                number += 1
                # As an editor does: the file as it is now, with one more line.
                text = open(path).read() + f"# save {number}\n"
                with open(path + ".new", "w") as file:
                    file.write(text)
                os.replace(path + ".new", path)
                saved.append(number)
                time.sleep(0.01)
        thread = threading.Thread(target=editor)
        thread.start()
        got = trial.hw("connect", "jcli", "--yes")
        refused += got.returncode != 0
        done.set()
        thread.join()
        text = open(path).read()
        missing = [number for number in saved if f"# save {number}\n" not in text]
        lost += bool(missing)
    print("races: lost", lost, "refused", refused, file=sys.stderr)
    report.figure("races in which a person's save was lost", lost, 0)


def hand_edits():
    """disconnect after the person changed the file."""
    edits = {
        "a hook added below": lambda t: t + "post_tool_execution:\n  - command: mine\n" if "post_tool_execution" not in t else t.replace("post_tool_execution:\n", "post_tool_execution:\n  - command: mine\n", 1),
        "comment on top": lambda t: "# top\n" + t,
        "relay hook changed": lambda t: t.replace("--native", "--native --fail-closed", 1),
        "relay time limit changed": lambda t: t.replace("timeout: 35", "timeout: 20", 1),
        "relay hook moved to front": lambda t: t,
        "crlf": lambda t: t.replace("\n", "\r\n"),
        "own hook changed": lambda t: t.replace("echo hi", "echo changed"),
        "all relay hooks deleted by hand": lambda t: "pre_tool_execution:\n  - command: echo hi\n",
        "broken": lambda t: t + "x: [\n",
    }
    for wrap in (False, True):
        for name, edit in edits.items():
            trial = Place("hand")
            path = trial.conf("jcli")
            trial.write(path, JCLI["plain"], 0o600)
            trial.hw("connect", "jcli", "--yes", *(["--wrap"] if wrap else []))
            text = open(path, newline="").read()
            changed = edit(text)
            with open(path, "w", newline="") as file:
                file.write(changed)
            got = trial.hw("disconnect", "jcli", "--yes")
            after = open(path, newline="").read()
            print(f"  {name}{' wrap' if wrap else ''}: rc {got.returncode} left {'hookwright-relay' in after} {got.stderr.decode().strip()[-120:]}", file=sys.stderr)
            if name == "broken":
                report.case("hand edits", "broken file refused", got.returncode == 1 and after == changed)
                continue
            report.case("hand edits", f"{name}{' wrap' if wrap else ''}: no relay left", "hookwright-relay" not in after, after=after[:600])
            if "own hook" in name:
                report.case("hand edits", name + " stays", "echo changed" in after)
            if "added below" in name:
                report.case("hand edits", name + " stays", "mine" in after)


def again():
    """connect, one line by the person, connect again (`--wrap`, or the relay moved), disconnect: no relay is left."""
    for target, text, edit in (("jcli", JCLI["plain"], lambda t: t + "# a note of mine\n"), ("qoder", QODER["plain"], lambda t: t.replace("echo hi", "echo changed")),
                               ("picoclaw", PICO["plain"], lambda t: t.replace('"x"', '"y"'))):
        for how in ("wrap", "moved", "moved, nothing by hand"):
            if how == "wrap" and target == "picoclaw":
                continue
            trial = Place("again")
            trial.write(trial.conf(target), text, 0o600)
            trial.hw("connect", target, "--yes")
            if "nothing" not in how:
                changed = edit(open(trial.conf(target)).read())
                open(trial.conf(target), "w").write(changed)
            if how != "wrap":
                os.rename(trial.bin, trial.bin + "2")
                trial.bin += "2"
            trial.hw("connect", target, "--yes", *(["--wrap"] if how == "wrap" else []))
            got = trial.hw("disconnect", target, "--yes")
            left = open(trial.conf(target)).read().count("hookwright-relay")
            report.case("again", f"{target} {how}: no relay is left", not left, left=left, said=got.stderr.decode().strip()[-60:])


for part in (again, round_trip, places, wrapped, other_shells, odd_places, hand_edits, killed, races):
    if len(sys.argv) < 2 or part.__name__ in sys.argv[1:]:
        print("▸", part.__name__, file=sys.stderr)
        try:
            part()
        except Exception as error:  # noqa: BLE001
            import traceback
            traceback.print_exc()
            report.case("ran", part.__name__, False, error=repr(error))
report.finish()
