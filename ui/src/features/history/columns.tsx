/** What the list shows of a chain. */
import { useMemo, useRef } from "react";
import { type Column, DialectTag, type Group, MiniChain } from "@/components";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { rowSteps } from "@/domain/trace/runOrder";
import { useTranslation } from "@/i18n";
import { useFormats } from "@/i18n/format";
import type { HistoryRow } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { useMedia } from "@/lib/media";
import type { HistorySort } from "@/routes/search";
import { useHasTool } from "./hasTool";
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
  const { t } = useTranslation();
  const { timeOfDay, duration } = useFormats();
  const hasTool = useHasTool();
  const all = useMemo<Column<HistoryRow>[]>(
    () => [
      {
        id: "time",
        head: t("history.column.time"),
        width: "78px",
        cell: (row) => <span className="mono ink-2">{timeOfDay(row.at)}</span>,
      },
      {
        id: "event",
        head: t("history.column.event"),
        width: "186px",
        cell: (row) => (
          <span className="row event-cell">
            <DialectTag dialect={row.dialect} />
            <span className="mono trunc">{row.event}</span>
          </span>
        ),
      },
      {
        id: "what",
        head: t("history.column.what"),
        cell: (row) => <About text={escapeInvisible(row.about)} tool={hasTool(row)} />,
      },
      {
        id: "chain",
        head: t("history.column.chain"),
        width: "96px",
        cell: (row) => <MiniChain pitch={15} limit={6} steps={rowSteps(row)} />,
      },
      {
        id: "result",
        head: t("history.column.result"),
        width: "152px",
        cell: (row) => <ResultBadge verdict={row.verdict} outcomes={row.outcomes} />,
      },
      {
        id: "took",
        head: t("history.column.took"),
        width: "72px",
        align: "right",
        cell: (row) => <span className="mono ink-2">{duration(row.took_ms)}</span>,
      },
    ],
    [t, timeOfDay, duration, hasTool],
  );
  const narrow = useMedia(NARROW);
  const latest = useRef(onSort);
  latest.current = onSort;
  return useMemo(() => {
    const sorted = sort === null ? null : columnOf(sort);
    return all
      .filter(({ id }) => (width === "all" || FEW.has(id)) && !(narrow && id === "chain"))
      .map((column) => {
        if (column.id === "time") return { ...column, sorted: sorted === null ? ("down" as const) : undefined };
        if (column.id !== "event" && column.id !== "took") return column;
        const own = sorted?.column === column.id ? (sorted.down ? "down" : "up") : undefined;
        const id: SortColumn = column.id;
        return { ...column, sorted: own, onSort: () => latest.current(id) } satisfies Column<HistoryRow>;
      });
  }, [all, width, narrow, sort]);
}

/** The tool stands out from its arguments. */
function About({ text, tool }: { text: string; tool: boolean }) {
  const space = text.indexOf(" ");
  if (!tool) return <span className="mono ink-2 trunc">{text}</span>;
  return (
    <span className="mono dim trunc">
      <b className="medium ink-1">{space < 0 ? text : text.slice(0, space)}</b>
      {space < 0 ? "" : text.slice(space)}
    </span>
  );
}

/** The day as the head of its rows. */
export function useDayGroups(): (row: HistoryRow) => Group {
  const { day } = useFormats();
  return useMemo(() => {
    // Rows of one hour are of one day in every time zone but those with a quarter, so quarters are told apart.
    const known = new Map<string, Group>();
    return (row) => {
      const quarter = `${row.at.slice(0, 13)} ${Math.floor(Number(row.at.slice(14, 16)) / 15)}`;
      const found = known.get(quarter);
      if (found !== undefined) return found;
      const name = day(row.at);
      const group: Group = { key: name, content: name };
      known.set(quarter, group);
      return group;
    };
  }, [day]);
}
