/** Which sentence stands at the top: what is worst first, or how sure it is that all is well. */
import { allStatsOf, canBlock, type Facts, willRun } from "@/domain/hooks/facts";
import type { HookRow } from "@/ipc";
import { NEED_KINDS, type Need, type NeedKind } from "./needs";

/** So many parts are still one plain sentence; the list beside it has the rest. */
const MOST_PARTS = 3;

export interface VerdictPart {
  kind: NeedKind;
  /** How many of the kind; hooks, where hooks wait. */
  count: number;
}

/** What can be said where nothing needs the user. */
export type AllWell =
  /** No hook was found. */
  | "noHooks"
  /** No hook that runs can block. */
  | "noGuards"
  /** No guard failed open, but not every guard ran. */
  | "quiet"
  /** Every guard ran and none failed open. */
  | "proven";

export type OverviewVerdict = { parts: VerdictPart[] } | { well: AllWell };

export interface GuardCounts {
  /** Rows of the hook list. */
  hooks: number;
  /** Those of them that run when their event is fired. */
  on: number;
  /** Those that ran in the range. */
  ran: number;
  /** Those that are on and can block. */
  guards: number;
  guardsRan: number;
}

export function countGuards(hooks: readonly HookRow[], facts: Facts): GuardCounts {
  const on = hooks.filter(willRun);
  const ran = on.filter((hook) => allStatsOf(facts, hook).some((one) => one.runs > 0));
  return {
    hooks: hooks.length,
    on: on.length,
    ran: ran.length,
    guards: on.filter(canBlock).length,
    guardsRan: ran.filter(canBlock).length,
  };
}

function countOf(kind: NeedKind, needs: readonly Need[]): number {
  const own = needs.filter((need) => need.kind === kind);
  return own.reduce((sum, need) => sum + (need.kind === "waiting" ? need.count : 1), 0);
}

export function verdictOf(needs: readonly Need[], counts: GuardCounts): OverviewVerdict {
  const parts = NEED_KINDS.map((kind) => ({ kind, count: countOf(kind, needs) })).filter(({ count }) => count > 0);
  if (parts.length > 0) return { parts: parts.slice(0, MOST_PARTS) };
  if (counts.hooks === 0) return { well: "noHooks" };
  if (counts.guards === 0) return { well: "noGuards" };
  return { well: counts.guardsRan === counts.guards ? "proven" : "quiet" };
}
