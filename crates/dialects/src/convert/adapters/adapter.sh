#!/bin/sh
# Runs a hook that was written for @FROM@ as a hook of @TO@. Hookwright made this file.
#
# Arguments: the event of @FROM@, the event of @TO@, what a failure does, and the command of the hook. The command gets
# the event as it is, and its answer is printed in the form of @TO@. A failure of the command, or an answer that cannot
# be read, blocks unless the third argument is `open`. (`closed` says that it blocked before, `guard` that the hook blocks
# something.)

from=@FROM_ID@ to=@TO_ID@
old_event=$1 new_event=$2 on_failure=$3 command=$4
# The events of @TO@ at which a hook can change the input, add a context, and end the turn.
edits=' @EDITS@ ' contexts=' @CONTEXT@ ' ends=' @ENDS@ '

# Prints the JSON at a path of the answer, such as `hookSpecificOutput.updatedInput`; nothing if it is null or missing.
value() {
  printf '%s\n' "$answer" | awk -v wanted="$1" '
    { text = text $0 "\n" }
    function next_token() {
      sub(/^[ \t\r\n]+/, "", text)
      if (!match(text, /^("([^"\\]|\\.)*"|[][{}:,]|[^][{}:," \t\r\n]+)/)) return 0
      token = substr(text, 1, RLENGTH)
      text = substr(text, RLENGTH + 1)
      return 1
    }
    function next_value(  json, open) {
      do {
        if (!next_token()) break
        json = json token
        if (token ~ /^[{[]/) open++
        if (token ~ /^[]}]/) open--
      } while (open > 0)
      return json
    }
    function path(  level, names) {
      names = key[1]
      for (level = 2; level <= depth; level++) names = names "." key[level]
      return names
    }
    END {
      while (next_token()) {
        if (token ~ /^[{[]/) depth++
        else if (token ~ /^[]}]/) depth--
        else if (token ~ /^"/) key[depth] = substr(token, 2, length(token) - 2)
        else if (token == ":" && path() == wanted) found = next_value()
      }
      if (found != "null") printf "%s", found
    }'
}

# Prints the text that a JSON string stands for, on one line.
text() {
  printf '%s' "$1" | sed -e 's/^"//' -e 's/"$//' -e 's/\\n/ /g' -e 's/\\\(.\)/\1/g'
}

# Prints a text as a JSON string.
quoted() {
  printf '"%s"' "$(printf '%s' "$1" | tr '\n\r\t' '   ' | tr -d '\000-\037' | sed 's/[\\"]/\\&/g')"
}

# Whether the event of @TO@ is in a list.
is_in() {
  case $1 in *" $new_event "*) return 0 ;; *) return 1 ;; esac
}

fail() {
  if [ "$on_failure" = open ]; then
    printf 'the hook failed: %s\n' "$1" >&2
    exit 1
  fi
  decision=deny reason="the hook failed: $1" arguments='' context=''
  # When j-cli is about to stop, a failure ends the turn.
  [ "$from:$old_event" = jcli:stop ] && decision=stop
  return 0
}

# Reads what the answer of the command means: `decision` is allow, ask, deny, stop (the turn ends) or empty, `arguments`
# and `context` are JSON.
read_jcli() {
  action=$(value action)
  [ "$(value abort)" = true ] && action='"stop"'
  feedback=$(value retry_feedback)
  case $old_event:$action in
    stop:'"stop"') decision=stop ;;
    *:'"stop"' | pre_tool_execution:'"skip"') decision=deny ;;
    *: | *:'"skip"') ;;
    *) fail 'its answer has a value that is not allowed' && return ;;
  esac
  [ "$old_event" = stop ] && [ -n "$feedback" ] && decision=deny
  reason=$(text "${feedback:-$(value system_message)}")
  # It is JSON in a text.
  arguments=$(value tool_arguments | sed -e 's/^"//' -e 's/"$//' -e 's/\\\(["\\/]\)/\1/g')
  context=$(value additional_context)
}

