/** The rows of the table: their order, their names, and what they say as a whole. */
import type { HookStats } from "@/ipc";
import type { MetricsSort } from "@/routes/search";

/** From here on a hook runs close to its time limit. */
export const CLOSE = 0.9;
/** Percentiles of fewer runs say little. */
export const FEW_RUNS = 20;

export function metricsKey(row: HookStats): string {
  return JSON.stringify([row.project, row.hook, row.event, row.version]);
}

const VALUE: Record<MetricsSort, (row: HookStats) => number> = {
  budget: (row) => row.budget ?? -1,
  runs: (row) => row.runs,
  p95: (row) => row.p95_ms,
  failed: (row) => row.failure_rate,
  blocked: (row) => row.block_rate,
};

/** The largest first; equal ones by their p95, then by their name. */
export function sortRows(rows: readonly HookStats[], sort: MetricsSort): HookStats[] {
  const value = VALUE[sort];
  return [...rows].sort(
    (a, b) => value(b) - value(a) || b.p95_ms - a.p95_ms || b.runs - a.runs || a.hook.localeCompare(b.hook),
  );
}

function openFailures(row: HookStats): number {
  return (row.outcomes.failed_open ?? 0) + (row.outcomes.timed_out_open ?? 0);
}

/** Whether the agent went on without this hook. */
export function letGo(row: HookStats): boolean {
  return openFailures(row) > 0;
}

export function isClose(row: HookStats): boolean {
  return row.budget !== null && row.budget >= CLOSE;
}

export type Verdict =
  | { kind: "close"; count: number; open: number; worst: HookStats }
  | { kind: "open" | "closed"; count: number; worst: HookStats }
  | { kind: "fine"; runs: number }
  | { kind: "none" };

/** The worst of all: close to a limit, let go, blocked by a failure, or nothing. */
export function verdictOf(rows: readonly HookStats[]): Verdict {
  if (rows.length === 0) return { kind: "none" };
  const close = sortRows(rows.filter(isClose), "budget");
  if (close[0] !== undefined) {
    return { kind: "close", count: close.length, open: close.filter(failsOpen).length, worst: close[0] };
  }
  for (const [kind, count] of [
    ["open", openFailures],
    ["closed", (row: HookStats) => row.failed - openFailures(row)],
  ] as const) {
    const failing = rows.filter((row) => count(row) > 0).sort((a, b) => count(b) - count(a));
    if (failing[0] !== undefined) {
      return { kind, count: failing.reduce((sum, row) => sum + count(row), 0), worst: failing[0] };
    }
  }
  return { kind: "fine", runs: rows.reduce((sum, row) => sum + row.runs, 0) };
}

function failsOpen(row: HookStats): boolean {
  return row.on_failure === "open";
}

/** The rows of a hook that was edited: its id occurs more than once in a project. */
export function hasOtherVersions(row: HookStats, all: readonly HookStats[]): boolean {
  return all.some(
    (other) => other !== row && other.hook === row.hook && other.project === row.project && other.event === row.event,
  );
}

/** Null where nothing ran or failed before it ran. */
export function failedShare(row: HookStats): number | null {
  return row.runs + row.failed === 0 ? null : row.failure_rate;
}

export function blockedShare(row: HookStats): number | null {
  return row.runs + row.failed === 0 ? null : row.block_rate;
}

/** `98%`, `<1%`, `0%`. */
export function shareText(share: number): string {
  if (share > 0 && share < 0.01) return "<1%";
  const percent = share * 100;
  return `${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)}%`;
}
