"""The page and the control socket: who gets in, what load and garbage do. The part `other` needs root: it acts as another user."""
import http.client
import json
import os
import random
import re
import socket
import stat
import subprocess
import time

from hw import Control, Report, Trial, stop

GARBAGE_LINES = 10_000
STATE = json.dumps({"method": "state", "params": {}}).encode()
JSON = {"Content-Type": "application/json"}


def start(name):
    trial = Trial(name)
    trial.write(".jcli/hooks.yaml", json.dumps({"pre_send_message": [{"command": "echo '{}'"}]}), 0o644)
    engine = trial.serve("--web", "127.0.0.1:0")
    end = time.time() + 10
    while time.time() < end:
        printed = open(trial.dir + "/serve.out").read() + open(trial.dir + "/serve.err").read()
        link = re.search(r"http://([^/\s]+)/\?code=([0-9a-f]+)", printed)
        if link:
            return trial, engine, link.group(1), link.group(2)
        time.sleep(0.05)
    raise SystemExit("the page was not served")


def ask(host, method, path, headers=None, body=None, timeout=10):
    connection = http.client.HTTPConnection(host, timeout=timeout)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in {"Host": host, **(headers or {})}.items():
            for one in value if isinstance(value, list) else [value]:
                if one is not None:
                    connection.putheader(name, one)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read(200_000)
    finally:
        connection.close()


def status(*args, **kw):
    try:
        return ask(*args, **kw)[0]
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__


def exchange(host, code, headers=None):
    """What the script of the link's page sends."""
    return ask(host, "POST", "/enter", {**JSON, **(headers or {})}, json.dumps({"code": code}).encode())


def enter(host, code):
    """The two secrets of a window, as headers."""
    _, headers, body = exchange(host, code)
    return {"Cookie": headers["set-cookie"].split(";")[0], "X-Hookwright-Window": json.loads(body)["window"]}


