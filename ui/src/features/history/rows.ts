/** The rows of the live list: the first page, older ones on demand, new ones as they are recorded. */
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { rowOutcome } from "@/domain/trace/verdict";
import { asFault, call, type Fault, type HistoryRow, type Params, useCall, useTraceRows } from "@/ipc";
import type { Filter } from "./filter";
import { matchesFilter } from "./filter";
import type { Range } from "./range";

const PAGE = 100;
/** New rows kept while the list is paused; older ones are a page away. */
const MAX_QUEUED = 5000;

export interface Rows {
  rows: readonly HistoryRow[];
  /** Recorded events that the list does not have yet: they wait to be imported. */
  waiting: number;
  /** Rows that came while the list was paused. */
  queued: number;
  loading: boolean;
  fault: Fault | null;
  /** Nothing older is left. */
  complete: boolean;
  more: () => void;
  /** Puts the queued rows on top. */
  release: () => void;
  retry: () => void;
}

/** Whether the operation went ahead without its guard. */
export function failedOpen(row: HistoryRow): boolean {
  const kind = rowOutcome(row);
  return kind === "failed_open" || kind === "timed_out_open";
}

export function useHistoryRows(project: string, filter: Filter, range: Range | null, paused: boolean): Rows {
  const params = useMemo<Params<"history.page">>(
    () => ({
      ...filter.params,
      ...(range === null ? {} : { since: range.since }),
      ...(range?.until ? { until: range.until } : {}),
      project,
      limit: PAGE,
    }),
    [filter, range, project],
  );
  const first = useCall("history.page", params, {
    enabled: project !== "" && filter.problem === null,
    refetchOnMount: true,
  });
  const [fresh, setFresh] = useState<HistoryRow[]>([]);
  const [queued, setQueued] = useState<HistoryRow[]>([]);
  const [older, setOlder] = useState<{ rows: HistoryRow[]; next: string | null } | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const busy = useRef(false);
  const asked = useRef(params);

  useEffect(() => {
    asked.current = params;
    setFresh([]);
    setQueued([]);
    setOlder(null);
    setFault(null);
  }, [params]);

  useTraceRows((batch) => {
    const mine = batch.filter((row) => matchesFilter(row, params)).reverse();
    if (mine.length === 0) return;
    if (paused) setQueued((now) => [...mine, ...now].slice(0, MAX_QUEUED));
    else setFresh((now) => [...mine, ...now].slice(0, MAX_QUEUED));
  });

  const next = older === null ? (first.data?.next ?? null) : older.next;
  const more = useCallback(() => {
    if (busy.current || next === null) return;
    busy.current = true;
    void call("history.page", { ...params, after: next })
      .then((page) => {
        if (asked.current !== params) return;
        setOlder((now) => ({ rows: [...(now?.rows ?? []), ...page.traces], next: page.next }));
      })
      .catch((thrown) => setFault(asFault(thrown)))
      .finally(() => {
        busy.current = false;
      });
  }, [next, params]);
  const release = useCallback(() => {
    setFresh((now) => [...queued, ...now]);
    setQueued([]);
  }, [queued]);

  const rows = useMemo(() => {
    const seen = new Set(queued.map((row) => row.trace));
    const all = [...fresh, ...(first.data?.traces ?? []), ...(older?.rows ?? [])];
    return all
      .filter((row) => !seen.has(row.trace) && seen.add(row.trace))
      .sort((a, b) => (a.trace < b.trace ? 1 : -1));
  }, [fresh, queued, first.data, older]);
  return {
    rows,
    waiting: first.data?.waiting ?? 0,
    queued: queued.length,
    loading: first.data === undefined && first.error === null && filter.problem === null,
    fault: first.error ?? fault,
    complete: next === null,
    more,
    release,
    retry: () => {
      setFault(null);
      void first.refetch();
    },
  };
}
