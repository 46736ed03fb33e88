/** The numbers of the tiles. */
import { startsNothing } from "@/components";
import { runsOf } from "@/components/chart";
import { type Facts, statsOf, willRun } from "@/domain/hooks/facts";
import { failedOpen, rowOutcome } from "@/domain/trace/verdict";
import type { AgentRow, Bar, EventBar, HistoryRow, HookRow, HookStats, Outcome } from "@/ipc";

/** A number of the range, in all and in each part of it. */
export interface Figure {
  total: number;
  values: number[];
}

export function figureOf(buckets: readonly Bar[], ...outcomes: readonly Outcome[]): Figure {
  const values = buckets.map((bar) => outcomes.reduce((sum, outcome) => sum + (bar.outcomes[outcome] ?? 0), 0));
  return { total: values.reduce((sum, value) => sum + value, 0), values };
}

/** How many events fired, and how many of them were blocked. */
export function eventFigure(buckets: readonly EventBar[]): Figure & { blocked: number } {
  const values = buckets.map((bar) => bar.events);
  return {
    total: values.reduce((sum, value) => sum + value, 0),
    values,
    blocked: buckets.reduce((sum, bar) => sum + bar.blocked, 0),
  };
}

/** Events that went on although a hook failed, and how many of them timed out. An event counts once, whatever failed in it. */
export function unguardedFigure(buckets: readonly Bar[], rows: readonly HistoryRow[]): Figure & { timedOut: number } {
  const begins = buckets.map((bar) => Date.parse(bar.at));
  const values = begins.map(() => 0);
  let timedOut = 0;
  for (const row of rows) {
    const at = Date.parse(row.at);
    const place = begins.findLastIndex((begin) => begin <= at);
    if (place < 0 || !failedOpen(row)) continue;
    values[place] = (values[place] ?? 0) + 1;
    if (rowOutcome(row) === "timed_out_open") timedOut += 1;
  }
  return { total: values.reduce((sum, value) => sum + value, 0), values, timedOut };
}

/** Which part of the runs changed something, in percent; null where no hook ran. */
export function changedShare(buckets: readonly Bar[]): number | null {
  const runs = buckets.reduce((sum, bar) => sum + runsOf(bar.outcomes), 0);
  return runs === 0 ? null : (figureOf(buckets, "changed").total / runs) * 100;
}

export interface Slowest {
  hook: HookRow;
  stats: HookStats;
}

/** The hook with the largest p95 among those that run and have a time limit. */
export function slowestHook(hooks: readonly HookRow[], facts: Facts): Slowest | null {
  let found: Slowest | null = null;
  for (const hook of hooks) {
    if (!willRun(hook) || startsNothing(hook.handler)) continue;
    const stats = statsOf(facts, hook);
    if (stats === undefined || stats.runs === 0) continue;
    if (found === null || stats.p95_ms > found.stats.p95_ms) found = { hook, stats };
  }
  return found;
}

export interface AgentFigure {
  connected: number;
  kept: number;
}

export function countConnected(rows: readonly AgentRow[]): AgentFigure {
  const connected = rows.filter((row) => row.connected).length;
  return { connected, kept: rows.length - connected };
}
