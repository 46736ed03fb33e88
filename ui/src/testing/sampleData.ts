/** A small invented project for tests and stories: six hooks on one event and a few on others. */
import type { Fixture, HookStats, Outcome, State } from "@/ipc/types";
import { editReplies } from "./editReplies";
import type { Script } from "./fakeEngine";
import { FILTERS } from "./filterData";
import { statusOf } from "./healthData";
import { MAP } from "./lifecycleMap";
import { newHookReplies } from "./newHookData";
import { PROMPT_REPLIES } from "./promptData";
import { EVENTS, HOOKS, NOW, OWN_LIST, PROBLEMS, PROJECT, PROJECT_LIST } from "./sampleHooks";
import { EDITS, REVIEW, TEXTS, WAITING } from "./sampleReviews";
import { BEFORE, EXPLAIN, historyRows, moments, TRACE } from "./sampleTraces";

export * from "./sampleHooks";
export * from "./sampleReviews";
export * from "./sampleTraces";

export const STATE: State = {
  version: "0.1.0",
  engine: { mode: "embedded", pid: 4021, socket: null, listening: true },
  projects: [
    { path: PROJECT, name: "orchard-api", exists: true },
    { path: "/home/me/code/old-thing", name: "old-thing", exists: false },
  ],
  project: PROJECT,
  first_start: false,
  redaction: true,
  watching: { sources: 2, there: 2, live: true, why: null, code: null, args: {} },
  store: {
    traces: 2341,
    bytes: 41_300_000,
    ok: true,
    why: null,
    code: null,
    args: {},
    dropped_bodies: 0,
    dropped_traces: 0,
  },
  pending: 1,
  model: { configured: false, why: "no provider is set", code: "model_not_configured", args: { case: "provider" } },
  platform: "linux x86_64",
  data_dir: "/home/me/.local/share/hookwright",
  window: false,
  shell: "/bin/sh",
};

const SHAPES: [Partial<Record<Outcome, number>>, Partial<Record<Outcome, number>>][] = [
  [
    { no_opinion: 9, changed: 6 },
    { no_opinion: 3, changed: 2 },
  ],
  [{ failed_open: 10 }, { failed_open: 4 }],
  [{ changed: 9 }, { changed: 5 }],
  [{}, { not_matched: 4 }],
  [{ no_opinion: 10, denied: 3 }, { no_opinion: 5 }],
  [
    { no_opinion: 8, denied: 4 },
    { no_opinion: 4, timed_out_open: 1 },
  ],
  [{ no_opinion: 4, changed: 4 }, { changed: 2 }],
  [{}, {}],
  [
    { no_opinion: 5, timed_out_open: 6 },
    { no_opinion: 4, timed_out_open: 3 },
  ],
];
const P95 = [48, 14, 63, 0, 92, 2310, 38, 0, 29_400];

/** Failed and blocking steps, as the engine counts them. */
function sharesOf(outcomes: Record<string, number>) {
  const sum = (names: readonly string[]) => names.reduce((all, name) => all + (outcomes[name] ?? 0), 0);
  const ran = sum(Object.keys(outcomes).filter((name) => name !== "not_matched" && name !== "skipped"));
  const failed = sum(["failed_open", "failed_closed", "timed_out_open", "timed_out_closed"]);
  const blocked = sum(["asked", "denied", "failed_closed", "timed_out_closed"]);
  const share = (part: number) => (ran === 0 ? 0 : part / ran);
  return { failed, failure_rate: share(failed), blocked, block_rate: share(blocked) };
}

