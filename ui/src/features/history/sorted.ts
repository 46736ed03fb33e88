/** Another order of the rows that were read. The engine pages by time alone, so rows not yet read are not part of it. */
import { useMemo } from "react";
import type { HistoryRow } from "@/ipc";
import type { HistorySort } from "@/routes/search";

export type SortColumn = "event" | "took";

export interface Sorted {
  rows: readonly HistoryRow[];
  /** Null for the newest first. */
  sort: HistorySort | null;
  onSort: (column: SortColumn) => void;
}

const COMPARE: Record<SortColumn, (a: HistoryRow, b: HistoryRow) => number> = {
  event: (a, b) => (a.event < b.event ? -1 : a.event > b.event ? 1 : 0),
  took: (a, b) => a.took_ms - b.took_ms,
};

export function columnOf(sort: HistorySort): { column: SortColumn; down: boolean } {
  const down = sort.startsWith("-");
  return { column: (down ? sort.slice(1) : sort) as SortColumn, down };
}

/** The first press sorts down, the second up, the third gives the newest first again. */
function sortAfter(sort: HistorySort | null, column: SortColumn): HistorySort | undefined {
  if (sort === `-${column}`) return column;
  return sort === column ? undefined : `-${column}`;
}

export function useSorted(
  rows: readonly HistoryRow[],
  sort: HistorySort | undefined,
  onChange: (sort: HistorySort | undefined) => void,
): Sorted {
  const sorted = useMemo(() => {
    if (sort === undefined) return rows;
    const { column, down } = columnOf(sort);
    const sign = down ? -1 : 1;
    return [...rows].sort((a, b) => sign * COMPARE[column](a, b));
  }, [rows, sort]);
  return { rows: sorted, sort: sort ?? null, onSort: (column) => onChange(sortAfter(sort ?? null, column)) };
}
