/** Rows of the history with what came over the live feed since they were read. */
import type { HistoryRow } from "@/ipc";

/** Newest first, each trace once, in its latest version. */
export function mergeRows(live: readonly HistoryRow[], paged: readonly HistoryRow[], hasOlder: boolean): HistoryRow[] {
  const top = paged[0]?.trace ?? "";
  const seen = new Set<string>();
  const once = (row: HistoryRow) => !seen.has(row.trace) && seen.add(row.trace) !== undefined;
  const newer = live.filter((row) => row.trace > top && once(row));
  const rest = live.filter((row) => row.trace <= top && once(row));
  const known = paged.filter(once);
  const bottom = hasOlder ? (paged.at(-1)?.trace ?? "") : "";
  // Usually the live rows lie above the pages, in order: then there is nothing to sort.
  const late = rest.filter((row) => row.trace >= bottom);
  const rows = [...newer, ...late, ...known];
  const inOrder = late.length === 0 && newer.every((row, at) => at === 0 || row.trace < (newer[at - 1]?.trace ?? ""));
  return inOrder ? rows : rows.sort((a, b) => (a.trace < b.trace ? 1 : -1));
}
