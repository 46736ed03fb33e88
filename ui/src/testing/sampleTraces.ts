/** What was recorded in the invented project. */
import type { ExplainDocument, Gate, GateFix, HistoryRow, Outcome, Reply, Step, Trace } from "@/ipc/types";
import { EVENTS, HOOKS, NOW, PROJECT } from "./sampleHooks";

const gates = (upTo: number, failed?: Partial<Gate>): Gate[] => {
  const names = ["valid", "trusted", "enabled", "event", "filter", "chain"] as const;
  const passed = names.slice(0, upTo).map((gate) => ({ gate, pass: true }) as Gate);
  const next = names[upTo];
  return failed && next ? [...passed, { gate: next, pass: false, ...failed } as Gate] : passed;
};

/** A condition that wants something else, as the engine says it. */
export function differs(key: string, wanted: string, got: string, near_miss: Gate["near_miss"] = null): Partial<Gate> {
  const field = "tool_name";
  const why = `${field} is ${got}, wanted ${wanted}`;
  return { why, near_miss, code: "filter_differs", args: { key, field, got, wanted } };
}

const PROCESS = { signal: null, command: ["/bin/sh", "-c", "./audit.sh"], cwd: PROJECT, env: ["HOME", "PATH"] };

function step(hookId: string, outcome: Outcome, started_ms: number, took_ms: number, part: Partial<Step> = {}): Step {
  const row = HOOKS.find((one) => one.hook === hookId);
  if (row === undefined) throw new Error(`no hook ${hookId}`);
  const ran = outcome !== "not_matched" && outcome !== "skipped";
  return {
    hook: row.hook,
    label: row.label,
    position: ran ? row.position : null,
    source: { layer: row.layer, path: row.path, line: row.line },
    handler: row.handler,
    outcome,
    reason: null,
    order: HOOKS.filter((one) => one.event === row.event).indexOf(row) + 1,
    gates: gates(6),
    edits: [],
    ignored: [],
    attempts: ran
      ? [
          {
            end: "exit",
            code: 0,
            stdin: '{"event":"pre_tool_execution"}',
            stdout: "{}",
            stderr: "",
            started_ms,
            took_ms,
            truncated: false,
            ...PROCESS,
            ...PROCESS,
          },
        ]
      : [],
    ...part,
  } as Step;
}

export const BEFORE = {
  event: "pre_tool_execution",
  session_id: "4f21",
  cwd: PROJECT,
  tool_name: "Bash",
  tool_arguments: '{"command": "psql $STAGING -c \'drop table carts\' > ./build/../out.log"}',
};

export const TRACE: Trace = {
  trace: "01KAFHD4Q0ZJ8Z5E1M4H2T9XQY",
  dialect: "jcli",
  event: "pre_tool_execution",
  origin: "window",
  session: null,
  agent: null,
  project: PROJECT,
  at: "2026-11-20T14:32:05.120Z",
  took_ms: 1981,
  redacted: false,
  verdict: {
    kind: "skip",
    reason: "Drops a table on staging.",
    feedback: null,
    by: "jcli:project:pre_tool_execution:2",
    code: null,
    args: {},
  },
  payload_before: BEFORE,
  payload_after: BEFORE,
  reply: { json: { action: "skip", system_message: "Drops a table on staging." }, exit_code: 0, stderr: "" },
  notices: [
    {
      kind: "user_message",
      text: "Drops a table on staging.",
      hook: "jcli:project:pre_tool_execution:2",
      code: null,
      args: {},
    },
  ],
  steps: [
    step("jcli:user:pre_tool_execution:0", "changed", 0.4, 41, {
      edits: [
        {
          field: "tool_arguments",
          before: BEFORE.tool_arguments,
          after: BEFORE.tool_arguments.replace("./build/../out.log", "out.log"),
          truncated: false,
          ...PROCESS,
        },
      ],
    }),
    step("jcli:user:pre_tool_execution:1", "failed_open", 42, 12, {
      reason: "exit 127, jq: command not found",
      attempts: [
        {
          end: "exit",
          code: 127,
          stdin: "{}",
          stdout: "",
          stderr: "jq: command not found\n",
          started_ms: 42,
          took_ms: 12,
          truncated: false,
          ...PROCESS,
        },
      ],
    }),
    step("jcli:project:pre_tool_execution:1", "no_opinion", 55, 88),
    step("jcli:project:pre_tool_execution:2", "denied", 143, 1838, {
      reason: "Drops a table on staging.",
      attempts: [
        {
          end: "replied",
          code: null,
          stdin: "You review tool calls.",
          stdout: '{"action":"skip","system_message":"Drops a table on staging."}',
          stderr: "",
          started_ms: 143,
          took_ms: 1838,
          truncated: false,
          ...PROCESS,
        },
      ],
    }),
    step("jcli:project:pre_tool_execution:0", "not_matched", 0, 0, {
      gates: gates(4, differs("tool_name", "psql", "Bash")),
    }),
  ],
};

/** What makes `Bash|Shell` match `bash`. */
const OTHER_CASE: GateFix[] = [
  { kind: "condition", field: "filter.tool_matcher", value: "Bash|Shell|bash", from: null, to: "bash" },
  { kind: "condition", field: "filter.tool_matcher", value: "bash|Shell", from: "Bash", to: "bash" },
];

