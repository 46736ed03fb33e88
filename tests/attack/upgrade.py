"""The data folder of 0.1.0: killed, raced and starved while it is upgraded and imported. Nothing of it may be lost."""
import json
import os
import random
import shutil
import subprocess
import sys
import time

from ag import PROGRAM, Report, Trial, stop

report = Report("upgrade")
FIXTURE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fixtures", "data-0.1.0")
with open(FIXTURE + "/expected.json") as file:
    WANT = json.load(file)
IDS = sorted(row["trace"] for row in WANT["rows"])


def fresh(name):
    trial = Trial(name)
    shutil.copytree(FIXTURE + "/data", trial.data)
    os.chmod(trial.data, 0o700)
    for top, _, names in os.walk(trial.data):
        os.chmod(top, 0o700)
        for one in names:
            os.chmod(os.path.join(top, one), 0o600)
    return trial


def rows(trial):
    run = trial.run("history", "--limit", "1000", "--json", timeout=120)
    if run.returncode:
        return None, run.stderr.decode()[-300:]
    return json.loads(run.stdout)["traces"], run.stderr.decode()[-300:]


def same(trial, name):
    got, err = rows(trial)
    ids = sorted(row["trace"] for row in got or [])
    report.case("nothing is lost", name, ids == IDS, missing=sorted(set(IDS) - set(ids)), more=sorted(set(ids) - set(IDS))[:3], err=err)
    bodies = 0
    for id in IDS:
        run = trial.run("show", id, "--json")
        bodies += run.returncode == 0
    report.case("every trace can be shown", name, bodies == len(IDS), shown=bodies)


trial = fresh("plain")
same(trial, "plain")
got, _ = rows(trial)
by_id = {row["trace"]: row for row in WANT["rows"]}
for row in got or []:
    differs = {key: (row.get(key), by_id[row["trace"]].get(key)) for key in by_id[row["trace"]] if row.get(key) != by_id[row["trace"]].get(key)}
    report.case("rows as they were", row["trace"], not differs, differs=str(differs)[:300])

rng = random.Random(2)
for count in range(int(os.environ.get("KILLS", "30"))):
    trial = fresh("killed")
    for _ in range(rng.randrange(1, 4)):
        command = rng.choice([["history", "--json"], ["stats", "--json"], ["fire", "--dialect", "jcli", "--event", "stop", "--json"], ["serve"]])
        process = trial.popen(*command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.005, 0.25))
        process.kill()
        process.wait()
    time.sleep(0.05)
    got, err = rows(trial)
    ids = {row["trace"] for row in got or []}
    report.case("nothing is lost", f"killed {count}", set(IDS) <= ids and len(got or []) == len(ids), missing=sorted(set(IDS) - ids), err=err)

trial = fresh("raced")
commands = [["history", "--json"], ["stats", "--json"], ["history", "--json"], ["fire", "--dialect", "jcli", "--event", "stop", "--json"]] * 3 + [["serve"]]
processes = [trial.popen(*command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in commands]
time.sleep(3)
stop(processes[-1])
for process in processes[:-1]:
    process.wait(30)
got, err = rows(trial)
ids = [row["trace"] for row in got or []]
report.case("nothing is lost", "13 programs at once", set(IDS) <= set(ids) and len(ids) == len(set(ids)) == len(IDS) + 3, ids=len(ids), err=err)

if os.geteuid() != 0 or not shutil.which("unshare"):
    report.skip("starved: needs root and unshare")
elif subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"], stderr=subprocess.DEVNULL).returncode:
    report.skip("starved: a file system cannot be mounted")
else:
    for kib in (160, 200, 260, 340, 500):
        script = f"""
import os, subprocess, sys, json
data = sys.argv[1]
subprocess.run(["cp", "-a", data, data + ".saved"], check=True)
subprocess.run(["mount", "-t", "tmpfs", "-o", "size={kib}k", "tmpfs", data], check=True)
copied = subprocess.run(["cp", "-a", data + ".saved/.", data], stderr=subprocess.DEVNULL).returncode
env = json.loads(sys.argv[2])
run = subprocess.run([env["HW"], "history", "--json"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
starved = (run.returncode, run.stderr.decode()[-200:])
left = sorted(os.listdir(data))
subprocess.run(["mount", "-o", "remount,size=64m", data], check=True)
run = subprocess.run([env["HW"], "history", "--limit", "100", "--json"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
print(json.dumps([copied, starved, left, run.returncode, run.stdout.decode(), run.stderr.decode()[-200:]]))
"""
        trial = fresh(f"starved{kib}")
        done = subprocess.run(["unshare", "-m", sys.executable, "-c", script, trial.data, json.dumps(trial.env(HW=PROGRAM))], stdout=subprocess.PIPE, timeout=120)
        copied, starved, left, code, out, err = json.loads(done.stdout)
        ids = {row["trace"] for row in json.loads(out)["traces"]} if code == 0 else set()
        print(f"  {kib} KiB: copied {copied == 0}, starved {starved}, then rc {code}, {len(ids)} traces {err[:100]}", file=sys.stderr)
        if copied == 0:
            report.case("nothing is lost", f"disk of {kib} KiB, then with room", set(IDS) <= ids, missing=len(set(IDS) - ids), err=err)
report.finish()
