/** What the overview asks the engine for. */
import { useMemo } from "react";
import { type Facts, factsOf } from "@/domain/hooks/facts";
import { type Fault, type HooksDocument, type StatusDoc, useCall } from "@/ipc";
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

/** The events and what hooks came to in the project, in equal parts of the range. */
export function useBars(project: string, range: OverviewRange) {
  return useCall(
    "history.bars",
    { project, since_ms: RANGE_MS[range], buckets: RANGE_BUCKETS[range] },
    { keepPrevious: true, everyMs: MOVE_ON_MS },
  );
}