export const EXPLAIN: ExplainDocument = {
  dialect: "jcli",
  event: "pre_tool_execution",
  payload: { ...BEFORE, tool_name: "bash" },
  steps: HOOKS.filter((row) => row.event === "pre_tool_execution").map((row) => {
    const filter = row.filter as { tool_name?: string; tool_matcher?: string } | null;
    const missed = filter !== null;
    const why = filter?.tool_name
      ? differs("tool_name", filter.tool_name, "bash")
      : { ...differs("tool_matcher", filter?.tool_matcher ?? "", "bash", "case"), fixes: OTHER_CASE };
    return {
      hook: row.hook,
      label: row.label,
      source: { layer: row.layer, path: row.path, line: row.line },
      handler: row.handler,
      event: row.event,
      would_run: !missed,
      would_fail: null,
      health: { state: "ready", code: null, args: {}, at: null },
      position: missed ? null : row.position,
      gates: missed ? (gates(4, why) as never) : (gates(5) as never),
    };
  }),
};

/** What a hook did at 200 events, one each 2 minutes: it ran, nearly ran, or was not meant. */
export function lastEvents(now: number): Reply<"history.match"> {
  const reasons = [differs("tool_name", "psql", "Bash"), differs("tool_matcher", "Bash|Shell", "bash", "case")];
  const events = Array.from({ length: 200 }, (_, index) => {
    const reason = index % 17 === 3 ? 1 : (index * 7) % 5 < 3 ? 0 : null;
    const ran = index % 4 === 0 ? ("denied" as const) : ("no_opinion" as const);
    return {
      trace: index === 0 ? TRACE.trace : `01KAFHD4Q0ZJ8Z5E1M4H2E${String(9999 - index).padStart(4, "0")}`,
      at: new Date(now - index * 120_000).toISOString(),
      outcome: reason === null ? ran : ("not_matched" as const),
      reason,
    };
  });
  const matched = events.filter((one) => one.reason === null);
  const near = events.filter((one) => one.reason === 1);
  return {
    looked_at: events.length,
    matches: matched.length,
    matched: matched.slice(0, 2).map((one) => one.trace),
    near: near.slice(0, 1).map((one) => ({ trace: one.trace, near_miss: "case" })),
    without_payload: 0,
    incomplete: false,
    events,
    reasons: reasons.map((one) => ({ ...one, gate: "filter", pass: false }) as Gate),
  };
}

const ROWS: [string, Outcome[], string, number][] = [
  ["pre_tool_execution", ["changed", "failed_open", "no_opinion", "denied", "not_matched"], "skip", 1981],
  ["pre_send_message", ["changed"], "proceed", 58],
  ["post_tool_execution", ["changed", "skipped"], "proceed", 31],
  ["pre_tool_execution", ["changed", "no_opinion", "no_opinion", "allowed"], "proceed", 61],
  ["stop", ["timed_out_open"], "proceed", 30_000],
  ["pre_llm_request", ["no_opinion", "not_matched"], "proceed", 4],
  ["post_tool_execution", ["failed_closed"], "stop", 10_002],
  ["pre_tool_execution", ["asked"], "ask", 17],
  ["session_start", ["detached"], "proceed", 5],
];

export function historyRows(count: number): HistoryRow[] {
  return Array.from({ length: count }, (_, index) => {
    const [event, outcomes, kind, took] = ROWS[index % ROWS.length] as (typeof ROWS)[number];
    return {
      trace: `01KAFHD4Q0ZJ8Z5E1M4H2T${String(9999 - index).padStart(4, "0")}`,
      dialect: "jcli",
      event,
      origin: index % 3 === 0 ? "cli" : "window",
      session: null,
      agent: null,
      project: PROJECT,
      at: new Date(NOW - index * 4300).toISOString(),
      took_ms: took,
      verdict: { kind, reason: null, feedback: null, by: null, code: null, args: {} },
      notices: [],
      outcomes,
      reasons: outcomes.map(() => null),
      redacted: false,
      about: "Bash psql $STAGING -c 'drop table carts'",
    } as HistoryRow;
  });
}

/** The newest trace of each event. */
export function moments() {
  const rows = historyRows(ROWS.length);
  return EVENTS.map(({ name }) => {
    const last = rows.find((row) => row.event === name) ?? null;
    const busy = name === "pre_tool_execution";
    return { event: name, traces: last === null ? 0 : busy ? 412 : 7, held: busy ? 14 : 0, last };
  });
}

/** A chain of 40 steps. */
export const LONG_TRACE: Trace = {
  ...TRACE,
  steps: Array.from({ length: 40 }, (_, index) => ({
    ...(TRACE.steps[index === 39 ? 3 : (index % 3) * (index % 3 === 1 ? 0 : 1)] as Step),
    hook: index === 39 ? "jcli:project:pre_tool_execution:2" : `jcli:project:pre_tool_execution:${index + 10}`,
    label: `check-${index + 1}`,
    order: index + 1,
  })),
};
