#!/bin/sh
# Writes down what was edited. Nobody waits for it.
printf '%s %s\n' "$(date -u +%FT%TZ)" "$(sed 's/.*"file_path":"\([^"]*\)".*/\1/')" >>"$CLAUDE_PROJECT_DIR"/edits.log
