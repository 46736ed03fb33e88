#!/bin/sh
# Sends the agent back while the tests fail, once. Codex has no limit of its own, so a gate must look at `stop_hook_active`.
event=$(cat)
case $event in
  *'"stop_hook_active":true'* | *'"stop_hook_active": true'*) exit 0 ;;
esac
if ! report=$(sh ./test.sh 2>&1); then
  printf 'The tests fail. Mend them first:\n%s\n' "$report" >&2
  exit 2
fi
