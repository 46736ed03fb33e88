"""What is left of a running hook 4 s after its engine was killed: alone, with its guards, in any order, by name or group.

Engines whose guards died with them leave processes behind; then what counts is 4 s after the next start.
"""
import json
import os
import signal
import subprocess
import threading
import time

from hw import Control, Report, Trial, stop

GRACE = 4
HOOK = "(setsid sleep 71 &) ; sleep 72 & sh -c 'trap \"\" TERM; sleep 73; sleep 74'"


def read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def alive(pid):
    return read(pid, "stat").rpartition(b")")[2].split()[:1] not in ([], [b"Z"], [b"X"])


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def of_trial(trial):
    """Every process of this trial but our own."""
    mark = b"HOOKWRIGHT_DATA=" + trial.data.encode()
    return [pid for pid in processes() if mark in read(pid, "environ").split(b"\0") and alive(pid)]


def words(pid):
    return read(pid, "cmdline").split(b"\0")


def hooks(trial):
    return [pid for pid in of_trial(trial) if words(pid)[0].endswith((b"sleep", b"sh"))]


def guards(trial):
    return [pid for pid in of_trial(trial) if words(pid)[1:2] == [b"__guardian"]]


def named(trial, name):
    """What `killall NAME` would end, of this trial alone."""
    return [pid for pid in of_trial(trial) if read(pid, "comm").strip() == name.encode()]


def until(holds, within=10):
    end = time.time() + within
    while not holds() and time.time() < end:
        time.sleep(0.02)
    return holds()


def kill(pids, sig=signal.SIGKILL):
    for pid in pids:
        try:
            os.kill(pid, sig)
        except ProcessLookupError:
            pass


def at_once(pids):
    """Stopped first, so that none of them acts between two kills."""
    kill(pids, signal.SIGSTOP)
    kill(pids)


def fire(trial):
    event = {"run": "a", "project": trial.proj, "dialect": "jcli", "event": "pre_send_message", "payload": {}, "session": None}
    try:
        Control(trial.control()).call("fire", event)
    except (EOFError, OSError):
        pass


def running(trial, how="serve"):
    """An engine with a running hook and two guards: its process, and them."""
    hook = {"pre_send_message": [{"command": HOOK, "timeout": 60}]}
    trial.write(".jcli/hooks.yaml", json.dumps(hook), 0o644)
    trial.trust_all()
    if how == "serve":
        engine = trial.serve()
        threading.Thread(target=fire, args=(trial,), daemon=True).start()
    else:
        given = ("--dialect", "jcli", "--event", "pre_send_message")
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        engine = trial.popen("fire", *given, start_new_session=True, **quiet)
    ready = until(lambda: len(hooks(trial)) >= 4 and len(guards(trial)) == 2)
    return engine, guards(trial) if ready else None


def engine_alone(_trial, engine, _guards):
    kill([engine.pid])


def engine_and_first(_trial, engine, both):
    at_once([engine.pid, both[0]])


def engine_and_second(_trial, engine, both):
    at_once([engine.pid, both[1]])


def guard_then_engine(trial, engine, both):
    kill([both[0]])
    until(lambda: len(guards(trial)) == 2)
    kill([engine.pid])


def each_guard_in_turn(trial, engine, both):
    for pid in both:
        kill([pid])
        until(lambda: len(guards(trial)) == 2 and pid not in guards(trial))
    kill([engine.pid])


def both_guards_then_engine(trial, engine, both):
    kill(both)
    until(lambda: len(set(guards(trial)) - set(both)) == 2)
    kill([engine.pid])


def by_name(trial, _engine, _guards):
    kill(named(trial, "hookwright"))


def by_group(_trial, engine, _guards):
    os.killpg(os.getpgid(engine.pid), signal.SIGKILL)


def stopped_guard(_trial, engine, both):
    kill([both[0]], signal.SIGSTOP)
    kill([engine.pid])


def gently(_trial, engine, _guards):
    kill([engine.pid], signal.SIGTERM)


def deaf(_trial, engine, both):
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        kill(both, sig)
    kill([engine.pid])


def all_three(_trial, engine, both):
    at_once([engine.pid, *both])


ORDERS = [engine_alone, engine_and_first, engine_and_second, guard_then_engine, each_guard_in_turn, both_guards_then_engine,
          by_name, stopped_guard, gently, deaf]
OF_FIRE = [engine_alone, engine_and_first, engine_and_second, by_name, by_group]


def attempt(report, name, how, order, then=None):
    trial = Trial(f"guard-{name}")
    engine, both = running(trial, how)
    if both is None:
        report.case("hooks and guards run", name, False, hooks=len(hooks(trial)), guards=len(guards(trial)))
    else:
        # What is done by name says whether guards are called otherwise.
        report.case("guards have a name of their own", name, not set(both) & set(named(trial, "hookwright")))
        order(trial, engine, both)
        engine.wait()
        after = then(trial) if then else None
        until(lambda: not hooks(trial), GRACE)
        rest = hooks(trial)
        report.case("nothing left after 4 s", name, not rest, left=len(rest))
        if after is not None:
            stop(after)
    kill(of_trial(trial), signal.SIGCONT)
    kill(of_trial(trial))


def next_fire(trial):
    """Another event, which has no hook of its own."""
    trial.fire("jcli", "session_end", {})


def main():
    report = Report("guardian")
    if not os.path.isdir("/proc/self"):
        report.skip("processes are looked up in /proc")
        report.finish()
    for order in ORDERS:
        attempt(report, order.__name__, "serve", order)
    for order in OF_FIRE:
        attempt(report, f"fire-{order.__name__}", "fire", order)
    attempt(report, "all-then-serve", "serve", all_three, lambda trial: trial.serve())
    attempt(report, "all-then-fire", "serve", all_three, next_fire)
    attempt(report, "fire-all-then-fire", "fire", all_three, next_fire)
    report.finish()


main()