def door(report):
    trial, engine, host, code = start("web-door")
    port = host.split(":")[1]

    def expect(name, wanted, *args, **kw):
        got = status(host, *args, **kw)
        report.case("door", name, got in wanted, got=got)

    for path in ("/", "/assets/x.js", "/pushes", "/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
                 "/..\\..\\etc\\passwd", "/%00", "/index.html", f"http://{host}/", "/?code=0", "/?code=", "/?barcode=1",
                 f"/?code=0&code={code}", f"/?xcode={code}", f"/?code={code[:-1]}", f"/?code={code.upper()}X"):
        expect(f"stranger {path[:40]}", (401, 404, 400, 403), "GET", path)
    expect("stranger rpc", (401,), "POST", "/rpc", JSON, STATE)
    expect("stranger rpc with the code", (401,), "POST", f"/rpc?code={code}", JSON, STATE)
    expect("stranger pushes with the code", (401,), "GET", f"/pushes?code={code}")
    wrong = f"/?code={'0' * 64}"
    for name in ("localhost:" + port, "127.0.0.1", "evil.example", "evil.example:" + port, "127.0.0.1:80", "[::1]:" + port,
                 "127.1:" + port, "2130706433:" + port, host + ".evil.example", "", None, [host, "evil.example"], ["evil.example", host]):
        expect(f"host {name!r}", (403, 400), "GET", wrong, {"Host": name})
    for origin in ("https://evil.example", "null", "http://localhost:" + port, "http://127.0.0.1", "https://" + host,
                   "http://" + host + ".evil.example", "", "file://"):
        expect(f"origin {origin!r}", (403,), "GET", f"/?code={code}", {"Origin": origin})
    for method in ("HEAD", "OPTIONS", "POST", "PUT", "TRACE", "CONNECT"):
        expect(f"{method} with the code", (401, 405, 200, 404, 400), method, f"/?code={code}")
    for name, value in (("Origin", "https://evil.example"), ("Sec-Fetch-Site", "same-site"), ("Host", "localhost:" + port)):
        report.case("door", f"exchange {name} {value}", exchange(host, code, {name: value})[0] in (403, 400))
    granted, headers, body = exchange(host, code)
    given = headers.get("set-cookie", "")
    report.case("door", "the code works", granted == 200 and "HttpOnly" in given and "SameSite=Strict" in given)
    expect("the code works once", (401,), "GET", f"/?code={code}")
    report.case("door", "the code is exchanged once", exchange(host, code)[0] == 401)
    jar = given.split(";")[0]
    window = json.loads(body)["window"]
    mine = {"Cookie": jar, "X-Hookwright-Window": window}
    expect("rpc with both secrets", (200,), "POST", "/rpc", {**JSON, **mine}, STATE)
    # A server on another port of this address gets the cookie from the browser, and nothing else.
    for guess in (None, "", "0" * 64, jar.split("=")[1], window[:-1], window + "0", window.upper() + "x", [window, window], [window, "0"]):
        stolen = {"Cookie": jar, "X-Hookwright-Window": guess}
        expect(f"rpc with the cookie and {str(guess)[:10]}", (401, 400), "POST", "/rpc", {**JSON, **stolen}, STATE)
        expect(f"pushes with the cookie and {str(guess)[:10]}", (401, 400), "GET", "/pushes", stolen, timeout=3)
    for path in ("/rpc/", "//rpc", "/%72pc", "/./rpc", "/x/../rpc", "/rpc?x", "/RPC", f"/rpc?x-hookwright-window={window}", f"http://{host}/rpc"):
        expect(f"cookie alone {path[:30]}", (401, 404, 405, 400), "POST", path, {**JSON, "Cookie": jar}, STATE)
    for code_ in (None, "", "0" * 64, code):
        report.case("door", f"exchange with the cookie and {str(code_)[:8]}", exchange(host, code_, {"Cookie": jar})[0] in (401, 422))
    expect("rpc with the window alone", (401,), "POST", "/rpc", {**JSON, "X-Hookwright-Window": window}, STATE)
    for media in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None,
                  "text/plain; application/json", "application/jsonx"):
        expect(f"rpc as {media}", (415,), "POST", "/rpc", {"Content-Type": media, **mine}, STATE)
    for name, value in (("Origin", "https://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"),
                        ("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Site", ""), ("Host", "localhost:" + port),
                        ("Origin", ["http://" + host, "https://evil.example"]), ("Origin", ["https://evil.example", "http://" + host]),
                        ("Sec-Fetch-Site", ["same-origin", "cross-site"]), ("Host", [host, "evil.example"])):
        expect(f"rpc {name} {value}", (403, 400), "POST", "/rpc", {**JSON, **mine, name: value}, STATE)
        expect(f"pushes {name} {value}", (403, 400), "GET", "/pushes", {**mine, name: value}, timeout=3)
    key, value = jar.split("=")
    for guess in (f"{key}={value[:-1]}", f"{key}={value}x", f"x{key}={value}", f"{key}=", f"{key}=={value}", value,
                  f"{key.upper()}={value}", f'{key}="{value}"'):
        expect(f"cookie {guess[:30]}", (401,), "POST", "/rpc", {**JSON, **mine, "Cookie": guess}, STATE)
    for method in ("login.get", "login.set", "quit", "shell.open", "__proto__", "", "subscribe", "../x", "a" * 100_000):
        body = json.dumps({"method": method, "params": {}}).encode()
        report.case("door", f"method {method[:20]}", b"fault" in ask(host, "POST", "/rpc", {**JSON, **mine}, body)[2])
    for path in ("/etc/passwd", "../../../../etc/passwd", trial.data + "/trust.json", trial.data + "/settings.toml"):
        body = json.dumps({"method": "hooks.text", "params": {"project": trial.proj, "path": path}}).encode()
        text = ask(host, "POST", "/rpc", {**JSON, **mine}, body)[2]
        report.case("door", f"hooks.text {path[-20:]}", b"fault" in text)
    stop(engine)