export const STATS: HookStats[] = HOOKS.flatMap((row, index) => {
  const shape = SHAPES[index];
  if (shape === undefined) return [];
  const bars = Array.from({ length: 24 }, (_, hour) => ({
    at: new Date(NOW - (23 - hour) * 3_600_000).toISOString(),
    outcomes: (hour * 7 + index * 3) % 5 < 2 ? shape[1] : shape[0],
  }));
  const outcomes: Record<string, number> = {};
  for (const bar of bars) {
    for (const [name, count] of Object.entries(bar.outcomes)) outcomes[name] = (outcomes[name] ?? 0) + (count ?? 0);
  }
  const runs = Object.entries(outcomes).reduce((sum, [name, count]) => (name === "not_matched" ? sum : sum + count), 0);
  const p95 = P95[index] ?? 0;
  return [
    {
      hook: row.hook,
      project: row.layer === "user" ? null : PROJECT,
      label: row.label,
      version: row.version,
      uid: row.uid,
      before: null,
      change: null,
      edit: null,
      dialect: row.dialect,
      event: row.event,
      runs,
      outcomes,
      attempts: runs,
      total_ms: p95 * runs * 0.6,
      p50_ms: p95 * 0.5,
      p95_ms: p95,
      p99_ms: p95 * 1.3,
      max_ms: p95 * 1.6,
      timeouts: outcomes.timed_out_open ?? 0,
      chars_added: 0,
      native: {},
      bars,
      ...sharesOf(outcomes),
      timeout_ms: row.timeout_ms,
      budget: p95 / row.timeout_ms,
      on_failure: row.on_failure,
      tokens: row.handler === "prompt" ? { input: 48_210, output: 3120 } : null,
    } satisfies HookStats,
  ];
});

export const FIXTURES: Fixture[] = [
  {
    dialect: "jcli",
    event: "pre_tool_execution",
    name: "example",
    about: { en: "A shell call that a guard should hold.", zh: "应由守卫拦下的 shell 调用。" },
    saved: false,
    redacted: false,
    payload: BEFORE,
  },
  {
    dialect: "jcli",
    event: "pre_tool_execution",
    name: "harmless ls",
    about: { en: "A call that nobody minds.", zh: "无人在意的调用。" },
    saved: true,
    redacted: false,
    payload: { tool_name: "Bash", tool_arguments: '{"command":"ls"}' },
  },
  {
    dialect: "jcli",
    event: "pre_send_message",
    name: "example",
    about: { en: "A user's message.", zh: "用户的消息。" },
    saved: false,
    redacted: false,
    payload: { user_input: "clean up the cart code", messages: [] },
  },
  {
    dialect: "jcli",
    event: "stop",
    name: "example",
    about: { en: "The agent is done.", zh: "Agent 已完成。" },
    saved: false,
    redacted: false,
    payload: { user_input: "fix it", messages: [] },
  },
];

const YAML = `# Hooks of the orchard service
pre_tool_execution:
  - type: bash
    command: ./guard-prod-db.sh
    filter:
      tool_name: psql
  # anything that looks like a shell
  - type: bash
    command: python3 .jcli/hooks/guard_shell.py
    filter:
      tool_matcher: "Bash|Shell"
  - type: llm
    prompt: |
      You review tool calls.
      {{tool_name}} {{tool_arguments}}
    timeout: 30
    retry: 1
    on_error: skip
    filter:
      tool_matcher: "Bash|Shell"
  - type: bash
    command: true
    on_error: ignore
`;

/** A payload of 1 MB. */
export const BIG_PAYLOAD: Fixture = {
  ...(FIXTURES[0] as Fixture),
  payload: {
    ...BEFORE,
    messages: Array.from({ length: 4000 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `${index} ${"the quick brown fox jumps over the lazy dog ".repeat(5)}`,
    })),
  },
};

