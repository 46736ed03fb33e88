/**
 * What a new hook can begin with. A template names the fields that are asked for, with what stands in them first, and the
 * definition that they fill; the engine writes the definition into the file.
 *
 * Holes are written `@name@`: a field of the form, or `event`, `sibling`, `output`, `verdict` and `fields` of the
 * chosen event.
 */
import type { EventInfo, VerdictKind } from "@/ipc";

export type TemplateKind = "guard" | "filter" | "context" | "prompt" | "text" | "record";

export const FIELDS = ["skill", "name", "description", "tool", "command", "prompt", "script", "text"] as const;
export type Field = (typeof FIELDS)[number];

export interface Template {
  kind: TemplateKind;
  dialect: string;
  /** Only at these events. */
  events?: readonly string[];
  /** Only where one of these is accepted; the first one fills `@output@`. */
  outputs?: readonly string[];
  /** Only where one of these may be decided; the first one fills `@verdict@`. */
  verdicts?: readonly VerdictKind[];
  /** Only where nothing that hooks return counts. */
  notifyOnly?: true;
  fields: Partial<Record<Field, string>>;
  definition: Readonly<Record<string, unknown>>;
}

/** Rewrites a text, from `before` to the JSON that the agent reads. */
const REDACT = `re.sub(r"(?i)(token|password|secret)=\\S+", r"\\1=***", text)`;

/** The events with a text that is worth a look, and whose fields are placeholders of prompts. */
const JCLI_CONTENT = ["pre_send_message", "post_llm_response", "pre_tool_execution", "post_tool_execution"];

/** A process that replies to the calls of one event and lets those of all others pass. */
const PICOCLAW_PROCESS = (reply: string, setup = "") => `import json, re, sys
${setup}
for line in sys.stdin:
    message = json.loads(line)
    params = message.get("params", {})
    if "id" not in message:
        continue
    if message["method"] == "hook.hello":
        result = {"ok": True, "name": "@name@"}
    elif message["method"] == "hook.@event@":
        result = ${reply}
    else:
        result = {"action": "continue"}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
`;

/** PicoClaw calls a process for both events of a pair, whichever it names. */
const PICOCLAW_PAIRS: Readonly<Record<string, string>> = {
  before_llm: "after_llm",
  after_llm: "before_llm",
  before_tool: "after_tool",
  after_tool: "before_tool",
};

const PICOCLAW_IS_DANGEROUS = `"rm -rf" in json.dumps(params.get("arguments", {}))`;

const PICOCLAW_REDACT = `
def clean(value):
    if isinstance(value, dict):
        return {key: clean(one) for key, one in value.items()}
    return re.sub(r"(?i)(token|password|secret)=\\S+", r"\\1=***", value) if isinstance(value, str) else value
`;

const PICOCLAW_DEFINITION = { name: "@name@", enabled: true, command: ["python3", "-u", "-c", "@script@"] };

