"""For each way in which a command can name a file: is the file that it runs covered, and if not, is that told?

Each case: approve, fire (the file says v1), change the file, fire again.
  held     the changed file did not run
  told     it ran; `trust --list --json` has it in `data`, or says in `not_covered` what is not covered
  in turn  it ran; a covered file starts it, and `not_covered` says that what covered files start is not covered
  silent   it ran, and nothing says so
  inert    v1 did not run either: the case does not work on this machine
Usage: trust.py [NAME...]
"""
import json
import mmap
import os
import sys
import time

from hw import Control, Report, Trial, stop

SAY = 'echo %s >> "$MARK"\n'
SH = lambda v: "#!/bin/sh\n" + SAY % v
PY = lambda v: f"#!/usr/bin/env python3\nimport os\nopen(os.environ['MARK'],'a').write('{v}\\n')\n"
JS = lambda v: f"require('fs').appendFileSync(process.env.MARK, '{v}\\n')\n"
MK = lambda v: f"guard:\n\t@echo {v} >> $$MARK\n"
PKG = lambda v: json.dumps({"name": "x", "version": "1.0.0", "scripts": {"guard": f"echo {v} >> $MARK"}})

# name: (command, changed file, its text by version, other files)
J = {
    "plain": ("sh evil.sh", "evil.sh", SH, {}),
    "cd-and": ("cd sub && sh evil.sh", "sub/evil.sh", SH, {}),
    "cd-dollar": ('cd "$(pwd)/sub" && sh evil.sh', "sub/evil.sh", SH, {}),
    "variable": ("X=evil; sh $X.sh", "evil.sh", SH, {}),
    "variable-read": ("read X <<E\nevil.sh\nE\nsh $X", "evil.sh", SH, {}),
    "set--": ("set -- evil.sh; sh $1", "evil.sh", SH, {}),
    "set-func": ('f() { sh "$1.sh"; }; f evil', "evil.sh", SH, {}),
    "env": ("env A=1 sh evil.sh", "evil.sh", SH, {}),
    "env-S": ("env -S 'sh evil.sh'", "evil.sh", SH, {}),
    "env-S-glued": ("env '-Ssh evil.sh'", "evil.sh", SH, {}),
    "env-split-string=": ("env --split-string='sh evil.sh'", "evil.sh", SH, {}),
    "env-vS": ("env -vS 'sh evil.sh' 2>/dev/null", "evil.sh", SH, {}),
    "env-iS": ("env -uFOO -S 'sh evil.sh'", "evil.sh", SH, {}),
    "sh-c": ("sh -c 'sh evil.sh'", "evil.sh", SH, {}),
    "sh-c-e": ("sh -c -e 'sh evil.sh'", "evil.sh", SH, {}),
    "bash-c--": ("bash -c -- 'sh evil.sh'", "evil.sh", SH, {}),
    "sh-o-c": ("sh -o errexit -c 'sh evil.sh'", "evil.sh", SH, {}),
    "bash-c-O": ("bash -c -O extglob 'sh evil.sh'", "evil.sh", SH, {}),
    "source": (". ./evil.sh", "evil.sh", SH, {}),
    "alias": ("alias x='sh evil.sh'\nx", "evil.sh", SH, {}),
    "eval": ("eval 'sh evil.sh'", "evil.sh", SH, {}),
    "eval-words": ("eval sh -c '\"sh evil.sh\"'", "evil.sh", SH, {}),
    "eval-cd": ("eval cd sub '&&' ./evil.sh", "sub/evil.sh", SH, {}),
    "trap": ("trap 'sh evil.sh' EXIT", "evil.sh", SH, {}),
    "pipe-sh": ("echo 'sh evil.sh' | sh", "evil.sh", SH, {}),
    "printf-pipe": ("printf 'sh %s.sh' evil | sh", "evil.sh", SH, {}),
    "b64-pipe": ("echo c2ggZXZpbC5zaAo= | base64 -d | sh", "evil.sh", SH, {}),
    "heredoc-sh": ("sh <<E\nsh evil.sh\nE", "evil.sh", SH, {}),
    "heredoc-python": ("python3 - <<'E'\nexec(open('evil.py').read())\nE", "evil.py", PY, {}),
    "heredoc-cat-sh": ("cat <<'E' | sh\nsh evil.sh\nE", "evil.sh", SH, {}),
    "here-string": ("bash -c \"bash <<< 'sh evil.sh'\"", "evil.sh", SH, {}),
    "here-string-eats": ("bash -c 'cat <<< x >/dev/null\nsh evil.sh'", "evil.sh", SH, {}),
    "arith-shift-eats": ("bash -c '((x=1<<2))\nsh evil.sh'", "evil.sh", SH, {}),
    "cr-name": ("sh evil.sh\r", "evil.sh\r", SH, {"evil.sh": SH("innocent")}),
    "cr-comment": ("true \r# ; sh evil.sh", "evil.sh", SH, {}),
    "cr-comment2": ("echo x >/dev/null \r#; sh evil.sh", "evil.sh", SH, {}),
    "case-for-subshell": ("case x in x) for i in 1; do (sh evil.sh); done;; esac", "evil.sh", SH, {}),
    "case-in-word": ("case x in x) echo a in >/dev/null; (sh evil.sh);; esac", "evil.sh", SH, {}),
    "glob": ("for f in hooks.d/*; do sh $f; done", "hooks.d/evil.sh", SH, {}),
    "run-parts": ("run-parts hooks.d", "hooks.d/evil", SH, {}),
    "find-exec": ("find . -name evil.sh -exec sh {} ';'", "sub/evil.sh", SH, {}),
    "find-xargs": ("find sub -name '*.sh' | xargs -n1 sh", "sub/evil.sh", SH, {}),
    "ls-xargs": ("ls sub | sed s,^,sub/, | xargs -n1 sh", "sub/evil.sh", SH, {}),
    "dollar-paren": ("sh $(echo evil.sh)", "evil.sh", SH, {}),
    "dollar-paren-built": ("sh $(echo evil).sh", "evil.sh", SH, {}),
    "sh-c-cat": ('sh -c "$(cat evil.sh)"', "evil.sh", SH, {}),
    "path-inside": ("PATH=.:$PATH evil", "evil", SH, {}),
    "python-script": ("python3 evil.py", "evil.py", PY, {}),
    "python-m": ("python3 -m evil", "evil.py", PY, {}),
    "python-m-pkg": ("python3 -m tools.evil", "tools/evil.py", PY, {}),
    "python-dir": ("python3 tools", "tools/__main__.py", PY, {}),
    "python-import": ("python3 main.py", "helper.py", PY, {"main.py": "import helper\n"}),
    "python-c": ("python3 -c 'import evil'", "evil.py", PY, {}),
    "pythonpath": ("PYTHONPATH=lib python3 main.py", "lib/helper.py", PY, {"main.py": "import helper\n"}),
    "node-file": ("node evil.js", "evil.js", JS, {}),
    "node-no-ext": ("node hooks/evil", "hooks/evil.js", JS, {}),
    "node-dot-no-ext": ("node ./evil", "evil.js", JS, {}),
    "node-dir": ("node hooks", "hooks/index.js", JS, {}),
    "node-r": ("node -r ./evil -e 0", "evil.js", JS, {}),
    "node-require=": ("node --require=./evil.js -e 0", "evil.js", JS, {}),
    "node-e": ("node -e 'require(\"./evil\")'", "evil.js", JS, {}),
    "node-options": ("NODE_OPTIONS='--require ./evil.js' node -e 0", "evil.js", JS, {}),
    "node-options=": ("NODE_OPTIONS=--require=./evil.js node -e 0", "evil.js", JS, {}),
    "npm-run": ("npm run --silent guard", "package.json", PKG, {}),
    "make": ("make -s guard", "Makefile", MK, {}),
    "make-f": ("make -s -f evil.mk guard", "evil.mk", MK, {}),
    "make-f-glued": ("make -s -fevil.mk guard", "evil.mk", MK, {}),
    "awk-f-glued": ("awk -fevil.awk", "evil.awk", lambda v: 'BEGIN { print "%s" >> ENVIRON["MARK"] }' % v, {}),
    "perl-do": ("perl -e 'do \"./evil.pl\"'", "evil.pl", lambda v: 'open(F,">>",$ENV{MARK});print F "%s\\n";' % v, {}),
    "awk-system": ("awk 'BEGIN { system(\"sh evil.sh\") }'", "evil.sh", SH, {}),
    "bash-env": ("BASH_ENV=evil.sh bash -c true", "evil.sh", SH, {}),
    "bash-rcfile": ("bash --rcfile evil.sh -i -c true 2>/dev/null", "evil.sh", SH, {}),
    "ps4": ("PS4='$(sh evil.sh)' bash -xc true 2>/dev/null", "evil.sh", SH, {}),
    "xargs-arg": ("echo evil.sh | xargs sh", "evil.sh", SH, {}),
    "watch-timeout": ("timeout 5 sh evil.sh", "evil.sh", SH, {}),
    "flock": ("flock lock -c 'sh evil.sh'", "evil.sh", SH, {}),
    "git-alias": ("git -c alias.x='!sh evil.sh' x", "evil.sh", SH, {}),
    "tar-checkpoint": ("tar cf /dev/null --checkpoint=1 --checkpoint-action='exec=sh evil.sh' .", "evil.sh", SH, {}),
    "shebang-interp": ("./hook", "interp", lambda v: "#!/bin/sh\n" + SAY % v, {"hook": "#!./interp\n"}),
    "sourced-by-script": ("sh main.sh", "lib.sh", SH, {"main.sh": ". ./lib.sh\n"}),
    "brace": ("bash -c 'sh {evil,none}.sh 2>/dev/null'", "evil.sh", SH, {}),
    "dollar-quote": ("bash -c \"sh \\$'evil\\\\x2esh'\"", "evil.sh", SH, {}),
    "extglob": ("bash -O extglob -c 'sh @(evil).sh'", "evil.sh", SH, {}),
    "unicode-nfd": ("sh e\u0301vil.sh", "e\u0301vil.sh", SH, {"\u00e9vil.sh": SH("innocent")}),
    "unicode-nbsp": ("sh a\u00a0evil.sh", "a\u00a0evil.sh", SH, {"evil.sh": SH("innocent")}),
    "bidi-name": ("sh \u202elive.sh", "\u202elive.sh", SH, {}),
    "newline-name": ("sh 'a\nb.sh'", "a\nb.sh", SH, {}),
    "hooktest-name": ("sh evil.hooktest.yaml", "evil.hooktest.yaml", SH, {}),
    "ld-library": ("LD_PRELOAD='./a.so ./b.so' true", "a.so", lambda v: b"", {}),
    "coproc": ("bash -c 'coproc sh evil.sh; wait'", "evil.sh", SH, {}),
    "exec-fd": ("exec 3<evil.sh; sh <&3", "evil.sh", SH, {}),
    "proc-subst": ("bash -c '. <(cat evil.sh)'", "evil.sh", SH, {}),
    "nested-heredoc-in-dollar": ("x=$(cat <<'E'\nit's\nE\n); sh evil.sh", "evil.sh", SH, {}),
    "dollar-paren-case": ("x=$(case a in a) echo b;; esac); sh evil.sh", "evil.sh", SH, {}),
    "comment-quote": ("true # it's\nsh evil.sh", "evil.sh", SH, {}),
    "heredoc-quote": ("cat >/dev/null <<E\nit's\nE\nsh evil.sh", "evil.sh", SH, {}),
    "heredoc-backslash": ("cat >/dev/null <<\\E\nit's $(\nE\nsh evil.sh", "evil.sh", SH, {}),
    "heredoc-two": ("cat <<A <<B >/dev/null\na\nA\nb\nB\nsh evil.sh", "evil.sh", SH, {}),
    "heredoc-space-delim": ("cat >/dev/null <<'E F'\nx\nE F\nsh evil.sh", "evil.sh", SH, {}),
    "heredoc-dquote-esc": ("cat >/dev/null <<\"E'F\"\nx\nE'F\nsh evil.sh", "evil.sh", SH, {}),
    "heredoc-cont": ("cat >/dev/null <<E\nx\\\nE\nE\nsh evil.sh\n", "evil.sh", SH, {}),
    "line-cont": ("sh ev\\\nil.sh", "evil.sh", SH, {}),
    "param-quote": ("echo ${X:-it\\'s} >/dev/null; sh evil.sh", "evil.sh", SH, {}),
    "param-brace-quote": ("echo \"${X:-'}\" >/dev/null; sh evil.sh; echo \"${X:-'}\" >/dev/null", "evil.sh", SH, {}),
    "param-default-cmd": ("sh ${X:-evil.sh}", "evil.sh", SH, {}),
    "jcli-cwd-var": ('sh "$JCLI_CWD"/evil.sh', "evil.sh", SH, {}),
    "jcli-cwd-default": ('sh "${JCLI_CWD:-.}"/evil.sh', "evil.sh", SH, {}),
    "home-default": ('sh "${HOME:+./evil.sh}"', "evil.sh", SH, {}),
    "oldpwd": ('cd /; cd - >/dev/null; sh evil.sh', "evil.sh", SH, {}),
    "pwd-var": ('sh "$PWD/evil.sh"', "evil.sh", SH, {}),
    "symlink-file": ("sh link.sh", "sub/evil.sh", SH, {"link.sh": ("->", "sub/evil.sh")}),
    "symlink-dir": ("sh d/evil.sh", "sub/evil.sh", SH, {"d": ("->", "sub")}),
    "proc-self-cwd": ("sh /proc/self/cwd/evil.sh", "evil.sh", SH, {}),
    "dotdot": ("sh ../proj/evil.sh", "evil.sh", SH, {}),
    "dev-stdin": ("sh /dev/stdin < evil.sh", "evil.sh", SH, {}),
    "busybox": ("busybox sh evil.sh", "evil.sh", SH, {}),
    "java-cp": ("java -cp lib/a.jar:lib/b.jar Main", "lib/a.jar", lambda v: b"", {}),
    "sudo-u": ("setsid -w sh evil.sh", "evil.sh", SH, {}),
    "ssh-style": ("script -qc 'sh evil.sh' /dev/null >/dev/null", "evil.sh", SH, {}),
    "parallel-str": ("nice -n1 sh -c 'sh evil.sh'", "evil.sh", SH, {}),
    "vim": ("ex -s -c '!sh evil.sh' -c q 2>/dev/null", "evil.sh", SH, {}),
    "sqlite": ("sqlite3 :memory: '.shell sh evil.sh'", "evil.sh", SH, {}),
    "gdb-batch": ("gdb -batch -nx -ex 'shell sh evil.sh' >/dev/null 2>&1", "evil.sh", SH, {}),
    "bc-f": ("sed -n '1e sh evil.sh' main.txt", "evil.sh", SH, {"main.txt": "x\n"}),
}

