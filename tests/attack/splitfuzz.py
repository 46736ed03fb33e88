"""Random shell commands that run a file of the project as `sh evil.sh` or `./evil.sh`, plainly named, amid quotes,
here-documents, case, loops, functions and comments. Counts those that a real shell runs and whose review neither covers
the file nor says that something is not covered. Usage: splitfuzz.py [COUNT [SEED]]
"""
import json
import os
import random
import shutil
import subprocess
import sys

from hw import Report, Trial

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 1
RANDOM = random.Random(SEED)
AT_ONCE = 200
RUN = ["sh evil.sh", "./evil.sh", "sh ./evil.sh", "sh 'evil.sh'", 'sh "evil.sh"', "sh ev\\il.sh", ". ./evil.sh", "sh<evil.sh"]
NOISE = ["true", ":", "echo a", "echo 'it' \"s\"", "echo \"a'b\"", "echo 'a\"b'", "echo a#b", "echo \\'", "echo \\\"", "echo \\\\", "X=1", "X='a b'", "echo ${X:-y}",
         "echo \"${X:-a b}\"", "echo ${X#a}", "echo $(echo a)", "echo `echo a`", "echo $((1+2))", "[ a = a ]", "test 1 -lt 2", "echo a in b", "echo do", "echo {a}", "echo !",
         "echo esac", "echo case", "echo for", "echo )", "echo '('", "echo $#", "echo ${#X}", "echo a\\\nb", "set -- a b", "echo \"$(echo ')')\"", "echo '$('", "echo \"`echo 'x'`\"",
         "echo \"\\$(\"", "echo '`'", "echo \\`", "echo a 2>&1", "echo a >/dev/null 2>&1", "echo ~", "echo $'x'", "echo a;", "echo \\;", "echo \\#", "echo in"]
BASH = ["echo $((1<<2))", "((x=1<<2))", "cat <<< x", "cat <<<'a b'", "[[ a == a ]]", "[[ a =~ (a) ]]", "x=(a b)", "echo ${X//a/b}", "echo &>/dev/null", "echo |& cat", "echo {1..3}", "let x=1", "echo ${X^^}", "x=$'it\\'s'"]


def heredoc(cmds):
    end = RANDOM.choice(["E", "'E'", "\"E\"", "\\E", "-E", "'E F'", "\"E'F\"", "E\\'F"])
    word = {"E": "E", "'E'": "E", '"E"': "E", "\\E": "E", "-E": "E", "'E F'": "E F", "\"E'F\"": "E'F", "E\\'F": "E'F"}[end]
    body = RANDOM.choice(["x", "it's", 'a"b', "$(echo a", "`", "\\", "case x in", "(", ")", "#", "E x"])
    if body in ("$(echo a", "`") and end in ("E", "-E"):
        body = "x"
    return f"cat <<{end} >/dev/null{RANDOM.choice(['', '; ' + RANDOM.choice(NOISE), ' && ' + RANDOM.choice(NOISE)])}\n{body}\n{word}\n" + cmds


def cmd(depth):
    if depth <= 0 or RANDOM.random() < 0.35:
        return RANDOM.choice(NOISE)
    a, b = cmd(depth - 1), cmd(depth - 1)
    return RANDOM.choice([
        f"{a}; {b}", f"{a} && {b}", f"{a} || {b}", f"{a}\n{b}", f"({a}\n)", f"{{ {a}\n}}", f"if {a}\nthen {b}\nfi", f"for i in 1 2; do {a}\ndone", f"case x in x) {a}\n;; esac",
        f"case x in (y) {a}\n;; (x) {b}\n;; esac", f"case x in y|x) {a}\n;; esac", f"f() {{ {a}\n}}; f", f"{a} # it's (", f"{a} # \"\n{b}", f"while {a}\ndo {b}\nbreak; done", f"$({a}\n)", f"x=$({a}\n)", f"x=`{RANDOM.choice(NOISE[:4])}`",
        f"{a} | {b}", f"{a} &\n{b}\nwait", f"! {a}", heredoc(b), f"sh -c {quote(a)}", f"eval {quote(a)}", f"case x in x) for i in 1; do {a}\ndone\n;; esac", f"until {a}\ndo {b}\nbreak\ndone", f"X=1 {a}", f"{a} >/dev/null", f"case $1 in *) {a}\n;; esac"])


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def whole():
    text = cmd(RANDOM.randint(1, 4))
    # Put the run in the place of one of the noises, or in front or behind.
    run = RANDOM.choice(RUN)
    places = [(i, n) for n in NOISE for i in range(len(text)) if text.startswith(n, i) and len(n) > 4]
    if places and RANDOM.random() < 0.8:
        i, n = RANDOM.choice(places)
        text = text[:i] + run + text[i + len(n):]
    else:
        text = RANDOM.choice([f"{text}\n{run}", f"{run}; {text}"])
    return text


def runs(trial, shell):
    """Commands that this shell takes and that run the file."""
    found, seen = [], set()
    while len(found) < COUNT:
        text = whole()
        if text in seen:
            continue
        seen.add(text)
        if subprocess.run([shell, "-n"], input=text.encode(), stdout=-3, stderr=-3).returncode:
            continue
        try:
            subprocess.run([shell, "-c", text], cwd=trial.proj, env=trial.env(), stdin=-3, stdout=-3, stderr=-3, timeout=3)
        except subprocess.TimeoutExpired:
            pass
        if "RAN" in trial.marked():
            found.append(text)
    return found


def items(trial, shell, commands):
    """What the review says of each."""
    if shell == "bash":
        entries = [{"type": "command", "command": command, "shell": "bash"} for command in commands]
        trial.write(".qoder/settings.json", json.dumps({"hooks": {"Stop": [{"hooks": entries}]}}))
    else:
        trial.write(".jcli/hooks.yaml", json.dumps({"pre_send_message": [{"command": command} for command in commands]}))
    pending = trial.json("trust", "--list", timeout=300)["pending"]
    by_index = {int(item["hook"].rsplit(":", 1)[1].rsplit(".", 1)[-1]): item for item in pending}
    return [by_index.get(index) for index in range(len(commands))]


def main():
    report = Report("splitfuzz")
    for shell in ("sh", "bash"):
        if shutil.which(shell) is None:
            report.skip(f"no {shell}")
            continue
        if shell == "bash":
            NOISE.extend(BASH)
        trial = Trial(f"splitfuzz-{shell}-{SEED}")
        evil = os.path.realpath(trial.write("evil.sh", "#!/bin/sh\necho RAN >> \"$MARK\"\n"))
        commands = runs(trial, shell)
        for at in range(0, len(commands), AT_ONCE):
            part = commands[at:at + AT_ONCE]
            for command, item in zip(part, items(trial, shell, part)):
                covered = item is not None and any(file["path"] == evil for file in item["files"])
                told = item is not None and any(said["code"] != "starts_others" for said in item["not_covered"])
                report.case(f"{shell}: neither covered nor told", command, covered or told)
    report.finish()


main()
