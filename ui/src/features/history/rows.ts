/** The rows of the list: pages of the history, with what came over the live feed since they were read. */
import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { mergeRows } from "@/domain/trace/mergeRows";
import { call, type Fault, type HistoryRow, type Params, type Reply } from "@/ipc";
import { hasGap, type LiveRows, liveRows, type Queued, queuedAfter, rowsAfter, useLiveRows } from "@/live/rows";
import { type Filter, matchesFilter } from "./filter";
import type { Range } from "./range";

const PAGE_ROWS = 100;
/** A filter that is looked up in the rows reads more of them at once. */
const SEARCH_ROWS = 500;
/** A filter that the live feed cannot answer asks again this often while events come in. */
const ASK_AGAIN_MS = 2000;

export type HistoryParams = Params<"history.page">;

/** A page, and how many live rows there were when it was asked for. */
type Page = Reply<"history.page"> & { liveTotal: number };
type Pages = InfiniteData<Page, string | null>;

export interface Rows {
  rows: readonly HistoryRow[];
  /** Those of them that came over the live feed. */
  live: readonly HistoryRow[];
  /** How many rows were read for them: the same, or more where a filter is looked up in them. */
  searched: number;
  /** Older rows are read when they are asked for. */
  stopped: boolean;
  searchOlder: () => void;
  /** Recorded events that the list does not have yet: they wait to be imported. */
  waiting: number;
  /** How many rows came since the list was paused. */
  queued: Queued;
  loading: boolean;
  fault: Fault | null;
  /** Nothing older is left. */
  complete: boolean;
  more: () => void;
  retry: () => void;
}

export function paramsOf(project: string, filter: Filter, range: Range | null): HistoryParams {
  const { since } = filter.params;
  const begin = range !== null && (since === undefined || range.since > since) ? range.since : since;
  return {
    ...filter.params,
    ...(begin === undefined ? {} : { since: begin }),
    ...(range?.until ? { until: range.until } : {}),
    project,
    limit: filter.refine === null ? PAGE_ROWS : SEARCH_ROWS,
  };
}

async function readPage(params: HistoryParams, after: string | null): Promise<Page> {
  const liveTotal = liveRows().total;
  const page = await call("history.page", after === null ? params : { ...params, after });
  return { ...page, liveTotal };
}

type Refine = Filter["refine"];

/** So many rows fill the list; fewer make it read on. */
const ENOUGH_ROWS = 40;
/** Pages that are read for a filter before somebody asks for more. */
const SEARCH_PAGES = 10;

/**
 * `pausedAt` is the count of live rows when the list was paused; null while it is live. `refine` is looked up in the rows
 * that were read.
 */
export function useHistoryRows(params: HistoryParams, refine: Refine, enabled: boolean, pausedAt: number | null): Rows {
  const key = useMemo(() => ["history.page", params, "pages"] as const, [params]);
  const query = useInfiniteQuery<Page, Fault, Pages, typeof key, string | null>({
    queryKey: key,
    queryFn: ({ pageParam }) => readPage(params, pageParam),
    initialPageParam: null,
    getNextPageParam: (last) => last.next,
    enabled,
    // The live feed keeps the list fresh, but not the count of what waits to be imported.
    staleTime: ({ state }) => ((state.data?.pages[0]?.waiting ?? 0) > 0 ? 0 : Number.POSITIVE_INFINITY),
  });
  const feed = useLiveRows();
  const pages = query.data?.pages;
  useReadAgain(key, params, feed, pages?.[0]);

  const { shown, queued } = useMemo(() => split(feed, pausedAt, params, refine), [feed, pausedAt, params, refine]);
  const read = useMemo(() => (pages ?? []).flatMap((page) => page.traces), [pages]);
  const paged = useMemo(() => (refine === null ? read : read.filter(refine)), [read, refine]);
  const rows = useMemo(() => mergeRows(shown, paged, query.hasNextPage), [shown, paged, query.hasNextPage]);
  const { fetchNextPage, hasNextPage, isFetching } = query;
  const [mostPages, setMostPages] = useState(SEARCH_PAGES);
  const stopped = refine !== null && hasNextPage && (pages?.length ?? 0) >= mostPages;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching && !stopped) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetching, stopped]);
  const tooFew = refine !== null && rows.length < ENOUGH_ROWS;
  useEffect(() => {
    if (tooFew) more();
  }, [tooFew, more]);
  return {
    rows,
    live: shown,
    searched: read.length,
    stopped,
    searchOlder: () => setMostPages((pages?.length ?? 0) + SEARCH_PAGES),
    waiting: pages?.[0]?.waiting ?? 0,
    queued,
    loading: pages === undefined && query.error === null && enabled,
    fault: query.error,
    complete: !hasNextPage,
    more,
    retry: () => void query.refetch(),
  };
}

/** Live rows that belong to the list, and how many more wait for it to be live again. */
function split(feed: LiveRows, pausedAt: number | null, params: HistoryParams, refine: Refine) {
  const after = pausedAt === null ? [] : rowsAfter(feed, pausedAt);
  const isWanted = (row: HistoryRow) => matchesFilter(row, params) && (refine === null || refine(row));
  return {
    shown: feed.rows.slice(after.length).filter(isWanted),
    queued: queuedAfter(feed, pausedAt ?? feed.total, isWanted),
  };
}

/** Reads the first page again where the live feed cannot give its rows. */
function useReadAgain(key: readonly unknown[], params: HistoryParams, feed: LiveRows, first: Page | undefined): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stale =
    first !== undefined &&
    (hasGap(feed, first.liveTotal) || (params.hook !== undefined && feed.total > first.liveTotal));
  useEffect(() => {
    if (!stale) return;
    timer.current = setTimeout(() => {
      readPage(params, null).then(
        (page) =>
          client.setQueryData<Pages>(key, (old) =>
            old === undefined ? old : { pages: [page, ...old.pages], pageParams: [null, ...old.pageParams] },
          ),
        () => undefined,
      );
    }, ASK_AGAIN_MS);
    return () => clearTimeout(timer.current);
  }, [stale, client, key, params]);
}
