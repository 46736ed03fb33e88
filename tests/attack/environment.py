"""PicoClaw entries whose folder, environment or program leads to code of the project: is the changed code run?

The cases with `LD_PRELOAD` need a C compiler.
"""
import json
import os
import shutil
import subprocess

from hw import Report, Trial

PROCESS = """import sys,json,os
%s
for line in sys.stdin:
    m=json.loads(line)
    if "id" in m:
        print(json.dumps({"jsonrpc":"2.0","id":m["id"],"result":{"ok":True} if m["method"]=="hook.hello" else {"action":"continue"}}),flush=True)
"""
MARK = "open(os.environ['MARK'],'a').write('%s\\n')"
LIBRARY = """#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void f(void){char*m=getenv("MARK");if(m){FILE*o=fopen(m,"a");if(o){fprintf(o,"%s\\n");fclose(o);}}}
"""
PATH = os.environ.get("PATH", "/usr/bin:/bin")


def says(word):
    return PROCESS % (MARK % word)


def library(word):
    def put(trial, path):
        full = os.path.join(trial.proj, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        compiler = ["cc", "-shared", "-fPIC", "-o", full + ".tmp", "-x", "c", "-"]
        subprocess.run(compiler, input=(LIBRARY % word).encode(), check=True)
        os.replace(full + ".tmp", full)

    return put


def text(body):
    return lambda trial, path: trial.write(path, body)


def link(target):
    def put(trial, path):
        full = os.path.join(trial.proj, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        os.symlink(target, full)

    return put


HELPER = "import os\n" + MARK
# name: (entry, files before, files that change or come)
CASES = {
    "plain": ({"command": ["python3", "hook.py"]}, {"hook.py": text(says("v1"))}, {"hook.py": text(says("v2"))}),
    "dir": ({"command": ["python3", "hook.py"], "dir": "sub"}, {"sub/hook.py": text(says("v1"))}, {"sub/hook.py": text(says("v2"))}),
    "dir-appears": ({"command": ["python3", "hook.py"], "dir": "sub"}, {"hook.py": text(says("v1"))}, {"sub/hook.py": text(says("v2"))}),
    "ld-preload": (
        {"command": ["python3", "hook.py"], "env": {"LD_PRELOAD": "./evil.so"}},
        {"hook.py": text(PROCESS % ""), "evil.so": library("v1")},
        {"evil.so": library("v2")},
    ),
    "ld-preload-folder": (
        {"command": ["python3", "hook.py"], "env": {"LD_PRELOAD": "lib/evil.so"}},
        {"hook.py": text(PROCESS % ""), "lib/evil.so": library("v1")},
        {"lib/evil.so": library("v2")},
    ),
    "pythonpath": (
        {"command": ["python3", "hook.py"], "env": {"PYTHONPATH": "lib"}},
        {"hook.py": text(PROCESS % "import helper"), "lib/helper.py": text(HELPER % "v1")},
        {"lib/helper.py": text(HELPER % "v2")},
    ),
    "pythonpath-file-added": (
        {"command": ["python3", "hook.py"], "env": {"PYTHONPATH": "lib"}},
        {"hook.py": text(says("v1")), "lib/x": text("")},
        {"lib/sitecustomize.py": text(HELPER % "v2")},
    ),
    "startup": (
        {"command": ["python3", "hook.py"], "env": {"PYTHONSTARTUP": "evil.py", "NODE_OPTIONS": "--require ./evil.js"}},
        {"hook.py": text(says("v1")), "evil.js": text("")},
        {"evil.js": text("x")},
    ),
    "path": (
        {"command": ["runme"], "env": {"PATH": "bin:" + PATH}},
        {"bin/runme": text("#!/usr/bin/env python3\n" + says("v1"))},
        {"bin/runme": text("#!/usr/bin/env python3\n" + says("v2"))},
    ),
    "path-file-added": (
        {"command": ["python3", "hook.py"], "env": {"PATH": "bin:" + PATH}},
        {"hook.py": text(says("v1")), "bin/x": text("")},
        {"bin/python3": text('#!/bin/sh\necho v2 >> $MARK\nexec env -u PATH python3 "$@"')},
    ),
    "sh-c": ({"command": ["sh", "-c", "exec python3 hook.py"]}, {"hook.py": text(says("v1"))}, {"hook.py": text(says("v2"))}),
    "sh-c-e": ({"command": ["sh", "-c", "-e", "exec python3 hook.py"]}, {"hook.py": text(says("v1"))}, {"hook.py": text(says("v2"))}),
    "module": ({"command": ["python3", "-m", "hook"]}, {"hook.py": text(says("v1"))}, {"hook.py": text(says("v2"))}),
    "relative-program": (
        {"command": ["./hook.py"]},
        {"hook.py": text("#!/usr/bin/env python3\n" + says("v1"))},
        {"hook.py": text("#!/usr/bin/env python3\n" + says("v2"))},
    ),
    "venv": (
        {"command": ["venv/bin/python3", "hook.py"]},
        {"hook.py": text(says("v1")), "venv/bin/python3": link(shutil.which("python3"))},
        {"hook.py": text(says("v2"))},
    ),
}


# A relative folder of PATH: whether a program is found there is the system's own affair.
MAY_NOT_START = {"path", "startup"}


def put(trial, files):
    for path, write in files.items():
        write(trial, path)


def fire(trial):
    trial.trace("picoclaw", "before_tool", {"tool": "exec", "arguments": {}})
    return set(trial.marked())


def main():
    report = Report("environment")
    compiler = shutil.which("cc")
    for name, (entry, before, after) in CASES.items():
        if name.startswith("ld-preload") and compiler is None:
            report.skip(f"{name}: no C compiler")
            continue
        trial = Trial("environment-" + name)
        put(trial, before)
        process = {"enabled": True, "intercept": ["before_tool"], **entry}
        trial.write(".picoclaw/config.json", json.dumps({"hooks": {"processes": {"p": process}}}), 0o644)
        trial.trust_all()
        report.case("approved code did not run", name, "v1" in fire(trial) or name in MAY_NOT_START)
        put(trial, after)
        second = fire(trial)
        ran = "v2" in second or (name == "startup" and "v1" in second)
        report.case("changed code ran", name, not ran)
    report.finish()


main()
