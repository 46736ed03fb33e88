/** A project at work, for tests and stories of the overview: two agents, a guard that fails open, and a last minute. */
import type { AgentRow, Health, HistoryRow, Outcome } from "@/ipc/types";
import { AGENT_STORY, AGENTS } from "./agentData";
import type { Script } from "./fakeEngine";
import { statusOf } from "./healthData";
import { historyRows, PROJECT, PROJECT_LIST } from "./sampleData";

const READY: Health = { state: "ready", code: null, args: {}, at: null };
const BASE = historyRows(1)[0] as HistoryRow;

export const TWO_AGENTS: AgentRow[] = AGENTS.map((row) => ({ ...row, cwd: PROJECT }));

const KINDS: readonly (readonly [Outcome[], HistoryRow["verdict"]["kind"], string])[] = [
  [["no_opinion"], "proceed", "Read src/cart/total.rs"],
  [["no_opinion", "allowed"], "proceed", "Write migrations/0042_cart.sql"],
  [["no_opinion"], "proceed", "Read docs/adr/0007-money.md"],
  [["changed", "no_opinion"], "proceed", "Bash pytest -q services/cart"],
  [["not_matched"], "proceed", "Grep total"],
  [["no_opinion"], "proceed", "Bash ls -la"],
  [["changed", "failed_open", "no_opinion", "denied"], "skip", "Bash psql $STAGING -c 'drop table carts'"],
  [["no_opinion"], "proceed", "Read Cargo.toml"],
  [["failed_open", "no_opinion"], "proceed", "Shell rm -rf ./cache && make clean"],
  [["timed_out_open"], "proceed", "Bash cargo build"],
  [["asked"], "ask", "Bash git push origin release"],
];

/** Rows of the last `seconds`, newest first, `each` ms apart: in turn of this machine and of each agent. */
export function recentRows(now: number, seconds = 60, each = 700): HistoryRow[] {
  return Array.from({ length: Math.floor((seconds * 1000) / each) }, (_, index) => {
    const [outcomes, kind, about] = KINDS[(index * 5 + (index >> 2)) % KINDS.length] as (typeof KINDS)[number];
    const agent = [null, ...TWO_AGENTS.slice(0, 1)][index % 2] ?? null;
    return {
      ...BASE,
      trace: `01KB${String(10 ** 10 - index).padStart(22, "0")}`,
      at: new Date(now - 400 - index * each).toISOString(),
      event: outcomes.includes("timed_out_open") ? "stop" : "pre_tool_execution",
      origin: agent === null ? "cli" : "agent",
      agent: agent?.agent.name ?? null,
      session: agent?.session ?? null,
      outcomes: [...outcomes],
      reasons: outcomes.map(() => null),
      verdict: { ...BASE.verdict, kind },
      about,
      took_ms: [4, 48, 31, 1980, 12][index % 5] ?? 4,
    };
  });
}

/** Asked for with `since`, the last minute; else the newest page. */
export function overviewStory(now: () => number): Script {
  return {
    ...AGENT_STORY,
    "agents.list": { agents: TWO_AGENTS, socket: "/run/user/1000/hookwright/agent.sock" },
    "history.bars": ({ since_ms, buckets }) => ({
      buckets: Array.from({ length: buckets }, (_, index) => ({
        at: new Date(now() - since_ms + (index * since_ms) / buckets).toISOString(),
        events: 28 + ((index * 7) % 11),
        blocked: (index * 3) % 4,
        outcomes: {
          no_opinion: 20 + ((index * 7) % 9),
          changed: 3 + ((index * 5) % 6),
          denied: (index * 3) % 4,
          ...(index > buckets / 2 ? { failed_open: (index * 2) % 3, timed_out_open: index % 2 } : {}),
        },
      })),
    }),
    "history.page": ({ limit }) => ({ traces: recentRows(now()).slice(0, limit), next: null }),
  };
}

/** Nothing waits, and every guard ran without failing open. */
export function wellStory(): Script {
  const hooks = PROJECT_LIST.hooks
    .slice(0, 4)
    .map((row) => ({ ...row, trusted: true, muted: false, enabled: true, valid: true, health: READY }));
  return {
    "hooks.list": { ...PROJECT_LIST, hooks, problems: [] },
    overview: statusOf({ ...PROJECT_LIST, hooks, sources: [] }),
    "trust.list": { pending: [], approved: [], denied: [] },
    stats: ({ since_ms }) => ({
      since: new Date(Date.now() - since_ms).toISOString(),
      tools: [],
      hooks: hooks.map((row) => ({
        hook: row.hook,
        project: PROJECT,
        label: row.label,
        version: row.version,
        uid: row.uid,
        before: null,
        change: null,
        edit: null,
        dialect: row.dialect,
        event: row.event,
        runs: 12,
        outcomes: { no_opinion: 12 },
        attempts: 12,
        total_ms: 240,
        p50_ms: 20,
        p95_ms: 31,
        p99_ms: 40,
        max_ms: 44,
        timeouts: 0,
        chars_added: 0,
        native: {},
        bars: [],
        failed: 0,
        failure_rate: 0,
        blocked: 0,
        block_rate: 0,
        timeout_ms: row.timeout_ms,
        budget: row.timeout_ms === 0 ? null : 31 / row.timeout_ms,
        on_failure: row.on_failure,
        tokens: null,
      })),
    }),
  };
}