def load(report):
    trial, engine, host, code = start("web-load")
    address = tuple(host.split(":"))
    secrets = enter(host, code)
    mine = {**JSON, **secrets}
    sent = "".join(f"{name}: {value}\r\n" for name, value in secrets.items())
    answers = lambda: status(host, "POST", "/rpc", mine, STATE) == 200
    descriptors = lambda: len(os.listdir(f"/proc/{engine.pid}/fd"))
    quiet = descriptors()
    slow = []
    for _ in range(100):
        connection = socket.create_connection(address)
        connection.send(b"GET / HTTP/1.1\r\nHost: " + host.encode() + b"\r\nX: ")
        slow.append(connection)
    report.case("load", "answers beside 100 unfinished headers", answers())
    report.figure("descriptors that 100 unfinished headers cost", descriptors() - quiet, 66)
    end = time.time() + 12
    while time.time() < end:
        for connection in slow:
            try:
                connection.send(b"a")
            except OSError:
                pass
        time.sleep(1)
    report.figure("of them open after 12 s", max(0, descriptors() - quiet), 2)
    for connection in slow:
        connection.close()
    streams = []
    quiet = descriptors()
    for _ in range(300):
        connection = socket.create_connection(address)
        connection.send(f"GET / HTTP/1.1\r\nHost: {host}\r\nCookie: {secrets['Cookie']}\r\n\r\n".encode())
        connection.recv(64)
        streams.append(connection)
    report.figure("descriptors that 300 connections with the cookie alone cost", descriptors() - quiet, 66)
    for connection in streams:
        connection.close()
    streams = []
    for _ in range(300):
        connection = socket.create_connection(address)
        connection.send(f"GET /pushes HTTP/1.1\r\nHost: {host}\r\n{sent}\r\n".encode())
        connection.recv(64)
        streams.append(connection)
    report.case("load", "answers beside 300 streams of its own browser", answers())
    for connection in streams:
        connection.close()
    for name, head in (("1 MiB header", f"GET / HTTP/1.1\r\nHost: {host}\r\nX: {'a' * (1 << 20)}\r\n\r\n"),
                       ("200 headers", f"GET / HTTP/1.1\r\nHost: {host}\r\n" + "X: a\r\n" * 200 + "\r\n"),
                       ("two lengths", f"POST /rpc HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: {host}\r\n\r\n"),
                       ("http/0.9", "GET /\r\n\r\n"), ("http/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ("tls", "\x16\x03\x01\x02\x00\x01")):
        connection = socket.create_connection(address, timeout=12)
        try:
            connection.sendall(head.encode("latin1"))
            got = connection.recv(4000)
        except OSError:
            got = b""
        connection.close()
        report.case("load", name, b" 200 " not in got[:20] and answers(), got=got[:40].decode(errors="replace"))
    length = 200 << 20
    connection = socket.create_connection(address, timeout=20)
    sent = 0
    try:
        connection.sendall(f"POST /rpc HTTP/1.1\r\nHost: {host}\r\n{sent}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n".encode())
        while sent < length:
            sent += connection.send(b" " * (1 << 20))
    except OSError:
        pass
    connection.close()
    report.case("load", "a body of 200 MiB is not taken", sent < length and answers(), sent=sent)
    stop(engine)


def random_params(pick, trial, depth=0):
    words = ["project", "dialect", "event", "payload", "hook", "fingerprint", "path", "name", "run", "session", "limit", "after",
             "trace", "key", "value", "definition", "layer", "text", "until", "changes", "since", "scenario", "edit"]
    values = [None, True, 5, -1, 1e308, "", "x", trial.proj, "/etc/passwd", "../../etc/passwd", "\0", "\u202e", "jcli", "qoder",
              "pre_send_message", "x" * 100_000, 2 ** 63, [], {}, [[[]]], "jcli:project:pre_send_message:0", "'; drop table traces; --"]
    inner = {word: random_params(pick, trial, 1) for word in pick.sample(words, 3)} if depth == 0 and pick.random() < 0.2 else pick.choice(values)
    return {word: pick.choice(values) for word in pick.sample(words, pick.randint(0, 8))} | ({"payload": inner} if depth == 0 else {})


def random_line(pick, trial, methods, number):
    kind = pick.random()
    if kind < 0.25:
        return pick.randbytes(pick.choice([1, 10, 200, 3000])).replace(b"\n", b" ")
    if kind < 0.4:
        return json.dumps(pick.choice([[], 5, None, "x", {}, {"jsonrpc": "1.0"}, {"id": {}}, {"method": 5, "id": 1}, [1, 2],
                                       {"jsonrpc": "2.0", "id": 1}, {"jsonrpc": "2.0", "result": 1, "id": 1}])).encode()
    request = {"jsonrpc": "2.0", "id": pick.choice([number, str(number), None]), "method": pick.choice(methods),
               "params": pick.choice([random_params(pick, trial), 5, [1]])}
    line = json.dumps(request).encode()
    if pick.random() < 0.1:
        at = pick.randrange(len(line))
        line = line[:at] + pick.randbytes(1).replace(b"\n", b"x") + line[at + 1:]
    return line


def sockets(report):
    trial, engine, host, code = start("web-socket")
    for folder, _, files in os.walk(trial.data):
        for path in [folder] + [os.path.join(folder, name) for name in files]:
            mode = stat.S_IMODE(os.lstat(path).st_mode)
            report.case("modes", os.path.relpath(path, trial.data), mode & 0o077 == 0, mode=oct(mode))
    here = os.path.dirname(os.path.abspath(__file__))
    listed = open(os.path.join(here, "../../docs/control.md")).read()
    methods = re.findall(r"^\| `([a-z._]+)` \|", listed, re.MULTILINE)
    pick = random.Random(11)
    control = Control(trial.control())
    closed = 0
    for number in range(GARBAGE_LINES):
        try:
            control.send(random_line(pick, trial, methods, number) + b"\n")
            if number % 100 == 99:
                report.case("answers amid garbage", number, "result" in control.call("state"))
        except (OSError, EOFError, ValueError):
            closed += 1
            if engine.poll() is not None:
                break
            control = Control(trial.control())
    report.case("garbage", "the engine lives", engine.poll() is None)
    report.figure(f"connections closed by {GARBAGE_LINES} lines of garbage", closed, 0)
    never_reads = Control(trial.control(), 3)
    try:
        for _ in range(200_000):
            never_reads.send(b'{"jsonrpc":"2.0","id":1,"method":"dialects","params":{}}\n')
    except OSError:
        pass
    report.case("garbage", "answers beside a client that never reads", "result" in Control(trial.control()).call("state"))
    too_long = Control(trial.control(), 20)
    try:
        for _ in range(100):
            too_long.send(b"a" * (1 << 20))
        too_long.socket.recv(300)
    except OSError:
        pass
    report.case("garbage", "answers after a line of 100 MiB", "result" in Control(trial.control()).call("state"))
    resident = int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{engine.pid}/status").read()).group(1)) >> 10
    report.figure("MiB resident after that", resident, 600)
    stop(engine)


def largest(report):
    trial = Trial("web-largest")
    keep = "cat >/dev/null; echo '{}'"
    trial.write(".jcli/hooks.yaml", json.dumps({"pre_send_message": [{"command": keep}] * 5}), 0o644)
    trial.trust_all()
    engine = trial.serve()
    control = Control(trial.control(), 300)
    control.call("projects.add", {"path": trial.proj})
    for letter in ("x", "é", "\\"):
        width = len(json.dumps(letter, ensure_ascii=False).encode()) - 2
        payload = {"user_input": letter * (((16 << 20) - 4096) // width)}
        params = {"run": letter, "project": trial.proj, "dialect": "jcli", "event": "pre_send_message", "payload": payload}
        fired = control.call("fire", params)
        trace = fired.get("result", {}).get("trace")
        report.case("largest event", f"fire {letter}", trace is not None, error=fired.get("error", {}).get("message"))
        shown = control.call("history.show", {"trace": trace})
        report.case("largest event", f"show {letter}", shown.get("result", {}).get("trace") == trace,
                    error=shown.get("error", {}).get("message"))
    stop(engine)


OTHER = """
import http.client, json, os, socket, sys
data, control, host = sys.argv[1:]
got = {}
for path in (data, data + "/run", data + "/spool"):
    try: os.listdir(path); got["listed " + path[len(data):]] = True
    except OSError: pass
for name in ("history.db", "trust.json", "settings.toml"):
    try: open(data + "/" + name, "rb").read(); got["read " + name] = True
    except OSError: pass
connection = socket.socket(socket.AF_UNIX)
try:
    connection.connect(control); connection.send(b'{"jsonrpc":"2.0","id":1,"method":"state"}\\n')
    if connection.recv(100): got["socket answered"] = True
except OSError: pass
page = http.client.HTTPConnection(host)
page.request("POST", "/rpc", "{}", {"Content-Type": "application/json"})
if page.getresponse().status == 200: got["page answered"] = True
print(json.dumps(got))
"""


def other(report):
    if os.geteuid() != 0:
        report.skip("the part `other` needs root, to act as another user")
        return
    trial, engine, host, code = start("web-other")
    os.chmod(trial.dir, 0o755)

    def tried():
        done = subprocess.run(["python3", "-c", OTHER, trial.data, trial.control(), host], stdout=subprocess.PIPE, cwd="/",
                              user=65534, group=65534, extra_groups=[])
        return json.loads(done.stdout)

    got = tried()
    report.case("another user", "as it is", not got, got=got)
    for path, mode in ((trial.data, 0o755), (trial.data + "/run", 0o755), (trial.control(), 0o666)):
        os.chmod(path, mode)
    got = tried()
    report.case("another user", "with the socket opened wide", not got.get("socket answered") and not got.get("page answered"), got=got)
    seen = subprocess.run(["ps", "-eo", "args"], stdout=subprocess.PIPE).stdout.decode()
    report.case("another user", "the code is not among the arguments of any process", code not in seen)
    stop(engine)


def main():
    report = Report("web")
    for part in (door, load, sockets, largest, other):
        part(report)
    report.finish()


if __name__ == "__main__":
    main()
