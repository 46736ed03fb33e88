"""Floods, slow readers, half-closed connections, used-up descriptors and memory on the agent socket."""
import json
import os
import resource
import socket
import sys
import threading
import time
import traceback

from ag import HEAVY, Agent, Report, Trial, agent_socket, peak, rss, stop

report = Report("agentload")
PAYLOAD = {"tool_name": "Bash", "tool_arguments": "{}"}
GUARD = "pre_tool_execution:\n  - command: echo '{\"action\":\"stop\"}'\n"
BLOCKS = ("stop", "deny", "skip", "retry")


def begin(name, **kw):
    trial = Trial(name)
    trial.write(os.path.join(trial.home, ".jdata/agent/hooks.yaml"), GUARD, 0o600)
    server = trial.serve(**kw)
    return trial, server, agent_socket(trial)


def blocks(trial, path, limit=10):
    try:
        agent = Agent(path, limit)
        agent.open("jcli", trial.proj, "probe")
        got = agent.call("event.fire", {"event": "pre_tool_execution", "payload": PAYLOAD}, limit)
        agent.close()
        return got["result"]["verdict"]["kind"] if "result" in got else got["error"]
    except Exception as error:  # noqa: BLE001
        return repr(error)


def descriptors():
    """As many connections as the system allows, with the soft and the hard limit at 1,024."""
    trial = Trial("descriptors")
    trial.write(os.path.join(trial.home, ".jdata/agent/hooks.yaml"), GUARD, 0o600)
    limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))  # noqa: E731
    server = trial.serve(preexec_fn=limit)
    path = agent_socket(trial)
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    victim = Agent(path, 15)
    victim.open("jcli", trial.proj, "victim")
    before = victim.call("event.fire", {"event": "pre_tool_execution", "payload": PAYLOAD})["result"]["verdict"]["kind"]
    held = []
    for _ in range(1200):
        try:
            conn = socket.socket(socket.AF_UNIX)
            conn.settimeout(2)
            conn.connect(path)
            held.append(conn)
        except OSError:
            break
    time.sleep(1)
    try:
        got = victim.call("event.fire", {"event": "pre_tool_execution", "payload": PAYLOAD}, 15)
        during = got["result"]["verdict"]["kind"] if "result" in got else str(got["error"])
    except Exception as error:  # noqa: BLE001
        during = repr(error)
    fresh = blocks(trial, path, 5)
    relay_like = fresh
    print("descriptors:", len(held), "held;", before, "->", during, "; a new connection:", fresh, rss(server.pid), file=sys.stderr)
    report.case("descriptors", "connected agent's guard blocks", during in BLOCKS, during=during)
    report.case("descriptors", "new connection's guard blocks", relay_like in BLOCKS, during=relay_like)
    for conn in held:
        conn.close()
    time.sleep(1)
    report.case("descriptors", "well again", blocks(trial, path) in BLOCKS)
    stop(server)


def flood():
    """20,000 requests that nobody reads the answers of; 64 at once; others are served."""
    trial, server, path = begin("flood")
    start = rss(server.pid)
    def push(sock, data):
        try:
            sock.sendall(data)
        except OSError:
            pass
    agents = []
    for count in range(8):
        agent = Agent(path, 3)
        agent.open("jcli", trial.proj, "flood%d" % count)
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "event.fire", "params": {"event": "pre_tool_execution", "payload": {**PAYLOAD, "x": "y" * 3000}}}) + "\n"
        thread = threading.Thread(target=push, args=(agent.socket, line.encode() * 2500), daemon=True)
        thread.start()
        agents.append((agent, thread))
    t = time.time()
    got = blocks(trial, path, 20)
    took = time.time() - t
    time.sleep(5)
    got2, t = blocks(trial, path, 20), time.time()
    print("flood:", got, f"{took:.2f} s", got2, start, "->", rss(server.pid), file=sys.stderr)
    report.case("flood", "others are served", got in BLOCKS and took < 5, got=got, took=took)
    for agent, _ in agents:
        agent.close()
    time.sleep(2)
    print("flood: afterwards", rss(server.pid), blocks(trial, path), file=sys.stderr)
    stop(server)


