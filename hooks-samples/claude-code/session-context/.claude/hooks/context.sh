#!/bin/sh
# What a session should know from its beginning. Plain text on stdout is context for the model at this event.
cd "$CLAUDE_PROJECT_DIR" || exit 0
echo "Today is $(date +%F)."
if branch=$(git symbolic-ref --short HEAD 2>/dev/null); then
    echo "The branch is $branch; files that are not committed: $(git status --porcelain 2>/dev/null | wc -l | tr -d ' ')."
fi
[ -f NOTES.md ] && cat NOTES.md
exit 0
