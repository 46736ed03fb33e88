import { describe, expect, it } from "vitest";
import { factsOf } from "@/domain/hooks/facts";
import type { Bar, HistoryRow, HookRow } from "@/ipc";
import { TWO_AGENTS } from "@/testing/overviewData";
import { HOOKS, historyRows, STATS } from "@/testing/sampleData";
import { changedShare, countConnected, figureOf, slowestHook, unguardedFigure } from "./figures";

const bar = (outcomes: Bar["outcomes"]): Bar => ({ at: "2026-11-20T14:00:00Z", outcomes });

describe("the figures", () => {
  it("add the outcomes of every part of the range", () => {
    const bars = [bar({ failed_open: 2, denied: 5 }), bar({}), bar({ timed_out_open: 3 })];
    expect(figureOf(bars, "failed_open", "timed_out_open")).toEqual({ total: 5, values: [2, 0, 3] });
    expect(figureOf([], "denied")).toEqual({ total: 0, values: [] });
  });

  it("count an event that passed unguarded once, and not at all where a later hook denied it", () => {
    const [base] = historyRows(1);
    const row = (at: string, outcomes: HistoryRow["outcomes"], kind: "proceed" | "deny" = "proceed") =>
      ({ ...base, at, outcomes, reasons: outcomes.map(() => null), verdict: { ...base?.verdict, kind } }) as HistoryRow;
    const bars = [bar({}), { ...bar({}), at: "2026-11-20T14:30:00Z" }];
    const rows = [
      row("2026-11-20T14:40:00Z", ["timed_out_open"]),
      row("2026-11-20T14:10:00Z", ["failed_open", "failed_open", "allowed"]),
      row("2026-11-20T14:05:00Z", ["failed_open", "denied"], "deny"),
      row("2026-11-20T13:59:00Z", ["failed_open"]),
    ];
    expect(unguardedFigure(bars, rows)).toEqual({ total: 2, values: [1, 1], timedOut: 1 });
  });

  it("take the share of what changed something from the runs, not from hooks that did not run", () => {
    expect(changedShare([bar({ changed: 1, no_opinion: 3, not_matched: 90, skipped: 6 })])).toBe(25);
    expect(changedShare([bar({ not_matched: 90 })])).toBeNull();
  });

  it("name the slowest hook among those that run and can be slow", () => {
    const facts = factsOf(STATS);
    const slowest = slowestHook(HOOKS, facts);
    expect(slowest?.hook.label).toBe("keep-going");
    const isOn = (row: HookRow) => row.label !== "keep-going";
    const off = HOOKS.map((row) => (isOn(row) ? row : { ...row, muted: true }));
    expect(slowestHook(off, facts)?.hook.label).not.toBe("keep-going");
    expect(slowestHook(HOOKS, factsOf([]))).toBeNull();
  });

  it("count agents that are connected and sessions that are kept", () => {
    expect(countConnected(TWO_AGENTS)).toEqual({ connected: 1, kept: 1 });
  });
});
