#!/bin/sh
# The checks of the quality gate: prints what is wrong and ends with 1, or prints nothing and ends with 0.
# Nothing needs to be installed. Put your own in: `cargo check -q`, `npm test --silent`, …
set -u
wrong=0
complain() { printf '%s\n' "$*"; wrong=1; }

files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard
    else
        find . -type f ! -path './.git/*' ! -path './node_modules/*' ! -path './target/*' | sed 's|^\./||'
    fi
}

list=$(files)
while IFS= read -r file; do
    [ -f "$file" ] || continue
    case $file in
        *.py) message=$(python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], "rb").read(), sys.argv[1])' "$file" 2>&1) ||
            complain "$file: $(printf '%s\n' "$message" | tail -n 1)" ;;
        *.sh) message=$(sh -n "$file" 2>&1) || complain "$file: $message" ;;
        *.json) message=$(python3 -c 'import json, sys; json.load(open(sys.argv[1], "rb"))' "$file" 2>&1) ||
            complain "$file: $(printf '%s\n' "$message" | tail -n 1)" ;;
    esac
    grep -qE '^(<<<<<<<|>>>>>>>) ' "$file" 2>/dev/null && complain "$file: a merge conflict is not resolved"
done <<LIST
$list
LIST
exit $wrong
