/** What the overview asks the engine for. */
import { useMemo } from "react";
import { type Facts, factsOf } from "@/domain/hooks/facts";
import { type EventBar, type Fault, type HistoryRow, type HooksDocument, type StatusDoc, useCall } from "@/ipc";
import type { OverviewRange } from "@/routes/search";
import { RANGE_BUCKETS, RANGE_MS } from "./range";

/** The end of a span moves on although nothing is pushed. */
const MOVE_ON_MS = 30_000;

export interface Judged {
  /** Undefined until it is known. */
  status: StatusDoc | undefined;
  document: HooksDocument | undefined;
  facts: Facts;
  /** Why neither is known. */
  fault: Fault | null;
  /** Why there are no figures. */
  figuresFault: Fault | null;
  retry: () => void;
}

/** The verdict and the needs are the engine's; the list and the figures are for names and tiles. */
export function useJudged(project: string, range: OverviewRange): Judged {
  const status = useCall("overview", { project }, { everyMs: MOVE_ON_MS });
  const list = useCall("hooks.list", { project });
  const stats = useCall("stats", { project, since_ms: RANGE_MS[range] }, { keepPrevious: true, everyMs: MOVE_ON_MS });
  const hooks = stats.data?.hooks;
  const facts = useMemo(() => factsOf(hooks ?? []), [hooks]);
  const calls = [status, list, stats];
  const fault = status.data === undefined ? (status.error ?? list.error) : null;
  const retry = () => {
    for (const one of calls) if (one.error !== null) void one.refetch();
  };
  return {
    status: status.data,
    document: list.data,
    facts,
    fault,
    figuresFault: stats.data === undefined ? stats.error : null,
    retry,
  };
}

/** So many events that passed unguarded are counted; more of them are `1,000+`. */
export const MOST_UNGUARDED = 1000;

export interface Periods {
  now: readonly EventBar[];
  /** Of the same length, up to where the other one begins. */
  before: readonly EventBar[];
  /** Events of the range with a hook that failed open, the newest first; undefined until they are known. */
  unguarded: readonly HistoryRow[] | undefined;
}

/** The events and what hooks came to in the project: of the range and of the period before, each in equal parts. */
export function usePeriods(project: string, range: OverviewRange) {
  const parts = RANGE_BUCKETS[range];
  const bars = useCall(
    "history.bars",
    { project, since_ms: 2 * RANGE_MS[range], buckets: 2 * parts },
    { keepPrevious: true, everyMs: MOVE_ON_MS },
  );
  const buckets = bars.data?.buckets;
  const since = buckets?.at(-parts)?.at;
  const rows = useCall(
    "history.page",
    { project, since: since ?? "", query: "outcome:failed_open,timed_out_open", limit: MOST_UNGUARDED },
    { keepPrevious: true, enabled: since !== undefined },
  );
  const periods: Periods | undefined = buckets && {
    now: buckets.slice(-parts),
    before: buckets.slice(0, -parts),
    unguarded: rows.data?.traces,
  };
  return { periods, fault: bars.error, retry: () => void bars.refetch() };
}
