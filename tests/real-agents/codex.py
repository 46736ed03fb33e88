"""How Codex is started, and what is read from what it did.

A scenario of this agent has besides the keys in `compare.py`: `project` and `user`, the two `hooks.json` (a text is written
as it is), `project_config` and `config`, texts of the two `config.toml` (the second is put behind what the run needs),
`trusted` (whether the project's folder is trusted, true), `bypass` (false: Codex's own trust decides), and `folder`, the
project's folder below `@project`.
"""

NAME = "Codex"
DIALECT = "codex"
PROGRAM = "HOOKWRIGHT_CODEX"

# The variables of a hook that must be equal on both sides.
VARIABLES = ("PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR")
# Where a hook of the user observes each event, so that its payload is known.
OBSERVED = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "SessionEnd",
)
CALL = [{"tool": "exec_command", "input": {"cmd": "echo word-output"}}, "finished"]
STOPS = ("Stop", "SubagentStop")
# After these events a turn goes on with a request to the model, unless a hook ends it.
IN_A_TURN = ("SessionStart", "UserPromptSubmit", "PostToolUse")
CONFIG = """model = "scripted"
model_provider = "local"

[model_providers.local]
name = "local"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[analytics]
enabled = false

"""


def variants(row):
    return [{"model": CALL, **row}]


def write(box, scenario, observes):
    """Writes the hook files, with the observer among the hooks of the user."""
    user = scenario.get("user", {"hooks": {}})
    if isinstance(user, dict) and observes:
        hooks = {event: list(groups) for event, groups in user.get("hooks", {}).items()}
        for event in OBSERVED:
            hooks.setdefault(event, []).append({"hooks": [{"type": "command", "command": "@hook observer"}]})
        user = {**user, "hooks": hooks}
    home, project = box.home / ".codex", box.project / ".codex"
    box.write(home / "hooks.json", user)
    trusted = f'[projects."{box.project}"]\ntrust_level = "trusted"\n' if scenario.get("trusted", True) else ""
    box.write(home / "config.toml", CONFIG.replace("{url}", box.expand("@model")) + trusted + scenario.get("config", ""))
    if "project" in scenario:
        box.write(project / "hooks.json", scenario["project"])
    if "project_config" in scenario:
        box.write(project / "config.toml", scenario["project_config"])


def single_hook(event, matcher, entry):
    """The files with one hook in the project."""
    group = {"hooks": [{"type": "command", "command": "@hook hook", **entry}]}
    return {"project": {"hooks": {event: [{"matcher": matcher, **group} if matcher is not None else group]}}}


def command(program, box, scenario, url):
    """The command line of a run, and its variables."""
    words = [program, "exec", "--skip-git-repo-check", "--json", "--dangerously-bypass-approvals-and-sandbox"]
    words += ["--dangerously-bypass-hook-trust"] if scenario.get("bypass", True) else []
    return [*words, *scenario.get("arguments", []), scenario.get("prompt", "go")], {"LOCAL_KEY": "none", **variables(box)}


def variables(box):
    """The variables by which Hookwright finds the same files."""
    return {"CODEX_HOME": str(box.home / ".codex")}


def comparable(payload):
    """The payload of a hook without what only a run in this mode has."""
    return payload


def was_run(occurrence, later):
    """With which input the tool of a call ran; `None` if it did not."""
    call = occurrence.payload.get("tool_use_id")
    ends = [one for one in later if one.event == "PostToolUse"]
    return next((one.payload.get("tool_input") for one in ends if one.payload.get("tool_use_id") == call), None)


def effect(found, at, asked):
    """What the agent did after an event. `asked`: whether the model got a request afterwards."""
    event, later = found[at].event, found[at + 1 :]
    if event == "PreToolUse":
        return {"ran": was_run(found[at], later)}
    if event == "SessionStart":
        return {"goes_on": any(one.event == "UserPromptSubmit" for one in later)}
    if event in STOPS or event in IN_A_TURN and not any(one.event in STOPS for one in later):
        return {"goes_on": asked}
    return {}


def answer_of(reply):
    return reply["json"] if isinstance(reply["json"], dict) else {}


def ends_turn(occurrence, reply):
    """Whether Hookwright's reply ends the turn."""
    return answer_of(reply).get("continue") is False


def effect_of_reply(occurrence, reply):
    """The same as Hookwright's reply asks for."""
    answer = answer_of(reply)
    specific = answer.get("hookSpecificOutput", {})
    denies = specific.get("permissionDecision") == "deny" or answer.get("decision") == "block"
    if occurrence.event == "PreToolUse":
        given = occurrence.payload.get("tool_input")
        if "updatedInput" in specific:
            given = specific["updatedInput"]
        return {"ran": None if denies else given}
    if occurrence.event in STOPS:
        return {"goes_on": not ends_turn(occurrence, reply) and denies}
    if occurrence.event == "UserPromptSubmit":
        return {"goes_on": not ends_turn(occurrence, reply) and not denies}
    return {"goes_on": not ends_turn(occurrence, reply)} if occurrence.event in IN_A_TURN else {}


def told_by_reply(occurrence, reply):
    """The texts of Hookwright's reply that the model gets."""
    answer = answer_of(reply)
    specific = answer.get("hookSpecificOutput", {})
    if occurrence.event == "UserPromptSubmit" and answer.get("decision") == "block":
        return []
    decision = specific.get("decision") if isinstance(specific.get("decision"), dict) else {}
    texts = [specific.get(name) for name in ("permissionDecisionReason", "additionalContext", "updatedInput")]
    return [*texts, answer.get("reason"), decision.get("message")]
