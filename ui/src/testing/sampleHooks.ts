/** The invented project: its hooks, their problems, and the events of their dialect. */
import type { EventInfo, HookRow, Problem } from "@/ipc/types";
import type { Rows } from "./listed";

export const PROJECT = "/home/me/code/orchard-api";
export const USER_FILE = "/home/me/.jdata/agent/hooks.yaml";
export const PROJECT_FILE = `${PROJECT}/.jcli/hooks.yaml`;
export const NOW = Date.parse("2026-11-20T14:32:05.120Z");

/** With a variable that is unknown, and one that is always empty. */
export const REVIEW_PROMPT = `You review tool calls for the cart service.

Tool: {{tool_name}}
Arguments: {{tool_args}}
Working directory: {{cwd}}

Skip the call when it
- touches a database whose host contains "prod" or "staging"
- pushes to main or a release branch

What the user asked for: {{user_input}}
`;

function hook(part: Partial<HookRow> & Pick<HookRow, "event" | "label" | "layer">, index: number): HookRow {
  const path = part.layer === "user" ? USER_FILE : PROJECT_FILE;
  return {
    hook: `jcli:${part.layer}:${part.event}:${index}`,
    dialect: "jcli",
    path,
    // The fake engine names the groups.
    group: "",
    line: 3 + index * 5,
    handler: "shell",
    filter: null,
    timeout_ms: 10_000,
    attempts: 1,
    on_failure: "open",
    on_failure_effect: "continues",
    guard: false,
    health: {
      state: part.trusted === false ? "needs_review" : part.muted ? "muted" : "ready",
      code: null,
      args: {},
      at: null,
    },
    rank: null,
    position: index + 1,
    mode: "await",
    enabled: true,
    trusted: true,
    muted: false,
    muted_until: null,
    shadowed_by: null,
    wrapped: false,
    valid: true,
    version: "0123456789abcdef",
    uid: `${part.layer}-${part.event}-${index}`,
    definition: { type: "bash", command: "python3 .jcli/hooks/guard_shell.py" },
    runs: "python3 .jcli/hooks/guard_shell.py",
    accepts: ["tool_arguments", "retry_feedback", "system_message"],
    verdicts: ["skip", "stop", "retry"],
    in_list: null,
    ...part,
  };
}

export const HOOKS: HookRow[] = [
  hook({ event: "pre_tool_execution", label: "normalize-paths", layer: "user" }, 0),
  hook(
    {
      event: "pre_tool_execution",
      label: "audit-log",
      layer: "user",
      health: { state: "failing", code: "failing", args: { runs: 12, failed: 12 }, at: null },
    },
    1,
  ),
  hook(
    { event: "pre_send_message", label: "inject-time", layer: "user", accepts: ["user_input"], verdicts: ["stop"] },
    0,
  ),
  hook(
    {
      event: "pre_tool_execution",
      label: "guard-prod-db",
      guard: true,
      layer: "project",
      in_list: { list: "jcli:project:pre_tool_execution", place: 1, count: 3 },
      filter: { tool_name: "psql" },
      position: 3,
    },
    0,
  ),
  hook(
    {
      event: "pre_tool_execution",
      label: "guard-shell",
      guard: true,
      layer: "project",
      in_list: { list: "jcli:project:pre_tool_execution", place: 2, count: 3 },
      filter: { tool_matcher: "Bash|Shell" },
      position: 4,
    },
    1,
  ),
  hook(
    {
      event: "pre_tool_execution",
      label: "tool-safety-review",
      layer: "project",
      in_list: { list: "jcli:project:pre_tool_execution", place: 3, count: 3 },
      handler: "prompt",
      definition: { type: "llm", prompt: REVIEW_PROMPT, filter: { tool_matcher: "Bash|Shell" } },
      runs: REVIEW_PROMPT,
      filter: { tool_matcher: "Bash|Shell" },
      timeout_ms: 30_000,
      attempts: 2,
      position: 5,
    },
    2,
  ),
  hook(
    {
      event: "post_tool_execution",
      label: "redact-secrets",
      layer: "project",
      trusted: false,
      position: null,
      accepts: ["tool_result", "system_message"],
      verdicts: ["stop"],
    },
    0,
  ),
  hook(
    {
      event: "post_tool_execution",
      label: "shorten-output",
      layer: "project",
      muted: true,
      position: null,
      filter: { tool_name: "Bash" },
      accepts: ["tool_result", "system_message"],
      verdicts: ["stop"],
    },
    1,
  ),
  hook(
    {
      event: "stop",
      label: "keep-going",
      layer: "project",
      position: 1,
      timeout_ms: 30_000,
      verdicts: ["stop", "retry"],
    },
    0,
  ),
];

