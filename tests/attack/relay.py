"""The relay before engines that lie, stall or end, with odd payloads; what the agent sees, with and without --fail-closed."""
import json
import os
import socket
import subprocess
import sys
import threading
import time

from ag import RELAY, Report, Trial

report = Report("relay")
EVENTS = {"jcli": {"event": "pre_tool_execution", "session_id": "s", "tool_name": "Bash"}, "qoder": {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash"},
          "agent-hooks": {"event_type": "before_tool", "session_id": "s", "tool_name": "Bash"}}
trial = Trial("relay")
OPEN = b'{"jsonrpc":"2.0","id":1,"result":{"session":"s","protocol":1,"events":[],"hooks":0,"untrusted":0}}\n'


class Fake:
    """An engine that does what `behave` says with each connection."""

    def __init__(self, behave):
        self.path = os.path.join(trial.dir, "fake.sock")
        if os.path.exists(self.path):
            os.remove(self.path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(16)
        self.behave = behave
        self.held = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                conn, _ = self.listener.accept()
            except OSError:
                return
            self.held.append(conn)
            threading.Thread(target=self.one, args=(conn,), daemon=True).start()

    def one(self, conn):
        try:
            self.behave(conn)
        except OSError:
            pass

    def close(self):
        self.listener.close()
        for conn in self.held:
            conn.close()


def line(conn, state={}):
    buffer = b""
    while b"\n" not in buffer:
        more = conn.recv(1 << 16)
        if not more:
            return None
        buffer += more
    return json.loads(buffer.split(b"\n")[0])


def after_open(answer):
    def behave(conn):
        line(conn)
        conn.sendall(OPEN)
        got = line(conn)
        answer(conn, got)
    return behave


def reply(value):
    return after_open(lambda conn, got: conn.sendall(json.dumps({"jsonrpc": "2.0", "id": got["id"], "result": value}).encode() + b"\n"))


def hold(conn, *_):
    time.sleep(20)


BEHAVIOURS = {
    "closes at once": lambda conn: conn.close(),
    "never answers": hold,
    "garbage": lambda conn: (conn.sendall(b"\xff\xfe garbage\n" * 1000), hold(conn)),
    "endless line": lambda conn: [conn.sendall(b"a" * (1 << 20)) for _ in range(64)],
    "endless blank lines": lambda conn: [conn.sendall(b"\n" * (1 << 16)) for _ in range(100000)],
    "answers another id": lambda conn: (conn.sendall(OPEN.replace(b'"id":1', b'"id":7')), hold(conn)),
    "refuses": lambda conn: conn.sendall(b'{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"\\u001b[31mno\\nnext","data":{"hint":"\\u001b]0;x\\u0007"}}}\n'),
    "closes after open": after_open(lambda conn, got: conn.close()),
    "result is null": reply(None), "result is a list": reply([]), "result is {}": reply({}), "no exit code": reply({"reply": {"json": {}}}),
    "exit code 300": reply({"reply": {"json": {}, "exit_code": 300, "stderr": ""}, "verdict": {"kind": "proceed"}}),
    "exit code -1": reply({"reply": {"json": {}, "exit_code": -1, "stderr": ""}, "verdict": {"kind": "proceed"}}),
    "exit code 2.5": reply({"reply": {"json": {}, "exit_code": 2.5, "stderr": ""}, "verdict": {"kind": "proceed"}}),
    "deep reply": after_open(lambda conn, got: conn.sendall(b'{"jsonrpc":"2.0","id":' + str(got["id"]).encode() + b',"result":{"reply":{"exit_code":0,"stderr":"","json":' + b'{"a":' * 100000 + b"1" + b"}" * 100000 + b'}}}\n')),
    "asks the relay": after_open(lambda conn, got: (conn.sendall(b'{"jsonrpc":"2.0","id":"x\\u001b","method":"model.complete","params":{}}\n' * 1000), conn.sendall(json.dumps({"jsonrpc": "2.0", "id": got["id"], "result": {"reply": {"json": {}, "exit_code": 0, "stderr": ""}, "verdict": {"kind": "proceed"}}}).encode() + b"\n"))),
    "two results": after_open(lambda conn, got: conn.sendall((json.dumps({"jsonrpc": "2.0", "id": got["id"], "result": {"reply": {"json": {}, "exit_code": 0, "stderr": ""}}}) + "\n").encode() * 2)),
    "result and error": after_open(lambda conn, got: conn.sendall(json.dumps({"jsonrpc": "2.0", "id": got["id"], "result": {"reply": {"json": {}, "exit_code": 0, "stderr": ""}}, "error": {"code": 1, "message": "x"}}).encode() + b"\n")),
}


def run(dialect, payload, *args, env=None, timeout=15):
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    t = time.time()
    try:
        done = subprocess.run([RELAY, "--dialect", dialect, *args], input=body, env={**trial.env(), **(env or {})}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, cwd=trial.proj)
        return done, time.time() - t
    except subprocess.TimeoutExpired:
        return None, time.time() - t


for name, behave in ({} if sys.argv[1:] == ["places"] else BEHAVIOURS).items():
    fake = Fake(behave)
    env = {"HOOKWRIGHT_SOCKET": fake.path}
    for dialect, payload in EVENTS.items():
        open_, took = run(dialect, payload, env=env, timeout=8)
        shut, took2 = run(dialect, payload, "--fail-closed", env=env, timeout=8)
        if open_ is None or shut is None:
            report.case("liars", f"{name} {dialect}: ends", False, took=took)
            continue
        blocked = shut.returncode == 2 or b'"stop"' in shut.stdout or b'"skip"' in shut.stdout or b'"deny"' in shut.stdout
        raw = any(byte in open_.stderr for byte in (b"\x1b", b"\x07"))
        print(f"  {name} {dialect}: open rc {open_.returncode} {open_.stdout[:40]!r} {open_.stderr.decode(errors='replace').strip()[:70]!r} {took:.1f} s; closed rc {shut.returncode} blocked {blocked}", file=sys.stderr)
        report.case("liars", f"{name} {dialect}: in time, no panic, no raw control characters", took < 4 and b"panick" not in open_.stderr and not raw, took=took, err=open_.stderr.decode(errors="replace")[-150:])
        understood = name in ("two results", "result and error", "asks the relay", "exit code -1", "exit code 300", "exit code 2.5", "deep reply", "result is {}", "no exit code", "result is a list", "result is null")
        report.case("liars", f"{name} {dialect}: the agent continues", open_.returncode == 0 or name.startswith("exit code"), rc=open_.returncode)
        if not understood:
            report.case("liars", f"{name} {dialect}: --fail-closed blocks", blocked, rc=shut.returncode, out=shut.stdout.decode()[:100])
    fake.close()

ODD = {"empty": b"", "not json": b"x", "list": b"[]", "deep": b"[" * 200000, "two": b"{}{}", "16 MiB": b'{"hook_event_name":"PreToolUse","session_id":"s","a":"' + b"x" * (17 << 20) + b'"}', "nul": b'{"a":"\x00"}', "bom": b"\xef\xbb\xbf{}",
       "no end": b'{"a":', "duplicate": b'{"hook_event_name":"PreToolUse","hook_event_name":"Stop","session_id":"a","session_id":"b"}', "line ends": b'{\n"hook_event_name"\r\n:"PreToolUse"\n}', "latin1": b'{"a":"\xe9"}'}
fake = Fake(reply({"reply": {"json": {}, "exit_code": 0, "stderr": ""}, "verdict": {"kind": "proceed"}}))
for name, body in ODD.items():
    for dialect in EVENTS:
        done, took = run(dialect, body, env={"HOOKWRIGHT_SOCKET": fake.path})
        report.case("odd input", f"{name} {dialect}", done is not None and done.returncode in (0, 1) and b"panick" not in done.stderr, rc=done and done.returncode, err=done and done.stderr.decode(errors="replace")[-150:])
fake.close()
# Where it looks: relative, missing, of another user.
for name, env, want in (("relative HOOKWRIGHT_DATA", {"HOOKWRIGHT_DATA": "x"}, 0), ("no HOME", {"HOME": ""}, 0), ("socket is a folder", {"HOOKWRIGHT_SOCKET": trial.dir}, 0), ("socket path of 5,000 characters", {"HOOKWRIGHT_SOCKET": "/x" * 2500}, 0)):
    done, took = run("qoder", EVENTS["qoder"], env=env)
    report.case("places", name, done is not None and done.returncode == want and b"panick" not in done.stderr, rc=done and done.returncode, err=done and done.stderr.decode()[-150:])
if os.geteuid() != 0:
    report.skip("a socket of another user: needs root")
else:
    script = f"import socket, os, time\ns=socket.socket(socket.AF_UNIX); s.bind('/tmp/hw-other-user.sock'); os.chmod('/tmp/hw-other-user.sock', 0o666); s.listen(4)\nc,_=s.accept(); got=c.recv(1<<16); c.sendall({OPEN!r}); got=c.recv(1<<16); open('/tmp/hw-other-user.got','wb').write(got); c.sendall(b'{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{\"reply\":{{\"json\":{{}},\"exit_code\":0,\"stderr\":\"\"}}}}}}\\n'); time.sleep(1)"
    # An interpreter that everybody may run.
    other = subprocess.Popen(["/usr/bin/python3", "-c", script], user=65534, group=65534, extra_groups=[], cwd="/", env={"PATH": "/usr/bin:/bin", "HOME": "/"})
    time.sleep(1)
    done, took = run("qoder", EVENTS["qoder"], "--fail-closed", env={"HOOKWRIGHT_SOCKET": "/tmp/hw-other-user.sock"})
    print("  another user's socket:", done and (done.returncode, done.stdout[:60], done.stderr[:100]), file=sys.stderr)
    report.case("places", "a socket of another user is not asked", done is not None and (done.returncode == 2 or b"deny" in done.stdout), out=str(done and done.stdout[:80]))
    other.kill()
    for path in ("/tmp/hw-other-user.sock", "/tmp/hw-other-user.got"):
        if os.path.exists(path):
            os.remove(path)
report.finish()
