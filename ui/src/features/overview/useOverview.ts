/** What the overview asks the engine for. */
import { useMemo } from "react";
import { factsOf } from "@/domain/hooks/facts";
import { type Fault, type State, useCall } from "@/ipc";
import type { OverviewRange } from "@/routes/search";
import { type Need, needsOf } from "./needs";
import { RANGE_BUCKETS, RANGE_MS } from "./range";
import { countGuards, type GuardCounts } from "./verdict";

/** The end of a span moves on although nothing is pushed. */
const MOVE_ON_MS = 30_000;
const NONE: never[] = [];

export interface Judged {
  needs: Need[];
  counts: GuardCounts;
}

/** Everything that the verdict and the list of needs go by. Null until it is known. */
export function useJudged(project: string, range: OverviewRange, state: State | undefined) {
  const list = useCall("hooks.list", { project });
  const stats = useCall("stats", { project, since_ms: RANGE_MS[range] }, { keepPrevious: true, everyMs: MOVE_ON_MS });
  const trust = useCall("trust.list", { project });
  const settings = useCall("settings.get", {});
  const document = list.data;
  const hooks = stats.data?.hooks;
  const facts = factsOf(document?.problems ?? NONE, hooks ?? NONE);
  const pending = trust.data?.pending;
  const settingsProblems = settings.data?.problems.length ?? 0;
  const judged = useMemo<Judged | null>(() => {
    if (document === undefined || hooks === undefined || pending === undefined || state === undefined) return null;
    return {
      needs: needsOf({ document, facts, pending, state, settingsProblems }),
      counts: countGuards(document.hooks, facts),
    };
  }, [document, facts, hooks, pending, state, settingsProblems]);
  const calls = [list, stats, trust];
  const fault: Fault | null = judged === null ? (calls.find((one) => one.error !== null)?.error ?? null) : null;
  const retry = () => {
    for (const one of calls) if (one.error !== null) void one.refetch();
  };
  return { judged, document, facts, fault, retry };
}

/** The events and what hooks came to in the project, in equal parts of the range. */
export function useBars(project: string, range: OverviewRange) {
  return useCall(
    "history.bars",
    { project, since_ms: RANGE_MS[range], buckets: RANGE_BUCKETS[range] },
    { keepPrevious: true, everyMs: MOVE_ON_MS },
  );
}
