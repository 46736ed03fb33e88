/** Which two rows are compared: `Ctrl` and a click, or `C` and then another row. */
import type { HistoryRow } from "@/ipc";
import type { HistorySearch } from "@/routes/search";

export interface Comparison {
  /** The row that stays while the other is chosen; null for no comparison. */
  anchor: string | null;
  /** The anchor once another row is chosen. */
  comparing: string | null;
  /** A row was chosen by a click or by a key. Keys go on with the comparison, a click ends it. */
  choose: (row: HistoryRow, by: "pointer" | "key") => void;
  /** A second row was chosen; once more takes it back. */
  compareWith: (row: HistoryRow) => void;
  /** Waits for the row to compare the chosen one with. */
  setAnchor: () => void;
  leave: () => void;
}

export function comparisonOf(search: HistorySearch, change: (part: Partial<HistorySearch>) => void): Comparison {
  const { trace } = search;
  const anchor = trace === undefined ? null : (search.with ?? null);
  const comparing = anchor === trace ? null : anchor;
  const only = (one: string) => change({ trace: one, with: undefined, step: undefined });
  return {
    anchor,
    comparing,
    choose(row, by) {
      const goesOn = anchor !== null && (comparing === null || by === "key");
      if (goesOn) change({ trace: row.trace, step: undefined });
      else only(row.trace);
    },
    compareWith(row) {
      if (trace === undefined) only(row.trace);
      else if (row.trace === trace) only(comparing ?? trace);
      else if (row.trace === comparing) only(trace);
      else change({ trace: row.trace, with: anchor ?? trace, step: undefined });
    },
    setAnchor: () => change({ with: anchor === null ? trace : undefined }),
    leave: () => change({ with: undefined }),
  };
}