export const PROBLEMS: Problem[] = [
  {
    code: "unknown_value",
    severity: "error",
    path: PROJECT_FILE,
    line: 22,
    column: 15,
    message: "`ignore` is not a value of `on_error`",
    hint: "use `skip` or `abort`",
    hook: null,
    args: { field: "on_error", value: "ignore" },
  },
  {
    code: "fails_open",
    severity: "hint",
    path: PROJECT_FILE,
    line: 8,
    column: 5,
    message: "the tool runs when this guard fails",
    hint: "`on_error: abort` holds it",
    hook: "jcli:project:pre_tool_execution:1",
    args: {},
  },
];

const EVENT_NAMES: [string, string, boolean, string[], string[], string[]][] = [
  ["session_start", "session", true, ["messages"], [], []],
  [
    "pre_send_message",
    "message",
    false,
    ["user_input", "messages"],
    ["user_input", "retry_feedback", "system_message"],
    ["stop", "retry"],
  ],
  ["post_send_message", "message", true, ["user_input", "messages"], [], []],
  [
    "pre_llm_request",
    "model",
    false,
    ["messages", "system_prompt", "model"],
    ["messages", "system_prompt", "inject_messages"],
    ["stop", "retry"],
  ],
  [
    "post_llm_response",
    "model",
    false,
    ["assistant_output", "messages", "model"],
    ["assistant_output"],
    ["stop", "retry"],
  ],
  [
    "pre_tool_execution",
    "tool",
    false,
    ["tool_name", "tool_arguments"],
    ["tool_arguments", "retry_feedback", "system_message"],
    ["skip", "stop", "retry"],
  ],
  ["post_tool_execution", "tool", false, ["tool_name", "tool_result"], ["tool_result", "system_message"], ["stop"]],
  ["post_tool_execution_failure", "tool", false, ["tool_name", "tool_error"], ["tool_error"], ["stop"]],
  ["stop", "turn", false, ["user_input", "messages"], ["retry_feedback"], ["stop", "retry"]],
  ["pre_micro_compact", "compaction", false, ["messages", "model"], ["retry_feedback"], ["stop"]],
  ["post_micro_compact", "compaction", false, ["messages"], ["messages"], ["stop"]],
  ["pre_auto_compact", "compaction", false, ["messages", "model"], ["additional_context"], ["stop"]],
  ["post_auto_compact", "compaction", false, ["messages"], ["messages"], ["stop"]],
  ["session_end", "session", true, ["messages"], [], []],
];

const field = (name: string) => ({
  name,
  kind: name === "messages" ? "messages" : "text",
  about: { en: `The ${name} field.`, zh: `字段 ${name}。` },
});

const DOES: Record<string, EventInfo["accepts"][number]["does"]> = {
  inject_messages: "adds",
  additional_context: "adds",
  system_message: "tells",
  retry_feedback: "steers",
};

const GROUPS: Readonly<Record<string, string>> = {
  session: "会话",
  message: "消息",
  model: "模型",
  tool: "工具",
  turn: "一轮",
  compaction: "压缩",
};

export const EVENTS: EventInfo[] = EVENT_NAMES.map(([name, group, notify_only, fields, accepts, verdicts]) => ({
  name,
  group: { en: group, zh: GROUPS[group] ?? group },
  about: { en: `The agent is at ${name}.`, zh: `Agent 处于 ${name}。` },
  notify_only,
  compares: {
    ...(fields.includes("tool_name") ? { tool_name: "tool_name", tool_matcher: "tool_name" } : {}),
    ...(fields.includes("model") ? { model_prefix: "model" } : {}),
  },
  fields: fields.map(field),
  accepts: accepts.map((name) => ({ ...field(name), does: DOES[name] ?? "replaces" })),
  verdicts: verdicts as EventInfo["verdicts"],
  order: { en: "Layer after layer.", zh: "逐层。" },
  budget_ms: 30_000,
  lifetime: null,
}));

export const PROJECT_LIST: Rows = {
  hooks: HOOKS,
  problems: PROBLEMS,
  sources: [
    {
      dialect: "jcli",
      layer: "user",
      path: USER_FILE,
      exists: true,
      hooks: 3,
      last_good: false,
      last_good_since: null,
      definitions: 3,
      events: [],
      health: { state: "ready", code: null, args: {}, at: null },
    },
    {
      dialect: "jcli",
      layer: "project",
      path: PROJECT_FILE,
      exists: true,
      hooks: 6,
      last_good: true,
      last_good_since: null,
      definitions: 6,
      events: [],
      health: { state: "ready", code: null, args: {}, at: null },
    },
  ],
};

/** The user's own hooks, which are listed without a project. */
export const OWN_LIST: Rows = {
  hooks: HOOKS.filter((row) => row.layer === "user"),
  problems: [],
  sources: PROJECT_LIST.sources.slice(0, 1),
};