export const TEMPLATES: readonly Template[] = [
  {
    kind: "guard",
    dialect: "jcli",
    events: JCLI_CONTENT,
    verdicts: ["skip", "stop"],
    fields: {
      tool: "Bash|Shell",
      command: `case "$(cat)" in\n  *'rm -rf'*) echo '{"action": "@verdict@", "system_message": "rm -rf is blocked"}' ;;\n  *) echo '{}' ;;\nesac`,
    },
    definition: { command: "@command@", timeout: 5, on_error: "abort", filter: { tool_matcher: "@tool@" } },
  },
  {
    kind: "filter",
    dialect: "jcli",
    outputs: ["tool_result", "tool_error", "tool_arguments", "user_input", "assistant_output", "system_prompt"],
    fields: {
      tool: "",
      command: `python3 -c '\nimport json, re, sys\ntext = json.load(sys.stdin).get("@output@", "")\nprint(json.dumps({"@output@": ${REDACT}}))\n'`,
    },
    definition: { command: "@command@", timeout: 5, on_error: "abort", filter: { tool_matcher: "@tool@" } },
  },
  {
    kind: "context",
    dialect: "jcli",
    outputs: ["additional_context"],
    fields: { command: `echo '{"additional_context": "Run the tests before you finish."}'` },
    definition: { command: "@command@", timeout: 5 },
  },
  {
    kind: "prompt",
    dialect: "jcli",
    events: JCLI_CONTENT,
    verdicts: ["skip", "stop"],
    fields: {
      tool: "Bash|Shell",
      prompt: `Is this safe?\n@fields@\nIf it is not, return {"action": "@verdict@"}, otherwise return {}.`,
    },
    definition: {
      type: "llm",
      prompt: "@prompt@",
      timeout: 15,
      retry: 0,
      on_error: "abort",
      filter: { tool_matcher: "@tool@" },
    },
  },
  {
    kind: "record",
    dialect: "jcli",
    fields: { command: "cat >> .jcli/events.jsonl" },
    definition: { command: "@command@", timeout: 5 },
  },

  {
    kind: "guard",
    dialect: "qoder",
    verdicts: ["deny"],
    fields: {
      tool: "Bash",
      command: `if grep -q 'rm -rf'; then echo 'rm -rf is blocked' >&2; exit 2; fi`,
    },
    definition: { matcher: "@tool@", type: "command", command: "@command@", timeout: 10 },
  },
  {
    kind: "filter",
    dialect: "qoder",
    outputs: ["updatedToolOutput"],
    fields: {
      tool: "",
      command: `python3 -c '\nimport json, re, sys\ntext = json.load(sys.stdin).get("tool_response", "")\ntext = text if isinstance(text, str) else json.dumps(text)\nprint(json.dumps({"hookSpecificOutput": {"hookEventName": "@event@", "@output@": ${REDACT}}}))\n'`,
    },
    definition: { matcher: "@tool@", type: "command", command: "@command@", timeout: 10 },
  },
  {
    kind: "context",
    dialect: "qoder",
    outputs: ["additionalContext"],
    fields: {
      tool: "",
      command: `echo '{"hookSpecificOutput": {"hookEventName": "@event@", "@output@": "Run the tests before you finish."}}'`,
    },
    definition: { matcher: "@tool@", type: "command", command: "@command@", timeout: 10 },
  },
  {
    kind: "record",
    dialect: "qoder",
    fields: { tool: "", command: `cat >> "$QODER_PROJECT_DIR"/.qoder/events.jsonl` },
    definition: { matcher: "@tool@", type: "command", command: "@command@", timeout: 10 },
  },

  {
    kind: "guard",
    dialect: "agent-hooks",
    verdicts: ["deny"],
    fields: {
      name: "guard",
      description: "Blocks rm -rf",
      tool: "^Shell$",
      script: `#!/bin/sh\nif grep -q 'rm -rf'; then\n  echo 'rm -rf is blocked' >&2\n  exit 2\nfi\n`,
    },
    definition: {
      name: "@name@",
      description: "@description@",
      matcher: { tool: "@tool@" },
      timeout: 5000,
      script: "@script@",
    },
  },
  {
    kind: "filter",
    dialect: "agent-hooks",
    outputs: ["modified_input"],
    fields: {
      name: "tidy-input",
      description: "Removes sudo from commands",
      tool: "^Shell$",
      script: `#!/usr/bin/env python3\nimport json, sys\n\ntool_input = json.load(sys.stdin)["tool_input"]\ncommand = tool_input.get("command", "")\nif command.startswith("sudo "):\n    print(json.dumps({"modified_input": {**tool_input, "command": command[5:]}}))\n`,
    },
    definition: {
      name: "@name@",
      description: "@description@",
      matcher: { tool: "@tool@" },
      timeout: 5000,
      script: "@script@",
    },
  },
  {
    kind: "context",
    dialect: "agent-hooks",
    outputs: ["additional_context"],
    fields: {
      name: "reminder",
      description: "Reminds the model to run the tests",
      script: `#!/bin/sh\necho '{"additional_context": "Run the tests before you finish."}'\n`,
    },
    definition: { name: "@name@", description: "@description@", timeout: 5000, script: "@script@" },
  },
  {
    kind: "record",
    dialect: "agent-hooks",
    fields: {
      name: "record-events",
      description: "Writes every event to a file",
      script: `#!/bin/sh\ncat >> events.jsonl\n`,
    },
    definition: { name: "@name@", description: "@description@", timeout: 5000, script: "@script@" },
  },

  {
    kind: "guard",
    dialect: "picoclaw",
    events: ["before_tool"],
    fields: {
      name: "guard",
      script: PICOCLAW_PROCESS(
        `{"action": "deny_tool", "reason": "rm -rf is blocked"} if ${PICOCLAW_IS_DANGEROUS} else {"action": "continue"}`,
      ),
    },
    definition: { ...PICOCLAW_DEFINITION, intercept: ["@event@", "@sibling@"] },
  },
  {
    kind: "guard",
    dialect: "picoclaw",
    events: ["approve_tool"],
    fields: {
      name: "approver",
      script: PICOCLAW_PROCESS(
        `{"approved": False, "reason": "rm -rf is blocked"} if ${PICOCLAW_IS_DANGEROUS} else {"approved": True}`,
      ),
    },
    definition: { ...PICOCLAW_DEFINITION, intercept: ["@event@"] },
  },
  {
    kind: "filter",
    dialect: "picoclaw",
    events: ["after_llm", "after_tool"],
    outputs: ["response", "result"],
    fields: {
      name: "filter",
      script: PICOCLAW_PROCESS(
        `{"action": "modify", "@output@": {"@output@": clean(params.get("@output@", {}))}}`,
        PICOCLAW_REDACT,
      ),
    },
    definition: { ...PICOCLAW_DEFINITION, intercept: ["@event@", "@sibling@"] },
  },
  {
    kind: "context",
    dialect: "picoclaw",
    events: ["before_llm"],
    fields: {
      name: "reminder",
      script: PICOCLAW_PROCESS(
        `{"action": "modify", "request": {**request(params), "messages": [*(params.get("messages") or []), REMINDER]}}`,
        `
REMINDER = {"role": "system", "content": "Run the tests before you finish."}


def request(params):
    return {key: params.get(key) for key in ("model", "messages", "tools", "options")}
`,
      ),
    },
    definition: { ...PICOCLAW_DEFINITION, intercept: ["@event@", "@sibling@"] },
  },
  {
    kind: "record",
    dialect: "picoclaw",
    notifyOnly: true,
    fields: {
      name: "recorder",
      script: PICOCLAW_PROCESS(`{"action": "continue"}`).replace(
        `        continue\n`,
        `        with open("events.jsonl", "a", encoding="utf-8") as file:\n            file.write(line)\n        continue\n`,
      ),
    },
    definition: { ...PICOCLAW_DEFINITION, observe: ["@event@"] },
  },

  {
    kind: "text",
    dialect: "skill",
    fields: { skill: "house", name: "rules", text: "Answer in the language of the question.\n" },
    definition: { skill: "@skill@", name: "@name@", text: "@text@", role: "system", persistent: false },
  },
];

