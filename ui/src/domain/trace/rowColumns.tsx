/** The columns that show a row of the history, on every screen that lists rows. */
import { type Column, DialectTag, MiniChain } from "@/components";
import { t } from "@/i18n";
import { duration, timeOfDay } from "@/i18n/format";
import type { HistoryRow } from "@/ipc";
import { summaryText } from "@/lib/escape";
import { useHasTool } from "./hasTool";
import { ResultBadge } from "./ResultBadge";
import { rowSteps } from "./runOrder";

/** Time, event, what it was about, chain, result and duration; the same columns until the language changes. */
export function useRowColumns(): Column<HistoryRow>[] {
  const hasTool = useHasTool();
  return [
    {
      id: "time",
      head: t("history.column.time"),
      width: "86px",
      cell: (row) => <span className="mono ink-2">{timeOfDay(row.at)}</span>,
    },
    {
      id: "event",
      head: t("history.column.event"),
      width: "190px",
      cell: (row) => (
        <span className="row">
          <DialectTag dialect={row.dialect} />
          <span className="mono trunc">{row.event}</span>
        </span>
      ),
    },
    {
      id: "what",
      head: t("history.column.what"),
      cell: (row) => <About text={summaryText(row.about)} tool={hasTool(row)} />,
    },
    {
      id: "chain",
      head: t("history.column.chain"),
      width: "96px",
      cell: (row) => <MiniChain steps={rowSteps(row)} />,
    },
    {
      id: "result",
      head: t("history.column.result"),
      width: "156px",
      cell: (row) => <ResultBadge chain={row} />,
    },
    {
      id: "took",
      head: t("history.column.took"),
      width: "74px",
      align: "right",
      cell: (row) => <span className="mono ink-2">{duration(row.took_ms)}</span>,
    },
  ];
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