/** Everything that the screens ask for, answered for this project. */
export function sampleReplies(): Script {
  return {
    ...PROMPT_REPLIES,
    state: STATE,
    dialects: {
      dialects: [
        {
          id: "jcli",
          name: "j-cli",
          tag: "jc",
          about: { en: "Shell commands and model prompts.", zh: "命令与模型提示词。" },
          first: "pre_tool_execution",
          common: [],
          tool_field: "tool_name",
          switch: null,
          shelves: ["user", "project"],
          filters: FILTERS,
          prompt_field: "prompt",
          connects: true,
          events: EVENTS,
          map: MAP,
        },
      ],
    },
    "history.moments": { moments: moments() },
    "projects.add": ({ path }) => ({ path, projects: STATE.projects }),
    "projects.use": ({ path }) => ({ path, projects: STATE.projects }),
    "projects.remove": ({ path }) => ({ path, projects: STATE.projects }),
    "sample.open": { path: PROJECT },
    "output.origins": { origins: [] },
    "hooks.list": ({ project }) => (project == null ? OWN_LIST : PROJECT_LIST),
    overview: statusOf(PROJECT_LIST),
    "hooks.files": ({ hook }) => ({ files: HOOKS.filter((one) => one.hook === hook).map(({ path }) => path) }),
    "hooks.text": ({ path }) => ({
      path,
      text: YAML,
      hash: "0".repeat(64),
      dialect: "jcli",
      hooks: HOOKS.filter((hook) => hook.path === path).map(({ hook, line }) => ({
        hook,
        line,
        end_line: line,
        fields: [],
      })),
      problems: PROBLEMS.filter((problem) => problem.path === path),
      last_good: false,
    }),
    ...editReplies(),
    ...newHookReplies(),
    stats: { since: new Date(NOW - 86_400_000).toISOString(), hooks: STATS, tools: [] },
    explain: EXPLAIN,
    fixtures: { fixtures: FIXTURES, problems: [] },
    fire: TRACE,
    "fire.stop": { stopped: true },
    "model.test": { end: "replied", text: "ready", error: null, took_ms: 412, input_tokens: 24, output_tokens: 1 },
    "fire.command_line": { text: "hookwright fire --dialect jcli --event pre_tool_execution --payload -" },
    "history.page": ({ query }) => ({
      traces: historyRows(40),
      next: null,
      ...(query === undefined ? {} : { searched: 2341 }),
    }),
    "history.show": TRACE,
    "history.bars": {
      buckets: Array.from({ length: 60 }, (_, index) => ({
        at: new Date(NOW - (59 - index) * 60_000).toISOString(),
        events: 3 + ((index * 7) % 9),
        blocked: index % 11 === 0 ? 2 : 0,
        outcomes: {
          no_opinion: 3 + ((index * 7) % 9),
          changed: (index * 5) % 6,
          ...(index % 11 === 0 ? { denied: 2 } : {}),
        },
      })),
    },
    "edit.list": { edits: EDITS, next: null, problems: [] },
    "trust.list": {
      pending: [WAITING],
      approved: HOOKS.filter((row) => row.layer === "project" && row.trusted).map((row) => ({
        ...WAITING,
        hook: row.hook,
        definition: "- command: python3 .jcli/hooks/guard_shell.py\n",
        files: [],
        old: null,
      })),
      denied: [],
    },
    "trust.review": REVIEW,
    "agents.list": { agents: [], socket: null },
    "chains.list": { chains: [], at_agents: [], more: 0 },
    "agents.log": { lines: [] },
    "agents.disconnect": { agents: [], socket: null },
    "trust.texts": TEXTS,
    "trust.approve": { pending: 0 },
    "trust.revoke": { pending: 1 },
    mute: {},
    unmute: {},
    "settings.get": {
      values: {
        ui: {},
        model: {},
        history: { max_days: 30, bodies_days: 7, max_mb: 2048 },
        redaction: { enabled: true, keys: [], patterns: [] },
        watch: { projects: [PROJECT], settle_ms: 150 },
      },
      problems: [],
      path: "/home/me/.local/share/hookwright/settings.toml",
    },
    "settings.set": ({ key, value }) => ({
      values: { ui: { [key.replace("ui.", "")]: value } },
      problems: [],
      path: "/home/me/.local/share/hookwright/settings.toml",
    }),
    "settings.redact": ({ text }) => ({ text: text.replace(/Bearer \S+/g, "Bearer [redacted]"), masked: 1 }),
    "login.get": { on: false },
    "login.set": ({ on }) => ({ on }),
    "engine.start": {},
  };
}
