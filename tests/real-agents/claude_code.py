"""How Claude Code is started, and what is read from what it did.

A scenario of this agent has besides the keys in `compare.py`: `settings`, `local` and `user`, the three settings files (a
text is written as it is), `trusted` (whether the project's folder is trusted, false), and `arguments` of the command line.
Instead of settings it may have a `defect` ({"entry"}, {"group"} or {"value"}), which stands at each event of `at` beside
hooks without a fault.
"""

NAME = "Claude Code"
DIALECT = "claude-code"
PROGRAM = "HOOKWRIGHT_CLAUDE"

# Switches off what would reach for a network.
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}
# The variables of a hook that must be equal on both sides.
VARIABLES = ("CLAUDE_PROJECT_DIR", "CLAUDECODE", "CLAUDE_PLUGIN_ROOT", "CLAUDE_EFFORT")
# Where a hook of the user observes each event, so that its payload is known.
OBSERVED = (
    "SessionStart",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PreSkillShellCommand",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "Stop",
    "SessionEnd",
)
# After these events a turn goes on with a request to the model, unless a hook ends it.
IN_A_TURN = ("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PostToolBatch")
STOPS = ("Stop", "SubagentStop")
# Here the reason of a block is for the user.
USER_IS_TOLD = ("UserPromptSubmit", "PreCompact")


def variants(scenario):
    """The scenario for each event of `at`, with the defect there."""
    if "defect" not in scenario:
        return [scenario]
    return [{**scenario, "name": f"{scenario['name']} at {event}", "settings": with_defect(event, scenario["defect"])} for event in scenario["at"]]


def with_defect(event, defect):
    """Settings with a hook without a fault at each of three events, and the defect at one of them."""
    hooks = {name: [{"hooks": [{"type": "command", "command": f"@hook {name}"}]}] for name in ("PreToolUse", "PostToolUse", "Stop")}
    if "entry" in defect:
        hooks[event][0]["hooks"].append(defect["entry"])
    elif "group" in defect:
        hooks[event].append(defect["group"])
    else:
        hooks[event] = defect["value"]
    return {"hooks": hooks}


def write(box, scenario, observes):
    """Writes the settings files, with the observer among the hooks of the user."""
    user = scenario.get("user", {})
    if isinstance(user, dict) and observes:
        hooks = {event: list(groups) for event, groups in user.get("hooks", {}).items()}
        for event in OBSERVED:
            hooks.setdefault(event, []).append({"hooks": [{"type": "command", "command": "@hook observer", "timeout": 30}]})
        user = {**user, "hooks": hooks}
    box.write(box.home / ".claude/settings.json", user)
    for key, name in (("settings", "settings.json"), ("local", "settings.local.json")):
        if key in scenario:
            box.write(box.project / ".claude" / name, scenario[key])


def single_hook(event, matcher, entry):
    """The settings with one hook in the project."""
    group = {"hooks": [{"type": "command", "command": "@hook hook", **entry}]}
    return {"settings": {"hooks": {event: [{"matcher": matcher, **group} if matcher is not None else group]}}}


def command(program, box, scenario, url):
    """The command line of a run, and its variables."""
    config = box.home / ".claude"
    state = {"hasCompletedOnboarding": True, "theme": "dark"}
    state["projects"] = {str(box.project): {"hasTrustDialogAccepted": scenario.get("trusted", False)}}
    box.write(config / ".claude.json", state)
    words = [program, "-p", scenario.get("prompt", "go"), "--output-format", "stream-json", "--verbose"]
    words += ["--debug-file", str(box.root / "debug.log"), *box.expand(scenario.get("arguments", ["--allowedTools", "Bash"]))]
    return words, {**QUIET, "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", **variables(box)}


def variables(box):
    """The variables by which Hookwright finds the same files."""
    return {"CLAUDE_CONFIG_DIR": str(box.home / ".claude")}


def comparable(payload):
    """The payload of a hook without what only a run in this mode has."""
    return payload


def was_run(occurrence, later):
    """With which input the tool of a call ran; `None` if it did not."""
    call = occurrence.payload.get("tool_use_id")
    ends = [one for one in later if one.event in ("PostToolUse", "PostToolUseFailure")]
    return next((one.payload.get("tool_input") for one in ends if one.payload.get("tool_use_id") == call), None)


def effect(found, at, asked):
    """What the agent did after an event. `asked`: whether the model got a request afterwards."""
    event, later = found[at].event, found[at + 1 :]
    if event == "PreToolUse":
        return {"ran": was_run(found[at], later)}
    # Beside a subagent it is not known which of the two asks the model.
    if any(one.event == "SubagentStart" for one in found):
        return {}
    # What follows in the turn says more.
    if event in STOPS or event in IN_A_TURN and not any(one.event in (*STOPS, "PostToolBatch") for one in later):
        return {"goes_on": asked}
    return {}


def ends_turn(occurrence, reply):
    """Whether Hookwright's reply ends the turn. After a batch a block does."""
    answer = reply["json"] if isinstance(reply["json"], dict) else {}
    is_block = occurrence.event == "PostToolBatch" and answer.get("decision") == "block"
    return answer.get("continue") is False or is_block


def effect_of_reply(occurrence, reply):
    """The same as Hookwright's reply asks for."""
    answer = reply["json"] if isinstance(reply["json"], dict) else {}
    specific = answer.get("hookSpecificOutput", {})
    # Without a terminal nobody can be asked, and the agent denies.
    denies = specific.get("permissionDecision") in ("deny", "ask") or answer.get("decision") == "block" or reply["exit_code"] == 2
    ends = ends_turn(occurrence, reply)
    if occurrence.event == "PreToolUse":
        given = specific.get("updatedInput", occurrence.payload.get("tool_input"))
        return {"ran": None if denies else given}
    if occurrence.event in STOPS:
        return {"goes_on": not ends and (denies or "additionalContext" in specific)}
    if occurrence.event == "UserPromptSubmit":
        return {"goes_on": not ends and not denies}
    return {"goes_on": not ends} if occurrence.event in IN_A_TURN else {}


def told_by_reply(occurrence, reply):
    """The texts of Hookwright's reply that the model gets."""
    answer = reply["json"] if isinstance(reply["json"], dict) else {}
    specific = answer.get("hookSpecificOutput", {})
    if occurrence.event in USER_IS_TOLD and (answer.get("decision") == "block" or reply["exit_code"] == 2):
        return []
    texts = [specific.get(name) for name in ("permissionDecisionReason", "additionalContext", "updatedToolOutput", "updatedInput")]
    if specific.get("permissionDecision") == "allow":
        texts = texts[1:]
    decision = specific.get("decision") if isinstance(specific.get("decision"), dict) else {}
    return [*texts, answer.get("reason"), reply["stderr"], decision.get("message")]
