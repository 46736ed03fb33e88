/**
 * The rows of the live feed, kept outside the components: one ring for the whole window, so that a screen that is opened
 * later has what came before.
 */
import { useSyncExternalStore } from "react";
import type { HistoryRow } from "@/ipc";

/** Rows kept; older ones are a page of the history away. */
export const RING_ROWS = 5000;

export interface LiveRows {
  /** Newest first, at most `RING_ROWS`. */
  rows: readonly HistoryRow[];
  /** How many came since the window was opened, the dropped ones included. */
  total: number;
}

const NOTHING: LiveRows = { rows: [], total: 0 };
let current = NOTHING;
const listeners = new Set<() => void>();

function publish(next: LiveRows): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Adds a batch, oldest first as the engine pushes it. */
export function addLiveRows(batch: readonly HistoryRow[]): void {
  if (batch.length === 0) return;
  const rows = [...batch].reverse().concat(current.rows.slice(0, Math.max(0, RING_ROWS - batch.length)));
  publish({ rows: rows.slice(0, RING_ROWS), total: current.total + batch.length });
}

/** Forgets all rows; tests only. */
export function clearLiveRows(): void {
  publish(NOTHING);
}

export function liveRows(): LiveRows {
  return current;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Draws the caller again with each batch, ten times a second at most. */
export function useLiveRows(): LiveRows {
  return useSyncExternalStore(subscribe, liveRows);
}

/** The newest row that is wanted; none is where that is null. Draws the caller again only when it is another one. */
export function useLiveRow(isWanted: ((row: HistoryRow) => boolean) | null): HistoryRow | undefined {
  return useSyncExternalStore(subscribe, () => (isWanted === null ? undefined : current.rows.find(isWanted)));
}

/** The rows that came after the first `total` ones, newest first, as far as the ring still has them. */
export function rowsAfter({ rows, total }: LiveRows, seen: number): readonly HistoryRow[] {
  return rows.slice(0, Math.max(0, total - seen));
}

/** Whether rows that came after the first `seen` ones are no longer in the ring. */
export function hasGap({ rows, total }: LiveRows, seen: number): boolean {
  return total - seen > rows.length;
}

/** Rows that wait while a list is paused. */
export interface Queued {
  /** How many new traces the ring has; a trace that was recorded again counts once. */
  count: number;
  /** Whether there were more of them than the ring keeps. */
  more: boolean;
}

/** What came after the first `seen` rows of the feed, as far as a list wants it. */
export function queuedAfter(feed: LiveRows, seen: number, isWanted: (row: HistoryRow) => boolean): Queued {
  const after = rowsAfter(feed, seen);
  if (after.length === 0) return { count: 0, more: false };
  const shown = new Set(feed.rows.slice(after.length).map((row) => row.trace));
  const fresh = new Set<string>();
  for (const row of after) if (!shown.has(row.trace) && isWanted(row)) fresh.add(row.trace);
  return { count: fresh.size, more: hasGap(feed, seen) };
}
