"""A payload's `cwd` names another folder with files of the same names: is that folder's code run, and does the hook still run?

Each case: approve, fire (the project's file says v1), fire again with a `cwd` outside whose file says SWAPPED.
"""
import json
import os
import shutil

from hw import Report, Trial


def sh(word):
    return f'#!/bin/sh\necho {word} >> "$MARK"\n'


def py(word):
    return f"#!/usr/bin/env python3\nimport os\nopen(os.environ['MARK'],'a').write('{word}\\n')\n"


def js(word):
    return f"require('fs').appendFileSync(process.env.MARK, '{word}\\n')\n"


def make(word):
    return f"guard:\n\t@echo {word} >> $$MARK\n"


def package(word):
    return json.dumps({"name": "x", "version": "1.0.0", "scripts": {"guard": f"echo {word} >> $MARK"}})


# name: (command, the file, its text by word, other files)
CASES = {
    "plain": ("sh evil.sh", "evil.sh", sh, {}),
    "cd-and": ("cd sub && sh evil.sh", "sub/evil.sh", sh, {}),
    "python-script": ("python3 evil.py", "evil.py", py, {}),
    "python-m": ("python3 -m evil", "evil.py", py, {}),
    "python-m-pkg": ("python3 -m tools.evil", "tools/evil.py", py, {}),
    "python-dir": ("python3 tools", "tools/__main__.py", py, {}),
    "python-c": ("python3 -c 'import evil'", "evil.py", py, {}),
    "pythonpath": ("PYTHONPATH=lib python3 main.py", "lib/helper.py", py, {"main.py": "import helper\n"}),
    "node-no-ext": ("node hooks/evil", "hooks/evil.js", js, {}),
    "node-dot-no-ext": ("node ./evil", "evil.js", js, {}),
    "node-dir": ("node hooks", "hooks/index.js", js, {}),
    "node-r": ("node -r ./evil -e 0", "evil.js", js, {}),
    "node-file": ("node evil.js", "evil.js", js, {}),
    "npm-run": ("npm run --silent guard", "package.json", package, {}),
    "make": ("make -s guard", "Makefile", make, {}),
    "make-f": ("make -s -f evil.mk guard", "evil.mk", make, {}),
    "run-parts": ("run-parts hooks.d", "hooks.d/evil", sh, {}),
    "find-exec": ("find . -name evil.sh -exec sh {} ';'", "sub/evil.sh", sh, {}),
    "sh-c-e": ("sh -c -e 'sh evil.sh'", "evil.sh", sh, {}),
    "bash-env": ("BASH_ENV=evil.sh bash -c true", "evil.sh", sh, {}),
    "glob": ("for f in hooks.d/*; do sh $f; done", "hooks.d/evil.sh", sh, {}),
    "jcli-cwd-var": ('sh "$JCLI_CWD"/evil.sh', "evil.sh", sh, {}),
    "source": (". ./evil.sh", "evil.sh", sh, {}),
    "path-inside": ("PATH=.:$PATH evil", "evil", sh, {}),
    "alias": ("alias x='sh evil.sh'\nx", "evil.sh", sh, {}),
    "cr-name": ("sh evil.sh\r", "evil.sh\r", sh, {"evil.sh": sh("innocent")}),
    "variable": ("X=evil; sh $X.sh", "evil.sh", sh, {}),
    "dollar-paren-built": ("sh $(echo evil).sh", "evil.sh", sh, {}),
    "set-func": ('f() { sh "$1.sh"; }; f evil', "evil.sh", sh, {}),
    "pwd-var": ('sh "$PWD"/evil.sh', "evil.sh", sh, {}),
}


def lay_out(trial, base, word, path, text, others):
    for place, content in others.items():
        trial.write(os.path.join(base, place), content)
    trial.write(os.path.join(base, path), text(word))


def codes(trace):
    return [notice["code"] for notice in trace["notices"]]


def main():
    report = Report("cwd")
    for name, (command, path, text, others) in CASES.items():
        program = command.split()[0]
        if program in ("node", "npm", "make", "run-parts") and not shutil.which(program):
            report.skip(f"{name}: no {program}")
            continue
        trial = Trial("cwd-" + name)
        outside = os.path.join(trial.dir, "outside")
        lay_out(trial, trial.proj, "v1", path, text, others)
        lay_out(trial, outside, "SWAPPED", path, text, others)
        trial.write(".jcli/hooks.yaml", json.dumps({"pre_send_message": [{"command": command, "timeout": 20}]}), 0o644)
        trial.trust_all()
        trial.trace("jcli", "pre_send_message", {})
        at_home = trial.marked()
        _, trace = trial.trace("jcli", "pre_send_message", {"cwd": outside})
        away = trial.marked()
        step = trace["steps"][0]
        seen = {"home": at_home, "away": away, "outcome": step["outcome"], "notices": codes(trace)}
        report.case("ran foreign code", name, "SWAPPED" not in away, **seen)
        report.case("did not run in the project, or did not say so", name,
                    away == at_home and "cwd_replaced" in codes(trace), **seen)
    report.finish()


main()
