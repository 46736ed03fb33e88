"""Compiled Python, packages and other files beside hooks.py that could run in the place of approved sources."""
import importlib.util
import marshal
import os
import struct
import sys

from hw import Report, Trial

WRITES = "import os\nopen(os.environ['MARK'],'a').write('%s\\n')\n"
HOOKS = """import helper
from qoder_agent_sdk import HookMatcher
async def cb(i,t,c):
    helper.go()
    return {}
hooks={'PreToolUse':[HookMatcher(matcher=None,hooks=[cb])]}
"""
HELPER = "import os\ndef go():\n    open(os.environ['MARK'],'a').write('%s\\n')\n"
TAG = sys.implementation.cache_tag
STANDARD = (
    "json asyncio inspect traceback types typing re signal threading socket queue dataclasses importlib sitecustomize "
    "usercustomize qoder_agent_sdk contextlib functools base64 uuid logging"
).split()


def unchecked(source):
    code = compile(source, "helper.py", "exec")
    return importlib.util.MAGIC_NUMBER + struct.pack("<I", 0b01) + b"\0" * 8 + marshal.dumps(code)


def compiled(path, source):
    return lambda trial: trial.write(path, unchecked(source), 0o644)


def helper(path, word):
    return lambda trial: trial.write(path, HELPER % word, 0o644)


def shadows(trial):
    for module in STANDARD:
        trial.write(f".qoder/{module}.pyc", unchecked(WRITES % "v2"), 0o644)


def in_root(trial):
    os.remove(os.path.join(trial.proj, ".qoder/helper.py"))
    trial.write("helper.py", HELPER % "v1", 0o644)


# name: (hooks.py, before the approval, after it)
CASES = {
    "plain": (HOOKS, None, None),
    "helper-changed": (HOOKS, None, helper(".qoder/helper.py", "v2")),
    "unchecked-before": (HOOKS, compiled(f".qoder/__pycache__/helper.{TAG}.pyc", HELPER % "v2"), None),
    "unchecked-after": (HOOKS, None, compiled(f".qoder/__pycache__/helper.{TAG}.pyc", HELPER % "v2")),
    "package-after": (HOOKS, None, compiled(".qoder/helper/__init__.pyc", HELPER % "v2")),
    "standard-library-after": (HOOKS, None, shadows),
    "pth-after": (HOOKS, None, lambda trial: trial.write(".qoder/x.pth", "import os;open(os.environ['MARK'],'a').write('v2\\n')\n")),
    "hooks-compiled": (HOOKS, None, compiled(f".qoder/__pycache__/hooks.{TAG}.pyc", WRITES % "v2")),
    "helper-in-root": (HOOKS, in_root, helper("helper.py", "v2")),
}
# Imported from where the module itself says: what approved sources import in turn is told, not covered.
IN_TURN = {"helper-in-root-by-sys-path": ("import sys\nsys.path.insert(0,'.')\n" + HOOKS, in_root, helper("helper.py", "v2"))}


def trial_of(name, hooks, before, after):
    trial = Trial("modules-" + name)
    trial.write(".qoder/hooks.py", hooks, 0o644)
    trial.write(".qoder/helper.py", HELPER % "v1", 0o644)
    if before:
        before(trial)
    codes = {said["code"] for item in trial.pending() for said in item["not_covered"]}
    trial.trust_all()
    fire(trial)
    if after:
        after(trial)
    return codes, fire(trial)


def fire(trial):
    trial.fire("qoder", "PreToolUse", {"tool_name": "Bash", "tool_input": {}, "tool_use_id": "x"}, "--json")
    return set(trial.marked())


def main():
    report = Report("modules")
    for name, case in CASES.items():
        _, second = trial_of(name, *case)
        report.case("unapproved code ran", name, "v2" not in second)
    for name, case in IN_TURN.items():
        codes, second = trial_of(name, *case)
        report.case("code ran that nothing tells of", name, "v2" not in second or "starts_others" in codes)
    report.finish()


main()
