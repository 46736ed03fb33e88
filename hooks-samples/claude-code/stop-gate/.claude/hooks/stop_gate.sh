#!/bin/sh
# The agent may stop when every script of the project can be read. Put your own checks where `check` is.
# It is sent back once: at the next stop the event says so, and whatever is still wrong is left to you.
event=$(cat)
case $event in *'"stop_hook_active":true'*) exit 0 ;; esac
cd "$CLAUDE_PROJECT_DIR" || exit 1

check() {
    for file in *.py; do
        [ -f "$file" ] && python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], "rb").read(), sys.argv[1])' "$file"
    done 2>&1 | tail -n 4
}

wrong=$(check)
[ -z "$wrong" ] && exit 0
printf 'Not done yet:\n%s\n' "$wrong" >&2
exit 2