/** The templates that make sense at an event. */
export function templatesAt(dialect: string, event: EventInfo): Template[] {
  const accepted = new Set(event.accepts.map(({ name }) => name));
  return TEMPLATES.filter(
    (one) =>
      one.dialect === dialect &&
      (one.events?.includes(event.name) ?? true) &&
      (one.outputs?.some((output) => accepted.has(output)) ?? true) &&
      (one.verdicts?.some((verdict) => event.verdicts.includes(verdict)) ?? true) &&
      (!one.notifyOnly || event.notify_only),
  );
}

/** Whether events of this kind are about a tool, so that a hook may name the tools it is for. */
function hasTool(event: EventInfo): boolean {
  return event.fields.some(({ name }) => name === "tool_name");
}

/** The fields that a template asks for at an event. */
export function fieldsOf(template: Template, event: EventInfo): Field[] {
  return FIELDS.filter((field) => template.fields[field] !== undefined && (field !== "tool" || hasTool(event)));
}

/** The holes that the event fills. */
function holesOf(template: Template, event: EventInfo, common: readonly string[]): Record<string, string> {
  const own = event.fields.filter(({ name, kind }) => !common.includes(name) && kind === "text");
  return {
    event: event.name,
    sibling: PICOCLAW_PAIRS[event.name] ?? "",
    output: template.outputs?.find((name) => event.accepts.some((output) => output.name === name)) ?? "",
    verdict: template.verdicts?.find((verdict) => event.verdicts.includes(verdict)) ?? "",
    fields: own.map(({ name }) => `${name}: {{${name}}}`).join("\n"),
  };
}

function fill(text: string, holes: Readonly<Record<string, string>>): string {
  return text.replace(/@([a-z]+)@/g, (hole, name: string) => holes[name] ?? hole);
}

/** What a field of the form says before anybody typed. */
export function firstValue(template: Template, field: Field, event: EventInfo, common: readonly string[]): string {
  return fill(template.fields[field] ?? "", holesOf(template, event, common));
}

/** The value with its holes filled; undefined where a field was left empty. */
function filled(value: unknown, holes: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string") {
    const text = fill(value, holes);
    return text === "" ? undefined : text;
  }
  if (Array.isArray(value)) return value.map((one) => filled(one, holes) ?? "");
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, one]) => {
    const inner = filled(one, holes);
    return inner === undefined ? [] : [[key, inner] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The definition as `edit.add` takes it. */
export function definitionOf(
  template: Template,
  values: Readonly<Partial<Record<Field, string>>>,
  event: EventInfo,
  common: readonly string[],
): Record<string, unknown> {
  const asked = Object.fromEntries(FIELDS.map((field) => [field, values[field] ?? ""]));
  // A script may name the hook, so the name is filled in first.
  const script = fill(asked.script ?? "", { name: asked.name ?? "" });
  const holes = { ...holesOf(template, event, common), ...asked, script };
  return (filled(template.definition, holes) ?? {}) as Record<string, unknown>;
}
