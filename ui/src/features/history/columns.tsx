/** What the list shows of a chain. */
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { type Column, DialectTag, MiniChain } from "@/components";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { useFormats } from "@/i18n/format";
import type { HistoryRow } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";

/** Columns that stay when two chains lie beside the list. */
const FEW = new Set(["time", "event", "result"]);

/** All columns, or the few that fit beside a comparison. */
export function useColumns(width: "all" | "few"): Column<HistoryRow>[] {
  const { t } = useTranslation();
  const { time, duration } = useFormats();
  const all = useMemo<Column<HistoryRow>[]>(
    () => [
      {
        id: "time",
        head: t("history.column.time"),
        width: "84px",
        cell: (row) => <span className="mono ink2">{time(row.at)}</span>,
      },
      {
        id: "event",
        head: t("history.column.event"),
        width: "196px",
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
        cell: (row) => <span className="mono ink2 trunc">{escapeInvisible(row.about)}</span>,
      },
      {
        id: "chain",
        head: t("history.column.chain"),
        width: "104px",
        cell: (row) => (
          <MiniChain
            pitch={15}
            limit={6}
            steps={row.outcomes.map((outcome, index) => ({ outcome, reason: row.reasons[index] ?? null }))}
          />
        ),
      },
      {
        id: "result",
        head: t("history.column.result"),
        width: "184px",
        cell: (row) => <ResultBadge verdict={row.verdict} outcomes={row.outcomes} />,
      },
      {
        id: "took",
        head: t("history.column.took"),
        width: "72px",
        align: "right",
        cell: (row) => <span className="mono ink2">{duration(row.took_ms)}</span>,
      },
    ],
    [t, time, duration],
  );
  return useMemo(() => (width === "all" ? all : all.filter((column) => FEW.has(column.id))), [all, width]);
}