def slow():
    """A reader that takes one byte a second, with large replies; and one that never reads notices."""
    trial = Trial("slow")
    trial.write(os.path.join(trial.home, ".jdata/agent/hooks.yaml"), "pre_send_message:\n  - command: head -c 900000 /dev/zero | tr '\\0' a | sed 's/^/{\"user_input\":\"/;s/$/\"}/'\n" + GUARD, 0o600)
    server = trial.serve()
    path = agent_socket(trial)
    start = rss(server.pid)
    agents = []
    for count in range(4):
        agent = Agent(path, 5)
        agent.open("jcli", trial.proj, "slow%d" % count)
        for number in range(20):
            try:
                agent.send("event.fire", {"event": "pre_send_message", "payload": {"user_input": "x" * 500000}}, number)
            except OSError:
                break
        agents.append(agent)
    time.sleep(15)
    mem = rss(server.pid)
    t = time.time()
    got = blocks(trial, path, 30)
    print("slow:", start, "->", mem, got, f"{time.time() - t:.2f} s", file=sys.stderr)
    report.figure("MiB for 4 agents that never read 20 answers of 0.9 MB", round(mem[0] - start[0]), 300)
    report.case("slow", "others are served", got in BLOCKS, got=got)
    for agent in agents:
        agent.close()
    time.sleep(5)
    print("slow: afterwards", rss(server.pid), file=sys.stderr)
    t = time.time()
    stop(server, wait=60)
    report.figure("seconds until the engine ends", round(time.time() - t), 10)


def large():
    """64 events of one session with 15 MiB each, whose hook waits."""
    trial = Trial("large")
    trial.write(os.path.join(trial.home, ".jdata/agent/hooks.yaml"), "pre_send_message:\n  - command: sleep 20\n    timeout: 30\n" + GUARD, 0o600)
    server = trial.serve()
    path = agent_socket(trial)
    start = rss(server.pid)
    agent = Agent(path, 30)
    agent.open("jcli", trial.proj, "large")
    count = int(os.environ.get("LARGE", "8"))
    for number in range(count):
        agent.send("event.fire", {"event": "pre_send_message", "payload": {"user_input": "x" * (15 << 20)}}, number)
    t, top = time.time(), 0
    while time.time() < t + 12:
        top = max(top, rss(server.pid)[0])
        time.sleep(0.2)
    got = blocks(trial, path, 30)
    print(f"large: {count} events of 15 MiB", start, "-> top", round(top), rss(server.pid), got, file=sys.stderr)
    report.figure(f"MiB for {count} events of 15 MiB of one session, times their bytes", round((top - start[0]) / (15 * count), 1), 4)
    agent.close()
    time.sleep(10)
    print("large: afterwards", rss(server.pid), file=sys.stderr)
    stop(server, wait=60)


def half():
    """Half-closed connections: answers still come; closed ones stop their hooks."""
    trial = Trial("half")
    trial.write(os.path.join(trial.home, ".jdata/agent/hooks.yaml"), f"pre_tool_execution:\n  - command: sleep 2; echo ran >> {trial.mark}; echo '{{\"action\":\"stop\"}}'\n    timeout: 10\n", 0o600)
    server = trial.serve()
    path = agent_socket(trial)
    agent = Agent(path)
    agent.open("jcli", trial.proj, "half")
    agent.send("event.fire", {"event": "pre_tool_execution", "payload": PAYLOAD}, 1)
    agent.socket.shutdown(socket.SHUT_WR)
    try:
        got = agent.wait(1, 8)["result"]["verdict"]["kind"]
    except Exception as error:  # noqa: BLE001
        got = repr(error)
    report.case("half", "an answer after SHUT_WR", got in BLOCKS, got=got)
    trial.marked()
    agent = Agent(path)
    agent.open("jcli", trial.proj, "gone")
    agent.send("event.fire", {"event": "pre_tool_execution", "payload": PAYLOAD}, 1)
    time.sleep(0.5)
    agent.close()
    time.sleep(3)
    report.case("half", "a hook of an agent that left is stopped", not trial.marked())
    # SHUT_RD only: the engine's writes fail.
    agent = Agent(path)
    agent.open("jcli", trial.proj, "rd")
    agent.socket.shutdown(socket.SHUT_RD)
    for number in range(100):
        try:
            agent.send("event.fire", {"event": "session_start", "payload": {}}, number)
        except OSError:
            break
    time.sleep(1)
    print("half:", got, rss(server.pid), blocks(trial, path), file=sys.stderr)
    # 2,000 connections that come and go in the middle of a line.
    start = rss(server.pid)
    for _ in range(2000):
        conn = socket.socket(socket.AF_UNIX)
        conn.connect(path)
        conn.send(b'{"jsonrpc":"2.0","id":1,"method":"session.op')
        conn.close()
    time.sleep(1)
    print("half: come and go", start, "->", rss(server.pid), file=sys.stderr)
    stop(server)


