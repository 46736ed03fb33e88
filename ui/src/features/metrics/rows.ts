/** The rows of the table: their order, their names, and what they say as a whole. */
import type { HookRow, HookStats } from "@/ipc";
import type { MetricsSort } from "@/routes/search";

/** From here on a hook runs close to its time limit. */
export const CLOSE = 0.9;
/** Percentiles of fewer runs say little. */
export const FEW_RUNS = 20;

export function metricsKey(row: HookStats): string {
  return JSON.stringify([row.project, row.hook, row.event, row.version]);
}

/** How many times the p95 of the period before it is now; null where there are too few runs to say so. */
export function factorOf({ runs, p95_ms, before }: HookStats): number | null {
  if (before === null || runs < FEW_RUNS || before.runs < FEW_RUNS || before.p95_ms === 0) return null;
  return p95_ms / before.p95_ms;
}

/** `9.0×`, `+5%`, `−21%`. */
export function factorText(factor: number): string {
  if (factor >= 1.5) return `${factor.toFixed(1)}×`;
  const percent = Math.round((factor - 1) * 100);
  return percent === 0 ? "0%" : `${percent > 0 ? "+" : "−"}${Math.abs(percent)}%`;
}

const VALUE: Record<MetricsSort, (row: HookStats) => number> = {
  // What fails more often than before comes before what is slower.
  change: (row) => (row.change === "failing" ? Number.MAX_VALUE : (factorOf(row) ?? -1)),
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
    (a, b) =>
      value(b) - value(a) ||
      VALUE.budget(b) - VALUE.budget(a) ||
      b.p95_ms - a.p95_ms ||
      b.runs - a.runs ||
      a.hook.localeCompare(b.hook),
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
  | { kind: "worse"; worst: HookStats; factor: number | null; others: number; better: number }
  | { kind: "close"; count: number; open: number; worst: HookStats }
  | { kind: "open" | "closed"; count: number; worst: HookStats }
  | { kind: "fine"; runs: number }
  | { kind: "none" };

/** The hook that a row is about, as it is now; undefined where it is not known. */
export type HookOf = (row: HookStats) => Pick<HookRow, "guard" | "on_failure_effect"> | undefined;

/** The worst of all: a guard that failed open, what became worse, what is close to its limit, a failure that blocked, or nothing. */
export function verdictOf(rows: readonly HookStats[], hookOf: HookOf): Verdict {
  if (rows.length === 0) return { kind: "none" };
  const failing = (kind: "open" | "closed", of: readonly HookStats[], count: (row: HookStats) => number) => {
    const found = of.filter((row) => count(row) > 0).sort((a, b) => count(b) - count(a));
    const [worst] = found;
    return worst && { kind, count: found.reduce((sum, row) => sum + count(row), 0), worst };
  };
  const open = failing(
    "open",
    rows.filter((row) => hookOf(row)?.guard),
    openFailures,
  );
  if (open !== undefined) return open;
  const worse = sortRows(
    rows.filter(({ change }) => change === "slower" || change === "failing"),
    "change",
  );
  if (worse[0] !== undefined) {
    const better = rows.filter(({ change }) => change === "faster" || change === "healed").length;
    return { kind: "worse", worst: worse[0], factor: factorOf(worse[0]), others: worse.length - 1, better };
  }
  const close = sortRows(rows.filter(isClose), "budget");
  if (close[0] !== undefined) {
    const allows = close.filter((row) => hookOf(row)?.on_failure_effect === "continues").length;
    return { kind: "close", count: close.length, open: allows, worst: close[0] };
  }
  return (
    failing("closed", rows, (row) => row.failed - openFailures(row)) ?? {
      kind: "fine",
      runs: rows.reduce((sum, row) => sum + row.runs, 0),
    }
  );
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
