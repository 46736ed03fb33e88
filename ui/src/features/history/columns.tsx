/** What the list shows of a chain. */
import type { Column, Group } from "@/components";
import { useRowColumns } from "@/domain/trace/rowColumns";
import { day } from "@/i18n/format";
import type { HistoryRow } from "@/ipc";
import { useMedia } from "@/lib/media";
import type { HistorySort } from "@/routes/search";
import { columnOf, type SortColumn } from "./sorted";

/** Columns that stay when two chains lie beside the list. */
const FEW = new Set(["time", "event", "result"]);

/** At 200 % zoom the chain gives its room to what it was about. */
const NARROW = "(max-width: 719px)";

/** All columns, or the few that fit beside a comparison. */
export function useColumns(
  width: "all" | "few",
  sort: HistorySort | null,
  onSort: (column: SortColumn) => void,
): Column<HistoryRow>[] {
  const all = useRowColumns();
  const narrow = useMedia(NARROW);
  const sorted = sort === null ? null : columnOf(sort);
  return all
    .filter(({ id }) => (width === "all" || FEW.has(id)) && !(narrow && id === "chain"))
    .map((column) => {
      if (column.id === "time") return { ...column, sorted: sorted === null ? ("down" as const) : undefined };
      if (column.id !== "event" && column.id !== "took") return column;
      const own = sorted?.column === column.id ? (sorted.down ? "down" : "up") : undefined;
      const id: SortColumn = column.id;
      return { ...column, sorted: own, onSort: () => onSort(id) } satisfies Column<HistoryRow>;
    });
}

/** The day as the head of its rows. */
export function dayGroups(): (row: HistoryRow) => readonly Group[] {
  // Rows of one hour are of one day in every time zone but those with a quarter, so quarters are told apart.
  const known = new Map<string, readonly Group[]>();
  return (row) => {
    const quarter = `${row.at.slice(0, 13)} ${Math.floor(Number(row.at.slice(14, 16)) / 15)}`;
    const found = known.get(quarter);
    if (found !== undefined) return found;
    const name = day(row.at);
    const groups = [{ key: name, content: name }];
    known.set(quarter, groups);
    return groups;
  };
}
