"""Data: what was acknowledged is in the history afterwards, whatever dies, or its reply says that it is not.

  parallel   200 `fire` at once, without and with an engine
  killfire   `fire` processes killed with SIGKILL at random times
  killserve  an engine killed with SIGKILL amid eight busy connections
  removed    the spool folder removed or replaced, and the database deleted, under a running engine
  locked     the history's lock held by another process: no screen waits longer than 300 ms
  full       a data folder on a file system that fills up (needs root)
  corrupt    damaged database, log and spool
  clock      events of a clock that is wrong by centuries (needs a C compiler)
  two        a second engine, one that hangs, one that was killed

Acknowledged: a trace id was printed, or a reply came. Usage: data.py [PART...]
"""
import base64
import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

from hw import Control, Report, Trial, stop

EVENT = ("jcli", "pre_send_message")
report = Report("data")


def listed(trial):
    """The ids in the history; None when it cannot be read."""
    ids, after = [], None
    while True:
        run = trial.run("history", "--limit", "1000", "--json", *(["--after", after] if after else []), timeout=120)
        # With a database that cannot be read, the status is 1 and the document has what is outside it.
        if run.returncode != 0 and not run.stdout.strip():
            return None
        page = json.loads(run.stdout)
        ids += [row["trace"] for row in page["traces"]]
        after = page["next"]
        if not after:
            return ids


def project(trial, command="echo '{}'"):
    trial.write(".jcli/hooks.yaml", json.dumps({EVENT[1]: [{"command": command}]}), 0o644)
    trial.trust_all()


def compare(name, acknowledged, kept):
    kept = kept or []
    lost = sorted(set(acknowledged) - set(kept))
    report.case("acknowledged, and lost without a word", name, not lost, acknowledged=len(acknowledged), lost=len(lost))
    report.case("recorded twice", name, len(kept) == len(set(kept)))


def fires(trial, count):
    command = ["fire", "--dialect", EVENT[0], "--event", EVENT[1], "--payload", "-", "--json"]
    pipe = subprocess.PIPE
    processes = [trial.popen(*command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) for _ in range(count)]
    for process in processes:
        process.stdin.write(b"{}")
        process.stdin.close()
    return processes


def acknowledged(output):
    """The id of a printed trace that does not say that it is not recorded."""
    try:
        trace = json.loads(output)
    except ValueError:
        return None
    return trace["trace"] if trace.get("recorded", True) else None


def request(trial, run="1", payload=None):
    return {"run": run, "project": trial.proj, "dialect": EVENT[0], "event": EVENT[1], "payload": payload or {}}


def parallel():
    for engine in (False, True):
        trial = Trial(f"parallel-{engine}")
        project(trial)
        serving = trial.serve() if engine else None
        done = []
        for process in fires(trial, 200):
            done.append(acknowledged(process.stdout.read()))
            report.case("exit status of fire", f"parallel, engine {engine}", process.wait() == 0)
        compare(f"200 at once, engine {engine}", [trace for trace in done if trace], listed(trial))
        if serving:
            stop(serving)


def killfire():
    trial = Trial("killfire")
    project(trial, "sleep 0.02; echo '{}'")
    chance, done = random.Random(5), []
    for _ in range(12):
        processes = fires(trial, 8)
        ends = {process: time.time() + chance.uniform(0.02, 0.5) for process in processes}
        while ends:
            for process, end in list(ends.items()):
                if process.poll() is not None or time.time() > end:
                    process.kill()
                    del ends[process]
            time.sleep(0.005)
        for process in processes:
            process.wait()
            done.append(acknowledged(process.stdout.read()))
    compare("fires killed", [trace for trace in done if trace], listed(trial))


