#!/bin/sh
# Holds back two habits that cannot be undone. A short form: the sample guard-shell reads commands properly.
event=$(cat)
held() { printf '{"action": "skip", "system_message": "Held back: %s."}\n' "$1"; exit; }
has() { printf '%s\n' "$event" | grep -Eq -e "$1"; }
# In the event the arguments are JSON inside JSON: a command ends with \" or goes on after a blank or an operator.
has 'rm -(rf|fr) (/|~|\.|\.\.|\*|[$]HOME)/?\*?(\\|[ ;&|])' && held 'it deletes a whole folder tree'
has 'git push[^;&|]* (-f|--force)(\\|[ ;&|])' && held 'a forced push replaces what others have'
echo '{}'
