"""Shared by the attack scripts: an isolated home, data folder and project for each trial, and one report a script.

Environment: HOOKWRIGHT (the program, default `hookwright` from PATH), HOOKWRIGHT_RELAY (default `hookwright-relay` in the
program's folder), ATTACK_DIR (where trials are made, default a new temporary folder), ATTACK_HEAVY=1 (also parts that need
minutes or gigabytes). Nothing outside ATTACK_DIR is written.
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ.get("HOOKWRIGHT", "hookwright")
# Some trials link the program into a folder of their own.
PROGRAM = shutil.which(PROGRAM) or PROGRAM
RELAY = os.environ.get("HOOKWRIGHT_RELAY") or os.path.join(os.path.dirname(PROGRAM), "hookwright-relay")
HEAVY = os.environ.get("ATTACK_HEAVY") == "1"
ROOT = os.environ.get("ATTACK_DIR") or tempfile.mkdtemp(prefix="attack-")
os.makedirs(ROOT, exist_ok=True)


class Report:
    """What a script tried and what came of it. `finish` prints one JSON line and exits 1 when a target is missed.

    The line is `{"script", "figures": [{"what", "value", "target", "met"}], "missed": [{"case", …}], "skipped": [why]}`.
    """

    def __init__(self, script):
        self.script, self.figures, self.missed, self.skipped = script, [], [], []
        self.tried = {}

    def case(self, group, name, ok, **detail):
        """One trial of `group`; a trial that is not ok is counted and named."""
        tried, bad = self.tried.get(group, (0, 0))
        self.tried[group] = (tried + 1, bad + (not ok))
        if not ok:
            self.missed.append({"group": group, "case": name, **detail})
        return ok

    def figure(self, what, value, target):
        """A number that must be at most `target`."""
        self.figures.append({"what": what, "value": value, "target": target, "met": value <= target})

    def skip(self, why):
        """A part that this machine cannot try."""
        self.skipped.append(why)

    def finish(self, allowed=None):
        """`allowed` says for a group how many trials may fail; the others allow none."""
        for group, (tried, bad) in self.tried.items():
            self.figure(f"{group} (of {tried})", bad, (allowed or {}).get(group, 0))
        document = {"script": self.script, "figures": self.figures, "missed": self.missed, "skipped": self.skipped}
        print(json.dumps(document, ensure_ascii=False))
        sys.exit(0 if all(figure["met"] for figure in self.figures) else 1)


class Trial:
    """A home, a project and a data folder of its own, and the program in them."""

    def __init__(self, name, root=None, env=None):
        self.dir = os.path.join(root or ROOT, name)
        shutil.rmtree(self.dir, ignore_errors=True)
        for sub in ("home", "proj"):
            os.makedirs(os.path.join(self.dir, sub))
        self.home, self.proj, self.data = (os.path.join(self.dir, sub) for sub in ("home", "proj", "data"))
        self.mark = os.path.join(self.dir, "mark")
        self.extra = env or {}

    def env(self, **more):
        keep = {key: os.environ[key] for key in ("PATH", "LANG", "TERM") if key in os.environ}
        return {**keep, "HOME": self.home, "HOOKWRIGHT_DATA": self.data, "MARK": self.mark, **self.extra, **more}

    def write(self, path, text, mode=0o755):
        full = path if os.path.isabs(path) else os.path.join(self.proj, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(full, mode)
        return full

    def run(self, *args, stdin=b"", timeout=60, **more):
        data = stdin.encode() if isinstance(stdin, str) else stdin or b""
        return subprocess.run([PROGRAM, "--project", self.proj, *args], input=data, env=self.env(**more),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, cwd=self.proj)

    def json(self, *args, **more):
        """The JSON document that a command prints."""
        return json.loads(self.run(*args, "--json", **more).stdout)

    def popen(self, *args, **kw):
        env = self.env(**kw.pop("env", {}))
        return subprocess.Popen([PROGRAM, "--project", self.proj, *args], env=env, cwd=self.proj, **kw)

    def fire(self, dialect, event, payload=None, *args, **kw):
        given = ["--payload", "-"] if payload is not None else []
        body = json.dumps(payload) if isinstance(payload, (dict, list)) else payload
        return self.run("fire", "--dialect", dialect, "--event", event, *given, *args, stdin=body, **kw)

    def trace(self, dialect, event, payload=None, *args, **kw):
        """The exit status and the trace of a fired event."""
        run = self.fire(dialect, event, payload, "--json", *args, **kw)
        return run.returncode, json.loads(run.stdout or b"null")

    def trust_all(self):
        return self.run("trust", "--all")

    def pending(self):
        """What waits for an approval."""
        return self.json("trust", "--list")["pending"]

    def marked(self):
        """The words that the hooks of this trial wrote to $MARK since the last call."""
        try:
            with open(self.mark) as file:
                text = file.read().split()
            os.remove(self.mark)
            return text
        except FileNotFoundError:
            return []

    def serve(self, *args, **kw):
        """A running engine that answers on its control socket."""
        with open(os.path.join(self.dir, "serve.err"), "ab") as err, open(os.path.join(self.dir, "serve.out"), "ab") as out:
            process = self.popen("serve", *args, stdin=subprocess.DEVNULL, stdout=out, stderr=err, **kw)
        end = time.time() + 20
        while time.time() < end and process.poll() is None:
            try:
                # A socket that a killed engine left is a file on which nothing listens.
                Control(self.control(), 5).close()
                break
            except OSError:
                time.sleep(0.02)
        return process

    def control(self):
        return os.path.join(self.data, "run", "control.sock")


class Control:
    """A connection to the control socket."""

    def __init__(self, path, timeout=30):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.buffer, self.count, self.pushes = b"", 0, []

    def send(self, data):
        self.socket.sendall(data)

    def line(self):
        while b"\n" not in self.buffer:
            more = self.socket.recv(1 << 20)
            if not more:
                return None
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def call(self, method, params=None):
        self.count += 1
        # An id that no other line of the connection has.
        id = f"call {self.count}"
        request = {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}
        self.send(json.dumps(request).encode() + b"\n")
        while True:
            got = self.line()
            if got is None:
                raise EOFError
            if got.get("method") == "push":
                self.pushes.append(got["params"])
            elif got.get("id") == id:
                return got

    def close(self):
        self.socket.close()


def stop(process, sig=signal.SIGTERM, wait=15):
    """Ends a process that we started, and returns its exit status."""
    if process.poll() is None:
        process.send_signal(sig)
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    return process.returncode
