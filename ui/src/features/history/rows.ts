/** The rows of the list: pages of the history, with what came over the live feed since they were read. */
import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { mergeRows } from "@/domain/trace/mergeRows";
import { call, type Fault, type HistoryRow, type Params, type Reply } from "@/ipc";
import { hasGap, type LiveRows, liveRows, type Queued, queuedAfter, rowsAfter, useLiveRows } from "@/live/rows";
import { type Filter, matchesFilter, needsEngine } from "./filter";
import type { Range } from "./range";

const PAGE_ROWS = 100;
/** A filter that the live feed cannot answer asks again this often while events come in. */
const ASK_AGAIN_MS = 2000;
/** Then it asks for what was fired this long before it asked last: chains are recorded when they end. */
const LONGEST_CHAIN_MS = 600_000;

export type HistoryParams = Params<"history.page">;

/** A page, when it was asked for in ms since 1970, and how many live rows there were then. */
type Page = Reply<"history.page"> & { liveTotal: number; askedAt: number };
type Pages = InfiniteData<Page, string | null>;

export interface Rows {
  rows: readonly HistoryRow[];
  /** Those of them that came over the live feed. */
  live: readonly HistoryRow[];
  /** How many events the engine looked at for its query; null without one. */
  searched: number | null;
  /** Older events are looked at when they are asked for. */
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
    ...(filter.namesProjects ? {} : { project }),
    limit: PAGE_ROWS,
  };
}

async function readPage(params: HistoryParams, after: string | null): Promise<Page> {
  const asked = { liveTotal: liveRows().total, askedAt: Date.now() };
  const page = await call("history.page", after === null ? params : { ...params, after });
  return { ...page, ...asked };
}

/** So many rows fill the list; fewer make it read on. */
const ENOUGH_ROWS = 40;
/** Pages that are read for a query before somebody asks for more. */
const SEARCH_PAGES = 10;

/** Rows that a list shows without an answer of the engine would look like one. */
const NO_ROWS: { shown: HistoryRow[]; queued: Queued } = { shown: [], queued: { count: 0, more: false } };

/** `pausedAt` is the count of live rows when the list was paused; null while it is live. */
export function useHistoryRows(params: HistoryParams, enabled: boolean, pausedAt: number | null): Rows {
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
  useReadAgain(key, params, feed, pausedAt === null ? pages?.[0] : undefined);

  const { shown, queued } = useMemo(
    () => (enabled ? split(feed, pausedAt, params) : NO_ROWS),
    [feed, pausedAt, params, enabled],
  );
  const paged = useMemo(() => (pages ?? []).flatMap((page) => page.traces), [pages]);
  const rows = useMemo(() => mergeRows(shown, paged, query.hasNextPage), [shown, paged, query.hasNextPage]);
  const { fetchNextPage, hasNextPage, isFetching } = query;
  const [mostPages, setMostPages] = useState(SEARCH_PAGES);
  const isSearch = params.query !== undefined;
  const stopped = isSearch && hasNextPage && (pages?.length ?? 0) >= mostPages;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching && !stopped) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetching, stopped]);
  const tooFew = isSearch && rows.length < ENOUGH_ROWS;
  useEffect(() => {
    if (tooFew) more();
  }, [tooFew, more]);
  return {
    rows,
    live: shown,
    searched: isSearch ? (pages ?? []).reduce((sum, page) => sum + (page.searched ?? 0), 0) : null,
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
function split(feed: LiveRows, pausedAt: number | null, params: HistoryParams) {
  const after = pausedAt === null ? [] : rowsAfter(feed, pausedAt);
  const isWanted = (row: HistoryRow) => matchesFilter(row, params);
  return {
    shown: feed.rows.slice(after.length).filter(isWanted),
    queued: queuedAfter(feed, pausedAt ?? feed.total, isWanted),
  };
}

/** Asks for what is newer where the live feed cannot give its rows. */
function useReadAgain(key: readonly unknown[], params: HistoryParams, feed: LiveRows, first: Page | undefined): void {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const stale =
    first !== undefined && (hasGap(feed, first.liveTotal) || (needsEngine(params) && feed.total > first.liveTotal));
  const askedAt = first?.askedAt ?? 0;
  useEffect(() => {
    if (!stale) return;
    timer.current = setTimeout(() => {
      const since = new Date(askedAt - LONGEST_CHAIN_MS).toISOString();
      const newer = params.since !== undefined && params.since > since ? params : { ...params, since };
      readPage(newer, null).then(
        (page) =>
          client.setQueryData<Pages>(key, (old) => old && withNewer(old, page, newlySearched(params, old, page))),
        () => undefined,
      );
    }, ASK_AGAIN_MS);
    return () => clearTimeout(timer.current);
  }, [stale, askedAt, client, key, params]);
}

/** How many events came between the first page and a newer one: the query has looked at them, too. */
function newlySearched(params: HistoryParams, { pages: [first] }: Pages, newer: Page): number {
  if (first === undefined) return 0;
  const { query: _query, hook: _hook, ...plain } = params;
  const known = new Set(first.traces.map((row) => row.trace));
  const feed = liveRows();
  const came = rowsAfter(feed, first.liveTotal)
    .slice(rowsAfter(feed, newer.liveTotal).length)
    .filter((row) => !known.has(row.trace) && matchesFilter(row, plain));
  return new Set(came.map((row) => row.trace)).size;
}

/** The pages with newer events above them. Where those are more than a page, the list begins with them. */
function withNewer(old: Pages, newer: Page, newlySearched: number): Pages {
  const [first, ...rest] = old.pages;
  if (first === undefined || newer.next !== null) return { pages: [newer], pageParams: [null] };
  const known = new Set(newer.traces.map((row) => row.trace));
  const older = first.traces.filter((row) => !known.has(row.trace));
  const page = { ...newer, traces: [...newer.traces, ...older], next: first.next };
  // Events that were looked at again count once.
  if (first.searched !== undefined) page.searched = first.searched + newlySearched;
  return { pages: [page, ...rest], pageParams: old.pageParams };
}
