"""Runs the attack scripts and prints one table: each figure beside its target. Exits 1 when a target is missed."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = {"ag.py", "hw.py", "run.py"}


def scripts(wanted):
    known = sorted(name[:-3] for name in os.listdir(HERE) if name.endswith(".py") and name not in SHARED)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        sys.exit(f"unknown attack: {', '.join(unknown)}; known: {', '.join(known)}")
    return wanted or known


def run(name):
    """The report of a script; one that prints none counts as one missed figure."""
    print(f"▸ {name}", file=sys.stderr, flush=True)
    done = subprocess.run([sys.executable, os.path.join(HERE, name + ".py")], stdout=subprocess.PIPE, cwd=HERE)
    lines = done.stdout.decode(errors="replace").splitlines()
    try:
        return json.loads(lines[-1])
    except (IndexError, ValueError):
        what = f"no report, exit status {done.returncode}"
        return {"figures": [{"what": what, "value": 1, "target": 0, "met": False}], "missed": [], "skipped": []}


def main():
    passed = failed = 0
    rows = [("script", "figure", "now", "target", "")]
    for name in scripts(sys.argv[1:]):
        report = run(name)
        for figure in report["figures"]:
            rows.append((name, figure["what"], str(figure["value"]), str(figure["target"]), "" if figure["met"] else "missed"))
            passed, failed = passed + figure["met"], failed + (not figure["met"])
        for missed in report["missed"]:
            print(f"  {name}: {json.dumps(missed, ensure_ascii=False)}", file=sys.stderr)
        for why in report["skipped"]:
            rows.append((name, f"not tried: {why}", "", "", "skipped"))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