read_agent_hooks() {
  decision=$(text "$(value decision)")
  case $old_event:$decision in
    before_stop:ask) decision=deny ;;
    *:allow | *:ask | *:deny) ;;
    *) decision='' ;;
  esac
  reason=$(text "$(value reason)")
  arguments=$(value modified_input)
  context=$(value additional_context)
}

read_settings() {
  output=hookSpecificOutput
  if [ "$from" != codex ] && [ -n "$(value $output)" ] && [ "$(value $output.hookEventName)" != "\"$old_event\"" ]; then
    fail 'its answer names another event' && return
  fi
  arguments=$(value $output.updatedInput)
  context=$(value $output.additionalContext)
  behavior=''
  case $old_event in
    PreToolUse)
      decision=$(text "$(value $output.permissionDecision)")
      reason=$(text "$(value $output.permissionDecisionReason)")
      ;;
    PermissionRequest)
      behavior=$(text "$(value $output.decision.behavior)")
      arguments=${arguments:-$(value $output.decision.updatedInput)}
      reason=$(text "$(value $output.decision.message)")
      if [ "$from" = codex ]; then
        # It does not take an approval with anything beside it, such as a new input.
        beside="$arguments$(value $output.decision.updatedPermissions)$(value $output.decision.interrupt)"
        [ "$behavior" = allow ] && [ -n "$beside" ] && behavior=''
        arguments=''
      fi
      ;;
  esac
  case $from:$old_event:$decision in
    # There `allow` belongs to a new input, and approves nothing.
    codex:PreToolUse:allow) decision='' ;;
    codex:PreToolUse:*) arguments='' ;;
    *:allow | *:ask | *:deny) ;;
    *) decision='' ;;
  esac
  said=$(text "$(value decision)")
  if [ "$(value continue)" = false ]; then
    decision=stop reason=$(text "$(value stopReason)")
  elif [ "$said" = block ] || [ "$said" = deny ]; then
    decision=deny reason=$(text "$(value reason)")
  elif [ "$behavior" = allow ] || [ "$behavior" = deny ]; then
    decision=$behavior
  elif [ "$from:$old_event:$said" = claude-code:PreToolUse:approve ]; then
    decision=${decision:-allow}
  else
    case $from:$old_event in
      # There a context makes the agent go on.
      claude-code:Stop | claude-code:SubagentStop) [ -n "$context" ] && decision=deny reason=$(text "$context") ;;
    esac
  fi
}

# Reads what is on stdout and is no object.
read_text() {
  case $from:$old_event in
    jcli:*) fail 'its answer is no JSON object' ;;
    agent-hooks:* | *:UserPromptSubmit | *:SessionStart) context=$(quoted "$answer") ;;
    *) case $answer in *'{'*) fail 'its answer is no JSON' ;; esac ;;
  esac
}

# Prints fields of `hookSpecificOutput`.
print_output() {
  printf '{"hookSpecificOutput":{"hookEventName":"%s"%s}}\n' "$new_event" "$1"
}

deny() {
  reason=${reason:-blocked by hook}
  case $to:$new_event in
    jcli:pre_tool_execution) printf '{"action":"skip","system_message":%s}\n' "$(quoted "$reason")" ;;
    jcli:stop) printf '{"retry_feedback":%s}\n' "$(quoted "$reason")" ;;
    jcli:*) printf '{"action":"stop","system_message":%s}\n' "$(quoted "$reason")" ;;
    # Its exit code denies nothing.
    claude-code:PermissionRequest)
      print_output ",\"decision\":{\"behavior\":\"deny\",\"message\":$(quoted "$reason")}"
      ;;
    *) printf '%s\n' "$reason" >&2 && exit 2 ;;
  esac
}