# What a covered file starts: the law covers the first file, and says that of the second.
IN_TURN = {"python-import", "sourced-by-script", "pythonpath"}
STARTS_OTHERS = "starts_others"


def prepare(trial, name):
    command, path, text, others = J[name]
    for other, body in others.items():
        if isinstance(body, tuple):
            os.makedirs(os.path.dirname(os.path.join(trial.proj, other)) or trial.proj, exist_ok=True)
            os.symlink(body[1], os.path.join(trial.proj, other))
        else:
            trial.write(other, body)
    trial.write(path, text("v1"))
    hooks = {"pre_send_message": [{"command": command, "timeout": 20}]}
    trial.write(".jcli/hooks.yaml", json.dumps(hooks), 0o644)
    return path, text


def one(name):
    trial = Trial("trust-" + name.replace("/", "_"))
    path, text = prepare(trial, name)
    item = trial.pending()[0]
    codes = {sentence["code"] for sentence in item["not_covered"]}
    named = {os.path.realpath(file) for file in item["data"]}
    trial.trust_all()
    trial.fire("jcli", "pre_send_message", {})
    first = trial.marked()
    # Another size: Python keeps what it compiled by size and second.
    trial.write(path, text("v2222"))
    trial.fire("jcli", "pre_send_message", {})
    second = trial.marked()
    if "v1" not in first:
        return "inert"
    if "v2222" not in second:
        return "held"
    if codes - {STARTS_OTHERS} or os.path.realpath(os.path.join(trial.proj, path)) in named:
        return "told"
    return "in turn" if STARTS_OTHERS in codes and name in IN_TURN else "silent"