def killserve(rounds=5):
    trial = Trial("killserve")
    project(trial)
    done, lock, chance = [], threading.Lock(), random.Random(7)

    def work(number):
        try:
            control = Control(trial.control())
            for count in range(10000):
                payload = {"user_input": "x" * chance.choice([10, 1000, 20000])}
                got = control.call("fire", request(trial, f"{number}-{count}", payload))["result"]
                if got.get("recorded", True):
                    with lock:
                        done.append(got["trace"])
        except (OSError, EOFError, KeyError, ValueError):
            pass
    for _ in range(rounds):
        engine = trial.serve()
        threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(chance.uniform(0.3, 1.5))
        engine.kill()
        engine.wait()
        for thread in threads:
            thread.join(5)
    compare("engine killed", done, listed(trial))
    report.case("history is not empty", "engine killed", len(done) > 0)


def removed():
    def lose(trial, what):
        spool = os.path.join(trial.data, "spool")
        if what == "removed":
            shutil.rmtree(spool)
        elif what == "replaced":
            os.rename(spool, f"{spool}.{time.time()}")
            os.mkdir(spool)
        elif what in ("file", "dead link"):
            shutil.rmtree(spool)
            os.symlink("nowhere", spool) if what == "dead link" else open(spool, "w").close()
        elif what == "emptied":
            for name in os.listdir(spool):
                os.remove(os.path.join(spool, name))
        elif what == "database":
            for name in os.listdir(trial.data):
                if name.startswith("history.db"):
                    os.remove(os.path.join(trial.data, name))
    for what in ("removed", "replaced", "file", "dead link", "emptied", "database"):
        trial = Trial(f"lost-{what}")
        project(trial)
        engine = trial.serve()
        control = Control(trial.control())
        done = []
        for round in range(3):
            for count in range(5):
                done.append(control.call("fire", request(trial, f"{round}-{count}"))["result"]["trace"])
            lose(trial, what)
            done.append(control.call("fire", request(trial, f"{round}-after"))["result"]["trace"])
            if what == "database":
                # It has what the running engine still had; what was in the database is the person's loss.
                done = done[-1:]
        if what != "database":
            told = control.call("state")["result"]["store"]
            report.case("state tells it", what, told["why"] is not None, store=told)
        time.sleep(3)
        compare(f"spool or database {what}, engine alive", done, listed(trial))
        stop(engine)
        compare(f"spool or database {what}, engine ended", done, listed(trial))


