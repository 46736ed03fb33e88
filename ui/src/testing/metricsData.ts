/** Invented figures over time, for tests and stories. */
import type { HookStats, Params, Reply } from "@/ipc/types";
import type { Script } from "./fakeEngine";
import { NOW, STATS } from "./sampleData";

type Series = NonNullable<Reply<"stats">["series"]>;

/** The lengths of buckets, as the engine chooses them. */
const WIDTHS_MS = [1, 10, 30, 240, 720, 2880].map((minutes) => minutes * 60_000);
const MOST_BUCKETS = 64;

/** A number from 0 to 1 that is the same in every run. */
function noise(seed: number): number {
  const wave = Math.sin(seed * 12.9898) * 43_758.5453;
  return wave - Math.floor(wave);
}

function bucketsOf(sinceMs: number, untilMs: number, widthMs: number): Series["buckets"] {
  const from = Math.floor((NOW - sinceMs) / widthMs) * widthMs;
  const count = Math.floor((NOW - untilMs - from) / widthMs) + 1;
  return Array.from({ length: count }, (_, index) => {
    const busy = index / count < 0.3 || index / count > 0.65 ? 1 : 0.2;
    const slow = untilMs === 0 && index / count > 0.85 ? 3 : 1;
    const of = (most: number, seed: number) => Math.round(most * busy * (0.6 + 0.6 * noise(index + seed)));
    const outcomes: Series["buckets"][number]["outcomes"] = {
      no_opinion: of(100, 1),
      allowed: of(24, 2),
      changed: of(34, 3),
      denied: of(4, 4),
      not_matched: of(60, 5),
    };
    if (slow > 1) Object.assign(outcomes, { failed_open: of(9, 6), timed_out_open: of(6, 7) });
    return {
      at: new Date(from + index * widthMs).toISOString(),
      runs: of(170, 8),
      outcomes,
      p50_ms: 10 * (0.7 + 0.6 * noise(index + 9)),
      p95_ms: 180 * slow * (0.8 + 0.5 * noise(index + 10)),
      p99_ms: 1400 * slow * slow * (0.7 + 0.6 * noise(index + 11)),
    };
  });
}

function withSeries(row: HookStats, at: number, count: number): HookStats {
  const trend = Array.from({ length: count }, (_, index) =>
    index % 11 === 5 ? null : row.p95_ms * (0.6 + 0.5 * noise(index + at * 31)),
  );
  return { ...row, p95_series: trend };
}

/** How many times slower than in the period before; one hook became slower with an edit. */
function compared(row: HookStats, at: number): HookStats {
  const isEdited = row.label === "keep-going";
  if (row.runs < 20) return row;
  const factor = isEdited ? 1.6 : [1.05, 0.97, 1, 0.79][at % 4];
  const before = {
    runs: Math.round(row.runs / (1 + ((at * 3) % 11) / 100)),
    failed: row.failed,
    p50_ms: row.p50_ms,
    p95_ms: row.p95_ms / (factor ?? 1),
  };
  return { ...row, before, change: isEdited ? "slower" : null, edit: isEdited ? EDIT : null };
}

const EDIT: NonNullable<HookStats["edit"]> = {
  at: new Date(NOW - 0.15 * 86_400_000).toISOString(),
  edit: "01JD0000000000000000000001",
  what: "edit",
  hook: "jcli:project:stop:0",
  label: "keep-going",
  path: "/home/me/code/orchard-api/.jcli/hooks.yaml",
};

/** The figures that the engine would give for these parameters. */
export function statsFor(params: Params<"stats">, rows: readonly HookStats[] = STATS): Reply<"stats"> {
  const { since_ms: sinceMs, until_ms: untilMs = 0 } = params;
  const width = WIDTHS_MS.find((ms) => (sinceMs - untilMs) / ms < MOST_BUCKETS) ?? 2880 * 60_000;
  const buckets = bucketsOf(sinceMs, untilMs, width);
  const wanted = rows.filter((row) => params.hook === undefined || row.hook === params.hook);
  const hooks = params.compare ? wanted.map(compared) : wanted;
  const since = new Date(NOW - params.since_ms).toISOString();
  if (!params.series) return { since, hooks, tools: [] };
  return {
    since,
    hooks: hooks.map((row, at) => withSeries(row, at, buckets.length)),
    tools: [],
    series: {
      width_ms: width,
      buckets,
      edits: [{ ...EDIT, at: new Date(NOW - params.since_ms * 0.15).toISOString() }],
      agents: ["j-cli", "qoder"],
      sessions: [{ session: "4f21", agent: "j-cli" }],
    },
  };
}

export const METRICS_STORY: Script = { stats: (params) => statsFor(params) };
export const NO_METRICS_STORY: Script = {
  stats: (params) => ({ ...statsFor(params, []), series: { ...EMPTY, width_ms: 60_000 } }),
};

const EMPTY: Series = { width_ms: 0, buckets: [], edits: [], agents: [], sessions: [] };
