#!/usr/bin/env python3
"""A hook that notes how it was called and then does what its scenario says.

    hook.py FOLDER LABEL [ARGUMENT...]

The call is noted in FOLDER/records/NNNN-LABEL.json. FOLDER/hooks.json has what each label does: an object, or a list with
one object for each run, of which the last stays. The keys are `stdout` (a text, or anything else as JSON), `stderr`,
`code`, `sleep` (seconds before it prints), `signal` (a name such as SIGKILL), `child` (seconds that a child keeps stdout
open), and `append` (a variable with the name of a file, and a text for it).
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def claim(records, label):
    """A new file for the record, in the order in which the hooks began."""
    records.mkdir(exist_ok=True)
    for number in range(1, 10_000):
        try:
            (records / f".{number:04}").touch(exist_ok=False)
        except FileExistsError:
            continue
        return records / f"{number:04}-{label}.json"
    sys.exit("too many records")


def behaviour(folder, label):
    told = json.loads((folder / "hooks.json").read_text("utf-8")).get(label, {})
    if not isinstance(told, list):
        return told
    earlier = len(list((folder / "records").glob(f"*-{label}.json")))
    return told[min(earlier, len(told) - 1)]


def note(path, row):
    """Writes the record whole, so that a reader never sees a part of it."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(row, ensure_ascii=False), "utf-8")
    part.rename(path)


def main():
    folder, label = Path(sys.argv[1]), sys.argv[2]
    began = time.time()
    path = claim(folder / "records", label)
    told = behaviour(folder, label)
    text = sys.stdin.read()
    try:
        payload = json.loads(text)
    except ValueError:
        payload = text
    row = {"label": label, "began": began, "arguments": sys.argv[3:], "cwd": os.getcwd(), "payload": payload}
    note(path, {**row, "newlines": len(text) - len(text.rstrip("\n")), "env": dict(os.environ)})
    if "append" in told:
        with open(os.environ[told["append"]["variable"]], "a", encoding="utf-8") as file:
            file.write(told["append"]["text"])
    if "child" in told:
        subprocess.Popen(["sleep", str(told["child"])], stdin=subprocess.DEVNULL)
    time.sleep(told.get("sleep", 0))
    out = told.get("stdout", "")
    sys.stdout.write(out if isinstance(out, str) else json.dumps(out))
    sys.stdout.flush()
    sys.stderr.write(told.get("stderr", ""))
    sys.stderr.flush()
    if "signal" in told:
        os.kill(os.getpid(), getattr(signal, told["signal"]))
    sys.exit(told.get("code", 0))


if __name__ == "__main__":
    main()
