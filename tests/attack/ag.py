"""Shared by the attacks of agents: an agent on the agent socket, and what a process of the engine uses."""
import json
import os
import socket
import subprocess
import sys
import time

from hw import HEAVY, PROGRAM, RELAY, Control, Report, Trial, stop  # noqa: F401


# Copies between its standard input and a socket, so that the engine sees a process of its own on the other side.
BRIDGE = '''
import os, socket, sys, threading
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
def up():
    while True:
        data = os.read(0, 1 << 16)
        if not data: s.shutdown(socket.SHUT_WR); return
        s.sendall(data)
threading.Thread(target=up, daemon=True).start()
while True:
    data = s.recv(1 << 16)
    if not data: break
    os.write(1, data)
'''


def own_process(path):
    """A socket to the engine through a process that is neither parent nor child of another agent's."""
    here, there = socket.socketpair()
    process = subprocess.Popen([sys.executable, "-c", BRIDGE, path], stdin=there, stdout=there)
    there.close()
    return here, process


class Agent:
    """A connection to the agent socket. `answers` maps a method of the engine to a function of its params."""

    def __init__(self, path, timeout=30, answers=None, alone=False):
        if alone:
            self.socket, self.process = own_process(path)
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(path)
        self.socket.settimeout(timeout)
        self.buffer, self.count, self.notices, self.asked, self.stray = b"", 0, [], [], []
        self.answers = answers or {}

    def raw(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())

    def send(self, method, params=None, id=None, **more):
        request = {"jsonrpc": "2.0", "method": method, "params": {} if params is None else params, **more}
        if id is not None:
            request["id"] = id
        self.raw(json.dumps(request) + "\n")

    def line(self, timeout=None):
        if timeout is not None:
            self.socket.settimeout(timeout)
        while b"\n" not in self.buffer:
            more = self.socket.recv(1 << 20)
            if not more:
                return None
            self.buffer += more
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def handle(self, got):
        """Handles what the engine asks. True if it was that."""
        if "method" not in got:
            return False
        if "id" not in got:
            self.notices.append(got)
            return True
        self.asked.append(got)
        answer = self.answers.get(got["method"])
        if answer is not None:
            result = answer(got["params"])
            if result is not None:
                self.raw(json.dumps({"jsonrpc": "2.0", "id": got["id"], "result": result}) + "\n")
        return True

    def wait(self, id, timeout=30):
        end = time.time() + timeout
        while time.time() < end:
            got = self.line(max(0.05, end - time.time()))
            if got is None:
                raise EOFError
            if self.handle(got):
                continue
            if got.get("id") == id:
                return got
            self.stray.append(got)
        raise TimeoutError

    def pump(self, seconds):
        """Handles lines for a while."""
        end = time.time() + seconds
        while time.time() < end:
            try:
                got = self.line(max(0.01, end - time.time()))
            except (TimeoutError, OSError):
                return
            if got is None:
                return
            if not self.handle(got):
                self.stray.append(got)

    def call(self, method, params=None, timeout=30):
        self.count += 1
        id = f"c{self.count}"
        self.send(method, params, id)
        return self.wait(id, timeout)

    def open(self, dialect, cwd, session=None, name="tester", **more):
        params = {"dialect": dialect, "agent": {"name": name, "version": "1", **more.pop("agent", {})}, "cwd": cwd,
                  "protocol": 1, **more}
        if session is not None:
            params["session_id"] = session
        return self.call("session.open", params)

    def close(self):
        self.socket.close()


def agent_socket(trial):
    # The control socket answers a moment before the endpoint is written.
    for _ in range(100):
        try:
            with open(os.path.join(trial.data, "run", "endpoint")) as file:
                return file.readline().strip()
        except FileNotFoundError:
            time.sleep(0.05)
    raise FileNotFoundError("endpoint")


def status(pid):
    with open(f"/proc/{pid}/status") as file:
        return dict(line.split(":", 1) for line in file if ":" in line)


def peak(pid):
    """The most resident memory so far, in MiB."""
    return int(status(pid)["VmHWM"].split()[0]) / 1024


def rss(pid):
    """Resident memory in MiB, number of descriptors, number of threads."""
    fields = status(pid)
    return (int(fields["VmRSS"].split()[0]) / 1024, len(os.listdir(f"/proc/{pid}/fd")), int(fields["Threads"]))