def through_a_mapping(report):
    """A script that is changed through a mapping moves neither its size nor its times."""
    trial = Trial("trust-mapping")
    path = trial.write("evil.sh", SH("v1"))
    trial.write(".jcli/hooks.yaml", json.dumps({"pre_send_message": [{"command": "sh evil.sh"}]}), 0o644)
    with open(path, "r+b") as file:
        mapped = mmap.mmap(file.fileno(), 0)
        mapped[0:1] = mapped[0:1]
        # Times settle: a look right after a change trusts nothing.
        time.sleep(4)
        trial.trust_all()
        engine = trial.serve()
        control = Control(trial.control())
        event = {"project": trial.proj, "dialect": "jcli", "event": "pre_send_message", "payload": {}, "session": None}
        for run in ("1", "2"):
            control.call("fire", {**event, "run": run})
        ran = trial.marked()
        at = mapped.find(b"v1")
        mapped[at:at + 2] = b"v2"
        control.call("fire", {**event, "run": "3"})
        again = trial.marked()
        control.close()
        stop(engine)
    report.case("changed through a mapping ran", "mapping", "v1" in ran and "v2" not in again, ran=ran, again=again)


def main():
    report = Report("trust")
    if not sys.argv[1:]:
        through_a_mapping(report)
    verdicts = {name: one(name) for name in sys.argv[1:] or J}
    for name, verdict in verdicts.items():
        report.case("changed file ran and nothing said so", name, verdict != "silent", command=J[name][0])
    said = [name for name, verdict in verdicts.items() if verdict in ("told", "in turn")]
    report.figure("changed file ran, and that was told", len(said), 35)
    inert = sorted(name for name, verdict in verdicts.items() if verdict == "inert")
    if inert:
        report.skip("does nothing here: " + ", ".join(inert))
    if "-v" in os.environ.get("ATTACK_FLAGS", ""):
        print(json.dumps(verdicts, indent=1), file=sys.stderr)
    report.finish()


if __name__ == "__main__":
    main()