end_turn() {
  reason=${reason:-blocked by hook}
  case $to:$new_event in
    jcli:stop) printf '{"action":"stop","system_message":%s}\n' "$(quoted "$reason")" ;;
    # A block would make the agent go on, and it stops anyway.
    agent-hooks:before_stop) ;;
    jcli:* | agent-hooks:*) deny ;;
    # Without a denial the call runs before the turn ends.
    claude-code:PreToolUse)
      printf '{"continue":false,"stopReason":%s,"hookSpecificOutput":{"hookEventName":"PreToolUse",%s}}\n' \
        "$(quoted "$reason")" "\"permissionDecision\":\"deny\",\"permissionDecisionReason\":$(quoted "$reason")"
      ;;
    *) if is_in "$ends"; then printf '{"continue":false,"stopReason":%s}\n' "$(quoted "$reason")"; else deny; fi ;;
  esac
}

# Prints what lets the agent continue: an approval, a question, a new input and a context.
go_on() {
  said=''
  case $to in
    jcli)
      [ -n "$context" ] && said=",\"additional_context\":$context"
      [ -n "$arguments" ] && said="$said,\"tool_arguments\":$(quoted "$arguments")"
      ;;
    agent-hooks)
      [ -n "$decision" ] && said=",\"decision\":\"$decision\"${reason:+,\"reason\":$(quoted "$reason")}"
      [ -n "$arguments" ] && said="$said,\"modified_input\":$arguments"
      [ -n "$context" ] && said="$said,\"additional_context\":$context"
      ;;
    *)
      # Codex has no approval before a call, and takes a new input only with this word.
      [ "$to:$new_event" = codex:PreToolUse ] && decision=${arguments:+allow}
      if [ "$decision:$new_event" = allow:PermissionRequest ]; then
        print_output ",\"decision\":{\"behavior\":\"allow\"${arguments:+,\"updatedInput\":$arguments}}"
        return
      fi
      if [ -n "$decision" ] && [ "$new_event" = PreToolUse ]; then
        said=",\"permissionDecision\":\"$decision\"${reason:+,\"permissionDecisionReason\":$(quoted "$reason")}"
      fi
      [ -n "$arguments" ] && said="$said,\"updatedInput\":$arguments"
      [ -n "$context" ] && said="$said,\"additionalContext\":$context"
      [ -n "$said" ] && print_output "$said"
      return 0
      ;;
  esac
  [ -n "$said" ] && printf '{%s}\n' "${said#,}"
  return 0
}

errors=$(mktemp) || { fail 'no temporary file can be made'; if [ $decision = stop ]; then end_turn; else deny; fi; exit 0; }
trap 'rm -f "$errors"' EXIT
answer=$(sh -c "$command" 2>"$errors")
code=$?
answer=${answer#"${answer%%[![:space:]]*}"}
decision='' reason='' arguments='' context=''
case $from:$code:$answer in
  jcli:0:'{'*'}') read_jcli ;;
  agent-hooks:0:'{'*'}') read_agent_hooks ;;
  jcli:2:*) fail "it ended with 2: $(cat "$errors")" ;;
  *:2:*) decision=deny reason=$(cat "$errors") ;;
  *:0:'{'*'}' | claude-code:*:'{'*'}') read_settings ;;
  *:0:) ;;
  *:0:*) read_text ;;
  *) fail "it ended with $code: $(cat "$errors")" ;;
esac

is_in "$contexts" || context=''
if [ -n "$arguments" ] && ! is_in "$edits"; then
  # The agent would use the old input, which nobody approved.
  [ "$decision" = allow ] && decision=''
  arguments=''
fi
case $decision:$to:$new_event in
  ask:qoder:PreToolUse | ask:claude-code:PreToolUse | ask:agent-hooks:before_tool | ask:agent-hooks:after_tool*) go_on ;;
  deny:* | ask:*) deny ;;
  stop:*) end_turn ;;
  *) go_on ;;
esac