def memory():
    """Large definitions, prompts and messages that a session keeps."""
    trial, server, path = begin("memory")
    start = rss(server.pid)
    agent = Agent(path, 60)
    agent.open("jcli", trial.proj, "big", keep_ms=3600000)
    for count in range(30):
        got = agent.call("hook.register", {"event": "stop", "definition": {"type": "llm", "prompt": "p" * (15 << 20)}}, 120)
        if "error" in got:
            print("memory: refused", got["error"]["message"][:100], file=sys.stderr)
            break
    print("memory: hooks", count + 1, start, "->", rss(server.pid), file=sys.stderr)
    report.figure("MiB kept for the session hooks of one connection", round(rss(server.pid)[0] - start[0]), 256)
    agent.close()
    time.sleep(1)
    print("memory: after it left (kept)", rss(server.pid), file=sys.stderr)
    base = rss(server.pid)
    agent = Agent(path, 60)
    agent.open("skill", trial.proj, "skills")
    agent.call("skill.begin", {"messages": [], "enabled_skills": []}, 60)
    for count in range(30):
        got = agent.call("skill.inject_prompt", {"content": "p" * (15 << 20)}, 120)
        if "error" in got:
            print("memory: refused", got["error"]["message"][:100], file=sys.stderr)
            break
    print("memory: prompts", count + 1, base, "->", rss(server.pid), file=sys.stderr)
    report.figure("MiB kept for the messages of one request", round(rss(server.pid)[0] - base[0]), 256)
    t = time.time()
    got = agent.call("skill.inject", {"timing": "before_llm_call"}, 300)
    print("memory: inject", str(got)[:200], f"{time.time() - t:.1f} s", rss(server.pid), file=sys.stderr)
    agent.close()
    base = rss(server.pid)
    # Lines that never end.
    held = []
    for _ in range(40):
        conn = socket.socket(socket.AF_UNIX)
        conn.settimeout(20)
        conn.connect(path)
        conn.sendall(b'{"x":"' + b"a" * (31 << 20))
        held.append(conn)
    print("memory: 40 unfinished lines of 31 MiB", base, "->", rss(server.pid), blocks(trial, path), file=sys.stderr)
    report.figure("MiB for 40 connections with an unfinished line", round(rss(server.pid)[0] - base[0]), 600)
    for conn in held:
        conn.close()
    time.sleep(1)
    print("memory: afterwards", rss(server.pid), file=sys.stderr)
    stop(server)


def values():
    """Texts of millions of small values in every place that an agent fills, and what sessions keep of them."""
    many, names = [0] * (4 << 20), [""] * (4 << 20)
    step = {"hook": "x", "label": "x", "attempts": many}
    for what, dialect, method, params in (
        ("a payload", "jcli", "event.fire", {"event": "pre_tool_execution", "payload": {**PAYLOAD, "x": many}}),
        ("objects in a payload", "jcli", "event.fire", {"event": "pre_tool_execution", "payload": {**PAYLOAD, "x": [{"": 0}] * (1 << 20)}}),
        ("attempts of a report", "jcli", "run.report", {"event": "stop", "payload": {}, "steps": [step]}),
        ("steps of a report", "jcli", "run.report", {"event": "stop", "payload": {}, "steps": [{"hook": "h", "label": "l"}] * 300_000}),
        ("names of skills", "skill", "skill.begin", {"messages": [], "enabled_skills": names}),
        ("messages", "skill", "skill.begin", {"messages": [{"role": "user", "content": ""}] * 300_000}),
    ):
        trial, server, path = begin("values")
        agent = Agent(path, 120)
        agent.open(dialect, trial.proj, "values")
        start = peak(server.pid)
        got = agent.call(method, params, 120)
        report.figure(f"MiB at most for {what} with millions of values", round(peak(server.pid) - start), 400)
        print(f"values: {what}", str(got)[:150], rss(server.pid), file=sys.stderr)
        report.case("values", f"the guard blocks after {what}", blocks(trial, path) in BLOCKS)
        agent.close()
        stop(server)
    trial, server, path = begin("paths")
    start = rss(server.pid)[0]
    for number in range(12):
        agent = Agent(path, 60)
        about = {"name": "a", "version": "", "path": "/x:" * (8 << 20)}
        agent.call("session.open", {"dialect": "jcli", "agent": about, "session_id": f"p{number}", "cwd": trial.proj, "keep_ms": 3600000, "protocol": 1}, 60)
        agent.close()
    report.figure("MiB kept for 12 sessions with a PATH of 24 MiB", round(rss(server.pid)[0] - start), 64)
    stop(server)


PARTS = (descriptors, half, flood, slow, large, memory, values)
for part in PARTS:
    name, wanted = part.__name__, sys.argv[1:]
    if name not in (wanted or [part.__name__ for part in PARTS]):
        continue
    if part in (slow, large) and not wanted and not HEAVY:
        report.skip(f"{name}: heavy, set ATTACK_HEAVY=1")
        continue
    print("▸", name, file=sys.stderr)
    try:
        part()
    except Exception as error:  # noqa: BLE001
        traceback.print_exc()
        report.case("ran", name, False, error=repr(error))
report.finish()