def locked():
    trial = Trial("locked")
    project(trial)
    trial.fire(*EVENT, {})
    with open(os.path.join(trial.data, "history.lock"), "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        engine = trial.serve()
        control = Control(trial.control())
        done, slowest = [], 0.0
        end = time.time() + 12
        while time.time() < end:
            done.append(control.call("fire", request(trial, str(time.time())))["result"]["trace"])
            begin = time.time()
            page = control.call("history.page", {"limit": 100})["result"]["traces"]
            control.call("state")
            slowest = max(slowest, time.time() - begin)
            report.case("what was fired is seen", "locked", page[0]["trace"] == done[-1])
            time.sleep(0.2)
        report.case("state tells it", "locked", control.call("state")["result"]["store"]["ok"] is False)
    report.figure("slowest screen beside a held lock, ms", round(slowest * 1000), 300)
    stop(engine)
    compare("locked", done, listed(trial))


def no_byte_left(trial):
    """Fires three events that can only be spooled, then fills the file system to its last byte."""
    spool = os.path.join(trial.data, "spool")
    # A spool file that holds something is an event that was acknowledged.
    for path in [os.path.join(spool, name) for name in os.listdir(spool)]:
        if os.path.getsize(path) == 0:
            os.unlink(path)
    with open(os.path.join(trial.data, "history.lock"), "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["mount", "-o", "remount,size=4m", trial.data], check=True)
        fired = [acknowledged(trial.fire(*EVENT, {"user_input": str(n)}, "--json").stdout) for n in range(3)]
    with open(os.path.join(trial.data, "filler"), "wb", buffering=0) as filler:
        try:
            while filler.write(b"x" * 4096):
                pass
        except OSError:
            return fired


def full():
    """Runs itself in a mount namespace of its own."""
    if os.environ.get("ATTACK_NS") != "1":
        if os.geteuid() != 0 or not shutil.which("unshare"):
            report.skip("full disk: needs root and unshare")
            return
        env = {**os.environ, "ATTACK_NS": "1"}
        run = subprocess.run(["unshare", "-m", sys.executable, __file__, "full"], env=env, stdout=subprocess.PIPE)
        lines = run.stdout.decode().splitlines()
        if not lines:
            report.skip("full disk: no mount namespace")
            return
        inner = json.loads(lines[-1])
        report.figures += inner["figures"]
        report.missed += inner["missed"]
        report.skipped += inner["skipped"]
        return
    for engine in (False, True):
        trial = Trial(f"full-{engine}")
        os.makedirs(trial.data)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", trial.data]).returncode != 0:
            report.skip("full disk: a file system cannot be mounted")
            return
        project(trial)
        serving = trial.serve() if engine else None
        control = Control(trial.control()) if engine else None
        done, told = [], 0
        for count in range(60):
            # Letters that do not repeat, since what repeats is compressed to nothing.
            payload = {"user_input": f"{count} " + base64.b64encode(os.urandom(67_500)).decode()}
            if control:
                trace = control.call("fire", request(trial, str(count), payload))["result"]
            else:
                run = trial.fire(*EVENT, payload, "--json")
                report.case("exit status of fire", "full disk", run.returncode == 0)
                trace = json.loads(run.stdout)
            recorded = trace.get("recorded", True)
            codes = [notice["code"] for notice in trace["notices"] if notice["kind"] == "warning"]
            told += bool(codes)
            if recorded:
                done.append(trace["trace"])
            report.case("what is not recorded is told", "full disk", recorded or "not_recorded" in codes)
        report.case("the disk was full", f"engine {engine}", told > 0)
        if control:
            store = control.call("state")["result"]["store"]
            report.case("losses are counted", "full disk", store["dropped_bodies"] + store["dropped_traces"] > 0, store=store)
        if not engine:
            done += no_byte_left(trial)
            shown = listed(trial) or []
            missing = len(set(done) - set(shown))
            report.case("shown by a command while the disk is full", f"engine {engine}", missing == 0, missing=missing, of=len(done))
        subprocess.run(["mount", "-o", "remount,size=64m", trial.data], check=True)
        compare(f"full disk, engine {engine}", done, listed(trial))
        run = trial.fire(*EVENT, {}, "--json")
        compare(f"full disk, with room again, engine {engine}", [acknowledged(run.stdout)], listed(trial))
        if serving:
            stop(serving)
        subprocess.run(["umount", "-l", trial.data])


def corrupt():
    chance = random.Random(3)
    base = Trial("corrupt-base")
    project(base)
    for _ in range(30):
        base.fire(*EVENT, {"user_input": "x" * 3000})
    before = set(listed(base))

    def database(how, suffix=""):
        def change(trial):
            path = os.path.join(trial.data, "history.db" + suffix)
            data = bytearray()
            if os.path.exists(path):
                with open(path, "rb") as file:
                    data = bytearray(file.read())
            with open(path, "wb") as file:
                file.write(bytes(how(data)))
        return change

    def noise(share):
        def spread(data):
            for _ in range(int(len(data) * share)):
                data[chance.randrange(100, len(data))] = chance.randrange(256)
            return data
        return database(spread)

    def sqlite(statement):
        def run(trial):
            import sqlite3
            with sqlite3.connect(os.path.join(trial.data, "history.db")) as connection:
                connection.execute(statement)
        return run

    def spool(name, text):
        return lambda trial: trial.write(os.path.join(trial.data, "spool", name), text)

    def log_beside_nothing(trial):
        database(lambda _: os.urandom(5000), "-wal")(trial)
        database(lambda _: b"")(trial)
    # Told: a status of 1 from one reader, or a word on stderr. Without that nothing may be missing.
    damages = {
        "header": database(lambda data: b"garbage!" * 2 + data[16:]),
        "empty beside a log": log_beside_nothing,
        "half": database(lambda data: data[:len(data) // 2]),
        "noise": noise(0.02),
        "a few bytes": noise(0.0005),
        "text": database(lambda _: b"hello"),
        "log of noise": database(lambda _: os.urandom(5000), "-wal"),
        "folder": lambda trial: (os.remove(trial.data + "/history.db"), os.mkdir(trial.data + "/history.db")),
        "missing table": sqlite("drop table bodies"),
        "spool of noise": spool("zzz.jsonl", os.urandom(5000) + b"\n"),
        "spool lines": spool("old.jsonl", b"not json\n{}\n{\"v\":99,\"trace\":\"x\"}\n"),
        "foreign file in the spool": spool("zzz", os.urandom(5000)),
        "lock is a folder": lambda trial: (os.remove(trial.data + "/history.lock"), os.mkdir(trial.data + "/history.lock")),
    }
    commands = [["history", "--json", "--limit", "100"], ["history", "--json", "--limit", "100"], ["stats", "--json"]]
    for name, damage in damages.items():
        for first in ("fire", "history"):
            trial = Trial(f"corrupt-{name}-{first}".replace(" ", "-"))
            shutil.copytree(base.proj, trial.proj, dirs_exist_ok=True)
            shutil.copytree(base.data, trial.data)
            trial.trust_all()
            damage(trial)
            told, hung = False, False
            try:
                if first == "fire":
                    fired = trial.fire(*EVENT, {}, "--json", timeout=40)
                    report.case("fire goes on", name, fired.returncode == 0 and acknowledged(fired.stdout) is not None)
                    told |= bool(fired.stderr)
                for command in commands:
                    run = trial.run(*command, timeout=40)
                    told |= run.returncode == 1 or bool(run.stderr)
                    crashed = run.returncode not in (0, 1)
                    report.case("a reader ends with 0 or 1", f"{name}, {first}", not crashed)
            except subprocess.TimeoutExpired:
                hung = True
            report.case("nothing hangs", f"{name}, {first}", not hung)
            missing = before - set(listed(trial) or [])
            report.case("damage costs events without a word", f"{name}, {first}", told or not missing, missing=len(missing))


CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, at);
    const char *by = getenv("ATTACK_CLOCK");
    if (by && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) at->tv_sec += atoll(by);
    return result;
}
"""


def clock():
    shared = Trial("clock-shim")
    source, library = shared.write("clock.c", CLOCK, 0o644), os.path.join(shared.dir, "clock.so")
    if subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"]).returncode != 0:
        report.skip("clock: no C compiler")
        return
    year = 31_557_600
    for by in (-100 * year, -57 * year, -40 * year, -40 * 86_400, 40 * 86_400, 317 * year, 7900 * year):
        trial = Trial(f"clock{by}")
        project(trial)
        wrong = {"LD_PRELOAD": library, "ATTACK_CLOCK": str(by)}
        fired = trial.fire(*EVENT, {}, "--json", **wrong)
        trace = acknowledged(fired.stdout)
        there = trial.run("history", "--json", **wrong)
        ids = [row["trace"] for row in json.loads(there.stdout or b'{"traces": []}')["traces"]]
        report.case("an event of a wrong clock is listed at its own time", str(by), trace in ids, exit=there.returncode)
        if by < -50 * year:
            trial.fire(*EVENT, {})
            report.case("an event of before 1970 is listed later", str(by), trace in (listed(trial) or []))


def two():
    trial = Trial("two")
    project(trial)
    first = trial.serve()
    second = trial.popen("serve", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    report.case("a second engine is refused", "beside a living one", second.wait(20) == 1)
    os.kill(first.pid, signal.SIGSTOP)
    second = trial.popen("serve", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(7)
    report.case("an engine that hangs is taken over", "stopped", second.poll() is None)
    fired = trial.fire(*EVENT, {}, "--json")
    os.kill(first.pid, signal.SIGCONT)
    time.sleep(1)
    compare("beside an engine that hung", [acknowledged(fired.stdout)], listed(trial))
    stop(second)
    stop(first)
    first = trial.serve()
    first.kill()
    first.wait()
    second = trial.serve()
    report.case("after kill -9 the next begins", "killed", second.poll() is None)
    stop(second)


PARTS = {part.__name__: part for part in (parallel, killfire, killserve, removed, locked, full, corrupt, clock, two)}
for name in sys.argv[1:] or PARTS:
    PARTS[name]()
report.finish()
